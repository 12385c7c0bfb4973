/* SPDX-License-Identifier: Apache-2.0 */
/* Long histories: totals of each 64 and of each 4,096 records, so that a window of n records costs some 130 additions
 * and n / 4096 more; for counted columns a bit at the last record of each value, so that "how many different since
 * position p" is a count of bits. All of it is made from the records in one pass, and again whenever these move
 * (growth, a late record): each time n / 4 records or more have come since, or one came late.
 *
 * Beyond max_events the oldest quarter is folded into tiles, one for each span of time (an hour, unless the kind says
 * otherwise). From then on its records have the time of the newest record of their tile; they are in sums, counts and
 * shares, but no longer in `last n` and `distinct`, and their labels stay as they were. */
#include "core/alloc.h"
#include "feature/history.h"

enum { NODE = 64, HIGH_NODE = 4096, NODE_SHIFT = 6, HIGH_SHIFT = 12 };

void scarce__add_record(const scarce__shape *s, const scarce__history *h, size_t i, void *totals)
{
    const scarce__feature_kind *k = s->kind;
    const unsigned flags = scarce__flags_at(s, h, i);
    const unsigned fraud = (flags & 3) == SCARCE__LABEL_FRAUD;
    uint64_t *counts = scarce__totals_counts(&s->totals, totals);
    scarce__sum *sums = totals;

    for (int f = 0; f < s->totals.n_filters; ++f) {
        if (!scarce__passes(flags, f)) continue;
        ++counts[2 * f];
        counts[2 * f + 1] += fraud;
    }
    for (int m = 0; m < s->totals.n_measures; ++m) {
        if (!scarce__passes(flags, k->measures[m].filter)) continue;
        const int64_t v = scarce__value_at(s, h, k->measures[m].value, i);
        if (v != SCARCE__NO_VALUE) scarce__sum_add(&sums[m], v, &k->measures[m]);
    }
}

/* A measure over records of small values that all count: the case of most, and most of the time of a walk. */
static void add_column(scarce__sum *sum, const scarce__feature_measure *m, const int32_t *column, size_t n)
{
    int64_t total = 0, known = 0;
    int32_t min = INT32_MAX, max = INT32_MIN;
    for (size_t i = 0; i < n; ++i) { /* n is below 2^31, so 64 bits hold it */
        const int64_t there = column[i] != INT32_MIN;
        total += there ? column[i] : 0;
        known += there;
    }
    if (known == 0) return;
    sum->known += (uint64_t)known;
    sum->sum = (scarce__i128)((scarce__u128)sum->sum + (scarce__u128)(scarce__i128)total);
    if (m->squares) {
        scarce__u128 squares = 0;
        for (size_t i = 0; i < n; ++i) {
            const int64_t v = column[i] == INT32_MIN ? 0 : column[i];
            squares += (uint64_t)(v * v);
        }
        const uint64_t add[3] = {(uint64_t)squares, (uint64_t)(squares >> 64), 0};
        scarce__add192(sum->squares, add);
    }
    if (!m->extremes) return;
    for (size_t i = 0; i < n; ++i) {
        const int32_t low = column[i] == INT32_MIN ? INT32_MAX : column[i];
        min = low < min ? low : min;
        max = column[i] > max ? column[i] : max;
    }
    if (min < sum->min) sum->min = min;
    if (max > sum->max) sum->max = max;
}

/* Records one after the other, or where there are no flags column after column. */
static void add_block(const scarce__shape *s, const scarce__history *h, size_t from, size_t to, void *totals)
{
    if (s->has_flags || h->wide) {
        for (; from < to; ++from) scarce__add_record(s, h, from, totals);
        return;
    }
    scarce__totals_counts(&s->totals, totals)[0] += to - from;
    for (int m = 0; m < s->totals.n_measures; ++m)
        add_column((scarce__sum *)totals + m, &s->kind->measures[m],
                   (const int32_t *)(const void *)scarce__values(s, h, s->kind->measures[m].value) + from,
                   to - from);
}

void scarce__add_range(const scarce__shape *s, const scarce__history *h, size_t from, size_t to, void *totals)
{
    const scarce__summary *y = h->summary;
    if (from >= to) return;
    if (!y || !y->active) {
        add_block(s, h, from, to, totals);
        return;
    }
    while (from < to) {
        if (from % HIGH_NODE == 0 && from + HIGH_NODE <= to) {
            scarce__totals_merge(&s->totals, totals, y->high_nodes + (from >> HIGH_SHIFT) * s->totals.bytes);
            from += HIGH_NODE;
        } else if (from % NODE == 0 && from + NODE <= to) {
            scarce__totals_merge(&s->totals, totals, y->nodes + (from >> NODE_SHIFT) * s->totals.bytes);
            from += NODE;
        } else {
            size_t next = from / NODE * NODE + NODE;
            if (next > to) next = to;
            add_block(s, h, from, next, totals);
            from = next;
        }
    }
}

/* ---- last occurrences */

static size_t last_slot(const scarce__last *l, uint64_t hash)
{
    size_t i = (size_t)(hash * 0x9e3779b97f4a7c15u >> 20) & (l->slots - 1);
    while (l->values[i] != 0 && l->values[i] != hash) i = (i + 1) & (l->slots - 1);
    return i;
}

static void mark_last(const scarce__shape *s, const scarce__history *h, int mark, size_t i)
{
    scarce__last *l = &h->summary->lasts[mark];
    const scarce__mark *m = &s->marks[mark];
    const uint64_t hash = scarce__counted(h, m->counted)[i];

    if (i % 64 == 0) l->bits[i / 64] = 0;
    if (i % HIGH_NODE == 0) l->high[i >> HIGH_SHIFT] = 0;
    if (hash == 0 || !scarce__passes(scarce__flags_at(s, h, i), m->filter)) return;
    const size_t slot = last_slot(l, hash);
    if (l->values[slot] == 0) {
        l->values[slot] = hash;
        ++l->used;
    } else {
        l->bits[l->at[slot] / 64] &= ~((uint64_t)1 << l->at[slot] % 64);
        --l->high[l->at[slot] >> HIGH_SHIFT];
    }
    l->at[slot] = (uint32_t)i;
    l->bits[i / 64] |= (uint64_t)1 << i % 64;
    ++l->high[i >> HIGH_SHIFT];
}

size_t scarce__summary_find(const scarce__history *h, int mark, uint64_t hash)
{
    const scarce__last *l = &h->summary->lasts[mark];
    const size_t slot = last_slot(l, hash);
    return l->values[slot] ? l->at[slot] : SIZE_MAX;
}

static size_t count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (size_t)(x * 0x0101010101010101u >> 56);
}

size_t scarce__summary_marks(const scarce__history *h, int mark, size_t from, size_t to)
{
    const scarce__last *l = &h->summary->lasts[mark];
    size_t n = 0;
    while (from < to) {
        if (from % HIGH_NODE == 0 && from + HIGH_NODE <= to) {
            n += l->high[from >> HIGH_SHIFT];
            from += HIGH_NODE;
            continue;
        }
        const size_t next = from / 64 * 64 + 64;
        uint64_t x = l->bits[from / 64] & ~(uint64_t)0 << from % 64;
        if (next > to) x &= ~(~(uint64_t)0 << to % 64);
        n += count_bits(x);
        from = next;
    }
    return n;
}

/* ---- making it */

static void free_nodes(const scarce__shape *s, scarce__summary *y)
{
    scarce__free(y->nodes);
    scarce__free(y->high_nodes);
    for (int m = 0; y->lasts && m < s->n_marks; ++m) {
        scarce__free(y->lasts[m].bits);
        scarce__free(y->lasts[m].high);
        scarce__free(y->lasts[m].values);
        scarce__free(y->lasts[m].at);
    }
    scarce__free(y->lasts);
    y->nodes = y->high_nodes = NULL;
    y->lasts = NULL;
    y->n_nodes = 0;
    y->active = 0;
}

/* Room for all positions of the block: made once for each capacity. */
static int make_room(const scarce__shape *s, scarce__history *h)
{
    scarce__summary *y = h->summary;
    const size_t n = h->capacity / NODE + 1;
    size_t slots = 64;

    if (y->n_nodes == n) return 1;
    free_nodes(s, y);
    while (slots < 2 * (size_t)h->capacity) slots *= 2;
    y->nodes = scarce__malloc_array(n, s->totals.bytes);
    y->high_nodes = scarce__malloc_array(h->capacity / HIGH_NODE + 1, s->totals.bytes);
    y->lasts = scarce__calloc((size_t)s->n_marks + 1, sizeof *y->lasts);
    int ok = y->nodes && y->high_nodes && y->lasts;
    for (int m = 0; ok && m < s->n_marks; ++m) {
        scarce__last *l = &y->lasts[m];
        l->slots = slots;
        l->bits = scarce__malloc_array(n, sizeof *l->bits);
        l->high = scarce__malloc_array(h->capacity / HIGH_NODE + 1, sizeof *l->high);
        l->values = scarce__malloc_array(slots, sizeof *l->values);
        l->at = scarce__malloc_array(slots, sizeof *l->at);
        ok = l->bits && l->high && l->values && l->at;
    }
    if (ok) y->n_nodes = n;
    else free_nodes(s, y);
    return ok;
}

static void add_at_end(const scarce__shape *s, scarce__history *h, size_t i)
{
    scarce__summary *y = h->summary;
    char *node = y->nodes + (i >> NODE_SHIFT) * s->totals.bytes;
    char *high = y->high_nodes + (i >> HIGH_SHIFT) * s->totals.bytes;
    if (i % NODE == 0) scarce__totals_clear(&s->totals, node);
    if (i % HIGH_NODE == 0) scarce__totals_clear(&s->totals, high);
    scarce__add_record(s, h, i, node);
    scarce__add_record(s, h, i, high);
    for (int m = 0; m < s->n_marks; ++m) mark_last(s, h, m, i);
}

/* The totals of each NODE positions of the block, and from these of each HIGH_NODE: most records are added up column by
 * column, which takes a tenth of the time of one after the other. Nodes that begin before the first record are never
 * used whole, but are added to. */
static void add_all(const scarce__shape *s, const scarce__history *h)
{
    const size_t bytes = s->totals.bytes;
    for (size_t i = h->head; i < h->tail;) {
        const size_t next = (i >> NODE_SHIFT << NODE_SHIFT) + NODE, end = next < h->tail ? next : h->tail;
        char *node = h->summary->nodes + (i >> NODE_SHIFT) * bytes;
        char *high = h->summary->high_nodes + (i >> HIGH_SHIFT) * bytes;
        scarce__totals_clear(&s->totals, node);
        if (i == h->head || i % HIGH_NODE == 0) scarce__totals_clear(&s->totals, high);
        add_block(s, h, i, end, node);
        scarce__totals_merge(&s->totals, high, node);
        i = end;
    }
}

void scarce__summary_build(const scarce__shape *s, scarce__history *h)
{
    const size_t live = h->tail - h->head;
    if (live <= SCARCE__LONG_HISTORY / 2 || (!h->summary && live <= SCARCE__LONG_HISTORY)) {
        if (h->summary) {
            free_nodes(s, h->summary);
            if (h->summary->n_tiles == 0) scarce__summary_deinit(s, h);
        }
        return;
    }
    if (!h->summary) h->summary = scarce__calloc(1, sizeof *h->summary);
    if (!h->summary) return;
    h->summary->active = 0;
    if (!make_room(s, h)) return;
    for (int m = 0; m < s->n_marks; ++m) {
        scarce__last *l = &h->summary->lasts[m];
        memset(l->values, 0, l->slots * sizeof *l->values);
        l->used = 0;
        if (h->head % 64) l->bits[h->head / 64] = 0;
        if (h->head % HIGH_NODE) l->high[h->head >> HIGH_SHIFT] = 0;
    }
    add_all(s, h);
    for (size_t i = h->head; s->n_marks && i < h->tail; ++i)
        for (int m = 0; m < s->n_marks; ++m) mark_last(s, h, m, i);
    h->summary->active = 1;
}

void scarce__summary_append(const scarce__shape *s, scarce__history *h)
{
    add_at_end(s, h, h->tail - 1);
}

void scarce__summary_label(const scarce__shape *s, scarce__history *h, size_t i, int change)
{
    scarce__summary *y = h->summary;
    const unsigned flags = scarce__flags_at(s, h, i);
    if (!y || !y->active) return;
    uint64_t *node = scarce__totals_counts(&s->totals, y->nodes + (i >> NODE_SHIFT) * s->totals.bytes);
    uint64_t *high = scarce__totals_counts(&s->totals, y->high_nodes + (i >> HIGH_SHIFT) * s->totals.bytes);
    for (int f = 0; f < s->totals.n_filters; ++f) {
        if (!scarce__passes(flags, f)) continue;
        node[2 * f + 1] += (uint64_t)(int64_t)change;
        high[2 * f + 1] += (uint64_t)(int64_t)change;
    }
}

void scarce__summary_deinit(const scarce__shape *s, scarce__history *h)
{
    if (!h->summary) return;
    free_nodes(s, h->summary);
    scarce__free(h->summary->tiles);
    scarce__free(h->summary);
    h->summary = NULL;
}

size_t scarce__summary_bytes(const scarce__shape *s, const scarce__history *h)
{
    const scarce__summary *y = h->summary;
    size_t n;
    if (!y) return 0;
    n = sizeof *y + y->tiles_capacity * s->tile_bytes;
    if (y->n_nodes)
        n += (y->n_nodes + h->capacity / HIGH_NODE + 1) * s->totals.bytes +
             (size_t)s->n_marks * (sizeof(scarce__last) + y->n_nodes * 8);
    for (int m = 0; y->lasts && m < s->n_marks; ++m) n += y->lasts[m].slots * 12;
    return n;
}

/* ---- folding */

scarce__tile *scarce__tile_of(const scarce__shape *s, scarce__history *h, int64_t bucket)
{
    scarce__summary *y = h->summary;
    size_t i;
    if (!y) y = h->summary = scarce__calloc(1, sizeof *y);
    if (!y) return NULL;
    for (i = y->n_tiles; i > 0; --i) { /* buckets ascend, and the newest are met first */
        const int64_t other = scarce__tile_at(s, h, i - 1)->bucket;
        if (other == bucket) return scarce__tile_at(s, h, i - 1);
        if (other < bucket) break;
    }
    if (y->n_tiles == y->tiles_capacity) {
        const size_t capacity = y->tiles_capacity ? 2 * y->tiles_capacity : 16;
        char *tiles = scarce__realloc_array(y->tiles, capacity, s->tile_bytes);
        if (!tiles) return NULL;
        y->tiles = tiles;
        y->tiles_capacity = capacity;
    }
    memmove(y->tiles + (i + 1) * s->tile_bytes, y->tiles + i * s->tile_bytes,
            (y->n_tiles - i) * s->tile_bytes);
    ++y->n_tiles;
    scarce__tile *t = scarce__tile_at(s, h, i);
    t->bucket = bucket;
    t->time = INT32_MIN;
    t->unused = 0;
    scarce__totals_clear(&s->totals, scarce__tile_totals(t));
    return t;
}

static int64_t bucket_of(const scarce__shape *s, int64_t t)
{
    const int64_t tile = s->kind->tile;
    t += s->base;
    return t / tile - (t % tile < 0);
}

int scarce__history_fold(const scarce__shape *s, scarce__history *h)
{
    const size_t n = (h->tail - h->head) / 4, end = h->head + n;
    const int32_t *times = scarce__times(s, h);

    for (size_t i = h->head; i < end; ++i) /* rooms first: then nothing can fail */
        if (!scarce__tile_of(s, h, bucket_of(s, times[i]))) return 0;
    for (size_t i = h->head; i < end; ++i) {
        scarce__tile *t = scarce__tile_of(s, h, bucket_of(s, times[i]));
        scarce__add_record(s, h, i, scarce__tile_totals(t));
        if (times[i] > t->time) t->time = times[i];
    }
    h->head = (uint32_t)end;
    return 1;
}
