/* SPDX-License-Identifier: Apache-2.0 */
/* Which features a tree or a node may be split on, when only a share of them is looked at. */
#ifndef SCARCE_TREE_DRAW_H
#define SCARCE_TREE_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* The stream of a node of tree `index`; node -1: of the tree as a whole. */
static inline uint64_t scarce__columns_stream(uint64_t index, int64_t node)
{
    return (index << 20) + (uint64_t)(node + 1);
}

/* Keeps `share` of the features that mask (n items) already allows, at least one. order: room for n. */
void scarce__draw_features(uint8_t *mask, uint32_t *order, size_t n, double share, uint64_t seed,
                           uint64_t stream);

#endif
