/* SPDX-License-Identifier: Apache-2.0 */
/* Where to cut a numeric column into at most 255 bins, exactly (see quantile.c). */
#ifndef SCARCE_TREE_QUANTILE_H
#define SCARCE_TREE_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/sort.h"

enum { SCARCE__MAX_BINS = 255 };

typedef struct scarce__cuts {
    size_t n_bins;                /* 0: no value at all; 1: constant */
    float edge[SCARCE__MAX_BINS]; /* n_bins - 1 upper edges: bin = number of edges below x */
    size_t n_missing;
    size_t n_distinct;
} scarce__cuts;

/* Items of a long column by the upper 16 bits of their keys (quantile_lazy.c). */
enum { SCARCE__CELLS = 1 << 16, SCARCE__LAZY_FROM = 1 << 16 };

typedef struct scarce__cells {
    uint32_t start[SCARCE__CELLS + 2]; /* items before a cell */
    double before[SCARCE__CELLS + 1];  /* their weight */
    uint8_t sorted[SCARCE__CELLS];
} scarce__cells;

/* Scratch of one worker. */
typedef struct scarce__cutter {
    uint64_t *a, *b; /* capacity items of 8 bytes each */
    double *cum;
    void *count;          /* three digits of the radix sort */
    scarce__cells *cells; /* NULL: no column is that long */
    size_t capacity;
} scarce__cutter;

int scarce__cutter_init(scarce__cutter *c, size_t capacity); /* 0 when memory is exhausted */
void scarce__cutter_deinit(scarce__cutter *c);

/* x[k] (or x[rows[k]]) for k < n, n <= capacity, with weight[k] (NULL: 1 each); beside them
 * `zeros` rows of value 0 that aren't listed (their weight is given too). */
void scarce__cut(scarce__cuts *out, scarce__cutter *c, const float *x, const uint32_t *rows, size_t n,
                 const double *weight, double zeros, size_t max_bins);

/* ---- The two ways to them */

void scarce__cut_sorted(scarce__cuts *out, scarce__cutter *c, const float *x, const uint32_t *rows, size_t n,
                        const double *weight, double zeros, size_t max_bins);
/* 0 when the column is better sorted altogether: short, few cells (then perhaps few values), no weight. */
int scarce__cut_lazily(scarce__cuts *out, scarce__cutter *c, const float *x, const uint32_t *rows, size_t n,
                       const double *weight, size_t max_bins);
float scarce__edge_between(uint32_t low_key, uint32_t high_key);
void scarce__sort_few(uint32_t *a, size_t n);

#endif
