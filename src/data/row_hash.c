/* SPDX-License-Identifier: Apache-2.0 */
#include "data/row_hash.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"

static uint64_t mix(uint64_t key, float value)
{
    uint32_t bits;

    if (isnan(value)) return scarce__hash(key, UINT64_MAX);
    if (value == 0) return 0;
    memcpy(&bits, &value, sizeof bits);
    return scarce__hash(key, bits);
}

static void add_column(uint64_t *hash, const scarce_table *t, size_t f)
{
    const uint64_t key = scarce__key(f, SCARCE__FOR_ROWS, 0x5ee);
    const scarce__column *c = &t->columns[f];

    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        for (size_t i = 0; i < t->n_rows; ++i) hash[i] += mix(key, c->number[i]);
        return;
    case SCARCE_COLUMN_CATEGORY: /* codes from 1: the first category is no zero */
        for (size_t i = 0; i < t->n_rows; ++i) hash[i] += mix(key, (float)c->code[i] + 2);
        return;
    case SCARCE_COLUMN_SPARSE:
        for (size_t i = 0; i < c->sparse.count; ++i) hash[c->sparse.row[i]] += mix(key, c->sparse.value[i]);
        return;
    }
}

uint64_t *scarce__row_hashes(const scarce_table *t)
{
    uint64_t *hash = scarce__calloc(t->n_rows, sizeof *hash);

    if (!hash) return NULL;
    for (size_t f = 0; f < t->schema.n_features; ++f) add_column(hash, t, f);
    for (size_t i = 0; i < t->n_rows; ++i) hash[i] = scarce__mix64(hash[i]);
    return hash;
}
