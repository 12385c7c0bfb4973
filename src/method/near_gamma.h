/* SPDX-License-Identifier: Apache-2.0 */
/* gamma for neighbours: what distances to positives are multiplied by, chosen on rows that did not answer themselves.
 *
 * By (*) of near/nearby.h a row with score s is positive for every gamma up to s / (1 - s), so the gammas at which anything
 * changes are the scores themselves: one sort tries all of them, for any measure of counts. Predictions are pooled over
 * the folds; ties go to the larger gamma; gamma is at most 1 (001, section 2.4.2). */
#ifndef SCARCE_METHOD_NEAR_GAMMA_H
#define SCARCE_METHOD_NEAR_GAMMA_H

#include "near/nearby.h"

/* In the order of the choices of the parameter `measure`. */
typedef enum scarce__measure {
    SCARCE__MEASURE_F1 = 0,
    SCARCE__MEASURE_BA,
    SCARCE__MEASURE_G_MEAN,
    SCARCE__MEASURE_G_MEASURE,
    SCARCE__MEASURE_MCC
} scarce__measure;
#define SCARCE__MEASURES "f1|balanced_accuracy|g_mean|g_measure|mcc"

/* Of weights of rows; 0 where it is not defined. */
double scarce__measure_of(scarce__measure measure, double tp, double fp, double fn, double tn);

typedef struct scarce__gamma_rows {
    const double *score;
    const uint8_t *label;
    const double *weight; /* NULL: 1 */
    const uint8_t *use;   /* NULL: all */
    size_t n;
} scarce__gamma_rows;

/* The score from which on rows are positive; *value is the measure there (pooled). 1/2 (gamma = 1) where nothing is better or
 * there are no positives. ENOMEM. */
scarce_status scarce__gamma_choose(double *threshold, double *value, const scarce__gamma_rows *rows,
                                   scarce__measure measure, scarce_error *err);

/* gamma of a score and back. */
static inline double scarce__gamma_of(double threshold)
{
    return threshold < 1 ? threshold / (1 - threshold) : 1e60;
}
static inline double scarce__gamma_threshold(double gamma)
{
    return gamma > 0 ? 1 / (1 + 1 / gamma) : 0;
}

#endif
