/* SPDX-License-Identifier: Apache-2.0 */
/* The tops of large trees by bits of SCARCE__BIT_ROWS rows (fast_top.c):
 *
 *     kernels->bits(fast, columns, bits);                       once for the rows
 *     kernels->places(fast, tree, bits, masks, place);          for each tree
 *
 * place[i] is then where row i left the top: fast->exits[fast->tops[tree].exit + place[i]], and 0 when it reached a leaf that adds
 * nothing. `masks` is room for SCARCE__PLACES of them. */
#ifndef SCARCE_TREE_FAST_TOP_H
#define SCARCE_TREE_FAST_TOP_H

#include "tree/fast_inside.h"

/* Numbers below, in bits, of each of 8 bytes: bit j of byte i becomes bit i of byte j. */
static inline uint64_t scarce__transpose8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00AA00AA00AA00AAu;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000CCCC0000CCCCu;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000F0F0F0F0u;
    return x ^ t ^ t << 28;
}

static inline void scarce__bits_clear(scarce__bits *to)
{
    for (int w = 0; w < SCARCE__BIT_WORDS; ++w) to->word[w] = 0;
}

static inline void scarce__bits_or(scarce__bits *to, const scarce__bits *more)
{
    for (int w = 0; w < SCARCE__BIT_WORDS; ++w) to->word[w] |= more->word[w];
}

#endif
