/* SPDX-License-Identifier: Apache-2.0 */
/* 2,000 small lists with ties, weights, one positive, one negative, constant scores: the same numbers as
 * scikit-learn (tests/golden/make_metrics.py). */
#include <stdlib.h>

#include <scarce/metrics.h>

#include "lcg.h"
#include "test.h"

enum { MOST_ROWS = 3000 };

static double score[MOST_ROWS], probability[MOST_ROWS], weight[MOST_ROWS], when[MOST_ROWS];
static uint8_t label[MOST_ROWS];
static int32_t group[MOST_ROWS];

static scarce_scored make_case(uint64_t c, double *threshold)
{
    static const uint64_t level_choice[] = {1, 3, 10, 1000, (uint64_t)1 << 31};
    lcg r = lcg_start(c);
    const size_t n = c % 100 == 0 ? 3000 : 2 + lcg_below(&r, 60);
    const uint64_t levels = level_choice[lcg_below(&r, 5)];
    const size_t prevalence = lcg_below(&r, 4), weighted = lcg_below(&r, 2);
    for (size_t i = 0; i < n; ++i) score[i] = (double)lcg_below(&r, levels) / (double)levels - 0.25;
    const size_t one = lcg_below(&r, n);
    for (size_t i = 0; i < n; ++i) {
        const size_t d = lcg_below(&r, 10);
        const int choice[] = {i == one, d == 0, d < 5, i != one};
        label[i] = (uint8_t)choice[prevalence];
    }
    for (size_t i = 0; i < n; ++i) probability[i] = (double)lcg_below(&r, 1001) / 1000;
    for (size_t i = 0; i < n; ++i) weight[i] = weighted ? (double)lcg_below(&r, 5) / 4 : 1.0;
    *threshold = score[lcg_below(&r, n)];
    return (scarce_scored){n, score, label, weight, probability, NULL, NULL, NULL};
}

static int same(double got, double want)
{
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    return fabs(got - want) <= 1e-12 * fmax(1, fabs(want));
}

static void test_sklearn(void)
{
    static const char *const names[] = {
        "ap", "auc_roc", "f1", "precision", "recall", "balanced_accuracy", "mcc", "brier", "log_loss"};
    FILE *f = fopen("golden/metrics.txt", "r");
    char line[1000];
    size_t cases = 0;
    CHECK(f != NULL);
    for (; f && fgets(line, sizeof line, f); ++cases) {
        scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
        scarce_scored in = make_case(cases, &o.threshold);
        scarce_metrics m = SCARCE_METRICS_INIT;
        char *at = line;
        double ap;
        o.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
        CHECK(scarce_metrics_compute(&m, &in, &o, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_average_precision(&ap, score, label, weight, in.n, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < 9; ++i) {
            const double want = strtod(at, &at);
            const double got = scarce_metric_value(&m, scarce_metric_find(names[i]));
            if (!same(got, want)) {
                fprintf(stderr, "case %zu: %s is %.17g, want %.17g\n", cases, names[i], got, want);
                ++test_failures;
            }
            if (i == 0) CHECK(same(ap, want));
        }
    }
    CHECK(cases == 2000);
    if (f) fclose(f);
}

static void test_cards(void)
{
    FILE *f = fopen("golden/card_precision.txt", "r");
    char line[100];
    size_t cases = 0;
    CHECK(f != NULL);
    for (; f && fgets(line, sizeof line, f); ++cases) {
        scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
        scarce_metrics m = SCARCE_METRICS_INIT;
        lcg r = lcg_start(1000000 + cases);
        const size_t n = 5 + lcg_below(&r, 200);
        const uint64_t days = 1 + lcg_below(&r, 6), cards = 1 + lcg_below(&r, 40);
        o.card_k = (double)(1 + lcg_below(&r, 12));
        const uint64_t levels = lcg_below(&r, 2) ? (uint64_t)1 << 31 : 5;
        for (size_t i = 0; i < n; ++i) {
            /* some time of the day; it plays no part */
            when[i] = ((double)lcg_below(&r, days) - 2) * o.day_length + (double)(i % 86400);
            group[i] = (int32_t)lcg_below(&r, cards);
            score[i] = (double)lcg_below(&r, levels) / (double)levels;
            label[i] = lcg_below(&r, 6) == 0;
        }
        scarce_scored in = {n, score, label, NULL, NULL, when, NULL, group};
        CHECK(scarce_metrics_compute(&m, &in, &o, NULL, NULL) == SCARCE_OK);
        if (!same(m.card_precision_at_k, strtod(line, NULL))) {
            fprintf(stderr, "case %zu: %.17g, want %s", cases, m.card_precision_at_k, line);
            ++test_failures;
        }
    }
    CHECK(cases == 200);
    if (f) fclose(f);
}

static const test_case tests[] = {
    {"sklearn", test_sklearn},
    {"cards", test_cards},
};
TEST_MAIN(tests)
