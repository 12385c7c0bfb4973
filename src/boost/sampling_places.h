/* SPDX-License-Identifier: Apache-2.0 */
/* A place for every row when a fixed number is drawn: rows of a stratum in the order of what they hold (data/row_hash.h),
 * a row of weight w on as many places as w copies of it would take (costs are weights). So a draw of places does not depend on the order of
 * the rows, nor on weights written as copies; which of several equal rows it hits says nothing. */
#ifndef SCARCE_BOOST_SAMPLING_PLACES_H
#define SCARCE_BOOST_SAMPLING_PLACES_H

#include "boost/sampling.h"

typedef struct scarce__places {
    size_t n[2];     /* of each stratum */
    uint32_t *first; /* of each training row: its first place in its stratum */
    uint32_t *coins; /* how many it has; NULL: 1 */
} scarce__places;

/* split: positives are a stratum of their own. */
scarce_status scarce__places_new(scarce__places **out, const scarce__population *all, int split,
                                 scarce_error *err);
void scarce__places_free(scarce__places *places); /* takes NULL */

/* Of each training row, its features and label; freed by scarce__free. */
scarce_status scarce__training_hashes(uint64_t **out, const scarce__population *all, scarce_error *err);

#endif
