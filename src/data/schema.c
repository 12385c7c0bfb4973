/* SPDX-License-Identifier: Apache-2.0 */
/* Names, kinds and categories of the features, and the names of the columns with a role. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/table.h"

void scarce__schema_clear_roles(scarce_schema *schema)
{
    char **const roles[] = {&schema->label,       &schema->positive,  &schema->negative,
                            &schema->weight_name, &schema->time_name, &schema->group_name,
                            &schema->amount_name};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; ++i) {
        scarce__free(*roles[i]);
        *roles[i] = NULL;
    }
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
    if (!copy_text(&s.label, from->label) || !copy_text(&s.positive, from->positive) ||
        !copy_text(&s.negative, from->negative) || !copy_text(&s.weight_name, from->weight_name) ||
        !copy_text(&s.time_name, from->time_name) || !copy_text(&s.group_name, from->group_name) ||
        !copy_text(&s.amount_name, from->amount_name))
        goto done;
    *out = s; /* owned by the caller from here on */
    memset(&s, 0, sizeof s);
    st = SCARCE_OK;
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "a copy of the schema", 0);
    scarce__schema_deinit(&s);
    return st;
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

const char *scarce_schema_role(const scarce_schema *schema, scarce_role role)
{
    switch (role) {
    case SCARCE_ROLE_WEIGHT: return schema->weight_name;
    case SCARCE_ROLE_TIME: return schema->time_name;
    case SCARCE_ROLE_GROUP: return schema->group_name;
    case SCARCE_ROLE_AMOUNT: return schema->amount_name;
    }
    return NULL;
}
