/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two tables are the same in every part: names, kinds, categories, roles, and each value bit for bit
 * (a missing value may be any NaN). Says on stderr what differs. */
#ifndef SCARCE_TEST_SAME_TABLE_H
#define SCARCE_TEST_SAME_TABLE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/table.h"

static inline int same_no(const char *what, const char *of, size_t at)
{
    fprintf(stderr, "tables differ: %s of %s, place %zu\n", what, of ? of : "(none)", at);
    return 0;
}

static inline int same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static inline int same_dictionary(const scarce__dictionary *a, const scarce__dictionary *b)
{
    if (a->count != b->count) return same_no("number of texts", "", a->count);
    for (size_t i = 0; i < a->count; ++i)
        if (!same_text(scarce__dictionary_text(a, i), scarce__dictionary_text(b, i)))
            return same_no("text", scarce__dictionary_text(a, i), i);
    return 1;
}

static inline int same_schema(const scarce_schema *a, const scarce_schema *b)
{
    if (a->n_features != b->n_features) return same_no("number of features", "", a->n_features);
    for (size_t f = 0; f < a->n_features; ++f) {
        const char *name = a->features[f].name;
        if (!same_text(name, b->features[f].name)) return same_no("name", name, f);
        if (a->features[f].kind != b->features[f].kind) return same_no("kind", name, f);
        if (!same_dictionary(&a->features[f].categories, &b->features[f].categories))
            return same_no("categories", name, f);
    }
    if (!same_text(a->label, b->label)) return same_no("label", a->label, 0);
    if (!same_text(a->positive, b->positive)) return same_no("positive", a->positive, 0);
    if (!same_text(a->negative, b->negative)) return same_no("negative", a->negative, 0);
    if (!same_text(a->weight_name, b->weight_name)) return same_no("weight", a->weight_name, 0);
    if (!same_text(a->time_name, b->time_name)) return same_no("time", a->time_name, 0);
    if (!same_text(a->group_name, b->group_name)) return same_no("group", a->group_name, 0);
    return same_text(a->amount_name, b->amount_name) || same_no("amount", a->amount_name, 0);
}

static inline int same_floats(const float *a, const float *b, size_t n, const char *name)
{
    for (size_t i = 0; i < n; ++i)
        if (memcmp(a + i, b + i, sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return same_no("number", name, i);
    return 1;
}

static inline int same_doubles(const double *a, const double *b, size_t n, const char *name)
{
    if (!a || !b) return a == b || same_no("presence", name, 0);
    for (size_t i = 0; i < n; ++i)
        if (memcmp(a + i, b + i, sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return same_no("item", name, i);
    return 1;
}

static inline int same_column(const scarce_table *a, const scarce_table *b, size_t f)
{
    const scarce__column *x = &a->columns[f], *y = &b->columns[f];
    const char *name = a->schema.features[f].name;

    switch (a->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC: return same_floats(x->number, y->number, a->n_rows, name);
    case SCARCE_COLUMN_CATEGORY:
        for (size_t i = 0; i < a->n_rows; ++i)
            if (x->code[i] != y->code[i]) return same_no("code", name, i);
        return 1;
    case SCARCE_COLUMN_SPARSE:
        if (x->sparse.count != y->sparse.count) return same_no("number of entries", name, x->sparse.count);
        for (size_t i = 0; i < x->sparse.count; ++i)
            if (x->sparse.row[i] != y->sparse.row[i]) return same_no("row of an entry", name, i);
        return same_floats(x->sparse.value, y->sparse.value, x->sparse.count, name);
    }
    return 0;
}

static inline int same_table(const scarce_table *a, const scarce_table *b)
{
    const size_t n = a->n_rows;

    if (n != b->n_rows) return same_no("number of rows", "", n);
    if (!same_schema(&a->schema, &b->schema)) return 0;
    for (size_t f = 0; f < a->schema.n_features; ++f)
        if (!same_column(a, b, f)) return 0;
    if (a->n_positives != b->n_positives) return same_no("number of positives", "", a->n_positives);
    if ((a->label != NULL) != (b->label != NULL)) return same_no("presence", "label", 0);
    if (a->label && memcmp(a->label, b->label, n) != 0) return same_no("values", "label", 0);
    if (!same_doubles(a->weight, b->weight, n, "weight") || !same_doubles(a->time, b->time, n, "time") ||
        !same_doubles(a->amount, b->amount, n, "amount"))
        return 0;
    if ((a->group != NULL) != (b->group != NULL)) return same_no("presence", "group", 0);
    for (size_t i = 0; a->group && i < n; ++i)
        if (a->group[i] != b->group[i]) return same_no("code", "group", i);
    return same_dictionary(&a->groups, &b->groups);
}

#endif
