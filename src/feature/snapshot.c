/* SPDX-License-Identifier: Apache-2.0 */
/* The state as bytes, little-endian:
 *
 *     "scarceFS"  u32 version  text digest  u64 layout  u8 started  u64 base, at, seq, position
 *     per kind:   u64 late, folded  u64 histories
 *       each:     u64 key[2]  u8 wide  u32 records  its columns  u32 tiles  their bytes
 *     u64 ids:    each u64 hash  u32 time, tag  u32 per kind with labels: which of its histories above
 *     u64 CRC-64 of all before it
 *
 * Sums are not stored: they are made from the records. A CRC-64 sees every change of up to 64 neighbouring bits. What
 * is read is checked nevertheless: no bytes, with a right sum or not, may do harm. */
#include <stdio.h>

#include "core/alloc.h"
#include "core/files.h"
#include "core/outfile.h"
#include "feature/engine.h"

enum { VERSION = 1 };
static const char magic[8] = {'s', 'c', 'a', 'r', 'c', 'e', 'F', 'S'};

/* ---- writing */

static void put_history(scarce__writer *w, const scarce__shape *s, const scarce__history *h)
{
    const size_t n = h->tail - h->head, width = h->wide ? 8 : 4, tiles = h->summary ? h->summary->n_tiles : 0;
    scarce__put_u64(w, h->key[0]);
    scarce__put_u64(w, h->key[1]);
    scarce__put_u8(w, h->wide);
    scarce__put_u32(w, (uint32_t)n);
    if (n > 0) {
        for (int c = 0; c < s->n_counted; ++c) scarce__put(w, scarce__counted(h, c) + h->head, n * 8);
        for (int v = 0; v < s->n_values; ++v)
            scarce__put(w, scarce__values(s, h, v) + h->head * width, n * width);
        scarce__put(w, scarce__times(s, h) + h->head, n * 4);
        if (s->has_tags) scarce__put(w, scarce__tags(s, h) + h->head, n * 4);
        if (s->has_flags) scarce__put(w, scarce__flags(s, h) + h->head, n);
    }
    scarce__put_u32(w, (uint32_t)tiles);
    for (size_t i = 0; i < tiles; ++i) scarce__put(w, scarce__tile_at(s, h, i), s->tile_bytes);
}

/* `number` (nullable): of each slot, which history of the file it is. */
static void put_kind(scarce__writer *w, const scarce__kind_state *k, uint32_t *number)
{
    uint32_t n = 0;
    scarce__put_u64(w, k->late);
    scarce__put_u64(w, k->folded);
    scarce__put_u64(w, k->n_slots - k->n_free);
    for (size_t i = 0; i < k->n_slots; ++i) {
        const scarce__history *h = scarce__kind_history(k, i);
        if (!h->used) continue;
        number[i] = n++;
        put_history(w, &k->shape, h);
    }
}

static void put_ids(scarce__writer *w, const scarce_features *f, uint32_t *const *numbers)
{
    const scarce__ids *ids = &f->ids;
    scarce__put_u64(w, ids->n);
    for (size_t i = 0; i < ids->capacity; ++i) {
        const scarce__id_entry *e = &ids->entries[i];
        if (!e->hash) continue;
        scarce__put_u64(w, e->hash);
        scarce__put_u32(w, (uint32_t)e->time);
        scarce__put_u32(w, e->tag);
        for (size_t k = 0, s = 0; k < f->plan->n_kinds; ++k) {
            if (!f->plan->kinds[k].labels) continue;
            const uint32_t slot = ids->slots[i * ids->n_slots + s++];
            const int live = slot != UINT32_MAX && e->time > scarce__kind_limit(&f->kinds[k], f->at);
            scarce__put_u32(w, live ? numbers[k][slot] : UINT32_MAX);
        }
    }
}

scarce_status scarce__features_write(const scarce_features *f, scarce__writer *w, scarce_error *err)
{
    const scarce__feature_plan *plan = f->plan;
    uint32_t *numbers[SCARCE__FEATURE_KINDS] = {NULL};
    int ok = 1;

    scarce__put(w, magic, sizeof magic);
    scarce__put_u32(w, VERSION);
    scarce__put_text(w, plan->digest);
    scarce__put_u64(w, scarce__feature_layout(plan));
    scarce__put_u8(w, (uint8_t)f->started);
    scarce__put_u64(w, (uint64_t)f->base);
    scarce__put_u64(w, (uint64_t)f->at);
    scarce__put_u64(w, f->seq);
    scarce__put_u64(w, f->position);
    for (size_t k = 0; k < plan->n_kinds && ok; ++k) {
        numbers[k] = scarce__malloc_array(f->kinds[k].n_slots, sizeof **numbers);
        ok = numbers[k] != NULL;
        if (!ok) break;
        memset(numbers[k], 0xff, f->kinds[k].n_slots * sizeof **numbers); /* what is free is no history */
        put_kind(w, &f->kinds[k], numbers[k]);
    }
    if (ok) put_ids(w, f, numbers);
    for (size_t k = 0; k < plan->n_kinds; ++k) scarce__free(numbers[k]);
    if (ok) scarce__put_u64(w, w->failed ? 0 : scarce__crc64(w->bytes, w->n));
    return ok && !w->failed ? SCARCE_OK : scarce__fail_memory(err, "a snapshot", w->n);
}

scarce_status scarce_features_save(const scarce_features *f, const char *path, scarce_error *err)
{
    scarce__writer w = {NULL, 0, 0, 0};
    scarce__outfile *out = NULL;
    scarce_status st = scarce__features_write(f, &w, err);

    if (st == SCARCE_OK) st = scarce__outfile_open(&out, path, err);
    if (st == SCARCE_OK) {
        st = scarce__outfile_write(out, w.bytes, w.n, err);
        if (st == SCARCE_OK) st = scarce__outfile_commit(out, err);
        else scarce__outfile_abort(out);
    }
    scarce__writer_deinit(&w);
    return st;
}

/* ---- reading */

typedef struct loading {
    scarce__reader r;
    const char *name;
    scarce_error *err;
    scarce_features *f;
} loading;

static scarce_status damaged(loading *l)
{
    return scarce__fail(l->err, SCARCE_EPARSE,
                        "%s: the snapshot is damaged; feed the records of the horizon anew", l->name);
}

static int ascends(const int32_t *times, size_t n)
{
    for (size_t i = 1; i < n; ++i)
        if (times[i] < times[i - 1]) return 0;
    return n == 0 || times[0] > INT32_MIN;
}

static scarce_status get_records(loading *l, const scarce__shape *s, scarce__history *h, size_t n)
{
    const size_t width = h->wide ? 8 : 4;
    h->block = scarce__malloc_array(n, scarce__record_bytes(s, h->wide));
    if (!h->block) return scarce__fail_memory(l->err, "a snapshot", n);
    h->capacity = h->tail = (uint32_t)n;
    for (int c = 0; c < s->n_counted; ++c) {
        const uint8_t *bytes = scarce__get(&l->r, n * 8);
        if (bytes) memcpy(scarce__counted(h, c), bytes, n * 8);
    }
    for (int v = 0; v < s->n_values; ++v) {
        const uint8_t *bytes = scarce__get(&l->r, n * width);
        if (bytes) memcpy(scarce__values(s, h, v), bytes, n * width);
    }
    const uint8_t *times = scarce__get(&l->r, n * 4);
    if (times) memcpy(scarce__times(s, h), times, n * 4);
    if (s->has_tags) {
        const uint8_t *bytes = scarce__get(&l->r, n * 4);
        if (bytes) memcpy(scarce__tags(s, h), bytes, n * 4);
    }
    if (s->has_flags) {
        const uint8_t *bytes = scarce__get(&l->r, n);
        if (bytes) memcpy(scarce__flags(s, h), bytes, n);
    }
    if (l->r.failed) h->tail = 0;
    return l->r.failed || !ascends(scarce__times(s, h), n) ? damaged(l) : SCARCE_OK;
}

static scarce_status get_tiles(loading *l, const scarce__shape *s, scarce__history *h)
{
    const size_t n = scarce__get_u32(&l->r);
    int64_t before = INT64_MIN;
    if (n > (size_t)(l->r.end - l->r.at) / s->tile_bytes) return damaged(l);
    for (size_t i = 0; i < n; ++i) {
        scarce__tile from;
        const uint8_t *bytes = scarce__get(&l->r, s->tile_bytes);
        if (!bytes) return damaged(l);
        memcpy(&from, bytes, sizeof from);
        if (i > 0 && from.bucket <= before) return damaged(l);
        before = from.bucket;
        scarce__tile *t = scarce__tile_of(s, h, from.bucket);
        if (!t) return scarce__fail_memory(l->err, "a snapshot", 0);
        memcpy(t, bytes, s->tile_bytes);
    }
    return SCARCE_OK;
}

static scarce_status get_kind(loading *l, scarce__kind_state *k)
{
    const scarce__shape *s = &k->shape;
    k->late = scarce__get_u64(&l->r);
    k->folded = scarce__get_u64(&l->r);
    const size_t n = scarce__get_count(&l->r, 25);
    for (size_t i = 0; i < n && !l->r.failed; ++i) {
        uint64_t key[2];
        key[0] = scarce__get_u64(&l->r);
        key[1] = scarce__get_u64(&l->r);
        const unsigned wide = scarce__get_u8(&l->r);
        const size_t records = scarce__get_u32(&l->r);
        if (l->r.failed || wide > 1 || records > s->kind->max_events ||
            records > (size_t)(l->r.end - l->r.at) / scarce__record_bytes(s, (int)wide))
            return damaged(l);
        const size_t slot = scarce__kind_slot(k, key);
        if (slot == SIZE_MAX) return scarce__fail_memory(l->err, "a snapshot", 0);
        if (slot != i) return damaged(l); /* the same key twice */
        scarce__history *h = scarce__kind_history(k, slot);
        h->wide = (uint8_t)wide;
        if (records > 0) SCARCE__TRY(get_records(l, s, h, records));
        SCARCE__TRY(get_tiles(l, s, h));
        scarce__summary_build(s, h);
    }
    return l->r.failed ? damaged(l) : SCARCE_OK;
}

static scarce_status get_ids(loading *l)
{
    scarce_features *f = l->f;
    const size_t n = scarce__get_count(&l->r, 16 + 4 * f->ids.n_slots);
    if (n > 0 && !scarce__ids_reserve(&f->ids, n)) return scarce__fail_memory(l->err, "a snapshot", 0);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t hash = scarce__get_u64(&l->r);
        const int32_t time = (int32_t)scarce__get_u32(&l->r);
        const uint32_t tag = scarce__get_u32(&l->r);
        if (hash == 0) return damaged(l);
        const size_t entry = scarce__ids_add(&f->ids, hash, time, tag);
        for (size_t k = 0, s = 0; k < f->plan->n_kinds; ++k) {
            if (!f->plan->kinds[k].labels) continue;
            const uint32_t slot = scarce__get_u32(&l->r);
            if (slot != UINT32_MAX && slot >= f->kinds[k].n_slots) return damaged(l);
            f->ids.slots[entry * f->ids.n_slots + s++] = slot;
        }
    }
    return l->r.failed || l->r.at != l->r.end ? damaged(l) : SCARCE_OK;
}

static scarce_status get_state(loading *l)
{
    scarce_features *f = l->f;
    f->started = scarce__get_u8(&l->r) == 1;
    f->base = (int64_t)scarce__get_u64(&l->r);
    f->at = (int64_t)scarce__get_u64(&l->r);
    f->seq = scarce__get_u64(&l->r);
    f->position = scarce__get_u64(&l->r);
    if (l->r.failed || f->at <= INT32_MIN || f->at >= INT32_MAX || f->base > 1000000000000000 ||
        f->base < -1000000000000000)
        return damaged(l);
    for (size_t k = 0; k < f->plan->n_kinds; ++k) {
        f->kinds[k].shape.base = f->base;
        SCARCE__TRY(get_kind(l, &f->kinds[k]));
    }
    return get_ids(l);
}

/* What it says of itself; then the state. */
static scarce_status get_all(loading *l)
{
    const scarce__feature_plan *plan = l->f->plan;
    int no_memory = 0;
    const uint32_t version = scarce__get_u32(&l->r);
    if (version > VERSION)
        return scarce__fail(l->err, SCARCE_EVERSION, "%s: a snapshot of a newer release (format %u)", l->name,
                            version);
    char *digest = scarce__get_text(&l->r, &no_memory);
    const uint64_t layout = scarce__get_u64(&l->r);
    if (no_memory) return scarce__fail_memory(l->err, "a snapshot", 0);
    if (!digest) return damaged(l);
    const int same = strcmp(digest, plan->digest) == 0 && layout == scarce__feature_layout(plan);
    scarce__free(digest);
    if (!same)
        return scarce__fail(l->err, SCARCE_EDATA,
                            "%s: a snapshot of other definitions; feed the records of the horizon anew",
                            l->name);
    return get_state(l);
}

scarce_status scarce__features_read(scarce_features **out, const scarce_definitions *d, const void *bytes,
                                    size_t n, const char *name, scarce_error *err)
{
    loading l;
    scarce_status st;

    *out = NULL;
    memset(&l, 0, sizeof l);
    l.name = name;
    l.err = err;
    if (n < sizeof magic + 12 || memcmp(bytes, magic, sizeof magic) != 0)
        return scarce__fail(err, SCARCE_EPARSE, "%s: not a snapshot of features", name);
    scarce__reader sum = scarce__reader_of((const uint8_t *)bytes + n - 8, 8);
    if (scarce__get_u64(&sum) != scarce__crc64(bytes, n - 8)) return damaged(&l);
    l.r = scarce__reader_of((const uint8_t *)bytes + sizeof magic, n - 8 - sizeof magic);
    SCARCE__TRY(scarce_features_new(&l.f, d, err));
    st = get_all(&l);
    if (st == SCARCE_OK) *out = l.f;
    else scarce_features_free(l.f);
    return st;
}

scarce_status scarce_features_restore(scarce_features **out, const scarce_definitions *definitions,
                                      const char *path, scarce_error *err)
{
    FILE *file = scarce__fopen(path);
    scarce__writer w = {NULL, 0, 0, 0};
    uint8_t part[8192];
    size_t got;
    int bad;

    *out = NULL;
    if (!file)
        return scarce__fail(err, SCARCE_EIO, "%s: can't be opened (no such file, or no permission)", path);
    while ((got = fread(part, 1, sizeof part, file)) > 0) scarce__put(&w, part, got);
    bad = ferror(file);
    fclose(file);
    scarce_status st =
        bad        ? scarce__fail(err, SCARCE_EIO, "%s: can't be read", path)
        : w.failed ? scarce__fail_memory(err, "a snapshot", w.n)
                   : scarce__features_read(out, definitions, w.bytes ? w.bytes : part, w.n, path, err);
    scarce__writer_deinit(&w);
    return st;
}
