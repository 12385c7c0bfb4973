/* SPDX-License-Identifier: Apache-2.0 */
/* Many categories that mean nothing must not be split on: the gain that sorting them has by chance is taken
 * off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boost/boost.h"
#include "core/random.h"
#include "data/table.h"
#include "eval/ap.h"
#include "test.h"

enum { ROWS = 20000, CATEGORIES = 200 };

/* x decides the label (1.5 % positives); c is one of 200 categories, of which `loaded` many are ten times as
 * risky. */
static scarce_table *make_table(uint64_t seed, int32_t loaded)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 1);
    static float x[ROWS];
    static uint8_t y[ROWS];
    scarce_table *t = NULL;
    int32_t *code = malloc(ROWS * sizeof *code);

    for (int i = 0; i < ROWS; ++i) {
        code[i] = (int32_t)scarce__random_below(&r, CATEGORIES);
        x[i] = (float)scarce__random_normal(&r);
        const double odds = 0.01 * exp((double)x[i]) * (code[i] < loaded ? 10 : 1);
        y[i] = scarce__random_unit(&r) < odds / (1 + odds);
    }
    CHECK(scarce_table_from_floats(&t, x, ROWS, 1, NULL, y, NULL) == SCARCE_OK);
    t->columns = realloc(t->columns, 2 * sizeof *t->columns);
    t->schema.features = realloc(t->schema.features, 2 * sizeof *t->schema.features);
    memset(&t->schema.features[1], 0, sizeof t->schema.features[1]);
    t->schema.n_features = 2;
    t->schema.features[1].name = strdup("c");
    t->schema.features[1].kind = SCARCE_COLUMN_CATEGORY;
    for (int c = 0; c < CATEGORIES; ++c) {
        char name[8];
        snprintf(name, sizeof name, "c%d", c);
        CHECK(scarce__dictionary_add(&t->schema.features[1].categories, name, strlen(name)) == (size_t)c);
    }
    t->columns[1].code = code;
    return t;
}

/* AP on new rows. use: 0 leaves the column out. */
static double ap_of(int32_t loaded, double penalty, int use)
{
    scarce_table *t = make_table(7, loaded), *fresh = make_table(8, loaded);
    const scarce__boost_data train = {.table = t}, valid = {.table = fresh};
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__forest forest;
    float *score = malloc(ROWS * sizeof *score);
    double ap = NAN;

    if (!use)
        for (int i = 0; i < ROWS; ++i) t->columns[1].code[i] = fresh->columns[1].code[i] = 0;
    scarce__boost_options_init(&o);
    o.n_trees = 50;
    o.grow.max_leaves = 8;
    o.grow.rules.category_penalty = penalty;
    o.valid_score = score;
    CHECK(scarce__boost_train(&forest, &train, &valid, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__ap_fast_f32(&ap, score, fresh->label, NULL, ROWS, NULL, NULL) == SCARCE_OK);
    scarce__forest_deinit(&forest);
    scarce_table_free(t);
    scarce_table_free(fresh);
    free(score);
    return ap;
}

static void test_noise_is_left_alone(void)
{
    const double without = ap_of(0, 1, 0), plain = ap_of(0, 0, 1), corrected = ap_of(0, 1, 1);
    CHECK(plain < 0.85 * without); /* noise costs a lot */
    CHECK(corrected > 0.97 * without);
}

static void test_signal_is_found(void)
{
    const double without = ap_of(6, 1, 0), plain = ap_of(6, 0, 1), corrected = ap_of(6, 1, 1);
    CHECK(corrected > 1.3 * without);
    CHECK(corrected > plain);
}

static const test_case tests[] = {
    {"noise_is_left_alone", test_noise_is_left_alone},
    {"signal_is_found", test_signal_is_found},
};
TEST_MAIN(tests)
