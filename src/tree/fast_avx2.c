/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels once more, with AVX2. */
#include "tree/fast_kernel.h"
#include "tree/fast_large.h"

#if SCARCE__FAST_X86

SCARCE__AVX2 static void bin(const float *t, uint32_t padded, const float *x, size_t n, uint8_t *left,
                             uint8_t *right)
{
    bin_body(t, padded, x, n, left, right);
}

SCARCE__AVX2 static void tree(const scarce__fast *fast, const scarce__fast_tree *which,
                              const uint8_t *columns, size_t n, double *sums)
{
    tree_body(fast, which, columns, n, sums);
}

SCARCE__AVX2 static double one(const scarce__fast *fast, const float *row)
{
    return one_body(fast, row);
}

SCARCE__AVX2 static void bits(const scarce__fast *fast, const uint8_t *columns, scarce__bits *to)
{
    bits_body(fast, columns, to);
}

SCARCE__AVX2 static void places(const scarce__fast *fast, size_t which, const scarce__bits *of,
                                scarce__bits *masks, uint16_t *to)
{
    places_body(fast, which, of, masks, to);
}

const scarce__kernels scarce__kernels_avx2 = {
    bin, tree, one, bits, places, scarce__large_collect_plain, scarce__large_walk_plain};

#else
typedef int scarce__fast_avx2_is_empty;
#endif
