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

/* The sum of the distances to k positives, of each of n negatives; sign * that as a key that sorts as it does. */
static scarce_status measure(uint64_t *key, const scarce__crowd *c, const uint32_t *rows, size_t n, size_t k,
                             int farthest, int sign, scarce_context *ctx, scarce_error *err)
{
    enum { BATCH = 1 << 16 }; /* the positives of so many rows at a time */
    const scarce_table *t = c->table;
    const size_t batch = n < BATCH ? n : BATCH;
    uint32_t *index;
    double *square;
    scarce_status st = SCARCE_OK;

    if (k > c->n[1]) k = c->n[1];
    index = scarce__malloc_array(batch, k * sizeof *index);
    square = scarce__malloc_array(batch, k * sizeof *square);
    if (!index || !square) st = scarce__fail_memory(err, "neighbours", 0);
    for (size_t first = 0; st == SCARCE_OK && first < n; first += BATCH) {
        const size_t m = n - first < BATCH ? n - first : BATCH;
        const scarce__near ask = {&c->space, {t, rows + first, m}, {t, c->rows[1], c->n[1]}, k, farthest};
        st = scarce__near_find(index, square, &ask, ctx, err);
        for (size_t i = 0; st == SCARCE_OK && i < m; ++i) {
            double sum = 0; /* from the nearest on */
            for (size_t j = 0; j < k; ++j) sum += sqrt(square[i * k + (farthest ? k - 1 - j : j)]);
            key[first + i] = scarce__ordered_bits(sign * sum);
        }
    }
    scarce__free(index);
    scarce__free(square);
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
        memcpy(sorted, key, n * sizeof *sorted);
        scarce__sort_keys(sorted, tmp, n, counts, pool);
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
    if (st == SCARCE_OK)
        st = measure(key, &c, c.rows[0], c.n[0], (size_t)o->k, version == 2, version == 3 ? -1 : 1, ctx, err);
    if (st == SCARCE_OK)
        st = keep_smallest(&c, c.rows[0], key, c.n[0], scarce__rows_to_leave(t, o->ratio), ctx, err);
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
