/* SPDX-License-Identifier: Apache-2.0 */
/* Mean, spread, ends and gaps of every column: for whoever standardises (linear models, distances). */
#ifndef SCARCE_DATA_MOMENTS_H
#define SCARCE_DATA_MOMENTS_H

#include "core/pool.h"
#include "data/table.h"

typedef struct scarce__moments {
    double weight;   /* of the rows that have a value */
    double mean, sd; /* of those rows, by weight; sd divides by the weight, not by one less. 0 without rows */
    float lo, hi;    /* lo > hi: no row has a value */
    size_t n_missing; /* rows; what is not finite is missing too */
} scarce__moments;

/* Fills out[0..n_features-1]. Rows that a sparse column does not list are zeros. Of categories only n_missing
 * says anything. In parallel over columns; the order of every sum depends on the rows alone. */
void scarce__table_moments(scarce__moments *out, const scarce_table *table, scarce__pool *pool);

#endif
