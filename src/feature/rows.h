/* SPDX-License-Identifier: Apache-2.0 */
/* Some rows of a table through the engine of one kind, in their order: those of a shard, or of a key. */
#ifndef SCARCE_FEATURE_ROWS_H
#define SCARCE_FEATURE_ROWS_H

#include "feature/batch.h"

typedef struct scarce__rows_run {
    const scarce__batch *b;
    const int64_t *at; /* arrivals */
    size_t kind;
    uint64_t late, folded; /* results */
} scarce__rows_run;

/* Aggregate a of rows[i] to made[i * aggregates of the kind + a]. Rows of a key are all there, or none is. */
scarce_status scarce__rows_features(scarce__rows_run *run, const uint32_t *rows, size_t n, double *made);

#endif
