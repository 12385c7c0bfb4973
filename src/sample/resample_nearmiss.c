/* SPDX-License-Identifier: Apache-2.0 */
/* nearmiss-1, -2, -3: of the negatives those near the positives are kept, to a ratio (Zhang and Mani 2003).
 *
 *     nearmiss-1   smallest mean distance to their k nearest positives
 *     nearmiss-2   smallest mean distance to their k farthest positives
 *     nearmiss-3   first the m nearest negatives of every positive, then of these the largest mean distance to their
 *                  k nearest positives: may be fewer than the ratio wants
 * Ties go to the row that comes first. Equal to imbalanced-learn row for row. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/sort.h"
#include "sample/neighbourhood.h"
#include "sample/synthesis.h"

typedef struct miss_options {
    double ratio;
    int64_t k, m;
    int scale;
} miss_options;

static const scarce__param miss_params[] = {
    SCARCE__RATIO_PARAM(miss_options),
    {"k", "n_neighbors", SCARCE__INT, offsetof(miss_options, k), "3", 1, 1000, NULL,
     "positives over which the distance is averaged", NULL, NULL},
    SCARCE__SCALE_PARAM(miss_options),
};
static const scarce__param third_params[] = {
    {"m", "n_neighbors_ver3", SCARCE__INT, offsetof(miss_options, m), "3", 1, 1000, NULL,
     "nearest negatives of each positive that may stay", NULL, NULL},
};
static const scarce__param_part parts[] = {SCARCE__PART(miss_params, 0), SCARCE__PART(third_params, 0)};

/* How negatives are measured: the sum of their distances to k positives as a key that sorts as sign * sum does. What
 * can't be among the `wanted` smallest sums need not be known: it has the key BEYOND. */
#define BEYOND UINT64_MAX
typedef struct ruler {
    const scarce__crowd *crowd;
    const uint32_t *rows; /* negatives */
    uint64_t *key;
    size_t n, k, wanted;
    int farthest, sign;
    /* scratch for a batch */
    uint32_t *place, *batch, *index, *count;
    double *square;
    uint64_t *small; /* the smallest keys so far, `wanted` at most, and those of a batch behind them */
    size_t n_small;
    double bar; /* the largest sum that may matter */
} ruler;

enum { FIRST_BATCH = 4096, BATCH = 1 << 16 };

static void ruler_deinit(ruler *r)
{
    scarce__free(r->place);
    scarce__free(r->batch);
    scarce__free(r->index);
    scarce__free(r->count);
    scarce__free(r->square);
    scarce__free(r->small);
}

static scarce_status ruler_init(ruler *r, scarce_error *err)
{
    const size_t most = r->n < BATCH ? r->n : BATCH, wanted = r->wanted < r->n ? r->wanted : r->n;

    if (r->k > r->crowd->n[1]) r->k = r->crowd->n[1];
    r->bar = (double)INFINITY;
    r->place = scarce__malloc_array(most, sizeof *r->place);
    r->batch = scarce__malloc_array(most, sizeof *r->batch);
    r->index = scarce__malloc_array(most, r->k * sizeof *r->index);
    r->count = scarce__malloc_array(most, sizeof *r->count);
    r->square = scarce__malloc_array(most, r->k * sizeof *r->square);
    r->small = scarce__malloc_array(wanted + most, sizeof *r->small);
    if (r->place && r->batch && r->index && r->count && r->square && r->small) return SCARCE_OK;
    return scarce__fail_memory(err, "distances", 0);
}

/* Which rows of the batch can have a sum up to the bar. For the nearest: their nearest positive is within a k-th of
 * it. For the farthest: there are not k positives beyond a k-th of it, which is soon seen. */
static scarce_status look_ahead(ruler *r, size_t *m, scarce_context *ctx, scarce_error *err)
{
    const scarce__crowd *c = r->crowd;
    const double part = r->bar / (double)r->k, square = part * part * (1 + 1e-9);
    const scarce__near ask = {&c->space,
                              {c->table, r->batch, *m},
                              {c->table, c->rows[1], c->n[1]},
                              r->farthest ? r->k : 1,
                              r->farthest};
    size_t n = 0;

    for (size_t i = 0; i < *m; ++i) {
        r->square[i] = r->farthest ? -square : square;
        r->index[i] = r->farthest ? 0 : UINT32_MAX;
    }
    SCARCE__TRY(scarce__near_count(r->count, NULL, &ask, r->square, r->index, ctx, err));
    for (size_t i = 0; i < *m; ++i) {
        if (r->farthest ? r->count[i] == r->k : !r->count[i]) continue;
        r->batch[n] = r->batch[i];
        r->place[n++] = r->place[i];
    }
    *m = n;
    return SCARCE_OK;
}

/* The bar after a batch: the wanted-th smallest key. */
static scarce_status lower_bar(ruler *r, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    uint64_t *tmp;
    uint32_t *counts;
    scarce_status st = SCARCE_OK;

    if (r->n_small < r->wanted) return SCARCE_OK;
    tmp = scarce__malloc_array(r->n_small, sizeof *tmp);
    counts = scarce__malloc_array(scarce__sort_counts(pool, r->n_small), sizeof *counts);
    if (tmp && counts) {
        scarce__sort_keys(r->small, tmp, r->n_small, counts, pool);
        r->n_small = r->wanted;
        r->bar = scarce__from_ordered_bits(r->small[r->wanted - 1]);
    } else st = scarce__fail_memory(err, "distances", 0);
    scarce__free(tmp);
    scarce__free(counts);
    return st;
}

static scarce_status measure_batch(ruler *r, size_t first, size_t m, scarce_context *ctx, scarce_error *err)
{
    const scarce__crowd *c = r->crowd;
    const size_t k = r->k;

    for (size_t i = 0; i < m; ++i) {
        r->batch[i] = r->rows[first + i];
        r->place[i] = (uint32_t)(first + i);
        r->key[first + i] = BEYOND;
    }
    if (r->bar < (double)INFINITY) SCARCE__TRY(look_ahead(r, &m, ctx, err));
    const scarce__near ask = {
        &c->space, {c->table, r->batch, m}, {c->table, c->rows[1], c->n[1]}, k, r->farthest};
    SCARCE__TRY(scarce__near_find(r->index, r->square, &ask, ctx, err));
    for (size_t i = 0; i < m; ++i) {
        double sum = 0; /* from the nearest on */
        for (size_t j = 0; j < k; ++j) sum += sqrt(r->square[i * k + (r->farthest ? k - 1 - j : j)]);
        r->key[r->place[i]] = scarce__ordered_bits(r->sign * sum);
        if (r->sign > 0) r->small[r->n_small++] = r->key[r->place[i]];
    }
    return r->sign > 0 ? lower_bar(r, ctx, err) : SCARCE_OK;
}

static scarce_status measure(ruler *r, scarce_context *ctx, scarce_error *err)
{
    scarce_status st = ruler_init(r, err);

    for (size_t first = 0, m; st == SCARCE_OK && first < r->n; first += m) {
        m = first < FIRST_BATCH ? FIRST_BATCH : first < BATCH ? first : BATCH; /* doubles what is known */
        if (m > r->n - first) m = r->n - first;
        st = measure_batch(r, first, m, ctx, err);
    }
    ruler_deinit(r);
    return st;
}

/* Marks all of the n rows as gone but the `wanted` ones with the smallest keys. */
static scarce_status keep_smallest(scarce__crowd *c, const uint32_t *rows, const uint64_t *key, size_t n,
                                   size_t wanted, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    uint64_t *sorted = scarce__malloc_array(n, sizeof *sorted), *tmp = scarce__malloc_array(n, sizeof *tmp);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(pool, n), sizeof *counts);
    scarce_status st = SCARCE_OK;
    size_t below = 0;

    if (!sorted || !tmp || !counts) st = scarce__fail_memory(err, "distances", 0);
    else if (wanted < n) {
        size_t known = 0;
        for (size_t i = 0; i < n; ++i)
            if (key[i] != BEYOND) sorted[known++] = key[i];
        scarce__sort_keys(sorted, tmp, known, counts, pool);
        const uint64_t last = sorted[wanted - 1];
        while (below < wanted && sorted[below] < last) ++below;
        for (size_t i = 0, ties = wanted - below; i < n; ++i) {
            if (key[i] > last || (key[i] == last && ties == 0)) c->gone[rows[i]] = 1;
            else if (key[i] == last) --ties;
        }
    }
    scarce__free(sorted);
    scarce__free(tmp);
    scarce__free(counts);
    return st;
}

/* nearmiss-3: marks negatives that are not among the m nearest of any positive. */
static scarce_status keep_around(scarce__crowd *c, size_t m, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *t = c->table;
    uint32_t *index;
    double *square;
    scarce_status st;

    if (m > c->n[0]) m = c->n[0];
    index = scarce__malloc_array(c->n[1], m * sizeof *index);
    square = scarce__malloc_array(c->n[1], m * sizeof *square);
    const scarce__near ask = {&c->space, {t, c->rows[1], c->n[1]}, {t, c->rows[0], c->n[0]}, m, 0};
    if (index && square) st = scarce__near_find(index, square, &ask, ctx, err);
    else st = scarce__fail_memory(err, "neighbours", 0);
    for (size_t i = 0; st == SCARCE_OK && i < c->n[0]; ++i) c->gone[c->rows[0][i]] = 1;
    for (size_t i = 0; st == SCARCE_OK && i < c->n[1] * m; ++i) c->gone[index[i]] = 0;
    scarce__free(index);
    scarce__free(square);
    return st;
}

static scarce_status run_miss(scarce__recipe *out, const scarce_table *t, const miss_options *o, int version,
                              scarce_context *ctx, scarce_error *err)
{
    scarce__crowd c;
    uint64_t *key = NULL;
    scarce_status st;

    SCARCE__TRY(scarce__crowd_init(&c, t, o->scale, ctx, err));
    st = version == 3 ? keep_around(&c, (size_t)o->m, ctx, err) : SCARCE_OK;
    if (st == SCARCE_OK) {
        (void)scarce__crowd_sweep(&c);
        key = scarce__malloc_array(c.n[0], sizeof *key);
        if (!key) st = scarce__fail_memory(err, "distances", c.n[0] * sizeof *key);
    }
    if (st == SCARCE_OK) {
        ruler r = {.crowd = &c, .rows = c.rows[0], .key = key, .n = c.n[0], .k = (size_t)o->k};
        r.wanted = scarce__rows_to_leave(t, o->ratio);
        r.farthest = version == 2;
        r.sign = version == 3 ? -1 : 1;
        st = measure(&r, ctx, err);
        if (st == SCARCE_OK) st = keep_smallest(&c, c.rows[0], key, c.n[0], r.wanted, ctx, err);
    }
    if (st == SCARCE_OK) st = scarce__keep_unmarked(out, t, c.gone, err);
    scarce__free(key);
    scarce__crowd_deinit(&c);
    return st;
}

static scarce_status run_1(scarce__recipe *out, const scarce_table *t, const void *options,
                           scarce_context *ctx, scarce_error *err)
{
    return run_miss(out, t, options, 1, ctx, err);
}

static scarce_status run_2(scarce__recipe *out, const scarce_table *t, const void *options,
                           scarce_context *ctx, scarce_error *err)
{
    return run_miss(out, t, options, 2, ctx, err);
}

static scarce_status run_3(scarce__recipe *out, const scarce_table *t, const void *options,
                           scarce_context *ctx, scarce_error *err)
{
    return run_miss(out, t, options, 3, ctx, err);
}

const scarce__resampler scarce__resample_nearmiss_1 = {
    "nearmiss-1",
    "Keeps the negatives that are nearest to their k nearest positives, `ratio` positives per negative.",
    {parts, 1, sizeof(miss_options)},
    run_1,
    NULL,
};
const scarce__resampler scarce__resample_nearmiss_2 = {
    "nearmiss-2",
    "Keeps the negatives that are nearest to their k farthest positives.",
    {parts, 1, sizeof(miss_options)},
    run_2,
    NULL,
};
const scarce__resampler scarce__resample_nearmiss_3 = {
    "nearmiss-3",
    "Keeps, of the m nearest negatives of each positive, those farthest from their k nearest positives.",
    {parts, 2, sizeof(miss_options)},
    run_3,
    NULL,
};
