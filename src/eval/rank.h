/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of their scores, and the sorting of plain keys under it. */
#ifndef SCARCE_EVAL_RANK_H
#define SCARCE_EVAL_RANK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/fail.h"
#include "core/pool.h"

/* A bijection from doubles to integers that keeps the order; -0 becomes 0. Not for NaN. */
static inline uint64_t scarce__ordered_bits(double x)
{
    uint64_t u;
    x += 0.0; /* -0 + 0 = 0 */
    memcpy(&u, &x, sizeof u);
    return u ^ (((uint64_t)0 - (u >> 63)) | (uint64_t)1 << 63);
}

static inline double scarce__from_ordered_bits(uint64_t u)
{
    double x;
    u ^= (u >> 63) ? (uint64_t)1 << 63 : ~(uint64_t)0;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Row order[0] has the highest score; equal scores keep the order of the rows. Group g of equal
 * scores is order[group_end[g-1]] .. order[group_end[g] - 1], where group_end[-1] stands for 0. */
typedef struct scarce__ranking {
    size_t n, n_groups;
    uint32_t *order;
    uint32_t *group_end;
} scarce__ranking;

/* n < 2^32 - 1. EDATA names the first row with a NaN. `what` is the noun of that message ("score").
 * 16 bytes per row while it works, 4 to 8 afterwards. */
scarce_status scarce__rank(scarce__ranking *out, const double *score, size_t n, const char *what,
                           scarce__pool *pool, scarce_error *err);
void scarce__ranking_deinit(scarce__ranking *r);

/* Sorts n keys ascending; tmp holds n more. Any number of threads gives the same. */
void scarce__sort_keys(uint64_t *keys, uint64_t *tmp, size_t n, uint32_t *counts, scarce__pool *pool);
/* How many uint32 `counts` must have. */
size_t scarce__sort_counts(const scarce__pool *pool, size_t n);

#endif
