/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/pool.h"
#include "test.h"

typedef struct sums {
    double part[1000];
    atomic_int calls;
} sums;

static void add_block(void *arg, size_t index, int worker)
{
    sums *s = arg;
    (void)worker;
    double t = 0;
    for (int i = 0; i < 1000; ++i) t += 1.0 / (double)(index * 1000 + (size_t)i + 1);
    s->part[index] = t;
    atomic_fetch_add(&s->calls, 1);
}

static double harmonic(int threads)
{
    static sums s;
    scarce__pool *pool = NULL;
    double total = 0;
    CHECK(scarce__pool_new(&pool, threads, NULL) == SCARCE_OK);
    for (int round = 0; round < 200; ++round) {
        atomic_store(&s.calls, 0);
        scarce__pool_run(pool, 1000, add_block, &s);
        CHECK(atomic_load(&s.calls) == 1000);
        if (round % 50 == 0) usleep(2000); /* lets the workers fall asleep in between */
    }
    for (int i = 0; i < 1000; ++i) total += s.part[i];
    scarce__pool_free(pool);
    return total;
}

static void test_same_bits(void)
{
    const double one = harmonic(1);
    CHECK(one == harmonic(2));
    CHECK(one == harmonic(3));
    CHECK(one == harmonic(8));
}

static void outer(void *arg, size_t index, int worker)
{
    scarce__pool *pool = ((void **)arg)[0];
    sums *s = ((void **)arg)[1];
    (void)index;
    (void)worker;
    scarce__pool_run(pool, 10, add_block, s);
}

static void test_nested_runs_inline(void)
{
    static sums s;
    scarce__pool *pool = NULL;
    void *arg[2];
    CHECK(scarce__pool_new(&pool, 3, NULL) == SCARCE_OK);
    arg[0] = pool;
    arg[1] = &s;
    atomic_store(&s.calls, 0);
    /* nested tasks write the same values to the same places, so only the count is looked at */
    scarce__pool_run(pool, 1, outer, arg);
    CHECK(atomic_load(&s.calls) == 10);
    scarce__pool_free(pool);
}

static void check_worker(void *arg, size_t index, int worker)
{
    (void)index;
    if (worker != 0) atomic_fetch_add((atomic_int *)arg, 1);
}

static void use_own_pool(void *arg, size_t index, int worker)
{
    scarce__pool *own = NULL;
    (void)index;
    (void)worker;
    CHECK(scarce__pool_new(&own, 1, NULL) == SCARCE_OK);
    scarce__pool_run(own, 5, check_worker, arg); /* one thread: nobody but worker 0, whoever we are outside */
    scarce__pool_free(own);
}

static void test_pool_inside_a_task(void)
{
    static atomic_int wrong;
    scarce__pool *pool = NULL;
    CHECK(scarce__pool_new(&pool, 4, NULL) == SCARCE_OK);
    for (int i = 0; i < 50; ++i) scarce__pool_run(pool, 64, use_own_pool, &wrong);
    CHECK(atomic_load(&wrong) == 0);
    scarce__pool_free(pool);
}

#if !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_FORK_TEST 1
#endif
#endif
#else
#define NO_FORK_TEST 1
#endif

static void test_survives_fork(void)
{
#ifndef NO_FORK_TEST /* the thread sanitizer does not follow threads started after fork */
    static sums s;
    scarce__pool *pool = NULL;
    CHECK(scarce__pool_new(&pool, 4, NULL) == SCARCE_OK);
    scarce__pool_run(pool, 1000, add_block, &s);
    for (int i = 0; i < 5; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20); /* a hang is a failure */
            atomic_store(&s.calls, 0);
            scarce__pool_run(pool, 1000, add_block, &s);
            _exit(atomic_load(&s.calls) == 1000 ? 0 : 1);
        }
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    atomic_store(&s.calls, 0);
    scarce__pool_run(pool, 1000, add_block, &s);
    CHECK(atomic_load(&s.calls) == 1000);
    scarce__pool_free(pool);
#endif
}

static const test_case tests[] = {
    {"same_bits", test_same_bits},
    {"nested_runs_inline", test_nested_runs_inline},
    {"pool_inside_a_task", test_pool_inside_a_task},
    {"survives_fork", test_survives_fork},
};
TEST_MAIN(tests)
