/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of near share: rows laid out for the kernels, and the walk that finds pairs. */
#ifndef SCARCE_NEAR_INSIDE_H
#define SCARCE_NEAR_INSIDE_H

#include "near/kernel.h"
#include "near/near.h"

/* ---- rows as the exact distance reads them (pack.c): n_padded floats (NaN: missing), then n_codes codes */

static inline size_t scarce__near_width(const scarce__space *s)
{
    return s->n_padded + s->n_codes;
}

static inline uint32_t scarce__near_row(const scarce__near_rows *r, size_t i)
{
    return r->rows ? r->rows[i] : (uint32_t)i;
}

/* Rows first..first+n-1 of a list. */
void scarce__near_raw(float *to, const scarce__space *s, const scarce__near_rows *rows, size_t first,
                      size_t n);
/* The same for rows of any list of numbers. */
void scarce__near_raw_of(float *to, const scarce__space *s, const scarce_table *table, const uint32_t *rows,
                         size_t n);

/* A panel of up to 32 raw rows and a group of up to 12, as kernel.h has them. sign -1: for the farthest.
 * `half` gets of each query what has to be known for its limit. */
typedef struct scarce__near_half {
    double constant; /* of twice the bound */
    double slack;
} scarce__near_half;

void scarce__near_panel(float *panel, int32_t *codes, const scarce__space *s, const float *raw, size_t n,
                        int sign);
void scarce__near_group(float *group, int32_t *codes, scarce__near_half *half, const scarce__space *s,
                        const float *raw, size_t n);
/* One query alone: dims floats. */
void scarce__near_query(float *query, int32_t *codes, scarce__near_half *half, const scarce__space *s,
                        const float *raw);
/* The limit of a query that wants pairs with sign * square <= value. */
float scarce__near_limit(const scarce__space *s, const scarce__near_half *half, double value, int sign);

const scarce__near_kernels *scarce__near_kernels_of(int level);

/* ---- the walk (scan.c): every pair that may matter is offered once */

typedef struct scarce__scan {
    const scarce__near *ask;
    int level; /* of the kernels */
    void *sink;
    /* What query i still wants: pairs with value <= this, where value is the square, or minus it for the
     * farthest; -INFINITY: nothing more. */
    double (*wants)(void *sink, size_t i);
    /* A pair; tells what the query wants now. Several threads, but one for a query. */
    double (*take)(void *sink, size_t i, double value, uint32_t row);
    int grows; /* queries give up early: begin with small blocks */
} scarce__scan;

/* In the way that suits what is asked. */
scarce_status scarce__scan_run(const scarce__scan *scan, scarce_context *ctx, scarce_error *err);
scarce_status scarce__scan_blocks(const scarce__scan *scan, scarce_context *ctx, scarce_error *err);
double scarce__scan_memory(const scarce__near *ask, int threads);

/* tree.c */
int scarce__near_tree_suits(const scarce__near *ask);
scarce_status scarce__scan_tree(const scarce__scan *scan, scarce_context *ctx, scarce_error *err);
double scarce__near_tree_memory(const scarce__near *ask, int threads);

/* sparse.c: the entries of all rows of a table, by rows; 0: out of memory. */
typedef struct scarce__entries {
    size_t *begin; /* of row i; n + 1 */
    uint32_t *column;
    float *value;
    double *norm; /* |x|^2; NaN: the row has gaps */
} scarce__entries;

int scarce__entries_init(scarce__entries *e, const scarce__space *s, const scarce_table *t);
void scarce__entries_deinit(scarce__entries *e);
scarce_status scarce__scan_sparse(const scarce__scan *scan, scarce_context *ctx, scarce_error *err);
double scarce__near_sparse_memory(const scarce__near *ask, int threads);

/* Tells progress; ECANCEL when the user wants to stop. */
scarce_status scarce__near_progress(scarce_context *ctx, size_t done, size_t total, scarce_error *err);

#endif
