/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table key by key: each key's rows together, in their order, with what sums are made of in 32 bits. */
#ifndef SCARCE_FEATURE_GROUP_H
#define SCARCE_FEATURE_GROUP_H

#include "feature/batch.h"

/* Values of a group are below 2^31, or it is marked as wide. */
#define SCARCE__SMALL_MISSING INT32_MIN
#define SCARCE__SMALL_LOWEST (INT32_MIN + 1)

typedef struct scarce__groups {
    size_t n;        /* groups: group 0 holds the rows without a key */
    uint32_t *begin; /* n + 1 of them: group g has the places begin[g], ..., begin[g + 1] - 1 */
    uint8_t *wide;   /* [group]: a value doesn't fit */
    uint32_t *place; /* [row] */
    int32_t *time;   /* [place], since the base */
    int32_t *values; /* [value of the kind * rows + place] */
    uint8_t missing[SCARCE__FEATURE_COLUMNS]; /* [value]: some are */
} scarce__groups;

/* Of kind `kind`; times are counted from `base`. 0: out of memory, and nothing is left behind. */
int scarce__groups_make(scarce__groups *g, const scarce__batch *b, size_t kind, int64_t base);
void scarce__groups_deinit(scarce__groups *g);
/* The first group that begins at `place` or behind it; n where there is none. */
size_t scarce__groups_from(const scarce__groups *g, size_t place);

#endif
