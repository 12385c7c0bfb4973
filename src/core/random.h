/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that depend on what they are for, never on which thread asks.
 *
 * A stream is named by (seed, purpose, index): seed from the user, purpose one of the constants
 * below, index e.g. the tree, the block, the repeat. Streams with different names are independent.
 * scarce__hash is the stateless form: the i-th number of a stream, in any order. */
#ifndef SCARCE_CORE_RANDOM_H
#define SCARCE_CORE_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef enum scarce__purpose {
    SCARCE__FOR_SPLIT = 1,
    SCARCE__FOR_BOOTSTRAP,
    SCARCE__FOR_RESAMPLE,
    SCARCE__FOR_SIMULATE,
    SCARCE__FOR_ROWS,
    SCARCE__FOR_COLUMNS,
    SCARCE__FOR_ROUNDING,
    SCARCE__FOR_THRESHOLDS,
    SCARCE__FOR_SEARCH,
    SCARCE__FOR_TEST,
    SCARCE__FOR_MEMBERS,
    SCARCE__FOR_ONLINE,
    SCARCE__FOR_LATENT = 40
} scarce__purpose;

typedef struct scarce__random {
    uint64_t s[4];
} scarce__random;

/* splitmix64's finaliser: a bijection in which every input bit moves every output bit. */
static inline uint64_t scarce__mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x;
}

static inline uint64_t scarce__key(uint64_t seed, scarce__purpose purpose, uint64_t index)
{
    uint64_t k = scarce__mix64(seed + 0x9e3779b97f4a7c15u);
    k = scarce__mix64(k ^ (0xd1b54a32d192ed03u * (uint64_t)purpose));
    return scarce__mix64(k + 0x9e3779b97f4a7c15u * (index + 1));
}

/* The i-th number of the stream with this key. */
static inline uint64_t scarce__hash(uint64_t key, uint64_t i)
{
    return scarce__mix64(key + 0x9e3779b97f4a7c15u * (i + 1));
}

/* The same with 32 bits from both halves of the key, for loops that are to be vectorised (i < 2^32). */
static inline uint32_t scarce__hash32(uint64_t key, uint32_t i)
{
    uint32_t x = i * 0x9e3779b9u + (uint32_t)key;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x += (uint32_t)(key >> 32);
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

static inline scarce__random scarce__random_start(uint64_t seed, scarce__purpose purpose, uint64_t index)
{
    const uint64_t key = scarce__key(seed, purpose, index);
    scarce__random r;
    for (unsigned i = 0; i < 4; ++i) r.s[i] = scarce__hash(key, i);
    return r;
}

static inline uint64_t scarce__rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* xoshiro256** */
static inline uint64_t scarce__random_u64(scarce__random *r)
{
    uint64_t *s = r->s;
    const uint64_t result = scarce__rotl(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = scarce__rotl(s[3], 45);
    return result;
}

/* Uniform in [0, 1), 53 bits. */
static inline double scarce__to_unit(uint64_t x)
{
    return (double)(x >> 11) * 0x1p-53;
}

static inline double scarce__random_unit(scarce__random *r)
{
    return scarce__to_unit(scarce__random_u64(r));
}

/* Uniform in 0..n-1, without bias (rejection). n > 0. */
static inline uint64_t scarce__random_below(scarce__random *r, uint64_t n)
{
    const uint64_t limit = (uint64_t)0 - ((uint64_t)0 - n) % n; /* largest multiple of n, or 0 for 2^64 */
    uint64_t x;
    do x = scarce__random_u64(r);
    while (limit != 0 && x >= limit);
    return x % n;
}

double scarce__random_normal(scarce__random *r);
double scarce__random_exponential(scarce__random *r);
/* Gamma(shape, 1), shape > 0 */
double scarce__random_gamma(scarce__random *r, double shape);
/* Poisson(mean), mean >= 0 */
uint64_t scarce__random_poisson(scarce__random *r, double mean);
/* Fisher-Yates. */
void scarce__shuffle_u32(scarce__random *r, uint32_t *a, size_t n);

#endif
