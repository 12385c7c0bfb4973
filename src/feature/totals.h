/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over records, exact: integers wide enough that nothing is ever rounded, so that the order of additions,
 * late records and restarts can't change a bit.
 *
 * A value is below 2^63; a key has at most 2^21 records and so many tiles. So a sum fits in 85 bits, a sum of
 * squares in 147, and n Q - S^2, from which the standard deviation comes, in 170. */
#ifndef SCARCE_FEATURE_TOTALS_H
#define SCARCE_FEATURE_TOTALS_H

#include <stdint.h>
#include <string.h>

#include "feature/plan.h"

__extension__ typedef __int128 scarce__i128;
__extension__ typedef unsigned __int128 scarce__u128;

/* Of the known values of a measure. */
typedef struct scarce__sum {
    scarce__i128 sum;
    uint64_t squares[3]; /* lowest first */
    int64_t min, max;
    uint64_t known;
} scarce__sum;

static inline void scarce__sum_clear(scarce__sum *s)
{
    memset(s, 0, sizeof *s);
    s->min = INT64_MAX;
    s->max = INT64_MIN;
}

static inline void scarce__add192(uint64_t to[3], const uint64_t add[3])
{
    scarce__u128 t = (scarce__u128)to[0] + add[0];
    to[0] = (uint64_t)t;
    t = (scarce__u128)to[1] + add[1] + (uint64_t)(t >> 64);
    to[1] = (uint64_t)t;
    to[2] += add[2] + (uint64_t)(t >> 64);
}

static inline void scarce__sum_add(scarce__sum *s, int64_t v, const scarce__feature_measure *m)
{
    ++s->known;
    s->sum = (scarce__i128)((scarce__u128)s->sum + (scarce__u128)(scarce__i128)v);
    if (m->squares) {
        const uint64_t a = v < 0 ? (uint64_t)0 - (uint64_t)v : (uint64_t)v;
        const scarce__u128 q = (scarce__u128)a * a;
        const uint64_t add[3] = {(uint64_t)q, (uint64_t)(q >> 64), 0};
        scarce__add192(s->squares, add);
    }
    if (m->extremes) {
        if (v < s->min) s->min = v;
        if (v > s->max) s->max = v;
    }
}

static inline void scarce__sum_merge(scarce__sum *s, const scarce__sum *from)
{
    s->known += from->known;
    s->sum = (scarce__i128)((scarce__u128)s->sum + (scarce__u128)from->sum);
    scarce__add192(s->squares, from->squares);
    if (from->min < s->min) s->min = from->min;
    if (from->max > s->max) s->max = from->max;
}

/* The standard deviation of a sample: sqrt((n Q - S^2) / (n (n - 1))) / scale; n >= 2. One rounding of the exact
 * difference, then one each of / sqrt /. */
double scarce__sum_sd(const scarce__sum *s, uint64_t n, double scale);
/* (double)s of an exact integer: one rounding, the same with every compiler. */
double scarce__wide_double(scarce__i128 s);

/* Totals of a kind: a sum for each measure, and for each filter how many records pass it and how many of these are
 * known as frauds. */
typedef struct scarce__totals_shape {
    int n_measures, n_filters;
    size_t bytes; /* of one */
} scarce__totals_shape;

static inline uint64_t *scarce__totals_counts(const scarce__totals_shape *shape, void *totals)
{
    return (uint64_t *)(void *)((char *)totals + (size_t)shape->n_measures * sizeof(scarce__sum));
}

static inline void scarce__totals_clear(const scarce__totals_shape *shape, void *totals)
{
    scarce__sum *s = totals;
    for (int m = 0; m < shape->n_measures; ++m) scarce__sum_clear(&s[m]);
    memset(scarce__totals_counts(shape, totals), 0, 2 * (size_t)shape->n_filters * sizeof(uint64_t));
}

static inline void scarce__totals_merge(const scarce__totals_shape *shape, void *totals, const void *from)
{
    scarce__sum *s = totals;
    uint64_t *to = scarce__totals_counts(shape, totals);
    const uint64_t *counts = (const uint64_t *)(const void *)((const char *)from + (size_t)shape->n_measures *
                                                                                       sizeof(scarce__sum));
    for (int m = 0; m < shape->n_measures; ++m) scarce__sum_merge(&s[m], (const scarce__sum *)from + m);
    for (int f = 0; f < 2 * shape->n_filters; ++f) to[f] += counts[f];
}

#endif
