/* SPDX-License-Identifier: Apache-2.0 */
/* From a score to an alert: by the score, or by what is at stake, where scarce_amount_threshold (decide.h) and a
 * model's own alerts must be one rule. */
#include <scarce/decide.h>

#include "test.h"
#include "unit/models.h"

static int alert(const scarce_model *model, double score, double probability, double amount)
{
    scarce_scorer *scorer = NULL;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    const int is = scarce_scorer_alert(scorer, score, probability, amount);
    scarce_scorer_free(scorer);
    return is;
}

static void test_by_score(void)
{
    scarce_model *m = linear_model();
    m->alert_value = 0.25;
    CHECK(alert(m, 0.25, (double)NAN, (double)NAN) && alert(m, 3, 0, 0) && !alert(m, 0.24, 1, 1e9));
    scarce_model_free(m);
}

/* Numbers that multiply and divide without rounding. */
static void test_by_amount(void)
{
    static const double amounts[] = {1, 2, 4, 8, 64, 1024, 0, -8, INFINITY, NAN};
    static const double checks[] = {0.25, 1, 4};
    scarce_model *m = linear_model();
    m->alert_rule = SCARCE__ALERT_AMOUNT;
    for (size_t c = 0; c < sizeof checks / sizeof checks[0]; ++c)
        for (size_t a = 0; a < sizeof amounts / sizeof amounts[0]; ++a)
            for (int k = 0; k <= 64; ++k) {
                const double p = k / 64.0;
                m->alert_value = checks[c];
                if (k == 0 && isinf(amounts[a])) continue; /* 0 times infinity */
                CHECK(alert(m, 0, p, amounts[a]) == (p > scarce_amount_threshold(checks[c], amounts[a])));
            }
    m->alert_value = 1;
    CHECK(alert(m, 0, 0.75, (double)NAN) && !alert(m, 0, 0.25, (double)NAN)); /* neither all nor none */
    CHECK(!alert(m, 0, (double)NAN, 100) && !alert(m, 0, (double)NAN, (double)NAN));
    scarce_model_free(m);
}

static const test_case tests[] = {{"by_score", test_by_score}, {"by_amount", test_by_amount}};

TEST_MAIN(tests)
