/* SPDX-License-Identifier: Apache-2.0 */
/* Explaining scores of any additive model: score = base + sum over features of a contribution.
 *
 *     trees    Shapley values: path-dependent (shap.h), or against background rows (versus.h)
 *     latent   Shapley values of its trees, each weighed by what the layer above makes of it (explain_latent.c)
 *     linear   the model's own terms: weight * value and base = bias; with background rows each term minus
 *              its mean over them (which are the Shapley values), the means go into the base
 *
 * A kind of model makes a scarce__explain; everything else is common. */
#ifndef SCARCE_EXPLAIN_EXPLAIN_H
#define SCARCE_EXPLAIN_EXPLAIN_H

#include "boost/latent.h"
#include "core/context.h"
#include "linear/linear.h"
#include "tree/fast.h"
#include "tree/forest.h"

typedef struct scarce__explain scarce__explain;

/* What a kind has to give. Threads share `body`. */
typedef struct scarce__explain_calls {
    void (*free)(void *body);
    scarce_status (*row)(const void *body, const float *row, double *contribution, scarce_error *err);
    /* rows begin..begin+n-1, out: n x n_features */
    scarce_status (*columns)(const void *body, const scarce__columns *columns, size_t begin, size_t n,
                             double *out, scarce_error *err);
    size_t task_rows; /* rows that are work enough for a task */
} scarce__explain_calls;

/* Takes the body over, also when it fails. */
scarce_status scarce__explain_new(scarce__explain **out, size_t n_features, double base, void *body,
                                  const scarce__explain_calls *calls, scarce_error *err);
/* Forest and linear model must outlive the result. The background may be NULL; else its features are the
 * model's, and it is copied as far as it is needed. */
scarce_status scarce__explain_forest(scarce__explain **out, const scarce__forest *forest,
                                     const scarce_table *background, scarce_error *err);
scarce_status scarce__explain_linear(scarce__explain **out, const scarce__linear *linear,
                                     const scarce_table *background, scarce_error *err);
scarce_status scarce__explain_latent(scarce__explain **out, const scarce__forest *forest,
                                     const scarce__latent *layer, const scarce_table *background,
                                     scarce_error *err);
void scarce__explain_free(scarce__explain *e);

double scarce__explain_base(const scarce__explain *e);
size_t scarce__explain_features(const scarce__explain *e);
scarce_status scarce__explain_row(const scarce__explain *e, const float *row, double *contribution,
                                  scarce_error *err);

/* Rows begin..begin+n-1 of the columns, out: n x n_features. */
scarce_status scarce__explain_columns(const scarce__explain *e, const scarce__columns *columns, size_t begin,
                                      size_t n, double *out, scarce_error *err);

/* All rows of a table in row order, some at a time: value and contribution are n x n_features, valid during
 * the call; nonzero ends the whole with ECANCEL. */
typedef int (*scarce__explain_fn)(void *payload, size_t first, size_t n, const float *value,
                                  const double *contribution);
scarce_status scarce__explain_table(const scarce__explain *e, const scarce_table *table,
                                    scarce__explain_fn fn, void *payload, scarce_context *ctx,
                                    scarce_error *err);

#endif
