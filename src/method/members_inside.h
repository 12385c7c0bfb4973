/* SPDX-License-Identifier: Apache-2.0 */
/* What members.c (learning) and members_sum.c (what becomes of them) share. */
#ifndef SCARCE_METHOD_MEMBERS_INSIDE_H
#define SCARCE_METHOD_MEMBERS_INSIDE_H

#include "method/members.h"

/* The sum, or the mean, of those among the first n members that have a body; they may lose it to the result. */
scarce_status scarce__members_sum(const scarce__kind **kind, void **body, scarce__members *m, size_t n,
                                  int average, scarce_error *err);

/* The scores of a member, without its shift. */
scarce_status scarce__member_score(double *score, const scarce__member *m, const scarce_table *table,
                                   scarce_context *ctx, scarce_error *err);

/* What a draw says, as a table of its own. */
scarce_status scarce__member_table(scarce_table **out, const scarce_table *table,
                                   const scarce__classes *classes, const scarce__drawn *drawn,
                                   scarce_context *ctx, scarce_error *err);

/* The state of a checkpoint of what is there. */
scarce_status scarce__members_state(uint8_t **state, size_t *n, const scarce__members *m, scarce_error *err);

#endif
