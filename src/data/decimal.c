/* SPDX-License-Identifier: Apache-2.0 */
/* A number is taken apart into sign, whole part with its groups, decimals and exponent. */
#include "data/decimal.h"

#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of the mark between groups at p: a sign, an apostrophe, a blank, U+00A0, U+202F, U+2019; 0: none. */
static size_t group_mark(const char *p, size_t n, char decimal)
{
    if (n == 0) return 0;
    if (*p == '\'' || *p == ' ' || *p == (decimal == ',' ? '.' : ',')) return 1;
    if (n >= 2 && memcmp(p, "\xC2\xA0", 2) == 0) return 2;
    if (n >= 3 && (memcmp(p, "\xE2\x80\xAF", 3) == 0 || memcmp(p, "\xE2\x80\x99", 3) == 0)) return 3;
    return 0;
}

/* Copies digits; how many. */
static size_t take_digits(char *to, size_t *k, const char *text, size_t n, size_t *i)
{
    const size_t begin = *i;
    while (*i < n && is_digit(text[*i])) to[(*k)++] = text[(*i)++];
    return *i - begin;
}

/* The whole part: digits in one piece, or in groups. *groups counts marks. 0: not one. */
static int take_whole(char *to, size_t *k, const char *text, size_t n, size_t *i, char decimal,
                      size_t *groups, size_t *digits)
{
    const size_t begin = *i;
    const char *mark = NULL;
    size_t width;

    *digits = take_digits(to, k, text, n, i);
    while ((width = group_mark(text + *i, n - *i, decimal)) > 0) {
        if (*groups == 0 && (*digits < 1 || *digits > 3 || text[begin] == '0')) return 0;
        if (mark && memcmp(mark, text + *i, width) != 0) return 0;
        mark = text + *i;
        *i += width;
        if (take_digits(to, k, text, n, i) != 3) return 0;
        *groups += 1;
    }
    return 1;
}

/* e+03 and the end. */
static int take_exponent(char *to, size_t *k, const char *text, size_t n, size_t *i)
{
    if (*i == n) return 1;
    if (text[*i] != 'e' && text[*i] != 'E') return 0;
    to[(*k)++] = text[(*i)++];
    if (*i < n && (text[*i] == '+' || text[*i] == '-')) to[(*k)++] = text[(*i)++];
    return take_digits(to, k, text, n, i) > 0 && *i == n;
}

size_t scarce__decimal_plain(char to[SCARCE__DECIMAL_ROOM], const char *text, size_t n, char decimal,
                             int sure)
{
    size_t i = 0, k = 0, groups = 0, digits = 0, decimals = 0;
    int sign = 0;

    if (n == 0 || n + 1 >= SCARCE__DECIMAL_ROOM) return 0;
    if (*text == '+' || *text == '-') to[k++] = text[i++];
    if (i == n || (!is_digit(text[i]) && text[i] != decimal)) return 0;
    if (!take_whole(to, &k, text, n, &i, decimal, &groups, &digits)) return 0;
    if (i < n && text[i] == decimal) {
        sign = 1;
        to[k++] = '.';
        ++i;
        decimals = take_digits(to, &k, text, n, &i);
    }
    if (digits + decimals == 0 || !take_exponent(to, &k, text, n, &i)) return 0;
    if (groups == 1 && !sign && !sure) return 0;
    return k;
}

char scarce__decimal_evidence(const char *text, size_t n)
{
    char plain[SCARCE__DECIMAL_ROOM];
    int comma, point;

    if (!memchr(text, ',', n) && !memchr(text, '.', n)) return 0;
    comma = scarce__decimal_plain(plain, text, n, ',', 1) > 0;
    point = scarce__decimal_plain(plain, text, n, '.', 1) > 0;
    /* 1.234.567 could be thousands and could be an address: no evidence of a decimal sign it doesn't have */
    if (comma == point || !memchr(text, comma ? ',' : '.', n)) return 0;
    return comma ? ',' : '.';
}
