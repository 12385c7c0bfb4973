/* SPDX-License-Identifier: Apache-2.0 */
/* Average precision alone, cheap enough to be asked after every tree. */
#ifndef SCARCE_EVAL_AP_H
#define SCARCE_EVAL_AP_H

#include "core/fail.h"
#include "core/pool.h"

/* Exact AP (ties by group, weights if not NULL) of n scores. *out is NaN without positives or negatives (or
 * when either weighs nothing). Labels are trusted to be 0 or 1 and weights to be >= 0. EDATA names a row with
 * a NaN. Same bits for any number of threads. */
scarce_status scarce__ap_fast(double *out, const double *score, const uint8_t *label, const double *weight,
                              size_t n, scarce__pool *pool, scarce_error *err);
scarce_status scarce__ap_fast_f32(double *out, const float *score, const uint8_t *label, const double *weight,
                                  size_t n, scarce__pool *pool, scarce_error *err);

#endif
