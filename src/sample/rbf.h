/* SPDX-License-Identifier: Apache-2.0 */
/* A support vector machine with the kernel exp(-gamma d^2), small and exact, for svm-smote:
 *
 *     min 1/2 sum_ij a_i a_j y_i y_j K_ij - sum_i a_i,   0 <= a_i <= C,   sum_i y_i a_i = 0
 *
 * by sequential minimal optimisation, pairs chosen by second order (Fan, Chen and Lin, Working set selection using
 * second order information, JMLR 2005), to the tolerance 1e-3 that is usual. d is the distance of near.h, so
 * categories and missing values have their place; a kernel that is not quite positive is held by a floor. The whole
 * matrix is kept, 4 bytes a pair: it is for a few thousand rows. */
#ifndef SCARCE_SAMPLE_RBF_H
#define SCARCE_SAMPLE_RBF_H

#include "near/near.h"

enum { SCARCE__RBF_MOST_ROWS = 4000 };
#define SCARCE__RBF_TOLERANCE 1e-3

typedef struct scarce__rbf {
    const scarce__space *space;
    const scarce_table *table;
    uint32_t *rows;
    double *alpha; /* of a row, with the sign of its label */
    size_t n;      /* rows with alpha other than 0 */
    double gamma, bias;
} scarce__rbf;

/* On n rows of both classes, n at most SCARCE__RBF_MOST_ROWS. Space and table are borrowed. */
scarce_status scarce__rbf_train(scarce__rbf *out, const scarce__space *space, const scarce_table *table,
                                const uint32_t *rows, size_t n, double c, double gamma, scarce_context *ctx,
                                scarce_error *err);
void scarce__rbf_deinit(scarce__rbf *model);
/* sum_i a_i y_i K(x_i, x) + bias; above 0: positive. */
double scarce__rbf_score(const scarce__rbf *model, size_t row);

/* The rows to learn from: the positives (at most half of what is allowed, evenly taken) and the nearest negatives
 * of each, as many as are allowed; all rows where they fit. *n of them, ascending. */
scarce_status scarce__rbf_rows(uint32_t **out, size_t *n, const scarce__space *space,
                               const scarce_table *table, scarce_context *ctx, scarce_error *err);

#endif
