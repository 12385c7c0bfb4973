/* SPDX-License-Identifier: Apache-2.0 */
/* A table as a set of rows with weights: what learners see that look at pairs, folds or clusters of rows. */
#ifndef SCARCE_DATA_DISTINCT_H
#define SCARCE_DATA_DISTINCT_H

#include "data/table.h"

/* Rows equal in features, label, group and mark are one, whose weight is the sum of theirs; rows of weight 0 are none; the
 * rest is in the order of what rows hold. So the result is the same for any order of the rows, and for weights written as
 * copies. It has weights unless all are 1. mark (nullable): per row, anything. */
typedef struct scarce__distinct {
    scarce_table *table;
    uint8_t *mark; /* of its rows; NULL: there were none */
} scarce__distinct;

/* EDATA when no row has weight. */
scarce_status scarce__distinct_new(scarce__distinct *out, const scarce_table *table, const uint8_t *mark,
                                   scarce_context *ctx, scarce_error *err);
void scarce__distinct_deinit(scarce__distinct *d); /* of an all-zero one too */

/* For each row the first that is equal to it (features and mark), or itself; freed by scarce__free. NULL: out of memory. */
uint32_t *scarce__first_equal(const scarce_table *table, const uint8_t *mark);

#endif
