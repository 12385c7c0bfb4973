/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in memory: from arrays, looking inside, and tables of chosen rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/keep.h"
#include "data/reading.h"
#include "data/table.h"

void scarce__free_column(scarce_table *table, size_t f)
{
    const int cells = !scarce__shares(table, f, SCARCE__SHARED_CELLS);

    switch (table->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        if (cells) scarce__free(table->columns[f].number);
        break;
    case SCARCE_COLUMN_CATEGORY:
        if (cells) scarce__free(table->columns[f].code);
        break;
    case SCARCE_COLUMN_SPARSE:
        if (cells) scarce__free(table->columns[f].sparse.value);
        if (!scarce__shares(table, f, SCARCE__SHARED_ROWS)) scarce__free(table->columns[f].sparse.row);
        break;
    }
}

/* Texts of another table: what frees them is not to see them. */
static void forget_texts(scarce_table *table)
{
    for (size_t f = 0; f < table->schema.n_features; ++f) {
        table->schema.features[f].name = NULL;
        memset(&table->schema.features[f].categories, 0, sizeof table->schema.features[f].categories);
    }
    memset(&table->groups, 0, sizeof table->groups);
}

void scarce_table_free(scarce_table *table)
{
    if (!table) return;
    const int shared = table->shared_parts;
    for (size_t f = 0; table->columns && f < table->schema.n_features; ++f) scarce__free_column(table, f);
    scarce__free(table->columns);
    scarce__free(table->shared);
    if (shared & SCARCE__SHARED_TEXTS) forget_texts(table);
    scarce__schema_deinit(&table->schema);
    scarce__dictionary_deinit(&table->groups);
    if (!(shared & SCARCE__SHARED_LABEL)) scarce__free(table->label);
    if (!(shared & SCARCE__SHARED_CLASS)) scarce__free(table->class_of);
    if (!(shared & SCARCE__SHARED_WEIGHT)) scarce__free(table->weight);
    if (!(shared & SCARCE__SHARED_TIME)) scarce__free(table->time);
    if (!(shared & SCARCE__SHARED_AMOUNT)) scarce__free(table->amount);
    if (!(shared & SCARCE__SHARED_COST)) scarce__free(table->cost);
    if (!(shared & SCARCE__SHARED_GROUP)) scarce__free(table->group);
    for (int i = 0; i < SCARCE__MAX_EXACT && !(shared & SCARCE__SHARED_EXACT); ++i)
        scarce__free(table->exact[i]);
    if (table->kept) scarce__kept_deinit(table->kept);
    scarce__free(table->kept);
    if (table->release) table->release(table->payload);
    scarce__reading_free(table->reading);
    scarce__free(table);
}

static scarce_status check_array(size_t n_rows, size_t n_columns, const float *values, const uint8_t *label,
                                 scarce_error *err)
{
    if (n_rows == 0 || n_columns == 0)
        return scarce__fail(err, SCARCE_EINVAL,
                            "a table of %zu rows and %zu columns; at least 1 of each is needed", n_rows,
                            n_columns);
    if (n_rows >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows; a table holds fewer than %zu", n_rows,
                            (size_t)UINT32_MAX);
    if (!values) return scarce__fail(err, SCARCE_EINVAL, "no values given");
    return label ? scarce__check_labels(label, n_rows, err) : SCARCE_OK;
}

scarce_status scarce__check_labels(const uint8_t *label, size_t n, scarce_error *err)
{
    for (size_t i = 0; i < n; ++i)
        if (label[i] > 1)
            return scarce__fail(err, SCARCE_EDATA, "label %d of row %zu, expected 0 or 1", (int)label[i],
                                i + 1);
    return SCARCE_OK;
}

static int fill_names(scarce_schema *schema, const char *const *names)
{
    for (size_t f = 0; f < schema->n_features; ++f) {
        char number[24];
        (void)snprintf(number, sizeof number, "%zu", f + 1);
        schema->features[f].name = scarce__strdup(names ? names[f] : number);
        if (!schema->features[f].name) return 0;
    }
    return 1;
}

static int fill_label(scarce_table *t, const uint8_t *label)
{
    t->label = scarce__malloc(t->n_rows);
    t->schema.label = scarce__strdup("label");
    t->schema.positive = scarce__strdup("1");
    t->schema.negative = scarce__strdup("0");
    if (!t->label || !t->schema.label || !t->schema.positive || !t->schema.negative) return 0;
    memcpy(t->label, label, t->n_rows);
    for (size_t i = 0; i < t->n_rows; ++i) t->n_positives += label[i];
    return 1;
}

/* Rows to columns by tiles, so that neither side leaves the cache between two touches of a line. */
static void transpose(scarce_table *t, const float *values)
{
    enum { TILE = 64 };
    const size_t d = t->schema.n_features;

    for (size_t i0 = 0; i0 < t->n_rows; i0 += TILE) {
        const size_t i1 = t->n_rows - i0 < TILE ? t->n_rows : i0 + TILE;
        for (size_t f = 0; f < d; ++f) {
            float *to = t->columns[f].number;
            for (size_t i = i0; i < i1; ++i) to[i] = values[i * d + f];
        }
    }
}

scarce_status scarce_table_from_floats(scarce_table **out, const float *values, size_t n_rows,
                                       size_t n_columns, const char *const *names, const uint8_t *label,
                                       scarce_error *err)
{
    scarce_status st = SCARCE_ENOMEM;
    scarce_table *t = NULL;

    *out = NULL;
    SCARCE__TRY(check_array(n_rows, n_columns, values, label, err));
    t = scarce__calloc(1, sizeof *t);
    if (!t) goto done;
    t->n_rows = n_rows;
    t->schema.features = scarce__calloc(n_columns, sizeof *t->schema.features);
    if (!t->schema.features) goto done;
    t->schema.n_features = n_columns;
    t->columns = scarce__calloc(n_columns, sizeof *t->columns);
    if (!t->columns || !fill_names(&t->schema, names)) goto done;
    st = names ? scarce__schema_check(&t->schema, SCARCE_EINVAL, err) : SCARCE_OK;
    if (st) goto done;
    st = SCARCE_ENOMEM;
    for (size_t f = 0; f < n_columns; ++f) {
        t->columns[f].number = scarce__big_alloc(n_rows, sizeof(float));
        if (!t->columns[f].number) goto done;
    }
    if (label && !fill_label(t, label)) goto done;
    transpose(t, values);
    *out = t;
    t = NULL;
    st = SCARCE_OK;
done:
    if (st == SCARCE_ENOMEM)
        scarce__fail_memory(err, "a table", n_columns <= SIZE_MAX / 8 / n_rows ? n_rows * n_columns * 4 : 0);
    scarce_table_free(t);
    return st;
}

size_t scarce_table_rows(const scarce_table *table)
{
    return table->n_rows;
}

size_t scarce_table_features(const scarce_table *table)
{
    return table->schema.n_features;
}

size_t scarce_table_positives(const scarce_table *table)
{
    return table->n_positives;
}

static size_t dictionary_bytes(const scarce__dictionary *d)
{
    return d->bytes_capacity + d->capacity * (sizeof *d->offset + sizeof *d->hashes) +
           d->n_slots * sizeof *d->slots;
}

size_t scarce_table_bytes(const scarce_table *table)
{
    const scarce_schema *s = &table->schema;
    const size_t n = table->n_rows;
    const int shared = table->shared_parts;
    size_t bytes = sizeof *table + s->n_features * (sizeof *s->features + sizeof *table->columns);

    for (size_t f = 0; f < s->n_features; ++f) {
        const int sparse = s->features[f].kind == SCARCE_COLUMN_SPARSE;
        const size_t cells = sparse ? table->columns[f].sparse.count : n;
        if (!(shared & SCARCE__SHARED_TEXTS))
            bytes += strlen(s->features[f].name) + 1 + dictionary_bytes(&s->features[f].categories);
        if (!scarce__shares(table, f, SCARCE__SHARED_CELLS)) bytes += cells * sizeof(float); /* or codes */
        if (sparse && !scarce__shares(table, f, SCARCE__SHARED_ROWS)) bytes += cells * sizeof(uint32_t);
    }
    if (table->label && !(shared & SCARCE__SHARED_LABEL)) bytes += n;
    if (table->weight && !(shared & SCARCE__SHARED_WEIGHT)) bytes += n * sizeof(double);
    if (table->time && !(shared & SCARCE__SHARED_TIME)) bytes += n * sizeof(double);
    if (table->amount && !(shared & SCARCE__SHARED_AMOUNT)) bytes += n * sizeof(double);
    if (table->cost && !(shared & SCARCE__SHARED_COST)) bytes += n * sizeof(double);
    for (int i = 0; i < SCARCE__MAX_EXACT && !(shared & SCARCE__SHARED_EXACT); ++i)
        if (table->exact[i]) bytes += n * sizeof(double);
    if (table->group && !(shared & SCARCE__SHARED_GROUP)) bytes += n * sizeof(int32_t);
    if (table->kept) bytes += table->kept->bytes_capacity + table->kept->capacity * sizeof(size_t);
    return bytes + (shared & SCARCE__SHARED_TEXTS ? 0 : dictionary_bytes(&table->groups));
}

size_t scarce_table_inexact(const scarce_table *table, size_t f)
{
    const int sparse = table->schema.features[f].kind == SCARCE_COLUMN_SPARSE;
    const float *value = sparse ? table->columns[f].sparse.value : table->columns[f].number;
    const size_t count = sparse ? table->columns[f].sparse.count : table->n_rows;
    size_t n = 0;

    if (table->schema.features[f].kind == SCARCE_COLUMN_CATEGORY) return 0;
    for (size_t i = 0; i < count; ++i) n += fabsf(value[i]) >= 16777216.0f && !isinf(value[i]);
    return n;
}

const scarce_schema *scarce_table_schema(const scarce_table *table)
{
    return &table->schema;
}

const uint8_t *scarce_table_label(const scarce_table *table)
{
    return table->label;
}

const uint8_t *scarce_table_classes(const scarce_table *table)
{
    return table->class_of;
}

const double *scarce_table_weight(const scarce_table *table)
{
    return table->weight;
}

const double *scarce_table_time(const scarce_table *table)
{
    return table->time;
}

const double *scarce_table_exact(const scarce_table *table, size_t i)
{
    return i < SCARCE__MAX_EXACT ? table->exact[i] : NULL;
}

const double *scarce_table_amount(const scarce_table *table)
{
    return table->amount;
}

const double *scarce_table_cost(const scarce_table *table)
{
    return table->cost;
}

const int32_t *scarce_table_group(const scarce_table *table)
{
    return table->group;
}

const char *scarce_table_group_name(const scarce_table *table, int32_t code)
{
    return code < 0 ? NULL : scarce__dictionary_text(&table->groups, (size_t)code);
}

const float *scarce_table_numbers(const scarce_table *table, size_t f)
{
    return scarce_schema_features(&table->schema) > f &&
                   table->schema.features[f].kind == SCARCE_COLUMN_NUMERIC
               ? table->columns[f].number
               : NULL;
}

const int32_t *scarce_table_codes(const scarce_table *table, size_t f)
{
    return scarce_schema_features(&table->schema) > f &&
                   table->schema.features[f].kind == SCARCE_COLUMN_CATEGORY
               ? table->columns[f].code
               : NULL;
}

static int has_fraction(const float *x, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (x[i] != truncf(x[i]) && !isnan(x[i])) return 1;
    return 0;
}

void scarce__settle_decimal(scarce_table *table)
{
    int found = 0;

    if (table->schema.writing.decimal == ',') return;
    for (size_t f = 0; !found && f < table->schema.n_features; ++f) {
        const scarce__column *c = &table->columns[f];
        if (table->schema.features[f].kind == SCARCE_COLUMN_NUMERIC)
            found = has_fraction(c->number, table->n_rows);
        else if (table->schema.features[f].kind == SCARCE_COLUMN_SPARSE)
            found = has_fraction(c->sparse.value, c->sparse.count);
    }
    table->schema.writing.decimal = found ? '.' : '\0';
}

static scarce_status check_from_0(const double *x, size_t n, const char *what, scarce_error *err)
{
    double sum = 0;

    for (size_t i = 0; i < n; ++i) {
        if (!(x[i] >= 0 && x[i] <= SCARCE__LARGEST_WEIGHT))
            return scarce__fail(err, SCARCE_EDATA, "%s %g of row %zu, expected a number from 0 to 1e30", what,
                                x[i], i + 1);
        sum += x[i];
    }
    if (sum <= 0) return scarce__fail(err, SCARCE_EDATA, "all %ss are 0; at least one must be larger", what);
    return SCARCE_OK;
}

scarce_status scarce__check_weights(const double *weight, size_t n, scarce_error *err)
{
    return check_from_0(weight, n, "weight", err);
}

scarce_status scarce__check_costs(const double *cost, size_t n, scarce_error *err)
{
    return check_from_0(cost, n, "cost", err);
}

scarce_status scarce_table_set_weight(scarce_table *table, const double *weight, scarce_error *err)
{
    double *copy;

    if (!weight) return scarce__fail(err, SCARCE_EINVAL, "no weights given");
    SCARCE__TRY(scarce__check_weights(weight, table->n_rows, err));
    copy = scarce__big_alloc(table->n_rows, sizeof *copy);
    if (!copy) return scarce__fail_memory(err, "the weights", table->n_rows * sizeof *copy);
    memcpy(copy, weight, table->n_rows * sizeof *copy);
    if (!(table->shared_parts & SCARCE__SHARED_WEIGHT)) scarce__free(table->weight);
    table->shared_parts &= ~SCARCE__SHARED_WEIGHT;
    table->weight = copy;
    return SCARCE_OK;
}
