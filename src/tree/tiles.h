/* SPDX-License-Identifier: Apache-2.0 */
/* Adding trees to the scores of many binned rows (see tiles.c). */
#ifndef SCARCE_TREE_TILES_H
#define SCARCE_TREE_TILES_H

#include <stddef.h>

#include "core/context.h"
#include "tree/binned_tree.h"
#include "tree/layout.h"

/* score[r] = (..(score[r] + value of tree 0) + value of tree 1) ..., in float and in this order: the same
 * bits as adding after each tree through the lists of its leaves. codes must have tiles. */
scarce_status scarce__tiles_add(const scarce__codes *codes, const scarce__binned_tree *const *trees,
                                size_t n_trees, float *score, int portable, scarce_context *ctx,
                                scarce_error *err);

/* leaf[r] = which leaf row r falls into, numbered from 0 in the order of the nodes. The tree has at most
 * SCARCE__TILES_LEAVES leaves. */
enum { SCARCE__TILES_LEAVES = 256 };
scarce_status scarce__tiles_leaves(const scarce__codes *codes, const scarce__binned_tree *tree, uint8_t *leaf,
                                   int portable, scarce_context *ctx, scarce_error *err);

#endif
