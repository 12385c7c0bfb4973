/* SPDX-License-Identifier: Apache-2.0 */
/* Many rows at once against one at a time, and rows by names against tables read with the model's schema. */
#include <stdlib.h>

#include <scarce/model.h>

#include "core/random.h"
#include "test.h"
#include "unit/models.h"

enum { ROWS = 5000 };

static scarce_scorer *scorer_of(const scarce_model *m)
{
    scarce_scorer *s = NULL;
    must(scarce_scorer_new(&s, m, NULL) == SCARCE_OK);
    return s;
}

/* ---- rows of floats */

static void check_rows(const scarce_model *m, size_t n, size_t stride, scarce_context *ctx)
{
    const size_t step = stride ? stride : MODEL_FEATURES;
    scarce_scorer *s = scorer_of(m);
    /* a block of exactly the floats there are: the last row ends where its features end */
    float *rows = malloc(((n - 1) * step + MODEL_FEATURES) * sizeof *rows);
    double *score = malloc(n * sizeof *score), *probability = malloc(n * sizeof *probability);
    size_t wrong = 0;

    must(rows && score && probability);
    for (size_t i = 0; i < (n - 1) * step + MODEL_FEATURES; ++i) rows[i] = -77;
    for (size_t i = 0; i < n; ++i) model_row(rows + i * step, i);
    CHECK(scarce_scorer_rows(s, rows, n, stride, score, probability, ctx, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) {
        const double want = scarce_scorer_score(s, rows + i * step), p = scarce_scorer_probability(s, want);
        wrong += memcmp(&want, &score[i], sizeof want) != 0;
        wrong += memcmp(&p, &probability[i], sizeof p) != 0 && !(isnan(p) && isnan(probability[i]));
    }
    CHECK(wrong == 0);
    memset(score, 0, n * sizeof *score);
    CHECK(scarce_scorer_rows(s, rows, n, stride, score, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(score[n - 1] == scarce_scorer_score(s, rows + (n - 1) * step));
    free(rows);
    free(score);
    free(probability);
    scarce_scorer_free(s);
}

static void test_rows(void)
{
    static const size_t counts[] = {1, 7, 8, 9, 300, 2048, 2049, ROWS}, strides[] = {0, 3, 4, 17};
    scarce_model *models[4] = {linear_model(), tree_model(5, 3), tree_model(3, 7), tree_model(2, 9)};

    models[1]->has_probability = 0;
    for (int threads = 1; threads <= 4; threads *= 2) {
        scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        o.threads = threads;
        CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
        for (int k = 0; k < 4; ++k)
            for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
                check_rows(models[k], counts[i], strides[(i + (size_t)k) % 4], ctx);
        scarce_context_free(ctx);
    }
    for (int k = 0; k < 4; ++k) scarce_model_free(models[k]);
}

static void test_rows_refused(void)
{
    scarce_model *m = linear_model();
    scarce_scorer *s = scorer_of(m);
    scarce_error err = SCARCE_ERROR_INIT;
    const float row[3] = {0};
    double score = 5;

    CHECK(scarce_scorer_rows(s, NULL, 0, 0, NULL, NULL, NULL, &err) == SCARCE_OK); /* no rows, no work */
    CHECK(scarce_scorer_rows(s, row, 1, 2, &score, NULL, NULL, &err) == SCARCE_EINVAL && score == 5);
    CHECK_TEXT(err.text, "rows 2 floats apart; the model has 3 features");
    CHECK(scarce_scorer_rows(s, NULL, 1, 0, &score, NULL, NULL, &err) == SCARCE_EINVAL);
    CHECK(scarce_scorer_rows(s, row, 1, 0, NULL, NULL, NULL, &err) == SCARCE_EINVAL);
    scarce_scorer_free(s);
    scarce_model_free(m);
}

/* ---- rows by names */

static const char *const shops[] = {"food", "fuel", "toys", "\xc3\xa9tape", "new", "1", "2.50", "1e3", ""};

/* The models of models.h, with categories that are numbers. */
static scarce_model *model_with_numbers(int trees)
{
    static const char *const more[] = {"1", "2.50", "1e3", "-0.0"};
    scarce_model *m = trees ? tree_model(20, 5) : linear_model();
    scarce__dictionary *d = &m->schema.features[1].categories;
    if (!trees) return m; /* a linear body has as many weights as categories */
    for (int i = 0; i < 4; ++i) must(scarce__dictionary_add(d, more[i], strlen(more[i])) != SIZE_MAX);
    return m;
}

/* Each record as a line of a file that is read with the schema, and by names in any order. */
static void test_names(void)
{
    for (int trees = 0; trees < 2; ++trees) {
        scarce_model *m = model_with_numbers(trees);
        scarce_scorer *s = scorer_of(m);
        scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, 0);
        scarce_row *row = NULL;
        CHECK(scarce_row_new(&row, m, NULL) == SCARCE_OK);
        for (int i = 0; i < 400; ++i) {
            char text[300], number[2][40];
            const char *shop = shops[scarce__random_below(&r, sizeof shops / sizeof *shops)];
            const int missing = scarce__random_below(&r, 5) == 0;
            scarce_field fields[4] = {{"amount", NULL, (double)(float)scarce__random_normal(&r)},
                                      {"shop", shop, 0},
                                      {"count", NULL, (double)scarce__random_below(&r, 3)},
                                      {"id of the record", "abc", 0}};
            scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
            scarce_table *t = NULL;
            const char *first = NULL;
            double want, got;

            if (missing) fields[0].number = (double)NAN;
            for (int k = 0; k < 2; ++k) snprintf(number[k], sizeof number[k], "%.9g", fields[2 * k].number);
            snprintf(text, sizeof text, "shop,count,id,amount\n\"%s\",%s,abc,%s\n", shop, number[1],
                     missing ? "" : number[0]);
            ro.schema = scarce_model_schema(m);
            CHECK(scarce_table_read_bytes(&t, text, strlen(text), NULL, &ro, NULL, NULL) == SCARCE_OK);
            CHECK(scarce_scorer_table(s, t, &want, NULL, NULL, NULL) == SCARCE_OK);
            scarce_table_free(t);

            for (size_t k = 3; k > 0; --k) { /* in any order */
                const size_t j = (size_t)scarce__random_below(&r, k + 1);
                const scarce_field swap = fields[k];
                fields[k] = fields[j];
                fields[j] = swap;
            }
            CHECK(scarce_row_set(row, fields, 4, NULL) == SCARCE_OK);
            got = scarce_scorer_score(s, scarce_row_values(row));
            CHECK(memcmp(&got, &want, sizeof got) == 0);
            CHECK(scarce_row_unknown(row, &first) == 1 && scarce_row_unset(row, NULL, 0) == 0);
            CHECK_TEXT(first, "id of the record");

            /* the same, one by one; numbers as texts */
            scarce_row_clear(row);
            CHECK(scarce_row_text(row, "amount", missing ? NULL : number[0], NULL) == SCARCE_OK);
            CHECK(scarce_row_text(row, "count", number[1], NULL) == SCARCE_OK);
            CHECK(scarce_row_text(row, "shop", shop, NULL) == SCARCE_OK);
            got = scarce_scorer_score(s, scarce_row_values(row));
            CHECK(memcmp(&got, &want, sizeof got) == 0);
        }
        scarce_row_free(row);
        scarce_scorer_free(s);
        scarce_model_free(m);
    }
}

static void test_numbers_as_categories(void)
{
    static const struct {
        double value;
        size_t code; /* as scarce_schema_code_number finds it too */
    } cases[] = {
        {1, 5},  {2.5, 6}, {1000, 7}, {0, 8}, {-0.0, 8}, {-1, 9}, {1.5, 9}, {1e30, 9}, {(double)INFINITY, 9},
        {0.1, 9}};
    scarce_model *m = model_with_numbers(1);
    scarce_row *row = NULL;

    CHECK(scarce_row_new(&row, m, NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        CHECK(scarce_row_number(row, "shop", cases[i].value, NULL) == SCARCE_OK);
        CHECK(scarce_row_values(row)[1] == (float)cases[i].code);
        CHECK(scarce_schema_code_number(scarce_model_schema(m), 1, cases[i].value) == cases[i].code);
    }
    CHECK(scarce_row_number(row, "shop", (double)NAN, NULL) == SCARCE_OK && isnan(scarce_row_values(row)[1]));
    scarce_row_free(row);
    scarce_model_free(m);
}

static void test_told(void)
{
    scarce_model *m = linear_model();
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_row *row = NULL;
    const char *first = "";
    size_t unset[3] = {9, 9, 9};
    char name[200];

    CHECK(scarce_row_new(&row, m, NULL) == SCARCE_OK);
    CHECK(isnan(scarce_row_values(row)[0]) && isnan(scarce_row_values(row)[1]));
    CHECK(scarce_row_values(row)[2] == 0); /* sparse */
    CHECK(scarce_row_unknown(row, &first) == 0 && first == NULL);
    CHECK(scarce_row_unset(row, unset, 3) == 2 && unset[0] == 0 && unset[1] == 1 && unset[2] == 9);
    CHECK(scarce_row_number(row, "amonut", 3, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "the model has no feature \"amonut\" (the nearest name is \"amount\")");
    CHECK(scarce_row_text(row, "zzzzzzzzzz", "x", &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "the model has no feature \"zzzzzzzzzz\"");
    CHECK(scarce_row_number(row, "", 3, NULL) == SCARCE_EDATA);
    CHECK(scarce_row_unknown(row, &first) == 3);
    CHECK_TEXT(first, "amonut");
    CHECK(scarce_row_number(row, "amount", 3, &err) == SCARCE_OK);
    CHECK(scarce_row_text(row, "amount", "much", &err) == SCARCE_EDATA && scarce_row_values(row)[0] == 3);
    CHECK_TEXT(err.text, "feature \"amount\" is a number, not \"much\"");
    CHECK(scarce_row_text(row, "amount", "1e99", &err) == SCARCE_EDATA && scarce_row_values(row)[0] == 3);
    CHECK(scarce_row_unset(row, unset, 1) == 1 && unset[0] == 1);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK(scarce_row_set(row, &(scarce_field){name, NULL, 1}, 1, &err) == SCARCE_OK);
    CHECK(scarce_row_unknown(row, &first) == 1 && strlen(first) == 79);
    CHECK(scarce_row_unset(row, NULL, 0) == 2 && isnan(scarce_row_values(row)[0]));
    CHECK(scarce_row_set(row, &(scarce_field){"amount", "x", 0}, 1, &err) == SCARCE_EDATA);
    scarce_row_free(row);
    scarce_row_free(NULL);
    scarce_model_free(m);
}

static const test_case tests[] = {{"rows", test_rows},
                                  {"rows_refused", test_rows_refused},
                                  {"names", test_names},
                                  {"numbers_as_categories", test_numbers_as_categories},
                                  {"told", test_told}};
TEST_MAIN(tests)
