/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCARCE_SIMULATE_POKER_H
#define SCARCE_SIMULATE_POKER_H

#include <scarce/simulate.h>

typedef struct scarce__poker_options {
    int64_t rows;
    int hand; /* the name of the hand as a column too */
} scarce__poker_options;

/* Of five cards; suits 0 to 3, ranks 0 (ace) to 12 (king): 0 nothing to 9 royal flush. */
int scarce__poker_hand(const int *suit, const int *rank);

scarce_status scarce__poker_write(const scarce__poker_options *o, const char *path, const scarce_context *ctx,
                                  scarce_simulate_summary *summary, scarce_error *err);

#endif
