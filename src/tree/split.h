/* SPDX-License-Identifier: Apache-2.0 */
/* The best split of one node on one feature (see split.c). */
#ifndef SCARCE_TREE_SPLIT_H
#define SCARCE_TREE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "tree/bins.h"
#include "tree/criterion.h"
#include "tree/histogram.h"

typedef struct scarce__split_node {
    scarce__totals total;
    const scarce__gh *cells;   /* the integer histogram, or */
    const scarce__ghd *cellsd; /* the floating one */
    const scarce__gh *counts;  /* or NULL */
    double unit_g, unit_h;     /* what an integer 1 is worth */
    double low, high;          /* bounds of the leaf values below, from monotone constraints */
    uint32_t id;               /* for random thresholds */
} scarce__split_node;

typedef struct scarce__split {
    double gain; /* by the criterion; -inf: none */
    int32_t used;
    uint32_t bin; /* numeric: bins up to this one go left */
    uint8_t missing_left, is_set;
    uint64_t set[4]; /* category: codes that go left */
    scarce__totals left;
} scarce__split;

/* Replaces *best when this feature has a better split. Searched in the order of the features this makes the
 * first maximum win, and within a feature the lowest bin. */
void scarce__split_search(scarce__split *best, const scarce__split_rules *rules, const scarce__bins *bins,
                          const scarce__hist_layout *layout, const scarce__split_node *node, uint32_t used);

#endif
