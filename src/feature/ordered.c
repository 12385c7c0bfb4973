/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are sorted by key once a kind; then what the windows of one length hold of one measure is found key by key, and
 * becomes features row by row. What lies between the two, `made`, is a few words a row, used again for each window: it
 * mostly stays in the cache, and the columns that are wanted are the only large memory that is written, past the caches
 * where there is much of it.
 *
 * A key with more records than are kept, or with a number beyond 31 bits, goes through the engine. */
#include "feature/ordered.h"

#include <math.h>

#include "core/alloc.h"
#include "core/simd.h"
#include "feature/group.h"
#include "feature/rows.h"
#include "feature/sweep.h"

enum { PLACES_PER_TASK = 1 << 14, ROWS_PER_TASK = 1 << 13, MANY_ROWS = 1 << 17 };

typedef struct job {
    scarce__batch *b;
    const int64_t *at;
    const size_t *kinds;
    scarce__groups *groups; /* [kind] */
    int *grouped;           /* [kind]: there was memory */
    scarce__sweep *sweeps;  /* [worker] */
    uint32_t *made;         /* [place * part.words + word] */
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
        uint32_t *out = j->made + begin * part->words;
        if (n == 0) continue;
        if (i == 0 || is_general(j, g, i)) { /* their features are written later */
            memset(out, 0, n * part->words * sizeof *out);
            continue;
        }
        if (!scarce__sweep_reserve(&j->sweeps[worker], n)) {
            j->status[t] = SCARCE_ENOMEM;
            return;
        }
        scarce__sweep_run(&j->sweeps[worker], part, g->time + begin,
                          part->value < 0 ? NULL : g->values + (size_t)value * j->b->n + begin, n, out);
    }
}

/* Whole lines of cache at a time around it: nobody reads a long column before it is forgotten again. */
#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void stream(double *to, const double *from, size_t n)
{
    size_t i = 0;
    for (; i < n && (uintptr_t)(to + i) % 64; ++i) to[i] = from[i];
    for (; i + 8 <= n; i += 8) {
        _mm256_stream_pd(to + i, _mm256_loadu_pd(from + i));
        _mm256_stream_pd(to + i + 4, _mm256_loadu_pd(from + i + 4));
    }
    for (; i < n; ++i) to[i] = from[i];
}

static void end_of_streams(void)
{
    _mm_sfence(); /* other threads see all of it from now on */
}
#else
static void stream(double *to, const double *from, size_t n)
{
    memcpy(to, from, n * sizeof *to);
}

static void end_of_streams(void)
{
}
#endif

static void write_column(const scarce__batch *b, size_t feature, size_t row, const double *x, size_t n)
{
    size_t step;
    double *to = scarce__batch_column(b, feature, &step);
    if (step > 1)
        for (size_t i = 0; i < n; ++i) to[(row + i) * step] = x[i];
    else if (b->n >= MANY_ROWS && scarce__cpu_avx2()) stream(to + row, x, n);
    else memcpy(to + row, x, n * sizeof *x);
}

/* A few rows at a time, so that what is gathered of `made` is still there for the next column. */
static void hand_out_task(void *arg, size_t t, int worker)
{
    const job *j = arg;
    const scarce__batch *b = j->b;
    const scarce__groups *g = &j->groups[j->kind];
    const size_t begin = t * ROWS_PER_TASK, end = begin + ROWS_PER_TASK < b->n ? begin + ROWS_PER_TASK : b->n;
    const uint32_t keyless = g->begin[1]; /* places of rows without a key: nothing is known of these */
    scarce__swept held;
    double x[SCARCE__SWEEP_ROWS];

    (void)worker;
    for (size_t row = begin; row < end; row += SCARCE__SWEEP_ROWS) {
        const size_t n = end - row < SCARCE__SWEEP_ROWS ? end - row : SCARCE__SWEEP_ROWS;
        const uint32_t *place = g->place + row;
        scarce__sweep_gather(&held, &j->part, j->made, place, n, b->n - row - n);
        for (size_t a = 0; a < j->part.n; ++a) {
            const size_t feature = j->part.first[a].out;
            if (!b->rows && !b->out[feature]) continue;
            scarce__sweep_column(&held, &j->part, a, n, x);
            for (size_t i = 0; keyless && i < n; ++i)
                if (place[i] < keyless) x[i] = NAN;
            write_column(b, feature, row, x, n);
        }
    }
    end_of_streams();
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

/* Words of a record, at most. */
static size_t widest_part(const job *j, size_t n)
{
    uint8_t missing[SCARCE__FEATURE_COLUMNS];
    size_t most = 1;
    memset(missing, 1, sizeof missing);
    for (size_t i = 0; i < n; ++i) {
        const scarce__feature_kind *k = &j->b->plan->kinds[j->kinds[i]];
        for (size_t a = 0; a < k->n_aggregates;) {
            const scarce__sweep_part part = scarce__sweep_part_at(k, a, missing);
            if (part.words > most) most = part.words;
            a += part.n;
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
            j->part = scarce__sweep_part_at(k, a, j->groups[j->kind].missing);
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
