/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are sorted by key once a kind; then the features of one window and one measure at a time are made key by key, and
 * handed out row by row. What lies between the two, `made`, is a few numbers a row, used again for each window: it
 * mostly stays in the cache, and the columns that are wanted are the only large memory that is written.
 *
 * A key with more records than are kept, or with a number beyond 31 bits, goes through the engine. */
#include "feature/ordered.h"

#include <math.h>

#include "core/alloc.h"
#include "feature/group.h"
#include "feature/rows.h"
#include "feature/sweep.h"

enum { PLACES_PER_TASK = 1 << 14, ROWS_PER_TASK = 1 << 13, ROWS_AT_ONCE = 128 };

typedef struct job {
    scarce__batch *b;
    const int64_t *at;
    const size_t *kinds;
    scarce__groups *groups; /* [kind] */
    int *grouped;           /* [kind]: there was memory */
    scarce__sweep *sweeps;  /* [worker] */
    double *made;           /* [place * part.n + feature of the part] */
    scarce_status *status;  /* [task] */
    size_t kind;            /* at work */
    scarce__sweep_part part;
} job;

int scarce__ordered_rows(const scarce__batch *b, const int64_t *at)
{
    if (!b->time) return 0;
    for (size_t i = 0; i < b->n; ++i)
        if (at[i] != b->time[i] || (i > 0 && at[i] < at[i - 1]) || (b->repeated && b->repeated[i])) return 0;
    return 1;
}

static void group_task(void *arg, size_t i, int worker)
{
    job *j = arg;
    (void)worker;
    j->grouped[i] = scarce__groups_make(&j->groups[i], j->b, j->kinds[i], j->at[0]);
}

static const scarce__feature_kind *kind_of(const job *j)
{
    return &j->b->plan->kinds[j->kinds[j->kind]];
}

/* Must group g go through the engine? */
static int is_general(const job *j, const scarce__groups *g, size_t group)
{
    return g->wide[group] || g->begin[group + 1] - g->begin[group] > kind_of(j)->max_events;
}

/* The groups that begin in a stretch of places. */
static void sweep_task(void *arg, size_t t, int worker)
{
    job *j = arg;
    const scarce__groups *g = &j->groups[j->kind];
    const scarce__sweep_part *part = &j->part;
    const int value = part->value < 0 ? 0 : part->value;
    const size_t end = scarce__groups_from(g, (t + 1) * PLACES_PER_TASK);

    j->status[t] = SCARCE_OK;
    for (size_t i = scarce__groups_from(g, t * PLACES_PER_TASK); i < end; ++i) {
        const size_t begin = g->begin[i], n = g->begin[i + 1] - begin;
        double *out = j->made + begin * part->n;
        if (n == 0) continue;
        if (i == 0 ||
            is_general(j, g, i)) { /* the engine's turn comes later, that of rows without a key never */
            for (size_t k = 0; k < n * part->n; ++k) out[k] = NAN;
            continue;
        }
        if (!scarce__sweep_reserve(&j->sweeps[worker], n)) {
            j->status[t] = SCARCE_ENOMEM;
            return;
        }
        scarce__sweep_run(&j->sweeps[worker], part, g->time + begin,
                          part->value < 0 ? NULL : g->values + (size_t)value * j->b->n + begin,
                          g->missing[value], n, out);
    }
}

/* A few rows at a time, so that what is read of `made` is still there for the next column. */
static void hand_out_task(void *arg, size_t t, int worker)
{
    const job *j = arg;
    const scarce__batch *b = j->b;
    const size_t n = j->part.n, begin = t * ROWS_PER_TASK,
                 end = begin + ROWS_PER_TASK < b->n ? begin + ROWS_PER_TASK : b->n;
    const uint32_t *place = j->groups[j->kind].place;

    (void)worker;
    for (size_t row = begin; row < end; row += ROWS_AT_ONCE) {
        const size_t stop = row + ROWS_AT_ONCE < end ? row + ROWS_AT_ONCE : end;
        for (size_t a = 0; a < n; ++a) {
            size_t step;
            double *to = scarce__batch_column(b, j->part.first[a].out, &step);
            const double *made = j->made + a;
            if (!to) continue;
            if (step == 1)
                for (size_t r = row; r < stop; ++r) to[r] = made[place[r] * n];
            else
                for (size_t r = row; r < stop; ++r) to[r * step] = made[place[r] * n];
        }
    }
}

/* ---- keys that go through the engine */

static scarce_status run_general(job *j, const uint32_t *rows, size_t n, scarce_error *err)
{
    const scarce__feature_kind *k = kind_of(j);
    double *made = scarce__malloc_array(n, k->n_aggregates * sizeof *made);
    scarce__rows_run run = {j->b, j->at, j->kinds[j->kind], 0, 0};
    scarce_status st = made ? scarce__rows_features(&run, rows, n, made) : SCARCE_ENOMEM;
    for (size_t i = 0; i < n && st == SCARCE_OK; ++i)
        for (size_t a = 0; a < k->n_aggregates; ++a) {
            size_t step;
            double *to = scarce__batch_column(j->b, k->aggregates[a].out, &step);
            if (to) to[rows[i] * step] = made[i * k->n_aggregates + a];
        }
    scarce__free(made);
    j->b->late += run.late;
    j->b->folded += run.folded;
    return st == SCARCE_OK ? st : scarce__fail_memory(err, "features", 0);
}

/* Few: one after the other. */
static scarce_status run_generals(job *j, scarce_error *err)
{
    const scarce__groups *g = &j->groups[j->kind];
    uint32_t *rows = NULL; /* [place] */
    scarce_status st = SCARCE_OK;
    for (size_t i = 1; i < g->n && st == SCARCE_OK; ++i) {
        if (!is_general(j, g, i)) continue;
        if (!rows) {
            rows = scarce__malloc_array(j->b->n, sizeof *rows);
            if (!rows) return scarce__fail_memory(err, "features", j->b->n * sizeof *rows);
            for (size_t r = 0; r < j->b->n; ++r) rows[g->place[r]] = (uint32_t)r;
        }
        st = run_general(j, rows + g->begin[i], g->begin[i + 1] - g->begin[i], err);
    }
    scarce__free(rows);
    return st;
}

/* ---- all of it */

static scarce_status run_part(job *j, const scarce_context *ctx, scarce_error *err)
{
    const size_t tasks = scarce__blocks(j->b->n, PLACES_PER_TASK);
    scarce__pool_run(scarce__context_pool(ctx), tasks, sweep_task, j);
    for (size_t t = 0; t < tasks; ++t)
        if (j->status[t] != SCARCE_OK) return scarce__fail_memory(err, "features", 0);
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(j->b->n, ROWS_PER_TASK), hand_out_task, j);
    return SCARCE_OK;
}

static size_t widest_part(const job *j, size_t n)
{
    size_t most = 1;
    for (size_t i = 0; i < n; ++i) {
        const scarce__feature_kind *k = &j->b->plan->kinds[j->kinds[i]];
        for (size_t a = 0; a < k->n_aggregates;) {
            const size_t wide = scarce__sweep_part_at(k, a).n;
            if (wide > most) most = wide;
            a += wide;
        }
    }
    return most;
}

static scarce_status run_kinds(job *j, size_t n, const scarce_context *ctx, scarce_error *err)
{
    scarce__pool_run(scarce__context_pool(ctx), n, group_task, j);
    for (size_t i = 0; i < n; ++i)
        if (!j->grouped[i]) return scarce__fail_memory(err, "features", 0);
    for (j->kind = 0; j->kind < n; ++j->kind) {
        const scarce__feature_kind *k = kind_of(j);
        for (size_t a = 0; a < k->n_aggregates; a += j->part.n) {
            j->part = scarce__sweep_part_at(k, a);
            SCARCE__TRY(run_part(j, ctx, err));
        }
        SCARCE__TRY(run_generals(j, err));
        scarce__groups_deinit(&j->groups[j->kind]);
    }
    return SCARCE_OK;
}

scarce_status scarce__ordered_run(scarce__batch *b, const int64_t *at, const size_t *kinds, size_t n,
                                  const scarce_context *ctx, scarce_error *err)
{
    const int threads = scarce__pool_threads(scarce__context_pool(ctx));
    scarce__groups groups[SCARCE__FEATURE_KINDS];
    int grouped[SCARCE__FEATURE_KINDS];
    job j;
    scarce_status st;

    memset(&j, 0, sizeof j);
    memset(groups, 0, sizeof groups);
    j.b = b;
    j.at = at;
    j.kinds = kinds;
    j.groups = groups;
    j.grouped = grouped;
    j.sweeps = scarce__calloc((size_t)threads, sizeof *j.sweeps);
    j.status = scarce__calloc(scarce__blocks(b->n, PLACES_PER_TASK), sizeof *j.status);
    j.made = scarce__big_alloc(b->n, widest_part(&j, n) * sizeof *j.made);
    st = j.sweeps && j.status && j.made ? run_kinds(&j, n, ctx, err)
                                        : scarce__fail_memory(err, "features", b->n * sizeof *j.made);
    for (size_t i = 0; i < n; ++i) scarce__groups_deinit(&groups[i]);
    for (int w = 0; j.sweeps && w < threads; ++w) scarce__sweep_deinit(&j.sweeps[w]);
    scarce__free(j.sweeps);
    scarce__free(j.status);
    scarce__free(j.made);
    return st;
}
