/* SPDX-License-Identifier: Apache-2.0 */
/* A lower bound of average precision in linear time, a = alpha f (params.scale).
 *
 * For the positive i of rank k_i among the positives (1 = best)
 *     p_i = k_i / (k_i + sum over negatives of e^(a_j - a_i)) = 1 / (1 + e^x_i)
 *     x_i = lse(a over negatives) - a_i - log k_i
 * is at most its precision k_i / (k_i + negatives above it), so (1/P) sum p_i <= AP. This is maximised:
 *     w_i = p_i (1 - p_i),  W = sum w_i,  c = P / W
 *     positives: g_i = -c w_i,  negatives: g_j = c W softmax(a)_j = P softmax(a)_j,  h = |g|
 * O(rows + P log P). Unlike AP_exp the gradient doesn't collapse onto the positive that leads. Case weights
 * count as copies: k_i is the weight of the positives down to i, and sums are weighted. Positives with equal
 * scores share the mean of their w, so the order of the rows doesn't matter. */
#include <math.h>

#include "boost/list.h"
#include "core/alloc.h"
#include "core/elementary.h"
#include "eval/rank.h"

/* A positive as it is sorted: best first, equal scores by row. */
typedef struct ranked {
    size_t n;
    uint32_t *row; /* ascending */
    uint64_t *key, *spare;
    uint32_t *counts;
    double *w; /* by rank: w_i times the weight */
} ranked;

static void ranked_deinit(ranked *r)
{
    scarce__free(r->row);
    scarce__free(r->key);
    scarce__free(r->spare);
    scarce__free(r->counts);
    scarce__free(r->w);
}

static uint32_t descending_bits(float x)
{
    uint32_t u;
    x += 0.0f; /* -0 + 0 = 0 */
    memcpy(&u, &x, sizeof u);
    return ~(u ^ (((uint32_t)0 - (u >> 31)) | (uint32_t)1 << 31));
}

static scarce_status rank_positives(ranked *r, const scarce__loss_rows *rows, scarce_context *ctx,
                                    scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);

    SCARCE__TRY(scarce__list_positives(&r->row, &r->n, rows, err));
    r->key = scarce__malloc_array(r->n, sizeof *r->key);
    r->spare = scarce__malloc_array(r->n, sizeof *r->spare);
    r->counts = scarce__malloc_array(scarce__sort_counts(pool, r->n), sizeof *r->counts);
    r->w = scarce__malloc_array(r->n, sizeof *r->w);
    if (!r->key || !r->spare || !r->counts || !r->w)
        return scarce__fail_memory(err, "ranking the positives", 28 * r->n);
    for (size_t i = 0; i < r->n; ++i) r->key[i] = (uint64_t)descending_bits(rows->score[r->row[i]]) << 32 | i;
    scarce__sort_keys(r->key, r->spare, r->n, r->counts, pool);
    return SCARCE_OK;
}

static uint32_t row_at(const ranked *r, size_t rank)
{
    return r->row[(uint32_t)r->key[rank]];
}

/* w_i of each positive, means over equal scores; returns W. */
static double weigh(ranked *r, const scarce__loss_rows *rows, double lse_neg, double alpha)
{
    double total = 0, k = 0;
    for (size_t i = 0, end; i < r->n; i = end) {
        double sum = 0, weight = 0;
        const double a = alpha * (double)rows->score[row_at(r, i)];
        for (end = i; end < r->n && r->key[end] >> 32 == r->key[i] >> 32; ++end) {
            const double w = scarce__row_weight(rows, row_at(r, end));
            k += w;
            if (!(w > 0)) continue;
            double x = lse_neg - a - scarce__ln(k);
            x = x < -500 ? -500 : x > 500 ? 500 : x;
            const double e = scarce__exp(-fabs(x));
            sum += w * e / ((1 + e) * (1 + e));
            weight += w;
        }
        for (size_t m = i; m < end; ++m) r->w[m] = weight > 0 ? sum / weight : 0;
        total += sum;
    }
    return total;
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    const double k[2] = {loss->params.scale, loss->params.scale};
    scarce__list l;
    ranked r = {0, NULL, NULL, NULL, NULL, NULL};
    scarce_status status = SCARCE_OK;

    SCARCE__TRY(scarce__list_sums(&l, rows, k, g, loss->portable, ctx, err));
    const double p = l.sum[1].weight, c[2] = {p, 0};
    double total = 0;
    if (!scarce__list_empty(l.sum)) {
        status = rank_positives(&r, rows, ctx, err);
        if (status == SCARCE_OK)
            total = weigh(&r, rows, scarce__list_lse(&l.sum[0], loss->params.scale), loss->params.scale);
    }
    if (status == SCARCE_OK && total < 1e-300) scarce__list_silence(rows->n, g, h);
    else if (status == SCARCE_OK) {
        scarce__list_fill(&l, c, 0, h, ctx);
        for (size_t i = 0; i < r.n; ++i) {
            const uint32_t row = row_at(&r, i);
            const float x = (float)(p * (scarce__row_weight(rows, row) * r.w[i] / total));
            g[row] = -x;
            h[row] = x > SCARCE__LEAST_H ? x : SCARCE__LEAST_H;
        }
    }
    scarce__list_end(&l);
    ranked_deinit(&r);
    return status;
}

/* 1 - (1/P) sum p_i; positives are counted by an obvious loop, so O(P^2). */
static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    const double lse = scarce__list_lse_plain(rows, 0, loss->params.scale);
    double sum = 0, weights = 0;
    for (size_t i = 0; i < rows->n; ++i) {
        double k = 0;
        if (!rows->label[i]) continue;
        for (size_t m = 0; m < rows->n; ++m) {
            const float d = rows->score[m] - rows->score[i];
            if (rows->label[m] && (d > 0 || (d == 0 && m <= i))) k += scarce__row_weight(rows, m);
        }
        double x = lse - loss->params.scale * (double)rows->score[i] - scarce__ln(k);
        x = x < -500 ? -500 : x > 500 ? 500 : x;
        const double w = scarce__row_weight(rows, i);
        sum += w > 0 ? w / (1 + scarce__exp(x)) : 0;
        weights += w;
    }
    return weights > 0 ? 1 - sum / weights : 0;
}

static scarce__loss make(const scarce__loss_params *params)
{
    scarce__loss loss = {.name = "ap-lb",
                         .needs_label = 1,
                         .params = *params,
                         .gradients = gradients,
                         .base = scarce__list_base,
                         .value = value,
                         .interest = scarce__list_scaled_interest};
    if (!(loss.params.scale > 0)) loss.params.scale = 1;
    return loss;
}

const scarce__loss_kind scarce__loss_kind_ap_lb = {.name = "ap-lb",
                                                   .summary = "a lower bound of average precision",
                                                   .takes = "scale",
                                                   .of_list = 1,
                                                   .make = make};
