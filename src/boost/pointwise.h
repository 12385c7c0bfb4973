/* SPDX-License-Identifier: Apache-2.0 */
/* Losses on each row alone are one loop; here it is compiled twice, plain and with AVX2 (tree/simd.h), and
 * run over blocks of rows on the threads.
 *
 *     SCARCE__BODY void body(const scarce__loss *loss, const float *score, const uint8_t *label, size_t n,
 *                            float *restrict g, float *restrict h)          of rows of weight 1
 *     SCARCE__POINTWISE(body)                          makes the function `gradients` of the loss
 *
 *     SCARCE__BODY void interest_body(const scarce__loss *loss, const float *score, size_t n, float *out)
 *     SCARCE__INTEREST(interest_body)                  makes the function `interest` */
#ifndef SCARCE_BOOST_POINTWISE_H
#define SCARCE_BOOST_POINTWISE_H

#include "boost/loss.h"
#include "tree/simd.h"

SCARCE__BODY void scarce__weigh(const float *restrict weight, size_t n, float *restrict g, float *restrict h)
{
    if (!weight) return;
    for (size_t i = 0; i < n; ++i) {
        g[i] *= weight[i];
        h[i] *= weight[i];
    }
}

/* Rows b .. e - 1 of g and h. */
#define SCARCE__POINTWISE_BLOCK(name, body)                                                                  \
    static void name(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *g,  \
                     float *h)                                                                               \
    {                                                                                                        \
        body(loss, rows->score + b, rows->label + b, e - b, g + b, h + b);                                   \
        scarce__weigh(rows->weight ? rows->weight + b : NULL, e - b, g + b, h + b);                          \
    }

#define SCARCE__POINTWISE(body)                                                                              \
    SCARCE__POINTWISE_BLOCK(block_plain, body)                                                               \
    SCARCE__AVX2 SCARCE__POINTWISE_BLOCK(block_avx2, body) static scarce_status gradients(                   \
        const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h, scarce_context *ctx,    \
        scarce_error *err)                                                                                   \
    {                                                                                                        \
        const int avx2 = !loss->portable && scarce__cpu_avx2();                                              \
        (void)err;                                                                                           \
        scarce__loss_blocks(loss, rows, g, h, avx2 ? block_avx2 : block_plain, ctx);                         \
        return SCARCE_OK;                                                                                    \
    }

#define SCARCE__INTEREST(body)                                                                               \
    SCARCE__AVX2 static void interest_avx2(const scarce__loss *loss, const float *score, size_t n,           \
                                           float *out)                                                       \
    {                                                                                                        \
        body(loss, score, n, out);                                                                           \
    }                                                                                                        \
    static void interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e,        \
                         float *out)                                                                         \
    {                                                                                                        \
        if (!loss->portable && scarce__cpu_avx2()) interest_avx2(loss, rows->score + b, e - b, out + b);     \
        else body(loss, rows->score + b, e - b, out + b);                                                    \
    }

#endif
