/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows a tree is grown on, and with what weight (see sampling.c). */
#ifndef SCARCE_BOOST_SAMPLING_H
#define SCARCE_BOOST_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

#include "boost/loss.h"

typedef enum scarce__sampling_kind {
    SCARCE__ROWS_ALL = 0,
    SCARCE__ROWS_UNIFORM,    /* `fraction` of the rows, without replacement */
    SCARCE__ROWS_STRATIFIED, /* `fraction` of each class */
    SCARCE__ROWS_CLASSES,    /* positive_fraction and negative_fraction */
    SCARCE__ROWS_BALANCED,   /* all positives, as many negatives */
    SCARCE__ROWS_RATIO,      /* all positives, negatives so that positives are `ratio` of the bag */
    SCARCE__ROWS_GOSS,       /* the `top` share by |g| h^1/2, `other` of the rest with weight */
    SCARCE__ROWS_MVS, /* minimal variance: `fraction` of the rows, by sqrt(g^2 + lambda h^2), with weight */
    SCARCE__ROWS_IMPORTANCE /* all positives, negatives with probability by their gradient, with weight */
} scarce__sampling_kind;

typedef struct scarce__sampling_options {
    scarce__sampling_kind kind;
    double fraction, positive_fraction, negative_fraction, ratio;
    int independent; /* each row by its own coin instead of a fixed number (uniform, stratified, classes) */
    int reweigh;     /* weight 1 / share, so that sums stay those of all rows (classes, balanced, ratio) */
    int keep;        /* trees a bag is kept; 0: 1, with importance 2 */
    double top, other;
    /* importance sampling */
    double per_positive;    /* negatives per positive */
    double floor;           /* of the interest, in means */
    double max_probability; /* of a negative; 0: 0.2, or 1 below 1000 positives */
    double pool_share;      /* of the rows, drawn first and kept together; 0: no pool */
    int pool_from; /* first tree with a pool; renewed when the number of trees is 9 times that, ... */
    double mvs_lambda;
} scarce__sampling_options;

#define SCARCE__SAMPLING_OPTIONS_INIT                                                                        \
    {                                                                                                        \
        SCARCE__ROWS_ALL, 0.5, 1, 0.1, 0.5, 0, 0, 0, 0.2, 0.1, 5, 0.3, 0, 0.2, 20, 0.1                       \
    }

typedef struct scarce__bag {
    size_t n;
    uint32_t *row; /* ascending, within the population drawn from */
    float *weight; /* NULL: 1 each. Multiplies g and h */
    /* kept from draw to draw: */
    size_t room;
    float *weight_room, *value;
} scarce__bag;

void scarce__bag_deinit(scarce__bag *bag);

/* What a bag is drawn from: all rows, or the pool. */
typedef struct scarce__population {
    size_t n;
    const uint32_t *id;   /* row numbers for the random stream; NULL: 0, 1, ... */
    const uint8_t *label; /* may be NULL (regression: then only all, uniform, goss) */
    const float *score;   /* up to date */
    const float *target;
    const float *case_weight; /* or NULL */
    const float *bag_weight;  /* 1 / probability of being in the pool; NULL: 1 */
} scarce__population;

/* EINVAL with the parameter at fault; also decides the defaults that depend on the data. An importance
 * sampling that would take most rows anyway (per_positive * P > 0.3 N) becomes `all`. */
scarce_status scarce__sampling_check(scarce__sampling_options *options, size_t n_positives,
                                     size_t n_negatives, const scarce__loss *loss, scarce_error *err);

int scarce__sampling_due(const scarce__sampling_options *options, size_t tree); /* a new bag */
int scarce__sampling_pool_due(const scarce__sampling_options *options,
                              size_t tree); /* a new pool, before it */

/* Draws the bag of a tree into `out`, which is empty (all zero) or of an earlier draw (pool: the pool itself,
 * from all rows). Depends on (seed, tree, row numbers) alone.
 */
scarce_status scarce__sampling_draw(scarce__bag *out, const scarce__sampling_options *options,
                                    const scarce__population *from, int pool, double n_all, uint64_t seed,
                                    uint64_t tree, const scarce__loss *loss, scarce_context *ctx,
                                    scarce_error *err);

#endif
