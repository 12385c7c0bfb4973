/* SPDX-License-Identifier: Apache-2.0 */
/* The side that asks: questions to all partitions, and what comes of their answers. */
#ifndef SCARCE_FAR_ASK_H
#define SCARCE_FAR_ASK_H

#include "boost/far.h"
#include "far/message.h"
#include "far/plan.h"

enum { SCARCE__MOST_SEEN = 64 };

typedef struct scarce__asker {
    scarce__far far; /* for the loop; its payload is this */
    const scarce_plan *plan;
    const scarce_far *how;
    uint64_t run;
    double factor[2];
    double plain_weight[2];               /* of negatives and positives, without the factors */
    uint64_t seen[SCARCE__MOST_SEEN + 1]; /* the smallest hashes of rows */
    size_t n_seen;
    uint64_t questions, bytes_asked, bytes_answered; /* so far; a question counts once, whoever hears it */
    uint64_t rows_sent;
} scarce__asker;

/* Counts the rows: EDATA when they aren't those of the plan. factor: on the weights of negatives and positives. */
scarce_status scarce__asker_start(scarce__asker *out, const scarce_plan *plan, const scarce_far *how,
                                  const double factor[2], uint64_t run, scarce_context *ctx,
                                  scarce_error *err);

/* The scores of the highest rows, `most` and some more, in the double sums that a model gives, falling; weights as they are.
 * Both to be freed. */
scarce_status scarce__asker_top(double **score, uint8_t **label, double **weight, size_t *n,
                                scarce__asker *asker, const scarce__forest *trees, const scarce__loss *loss,
                                double most, scarce_context *ctx, scarce_error *err);

#endif
