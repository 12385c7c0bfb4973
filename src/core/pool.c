/* SPDX-License-Identifier: Apache-2.0 */
/* One job at a time. Workers take task numbers from an atomic counter; the caller works too.
 *
 * A run costs one lock and one broadcast when workers sleep. Because boosting issues thousands of
 * short runs a second, a worker that has just finished looks for the next job for a few
 * microseconds before it goes to sleep; idle, it uses no time at all.
 *
 * Workers have a stack of 1 MB whatever the system's usual size (128 KB with musl, 8 MB with glibc): no frame
 * of the library is above 16 KB (CMakeLists.txt), and the rest is for a caller's own losses and callbacks.
 * Sanitizers make frames several times as large; there the usual size stays. */
#include "core/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { LOOKS_BEFORE_SLEEP = 4000, STACK_BYTES = 1 << 20 };

typedef struct job {
    scarce__task_fn task;
    void *arg;
    size_t n_tasks;
} job;

struct scarce__pool {
    int threads; /* including the caller */
    int started; /* workers that exist */
    pid_t owner;
    pthread_t *handles;
    struct worker_start *starts;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    atomic_uint generation; /* a new value announces a job */
    atomic_int sleeping;
    int stop;
    job current;
    atomic_size_t next;
    atomic_int busy; /* workers that have not left the current job */
};

struct worker_start {
    scarce__pool *pool;
    int worker;
};

/* Which worker of which pool this thread is while it runs a task. A task may use a pool of its own (a fit
 * inside a comparison), where it is worker 0 whatever it is outside. */
static _Thread_local struct {
    const scarce__pool *pool;
    int worker;
} inside;

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void take_tasks(scarce__pool *pool, const job *j, int worker)
{
    const scarce__pool *outer_pool = inside.pool;
    const int outer_worker = inside.worker;
    size_t i;
    inside.pool = pool;
    inside.worker = worker;
    while ((i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < j->n_tasks)
        j->task(j->arg, i, worker);
    inside.pool = outer_pool;
    inside.worker = outer_worker;
}

static unsigned wait_for_job(scarce__pool *pool, unsigned seen)
{
    for (int i = 0; i < LOOKS_BEFORE_SLEEP; ++i) {
        const unsigned g = atomic_load_explicit(&pool->generation, memory_order_acquire);
        if (g != seen) return g;
        pause_cpu();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->generation) == seen && !pool->stop) pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->lock);
    return atomic_load(&pool->generation);
}

static void *worker_main(void *argument)
{
    const struct worker_start *start = argument;
    scarce__pool *pool = start->pool;
    unsigned seen = 0;

    for (;;) {
        seen = wait_for_job(pool, seen);
        if (pool->stop) return NULL;
        const job j = pool->current;
        take_tasks(pool, &j, start->worker);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

static void init_locks(scarce__pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
}

/* Fewer threads than asked (a limit of the system) is slower, not wrong. */
static void start_workers(scarce__pool *pool)
{
    pthread_attr_t attributes;

    atomic_store(&pool->generation, 0);
    atomic_store(&pool->sleeping, 0);
    atomic_store(&pool->busy, 0);
    pool->stop = 0;
    pool->started = 0;
    pool->owner = getpid();
    if (pthread_attr_init(&attributes) != 0) return;
#if !SANITIZED
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
#endif
    for (int i = 1; i < pool->threads; ++i) {
        struct worker_start *s = &pool->starts[i - 1];
        s->pool = pool;
        s->worker = i;
        if (pthread_create(&pool->handles[i - 1], &attributes, worker_main, s) != 0) break;
        pool->started += 1;
    }
    pthread_attr_destroy(&attributes);
}

scarce_status scarce__pool_new(scarce__pool **out, int threads, scarce_error *err)
{
    scarce__pool *pool;

    *out = NULL;
    if (threads < 1) threads = scarce_default_threads();
    pool = scarce__calloc(1, sizeof *pool);
    if (!pool) return scarce__fail_memory(err, "the thread pool", 0);
    pool->threads = threads;
    pool->handles = scarce__calloc((size_t)threads, sizeof *pool->handles);
    pool->starts = scarce__calloc((size_t)threads, sizeof *pool->starts);
    if (!pool->handles || !pool->starts) {
        scarce__free(pool->handles);
        scarce__free(pool->starts);
        scarce__free(pool);
        return scarce__fail_memory(err, "the thread pool", 0);
    }
    init_locks(pool);
    start_workers(pool);
    *out = pool;
    return SCARCE_OK;
}

void scarce__pool_free(scarce__pool *pool)
{
    if (!pool) return;
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->stop = 1;
        atomic_fetch_add(&pool->generation, 1);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < pool->started; ++i) pthread_join(pool->handles[i], NULL);
        pthread_cond_destroy(&pool->done);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->lock);
    }
    scarce__free(pool->handles);
    scarce__free(pool->starts);
    scarce__free(pool);
}

int scarce__pool_threads(const scarce__pool *pool)
{
    return pool ? pool->threads : 1;
}

void scarce__pool_run(scarce__pool *pool, size_t n_tasks, scarce__task_fn task, void *arg)
{
    if (!pool || n_tasks <= 1 || pool->threads == 1 || inside.pool == pool) {
        const int worker = pool && inside.pool == pool ? inside.worker : 0;
        for (size_t i = 0; i < n_tasks; ++i) task(arg, i, worker);
        return;
    }
    if (pool->owner != getpid()) { /* a forked child has the memory but not the threads */
        init_locks(pool);
        start_workers(pool);
    }
    if (pool->started == 0) {
        for (size_t i = 0; i < n_tasks; ++i) task(arg, i, 0);
        return;
    }
    pool->current = (job){task, arg, n_tasks};
    atomic_store(&pool->next, 0);
    atomic_store(&pool->busy, pool->started);
    atomic_fetch_add(&pool->generation, 1);
    if (atomic_load(&pool->sleeping) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    take_tasks(pool, &pool->current, 0);
    for (int i = 0; i < LOOKS_BEFORE_SLEEP && atomic_load(&pool->busy) > 0; ++i) pause_cpu();
    if (atomic_load(&pool->busy) > 0) {
        pthread_mutex_lock(&pool->lock);
        while (atomic_load(&pool->busy) > 0) pthread_cond_wait(&pool->done, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
}
