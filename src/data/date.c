/* SPDX-License-Identifier: Apache-2.0 */
/* ISO dates to seconds since 1970-01-01T00:00Z (the Gregorian calendar throughout, no leap seconds). */
#include "data/csv.h"

/* Exactly n digits at *p. */
static int take_digits(const char **p, const char *end, int n, int *value)
{
    int v = 0;
    if (end - *p < n) return 0;
    for (int i = 0; i < n; ++i) {
        const char c = (*p)[i];
        if (c < '0' || c > '9') return 0;
        v = 10 * v + (c - '0');
    }
    *p += n;
    *value = v;
    return 1;
}

static int take(const char **p, const char *end, char c)
{
    if (*p == end || **p != c) return 0;
    *p += 1;
    return 1;
}

/* Days from 1970-01-01: years begin in March, so that the odd day of a leap year is the last. */
static int64_t days_of(int year, int month, int day)
{
    const int64_t y = year - (month <= 2);
    const int64_t m = month > 2 ? month - 3 : month + 9;
    const int64_t before = 365 * y + y / 4 - y / 100 + y / 400; /* y >= -1 */
    return before - (y < 0) + (153 * m + 2) / 5 + day - 1 - 719468;
}

static int days_in(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* hh:mm[:ss[.fff]] */
static int take_clock(const char **p, const char *end, double *seconds)
{
    int hour, minute, second = 0;
    double fraction = 0, unit = 0.1;

    if (!take_digits(p, end, 2, &hour) || !take(p, end, ':') || !take_digits(p, end, 2, &minute)) return 0;
    if (take(p, end, ':')) {
        if (!take_digits(p, end, 2, &second)) return 0;
        if (take(p, end, '.')) {
            if (*p == end || **p < '0' || **p > '9') return 0;
            for (; *p < end && **p >= '0' && **p <= '9'; ++*p, unit /= 10) fraction += unit * (**p - '0');
        }
    }
    if (hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute || second))) return 0;
    *seconds = hour * 3600 + minute * 60 + second + fraction;
    return 1;
}

/* Nothing, Z, or an offset from UTC in seconds. */
static int take_zone(const char **p, const char *end, double *offset)
{
    int hour, minute = 0, sign;
    *offset = 0;
    if (*p == end || take(p, end, 'Z')) return 1;
    if (**p != '+' && **p != '-') return 0;
    sign = **p == '-' ? -1 : 1;
    *p += 1;
    if (!take_digits(p, end, 2, &hour)) return 0;
    (void)take(p, end, ':');
    if (*p < end && !take_digits(p, end, 2, &minute)) return 0;
    if (hour > 23 || minute > 59) return 0;
    *offset = sign * (hour * 3600 + minute * 60);
    return 1;
}

int scarce__parse_date(const char *text, size_t length, double *seconds)
{
    const char *p = text, *end = text + length;
    int year, month, day;
    double clock = 0, offset = 0;

    if (!take_digits(&p, end, 4, &year) || !take(&p, end, '-') || !take_digits(&p, end, 2, &month) ||
        !take(&p, end, '-') || !take_digits(&p, end, 2, &day))
        return 0;
    if (month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return 0;
    if (p < end) {
        if (*p != ' ' && *p != 'T' && *p != 't') return 0;
        ++p;
        if (!take_clock(&p, end, &clock) || !take_zone(&p, end, &offset)) return 0;
    }
    if (p != end) return 0;
    *seconds = (double)days_of(year, month, day) * 86400 + clock - offset;
    return 1;
}
