/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of calibration, threshold choice and budgets fails once: ENOMEM, nothing leaked, *out
 * NULL. */
#include <scarce/decide.h>

#include "core/alloc.h"
#include "test.h"

enum { N = 40 };

static void test_calibrators(void)
{
    double score[N];
    uint8_t label[N];
    scarce_scored rows = SCARCE_SCORED_INIT;
    for (int i = 0; i < N; ++i) {
        score[i] = (i * 7) % N;
        label[i] = i % 3 == 0;
    }
    rows.n = N;
    rows.score = score;
    rows.label = label;
    for (int kind = 0; kind <= 3; ++kind) {
        scarce_status status = SCARCE_ENOMEM;
        for (size_t n = 1; status == SCARCE_ENOMEM && n < 100; ++n) {
            scarce_calibrator *c = (scarce_calibrator *)score;
            scarce__alloc_fail_from(n);
            status = scarce_calibrator_fit(&c, (scarce_calibration)kind, &rows, NULL);
            scarce__alloc_fail_from(0);
            CHECK(status == SCARCE_OK || (status == SCARCE_ENOMEM && c == NULL));
            if (status == SCARCE_OK) {
                CHECK(n > 1);
                scarce_calibrator_free(c);
            }
        }
        CHECK(status == SCARCE_OK);
    }
}

static void test_thresholds(void)
{
    double score[N], when[N];
    uint8_t label[N];
    scarce_scored rows = SCARCE_SCORED_INIT;
    const char *const rules[] = {"f1", "budget:3", "budget:3/day!"};
    for (int i = 0; i < N; ++i) {
        score[i] = (i * 7) % N;
        when[i] = i * 10000.0;
        label[i] = i % 3 == 0;
    }
    rows.n = N;
    rows.score = score;
    rows.label = label;
    rows.time = when;
    for (int k = 0; k < 3; ++k) {
        scarce_threshold_rule rule;
        scarce_threshold_choice choice;
        scarce_status status = SCARCE_ENOMEM;
        CHECK(scarce_threshold_parse(&rule, rules[k], NULL) == SCARCE_OK);
        for (size_t n = 1; status == SCARCE_ENOMEM && n < 100; ++n) {
            scarce__alloc_fail_from(n);
            status = scarce_threshold_choose(&choice, &rule, &rows, NULL);
            scarce__alloc_fail_from(0);
            if (status == SCARCE_OK) CHECK(n > 1);
        }
        CHECK(status == SCARCE_OK);
    }
}

/* Both ways of a budget; and a stream goes on after a row that found no memory. */
static void test_budgets(void)
{
    enum { ROWS = 600 };
    static double score[ROWS], when[ROWS];
    static uint8_t alert[ROWS], want[ROWS];
    scarce_scored rows = SCARCE_SCORED_INIT;
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    scarce_budget_use use;
    for (int i = 0; i < ROWS; ++i) {
        score[i] = (i * 7919) % ROWS;
        when[i] = i * 1000.0;
    }
    rows.n = ROWS;
    rows.score = score;
    rows.time = when;
    o.budget = 3;
    for (int mode = 0; mode < 2; ++mode) {
        scarce_status status = SCARCE_ENOMEM;
        for (size_t n = 1; status == SCARCE_ENOMEM && n < 400; ++n) {
            scarce__alloc_fail_from(n);
            status = scarce_budget_alerts(alert, NULL, &use, &rows, &o, (scarce_budget_mode)mode, NULL);
            scarce__alloc_fail_from(0);
            CHECK(status == SCARCE_OK || status == SCARCE_ENOMEM);
            if (status == SCARCE_OK) CHECK(n > 4);
        }
        CHECK(status == SCARCE_OK);
        memcpy(want, alert, ROWS);
    }
    for (size_t n = 1; n < 200; ++n) {
        scarce_budget *b = NULL;
        CHECK(scarce_budget_new(&b, &o, NULL) == SCARCE_OK);
        scarce__alloc_fail_from(n);
        for (int i = 0; i < ROWS; ++i) {
            int now = 0;
            scarce_status status = scarce_budget_offer(b, when[i], score[i], &now, NULL);
            if (status == SCARCE_ENOMEM) {
                scarce__alloc_fail_from(0);
                status = scarce_budget_offer(b, when[i], score[i], &now, NULL); /* the same row again */
            }
            CHECK(status == SCARCE_OK && now == want[i]);
        }
        scarce__alloc_fail_from(0);
        scarce_budget_free(b);
    }
}

static const test_case tests[] = {
    {"calibrators", test_calibrators}, {"thresholds", test_thresholds}, {"budgets", test_budgets}};
TEST_MAIN(tests)
