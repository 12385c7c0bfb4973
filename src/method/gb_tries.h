/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of `gb` trained without one part of the rows and judged on it, side by side (see gb_tries.c).
 *
 *     scarce__gb_tries t;
 *     scarce__gb_tries_new(&t, table, &candidates, err);
 *     scarce__gb_tries_run(&t, 1, &cancelled, ctx, err);     the next part, by all that run
 *     t.of[c].score[row], t.of[c].trees ... t.of[c].running = 0;
 *     scarce__gb_tries_deinit(&t);                           in any case */
#ifndef SCARCE_METHOD_GB_TRIES_H
#define SCARCE_METHOD_GB_TRIES_H

#include "method/gb_choose.h"

#define SCARCE__NO_PART UINT8_MAX /* of a row that isn't looked at */

/* What a candidate said so far. */
typedef struct scarce__gb_tried {
    float *score; /* of each row, by trees that did not see it; NaN: there are none */
    size_t trees[SCARCE__MOST_PARTS], n_parts;
    int running; /* takes part in what is run next */
} scarce__gb_tried;

typedef struct scarce__gb_tries {
    const scarce_table *table;
    scarce__gb_candidates from; /* with class weights that make up for rows that aren't looked at */
    uint8_t *part;              /* of each row */
    size_t n_parts;             /* that were run */
    size_t rarer;               /* rows of the rarer class that are looked at */
    scarce__gb_tried of[SCARCE__MOST_CANDIDATES];
} scarce__gb_tries;

/* Deals the rows. Errors: ENOMEM. */
scarce_status scarce__gb_tries_new(scarce__gb_tries *t, const scarce_table *table,
                                   const scarce__gb_candidates *from, scarce_error *err);
void scarce__gb_tries_deinit(scarce__gb_tries *t);

/* Each running candidate without each of the next n parts, as many at once as there are threads. A candidate that a part
 * can't judge has one part less. *cancelled: the progress callback asked to stop. Errors: ENOMEM. */
scarce_status scarce__gb_tries_run(scarce__gb_tries *t, size_t n, int *cancelled, scarce_context *ctx,
                                   scarce_error *err);

#endif
