/* SPDX-License-Identifier: Apache-2.0 */
/* The spread of features: none against itself, a known one against shares worked out by hand, through bytes, for numbers,
 * categories, sparse and missing values; and in a model. */
#include <math.h>
#include <stdlib.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "data/profile.h"
#include "test.h"
#include "unit/lcg.h"
#include "unit/method_tables.h"

static void test_psi(void)
{
    const double a[] = {500, 300, 200}, b[] = {2000, 5000, 3000};
    double want = 0;
    for (int i = 0; i < 3; ++i) {
        const double p = (a[i] + 0.5) / 1001.5, q = (b[i] + 0.5) / 10001.5;
        want += (p - q) * log(p / q);
    }
    CHECK_NEAR(scarce__psi(a, b, 3), want - 2 * (1 / 1000.0 + 1 / 10000.0), 1e-12);
    CHECK(scarce__psi(a, a, 3) == 0);
    const double none[] = {0, 0, 0};
    CHECK(isnan(scarce__psi(a, none, 3)));
}

/* Rows whose number, category and missing values shift by `shift`. */
static scarce_table *rows_of(size_t n, size_t shift, uint64_t seed, const scarce_table *like)
{
    char *text = malloc(n * 64 + 100);
    size_t at = (size_t)sprintf(text, "same,moved,shop,gaps,label\n");
    lcg r = lcg_start(seed);
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    for (size_t i = 0; i < n; ++i) {
        at += (size_t)sprintf(text + at, "%zu,%zu,s%zu,", lcg_below(&r, 1000),
                              lcg_below(&r, 1000) + 400 * shift,
                              lcg_below(&r, 4) + 30 * shift * (size_t)(lcg_below(&r, 2) == 0));
        if (lcg_below(&r, 10) >= 4 * shift) at += (size_t)sprintf(text + at, "%zu", lcg_below(&r, 50));
        at += (size_t)sprintf(text + at, ",%d\n", lcg_below(&r, 5) == 0);
    }
    if (like) o.schema = &like->schema;
    CHECK(scarce_table_read_bytes(&t, text, at, NULL, &o, NULL, NULL) == SCARCE_OK);
    free(text);
    return t;
}

static void test_drift(void)
{
    scarce_table *train = rows_of(5000, 0, 1, NULL), *like = rows_of(3000, 0, 2, train),
                 *moved = rows_of(3000, 1, 3, train);
    scarce__profile *p = NULL, *again = NULL;
    scarce__writer w = {0};
    double x[4], y[4];
    CHECK(scarce__profile_of(&p, train, NULL) == SCARCE_OK && p);
    CHECK(scarce__profile_drift(x, p, like, NULL) == SCARCE_OK);
    for (int f = 0; f < 4; ++f) CHECK(x[f] >= 0 && x[f] < 0.02);
    CHECK(scarce__profile_drift(x, p, moved, NULL) == SCARCE_OK);
    CHECK(x[0] < 0.02 && x[1] > 0.5 && x[2] > 0.5 && x[3] > 0.25);
    scarce__profile_write(p, &train->schema, &w);
    scarce__reader r = scarce__reader_of(w.bytes, w.n);
    CHECK(scarce__profile_read(&again, &train->schema, &r, NULL) == SCARCE_OK && !r.failed && r.at == r.end);
    CHECK(scarce__profile_drift(y, again, moved, NULL) == SCARCE_OK);
    CHECK(memcmp(x, y, sizeof x) == 0);
    scarce__profile_free(again);
    for (size_t cut = 0; cut < w.n; ++cut) {
        scarce__reader half = scarce__reader_of(w.bytes, cut);
        CHECK(scarce__profile_read(&again, &train->schema, &half, NULL) == SCARCE_OK && half.failed);
        scarce__profile_free(again);
    }
    scarce__writer_deinit(&w);
    scarce__profile_free(p);
    scarce_table_free(train);
    scarce_table_free(like);
    scarce_table_free(moved);
}

static void test_model(void)
{
    scarce_table *train = rows_of(900, 0, 1, NULL), *moved = rows_of(900, 1, 3, train);
    scarce_table *words = make_table_of(TABLE_WORDS, 700, 1, NULL);
    scarce_params *params = NULL;
    scarce_model *m = NULL, *read = NULL;
    void *bytes = NULL;
    size_t n;
    double x[40], y[40];
    CHECK(scarce_params_new(&params, "logistic", NULL) == SCARCE_OK);
    CHECK(scarce_train(&m, train, params, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_model_bytes(&bytes, &n, m, NULL) == SCARCE_OK);
    CHECK(scarce_model_read(&read, bytes, n, "m", NULL) == SCARCE_OK);
    CHECK(scarce_model_drift(x, m, moved, NULL) == SCARCE_OK &&
          scarce_model_drift(y, read, moved, NULL) == SCARCE_OK);
    CHECK(memcmp(x, y, 4 * sizeof *x) == 0 && x[1] > 0.5);
    CHECK(scarce_model_drift(x, m, words, NULL) == SCARCE_EDATA);
    scarce_model_free(m);
    scarce_model_free(read);
    scarce_bytes_free(bytes);
    CHECK(scarce_train(&m, words, params, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_model_drift(x, m, words, NULL) == SCARCE_OK);
    for (size_t f = 0; f < scarce_table_features(words); ++f) CHECK(x[f] == 0);
    scarce_model_free(m);
    scarce_params_free(params);
    scarce_table_free(train);
    scarce_table_free(moved);
    scarce_table_free(words);
}

static const test_case tests[] = {{"psi", test_psi}, {"drift", test_drift}, {"model", test_model}};

TEST_MAIN(tests)
