/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles to text without printf, in some 30 ns.
 *
 * Whole numbers and those of few decimals are found by dividing: n / 10^p == x, both exact. Others get 16
 * digits, or 17, by one exact product with a power of ten. What is left (huge, tiny, or just between two floats, where
 * reading as float must not round twice) is printed exactly. */
#include "feature/print.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

__extension__ typedef unsigned __int128 u128;

static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

/* n with `places` decimals, ending before `end`; where it begins. */
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

/* Whether the text is right as a float too: it can go wrong only where the double lies just between two floats, and the
 * text a little beside it. */
static int right_as_float(const char *text, size_t n, double value)
{
    float f;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x1fffffff) != 0x10000000 || (scarce__parse_float(text, n, &f) == 1 && f == (float)value);
}

/* a 10^d to the nearest whole number, for a = x / 2^shift from 1e-4 to 1e9 and d up to 20, in exact arithmetic (x has 53
 * bits, 10^20 has 67). *reads: reading it gives a again, since it is nearer than half the distance to the next double:
 * |n 2^shift - x 10^d| < 10^d / 2, or / 4 below a power of two. */
static uint64_t scaled(double a, int d, int *reads)
{
    static const uint64_t ten10 = 10000000000u;
    uint64_t bits;
    u128 power = 1;
    memcpy(&bits, &a, sizeof bits);
    const int shift = 1075 - (int)(bits >> 52);
    const uint64_t x = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    for (int i = d; i >= 10; i -= 10) power *= ten10;
    for (int i = d % 10; i > 0; --i) power *= 10;
    const u128 product = power * x, n = (product + ((u128)1 << (shift - 1))) >> shift, back = n << shift;
    const u128 off = back > product ? back - product : product - back;
    *reads = off * (x == 0x10000000000000u ? 4 : 2) < power;
    return (uint64_t)n;
}

size_t scarce__print_value(char out[SCARCE__NUMBER_ROOM], double value, char decimal)
{
    const double a = fabs(value);
    char room[SCARCE__NUMBER_ROOM], *end = room + sizeof room, *p = NULL;
    size_t n = 0;

    if (isnan(value)) return 0;
    if (a < 1e15 && a == floor(a)) p = put_digits(end, (uint64_t)a, 0, value < 0);
    else if (a >= 1e-4 && a < 1e9) {
        for (int d = 1; d <= 6 && !p; ++d) {
            const double whole = a * powers[d] + 0.5; /* below 2^53: n / 10^d is rounded as reading it is */
            if (whole < 9e15 && (double)(uint64_t)whole / powers[d] == a)
                p = put_digits(end, (uint64_t)whole, d, value < 0);
        }
        int places = 16, reads = 0; /* of 17 digits in all, which always do */
        for (double limit = 10; a >= limit; limit *= 10) --places;
        for (double limit = 1; a < limit && places < 20; limit /= 10) ++places;
        for (int d = places - 1; !p && d <= places; ++d) {
            const uint64_t digits = scaled(a, d, &reads);
            if (reads) p = put_digits(end, digits, d, value < 0);
        }
        if (p && !right_as_float(p, (size_t)(end - p), value)) p = NULL;
    }
    if (p) {
        n = (size_t)(end - p);
        if (a < 1e15 && a != floor(a)) {
            while (p[n - 1] == '0') --n;
            n -= p[n - 1] == '.';
        }
        memcpy(out, p, n);
    } else {
        n = (size_t)scarce__print(out, SCARCE__NUMBER_ROOM, "%.17g", value);
        if (!right_as_float(out, n, value))
            n = (size_t)scarce__print(out, SCARCE__NUMBER_ROOM, "%.70g", value);
    }
    if (decimal != '.') {
        char *point = memchr(out, '.', n);
        if (point) *point = decimal;
    }
    return n;
}
