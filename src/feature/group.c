/* SPDX-License-Identifier: Apache-2.0 */
/* A counting sort by key. Keys become numbers 0, 1, ... through a table that stays in the cache as long as there are
 * not too many of them; the entries that rows to come will ask for are fetched ahead. */
#include "feature/group.h"

#include "core/alloc.h"
#include "core/simd.h"
#include "feature/sweep.h"

enum { FIRST_SLOTS = 2048, AHEAD = 16 };

typedef struct numbering {
    uint32_t *slots; /* open addressing: the number, 0: free */
    size_t n_slots;
    uint64_t *keys;  /* two for each number; those of number 0 are nobody's */
    uint32_t *count; /* rows of each */
    size_t n, capacity;
} numbering;

static void numbering_deinit(numbering *t)
{
    scarce__free(t->slots);
    scarce__free(t->keys);
    scarce__free(t->count);
}

static size_t slot_of(const numbering *t, const uint64_t key[2])
{
    size_t i = (size_t)key[0] & (t->n_slots - 1);
    for (; t->slots[i]; i = (i + 1) & (t->n_slots - 1)) {
        const uint64_t *other = t->keys + 2 * (size_t)t->slots[i];
        if (other[0] == key[0] && other[1] == key[1]) break;
    }
    return i;
}

/* Room for twice as many. Slots are four for each number at least: few rows have to look twice, and guess wrongly how
 * often. */
static int grow(numbering *t)
{
    const size_t n_slots = t->n_slots ? 2 * t->n_slots : FIRST_SLOTS, capacity = n_slots / 4;
    uint64_t *keys = scarce__realloc_array(t->keys, capacity, 2 * sizeof *keys);
    if (keys) t->keys = keys;
    uint32_t *count = scarce__realloc_array(t->count, capacity, sizeof *count);
    if (count) t->count = count;
    uint32_t *slots = keys && count ? scarce__calloc(n_slots, sizeof *slots) : NULL;
    if (!slots) return 0;
    if (t->n == 0) { /* number 0 */
        keys[0] = keys[1] = 0;
        count[0] = 0;
        t->n = 1;
    }
    scarce__free(t->slots);
    t->slots = slots;
    t->n_slots = n_slots;
    t->capacity = capacity;
    for (size_t i = 1; i < t->n; ++i) slots[slot_of(t, keys + 2 * i)] = (uint32_t)i;
    return 1;
}

/* The number of each row's key to place[row]; 0: out of memory. */
static int number_keys(numbering *t, uint32_t *place, const uint64_t *keys, const uint8_t *no_key, size_t n)
{
    if (!grow(t)) return 0;
    for (size_t row = 0; row < n; ++row) {
        if (row + AHEAD < n) SCARCE__PREFETCH(&t->slots[keys[2 * (row + AHEAD)] & (t->n_slots - 1)]);
        uint32_t number = 0;
        if (!no_key || !no_key[row]) {
            size_t slot = slot_of(t, keys + 2 * row);
            if (!t->slots[slot]) {
                if (t->n == t->capacity) {
                    if (!grow(t)) return 0;
                    slot = slot_of(t, keys + 2 * row);
                }
                t->keys[2 * t->n] = keys[2 * row];
                t->keys[2 * t->n + 1] = keys[2 * row + 1];
                t->count[t->n] = 0;
                t->slots[slot] = (uint32_t)t->n++;
            }
            number = t->slots[slot];
        }
        ++t->count[number];
        place[row] = number;
    }
    return 1;
}

static int32_t small(int64_t x, uint8_t *missing, uint8_t *wide)
{
    if (x <= INT32_MAX && x >= SCARCE__SMALL_LOWEST) return (int32_t)x;
    if (x == SCARCE__NO_VALUE) *missing = 1;
    else *wide = 1;
    return SCARCE__SMALL_MISSING;
}

/* Rows to their places; next[group] is where its next row goes. */
static void put_in_place(scarce__groups *g, const scarce__batch *b, const scarce__feature_kind *k,
                         int64_t base, uint32_t *next)
{
    const int64_t *column[SCARCE__FEATURE_COLUMNS];
    for (int v = 0; v < k->n_values; ++v) column[v] = b->numbers[k->values[v]];
    for (size_t row = 0; row < b->n; ++row) {
        const uint32_t group = g->place[row], at = next[group]++;
        if (row + AHEAD < b->n) {
            const uint32_t soon = next[g->place[row + AHEAD]];
            SCARCE__PREFETCH(&g->time[soon]);
            SCARCE__PREFETCH(&g->values[soon]);
        }
        g->place[row] = at;
        g->time[at] = (int32_t)(b->time[row] - base);
        for (int v = 0; v < k->n_values; ++v)
            g->values[(size_t)v * b->n + at] = small(column[v][row], &g->missing[v], &g->wide[group]);
    }
}

int scarce__groups_make(scarce__groups *g, const scarce__batch *b, size_t kind, int64_t base)
{
    const scarce__feature_kind *k = &b->plan->kinds[kind];
    numbering t;

    memset(g, 0, sizeof *g);
    memset(&t, 0, sizeof t);
    g->place = scarce__big_alloc(b->n, sizeof *g->place);
    g->time = scarce__big_alloc(b->n + SCARCE__SWEEP_STEP, sizeof *g->time);
    g->values = scarce__big_alloc(b->n, (size_t)k->n_values * sizeof *g->values);
    int ok = g->place && g->time && g->values &&
             number_keys(&t, g->place, b->keys[kind], b->no_key ? b->no_key[kind] : NULL, b->n);
    if (ok) {
        g->n = t.n;
        g->begin = scarce__malloc_array(t.n + 1, sizeof *g->begin);
        g->wide = scarce__calloc(t.n, sizeof *g->wide);
        ok = g->begin && g->wide;
    }
    if (ok) {
        uint32_t begin = 0;
        for (size_t i = 0; i < t.n; ++i) {
            const uint32_t count = t.count[i];
            g->begin[i] = t.count[i] = begin;
            begin += count;
        }
        g->begin[t.n] = begin;
        for (size_t i = 0; i < SCARCE__SWEEP_STEP; ++i) g->time[b->n + i] = 0; /* read, and of no effect */
        put_in_place(g, b, k, base, t.count);
    } else scarce__groups_deinit(g);
    numbering_deinit(&t);
    return ok;
}

void scarce__groups_deinit(scarce__groups *g)
{
    scarce__free(g->begin);
    scarce__free(g->wide);
    scarce__free(g->place);
    scarce__free(g->time);
    scarce__free(g->values);
    memset(g, 0, sizeof *g);
}

size_t scarce__groups_from(const scarce__groups *g, size_t place)
{
    size_t from = 0, to = g->n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (g->begin[middle] >= place) to = middle;
        else from = middle + 1;
    }
    return from;
}
