/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring of linear models: against the plain sum, bits of row and table, hostile values. */
#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "linear/linear.h"
#include "test.h"
#include "unit/tables.h"

/* 7 features: number, category of 3, number, number, category of 1, number, number */
static const size_t begins[] = {0, 0, 5, 5, 5, 8, 8, 8};

static void make_model(scarce__linear *m, size_t n, int categories, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 1);
    CHECK(scarce__linear_alloc(m, n, categories ? begins : NULL, NULL) == SCARCE_OK);
    m->bias = scarce__random_normal(&r);
    for (size_t f = 0; f < n; ++f) {
        if (m->slot_begin[f + 1] > m->slot_begin[f]) continue;
        m->weight[f] = scarce__random_normal(&r);
        m->missing_weight[f] = scarce__random_normal(&r);
    }
    for (size_t s = 0; s < m->n_slots; ++s) m->slot_weight[s] = scarce__random_normal(&r);
    CHECK(scarce__linear_check(m, NULL) == SCARCE_OK);
}

static void test_plain_sum(void)
{
    for (size_t n = 1; n < 40; ++n) {
        scarce__linear m;
        float row[40];
        scarce__random r = scarce__random_start(n, SCARCE__FOR_TEST, 2);
        make_model(&m, n, 0, n);
        for (int k = 0; k < 10; ++k) {
            double want = m.bias;
            for (size_t f = 0; f < n; ++f) {
                row[f] = (float)scarce__random_normal(&r);
                if (k % 2 && scarce__random_below(&r, 5) == 0) row[f] = k == 3 ? INFINITY : NAN;
                want += isfinite(row[f]) ? m.weight[f] * (double)row[f] : m.missing_weight[f];
            }
            CHECK_NEAR(scarce__linear_score(&m, row), want, 1e-12);
        }
        scarce__linear_deinit(&m);
    }
}

static void test_categories(void)
{
    scarce__linear m;
    float row[7] = {0, 0, 0, 0, 0, 0, 0};
    make_model(&m, 7, 1, 5);
    const double base = m.bias + m.slot_weight[5];
    for (int code = 0; code < 3; ++code) {
        row[1] = (float)code;
        CHECK_NEAR(scarce__linear_score(&m, row), base + m.slot_weight[code], 1e-14);
    }
    const float unknown[] = {3, 4, 1e9f, INFINITY};
    for (int k = 0; k < 4; ++k) {
        row[1] = unknown[k];
        CHECK_NEAR(scarce__linear_score(&m, row), base + m.slot_weight[3], 1e-14);
    }
    const float missing[] = {NAN, -1, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        row[1] = missing[k];
        CHECK_NEAR(scarce__linear_score(&m, row), base + m.slot_weight[4], 1e-14);
    }
    row[2] = NAN;
    CHECK_NEAR(scarce__linear_score(&m, row), base + m.slot_weight[4] + m.missing_weight[2], 1e-14);
    scarce__linear_deinit(&m);
}

static void test_table_has_the_same_bits(void)
{
    enum { ROWS = 3000 };
    static float x[ROWS * 7];
    static double score[ROWS], again[ROWS];
    scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, 3);
    scarce__linear m;
    scarce_table *t = NULL;
    scarce_context *ctx = NULL;
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    make_model(&m, 7, 1, 6);
    for (size_t i = 0; i < ROWS; ++i) {
        for (size_t f = 0; f < 7; ++f) {
            float v = (float)scarce__random_normal(&r);
            if (f == 1) v = (float)scarce__random_below(&r, 4);
            if (f == 4) v = (float)scarce__random_below(&r, 2);
            if (f == 5 && scarce__random_below(&r, 4)) v = 0;
            x[i * 7 + f] = scarce__random_below(&r, 10) == 0 ? NAN : v;
        }
    }
    CHECK(scarce_table_from_floats(&t, x, ROWS, 7, NULL, NULL, NULL) == SCARCE_OK);
    to_category(t, 1, 3);
    to_category(t, 4, 1);
    to_sparse(t, 5);
    o.threads = 3;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    scarce__linear_score_table(&m, t, score, NULL);
    scarce__linear_score_table(&m, t, again, ctx);
    for (size_t i = 0; i < ROWS; ++i) {
        CHECK(score[i] == scarce__linear_score(&m, x + i * 7));
        CHECK(score[i] == again[i]);
    }
    scarce_context_free(ctx);
    scarce_table_free(t);
    scarce__linear_deinit(&m);
}

static void test_check_refuses(void)
{
    scarce__linear m;
    make_model(&m, 7, 1, 7);
    const double saved = m.weight[2];
    const double bad[] = {NAN, INFINITY, 1e251};
    for (int k = 0; k < 3; ++k) {
        m.weight[2] = bad[k];
        CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
        m.weight[2] = saved;
        m.slot_weight[3] = bad[k];
        CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
        m.slot_weight[3] = 0;
        m.bias = bad[k];
        CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
        m.bias = 0;
        m.missing_weight[0] = bad[k];
        CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
        m.missing_weight[0] = 0;
    }
    CHECK(scarce__linear_check(&m, NULL) == SCARCE_OK);
    /* the largest allowed numbers still give a finite score */
    float row[7];
    for (size_t f = 0; f < 7; ++f) {
        m.weight[f] = f % 2 ? -1e250 : 1e250;
        row[f] = 3.4e38f;
    }
    CHECK(isfinite(scarce__linear_score(&m, row)));
    m.slot_begin[1] = 100;
    CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
    m.slot_begin[1] = 4; /* one slot for the second feature */
    CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
    m.slot_begin[1] = 0;
    m.slot_begin[0] = 1;
    CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
    m.slot_begin[0] = 0;
    m.n_slots = 7;
    CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA);
    scarce__linear_deinit(&m);
    CHECK(scarce__linear_check(&m, NULL) == SCARCE_EDATA); /* no arrays */
    scarce__linear_deinit(NULL);
    CHECK(scarce__linear_alloc(&m, SIZE_MAX / 8, NULL, NULL) == SCARCE_EDATA);
}

static const test_case tests[] = {
    {"plain_sum", test_plain_sum},
    {"categories", test_categories},
    {"table_has_the_same_bits", test_table_has_the_same_bits},
    {"check_refuses", test_check_refuses},
};
TEST_MAIN(tests)
