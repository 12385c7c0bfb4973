/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for any machine. */
#include "near/kernel.h"

static uint32_t tile(const scarce__near_tile *t, const float *panel, const int32_t *codes, uint32_t *mask)
{
    enum { G = SCARCE__NEAR_GROUP, W = SCARCE__NEAR_PANEL };
    uint32_t all = 0;

    for (size_t i = 0; i < G; ++i) {
        float acc[W];
        memcpy(acc, panel, sizeof acc);
        for (size_t d = 0; d < t->dims; ++d) {
            const float x = t->query[d * G + i], *y = panel + (d + 1) * W;
            for (size_t j = 0; j < W; ++j) acc[j] -= x * y[j];
        }
        for (size_t c = 0; c < t->n_codes; ++c) {
            const int32_t x = t->q_code[c * G + i];
            for (size_t j = 0; j < W; ++j) acc[j] += codes[c * W + j] == x ? 0.0f : t->weight;
        }
        mask[i] = 0;
        for (size_t j = 0; j < W; ++j) mask[i] |= (uint32_t) !(acc[j] > t->limit[i]) << j;
        all |= mask[i];
        if (t->acc) memcpy(t->acc + i * W, acc, sizeof acc);
    }
    return all;
}

static double square(const scarce__near_exact *e, const float *x, const float *y)
{
    return scarce__near_square_body(e, x, y);
}

static uint32_t line(const scarce__near_line *t, const float *panel, const int32_t *codes)
{
    enum { W = SCARCE__NEAR_PANEL };
    float acc[W];
    uint32_t mask = 0;

    memcpy(acc, panel, sizeof acc);
    for (size_t d = 0; d < t->dims; ++d)
        for (size_t j = 0; j < W; ++j) acc[j] -= t->query[d] * panel[(d + 1) * W + j];
    for (size_t c = 0; c < t->n_codes; ++c)
        for (size_t j = 0; j < W; ++j) acc[j] += codes[c * W + j] == t->q_code[c] ? 0.0f : t->weight;
    for (size_t j = 0; j < W; ++j) mask |= (uint32_t) !(acc[j] > t->limit) << j;
    return mask;
}

const scarce__near_kernels scarce__near_plain = {tile, square, line};
