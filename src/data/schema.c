/* SPDX-License-Identifier: Apache-2.0 */
/* Names, kinds and categories of the features, and the names of the columns with a role. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "data/number_names.h"
#include "data/table.h"

void scarce__schema_clear_roles(scarce_schema *schema)
{
    char **const roles[] = {&schema->label,       &schema->positive,  &schema->negative,
                            &schema->weight_name, &schema->time_name, &schema->group_name,
                            &schema->amount_name, &schema->cost_name};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; ++i) {
        scarce__free(*roles[i]);
        *roles[i] = NULL;
    }
    scarce__dictionary_deinit(&schema->classes);
}

void scarce__schema_deinit(scarce_schema *schema)
{
    if (!schema) return;
    for (size_t f = 0; schema->features && f < schema->n_features; ++f) {
        scarce__free(schema->features[f].name);
        scarce__dictionary_deinit(&schema->features[f].categories);
    }
    scarce__free(schema->features);
    scarce__schema_clear_roles(schema);
    memset(schema, 0, sizeof *schema);
}

/* 0 when memory is exhausted. NULL stays NULL. */
static int copy_text(char **out, const char *text)
{
    *out = text ? scarce__strdup(text) : NULL;
    return *out || !text;
}

int scarce__schema_copy_roles(scarce_schema *out, const scarce_schema *from)
{
    out->writing = from->writing;
    if (scarce__dictionary_copy(&out->classes, &from->classes, NULL) != SCARCE_OK) return 0;
    return copy_text(&out->label, from->label) && copy_text(&out->positive, from->positive) &&
           copy_text(&out->negative, from->negative) && copy_text(&out->weight_name, from->weight_name) &&
           copy_text(&out->time_name, from->time_name) && copy_text(&out->group_name, from->group_name) &&
           copy_text(&out->amount_name, from->amount_name) && copy_text(&out->cost_name, from->cost_name);
}

scarce_status scarce__schema_copy(scarce_schema *out, const scarce_schema *from, scarce_error *err)
{
    scarce_schema s;
    scarce_status st = SCARCE_ENOMEM;

    memset(out, 0, sizeof *out);
    memset(&s, 0, sizeof s);
    s.features = scarce__calloc(from->n_features, sizeof *s.features);
    if (!s.features) goto done;
    s.n_features = from->n_features;
    for (size_t f = 0; f < s.n_features; ++f) {
        s.features[f].kind = from->features[f].kind;
        if (!copy_text(&s.features[f].name, from->features[f].name)) goto done;
        st = scarce__dictionary_copy(&s.features[f].categories, &from->features[f].categories, err);
        if (st) goto done;
        st = SCARCE_ENOMEM;
    }
    if (!scarce__schema_copy_roles(&s, from)) goto done;
    *out = s; /* owned by the caller from here on */
    memset(&s, 0, sizeof s);
    st = SCARCE_OK;
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "a copy of the schema", 0);
    scarce__schema_deinit(&s);
    return st;
}

scarce_status scarce__check_names(size_t n, const char *(*name_of)(const void *arg, size_t i),
                                  const void *arg, scarce_status code, scarce_error *err)
{
    scarce__dictionary seen;
    scarce_status st = SCARCE_OK;

    memset(&seen, 0, sizeof seen);
    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        const char *name = name_of(arg, i);
        const size_t at = scarce__dictionary_add(&seen, name, strlen(name));
        if (at == SIZE_MAX) st = scarce__fail_memory(err, "the names of the features", 0);
        else if (at < i) st = scarce__fail(err, code, "two features are named \"%.80s\"", name);
    }
    scarce__dictionary_deinit(&seen);
    return st;
}

static const char *feature_name(const void *schema, size_t f)
{
    return ((const scarce_schema *)schema)->features[f].name;
}

scarce_status scarce__schema_check(const scarce_schema *schema, scarce_status code, scarce_error *err)
{
    return scarce__check_names(schema->n_features, feature_name, schema, code, err);
}

scarce_status scarce__check_limits(size_t n_rows, const scarce_schema *schema, scarce_error *err)
{
    if (n_rows > SCARCE__MOST_TRAINED)
        return scarce__fail(err, SCARCE_EDATA,
                            "%zu rows to train on; %d are allowed: leave some negatives out", n_rows,
                            (int)SCARCE__MOST_TRAINED);
    for (size_t f = 0; f < schema->n_features; ++f)
        if (schema->features[f].categories.count >= SCARCE__MOST_CATEGORIES)
            return scarce__fail(err, SCARCE_EDATA,
                                "column \"%.80s\" has %zu categories; fewer than %d are allowed: ignore it",
                                schema->features[f].name, schema->features[f].categories.count,
                                (int)SCARCE__MOST_CATEGORIES);
    return SCARCE_OK;
}

size_t scarce_schema_features(const scarce_schema *schema)
{
    return schema->n_features;
}

const char *scarce_schema_name(const scarce_schema *schema, size_t f)
{
    return f < schema->n_features ? schema->features[f].name : NULL;
}

scarce_column_kind scarce_schema_kind(const scarce_schema *schema, size_t f)
{
    return f < schema->n_features ? schema->features[f].kind : SCARCE_COLUMN_NUMERIC;
}

size_t scarce_schema_categories(const scarce_schema *schema, size_t f)
{
    return f < schema->n_features ? schema->features[f].categories.count : 0;
}

const char *scarce_schema_category(const scarce_schema *schema, size_t f, size_t code)
{
    return f < schema->n_features ? scarce__dictionary_text(&schema->features[f].categories, code) : NULL;
}

size_t scarce_schema_code(const scarce_schema *schema, size_t f, const char *text, size_t length)
{
    size_t code;

    if (f >= schema->n_features) return 0;
    code = scarce__dictionary_find(&schema->features[f].categories, text, length);
    return code == SIZE_MAX ? schema->features[f].categories.count : code;
}

size_t scarce_schema_code_number(const scarce_schema *schema, size_t f, double value)
{
    char text[SCARCE__NUMBER_TEXT];
    const scarce__dictionary *categories;
    size_t code;
    double other;

    if (f >= schema->n_features) return 0;
    categories = &schema->features[f].categories;
    if (isnan(value)) return categories->count;
    code = scarce__dictionary_find(categories, text, scarce__number_text(text, value));
    if (code != SIZE_MAX) return code;
    for (size_t c = 0; c < categories->count; ++c) {
        const char *name = scarce__dictionary_text(categories, c);
        if (scarce__parse_double(name, strlen(name), &other) == 1 && other == value) return c;
    }
    return categories->count;
}

size_t scarce_schema_find(const scarce_schema *schema, const char *name)
{
    for (size_t f = 0; f < schema->n_features; ++f)
        if (strcmp(schema->features[f].name, name) == 0) return f;
    return SIZE_MAX;
}

const char *scarce_schema_label(const scarce_schema *schema)
{
    return schema->label;
}

const char *scarce_schema_positive(const scarce_schema *schema)
{
    return schema->positive;
}

const char *scarce_schema_negative(const scarce_schema *schema)
{
    return schema->negative;
}

size_t scarce_schema_n_classes(const scarce_schema *schema)
{
    return schema->classes.count;
}

const char *scarce_schema_class(const scarce_schema *schema, size_t number)
{
    return scarce__dictionary_text(&schema->classes, number);
}

scarce_writing scarce_schema_writing(const scarce_schema *schema)
{
    return schema->writing;
}

const char *scarce_schema_role(const scarce_schema *schema, scarce_role role)
{
    switch (role) {
    case SCARCE_ROLE_WEIGHT: return schema->weight_name;
    case SCARCE_ROLE_TIME: return schema->time_name;
    case SCARCE_ROLE_GROUP: return schema->group_name;
    case SCARCE_ROLE_AMOUNT: return schema->amount_name;
    case SCARCE_ROLE_LABEL: return schema->label;
    case SCARCE_ROLE_COST: return schema->cost_name;
    case SCARCE_ROLE_IGNORE: break;
    }
    return NULL;
}
