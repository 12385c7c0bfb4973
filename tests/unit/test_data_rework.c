/* SPDX-License-Identifier: Apache-2.0 */
/* Tables changed in place, against the values one by one: rows that stay, copies, rows made up; numbers with
 * missing values, categories, sparse columns, roles. */
#include "data/rework.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "lcg.h"
#include "test.h"

enum { ROWS = 40, ADDED = 9 };

static scarce_table *make(size_t n, uint64_t seed, int sparse)
{
    lcg random = lcg_start(seed);
    scarce_column c[8];
    static const char *const words[] = {"a", "b", "c"};
    float *x = malloc(n * sizeof *x);
    int32_t *code = malloc(n * sizeof *code);
    uint32_t *row = malloc(n * sizeof *row);
    float *value = malloc(n * sizeof *value);
    double *role = malloc(n * sizeof *role);
    uint8_t *label = malloc(n);
    size_t entries = 0, k = 0;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    for (size_t i = 0; i < n; ++i) {
        x[i] = lcg_below(&random, 5) == 0 ? NAN : (float)(lcg_below(&random, 100));
        code[i] = i < 3 ? (int32_t)i : (int32_t)(lcg_below(&random, 3));
        label[i] = i == 1 || lcg_below(&random, 4) == 0;
        label[i] = i == 0 ? 0 : label[i];
        role[i] = 1 + (double)(lcg_below(&random, 50));
        if (lcg_below(&random, 3) == 0)
            row[entries] = (uint32_t)i, value[entries++] = (float)(1 + lcg_below(&random, 9));
    }
    const scarce_column init = SCARCE_COLUMN_INIT;
    c[k] = init, c[k].name = "x", c[k].type = SCARCE_TYPE_F32, c[k++].items = x;
    c[k] = init, c[k].name = "c", c[k].type = SCARCE_TYPE_I32, c[k].items = code, c[k].categories = words,
    c[k].kind = SCARCE_COLUMN_CATEGORY, c[k++].n_categories = 3;
    if (sparse)
        c[k] = init, c[k].name = "s", c[k].type = SCARCE_TYPE_F32, c[k].items = value, c[k].sparse_row = row,
        c[k].kind = SCARCE_COLUMN_SPARSE, c[k++].sparse_count = entries;
    c[k] = init, c[k].name = "y", c[k].type = SCARCE_TYPE_U8, c[k].items = label,
    c[k++].role = SCARCE_ROLE_LABEL;
    c[k] = init, c[k].name = "w", c[k].type = SCARCE_TYPE_F64, c[k].items = role,
    c[k++].role = SCARCE_ROLE_WEIGHT;
    if (scarce_table_from_columns(&t, c, k, n, NULL, NULL, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    free(x), free(code), free(row), free(value), free(role), free(label);
    return t;
}

/* The value of a cell as a double; NaN: missing. */
static double cell(const scarce_table *t, size_t f, size_t i)
{
    const scarce__column *c = &t->columns[f];
    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC: return (double)c->number[i];
    case SCARCE_COLUMN_CATEGORY: return (double)c->code[i];
    default:
        for (size_t k = 0; k < c->sparse.count; ++k)
            if (c->sparse.row[k] == i) return (double)c->sparse.value[k];
        return 0;
    }
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Added rows come from a table of their own. */
static int take_numbers(const void *payload, size_t f, const float *from, float *to)
{
    const scarce_table *made = payload;
    (void)from;
    memcpy(to, made->columns[f].number, ADDED * sizeof *to);
    return 1;
}

static int take_codes(const void *payload, size_t f, const int32_t *from, int32_t *to)
{
    const scarce_table *made = payload;
    (void)from;
    memcpy(to, made->columns[f].code, ADDED * sizeof *to);
    return 1;
}

static int take_sparse(const void *payload, size_t f, const scarce__sparse *from, scarce__sparse *to)
{
    const scarce__sparse *made = &((const scarce_table *)payload)->columns[f].sparse;
    (void)from;
    to->count = made->count;
    to->row = scarce__malloc_array(made->count, sizeof *to->row);
    to->value = scarce__malloc_array(made->count, sizeof *to->value);
    memcpy(to->row, made->row, made->count * sizeof *to->row);
    memcpy(to->value, made->value, made->count * sizeof *to->value);
    return 1;
}

static void check(uint64_t seed, int sparse, int keeps, int makes)
{
    scarce_table *t = make(ROWS, seed, sparse), *old = make(ROWS, seed, sparse),
                 *made = makes ? make(ADDED, seed + 1, sparse) : NULL;
    uint32_t keep[ROWS], base[ADDED];
    const scarce__making making = {made, take_numbers, take_codes, take_sparse};
    scarce__rework change = {keeps ? keep : NULL, 0, base, ADDED, makes ? &making : NULL};
    size_t n_keep = keeps ? 0 : ROWS;
    lcg random = lcg_start(seed + 99);
    for (uint32_t i = 0; keeps && i < ROWS; ++i)
        if (lcg_below(&random, 2)) keep[n_keep++] = i;
    for (size_t i = 0; i < ADDED; ++i) base[i] = (uint32_t)(lcg_below(&random, ROWS));
    change.n_keep = n_keep;
    CHECK(scarce__table_rework(t, &change, NULL, NULL) == SCARCE_OK);
    CHECK(t->n_rows == n_keep + ADDED);
    size_t positives = 0;
    for (size_t i = 0; i < t->n_rows; ++i) {
        const size_t from = i < n_keep ? (keeps ? keep[i] : i) : base[i - n_keep];
        for (size_t f = 0; f < t->schema.n_features; ++f)
            CHECK(same(cell(t, f, i), i >= n_keep && made ? cell(made, f, i - n_keep) : cell(old, f, from)));
        CHECK(t->label[i] == old->label[from] && t->weight[i] == old->weight[from]);
        positives += t->label[i];
    }
    CHECK(t->n_positives == positives);
    for (size_t f = 0; f < t->schema.n_features; ++f)
        if (t->schema.features[f].kind == SCARCE_COLUMN_SPARSE)
            for (size_t k = 1; k < t->columns[f].sparse.count; ++k)
                CHECK(t->columns[f].sparse.row[k] > t->columns[f].sparse.row[k - 1]);
    scarce_table_free(t);
    scarce_table_free(old);
    scarce_table_free(made);
}

static void test_against_cells(void)
{
    for (uint64_t seed = 1; seed <= 60; ++seed)
        for (int kind = 0; kind < 8; ++kind) check(seed, kind & 1, kind & 2, kind & 4);
}

static const test_case tests[] = {{"against_cells", test_against_cells}};
TEST_MAIN(tests)
