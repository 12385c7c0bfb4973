/* SPDX-License-Identifier: Apache-2.0 */
/* Axes: ticks against a search over all steps there are, places, and odd ranges. */
#include <stdlib.h>
#include <time.h>

#include "core/random.h"
#include "report/axis.h"
#include "test.h"

static scarce__axis make(scarce_axis kind, double lo, double hi, int outward, size_t intervals)
{
    const scarce__axis_plan plan = {kind, lo, hi, (double)NAN, (double)NAN, outward, intervals};
    scarce__axis a;
    scarce__axis_make(&a, &plan);
    return a;
}

static void check_sound(const scarce__axis *a, size_t intervals)
{
    CHECK(a->lo < a->hi && isfinite(a->lo) && isfinite(a->hi));
    CHECK(a->n <= intervals + 1 && !a->failed);
    for (size_t i = 0; i < a->n; ++i) {
        CHECK(a->tick[i] >= a->lo && a->tick[i] <= a->hi);
        CHECK(i == 0 || a->tick[i] > a->tick[i - 1]);
        CHECK(a->label[i][0]);
        if (i && a->hi - a->lo > 1e-8 * fabs(a->hi)) CHECK(strcmp(a->label[i], a->label[i - 1]) != 0);
        const double at = scarce__axis_place(a, a->tick[i]);
        CHECK(at >= -1e-12 && at <= 1 + 1e-12);
    }
}

/* The obvious way: every step from tiny to huge, until one is coarse enough. */
static size_t slow_ticks(double *tick, double lo, double hi, int outward, size_t intervals)
{
    for (int e = -18; e < 18; ++e)
        for (int m = 0; m < 3; ++m) {
            const long double step = (m == 0 ? 1 : m == 1 ? 2 : 5) * powl(10, e);
            const long double a = lo / step, b = hi / step;
            const long double first = outward ? floorl(a + 1e-9L) : ceill(a - 1e-9L);
            const long double last = outward ? ceill(b - 1e-9L) : floorl(b + 1e-9L);
            if (last - first > (long double)intervals) continue;
            size_t n = 0;
            for (long double k = first; k <= last; k += 1) tick[n++] = (double)(k * step);
            return n;
        }
    return 0;
}

static void test_linear(void)
{
    scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, 0);
    for (int round = 0; round < 20000; ++round) {
        const double scale = pow(10, 12 * scarce__random_unit(&r) - 6);
        const double lo = scale * (scarce__random_unit(&r) - 0.5), hi = lo + scale * scarce__random_unit(&r);
        const int outward = round % 2;
        const size_t intervals = 2 + (size_t)(scarce__random_unit(&r) * 12);
        const scarce__axis a = make(SCARCE_AXIS_LINEAR, lo, hi, outward, intervals);
        double want[SCARCE__MAX_TICKS];
        const size_t n = slow_ticks(want, lo, hi, outward, intervals);
        check_sound(&a, intervals);
        CHECK(a.n == n);
        for (size_t i = 0; i < n && i < a.n; ++i) CHECK_NEAR(a.tick[i], want[i], 1e-9 * scale);
        if (outward)
            CHECK(a.n >= 2 && a.lo <= lo + 1e-8 * scale && a.hi >= hi - 1e-8 * scale && a.tick[0] == a.lo &&
                  a.tick[a.n - 1] == a.hi);
        else CHECK(a.lo == lo && a.hi == hi);
    }
}

static void check_labels(const scarce__axis *a, const char *want)
{
    char got[400] = "";
    for (size_t i = 0; i < a->n; ++i) {
        strcat(got, i ? " " : "");
        strcat(got, a->label[i]);
    }
    CHECK_TEXT(got, want);
}

static void test_labels(void)
{
    scarce__axis a = make(SCARCE_AXIS_LINEAR, 0, 1, 1, 5);
    check_labels(&a, "0 0.2 0.4 0.6 0.8 1");
    a = make(SCARCE_AXIS_LINEAR, 0, 0.3, 1, 5);
    check_labels(&a, "0 0.1 0.2 0.3");
    a = make(SCARCE_AXIS_LINEAR, -3, 17000, 1, 5);
    check_labels(&a, "-5000 0 5000 10k 15k 20k");
    a = make(SCARCE_AXIS_LINEAR, 0, 4.1e6, 1, 5);
    check_labels(&a, "0 1M 2M 3M 4M 5M");
    a = make(SCARCE_AXIS_LINEAR, 0, 3e-7, 1, 3);
    check_labels(&a, "0 1e-7 2e-7 3e-7");
    a = make(SCARCE_AXIS_LOG, 1, 60000, 0, 5);
    check_labels(&a, "1 10 100 1000 10k");
    a = make(SCARCE_AXIS_LOG, 3, 40, 1, 5);
    check_labels(&a, "2 5 10 20 50");
}

static int is_round(double v) /* 1, 2, 5 * 10^e */
{
    const double m = v / pow(10, floor(log10(v) + 1e-9));
    return fabs(m - 1) < 1e-9 || fabs(m - 2) < 1e-9 || fabs(m - 5) < 1e-9;
}

static void test_log(void)
{
    scarce__random r = scarce__random_start(2, SCARCE__FOR_TEST, 0);
    for (int round = 0; round < 20000; ++round) {
        const double lo = pow(10, 20 * scarce__random_unit(&r) - 10), width = 12 * scarce__random_unit(&r);
        const double hi = lo * pow(10, width);
        const size_t intervals = 3 + (size_t)(scarce__random_unit(&r) * 9);
        const scarce__axis a = make(SCARCE_AXIS_LOG, lo, hi, round % 2, intervals);
        const double decades = floor(log10(a.hi) + 1e-9) - ceil(log10(a.lo) - 1e-9);
        check_sound(&a, intervals);
        CHECK(a.lo <= lo && a.hi >= hi && a.lo > 0);
        if (width < 1) continue; /* may be linear */
        CHECK(a.n >= 2);
        for (size_t i = 0; i < a.n; ++i) CHECK(is_round(a.tick[i]));
        if (decades < 2) continue;
        const double stride = ceil(decades / (double)intervals); /* the finest that fits */
        for (size_t i = 1; i < a.n; ++i) CHECK_NEAR(log10(a.tick[i] / a.tick[i - 1]), stride, 1e-9);
    }
}

/* Ticks of time: whole in the calendar of the C library, evenly spread, as fine as allowed. */
static void test_time(void)
{
    scarce__random r = scarce__random_start(3, SCARCE__FOR_TEST, 0);
    for (int round = 0; round < 20000; ++round) {
        const double lo = floor(4e9 * (scarce__random_unit(&r) - 0.4));
        const double hi = lo + pow(10, 1 + 8 * scarce__random_unit(&r));
        const size_t intervals = 4 + (size_t)(scarce__random_unit(&r) * 8);
        const scarce__axis a = make(SCARCE_AXIS_TIME, lo, hi, 0, intervals);
        int same_clock = 1;
        check_sound(&a, intervals);
        CHECK(a.lo == lo && a.hi == hi);
        for (size_t i = 0; i < a.n; ++i) {
            const time_t t = (time_t)a.tick[i];
            struct tm when;
            char text[40];
            gmtime_r(&t, &when);
            if (hi - lo > 86400.0 * 14 * (double)(intervals + 1)) /* months or years */
                same_clock = same_clock && when.tm_mday == 1 && when.tm_hour == 0;
            strftime(text, sizeof text, "%H:%M", &when);
            if (strchr(a.label[i], ':')) CHECK(strncmp(a.label[i], text, 5) == 0);
            else if (a.label[i][0] >= 'A') {
                strftime(text, sizeof text, "%b", &when);
                CHECK(strncmp(a.label[i], text, 3) == 0);
            } else if (strchr(a.label[i], ' ')) {
                CHECK(atoi(a.label[i]) == when.tm_mday && when.tm_hour == 0);
            } else CHECK(atoi(a.label[i]) == when.tm_year + 1900 && when.tm_yday == 0);
        }
        CHECK(same_clock);
    }
    scarce__axis a = make(SCARCE_AXIS_TIME, 1550000000, 1550000000 + 20 * 86400.0, 0, 5);
    check_labels(&a, "18 Feb 25 Feb 4 Mar"); /* Mondays of 2019 */
    a = make(SCARCE_AXIS_TIME, 1577836800 - 86400.0 * 40, 1577836800 + 86400.0 * 70, 0, 5);
    check_labels(&a, "Dec 2019 Jan 2020 Feb Mar");
}

static void test_odd_ranges(void)
{
    const double odd[] = {NAN,    INFINITY, -INFINITY, 0,    -0.0,         1,    -1,     1e300,
                          -1e300, 1e-320,   5e-324,    1e15, 1e15 + 0.125, 1e18, 1.7e308};
    enum { N = sizeof odd / sizeof odd[0] };
    for (int kind = 0; kind < 3; ++kind)
        for (size_t i = 0; i < N; ++i)
            for (size_t j = 0; j < N; ++j)
                for (size_t fixed = 0; fixed < 4; ++fixed) {
                    const scarce__axis_plan plan = {(scarce_axis)kind,
                                                    odd[i],
                                                    odd[j],
                                                    fixed & 1 ? odd[j] : (double)NAN,
                                                    fixed & 2 ? odd[i] : (double)NAN,
                                                    1,
                                                    5};
                    scarce__axis a;
                    scarce__axis_make(&a, &plan);
                    CHECK(a.lo < a.hi && isfinite(a.lo) && isfinite(a.hi) && a.n <= 6);
                    CHECK(kind != SCARCE_AXIS_LOG || a.lo > 0);
                    for (size_t k = 0; k < a.n; ++k) CHECK(a.tick[k] >= a.lo && a.tick[k] <= a.hi);
                }
    CHECK(isnan(scarce__axis_place(&(scarce__axis){.kind = SCARCE_AXIS_LOG, .lo = 1, .hi = 2}, 0)));
    CHECK(isnan(scarce__axis_place(&(scarce__axis){.lo = 1, .hi = 2}, (double)INFINITY)));
    CHECK_NEAR(scarce__axis_place(&(scarce__axis){.kind = SCARCE_AXIS_LOG, .lo = 1, .hi = 100}, 10), 0.5,
               1e-15);
}

static const test_case tests[] = {{"linear", test_linear},
                                  {"labels", test_labels},
                                  {"log", test_log},
                                  {"time", test_time},
                                  {"odd_ranges", test_odd_ranges}};
TEST_MAIN(tests)
