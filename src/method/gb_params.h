/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of boosted trees, in parts, so that methods made of boosters (bags, cascades) can have them
 * among their own:
 *
 *     typedef struct bag_params { int64_t members; scarce__gb_params booster; } bag_params;
 *     static const scarce__param_part parts[] = {SCARCE__PART(own, 0),
 *                                                SCARCE__GB_PARTS(offsetof(bag_params, booster))}; */
#ifndef SCARCE_METHOD_GB_PARAMS_H
#define SCARCE_METHOD_GB_PARAMS_H

#include <stddef.h>

#include "core/param.h"

/* How a tree grows. */
typedef struct scarce__gb_tree_params {
    int64_t n_trees, max_leaves, max_depth, max_bins, min_child_rows, min_child_positives, min_category_rows;
    double learning_rate, min_child_weight, lambda, alpha, gamma, max_delta_step;
    double colsample, colsample_node, pos_weight, miss_cost, alarm_cost, rounding, positive_bins, label_delay;
    int growth, splits, histogram, categories, category_splits;
    const char *monotone, *interactions;
    int64_t eval_every;
} scarce__gb_tree_params;

enum { SCARCE__SPLITS_AUTO = 0, SCARCE__SPLITS_BEST, SCARCE__SPLITS_RANDOM };
enum { SCARCE__CATEGORY_SPLITS_AUTO = 0, SCARCE__CATEGORY_SPLITS_SORTED, SCARCE__CATEGORY_SPLITS_ALL };

/* What is minimised: a number of the table of losses (gb_options.c). */
typedef struct scarce__gb_loss_params {
    int loss, leaf, exact, classic, votes;
    double loss_gamma, list_alpha, beta, focal_gamma, z_max;
} scarce__gb_loss_params;

/* Which rows a tree sees: a number of the table of samplings (gb_options.c). */
typedef struct scarce__gb_sample_params {
    int sample, draw, reweigh;
    double subsample, ratio, top, other, mvs_lambda, neg_per_pos, pool, max_probability;
    int64_t refresh, k_neighbors;
    double made_per_pos;
} scarce__gb_sample_params;

/* How sure the finished model is (gb_choose.c). */
enum { SCARCE__VOICES_ONE = 0, SCARCE__VOICES_AUTO, SCARCE__VOICES_SEVERAL };
typedef struct scarce__gb_end_params {
    double scale, shift;
    int voices;
} scarce__gb_end_params;

typedef struct scarce__gb_params {
    scarce__gb_tree_params tree;
    scarce__gb_loss_params loss;
    scarce__gb_sample_params sample;
    scarce__gb_end_params end;
} scarce__gb_params;

enum { SCARCE__N_GB_TREE_PARAMS = 29, SCARCE__N_GB_LOSS_PARAMS = 10, SCARCE__N_GB_SAMPLE_PARAMS = 14 };
extern const scarce__param scarce__gb_tree_list[SCARCE__N_GB_TREE_PARAMS],
    scarce__gb_loss_list[SCARCE__N_GB_LOSS_PARAMS], scarce__gb_sample_list[SCARCE__N_GB_SAMPLE_PARAMS];

#define SCARCE__GB_PARTS(base)                                                                               \
    SCARCE__PART(scarce__gb_tree_list, (base) + offsetof(scarce__gb_params, tree)),                          \
        SCARCE__PART(scarce__gb_loss_list, (base) + offsetof(scarce__gb_params, loss)),                      \
        SCARCE__PART(scarce__gb_sample_list, (base) + offsetof(scarce__gb_params, sample))

extern const scarce__param_table scarce__gb_table;

/* The names of losses and samplings, in the order of the tables in gb_options.c. */
#define SCARCE__GB_LOSSES                                                                                    \
    "logistic|exponential|squared|focal|ap-lb|sgbap|sgbap-sig|lambdamart-ap|rankboost|adaboost|adac1|adac2|" \
    "adac3|adacost|logitboost"
#define SCARCE__GB_SAMPLES "auto|all|uniform|stratified|balanced|ratio|goss|mvs|importance|smote"

#endif
