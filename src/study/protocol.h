/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols as text to lists of splits. */
#ifndef SCARCE_STUDY_PROTOCOL_H
#define SCARCE_STUDY_PROTOCOL_H

#include "data/table.h"

/* One fold. `valid` is empty where the protocol has no part for it. */
typedef struct scarce__fold {
    uint32_t *train, *valid, *test; /* ascending rows */
    size_t n_train, n_valid, n_test;
} scarce__fold;

typedef struct scarce__folds {
    scarce__fold *items;
    size_t count;
} scarce__folds;

void scarce__folds_deinit(scarce__folds *folds);

/* EINVAL for a text that is no protocol, EDATA when the table lacks what it needs or no fold fits. */
scarce_status scarce__folds_make(scarce__folds *out, const scarce_table *table, const char *protocol,
                                 size_t repeats, int purge_known, const scarce_context *ctx,
                                 scarce_error *err);

#endif
