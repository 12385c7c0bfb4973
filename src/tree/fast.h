/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring with a forest, prepared once.
 *
 *     scarce__fast *fast = NULL;
 *     if (scarce__fast_new(&fast, forest, err)) ...
 *     score = scarce__fast_one(fast, row);
 *     scarce__fast_batch(fast, rows, n, stride, scores);
 *     scarce__fast_free(fast);
 *
 * All calls give the bits of scarce__forest_walk. A prepared scorer is only read: any number of threads
 * may use it at once, and it doesn't need the forest any more. Which machine code runs is found out by
 * scarce__fast_new; it never changes a result. */
#ifndef SCARCE_TREE_FAST_H
#define SCARCE_TREE_FAST_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/table.h>

#include "data/columns.h"
#include "tree/forest.h"

typedef struct scarce__fast scarce__fast;

/* The forest must have passed scarce__forest_check. Takes about as much memory as the forest, and where no
 * tree has more than 64 leaves up to as much again, at least up to 4 MB, of mask tables for single rows.
 * Time: a few milliseconds for a hundred trees. */
scarce_status scarce__fast_new(scarce__fast **out, const scarce__forest *forest, scarce_error *err);
void scarce__fast_free(scarce__fast *fast);
size_t scarce__fast_bytes(const scarce__fast *fast); /* memory it holds */

/* One row of n_features floats. No allocation, no lock, bounded stack (about 6 KB). */
double scarce__fast_one(const scarce__fast *fast, const float *row);

/* n rows, the next one `stride` floats after the one before. Takes scratch memory for a tile of rows
 * (256 bytes for each distinct feature and missing direction; with large trees twice that, 64 bytes for each distinct
 * test near their roots, and 0.3 MB); when there is none it scores row by row. */
void scarce__fast_batch(const scarce__fast *fast, const float *rows, size_t n, size_t stride, double *out);

/* Rows begin..begin+n-1 of the columns (one per feature of the forest); out[0] belongs to row begin. */
void scarce__fast_columns(const scarce__fast *fast, const scarce__columns *columns, size_t begin, size_t n,
                          double *out);

/* All rows of a table (its features must be the forest's, EINVAL when their number differs) on the threads
 * of ctx (NULL: this one); out has one score per row. */
scarce_status scarce__fast_table(const scarce__fast *fast, const scarce_table *table,
                                 const scarce_context *ctx, double *out, scarce_error *err);

/* The trees apart, where something else than their sum is wanted: value[i] of tree `first` + i for one row; without
 * memory, lock or limit on the trees. And for n rows of columns (at most SCARCE__FAST_VALUES): value[t * n + i] of
 * every tree t; 0 without memory. */
enum { SCARCE__FAST_VALUES = 256 };
void scarce__fast_row_values(const scarce__fast *fast, const float *row, size_t first, size_t n,
                             float *value);
int scarce__fast_column_values(const scarce__fast *fast, const scarce__columns *columns, size_t begin,
                               size_t n, float *value);

size_t scarce__fast_features(const scarce__fast *fast);

/* For tests and measurements: the instruction set a scorer uses may be lowered. 0 plain, 1 AVX2,
 * 2 AVX-512; what the machine doesn't have is not raised. Returns the level now used. */
int scarce__fast_set_level(scarce__fast *fast, int level);

#endif
