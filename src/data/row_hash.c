/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in blocks that stay in the cache while all columns are added to them; sums of 64 bits, so their order says nothing,
 * and one loop compiled for three processors (core/simd.h). */
#include "data/row_hash.h"

#include <string.h>

#include "core/alloc.h"
#include "core/random.h"
#include "core/simd.h"

enum { BLOCK = 2048 };

static uint64_t key_of(size_t feature)
{
    return scarce__key(feature, SCARCE__FOR_ROWS, 0x5ee);
}

/* Of one value; 0 of zeros, and one number for all that is missing. */
SCARCE__BODY uint64_t mix(uint64_t key, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    const uint64_t here = scarce__hash(key, value == value ? bits : UINT64_MAX);
    return value == 0 ? 0 : here;
}

SCARCE__BODY void add_numbers(uint64_t *restrict hash, const float *restrict x, size_t n, uint64_t key)
{
    for (size_t i = 0; i < n; ++i) hash[i] += mix(key, x[i]);
}

/* Codes from 1: the first category is no zero. */
SCARCE__BODY void add_codes(uint64_t *restrict hash, const int32_t *restrict code, size_t n, uint64_t key)
{
    for (size_t i = 0; i < n; ++i) hash[i] += mix(key, (float)code[i] + 2);
}

SCARCE__BODY void block_body(uint64_t *hash, const scarce_table *t, size_t begin, size_t n)
{
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce__column *c = &t->columns[f];
        const scarce_column_kind kind = t->schema.features[f].kind;
        if (kind == SCARCE_COLUMN_NUMERIC) add_numbers(hash, c->number + begin, n, key_of(f));
        if (kind == SCARCE_COLUMN_CATEGORY) add_codes(hash, c->code + begin, n, key_of(f));
    }
    for (size_t i = 0; i < n; ++i) hash[i] = scarce__mix64(hash[i]);
}

static void block_plain(uint64_t *hash, const scarce_table *t, size_t begin, size_t n)
{
    block_body(hash, t, begin, n);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void block_avx2(uint64_t *hash, const scarce_table *t, size_t begin, size_t n)
{
    block_body(hash, t, begin, n);
}

__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) static void
block_avx512(uint64_t *hash, const scarce_table *t, size_t begin, size_t n)
{
    block_body(hash, t, begin, n);
}
#endif

static void add_block(uint64_t *hash, const scarce_table *t, size_t begin, size_t n)
{
#if SCARCE__HAVE_AVX2
    if (scarce__cpu() & SCARCE__CPU_AVX512) {
        block_avx512(hash, t, begin, n);
        return;
    }
    if (scarce__cpu_avx2()) {
        block_avx2(hash, t, begin, n);
        return;
    }
#endif
    block_plain(hash, t, begin, n);
}

uint64_t *scarce__row_hashes(const scarce_table *t)
{
    uint64_t *hash = scarce__calloc(t->n_rows, sizeof *hash);

    for (size_t f = 0; hash && f < t->schema.n_features; ++f) {
        const scarce__sparse *s = &t->columns[f].sparse;
        if (t->schema.features[f].kind != SCARCE_COLUMN_SPARSE) continue;
        for (size_t i = 0; i < s->count; ++i) hash[s->row[i]] += mix(key_of(f), s->value[i]);
    }
    for (size_t begin = 0; hash && begin < t->n_rows; begin += BLOCK)
        add_block(hash + begin, t, begin, t->n_rows - begin < BLOCK ? t->n_rows - begin : BLOCK);
    return hash;
}
