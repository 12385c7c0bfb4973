/* SPDX-License-Identifier: Apache-2.0 */
/* The model of several voices (gb_choose.h) as one sum of trees. */
#ifndef SCARCE_METHOD_GB_SUM_H
#define SCARCE_METHOD_GB_SUM_H

#include "method/gb_choose.h"

/* *forest is that of candidate choice->which, trained on the table. Trains the others that have a weight, and makes
 * *forest the sum of all by their weights. binned: the table's. *cancelled: the progress callback asked to stop; then, and
 * on failure, *forest is as it was. */
scarce_status scarce__gb_sum_up(scarce__forest *forest, int *cancelled, const scarce_table *table,
                                const scarce__binned *binned, const scarce__gb_candidates *candidates,
                                const scarce__gb_choice *choice, scarce_context *ctx, scarce_error *err);

/* Which voices have which share, and who says so, in words. */
void scarce__gb_sum_words(char *out, size_t size, const scarce__gb_candidates *candidates,
                          const scarce__gb_choice *choice, int by_time);

#endif
