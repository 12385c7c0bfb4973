/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient boosting of trees: f_t = f_{t-1} + learning_rate * tree_t (see boost.c).
 *
 *     scarce__boost_options o;
 *     scarce__boost_options_init(&o);
 *     scarce__boost_data train = {.table = table};
 *     scarce__forest forest = {0};
 *     scarce__boost_result result;
 *     status = scarce__boost_train(&forest, &train, NULL, &o, &result, ctx, err);  */
#ifndef SCARCE_BOOST_BOOST_H
#define SCARCE_BOOST_BOOST_H

#include <stddef.h>
#include <stdint.h>

#include "boost/loss.h"
#include "boost/rows.h"
#include "boost/sampling.h"
#include "boost/stop.h"
#include "core/context.h"
#include "tree/forest.h"
#include "tree/grow.h"

typedef struct scarce__boost_options {
    int n_trees;
    scarce__grow_options grow; /* learning_rate, leaves, lambda, ... ; seed and portable are set from below */
    scarce__bin_options bins;
    scarce__loss loss;
    scarce__sampling_options sampling;
    double pos_weight, neg_weight; /* factors on the weights of positives and negatives */
    int base_given;
    double base; /* f_0 when given, else the constant with the least loss */
    uint64_t seed;
    int portable;

    scarce__boost_metric_fn metric; /* with validation data; NULL: none */
    void *metric_payload;
    int metric_smaller_is_better;
    int out_of_bag; /* no validation data: the metric is what the trees gained in loss on rows outside their
                       bags (Friedman 2002); needs a sampling that leaves rows out, and no pool */
    int eval_every; /* trees; 0: 1 */
    int stop_after; /* end when the metric hasn't improved for so many trees; 0: never */
    int stop_at_least;       /* trees that are grown whatever the metric says */
    double stop_least;       /* what counts as an improvement */
    const char *metric_name; /* for progress, e.g. "ap" */

    /* Go on after these trees, or NULL: the result is that of an uninterrupted run. */
    const scarce__forest *resume;
    /* Called after every keep_every-th tree with the trees so far, to save them; a failure ends the
     * training. */
    scarce_status (*keep)(void *payload, const scarce__forest *so_far, scarce_error *err);
    void *keep_payload;
    int keep_every;     /* 0: never */
    double *history;    /* n_trees items: the metric after each tree (NaN where not asked), or NULL */
    float *train_score; /* per training row, the final scores, or NULL */
    float *valid_score; /* per validation row, after the last tree grown, or NULL */
} scarce__boost_options;

/* Defaults: 100 trees of 31 leaves, learning rate 0.1, lambda 1, min_child_weight 1, max_delta_step 2, 255
 * bins, logistic loss, all rows, no early stopping. */
void scarce__boost_options_init(scarce__boost_options *o);

/* EINVAL with the option at fault, as far as can be told without data (scarce__boost_train asks it too). */
scarce_status scarce__boost_check(const scarce__boost_options *o, scarce_error *err);

typedef struct scarce__boost_result {
    size_t n_trees; /* in the forest */
    size_t n_grown; /* before cutting back to the best */
    double base;
    double best_metric;   /* NaN: none */
    int stopped_early;    /* the metric did not improve any more */
    int exhausted;        /* no split is left to be made, or the loss ended the training */
    int cancelled;        /* the progress callback asked to stop; what was done is kept */
    size_t n_never_split; /* trees of a single leaf */
    double seconds_bin, seconds_boost;
} scarce__boost_result;

/* *out must be empty (all zero); on failure it is empty again. Labels that are all equal are EDATA for losses
 * that need both classes. Features without two values are left out; when there is none the forest is the base
 * alone. */
scarce_status scarce__boost_train(scarce__forest *out, const scarce__boost_data *train,
                                  const scarce__boost_data *valid, const scarce__boost_options *o,
                                  scarce__boost_result *result, scarce_context *ctx, scarce_error *err);

/* Bytes that training will take at most, beside the tables. */
size_t scarce__boost_memory(size_t n_rows, size_t n_features, size_t n_valid_rows,
                            const scarce__boost_options *o, int threads);

#endif
