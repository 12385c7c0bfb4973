/* SPDX-License-Identifier: Apache-2.0 */
#include "far/align.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

/* Where feature f of the schema stands in the table: usually at the same place. */
static size_t find(const scarce_schema *in, const char *name, size_t f)
{
    if (f < in->n_features && strcmp(in->features[f].name, name) == 0) return f;
    for (size_t i = 0; i < in->n_features; ++i)
        if (strcmp(in->features[i].name, name) == 0) return i;
    return SIZE_MAX;
}

/* The schema's code of every category of the table; those it doesn't list become unknown, or are added. */
static int32_t *map_of(scarce__dictionary *to, const scarce__dictionary *from, int grow, int *same)
{
    int32_t *map = scarce__malloc_array(from->count + 1, sizeof *map);

    *same = 1;
    for (size_t c = 0; map && c < from->count; ++c) {
        const char *text = scarce__dictionary_text(from, c);
        size_t code = grow ? scarce__dictionary_add(to, text, strlen(text))
                           : scarce__dictionary_find(to, text, strlen(text));
        if (code == SIZE_MAX && grow) {
            scarce__free(map);
            return NULL;
        }
        if (code == SIZE_MAX) code = to->count;
        map[c] = (int32_t)code;
        *same &= code == c;
    }
    if (map) map[from->count] = (int32_t)to->count; /* unknown stays unknown */
    *same &= from->count == to->count;
    return map;
}

static scarce_status align_category(scarce__aligned *out, scarce_schema *schema, size_t f,
                                    const scarce_table *from, size_t g, int grow, scarce_error *err)
{
    const int32_t *code = from->columns[g].code;
    int same;
    int32_t *map = map_of(&schema->features[f].categories, &from->schema.features[g].categories, grow, &same);

    if (map && same) {
        scarce__free(map);
        out->table.columns[f].code = from->columns[g].code;
        return SCARCE_OK;
    }
    if (map) out->codes[f] = scarce__malloc_array(from->n_rows, sizeof *code);
    if (map && out->codes[f]) {
        for (size_t i = 0; i < from->n_rows; ++i) out->codes[f][i] = code[i] < 0 ? -1 : map[code[i]];
        out->table.columns[f].code = out->codes[f];
    }
    scarce__free(map);
    return out->codes[f] ? SCARCE_OK
                         : scarce__fail_memory(err, "the categories of a block", from->n_rows * sizeof *code);
}

static const char *kind_name(scarce_column_kind kind)
{
    return kind == SCARCE_COLUMN_NUMERIC    ? "a number"
           : kind == SCARCE_COLUMN_CATEGORY ? "a category"
                                            : "sparse";
}

static scarce_status align_feature(scarce__aligned *out, scarce_schema *schema, size_t f,
                                   const scarce_table *from, int grow, scarce_error *err)
{
    const scarce__feature *want = &schema->features[f];
    const size_t g = find(&from->schema, want->name, f);

    if (g == SIZE_MAX)
        return scarce__fail(err, SCARCE_EDATA, "column \"%s\" is missing in some of the rows", want->name);
    const scarce_column_kind kind = from->schema.features[g].kind;
    if (kind != want->kind)
        return scarce__fail(
            err, SCARCE_EDATA,
            "column \"%s\" is %s in some of the rows and %s in others (say which: --categorical or "
            "--numeric)",
            want->name, kind_name(kind), kind_name(want->kind));
    if (kind == SCARCE_COLUMN_CATEGORY) return align_category(out, schema, f, from, g, grow, err);
    out->table.columns[f].number = from->columns[g].number;
    return SCARCE_OK;
}

scarce_status scarce__align(scarce__aligned *out, scarce_schema *schema, const scarce_table *from, int grow,
                            scarce_error *err)
{
    const size_t n = schema->n_features;
    scarce_status st = SCARCE_OK;

    memset(out, 0, sizeof *out);
    if (schema->positive && from->schema.positive && strcmp(schema->positive, from->schema.positive) != 0)
        return scarce__fail(
            err, SCARCE_EDATA,
            "the positive label is \"%.40s\" in some of the rows and \"%.40s\" in others: say which "
            "(--positive)",
            schema->positive, from->schema.positive);
    if (!from->label) return scarce__fail(err, SCARCE_EDATA, "some of the rows have no label");
    out->table.n_rows = from->n_rows;
    out->table.columns = scarce__calloc(n, sizeof *out->table.columns);
    out->codes = scarce__calloc(n, sizeof *out->codes);
    if (!out->table.columns || !out->codes) st = scarce__fail_memory(err, "the columns of a block", 0);
    for (size_t f = 0; f < n && st == SCARCE_OK; ++f) st = align_feature(out, schema, f, from, grow, err);
    out->table.schema = *schema;
    out->table.label = from->label;
    out->table.n_positives = from->n_positives;
    out->table.weight = from->weight;
    out->table.cost = from->cost;
    if (st != SCARCE_OK) scarce__aligned_deinit(out);
    return st;
}

void scarce__aligned_deinit(scarce__aligned *a)
{
    for (size_t f = 0; a->codes && f < a->table.schema.n_features; ++f) scarce__free(a->codes[f]);
    scarce__free(a->codes);
    scarce__free(a->table.columns);
    memset(a, 0, sizeof *a);
}
