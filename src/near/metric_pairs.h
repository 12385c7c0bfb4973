/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of points: their distances under M, and the matrix of those that count.
 *
 * Point i has up to `width` partners j. With Y = Z M,   D_M(i,j) = (z_i - z_j)'(y_i - y_j)   takes d operations, not d^2, and
 *
 *     sum over pairs of c_ij (z_i - z_j)(z_i - z_j)' = sum over i of (w_i + W_i) z_i z_i' - z_i s_i' - s_i z_i'
 *
 * with w_i = sum_j c_ij, s_i = sum_j c_ij z_j and W_j = sum_i c_ij. So an evaluation takes n d^2 + pairs d. */
#ifndef SCARCE_NEAR_METRIC_PAIRS_H
#define SCARCE_NEAR_METRIC_PAIRS_H

#include "near/metric.h"

typedef struct scarce__pairs {
    const scarce__points *p;
    scarce__pool *pool;
    size_t width;
    uint32_t *partner;      /* n x width; UINT32_MAX: none */
    double *square, *times; /* n x width: distances; c */
    double *y, *s, *w, *part;
    const double *m;
} scarce__pairs;

scarce_status scarce__pairs_init(scarce__pairs *q, const scarce__points *p, size_t width, scarce_context *ctx,
                                 scarce_error *err);
void scarce__pairs_deinit(scarce__pairs *q);
void scarce__pairs_measure(scarce__pairs *q, const double *m);
/* gradient (d x d) = the sum above with c = times. */
void scarce__pairs_sum(scarce__pairs *q, double *gradient);

#endif
