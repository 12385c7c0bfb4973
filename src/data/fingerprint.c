/* SPDX-License-Identifier: Apache-2.0 */
#include "data/fingerprint.h"

#include <string.h>

#include "core/random.h"

static void hash_bytes(uint64_t *h, const void *data, size_t n)
{
    const uint8_t *bytes = data;
    uint64_t a = *h, word;
    if (!data) n = 0;
    a ^= n * 0x9e3779b97f4a7c15u;
    for (; n >= 8; n -= 8, bytes += 8) { /* one multiplication a word: the table may be large */
        memcpy(&word, bytes, 8);
        a = (a ^ word) * 0xd6e8feb86659fd93u;
        a ^= a >> 32;
    }
    word = 0;
    if (n) memcpy(&word, bytes, n);
    *h = scarce__mix64(a ^ word);
}

static void hash_table(uint64_t *h, const scarce_table *t)
{
    const size_t n = t->n_rows;
    hash_bytes(h, t->label, n);
    hash_bytes(h, t->weight, n * sizeof(double));
    hash_bytes(h, t->time, n * sizeof(double));
    hash_bytes(h, t->amount, n * sizeof(double));
    hash_bytes(h, t->group, n * sizeof(int32_t));
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce__column *c = &t->columns[f];
        hash_bytes(h, t->schema.features[f].name, strlen(t->schema.features[f].name));
        switch (t->schema.features[f].kind) {
        case SCARCE_COLUMN_NUMERIC: hash_bytes(h, c->number, n * sizeof(float)); break;
        case SCARCE_COLUMN_CATEGORY: hash_bytes(h, c->code, n * sizeof(int32_t)); break;
        case SCARCE_COLUMN_SPARSE:
            hash_bytes(h, c->sparse.row, c->sparse.count * sizeof(uint32_t));
            hash_bytes(h, c->sparse.value, c->sparse.count * sizeof(float));
            break;
        }
    }
}

uint64_t scarce__table_fingerprint(const scarce_table *table)
{
    uint64_t h = 1;
    hash_table(&h, table);
    return h;
}
