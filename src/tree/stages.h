/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of a table after the first trees of a forest, after more of them, ...: a learning curve from one
 * training. */
#ifndef SCARCE_TREE_STAGES_H
#define SCARCE_TREE_STAGES_H

#include <scarce/base.h>
#include <scarce/table.h>

#include "tree/forest.h"

/* The scores of stage `at` (from 0), to be used before it returns; a failure ends the walk. */
typedef scarce_status (*scarce__stage_fn)(void *payload, size_t at, const double *score, scarce_error *err);

/* round[0 .. n) ascend; more rounds than there are count as all. Each tree is scored once. Scores are within
 * rounding of those of a forest cut there: pieces are summed up in double. */
scarce_status scarce__forest_stages(const scarce__forest *forest, const scarce_table *table,
                                    const size_t *round, size_t n, scarce__stage_fn fn, void *payload,
                                    scarce_context *ctx, scarce_error *err);

#endif
