/* SPDX-License-Identifier: Apache-2.0 */
/* A worked example of a loss (see CONTRIBUTING.md): discrete AdaBoost.
 *
 * Rows have weights D, at first all alike. With s = 2y - 1 a tree is grown on g = -s D, h = D, so that a leaf
 * is (D+ - D-) / (D+ + D-) and the gain of a split is that of the weighted gini index. Of the tree only the
 * sign of its leaves counts:
 *     e = sum of D over rows on the wrong side,  alpha = 1/2 log((1 - e) / e),  leaf = alpha sign(leaf)
 *     D <- D exp(-s leaf) / sum
 * It ends when e = 0 (this tree is the last) or e >= 1/2 (this tree is none).
 * Freund and Schapire: A decision-theoretic generalization of on-line learning, 1997.
 *
 * D is state of the rows: made by `begin`, changed by `settle`, which asks for the leaves of all rows (the
 * tree may have seen a bag). For a tree that was grown by an earlier run `settle` only does the last line,
 * from the leaves as they are: that is what makes going on exact. */
#include <math.h>

#include "boost/loss.h"
#include "core/alloc.h"
#include "core/fail.h"

static scarce_status example_begin(scarce__loss *loss, const scarce__loss_rows *all, scarce_error *err)
{
    double *d = scarce__malloc_array(all->n, sizeof *d);

    loss->state = d;
    if (!d) return scarce__fail_memory(err, "weights of rows", all->n * sizeof *d);
    for (size_t i = 0; i < all->n; ++i) d[i] = 1 / (double)all->n;
    return SCARCE_OK;
}

static void example_end(scarce__loss *loss)
{
    scarce__free(loss->state);
    loss->state = NULL;
}

/* In units of the mean weight. Rows that a sampler made up have no weight of their own: 1. */
static scarce_status example_gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g,
                                       float *h, scarce_context *ctx, scarce_error *err)
{
    const double *d = loss->state;
    (void)ctx;
    (void)err;
    for (size_t i = 0; i < rows->n; ++i) {
        const uint32_t row = scarce__row_number(rows, i);
        const double own = row == SCARCE__MADE_UP ? 1 : d[row] * loss->params.scale;
        h[i] = (float)(own * (rows->weight ? (double)rows->weight[i] : 1));
        g[i] = rows->label[i] ? -h[i] : h[i];
    }
    return SCARCE_OK;
}

static int sign_of(float x)
{
    return (x > 0) - (x < 0);
}

static scarce_status example_settle(scarce__loss *loss, scarce__round *round, scarce_context *ctx,
                                    scarce_error *err)
{
    const scarce__loss_rows *rows = &round->rows;
    scarce__node *node = round->tree->nodes;
    double *d = loss->state, wrong = 0, sum = 0;
    (void)ctx;
    (void)err;

    for (size_t i = 0; i < rows->n; ++i)
        if (sign_of(node[round->leaf[i]].value) != (rows->label[i] ? 1 : -1)) wrong += d[i];
    if (wrong > 0.5 - 1e-9) round->verdict = SCARCE__DROP_TREE;
    else if (wrong < 1e-9) round->verdict = SCARCE__LAST_TREE;
    if (!round->taken) {
        const double e = wrong < 1e-9 ? 1e-9 : wrong, alpha = 0.5 * log((1 - e) / e);
        for (size_t i = 0; i < round->tree->n_nodes; ++i)
            if (node[i].feature < 0) node[i].value = (float)(round->rate * alpha * sign_of(node[i].value));
    }
    for (size_t i = 0; i < rows->n; ++i) {
        const double step = (double)node[round->leaf[i]].value;
        d[i] *= exp(rows->label[i] ? -step : step);
        sum += d[i];
    }
    for (size_t i = 0; i < rows->n; ++i) d[i] /= sum;
    return SCARCE_OK;
}

static double example_base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    (void)loss;
    (void)rows;
    return 0;
}

static scarce__loss example_make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "discrete",
                               .needs_label = 1,
                               .gamma = 2,
                               .params = *params,
                               .gradients = example_gradients,
                               .base = example_base,
                               .leaves = SCARCE__LEAVES_OF_ALL,
                               .begin = example_begin,
                               .settle = example_settle,
                               .end = example_end};
    return loss;
}

/* The line of src/boost/losses.c would be: line(discrete) */
extern const scarce__loss_kind scarce__loss_kind_discrete;
const scarce__loss_kind scarce__loss_kind_discrete = {.name = "discrete",
                                                      .summary = "AdaBoost with votes of trees",
                                                      .takes = "scale",
                                                      .has_link = 1,
                                                      .make = example_make};
