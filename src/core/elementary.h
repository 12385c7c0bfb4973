/* SPDX-License-Identifier: Apache-2.0 */
/* exp, log, sigmoid and their like of our own, so that a result is the same on every machine.
 *
 * A C library may round these functions as it likes, and chooses its code by the processor (fused
 * multiply-add or not); a model trained with them would have other bytes on another machine. Here they are
 * made of + - * / and sqrt of doubles and of shifts of their bits, each of which IEEE 754 and C define to
 * the last bit, and -ffp-contract=off keeps the compiler from fusing them. tests/header/libm fails when a
 * function of the C library that may round differently is called anywhere in src.
 *
 * The error against the true value is below 1 ulp for exp, log, log1p and pow, below 2 for log2, log10,
 * cos and softplus, below 2.5 for sigmoid, whose three roundings add up just below a power of two (argued beside each, measured by test_core_elementary). 0, denormals,
 * infinities and NaN are what C's own functions make of them; no flag or errno is promised. */
#ifndef SCARCE_CORE_ELEMENTARY_H
#define SCARCE_CORE_ELEMENTARY_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/simd.h"

double scarce__exp(double x);
double scarce__ln(double x); /* the natural logarithm: scarce__log writes a line of text */
double scarce__log1p(double x);
double scarce__log2(double x);          /* exact for powers of two */
double scarce__log10(double x);         /* next to whole at powers of ten, as a float product is */
double scarce__pow(double x, double y); /* x >= 0, NaN below; exact where x^y is a double. About 1 us. */
double scarce__cos_turns(double t); /* cos(2 pi t), |t| < 2^50: the angle as a share of the circle is exact */
double scarce__log_gamma(double a); /* a > 0; off by less than 1e-14 of max(1, |result|) */

double scarce__sigmoid(double z);  /* 1 / (1 + e^-z) */
double scarce__softplus(double z); /* ln(1 + e^z) */
/* The same for many: out[i] = f(z[i]), the same bits, in vectors. In place is allowed. */
void scarce__sigmoid_all(double *out, const double *z, size_t n);
void scarce__softplus_all(double *out, const double *z, size_t n);

static inline uint64_t scarce__bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double scarce__of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* The bodies below have no branch and no table, so that loops over them become vectors.
 *
 *     e^x = 2^k e^r,  k = round(x / ln 2),  r = x - k ln 2 in two steps,  e^r = 1 + (r + r^2 Q(r)).
 *
 * k ln2_hi is exact (33 + 11 bits), and so is hi = x - k ln2_hi; the sum is hi + (r^2 Q - lo), so that the
 * rounding of r itself enters only r^2. Q is good to 0.14 * 2^-53; r^2 Q - lo, below 0.07, makes an error
 * of 0.2 * 2^-53, the sum with hi, below 0.5, at most 2^-55, and the last addition half an ulp: below 1 in
 * all (measured: 0.9). 2^k comes in two factors, so that the denormals are rounded by the last product
 * alone. k is read from the low bits of a sum with 1.5 * 2^52; NaN goes through the sums. */
SCARCE__BODY double scarce__exp_body(double x)
{
    x = x < -746.0 ? -746.0 : x;
    x = x > 710.0 ? 710.0 : x;
    const double shifted = x * 0x1.71547652b82fep+0 + 0x1.8p52;
    const double k = shifted - 0x1.8p52;
    const double hi = x - k * 0x1.62e42fefp-1, lo = k * 0x1.473de6af278edp-34, r = hi - lo;
    double q = 0x1.af389ecfc4bb6p-26;
    q = q * r + 0x1.28917c89a43bcp-22;
    q = q * r + 0x1.71de0db2f6b19p-19;
    q = q * r + 0x1.a019b9149a41cp-16;
    q = q * r + 0x1.a01a01a7c2efep-13;
    q = q * r + 0x1.6c16c17889ef1p-10;
    q = q * r + 0x1.11111111109b5p-7;
    q = q * r + 0x1.5555555553d68p-5;
    q = q * r + 0x1.5555555555556p-3;
    q = q * r + 0x1.0000000000001p-1;
    const double p = 1 + (hi + (r * r * q - lo));
    const uint64_t whole = scarce__bits_of(shifted) - 0x4338000000000000u + 4096; /* k + 4096 > 0 */
    const uint64_t half = whole >> 1;
    return p * scarce__of_bits((half - 1025) << 52) * scarce__of_bits((whole - half - 1025) << 52);
}

/* log(1 + u) for 0 <= u <= 1: with s = u / (2 + u) and z = s^2 it is 2 atanh(s) = 2 s + s z R(z), and
 * 2 s = u - s u, so that the rounded quotient only enters what is taken off u. */
SCARCE__BODY double scarce__log1p_unit_body(double u)
{
    const double s = u / (2 + u), z = s * s;
    double p = 0x1.401d3e65cdc48p-3;
    p = p * z + 0x1.32e0d25c9c761p-4;
    p = p * z + 0x1.bc37f0140c19ep-4;
    p = p * z + 0x1.e0a2d581ab68fp-4;
    p = p * z + 0x1.111abdc8abe16p-3;
    p = p * z + 0x1.3b13515f6f9efp-3;
    p = p * z + 0x1.745d19937b1fcp-3;
    p = p * z + 0x1.c71c71bedea97p-3;
    p = p * z + 0x1.2492492499d46p-2;
    p = p * z + 0x1.9999999999944p-2;
    p = p * z + 0x1.5555555555555p-1;
    return u - s * (u - z * p);
}

/* With e = e^-|z|: the larger of the two sides is 1 / (1 + e), the smaller e / (1 + e), without
 * cancellation on either. */
SCARCE__BODY double scarce__sigmoid_body(double z)
{
    const double e = scarce__exp_body(-fabs(z));
    const double above = z >= 0 ? 1 : e;
    return above / (1 + e);
}

SCARCE__BODY double scarce__softplus_body(double z)
{
    return (z > 0 ? z : 0) + scarce__log1p_unit_body(scarce__exp_body(-fabs(z)));
}

#endif
