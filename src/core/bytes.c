/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bytes.h"

#include <string.h>

#include "core/alloc.h"

void scarce__writer_deinit(scarce__writer *w)
{
    scarce__free(w->bytes);
    memset(w, 0, sizeof *w);
}

void scarce__put(scarce__writer *w, const void *bytes, size_t n)
{
    if (w->failed) return;
    if (n > w->capacity - w->n) {
        size_t capacity = w->capacity ? w->capacity : 256;
        uint8_t *grown;
        while (capacity - w->n < n && capacity <= SIZE_MAX / 4) capacity *= 2;
        grown = capacity - w->n < n ? NULL : scarce__realloc_array(w->bytes, capacity, 1);
        if (!grown) {
            w->failed = 1;
            return;
        }
        w->bytes = grown;
        w->capacity = capacity;
    }
    if (n) memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

static void store(uint8_t *to, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t fetch(const uint8_t *from, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; ++i) v |= (uint64_t)from[i] << (8 * i);
    return v;
}

void scarce__put_u8(scarce__writer *w, uint8_t v)
{
    scarce__put(w, &v, 1);
}

void scarce__put_u32(scarce__writer *w, uint32_t v)
{
    uint8_t b[4];
    store(b, v, 4);
    scarce__put(w, b, 4);
}

void scarce__put_u64(scarce__writer *w, uint64_t v)
{
    uint8_t b[8];
    store(b, v, 8);
    scarce__put(w, b, 8);
}

void scarce__put_f32(scarce__writer *w, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, 4);
    scarce__put_u32(w, bits);
}

void scarce__put_f64(scarce__writer *w, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    scarce__put_u64(w, bits);
}

void scarce__put_text(scarce__writer *w, const char *text)
{
    const size_t n = text ? strlen(text) : 0;
    if (n >= UINT32_MAX) {
        w->failed = 1;
        return;
    }
    scarce__put_u32(w, text ? (uint32_t)n : UINT32_MAX);
    scarce__put(w, text, n);
}

size_t scarce__put_begin(scarce__writer *w)
{
    scarce__put_u64(w, 0);
    return w->n;
}

void scarce__put_end(scarce__writer *w, size_t place)
{
    if (!w->failed) store(w->bytes + place - 8, w->n - place, 8);
}

scarce__reader scarce__reader_of(const void *bytes, size_t n)
{
    scarce__reader r = {bytes, n ? (const uint8_t *)bytes + n : bytes, 0}; /* nothing may be NULL */
    return r;
}

const uint8_t *scarce__get(scarce__reader *r, size_t n)
{
    const uint8_t *from = r->at;
    if (r->failed || n > (size_t)(r->end - r->at)) {
        r->failed = 1;
        return NULL;
    }
    r->at += n;
    return from;
}

static uint64_t get_uint(scarce__reader *r, size_t n)
{
    const uint8_t *from = scarce__get(r, n);
    return from ? fetch(from, n) : 0;
}

uint8_t scarce__get_u8(scarce__reader *r)
{
    return (uint8_t)get_uint(r, 1);
}

uint32_t scarce__get_u32(scarce__reader *r)
{
    return (uint32_t)get_uint(r, 4);
}

uint64_t scarce__get_u64(scarce__reader *r)
{
    return get_uint(r, 8);
}

float scarce__get_f32(scarce__reader *r)
{
    const uint32_t bits = scarce__get_u32(r);
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

double scarce__get_f64(scarce__reader *r)
{
    const uint64_t bits = scarce__get_u64(r);
    double v;
    memcpy(&v, &bits, 8);
    return v;
}

size_t scarce__get_count(scarce__reader *r, size_t least)
{
    const uint64_t n = scarce__get_u64(r);
    if (r->failed || n > (size_t)(r->end - r->at) / least) {
        r->failed = 1;
        return 0;
    }
    return (size_t)n;
}

char *scarce__get_text(scarce__reader *r, int *no_memory)
{
    const uint32_t n = scarce__get_u32(r);
    const uint8_t *from;
    char *copy;

    if (r->failed || n == UINT32_MAX) return NULL;
    from = scarce__get(r, n);
    if (!from) return NULL;
    if (memchr(from, 0, n)) {
        r->failed = 1;
        return NULL;
    }
    copy = scarce__strndup((const char *)from, n);
    if (!copy) *no_memory = 1;
    return copy;
}

/* The table costs 2,048 steps to make, so it is made anew each time: no global, no lock. */
uint64_t scarce__crc64(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    uint64_t table[256], crc = ~(uint64_t)0;

    for (uint64_t i = 0; i < 256; ++i) {
        uint64_t c = i;
        for (int k = 0; k < 8; ++k) c = (c >> 1) ^ ((c & 1) ? 0xc96c5795d7870f42u : 0);
        table[i] = c;
    }
    for (size_t i = 0; i < n; ++i) crc = table[(crc ^ b[i]) & 255] ^ (crc >> 8);
    return ~crc;
}
