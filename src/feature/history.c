/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a key: growing, inserting, forgetting. */
#include "feature/history.h"

#include "core/alloc.h"

enum { LEAST_CAPACITY = 4 };

size_t scarce__history_after(const scarce__shape *s, const scarce__history *h, size_t from, size_t to,
                             int64_t limit)
{
    const int32_t *times = h->block ? scarce__times(s, h) : NULL;
    if (from == to || times[to - 1] <= limit) return to; /* in most cases */
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (times[middle] > limit) to = middle;
        else from = middle + 1;
    }
    return from;
}

static void put_value(const scarce__shape *s, scarce__history *h, int v, size_t i, int64_t value)
{
    uint8_t *column = scarce__values(s, h, v);
    if (h->wide) ((int64_t *)(void *)column)[i] = value;
    else ((int32_t *)(void *)column)[i] = value == SCARCE__NO_VALUE ? INT32_MIN : (int32_t)value;
}

/* The live records into a block of another capacity or width. */
static int move_to(const scarce__shape *s, scarce__history *h, size_t capacity, int wide)
{
    const size_t n = h->tail - h->head, from = h->head;
    scarce__history to = *h;

    to.block = scarce__malloc_array(capacity, scarce__record_bytes(s, wide));
    if (!to.block) return 0;
    to.capacity = (uint32_t)capacity;
    to.wide = (uint8_t)wide;
    to.head = 0;
    to.tail = (uint32_t)n;
    if (n > 0) {
        for (int c = 0; c < s->n_counted; ++c)
            memcpy(scarce__counted(&to, c), scarce__counted(h, c) + from, n * sizeof(uint64_t));
        for (int v = 0; v < s->n_values; ++v)
            if (wide == h->wide)
                memcpy(scarce__values(s, &to, v), scarce__values(s, h, v) + from * (wide ? 8 : 4),
                       n * (wide ? 8 : 4));
            else
                for (size_t i = 0; i < n; ++i) put_value(s, &to, v, i, scarce__value_at(s, h, v, from + i));
        memcpy(scarce__times(s, &to), scarce__times(s, h) + from, n * sizeof(int32_t));
        if (s->has_tags) memcpy(scarce__tags(s, &to), scarce__tags(s, h) + from, n * sizeof(uint32_t));
        if (s->has_flags) memcpy(scarce__flags(s, &to), scarce__flags(s, h) + from, n);
    }
    scarce__free(h->block);
    *h = to;
    scarce__summary_build(s, h);
    return 1;
}

/* Moves positions [from, tail) of all columns by `by` places. */
static void shift(const scarce__shape *s, scarce__history *h, size_t from, ptrdiff_t by)
{
    const size_t n = h->tail - from, to = (size_t)((ptrdiff_t)from + by), width = h->wide ? 8 : 4;
    if (n == 0) return;
    for (int c = 0; c < s->n_counted; ++c) {
        uint64_t *column = scarce__counted(h, c);
        memmove(column + to, column + from, n * sizeof *column);
    }
    for (int v = 0; v < s->n_values; ++v) {
        uint8_t *column = scarce__values(s, h, v);
        memmove(column + to * width, column + from * width, n * width);
    }
    memmove(scarce__times(s, h) + to, scarce__times(s, h) + from, n * sizeof(int32_t));
    if (s->has_tags) memmove(scarce__tags(s, h) + to, scarce__tags(s, h) + from, n * sizeof(uint32_t));
    if (s->has_flags) memmove(scarce__flags(s, h) + to, scarce__flags(s, h) + from, n);
}

static int fits(const scarce__shape *s, const int64_t *numbers)
{
    for (int v = 0; v < s->n_values; ++v) {
        const int64_t x = numbers[s->kind->values[v]];
        if (x != SCARCE__NO_VALUE && (x > INT32_MAX || x <= INT32_MIN)) return 0;
    }
    return 1;
}

int scarce__history_reserve(const scarce__shape *s, scarce__history *h, const int64_t *numbers)
{
    const size_t live = h->tail - h->head;
    const int wide = h->wide || !fits(s, numbers);

    if (h->tail < h->capacity && wide == h->wide) return 1;
    if (wide == h->wide && h->head >= h->capacity / 8 + 1) { /* the front is free: no memory is needed */
        const size_t head = h->head;
        shift(s, h, head, -(ptrdiff_t)head);
        h->tail -= (uint32_t)head;
        h->head = 0;
        scarce__summary_build(s, h);
        return 1;
    }
    size_t capacity = live < LEAST_CAPACITY ? LEAST_CAPACITY : live + live / 4 + 4;
    if (wide != h->wide && capacity < h->capacity) capacity = h->capacity;
    return move_to(s, h, capacity, wide);
}

void scarce__history_insert(const scarce__shape *s, scarce__history *h, const scarce__kind_record *r)
{
    const size_t at = scarce__history_after(s, h, h->head, h->tail, r->t);
    const int late = at < h->tail;

    if (late) shift(s, h, at, 1);
    ++h->tail;
    for (int c = 0; c < s->n_counted; ++c) scarce__counted(h, c)[at] = r->hashes[s->kind->counted[c]];
    for (int v = 0; v < s->n_values; ++v) put_value(s, h, v, at, r->numbers[s->kind->values[v]]);
    scarce__times(s, h)[at] = (int32_t)r->t;
    if (s->has_tags) scarce__tags(s, h)[at] = r->tag;
    if (s->has_flags) scarce__flags(s, h)[at] = (uint8_t)((unsigned)r->label | (r->filters & ~1u) << 1);
    if (!h->summary || !h->summary->active) {
        if (h->tail - h->head > SCARCE__LONG_HISTORY) scarce__summary_build(s, h);
    } else if (late) scarce__summary_build(s, h);
    else scarce__summary_append(s, h);
}

void scarce__history_evict(const scarce__shape *s, scarce__history *h, int64_t limit)
{
    if (h->head < h->tail && scarce__times(s, h)[h->head] <= limit) {
        const int32_t *times = scarce__times(s, h);
        size_t head = h->head;
        for (int i = 0; i < 4 && head < h->tail && times[head] <= limit; ++i) ++head;
        h->head = (uint32_t)scarce__history_after(s, h, head, h->tail, limit);
    }
    if (h->head == h->tail && h->head > 0 && !(h->summary && h->summary->active)) h->head = h->tail = 0;
    if (!h->summary || h->summary->n_tiles == 0) return;
    size_t kept = 0;
    for (size_t i = 0; i < h->summary->n_tiles; ++i) {
        const scarce__tile *t = scarce__tile_at(s, h, i);
        if (t->time <= limit) continue;
        if (kept != i) memcpy(scarce__tile_at(s, h, kept), t, s->tile_bytes);
        ++kept;
    }
    h->summary->n_tiles = kept;
}

void scarce__history_trim(const scarce__shape *s, scarce__history *h)
{
    const size_t live = h->tail - h->head;
    if (h->capacity > 4 * LEAST_CAPACITY && live < h->capacity / 4)
        (void)move_to(s, h, live + live / 4 + 4, h->wide);
}

void scarce__history_deinit(const scarce__shape *s, scarce__history *h)
{
    scarce__summary_deinit(s, h);
    scarce__free(h->block);
    memset(h, 0, sizeof *h);
}

int scarce__history_label(const scarce__shape *s, scarce__history *h, int64_t t, uint32_t tag, int label)
{
    const int32_t *times;
    size_t i;

    if (h->head == h->tail) return 0;
    times = scarce__times(s, h);
    i = scarce__history_after(s, h, h->head, h->tail, t - 1);
    for (; i < h->tail && times[i] == t; ++i) {
        if (scarce__tags(s, h)[i] != tag) continue;
        uint8_t *flags = &scarce__flags(s, h)[i];
        const int before = (*flags & 3) == SCARCE__LABEL_FRAUD, after = label == SCARCE__LABEL_FRAUD;
        *flags = (uint8_t)((*flags & ~3u) | (unsigned)label);
        if (before != after) scarce__summary_label(s, h, i, after - before);
        return 1;
    }
    return 0;
}

size_t scarce__history_bytes(const scarce__shape *s, const scarce__history *h)
{
    return h->capacity * scarce__record_bytes(s, h->wide) + scarce__summary_bytes(s, h);
}
