/* SPDX-License-Identifier: Apache-2.0 */
/* Rows with their scores, as learners of trees keep them: all training rows, a pool, a bag, validation rows.
 * Usable without the loop of boost.c: forests, cascades and other loops stand on the same parts.
 *
 *     scarce__part all = {0};
 *     scarce__part_fill(&all, &data, 1, 1, err);           label, target, weight; scores are not set
 *     all.codes = &binned->codes;
 *     scarce__part_start(&all, base);
 *     scarce__grown grown = {0};
 *     scarce__grown_add(&grown, tree, err);                takes the tree
 *     scarce__part_catch_up(&all, &grown, 0, ctx, err);    all trees since, at once
 *
 * What always holds:
 *  1. A score is the float sum f_0 + v_1 + v_2 ... + v_done in tree order, whichever way it was brought up to
 *     date (leaf lists, tiles, a walk): all give the same bits.
 *  2. `row` are numbers among the training rows, so random streams and row state don't depend on the part.
 *  3. A tree is kept as long as a part lacks it in its scores; trees below `kept_from` are gone.
 *  4. Rows that were made up are the last of a bag, and have no number (SCARCE__MADE_UP).
 *  5. weight of a bag = case weight x what the draws gave; a pool keeps the two apart (bag_weight). */
#ifndef SCARCE_BOOST_ROWS_H
#define SCARCE_BOOST_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "boost/loss.h"
#include "boost/sampling.h"
#include "core/context.h"
#include "tree/binned_tree.h"
#include "tree/bins.h"
#include "tree/layout.h"

typedef struct scarce__far scarce__far;

/* A binned table, to train several boosters on (folds, ensembles) without binning anew. */
typedef struct scarce__binned {
    scarce__bins bins;
    scarce__codes codes;
} scarce__binned;

/* rows NULL: all rows of the table. weight: per table row, for the quantiles; may be NULL. */
scarce_status scarce__binned_new(scarce__binned **out, const scarce_table *table, const uint32_t *rows,
                                 size_t n, const double *weight, const scarce__bin_options *options,
                                 scarce_context *ctx, scarce_error *err);
void scarce__binned_free(scarce__binned *binned);

typedef struct scarce__boost_data {
    const scarce_table *table;
    const uint32_t *rows; /* NULL: all rows of the table */
    size_t n_rows;
    const uint8_t *label; /* per table row; NULL: the table's */
    const float *target;  /* per table row, for regression losses; NULL: the label */
    const double *weight; /* per table row; NULL: the table's weight role, if it has one */
    const double
        *cost; /* of an error on the row, per table row; NULL: the table's cost role, if it has one */
    /* Training data only, and only when `rows` is NULL or what these bins were made of: borrowed, not
     * changed. NULL: bins are found here. */
    const scarce__binned *binned;
    /* Training data only: the rows are elsewhere (far.h), and nothing above is looked at. NULL: they are here. */
    const scarce__far *far;
} scarce__boost_data;

/* Trees in terms of codes, as long as some part needs them. */
typedef struct scarce__grown {
    scarce__binned_tree **tree;
    size_t n, kept_from, room;
} scarce__grown;

/* Takes the tree, also when it fails. */
scarce_status scarce__grown_add(scarce__grown *grown, scarce__binned_tree *tree, scarce_error *err);
void scarce__grown_drop(scarce__grown *grown, size_t below); /* trees that every part has in its scores */
void scarce__grown_deinit(scarce__grown *grown);

typedef struct scarce__part {
    const scarce__codes *codes;
    scarce__codes own;
    size_t n;
    uint32_t *row; /* in the training rows; NULL: 0, 1, ... */
    uint8_t *label;
    float *target, *weight, *score;
    float *bag_weight; /* pool: 1 / probability of being in it */
    float *cost;       /* of all rows, for losses that take costs; NULL: they are in the weights, or none */
    size_t done;       /* trees in the score */
} scarce__part;

void scarce__part_deinit(scarce__part *part);

/* What makes the weight of a row beside its own. */
typedef struct scarce__weighing {
    double positive, negative; /* factors by class */
    int costs_apart;           /* costs go to part->cost; else they are factors too */
} scarce__weighing;

/* Label, target and weight of the rows of a data set, room for scores; codes and scores are the caller's to
 * set. weighing NULL: weights and costs are left out. EDATA names a label that isn't 0 or 1, a target that
 * isn't finite, a weight or cost below 0. */
scarce_status scarce__part_fill(scarce__part *part, const scarce__boost_data *data,
                                const scarce__weighing *weighing, scarce_error *err);
void scarce__part_start(scarce__part *part, double base); /* every score = base */

scarce__loss_rows scarce__part_rows(const scarce__part *part);

/* Brings the scores of a part with tiles up to date for all trees there are. */
scarce_status scarce__part_catch_up(scarce__part *part, const scarce__grown *grown, int portable,
                                    scarce_context *ctx, scarce_error *err);

/* Adds one tree to the scores by walking each row: for a bag, which has no tiles. */
void scarce__part_walk(scarce__part *part, const scarce__binned_tree *tree);

/* The number of the node that row i falls into, of a part that has its rows together. */
size_t scarce__part_leaf(const scarce__part *part, size_t i, const scarce__binned_tree *tree);

/* leaf[r] = number of the node of the tree that row r falls into. By tiles where the part has them. */
scarce_status scarce__part_leaves(const scarce__part *part, const scarce__binned_tree *tree, uint32_t *leaf,
                                  int portable, scarce_context *ctx, scarce_error *err);

/* Copies the drawn rows of `from` together into `to`, whose room is used again: codes, labels, scores, and
 * weights. as_pool: with tiles, and the weights of the draw kept apart. */
scarce_status scarce__part_gather(scarce__part *to, const scarce__part *from, const scarce__bag *bag,
                                  int as_pool, scarce_context *ctx, scarce_error *err);

/* Rows that a sampler made up, as a bag takes them. */
typedef struct scarce__made {
    const scarce_table *table;     /* features of the training table, and labels */
    const float *weight;           /* per row; NULL: as its class */
    double pos_weight, neg_weight; /* factors on the weights of positives and negatives */
    double base;                   /* f_0 */
    const scarce__bins *bins;
} scarce__made;

/* Appends them to a gathered part: number SCARCE__MADE_UP, the score of all trees in `grown`, none of which
 * may be gone. */
scarce_status scarce__part_join(scarce__part *to, const scarce__made *made, const scarce__grown *grown,
                                int portable, scarce_context *ctx, scarce_error *err);

#endif
