/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential loss (AdaBoost's), s = 2y - 1:
 *     L = exp(-s f),  g = -s exp(-s f),  h = exp(-s f),  f_0 = log(P / N) / 2,  p = 1 / (1 + exp(-2 f))
 * The exponent is cut at 30, so that one row far on the wrong side can't take all the weight of the data. */
#include <math.h>

#include "boost/exp.h"
#include "boost/pointwise.h"
#include "core/elementary.h"

SCARCE__BODY void body(const scarce__loss *loss, const float *restrict score, const uint8_t *restrict label,
                       size_t n, float *restrict g, float *restrict h)
{
    (void)loss;
    for (size_t i = 0; i < n; ++i) {
        const int32_t y = label[i];
        const float m = y != 0 ? -score[i] : score[i];
        const float x = scarce__expf(m > 30.0f ? 30.0f : m);
        g[i] = y != 0 ? -x : x;
        h[i] = x;
    }
}
SCARCE__POINTWISE(body)

static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double p, n;
    (void)loss;
    scarce__loss_class_weights(rows, &p, &n);
    return 0.5 * scarce__ln(p / n);
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0;
    (void)loss;
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = rows->weight ? (double)rows->weight[i] : 1;
        sum += w * scarce__exp((rows->label[i] ? -1 : 1) * (double)rows->score[i]);
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

SCARCE__BODY void interest_body(const scarce__loss *loss, const float *score, size_t n, float *out)
{
    (void)loss;
    for (size_t i = 0; i < n; ++i) out[i] = scarce__expf(score[i] > 30.0f ? 30.0f : score[i]);
}
SCARCE__INTEREST(interest_body)

static scarce__loss make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "exponential",
                               .gamma = 2,
                               .needs_label = 1,
                               .params = *params,
                               .gradients = gradients,
                               .base = base,
                               .value = value,
                               .interest = interest};
    return loss;
}

const scarce__loss_kind scarce__loss_kind_exponential = {.name = "exponential",
                                                         .summary =
                                                             "AdaBoost's: wrong rows count exponentially",
                                                         .has_link = 1,
                                                         .make = make};
