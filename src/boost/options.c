/* SPDX-License-Identifier: Apache-2.0 */
/* Options of boosting: defaults, what can't be meant, and what a training with them takes. */
#include <math.h>
#include <string.h>

#include "boost/boost.h"
#include "core/fail.h"

void scarce__boost_options_init(scarce__boost_options *o)
{
    const scarce__grow_options grow = SCARCE__GROW_OPTIONS_INIT;
    const scarce__bin_options bins = SCARCE__BIN_OPTIONS_INIT;
    const scarce__sampling_options sampling = SCARCE__SAMPLING_OPTIONS_INIT;
    memset(o, 0, sizeof *o);
    o->n_trees = 100;
    o->grow = grow;
    o->bins = bins;
    o->sampling = sampling;
    o->loss = scarce__loss_logistic(1);
    o->pos_weight = o->neg_weight = 1;
    o->seed = 1;
}

scarce_status scarce__boost_check(const scarce__boost_options *o, scarce_error *err)
{
    const scarce__split_rules *r = &o->grow.rules;
    if (o->out_of_bag && !o->loss.value)
        return scarce__fail(
            err, SCARCE_EINVAL,
            "early stopping by rows outside the bags needs the value of the loss, %.60s has none",
            o->loss.name);
    if (o->loss.beside && o->sampling.kind != SCARCE__ROWS_ALL)
        return scarce__fail(err, SCARCE_EINVAL, "the loss %.60s needs all rows for every tree, no samples",
                            o->loss.name);
    if (o->n_trees < 1)
        return scarce__fail(err, SCARCE_EINVAL, "trees is %d, at least 1 is needed", o->n_trees);
    if (!(o->grow.learning_rate > 0) || !isfinite(o->grow.learning_rate))
        return scarce__fail(err, SCARCE_EINVAL, "learning_rate is %g, it must be above 0",
                            o->grow.learning_rate);
    if (!(r->lambda >= 0) || !(r->alpha >= 0) || !(r->max_delta_step >= 0) || !(r->min_child_weight >= 0) ||
        r->gamma != r->gamma)
        return scarce__fail(err, SCARCE_EINVAL,
                            "lambda %g, alpha %g, max_delta_step %g and min_child_weight %g must be 0 "
                            "or more",
                            r->lambda, r->alpha, r->max_delta_step, r->min_child_weight);
    if (!(o->grow.colsample_tree > 0 && o->grow.colsample_tree <= 1) ||
        !(o->grow.colsample_node > 0 && o->grow.colsample_node <= 1))
        return scarce__fail(err, SCARCE_EINVAL, "colsample is %g per tree and %g per node, allowed is (0, 1]",
                            o->grow.colsample_tree, o->grow.colsample_node);
    if (!(o->pos_weight > 0) || !isfinite(o->pos_weight))
        return scarce__fail(err, SCARCE_EINVAL, "pos_weight is %g, it must be above 0", o->pos_weight);
    if (!(o->neg_weight > 0) || !isfinite(o->neg_weight))
        return scarce__fail(err, SCARCE_EINVAL, "the weight of negatives is %g, it must be above 0",
                            o->neg_weight);
    if (o->base_given && !isfinite(o->base))
        return scarce__fail(err, SCARCE_EINVAL, "the base score isn't finite");
    return SCARCE_OK;
}

size_t scarce__boost_memory(size_t n_rows, size_t n_features, size_t n_valid_rows,
                            const scarce__boost_options *o, int threads)
{
    const size_t find = n_rows * 24 * (size_t)(threads > 0 ? threads : 1);
    const size_t hist = n_features * 264 * (o->grow.histogram_double ? 16u : 8u);
    const size_t pool = o->grow.pool_bytes ? o->grow.pool_bytes : (size_t)512 << 20;
    const size_t leaves = (size_t)(o->grow.max_leaves > 0 ? o->grow.max_leaves : 256) + 9;
    const size_t hists = hist * leaves < pool ? hist * leaves : pool + 12 * hist;
    size_t train = scarce__codes_bytes(n_rows, n_features, 1) + n_rows * (4 + 1 + 4 + 8 + 8 + 8) + hists;
    if (o->sampling.kind == SCARCE__ROWS_SMOTE) train += n_rows * (n_features + 20);
    else if (o->sampling.kind != SCARCE__ROWS_ALL) train += n_rows * (n_features + 12) / 2;
    if (o->loss.leaves != SCARCE__LEAVES_NONE) train += n_rows * 5;
    if (o->grow.histogram_double) train += 16 * n_rows;
    train += scarce__codes_bytes(n_valid_rows, n_features, 0) + 9 * n_valid_rows;
    return train > find ? train : find;
}
