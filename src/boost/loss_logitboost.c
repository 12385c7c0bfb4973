/* SPDX-License-Identifier: Apache-2.0 */
/* LogitBoost: Newton steps on the logistic loss, each a tree fitted by weighted least squares. With
 * p = 1 / (1 + exp(-2 f)) and the label y, a row's working response and weight are
 *     z = (y - p) / (p (1 - p)), which is 1/p for positives and -1/(1 - p) for negatives, cut at +-most,
 *     w = p (1 - p), at least 1e-7,
 * a leaf is sum w z / sum w, and f += learning_rate / 2 x leaf: g = -2 w z and h = 4 w. f_0 = 0.
 *
 * The cut is what keeps it from leaping at single rows where p is next to 0 or 1 (the paper's is 4, or 2). At rare
 * positives it bites: a positive of p below 1/most counts less than it is worth, so in a leaf with less than one
 * positive in most + 1 rows the score falls without end, and the odds mean nothing. Where no response is cut
 * (most = 0) this is the logistic loss with gamma = 2.
 *
 * Friedman, Hastie and Tibshirani: Additive logistic regression, Annals of Statistics 28 (2000). */
#include <math.h>

#include "boost/exp.h"
#include "boost/pointwise.h"
#include "core/elementary.h"

SCARCE__BODY void body(const scarce__loss *loss, const float *restrict score, const uint8_t *restrict label,
                       size_t n, float *restrict g, float *restrict h)
{
    const float most = loss->params.most > 0 ? (float)loss->params.most : INFINITY;
    for (size_t i = 0; i < n; ++i) {
        const float z = 2.0f * score[i];
        const float x = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + x), small = x * large;
        const int32_t y = label[i];
        const float own = (z < 0) == (y != 0) ? small : large; /* the probability of the label it has */
        const float w = small * large, weight = w > 1e-7f ? w : 1e-7f;
        const float response = 1.0f / own, cut = response < most ? response : most;
        const float step = 2.0f * (weight * cut);
        g[i] = y != 0 ? -step : step;
        h[i] = 4.0f * weight;
    }
}
SCARCE__POINTWISE(body)

static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    (void)loss;
    (void)rows;
    return 0;
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0;
    (void)loss;
    for (size_t i = 0; i < rows->n; ++i) {
        const double z = 2 * (double)rows->score[i] * (rows->label[i] ? 1 : -1);
        const double w = rows->weight ? (double)rows->weight[i] : 1;
        sum += w * scarce__softplus(-z);
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

/* How far a negative is from its place: p. */
SCARCE__BODY void interest_body(const scarce__loss *loss, const float *score, size_t n, float *out)
{
    (void)loss;
    for (size_t i = 0; i < n; ++i) {
        const float z = 2.0f * score[i];
        const float x = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + x);
        out[i] = z < 0 ? x * large : large;
    }
}
SCARCE__INTEREST(interest_body)

static scarce__loss make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "logitboost",
                               .gamma = params->most > 0 ? 0 : 2,
                               .needs_label = 1,
                               .params = *params,
                               .gradients = gradients,
                               .base = base,
                               .value = value,
                               .interest = interest};
    return loss;
}

const scarce__loss_kind scarce__loss_kind_logitboost = {
    .name = "logitboost",
    .summary = "log-likelihood with working responses that are cut",
    .takes = "most",
    .make = make};
