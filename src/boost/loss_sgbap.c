/* SPDX-License-Identifier: Apache-2.0 */
/* SGBAP's exponential surrogate of average precision, a = alpha f:
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

enum { BLOCK = 4096 };

typedef struct job {
    const scarce__loss_rows *rows;
    const uint32_t *row; /* of the positives */
    size_t n;
    double p, alpha, beta;
    double p_ref, p_log; /* p = exp(alpha (f - p_ref) - p_log) */
    scarce__list_sum q;
    int flat;
    float *g, *h;
} job;

/* Positives when beta isn't 1: two exponentials. */
static void positives_block(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const size_t b = index * BLOCK, e = b + BLOCK < j->n ? b + BLOCK : j->n;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        const uint32_t r = j->row[i];
        const double f = (double)j->rows->score[r];
        const double p = exp(j->alpha * (f - j->p_ref) - j->p_log);
        const double q = exp(j->beta * j->alpha * (f - j->q.ref) - j->q.log_sum);
        const float x = (float)(scarce__row_weight(j->rows, r) * j->p * j->alpha * (p - q)), a = fabsf(x);
        j->g[r] = x;
        if (!j->flat) j->h[r] = a > SCARCE__LEAST_H ? a : SCARCE__LEAST_H;
    }
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    const double alpha = loss->alpha, beta = loss->beta;
    const double k[2] = {alpha, alpha}, kb[2] = {alpha, beta * alpha};
    scarce__list_sum s[2], sb[2];
    uint32_t *row = NULL;

    SCARCE__TRY(scarce__list_sums(s, rows, k, loss->portable, ctx, err));
    if (scarce__list_empty(s)) {
        scarce__list_silence(rows->n, g, h);
        return SCARCE_OK;
    }
    const double p = s[1].weight, neg = scarce__list_lse(&s[0], alpha), pos = scarce__list_lse(&s[1], alpha);
    const double all = scarce__log_add(neg, pos), share = exp(neg - all); /* of the negatives */
    const double c[2] = {p * alpha * share, -p * alpha * share};
    scarce__list_fill(rows, s, k, c, loss->mode, g, h, loss->portable, ctx);
    if (beta == 1) return SCARCE_OK;
    SCARCE__TRY(scarce__list_sums(sb, rows, kb, loss->portable, ctx, err));
    job j = {rows, NULL, 0, p, alpha, beta, s[1].ref, all - alpha * s[1].ref, sb[1], loss->mode, g, h};
    SCARCE__TRY(scarce__list_positives(&row, &j.n, rows, err));
    j.row = row;
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(j.n, BLOCK), positives_block, &j);
    scarce__free(row);
    return SCARCE_OK;
}

/* With means instead of sums over the positives, so that beta = 0 is the limit: the mean of a. */
static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    const double alpha = loss->alpha, beta = loss->beta;
    const double all =
        scarce__log_add(scarce__list_lse_plain(rows, 0, alpha), scarce__list_lse_plain(rows, 1, alpha));
    const double log_p = scarce__list_lse_plain(rows, 1, 0);
    double sum = 0;

    if (beta > 0) return all - (scarce__list_lse_plain(rows, 1, beta * alpha) - log_p) / beta - log_p;
    for (size_t i = 0; i < rows->n; ++i)
        if (rows->label[i]) sum += scarce__row_weight(rows, i) * alpha * (double)rows->score[i];
    return all - sum / exp(log_p) - log_p;
}

static void interest(const scarce__loss *loss, const float *score, size_t n, float *out)
{
    scarce__list_interest(score, (float)loss->alpha, n, out, loss->portable);
}

scarce__loss scarce__loss_sgbap(double alpha, double beta, int leaf_mean)
{
    const scarce__loss loss = {.name = "sgbap",
                               .needs_label = 1,
                               .alpha = alpha,
                               .beta = beta,
                               .mode = leaf_mean != 0,
                               .gradients = gradients,
                               .base = scarce__list_base,
                               .value = value,
                               .interest = interest};
    return loss;
}
