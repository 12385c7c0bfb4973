/* SPDX-License-Identifier: Apache-2.0 */
/* The rows are dealt into parts with the same share of positives, and every candidate is trained without one part and
 * judged on it. Where rows have a time, parts are spans of time, the latest first: what holds for a while only (a stolen
 * card, a compromised terminal) must not speak for large trees. Else, where they have a group, groups stay whole.
 *
 * What can be told is told by the rarer class. So of many rows all of that class are looked at, and of the other one 8,000
 * or 25 for each of the rarer, whichever is more; they weigh as much as all of them together. That halves the cost where
 * one row in a hundred is positive, at the same average precision (docs/research/defaults.md, ninth study).
 *
 * Tries take steps `haste` times as long and so many times fewer of them (each candidate by its own): what is better with
 * long steps is better with short ones, at that much less cost. They are tasks of lanes (core/lanes.h): first the bins of
 * each part, then the tries on them. A try writes the scores of its part's rows and its own number of trees, so that
 * neither their order nor the number of threads matters. */
#include "method/gb_tries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/lanes.h"
#include "core/random.h"
#include "data/table.h"
#include "method/gb_held.h"
#include "method/gb_linear.h"
#include "tree/fast.h"

enum {
    MOST_ROWS = 50000,  /* to look at */
    MOST_COMMON = 8000, /* of the commoner class: this or the next, whichever is more */
    MOST_PER_RARE = 25,
    MOST_TREES = 2000,
    PATIENCE = 30
};

/* Voices of a sum that foretell their rows get no better by being surer of it: a share of the loss without trees. */
static const double TOLD = 0.003;

#define UNTOLD SIZE_MAX /* trees of a try that its part could not judge */

/* ---- dealing */

/* Which rows are looked at: of both classes at most an even draw of MOST_ROWS, of the commoner one less. */
static void choose_rows(scarce__gb_tries *t, uint64_t seed)
{
    const scarce_table *table = t->table;
    const uint64_t keep = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-2);
    const size_t n[2] = {table->n_rows - table->n_positives, table->n_positives};
    const int common = n[1] <= n[0] ? 0 : 1;
    const double share = fmin(1, (double)MOST_ROWS / (double)table->n_rows);
    const double enough = fmax(MOST_COMMON, MOST_PER_RARE * (double)n[!common]);
    uint64_t below[2];

    for (int class = 0; class < 2; ++class) {
        const double of_it = class == common ? fmin(share, enough / (double)n[class]) : share;
        below[class] = of_it < 1 ? (uint64_t)(of_it * 0x1p63) : (uint64_t)1 << 63;
    }
    for (size_t i = 0; i < table->n_rows; ++i) {
        const size_t id = table->group ? (size_t)table->group[i] : i;
        t->part[i] = scarce__hash(keep, id) >> 1 >= below[table->label[i] != 0] ? SCARCE__NO_PART : 0;
    }
}

/* Each class weighs as much as it does among all rows. */
static void make_up(scarce__gb_tries *t)
{
    const scarce_table *table = t->table;
    double all[2] = {0, 0}, seen[2] = {0, 0};

    for (size_t i = 0; i < table->n_rows; ++i) {
        const double w = scarce__held_weight(table, i, &t->from.one[0].o);
        all[table->label[i] != 0] += w;
        if (t->part[i] != SCARCE__NO_PART) seen[table->label[i] != 0] += w;
    }
    for (size_t c = 0; c < t->from.n; ++c) {
        if (seen[0] > 0) t->from.one[c].o.neg_weight *= all[0] / seen[0];
        if (seen[1] > 0) t->from.one[c].o.pos_weight *= all[1] / seen[1];
    }
}

/* Of as many rows of a class in turn as there are parts, every part gets one, in a rotation drawn at random. */
static void deal_rows(scarce__gb_tries *t, uint64_t seed)
{
    const scarce_table *table = t->table;
    const uint64_t turn = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-3);
    const size_t parts = t->from.parts;
    size_t seen[2] = {0, 0};

    for (size_t i = 0; i < table->n_rows; ++i) {
        const int positive = table->label[i] != 0;
        if (t->part[i] == SCARCE__NO_PART) continue;
        const size_t k = seen[positive]++;
        const uint64_t place = table->group
                                   ? scarce__hash(turn, (uint64_t)table->group[i])
                                   : k + scarce__hash(turn, 2 * (k / parts) + (size_t)positive) % parts;
        t->part[i] = (uint8_t)(place % parts);
    }
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Spans of time with as many rows of the rarer class each, the latest first. */
static scarce_status deal_times(scarce__gb_tries *t, scarce_error *err)
{
    const scarce_table *table = t->table;
    const int rare = 2 * table->n_positives <= table->n_rows;
    double *time = scarce__malloc_array(table->n_rows, sizeof *time), end[SCARCE__MOST_PARTS];
    const size_t last = t->from.parts - 1;
    size_t n = 0;

    if (!time) return scarce__fail_memory(err, "held-out rows", 8 * table->n_rows);
    for (size_t i = 0; i < table->n_rows; ++i)
        if (t->part[i] != SCARCE__NO_PART && (table->label[i] != 0) == rare && isfinite(table->time[i]))
            time[n++] = table->time[i];
    qsort(time, n, sizeof *time, compare_times);
    for (size_t k = 0; k < last; ++k) end[k] = n > 0 ? time[n * (k + 1) / (last + 1)] : 0;
    for (size_t i = 0; i < table->n_rows; ++i) {
        size_t span = 0;
        if (t->part[i] == SCARCE__NO_PART) continue;
        while (span < last && table->time[i] >= end[span]) ++span;
        t->part[i] = (uint8_t)(last - span);
    }
    scarce__free(time);
    return SCARCE_OK;
}

static size_t count_rarer(const scarce__gb_tries *t)
{
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < t->table->n_rows; ++i)
        if (t->part[i] != SCARCE__NO_PART) ++count[t->table->label[i] != 0];
    return count[0] < count[1] ? count[0] : count[1];
}

static int tried_new(scarce__gb_tried *r, size_t n)
{
    r->running = 1;
    r->score = scarce__malloc_array(n, sizeof *r->score);
    for (size_t i = 0; r->score && i < n; ++i) r->score[i] = (float)NAN;
    return r->score != NULL;
}

scarce_status scarce__gb_tries_new(scarce__gb_tries *t, const scarce_table *table,
                                   const scarce__gb_candidates *from, scarce_error *err)
{
    const size_t n = table->n_rows;
    const uint64_t seed = from->one[0].o.seed;
    int good;

    memset(t, 0, sizeof *t);
    t->table = table;
    t->from = *from;
    t->part = scarce__malloc(n);
    good = t->part != NULL;
    for (size_t c = 0; good && c < from->n; ++c) good = tried_new(&t->of[c], n);
    if (!good) return scarce__fail_memory(err, "held-out rows", n * (1 + 4 * from->n));
    choose_rows(t, seed);
    make_up(t);
    t->rarer = count_rarer(t);
    if (table->time) return deal_times(t, err);
    deal_rows(t, seed);
    return SCARCE_OK;
}

void scarce__gb_tries_deinit(scarce__gb_tries *t)
{
    scarce__free(t->part);
    for (size_t c = 0; c < SCARCE__MOST_CANDIDATES; ++c) scarce__free(t->of[c].score);
}

/* ---- parts */

/* The rows without a part, and those of it. */
typedef struct cut {
    uint32_t *row; /* of both, the former first */
    size_t n_fit, n_held;
    scarce__binned *binned; /* of the former */
} cut;

typedef struct wave {
    scarce__gb_tries *t;
    size_t first; /* part */
    cut cut[SCARCE__MOST_PARTS];
    size_t candidate[SCARCE__MOST_CANDIDATES], n_candidates; /* that run */
    size_t trees[SCARCE__MOST_CANDIDATES][SCARCE__MOST_PARTS], done;
} wave;

static void wave_deinit(wave *w)
{
    for (size_t k = 0; k < SCARCE__MOST_PARTS; ++k) {
        scarce__free(w->cut[k].row);
        scarce__binned_free(w->cut[k].binned);
    }
}

static scarce_status run_bins(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    wave *w = arg;
    cut *c = &w->cut[task];
    const scarce__gb_tries *t = w->t;
    const scarce_table *table = t->table;
    size_t held = 0, n = 0;

    for (size_t i = 0; i < table->n_rows; ++i) n += t->part[i] != SCARCE__NO_PART;
    c->row = scarce__malloc_array(n + 1, sizeof *c->row);
    if (!c->row) return scarce__fail_memory(err, "held-out rows", 4 * n);
    for (size_t i = 0; i < table->n_rows; ++i) held += t->part[i] == w->first + task;
    c->n_fit = n - held;
    for (size_t i = 0, a = 0, b = c->n_fit; i < table->n_rows; ++i) {
        if (t->part[i] == SCARCE__NO_PART) continue;
        if (t->part[i] == w->first + task) c->row[b++] = (uint32_t)i;
        else c->row[a++] = (uint32_t)i;
    }
    c->n_held = held;
    if (c->n_fit == 0 || c->n_held == 0) return SCARCE_OK;
    return scarce__binned_new(&c->binned, table, c->row, c->n_fit, table->weight, &t->from.one[0].o.bins, ctx,
                              err);
}

/* ---- tries */

/* The linear model of the rows to fit, as the trees that it becomes. Where it can't be learnt it has nothing to say. */
static scarce_status try_linear(size_t *trees, float *score, const scarce__gb_tries *t,
                                const scarce__gb_candidate *candidate, const cut *c, scarce_context *ctx,
                                scarce_error *err)
{
    const uint32_t *held = c->row + c->n_fit;
    scarce_table *seen = NULL, *unseen = NULL;
    scarce__forest forest = {0};
    scarce__fast *fast = NULL;
    double *wide = scarce__malloc_array(c->n_held, sizeof *wide);
    scarce_status st = wide ? scarce_table_rows_of(&seen, t->table, c->row, c->n_fit, ctx, err)
                            : scarce__fail_memory(err, "held-out rows", 8 * c->n_held);

    if (st == SCARCE_OK) st = scarce_table_rows_of(&unseen, t->table, held, c->n_held, ctx, err);
    if (st == SCARCE_OK && seen->n_positives > 0 && seen->n_positives < seen->n_rows)
        st = scarce__gb_linear(&forest, seen, &candidate->o, ctx, err);
    if (st == SCARCE_OK && forest.n_trees > 0) {
        st = scarce__fast_new(&fast, &forest, err);
        if (st == SCARCE_OK) st = scarce__fast_table(fast, unseen, ctx, wide, err);
        for (size_t k = 0; st == SCARCE_OK && k < c->n_held; ++k) score[held[k]] = (float)wide[k];
        if (st == SCARCE_OK) *trees = 0;
    }
    scarce__fast_free(fast);
    scarce__forest_deinit(&forest);
    scarce_table_free(seen);
    scarce_table_free(unseen);
    scarce__free(wide);
    return st;
}

static scarce_status try_trees(size_t *trees, float *score, const scarce__gb_tries *t,
                               const scarce__gb_candidate *candidate, const cut *c, scarce_context *ctx,
                               scarce_error *err)
{
    const uint32_t *rows = c->row + c->n_fit;
    const scarce__boost_data fit = {.table = t->table,
                                    .rows = c->row,
                                    .n_rows = c->n_fit,
                                    .binned = c->binned},
                             held = {.table = t->table, .rows = rows, .n_rows = c->n_held};
    const int haste = candidate->haste;
    const scarce__patience patience = {MOST_TREES / haste, PATIENCE / haste + 1, t->from.sum ? TOLD : 0};
    scarce__boost_options o = candidate->o;
    scarce__held judge;
    size_t best = 0;
    double loss;
    int cancelled = 0;
    scarce_status st = scarce__held_new(&judge, c->n_held, t->table, &t->from.one[0].o, err);

    for (size_t k = 0; st == SCARCE_OK && k < c->n_held; ++k)
        scarce__held_add(&judge, t->table, rows[k], &t->from.one[0].o);
    o.grow.learning_rate *= haste;
    judge.least = candidate->least / haste;
    if (st == SCARCE_OK)
        st = scarce__held_try(&best, &loss, &fit, &held, &judge, &o, patience, &cancelled, ctx, err);
    if (st == SCARCE_OK && !cancelled && best > 0) {
        *trees = best;
        for (size_t k = 0; k < c->n_held; ++k) score[rows[k]] = judge.score[k];
    }
    scarce__held_deinit(&judge);
    return st;
}

static scarce_status run_try(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    wave *w = arg;
    const size_t part = task / w->n_candidates, who = w->candidate[task % w->n_candidates];
    const scarce__gb_candidate *candidate = &w->t->from.one[who];
    const cut *c = &w->cut[part];
    float *score = w->t->of[who].score;

    w->trees[who][part] = UNTOLD;
    if (!c->binned) return SCARCE_OK;
    if (candidate->linear) return try_linear(&w->trees[who][part], score, w->t, candidate, c, ctx, err);
    return try_trees(&w->trees[who][part], score, w->t, candidate, c, ctx, err);
}

static scarce_status count_try(void *arg, size_t task, double seconds, scarce_error *err)
{
    wave *w = arg;
    (void)task;
    (void)seconds;
    (void)err;
    ++w->done;
    return SCARCE_OK;
}

static void tell(void *arg, scarce_progress *p)
{
    const wave *w = arg;
    p->stage = "choose";
    p->done = (double)w->done;
}

static scarce_status run_wave(wave *w, size_t n, scarce_context *ctx, scarce_error *err)
{
    const scarce__gb_tries *t = w->t;
    const size_t rows = t->table->n_rows < MOST_ROWS ? t->table->n_rows : MOST_ROWS;
    const double bytes = (double)scarce__boost_memory(rows, t->table->schema.n_features, rows / t->from.parts,
                                                      &t->from.one[0].o, 1);
    const scarce__lanes bins = {.n_tasks = n,
                                .tasks = "parts",
                                .bytes = bytes,
                                .run = run_bins,
                                .progress = tell},
                        tries = {.n_tasks = n * w->n_candidates,
                                 .tasks = "tries",
                                 .bytes = bytes,
                                 .run = run_try,
                                 .done = count_try,
                                 .progress = tell};

    SCARCE__TRY(scarce__lanes_run(&bins, w, ctx, err));
    return scarce__lanes_run(&tries, w, ctx, err);
}

scarce_status scarce__gb_tries_run(scarce__gb_tries *t, size_t n, int *cancelled, scarce_context *ctx,
                                   scarce_error *err)
{
    wave w = {.t = t, .first = t->n_parts};

    for (size_t c = 0; c < t->from.n; ++c)
        if (t->of[c].running) w.candidate[w.n_candidates++] = c;
    const scarce_status st = run_wave(&w, n, ctx, err);
    for (size_t k = 0; st == SCARCE_OK && k < w.n_candidates; ++k) {
        scarce__gb_tried *one = &t->of[w.candidate[k]];
        for (size_t part = 0; part < n; ++part)
            if (w.trees[w.candidate[k]][part] != UNTOLD)
                one->trees[one->n_parts++] = w.trees[w.candidate[k]][part];
    }
    wave_deinit(&w);
    t->n_parts += n;
    *cancelled = st == SCARCE_ECANCEL;
    return *cancelled ? SCARCE_OK : st;
}
