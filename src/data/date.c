/* SPDX-License-Identifier: Apache-2.0 */
/* Dates to seconds since 1970-01-01T00:00Z (the Gregorian calendar throughout, no leap seconds): those of ISO
 * 8601, and those of bank statements. */
#include "data/csv.h"

#include <string.h>
#include <strings.h>

#include "data/times.h"

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

/* Up to `most` digits at *p; how many. */
static int take_number(const char **p, const char *end, int most, int *value)
{
    int n = 0;
    for (*value = 0; n < most && *p < end && **p >= '0' && **p <= '9'; ++n, ++*p)
        *value = 10 * *value + (**p - '0');
    return *p < end && **p >= '0' && **p <= '9' ? 0 : n;
}

/* A month by its English name or the first three letters of it, in any case; 0: none. */
static int take_month(const char **p, const char *end)
{
    static const char *const names[12] = {"january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december"};
    size_t n = 0;

    while (*p + n < end && (((*p)[n] | 32) >= 'a' && ((*p)[n] | 32) <= 'z')) ++n;
    for (int m = 0; m < 12; ++m) {
        if (n != 3 && n != strlen(names[m])) continue;
        if (strncasecmp(*p, names[m], n) != 0) continue;
        *p += n;
        return m + 1;
    }
    return 0;
}

/* 18 is 2018, 70 is 1970. */
static int full_year(int year, int digits)
{
    return digits > 2 ? year : year < 70 ? 2000 + year : 1900 + year;
}

typedef struct date {
    int year, month, day;
} date;

/* Between the parts of a date. */
static int take_mark(const char **p, const char *end, char *mark)
{
    if (*p == end || !**p || !strchr("-/. ", **p)) return 0;
    if (*mark && *mark != **p) return 0;
    *mark = **p;
    *p += 1;
    return 1;
}

/* 01-Apr-18, 1 April 2018, Apr 1, 2018. */
static int take_named(const char **p, const char *end, date *d)
{
    char mark = 0;
    int digits;

    d->month = take_month(p, end);
    if (d->month) {
        if (!take_mark(p, end, &mark) || !take_number(p, end, 2, &d->day)) return 0;
        (void)take(p, end, ',');
    } else {
        if (!take_number(p, end, 2, &d->day) || !take_mark(p, end, &mark)) return 0;
        d->month = take_month(p, end);
        if (!d->month) return 0;
        if (mark == ' ') (void)take(p, end, ',');
    }
    if (!take_mark(p, end, &mark)) return 0;
    digits = take_number(p, end, 4, &d->year);
    if (digits != 2 && digits != 4) return 0;
    d->year = full_year(d->year, digits);
    return 1;
}

static int is_day(const date *d)
{
    return d->month >= 1 && d->month <= 12 && d->day >= 1 && d->day <= days_in(d->year, d->month);
}

/* Three numbers. */
static int take_numbers(const char **p, const char *end, scarce_date_order order, date *d, int *shows)
{
    int a, b, c;
    char mark = 0;
    const int na = take_number(p, end, 4, &a);

    if (!na || !take_mark(p, end, &mark) || mark == ' ' || !take_number(p, end, 2, &b) ||
        !take_mark(p, end, &mark))
        return 0;
    const int nc = take_number(p, end, 4, &c);
    *shows = SCARCE__DATE_CLEAR;
    if (na == 4 || (order == SCARCE_DATE_YMD && na == 2 && nc == 2)) {
        *d = (date){full_year(a, na), b, c};
        return nc == 1 || nc == 2;
    }
    if (na > 2 || (nc != 2 && nc != 4) || order == SCARCE_DATE_YMD) return 0;
    const date day_first = {full_year(c, nc), b, a}, month_first = {day_first.year, a, b};
    const int day = is_day(&day_first), month = is_day(&month_first);
    *d = order == SCARCE_DATE_MDY || (order == SCARCE_DATE_AUTO && !day) ? month_first : day_first;
    if (a == b) return 1;
    if (day && month) *shows = mark == '.' ? SCARCE__DATE_DOTTED : SCARCE__DATE_UNCLEAR;
    else *shows = day ? SCARCE__DATE_DAY : SCARCE__DATE_MONTH;
    return 1;
}

/* "  3:05 PM": behind the clock, which is then one of twelve hours. */
static int take_half(const char **p, const char *end, double *clock)
{
    const char *q = *p;
    if (q < end && *q == ' ') ++q;
    if (end - q < 2 || (q[1] | 32) != 'm' || ((q[0] | 32) != 'a' && (q[0] | 32) != 'p')) return 1;
    const int hour = (int)(*clock / 3600);
    if (hour < 1 || hour > 12) return 0;
    *clock += 43200 * (((q[0] | 32) == 'p') - (hour == 12));
    *p = q + 2;
    return 1;
}

/* One digit of the hour is enough where the date isn't ISO's. */
static int take_loose_clock(const char **p, const char *end, double *clock)
{
    char padded[64];
    const size_t n = (size_t)(end - *p);
    const char *q = padded;

    if (n < 2 || (*p)[1] != ':') return take_clock(p, end, clock);
    if (n + 1 > sizeof padded) return 0;
    padded[0] = '0';
    memcpy(padded + 1, *p, n);
    if (!take_clock(&q, padded + n + 1, clock)) return 0;
    *p += q - padded - 1;
    return 1;
}

int scarce__parse_date_order(const char *text, size_t length, scarce_date_order order, double *seconds,
                             int *shows)
{
    const char *p = text, *end = text + length;
    double clock = 0, offset = 0;
    int seen = SCARCE__DATE_CLEAR;
    date d;

    if (length == 0 || length > 60) return 0;
    if (!take_numbers(&p, end, order, &d, &seen)) {
        p = text;
        seen = SCARCE__DATE_CLEAR;
        if (!take_named(&p, end, &d)) return 0;
    }
    if (!is_day(&d)) return 0;
    if (p < end) {
        if (*p != ' ' && *p != 'T' && *p != 't') return 0;
        ++p;
        if (!take_loose_clock(&p, end, &clock) || !take_half(&p, end, &clock)) return 0;
        if (!take_zone(&p, end, &offset)) return 0;
    }
    if (p != end) return 0;
    *seconds = (double)days_of(d.year, d.month, d.day) * 86400 + clock - offset;
    if (shows) *shows = seen;
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
