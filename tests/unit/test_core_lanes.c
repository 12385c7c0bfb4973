/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/lanes.h"
#include "test.h"

enum { TASKS = 40 };

typedef struct work {
    pthread_t caller;
    atomic_int times[TASKS], running, most;
    int done[TASKS], n_done;
    int told, lines, elsewhere; /* elsewhere: callbacks on another thread than the caller's */
    int stop_after, fail_from, cut;
    int threads_each, talk, slow;
    size_t order; /* claims from the last task on */
    char line[64];
} work;

static scarce_status run(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    const scarce_progress p = {"inner", 0, 0, "", "", NULL, 0};
    work *w = arg;
    const int now = atomic_fetch_add(&w->running, 1) + 1;
    int stop = 0;
    if (now > atomic_load(&w->most)) atomic_store(&w->most, now);
    atomic_fetch_add(&w->times[task], 1);
    if (w->talk) scarce__log(ctx, SCARCE_LOG_WARN, "task %zu", task);
    for (int i = 0; i < (w->slow ? 20 : 1) && !stop; ++i) {
        usleep(w->slow ? 1000 : 100);
        stop = scarce__progress(ctx, &p);
    }
    if (w->threads_each) CHECK(scarce_context_threads(ctx) == w->threads_each);
    CHECK(scarce_context_seed(ctx) == 77);
    atomic_fetch_sub(&w->running, 1);
    if (stop) return scarce__fail(err, SCARCE_ECANCEL, "cut off");
    if (w->fail_from >= 0 && task % 10 >= (size_t)w->fail_from)
        return scarce__fail(err, SCARCE_EDATA, "no good");
    return SCARCE_OK;
}

static scarce_status done(void *arg, size_t task, double seconds, scarce_error *err)
{
    work *w = arg;
    (void)err;
    CHECK(seconds > 0 && seconds < 60);
    w->done[task] += 1;
    w->n_done += 1;
    return SCARCE_OK;
}

static size_t claim_backwards(void *arg)
{
    work *w = arg;
    if (w->cut && w->order + (size_t)w->cut == TASKS) return SCARCE__LANES_STOP;
    return w->order > 0 ? --w->order : SCARCE__LANES_NONE;
}

static void tell(void *arg, scarce_progress *p)
{
    const work *w = arg;
    *p = (scarce_progress){"test", w->n_done, TASKS, "tasks", "", NULL, 0};
}

static void name(void *arg, size_t task, char *text, size_t room)
{
    (void)arg;
    snprintf(text, room, "lane task %zu", task);
}

static int on_progress(void *payload, const scarce_progress *p)
{
    work *w = payload;
    CHECK(strcmp(p->stage, "test") == 0 && p->total == TASKS);
    if (!pthread_equal(pthread_self(), w->caller)) w->elsewhere += 1;
    w->told += 1;
    return w->stop_after && p->done >= w->stop_after;
}

static void on_log(void *payload, scarce_log_level level, const char *line)
{
    work *w = payload;
    if (!pthread_equal(pthread_self(), w->caller)) w->elsewhere += 1;
    if (level != SCARCE_LOG_WARN) return;
    w->lines += 1;
    snprintf(w->line, sizeof w->line, "%s", line);
}

static scarce_status go(work *w, int threads, const scarce__lanes *plan, scarce_error *err)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_status st;
    co.threads = threads;
    co.seed = 77;
    co.log = on_log;
    co.progress = on_progress;
    co.payload = w;
    w->caller = pthread_self();
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    st = scarce__lanes_run(plan, w, ctx, err);
    scarce_context_free(ctx);
    return st;
}

static const scarce__lanes usual = {.n_tasks = TASKS,
                                    .tasks = "tasks",
                                    .bytes = 10,
                                    .memory = 1000,
                                    .run = run,
                                    .done = done,
                                    .progress = tell,
                                    .name = name};

static void test_all_once(void)
{
    for (int threads = 1; threads <= 4; ++threads) {
        work w = {.fail_from = -1, .talk = 1, .threads_each = 1};
        CHECK(go(&w, threads, &usual, NULL) == SCARCE_OK);
        for (int i = 0; i < TASKS; ++i) CHECK(atomic_load(&w.times[i]) == 1 && w.done[i] == 1);
        CHECK(atomic_load(&w.most) <= threads && w.told > 0 && w.elsewhere == 0);
        CHECK(w.lines == TASKS); /* none is lost */
        CHECK(strncmp(w.line, "lane task ", 10) == 0 && strstr(w.line, ": task "));
    }
}

static void test_memory(void)
{
    scarce__lanes plan = usual;
    work w = {.fail_from = -1, .threads_each = 2};
    plan.memory = 25; /* two tasks of 10 */
    CHECK(go(&w, 4, &plan, NULL) == SCARCE_OK);
    CHECK(atomic_load(&w.most) <= 2 && w.n_done == TASKS);
    work alone = {.fail_from = -1, .threads_each = 4};
    plan.memory = 5; /* not even one: it is tried all the same */
    CHECK(go(&alone, 4, &plan, NULL) == SCARCE_OK);
    CHECK(atomic_load(&alone.most) == 1 && alone.n_done == TASKS);
    work few = {.fail_from = -1, .threads_each = 2};
    plan = usual;
    plan.n_tasks = 2;
    CHECK(go(&few, 4, &plan, NULL) == SCARCE_OK && few.n_done == 2);
    plan.n_tasks = 0;
    CHECK(go(&few, 4, &plan, NULL) == SCARCE_OK && few.n_done == 2);
}

/* Of tasks 3, 4, ... 9, 13, ... that fail the first one is told, for any number of threads. */
static void test_failure(void)
{
    for (int threads = 1; threads <= 4; ++threads) {
        work w = {.fail_from = 3};
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(go(&w, threads, &usual, &err) == SCARCE_EDATA);
        CHECK_TEXT(err.text, "lane task 3: no good");
        CHECK(w.done[0] == 1 && w.done[1] == 1 && w.done[2] == 1 && w.n_done == 3);
        CHECK(go(&w, threads, &usual, NULL) == SCARCE_EDATA);
    }
}

static void test_stop(void)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        work w = {.fail_from = -1, .stop_after = 5, .slow = 1};
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(go(&w, threads, &usual, &err) == SCARCE_ECANCEL);
        CHECK(w.n_done >= 5 && w.n_done <= 5 + threads);
        CHECK_TEXT(err.text, "stopped");
    }
}

static void test_claim(void)
{
    scarce__lanes plan = usual;
    work w = {.fail_from = -1, .order = TASKS};
    plan.claim = claim_backwards;
    CHECK(go(&w, 3, &plan, NULL) == SCARCE_OK && w.n_done == TASKS && w.order == 0);
    work cut = {.fail_from = -1, .order = TASKS, .cut = 7};
    CHECK(go(&cut, 1, &plan, NULL) == SCARCE_ECANCEL && cut.n_done == 7 && cut.done[TASKS - 1] == 1);
}

/* The caller's lane is done first; the others still can be stopped by it. */
static size_t claim_two(void *arg)
{
    work *w = arg;
    return w->order < 2 ? w->order++ : SCARCE__LANES_NONE;
}

static scarce_status one_is_long(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    const scarce_progress p = {"inner", 0, 0, "", "", NULL, 0};
    work *w = arg;
    (void)task;
    atomic_fetch_add(&w->running, 1);
    for (int i = 0; i < 1000 && atomic_load(&w->running) < 2; ++i) usleep(1000); /* both have begun */
    if (pthread_equal(pthread_self(), w->caller)) return SCARCE_OK;
    for (int i = 0; i < 20000; ++i) {
        usleep(1000);
        if (scarce__progress(ctx, &p)) return scarce__fail(err, SCARCE_ECANCEL, "cut off");
    }
    return SCARCE_OK;
}

static void test_waiting(void)
{
    scarce__lanes plan = usual;
    work w = {.fail_from = -1, .stop_after = 1};
    plan.n_tasks = 2;
    plan.run = one_is_long;
    plan.claim = claim_two;
    CHECK(go(&w, 2, &plan, NULL) == SCARCE_ECANCEL);
    CHECK(w.n_done == 1);
}

static const test_case tests[] = {{"all_once", test_all_once}, {"memory", test_memory},
                                  {"failure", test_failure},   {"stop", test_stop},
                                  {"claim", test_claim},       {"waiting", test_waiting}};
TEST_MAIN(tests)
