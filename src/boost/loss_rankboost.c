/* SPDX-License-Identifier: Apache-2.0 */
/* RankBoost's loss over all pairs of a positive i and a negative j, sum_ij w_i w_j exp(f_j - f_i), which is a
 * product; its logarithm is
 *     L = lse(f over negatives) + lse(-f over positives)
 *     positives: g_i = -P softmax(-f)_i,  negatives: g_j = P softmax(f)_j,  h = |g|
 * (lse is log sum w exp, softmax its gradient, P the weight of the positives). O(rows).
 *
 * Freund, Iyer, Schapire and Singer: An efficient boosting algorithm for combining preferences,
 * JMLR 4 (2003). */
#include <math.h>

#include "boost/list.h"

static const double slope[2] = {1, -1};

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    scarce__list_sum s[2];

    SCARCE__TRY(scarce__list_sums(s, rows, slope, loss->portable, ctx, err));
    if (scarce__list_empty(s)) {
        scarce__list_silence(rows->n, g, h);
        return SCARCE_OK;
    }
    const double c[2] = {s[1].weight, -s[1].weight};
    scarce__list_fill(rows, s, slope, c, 0, g, h, loss->portable, ctx);
    return SCARCE_OK;
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    (void)loss;
    return scarce__list_lse_plain(rows, 0, 1) + scarce__list_lse_plain(rows, 1, -1);
}

static void interest(const scarce__loss *loss, const float *score, size_t n, float *out)
{
    scarce__list_interest(score, 1, n, out, loss->portable);
}

scarce__loss scarce__loss_rankboost(void)
{
    const scarce__loss loss = {.name = "rankboost",
                               .needs_label = 1,
                               .gradients = gradients,
                               .base = scarce__list_base,
                               .value = value,
                               .interest = interest};
    return loss;
}
