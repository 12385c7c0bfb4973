/* SPDX-License-Identifier: Apache-2.0 */
/* A table changed in place: some of its rows stay, others are added behind them. Memory holds one table, one
 * column twice at the most. */
#ifndef SCARCE_DATA_REWORK_H
#define SCARCE_DATA_REWORK_H

#include "core/context.h"
#include "data/table.h"

typedef struct scarce__rework {
    const uint32_t *keep; /* rows that stay, ascending, no row twice; NULL: all */
    size_t n_keep;
    const uint32_t
        *base; /* a row for each that is added: its roles (label, weight, time, group, ...) are copied */
    size_t n_base;
    const scarce_table *made; /* n_base rows with the values of the features; NULL: copies of the base rows */
} scarce__rework;

/* On failure (ENOMEM) the table is good for nothing but scarce_table_free. */
scarce_status scarce__table_rework(scarce_table *table, const scarce__rework *change, scarce_context *ctx,
                                   scarce_error *err);

#endif
