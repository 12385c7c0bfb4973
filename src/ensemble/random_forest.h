/* SPDX-License-Identifier: Apache-2.0 */
/* Random forests: the mean of deep trees on bootstraps (see random_forest.c). */
#ifndef SCARCE_ENSEMBLE_RANDOM_FOREST_H
#define SCARCE_ENSEMBLE_RANDOM_FOREST_H

#include "boost/stop.h"
#include "core/context.h"
#include "ensemble/draw.h"
#include "tree/deep.h"
#include "tree/forest.h"

typedef struct scarce__random_forest_options {
    size_t n_trees;
    scarce__member_rows rows; /* of each tree */
    double share;             /* of the draws */
    scarce__deep_options tree;
    size_t features; /* per node; 0: the square root of those there are, rounded down as scikit-learn does */
    scarce__bin_options bins;
    double pos_weight;
    uint64_t seed;

    /* Validation rows and a metric over the mean of the trees so far; NULL: none. */
    const scarce_table *valid;
    scarce__boost_metric_fn metric;
    void *metric_payload;
    int metric_smaller_is_better, stop_after;
    const char *metric_name;
    double *history; /* n_trees items or NULL */

    const scarce__forest *resume; /* unscaled trees to go on after, or NULL */
    /* Called after trees were added, every `keep_every` of them; a failure ends the training. */
    scarce_status (*keep)(void *payload, const scarce__forest *so_far, scarce_error *err);
    void *keep_payload;
    size_t keep_every; /* 0: never */
} scarce__random_forest_options;

#define SCARCE__RANDOM_FOREST_OPTIONS_INIT                                                                   \
    {                                                                                                        \
        .n_trees = 100, .rows = SCARCE__MEMBER_BOOTSTRAP, .share = 1, .tree = SCARCE__DEEP_OPTIONS_INIT,     \
        .bins = {.max_bins = 255, .min_category_rows = 1, .bundle_share = 0.2}, .pos_weight = 1, .seed = 1   \
    }

typedef struct scarce__random_forest_result {
    size_t n_trees, n_grown;
    double best_metric; /* NaN: none */
    int cancelled;
    size_t n_never_split;
    double seconds_bin;
} scarce__random_forest_result;

/* Grows the trees into the all-zero `out`: every leaf holds its share of positives, so the sum of a row's leaves is a
 * number from 0 to n_trees (scarce__random_forest_scale makes it a mean). At least one tree is grown, whatever the
 * progress callback says. Same bits for any number of threads. On failure `out` is empty. */
scarce_status scarce__random_forest_train(scarce__forest *out, const scarce_table *table,
                                          const scarce__random_forest_options *o,
                                          scarce__random_forest_result *result, scarce_context *ctx,
                                          scarce_error *err);

/* Leaf values by 1 / trees: the score is a share. */
void scarce__random_forest_scale(scarce__forest *forest);

/* Bytes beside the table, at most (trees with as many leaves as rows drawn are rare; a third is assumed). */
double scarce__random_forest_memory(size_t rows, size_t positives, size_t features,
                                    const scarce__random_forest_options *o, int threads);

#endif
