/* SPDX-License-Identifier: Apache-2.0 */
/* rankboost classic=true against the algorithm over all pairs. */
#include <string.h>

#include <scarce/scarce.h>

#include "lcg.h"
#include "test.h"

enum { ROWS = 120, COLUMNS = 3, ROUNDS = 15, VALUES = 60 };

static float x[ROWS * COLUMNS];
static uint8_t y[ROWS];

static void make(uint64_t seed)
{
    lcg r = lcg_start(seed);
    for (size_t i = 0; i < ROWS; ++i) {
        y[i] = i == 0 || (i != 1 && lcg_below(&r, 5) == 0);
        for (size_t k = 0; k < COLUMNS; ++k)
            x[i * COLUMNS + k] = (float)(lcg_below(&r, VALUES) + (y[i] ? (k == 1 ? 16u : 6u) : 0u));
    }
}

/* r of the stump "feature k is at least t", by the definition: a sum over pairs. */
static double stump(const double *pair, size_t k, float t)
{
    double sum = 0;
    for (size_t i = 0; i < ROWS; ++i)
        for (size_t j = 0; j < ROWS; ++j)
            if (y[i] && !y[j])
                sum += pair[i * ROWS + j] * ((x[i * COLUMNS + k] >= t) - (x[j * COLUMNS + k] >= t));
    return sum;
}

static void by_pairs(double *f)
{
    static double pair[ROWS * ROWS];
    memset(f, 0, ROWS * sizeof *f);
    for (int round = 0; round < ROUNDS; ++round) {
        double total = 0, best = 0;
        size_t feature = 0;
        float at = 0;
        for (size_t i = 0; i < ROWS; ++i)
            for (size_t j = 0; j < ROWS; ++j)
                if (y[i] && !y[j]) total += pair[i * ROWS + j] = exp(f[j] - f[i]);
        for (size_t i = 0; i < ROWS * ROWS; ++i) pair[i] /= total;
        for (size_t k = 0; k < COLUMNS; ++k)
            for (int t = 0; t < VALUES + 20; ++t) {
                const double r = stump(pair, k, (float)t);
                if (fabs(r) > fabs(best) + 1e-9) {
                    best = r;
                    feature = k;
                    at = (float)t;
                }
            }
        for (size_t i = 0; i < ROWS; ++i)
            if (x[i * COLUMNS + feature] >= at) f[i] += 0.5 * log((1 + best) / (1 - best));
    }
}

static void test_classic(void)
{
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        double f[ROWS], score[ROWS], shift = 0, worst = 0;
        scarce_table *table = NULL;
        scarce_params *params = NULL;
        scarce_model *model = NULL;
        scarce_scorer *scorer = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        make(seed);
        by_pairs(f);
        CHECK(scarce_table_from_floats(&table, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
        CHECK(scarce_params_new(&params, "rankboost", NULL) == SCARCE_OK);
        CHECK(scarce_params_set_list(params, "classic=true:n_trees=15", ':', NULL) == SCARCE_OK);
        CHECK(scarce_train(&model, table, params, NULL, NULL, NULL, &err) == SCARCE_OK);
        CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
        CHECK(scarce_scorer_table(scorer, table, score, NULL, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < ROWS; ++i) shift += (score[i] - f[i]) / ROWS;
        for (size_t i = 0; i < ROWS; ++i) worst = fmax(worst, fabs(score[i] - f[i] - shift));
        CHECK(worst < 1e-4);
        CHECK(!scarce_model_has_probability(model));
        scarce_scorer_free(scorer);
        scarce_model_free(model);
        scarce_params_free(params);
        scarce_table_free(table);
    }
}

/* A feature that parts the classes: one stump, a long but finite step. */
static void test_separable(void)
{
    scarce_table *table = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    make(9);
    for (size_t i = 0; i < ROWS; ++i) x[i * COLUMNS] = y[i] ? 2.0f : 1.0f;
    CHECK(scarce_table_from_floats(&table, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce_params_new(&params, "rankboost", NULL) == SCARCE_OK);
    CHECK(scarce_params_set_list(params, "classic=true:n_trees=5", ':', NULL) == SCARCE_OK);
    CHECK(scarce_train(&model, table, params, NULL, NULL, NULL, NULL) == SCARCE_OK);
    scarce_scorer *scorer = NULL;
    double score[ROWS];
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, table, score, NULL, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < ROWS; ++i) CHECK(isfinite(score[i]) && (score[i] > 0) == (y[i] != 0));
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(table);
}

static const test_case tests[] = {{"classic", test_classic}, {"separable", test_separable}};
TEST_MAIN(tests)
