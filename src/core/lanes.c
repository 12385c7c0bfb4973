/* SPDX-License-Identifier: Apache-2.0 */
#include "core/lanes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/clock.h"
#include "core/memory.h"
#include "core/text.h"

typedef struct lanes {
    const scarce__lanes *plan;
    void *arg;
    scarce_context *ctx; /* the caller's */
    pthread_t caller;
    int threads_each;
    atomic_int stop;
    pthread_mutex_t lock; /* of all below, and around claim, done, progress */
    pthread_cond_t idle;  /* nothing runs */
    size_t next, running;
    scarce__text lines; /* for the log: level as a character, text, newline */
    scarce_status status;
    size_t failed_task;
    scarce_error error;
} lanes;

/* What a task's context points to. */
typedef struct lane {
    lanes *l;
    size_t task;
} lane;

/* ---- the log */

static void say_lines(lanes *l)
{
    scarce__text lines;

    pthread_mutex_lock(&l->lock);
    lines = l->lines;
    l->lines = (scarce__text)SCARCE__TEXT_INIT;
    pthread_mutex_unlock(&l->lock);
    for (char *at = lines.bytes; at && *at;) {
        char *end = strchr(at, '\n');
        *end = '\0';
        scarce__log(l->ctx, (scarce_log_level)(*at - '0'), "%s", at + 1);
        at = end + 1;
    }
    scarce__text_deinit(&lines);
}

static void on_log(void *payload, scarce_log_level level, const char *line)
{
    const lane *from = payload;
    lanes *l = from->l;
    char name[256] = "";

    if (l->plan->name) l->plan->name(l->arg, from->task, name, sizeof name);
    pthread_mutex_lock(&l->lock);
    scarce__text_addf(&l->lines, "%d%s%s%s\n", (int)(level == SCARCE_LOG_WARN ? level : SCARCE_LOG_DEBUG),
                      name, name[0] ? ": " : "", line);
    pthread_mutex_unlock(&l->lock);
    if (pthread_equal(pthread_self(), l->caller)) say_lines(l);
}

/* ---- progress */

static int look_up(lanes *l)
{
    if (pthread_equal(pthread_self(), l->caller)) {
        scarce_progress p = {l->plan->tasks, 0, (double)l->plan->n_tasks, l->plan->tasks, "", NULL, 0};
        say_lines(l);
        pthread_mutex_lock(&l->lock);
        if (l->plan->progress) l->plan->progress(l->arg, &p);
        pthread_mutex_unlock(&l->lock);
        if (scarce__progress(l->ctx, &p)) atomic_store(&l->stop, 1);
    }
    return atomic_load(&l->stop);
}

static int on_progress(void *payload, const scarce_progress *inner)
{
    const lane *from = payload;
    lanes *l = from->l;

    if (l->plan->heard) {
        pthread_mutex_lock(&l->lock);
        l->plan->heard(l->arg, from->task, inner);
        pthread_mutex_unlock(&l->lock);
    }
    return look_up(l);
}

/* ---- tasks */

static size_t claim(lanes *l)
{
    size_t task = SCARCE__LANES_NONE;

    pthread_mutex_lock(&l->lock);
    if (l->status == SCARCE_OK) {
        if (l->plan->claim) task = l->plan->claim(l->arg);
        else if (l->next < l->plan->n_tasks) task = l->next++;
    }
    if (task < SCARCE__LANES_STOP) ++l->running;
    pthread_mutex_unlock(&l->lock);
    if (task == SCARCE__LANES_STOP) atomic_store(&l->stop, 1);
    return task >= SCARCE__LANES_STOP ? SCARCE__LANES_NONE : task;
}

static void finish(lanes *l, size_t task, scarce_status st, double seconds, scarce_error *err)
{
    const int cut = atomic_load(&l->stop); /* a task that was cut short counts for nothing */
    char name[256] = "";

    if (st != SCARCE_OK && l->plan->name) {
        l->plan->name(l->arg, task, name, sizeof name);
        scarce__fail_prefix(err, "%s: ", name);
    }
    pthread_mutex_lock(&l->lock);
    if (st == SCARCE_OK && !cut && l->plan->done) st = l->plan->done(l->arg, task, seconds, err);
    if (st != SCARCE_OK && !cut && (l->status == SCARCE_OK || task < l->failed_task)) {
        l->status = st;
        l->failed_task = task;
        l->error = *err;
    }
    if (--l->running == 0) pthread_cond_signal(&l->idle);
    pthread_mutex_unlock(&l->lock);
}

static scarce_status run_task(lane *here, scarce_error *err)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    lanes *l = here->l;
    scarce_context *ctx = NULL;
    scarce_status st;

    co.threads = l->threads_each;
    co.seed = scarce_context_seed(l->ctx);
    co.log = on_log;
    co.progress = on_progress;
    co.payload = here;
    st = scarce_context_new(&ctx, &co, err);
    if (st == SCARCE_OK) st = l->plan->run(l->arg, here->task, ctx, err);
    scarce_context_free(ctx);
    return st;
}

/* The caller's lane has nothing left to do: it still tells and listens, ten times a second. */
static void wait_for_others(lanes *l)
{
    pthread_mutex_lock(&l->lock);
    while (l->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&l->idle, &l->lock, &until) == 0) continue;
        pthread_mutex_unlock(&l->lock);
        look_up(l);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
}

static void run_lane(void *arg, size_t number, int worker)
{
    lanes *l = arg;
    lane here = {l, 0};

    (void)number;
    (void)worker;
    while (!look_up(l) && (here.task = claim(l)) != SCARCE__LANES_NONE) {
        scarce_error err = SCARCE_ERROR_INIT;
        const double begun = scarce__clock();
        const scarce_status st = run_task(&here, &err);
        finish(l, here.task, st, scarce__clock() - begun, &err);
    }
    if (pthread_equal(pthread_self(), l->caller)) wait_for_others(l);
}

static size_t count_lanes(lanes *l)
{
    const scarce__lanes *plan = l->plan;
    const double memory = plan->memory > 0 ? plan->memory : 0.8 * scarce__memory_available();
    const size_t threads = (size_t)scarce_context_threads(l->ctx);
    size_t n = threads < plan->n_tasks ? threads : plan->n_tasks;

    if (plan->bytes > 0 && memory / plan->bytes < (double)n) n = (size_t)(memory / plan->bytes);
    if (n < 1) n = 1;
    l->threads_each = (int)(threads / n);
    scarce__log(l->ctx, SCARCE_LOG_DEBUG, "%zu of %zu %s at a time, %d thread%s each: about %.0f of %.0f MB",
                n, plan->n_tasks, plan->tasks, l->threads_each, l->threads_each == 1 ? "" : "s",
                plan->bytes * (double)n / 1e6, memory / 1e6);
    return n;
}

scarce_status scarce__lanes_run(const scarce__lanes *plan, void *arg, scarce_context *ctx, scarce_error *err)
{
    lanes l;

    if (plan->n_tasks == 0) return SCARCE_OK;
    memset(&l, 0, sizeof l);
    l.plan = plan;
    l.arg = arg;
    l.ctx = ctx;
    l.caller = pthread_self();
    atomic_init(&l.stop, 0);
    pthread_mutex_init(&l.lock, NULL);
    pthread_cond_init(&l.idle, NULL);
    scarce__pool_run(scarce__context_pool(ctx), count_lanes(&l), run_lane, &l);
    say_lines(&l);
    pthread_cond_destroy(&l.idle);
    pthread_mutex_destroy(&l.lock);
    if (atomic_load(&l.stop)) return scarce__fail(err, SCARCE_ECANCEL, "stopped");
    if (l.status != SCARCE_OK && err) *err = l.error;
    return l.status;
}
