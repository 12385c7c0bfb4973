/* SPDX-License-Identifier: Apache-2.0 */
/* With few positives four models that err in different ways rank better than any of them alone:
 *
 *     f = (1 - s) trees + s/3 (small trees + sharp trees + linear),      s = 0.75 x 200 / (200 + weight of the rarer class)
 *
 * Small trees have 5 leaves and look at all features; sharp ones look for the best threshold instead of a random one, of
 * half of the features; the linear model is a logistic regression (gb_linear.c). With few positives nothing tells which of
 * the four is right, hardly held-out rows, and equal voices are wrong by little everywhere. With many positives the
 * trees know better, and the others fade (docs/research/defaults.md, seventh study). All of it is one sum of trees. */
#include "method/gb_beside.h"

#include <string.h>

#include "core/random.h"
#include "data/table.h"
#include "method/gb_linear.h"

enum { SMALL_LEAVES = 5, SHARP_TREES = 150 };
static const double MOST = 0.75, FADE = 200, SHARP_RATE = 0.05;

double scarce__gb_beside_share(double rarer)
{
    return MOST * FADE / (FADE + rarer);
}

scarce__boost_options scarce__gb_small_trees(const scarce__boost_options *o)
{
    scarce__boost_options small = *o;
    small.grow.max_leaves = SMALL_LEAVES;
    small.grow.colsample_node = 1;
    small.seed = scarce__key(o->seed, SCARCE__FOR_MEMBERS, 5); /* other thresholds than those beside them */
    return small;
}

/* So short a run needs no counting. */
static scarce__boost_options sharp_trees(const scarce__boost_options *small)
{
    scarce__boost_options sharp = *small;
    sharp.grow.rules.random = 0;
    sharp.grow.colsample_node = 0.5;
    sharp.grow.learning_rate = SHARP_RATE;
    sharp.n_trees = SHARP_TREES;
    return sharp;
}

static scarce_status grow(scarce__forest *out, int *cancelled, const scarce_table *table,
                          const scarce__binned *binned, const scarce__boost_options *given,
                          scarce_context *ctx, scarce_error *err)
{
    const scarce__boost_data rows = {.table = table, .binned = binned};
    scarce__boost_options o = *given;
    scarce__boost_result result;

    o.metric = NULL;
    o.keep = NULL;
    o.resume = NULL;
    o.history = NULL;
    o.train_score = o.valid_score = NULL;
    o.out_of_bag = o.stop_after = 0;
    SCARCE__TRY(scarce__boost_train(out, &rows, NULL, &o, &result, ctx, err));
    *cancelled = result.cancelled;
    return SCARCE_OK;
}

/* Sharp trees are few, and the linear model has its penalty: both are sure enough as they are. */
static scarce_status add_up(scarce__forest *sum, scarce__forest *trees, scarce__forest *small,
                            const scarce__forest *sharp, const scarce__forest *linear,
                            const scarce__gb_beside *how, scarce_error *err)
{
    const double each = how->share / (linear ? 3 : 2);

    scarce__forest_rescale(small, how->small_scale, how->small_shift);
    SCARCE__TRY(scarce__forest_append(sum, small, each, err));
    SCARCE__TRY(scarce__forest_append(sum, sharp, each, err));
    if (linear) SCARCE__TRY(scarce__forest_append(sum, linear, each, err));
    scarce__forest_rescale(trees, how->scale, how->shift);
    return scarce__forest_append(sum, trees, 1 - how->share, err);
}

scarce_status scarce__gb_put_beside(scarce__forest *forest, int *cancelled, const scarce_table *table,
                                    const scarce__binned *binned, const scarce__boost_options *small,
                                    const scarce__gb_beside *how, scarce_context *ctx, scarce_error *err)
{
    const scarce__boost_options sharp = sharp_trees(small);
    const int has_linear = scarce__gb_linear_fits(table);
    scarce__forest small_trees = {0}, few = {0}, linear = {0}, sum = {0};
    scarce_status st = grow(&small_trees, cancelled, table, binned, small, ctx, err);

    if (st == SCARCE_OK && !*cancelled) st = grow(&few, cancelled, table, binned, &sharp, ctx, err);
    if (st == SCARCE_OK && !*cancelled && has_linear) st = scarce__gb_linear(&linear, table, small, ctx, err);
    if (st == SCARCE_ECANCEL) {
        *cancelled = 1;
        st = SCARCE_OK;
    }
    if (st == SCARCE_OK && !*cancelled) {
        st = add_up(&sum, forest, &small_trees, &few, has_linear ? &linear : NULL, how, err);
        if (st == SCARCE_OK) {
            scarce__forest_deinit(forest);
            *forest = sum;
            memset(&sum, 0, sizeof sum);
        }
    }
    scarce__forest_deinit(&small_trees);
    scarce__forest_deinit(&few);
    scarce__forest_deinit(&linear);
    scarce__forest_deinit(&sum);
    return st;
}
