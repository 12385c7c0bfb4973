/* SPDX-License-Identifier: Apache-2.0 */
/* Twelve rows against a panel of 32: which pairs may be near enough?
 *
 *     acc[i][j] = base[j] - sum over dims of query[d][i] * panel[d][j] + weight * (codes that differ)
 *     bit j of mask[i] is set unless acc[i][j] > limit[i]
 *
 * base and limit are made so that a set bit can be wrong but a missing one can't, for any order of the sums and
 * with or without fused multiply-add: with u = 2^-24, n terms and rounded inputs the error is at most
 * (n + 4) u times the sum of the absolute terms, which pack.c takes off. NaN sets the bit.
 *
 * `square` is the exact distance of two raw rows: eight sums, feature f goes to sum f mod 8, then
 * ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)), then the categories. No FMA: its instances have the same bits. */
#ifndef SCARCE_NEAR_KERNEL_H
#define SCARCE_NEAR_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/simd.h"

enum { SCARCE__NEAR_GROUP = 12, SCARCE__NEAR_PANEL = 32 };

typedef struct scarce__near_tile {
    const float *query;    /* dims x 12 */
    const int32_t *q_code; /* n_codes x 12; missing is -2 */
    const float *limit;    /* 12 */
    size_t dims, n_codes;
    float weight;
    float *acc; /* 12 x 32: the sums themselves, where they are asked for; else NULL */
} scarce__near_tile;

/* One row against a panel, for queries that come one at a time: the same sums. */
typedef struct scarce__near_line {
    const float *query; /* dims */
    const int32_t *q_code;
    float limit;
    size_t dims, n_codes;
    float weight;
} scarce__near_line;

typedef struct scarce__near_exact {
    const double *scale;
    size_t n_padded, n_codes;
    double category_square;
} scarce__near_exact;

typedef struct scarce__near_kernels {
    /* panel: base, then dims x 32; codes n_codes x 32, missing is -1. Returns the union of the masks. */
    uint32_t (*tile)(const scarce__near_tile *t, const float *panel, const int32_t *codes, uint32_t *mask);
    double (*square)(const scarce__near_exact *e, const float *x, const float *y);
    /* Which places of the panel may be near enough. */
    uint32_t (*line)(const scarce__near_line *t, const float *panel, const int32_t *codes);
} scarce__near_kernels;

extern const scarce__near_kernels scarce__near_plain;
#if SCARCE__HAVE_AVX2
extern const scarce__near_kernels scarce__near_avx2, scarce__near_avx512;
#endif

SCARCE__BODY double scarce__near_square_body(const scarce__near_exact *e, const float *x, const float *y)
{
    double s[8] = {0};
    size_t differ = 0;

    for (size_t f = 0; f < e->n_padded; f += 8)
        for (size_t l = 0; l < 8; ++l) {
            const double t = ((double)x[f + l] - (double)y[f + l]) * e->scale[f + l], q = t * t;
            s[l] += q == q ? q : 1; /* NaN: one is missing */
        }
    for (size_t c = 0; c < e->n_codes; ++c) {
        int32_t a, b;
        memcpy(&a, &x[e->n_padded + c], sizeof a);
        memcpy(&b, &y[e->n_padded + c], sizeof b);
        differ += a != b || a < 0;
    }
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])) +
           e->category_square * (double)differ;
}

#endif
