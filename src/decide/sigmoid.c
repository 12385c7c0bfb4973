/* SPDX-License-Identifier: Apache-2.0 */
/* Platt's and beta calibration: a logistic regression with one or two features and smoothed targets.
 *
 *     minimise  sum_i w_i [ ln(1 + exp(z_i)) - t_i z_i ],   z_i = theta_0 + sum_k theta_k f_ik
 *     t = (n1 + 1)/(n1 + 2) for positives, 1/(n0 + 2) for negatives (Platt 2000, section 2.2)
 *
 * Because every t is strictly inside (0, 1) the minimum is finite, also for separable rows. Newton's
 * method on features brought to mean 0 and deviation 1, so scores of 1e-9 or 1e4 make no difference
 * (the numbers are those of scikit-learn's L-BFGS, found in about 8 steps); steps are halved until the
 * loss falls. A ridge of 1e-14 per unit of weight keeps the step defined when two features tell the same. */
#include <float.h>
#include <math.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "decide/calibrate.h"

enum { MAX_FEATURES = 2, MAX_STEPS = 200, MAX_HALVINGS = 60 };
static const double RIDGE = 1e-14;

typedef struct regression {
    size_t n, k;                                      /* k features in use */
    const double *feature[MAX_FEATURES];              /* n raw values each */
    double center[MAX_FEATURES], scale[MAX_FEATURES]; /* value = (raw - center) * scale */
    const uint8_t *label;
    const double *weight; /* NULL: 1 */
    double target[2];
    double total;                   /* sum of weights */
    double theta[MAX_FEATURES + 1]; /* 0: constant */
    double loss;
} regression;

static double weight_of(const regression *r, size_t i)
{
    return r->weight ? r->weight[i] : 1;
}

static double value_of(const regression *r, size_t j, size_t i)
{
    return (r->feature[j][i] - r->center[j]) * r->scale[j];
}

/* Scale 0 (the feature is constant and has no say) unless the deviation is more than rounding. */
static void standardise(regression *r, size_t j)
{
    double largest = 0, mean = 0, square = 0;

    for (size_t i = 0; i < r->n; ++i)
        if (weight_of(r, i) > 0 && fabs(r->feature[j][i]) > largest) largest = fabs(r->feature[j][i]);
    r->center[j] = r->scale[j] = 0;
    if (!(largest > DBL_MIN * 1e16)) return;
    for (size_t i = 0; i < r->n; ++i) mean += weight_of(r, i) / r->total * (r->feature[j][i] / largest);
    for (size_t i = 0; i < r->n; ++i) {
        const double d = r->feature[j][i] / largest - mean;
        square += weight_of(r, i) / r->total * (d * d);
    }
    if (!(sqrt(square) > 1e-13)) return;
    r->center[j] = mean * largest;
    r->scale[j] = 1 / largest / sqrt(square);
}

static double margin(const regression *r, const double *theta, size_t i)
{
    double z = theta[0];
    for (size_t j = 0; j < r->k; ++j) z += theta[j + 1] * value_of(r, j, i);
    return z;
}

static double loss_at(const regression *r, const double *theta)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; ++i) {
        const double z = margin(r, theta, i);
        /* softplus(z) - t z = softplus(-z) + (1 - t) z: the form without cancellation for its sign */
        const double t = r->target[r->label[i] != 0];
        sum += weight_of(r, i) / r->total *
               (z > 0 ? scarce__softplus(-z) + (1 - t) * z : scarce__softplus(z) - t * z);
    }
    for (size_t j = 0; j < r->k; ++j) sum += 0.5 * RIDGE * theta[j + 1] * theta[j + 1];
    return sum;
}

static void derivatives(const regression *r, double *g, double h[MAX_FEATURES + 1][MAX_FEATURES + 1])
{
    const size_t m = r->k + 1;

    for (size_t a = 0; a < m; ++a) {
        g[a] = a > 0 ? RIDGE * r->theta[a] : 0;
        for (size_t b = 0; b < m; ++b) h[a][b] = a == b && a > 0 ? RIDGE : 0;
    }
    for (size_t i = 0; i < r->n; ++i) {
        double x[MAX_FEATURES + 1] = {1, 0, 0};
        for (size_t j = 0; j < r->k; ++j) x[j + 1] = value_of(r, j, i);
        const double z = margin(r, r->theta, i), w = weight_of(r, i) / r->total;
        const double p = scarce__sigmoid(z), d = w * p * scarce__sigmoid(-z);
        const double e = w * (p - r->target[r->label[i] != 0]);
        for (size_t a = 0; a < m; ++a) {
            g[a] += e * x[a];
            for (size_t b = 0; b <= a; ++b) h[a][b] += d * x[a] * x[b];
        }
    }
}

/* Cholesky of the lower triangle, then step = -h^-1 g. What isn't positive is lifted a little. */
static void solve(size_t m, double h[MAX_FEATURES + 1][MAX_FEATURES + 1], const double *g, double *step)
{
    for (size_t a = 0; a < m; ++a) {
        for (size_t b = 0; b <= a; ++b) {
            double s = h[a][b];
            for (size_t c = 0; c < b; ++c) s -= h[a][c] * h[b][c];
            if (a == b) h[a][a] = sqrt(s > 1e-18 ? s : 1e-18);
            else h[a][b] = s / h[b][b];
        }
    }
    for (size_t a = 0; a < m; ++a) {
        double s = -g[a];
        for (size_t c = 0; c < a; ++c) s -= h[a][c] * step[c];
        step[a] = s / h[a][a];
    }
    for (size_t a = m; a-- > 0;) {
        double s = step[a];
        for (size_t c = a + 1; c < m; ++c) s -= h[c][a] * step[c];
        step[a] = s / h[a][a];
    }
}

/* Fits the first k features as they are set in r. */
static void fit(regression *r, double share)
{
    double g[MAX_FEATURES + 1], step[MAX_FEATURES + 1], next[MAX_FEATURES + 1];
    double h[MAX_FEATURES + 1][MAX_FEATURES + 1];
    const size_t m = r->k + 1;

    for (size_t a = 0; a <= MAX_FEATURES; ++a) r->theta[a] = 0;
    r->theta[0] = scarce__ln(share) - scarce__log1p(-share);
    r->loss = loss_at(r, r->theta);
    for (int round = 0; round < MAX_STEPS; ++round) {
        double slope = 0, length = 1, loss = r->loss;
        derivatives(r, g, h);
        solve(m, h, g, step);
        for (size_t a = 0; a < m; ++a) slope += g[a] * step[a];
        if (!(slope < -1e-26)) return;
        int halvings = 0;
        for (; halvings < MAX_HALVINGS; ++halvings, length *= 0.5) {
            for (size_t a = 0; a < m; ++a) next[a] = r->theta[a] + length * step[a];
            loss = loss_at(r, next);
            /* near the minimum the loss no longer shows the gain: a small full step is taken */
            if (loss <= r->loss + 1e-4 * length * slope || (length >= 1 && -slope < 1e-13)) break;
        }
        if (halvings == MAX_HALVINGS) return;
        for (size_t a = 0; a < m; ++a) r->theta[a] = next[a];
        r->loss = loss;
        if (-slope < 1e-24) return;
    }
}

static scarce_status prepare(regression *r, const double *score, const uint8_t *label, const double *weight,
                             size_t n, double *share, scarce_error *err)
{
    double count[2];

    SCARCE__TRY(scarce__check_scored(count, score, label, weight, n, 1, err));
    r->n = n;
    r->label = label;
    r->weight = weight;
    r->total = count[0] + count[1];
    r->target[0] = 1 / (count[0] + 2);
    r->target[1] = (count[1] + 1) / (count[1] + 2);
    *share = (count[0] * r->target[0] + count[1] * r->target[1]) / r->total;
    return SCARCE_OK;
}

/* theta on standardised features -> factor of raw feature j; the constant goes down with it */
static double raw_factor(const regression *r, size_t j, double *constant)
{
    const double f = r->theta[j + 1] * r->scale[j];
    *constant -= f * r->center[j];
    return f;
}

scarce_status scarce__calibrate_platt(scarce__calibrator *out, const double *score, const uint8_t *label,
                                      const double *weight, size_t n, scarce_error *err)
{
    const scarce__calibrator zero = {.kind = SCARCE__CALIBRATOR_NONE};
    regression r = {0};
    double share;

    *out = zero;
    SCARCE__TRY(prepare(&r, score, label, weight, n, &share, err));
    r.feature[0] = score;
    r.k = 1;
    standardise(&r, 0);
    fit(&r, share);
    out->b = r.theta[0];
    out->a = raw_factor(&r, 0, &out->b);
    if (!isfinite(out->a) || !isfinite(out->b)) {
        *out = zero;
        return scarce__fail(err, SCARCE_ENUMERIC, "platt calibration diverged");
    }
    out->kind = SCARCE__CALIBRATOR_SIGMOID;
    return SCARCE_OK;
}

/* ln q and -ln(1 - q); q from the score itself or from log-odds. */
static void beta_features(double *ln_q, double *ln_rest, const double *score, size_t n, int logit)
{
    for (size_t i = 0; i < n; ++i) {
        const double s = score[i];
        if (logit) {
            ln_q[i] = -scarce__softplus(-s);
            ln_rest[i] = scarce__softplus(s);
        } else {
            const double q = s < DBL_EPSILON ? DBL_EPSILON : s > 1 - DBL_EPSILON ? 1 - DBL_EPSILON : s;
            ln_q[i] = scarce__ln(q);
            ln_rest[i] = -scarce__log1p(-q);
        }
    }
}

/* The constraint a, b >= 0: the problem is convex, so when the free minimum is outside, the minimum
 * lies on an edge (one factor 0) or in the corner, and the lowest of those is it. */
static void fit_beta(scarce__calibrator *out, const regression *full, double share)
{
    regression best = *full;
    double constant;

    fit(&best, share);
    if (best.theta[1] >= 0 && best.theta[2] >= 0) {
        constant = best.theta[0];
        out->a = raw_factor(&best, 0, &constant);
        out->b = raw_factor(&best, 1, &constant);
        out->c = constant;
        return;
    }
    best = *full;
    best.k = 0;
    fit(&best, share);
    out->a = out->b = 0;
    out->c = best.theta[0];
    double lowest = best.loss;
    for (size_t j = 0; j < 2; ++j) {
        regression one = *full;
        one.k = 1;
        one.feature[0] = full->feature[j];
        one.center[0] = full->center[j];
        one.scale[0] = full->scale[j];
        fit(&one, share);
        if (one.theta[1] < 0 || one.loss >= lowest) continue;
        lowest = one.loss;
        constant = one.theta[0];
        const double f = raw_factor(&one, 0, &constant);
        out->a = j == 0 ? f : 0;
        out->b = j == 1 ? f : 0;
        out->c = constant;
    }
}

scarce_status scarce__calibrate_beta(scarce__calibrator *out, const double *score, const uint8_t *label,
                                     const double *weight, size_t n, scarce_error *err)
{
    const scarce__calibrator zero = {.kind = SCARCE__CALIBRATOR_NONE};
    regression r = {0};
    double share, *ln_q, *ln_rest;
    int logit = 0;

    *out = zero;
    SCARCE__TRY(prepare(&r, score, label, weight, n, &share, err));
    for (size_t i = 0; i < n; ++i) logit |= !(score[i] >= 0 && score[i] <= 1);
    ln_q = scarce__malloc_array(n, sizeof *ln_q);
    ln_rest = scarce__malloc_array(n, sizeof *ln_rest);
    if (!ln_q || !ln_rest) {
        scarce__free(ln_q);
        scarce__free(ln_rest);
        return scarce__fail_memory(err, "beta calibration", 2 * n * sizeof *ln_q);
    }
    beta_features(ln_q, ln_rest, score, n, logit);
    r.k = 2;
    r.feature[0] = ln_q;
    r.feature[1] = ln_rest;
    standardise(&r, 0);
    standardise(&r, 1);
    fit_beta(out, &r, share);
    scarce__free(ln_q);
    scarce__free(ln_rest);
    if (!isfinite(out->a) || !isfinite(out->b) || !isfinite(out->c)) {
        *out = zero;
        return scarce__fail(err, SCARCE_ENUMERIC, "beta calibration diverged");
    }
    out->kind = logit ? SCARCE__CALIBRATOR_BETA_LOGIT : SCARCE__CALIBRATOR_BETA;
    return SCARCE_OK;
}
