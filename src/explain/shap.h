/* SPDX-License-Identifier: Apache-2.0 */
/* Shapley values of a forest, exact, prepared once.
 *
 *     scarce__shap *shap = NULL;
 *     if (scarce__shap_new(&shap, forest, err)) ...
 *     scarce__shap_row(shap, row, contribution, err);
 *     scarce__shap_free(shap);
 *
 * Path-dependent: what a row is expected to score when only the features of a set S are known is the walk
 * that follows the row at nodes of S and at all others takes both ways, by their shares of the training cover
 * (node.cover, else node.rows, else halves). base + sum of contributions = score, but for rounding (1e-12 of
 * the sum of the leaves' sizes). A prepared explainer is only read: any number of threads may use it, and it
 * doesn't need the forest any more. One row and many rows give the same bits, on every machine. */
#ifndef SCARCE_EXPLAIN_SHAP_H
#define SCARCE_EXPLAIN_SHAP_H

#include "tree/fast.h"
#include "tree/forest.h"

typedef struct scarce__shap scarce__shap;

enum { SCARCE__SHAP_PATH_MOST = 2048 };

/* The forest must have passed scarce__forest_check. With D distinct features on the longest path of a tree it
 * takes about 20 D bytes for each node (1 MB for 100 trees of 31 leaves), from D = 65 on some 150 whatever D
 * is, and then more time for each row. EUNSUPPORTED when D is above SCARCE__SHAP_PATH_MOST. */
scarce_status scarce__shap_new(scarce__shap **out, const scarce__forest *forest, scarce_error *err);
void scarce__shap_free(scarce__shap *shap);
size_t scarce__shap_bytes(const scarce__shap *shap);
double scarce__shap_base(const scarce__shap *shap);

/* contribution: n_features doubles, all written. Allocates only for trees whose depth times D is above some
 * hundreds; ENOMEM then, and nowhere else. Work arrays take at most some kilobytes for each level of the deepest
 * tree. */
scarce_status scarce__shap_row(const scarce__shap *shap, const float *row, double *contribution,
                               scarce_error *err);

/* Rows begin..begin+n-1 of the columns; out has n rows of n_features. ENOMEM. */
scarce_status scarce__shap_columns(const scarce__shap *shap, const scarce__columns *columns, size_t begin,
                                   size_t n, double *out, scarce_error *err);

/* For tests and measurements, as scarce__fast_set_level: 0 plain, 1 AVX2, 2 AVX-512. */
int scarce__shap_set_level(scarce__shap *shap, int level);

/* The share of a node's rows that goes to its left child. */
double scarce__shap_share(const scarce__node *left, const scarce__node *right);

/* Gauss-Legendre points and weights on (0, 1): exact for polynomials up to degree 2 n - 1. */
void scarce__quadrature(size_t n, double *point, double *weight);

#endif
