/* SPDX-License-Identifier: Apache-2.0 */
/* What rules.c and rules_order.c share. */
#ifndef SCARCE_RANK_RULES_INSIDE_H
#define SCARCE_RANK_RULES_INSIDE_H

#include "rank/rules.h"

/* boxes[0..n) of one target: joins and drops until nothing changes; returns how many are left, in order. */
size_t scarce__boxes_join(scarce__box *boxes, size_t n, const scarce_schema *schema);
void scarce__box_drop(scarce__box *box, size_t condition);
void scarce__box_deinit(scarce__box *box);
int scarce__holds_everything(const scarce__condition *c, const scarce_schema *schema);

#endif
