/* SPDX-License-Identifier: Apache-2.0 */
/* A graph under construction: inner trees are put one behind the other, and their exits lead to nodes of the
 * meta-tree, of which it is known only later whether they become an inner tree or a leaf. */
#ifndef SCARCE_RANK_BUILD_H
#define SCARCE_RANK_BUILD_H

#include "rank/inner_tree.h"

typedef struct scarce__build {
    scarce__node *nodes; /* exits: left is a node of the meta-tree */
    size_t n_nodes, nodes_capacity;
    uint32_t *sets;
    size_t n_set_words, sets_capacity;
    scarce__rank_leaf *leaves;
    size_t n_leaves, leaves_capacity;
    int32_t *target; /* per node of the meta-tree: its first test, or -1 - the number of its leaf */
    size_t n_meta, meta_capacity;
    uint32_t *stack; /* of a walk */
    size_t stack_capacity;
} scarce__build;

void scarce__build_deinit(scarce__build *b);

/* A node of the meta-tree to come; its number goes to *id. */
scarce_status scarce__build_meta(scarce__build *b, uint32_t *id, scarce_error *err);

/* Fills leaf[] with the leaves of the last inner tree from left to right; *n: how many. Room for all nodes. */
scarce_status scarce__build_leaves(scarce__build *b, const scarce__inner_tree *in, uint32_t *leaf, size_t *n,
                                   scarce_error *err);

/* Puts the last inner tree in the place of node `id`; meta_of: per node of that tree, for its leaves, the node
 * of the meta-tree behind it. */
scarce_status scarce__build_tree(scarce__build *b, uint32_t id, const scarce__inner_tree *in,
                                 const uint32_t *meta_of, scarce_error *err);

/* A leaf in the place of node `id`; leaves are numbered in the order of these calls. */
scarce_status scarce__build_leaf(scarce__build *b, uint32_t id, const scarce__rank_sums *sums,
                                 scarce_error *err);

/* The graph. Node 0 of the meta-tree is where rows begin. The build is empty afterwards. */
scarce_status scarce__build_finish(scarce__dag *out, scarce__build *b, scarce_error *err);

#endif
