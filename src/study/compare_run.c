/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a comparison: one fit for each (fold, method).
 *
 * As many lanes as there are threads, or as fit into memory, each take one fit after the other; a fit copies
 * its rows together, trains with a context of its own and writes its metrics into its own place. So neither
 * the number of threads nor the order matters to the result. The order is the longest fit first, as far as
 * that is known (seconds per training row of the method so far, times the rows), or the last fit would often
 * run alone: the folds of a method by falling size, the methods by what their next fold will take.
 *
 * Progress is told, and Ctrl-C heard, on the caller's thread only; the other lanes look at a flag. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "eval/names.h"
#include "study/compare.h"
#include "study/study.h"

typedef struct run {
    scarce_compare *c;
    const scarce_table *table;
    const scarce_compare_options *o;
    scarce_context *ctx; /* the caller's */
    uint64_t fingerprint;
    pthread_t caller;
    int threads_each;
    size_t *order; /* folds by falling size of the training part */
    size_t *next;  /* per method: how far in `order` */
    double *rate;  /* per method: seconds per training row; INFINITY: never tried, 0: its first fit runs */
    pthread_mutex_t lock;
    size_t done, total;
    scarce_status status; /* of the failed fit with the smallest number */
    size_t failed_task;
    scarce_error error;
    atomic_int stop;
} run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- judging */

static scarce_status judge_model(scarce_metrics *out, const scarce_model *model, const scarce_table *table,
                                 const scarce_metrics_options *options, scarce_context *ctx,
                                 scarce_error *err)
{
    double *score = scarce__malloc_array(table->n_rows, sizeof *score),
           *p = scarce__malloc_array(table->n_rows, sizeof *p);
    scarce_metrics_options o = *options;
    scarce_scored rows = scarce__scored_of(table);
    scarce_scorer *scorer = NULL;
    scarce_status st = score && p ? SCARCE_OK : scarce__fail_memory(err, "scores", 0);

    if (st == SCARCE_OK) st = scarce_scorer_new(&scorer, model, err);
    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, table, score, p, ctx, err);
    rows.score = score;
    rows.probability = scarce_model_has_probability(model) ? p : NULL;
    if (isnan(o.threshold)) {
        o.threshold = scarce_model_threshold(model);
        if (!isnan(o.threshold)) o.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
    }
    if (st == SCARCE_OK) st = scarce_metrics_compute(out, &rows, &o, ctx, err);
    scarce_scorer_free(scorer);
    scarce__free(score);
    scarce__free(p);
    return st;
}

/* A ranking made elsewhere on the test rows of a fold. */
static scarce_status judge_ranking(scarce_metrics *out, const run *r, const scarce_ranking *ranking, size_t f,
                                   scarce_error *err)
{
    const size_t skip = ranking->n_folds > 1 ? f * r->table->n_rows : 0;
    scarce__fold fold;
    scarce_table *test = NULL;
    double *score = NULL, *p = NULL;
    scarce_scored rows;
    scarce_status st = scarce__fold_rows(&fold, &r->c->folds, r->table, f, r->ctx, err);

    if (st == SCARCE_OK) st = scarce_table_rows_of(&test, r->table, fold.test, fold.n_test, r->ctx, err);
    if (st == SCARCE_OK) {
        score = scarce__malloc_array(fold.n_test, sizeof *score);
        p = scarce__malloc_array(fold.n_test, sizeof *p);
        if (!score || !p) st = scarce__fail_memory(err, "scores", 0);
    }
    for (size_t i = 0; st == SCARCE_OK && i < fold.n_test; ++i) {
        score[i] = ranking->score[skip + fold.test[i]];
        p[i] = ranking->probability ? ranking->probability[skip + fold.test[i]] : (double)NAN;
    }
    if (st == SCARCE_OK) {
        rows = scarce__scored_of(test);
        rows.score = score;
        rows.probability = ranking->probability ? p : NULL;
        st = scarce_metrics_compute(out, &rows, &r->o->metrics, r->ctx, err);
        if (st != SCARCE_OK) scarce__fail_prefix(err, "fold %zu, %.80s: ", f + 1, ranking->name);
    }
    scarce__fold_deinit(&fold);
    scarce_table_free(test);
    scarce__free(score);
    scarce__free(p);
    return st;
}

/* ---- one fit */

/* On the caller's thread the caller is told; everywhere the flag is looked at. */
static int on_progress(void *payload, const scarce_progress *inner)
{
    run *r = payload;
    (void)inner;
    if (pthread_equal(pthread_self(), r->caller)) {
        pthread_mutex_lock(&r->lock);
        const size_t done = r->done;
        pthread_mutex_unlock(&r->lock);
        const scarce_progress p = {"compare", (double)done, (double)r->total, "fits", ""};
        if (scarce__progress(r->ctx, &p)) atomic_store(&r->stop, 1);
    }
    return atomic_load(&r->stop);
}

/* Tuned inside the training part, or as given. */
static scarce_status tuned_params(scarce_params **out, const run *r, const char *spec,
                                  const scarce_table *train, const scarce_table *valid, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tuned tuned;
    scarce_status st = scarce_params_of_spec(out, spec, err);

    if (st != SCARCE_OK || r->o->tune == 0) return st;
    o.trials = r->o->tune;
    o.metric = r->o->metric;
    o.valid = valid;
    st = scarce_tune_run(&tuned, train, spec, &o, ctx, err);
    if (st == SCARCE_OK) st = scarce_params_set_list(*out, tuned.trials[tuned.best].settings, ' ', err);
    scarce_tuned_deinit(&tuned);
    return st;
}

typedef struct parts {
    scarce__fold rows;
    scarce_table *train, *valid, *test;
} parts;

static scarce_status gather_parts(parts *p, const run *r, size_t f, scarce_context *ctx, scarce_error *err)
{
    scarce_status st = scarce__fold_rows(&p->rows, &r->c->folds, r->table, f, ctx, err);
    if (st == SCARCE_OK)
        st = scarce_table_rows_of(&p->train, r->table, p->rows.train, p->rows.n_train, ctx, err);
    if (st == SCARCE_OK && p->rows.n_valid)
        st = scarce_table_rows_of(&p->valid, r->table, p->rows.valid, p->rows.n_valid, ctx, err);
    if (st == SCARCE_OK)
        st = scarce_table_rows_of(&p->test, r->table, p->rows.test, p->rows.n_test, ctx, err);
    return st;
}

static void forget_parts(parts *p)
{
    scarce__fold_deinit(&p->rows);
    scarce_table_free(p->train);
    scarce_table_free(p->valid);
    scarce_table_free(p->test);
}

static void undefined_cell(scarce__cell *cell, const scarce__fold_size *size)
{
    for (size_t m = 0; m < scarce_metric_count(); ++m) scarce__metric_set(&cell->metrics, m, (double)NAN);
    cell->metrics.rows = (double)size->test_rows;
    cell->metrics.positives = (double)size->test_positives;
}

static scarce_status fit_parts(scarce__cell *cell, const run *r, const char *name, const parts *p,
                               scarce_context *ctx, scarce_error *err)
{
    const scarce_table *valid =
        p->valid && p->valid->n_positives > 0 && p->valid->n_positives < p->valid->n_rows ? p->valid : NULL;
    scarce_train_options to = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    const double begun = now();
    scarce_status st = tuned_params(&params, r, name, p->train, valid, ctx, err);

    to.valid = valid;
    to.early_stop = valid ? 50 : 0;
    to.metric = r->o->metric;
    if (st == SCARCE_OK) st = scarce_train(&model, p->train, params, &to, NULL, ctx, err);
    cell->seconds = now() - begun;
    if (st == SCARCE_OK) st = judge_model(&cell->metrics, model, p->test, &r->o->metrics, ctx, err);
    scarce_model_free(model);
    scarce_params_free(params);
    return st;
}

static scarce_status run_cell(scarce__cell *cell, run *r, size_t fold, size_t method, scarce_error *err)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    parts p;
    scarce_status st;

    if (scarce__untrainable(&r->c->size[fold])) {
        undefined_cell(cell, &r->c->size[fold]);
        return SCARCE_OK;
    }
    memset(&p, 0, sizeof p);
    co.threads = r->threads_each;
    co.seed = scarce_context_seed(r->ctx);
    co.progress = on_progress;
    co.payload = r;
    st = scarce_context_new(&ctx, &co, err);
    if (st == SCARCE_OK) st = gather_parts(&p, r, fold, ctx, err);
    if (st == SCARCE_OK) st = fit_parts(cell, r, r->c->names[method], &p, ctx, err);
    if (st != SCARCE_OK) scarce__fail_prefix(err, "fold %zu, %.80s: ", fold + 1, r->c->names[method]);
    forget_parts(&p);
    scarce_context_free(ctx);
    return st;
}

/* ---- lanes */

static scarce__cell *cell_at(const run *r, size_t method, size_t place)
{
    return &r->c->cells[r->order[place] * r->c->n_contestants + method];
}

/* The fit to begin next; SIZE_MAX: none. */
static size_t claim(run *r)
{
    const size_t folds = r->c->folds.count;
    size_t best = SIZE_MAX, task = SIZE_MAX;
    double longest = -1;

    pthread_mutex_lock(&r->lock);
    for (size_t m = 0; m < r->c->n_trained && r->status == SCARCE_OK; ++m) {
        while (r->next[m] < folds && cell_at(r, m, r->next[m])->done) r->next[m] += 1;
        if (r->next[m] == folds) continue;
        const double seconds = r->rate[m] * (double)r->c->size[r->order[r->next[m]]].train_rows;
        if (!(seconds > longest)) continue;
        longest = seconds;
        best = m;
    }
    if (best != SIZE_MAX) {
        task = r->order[r->next[best]++] * r->c->n_contestants + best;
        if (isinf(r->rate[best])) r->rate[best] = 0;
    }
    pthread_mutex_unlock(&r->lock);
    return task;
}

static void finish_task(run *r, size_t task, scarce_status st, scarce_error *err)
{
    const size_t fold = task / r->c->n_contestants, method = task % r->c->n_contestants;
    scarce__cell *cell = &r->c->cells[task];

    pthread_mutex_lock(&r->lock);
    if (st == SCARCE_OK && r->o->results)
        st = scarce__results_append(r->c, r->o->results, r->fingerprint, fold, method, err);
    if (st == SCARCE_OK) {
        cell->done = 1;
        r->done += 1;
        r->rate[method] = cell->seconds / (double)(r->c->size[fold].train_rows + 1);
    } else if (r->status == SCARCE_OK || task < r->failed_task) {
        r->status = st;
        r->failed_task = task;
        r->error = *err;
    }
    pthread_mutex_unlock(&r->lock);
}

static void run_lane(void *arg, size_t lane, int worker)
{
    run *r = arg;
    size_t task;

    (void)lane;
    (void)worker;
    while (!on_progress(r, NULL) && (task = claim(r)) != SIZE_MAX) {
        scarce_error err = SCARCE_ERROR_INIT;
        const scarce_status st =
            run_cell(&r->c->cells[task], r, task / r->c->n_contestants, task % r->c->n_contestants, &err);
        if (atomic_load(&r->stop)) return; /* a fit that was cut short counts for nothing */
        finish_task(r, task, st, &err);
    }
}

/* How many fits at once: no more than threads, fits, or what memory holds. */
static size_t lanes_of(run *r)
{
    const double memory = r->o->memory > 0 ? r->o->memory : 0.8 * scarce__memory_available();
    const size_t threads = (size_t)scarce_context_threads(r->ctx), left = r->total - r->done;
    double largest = 0;
    size_t lanes = threads < left ? threads : left;

    for (size_t f = 0; f < r->c->folds.count; ++f) {
        const double bytes = scarce__memory_of_fit(r->table, &r->c->size[f], r->o->tune > 0);
        largest = bytes > largest ? bytes : largest;
    }
    if (memory / largest < (double)lanes) lanes = (size_t)(memory / largest);
    if (lanes < 1) lanes = 1;
    r->threads_each = (int)(threads / lanes);
    scarce__log(r->ctx, SCARCE_LOG_DEBUG, "%zu fits at a time, %d threads each: about %.0f of %.0f MB", lanes,
                r->threads_each, largest * (double)lanes / 1e6, memory / 1e6);
    return lanes;
}

static int by_key(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] > y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static scarce_status plan_order(run *r, scarce_error *err)
{
    const size_t folds = r->c->folds.count;
    size_t *keys = scarce__malloc_array(folds, 2 * sizeof *keys);

    r->order = scarce__malloc_array(folds, sizeof *r->order);
    r->next = scarce__calloc(r->c->n_trained, sizeof *r->next);
    r->rate = scarce__malloc_array(r->c->n_trained, sizeof *r->rate);
    if (!keys || !r->order || !r->next || !r->rate) {
        scarce__free(keys);
        return scarce__fail_memory(err, "a plan", 0);
    }
    for (size_t f = 0; f < folds; ++f) {
        keys[2 * f] = r->c->size[f].train_rows;
        keys[2 * f + 1] = f;
    }
    qsort(keys, folds, 2 * sizeof *keys, by_key);
    for (size_t f = 0; f < folds; ++f) r->order[f] = keys[2 * f + 1];
    scarce__free(keys);
    for (size_t m = 0; m < r->c->n_trained; ++m) {
        r->rate[m] = INFINITY;
        for (size_t f = 0; f < folds; ++f) {
            const scarce__cell *cell = &r->c->cells[f * r->c->n_contestants + m];
            if (!cell->done) continue;
            r->done += 1;
            r->rate[m] = cell->seconds / (double)(r->c->size[f].train_rows + 1);
        }
    }
    r->total = folds * r->c->n_trained;
    return SCARCE_OK;
}

static scarce_status run_lanes(run *r, scarce_error *err)
{
    if (r->done < r->total) scarce__pool_run(scarce__context_pool(r->ctx), lanes_of(r), run_lane, r);
    if (atomic_load(&r->stop))
        return scarce__fail(err, SCARCE_ECANCEL, "stopped after %zu of %zu fits", r->done, r->total);
    if (r->status != SCARCE_OK && err) *err = r->error;
    return r->status;
}

scarce_status scarce__compare_fill(scarce_compare *c, const scarce_table *table,
                                   const scarce_compare_options *o, scarce_context *ctx, scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    run r;

    memset(&r, 0, sizeof r);
    r.c = c;
    r.table = table;
    r.o = o;
    r.ctx = ctx;
    r.caller = pthread_self();
    atomic_init(&r.stop, 0);
    for (size_t i = 0; i < o->n_rankings; ++i)
        for (size_t f = 0; f < c->folds.count; ++f) {
            scarce__cell *cell = &c->cells[f * c->n_contestants + c->n_trained + i];
            SCARCE__TRY(judge_ranking(&cell->metrics, &r, &o->rankings[i], f, err));
            cell->done = 1;
        }
    if (o->results) {
        r.fingerprint = scarce__compare_fingerprint(table, o, ctx);
        SCARCE__TRY(scarce__results_load(c, o->results, r.fingerprint, err));
    }
    pthread_mutex_init(&r.lock, NULL);
    st = plan_order(&r, err);
    if (st == SCARCE_OK) st = run_lanes(&r, err);
    pthread_mutex_destroy(&r.lock);
    scarce__free(r.order);
    scarce__free(r.next);
    scarce__free(r.rate);
    return st;
}
