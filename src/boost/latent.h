/* SPDX-License-Identifier: Apache-2.0 */
/* Non-linear boosting: trees h_t feed P representations, whose positive parts are weighed and added up.
 *
 *     F(x) = base + skip sum_t h_t(x) + sum_p a_p max(0, z_p(x)),    z_p(x) = sum_t alpha_tp h_t(x)
 *
 * Frery, Habrard, Sebban and He-Guelton: Non-linear gradient boosting for class-imbalance learning, LIDTA 2018
 * (PMLR 94). The trees and the base are a forest (tree/forest.h); here is the layer on top of it: what it is
 * (latent.c), and how it is learnt beside the trees, as a loss (loss_latent.c, latent_steps.c, latent_sweeps.c).
 *
 *     scarce__latent layer = {0};
 *     scarce__latent_options o = SCARCE__LATENT_OPTIONS_INIT;
 *     boost_options.loss = scarce__loss_latent(&o, &layer);          both outlive the training
 *     boost_options.grow.learning_rate = 1;                          leaves are h_t as they are
 *
 * What always holds:
 *  1. The layer has as many trees as the forest, also when that was cut back to the best.
 *  2. Scores of trained rows are float, those of a finished model double; both add trees in their order, the first in
 *     groups where rows are many (latent_inside.h). */
#ifndef SCARCE_BOOST_LATENT_H
#define SCARCE_BOOST_LATENT_H

#include "boost/loss.h"

enum { SCARCE__LATENT_MOST = 1000, SCARCE__LATENT_LEAVES = 256 }; /* representations; leaves of a tree */

typedef struct scarce__latent {
    size_t width; /* P */
    size_t n_trees, room;
    double skip;
    double *out;        /* P: a */
    double *in;         /* n_trees x P: alpha */
    double *importance; /* P: mean of |a_p max(0, z_p)| over some rows (003 eq. 10); 0 until it is known */
} scarce__latent;

scarce_status scarce__latent_init(scarce__latent *layer, size_t width, double skip, scarce_error *err);
void scarce__latent_deinit(scarce__latent *layer);
/* Room for one tree more, whose weights are 0; *in: where they are. */
scarce_status scarce__latent_add(scarce__latent *layer, double **in, scarce_error *err);
/* EPARSE: a number that isn't finite, too many representations, other trees than the forest has. */
scarce_status scarce__latent_check(const scarce__latent *layer, size_t n_trees, scarce_error *err);

/* z (P numbers, cleared first) and what skips them, from the values of the trees from `from` on: call it for
 * runs of trees in their order. */
void scarce__latent_feed(const scarce__latent *layer, size_t from, size_t n, const float *value, double *z,
                         double *skipped);
/* base + skipped + sum a_p max(0, z_p) */
double scarce__latent_score(const scarce__latent *layer, double base, const double *z, double skipped);
/* How alike representations are: the correlation of their weights over the trees (003 section 4.3), P x P. A
 * representation without spread has 0 with others and 1 with itself. */
void scarce__latent_correlation(const scarce__latent *layer, double *out);

/* ---- learning */

typedef enum scarce__latent_scheme { SCARCE__LATENT_SKIP = 0, SCARCE__LATENT_PAPER } scarce__latent_scheme;

typedef struct scarce__latent_options {
    scarce__latent_scheme scheme;
    size_t width;
    double skip; /* what a tree counts beside the representations; 0 with SCARCE__LATENT_PAPER */
    uint64_t seed;
    /* SCARCE__LATENT_SKIP: steps of Adam after each tree, their size, weight decay, and rows they look at */
    int steps;
    double rate, decay;
    size_t batch;
    /* SCARCE__LATENT_PAPER: sweeps of Newton steps after each tree, their damping and ridge */
    int passes;
    double damping, ridge;
} scarce__latent_options;

#define SCARCE__LATENT_OPTIONS_INIT                                                                          \
    {                                                                                                        \
        .scheme = SCARCE__LATENT_SKIP, .width = 20, .skip = 0.1, .seed = 1, .steps = 4, .rate = 0.002,       \
        .decay = 1e-3, .batch = 4096, .passes = 10, .damping = 1, .ridge = 1                                 \
    }

/* The logistic loss of F. Trees must see all rows and have at most SCARCE__LATENT_LEAVES leaves (EUNSUPPORTED). */
scarce__loss scarce__loss_latent(const scarce__latent_options *options, scarce__latent *layer);

/* Bytes beside those of boosting. */
double scarce__latent_memory(size_t rows, size_t valid_rows, size_t trees,
                             const scarce__latent_options *options);

#endif
