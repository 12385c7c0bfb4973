/* SPDX-License-Identifier: Apache-2.0 */
/* Keys to histories. */
#include "feature/kind.h"

#include "core/alloc.h"
#include "core/simd.h"

enum { CHUNK = 1024, FIRST_INDEX = 1024 };

static int has_mark(const scarce__shape *s, int filter, int counted)
{
    for (int m = 0; m < s->n_marks; ++m)
        if (s->marks[m].filter == filter && s->marks[m].counted == counted) return 1;
    return 0;
}

scarce_status scarce__kind_state_init(scarce__kind_state *k, const scarce__feature_kind *kind, int64_t base,
                                      scarce_error *err)
{
    scarce__shape *s = &k->shape;

    memset(k, 0, sizeof *k);
    s->kind = kind;
    s->base = base;
    s->totals.n_measures = kind->n_measures;
    s->totals.n_filters = kind->n_filters;
    s->totals.bytes = ((size_t)kind->n_measures * sizeof(scarce__sum) +
                       2 * (size_t)kind->n_filters * sizeof(uint64_t) + 15) /
                      16 * 16;
    s->tile_bytes = sizeof(scarce__tile) + s->totals.bytes;
    s->n_values = kind->n_values;
    s->n_counted = kind->n_counted;
    s->has_tags = kind->labels;
    s->has_flags = kind->labels || kind->n_filters > 1;
    s->marks = k->marks;
    for (size_t i = 0; i < kind->n_aggregates; ++i) {
        const scarce__feature_aggregate *a = &kind->aggregates[i];
        if (a->op != SCARCE__AGG_DISTINCT || has_mark(s, a->filter, a->distinct)) continue;
        k->marks[s->n_marks].filter = a->filter;
        k->marks[s->n_marks++].counted = a->distinct;
    }
    k->free_slot = SIZE_MAX;
    k->totals = scarce__malloc(s->totals.bytes);
    k->own = scarce__malloc(s->totals.bytes);
    k->index = scarce__calloc(FIRST_INDEX, sizeof *k->index);
    k->n_index = FIRST_INDEX;
    if (k->totals && k->own && k->index) return SCARCE_OK;
    scarce__kind_state_deinit(k);
    return scarce__fail_memory(err, "features", 0);
}

void scarce__kind_state_deinit(scarce__kind_state *k)
{
    for (size_t i = 0; i < k->n_slots; ++i)
        if (scarce__kind_history(k, i)->used) scarce__history_deinit(&k->shape, scarce__kind_history(k, i));
    for (size_t i = 0; i < k->n_chunks; ++i) scarce__free(k->chunks[i]);
    scarce__free(k->chunks);
    scarce__free(k->index);
    scarce__free(k->totals);
    scarce__free(k->own);
    scarce__free(k->set);
    memset(k, 0, sizeof *k);
}

/* ---- the index */

static size_t place_of(const scarce__kind_state *k, const uint64_t key[2])
{
    size_t i = (size_t)key[0] & (k->n_index - 1);
    for (; k->index[i]; i = (i + 1) & (k->n_index - 1)) {
        const scarce__history *h = scarce__kind_history(k, k->index[i] - 1);
        if (h->key[0] == key[0] && h->key[1] == key[1]) break;
    }
    return i;
}

size_t scarce__kind_find(const scarce__kind_state *k, const uint64_t key[2])
{
    const size_t i = place_of(k, key);
    return k->index[i] ? k->index[i] - 1 : SIZE_MAX;
}

static int grow_index(scarce__kind_state *k)
{
    const size_t old = k->n_index;
    uint32_t *was = k->index;
    uint32_t *index = scarce__huge_calloc(2 * old, sizeof *index);
    if (!index) return 0;
    k->index = index;
    k->n_index = 2 * old;
    for (size_t i = 0; i < old; ++i)
        if (was[i]) index[place_of(k, scarce__kind_history(k, was[i] - 1)->key)] = was[i];
    scarce__free(was);
    return 1;
}

static int more_slots(scarce__kind_state *k)
{
    scarce__history **chunks, *chunk;
    if (k->n_slots < k->n_chunks * CHUNK) return 1;
    if (k->n_slots >= UINT32_MAX - CHUNK) return 0;
    chunks = scarce__realloc_array(k->chunks, k->n_chunks + 1, sizeof *chunks);
    if (!chunks) return 0;
    k->chunks = chunks;
    chunk = scarce__calloc(CHUNK, sizeof *chunk);
    if (!chunk) return 0;
    chunks[k->n_chunks++] = chunk;
    return 1;
}

size_t scarce__kind_slot(scarce__kind_state *k, const uint64_t key[2])
{
    size_t place = place_of(k, key), slot;
    scarce__history *h;

    if (k->index[place]) return k->index[place] - 1;
    if (4 * (k->n_slots - k->n_free + 1) > 3 * k->n_index) {
        if (!grow_index(k)) return SIZE_MAX;
        place = place_of(k, key);
    }
    if (k->free_slot != SIZE_MAX) {
        slot = k->free_slot;
        h = scarce__kind_history(k, slot);
        k->free_slot = (size_t)h->key[0];
        --k->n_free;
    } else {
        if (!more_slots(k)) return SIZE_MAX;
        slot = k->n_slots++;
        h = scarce__kind_history(k, slot);
    }
    memset(h, 0, sizeof *h);
    h->key[0] = key[0];
    h->key[1] = key[1];
    h->used = 1;
    k->index[place] = (uint32_t)slot + 1;
    return slot;
}

/* Out of the index, and what stands behind it in its run moves up. */
static void forget(scarce__kind_state *k, size_t slot)
{
    scarce__history *h = scarce__kind_history(k, slot);
    const size_t mask = k->n_index - 1;
    size_t hole = place_of(k, h->key);

    for (size_t i = (hole + 1) & mask; k->index[i]; i = (i + 1) & mask) {
        const size_t home = (size_t)scarce__kind_history(k, k->index[i] - 1)->key[0] & mask;
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        k->index[hole] = k->index[i];
        hole = i;
    }
    k->index[hole] = 0;
    scarce__history_deinit(&k->shape, h);
    h->key[0] = (uint64_t)k->free_slot;
    k->free_slot = slot;
    ++k->n_free;
}

/* Looks at one key with each record: after a while all that is too old is gone. */
static void sweep(scarce__kind_state *k, int64_t at)
{
    const int64_t limit = scarce__kind_limit(k, at);
    if (limit == INT64_MIN || k->n_slots == 0) return;
    if (++k->sweep >= k->n_slots) k->sweep = 0;
    scarce__history *h = scarce__kind_history(k, k->sweep);
    if (!h->used) return;
    if (h->head < h->tail && scarce__times(&k->shape, h)[h->head] > limit)
        return; /* nothing to do, in most cases */
    scarce__history_evict(&k->shape, h, limit);
    if (h->head == h->tail && (!h->summary || h->summary->n_tiles == 0)) forget(k, k->sweep);
    else scarce__history_trim(&k->shape, h);
}

/* ---- fetching ahead */

enum { LINE = 64, MOST_LINES = 12, EIGHTHS = 8 };

/* The lines that end at `end`, as many of them as there are bytes, or MOST_LINES. */
static void fetch_back(const uint8_t *end, size_t bytes)
{
    const size_t most = (size_t)MOST_LINES * LINE, n = bytes < most ? bytes : most;
    for (size_t i = 0; i < n; i += LINE) SCARCE__PREFETCH(end - 1 - i);
}

/* The newest records, the oldest, and where a search for a moment between them begins. */
static void fetch_records(const scarce__shape *s, const scarce__history *h)
{
    const size_t n = h->tail - h->head;
    if (!h->block || n == 0) return;
    const int32_t *times = scarce__times(s, h);
    const size_t width = h->wide ? 8 : 4;
    fetch_back((const uint8_t *)(times + h->tail), n * sizeof *times);
    for (int v = 0; v < s->n_values; ++v) fetch_back(scarce__values(s, h, v) + h->tail * width, n * width);
    for (size_t i = 0; n > SCARCE__LONG_HISTORY && i < EIGHTHS; ++i)
        SCARCE__PREFETCH(&times[h->head + i * n / EIGHTHS]);
    SCARCE__PREFETCH(&times[h->head]);
    if (h->summary) SCARCE__PREFETCH(h->summary);
}

void scarce__kind_fetch(const scarce__kind_state *k, const scarce__kind_record *r, int step)
{
    const uint32_t *place = &k->index[(size_t)r->key[0] & (k->n_index - 1)];
    const scarce__history *next =
        k->n_slots ? scarce__kind_history(k, k->sweep + 1 < k->n_slots ? k->sweep + 1 : 0) : NULL;
    if (!r->has_key) return;
    if (step == 0) {
        SCARCE__PREFETCH(place);
        if (next) SCARCE__PREFETCH(next); /* what sweep looks at */
        return;
    }
    if (step == 1 && next && next->used && next->block)
        SCARCE__PREFETCH(&scarce__times(&k->shape, next)[next->head]);
    if (*place == 0) return;
    const scarce__history *h = scarce__kind_history(k, *place - 1); /* in most cases it is the first */
    if (step == 1) {
        SCARCE__PREFETCH(h);
        SCARCE__PREFETCH((const char *)h + sizeof *h - 1);
    } else if (step == 2) fetch_records(&k->shape, h);
    else if (h->summary && h->summary->active && h->tail > 0) { /* sums of the newest blocks */
        const size_t node = (h->tail - 1) / 64;
        const size_t first = h->head / 64;
        fetch_back((const uint8_t *)h->summary->nodes + (node + 1) * k->shape.totals.bytes,
                   (node + 1 - first) * k->shape.totals.bytes);
    }
}

/* ---- records */

int scarce__kind_ask(scarce__kind_state *k, const scarce__kind_record *r, double *out)
{
    const size_t slot = r->has_key ? scarce__kind_find(k, r->key) : SIZE_MAX;
    scarce__history *h = slot == SIZE_MAX ? NULL : scarce__kind_history(k, slot);
    if (h) scarce__history_evict(&k->shape, h, scarce__kind_limit(k, r->at));
    return scarce__history_ask(k, h, r, out);
}

int scarce__kind_reserve(scarce__kind_state *k, const scarce__kind_record *r)
{
    size_t slot;
    scarce__history *h;
    if (!r->has_key || r->t <= scarce__kind_limit(k, r->at)) return 1;
    slot = scarce__kind_slot(k, r->key);
    if (slot == SIZE_MAX) return 0;
    h = scarce__kind_history(k, slot);
    scarce__history_evict(&k->shape, h, scarce__kind_limit(k, r->at));
    if (h->tail - h->head >= k->shape.kind->max_events) {
        if (!scarce__history_fold(&k->shape, h)) return 0;
        ++k->folded;
    }
    return scarce__history_reserve(&k->shape, h, r->numbers);
}

void scarce__kind_insert(scarce__kind_state *k, const scarce__kind_record *r)
{
    if (!r->has_key) return;
    if (r->t <= scarce__kind_limit(k, r->at)) {
        ++k->late;
        return;
    }
    scarce__history_insert(&k->shape, scarce__kind_history(k, scarce__kind_find(k, r->key)), r);
    sweep(k, r->at);
}

void scarce__kind_label(scarce__kind_state *k, const uint64_t key[2], int64_t t, uint32_t tag, int label,
                        int64_t at)
{
    if (!k->shape.has_tags || t <= scarce__kind_limit(k, at)) return;
    const size_t slot = scarce__kind_find(k, key);
    if (slot != SIZE_MAX) scarce__history_label(&k->shape, scarce__kind_history(k, slot), t, tag, label);
}

scarce__kind_size scarce__kind_measure(const scarce__kind_state *k)
{
    scarce__kind_size size = {0, 0, 0, 0};
    size.bytes = k->n_chunks * CHUNK * sizeof(scarce__history) + k->n_index * sizeof *k->index;
    for (size_t i = 0; i < k->n_slots; ++i) {
        const scarce__history *h = scarce__kind_history(k, i);
        if (!h->used) continue;
        ++size.keys;
        size.records += h->tail - h->head;
        size.bytes += scarce__history_bytes(&k->shape, h);
        if (h->tail - h->head > size.longest) size.longest = h->tail - h->head;
    }
    return size;
}
