/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of trees over raw features: what boosting makes, what is saved, scored, shown and explained.
 *
 * score(x) = base + sum over trees of the value of the leaf x falls into; leaves are float, the sum
 * is double in tree order, so every way of scoring gives the same bits.
 *
 * A row x is one float per feature of the schema: the number, or the category's code as a float
 * (number of categories = unknown), NaN = missing in both cases.
 *
 * At an inner node x goes left when
 *     numeric:   x[feature] <= threshold, missing by SCARCE__MISSING_LEFT
 *     category:  bit x[feature] of the node's set is 1; a code beyond the set (unknown, or a category
 *                that was pooled as rare; negative numbers too) by SCARCE__OTHER_LEFT; missing by
 *                SCARCE__MISSING_LEFT; a code that isn't whole is cut
 *
 * Invariants, checked by scarce__forest_check on everything that comes from a file: children have
 * larger numbers than their parent, every node but the root has exactly one parent, features and
 * sets are in range, thresholds are not NaN, values are finite, members have as many trees as there are. */
#ifndef SCARCE_TREE_FOREST_H
#define SCARCE_TREE_FOREST_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>

enum {
    SCARCE__MISSING_LEFT = 1,
    SCARCE__OTHER_LEFT = 2,
    SCARCE__CATEGORY = 4 /* a category split */
};

typedef struct scarce__node {
    int32_t feature;     /* -1: a leaf */
    int32_t left, right; /* node numbers within the tree; 0 in a leaf */
    float value;         /* leaf: what it adds; inner node: the threshold */
    uint32_t flags;
    uint32_t set;       /* category split: its first word in forest.sets; nodes of a tree may share words */
    uint32_t set_words; /* and how many */
    float gain;         /* of the split; 0 in a leaf */
    float cover;        /* sum of hessians of the training rows here */
    uint32_t rows;      /* training rows here (0: not known) */
} scarce__node;

typedef struct scarce__forest {
    size_t n_features; /* of the schema */
    double base;
    size_t n_trees, trees_capacity;
    uint32_t *tree_begin; /* n_trees + 1: first node of each tree */
    size_t nodes_capacity;
    scarce__node *nodes;
    size_t n_set_words, sets_capacity;
    uint32_t *sets;
    /* An ensemble that is summed up: trees of each member, which take turns (round-major: the first tree of
     * every member, then the second of those that have one, ...), so that the first rounds of trees are the
     * ensemble after these rounds. 0: one member, a round is a tree. */
    size_t n_members;
    size_t *member_trees;
} scarce__forest;

void scarce__forest_deinit(scarce__forest *forest);

/* Appends a tree; `nodes` refer to `sets` by offsets from 0, which are moved. */
scarce_status scarce__forest_add(scarce__forest *forest, const scarce__node *nodes, size_t n_nodes,
                                 const uint32_t *sets, size_t n_set_words, scarce_error *err);

/* Adds a forest to another: to(x) + scale from(x), base too. An all-zero `to` takes the number of features;
 * else they must agree (EINVAL). The result is one sum: members are forgotten. ENUMERIC when a leaf isn't
 * finite any more. Unchanged on failure. */
scarce_status scarce__forest_append(scarce__forest *to, const scarce__forest *from, double scale,
                                    scarce_error *err);

/* scale x the sum of the members, trees in turns, into the all-zero `out`. Empty again on failure. */
scarce_status scarce__forest_join(scarce__forest *out, const scarce__forest *const *members, size_t n,
                                  double scale, scarce_error *err);

/* f becomes (base + shift) + scale (f - base). Finite numbers, scale above 0. */
void scarce__forest_rescale(scarce__forest *forest, double scale, double shift);

/* Rounds there are, and trees in the first so many. */
size_t scarce__forest_rounds(const scarce__forest *forest);
size_t scarce__forest_trees_in(const scarce__forest *forest, size_t rounds);

/* Forgets all trees after the first n. */
void scarce__forest_truncate(scarce__forest *forest, size_t n_trees);

/* EPARSE with the place of the first broken invariant; of the members alone. */
scarce_status scarce__forest_check(const scarce__forest *forest, scarce_error *err);
scarce_status scarce__forest_check_members(const scarce__forest *forest, scarce_error *err);

/* EUNSUPPORTED when the category sets name so many codes that listing them, node by node, would take gigabytes
 * (nodes may share a set): before a forest is written as text. Those that go left are listed, or with `fewer`,
 * where other categories go left, those that go right. */
scarce_status scarce__forest_check_listing(const scarce__forest *forest, int fewer, scarce_error *err);

/* The slow obvious way: one row, one tree after the other. The oracle of the fast scorers. */
double scarce__forest_walk(const scarce__forest *forest, const float *row);

#endif
