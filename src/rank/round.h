/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that people can read, and what forests of graphs share with one (learn.c). */
#ifndef SCARCE_RANK_ROUND_H
#define SCARCE_RANK_ROUND_H

#include "rank/rank.h"

/* Every threshold becomes the shortest decimal number that parts the rows of the table as it did. */
scarce_status scarce__dag_round(scarce__dag *dag, const scarce_table *table, scarce_context *ctx,
                                scarce_error *err);

/* The shortest decimal t with low <= t < high, near their middle; low < high. */
float scarce__short_between(float low, float high);

/* ---- narrow.c */

/* *out: the table with columns of more than `most` categories made constant, which nobody looks at; NULL: there is
 * none. To be freed, and *codes too; the table must outlive it. */
scarce_status scarce__rank_narrow(scarce_table **out, int32_t **codes, const scarce_table *table, size_t most,
                                  scarce_error *err);

/* ---- learn.c */

/* A body with room for so many graphs, and the scales of distances. */
scarce_status scarce__rank_start(scarce__rank **out, size_t dags, const scarce__rank_data *data,
                                 const scarce__rank_options *options, scarce_context *ctx, scarce_error *err);
scarce_status scarce__rank_member(scarce__dag *out, const scarce__rank_data *data,
                                  const scarce__rank_options *options, uint64_t member, scarce_context *ctx,
                                  scarce_error *err);

#endif
