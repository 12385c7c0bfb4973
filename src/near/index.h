/* SPDX-License-Identifier: Apache-2.0 */
/* Rows laid out once, for queries that come one at a time: exact nearest rows without allocation.
 *
 *     scarce__index_init(&x, &space, &among, &err);
 *     scarce__index_nearest(&x, row, 5, number, square);      the same pairs and bits as scarce__near_find
 *     scarce__index_deinit(&x);
 *
 * A query is one float per feature of the table, as a scorer has it (a code as float, NaN = missing). It goes over
 * all panels with the float kernel of kernel.h, which reads 4 bytes a cell in order; few pairs are left for the exact
 * sum. Rows wider than the stack holds, and thousands of sparse columns, are compared one by one. */
#ifndef SCARCE_NEAR_INDEX_H
#define SCARCE_NEAR_INDEX_H

#include "near/inside.h"

typedef struct scarce__index {
    const scarce__space *space; /* must outlive it, like the table where there are sparse columns */
    const scarce__near_kernels *kernels;
    scarce__near_exact exact;
    size_t n, width;
    uint32_t *row; /* numbers in the table, ascending */
    float *raw, *panels;
    int32_t *codes;
    scarce__entries sparse;
} scarce__index;

scarce_status scarce__index_init(scarce__index *out, const scarce__space *space,
                                 const scarce__near_rows *among, scarce_error *err);
void scarce__index_deinit(scarce__index *x);
/* Bytes of an index of n rows. */
double scarce__index_memory(const scarce__space *space, double n);

/* UINT32_MAX and NaN where there are fewer than k rows. */
void scarce__index_nearest(const scarce__index *x, const float *row, size_t k, uint32_t *number,
                           double *square);
/* Sum over the rows with a square up to the bound of weight[number of the row]. */
uint64_t scarce__index_within(const scarce__index *x, const float *row, double bound, const uint32_t *weight);

/* The same for all rows of `from`: sums[i] over the rows of `among` with a square up to bound[i]. Whole numbers, so that
 * the order of the rows does not matter. */
scarce_status scarce__near_within(uint64_t *sum, const scarce__near *ask, const double *bound,
                                  const uint32_t *weight, scarce_context *ctx, scarce_error *err);

#endif
