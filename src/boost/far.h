/* SPDX-License-Identifier: Apache-2.0 */
/* Training rows that lie elsewhere: in a file, on other machines. The loop of boost.c asks them for one thing, a pool:
 * the positives and some negatives drawn by how much they matter (interest.h), as codes, with the scores of all trees so
 * far. Between two pools nothing travels.
 *
 * What always holds: a pool depends on the rows, their numbers (ids) and the key alone, and is in the order of the ids;
 * so it is the very pool that boost.c draws from rows in memory that are numbered 0, 1, ... */
#ifndef SCARCE_BOOST_FAR_H
#define SCARCE_BOOST_FAR_H

#include "boost/loss.h"
#include "boost/rows.h"
#include "tree/forest.h"

typedef struct scarce__far_draw {
    const scarce__forest *trees; /* so far */
    const scarce__loss *loss;
    double base;   /* f_0 */
    uint64_t key;  /* of the coins */
    double wanted; /* negatives, on average */
    double floor;  /* of the interest, in means */
} scarce__far_draw;

struct scarce__far {
    size_t n_rows, n_positives;
    double class_weight[2]; /* of the negatives and of the positives, with the factors by class */
    const scarce__bins *bins;
    void *payload;
    /* Into the all-zero *out: codes in both layouts, labels, scores, weights, bag_weight. */
    scarce_status (*pool)(void *payload, scarce__part *out, const scarce__far_draw *draw, scarce_context *ctx,
                          scarce_error *err);
};

/* Can a loss learn from far rows? It must look at rows one by one to say what matters, and keep nothing. */
int scarce__far_serves(const scarce__loss *loss);

#endif
