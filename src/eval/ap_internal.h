/* SPDX-License-Identifier: Apache-2.0 */
/* What ap.c and ap_many.c share. */
#ifndef SCARCE_EVAL_AP_INTERNAL_H
#define SCARCE_EVAL_AP_INTERNAL_H

#include "core/fail.h"
#include "core/pool.h"

typedef struct scarce__scores { /* one of the two is set */
    const double *f64;
    const float *f32;
} scarce__scores;

static inline double scarce__score_at(const scarce__scores *s, size_t i)
{
    return s->f64 ? s->f64[i] : (double)s->f32[i];
}

scarce_status scarce__fail_nan_score(size_t row, scarce_error *err);

/* AP without weights, 0 < n_pos < n, by sorting. */
scarce_status scarce__ap_many(double *out, const scarce__scores *score, const uint8_t *label, size_t n,
                              size_t n_pos, scarce__pool *pool, scarce_error *err);

#endif
