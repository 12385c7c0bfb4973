/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as points of a vector space, for whoever needs one: metric learning, clusters.
 *
 *     numbers      (x - center) * scale, 0 where missing: the mean
 *     categories   one dimension for each, sqrt(1/2) or 0, so that two that differ are 1 apart; unknown and missing: zeros
 *     sparse       as numbers without a center
 *
 * A map z -> L z gives the distances of the metric M = L'L. */
#ifndef SCARCE_NEAR_EMBED_H
#define SCARCE_NEAR_EMBED_H

#include "near/near.h"

typedef struct scarce__embed {
    const scarce__space *space;
    size_t dims;
    size_t *begin; /* n_codes + 1: where the dimensions of a category begin */
} scarce__embed;

scarce_status scarce__embed_init(scarce__embed *out, const scarce__space *space, const scarce_schema *schema,
                                 scarce_error *err);
void scarce__embed_deinit(scarce__embed *e);
/* A row as a scorer has it. */
void scarce__embed_row(const scarce__embed *e, const float *row, double *z);
/* Which feature of the table a dimension belongs to. */
size_t scarce__embed_feature(const scarce__embed *e, size_t dim);

/* All rows, n x dims; NULL: out of memory. */
double *scarce__embed_table(const scarce__embed *e, const scarce_table *table, scarce_context *ctx);
/* z' = L z as floats; L is n_out x dims, NULL: z itself. */
void scarce__embed_map(const double *map, size_t n_out, const double *z, size_t dims, float *out);
/* All rows mapped, as a table of n_out numbers. */
scarce_status scarce__embed_mapped(scarce_table **out, const scarce__embed *e, const scarce_table *table,
                                   const double *map, size_t n_out, scarce_context *ctx, scarce_error *err);

#endif
