/* SPDX-License-Identifier: Apache-2.0 */
/* A coin for every row, whatever its place: a row of weight w is w rows.
 *
 * The coin of a row is hash(seed, tree, what the row holds, how many like it came before) < p, so neither the order of
 * the rows nor their numbers matter, and a copy is another coin. A row of weight w stands for w rows, so it has w coins,
 * those that its copies would have, and is kept with the share that came up: binomial(w, p) / w. What is left over of a
 * weight (the 0.4 of 2.4) has a coin of its own. Weights above 64 are cut into 64 equal parts: beyond that the share is
 * near p anyway. */
#ifndef SCARCE_BOOST_SAMPLING_COINS_H
#define SCARCE_BOOST_SAMPLING_COINS_H

#include "boost/sampling.h"

typedef struct scarce__coins {
    uint64_t *hash;  /* of each training row: its features and label */
    uint32_t *first; /* number of its first coin */
    float *parts;    /* its weight, in coins (cut at 64); NULL: one each */
} scarce__coins;

scarce_status scarce__coins_new(scarce__coins **out, const scarce__population *all, scarce_error *err);
void scarce__coins_free(scarce__coins *coins); /* takes NULL */

/* The share of training row `id` that is kept, 0 to 1, when each coin comes up below `limit`. */
float scarce__coins_kept(const scarce__coins *coins, size_t id, uint64_t key, uint64_t limit);

#endif
