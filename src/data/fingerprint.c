/* SPDX-License-Identifier: Apache-2.0 */
/* The fingerprint of a table: everything that a result can depend on, in the order of the columns. A role
 * that is absent is hashed as an empty array, so one role can't take the place of another. */
#include "core/hash.h"
#include "data/table.h"

static uint64_t hash_dictionary(uint64_t h, const scarce__dictionary *d)
{
    h = scarce__hash_bytes(h, &d->count, sizeof d->count);
    for (size_t i = 0; i < d->count; ++i) h = scarce__hash_text(h, scarce__dictionary_text(d, i));
    return h;
}

static uint64_t hash_column(uint64_t h, const scarce_table *t, size_t f)
{
    const scarce__feature *feature = &t->schema.features[f];
    const scarce__column *c = &t->columns[f];
    const uint64_t kind = (uint64_t)feature->kind;

    h = scarce__hash_text(h, feature->name);
    h = scarce__hash_bytes(h, &kind, sizeof kind);
    switch (feature->kind) {
    case SCARCE_COLUMN_NUMERIC: return scarce__hash_bytes(h, c->number, t->n_rows * sizeof *c->number);
    case SCARCE_COLUMN_CATEGORY:
        h = hash_dictionary(h, &feature->categories);
        return scarce__hash_bytes(h, c->code, t->n_rows * sizeof *c->code);
    case SCARCE_COLUMN_SPARSE:
        h = scarce__hash_bytes(h, c->sparse.row, c->sparse.count * sizeof *c->sparse.row);
        return scarce__hash_bytes(h, c->sparse.value, c->sparse.count * sizeof *c->sparse.value);
    }
    return h;
}

uint64_t scarce_table_fingerprint(const scarce_table *t)
{
    const size_t n = t->n_rows;
    uint64_t h = scarce__hash_bytes(1, &n, sizeof n);

    for (size_t f = 0; f < t->schema.n_features; ++f) h = hash_column(h, t, f);
    h = scarce__hash_bytes(h, t->label, n * sizeof *t->label);
    h = scarce__hash_bytes(h, t->weight, n * sizeof *t->weight);
    h = scarce__hash_bytes(h, t->time, n * sizeof *t->time);
    h = scarce__hash_bytes(h, t->amount, n * sizeof *t->amount);
    h = scarce__hash_bytes(h, t->group, n * sizeof *t->group);
    h = hash_dictionary(h, &t->groups);
    if (t->cost)
        h = scarce__hash_bytes(h, t->cost,
                               n * sizeof *t->cost); /* fingerprints without it stay as they were */
    if (t->class_of) h = scarce__hash_bytes(h, t->class_of, n);
    for (size_t i = 0; i < SCARCE__MAX_EXACT; ++i)
        h = scarce__hash_bytes(h, t->exact[i], n * sizeof *t->exact[i]);
    return h;
}
