/* SPDX-License-Identifier: Apache-2.0 */
/* Texts numbered by first appearance, found by hash.
 *
 *     slots:  . 3 . . 1 2 . .      1 + index of the text, 0 = free; linear probing, at most half full
 *     offset: 0 3 9                where text i begins in bytes; it ends before the next one's begin
 *     bytes:  a b \0 h e l l o \0 ...
 *
 * The hash eats 8 bytes at a time, each folded in by a 64x64 -> 128 bit multiplication (the "mum" of
 * wyhash's family). It never leaves the process, so neither byte order nor release matters. Every hit is
 * confirmed by comparing the bytes: a bad hash costs time, never a wrong answer. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/table.h"

enum { FIRST_SLOTS = 16, FIRST_BYTES = 128 };

static uint64_t fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    const wide p = (wide)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
#else
    const uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    const uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    const uint64_t middle = (ll >> 32) + (lh & 0xffffffffu) + (hl & 0xffffffffu);
    const uint64_t high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
    return (a * b) ^ high;
#endif
}

static uint32_t hash_text(const char *text, size_t length)
{
    const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd1b54a32d192ed03u;
    uint64_t h = k0 ^ (uint64_t)length, word;
    size_t i = 0;

    for (; length - i >= 8; i += 8) {
        memcpy(&word, text + i, 8);
        h = fold(h ^ word, k1);
    }
    word = 0;
    if (length > i) memcpy(&word, text + i, length - i);
    h = fold(h ^ word, k0);
    /* a fold by a constant maps 0 to 0; the final mixing spreads what is left over all 32 bits */
    h ^= h >> 29;
    h *= k1;
    return (uint32_t)(h >> 32);
}

static size_t text_length(const scarce__dictionary *d, size_t index)
{
    const size_t end = index + 1 < d->count ? d->offset[index + 1] : d->n_bytes;
    return end - d->offset[index] - 1;
}

/* The slot that holds the text, or the free one where it belongs. n_slots > 0. */
static size_t find_slot(const scarce__dictionary *d, uint32_t hash, const char *text, size_t length)
{
    const size_t mask = d->n_slots - 1;
    size_t at = hash & mask;

    for (; d->slots[at]; at = (at + 1) & mask) {
        const size_t i = d->slots[at] - 1;
        if (d->hashes[i] == hash && text_length(d, i) == length &&
            (length == 0 || memcmp(d->bytes + d->offset[i], text, length) == 0))
            break;
    }
    return at;
}

/* Room for one more text and its slot; the dictionary means the same before and after. */
static int grow_texts(scarce__dictionary *d)
{
    const size_t n_slots = d->n_slots ? 2 * d->n_slots : FIRST_SLOTS, capacity = n_slots / 2;
    uint32_t *slots, *hashes;
    size_t *offset = scarce__realloc_array(d->offset, capacity, sizeof *offset);

    if (!offset) return 0;
    d->offset = offset;
    hashes = scarce__realloc_array(d->hashes, capacity, sizeof *hashes);
    if (!hashes) return 0;
    d->hashes = hashes;
    slots = scarce__calloc(n_slots, sizeof *slots);
    if (!slots) return 0;
    for (size_t i = 0; i < d->count; ++i) {
        size_t at = d->hashes[i] & (n_slots - 1);
        while (slots[at]) at = (at + 1) & (n_slots - 1);
        slots[at] = (uint32_t)i + 1;
    }
    scarce__free(d->slots);
    d->slots = slots;
    d->n_slots = n_slots;
    d->capacity = capacity;
    return 1;
}

static int grow_bytes(scarce__dictionary *d, size_t more)
{
    size_t capacity = d->bytes_capacity ? d->bytes_capacity : FIRST_BYTES;
    char *bytes;

    if (more > SIZE_MAX / 4 || d->n_bytes > SIZE_MAX / 4) return 0;
    while (capacity < d->n_bytes + more) capacity *= 2;
    bytes = scarce__realloc_array(d->bytes, capacity, 1);
    if (!bytes) return 0;
    d->bytes = bytes;
    d->bytes_capacity = capacity;
    return 1;
}

size_t scarce__dictionary_add(scarce__dictionary *d, const char *text, size_t length)
{
    const uint32_t hash = hash_text(text, length);
    size_t at = 0;

    if (d->n_slots) {
        at = find_slot(d, hash, text, length);
        if (d->slots[at]) return d->slots[at] - 1;
    }
    if (d->count >= INT32_MAX - 1) return SIZE_MAX; /* codes are int32_t, and one more means "unknown" */
    if (d->count == d->capacity) {
        if (!grow_texts(d)) return SIZE_MAX;
        at = find_slot(d, hash, text, length);
    }
    if (d->bytes_capacity - d->n_bytes < length + 1 && !grow_bytes(d, length + 1)) return SIZE_MAX;
    if (length) memcpy(d->bytes + d->n_bytes, text, length);
    d->bytes[d->n_bytes + length] = '\0';
    d->offset[d->count] = d->n_bytes;
    d->hashes[d->count] = hash;
    d->slots[at] = (uint32_t)d->count + 1;
    d->n_bytes += length + 1;
    return d->count++;
}

size_t scarce__dictionary_find(const scarce__dictionary *d, const char *text, size_t length)
{
    size_t at;

    if (d->count == 0) return SIZE_MAX;
    at = find_slot(d, hash_text(text, length), text, length);
    return d->slots[at] ? d->slots[at] - 1 : SIZE_MAX;
}

const char *scarce__dictionary_text(const scarce__dictionary *d, size_t index)
{
    return index < d->count ? d->bytes + d->offset[index] : NULL;
}

void scarce__dictionary_deinit(scarce__dictionary *d)
{
    if (!d) return;
    scarce__free(d->bytes);
    scarce__free(d->offset);
    scarce__free(d->hashes);
    scarce__free(d->slots);
    memset(d, 0, sizeof *d);
}

scarce_status scarce__dictionary_copy(scarce__dictionary *out, const scarce__dictionary *from,
                                      scarce_error *err)
{
    scarce__dictionary d;

    memset(out, 0, sizeof *out);
    memset(&d, 0, sizeof d);
    if (from->count == 0) return SCARCE_OK;
    d.bytes = scarce__malloc(from->n_bytes);
    d.offset = scarce__malloc_array(from->capacity, sizeof *d.offset);
    d.hashes = scarce__malloc_array(from->capacity, sizeof *d.hashes);
    d.slots = scarce__malloc_array(from->n_slots, sizeof *d.slots);
    if (!d.bytes || !d.offset || !d.hashes || !d.slots) {
        scarce__dictionary_deinit(&d);
        return scarce__fail_memory(err, "a copy of the categories", from->n_bytes);
    }
    memcpy(d.bytes, from->bytes, from->n_bytes);
    memcpy(d.offset, from->offset, from->count * sizeof *d.offset);
    memcpy(d.hashes, from->hashes, from->count * sizeof *d.hashes);
    memcpy(d.slots, from->slots, from->n_slots * sizeof *d.slots);
    d.count = from->count;
    d.capacity = from->capacity;
    d.n_bytes = d.bytes_capacity = from->n_bytes;
    d.n_slots = from->n_slots;
    *out = d;
    return SCARCE_OK;
}
