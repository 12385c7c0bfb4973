/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles to text without printf, in some 60 ns.
 *
 * Whole numbers and those of few decimals are found by dividing: n / 10^p == x, both exact. Others get 17 digits by
 * one product with a power of ten, of which the last may be off by one; 16 are tried first. Whether a text is right is
 * not argued but asked: it is read again. What fails (huge, tiny, or just between two floats, where reading as float
 * must not round twice) is printed exactly. */
#include "feature/print.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

__extension__ typedef unsigned __int128 u128;

static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

/* n with `places` decimals, ending before out + 96; where it begins. */
static char *put_digits(char *end, uint64_t n, int places, int negative)
{
    char *p = end;
    int printed = 0;
    while (n > 0 || printed <= places) {
        if (printed == places && places > 0) *--p = '.';
        *--p = (char)('0' + n % 10);
        n /= 10;
        ++printed;
    }
    if (negative) *--p = '-';
    return p;
}

static int reads_back(const char *text, size_t n, double value)
{
    double d;
    float f;
    return scarce__parse_double(text, n, &d) == 1 && d == value && scarce__parse_float(text, n, &f) == 1 &&
           f == (float)value;
}

/* 10^p, p from 0 to 27, is exact in two words: floor(a 10^p) or so of a in [1e-4, 1e16). */
static uint64_t scaled(double a, int p)
{
    static const uint64_t tens[] = {1u,       10u,       100u,       1000u,       10000u,      100000u,
                                    1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u};
    int e;
    const double m = frexp(a, &e); /* a = m 2^e */
    u128 x = (u128)(uint64_t)ldexp(m, 53);
    int shift = 53 - e; /* a = x / 2^shift; x below 2^53, so times 10^22 it is below 2^127 */
    for (; p > 10; p -= 10) x *= tens[10];
    x *= tens[p];
    if (shift <= 0) return (uint64_t)(x << -shift);
    if (shift > 120) return 0;
    x += (u128)1 << (shift - 1);
    return (uint64_t)(x >> shift);
}

size_t scarce__print_value(char out[SCARCE__NUMBER_ROOM], double value, char decimal)
{
    const double a = fabs(value);
    char *end = out + SCARCE__NUMBER_ROOM, *p = NULL;
    size_t n = 0;

    if (isnan(value)) return 0;
    if (a < 1e15 && a == floor(a)) p = put_digits(end, (uint64_t)a, 0, value < 0);
    else if (a >= 1e-4 && a < 1e9) {
        for (int d = 1; d <= 6 && !p; ++d) {
            const double whole = a * powers[d] + 0.5;
            if ((double)(uint64_t)whole / powers[d] == a) p = put_digits(end, (uint64_t)whole, d, value < 0);
        }
        if (p && !reads_back(p, (size_t)(end - p), value)) p = NULL;
        int places = 16; /* of 17 digits in all */
        for (double limit = 10; a >= limit; limit *= 10) --places;
        for (double limit = 1; a < limit && places < 20; limit /= 10) ++places;
        for (int d = places - 1; !p && d <= places; ++d) {
            char *t = put_digits(end, scaled(a, d), d, value < 0);
            if (reads_back(t, (size_t)(end - t), value)) p = t;
        }
    }
    if (p) {
        n = (size_t)(end - p);
        if (memchr(p, '.', n)) {
            while (p[n - 1] == '0') --n;
            n -= p[n - 1] == '.';
        }
        memmove(out, p, n);
    } else n = (size_t)scarce__print(out, SCARCE__NUMBER_ROOM, "%.70g", value);
    if (decimal != '.') {
        char *point = memchr(out, '.', n);
        if (point) *point = decimal;
    }
    return n;
}
