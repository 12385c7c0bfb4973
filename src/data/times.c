/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are times.
 *
 * Between 1980 and 2100 the ranges of seconds, milliseconds, microseconds, nanoseconds, yyyymmdd and
 * yyyymmddhhmmss don't overlap, so a column whose values all lie in one of them is read as that. */
#include "data/times.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "data/csv.h"

static const double year_1980 = 315532800.0, year_2050 = 2524608000.0, year_2100 = 4102444800.0;

static int in_years(double value, double unit)
{
    return value >= year_1980 * unit && value < year_2100 * unit;
}

/* yyyymmdd, with hhmmss behind it when `clock`. */
static int parse_digits(double value, int clock, double *seconds)
{
    char text[32];
    int n;

    if (!(value >= 0 && value < 1e15) || value != floor(value)) return 0;
    const uint64_t v = (uint64_t)value, day = clock ? v / 1000000 : v, time = clock ? v % 1000000 : 0;
    if (day < 10000101 || day > 99991231) return 0;
    n = snprintf(text, sizeof text, "%04u-%02u-%02u %02u:%02u:%02u", (unsigned)(day / 10000),
                 (unsigned)(day / 100 % 100), (unsigned)(day % 100), (unsigned)(time / 10000),
                 (unsigned)(time / 100 % 100), (unsigned)(time % 100));
    return scarce__parse_date(text, (size_t)n, seconds);
}

static int is_digits_like(double value, int clock)
{
    double seconds;
    return parse_digits(value, clock, &seconds) && in_years(seconds, 1);
}

int scarce__time_of_number(double value, scarce_time_format format, double *seconds)
{
    *seconds = value;
    switch (format) {
    case SCARCE_TIME_MILLISECONDS: *seconds = value / 1e3; return 1;
    case SCARCE_TIME_MICROSECONDS: *seconds = value / 1e6; return 1;
    case SCARCE_TIME_NANOSECONDS: *seconds = value / 1e9; return 1;
    case SCARCE_TIME_MINUTES: *seconds = value * 60; return 1;
    case SCARCE_TIME_HOURS: *seconds = value * 3600; return 1;
    case SCARCE_TIME_DAYS: *seconds = value * 86400; return 1;
    case SCARCE_TIME_YYYYMMDD: return parse_digits(value, value >= 1e13, seconds);
    case SCARCE_TIME_AUTO:
    case SCARCE_TIME_NUMBER:
    case SCARCE_TIME_SECONDS:
    case SCARCE_TIME_DATES:
    default: return 1;
    }
}

int scarce__time_like(double value)
{
    for (double unit = 1; unit < 1e10; unit *= 1e3)
        if (value >= year_1980 * unit && value < year_2050 * unit) return 1;
    return is_digits_like(value, 0) || is_digits_like(value, 1);
}

scarce_time_format scarce__time_format_of(const double *values, size_t n)
{
    static const scarce_time_format formats[4] = {SCARCE_TIME_SECONDS, SCARCE_TIME_MILLISECONDS,
                                                  SCARCE_TIME_MICROSECONDS, SCARCE_TIME_NANOSECONDS};
    static const double units[4] = {1, 1e3, 1e6, 1e9};
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; ++i) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    if (!(low <= high)) return SCARCE_TIME_NUMBER;
    for (int k = 0; k < 4; ++k)
        if (in_years(low, units[k]) && in_years(high, units[k])) return formats[k];
    if (!is_digits_like(low, low >= 1e13) || !is_digits_like(high, high >= 1e13)) return SCARCE_TIME_NUMBER;
    for (size_t i = 0; i < n; ++i)
        if (!isnan(values[i]) && !is_digits_like(values[i], values[i] >= 1e13)) return SCARCE_TIME_NUMBER;
    return SCARCE_TIME_YYYYMMDD;
}

/* The inverse of days_of in date.c. */
void scarce__day_of(int64_t days, int *year, int *month, int *day)
{
    const int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    const int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;

    *day = (int)(of_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = (int)(y + era * 400 + (*month <= 2));
}

void scarce__format_time(char *text, double seconds, int with_clock)
{
    int year, month, day;

    if (!(fabs(seconds) < 1e11)) {
        (void)snprintf(text, 32, "?");
        return;
    }
    const int64_t whole = (int64_t)floor(seconds);
    int64_t days = whole / 86400, rest = whole % 86400;
    if (rest < 0) {
        rest += 86400;
        days -= 1;
    }
    scarce__day_of(days, &year, &month, &day);
    const int n = snprintf(text, 32, "%04d-%02d-%02d", year, month, day);
    if (with_clock)
        (void)snprintf(text + n, 32 - (size_t)n, " %02d:%02d:%02d", (int)(rest / 3600), (int)(rest / 60 % 60),
                       (int)(rest % 60));
}
