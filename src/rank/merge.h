/* SPDX-License-Identifier: Apache-2.0 */
/* How the leaves of an inner tree become the two sides of a node of the meta-tree. */
#ifndef SCARCE_RANK_MERGE_H
#define SCARCE_RANK_MERGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct scarce__mass {
    double positive, negative;
} scarce__mass;

/* order[0..n) becomes the leaves, the most enriched first, equal ones in their order; returns how many of them
 * form the left side (n: there is no right one). */
size_t scarce__merge_ap(uint32_t *order, const scarce__mass *leaf, size_t n);
size_t scarce__merge_roc(uint32_t *order, const scarce__mass *leaf, size_t n);

#endif
