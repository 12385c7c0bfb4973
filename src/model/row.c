/* SPDX-License-Identifier: Apache-2.0 */
/* One row by names.
 *
 * Everything that needs memory or time is made once: a hash of the names, what a cleared row looks like, and
 * for each category the numbers that its texts write in another way. Setting a feature is a look-up of the
 * name and, for a category, of its text. Records of one source name their fields in the same order again and
 * again, so the feature that came next the last time is tried before the hash. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/param.h"
#include "data/number_names.h"
#include "model/model.h"

enum { UNKNOWN_TEXT = 80, NEAR_FEATURES = 10000 };

struct scarce_row {
    const scarce_schema *schema;
    scarce__dictionary names;      /* index = feature */
    scarce__number_names *numbers; /* per feature; empty unless a category */
    float *value, *cleared;
    uint8_t *is_set; /* per feature, since it was cleared */
    size_t *next;    /* per feature (and at n_features, to begin with) which one followed it the last time */
    size_t last;
    size_t n_unknown;
    char unknown[UNKNOWN_TEXT];
};

void scarce_row_free(scarce_row *row)
{
    if (!row) return;
    for (size_t f = 0; row->numbers && f < row->schema->n_features; ++f)
        scarce__number_names_deinit(&row->numbers[f]);
    scarce__free(row->numbers);
    scarce__dictionary_deinit(&row->names);
    scarce__free(row->value);
    scarce__free(row->cleared);
    scarce__free(row->is_set);
    scarce__free(row->next);
    scarce__free(row);
}

static scarce_status fill_row(scarce_row *row, scarce_error *err)
{
    const size_t n = row->schema->n_features;

    row->numbers = scarce__calloc(n, sizeof *row->numbers);
    row->value = scarce__malloc_array(n, sizeof *row->value);
    row->cleared = scarce__malloc_array(n, sizeof *row->cleared);
    row->is_set = scarce__malloc_array(n, 1);
    row->next = scarce__malloc_array(n + 1, sizeof *row->next);
    if (!row->numbers || !row->value || !row->cleared || !row->is_set || !row->next)
        return scarce__fail_memory(err, "a row", n * sizeof(float));
    for (size_t f = 0; f <= n; ++f) row->next[f] = f + 1 < n ? f + 1 : 0; /* the schema's order at first */
    for (size_t f = 0; f < n; ++f) {
        const scarce__feature *feature = &row->schema->features[f];
        if (scarce__dictionary_add(&row->names, feature->name, strlen(feature->name)) == SIZE_MAX)
            return scarce__fail_memory(err, "the names of the features", 0);
        row->cleared[f] = feature->kind == SCARCE_COLUMN_SPARSE ? 0 : NAN;
        if (feature->kind == SCARCE_COLUMN_CATEGORY)
            SCARCE__TRY(scarce__number_names_init(&row->numbers[f], &feature->categories, err));
    }
    return SCARCE_OK;
}

scarce_status scarce_row_new(scarce_row **out, const scarce_model *model, scarce_error *err)
{
    scarce_row *row = scarce__calloc(1, sizeof *row);
    scarce_status st;

    *out = NULL;
    if (!row) return scarce__fail_memory(err, "a row", 0);
    row->schema = &model->schema;
    st = fill_row(row, err);
    if (st != SCARCE_OK) {
        scarce_row_free(row);
        return st;
    }
    scarce_row_clear(row);
    *out = row;
    return SCARCE_OK;
}

void scarce_row_clear(scarce_row *row)
{
    const size_t n = row->schema->n_features;

    if (n) {
        memcpy(row->value, row->cleared, n * sizeof *row->value);
        memset(row->is_set, 0, n);
    }
    row->n_unknown = 0;
    row->last = n;
}

static const char *name_at(const void *schema, size_t f)
{
    return ((const scarce_schema *)schema)->features[f].name;
}

/* The feature of that name; SIZE_MAX, counted, when there is none. */
static size_t find_feature(scarce_row *row, const char *name)
{
    size_t *guess = &row->next[row->last], n, f;

    if (row->schema->n_features && strcmp(name, row->schema->features[*guess].name) == 0)
        return row->last = *guess;
    n = strlen(name);
    f = scarce__dictionary_find(&row->names, name, n);
    if (f != SIZE_MAX) return row->last = *guess = f;
    if (row->n_unknown++ == 0) {
        const size_t kept = n < UNKNOWN_TEXT - 1 ? n : UNKNOWN_TEXT - 1;
        memcpy(row->unknown, name, kept);
        row->unknown[kept] = '\0';
    }
    return SIZE_MAX;
}

static scarce_status fail_name(const scarce_row *row, const char *name, scarce_error *err)
{
    const size_t n = row->schema->n_features;
    const char *near;

    if (!err) return SCARCE_EDATA;
    near = scarce__nearest_name(name, name_at, row->schema, n < NEAR_FEATURES ? n : NEAR_FEATURES);
    if (!near) return scarce__fail(err, SCARCE_EDATA, "the model has no feature \"%.80s\"", name);
    return scarce__fail(err, SCARCE_EDATA,
                        "the model has no feature \"%.80s\" (the nearest name is \"%.80s\")", name, near);
}

static void put(scarce_row *row, size_t f, float value)
{
    row->value[f] = value;
    row->is_set[f] = 1;
}

static void put_number(scarce_row *row, size_t f, double value)
{
    const scarce__feature *feature = &row->schema->features[f];
    char text[SCARCE__NUMBER_TEXT];

    if (feature->kind != SCARCE_COLUMN_CATEGORY || isnan(value)) {
        put(row, f, (float)value);
        return;
    }
    const size_t n = scarce__number_text(text, value);
    put(row, f, (float)scarce__number_names_code(&row->numbers[f], &feature->categories, text, n));
}

static scarce_status put_text(scarce_row *row, size_t f, const char *text, scarce_error *err)
{
    const scarce__feature *feature = &row->schema->features[f];
    const size_t n = text ? strlen(text) : 0;
    float value = NAN;

    if (n && feature->kind == SCARCE_COLUMN_CATEGORY) {
        const size_t code = scarce__dictionary_find(&feature->categories, text, n);
        value = (float)(code == SIZE_MAX ? feature->categories.count : code);
    } else if (n && scarce__parse_float(text, n, &value) != 1)
        return scarce__fail(err, SCARCE_EDATA, "feature \"%.80s\" is a number, not \"%.60s\"", feature->name,
                            text);
    put(row, f, value);
    return SCARCE_OK;
}

scarce_status scarce_row_number(scarce_row *row, const char *name, double value, scarce_error *err)
{
    const size_t f = find_feature(row, name);

    if (f == SIZE_MAX) return fail_name(row, name, err);
    put_number(row, f, value);
    return SCARCE_OK;
}

scarce_status scarce_row_text(scarce_row *row, const char *name, const char *text, scarce_error *err)
{
    const size_t f = find_feature(row, name);

    return f == SIZE_MAX ? fail_name(row, name, err) : put_text(row, f, text, err);
}

scarce_status scarce_row_set(scarce_row *row, const scarce_field *fields, size_t n, scarce_error *err)
{
    scarce_row_clear(row);
    for (size_t i = 0; i < n; ++i) {
        const size_t f = find_feature(row, fields[i].name);
        if (f == SIZE_MAX) continue;
        if (fields[i].text) SCARCE__TRY(put_text(row, f, fields[i].text, err));
        else put_number(row, f, fields[i].number);
    }
    return SCARCE_OK;
}

const float *scarce_row_values(const scarce_row *row)
{
    return row->value;
}

size_t scarce_row_unknown(const scarce_row *row, const char **first)
{
    if (first) *first = row->n_unknown ? row->unknown : NULL;
    return row->n_unknown;
}

size_t scarce_row_unset(const scarce_row *row, size_t *features, size_t room)
{
    size_t n = 0;

    for (size_t f = 0; f < row->schema->n_features; ++f) {
        if (row->is_set[f] || row->schema->features[f].kind == SCARCE_COLUMN_SPARSE) continue;
        if (n < room) features[n] = f;
        ++n;
    }
    return n;
}
