/* SPDX-License-Identifier: Apache-2.0 */
/* A number for what a row holds: rows with the same features have the same, wherever they stand. */
#ifndef SCARCE_DATA_ROW_HASH_H
#define SCARCE_DATA_ROW_HASH_H

#include "data/table.h"

/* One hash per row, freed by scarce__free; NULL: out of memory. It is the sum over a row's features of mix(feature,
 * value), so a 0 of a sparse column adds nothing, as a 0 of a packed one; -0 is 0, missing values are one value. */
uint64_t *scarce__row_hashes(const scarce_table *table);

/* Sorts row numbers by the hashes of those rows, equal ones by number: an order that does not depend on where rows stand,
 * with equal rows side by side. */
scarce_status scarce__order_rows(uint32_t *row, size_t n, const uint64_t *hash, scarce_error *err);

/* Weights as numbers of copies: whole ones, 8 on average at most. A row of weight w is then drawn as w rows of weight 1 would
 * be. Other weights say how much a row matters; such a row is one, and weighs what it weighs. */
typedef struct scarce__counts {
    const double *weight, *cost; /* NULL: 1 each */
    int copies;
} scarce__counts;
scarce__counts scarce__counts_of(const double *weight, const double *cost, size_t n);

/* As how many rows a row is drawn; those of weight 0 are none. */
static inline uint32_t scarce__count_at(const scarce__counts *c, size_t row)
{
    const double w = (c->weight ? c->weight[row] : 1) * (c->cost ? c->cost[row] : 1);
    return c->copies ? (uint32_t)w : w > 0;
}

/* What one of them weighs. */
static inline double scarce__count_weight(const scarce__counts *c, size_t row)
{
    return c->copies || !c->weight ? 1 : c->weight[row];
}

#endif
