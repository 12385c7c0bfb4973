/* SPDX-License-Identifier: Apache-2.0 */
/* Exact nearest neighbours among the rows of a table.
 *
 *     scarce__space space;
 *     scarce__space_init(&space, table, SCARCE__SCALE_AUTO, ctx, &err);
 *     scarce__near ask = {&space, {table, positives, n_positives}, {table, NULL, n_rows}, 5, 0};
 *     scarce__near_find(index, square, &ask, ctx, &err);         n_positives x 5, nearest first
 *     scarce__space_deinit(&space);
 *
 * The distance. Squares of the differences are added over the features:
 *
 *     numbers      ((x - y) * scale)^2;   1 where either is missing (or not finite)
 *     categories   category_square (1) where the codes differ or either is missing, else 0
 *     sparse       as numbers; rows that are not listed are 0
 *
 * scale is 1 / sd (standard), 1 / (max - min) (range) or 1 (none); auto is `standard` for tables of numbers
 * without gaps and `range` for mixed ones (HEOM: Wilson and Martinez 1997). A constant column has scale 0.
 * Columns that only name the row (reading.h) don't count.
 * The sum is made in doubles in a fixed order, so a distance has the same bits on every machine, and equal
 * differences give equal distances; ties go to the row that comes first.
 *
 * How it is fast: a float kernel (kernel.h) computes a *lower bound* of half the squared distance for
 * 12 x 32 pairs at a time; only pairs whose bound is within what is wanted are computed exactly. Bounds differ
 * between processors, results don't. In few dimensions a k-d tree takes its place (tree.c), in thousands of
 * sparse columns products over their entries (sparse.c).
 *
 * Memory beside the result does not grow with the rows, but for the tree and for sparse columns:
 * scarce__near_memory tells it beforehand. Any number of threads gives the same. */
#ifndef SCARCE_NEAR_NEAR_H
#define SCARCE_NEAR_NEAR_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "data/table.h"

typedef enum scarce__near_scale {
    SCARCE__SCALE_AUTO = 0,
    SCARCE__SCALE_STANDARD,
    SCARCE__SCALE_RANGE,
    SCARCE__SCALE_NONE
} scarce__near_scale;

/* What a distance between rows is: fitted to one table, good for others of its schema too. */
typedef struct scarce__space {
    size_t n_numbers, n_padded; /* features that are numbers; the same rounded up to 8 */
    uint32_t *number;           /* which features */
    double *scale;              /* n_padded; 0 behind */
    double *center;             /* of the float kernel alone: differences don't know it */
    uint8_t *gaps;              /* has the column missing values? */
    size_t n_codes;
    uint32_t *code; /* which features are categories */
    double category_square;
    size_t n_sparse; /* columns that are kept sparse: see sparse.c */
    uint32_t *sparse;
    double *sparse_scale;
    uint8_t *sparse_gaps;
    /* of the float kernel: */
    size_t n_gaps; /* columns with missing values: they take three dimensions instead of one */
    size_t dims;
    double unit; /* power of two that brings coordinates near 1 */
} scarce__space;

/* The table is needed for the call only. ENOMEM. */
scarce_status scarce__space_init(scarce__space *out, const scarce_table *table, scarce__near_scale scale,
                                 scarce_context *ctx, scarce_error *err);
void scarce__space_deinit(scarce__space *space);
/* The squared distance of two rows. Slow: for a few pairs, and as the oracle of everything else. */
double scarce__space_square(const scarce__space *space, const scarce_table *a, size_t row_a,
                            const scarce_table *b, size_t row_b);

/* Some rows of a table; NULL: rows 0..n-1. Those among which is sought ascend, no row twice. */
typedef struct scarce__near_rows {
    const scarce_table *table;
    const uint32_t *rows;
    size_t n;
} scarce__near_rows;

/* Whose neighbours, among which rows. In one table a row is never its own neighbour; its copies are. */
typedef struct scarce__near {
    const scarce__space *space;
    scarce__near_rows from, among;
    size_t k;     /* > 0 */
    int farthest; /* the k farthest instead, farthest first, ties to the row that comes first */
} scarce__near;

/* index[i * k + j] is the row of `among` that is the j-th neighbour of row i of `from`, square its squared
 * distance; UINT32_MAX and NaN where there are fewer than k others. Cost: n x n_among x features, but about
 * n x log n_among with few dimensions. ENOMEM; ECANCEL when progress says so. */
scarce_status scarce__near_find(uint32_t *index, double *square, const scarce__near *ask, scarce_context *ctx,
                                scarce_error *err);

/* For each row of `from`: are there k rows of `among` before (bound[i], bound_row[i]), that is nearer, or as near
 * with a smaller number? Counts to k and stops, which is far cheaper than finding the k nearest where many
 * rows are within the bound. *count* gets 0..k; witness (nullable, n x k) the rows that were counted, not
 * the nearest ones. bound NaN: as if infinite. */
scarce_status scarce__near_count(uint32_t *count, uint32_t *witness, const scarce__near *ask,
                                 const double *bound, const uint32_t *bound_row, scarce_context *ctx,
                                 scarce_error *err);

/* Bytes that a call allocates for a while, beside its results. */
double scarce__near_memory(const scarce__near *ask, int threads);

/* What may run here: 0 plain, 1 AVX2 with FMA, 2 AVX-512. Tests and benchmarks choose; others take what there is. */
int scarce__near_level(void);
scarce_status scarce__near_find_at(uint32_t *index, double *square, const scarce__near *ask, int level,
                                   int tree, scarce_context *ctx, scarce_error *err);

#endif
