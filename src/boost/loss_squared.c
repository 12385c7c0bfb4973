/* SPDX-License-Identifier: Apache-2.0 */
/* Squared error: L = (f - t)^2 / 2,  g = f - t,  h = 1,  f_0 = weighted mean of the targets. */
#include "boost/loss.h"

#include <math.h>

static float target_of(const scarce__loss_rows *rows, size_t i)
{
    return rows->target ? rows->target[i] : (float)rows->label[i];
}

static void block(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *g,
                  float *h)
{
    (void)loss;
    for (size_t i = b; i < e; ++i) {
        const float w = rows->weight ? rows->weight[i] : 1.0f;
        g[i] = (rows->score[i] - target_of(rows, i)) * w;
        h[i] = w;
    }
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    (void)err;
    scarce__loss_blocks(loss, rows, g, h, block, ctx);
    return SCARCE_OK;
}

static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0;
    (void)loss;
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = rows->weight ? (double)rows->weight[i] : 1;
        sum += w * (double)target_of(rows, i);
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0;
    (void)loss;
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = rows->weight ? (double)rows->weight[i] : 1;
        const double d = (double)rows->score[i] - (double)target_of(rows, i);
        sum += 0.5 * w * d * d;
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

static void interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *out)
{
    (void)loss;
    for (size_t i = b; i < e; ++i) out[i] = fabsf(rows->score[i]);
}

static scarce__loss make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "squared",
                               .params = *params,
                               .gradients = gradients,
                               .base = base,
                               .value = value,
                               .interest = interest};
    return loss;
}

const scarce__loss_kind scarce__loss_kind_squared = {
    .name = "squared", .summary = "squared error of the label, or of a target", .make = make};
