/* SPDX-License-Identifier: Apache-2.0 */
/* The generator of tests/golden/lcg.py: state <- state * 6364136223846793005 + 1442695040888963407 (mod
 * 2^64), a draw is state >> 33, case c starts at state = c with two draws thrown away. Golden files then hold
 * results only. */
#ifndef SCARCE_TEST_LCG_H
#define SCARCE_TEST_LCG_H

#include <stdint.h>

typedef struct lcg {
    uint64_t state;
} lcg;

static inline uint64_t lcg_draw(lcg *r)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return r->state >> 33;
}

static inline size_t lcg_below(lcg *r, uint64_t n)
{
    return (size_t)(lcg_draw(r) % n);
}

static inline lcg lcg_start(uint64_t c)
{
    lcg r = {c};
    lcg_draw(&r);
    lcg_draw(&r);
    return r;
}

#endif
