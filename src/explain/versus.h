/* SPDX-License-Identifier: Apache-2.0 */
/* Shapley values of a forest against background rows (interventional): features outside of S have the values
 * of a background row, and the mean over the background is taken. No cover is needed, and features that no
 * tree uses get 0 even when they go along with others that are used.
 *
 * For one row x and one background row b a leaf counts only if each feature on its path is met by x or by b.
 * With p features that only x meets and q that only b meets, the leaf's value v adds
 *     v (p - 1)! q! / (p + q)!  to each of the p, and  -v p! (q - 1)! / (p + q)!  to each of the q.
 * A walk that goes both ways only where x and b part finds all such leaves; sums are brought up, so that a
 * node costs the same at any depth. */
#ifndef SCARCE_EXPLAIN_VERSUS_H
#define SCARCE_EXPLAIN_VERSUS_H

#include "tree/fast.h"
#include "tree/forest.h"

typedef struct scarce__versus scarce__versus;

/* The forest must outlive it and have passed scarce__forest_check; the background is copied. Time for a row:
 * the leaves found, times trees and background rows: some milliseconds for 100 trees and 100 rows. */
scarce_status scarce__versus_new(scarce__versus **out, const scarce__forest *forest,
                                 const scarce_table *background, scarce_error *err);
void scarce__versus_free(scarce__versus *versus);
/* Mean score of the background. */
double scarce__versus_base(const scarce__versus *versus);

/* Allocates scratch space (24 bytes per level and 9 per feature); ENOMEM. */
scarce_status scarce__versus_row(const scarce__versus *versus, const float *row, double *contribution,
                                 scarce_error *err);
scarce_status scarce__versus_columns(const scarce__versus *versus, const scarce__columns *columns,
                                     size_t begin, size_t n, double *out, scarce_error *err);

#endif
