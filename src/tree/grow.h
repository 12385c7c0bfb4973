/* SPDX-License-Identifier: Apache-2.0 */
/* Growing one tree from per-row gradients (see grow.c). */
#ifndef SCARCE_TREE_GROW_H
#define SCARCE_TREE_GROW_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "tree/binned_tree.h"
#include "tree/layout.h"
#include "tree/split.h"

typedef enum scarce__growth { SCARCE__BEST_FIRST = 0, SCARCE__LEVEL_WISE = 1 } scarce__growth;

typedef struct scarce__grow_options {
    scarce__split_rules rules; /* random_key, monotone and portable are set inside */
    int max_leaves;            /* 0: no limit (then max_depth must be given) */
    int max_depth;             /* 0: no limit; 1: stumps */
    scarce__growth growth;
    double learning_rate;
    double colsample_tree, colsample_node; /* share of the features that may be looked at, (0, 1] */
    const int8_t *monotone;                /* per feature of the schema, or NULL */
    /* Features that may meet on one path from the root: group i is group_feature[group_begin[i] ..
     * group_begin[i + 1]). A feature in no group is alone. n_groups 0: no constraint. */
    size_t n_groups;
    const uint32_t *group_begin, *group_feature;
    int histogram_double; /* sums in double instead of integers */
    /* With a class criterion: every row counts once, so h = 1 and g = -mark. Then counts are the gradients, one
     * histogram is enough, and g and h may be NULL. Not with histogram_double. */
    int plain;
    /* Gradients of tables of 65,536 rows and more are rounded so coarsely that their sums vary by this share
     * more than they do anyway, and rows that round to 0 are not looked at (quantise.c, grow_active.c). 0:
     * no. Without effect where rows are counted, with histogram_double, and with more than 256 leaves. */
    double rounding;
    size_t pool_bytes; /* memory for histograms; 0: 512 MB */
    uint64_t seed;
    int portable;
} scarce__grow_options;

#define SCARCE__SPLIT_RULES_INIT                                                                             \
    {                                                                                                        \
        .lambda = 1, .max_delta_step = 2, .min_child_weight = 1, .min_child_rows = 1, .category_onehot = 4,  \
        .category_smooth = 10, .category_penalty = 1                                                         \
    }

#define SCARCE__GROW_OPTIONS_INIT                                                                            \
    {                                                                                                        \
        .rules = SCARCE__SPLIT_RULES_INIT, .max_leaves = 31, .growth = SCARCE__BEST_FIRST,                   \
        .learning_rate = 0.1, .colsample_tree = 1, .colsample_node = 1, .seed = 1                            \
    }

/* Leaves that a tree on so many rows can have. */
size_t scarce__grow_leaf_limit(const scarce__grow_options *o, size_t rows);

typedef struct scarce__grower scarce__grower;

/* Everything one booster needs tree after tree; `bins` is borrowed. max_rows: of any codes it will see. */
scarce_status scarce__grower_new(scarce__grower **out, const scarce__bins *bins, size_t max_rows,
                                 const scarce__grow_options *options, scarce_error *err);
void scarce__grower_free(scarce__grower *grower);
size_t scarce__grower_bytes(const scarce__bins *bins, size_t max_rows, const scarce__grow_options *options);

/* Grows a tree on all rows of `codes` from g and h (h >= 0). mark: 1 for rows that min_child_marks counts, or
 * NULL. `index` numbers the tree (random streams). ENUMERIC when a gradient isn't finite. */
scarce_status scarce__grower_tree(scarce__grower *grower, scarce__binned_tree *out,
                                  const scarce__codes *codes, const float *g, const float *h,
                                  const uint8_t *mark, uint64_t index, scarce_context *ctx,
                                  scarce_error *err);

/* The same on n of the rows of `codes` (ascending or not, none twice; NULL: all, n ignored). g, h and mark are of
 * all rows of the codes, whose scale they set. */
scarce_status scarce__grower_tree_on(scarce__grower *grower, scarce__binned_tree *out,
                                     const scarce__codes *codes, const uint32_t *rows, size_t n,
                                     const float *g, const float *h, const uint8_t *mark, uint64_t index,
                                     scarce_context *ctx, scarce_error *err);

/* score[i] += value of the leaf row i fell into, for the rows of the last tree. */
void scarce__grower_add(const scarce__grower *grower, const scarce__binned_tree *tree, float *score,
                        scarce_context *ctx);

/* leaf[i] = node number of the leaf of row i, for the rows of the last tree. */
void scarce__grower_leaves(const scarce__grower *grower, uint32_t *leaf);

#endif
