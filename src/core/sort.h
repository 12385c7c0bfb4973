/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by radix, and numbers as keys for it. */
#ifndef SCARCE_CORE_SORT_H
#define SCARCE_CORE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/pool.h"

/* ---- Keys */

/* A bijection from doubles to integers that keeps the order; -0 becomes 0. Not for NaN. */
static inline uint64_t scarce__ordered_bits(double x)
{
    uint64_t u;
    x += 0.0; /* -0 + 0 = 0 */
    memcpy(&u, &x, sizeof u);
    return u ^ (((uint64_t)0 - (u >> 63)) | (uint64_t)1 << 63);
}

static inline double scarce__from_ordered_bits(uint64_t u)
{
    double x;
    u ^= (u >> 63) ? (uint64_t)1 << 63 : ~(uint64_t)0;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Floats as unsigned numbers in the same order; -0 and +0 are one value. Not for NaN. */
static inline uint32_t scarce__float_key(float x)
{
    const float canonical = x + 0.0f;
    uint32_t u;
    memcpy(&u, &canonical, sizeof u);
    return u ^ ((uint32_t)((int32_t)u >> 31) | 0x80000000u);
}

static inline float scarce__key_float(uint32_t key)
{
    const uint32_t u = key & 0x80000000u ? key ^ 0x80000000u : ~key;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* ---- Sorting */

/* Sorts n keys ascending; tmp holds n more. Any number of threads gives the same. */
void scarce__sort_keys(uint64_t *keys, uint64_t *tmp, size_t n, uint32_t *counts, scarce__pool *pool);
/* How many uint32 `counts` must have. */
size_t scarce__sort_counts(const scarce__pool *pool, size_t n);

/* Sorts by bits [low, low + width) of (element - base), width <= 33; elements that are equal there stay in
 * their order. Returns where the result is: a or b. */
uint64_t *scarce__radix(uint64_t *a, uint64_t *b, size_t n, uint64_t base, int low, int width,
                        uint32_t *counts, scarce__pool *pool);

/* Into how many parts n elements are cut, at most SCARCE__SORT_PARTS. */
enum { SCARCE__SORT_PARTS = 64 };
size_t scarce__sort_parts(const scarce__pool *pool, size_t n);

int scarce__bit_width(uint64_t x); /* of 5: 3 */

#endif
