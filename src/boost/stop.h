/* SPDX-License-Identifier: Apache-2.0 */
/* When enough trees are grown: a number after each of them (a metric on validation rows, or what the trees
 * gained on rows outside their bags), the best so far, and whether it is time to stop. Usable without the
 * loop of boost.c: an ensemble judges the mean of its members with one of these.
 *
 *     scarce__stop s = SCARCE__STOP_INIT;
 *     s.after = 30;
 *     if (scarce__stop_judge(&s, value, t + 1)) break;     afterwards s.best_trees are worth keeping
 *
 * What always holds:
 *  1. A NaN is no judgement: it is neither better nor worse, and the best stays.
 *  2. Of equal values the earlier is the best (fewer trees).
 *  3. A number that couldn't be computed (no memory) is an error and ends the training; it never counts as
 *     NaN. */
#ifndef SCARCE_BOOST_STOP_H
#define SCARCE_BOOST_STOP_H

#include <math.h>

#include "boost/rows.h"

/* A metric over the validation rows in their order, to *value; called on the calling thread. NaN: undefined,
 * ignored. A failure ends the training. */
typedef scarce_status (*scarce__boost_metric_fn)(void *payload, const float *score, double *value,
                                                 scarce_error *err);

typedef struct scarce__stop {
    int smaller_is_better;
    int after;    /* end when nothing was better for so many trees; 0: never */
    int at_least; /* trees, whatever is judged */
    double least; /* what counts as better */
    double best;  /* NaN: nothing was judged yet */
    size_t best_trees;
} scarce__stop;

#define SCARCE__STOP_INIT                                                                                    \
    {                                                                                                        \
        .best = (double)NAN                                                                                  \
    }

/* The value after so many trees; 1: it is time to stop. */
int scarce__stop_judge(scarce__stop *stop, double value, size_t trees);

/* Adds to *gain how much less the mean loss of rows outside the bag is with the newest tree than without it
 * (Friedman 2002). `all` lacks exactly that tree, and has it afterwards. All positives and a share of the
 * negatives are looked at. */
scarce_status scarce__stop_gain_outside(double *gain, scarce__part *all, const scarce__part *bag,
                                        const scarce__grown *grown, const scarce__loss *loss,
                                        scarce_context *ctx, scarce_error *err);

#endif
