/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic loss, s = 2y - 1:
 *     L = log(1 + exp(-gamma s f)),   p = 1 / (1 + exp(-gamma f))
 *     g = gamma (p - y),  h = gamma^2 p (1 - p),  f_0 = log(P / N) / gamma
 * With e = exp(-|gamma f|) the smaller of p and 1 - p is e / (1 + e): no cancellation on either side. */
#include <math.h>

#include "boost/exp.h"
#include "boost/pointwise.h"
#include "core/elementary.h"

SCARCE__BODY void body(const scarce__loss *loss, const float *restrict score, const uint8_t *restrict label,
                       size_t n, float *restrict g, float *restrict h)
{
    const float gamma = (float)loss->gamma, gamma2 = gamma * gamma;
    for (size_t i = 0; i < n; ++i) {
        const float z = gamma * score[i];
        const float x = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + x), small = x * large;
        const float p = z < 0 ? small : large, rest = z < 0 ? large : small; /* p and 1 - p */
        const int32_t y = label[i];
        g[i] = gamma * (y != 0 ? -rest : p);
        h[i] = gamma2 * (small * large);
    }
}
SCARCE__POINTWISE(body)

static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double p, n;
    scarce__loss_class_weights(rows, &p, &n);
    return scarce__ln(p / n) / loss->gamma;
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    enum { PIECE = 256 };
    double sum = 0, weights = 0, z[PIECE];
    for (size_t at = 0, n; at < rows->n; at += n) {
        n = rows->n - at < PIECE ? rows->n - at : PIECE;
        for (size_t i = 0; i < n; ++i)
            z[i] = loss->gamma * (double)rows->score[at + i] * (rows->label[at + i] ? -1 : 1);
        scarce__softplus_all(z, z, n);
        for (size_t i = 0; i < n; ++i) {
            const double w = rows->weight ? (double)rows->weight[at + i] : 1;
            sum += w * z[i];
            weights += w;
        }
    }
    return weights > 0 ? sum / weights : 0;
}

/* p */
SCARCE__BODY void interest_body(const scarce__loss *loss, const float *score, size_t n, float *out)
{
    const float gamma = (float)loss->gamma;
    for (size_t i = 0; i < n; ++i) {
        const float z = gamma * score[i];
        const float x = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + x);
        out[i] = z < 0 ? x * large : large;
    }
}
SCARCE__INTEREST(interest_body)

static scarce__loss make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "logistic",
                               .gamma = params->gamma,
                               .needs_label = 1,
                               .params = *params,
                               .gradients = gradients,
                               .base = base,
                               .value = value,
                               .interest = interest};
    return loss;
}

const scarce__loss_kind scarce__loss_kind_logistic = {.name = "logistic",
                                                      .summary =
                                                          "log-likelihood of the labels: probabilities",
                                                      .takes = "gamma",
                                                      .has_link = 1,
                                                      .make = make};
