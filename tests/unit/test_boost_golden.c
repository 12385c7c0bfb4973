/* SPDX-License-Identifier: Apache-2.0 */
/* Stumps and trees of depth 2 against XGBoost's exact method (golden/make_trees.py): the same scores with
 * lambda, alpha, min_child_weight and max_delta_step on and off, and with missing values. */
#include "test.h"

#include <stdlib.h>

#include "boost/boost.h"

enum { MOST = 200, COLUMNS = 4 };

static void compare(const scarce_table *t, const float *x, const double *w, size_t n, FILE *file)
{
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__forest f;
    const scarce__boost_data train = {.table = t, .weight = w};
    double depth, trees, worst = 0;

    scarce__boost_options_init(&o);
    scarce__split_rules *r = &o.grow.rules;
    CHECK(fscanf(file, "%lf %lf %lf %lf %lf %lf", &depth, &trees, &r->lambda, &r->alpha, &r->min_child_weight,
                 &r->max_delta_step) == 6);
    o.grow.max_depth = (int)depth;
    o.grow.max_leaves = 0;
    o.grow.growth = SCARCE__LEVEL_WISE;
    o.grow.learning_rate = 0.3;
    o.n_trees = (int)trees;
    o.base_given = 1;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) {
        double want;
        CHECK(fscanf(file, "%lf", &want) == 1);
        const double off = fabs(scarce__forest_walk(&f, x + i * COLUMNS) - want);
        if (off > worst) worst = off;
    }
    CHECK_NEAR(worst, 0, 1e-6);
    scarce__forest_deinit(&f);
}

static void test_against_exact(void)
{
    FILE *file = fopen("golden/trees.txt", "r");
    static float x[MOST * COLUMNS];
    uint8_t y[MOST];
    double w[MOST];
    int n = 0, m = 0, cases = 0;
    scarce_table *t = NULL;

    CHECK(file != NULL);
    if (!file) return;
    CHECK(fscanf(file, "%d %d %d", &n, &m, &cases) == 3 && n <= MOST && m == COLUMNS && cases > 20);
    for (int i = 0; i < n; ++i) {
        int label;
        CHECK(fscanf(file, "%d %lf", &label, &w[i]) == 2);
        y[i] = (uint8_t)label;
        for (int c = 0; c < COLUMNS; ++c) CHECK(fscanf(file, "%f", &x[i * COLUMNS + c]) == 1);
    }
    CHECK(scarce_table_from_floats(&t, x, (size_t)n, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    for (int k = 0; k < cases; ++k) compare(t, x, w, (size_t)n, file);
    scarce_table_free(t);
    fclose(file);
}

static const test_case tests[] = {{"against_exact", test_against_exact}};
TEST_MAIN(tests)
