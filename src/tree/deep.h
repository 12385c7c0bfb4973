/* SPDX-License-Identifier: Apache-2.0 */
/* Growing a deep tree on a few features per node: the trees of random forests (see deep.c).
 *
 * Over the codes of bins.h with a class criterion (gini, entropy), one tree on one thread; trees side by side are
 * the caller's business. Unlike grow.h, no histogram is kept: where each node looks at other features, there is
 * nothing to subtract. */
#ifndef SCARCE_TREE_DEEP_H
#define SCARCE_TREE_DEEP_H

#include <stddef.h>
#include <stdint.h>

#include "tree/binned_tree.h"
#include "tree/criterion.h"
#include "tree/layout.h"

typedef struct scarce__deep_options {
    scarce__split_rules
        rules;         /* a class criterion, gamma, min_child_weight, min_child_rows, min_child_marks */
    int max_depth;     /* 0: no limit */
    size_t features;   /* looked at per node, 1 .. n_used; further ones while all are constant there */
    double pos_weight; /* in the weights of positives already; leaves hold shares without it */
    double
        smoothing; /* rows that are no positives and join every leaf: its share by rows / (rows + smoothing) */
    uint64_t seed;
} scarce__deep_options;

#define SCARCE__DEEP_OPTIONS_INIT                                                                            \
    {                                                                                                        \
        .rules = {.criterion = &scarce__criterion_gini, .min_child_rows = 1}, .features = 1,                 \
        .pos_weight = 1, .seed = 1                                                                           \
    }

/* What a tree learns from. */
typedef struct scarce__deep_rows {
    const scarce__codes *codes; /* with rows */
    const uint8_t *label;       /* per row of the codes */
    const float *weight;        /* per row of the codes; NULL: 1 each */
    /* The rows of the tree and how often each counts (a bootstrap; below 2^31 in all); NULL: all, once each. */
    const uint32_t *row, *times;
    size_t n;
} scarce__deep_rows;

/* Scratch of one thread, for tree after tree. */
typedef struct scarce__deep scarce__deep;

/* `bins` is borrowed. max_rows: of any tree. */
scarce_status scarce__deep_new(scarce__deep **out, const scarce__bins *bins, size_t max_rows,
                               const scarce__deep_options *options, scarce_error *err);
void scarce__deep_free(scarce__deep *deep);
size_t scarce__deep_bytes(size_t n_used, size_t max_rows);

/* Grows tree number `index` (it names the random stream): nodes and sets; out->tests is left empty. The value of a
 * leaf is its share of positives, pos_weight undone, smoothed; `rows` of a node counts repetitions. A tree of nothing but weight 0 is a leaf of 0.
 * Errors: ENOMEM. */
scarce_status scarce__deep_tree(scarce__deep *deep, scarce__binned_tree *out, const scarce__deep_rows *rows,
                                uint64_t index, scarce_error *err);

#endif
