/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds against trying every one of them. */
#include <scarce/decide.h>

#include "core/random.h"
#include "test.h"

enum { N = 80 };
static double score[N], weight[N], amount[N], when[N];
static uint8_t label[N];

static scarce_scored make_rows(uint64_t seed, int ties, int weighted)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 3);
    scarce_scored s = SCARCE_SCORED_INIT;
    for (size_t i = 0; i < N; ++i) {
        label[i] = scarce__random_unit(&r) < 0.15;
        score[i] = scarce__random_normal(&r) + label[i];
        if (ties) score[i] = floor(score[i] * 2) / 2;
        weight[i] = weighted ? (double)scarce__random_below(&r, 4) : 1; /* 0 too */
        amount[i] = scarce__random_exponential(&r) * 50;
        when[i] = (double)scarce__random_below(&r, 10) * 86400 + 1e9;
    }
    label[0] = 1;
    label[1] = 0;
    if (weighted) weight[0] = weight[1] = 2;
    s.n = N;
    s.score = score;
    s.label = label;
    s.weight = weighted ? weight : NULL;
    s.amount = amount;
    s.time = when;
    return s;
}

typedef struct counts {
    double tp, fp, fn, tn, lost, worst_day, days;
} counts;

static counts count_at(double threshold, double span)
{
    counts c = {0, 0, 0, 0, 0, 0, 0};
    double lo = 1e300, hi = -1e300;
    for (size_t i = 0; i < N; ++i) {
        const int alert = score[i] >= threshold;
        const double day = floor(when[i] / span);
        double today = 0;
        if (label[i]) *(alert ? &c.tp : &c.fn) += weight[i];
        else *(alert ? &c.fp : &c.tn) += weight[i];
        if (label[i] && !alert) c.lost += weight[i] * amount[i];
        for (size_t k = 0; k < N; ++k)
            if (score[k] >= threshold && floor(when[k] / span) == day) today += weight[k];
        if (today > c.worst_day) c.worst_day = today;
        if (day < lo) lo = day;
        if (day > hi) hi = day;
    }
    c.days = hi - lo + 1;
    return c;
}

/* Goodness of a threshold, -1e300 when it isn't allowed. */
static double judge(const scarce_threshold_rule *r, double threshold)
{
    const counts c = count_at(threshold, r->span);
    const double b2 = r->beta * r->beta, alerts = c.tp + c.fp, all = alerts + c.fn + c.tn;
    switch (r->kind) {
    case SCARCE_THRESHOLD_F: return (1 + b2) * c.tp / ((1 + b2) * c.tp + b2 * c.fn + c.fp);
    case SCARCE_THRESHOLD_GMEAN: return sqrt(c.tp / (c.tp + c.fn) * (c.tn / (c.tn + c.fp)));
    case SCARCE_THRESHOLD_COST:
        return isnan(r->miss) ? -(r->alarm * alerts + c.lost) : -(r->alarm * c.fp + r->miss * c.fn);
    case SCARCE_THRESHOLD_BUDGET: {
        const double limit = r->unit == SCARCE_BUDGET_RATE    ? r->budget * all
                             : r->unit == SCARCE_BUDGET_TOTAL ? r->budget
                                                              : r->budget * (r->every ? 1 : c.days);
        return (r->every ? c.worst_day : alerts) <= limit * (1 + 1e-12) ? alerts : -1e300;
    }
    case SCARCE_THRESHOLD_VALUE: break;
    }
    return NAN;
}

static void test_against_all_thresholds(void)
{
    static const char *const rules[] = {"f1",
                                        "f2",
                                        "f0.5",
                                        "gmean",
                                        "cost:1/7",
                                        "cost:20",
                                        "cost",
                                        "budget:10",
                                        "budget:0.1",
                                        "budget:33%",
                                        "budget:2/day",
                                        "budget:2/day!",
                                        "budget:7/week",
                                        "budget:1000",
                                        "cost:0/1",
                                        "cost:1/0"};
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const scarce_scored rows = make_rows(seed, seed % 2 == 0, seed % 4 >= 2);
        for (size_t q = 0; q < sizeof rules / sizeof rules[0]; ++q) {
            scarce_threshold_rule rule;
            scarce_threshold_choice c;
            scarce_error err = SCARCE_ERROR_INIT;
            CHECK(scarce_threshold_parse(&rule, rules[q], &err) == SCARCE_OK);
            CHECK(scarce_threshold_choose(&c, &rule, &rows, &err) == SCARCE_OK);
            const double got = judge(&rule, c.threshold);
            double best = judge(&rule, INFINITY), highest = INFINITY;
            for (size_t i = 0; i < N; ++i)
                if (judge(&rule, score[i]) > best) best = judge(&rule, score[i]);
            CHECK_NEAR(got, best, 1e-9);
            CHECK_NEAR(fabs(c.objective), fabs(best), 1e-9);
            const counts k = count_at(c.threshold, rule.span);
            CHECK_NEAR(c.alerts, k.tp + k.fp, 1e-9);
            CHECK_NEAR(c.hits, k.tp, 1e-9);
            /* the highest of the equally good ones */
            for (size_t i = 0; i < N; ++i)
                if (judge(&rule, score[i]) >= best && (isinf(highest) || score[i] > highest))
                    highest = score[i];
            if (judge(&rule, INFINITY) < best) CHECK(c.threshold == highest);
            else CHECK(c.alerts == 0);
        }
    }
}

static void test_budget_and_ties(void)
{
    const double s[] = {5, 5, 5, 4, 3, 3, 2};
    scarce_scored rows = SCARCE_SCORED_INIT;
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    scarce_threshold_choice c;
    const double want[] = {INFINITY, 0, 0, 5, 4, 4, 3, 2, 2};
    rows.n = 7;
    rows.score = s;
    rule.kind = SCARCE_THRESHOLD_BUDGET;
    for (int k = 0; k <= 8; ++k) {
        rule.budget = k;
        CHECK(scarce_threshold_choose(&c, &rule, &rows, NULL) == SCARCE_OK);
        if (k == 1 || k == 2)
            CHECK(c.threshold > 5 && c.threshold < 5.000001); /* ties at the top don't fit */
        else CHECK(c.threshold == want[k]);
        CHECK(c.alerts <= k);
        CHECK(isnan(c.hits)); /* no labels */
    }
    /* 0.29 of 100 rows are 29, whatever the product says */
    static double many[100];
    for (int i = 0; i < 100; ++i) many[i] = i;
    rows.n = 100;
    rows.score = many;
    rule.unit = SCARCE_BUDGET_RATE;
    rule.budget = 0.29;
    CHECK(scarce_threshold_choose(&c, &rule, &rows, NULL) == SCARCE_OK);
    CHECK(c.alerts == 29 && c.threshold == 71);
}

static void test_parse(void)
{
    scarce_threshold_rule r;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_threshold_parse(&r, "budget:100/day", &err) == SCARCE_OK);
    CHECK(r.kind == SCARCE_THRESHOLD_BUDGET && r.budget == 100 && r.unit == SCARCE_BUDGET_PER_SPAN);
    CHECK(r.span == 86400 && !r.every && r.struct_size == sizeof r);
    CHECK(scarce_threshold_parse(&r, "budget:2.5/24!", &err) == SCARCE_OK);
    CHECK(r.budget == 2.5 && r.span == 24 && r.every);
    CHECK(scarce_threshold_parse(&r, "budget:20/30m", &err) == SCARCE_OK && r.span == 1800 && !r.every);
    CHECK(scarce_threshold_parse(&r, "budget:20/2d!", &err) == SCARCE_OK && r.span == 172800 && r.every);
    CHECK(scarce_threshold_parse(&r, "budget:0.5%", &err) == SCARCE_OK);
    CHECK(r.unit == SCARCE_BUDGET_RATE && r.budget == 0.005);
    CHECK(scarce_threshold_parse(&r, "budget:0", &err) == SCARCE_OK && r.unit == SCARCE_BUDGET_TOTAL);
    CHECK(scarce_threshold_parse(&r, "value:-1.5", &err) == SCARCE_OK);
    CHECK(r.kind == SCARCE_THRESHOLD_VALUE && r.value == -1.5);
    CHECK(scarce_threshold_parse(&r, "cost:2/30", &err) == SCARCE_OK && r.alarm == 2 && r.miss == 30);
    CHECK(scarce_threshold_parse(&r, "cost:2", &err) == SCARCE_OK && r.alarm == 2 && isnan(r.miss));
    CHECK(scarce_threshold_parse(&r, "f0.5", &err) == SCARCE_OK && r.kind == SCARCE_THRESHOLD_F &&
          r.beta == 0.5);

    static const char *const wrong[] = {"",
                                        "f",
                                        "f0",
                                        "f-1",
                                        "fx",
                                        "gmeans",
                                        "cost:",
                                        "cost:-1",
                                        "cost:1/",
                                        "cost:/1",
                                        "cost:0/0",
                                        "budget:",
                                        "budget:x",
                                        "budget:-1",
                                        "budget:101%",
                                        "budget:%",
                                        "budget:5/",
                                        "budget:5/0",
                                        "budget:5/year",
                                        "budget:5/day!!",
                                        "budget:5/m",
                                        "budget:5/0h",
                                        "budget:5/3y",
                                        "value:",
                                        "value:nan",
                                        "value:1e999",
                                        "F1",
                                        "budget:5/!",
                                        "cost:1/2/3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        r.beta = 77;
        CHECK(scarce_threshold_parse(&r, wrong[i], &err) == SCARCE_EINVAL);
        CHECK(r.beta == 77); /* unchanged */
        CHECK(strstr(err.text, "allowed are f1") != NULL);
    }
    CHECK(scarce_threshold_parse(&r, NULL, NULL) == SCARCE_EINVAL);
}

static scarce_status choose(const char *text, const scarce_scored *rows)
{
    scarce_threshold_rule r;
    scarce_threshold_choice c;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_threshold_parse(&r, text, &err) == SCARCE_OK);
    return scarce_threshold_choose(&c, &r, rows, &err);
}

static void test_errors(void)
{
    scarce_scored rows = make_rows(1, 0, 0), r = rows;
    r.amount = NULL;
    CHECK(choose("cost:5", &r) == SCARCE_EDATA);
    CHECK(choose("cost:5/7", &r) == SCARCE_OK);
    r.time = NULL;
    CHECK(choose("budget:5/day", &r) == SCARCE_EDATA);
    r.label = NULL;
    CHECK(choose("f1", &r) == SCARCE_EDATA);
    CHECK(choose("gmean", &r) == SCARCE_EDATA);
    CHECK(choose("cost:5/7", &r) == SCARCE_EDATA);
    CHECK(choose("budget:5", &r) == SCARCE_OK);
    r.n = 0;
    CHECK(choose("budget:5", &r) == SCARCE_EINVAL);
    CHECK(choose("value:5", NULL) == SCARCE_OK);
    amount[0] = NAN; /* a positive */
    CHECK(choose("cost:5", &rows) == SCARCE_EDATA);
    when[5] = INFINITY;
    CHECK(choose("budget:5/day", &rows) == SCARCE_EDATA);
    when[5] = 1e300;
    CHECK(choose("budget:5/day!", &rows) == SCARCE_EDATA);
    score[7] = NAN;
    CHECK(choose("budget:5", &rows) == SCARCE_EDATA);
    rows = make_rows(1, 0, 0);
    memset(label, 0, sizeof label);
    CHECK(choose("f1", &rows) == SCARCE_EDATA);
    CHECK(choose("gmean", &rows) == SCARCE_EDATA);
    CHECK(choose("cost:5/7", &rows) == SCARCE_OK);
}

static const test_case tests[] = {
    {"against_all_thresholds", test_against_all_thresholds},
    {"budget_and_ties", test_budget_and_ties},
    {"parse", test_parse},
    {"errors", test_errors},
};
TEST_MAIN(tests)
