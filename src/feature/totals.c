/* SPDX-License-Identifier: Apache-2.0 */
/* From exact integers to doubles. */
#include "feature/totals.h"

#include <math.h>

/* A 192-bit number as value 2^power: its leading 64 bits, the lowest of them set where anything was cut off, so that
 * converting them rounds as converting the whole would. */
static uint64_t lead192(const uint64_t v[3], int *power)
{
    int top = 2;
    *power = 0;
    while (top > 0 && v[top] == 0) --top;
    if (top == 0) return v[0];
    const int shift = v[top] >> 63 ? 0 : __builtin_clzll(v[top]);
    uint64_t lead = v[top], rest = 0;
    if (shift) {
        lead = v[top] << shift | v[top - 1] >> (64 - shift);
        rest = v[top - 1] << shift;
    } else rest = v[top - 1];
    if (top == 2) rest |= v[0];
    *power = 64 * top - shift;
    return lead | (rest != 0);
}

double scarce__wide_double(scarce__i128 s)
{
    const int64_t small = (int64_t)s;
    if (small == s) return (double)small; /* nearly always */
    const scarce__u128 a = s < 0 ? (scarce__u128)0 - (scarce__u128)s : (scarce__u128)s;
    const uint64_t v[3] = {(uint64_t)a, (uint64_t)(a >> 64), 0};
    int power;
    const uint64_t lead = lead192(v, &power);
    const double d = ldexp((double)lead, power);
    return s < 0 ? -d : d;
}

/* x - a b for a product near x, exactly: a and b are taken apart into halves whose products are exact (Dekker), since the C
 * library's fma is not asked for results that are kept. */
static double short_of(double x, double a, double b)
{
    const double half = 0x1p27 + 1, ca = half * a, cb = half * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    const double p = a * b, error = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return (x - p) - error;
}

/* (x + rest) / y, and what is left of it. */
static double divide(double x, double rest, double y, double *left)
{
    const double q = x / y;
    *left = (short_of(x, q, y) + rest) / y;
    return q;
}

/* sqrt(lead 2^power / pairs) / scale. In doubles with a rest, as three roundings in a row are off by two units in the last place
 * now and then; so it is within one. */
static double root(uint64_t lead, int power, double pairs, double scale)
{
    const double x = (double)lead, two64 = 0x1p64;
    const double rest = x < two64 ? (double)(int64_t)(lead - (uint64_t)x) : -(double)(0 - lead);
    double left;
    const double q = divide(ldexp(x, power), ldexp(rest, power), pairs, &left);
    if (!(q > 0)) return 0;
    const double r = sqrt(q), more = (short_of(q, r, r) + left) / (2 * r);
    const double sd = divide(r, more, scale, &left);
    return sd + left;
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
    int power;
    const uint64_t lead = lead192(d, &power);
    return root(lead, power, (double)n * (double)(n - 1), scale);
}
