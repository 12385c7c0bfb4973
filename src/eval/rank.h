/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of their scores, and which of them are equal. */
#ifndef SCARCE_EVAL_RANK_H
#define SCARCE_EVAL_RANK_H

#include <stddef.h>
#include <stdint.h>

#include "core/fail.h"
#include "core/pool.h"
#include "core/sort.h"

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

#endif
