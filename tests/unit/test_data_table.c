/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "test.h"

static void test_dictionary_numbers_in_order(void)
{
    scarce__dictionary d, copy;
    memset(&d, 0, sizeof d);
    CHECK(scarce__dictionary_find(&d, "x", 1) == SIZE_MAX);
    CHECK(scarce__dictionary_text(&d, 0) == NULL);
    CHECK(scarce__dictionary_copy(&copy, &d, NULL) == SCARCE_OK && copy.count == 0);
    CHECK(scarce__dictionary_add(&d, "b", 1) == 0);
    CHECK(scarce__dictionary_add(&d, "", 0) == 1);
    CHECK(scarce__dictionary_add(&d, "b", 1) == 0);
    CHECK(scarce__dictionary_add(&d, "bb", 2) == 2);
    CHECK(scarce__dictionary_add(&d, "bb", 1) == 0); /* the length counts, not the NUL */
    CHECK(scarce__dictionary_add(&d, "b\0", 2) == 3);
    CHECK(scarce__dictionary_find(&d, "", 0) == 1);
    CHECK_TEXT(scarce__dictionary_text(&d, 2), "bb");
    CHECK_TEXT(scarce__dictionary_text(&d, 1), "");
    CHECK(scarce__dictionary_text(&d, 4) == NULL);
    scarce__dictionary_deinit(&d);
    scarce__dictionary_deinit(&d);
}

/* Texts that differ in one place only, of all lengths around the hash's words, and many numbers. */
static void test_dictionary_many(void)
{
    enum { MANY = 200000 };
    scarce__dictionary d, copy;
    size_t wrong = 0, most = 0, run = 0;
    char text[64];

    memset(&d, 0, sizeof d);
    for (size_t i = 0; i < MANY; ++i) {
        const int n = snprintf(text, sizeof text, "%*zu", (int)(i % 29), i);
        wrong += scarce__dictionary_add(&d, text, (size_t)n) != i;
    }
    CHECK(d.count == MANY);
    CHECK(scarce__dictionary_copy(&copy, &d, NULL) == SCARCE_OK);
    for (size_t i = 0; i < MANY; ++i) {
        const int n = snprintf(text, sizeof text, "%*zu", (int)(i % 29), i);
        wrong += scarce__dictionary_add(&d, text, (size_t)n) != i;
        wrong += scarce__dictionary_find(&copy, text, (size_t)n) != i;
        wrong += strcmp(scarce__dictionary_text(&copy, i), text) != 0;
        text[n - 1] = (char)(text[n - 1] + 20);
        wrong += scarce__dictionary_find(&copy, text, (size_t)n) != SIZE_MAX;
    }
    CHECK(wrong == 0);
    /* the longest run of full slots tells whether the hash spreads: about ln(n)/(load terms),
     * never hundreds */
    for (size_t s = 0; s < d.n_slots; ++s) {
        run = d.slots[s] ? run + 1 : 0;
        if (run > most) most = run;
    }
    CHECK(most < 200);
    wrong = 0;
    for (size_t i = 0; i < 1000; ++i) { /* a copy goes on growing by itself */
        const int n = snprintf(text, sizeof text, "new %zu", i);
        wrong += scarce__dictionary_add(&copy, text, (size_t)n) != MANY + i;
    }
    CHECK(wrong == 0 && d.count == MANY);
    scarce__dictionary_deinit(&d);
    scarce__dictionary_deinit(&copy);
}

static void test_from_floats(void)
{
    const float values[] = {1, 2, 3, 4, (float)NAN, 6};
    const uint8_t label[] = {0, 1, 0};
    const uint8_t bad[] = {0, 2, 0};
    const char *names[] = {"a", "b"}, *equal[] = {"a", "a"};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;

    CHECK(scarce_table_from_floats(&t, values, 3, 2, names, label, &err) == SCARCE_OK);
    CHECK(scarce_table_rows(t) == 3 && scarce_table_features(t) == 2 && scarce_table_positives(t) == 1);
    CHECK(scarce_table_numbers(t, 0)[1] == 3 && scarce_table_numbers(t, 1)[1] == 4);
    CHECK(isnan(scarce_table_numbers(t, 0)[2]) && scarce_table_numbers(t, 1)[2] == 6);
    CHECK(scarce_table_numbers(t, 2) == NULL && scarce_table_codes(t, 0) == NULL);
    CHECK(memcmp(scarce_table_label(t), label, 3) == 0);
    CHECK(!scarce_table_weight(t) && !scarce_table_time(t) && !scarce_table_amount(t) &&
          !scarce_table_group(t));
    CHECK(scarce_table_group_name(t, 0) == NULL && scarce_table_group_name(t, -1) == NULL);
    CHECK(scarce_table_bytes(t) >= 3 * 2 * sizeof(float) + 3);
    const scarce_schema *s = scarce_table_schema(t);
    CHECK(scarce_schema_features(s) == 2);
    CHECK_TEXT(scarce_schema_name(s, 1), "b");
    CHECK_TEXT(scarce_schema_label(s), "label");
    CHECK_TEXT(scarce_schema_positive(s), "1");
    CHECK(scarce_schema_find(s, "b") == 1 && scarce_schema_find(s, "c") == SIZE_MAX);
    CHECK(scarce_schema_kind(s, 0) == SCARCE_COLUMN_NUMERIC && scarce_schema_categories(s, 0) == 0);
    CHECK(scarce_schema_name(s, 2) == NULL && scarce_schema_category(s, 0, 0) == NULL);
    scarce_table_free(t);

    CHECK(scarce_table_from_floats(&t, values, 2, 3, NULL, NULL, &err) == SCARCE_OK);
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 2), "3");
    CHECK(!scarce_table_label(t) && scarce_schema_label(scarce_table_schema(t)) == NULL);
    scarce_table_free(t);
    scarce_table_free(NULL);

    CHECK(scarce_table_from_floats(&t, values, 0, 3, NULL, NULL, &err) == SCARCE_EINVAL && !t);
    CHECK(scarce_table_from_floats(&t, values, 3, 0, NULL, NULL, &err) == SCARCE_EINVAL && !t);
    CHECK(scarce_table_from_floats(&t, values, SIZE_MAX, 1, NULL, NULL, &err) == SCARCE_EINVAL && !t);
    CHECK(scarce_table_from_floats(&t, values, 3, 2, NULL, bad, &err) == SCARCE_EDATA && !t);
    CHECK_TEXT(err.text, "label 2 of row 2, expected 0 or 1");
    CHECK(scarce_table_from_floats(&t, values, 3, 2, equal, NULL, &err) == SCARCE_EINVAL && !t);
    CHECK_TEXT(err.text, "two features are named \"a\"");
    CHECK(scarce_table_from_floats(&t, values, 3, SIZE_MAX / 2, NULL, NULL, &err) == SCARCE_ENOMEM && !t);
}

/* More rows and columns than a tile. */
static void test_transposes(void)
{
    enum { N = 150, D = 70 };
    static float values[N * D];
    scarce_table *t = NULL;
    size_t wrong = 0;
    for (size_t i = 0; i < N * D; ++i) values[i] = (float)i;
    CHECK(scarce_table_from_floats(&t, values, N, D, NULL, NULL, NULL) == SCARCE_OK);
    for (size_t f = 0; f < D; ++f)
        for (size_t i = 0; i < N; ++i) wrong += scarce_table_numbers(t, f)[i] != (float)(i * D + f);
    CHECK(wrong == 0);
    scarce_table_free(t);
}

static void test_set_weight(void)
{
    const float values[] = {1, 2, 3};
    const double good[] = {0.5, 0, 2}, negative[] = {1, -1, 1}, missing[] = {1, (double)NAN, 1};
    const double infinite[] = {1, (double)INFINITY, 1}, zero[] = {0, 0, 0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    CHECK(scarce_table_from_floats(&t, values, 3, 1, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_set_weight(t, good, &err) == SCARCE_OK);
    CHECK(scarce_table_set_weight(t, negative, &err) == SCARCE_EDATA &&
          strstr(err.text, "weight -1 of row 2"));
    CHECK(scarce_table_set_weight(t, missing, &err) == SCARCE_EDATA);
    CHECK(scarce_table_set_weight(t, infinite, &err) == SCARCE_EDATA);
    CHECK(scarce_table_set_weight(t, zero, &err) == SCARCE_EDATA);
    CHECK(scarce_table_set_weight(t, NULL, &err) == SCARCE_EINVAL);
    CHECK(scarce_table_weight(t) && memcmp(scarce_table_weight(t), good, sizeof good) == 0);
    scarce_table_free(t);
}

/* A table with every kind of column and role, all values told by their row. */
enum { ROWS = 5000, FEATURES = 6 };

static float sparse_value(size_t row, size_t f)
{
    const uint64_t h = scarce__hash(f, row);
    return h % 7 == 0 ? (float)(h % 1000) + 1 : 0;
}

static scarce_table *mixed_table(void)
{
    scarce_table *t = scarce__calloc(1, sizeof *t);
    if (!t) abort();
    t->n_rows = ROWS;
    t->schema.n_features = FEATURES;
    t->schema.features = scarce__calloc(FEATURES, sizeof *t->schema.features);
    t->columns = scarce__calloc(FEATURES, sizeof *t->columns);
    t->label = scarce__malloc(ROWS);
    t->weight = scarce__malloc_array(ROWS, sizeof(double));
    t->time = scarce__malloc_array(ROWS, sizeof(double));
    t->amount = scarce__malloc_array(ROWS, sizeof(double));
    t->exact[0] = scarce__malloc_array(ROWS, sizeof(double));
    t->exact[5] = scarce__malloc_array(ROWS, sizeof(double));
    t->group = scarce__malloc_array(ROWS, sizeof(int32_t));
    t->schema.label = scarce__strdup("fraud");
    t->schema.positive = scarce__strdup("yes");
    t->schema.time_name = scarce__strdup("when");
    for (size_t i = 0; i < ROWS; ++i) {
        t->n_positives += t->label[i] = i % 10 == 0;
        t->weight[i] = (double)i + 0.25;
        t->time[i] = (double)i * 2;
        t->amount[i] = (double)i * 3;
        t->exact[0][i] = (double)i + 1e-12; /* no float */
        t->exact[5][i] = -(double)i;
        t->group[i] = (int32_t)(i % 3);
    }
    (void)scarce__dictionary_add(&t->groups, "g0", 2);
    (void)scarce__dictionary_add(&t->groups, "g1", 2);
    (void)scarce__dictionary_add(&t->groups, "g2", 2);
    for (size_t f = 0; f < FEATURES; ++f) {
        char name[8];
        (void)snprintf(name, sizeof name, "f%zu", f);
        t->schema.features[f].name = scarce__strdup(name);
        t->schema.features[f].kind = (scarce_column_kind)(f % 3);
        if (f % 3 == 0) {
            t->columns[f].number = scarce__malloc_array(ROWS, sizeof(float));
            for (size_t i = 0; i < ROWS; ++i) t->columns[f].number[i] = (float)(i + f);
        } else if (f % 3 == 1) {
            t->columns[f].code = scarce__malloc_array(ROWS, sizeof(int32_t));
            for (size_t i = 0; i < ROWS; ++i) t->columns[f].code[i] = (int32_t)(i % 4) - 1;
            (void)scarce__dictionary_add(&t->schema.features[f].categories, "red", 3);
            (void)scarce__dictionary_add(&t->schema.features[f].categories, "green", 5);
            (void)scarce__dictionary_add(&t->schema.features[f].categories, "blue", 4);
        } else {
            scarce__sparse *s = &t->columns[f].sparse;
            s->row = scarce__malloc_array(ROWS, sizeof *s->row);
            s->value = scarce__malloc_array(ROWS, sizeof *s->value);
            for (size_t i = 0; i < ROWS; ++i)
                if (sparse_value(i, f) != 0) {
                    s->row[s->count] = (uint32_t)i;
                    s->value[s->count++] = sparse_value(i, f);
                }
        }
    }
    return t;
}

/* Compares a table of rows with the definition, value by value. */
static size_t wrong_values(const scarce_table *t, const scarce_table *from, const uint32_t *rows, size_t n)
{
    size_t wrong = t->n_rows != n, positives = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t r = rows[i];
        wrong +=
            t->label[i] != from->label[r] || t->weight[i] != from->weight[r] || t->time[i] != from->time[r];
        wrong += t->amount[i] != from->amount[r] || t->group[i] != from->group[r];
        for (size_t k = 0; k < SCARCE__MAX_EXACT; ++k) {
            const double *have = scarce_table_exact(t, k), *want = scarce_table_exact(from, k);
            wrong += !have != !want || (have && have[i] != want[r]);
        }
        positives += t->label[i];
    }
    wrong += t->n_positives != positives;
    for (size_t f = 0; f < FEATURES; ++f) {
        const scarce__sparse *s = &t->columns[f].sparse;
        size_t k = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t r = rows[i];
            if (f % 3 == 0) wrong += scarce_table_numbers(t, f)[i] != from->columns[f].number[r];
            else if (f % 3 == 1) wrong += scarce_table_codes(t, f)[i] != from->columns[f].code[r];
            else if (sparse_value(r, f) != 0) {
                wrong += k >= s->count || s->row[k] != i || s->value[k] != sparse_value(r, f);
                ++k;
            }
        }
        if (f % 3 == 2) wrong += k != s->count;
    }
    return wrong;
}

static void check_rows_of(const scarce_table *from, const uint32_t *rows, size_t n)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        scarce_table *t = NULL;
        o.threads = threads;
        CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
        CHECK(scarce_table_rows_of(&t, from, rows, n, ctx, NULL) == SCARCE_OK);
        CHECK(t && wrong_values(t, from, rows, n) == 0);
        CHECK_TEXT(scarce_schema_category(scarce_table_schema(t), 1, 2), "blue");
        CHECK(scarce_schema_code(scarce_table_schema(t), 1, "green", 5) == 1);
        CHECK(scarce_schema_code(scarce_table_schema(t), 1, "grey", 4) == 3);
        CHECK_TEXT(scarce_table_group_name(t, 2), "g2");
        CHECK_TEXT(scarce_schema_positive(scarce_table_schema(t)), "yes");
        CHECK_TEXT(t->schema.time_name, "when");
        scarce_table_free(t);
        scarce_context_free(ctx);
    }
}

static void test_rows_of(void)
{
    static uint32_t rows[3 * ROWS];
    scarce__random random = scarce__random_start(1, SCARCE__FOR_TEST, 0);
    scarce_table *from = mixed_table(), *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    for (size_t i = 0; i < ROWS; ++i) rows[i] = (uint32_t)i;
    check_rows_of(from, rows, ROWS);
    for (size_t i = 0; i < ROWS; ++i) rows[i] = (uint32_t)(ROWS - 1 - i);
    check_rows_of(from, rows, ROWS);
    for (size_t i = 0; i < 3 * ROWS; ++i) rows[i] = (uint32_t)scarce__random_below(&random, ROWS);
    check_rows_of(from, rows, 3 * ROWS);
    for (size_t i = 0; i < 3 * ROWS; ++i) rows[i] = (uint32_t)(i / 3);
    check_rows_of(from, rows, 3 * ROWS);
    check_rows_of(from, rows + 17, 1);
    for (size_t i = 0; i < 100; ++i) rows[i] = 4999;
    check_rows_of(from, rows, 100);

    CHECK(scarce_table_rows_of(&t, from, rows, 0, NULL, &err) == SCARCE_EINVAL && !t);
    rows[3] = ROWS;
    CHECK(scarce_table_rows_of(&t, from, rows, 5, NULL, &err) == SCARCE_EINVAL && !t);
    CHECK_TEXT(err.text, "row 5000 of a table with 5000 rows");
    scarce_table_free(from);
}

/* More than can be learned from is refused; nobody has the memory to show it with real rows. */
static void test_limits(void)
{
    scarce__feature feature;
    scarce_schema schema;
    scarce_error err = SCARCE_ERROR_INIT;
    memset(&feature, 0, sizeof feature);
    memset(&schema, 0, sizeof schema);
    schema.n_features = 1;
    schema.features = &feature;
    feature.name = (char[]){"shop"};
    feature.kind = SCARCE_COLUMN_CATEGORY;
    feature.categories.count = (1u << 24) - 1;
    CHECK(scarce__check_limits((size_t)1 << 30, &schema, &err) == SCARCE_OK);
    CHECK(scarce__check_limits(((size_t)1 << 30) + 1, &schema, &err) == SCARCE_EDATA);
    CHECK(strstr(err.text, "1073741825 rows") != NULL);
    feature.categories.count += 1;
    CHECK(scarce__check_limits(10, &schema, &err) == SCARCE_EDATA && strstr(err.text, "\"shop\"") != NULL);
}

static void test_large_weights(void)
{
    double weight[2] = {1, 1e30};
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce__check_weights(weight, 2, &err) == SCARCE_OK);
    weight[1] = 1e31;
    CHECK(scarce__check_weights(weight, 2, &err) == SCARCE_EDATA && strstr(err.text, "1e30") != NULL);
}

static const test_case tests[] = {
    {"dictionary_numbers_in_order", test_dictionary_numbers_in_order},
    {"dictionary_many", test_dictionary_many},
    {"from_floats", test_from_floats},
    {"transposes", test_transposes},
    {"set_weight", test_set_weight},
    {"rows_of", test_rows_of},
    {"limits", test_limits},
    {"large_weights", test_large_weights},
};
TEST_MAIN(tests)
