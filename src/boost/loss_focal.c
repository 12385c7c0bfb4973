/* SPDX-License-Identifier: Apache-2.0 */
/* Focal loss, x = s f with s = 2y - 1, p = 1 / (1 + e^-x), q = 1 - p, exponent e >= 0 (params.focus):
 *     L = -q^e log p
 *     g = s q^e (e p log p - q)
 *     L'' = q^e p (q (2e + 1) + e log p (q - e p)),  h = max(L'', q^e p q)
 * L'' is negative for rows far on the wrong side; what is taken there is the curvature of the logistic loss
 * under the weight q^e. e = 0 is the logistic loss. The score has no probability: easy rows hardly count, so
 * it isn't calibrated.
 *
 * With u = e^-|x|: log(1 + u) = 2 atanh(u / (2 + u)), a short series;
 *     log p = min(x, 0) - log(1 + u),  log q = log p - x
 *
 * Lin, Goyal, Girshick, He and Dollar: Focal loss for dense object detection, ICCV 2017. */
#include <math.h>

#include "boost/exp.h"
#include "boost/list.h"
#include "boost/pointwise.h"
#include "core/elementary.h"

/* square: the exponent is 2, and q^2 needs no second exponential. */
SCARCE__BODY void rows_body(float focus, int square, const float *restrict score,
                            const uint8_t *restrict label, size_t n, float *restrict g, float *restrict h)
{
    for (size_t i = 0; i < n; ++i) {
        const int32_t y = label[i];
        const float s = y != 0 ? 1.0f : -1.0f, x = s * score[i];
        const float u = scarce__expf(x < 0 ? x : -x);
        const float large = 1.0f / (1.0f + u), small = u * large;
        const float p = x < 0 ? small : large, q = x < 0 ? large : small;
        const float z = u / (2.0f + u), z2 = z * z;
        float log1 = 1.0f / 13.0f; /* log(1 + u) */
        log1 = log1 * z2 + 1.0f / 11.0f;
        log1 = log1 * z2 + 1.0f / 9.0f;
        log1 = log1 * z2 + 1.0f / 7.0f;
        log1 = log1 * z2 + 1.0f / 5.0f;
        log1 = log1 * z2 + 1.0f / 3.0f;
        log1 = 2.0f * (z + z * z2 * log1);
        const float log_p = (x < 0 ? x : 0.0f) - log1, log_q = (x < 0 ? 0.0f : -x) - log1;
        const float w = square ? q * q : scarce__expf(focus * log_q);
        const float curve = w * p * (q * (2.0f * focus + 1.0f) + focus * log_p * (q - focus * p)),
                    least = w * p * q;
        g[i] = s * w * (focus * p * log_p - q);
        h[i] = (curve > least ? curve : least) + SCARCE__LEAST_H;
    }
}
SCARCE__BODY void body(const scarce__loss *loss, const float *restrict score, const uint8_t *restrict label,
                       size_t n, float *restrict g, float *restrict h)
{
    if (loss->params.focus == 2) rows_body(2.0f, 1, score, label, n, g, h);
    else rows_body((float)loss->params.focus, 0, score, label, n, g, h);
}
SCARCE__POINTWISE(body)

static double log_sigmoid(double x)
{
    return -scarce__softplus(-x);
}

/* dL/dx at x = s f. */
static double slope(double x, double focus)
{
    const double log_p = log_sigmoid(x), log_q = log_sigmoid(-x);
    return scarce__exp(focus * log_q) * (focus * scarce__exp(log_p) * log_p - scarce__exp(log_q));
}

/* The zero of P L'(f) - N L'(-f), which rises with f. */
static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double p, n, low = -40, high = 40;
    scarce__loss_class_weights(rows, &p, &n);
    for (int i = 0; i < 100; ++i) {
        const double f = 0.5 * (low + high);
        if (p * slope(f, loss->params.focus) - n * slope(-f, loss->params.focus) < 0) low = f;
        else high = f;
    }
    return 0.5 * (low + high);
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < rows->n; ++i) {
        const double x = (rows->label[i] ? 1 : -1) * (double)rows->score[i], w = scarce__row_weight(rows, i);
        sum -= w * scarce__exp(loss->params.focus * log_sigmoid(-x)) * log_sigmoid(x);
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

/* Between |g| of a negative under the logistic loss (p) and under this one (about p^(e + 1)). */
SCARCE__BODY void interest_body(const scarce__loss *loss, const float *score, size_t n, float *out)
{
    (void)loss;
    for (size_t i = 0; i < n; ++i) {
        const float x = score[i], u = scarce__expf(x < 0 ? x : -x), large = 1.0f / (1.0f + u);
        const float p = x < 0 ? u * large : large;
        out[i] = p * p;
    }
}
SCARCE__INTEREST(interest_body)

static scarce__loss make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "focal",
                               .needs_label = 1,
                               .params = *params,
                               .gradients = gradients,
                               .base = base,
                               .value = value,
                               .interest = interest};
    return loss;
}

const scarce__loss_kind scarce__loss_kind_focal = {.name = "focal",
                                                   .summary =
                                                       "logistic, but rows that are right already count less",
                                                   .takes = "focus",
                                                   .make = make};
