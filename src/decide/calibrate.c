/* SPDX-License-Identifier: Apache-2.0 */
/* Applying a calibrator, checking one that was read from a file, and the public handle. */
#include "decide/calibrate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"

void scarce__calibrator_deinit(scarce__calibrator *c)
{
    if (!c) return;
    scarce__free(c->x);
    scarce__free(c->y);
    memset(c, 0, sizeof *c);
}

scarce__calibrator scarce__calibrator_logit(double shift)
{
    const scarce__calibrator c = {.kind = SCARCE__CALIBRATOR_SIGMOID, .a = 1, .b = shift};
    return c;
}

scarce__calibrator scarce__calibrator_shift(double shift)
{
    const scarce__calibrator c = {.kind = SCARCE__CALIBRATOR_SHIFT, .a = 1, .b = shift};
    return c;
}

/* Linear between the knots around s, written so that a step between two knots never leaves [y0, y1]. */
static double interpolate(const double *x, const double *y, size_t n, double s)
{
    size_t lo = 0, hi = n - 1;

    if (!(s > x[0])) return y[0];
    if (s >= x[n - 1]) return y[n - 1];
    while (hi - lo > 1) { /* x[lo] <= s < x[hi] */
        const size_t mid = lo + (hi - lo) / 2;
        if (x[mid] <= s) lo = mid;
        else hi = mid;
    }
    if (y[lo] == y[hi]) return y[lo];
    /* halves where the difference of two finite numbers overflows; not elsewhere: those of the smallest
     * numbers are 0 */
    const double gap = x[hi] - x[lo];
    const double t =
        isfinite(gap) ? (s - x[lo]) / gap : (0.5 * s - 0.5 * x[lo]) / (0.5 * x[hi] - 0.5 * x[lo]);
    const double v = y[lo] + t * (y[hi] - y[lo]);
    return v > y[hi] ? y[hi] : v;
}

static double beta_of_probability(const scarce__calibrator *c, double s)
{
    const double q = s < DBL_EPSILON ? DBL_EPSILON : s > 1 - DBL_EPSILON ? 1 - DBL_EPSILON : s;
    return scarce__sigmoid(c->a * scarce__ln(q) - c->b * scarce__log1p(-q) + c->c);
}

/* The features of log-odds grow without bound on one side each, so infinite scores are moved to the
 * largest finite number: 0 * infinity must not be met. */
static double beta_of_logit(const scarce__calibrator *c, double s)
{
    const double z = s > DBL_MAX ? DBL_MAX : s < -DBL_MAX ? -DBL_MAX : s;
    return scarce__sigmoid(c->b * scarce__softplus(z) - c->a * scarce__softplus(-z) + c->c);
}

static double shift_probability(const scarce__calibrator *c, double s)
{
    if (s <= 0) return 0;
    if (s >= 1) return 1;
    return scarce__sigmoid(scarce__ln(s) - scarce__log1p(-s) + c->b);
}

double scarce__calibrator_apply(const scarce__calibrator *c, double score)
{
    if (isnan(score)) return score;
    switch (c->kind) {
    case SCARCE__CALIBRATOR_NONE: return score;
    case SCARCE__CALIBRATOR_SIGMOID:
        return c->a == 0 ? scarce__sigmoid(c->b) : scarce__sigmoid(c->a * score + c->b);
    case SCARCE__CALIBRATOR_ISOTONIC: return interpolate(c->x, c->y, c->n_knots, score);
    case SCARCE__CALIBRATOR_BETA: return beta_of_probability(c, score);
    case SCARCE__CALIBRATOR_BETA_LOGIT: return beta_of_logit(c, score);
    case SCARCE__CALIBRATOR_SHIFT: return shift_probability(c, score);
    }
    return NAN;
}

/* The usual link by vectors: nearly all models have it. */
SCARCE__BODY void sigmoids(double a, double b, const double *score, size_t n, double *probability)
{
    for (size_t i = 0; i < n; ++i) {
        const double s = score[i], p = scarce__sigmoid_body(a * s + b);
        probability[i] = s == s ? p : s;
    }
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void sigmoids_avx2(double a, double b, const double *score, size_t n, double *probability)
{
    sigmoids(a, b, score, n, probability);
}
#else
#define sigmoids_avx2 sigmoids
#endif

void scarce__calibrator_apply_all(const scarce__calibrator *c, const double *score, size_t n,
                                  double *probability)
{
    if (c->kind == SCARCE__CALIBRATOR_SIGMOID && c->a != 0) {
        if (scarce__cpu_avx2()) sigmoids_avx2(c->a, c->b, score, n, probability);
        else sigmoids(c->a, c->b, score, n, probability);
        return;
    }
    for (size_t i = 0; i < n; ++i) probability[i] = scarce__calibrator_apply(c, score[i]);
}

static scarce_status check_knots(const scarce__calibrator *c, scarce_error *err)
{
    if (c->n_knots == 0 || !c->x || !c->y)
        return scarce__fail(err, SCARCE_EDATA, "isotonic calibrator without knots");
    for (size_t i = 0; i < c->n_knots; ++i) {
        if (!isfinite(c->x[i]) || !(c->y[i] >= 0 && c->y[i] <= 1))
            return scarce__fail(err, SCARCE_EDATA, "knot %zu of the calibrator is (%g, %g)", i, c->x[i],
                                c->y[i]);
        if (i > 0 && !(c->x[i] > c->x[i - 1] && c->y[i] >= c->y[i - 1]))
            return scarce__fail(err, SCARCE_EDATA, "knots %zu and %zu of the calibrator do not ascend", i - 1,
                                i);
    }
    return SCARCE_OK;
}

scarce_status scarce__calibrator_check(const scarce__calibrator *c, scarce_error *err)
{
    /* the kind may be any number when it was read from a file */
    if ((int)c->kind < SCARCE__CALIBRATOR_NONE || (int)c->kind > SCARCE__CALIBRATOR_SHIFT)
        return scarce__fail(err, SCARCE_EDATA, "unknown kind of calibrator %d", (int)c->kind);
    if (!isfinite(c->a) || !isfinite(c->b) || !isfinite(c->c))
        return scarce__fail(err, SCARCE_EDATA, "calibrator with parameters %g, %g, %g", c->a, c->b, c->c);
    if (c->kind == SCARCE__CALIBRATOR_ISOTONIC) return check_knots(c, err);
    if (c->n_knots != 0)
        return scarce__fail(err, SCARCE_EDATA, "calibrator of kind %d with knots", (int)c->kind);
    return SCARCE_OK;
}

scarce_status scarce__check_scored(double count[2], const double *score, const uint8_t *label,
                                   const double *weight, size_t n, int need_both, scarce_error *err)
{
    count[0] = count[1] = 0;
    if (!score || n == 0) return scarce__fail(err, SCARCE_EINVAL, "no scored rows");
    if (n >= UINT32_MAX) return scarce__fail(err, SCARCE_EINVAL, "%zu scored rows, at most 4294967294", n);
    if (!label && need_both) return scarce__fail(err, SCARCE_EINVAL, "scored rows without labels");
    for (size_t i = 0; i < n; ++i) {
        if (!isfinite(score[i]))
            return scarce__fail(err, SCARCE_EDATA, "score of row %zu is %g", i + 1, score[i]);
        if (weight && !(weight[i] >= 0 && weight[i] <= DBL_MAX))
            return scarce__fail(err, SCARCE_EDATA, "weight of row %zu is %g, allowed are numbers >= 0", i + 1,
                                weight[i]);
        count[label && label[i]] += weight ? weight[i] : 1;
    }
    if (!isfinite(count[0] + count[1]))
        return scarce__fail(err, SCARCE_EDATA, "the sum of the weights is too large");
    if (need_both && !(count[0] > 0 && count[1] > 0))
        return scarce__fail(err, SCARCE_EDATA, "no %s among %zu scored rows; both classes are needed",
                            count[1] > 0 ? "negatives" : "positives", n);
    return SCARCE_OK;
}

static scarce_status fit(scarce__calibrator *c, scarce_calibration kind, const scarce_scored *rows,
                         scarce_error *err)
{
    scarce_scored r = SCARCE_SCORED_INIT;

    if (kind == SCARCE_CALIBRATE_NONE) return SCARCE_OK;
    if (rows) r = *rows;
    switch (kind) {
    case SCARCE_CALIBRATE_PLATT: return scarce__calibrate_platt(c, r.score, r.label, r.weight, r.n, err);
    case SCARCE_CALIBRATE_ISOTONIC:
        return scarce__calibrate_isotonic(c, r.score, r.label, r.weight, r.n, err);
    case SCARCE_CALIBRATE_BETA: return scarce__calibrate_beta(c, r.score, r.label, r.weight, r.n, err);
    case SCARCE_CALIBRATE_NONE: break;
    }
    return scarce__fail(err, SCARCE_EINVAL, "unknown calibration %d", (int)kind);
}

scarce_status scarce_calibrator_fit(scarce_calibrator **out, scarce_calibration kind,
                                    const scarce_scored *rows, scarce_error *err)
{
    scarce_calibrator *c;
    scarce_status status;

    *out = NULL;
    c = scarce__calloc(1, sizeof *c);
    if (!c) return scarce__fail_memory(err, "a calibrator", 0);
    status = fit(c, kind, rows, err);
    if (status == SCARCE_OK) *out = c;
    else scarce__free(c);
    return status;
}

void scarce_calibrator_free(scarce_calibrator *calibrator)
{
    scarce__calibrator_deinit(calibrator);
    scarce__free(calibrator);
}

scarce_calibration scarce_calibrator_kind(const scarce_calibrator *calibrator)
{
    switch (calibrator->kind) {
    case SCARCE__CALIBRATOR_SIGMOID:
    case SCARCE__CALIBRATOR_SHIFT: return SCARCE_CALIBRATE_PLATT;
    case SCARCE__CALIBRATOR_ISOTONIC: return SCARCE_CALIBRATE_ISOTONIC;
    case SCARCE__CALIBRATOR_BETA:
    case SCARCE__CALIBRATOR_BETA_LOGIT: return SCARCE_CALIBRATE_BETA;
    case SCARCE__CALIBRATOR_NONE: break;
    }
    return SCARCE_CALIBRATE_NONE;
}

double scarce_calibrator_apply(const scarce_calibrator *calibrator, double score)
{
    return scarce__calibrator_apply(calibrator, score);
}

void scarce_calibrator_apply_all(const scarce_calibrator *calibrator, const double *score, size_t n,
                                 double *probability)
{
    scarce__calibrator_apply_all(calibrator, score, n, probability);
}
