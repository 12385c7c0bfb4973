/* SPDX-License-Identifier: Apache-2.0 */
/* Whole weights are copies, and the order of the rows says nothing: a table whose rows weigh 1 to 3 and one with so many
 * copies of each row, shuffled, give the same scores but for rounding. So it is with methods that draw rows, or look at
 * pairs, folds and clusters of them; not quite with single boosters, which count rows of a category, or of parts that are
 * held out (on few rows without categories they agree, too: check_estimator in tests/python). */
#include <math.h>
#include <stdlib.h>

#include <scarce/scarce.h>

#include "unit/method_tables.h"

enum { ROWS = 160 };

static size_t copies_of(size_t row)
{
    return 1 + row * 7 % 11 % 3;
}

static scarce_table *with_weights(const scarce_table *t)
{
    double weight[ROWS];
    uint32_t row[ROWS];
    scarce_table *out = NULL;

    for (size_t i = 0; i < ROWS; ++i) {
        row[i] = (uint32_t)((i * 37 + 5) % ROWS); /* 37 and 160 have no factor in common */
        weight[i] = (double)copies_of(row[i]);
    }
    CHECK(scarce_table_rows_of(&out, t, row, ROWS, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_set_weight(out, weight, NULL) == SCARCE_OK);
    return out;
}

static scarce_table *with_copies(const scarce_table *t)
{
    uint32_t row[3 * ROWS];
    size_t n = 0;
    scarce_table *out = NULL;
    lcg r = lcg_start(3);

    for (size_t i = 0; i < ROWS; ++i)
        for (size_t k = 0; k < copies_of(i); ++k) row[n++] = (uint32_t)i;
    for (size_t i = n; i-- > 1;) {
        const size_t j = lcg_below(&r, i + 1);
        const uint32_t swap = row[i];
        row[i] = row[j];
        row[j] = swap;
    }
    CHECK(scarce_table_rows_of(&out, t, row, n, NULL, NULL) == SCARCE_OK);
    return out;
}

static void scores_of(double *score, const char *method, const scarce_table *train, const scarce_table *rows)
{
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    CHECK(scarce_params_new(&params, method, &err) == SCARCE_OK);
    CHECK(scarce_train(&model, train, params, NULL, NULL, NULL, &err) == SCARCE_OK);
    if (err.text[0]) printf("%s: %s\n", method, err.text);
    CHECK(model && scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    if (scorer) CHECK(scarce_scorer_table(scorer, rows, score, NULL, NULL, NULL) == SCARCE_OK);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
}

static int counts_rows(const char *method)
{
    static const char *const list[] = {"gb",    "adaboost",  "rusboost",     "smoteboost", "adac1",
                                       "adac2", "adac3",     "adacost",      "logitboost", "ap-lb",
                                       "sgbap", "sgbap-sig", "lambdamart-ap"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i)
        if (strcmp(list[i], method) == 0) return 1;
    return 0;
}

static void test_copies(void)
{
    scarce_table *t = make_table_of(TABLE_PAYMENTS, ROWS, 1, NULL), *a = with_weights(t), *b = with_copies(t);

    for (size_t m = 0; m < scarce_method_count(); ++m) {
        const scarce_method_info info = scarce_method_get(m);
        double x[ROWS], y[ROWS], worst = 0, spread = 0;
        if (counts_rows(info.name)) continue;
        scores_of(x, info.name, a, t);
        scores_of(y, info.name, b, t);
        for (size_t i = 0; i < ROWS; ++i) {
            worst = fmax(worst, fabs(x[i] - y[i]));
            spread = fmax(spread, fabs(x[i] - x[0]));
        }
        if (!(worst <= 2e-6 * (1 + spread))) printf("%s: off by %g of %g\n", info.name, worst, spread);
        CHECK(worst <= 2e-6 * (1 + spread));
    }
    scarce_table_free(t);
    scarce_table_free(a);
    scarce_table_free(b);
}

static const test_case tests[] = {{"copies", test_copies}};
TEST_MAIN(tests)
