/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of a table whose rows come in order of time, each once: key by key instead of record by record. */
#ifndef SCARCE_FEATURE_ORDERED_H
#define SCARCE_FEATURE_ORDERED_H

#include "feature/batch.h"

/* Does every row arrive at its own time, and none twice? */
int scarce__ordered_rows(const scarce__batch *b, const int64_t *at);

/* Features of the n kinds listed, for each of which scarce__sweep_can holds. */
scarce_status scarce__ordered_run(scarce__batch *b, const int64_t *at, const size_t *kinds, size_t n,
                                  const scarce_context *ctx, scarce_error *err);

#endif
