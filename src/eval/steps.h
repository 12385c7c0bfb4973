/* SPDX-License-Identifier: Apache-2.0 */
/* "How many of these few numbers are not above x?" for very many x: a sorted list with a table in front.
 *
 * The bucket of x is the leading part of the bits of sign(x) (1 + |x| / s), s a small part of the mean |t|: a
 * monotone function (so wrong buckets are impossible, crowded ones merely slow), linear around 0 and
 * logarithmic further out, which suits margins and probabilities alike. There are eight buckets per number or
 * more, so nearly all hold two numbers at most and a look-up is two comparisons without a branch. */
#ifndef SCARCE_EVAL_STEPS_H
#define SCARCE_EVAL_STEPS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct scarce__steps {
    size_t m;   /* 1 or more */
    double *t;  /* m distinct numbers, ascending, and a NaN behind: no comparison with it is true */
    double inv; /* 1 / s */
    int64_t lo, hi;
    int shift;
    uint32_t *start; /* bucket b holds t[start[b]] .. t[start[b+1] - 1] */
} scarce__steps;

/* Takes over t (room for m + 1) in every case. Returns 0 when memory is exhausted. */
int scarce__steps_init(scarce__steps *s, double *t, size_t m);
void scarce__steps_deinit(scarce__steps *s);

/* 1 / s for n numbers whose sizes add up to `sum`. */
static inline double scarce__steps_inverse(double sum, size_t n)
{
    const double inv = 64.0 * (double)n / sum;
    if (!(inv >= 1e-300)) return 1; /* an infinite number among them */
    return inv > 1e300 ? 1e300 : inv;
}

/* Keeps the order of numbers, except that neighbours may fall together. */
static inline int64_t scarce__steps_place(double x, double inv)
{
    const double y = fabs(x) * inv + 1.0;
    uint64_t u;
    memcpy(&u, &y, sizeof u);
    u = (u - 0x3ff0000000000000u) >> 1; /* half, so that differences fit; any NaN stays in range */
    return x < 0 ? -(int64_t)u : (int64_t)u;
}

static inline size_t scarce__steps_bucket(const scarce__steps *s, double x)
{
    int64_t p = scarce__steps_place(x, s->inv);
    p = p < s->lo ? s->lo : p;
    p = p > s->hi ? s->hi : p;
    return (size_t)((uint64_t)(p - s->lo) >> s->shift);
}

/* How many t[j] <= x. Some number in 0..m for a NaN. */
static inline size_t scarce__steps_below(const scarce__steps *s, double x)
{
    const size_t b = scarce__steps_bucket(s, x);
    size_t j = s->start[b], end = s->start[b + 1];
    if (end > j + 2) {
        while (j < end) { /* the first t[j] > x */
            const size_t mid = (j + end) / 2;
            if (s->t[mid] <= x) j = mid + 1;
            else end = mid;
        }
        return j;
    }
    j += (size_t)(x >= s->t[j]); /* in an empty bucket t[j] is of a later one, so above x */
    return j + (size_t)(x >= s->t[j]);
}

#endif
