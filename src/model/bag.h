/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a bag: models of other kinds, summed up. Only where members can't be one model of their own kind (sums of
 * trees and linear models can). */
#ifndef SCARCE_MODEL_BAG_H
#define SCARCE_MODEL_BAG_H

#include "model/model.h"

typedef struct scarce__bag_member {
    const scarce__kind *kind; /* no bag */
    void *body;
    double weight, shift; /* it adds weight (score + shift) */
} scarce__bag_member;

typedef struct scarce__bag_body {
    size_t n, n_features;
    scarce__bag_member *members;
} scarce__bag_body;

extern const scarce__kind scarce__kind_bag;

/* weight x the sum of (member + shift), shifts NULL: 0. Bodies are taken over where they become part of the result
 * (then body[i] is NULL), and are freed by the caller otherwise. Trees become one sum of trees, members in turns;
 * linear models one linear model; everything else a bag. ENUMERIC when a weight isn't finite any more. */
scarce_status scarce__bag_sum(const scarce__kind **kind, void **sum, const scarce_schema *schema,
                              const scarce__kind *const *kinds, void **body, const double *shift, size_t n,
                              double weight, scarce_error *err);

#endif
