/* SPDX-License-Identifier: Apache-2.0 */
/* SGBAP's exponential surrogate of average precision, a = alpha f (params.scale):
 *     AP_exp = sum over positives of e^a / sum over all of e^a
 *     L = -log AP_exp = lse(a) - lse(a over positives)
 * and a family around it:
 *     L = lse(a) - (1/beta) lse(beta a over positives)
 *     g = P alpha (p - q),  h = |g|
 *     p = e^a / sum over all,  q = e^(beta a) / sum over positives, 0 on negatives
 * beta = 1 is the paper, beta = 0 the cross-entropy of a softmax over the list (ListNet). With beta = 1 the
 * best positive takes nearly all of the gradient once it leads: it helps on some small noisy sets and loses
 * elsewhere. leaf = mean is the paper's least-squares tree: h = 1, a leaf is the mean of -g.
 *
 * On positives with beta = 1, p - q = -q (sum over negatives / sum over all): the same exponential, no
 * cancellation.
 *
 * Frery et al.: Efficient top rank optimization with gradient boosting for supervised anomaly detection,
 * ECML PKDD 2017. */
#include <math.h>

#include "boost/list.h"
#include "core/alloc.h"
#include "core/elementary.h"

/* Positives when beta isn't 1: two exponentials. p = exp(alpha (f - ref) - log_p). */
static scarce_status set_positives(const scarce__loss *loss, const scarce__loss_rows *rows, double weight,
                                   double ref, double log_p, float *g, float *h, scarce_error *err)
{
    const double alpha = loss->params.scale, k = loss->params.beta * alpha;
    uint32_t *row = NULL;
    size_t n = 0;
    double sum = 0;

    SCARCE__TRY(scarce__list_positives(&row, &n, rows, err));
    for (size_t i = 0; i < n; ++i) /* ref is the highest score of a positive that weighs something */
        sum += scarce__row_weight(rows, row[i]) * scarce__exp(k * ((double)rows->score[row[i]] - ref));
    for (size_t i = 0; i < n; ++i) {
        const double f = (double)rows->score[row[i]], w = scarce__row_weight(rows, row[i]);
        const double p = scarce__exp(alpha * (f - ref) - log_p), q = scarce__exp(k * (f - ref)) / sum;
        const float x = w > 0 ? (float)(w * weight * alpha * (p - q)) : 0.0f, a = fabsf(x);
        g[row[i]] = x;
        if (!loss->params.leaf_mean) h[row[i]] = a > SCARCE__LEAST_H ? a : SCARCE__LEAST_H;
    }
    scarce__free(row);
    return SCARCE_OK;
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    const double alpha = loss->params.scale, k[2] = {alpha, alpha};
    scarce__list l;

    SCARCE__TRY(scarce__list_sums(&l, rows, k, g, loss->portable, ctx, err));
    if (scarce__list_empty(l.sum)) {
        scarce__list_silence(rows->n, g, h);
        scarce__list_end(&l);
        return SCARCE_OK;
    }
    const double p = l.sum[1].weight, ref = l.sum[1].ref, neg = scarce__list_lse(&l.sum[0], alpha),
                 pos = scarce__list_lse(&l.sum[1], alpha);
    const double all = scarce__log_add(neg, pos), share = scarce__exp(neg - all); /* of the negatives */
    const double c[2] = {p * alpha * share, -p * alpha * share};
    scarce__list_fill(&l, c, loss->params.leaf_mean, h, ctx);
    scarce__list_end(&l);
    if (loss->params.beta == 1) return SCARCE_OK;
    return set_positives(loss, rows, p, ref, all - alpha * ref, g, h, err);
}

/* With means instead of sums over the positives, so that beta = 0 is the limit: the mean of a. */
static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    const double alpha = loss->params.scale, beta = loss->params.beta;
    const double all =
        scarce__log_add(scarce__list_lse_plain(rows, 0, alpha), scarce__list_lse_plain(rows, 1, alpha));
    const double log_p = scarce__list_lse_plain(rows, 1, 0);
    double sum = 0;

    if (beta > 0) return all - (scarce__list_lse_plain(rows, 1, beta * alpha) - log_p) / beta - log_p;
    for (size_t i = 0; i < rows->n; ++i)
        if (rows->label[i]) sum += scarce__row_weight(rows, i) * alpha * (double)rows->score[i];
    return all - sum / scarce__exp(log_p) - log_p;
}

static scarce__loss make(const scarce__loss_params *params)
{
    scarce__loss loss = {.name = "sgbap",
                         .needs_label = 1,
                         .params = *params,
                         .gradients = gradients,
                         .base = scarce__list_base,
                         .value = value,
                         .interest = scarce__list_scaled_interest};
    if (!(loss.params.scale > 0)) loss.params.scale = 1;
    return loss;
}

const scarce__loss_kind scarce__loss_kind_sgbap = {
    .name = "sgbap",
    .summary = "average precision of a draw from a softmax over the list",
    .takes = "scale beta leaf_mean",
    .of_list = 1,
    .make = make};
