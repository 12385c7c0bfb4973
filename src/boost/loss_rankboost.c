/* SPDX-License-Identifier: Apache-2.0 */
/* RankBoost's loss over all pairs of a positive i and a negative j, sum_ij w_i w_j exp(f_j - f_i), which is a
 * product; its logarithm is
 *     L = lse(f over negatives) + lse(-f over positives)
 *     positives: g_i = -P softmax(-f)_i,  negatives: g_j = P softmax(f)_j,  h = |g|
 * (lse is log sum w exp, softmax its gradient, P the weight of the positives). O(rows).
 *
 * classic: the algorithm as it was published, for trees of two leaves. Of a stump that is 1 on its right side
 *     r = sum over the right side of (softmax(-f) of positives - softmax(f) of negatives)
 * is the mean of h(x_i) - h(x_j) over pairs by their weight; the stump with the largest |r| is taken, and its
 * step is alpha = 1/2 log((1 + r) / (1 - r)). With h next to 0, lambda = 1 and g in units of 1 the gain of a
 * split is r^2 and the values of the leaves are -r and r: the stump is the same, and half of alpha on either
 * side ranks as alpha on one does.
 *
 * Freund, Iyer, Schapire and Singer: An efficient boosting algorithm for combining preferences,
 * JMLR 4 (2003). */
#include <math.h>

#include "boost/list.h"
#include "core/elementary.h"

static const double slope[2] = {1, -1};

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    scarce__list l;

    SCARCE__TRY(scarce__list_sums(&l, rows, slope, g, loss->portable, ctx, err));
    const double unit = loss->params.classic ? 1 : l.sum[1].weight, c[2] = {unit, -unit};
    if (scarce__list_empty(l.sum)) scarce__list_silence(rows->n, g, h);
    else scarce__list_fill(&l, c, 0, h, ctx);
    for (size_t i = 0; loss->params.classic && i < rows->n; ++i) h[i] = SCARCE__LEAST_H;
    scarce__list_end(&l);
    return SCARCE_OK;
}

/* Of classic stumps: r -> half of alpha, on either side. */
static scarce_status settle(scarce__loss *loss, scarce__round *round, scarce_context *ctx, scarce_error *err)
{
    const double most = 1 - 1e-6; /* a stump without an error would have an infinite step */
    (void)loss;
    (void)ctx;
    (void)err;
    for (size_t i = 0; !round->taken && i < round->tree->n_nodes; ++i) {
        scarce__node *node = &round->tree->nodes[i];
        if (node->feature >= 0) continue;
        const double value = (double)node->value / round->rate;
        const double r = value > most ? most : value < -most ? -most : value;
        node->value = (float)(round->rate * (0.25 * scarce__ln((1 + r) / (1 - r))));
    }
    return SCARCE_OK;
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    (void)loss;
    return scarce__list_lse_plain(rows, 0, 1) + scarce__list_lse_plain(rows, 1, -1);
}

static void interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *out)
{
    scarce__list_interest(rows->score + b, 1, e - b, out + b, loss->portable);
}

static scarce__loss make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "rankboost",
                               .settle = params->classic ? settle : NULL,
                               .needs_label = 1,
                               .params = *params,
                               .gradients = gradients,
                               .base = scarce__list_base,
                               .value = value,
                               .interest = interest};
    return loss;
}

const scarce__loss_kind scarce__loss_kind_rankboost = {
    .name = "rankboost",
    .summary = "every pair of a positive and a negative, exponentially",
    .takes = "classic",
    .of_list = 1,
    .make = make};
