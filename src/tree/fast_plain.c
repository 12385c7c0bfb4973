/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for any machine. */
#include "tree/fast_kernel.h"
#include "tree/fast_large.h"

static void bin(const float *t, uint32_t padded, const float *x, size_t n, uint8_t *left, uint8_t *right)
{
    bin_body(t, padded, x, n, left, right);
}

static void tree(const scarce__fast *fast, const scarce__fast_tree *which, const uint8_t *columns, size_t n,
                 double *sums)
{
    tree_body(fast, which, columns, n, sums);
}

static double one(const scarce__fast *fast, const float *row)
{
    return one_body(fast, row);
}

static void bits(const scarce__fast *fast, const uint8_t *columns, scarce__bits *to)
{
    bits_body(fast, columns, to);
}

static void places(const scarce__fast *fast, size_t which, const scarce__bits *of, scarce__bits *masks,
                   uint16_t *to)
{
    places_body(fast, which, of, masks, to);
}

const scarce__kernels scarce__kernels_plain = {
    bin, tree, one, bits, places, scarce__large_collect_plain, scarce__large_walk_plain};
