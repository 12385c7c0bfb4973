/* SPDX-License-Identifier: Apache-2.0 */
/* One inner tree of a ranking tree, on some of the rows: by every threshold there is (tree/exact.h) where the
 * table is small, by bins (tree/grow.h) where it is large. */
#ifndef SCARCE_RANK_INNER_TREE_H
#define SCARCE_RANK_INNER_TREE_H

#include "rank/merge.h"
#include "rank/rank.h"
#include "tree/binned_tree.h"
#include "tree/grow.h"

/* What is known of the rows in a node. */
typedef struct scarce__rank_sums {
    double weight, positive;
    uint64_t rows, positives;
} scarce__rank_sums;

typedef struct scarce__inner_tree {
    const scarce__rank_options *options;
    const scarce__rank_data *data;
    size_t n;          /* positions: rows of the data, as often as they are listed */
    int plain;         /* every row counts once, and is positive or not */
    scarce__bins bins; /* without exact thresholds, and so are codes, g, h (unless plain), grower */
    scarce__codes codes;
    scarce__grower *grower; /* NULL: exact */
    float *g, *h;
    uint8_t *mark;          /* exact: of the listed positions; else of all, or NULL: the labels do */
    const uint8_t *classes; /* by bins: of all positions */
    uint32_t *rows;         /* exact, of the listed positions: rows of the table */
    double *gd, *hd;
    /* the last tree: */
    scarce__binned_tree tree;
    uint32_t *leaf;          /* per position, of those that were listed */
    scarce__rank_sums *sums; /* per node, and what taking back needs */
    double *risk;
    uint32_t *top;
    size_t sums_capacity;
} scarce__inner_tree;

scarce_status scarce__inner_tree_init(scarce__inner_tree *in, const scarce__rank_data *data,
                                      const scarce__rank_options *options, scarce_context *ctx,
                                      scarce_error *err);
void scarce__inner_tree_deinit(scarce__inner_tree *in);

/* Grows a tree on positions list[0..n) (ascending), and fills tree, sums and leaf. Children have larger numbers
 * than their parent; a node that is taken back (feature -1) leaves its children unused. */
scarce_status scarce__inner_tree_grow(scarce__inner_tree *in, const uint32_t *list, size_t n, uint64_t index,
                                      scarce_context *ctx, scarce_error *err);

scarce__rank_sums scarce__inner_tree_sums(const scarce__inner_tree *in, const uint32_t *list, size_t n);

static inline uint32_t scarce__row_at(const scarce__rank_data *d, uint32_t position)
{
    return d->rows ? d->rows[position] : position;
}

#endif
