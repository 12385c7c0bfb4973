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

/* Scratch of one worker. */
typedef struct scarce__cutter {
    uint64_t *a, *b; /* capacity items of 8 bytes each */
    double *cum;
    void *count; /* three digits of the radix sort */
    size_t capacity;
} scarce__cutter;

int scarce__cutter_init(scarce__cutter *c, size_t capacity); /* 0 when memory is exhausted */
void scarce__cutter_deinit(scarce__cutter *c);

/* x[k] (or x[rows[k]]) for k < n, n <= capacity, with weight[k] (NULL: 1 each); beside them
 * `zeros` rows of value 0 that aren't listed (their weight is given too). */
void scarce__cut(scarce__cuts *out, scarce__cutter *c, const float *x, const uint32_t *rows, size_t n,
                 const double *weight, double zeros, size_t max_bins);

#endif
