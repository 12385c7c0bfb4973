/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside the trees of `gb` with few positives (gb_beside.c). */
#ifndef SCARCE_METHOD_GB_BESIDE_H
#define SCARCE_METHOD_GB_BESIDE_H

#include "boost/boost.h"

/* The share of the score that they have together, by the weight of the rarer class. */
double scarce__gb_beside_share(double rarer);

/* The settings of the small trees, out of those of the others. */
scarce__boost_options scarce__gb_small_trees(const scarce__boost_options *o);

/* The share of all that stand beside, and how sure the trees and the small trees are (scarce__forest_rescale). */
typedef struct scarce__gb_beside {
    double share, scale, shift, small_scale, small_shift;
} scarce__gb_beside;

/* Trains them on the table and makes *forest the sum of all. binned: the table's, or NULL. *cancelled: the progress
 * callback asked to stop; then, and on failure, *forest is as it was. */
scarce_status scarce__gb_put_beside(scarce__forest *forest, int *cancelled, const scarce_table *table,
                                    const scarce__binned *binned, const scarce__boost_options *small,
                                    const scarce__gb_beside *how, scarce_context *ctx, scarce_error *err);

#endif
