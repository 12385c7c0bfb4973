/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort, least significant digit first, 11 bits a pass. Digits in which all keys agree are skipped.
 * Threads each take a contiguous part of the elements; the result of a stable sort is unique, so it does not
 * depend on the number of parts.
 *
 * Plain keys have 64 bits, which would be six passes. But the leading bits of their place between the lowest
 * and the highest part nearly all of them; these are sorted, and the few runs that are still equal are sorted
 * for themselves, short ones by insertion. */
#include "core/sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS, SHORT_RUN = 48, MIN_PART = 1 << 15 };

int scarce__bit_width(uint64_t x)
{
    int w = 0;
    while (x) {
        ++w;
        x >>= 1;
    }
    return w;
}

size_t scarce__sort_parts(const scarce__pool *pool, size_t n)
{
    size_t parts = (size_t)scarce__pool_threads(pool);
    if (parts > 1) parts *= 2; /* so that a thread that is late costs less */
    if (parts > n / MIN_PART) parts = n / MIN_PART;
    if (parts > SCARCE__SORT_PARTS) parts = SCARCE__SORT_PARTS;
    return parts ? parts : 1;
}

size_t scarce__sort_counts(const scarce__pool *pool, size_t n)
{
    return scarce__sort_parts(pool, n) * N_DIGITS;
}

/* ---- One stable pass over the digit at `shift` of (element - base). */
typedef struct pass {
    const uint64_t *from;
    uint64_t *to;
    uint32_t *counts; /* [part][digit]: first how many, then where the next one goes */
    size_t n, parts;
    uint64_t base;
    int shift;
} pass;

static void count_digits(void *arg, size_t part, int worker)
{
    const pass *p = arg;
    uint32_t *c = p->counts + part * N_DIGITS;
    const uint64_t base = p->base;
    const int shift = p->shift;
    const size_t end = scarce__part_begin(p->n, p->parts, part + 1);
    (void)worker;
    memset(c, 0, N_DIGITS * sizeof *c);
    for (size_t i = scarce__part_begin(p->n, p->parts, part); i < end; ++i)
        ++c[((p->from[i] - base) >> shift) & (N_DIGITS - 1)];
}

static void scatter(void *arg, size_t part, int worker)
{
    const pass *p = arg;
    uint32_t *c = p->counts + part * N_DIGITS;
    const uint64_t base = p->base;
    const int shift = p->shift;
    const size_t end = scarce__part_begin(p->n, p->parts, part + 1);
    uint64_t *to = p->to;
    (void)worker;
    for (size_t i = scarce__part_begin(p->n, p->parts, part); i < end; ++i) {
        const uint64_t e = p->from[i];
        to[c[((e - base) >> shift) & (N_DIGITS - 1)]++] = e;
    }
}

/* Returns 0, with nothing moved, when all elements have the same digit. */
static int run_pass(pass *p, scarce__pool *pool)
{
    uint32_t next = 0;
    scarce__pool_run(pool, p->parts, count_digits, p);
    for (size_t d = 0; d < N_DIGITS; ++d) {
        const uint32_t first = next;
        for (size_t part = 0; part < p->parts; ++part) {
            const uint32_t count = p->counts[part * N_DIGITS + d];
            p->counts[part * N_DIGITS + d] = next;
            next += count;
        }
        if (next - first == p->n) return 0;
    }
    scarce__pool_run(pool, p->parts, scatter, p);
    return 1;
}

uint64_t *scarce__radix(uint64_t *a, uint64_t *b, size_t n, uint64_t base, int low, int width,
                        uint32_t *counts, scarce__pool *pool)
{
    pass p = {a, b, counts, n, scarce__sort_parts(pool, n), base, low};
    for (; width > 0; width -= DIGIT_BITS, p.shift += DIGIT_BITS) {
        if (!run_pass(&p, pool)) continue;
        uint64_t *was_from = (uint64_t *)(p.from == a ? a : b);
        p.from = p.to;
        p.to = was_from;
    }
    return p.from == a ? a : b;
}

/* ---- Plain keys. */
static void insertion_keys(uint64_t *k, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        const uint64_t x = k[i];
        size_t j = i;
        for (; j > 0 && k[j - 1] > x; --j) k[j] = k[j - 1];
        k[j] = x;
    }
}

void scarce__sort_keys(uint64_t *keys, uint64_t *tmp, size_t n, uint32_t *counts, scarce__pool *pool)
{
    uint64_t lo, hi;
    int width, low, digits;
    uint64_t *at;

    if (n <= SHORT_RUN) {
        insertion_keys(keys, n);
        return;
    }
    lo = hi = keys[0];
    for (size_t i = 1; i < n; ++i) {
        if (keys[i] < lo) lo = keys[i];
        if (keys[i] > hi) hi = keys[i];
    }
    /* as many leading bits as part nearly all of n evenly spread keys, in whole digits */
    digits = (scarce__bit_width(n) + 5) / DIGIT_BITS + 1;
    if (digits > 3) digits = 3;
    width = scarce__bit_width(hi - lo);
    low = width > digits * DIGIT_BITS ? width - digits * DIGIT_BITS : 0;
    at = scarce__radix(keys, tmp, n, lo, low, width - low, counts, pool);
    if (at != keys) memcpy(keys, at, n * sizeof *keys);
    if (low == 0) return;
    for (size_t i = 0; i < n;) {
        size_t j = i + 1;
        const uint64_t top = (keys[i] - lo) >> low;
        while (j < n && (keys[j] - lo) >> low == top) ++j;
        if (j - i > 1) scarce__sort_keys(keys + i, tmp + i, j - i, counts, NULL);
        i = j;
    }
}
