/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of any type and order against the same rows one by one, categories given as numbers among them; what a
 * method can, and the rows of a resampling. */
#include <stdlib.h>

#include <scarce/model.h>
#include <scarce/resample.h>

#include "test.h"

enum { ROWS = 3000, WIDTH = 4 };

static double values[ROWS][WIDTH];
static uint8_t label[ROWS];

static scarce_table *make_table(void)
{
    static const char *const names[] = {"a", "k", "b", "c"};
    scarce_column columns[WIDTH + 1];
    const scarce_column none = SCARCE_COLUMN_INIT;
    scarce_table *t = NULL;

    for (size_t i = 0; i < ROWS; ++i) {
        const unsigned x = (unsigned)(i * 2654435761u) >> 7;
        values[i][0] = (double)(x % 1000) / 7;
        values[i][1] = (double)(x % 5) + (x % 3 == 0 ? 0.5 : 0);
        values[i][2] = x % 11 == 0 ? (double)NAN : (double)(x % 77);
        values[i][3] = (double)(x % 2);
        label[i] = x % 13 == 0 || (values[i][1] == 3 && x % 2);
    }
    for (size_t f = 0; f <= WIDTH; ++f) {
        columns[f] = none;
        columns[f].name = f < WIDTH ? names[f] : "y";
        columns[f].type = f < WIDTH ? SCARCE_TYPE_F64 : SCARCE_TYPE_U8;
        columns[f].items = f < WIDTH ? (const void *)&values[0][f] : label;
        columns[f].stride = f < WIDTH ? (ptrdiff_t)sizeof values[0] : 0;
        columns[f].role = f < WIDTH ? 0 : SCARCE_ROLE_LABEL;
    }
    columns[1].kind = SCARCE_COLUMN_CATEGORY;
    if (scarce_table_from_columns(&t, columns, WIDTH + 1, ROWS, NULL, NULL, NULL) != SCARCE_OK) abort();
    return t;
}

static void test_matrix(void)
{
    scarce_table *t = make_table();
    scarce_params *p = NULL;
    scarce_model *m = NULL;
    scarce_scorer *s = NULL;
    scarce_row *row = NULL;
    static double want[ROWS], got[ROWS], prob[ROWS], turned[WIDTH][ROWS];
    static const char *const names[] = {"a", "k", "b", "c"};
    scarce_error err = SCARCE_ERROR_INIT;

    CHECK(scarce_params_of_spec(&p, "gb:n_trees=7", NULL) == SCARCE_OK);
    CHECK(scarce_train(&m, t, p, NULL, NULL, NULL, &err) == SCARCE_OK);
    CHECK(scarce_scorer_new(&s, m, NULL) == SCARCE_OK && scarce_row_new(&row, m, NULL) == SCARCE_OK);
    values[5][1] = 99; /* a category it doesn't know */
    for (size_t i = 0; i < ROWS; ++i) {
        scarce_row_clear(row);
        for (size_t f = 0; f < WIDTH; ++f) {
            CHECK(scarce_row_number(row, names[f], values[i][f], NULL) == SCARCE_OK);
            turned[f][ROWS - 1 - i] = values[i][f];
        }
        want[i] = scarce_scorer_score(s, scarce_row_values(row));
    }
    CHECK(scarce_scorer_matrix(s, values, SCARCE_TYPE_F64, ROWS, sizeof values[0], 8, got, prob, NULL,
                               &err) == SCARCE_OK);
    CHECK(memcmp(got, want, sizeof got) == 0);
    CHECK(prob[7] == scarce_scorer_probability(s, got[7]));
    memset(got, 0, sizeof got); /* by columns, backwards, on threads */
    scarce_context *ctx = NULL;
    CHECK(scarce_context_new(&ctx, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_matrix(s, &turned[0][ROWS - 1], SCARCE_TYPE_F64, ROWS, -8, sizeof turned[0], got,
                               NULL, ctx, &err) == SCARCE_OK);
    CHECK(memcmp(got, want, sizeof got) == 0);
    CHECK(scarce_scorer_matrix(s, values, SCARCE_TYPE_TEXT, ROWS, 32, 8, got, NULL, ctx, &err) ==
          SCARCE_EINVAL);
    CHECK(scarce_scorer_matrix(s, NULL, SCARCE_TYPE_F64, 0, 32, 8, NULL, NULL, ctx, &err) == SCARCE_OK);
    scarce_context_free(ctx);
    scarce_row_free(row);
    scarce_scorer_free(s);
    scarce_model_free(m);
    scarce_params_free(p);
    scarce_table_free(t);
}

/* What is said of a method is what its model has. */
static void test_can(void)
{
    scarce_table *t = make_table();
    static const char *const specs[] = {
        "gb:n_trees=2", "gb:loss=ap-lb:n_trees=2",      "ap-lb:n_trees=2", "logistic",
        "linear-svm",   "gb:sample=balanced:n_trees=2", "focal:n_trees=2"};

    for (size_t i = 0; i < sizeof specs / sizeof *specs; ++i) {
        scarce_params *p = NULL;
        scarce_model *m = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        if (scarce_params_of_spec(&p, specs[i], &err) != SCARCE_OK) {
            fprintf(stderr, "%s: %s\n", specs[i], err.text);
            CHECK(0);
            continue;
        }
        CHECK(scarce_train(&m, t, p, NULL, NULL, NULL, &err) == SCARCE_OK);
        CHECK(m &&
              scarce_model_has_probability(m) == ((scarce_params_can(p) & SCARCE_METHOD_PROBABILITY) != 0));
        scarce_model_free(m);
        scarce_params_free(p);
    }
    CHECK(scarce_method_get(scarce_method_find("gb")).can & SCARCE_METHOD_ITERATES);
    scarce_table_free(t);
}

/* The rows are those of the table that resampling makes. */
static void test_rows(void)
{
    static const char *const specs[] = {"random-under:ratio=0.5", "random-over", "random-under:ratio=0.001",
                                        "random-under:replacement=true"};
    scarce_table *t = make_table();

    for (size_t i = 0; i < sizeof specs / sizeof *specs; ++i) {
        scarce_resample_info a = SCARCE_RESAMPLE_INFO_INIT, b = SCARCE_RESAMPLE_INFO_INIT;
        scarce_table *made = NULL, *chosen = NULL;
        uint32_t *rows = NULL;
        size_t n;
        CHECK(scarce_resample(&made, NULL, &a, t, specs[i], NULL, NULL) == SCARCE_OK);
        CHECK(scarce_resample_rows(&rows, &n, &b, t, specs[i], NULL, NULL) == SCARCE_OK);
        CHECK(scarce_table_rows_of(&chosen, t, rows, n, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_table_fingerprint(made) == scarce_table_fingerprint(chosen));
        CHECK(a.odds_factor == b.odds_factor && a.factor_holds == b.factor_holds);
        scarce_resample_rows_free(rows);
        scarce_table_free(made);
        scarce_table_free(chosen);
    }
    scarce_table_free(t);
}

static const test_case tests[] = {{"matrix", test_matrix}, {"can", test_can}, {"rows", test_rows}};
TEST_MAIN(tests)
