/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to the nearest float or double.
 *
 * The text is read as m * 10^e with m the first 19 significant digits (the rest, if any, puts the
 * value into [m, m + 1] * 10^e). Then, from cheap to dear, each step giving up when unsure:
 *
 *  1. |e| <= 22: one double operation on m and the exact 10^|e|. For a double this is exact rounding
 *     when m < 2^53. For a float the double is off by a few units at most, which matters only when it
 *     lies that close to the middle between two floats.
 *  2. m times the leading 64 bits of 10^e (powers.h) is a lower bound p of 128 bits, and the error is
 *     below m + (digits left out): if both ends of that interval round to the same number, it is it.
 *  3. Both ends round to neighbours a < b: the decimal is compared with the middle of a and b as
 *     whole numbers of up to 4000 bits. The interval is so narrow that about one 17-digit double in a
 *     thousand should get here.
 *
 * No table of the C library, no locale, no allocation. */
#include "core/number.h"

#include <stdint.h>
#include <string.h>

#include "core/powers.h"

__extension__ typedef unsigned __int128 u128;

typedef struct decimal {
    uint64_t m;    /* the first 19 significant digits at most */
    int64_t e;     /* power of ten of m's last digit */
    int truncated; /* nonzero: there were more digits */
    int negative;
    const char *digits; /* from the first significant digit, the point in between */
    const char *end;    /* of the digits */
} decimal;

/* What makes a binary format: bits of precision, smallest and largest exponent of normal numbers. */
typedef struct binary {
    int precision, low, high;
} binary;

static const binary FLOAT = {24, -126, 127};
static const binary DOUBLE = {53, -1022, 1023};

enum { MAX_DIGITS = 19, EXACT_DIGITS = 800, LIMBS = 160, FAST_POWER = 22, EXACT_POWER = 27 };
static const int64_t FAR_EXPONENT = 1000000000000; /* beyond what any number of digits can undo */

static const double tens[FAST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static unsigned digit_of(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

static int is_infinity(const char *p, size_t length)
{
    static const char word[] = "infinity";
    if (length != 3 && length != 8) return 0;
    for (size_t i = 0; i < length; ++i)
        if ((p[i] | 0x20) != word[i]) return 0;
    return 1;
}

/* [e|E] [+-] digits up to `end`: 1 and the exponent, or 0. */
static int scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    int64_t x = 0;
    int negative = 0;

    if (p == end || (*p | 0x20) != 'e') return 0;
    ++p;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (p == end) return 0;
    for (; p < end; ++p) {
        const unsigned d = digit_of(*p);
        if (d > 9) return 0;
        if (x < FAR_EXPONENT) x = 10 * x + d;
    }
    *exponent = negative ? -x : x;
    return 1;
}

/* Digits from p on; counts them all, keeps the first 19 significant ones. */
static const char *scan_digits(const char *p, const char *end, decimal *d, int *kept, int64_t *dropped)
{
    for (; p < end; ++p) {
        const unsigned c = digit_of(*p);
        if (c > 9) break;
        if (*kept == 0 && c == 0) continue;
        if (*kept == 0) d->digits = p;
        if (*kept < MAX_DIGITS) {
            d->m = 10 * d->m + c;
            *kept += 1;
        } else {
            *dropped += 1;
            d->truncated |= c != 0;
        }
    }
    return p;
}

/* 0: no number, 1: finite decimal in *d, 2: infinity. */
static int scan(const char *text, size_t length, decimal *d)
{
    const char *p = text, *end = text + length, *first, *point;
    int kept = 0;
    int64_t dropped = 0, exponent = 0, n;

    memset(d, 0, sizeof *d);
    if (p < end && (*p == '-' || *p == '+')) d->negative = *p++ == '-';
    if (p == end) return 0;
    first = p;
    p = scan_digits(p, end, d, &kept, &dropped);
    n = p - first;
    if (p < end && *p == '.') {
        point = p + 1;
        p = scan_digits(point, end, d, &kept, &dropped);
        d->e = -(p - point);
        n += p - point;
    }
    d->end = p;
    if (n == 0) return is_infinity(first, (size_t)(end - first)) ? 2 : 0;
    if (p < end && !scan_exponent(p, end, &exponent)) return 0;
    d->e += dropped + exponent;
    return 1;
}

/* ---- Step 2 */

/* The bits (without sign) of the number of format f nearest to p * 2^x, ties to even; p > 0. */
static uint64_t round_to(const binary *f, u128 p, int x)
{
    const uint64_t top = (uint64_t)(p >> 64);
    const int bits = top ? 128 - __builtin_clzll(top) : 64 - __builtin_clzll((uint64_t)p);
    const int exponent = x + bits - 1;
    const int keep = exponent < f->low ? f->precision - (f->low - exponent) : f->precision;
    const uint64_t hidden = (uint64_t)1 << (f->precision - 1);
    uint64_t q;
    u128 rest, half;

    if (exponent > f->high) return (uint64_t)(f->high - f->low + 2) << (f->precision - 1);
    if (keep < 0) return 0;
    const int shift = bits - keep; /* at least 1, because bits >= 64 > precision */
    half = (u128)1 << (shift - 1);
    q = shift < 128 ? (uint64_t)(p >> shift) : 0;
    rest = shift < 128 ? p & ((half << 1) - 1) : p;
    q += rest > half || (rest == half && (q & 1));
    if (exponent < f->low) return q;
    return ((uint64_t)(exponent - f->low + 1) << (f->precision - 1)) + (q - hidden);
}

/* ---- Step 3: whole numbers, least significant limb first. */

typedef struct whole {
    size_t n;
    uint32_t limb[LIMBS];
} whole;

static void whole_times(whole *w, uint32_t factor, uint32_t plus)
{
    uint64_t carry = plus;
    for (size_t i = 0; i < w->n; ++i) {
        carry += (uint64_t)w->limb[i] * factor;
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && w->n < LIMBS) w->limb[w->n++] = (uint32_t)carry;
}

static void whole_times_ten(whole *w, int64_t power)
{
    for (; power >= 9; power -= 9) whole_times(w, 1000000000u, 0);
    for (; power > 0; --power) whole_times(w, 10u, 0);
}

static void whole_shift(whole *w, int bits)
{
    for (; bits >= 31; bits -= 31) whole_times(w, (uint32_t)1 << 31, 0);
    if (bits > 0) whole_times(w, (uint32_t)1 << bits, 0);
}

static int whole_compare(const whole *a, const whole *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* All digits of the decimal (after 800, which no middle between doubles has, a 1 stands for the
 * rest) and the power of ten of the last. */
static int64_t all_digits(whole *w, const decimal *d)
{
    int64_t kept = 0, dropped = 0, n = 0;
    int sticky = 0;

    w->n = 0;
    for (const char *p = d->digits; p < d->end; ++p) {
        if (*p == '.') continue;
        n += 1;
        if (kept < EXACT_DIGITS) {
            whole_times(w, 10, digit_of(*p));
            kept += 1;
        } else {
            dropped += 1;
            sticky |= *p != '0';
        }
    }
    /* d->e belongs to the digit after which m stops: the 19th, or the last when there are fewer. */
    const int64_t last = d->e - (n > MAX_DIGITS ? n - MAX_DIGITS : 0);
    if (!sticky) return last + dropped;
    whole_times(w, 10, 1);
    return last + dropped - 1;
}

/* The decimal lies between the number with bits `a` and its neighbour: which of the two? */
static uint64_t decide(const binary *f, const decimal *d, uint64_t a)
{
    const uint64_t field = a >> (f->precision - 1), fraction = a & (((uint64_t)1 << (f->precision - 1)) - 1);
    const uint64_t mantissa = field ? fraction | (uint64_t)1 << (f->precision - 1) : fraction;
    const uint64_t middle = 2 * mantissa + 1;
    int two = f->low - f->precision + (field > 1 ? (int)field - 1 : 0); /* the middle is middle * 2^two */
    whole left, right;
    int64_t ten = all_digits(&left, d);

    right.limb[0] = (uint32_t)middle;
    right.limb[1] = (uint32_t)(middle >> 32);
    right.n = right.limb[1] ? 2 : 1;
    if (ten >= 0) whole_times_ten(&left, ten);
    else whole_times_ten(&right, -ten);
    if (two >= 0) whole_shift(&right, two);
    else whole_shift(&left, -two);
    const int order = whole_compare(&left, &right);
    return a + (order > 0 || (order == 0 && (a & 1)));
}

static uint64_t round_decimal(const binary *f, const decimal *d)
{
    const uint64_t infinity = (uint64_t)(f->high - f->low + 2) << (f->precision - 1);
    if (d->m == 0 || d->e < POWER_LOW) return 0;
    if (d->e > POWER_HIGH) return infinity;

    const int e = (int)d->e, lead = __builtin_clzll(d->m);
    const uint64_t m = d->m << lead, t = scarce__powers[e - POWER_LOW];
    const int x = (e * 217706 >> 16) - 63 - lead; /* 217706 / 2^16 = log2(10), near enough for |e| < 350 */
    const u128 low = (u128)m * t;
    u128 high = low;
    if (e < 0 || e > EXACT_POWER) high += m;
    if (d->truncated) high += ((u128)t + 1) << lead;
    if (high < low) high = ~(u128)0;
    const uint64_t a = round_to(f, low, x), b = round_to(f, high, x);
    return a == b ? a : decide(f, d, a);
}

int scarce__parse_float(const char *text, size_t length, float *value)
{
    decimal d;
    const int kind = scan(text, length, &d);
    uint32_t bits;

    if (kind == 0) return 0;
    if (kind == 2) {
        *value = d.negative ? -(float)__builtin_inf() : (float)__builtin_inf();
        return 1;
    }
    if (d.e >= -FAST_POWER && d.e <= FAST_POWER) {
        const double x = d.e < 0 ? (double)d.m / tens[-d.e] : (double)d.m * tens[d.e];
        uint64_t b;
        memcpy(&b, &x, sizeof b);
        const uint64_t from_middle = (b & 0x1fffffff) - 0x10000000 + 4;
        if (from_middle > 8 && x < 3.4e38) {
            *value = (float)(d.negative ? -x : x);
            return 1;
        }
    }
    const uint64_t wide = round_decimal(&FLOAT, &d);
    bits = (uint32_t)wide | (d.negative ? 0x80000000u : 0u);
    memcpy(value, &bits, sizeof bits);
    return wide >= 0x7f800000u ? 2 : 1;
}

int scarce__parse_double(const char *text, size_t length, double *value)
{
    decimal d;
    const int kind = scan(text, length, &d);

    if (kind == 0) return 0;
    if (kind == 2) {
        *value = d.negative ? -__builtin_inf() : __builtin_inf();
        return 1;
    }
    if (d.e >= -FAST_POWER && d.e <= FAST_POWER && d.m < (uint64_t)1 << 53 && !d.truncated) {
        const double x = d.e < 0 ? (double)d.m / tens[-d.e] : (double)d.m * tens[d.e];
        *value = d.negative ? -x : x;
        return 1;
    }
    const uint64_t wide = round_decimal(&DOUBLE, &d);
    const uint64_t bits = wide | (d.negative ? (uint64_t)1 << 63 : 0u);
    memcpy(value, &bits, sizeof bits);
    return wide >= (uint64_t)0x7ff << 52 ? 2 : 1;
}
