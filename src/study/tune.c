/* SPDX-License-Identifier: Apache-2.0 */
/* The search for good parameters.
 *
 *     the default, in full
 *     cycles:  random settings -> a ninth of the effort -> the best third -> a third -> the best third -> in full
 *              settings near the best so far, the same way
 *     verdict: the best setting, if it beats the default by more than the error of that difference
 *
 * Effort is trees for boosted methods, counted in steps of the learning rate: a slow learner gets as many
 * more trees as its steps are shorter, or it would lose every first round. For other methods it is rows: all
 * positives and a share of the negatives, when there are many.
 *
 * The verdict is what keeps tuning from doing harm: the best of thirty noisy values is mostly luck when
 * positives are few. Its error comes from the differences d over splits (or blocks of rows, see inner.h):
 *     error^2 = (1/n + sharing) var d          (Nadeau and Bengio 2003; sharing 0 for blocks and in time)
 *
 * All is drawn by the number of the trial, and rounds end for all before the next begins, so the result does
 * not depend on threads; with a limit in seconds it does depend on the machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scarce/study.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/elementary.h"
#include "core/hash.h"
#include "core/lanes.h"
#include "core/options.h"
#include "study/compare.h"
#include "study/tune_inside.h"

enum {
    CYCLE = 27,         /* settings of a cycle when there is no limit; two thirds of them anywhere */
    LARGEST_CYCLE = 54, /* a larger search is cut into cycles */
    MOST_TREES = 1000,
    LEAST_TREES = 10,
    WORTH_THINNING = 20000 /* rows from which on fewer negatives save something */
};
static const double STEPS = 36; /* trees x learning rate of a full fit: 360 trees at 0.1 */

static int too_late(const scarce__search *s)
{
    return s->o->seconds > 0 && scarce__clock() - s->begun > s->o->seconds;
}

/* Where a full fit ends: so many steps, or as many trees as the method has by default. */
static size_t full_trees(const scarce__search *s, const scarce__trial *t)
{
    const scarce__engine *engine = s->params->method->engine;
    const double rate = engine->rate ? scarce__places_number(&s->places, t->u, engine->rate) : 1,
                 usual = scarce__places_number(&s->places, t->u, engine->stages);
    double trees = STEPS / (rate > 0 ? rate : 0.1);
    if (usual > trees) trees = usual;
    return trees > MOST_TREES ? MOST_TREES : (size_t)ceil(trees);
}

static scarce_status plan_trial(scarce__search *s, size_t i, double share, scarce_error *err)
{
    scarce__trial *t = &s->trials[i];
    size_t trees;

    t->share = share;
    t->plan.spec = s->spec;
    t->plan.settings = t->settings;
    t->plan.metric = s->metric;
    t->plan.seed = scarce_context_seed(s->ctx);
    t->plan.negatives = s->thin ? share : 1;
    t->plan.roughly = share < 1; /* the verdict is about what was judged in full */
    t->plan.n_points = 1;
    if (s->staged && i > 0) {
        trees = (size_t)ceil((double)full_trees(s, t) * share);
        scarce__plan_points(&t->plan, trees < LEAST_TREES ? LEAST_TREES : trees);
    }
    scarce__free(t->value);
    t->value = scarce__malloc_array(s->inner.count * scarce__values_per_split(s, t), sizeof *t->value);
    t->mean = (double)NAN;
    return t->value ? SCARCE_OK : scarce__fail_memory(err, "a trial", 0);
}

/* The value that counts: at the best point of the curve, which is the mean over the splits. */
static void sum_up(const scarce__search *s, scarce__trial *t)
{
    const size_t width = 1 + s->inner.blocks, per_split = scarce__values_per_split(s, t);
    t->mean = (double)NAN;
    for (size_t p = 0; p < t->plan.n_points; ++p) {
        double sum = 0;
        for (size_t k = 0; k < s->inner.count; ++k) sum += t->value[k * per_split + p * width];
        sum /= (double)s->inner.count;
        if (isnan(sum) || (!isnan(t->mean) && !(s->sign * sum > s->sign * t->mean))) continue;
        t->mean = sum;
        t->point = p;
    }
}

/* ---- a round: fits of (trial, split) in lanes */

static void tell(void *arg, scarce_progress *p)
{
    scarce__search *s = arg;
    const size_t best = scarce__search_best(s); /* only changed between rounds */

    s->note[0] = '\0';
    if (best != SIZE_MAX) snprintf(s->note, sizeof s->note, "best %.4f", s->trials[best].mean);
    *p = (scarce_progress){
        "tune", 100 * s->effort / s->effort_all, s->o->trials ? 100 : 0, "%", s->note, NULL, 0};
}

/* Full fits that a search of n trials takes: n at a ninth, a third of them at a third, ... as run_bracket does. */
static double bracket_effort(size_t n, int levels)
{
    double effort = 0, share = 1;
    for (int level = 1; level < levels; ++level) share /= 3;
    for (; levels > 0; --levels, share *= 3) {
        effort += (double)n * share;
        n = (n + 2) / 3;
    }
    return effort;
}

static scarce_status run_task(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    const scarce__search *s = arg;
    const size_t i = s->alive[task / s->inner.count], split = task % s->inner.count;
    const scarce__trial *t = &s->trials[i];
    const size_t n = scarce__values_per_split(s, t);
    const scarce__fit_record *known = scarce__trials_find(&s->file, i, t->share, split, n);

    if (known) {
        memcpy(t->value + split * n, known->value, n * sizeof *t->value);
        return SCARCE_OK;
    }
    return scarce__fit_and_judge(t->value + split * n, &t->plan, &s->inner, split, ctx, err);
}

static size_t claim(void *arg)
{
    scarce__search *s = arg;
    if (s->next == s->n_tasks) return SCARCE__LANES_NONE;
    if (s->hurry && too_late(s)) {
        s->late = 1;
        return SCARCE__LANES_STOP;
    }
    return s->next++;
}

/* A trial that can't be kept is told once; the search goes on, as a training does without its checkpoint. */
static scarce_status keep(scarce__search *s, const scarce__fit_record *r)
{
    scarce_error here = SCARCE_ERROR_INIT;
    const scarce_status st = scarce__trials_append(&s->file, r, &here);

    if (st == SCARCE_OK || st == SCARCE_ENOMEM) return st;
    scarce__log(s->ctx, SCARCE_LOG_WARN, "trials are not kept (the search goes on): %s", here.text);
    s->file.path = NULL;
    return SCARCE_OK;
}

static scarce_status fit_done(void *arg, size_t task, double seconds, scarce_error *err)
{
    scarce__search *s = arg;
    const size_t i = s->alive[task / s->inner.count], split = task % s->inner.count;
    scarce__trial *t = &s->trials[i];
    const size_t n = scarce__values_per_split(s, t);
    const scarce__fit_record *known = scarce__trials_find(&s->file, i, t->share, split, n);
    const scarce__fit_record r = {i, split, n, t->share, seconds, t->value + split * n};

    s->effort += t->share;
    t->seconds += known ? known->seconds : seconds;
    return known || keep(s, &r) == SCARCE_OK ? SCARCE_OK : scarce__fail_memory(err, "a trial", 0);
}

static double largest_fit(const scarce__search *s)
{
    double largest = 1;
    for (size_t k = 0; k < s->inner.count; ++k) {
        const scarce__fold_size size = {s->inner.splits[k].n_train, s->inner.table->n_positives, 0,
                                        s->inner.splits[k].n_test, 0};
        const double bytes = scarce__memory_of_fit(s->spec, s->inner.table, &size, 0);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

/* Judges these trials at a share of the effort. What the limit in seconds cuts off stays undefined. */
static scarce_status run_round(scarce__search *s, const size_t *alive, size_t n, double share, int hurry,
                               scarce_error *err)
{
    const scarce__lanes plan = {.n_tasks = n * s->inner.count,
                                .tasks = "fits",
                                .bytes = largest_fit(s),
                                .run = run_task,
                                .claim = claim,
                                .done = fit_done,
                                .progress = tell};
    scarce_status st;

    if (s->late) return SCARCE_OK;
    for (size_t i = 0; i < n; ++i) SCARCE__TRY(plan_trial(s, alive[i], share, err));
    s->alive = alive;
    s->n_tasks = plan.n_tasks;
    s->next = 0;
    s->hurry = hurry;
    st = scarce__lanes_run(&plan, s, s->ctx, err);
    if (s->late && st == SCARCE_ECANCEL) return SCARCE_OK; /* the round counts for nothing */
    if (st == SCARCE_ECANCEL) return scarce__fail(err, st, "the search was stopped");
    if (st != SCARCE_OK) return st;
    for (size_t i = 0; i < n; ++i) {
        sum_up(s, &s->trials[alive[i]]);
        s->trials[alive[i]].finished = scarce__clock() - s->begun;
    }
    return SCARCE_OK;
}

/* ---- cycles */

static scarce_status add_trial(scarce__search *s, size_t from, double step, scarce_error *err)
{
    const size_t i = s->n_trials;
    scarce__random r = scarce__random_start(scarce_context_seed(s->ctx), SCARCE__FOR_SEARCH, i);
    scarce__text text = SCARCE__TEXT_INIT;
    scarce__trial *t;

    if (i == s->room) {
        const size_t room = s->room ? 2 * s->room : 32;
        scarce__trial *grown = scarce__realloc_array(s->trials, room, sizeof *grown);
        if (!grown) return scarce__fail_memory(err, "a trial", 0);
        s->trials = grown;
        s->room = room;
    }
    t = &s->trials[i];
    memset(t, 0, sizeof *t);
    t->mean = (double)NAN;
    s->n_trials += 1;
    t->u = scarce__malloc_array(s->places.count, sizeof *t->u);
    if (!t->u) return scarce__fail_memory(err, "a trial", 0);
    for (size_t k = 0; k < s->places.count; ++k) t->u[k] = (double)NAN;
    if (from != SIZE_MAX) scarce__places_move(&s->places, t->u, s->trials[from].u, step, &r);
    else if (i > 0) scarce__places_draw(&s->places, t->u, &r);
    scarce__places_text(&s->places, t->u, &text);
    if (!text.failed) t->settings = scarce__strdup(text.bytes ? text.bytes : "");
    scarce__text_deinit(&text);
    return t->settings ? SCARCE_OK : scarce__fail_memory(err, "a trial", 0);
}

static int earlier_first(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The best `keep` of the n trials to the front; ties by number. */
static void keep_best(const scarce__search *s, size_t *alive, size_t n, size_t keep)
{
    for (size_t i = 0; i < keep; ++i)
        for (size_t k = i + 1; k < n; ++k) {
            const double a = s->trials[alive[i]].mean, b = s->trials[alive[k]].mean;
            if (isnan(b) || (!isnan(a) && !(s->sign * b > s->sign * a))) continue;
            const size_t swap = alive[i];
            alive[i] = alive[k];
            alive[k] = swap;
        }
    qsort(alive, keep, sizeof *alive, earlier_first);
}

static int levels_of(const scarce__search *s, size_t n)
{
    return !(s->staged || s->thin) || n < 4 ? 1 : n < 9 ? 2 : 3;
}

/* n new trials, thinned out round by round. */
static scarce_status run_bracket(scarce__search *s, size_t n, size_t near, scarce_error *err)
{
    const int levels = levels_of(s, n);
    size_t *alive = scarce__malloc_array(n, sizeof *alive);
    scarce_status st = alive ? SCARCE_OK : scarce__fail_memory(err, "a search", 0);

    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        alive[i] = s->n_trials;
        st = add_trial(s, near, i % 2 ? 0.1 : 0.25, err);
    }
    for (int level = levels - 1; level >= 0 && st == SCARCE_OK; --level) {
        st = run_round(s, alive, n, scarce__pow(3, -level), 1, err);
        if (st == SCARCE_OK && level > 0) {
            keep_best(s, alive, n, (n + 2) / 3);
            n = (n + 2) / 3;
        }
    }
    scarce__free(alive);
    return st;
}

/* The next cycle: trials in all, and those that are drawn anywhere. */
static size_t next_cycle(const scarce__search *s, size_t done, size_t *wide)
{
    const size_t left = s->o->trials ? s->o->trials - done : CYCLE,
                 cycles = (left + LARGEST_CYCLE - 1) / LARGEST_CYCLE, n = (left + cycles - 1) / cycles;
    *wide = (2 * n + 2) / 3;
    return n;
}

/* Work is planned before it begins, so that the time left shrinks as it should. */
static void plan_effort(scarce__search *s)
{
    double effort = 1;
    for (size_t done = 1, wide; s->places.count > 0 && done < s->o->trials;) {
        const size_t n = next_cycle(s, done, &wide);
        effort += bracket_effort(wide, levels_of(s, wide));
        if (n > wide) effort += bracket_effort(n - wide, levels_of(s, n - wide));
        done += n;
    }
    s->effort_all = effort * (double)s->inner.count;
}

static scarce_status run_search(scarce__search *s, scarce_error *err)
{
    const size_t first = 0;
    size_t wide;

    plan_effort(s);
    SCARCE__TRY(add_trial(s, SIZE_MAX, 0, err));
    SCARCE__TRY(run_round(s, &first, 1, 1, 0, err));
    while (s->n_trials != s->o->trials && s->places.count > 0 && !s->late && !too_late(s)) {
        const size_t n = next_cycle(s, s->n_trials, &wide);
        SCARCE__TRY(run_bracket(s, wide, SIZE_MAX, err));
        if (n > wide && !s->late) {
            const size_t best = scarce__search_best(s);
            SCARCE__TRY(run_bracket(s, n - wide, best == SIZE_MAX ? 0 : best, err));
        }
    }
    return SCARCE_OK;
}

/* ---- beginning and end */

/* What the values of trials depend on. The number of trials does not: a larger search begins like a smaller one only
 * within a cycle, so it does. */
static uint64_t print_of(const scarce__search *s, const scarce_table *table, const char *metric)
{
    const uint64_t whole[] = {scarce_context_seed(s->ctx), s->o->trials, s->o->repeats, s->inner.count};
    uint64_t h = scarce_table_fingerprint(table);

    h = scarce__hash_text(h, SCARCE_VERSION_TEXT);
    h = scarce__hash_text(h, s->spec);
    h = scarce__hash_text(h, metric);
    h = scarce__hash_bytes(h, whole, sizeof whole);
    h = scarce__hash_bytes(h, &s->o->valid_fraction, sizeof s->o->valid_fraction);
    return s->o->valid ? scarce__mix64(h ^ scarce_table_fingerprint(s->o->valid)) : h;
}

/* Bins and the like are made once for each split, where its rows are kept. */
static scarce_status share(scarce__search *s, scarce_error *err)
{
    for (size_t k = 0; k < s->inner.count; ++k) {
        scarce__inner_split *split = &s->inner.splits[k];
        const scarce_table *train = split->given ? s->inner.table : split->train;
        if (!train) continue;
        SCARCE__TRY(scarce__train_share(&split->shared, train, s->params, s->ctx, err));
    }
    return SCARCE_OK;
}

static scarce_status start(scarce__search *s, const scarce_table *table, scarce_error *err)
{
    const char *metric = s->o->metric ? s->o->metric : "ap";
    size_t stages = 0;

    s->metric = scarce_metric_find(metric);
    if (s->metric == SIZE_MAX) return scarce__fail_unknown(err, "metric", metric, NULL, NULL);
    if (scarce_metric_direction(s->metric) == 0)
        return scarce__fail(err, SCARCE_EINVAL, "can't tune on \"%.40s\": it is not a measure of quality",
                            metric);
    if (s->o->trials > 100000 || (s->o->trials == 0 && !(s->o->seconds > 0)))
        return scarce__fail(err, SCARCE_EINVAL, "trials must be 1 to 100000, or 0 with a limit in seconds");
    s->sign = scarce_metric_direction(s->metric);
    SCARCE__TRY(scarce_params_of_spec(&s->params, s->spec, err));
    const scarce__engine *engine = s->params->method->engine;
    if (engine->stages) stages = scarce__param_find(engine->params, engine->stages);
    s->staged = engine->stages && !scarce__params_given(s->params->values, stages);
    s->thin = !s->staged && table->n_rows >= WORTH_THINNING;
    SCARCE__TRY(scarce__places_find(&s->places, s->params, s->staged ? engine->stages : NULL, table, err));
    SCARCE__TRY(scarce__inner_make(&s->inner, table, s->o, s->ctx, err));
    SCARCE__TRY(
        scarce__trials_open(&s->file, s->o->results, s->o->results ? print_of(s, table, metric) : 0, err));
    return share(s, err);
}

static void finish(scarce__search *s)
{
    for (size_t i = 0; i < s->n_trials; ++i) {
        scarce__free(s->trials[i].u);
        scarce__free(s->trials[i].settings);
        scarce__free(s->trials[i].value);
    }
    scarce__free(s->trials);
    scarce__places_deinit(&s->places);
    for (size_t k = 0; k < s->inner.count; ++k) scarce__train_unshare(s->params, s->inner.splits[k].shared);
    scarce__inner_deinit(&s->inner);
    scarce__trials_close(&s->file);
    scarce_params_free(s->params);
}

scarce_status scarce_tune_run(scarce_tune_result *out, const scarce_table *table, const char *method,
                              const scarce_tune_options *options, scarce_context *ctx, scarce_error *err)
{
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tune_result result = SCARCE_TUNE_RESULT_INIT;
    scarce__search s;
    scarce_status st;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_TUNE_RESULT_INIT, err));
    SCARCE__FILL(out, &result);
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_TUNE_OPTIONS_INIT, err));
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "the table has no label");
    memset(&s, 0, sizeof s);
    s.spec = method;
    s.o = &o;
    s.ctx = ctx;
    s.begun = scarce__clock();
    st = start(&s, table, err);
    if (st == SCARCE_OK) st = run_search(&s, err);
    if (st == SCARCE_ECANCEL &&
        scarce__search_best(&s) != SIZE_MAX) { /* the best so far is better than nothing */
        result.cancelled = 1;
        st = SCARCE_OK;
    }
    if (st == SCARCE_OK) st = scarce__search_hand_over(&s, &result, err);
    if (st != SCARCE_OK) scarce_tune_result_deinit(&result);
    SCARCE__FILL(out, &result);
    finish(&s);
    return st;
}
