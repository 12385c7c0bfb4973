/* SPDX-License-Identifier: Apache-2.0 */
#include "method/gb_held.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "data/table.h"

scarce_status scarce__held_new(scarce__held *h, size_t n, const scarce_table *table,
                               const scarce__boost_options *o, scarce_error *err)
{
    const int weights = table->weight || table->cost || o->pos_weight != 1 || o->neg_weight != 1;

    memset(h, 0, sizeof *h);
    h->loss = o->loss;
    h->label = scarce__malloc(n);
    h->score = scarce__malloc_array(n, sizeof *h->score);
    if (weights) h->weight = scarce__malloc_array(n, sizeof *h->weight);
    if (!h->label || !h->score || (weights && !h->weight))
        return scarce__fail_memory(err, "held-out rows", n * 9);
    return SCARCE_OK;
}

void scarce__held_deinit(scarce__held *h)
{
    scarce__free(h->label);
    scarce__free(h->score);
    scarce__free(h->weight);
}

double scarce__held_weight(const scarce_table *table, size_t row, const scarce__boost_options *o)
{
    const double w = (table->weight ? table->weight[row] : 1) * (table->cost ? table->cost[row] : 1);
    return w * (table->label[row] ? o->pos_weight : o->neg_weight);
}

void scarce__held_add(scarce__held *h, const scarce_table *table, size_t row, const scarce__boost_options *o)
{
    const size_t k = h->n++;
    h->label[k] = table->label[row];
    if (h->weight) h->weight[k] = (float)scarce__held_weight(table, row, o);
}

static scarce_status held_out_loss(void *payload, const float *score, double *value, scarce_error *err)
{
    scarce__held *h = payload;
    const scarce__loss_rows rows = {.n = h->n, .score = score, .label = h->label, .weight = h->weight};
    (void)err;
    *value = h->loss.value(&h->loss, &rows);
    if (++h->seen <= (size_t)h->least || *value < h->best) memcpy(h->score, score, h->n * sizeof *h->score);
    if (*value < h->best) h->best = *value;
    return SCARCE_OK;
}

static void add_gains(double *gain, const scarce__forest *forest)
{
    for (size_t f = 0; f < forest->n_features; ++f) gain[f] = 0;
    for (size_t k = 0; forest->n_trees && k < forest->tree_begin[forest->n_trees]; ++k)
        if (forest->nodes[k].feature >= 0) gain[forest->nodes[k].feature] += (double)forest->nodes[k].gain;
}

/* Of scores that are all the same: the entropy of the labels. */
static double loss_without(scarce__held *h)
{
    double sum[2] = {0, 0}, value;
    for (size_t k = 0; k < h->n; ++k) sum[h->label[k] != 0] += h->weight ? (double)h->weight[k] : 1;
    if (!(sum[0] > 0) || !(sum[1] > 0)) return 0;
    for (size_t k = 0; k < h->n; ++k) h->score[k] = (float)(scarce__ln(sum[1] / sum[0]) / h->loss.gamma);
    const scarce__loss_rows rows = {.n = h->n, .score = h->score, .label = h->label, .weight = h->weight};
    value = h->loss.value(&h->loss, &rows);
    return value > 0 ? value : 0;
}

scarce_status scarce__held_try(size_t *trees, double *loss, const scarce__boost_data *fit,
                               const scarce__boost_data *held, scarce__held *judge,
                               const scarce__boost_options *given, scarce__patience patience, int *cancelled,
                               scarce_context *ctx, scarce_error *err)
{
    scarce__boost_options o = *given;
    scarce__forest forest = {0};
    scarce__boost_result result;

    *trees = 0;
    judge->seen = 0;
    judge->best = INFINITY;
    o.n_trees = patience.most;
    o.metric = held_out_loss;
    o.metric_payload = judge;
    o.metric_name = "loss";
    o.metric_smaller_is_better = 1;
    o.stop_after = patience.after;
    o.stop_at_least = judge->least;
    o.stop_least = patience.least > 0 ? patience.least * loss_without(judge) : 0;
    o.eval_every = 1;
    o.out_of_bag = 0;
    o.resume = NULL;
    o.keep = NULL;
    const scarce_status st = scarce__boost_train(&forest, fit, held, &o, &result, ctx, NULL);
    if (st == SCARCE_OK && judge->gain) add_gains(judge->gain, &forest);
    scarce__forest_deinit(&forest);
    if (st == SCARCE_ENOMEM) return scarce__fail_memory(err, "trees", 0);
    if (st == SCARCE_OK) {
        *cancelled = result.cancelled;
        if (!result.cancelled) *trees = result.n_trees;
        *loss = result.best_metric;
    }
    return SCARCE_OK;
}
