/* SPDX-License-Identifier: Apache-2.0 */
#include "report/axis_time.h"

#include <math.h>
#include <stdio.h>

#define DAY 86400L

typedef struct date {
    long year;
    int month, day; /* from 1 on */
} date;

/* Days since 1970-01-01 and back; a year is counted from March on, so that the leap day is its last. */
static long days_of(long year, int month, int day)
{
    const long y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    const long of_year = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static date date_of(long days)
{
    const long z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    const long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const long of_year = of_era - (365 * year + year / 4 - year / 100), m = (5 * of_year + 2) / 153;
    date d;
    d.day = (int)(of_year - (153 * m + 2) / 5 + 1);
    d.month = (int)(m < 10 ? m + 3 : m - 9);
    d.year = year + era * 400 + (d.month <= 2);
    return d;
}

static long floor_divide(long a, long b)
{
    return a / b - (a % b < 0);
}

/* A step is so many seconds from some origin, or so many months. */
typedef struct step {
    long seconds, months;
} step;

static const step steps[] = {
    {1, 0},       {5, 0},        {15, 0},       {30, 0},       {60, 0},        {300, 0},  {900, 0},
    {1800, 0},    {3600, 0},     {3 * 3600, 0}, {6 * 3600, 0}, {12 * 3600, 0}, {DAY, 0},  {2 * DAY, 0},
    {7 * DAY, 0}, {14 * DAY, 0}, {0, 1},        {0, 3},        {0, 6},         {0, 12},   {0, 24},
    {0, 60},      {0, 120},      {0, 300},      {0, 600},      {0, 1200},      {0, 6000}, {0, 12000}};

enum { N_STEPS = sizeof steps / sizeof steps[0] };

/* The k-th tick of a step; weeks begin on Mondays (1970-01-05). */
static double tick_at(const step *s, long k)
{
    if (s->seconds) return (double)(k * s->seconds + (s->seconds % (7 * DAY) == 0 ? 4 * DAY : 0));
    return (double)(days_of(floor_divide(k * s->months, 12),
                            (int)(k * s->months - 12 * floor_divide(k * s->months, 12)) + 1, 1) *
                    DAY);
}

/* The last tick at or before a time. */
static long tick_before(const step *s, double time)
{
    const long whole = (long)floor(time);
    if (s->seconds) return floor_divide(whole - (s->seconds % (7 * DAY) == 0 ? 4 * DAY : 0), s->seconds);
    const date d = date_of(floor_divide(whole, DAY));
    return floor_divide(d.year * 12 + d.month - 1, s->months);
}

static void label_tick(char *out, double tick, const step *s, double previous)
{
    static const char *const month[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const long seconds = (long)tick, days = floor_divide(seconds, DAY);
    const unsigned rest = (unsigned)(seconds - days * DAY);
    const date d = date_of(days);
    const int new_year = !isnan(previous) && date_of(floor_divide((long)previous, DAY)).year != d.year;

    if (s->months >= 12) snprintf(out, SCARCE__TICK_TEXT, "%ld", d.year);
    else if (s->months) {
        if (d.month == 1 || isnan(previous) || new_year)
            snprintf(out, SCARCE__TICK_TEXT, "%s %ld", month[d.month - 1], d.year);
        else snprintf(out, SCARCE__TICK_TEXT, "%s", month[d.month - 1]);
    } else if (rest == 0) snprintf(out, SCARCE__TICK_TEXT, "%d %s", d.day, month[d.month - 1]);
    else if (s->seconds >= 60)
        snprintf(out, SCARCE__TICK_TEXT, "%02u:%02u", rest / 3600 % 24, rest / 60 % 60);
    else snprintf(out, SCARCE__TICK_TEXT, "%02u:%02u:%02u", rest / 3600 % 24, rest / 60 % 60, rest % 60);
}

void scarce__axis_time(scarce__axis *out, size_t intervals)
{
    const step *s = steps;
    double previous = (double)NAN;
    long k, last;

    while (s + 1 < steps + N_STEPS && tick_before(s, out->hi) - tick_before(s, out->lo) > (long)intervals)
        ++s;
    k = tick_before(s, out->lo);
    last = tick_before(s, out->hi);
    for (; k <= last && out->n < SCARCE__MAX_TICKS; ++k) {
        const double tick = tick_at(s, k);
        if (!(tick >= out->lo && tick <= out->hi)) continue;
        out->tick[out->n] = tick;
        label_tick(out->label[out->n], tick, s, previous);
        previous = tick;
        ++out->n;
    }
}
