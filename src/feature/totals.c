/* SPDX-License-Identifier: Apache-2.0 */
/* From exact integers to doubles. */
#include "feature/totals.h"

#include <math.h>

/* The leading 64 bits of a 192-bit number, the lowest of them set where anything was cut off: converting that rounds
 * as converting the whole would. */
static double double192(const uint64_t v[3])
{
    int top = 2;
    while (top > 0 && v[top] == 0) --top;
    if (top == 0) return (double)v[0];
    const int shift = v[top] >> 63 ? 0 : __builtin_clzll(v[top]);
    uint64_t lead = v[top], rest = 0;
    if (shift) {
        lead = v[top] << shift | v[top - 1] >> (64 - shift);
        rest = v[top - 1] << shift;
    } else rest = v[top - 1];
    if (top == 2) rest |= v[0];
    return ldexp((double)(lead | (rest != 0)), 64 * top - shift);
}

double scarce__wide_double(scarce__i128 s)
{
    const int64_t small = (int64_t)s;
    if (small == s) return (double)small; /* nearly always */
    const scarce__u128 a = s < 0 ? (scarce__u128)0 - (scarce__u128)s : (scarce__u128)s;
    const uint64_t v[3] = {(uint64_t)a, (uint64_t)(a >> 64), 0};
    const double d = double192(v);
    return s < 0 ? -d : d;
}

double scarce__sum_sd(const scarce__sum *s, uint64_t n, double scale)
{
    /* n Q */
    uint64_t d[3];
    scarce__u128 t = (scarce__u128)s->squares[0] * n;
    d[0] = (uint64_t)t;
    t = (scarce__u128)s->squares[1] * n + (uint64_t)(t >> 64);
    d[1] = (uint64_t)t;
    d[2] = s->squares[2] * n + (uint64_t)(t >> 64);
    /* - S^2, with S = hi 2^64 + lo */
    const scarce__u128 a = s->sum < 0 ? (scarce__u128)0 - (scarce__u128)s->sum : (scarce__u128)s->sum;
    const uint64_t lo = (uint64_t)a, hi = (uint64_t)(a >> 64);
    const scarce__u128 ll = (scarce__u128)lo * lo, hl = (scarce__u128)hi * lo; /* hi has 21 bits */
    const scarce__u128 twice = hl << 1;
    uint64_t q[3] = {(uint64_t)ll, (uint64_t)(ll >> 64), hi * hi};
    const uint64_t middle[3] = {0, (uint64_t)twice, (uint64_t)(twice >> 64)};
    scarce__add192(q, middle);
    uint64_t borrow = 0;
    for (int i = 0; i < 3; ++i) {
        const scarce__u128 x = (scarce__u128)d[i] - q[i] - borrow;
        d[i] = (uint64_t)x;
        borrow = (uint64_t)(x >> 64) & 1;
    }
    return sqrt(double192(d) / ((double)n * (double)(n - 1))) / scale;
}
