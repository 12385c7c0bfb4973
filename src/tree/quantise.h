/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients as integers (see quantise.c). */
#ifndef SCARCE_TREE_QUANTISE_H
#define SCARCE_TREE_QUANTISE_H

#include "core/pool.h"
#include "tree/histogram.h"

typedef struct scarce__quantised {
    double unit_g, unit_h; /* what an integer 1 is worth: powers of two */
    double sum_abs_g, sum_h, sum_gg;
    int coarse; /* `noise` was made use of: rows with small gradients are mostly 0 */
    scarce__gh total;
} scarce__quantised;

/* Fills q[i] from g[i], h[i] (h < 0 counts as 0). Above 2^17 rows rounding is random by (key, row), so that
 * many equal small gradients keep their mean. noise > 0: coarsely, such that the sums vary by that share more
 * than they do anyway. Returns 0 when a gradient isn't a number. */
int scarce__quantise(scarce__quantised *out, scarce__gh *q, const float *g, const float *h, size_t n,
                     double noise, uint64_t key, int portable, scarce__pool *pool);

#endif
