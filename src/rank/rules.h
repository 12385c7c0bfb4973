/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a graph as conditions: for each leaf (or inner tree) the boxes of values that lead there.
 *
 * A path asks the same feature several times; what is left of it is one condition per feature. Paths that
 * contradict themselves are no paths. Boxes of one target that differ in one feature are made one where their
 * union is a box again, until none is left to join; a condition that holds of everything goes. What is left
 * describes exactly the rows that reach the target. */
#ifndef SCARCE_RANK_RULES_H
#define SCARCE_RANK_RULES_H

#include "rank/rank.h"

/* Numeric: low < x <= high, which is nothing where low >= high. Category: the codes in `set`. And whether a
 * missing value, or a category that isn't known, passes. */
typedef struct scarce__condition {
    uint32_t feature;
    uint8_t category, missing, other;
    float low, high;
    uint32_t *set; /* words for all categories; NULL for numbers */
    uint32_t words, categories;
} scarce__condition;

enum { SCARCE__TO_TREE = INT32_MIN }; /* target of a box: a leaf, or SCARCE__TO_TREE + its first test */

typedef struct scarce__box {
    int32_t target;
    size_t n;
    scarce__condition *conditions; /* in the order of the features */
} scarce__box;

typedef struct scarce__rules {
    size_t steps; /* that finding them took */
    size_t n, capacity;
    scarce__box
        *boxes; /* by target: leaves first, then trees; among those of one target as paths are, left first */
} scarce__rules;

/* All boxes from node `from`; local: those of its inner tree alone. EUNSUPPORTED when there are more than can be
 * read or worked off. */
scarce_status scarce__rules_of(scarce__rules *out, const scarce__dag *dag, const scarce_schema *schema,
                               uint32_t from, int local, scarce_error *err);

/* Makes rules shorter that are read from the top: of the rows that no leaf above takes, the boxes of a leaf hold of
 * those that reach it and of no others; what they say of rows above is left open. The last leaf's is "any". rules:
 * of all leaves, as scarce__rules_of left them. Where there are too many to compare they stay as they are. */
void scarce__rules_order(scarce__rules *rules, const scarce_schema *schema);

/* For people: of features that no training row lacked (missing[f] is 0) it is left open where a row without a value
 * goes, and ways that only such rows take are left out. NULL: nothing is known, nothing changes. */
void scarce__rules_forget_missing(scarce__rules *rules, const scarce_schema *schema, const float *missing);

void scarce__rules_deinit(scarce__rules *rules);

/* Whether a row is in the box: the oracle of tests. */
int scarce__box_holds(const scarce__box *box, const float *row);

#endif
