/* SPDX-License-Identifier: Apache-2.0 */
/* A tree in terms of codes, beside the same tree in terms of raw values (forest.h): node i of the one is node
 * i of the other. A node's test on the code c of its column is a range or a set:
 *
 *   left = ((uint8_t)(c - sub) <= span) != invert
 *   left = bit c of set
 *
 * Children have larger numbers than their parent. */
#ifndef SCARCE_TREE_BINNED_TREE_H
#define SCARCE_TREE_BINNED_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "tree/bins.h"
#include "tree/forest.h"

typedef struct scarce__bin_test {
    uint32_t column;
    uint8_t sub, span, invert, is_set;
    uint64_t set[4];
} scarce__bin_test;

static inline int scarce__goes_left(const scarce__bin_test *t, uint8_t code)
{
    if (t->is_set) return (int)(t->set[code >> 6] >> (code & 63) & 1);
    return ((uint8_t)(code - t->sub) <= t->span) != t->invert;
}

typedef struct scarce__binned_tree {
    size_t n_nodes, capacity;
    scarce__node *nodes;     /* raw */
    scarce__bin_test *tests; /* of inner nodes */
    uint32_t *sets;          /* raw category sets, offsets in nodes[].set */
    size_t n_set_words, sets_capacity;
} scarce__binned_tree;

scarce_status scarce__binned_tree_reserve(scarce__binned_tree *tree, size_t n_nodes, scarce_error *err);
void scarce__binned_tree_deinit(scarce__binned_tree *tree);

/* The test "bin <= b", missing to the left or not, of a numeric feature. */
scarce__bin_test scarce__range_test(const scarce__bin_feature *f, unsigned b, int missing_left);

/* The test of a category feature whose bins in `left` (bit per code of the column, code 0 =
 * missing) go left. */
scarce__bin_test scarce__set_test(const scarce__bin_feature *f, const uint64_t left[4]);

/* Writes a raw category test into node, its words into tree->sets: category c goes left where left(arg, c) is
 * 1, those beyond n_categories where `other` is, missing where `missing` is. */
scarce_status scarce__write_set(scarce__binned_tree *tree, scarce__node *node, uint32_t n_categories,
                                int (*left)(const void *arg, uint32_t category), const void *arg, int other,
                                int missing, scarce_error *err);

/* Writes the raw form of a category test (words in tree->sets) into node. */
scarce_status scarce__raw_set(scarce__binned_tree *tree, scarce__node *node, const scarce__bins *bins,
                              const scarce__bin_feature *f, const uint64_t left[4], scarce_error *err);

/* The tree number `index` of a forest in terms of codes. EDATA when a threshold isn't an edge
 * of these bins. */
scarce_status scarce__binned_tree_from(scarce__binned_tree *out, const scarce__bins *bins,
                                       const scarce__forest *forest, size_t index, scarce_error *err);

#endif
