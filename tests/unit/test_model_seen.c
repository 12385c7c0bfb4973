/* SPDX-License-Identifier: Apache-2.0 */
/* A model knows its training rows again, in any order, and no others; cut points say what is high. */
#include <stdlib.h>

#include <scarce/scarce.h>

#include "core/random.h"
#include "test.h"

enum { ROWS = 2000, COLUMNS = 3 };

static scarce_table *make_table(uint64_t seed, size_t n, size_t skip)
{
    float *values = malloc(n * COLUMNS * sizeof *values);
    uint8_t *label = malloc(n);
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 0);
    scarce_table *t = NULL;

    for (size_t i = 0; i < n + skip; ++i) {
        float row[COLUMNS];
        for (size_t c = 0; c < COLUMNS; ++c) row[c] = (float)scarce__random_unit(&r);
        if (i % 9 == 0) row[1] = NAN;
        if (i % 5 == 0) row[2] = 0;
        if (i < skip) continue;
        memcpy(values + (i - skip) * COLUMNS, row, sizeof row);
        label[i - skip] = row[0] > 0.8f;
    }
    CHECK(scarce_table_from_floats(&t, values, n, COLUMNS, NULL, label, NULL) == SCARCE_OK);
    free(values);
    free(label);
    return t;
}

static scarce_model *train(const scarce_table *t, scarce_context *ctx)
{
    scarce_params *params = NULL;
    scarce_model *m = NULL;

    CHECK(scarce_params_of_spec(&params, "gb:n_trees=20", NULL) == SCARCE_OK);
    CHECK(scarce_train(&m, t, params, NULL, NULL, ctx, NULL) == SCARCE_OK);
    scarce_params_free(params);
    return m;
}

static double seen(const scarce_model *m, const scarce_table *t)
{
    double share = -1;
    CHECK(scarce_model_seen(&share, m, t, NULL) == SCARCE_OK);
    return share;
}

static void test_seen(void)
{
    scarce_context *ctx = NULL;
    scarce_table *t = make_table(1, ROWS, 0), *other = make_table(2, ROWS, 0),
                 *half = make_table(1, ROWS, ROWS / 2), *mixed = NULL;
    uint32_t rows[ROWS];
    scarce_model *m;

    CHECK(scarce_context_new(&ctx, NULL, NULL) == SCARCE_OK);
    m = train(t, ctx);
    for (uint32_t i = 0; i < ROWS; ++i) rows[i] = ROWS - 1 - i;
    CHECK(scarce_table_rows_of(&mixed, t, rows, ROWS, ctx, NULL) == SCARCE_OK);
    CHECK(seen(m, t) == 1 && seen(m, mixed) == 1);
    CHECK(seen(m, other) == 0);
    CHECK_NEAR(seen(m, half), 0.5, 0.2); /* its second half is new */
    scarce_model_free(m);
    scarce_table_free(t);
    scarce_table_free(other);
    scarce_table_free(half);
    scarce_table_free(mixed);
    scarce_context_free(ctx);
}

/* The share of cut points below a value rises with it, from 0 to 1. */
static void test_spread(void)
{
    scarce_context *ctx = NULL;
    scarce_table *t = make_table(3, ROWS, 0);
    scarce_spread *s = NULL;
    scarce_model *m;
    double last = -1;

    CHECK(scarce_context_new(&ctx, NULL, NULL) == SCARCE_OK);
    m = train(t, ctx);
    CHECK(scarce_spread_new(&s, m, NULL) == SCARCE_OK);
    for (int i = 0; i <= 20; ++i) {
        const double below = scarce_spread_below(s, 0, (float)i / 20);
        CHECK(below >= last && below >= 0 && below <= 1);
        last = below;
    }
    CHECK(scarce_spread_below(s, 0, -1) == 0 && scarce_spread_below(s, 0, 2) == 1);
    CHECK(isnan(scarce_spread_below(s, 0, NAN)) && isnan(scarce_spread_below(s, 99, 1)));
    scarce_spread_free(s);
    scarce_spread_free(NULL);
    scarce_model_free(m);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

static const test_case tests[] = {
    {"seen", test_seen},
    {"spread", test_spread},
};
TEST_MAIN(tests)
