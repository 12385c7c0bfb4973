/* SPDX-License-Identifier: Apache-2.0 */
/* Metric learning: a matrix M (d x d, symmetric, no negative eigenvalue) for the distance (x - y)' M (x - y), from labelled
 * points (embed.h). One function each; formulas stand at the top of their files.
 *
 *     mlfp    001 ch. 3: only towards positives, 0 <= M <= 1       metric_mlfp.c
 *     gmml    geometric mean of two scatter matrices, closed form  metric_gmml.c
 *     itml    LogDet projections onto pairs                        metric_itml.c
 *     lmnn    large margins between target neighbours and impostors    metric_lmnn.c
 *     imbml   pairs of each class weighted by their own number     metric_imbml.c
 *
 * Weights of rows enter gmml; for the others all rows count once (and by their weight when they vote), so they are given
 * distinct rows (method_near.h). Results are the same with any number of threads. */
#ifndef SCARCE_NEAR_METRIC_H
#define SCARCE_NEAR_METRIC_H

#include <stdint.h>

#include "core/context.h"

typedef struct scarce__points {
    const double *z; /* n x d */
    const uint8_t *label;
    size_t n, d;
    const double *weight; /* NULL: 1 */
} scarce__points;

typedef struct scarce__mlfp_options {
    size_t k;      /* neighbours of each class in triplets; at least 1 */
    double mu;     /* weight of |M - I|^2 */
    double c;      /* the margin is 1 - c */
    int full, all; /* a full matrix, not a diagonal one; all triplets, not those of neighbours */
    double tolerance;
    size_t most_steps;
} scarce__mlfp_options;

/* M is d x d in any case. *value: what was minimised. ENOMEM; ECANCEL. */
scarce_status scarce__metric_mlfp(double *m, double *value, const scarce__points *p,
                                  const scarce__mlfp_options *o, scarce_context *ctx, scarce_error *err);
/* The same in two steps, for several mu: triplets once, then a fit that begins at m; roughly: enough to compare mu. Points
 * and options are borrowed. */
typedef struct scarce__mlfp scarce__mlfp;
scarce_status scarce__mlfp_new(scarce__mlfp **out, const scarce__points *p, const scarce__mlfp_options *o,
                               scarce_context *ctx, scarce_error *err);
scarce_status scarce__mlfp_fit(scarce__mlfp *s, double mu, int roughly, double *m, double *value,
                               scarce_context *ctx, scarce_error *err);
void scarce__mlfp_free(scarce__mlfp *s);
/* The function and its (sub)gradient at M, for tests. gradient is d x d (a diagonal one: off the diagonal 0). */
scarce_status scarce__mlfp_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                 const scarce__mlfp_options *o, scarce_context *ctx, scarce_error *err);

scarce_status scarce__metric_gmml(double *m, const scarce__points *p, double t, double regular,
                                  scarce_context *ctx, scarce_error *err);

/* Pairs of points: the first n_similar should be near, the others far. */
typedef struct scarce__itml_pairs {
    const uint32_t *a, *b;
    size_t n, n_similar;
    double near, far; /* bounds of the squared distances */
} scarce__itml_pairs;
scarce_status scarce__itml_project(double *m, const scarce__points *p, const scarce__itml_pairs *pairs,
                                   double gamma, double tolerance, size_t most_rounds, scarce_error *err);
/* n_pairs of each sort drawn at random; bounds at the 5th and 95th percentile of squared distances. */
scarce_status scarce__metric_itml(double *m, const scarce__points *p, size_t n_pairs, double gamma,
                                  double tolerance, size_t most_rounds, scarce_context *ctx,
                                  scarce_error *err);

typedef struct scarce__lmnn_options {
    size_t k;
    double mu; /* weight of the push against the pull */
    double tolerance;
    size_t most_steps;
} scarce__lmnn_options;
scarce_status scarce__metric_lmnn(double *m, double *value, const scarce__points *p,
                                  const scarce__lmnn_options *o, scarce_context *ctx, scarce_error *err);
scarce_status scarce__lmnn_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                 const scarce__lmnn_options *o, scarce_context *ctx, scarce_error *err);

typedef struct scarce__imbml_options {
    size_t k;
    double margin, lambda, share; /* m, lambda, a */
    double tolerance;
    size_t most_steps;
} scarce__imbml_options;
scarce_status scarce__metric_imbml(double *m, double *value, const scarce__points *p,
                                   const scarce__imbml_options *o, scarce_context *ctx, scarce_error *err);
scarce_status scarce__imbml_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                  const scarce__imbml_options *o, scarce_context *ctx, scarce_error *err);

/* ---- what they share (metric.c) */

/* The k nearest points of a class to each point (itself left out), Euclidean: n x k, UINT32_MAX where there are fewer. */
scarce_status scarce__metric_neighbours(uint32_t **out, const scarce__points *p, size_t k, int label_of_point,
                                        int same, scarce_context *ctx, scarce_error *err);

/* Something to be minimised over symmetric matrices with eigenvalues from 0 to `most` (INFINITY: no bound), or over
 * diagonal ones. */
typedef struct scarce__metric_problem {
    void *payload;
    size_t d;
    int diagonal;
    double most;
    scarce_status (*value)(void *payload, const double *m, double *value, double *gradient,
                           scarce_error *err);
} scarce__metric_problem;
/* Projected gradient with Barzilai-Borwein steps, halved until the value falls; begins at m. Stops when three times in a row m
 * moves less than tolerance, or the value falls by less than this share. */
scarce_status scarce__metric_minimise(double *m, double *value, const scarce__metric_problem *problem,
                                      double tolerance, size_t most_steps, scarce_context *ctx,
                                      scarce_error *err);

/* L with L'L = M: where all eigenvalues count, the symmetric root of M (which is unique: equal eigenvalues have no axes of
 * their own); else its rows are sqrt(eigenvalue) x eigenvector, those of (nearly) 0 left out. NULL: out of memory. *n_out
 * at least 1. */
double *scarce__metric_map(const double *m, size_t d, size_t *n_out);

#endif
