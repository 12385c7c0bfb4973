/* SPDX-License-Identifier: Apache-2.0 */
/* The logarithms, powers and cosine of core/elementary.h; tools/make_elementary.py gives the coefficients.
 *
 *     log x = k ln 2 + log m,  x = 2^k m,  sqrt(1/2) <= m < sqrt(2),  f = m - 1 (exact)
 *     log m = 2 atanh(s) = f - s (f - z R(z)),  s = f / (2 + f),  z = s^2
 *
 * What is taken off f is below 0.18 f, so its three roundings make 0.3 ulp at most; k ln2_hi is exact, and
 * |k ln 2| >= 2 |log m| leaves no cancellation beyond one bit: below 1 ulp. */
#include "core/elementary.h"

#include <float.h>

#define LN2_HI 0x1.62e42fefp-1 /* 33 bits: times any exponent exact */
#define LN2_LO 0x1.473de6af278edp-34
#define ROOT_HALF_BITS 0x3fe6a09e667f3bcdu
#define ONE_BITS 0x3ff0000000000000u

double scarce__exp(double x)
{
    return scarce__exp_body(x);
}

double scarce__sigmoid(double z)
{
    return scarce__sigmoid_body(z);
}

double scarce__softplus(double z)
{
    return scarce__softplus_body(z);
}

SCARCE__BODY void sigmoid_body(double *out, const double *z, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = scarce__sigmoid_body(z[i]);
}

SCARCE__BODY void softplus_body(double *out, const double *z, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = scarce__softplus_body(z[i]);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void sigmoid_avx2(double *out, const double *z, size_t n)
{
    sigmoid_body(out, z, n);
}

SCARCE__AVX2 static void softplus_avx2(double *out, const double *z, size_t n)
{
    softplus_body(out, z, n);
}
#else
#define sigmoid_avx2 sigmoid_body
#define softplus_avx2 softplus_body
#endif

void scarce__sigmoid_all(double *out, const double *z, size_t n)
{
    if (scarce__cpu_avx2()) sigmoid_avx2(out, z, n);
    else sigmoid_body(out, z, n);
}

void scarce__softplus_all(double *out, const double *z, size_t n)
{
    if (scarce__cpu_avx2()) softplus_avx2(out, z, n);
    else softplus_body(out, z, n);
}

/* x = 2^k m of a positive, finite, normal x given by its bits. */
static double split(uint64_t bits, double *k)
{
    const int64_t e = (int64_t)(bits + (ONE_BITS - ROOT_HALF_BITS)) >> 52;
    *k = (double)(e - 1023);
    return scarce__of_bits(bits - ((uint64_t)(e - 1023) << 52));
}

/* f - log(1 + f) for sqrt(1/2) <= 1 + f < sqrt(2). */
static double bent(double f)
{
    const double s = f / (2 + f), z = s * s;
    double p = 0x1.2b584aae78a57p-3;
    p = p * z + 0x1.39fe606542ddep-3;
    p = p * z + 0x1.7462b4ab2ef6bp-3;
    p = p * z + 0x1.c71c62e5800a1p-3;
    p = p * z + 0x1.2492492df148dp-2;
    p = p * z + 0x1.99999999952e2p-2;
    p = p * z + 0x1.5555555555558p-1;
    return s * (f - z * p);
}

/* What 0, negatives, infinity and NaN give; 1 when x is none of them. */
static int is_plain(double x, double *result)
{
    if (x > 0 && x <= DBL_MAX) return 1;
    *result = x == 0 ? -HUGE_VAL : x < 0 ? (double)NAN : x;
    return 0;
}

/* Denormals are brought to the normal numbers first. */
static double split_any(double x, double *k)
{
    if (x >= DBL_MIN) return split(scarce__bits_of(x), k);
    const double m = split(scarce__bits_of(x * 0x1p54), k);
    *k -= 54;
    return m;
}

double scarce__ln(double x)
{
    double k, result;
    if (!is_plain(x, &result)) return result;
    const double f = split_any(x, &k) - 1;
    return k * LN2_HI - ((bent(f) - k * LN2_LO) - f);
}

/* Whole part and rest are added last; the rest is at most 1/2. */
double scarce__log2(double x)
{
    double k, result;
    if (!is_plain(x, &result)) return result;
    const double f = split_any(x, &k) - 1;
    return k + (f - bent(f)) * 0x1.71547652b82fep+0;
}

double scarce__log10(double x)
{
    return scarce__ln(x) * 0x1.bcb7b1526e50ep-2;
}

/* u = 1 + x rounded; what was lost of x, over u, is added to the logarithm of u (the next term is below
 * 2^-106). Near 0, where u loses most, f = x is used as it is. */
double scarce__log1p(double x)
{
    double k, result;
    if (x > -0.25 && x < 0.375) return x == 0 ? x : x - bent(x);
    const double u = 1 + x;
    if (!is_plain(u, &result)) return result;
    const double lost = x > 1 ? 1 - (u - x) : x - (u - 1);
    const double f = split(scarce__bits_of(u), &k) - 1;
    return k * LN2_HI - ((bent(f) - (k * LN2_LO + lost / u)) - f);
}

/* ---- pairs: a number as hi + lo, |lo| <= ulp(hi) / 2, about 100 bits (Dekker 1971) ---- */

typedef struct pair {
    double hi, lo;
} pair;

static pair sum_of(double a, double b)
{
    const double s = a + b, t = s - a;
    const pair r = {s, (a - (s - t)) + (b - t)};
    return r;
}

static pair product_of(double a, double b)
{
    const double ta = a * 134217729, tb = b * 134217729; /* 2^27 + 1 */
    const double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    const double p = a * b;
    const pair r = {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
    return r;
}

static pair add(pair a, pair b)
{
    const pair s = sum_of(a.hi, b.hi);
    return sum_of(s.hi, s.lo + (a.lo + b.lo));
}

static pair times(pair a, pair b)
{
    const pair p = product_of(a.hi, b.hi);
    return sum_of(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static pair over(pair a, pair b)
{
    const double q = a.hi / b.hi;
    const pair p = product_of(q, b.hi);
    return sum_of(q, (((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo)) / b.hi);
}

static pair pair_of(double x)
{
    const pair p = {x, 0};
    return p;
}

static const pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* 2 s sum of z^i / (2 i + 1), |s| < 0.172: 20 terms leave 2^-104. */
static pair log_pair(double x)
{
    double k;
    const double f = split_any(x, &k) - 1;
    const pair s = over(pair_of(f), sum_of(2, f)), z = times(s, s);
    pair p = over(pair_of(1), pair_of(41));
    for (int i = 19; i >= 0; --i) p = add(times(p, z), over(pair_of(1), pair_of(2 * i + 1)));
    p = times(times(p, s), pair_of(2));
    return add(times(ln2, pair_of(k)), p);
}

/* sum of r^i / i!, |r| < 0.35: 22 terms leave 2^-103. */
static double exp_pair(pair t)
{
    const double k = floor(t.hi * 0x1.71547652b82fep+0 + 0.5);
    const pair r = add(t, times(ln2, pair_of(-k)));
    pair p = pair_of(1);
    for (int i = 22; i >= 1; --i) p = add(over(times(p, r), pair_of(i)), pair_of(1));
    return ldexp(p.hi, (int)k);
}

double scarce__pow(double x, double y)
{
    if (y == 0 || x == 1) return 1;
    if (isnan(y) || !(x >= 0)) return (double)NAN;
    if (x == 0) return y > 0 ? 0 : HUGE_VAL;
    if (x > DBL_MAX) return y > 0 ? x : 0;
    const double about = y * scarce__ln(x);
    if (!(about < 710)) return HUGE_VAL;
    if (about < -746) return 0;
    return exp_pair(times(log_pair(x), pair_of(y)));
}

/* t less the nearest quarter is exact; sine or cosine of the rest, |a| <= pi/4. */
double scarce__cos_turns(double t)
{
    const double quarter = floor(4 * t + 0.5), a = (t - quarter * 0.25) * 0x1.921fb54442d18p+2, z = a * a;
    const int turn = (int)(quarter - 4 * floor(quarter * 0.25));
    double c = -0x1.907da367a37cbp-37, s = 0x1.5e0b19f8b1451p-33;

    c = c * z + 0x1.1eeb68e93b64cp-29;
    c = c * z - 0x1.27e4fa17da09ep-22;
    c = c * z + 0x1.a01a019f4eb01p-16;
    c = c * z - 0x1.6c16c16c16967p-10;
    c = c * z + 0x1.5555555555555p-5;
    c = 1 - (0.5 * z - z * z * c);
    s = s * z - 0x1.ae600b02b6262p-26;
    s = s * z + 0x1.71de37968a1p-19;
    s = s * z - 0x1.a01a019e83aaep-13;
    s = s * z + 0x1.1111111110bb2p-7;
    s = s * z - 0x1.5555555555555p-3;
    s = a + a * z * s;
    switch (turn) {
    case 0: return c;
    case 1: return -s;
    case 2: return -c;
    default: return s;
    }
}

/* Stirling's series from 8 on; below by Gamma(a) = Gamma(a + n) / (a (a + 1) ... (a + n - 1)). */
double scarce__log_gamma(double a)
{
    static const double term[] = {1.0 / 12,    -1.0 / 360,       1.0 / 1260,
                                  -1.0 / 1680, 1.0 / 1188,       -691.0 / 360360.0,
                                  1.0 / 156,   -3617.0 / 122400, 43867.0 / 244188};
    const double half_log_2pi = 0x1.d67f1c864beb5p-1;
    double product = 1, series = 0;

    if (!(a > 0)) return (double)NAN;
    if (a > 1e300) return HUGE_VAL;
    for (; a < 8; a += 1) product *= a;
    for (int i = 8; i >= 0; --i) series = series / (a * a) + term[i];
    return ((a - 0.5) * scarce__ln(a) - a) + (half_log_2pi + series / a - scarce__ln(product));
}
