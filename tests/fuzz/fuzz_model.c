/* SPDX-License-Identifier: Apache-2.0 */
/* Model files nobody vouches for. The checksum would stop nearly every input, so an odd first byte has it
 * set right before the file is read. What loads must score rows (one by one as in a table), show itself,
 * and write bytes that load again as the same bytes. */
#include <math.h>
#include <string.h>

#include <scarce/explain.h>
#include <scarce/model.h>

#include "core/bytes.h"
#include "fuzz_table.h"
#include "model/model.h"

enum { ROWS = 5 };

/* Values near borders: missing, unknown categories, infinite. */
static float value_at(const scarce__feature *feature, size_t row, size_t f)
{
    const size_t n = feature->categories.count;
    if (feature->kind == SCARCE_COLUMN_CATEGORY)
        return row == 0 ? NAN : (float)(row == 1 ? n : (row + f) % (n + 1));
    const float numbers[ROWS] = {NAN, 0, -1.5f, INFINITY, 3e30f};
    return numbers[(row + f) % ROWS];
}

static void fill(scarce_table *t, float *rows, const scarce_schema *schema)
{
    const size_t n = schema->n_features;
    MUST(scarce__schema_copy(&t->schema, schema, NULL) == SCARCE_OK);
    t->n_rows = ROWS;
    t->columns = scarce__calloc(n, sizeof *t->columns);
    MUST(t->columns != NULL);
    for (size_t f = 0; f < n; ++f) {
        scarce__feature *feature = &t->schema.features[f];
        if (feature->kind == SCARCE_COLUMN_SPARSE) feature->kind = SCARCE_COLUMN_NUMERIC;
        if (feature->kind == SCARCE_COLUMN_CATEGORY)
            t->columns[f].code = scarce__malloc_array(ROWS, sizeof(int32_t));
        else t->columns[f].number = scarce__malloc_array(ROWS, sizeof(float));
        MUST(t->columns[f].number != NULL);
        for (size_t r = 0; r < ROWS; ++r) {
            const float v = rows[r * n + f] = value_at(feature, r, f);
            if (feature->kind == SCARCE_COLUMN_CATEGORY) t->columns[f].code[r] = isnan(v) ? -1 : (int32_t)v;
            else t->columns[f].number[r] = v;
        }
    }
}

/* Scores after no round are the base; those after one and after all rounds must only come. */
static scarce_status look(void *payload, size_t at, const double *stage, scarce_error *err)
{
    const scarce__forest *forest = payload;
    (void)err;
    for (size_t r = 0; at == 0 && forest && r < ROWS; ++r) MUST(stage[r] == forest->base);
    return SCARCE_OK;
}

static void score(const scarce_model *m)
{
    scarce_scorer *scorer = NULL;
    scarce_table *t = scarce__calloc(1, sizeof *t);
    float *rows = calloc(ROWS * m->schema.n_features + 1, sizeof *rows);
    double scores[ROWS], probabilities[ROWS];

    MUST(t && rows);
    fill(t, rows, &m->schema);
    MUST(scarce_scorer_new(&scorer, m, NULL) == SCARCE_OK);
    MUST(scarce_scorer_table(scorer, t, scores, probabilities, fuzz_context(1), NULL) == SCARCE_OK);
    for (size_t r = 0; r < ROWS; ++r) {
        const double s = scarce_scorer_score(scorer, rows + r * m->schema.n_features);
        const double p = scarce_scorer_probability(scorer, s);
        MUST(s == scores[r] || (isnan(s) && isnan(scores[r])));
        MUST(p == probabilities[r] || (isnan(p) && isnan(probabilities[r])));
        if (m->has_probability && !isnan(s) && m->calibrator.kind != 0) MUST(p >= 0 && p <= 1);
        (void)scarce_scorer_alert(scorer, s, p, r ? (double)r : (double)NAN);
    }
    static const size_t stage[] = {0, 1, SIZE_MAX};
    const scarce__forest *forest = m->kind->forest ? m->kind->forest(m->body) : NULL;
    if (m->kind->score_stages)
        MUST(m->kind->score_stages(m->body, t, stage, 3, look, (void *)(uintptr_t)forest, fuzz_context(1),
                                   NULL) == SCARCE_OK);
    scarce_scorer_free(scorer);
    scarce_table_free(t);
    free(rows);
}

/* A file whose columns are called as the model's features, its amount among them, read with its schema. */
static void read_with_schema(const scarce_model *m)
{
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    scarce_row *row = NULL;

    for (int line = 0; line < 2; ++line)
        for (size_t f = 0; f < m->schema.n_features; ++f) {
            scarce__text_add(&csv, line ? "1" : "\"");
            for (const char *p = m->schema.features[f].name; !line && *p; ++p) {
                if (*p == '"') scarce__text_add(&csv, "\"");
                scarce__text_add_char(&csv, *p);
            }
            scarce__text_add(&csv, line ? "" : "\"");
            scarce__text_add(&csv, f + 1 < m->schema.n_features ? "," : "\n");
        }
    MUST(!csv.failed);
    ro.schema = &m->schema;
    ro.amount = m->schema.amount_name;
    if (csv.bytes && scarce_table_read_bytes(&t, csv.bytes, csv.n, NULL, &ro, NULL, NULL) == SCARCE_OK)
        MUST(scarce_table_features(t) == m->schema.n_features);
    scarce_table_free(t);
    scarce__text_deinit(&csv);
    MUST(scarce_row_new(&row, m, NULL) == SCARCE_OK);
    for (size_t f = 0; f < m->schema.n_features; ++f) {
        MUST(scarce_row_number(row, m->schema.features[f].name, 1, NULL) == SCARCE_OK);
        MUST(!isnan(scarce_row_values(row)[f]));
    }
    scarce_row_free(row);
}

static void show(const scarce_model *m)
{
    static const char *const formats[] = {"text", "json", "dot", "nothing", "svg", "sql", "rules"};
    for (size_t i = 0; i < 7; ++i) {
        char *text = NULL;
        const scarce_status st = scarce_model_show(&text, m, formats[i], NULL);
        MUST((st == SCARCE_OK) == (text != NULL));
        MUST(i > 1 || st == SCARCE_OK);
        scarce_bytes_free(text);
    }
}

/* Of models that are rules: the one that a row fires is there. */
static void fire(const scarce_model *m)
{
    scarce_rules *rules = NULL;
    float *row = calloc(m->schema.n_features + 1, sizeof *row);
    MUST(row != NULL);
    if (scarce_rules_new(&rules, m, NULL) == SCARCE_OK) {
        const char *way = NULL;
        for (size_t f = 0; f < m->schema.n_features; ++f) row[f] = value_at(&m->schema.features[f], 2, f);
        const size_t rule = scarce_rules_fired(rules, row, &way);
        scarce_rule got = SCARCE_RULE_INIT;
        MUST(rule < scarce_rules_count(rules) && way != NULL);
        MUST(scarce_rules_get(rules, rule, &got, NULL) == SCARCE_OK && got.text != NULL);
    }
    scarce_rules_free(rules);
    free(row);
}

static void write_again(const scarce_model *m)
{
    void *first = NULL, *second = NULL;
    size_t n = 0, n2 = 0;
    scarce_model *again = NULL;
    MUST(scarce_model_bytes(&first, &n, m, NULL) == SCARCE_OK);
    MUST(scarce_model_read(&again, first, n, "again", NULL) == SCARCE_OK);
    MUST(scarce_model_bytes(&second, &n2, again, NULL) == SCARCE_OK);
    MUST(n == n2 && memcmp(first, second, n) == 0);
    scarce_model_free(again);
    scarce_bytes_free(first);
    scarce_bytes_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    uint8_t *copy = malloc(size ? size : 1);
    scarce_model *m = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    MUST(copy != NULL);
    if (size) memcpy(copy, data, size);
    if ((flags & 1) && size >= 8) {
        const uint64_t crc = scarce__crc64(copy, size - 8);
        for (size_t i = 0; i < 8; ++i) copy[size - 8 + i] = (uint8_t)(crc >> (8 * i));
    }
    const scarce_status st = scarce_model_read(&m, copy, size, "file", &err);
    MUST((st == SCARCE_OK) == (m != NULL));
    MUST(st == SCARCE_OK || st == SCARCE_EPARSE || st == SCARCE_EVERSION);
    free(copy);
    if (m) {
        score(m);
        read_with_schema(m);
        show(m);
        fire(m);
        write_again(m);
    }
    scarce_model_free(m);
    return 0;
}
