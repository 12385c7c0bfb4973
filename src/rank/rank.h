/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees: scores from a directed acyclic graph of ordinary tests.
 *
 * A meta-tree (TreeRank, MetaAP) has a whole tree in each of its nodes, whose leaves are merged into two sides;
 * so a leaf of the meta-tree is reached by several paths. Laid out flat it is a graph: inner nodes test a value
 * as those of a forest do (tree/step.h), exits name the leaf that was reached. CART is the graph with one
 * inner tree and an exit for every leaf.
 *
 *   score(x) = mean over the graphs of [ score of the leaf + what the distance adds ]
 *
 * The distance of a row is how far it is from the nearest threshold on the last inner tree's path, in units of
 * `scale` (standard deviations, or 1); its sign is that of the majority where the path ended. A category has
 * no threshold: on a path of categories alone it is 1/2, as for a column of 0 and 1. With d that number, a leaf adds tie * d / (1 + |d|)
 * (SCARCE__DISTANCE_TIES: too little to change the order of leaves), or the score is d itself
 * (SCARCE__DISTANCE_ALONE). A score depends on its row alone.
 *
 * Invariants, checked by scarce__rank_check: children have larger numbers than their parent, features, sets and
 * leaves are in range, all numbers finite, scales above 0. */
#ifndef SCARCE_RANK_RANK_H
#define SCARCE_RANK_RANK_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "data/table.h"
#include "tree/forest.h"

/* Beside the flags of tree/forest.h. */
enum { SCARCE__INNER_ROOT = 8 }; /* a test where an inner tree begins */

/* What the flags of an exit say of the majority there. */
enum { SCARCE__EXIT_EVEN = 0, SCARCE__EXIT_POSITIVE = 1, SCARCE__EXIT_NEGATIVE = 2 };

typedef struct scarce__rank_leaf {
    double score;
    double tie;              /* what the distance adds at most */
    double weight, positive; /* of the training rows here */
    uint64_t rows, positives;
} scarce__rank_leaf;

/* Nodes as those of a forest. An exit (feature -1) has the number of its leaf in `left`. gain: of a numeric test, the
 * threshold before it was rounded, from which distances are measured (from a rounded one, rows to its left and to its
 * right would not be equally far). cover: share of positives among the training rows that came by; rows: how many. */
typedef struct scarce__dag {
    size_t n_nodes, n_set_words, n_leaves;
    scarce__node *nodes;
    uint32_t *sets;
    scarce__rank_leaf *leaves; /* most suspicious first */
} scarce__dag;

typedef enum scarce__distance {
    SCARCE__DISTANCE_NONE = 0,
    SCARCE__DISTANCE_TIES,
    SCARCE__DISTANCE_ALONE
} scarce__distance;

typedef struct scarce__rank {
    size_t n_features, n_dags;
    scarce__dag *dags;
    scarce__distance distance;
    double *scale; /* per feature; NULL without distances */
} scarce__rank;

void scarce__dag_deinit(scarce__dag *dag);
void scarce__rank_free(scarce__rank *rank); /* takes NULL */
/* EPARSE with the place of the first broken invariant. */
scarce_status scarce__rank_check(const scarce__rank *rank, scarce_error *err);

double scarce__rank_score(const scarce__rank *rank, const float *row);
/* The exit that a row reaches. */
uint32_t scarce__dag_exit(const scarce__dag *dag, const float *row);
scarce_status scarce__rank_score_table(const scarce__rank *rank, const scarce_table *table, double *score,
                                       scarce_context *ctx, scarce_error *err);

/* Counts of nodes and leaves from the labels of these rows; scores stay. (recount.c) */
scarce_status scarce__dag_recount(scarce__dag *dag, const scarce_table *table, scarce_error *err);

/* ---- Learning (learn.c, forest.c) */

typedef enum scarce__rank_shape { SCARCE__CART = 0, SCARCE__TREERANK, SCARCE__METAAP } scarce__rank_shape;
typedef enum scarce__rank_scores {
    SCARCE__SCORES_LEAF = 0,
    SCARCE__SCORES_DISTANCE,
    SCARCE__SCORES_BOTH
} scarce__rank_scores;
typedef enum scarce__thresholds {
    SCARCE__THRESHOLDS_AUTO = 0,
    SCARCE__THRESHOLDS_EXACT,
    SCARCE__THRESHOLDS_BINS
} scarce__thresholds;

typedef struct scarce__rank_options {
    scarce__rank_shape shape;
    const char *criterion;      /* of CART: "gini", "entropy", "ap" */
    scarce__rank_scores scores; /* meta-trees: BOTH breaks ties inside leaves, LEAF doesn't */
    int max_depth;              /* of the meta-tree; of CART's tree. 0: no limit (CART only) */
    int inner_depth;            /* of inner trees; 0: max_depth */
    int max_leaves;             /* of CART; 0: no limit */
    uint32_t min_rows;          /* in a leaf of an inner tree */
    double min_gain;            /* of CART: share of the root's impurity that a split must take off */
    double pos_weight;          /* a positive counts as so many rows */
    double colsample_node;
    scarce__thresholds thresholds;
    int max_bins;
    size_t
        max_categories; /* columns of more are not looked at: sorted by their share of positives so many of them fit
                              anything, and no list of them can be read. 0: no limit */
    int rounded;        /* thresholds become the shortest number that parts the same rows */
    uint64_t seed;
} scarce__rank_options;

#define SCARCE__RANK_OPTIONS_INIT                                                                            \
    {                                                                                                        \
        .shape = SCARCE__METAAP, .criterion = "gini", .scores = SCARCE__SCORES_BOTH, .max_depth = 5,         \
        .min_rows = 1, .pos_weight = 1, .colsample_node = 1, .max_bins = 255, .max_categories = 64,          \
        .rounded = 1, .seed = 1                                                                              \
    }

/* Rows to learn from. rows: of the table, one may be listed more than once (NULL: all, n ignored). share: per
 * row of the table, how positive it is, from 0 to 1 (NULL: its label). taught: what splits see in its place (NULL: the
 * share); leaves are scored and put in order by the share all the same. */
typedef struct scarce__rank_data {
    const scarce_table *table;
    const uint32_t *rows;
    size_t n;
    const double *share, *taught;
    const scarce_table *whole; /* whose values rounded thresholds part as they did; NULL: those of table */
} scarce__rank_data;

/* ECANCEL when the progress callback wants it. */
scarce_status scarce__rank_learn(scarce__rank **out, const scarce__rank_data *data,
                                 const scarce__rank_options *options, scarce_context *ctx, scarce_error *err);

/* The mean of so many graphs, each on a bootstrap of the rows. */
scarce_status scarce__rank_forest(scarce__rank **out, const scarce__rank_data *data,
                                  const scarce__rank_options *options, size_t members, scarce_context *ctx,
                                  scarce_error *err);

/* Bytes beside the table for one graph, about. */
double scarce__rank_memory(const scarce__rank_options *options, size_t rows, size_t features, int threads);

/* Whether so large a table is learnt by exact thresholds. */
int scarce__rank_is_exact(const scarce__rank_options *options, size_t rows, size_t features);

#endif
