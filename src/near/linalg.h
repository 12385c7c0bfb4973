/* SPDX-License-Identifier: Apache-2.0 */
/* Small symmetric matrices, row by row in doubles. LAPACK chooses its kernels by the processor, which would give a model other
 * bytes on another machine; here every sum has one order. Good for up to some hundred dimensions. */
#ifndef SCARCE_NEAR_LINALG_H
#define SCARCE_NEAR_LINALG_H

#include <stddef.h>

/* Eigenvalues (descending) and eigenvectors of a symmetric matrix by Jacobi's rotations, row after row until what is
 * beside the diagonal is 1e-15 of the whole (Golub and Van Loan, section 8.5). a (d x d) is destroyed; vector: row i is the
 * eigenvector of value[i], of length 1, its largest component positive. About 30 d^3 operations. */
void scarce__eigen(double *a, double *value, double *vector, size_t d);
/* The same several times as fast, to 1e-14 of the largest; signs of vectors are as they come. room: 3 d. */
void scarce__eigen_quick(double *a, double *value, double *vector, double *room, size_t d);

/* out = V' f(values) V for the rows V of `vector`: f is given as the new values. out may not be vector. */
void scarce__eigen_compose(double *out, const double *value, const double *vector, size_t d);

/* out = a b, all d x d; out is neither. */
void scarce__multiply(double *out, const double *a, const double *b, size_t d);

/* Lower Cholesky factor in place (above the diagonal is left); 0: not positive definite. */
int scarce__cholesky(double *a, size_t d);

#endif
