/* SPDX-License-Identifier: Apache-2.0 */
/* A table changed in place: some of its rows stay, others are added behind them. Memory holds one table, one
 * column twice at the most. */
#ifndef SCARCE_DATA_REWORK_H
#define SCARCE_DATA_REWORK_H

#include "core/context.h"
#include "data/table.h"

/* What the added rows have in a feature, one column at a time, so that no table of them is needed. `from` is the
 * column as it was; `to` gets n_base items. Called once for each feature, from any thread; 0: out of memory. */
typedef struct scarce__making {
    const void *payload;
    int (*numbers)(const void *payload, size_t feature, const float *from, float *to);
    int (*codes)(const void *payload, size_t feature, const int32_t *from, int32_t *to);
    /* Allocates the arrays of *to, whose rows count from 0; they are freed by the caller, also on failure. */
    int (*sparse)(const void *payload, size_t feature, const scarce__sparse *from, scarce__sparse *to);
} scarce__making;

typedef struct scarce__rework {
    const uint32_t *keep; /* rows that stay, ascending, no row twice; NULL: all */
    size_t n_keep;
    /* a row for each that is added: its roles (label, weight, time, group, ...) are copied */
    const uint32_t *base;
    size_t n_base;
    const scarce__making *making; /* NULL: the features are copied too */
} scarce__rework;

/* On failure (ENOMEM) the table is good for nothing but scarce_table_free. */
scarce_status scarce__table_rework(scarce_table *table, const scarce__rework *change, scarce_context *ctx,
                                   scarce_error *err);

#endif
