/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets per span: with hindsight against sorting each day, live against the formula computed from all rows,
 * and live against hindsight. */
#include <scarce/decide.h>

#include <stdlib.h>

#include "core/alloc.h"
#include "core/random.h"
#include "test.h"

enum { MOST = 20000 };
static double score[MOST], when[MOST];
static uint8_t alert[MOST], other[MOST];
static uint32_t span[MOST];

/* `days` days of about `per_day` rows, busier at noon; day 5 is an attack: a fifth of its rows score high.
 * Day 3 has no row at all, day 6 has three. */
static size_t make_stream(uint64_t seed, size_t days, size_t per_day, int ties)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 1);
    size_t n = 0;
    for (size_t d = 0; d < days; ++d) {
        const size_t rows = d == 3 ? 0 : d == 6 ? 3 : per_day / 2 + (size_t)scarce__random_below(&r, per_day);
        for (size_t i = 0; i < rows && n < MOST; ++i, ++n) {
            const double a = scarce__random_unit(&r), b = scarce__random_unit(&r);
            when[n] = 86400 * ((double)(d + 17000) + (a + b) / 2);
            score[n] = scarce__random_normal(&r) + (d == 5 && scarce__random_unit(&r) < 0.2 ? 3 : 0);
            if (ties) score[n] = floor(2 * score[n]) / 2;
        }
    }
    return n;
}

static scarce_scored rows_of(size_t n)
{
    scarce_scored rows = SCARCE_SCORED_INIT;
    rows.n = n;
    rows.score = score;
    rows.time = when;
    return rows;
}

static double day_of(size_t i)
{
    return floor(when[i] / 86400);
}

static void test_hindsight(void)
{
    for (uint64_t seed = 0; seed < 12; ++seed) {
        const size_t n = make_stream(seed, 9, 40, seed % 2 == 0);
        const scarce_scored rows = rows_of(n);
        scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
        scarce_budget_use use;
        size_t alerts = 0;
        o.budget = (double)(seed * 3) + 0.5; /* from 0 on, beyond the rows of a day at last */
        CHECK(scarce_budget_alerts(alert, span, &use, &rows, &o, SCARCE_BUDGET_HINDSIGHT, NULL) == SCARCE_OK);
        for (size_t i = 0; i < n; ++i) {
            size_t before = 0; /* rows of the same day that come first */
            for (size_t k = 0; k < n; ++k)
                before += day_of(k) == day_of(i) && (score[k] > score[i] || (score[k] == score[i] && k < i));
            CHECK(alert[i] == (before < seed * 3));
            alerts += alert[i];
            for (size_t k = 0; k < i; ++k) CHECK((span[i] == span[k]) == (day_of(i) == day_of(k)));
        }
        CHECK(use.alerts == alerts && use.spans == 8 && use.most <= seed * 3);
    }
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static double median(const double *values, size_t n)
{
    double x[32];
    memcpy(x, values, n * sizeof *x);
    qsort(x, n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* The k-th highest score (the lowest, if there are fewer) of rows from..to-1. */
static double kth_best(size_t from, size_t to, size_t k)
{
    double *x = malloc((to - from) * sizeof *x);
    memcpy(x, score + from, (to - from) * sizeof *x);
    qsort(x, to - from, sizeof *x, ascending);
    const double value = k < to - from ? x[to - from - k] : x[0];
    free(x);
    return value;
}

/* The rule of budget.c with nothing left out and nothing sorted. Rows must stand in the order of time. */
static void slow_live(uint8_t *out, size_t n, size_t budget, size_t spans)
{
    size_t begin[32], days = 0, left = 0; /* begin[d]: first row of day d, today is the last */
    double usual = 0;
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || day_of(i) != day_of(i - 1)) {
            double level[32];
            begin[days++] = i;
            left = budget;
            const size_t first = days - 1 > spans ? days - 1 - spans : 0;
            for (size_t d = first; d + 1 < days; ++d)
                level[d - first] = kth_best(begin[d], begin[d + 1], budget);
            if (days > 1) usual = median(level, days - 1 - first);
        }
        const double at = when[i] - 86400 * day_of(i), slot = floor(at / 900) * 900;
        const size_t first = days - 1 > spans ? days - 1 - spans : 0, known = days - 1 - first;
        double better[32] = {0}, rows[32] = {0}, gone[32] = {0}, seen = 10, seen_better = 0, expected;
        for (size_t k = begin[days - 1]; k < i; ++k) {
            seen += score[k] >= usual;
            seen_better += score[k] > score[i];
        }
        for (size_t d = 0; d < known; ++d)
            for (size_t k = begin[first + d]; k < begin[first + d + 1]; ++k) {
                const double there = when[k] - 86400 * day_of(k);
                better[d] += there > at && score[k] > score[i];
                gone[d] += there <= at && score[k] >= usual;
                rows[d] += there < slot ? 1 : there < slot + 900 ? (at - slot) / 900 : 0;
            }
        if (!known) expected = seen_better * (1 - at / 86400) / (at / 86400);
        else {
            const double v = ((double)(i - begin[days - 1]) + 10) / (median(rows, known) + 10);
            expected = fmax(0.25, v * seen / (v * median(gone, known) + 10)) * median(better, known);
        }
        out[i] = left > 0 && expected < (double)left;
        left -= out[i];
    }
}

static int by_time(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void sort_stream(size_t n)
{
    double(*both)[2] = malloc(n * sizeof *both);
    for (size_t i = 0; i < n; ++i) both[i][0] = when[i], both[i][1] = score[i];
    qsort(both, n, sizeof *both, by_time);
    for (size_t i = 0; i < n; ++i) when[i] = both[i][0], score[i] = both[i][1];
    free(both);
}

static void test_live_is_the_formula(void)
{
    for (uint64_t seed = 0; seed < 6; ++seed) {
        const size_t n = make_stream(seed, 8, 120, 0);
        const scarce_scored rows = rows_of(n);
        scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
        o.budget = (double)(1 + 2 * seed);
        o.spans = 3; /* and with a small budget most rows of a day are not kept */
        sort_stream(n);
        CHECK(scarce_budget_alerts(alert, NULL, NULL, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
        slow_live(other, n, 1 + 2 * seed, 3);
        CHECK(memcmp(alert, other, n) == 0);
    }
}

/* What is decided doesn't change when later rows are other ones or none. */
static void test_live_knows_no_future(void)
{
    const size_t n = make_stream(3, 8, 400, 0);
    scarce_scored rows = rows_of(n);
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    o.budget = 10;
    sort_stream(n);
    CHECK(scarce_budget_alerts(alert, NULL, NULL, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    rows.n = n / 2;
    CHECK(scarce_budget_alerts(other, NULL, NULL, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    CHECK(memcmp(alert, other, n / 2) == 0);
}

/* Kept on every day, and most of what hindsight takes: over days 1 on (the first has nothing
 * to learn from). */
static void test_live_against_hindsight(void)
{
    for (int ties = 0; ties < 2; ++ties) {
        double both = 0, fixed = 0, all = 0, live_sum = 0, best_sum = 0;
        for (uint64_t seed = 0; seed < 10; ++seed) {
            const size_t n = make_stream(seed, 12, 1500, ties);
            const scarce_scored rows = rows_of(n);
            scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
            scarce_budget_use use;
            scarce_threshold_rule rule;
            scarce_threshold_choice choice;
            o.budget = 30;
            CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
            CHECK(use.most <= 30 && use.spans == 11 && use.full >= 8);
            CHECK(use.alerts >= 10 * 30 - 15);
            CHECK(scarce_budget_alerts(other, span, NULL, &rows, &o, SCARCE_BUDGET_HINDSIGHT, NULL) ==
                  SCARCE_OK);
            CHECK(scarce_threshold_parse(&rule, "budget:30/day!", NULL) == SCARCE_OK);
            CHECK(scarce_threshold_choose(&choice, &rule, &rows, NULL) == SCARCE_OK);
            for (size_t i = 0; i < n; ++i) {
                if (span[i] == 0) continue;
                all += other[i];
                both += other[i] && alert[i];
                fixed += other[i] && score[i] >= choice.threshold;
                live_sum += alert[i] ? score[i] : 0;
                best_sum += other[i] ? score[i] : 0;
            }
        }
        CHECK(live_sum > 0.90 * best_sum);        /* measured: 0.93, with ties 0.91 */
        CHECK(both > (ties ? 0.60 : 0.72) * all); /* measured: 0.65 and 0.76 */
        CHECK(both > 3 * fixed); /* one threshold that keeps to the budget on every day: 0.11 */
    }
}

static void test_first_day(void)
{
    const size_t n = make_stream(2, 1, 2000, 0);
    const scarce_scored rows = rows_of(n);
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    scarce_budget_use use;
    double live = 0, best = 0;
    o.budget = 20;
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    CHECK(scarce_budget_alerts(other, NULL, NULL, &rows, &o, SCARCE_BUDGET_HINDSIGHT, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) live += alert[i] ? score[i] : 0, best += other[i] ? score[i] : 0;
    CHECK(use.alerts >= 15 && use.alerts <= 20 && live > 0.75 * best);
    o.start = 2.5; /* a threshold from training */
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) CHECK(!alert[i] || score[i] >= 2.5);
}

/* Fewer rows than the budget: all with hindsight, nearly all live; a budget larger than 1024 samples the
 * first day. */
static void test_sizes(void)
{
    scarce_scored rows = rows_of(make_stream(4, 9, 60, 0));
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    scarce_budget_use use;
    o.budget = 1000;
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_HINDSIGHT, NULL) == SCARCE_OK);
    CHECK(use.alerts == rows.n && use.full == 0);
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    CHECK((double)use.alerts > 0.95 * (double)rows.n);
    o.budget = 0;
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    CHECK(use.alerts == 0 && use.full == 8);
    rows.n = 0;
    CHECK(scarce_budget_alerts(NULL, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    CHECK(use.spans == 0);
    rows = rows_of(make_stream(5, 1, 13000, 0));
    o.budget = 3000;
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    CHECK(use.alerts <= 3000 && use.alerts > 2700);
    for (size_t i = 0; i < rows.n; ++i) score[i] = 1; /* all the same: the budget, and no more */
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_LIVE, NULL) == SCARCE_OK);
    CHECK(use.alerts == 3000);
    CHECK(scarce_budget_alerts(alert, NULL, &use, &rows, &o, SCARCE_BUDGET_HINDSIGHT, NULL) == SCARCE_OK);
    CHECK(use.alerts == 3000);
}

static void test_refused(void)
{
    scarce_scored rows = rows_of(make_stream(1, 2, 20, 0));
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    scarce_budget *b = NULL;
    int now = 7;
    scarce_error err = SCARCE_ERROR_INIT;
    o.budget = -1;
    CHECK(scarce_budget_new(&b, &o, &err) == SCARCE_EINVAL && b == NULL);
    o.budget = NAN;
    CHECK(scarce_budget_new(&b, &o, &err) == SCARCE_EINVAL);
    o.budget = 5, o.span = 0;
    CHECK(scarce_budget_new(&b, &o, &err) == SCARCE_EINVAL);
    o.span = 10, o.spans = 0;
    CHECK(scarce_budget_new(&b, &o, &err) == SCARCE_EINVAL);
    CHECK(scarce_budget_new(&b, NULL, &err) == SCARCE_OK);
    CHECK(scarce_budget_offer(b, 86400 * 5.0, 1, &now, &err) == SCARCE_OK && now == 1);
    CHECK(scarce_budget_offer(b, 86400 * 5.0 - 1, 1, &now, &err) == SCARCE_EDATA && now == 0);
    CHECK(scarce_budget_offer(b, NAN, 1, &now, &err) == SCARCE_EDATA);
    CHECK(scarce_budget_offer(b, 86400 * 6.0, NAN, &now, &err) == SCARCE_EDATA);
    CHECK(scarce_budget_offer(b, 86400 * 6.0, -INFINITY, &now, &err) == SCARCE_OK);
    scarce_budget_free(b);
    scarce_budget_free(NULL);
    when[3] = INFINITY;
    CHECK(scarce_budget_alerts(alert, NULL, NULL, &rows, NULL, SCARCE_BUDGET_HINDSIGHT, &err) ==
          SCARCE_EDATA);
    when[3] = 0, score[4] = NAN;
    CHECK(scarce_budget_alerts(alert, NULL, NULL, &rows, NULL, SCARCE_BUDGET_HINDSIGHT, &err) ==
          SCARCE_EDATA);
    CHECK(scarce_budget_alerts(alert, NULL, NULL, &rows, NULL, SCARCE_BUDGET_LIVE, &err) == SCARCE_EDATA);
    rows.time = NULL;
    CHECK(scarce_budget_alerts(alert, NULL, NULL, &rows, NULL, SCARCE_BUDGET_LIVE, &err) == SCARCE_EDATA);
    CHECK(strstr(err.text, "time column") != NULL);
}

static const test_case tests[] = {
    {"hindsight", test_hindsight},
    {"live_is_the_formula", test_live_is_the_formula},
    {"live_knows_no_future", test_live_knows_no_future},
    {"live_against_hindsight", test_live_against_hindsight},
    {"first_day", test_first_day},
    {"sizes", test_sizes},
    {"refused", test_refused},
};
TEST_MAIN(tests)
