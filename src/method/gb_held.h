/* SPDX-License-Identifier: Apache-2.0 */
/* What held-out rows say about settings of a booster. */
#ifndef SCARCE_METHOD_GB_HELD_H
#define SCARCE_METHOD_GB_HELD_H

#include "boost/boost.h"

/* Rows that judge. */
typedef struct scarce__held {
    scarce__loss loss;
    uint8_t *label;
    float *weight; /* NULL: 1 each */
    size_t n;

    /* Of the last try: scores of the rows after the trees at the least loss, but not after fewer than `least`. */
    float *score;
    int least;
    size_t seen; /* trees */
    double best;
    double *gain; /* NULL, or of each feature: what its splits gained */
} scarce__held;

/* Room for n rows, to be filled by scarce__held_add. */
scarce_status scarce__held_new(scarce__held *h, size_t n, const scarce_table *table,
                               const scarce__boost_options *o, scarce_error *err);
void scarce__held_deinit(scarce__held *h);
/* What a row of the table counts in training: case weight, costs of its class and its own. */
double scarce__held_weight(const scarce_table *table, size_t row, const scarce__boost_options *o);
void scarce__held_add(scarce__held *h, const scarce_table *table, size_t row, const scarce__boost_options *o);

/* How long a try goes on. */
typedef struct scarce__patience {
    int most;     /* trees */
    int after;    /* trees without a lower loss */
    double least; /* by which it must be lower, as a share of what it is without trees */
} scarce__patience;

/* Trains on `fit` until patience ends (but judge->least trees at least). *trees, *loss: where the loss on `held` was
 * least; 0 trees: it can't be told. Errors: ENOMEM. */
scarce_status scarce__held_try(size_t *trees, double *loss, const scarce__boost_data *fit,
                               const scarce__boost_data *held, scarce__held *judge,
                               const scarce__boost_options *o, scarce__patience patience, int *cancelled,
                               scarce_context *ctx, scarce_error *err);

/* A loss is clearly lower than another below this share of it. */
#define SCARCE__CLEARLY_LOWER 0.99

#endif
