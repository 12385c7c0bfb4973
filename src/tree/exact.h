/* SPDX-License-Identifier: Apache-2.0 */
/* Growing a tree over sorted values, with every threshold the data allow (see exact.c). For tables up to some
 * 50,000 rows; larger ones are for grow.h, which it serves as an oracle.
 *
 * It takes the options of grow.h. Both limits, max_leaves and max_depth, may be 0: then the tree grows until
 * the criterion or the rules stop it. Monotone constraints, groups of features and random thresholds are
 * refused; rounding, histogram_double and pool_bytes say nothing here. */
#ifndef SCARCE_TREE_EXACT_H
#define SCARCE_TREE_EXACT_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/table.h>

#include "core/context.h"
#include "tree/binned_tree.h"
#include "tree/grow.h"

typedef struct scarce__exact scarce__exact;

/* Copies and sorts `n` rows of the table (rows NULL: all, n ignored; a row may be listed more than once),
 * once for all trees. The table may go afterwards. */
scarce_status scarce__exact_new(scarce__exact **out, const scarce_table *table, const uint32_t *rows,
                                size_t n, const scarce__grow_options *options, scarce_context *ctx,
                                scarce_error *err);
void scarce__exact_free(scarce__exact *exact);

/* About what it takes, scratch of sorting included. */
size_t scarce__exact_bytes(size_t n_features, size_t n, int threads);

/* What a tree learns from, by the position of a row in the list: g and h as float or as double (h < 0 counts
 * as 0), mark as in grow.h, and how many times the row counts (a bootstrap; 0: it has no part; NULL: once).
 */
typedef struct scarce__exact_rows {
    const float *g, *h;
    const double *g_double, *h_double; /* where g is NULL */
    const uint8_t *mark;
    const uint32_t *times;
} scarce__exact_rows;

/* Grows a tree: its nodes and sets; there are no codes, so out->tests is left empty. `index` numbers the tree
 * (random streams). ENUMERIC when a gradient isn't finite. */
scarce_status scarce__exact_tree(scarce__exact *exact, scarce__binned_tree *out,
                                 const scarce__exact_rows *rows, uint64_t index, scarce_context *ctx,
                                 scarce_error *err);

/* leaf[i] = node number of the leaf of row i in the last tree, also of rows that had no part in it. */
void scarce__exact_leaves(const scarce__exact *exact, uint32_t *leaf);

#endif
