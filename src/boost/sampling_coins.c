/* SPDX-License-Identifier: Apache-2.0 */
#include "boost/sampling_coins.h"

#include <math.h>

#include "boost/sampling_places.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

enum { MOST_PARTS = 64 };

/* How many coins a weight has: 2.4 has 3. */
static uint32_t coins_of(float parts)
{
    return parts <= 1 ? 1 : (uint32_t)ceilf(parts);
}

/* Counts of equal rows by open addressing; a power of two of slots, at most half of them used. */
typedef struct counter {
    uint64_t *hash; /* 0: free */
    uint32_t *count;
    size_t mask;
} counter;

static scarce_status counter_new(counter *c, size_t n, scarce_error *err)
{
    size_t slots = 16;

    while (slots < 2 * n) slots *= 2;
    c->hash = scarce__calloc(slots, sizeof *c->hash);
    c->count = scarce__calloc(slots, sizeof *c->count);
    c->mask = slots - 1;
    return c->hash && c->count ? SCARCE_OK : scarce__fail_memory(err, "drawing rows", 12 * slots);
}

/* The coins that rows like this one had before; now it has `coins` more. */
static uint32_t counter_add(counter *c, uint64_t hash, uint32_t coins)
{
    const uint64_t key = hash ? hash : 1;
    size_t at = (size_t)scarce__mix64(key) & c->mask;
    uint32_t before;

    while (c->hash[at] && c->hash[at] != key) at = (at + 1) & c->mask;
    c->hash[at] = key;
    before = c->count[at];
    c->count[at] += coins;
    return before;
}

void scarce__coins_free(scarce__coins *c)
{
    if (!c) return;
    scarce__free(c->hash);
    scarce__free(c->first);
    scarce__free(c->parts);
    scarce__free(c);
}

static scarce_status fill(scarce__coins *c, const scarce__population *all, scarce_error *err)
{
    const double *weight = scarce_table_weight(all->table);
    counter counts = {NULL, NULL, 0};
    scarce_status st = scarce__training_hashes(&c->hash, all, err);

    if (st == SCARCE_OK) st = counter_new(&counts, all->n, err);
    for (size_t i = 0; st == SCARCE_OK && i < all->n; ++i) {
        if (weight) {
            const double w = weight[all->table_row ? all->table_row[i] : i];
            c->parts[i] = w < MOST_PARTS ? (float)w : MOST_PARTS;
        }
        c->first[i] = counter_add(&counts, c->hash[i], weight ? coins_of(c->parts[i]) : 1);
    }
    scarce__free(counts.hash);
    scarce__free(counts.count);
    return st;
}

scarce_status scarce__coins_new(scarce__coins **out, const scarce__population *all, scarce_error *err)
{
    scarce__coins *c = scarce__calloc(1, sizeof *c);
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (!c) return scarce__fail_memory(err, "drawing rows", sizeof *c);
    c->first = scarce__malloc_array(all->n, sizeof *c->first);
    if (scarce_table_weight(all->table)) c->parts = scarce__malloc_array(all->n, sizeof *c->parts);
    if (!c->first || (scarce_table_weight(all->table) && !c->parts))
        st = scarce__fail_memory(err, "drawing rows", 12 * all->n);
    if (st == SCARCE_OK) st = fill(c, all, err);
    if (st == SCARCE_OK) *out = c;
    else scarce__coins_free(c);
    return st;
}

static int comes_up(const scarce__coins *c, size_t id, uint64_t key, uint32_t number, uint64_t limit)
{
    return scarce__hash(key, c->hash[id] + 0x9e3779b97f4a7c15u * (c->first[id] + number)) < limit;
}

float scarce__coins_kept(const scarce__coins *c, size_t id, uint64_t key, uint64_t limit)
{
    const float parts = c->parts ? c->parts[id] : 1;
    float kept = 0;

    if (parts <= 1) return comes_up(c, id, key, 0, limit) ? 1 : 0;
    for (uint32_t k = 0; k < coins_of(parts); ++k)
        if (comes_up(c, id, key, k, limit)) kept += fminf(1, parts - (float)k);
    return kept / parts;
}
