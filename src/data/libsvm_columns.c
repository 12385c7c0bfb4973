/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a LIBSVM file as columns.
 *
 * The features are 1, 2, ... up to the largest index, empty ones too, unless there are far more of those than
 * entries (DENSE below): then they are the indices that occur. With a model's schema they are the schema's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/libsvm.h"

#define LARGEST_INDEX (1u << 24)
/* Up to this index an array over all indices is in proportion to the entries (a feature costs some 150 bytes). */
#define DENSE(entries) (1024 + 4 * (uint64_t)(entries))

static size_t n_entries(const scarce__libsvm *r)
{
    size_t n = 0;
    for (size_t k = 0; k < r->n_pieces; ++k) n += r->pieces[k].n_entries;
    return n;
}

/* SIZE_MAX: not wanted. */
static size_t feature_of(const scarce__libsvm *r, uint32_t index)
{
    size_t low = 0, high = r->n_known;

    if (r->feature_of)
        return index <= r->n_known && r->feature_of[index] != UINT32_MAX ? r->feature_of[index] : SIZE_MAX;
    if (!r->known) return index - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->known[middle] >> 32 < index) low = middle + 1;
        else high = middle;
    }
    return low < r->n_known && r->known[low] >> 32 == index ? (uint32_t)r->known[low] : SIZE_MAX;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The index that a feature of a model is named by; 0: none. */
static uint32_t index_of_name(const char *p)
{
    uint32_t index = 0;
    while (*p >= '0' && *p <= '9' && index <= LARGEST_INDEX) index = index * 10 + (uint32_t)(*p++ - '0');
    return *p || index > LARGEST_INDEX ? 0 : index;
}

/* From pairs to an array over all indices, where that is no larger than they deserve. */
static scarce_status settle_known(scarce__libsvm *r, scarce_error *err)
{
    const uint32_t largest = r->n_known ? (uint32_t)(r->known[r->n_known - 1] >> 32) : 0;

    if (largest > DENSE(n_entries(r) + r->n_known)) return SCARCE_OK;
    r->feature_of = scarce__malloc_array((size_t)largest + 1, sizeof *r->feature_of);
    if (!r->feature_of) return scarce__fail_memory(err, "the features", 0);
    memset(r->feature_of, 0xff, ((size_t)largest + 1) * sizeof *r->feature_of);
    for (size_t i = 0; i < r->n_known; ++i) r->feature_of[r->known[i] >> 32] = (uint32_t)r->known[i];
    scarce__free(r->known);
    r->known = NULL;
    r->n_known = largest;
    return SCARCE_OK;
}

/* The model's features are wanted: their names must be indices. */
static scarce_status match_schema(scarce__libsvm *r, scarce_schema *schema, scarce_error *err)
{
    const scarce_schema *from = r->o->schema;

    SCARCE__TRY(scarce__schema_copy(schema, from, err));
    scarce__schema_clear_roles(schema);
    r->known = scarce__malloc_array(schema->n_features, sizeof *r->known);
    if (!r->known) return scarce__fail_memory(err, "the features", 0);
    for (size_t f = 0; f < schema->n_features; ++f) {
        const uint32_t index = index_of_name(schema->features[f].name);
        if (index == 0 || schema->features[f].kind == SCARCE_COLUMN_CATEGORY)
            return scarce__fail(
                err, SCARCE_EDATA, "the model's feature \"%.80s\" %s, which a LIBSVM file can't hold",
                schema->features[f].name, index == 0 ? "isn't named by an index" : "is a category");
        r->known[r->n_known++] = (uint64_t)index << 32 | f;
    }
    qsort(r->known, r->n_known, sizeof *r->known, by_value);
    return settle_known(r, err);
}

/* The indices that occur become the features, in their order. */
static scarce_status find_indices(scarce__libsvm *r, scarce_error *err)
{
    size_t n = 0, kept = 0;

    r->known = scarce__malloc_array(n_entries(r), sizeof *r->known);
    if (!r->known) return scarce__fail_memory(err, "the features", 0);
    for (size_t k = 0; k < r->n_pieces; ++k)
        for (size_t i = 0; i < r->pieces[k].n_entries; ++i)
            r->known[n++] = (uint64_t)r->pieces[k].index[i] << 32;
    qsort(r->known, n, sizeof *r->known, by_value);
    for (size_t i = 0; i < n; ++i) {
        if (kept && r->known[kept - 1] >> 32 == r->known[i] >> 32) continue;
        r->known[kept] = r->known[i] | kept;
        ++kept;
    }
    r->n_known = kept;
    return SCARCE_OK;
}

static scarce_status make_schema(scarce__libsvm *r, scarce_schema *schema, scarce_error *err)
{
    size_t d = r->largest;

    if (d > DENSE(n_entries(r))) {
        SCARCE__TRY(find_indices(r, err));
        d = r->n_known;
    }
    if (d == 0)
        return scarce__fail(err, SCARCE_EDATA,
                            "%s: no row has an entry index:value%s (--format says what the file is)",
                            scarce__source_name(r->sources[0]), r->largest ? " that isn't 0" : "");
    schema->features = scarce__calloc(d, sizeof *schema->features);
    if (!schema->features) return scarce__fail_memory(err, "the features", d * sizeof *schema->features);
    schema->n_features = d;
    for (size_t f = 0; f < d; ++f) {
        char name[24];
        (void)snprintf(name, sizeof name, "%zu", r->known ? (size_t)(r->known[f] >> 32) : f + 1);
        schema->features[f].kind = SCARCE_COLUMN_SPARSE;
        schema->features[f].name = scarce__strdup(name);
        if (!schema->features[f].name) return scarce__fail_memory(err, "the features", 0);
    }
    return SCARCE_OK;
}

/* Empty columns of the right size; sparse ones have count 0 so far. 0: out of memory. */
static int allocate_columns(const scarce__libsvm *r, scarce_table *t)
{
    const size_t d = t->schema.n_features;
    size_t *counts = scarce__calloc(d, sizeof *counts);
    int ok = counts != NULL;

    t->columns = scarce__calloc(d, sizeof *t->columns);
    if (!t->columns) ok = 0;
    for (size_t k = 0; ok && k < r->n_pieces; ++k)
        for (size_t i = 0; i < r->pieces[k].n_entries; ++i) {
            const size_t f = feature_of(r, r->pieces[k].index[i]);
            if (f != SIZE_MAX) ++counts[f];
        }
    for (size_t f = 0; ok && f < d; ++f) {
        scarce__column *c = &t->columns[f];
        if (t->schema.features[f].kind == SCARCE_COLUMN_SPARSE) {
            c->sparse.row = scarce__malloc_array(counts[f], sizeof *c->sparse.row);
            c->sparse.value = scarce__malloc_array(counts[f], sizeof *c->sparse.value);
            ok = c->sparse.row && c->sparse.value;
        } else {
            c->number = scarce__big_alloc(t->n_rows, sizeof *c->number);
            ok = c->number != NULL;
            if (ok) memset(c->number, 0, t->n_rows * sizeof *c->number);
        }
    }
    scarce__free(counts);
    return ok;
}

static void fill_columns(scarce__libsvm *r, scarce_table *t)
{
    size_t row = 0;

    for (size_t k = 0; k < r->n_pieces; ++k) {
        scarce__libsvm_piece *p = &r->pieces[k];
        size_t i = 0;
        for (size_t j = 0; j < p->n_rows; ++j, ++row)
            for (const size_t end = i + p->count[j]; i < end; ++i) {
                const size_t f = feature_of(r, p->index[i]);
                if (f == SIZE_MAX) continue;
                if (t->schema.features[f].kind == SCARCE_COLUMN_SPARSE) {
                    scarce__sparse *s = &t->columns[f].sparse;
                    s->row[s->count] = (uint32_t)row;
                    s->value[s->count++] = p->value[i];
                } else {
                    t->columns[f].number[row] = p->value[i];
                }
            }
        scarce__libsvm_piece_free(p);
    }
}

static scarce_status finish_roles(scarce__libsvm *r, scarce_table *t, scarce_error *err)
{
    if (r->has_query) {
        t->schema.group_name = scarce__strdup("qid");
        if (!t->schema.group_name) return scarce__fail_memory(err, "a name", 0);
        t->group = r->query;
        t->groups = r->queries;
        r->query = NULL;
        memset(&r->queries, 0, sizeof r->queries);
    } else if (r->o->group) {
        return scarce__fail(err, SCARCE_EDATA, "%s: no row has a qid, which is the group in a LIBSVM file",
                            scarce__source_name(r->sources[0]));
    }
    if (r->labels.n_missing == t->n_rows && r->o->label_optional) return SCARCE_OK;
    return scarce__finish_label(t, &r->labels, "label", r->sources, r->o, err);
}

scarce_status scarce__libsvm_columns(scarce__libsvm *r, scarce_table *table, scarce_error *err)
{
    SCARCE__TRY(r->o->schema ? match_schema(r, &table->schema, err) : make_schema(r, &table->schema, err));
    if (!allocate_columns(r, table)) return scarce__fail_memory(err, "the columns of a table", 0);
    fill_columns(r, table);
    return finish_roles(r, table, err);
}
