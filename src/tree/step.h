/* SPDX-License-Identifier: Apache-2.0 */
/* The one definition of which way a value goes at a node; the fast scorers must agree with it. */
#ifndef SCARCE_TREE_STEP_H
#define SCARCE_TREE_STEP_H

#include "tree/forest.h"

/* Whether a category's code is on the left. A code is cut to a whole number; negative ones, like those
 * beyond the set, count as "other". */
static inline int scarce__set_left(const uint32_t *set, uint32_t set_words, uint32_t flags, float x)
{
    if (x != x) return (flags & SCARCE__MISSING_LEFT) != 0;
    if (x >= 0 && (double)x < 32.0 * (double)set_words) {
        const uint32_t code = (uint32_t)x;
        return (int)(set[code / 32] >> (code % 32) & 1);
    }
    return (flags & SCARCE__OTHER_LEFT) != 0;
}

/* node is an inner node. */
static inline int scarce__node_left(const uint32_t *sets, const scarce__node *node, float x)
{
    if (node->flags & SCARCE__CATEGORY) { /* a forest whose sets are all empty has no words to point to */
        const uint32_t *set = node->set_words ? sets + node->set : sets;
        return scarce__set_left(set, node->set_words, node->flags, x);
    }
    if (x != x) return (node->flags & SCARCE__MISSING_LEFT) != 0;
    return x <= node->value;
}

#endif
