/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a comparison: one fit for each (fold, method), in lanes (core/lanes.h).
 *
 * A fit copies its rows together, trains with a context of its own and writes its metrics into its own place.
 * The order is fold by fold, by falling size, so that whoever stops it early has some folds that all methods have
 * finished; within a fold the longest fit first, as far as that is known (seconds per training row of the method
 * so far), or the last fit would often run alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/lanes.h"
#include "eval/metrics_internal.h"
#include "method/method.h"
#include "study/compare.h"

typedef struct run {
    scarce_compare *c;
    const scarce_table *table;
    const scarce_compare_options *o;
    scarce_context *ctx; /* the caller's */
    uint64_t fingerprint;
    size_t *order; /* folds by falling size of the training part */
    size_t *next;  /* per method: how far in `order` */
    double *rate;  /* per method: seconds per training row; INFINITY: never tried, 0: its first fit runs */
    size_t done, total;
} run;

/* ---- judging */

static scarce_status judge_model(scarce_metrics *out, const scarce_model *model, const scarce_table *table,
                                 const scarce_metrics_options *options, scarce_context *ctx,
                                 scarce_error *err)
{
    double *score = scarce__malloc_array(table->n_rows, sizeof *score),
           *p = scarce__malloc_array(table->n_rows, sizeof *p);
    scarce_metrics_options o = *options;
    const double *probability = scarce_model_has_probability(model) ? p : NULL;
    const scarce_scored rows = scarce_scored_of_table(table, score, probability);
    scarce_scorer *scorer = NULL;
    scarce_status st = score && p ? SCARCE_OK : scarce__fail_memory(err, "scores", 0);

    if (st == SCARCE_OK) st = scarce_scorer_new(&scorer, model, err);
    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, table, score, p, ctx, err);
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
static scarce_status judge_ranking(scarce_metrics *out, const run *r, const scarce_compare_ranking *ranking,
                                   size_t f, scarce_error *err)
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
        rows = scarce_scored_of_table(test, score, ranking->probability ? p : NULL);
        st = scarce_metrics_compute(out, &rows, r->o->metrics, r->ctx, err);
        if (st != SCARCE_OK) scarce__fail_prefix(err, "fold %zu, %.80s: ", f + 1, ranking->name);
    }
    scarce__fold_deinit(&fold);
    scarce_table_free(test);
    scarce__free(score);
    scarce__free(p);
    return st;
}

/* ---- one fit */

/* Tuned inside the training part, or as given. */
static scarce_status tuned_params(scarce_params **out, const run *r, const char *spec,
                                  const scarce_table *train, const scarce_table *valid, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tune_result tuned = SCARCE_TUNE_RESULT_INIT;
    scarce_status st = scarce_params_of_spec(out, spec, err);

    if (st != SCARCE_OK || r->o->tune == 0) return st;
    o.trials = r->o->tune;
    o.metric = r->o->metric;
    o.valid = valid;
    st = scarce_tune_run(&tuned, train, spec, &o, ctx, err);
    if (st == SCARCE_OK) st = scarce_params_set_list(*out, tuned.trials[tuned.best]->settings, ' ', err);
    scarce_tune_result_deinit(&tuned);
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
    scarce__metrics_clear(&cell->metrics);
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
    const double begun = scarce__clock();
    scarce_status st = tuned_params(&params, r, name, p->train, valid, ctx, err);

    to.valid = valid;
    to.early_stop = valid ? 50 : 0;
    to.metric = r->o->metric;
    if (st == SCARCE_OK) st = scarce__train_to_judge(&model, p->train, params, &to, NULL, ctx, err);
    cell->seconds = scarce__clock() - begun;
    if (st == SCARCE_OK) st = judge_model(&cell->metrics, model, p->test, r->o->metrics, ctx, err);
    scarce_model_free(model);
    scarce_params_free(params);
    return st;
}

/* A task is the number of a cell: fold * n_contestants + method. */
static scarce_status run_cell(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    const run *r = arg;
    const size_t fold = task / r->c->n_contestants, method = task % r->c->n_contestants;
    scarce__cell *cell = &r->c->cells[task];
    parts p;
    scarce_status st;

    if (scarce__untrainable(&r->c->size[fold])) {
        undefined_cell(cell, &r->c->size[fold]);
        return SCARCE_OK;
    }
    memset(&p, 0, sizeof p);
    st = gather_parts(&p, r, fold, ctx, err);
    if (st == SCARCE_OK) st = fit_parts(cell, r, r->c->names[method], &p, ctx, err);
    forget_parts(&p);
    return st;
}

/* ---- lanes */

static scarce__cell *cell_at(const run *r, size_t method, size_t place)
{
    return &r->c->cells[r->order[place] * r->c->n_contestants + method];
}

static size_t claim(void *arg)
{
    run *r = arg;
    const size_t folds = r->c->folds.count;
    size_t best = SIZE_MAX, earliest = SIZE_MAX;
    double longest = -1;

    for (size_t m = 0; m < r->c->n_trained; ++m) {
        while (r->next[m] < folds && cell_at(r, m, r->next[m])->done) r->next[m] += 1;
        if (r->next[m] == folds) continue;
        const double seconds = r->rate[m] * (double)r->c->size[r->order[r->next[m]]].train_rows;
        if (r->next[m] > earliest || (r->next[m] == earliest && !(seconds > longest))) continue;
        earliest = r->next[m];
        longest = seconds;
        best = m;
    }
    if (best == SIZE_MAX) return SCARCE__LANES_NONE;
    if (isinf(r->rate[best])) r->rate[best] = 0;
    return r->order[r->next[best]++] * r->c->n_contestants + best;
}

static scarce_status keep_cell(void *arg, size_t task, double seconds, scarce_error *err)
{
    run *r = arg;
    const size_t fold = task / r->c->n_contestants, method = task % r->c->n_contestants;
    scarce__cell *cell = &r->c->cells[task];

    (void)seconds; /* the cell has those of training alone */
    if (r->o->results)
        SCARCE__TRY(scarce__results_append(r->c, r->o->results, r->fingerprint, fold, method, err));
    cell->done = 1;
    r->done += 1;
    r->rate[method] = cell->seconds / (double)(r->c->size[fold].train_rows + 1);
    return SCARCE_OK;
}

static void tell(void *arg, scarce_progress *p)
{
    const run *r = arg;
    *p = (scarce_progress){"compare", (double)r->done, (double)r->total, "fits", "", NULL, 0};
}

static void name_cell(void *arg, size_t task, char *text, size_t room)
{
    const run *r = arg;
    snprintf(text, room, "fold %zu, %.80s", task / r->c->n_contestants + 1,
             r->c->names[task % r->c->n_contestants]);
}

static double largest_fit(const run *r)
{
    double largest = 0;
    for (size_t m = 0; m < r->c->n_trained; ++m)
        for (size_t f = 0; f < r->c->folds.count; ++f) {
            const double bytes =
                scarce__memory_of_fit(r->c->names[m], r->table, &r->c->size[f], r->o->tune > 0);
            largest = bytes > largest ? bytes : largest;
        }
    return largest;
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

/* Stopped early: means over other folds can't be compared, so that only those count which every method has
 * finished. How many these are. */
static size_t keep_whole_folds(run *r)
{
    const size_t n = r->c->n_contestants;
    size_t whole = 0;

    r->c->unfinished = r->total - r->done;
    for (size_t f = 0; f < r->c->folds.count; ++f) {
        scarce__cell *cells = &r->c->cells[f * n];
        size_t done = 0;
        for (size_t m = 0; m < n; ++m) done += cells[m].done != 0;
        whole += done == n;
        for (size_t m = 0; m < n && done < n; ++m) {
            undefined_cell(&cells[m], &r->c->size[f]);
            cells[m].seconds = (double)NAN;
        }
    }
    return whole;
}

static scarce_status run_fits(run *r, scarce_error *err)
{
    const scarce__lanes plan = {.n_tasks = r->total - r->done,
                                .tasks = "fits",
                                .bytes = largest_fit(r),
                                .memory = r->o->memory,
                                .run = run_cell,
                                .claim = claim,
                                .done = keep_cell,
                                .progress = tell,
                                .name = name_cell};
    const scarce_status st = scarce__lanes_run(&plan, r, r->ctx, err);

    if (st != SCARCE_ECANCEL) return st;
    if (keep_whole_folds(r) > 0) return SCARCE_OK;
    return scarce__fail(err, st, "stopped after %zu of %zu fits", r->done, r->total);
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
    st = plan_order(&r, err);
    if (st == SCARCE_OK) st = run_fits(&r, err);
    scarce__free(r.order);
    scarce__free(r.next);
    scarce__free(r.rate);
    return st;
}
