/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a scarce_calibrator: plain numbers that a model can hold by value and write to a file.
 *
 * Invariants (scarce__calibrator_check): a, b, c finite; isotonic: n_knots >= 1, x strictly ascending
 * and finite, y not descending and in [0, 1]; other kinds: n_knots = 0 and x, y NULL. */
#ifndef SCARCE_DECIDE_CALIBRATE_H
#define SCARCE_DECIDE_CALIBRATE_H

#include <scarce/decide.h>

typedef enum scarce__calibrator_kind {
    SCARCE__CALIBRATOR_NONE = 0,       /* p = s */
    SCARCE__CALIBRATOR_SIGMOID = 1,    /* p = 1/(1 + exp(-(a s + b))) */
    SCARCE__CALIBRATOR_ISOTONIC = 2,   /* knots (x, y) */
    SCARCE__CALIBRATOR_BETA = 3,       /* logit p = a ln q - b ln(1-q) + c, q = s */
    SCARCE__CALIBRATOR_BETA_LOGIT = 4, /* the same with q = 1/(1 + exp(-s)) */
    SCARCE__CALIBRATOR_SHIFT = 5       /* logit p = logit s + b for a probability s: prior correction */
} scarce__calibrator_kind;

typedef struct scarce__calibrator {
    scarce__calibrator_kind kind;
    double a, b, c;
    size_t n_knots;
    double *x, *y;
} scarce__calibrator;

void scarce__calibrator_deinit(scarce__calibrator *c);

/* Log-odds scores: p = sigmoid(s + shift). Probability scores: logit p = logit s + shift. With
 * shift = 0 the first is the plain logistic link. Owns nothing. */
scarce__calibrator scarce__calibrator_logit(double shift);
scarce__calibrator scarce__calibrator_shift(double shift);

/* SCARCE_EDATA for what a damaged or hostile file may hold. */
scarce_status scarce__calibrator_check(const scarce__calibrator *c, scarce_error *err);

double scarce__calibrator_apply(const scarce__calibrator *c, double score);
/* The same for many, with the same bits; in place is allowed. */
void scarce__calibrator_apply_all(const scarce__calibrator *c, const double *score, size_t n,
                                  double *probability);

/* Fits into *out (which holds nothing yet); on error *out is all zero. weight may be NULL. */
scarce_status scarce__calibrate_platt(scarce__calibrator *out, const double *score, const uint8_t *label,
                                      const double *weight, size_t n, scarce_error *err);
scarce_status scarce__calibrate_isotonic(scarce__calibrator *out, const double *score, const uint8_t *label,
                                         const double *weight, size_t n, scarce_error *err);
scarce_status scarce__calibrate_beta(scarce__calibrator *out, const double *score, const uint8_t *label,
                                     const double *weight, size_t n, scarce_error *err);

/* For scores with a link of known slope: only the constant is fitted, near b0 (shift.c). */
scarce_status scarce__calibrate_shift(scarce__calibrator *out, double slope, double b0, const double *score,
                                      const uint8_t *label, const double *weight, size_t n,
                                      scarce_error *err);

/* Weighted numbers of negatives and positives in count[0], count[1]; EDATA for a score that isn't
 * finite, a wrong weight, or (need_both) a class without rows. label may be NULL unless need_both. */
scarce_status scarce__check_scored(double count[2], const double *score, const uint8_t *label,
                                   const double *weight, size_t n, int need_both, scarce_error *err);

/* What to add to the log-odds when positives were a share q_train in training and are q_true in use;
 * NaN unless both are inside (0, 1). */
double scarce__prior_shift(double q_train, double q_true);
/* The same from the factor by which training multiplied the odds: -ln(factor); NaN unless > 0. */
double scarce__odds_shift(double odds_factor);

/* probability > scarce_amount_threshold(check, amount), without the rounding of the division. */
int scarce__amount_pays(double probability, double check, double amount);

#endif
