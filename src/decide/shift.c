/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration of a method that has a link: its slope is kept, its constant is found on the validation rows.
 *
 *     minimise  sum_i w_i [ ln(1 + exp(z_i)) - y_i z_i ] + (b - b0)^2 / 2,   z_i = slope s_i + b
 *
 * b0 is where the method's own link would put it. One number needs few positives, and what is wrong with a booster
 * on rare positives is mostly that number: the mean probability. The square keeps it near b0 when there is next to
 * nothing to tell (with ten positives it counts for a tenth). Newton's steps from b0, halved while the loss rises:
 * the loss is convex in b. */
#include <math.h>

#include "core/elementary.h"
#include "core/fail.h"
#include "decide/calibrate.h"

typedef struct at {
    double loss, slope, curve;
} at;

static at look(double b, double b0, double a, const double *score, const uint8_t *label, const double *weight,
               size_t n)
{
    at r = {(b - b0) * (b - b0) / 2, b - b0, 1};
    for (size_t i = 0; i < n; ++i) {
        const double w = weight ? weight[i] : 1, z = a * score[i] + b, p = scarce__sigmoid(z);
        r.loss += w * (scarce__softplus(z) - (label[i] ? z : 0));
        r.slope += w * (p - (label[i] ? 1 : 0));
        r.curve += w * p * (1 - p);
    }
    return r;
}

scarce_status scarce__calibrate_shift(scarce__calibrator *out, double slope, double b0, const double *score,
                                      const uint8_t *label, const double *weight, size_t n, scarce_error *err)
{
    enum { MAX_STEPS = 100, MAX_HALVINGS = 50 };
    const scarce__calibrator zero = {.kind = SCARCE__CALIBRATOR_NONE};
    double count[2], b = b0;

    *out = zero;
    SCARCE__TRY(scarce__check_scored(count, score, label, weight, n, 1, err));
    at now = look(b, b0, slope, score, label, weight, n);
    for (int step = 0; step < MAX_STEPS; ++step) {
        double move = -now.slope / now.curve;
        at next = look(b + move, b0, slope, score, label, weight, n);
        for (int k = 0; k < MAX_HALVINGS && !(next.loss <= now.loss); ++k)
            next = look(b + (move /= 2), b0, slope, score, label, weight, n);
        if (!(next.loss <= now.loss)) break;
        b += move;
        now = next;
        if (fabs(move) < 1e-10) break;
    }
    if (!isfinite(b)) return scarce__fail(err, SCARCE_ENUMERIC, "the shift of the probabilities diverged");
    out->kind = SCARCE__CALIBRATOR_SIGMOID;
    out->a = slope;
    out->b = b;
    return SCARCE_OK;
}
