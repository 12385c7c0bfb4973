/* SPDX-License-Identifier: Apache-2.0 */
/* Texts numbered by first appearance, found by hash.
 *
 *     slots:  . 3 . . 1 2 . .      1 + index of the text, 0 = free; linear probing, at most half full
 *     offset: 0 3 9                where text i begins in bytes; it ends before the next one's begin
 *     bytes:  a b \0 h e l l o \0 ...
 *
 * The hash is a polynomial of the text, in a secret point r of the process (core/entropy.h), modulo the
 * prime p = 2^61 - 1: with the text's 7-byte words w_1 .. w_n and its length L,
 *
 *     h = ((w_1 r + w_2) r + ... + w_n) r + L  (mod p)
 *
 * Two different texts are two different polynomials of degree n at most, which agree in at most n of the 2^60
 * points r may be: whoever chooses the texts of a file without knowing r makes a given pair collide with a
 * chance of n / 2^60, so no file can be made on which finding a text is slow (the hash of release 0.1.0 had no secret
 * and could be made to give one value for all texts). A mixing of all bits follows, because slots are
 * probed in a row, where evenly spaced values would pile up. Indices go by first appearance, so nothing but
 * time depends on r. Every hit is confirmed by comparing the bytes. */
#include <string.h>

#include "core/alloc.h"
#include "core/entropy.h"
#include "core/fail.h"
#include "data/table.h"

enum { FIRST_SLOTS = 16, FIRST_BYTES = 128 };

#define PRIME (((uint64_t)1 << 61) - 1)

/* a b modulo PRIME, not reduced to the end: below 2^61 + a / 2 for b < 2^60, so that sums of it and of words
 * stay below 2^63 for ever. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    const wide p = (wide)a * b;
    const uint64_t low = (uint64_t)p, high = (uint64_t)(p >> 61);
#else
    const uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    const uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    const uint64_t middle = (ll >> 32) + (lh & 0xffffffffu) + (hl & 0xffffffffu);
    const uint64_t low = a * b, top = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
    const uint64_t high = top << 3 | low >> 61;
#endif
    return (low & PRIME) + high;
}

/* 8 bytes, the first the lowest. */
static uint64_t load8(const char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* A text below 8 bytes as a word of 56 bits: 4 to 7 bytes by two halves that may overlap. */
static uint64_t load_short(const char *text, size_t n)
{
    uint32_t low, high;

    if (n >= 4) {
        memcpy(&low, text, 4);
        memcpy(&high, text + n - 4, 4);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        low = __builtin_bswap32(low), high = __builtin_bswap32(high);
#endif
        return (uint64_t)low | (uint64_t)high << (8 * (n - 4));
    }
    if (n == 0) return 0;
    return (uint64_t)(uint8_t)text[0] | (uint64_t)(uint8_t)text[n / 2] << 8 |
           (uint64_t)(uint8_t)text[n - 1] << 16;
}

static uint32_t hash_text(const char *text, size_t length)
{
    const uint64_t key = scarce__process_key(), r = key & (PRIME >> 1);
    uint64_t h = 0;
    size_t i = 0;

    if (length >= 8) {
        for (; length - i >= 8; i += 7) h = multiply(h + (load8(text + i) & 0xffffffffffffffu), r);
        h += load8(text + length - 8) >> (8 * (8 - (length - i))); /* the 1 to 7 that are left */
    } else {
        h = load_short(text, length);
    }
    h = (multiply(h, r) + length) ^ key;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)((h ^ h >> 32) * 0xd6e8feb86659fd93u >> 32);
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
