/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of calibration and threshold choice fails once: ENOMEM, nothing leaked, *out NULL. */
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

static const test_case tests[] = {{"calibrators", test_calibrators}, {"thresholds", test_thresholds}};
TEST_MAIN(tests)
