/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic loss, s = 2y - 1:
 *     L = log(1 + exp(-gamma s f)),   p = 1 / (1 + exp(-gamma f))
 *     g = gamma (p - y),  h = gamma^2 p (1 - p),  f_0 = log(P / N) / gamma
 * With e = exp(-|gamma f|) the smaller of p and 1 - p is e / (1 + e): no cancellation on either side. */
#include <math.h>

#include "boost/exp.h"
#include "boost/loss.h"
#include "tree/simd.h"

SCARCE__BODY void body(const scarce__loss_rows *rows, size_t b, size_t e, float gamma, float *restrict g,
                       float *restrict h)
{
    const float *restrict score = rows->score;
    const uint8_t *restrict label = rows->label;
    const float gamma2 = gamma * gamma;
    for (size_t i = b; i < e; ++i) {
        const float z = gamma * score[i];
        const float x = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + x), small = x * large;
        const float p = z < 0 ? small : large, rest = z < 0 ? large : small; /* p and 1 - p */
        const int32_t y = label[i];
        g[i] = gamma * (y != 0 ? -rest : p);
        h[i] = gamma2 * (small * large);
    }
    if (!rows->weight) return;
    const float *restrict weight = rows->weight;
    for (size_t i = b; i < e; ++i) {
        g[i] *= weight[i];
        h[i] *= weight[i];
    }
}

static void block_plain(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *g,
                        float *h)
{
    body(rows, b, e, (float)loss->gamma, g, h);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void block_avx2(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b,
                                    size_t e, float *g, float *h)
{
    body(rows, b, e, (float)loss->gamma, g, h);
}
#else
#define block_avx2 block_plain
#endif

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    (void)err;
    scarce__loss_blocks(loss, rows, g, h, !loss->portable && scarce__cpu_avx2() ? block_avx2 : block_plain,
                        ctx);
    return SCARCE_OK;
}

static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double p, n;
    scarce__loss_class_weights(rows, &p, &n);
    return log(p / n) / loss->gamma;
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < rows->n; ++i) {
        const double z = loss->gamma * (double)rows->score[i] * (rows->label[i] ? 1 : -1);
        const double w = rows->weight ? (double)rows->weight[i] : 1;
        sum += w * (z > 0 ? log1p(exp(-z)) : log1p(exp(z)) - z);
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

SCARCE__BODY void interest_body(const float *score, float gamma, size_t n, float *out)
{
    for (size_t i = 0; i < n; ++i) {
        const float z = gamma * score[i];
        const float x = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + x);
        out[i] = z < 0 ? x * large : large;
    }
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void interest_avx2(const float *score, float gamma, size_t n, float *out)
{
    interest_body(score, gamma, n, out);
}
#endif

static void interest(const scarce__loss *loss, const float *score, size_t n, float *out)
{
#if SCARCE__HAVE_AVX2
    if (!loss->portable && scarce__cpu_avx2()) {
        interest_avx2(score, (float)loss->gamma, n, out);
        return;
    }
#endif
    interest_body(score, (float)loss->gamma, n, out);
}

scarce__loss scarce__loss_logistic(double gamma)
{
    const scarce__loss loss = {.name = "logistic",
                               .needs_label = 1,
                               .gamma = gamma,
                               .gradients = gradients,
                               .base = base,
                               .value = value,
                               .interest = interest};
    return loss;
}
