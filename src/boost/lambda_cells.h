/* SPDX-License-Identifier: Apache-2.0 */
/* The list of lambdamart-ap in cells: between lambda_cells.c, which makes them, and loss_lambdamart.c, which
 * lets pairs of them pull at each other. */
#ifndef SCARCE_BOOST_LAMBDA_CELLS_H
#define SCARCE_BOOST_LAMBDA_CELLS_H

#include "boost/list.h"
#include "eval/rank.h"

enum { SCARCE__LAMBDA_STEPS = 8192 };

/* Cells of one class, best first. */
typedef struct scarce__lambda_side {
    size_t n;
    float *f, *x, *y, *w; /* mean score, mean X, mean -Y, weight */
    float *tie;           /* mean X in the worst order, for the pairs inside a cell */
    float *g, *h;         /* sums over the other class */
    uint32_t *cell;       /* number among all cells */
} scarce__lambda_side;

/* The rows between two scores. */
typedef struct scarce__lambda_score_step {
    double weight[2];
    uint32_t count[2];
} scarce__lambda_score_step;

typedef struct scarce__lambda_walk {
    double r, c, q; /* rank, positives so far, sum of 1/rank over them */
} scarce__lambda_walk;

typedef struct scarce__lambda_list {
    const scarce__loss_rows *rows;
    uint32_t *id;         /* of the sorted rows; NULL: all rows */
    scarce__ranking rank; /* of these; group_end becomes the ends of cells */
    size_t n_top;         /* cells of sorted rows; those of steps follow */
    size_t n_cells;
    float high, per_step;             /* step of a score: (high - score) * per_step */
    size_t part;                      /* rows of a part */
    scarce__lambda_score_step *steps; /* of all rows; NULL: all rows are sorted */
    double *weights;                  /* per part, class and step; NULL: rows weigh 1 */
    uint32_t *counts;                 /* per part, class and step: rows that weigh something */
    uint16_t *step;                   /* of each row */
    size_t first_step;                /* steps before this are sorted */
    uint32_t *cell_of;                /* step -> cell */
    double unit;                      /* positives / weight of the positives */
    double p;                         /* weight of the positives */
    scarce__lambda_walk at;
    scarce__lambda_side pos, neg;
    double *part_sums; /* [pair block][positive cell][2] */
    float *g, *h;
    double *score;
    int avx2;
} scarce__lambda_list;

/* The row at a place of the sorted ones. */
static inline uint32_t scarce__lambda_row(const scarce__lambda_list *k, size_t place)
{
    return k->id ? k->id[k->rank.order[place]] : k->rank.order[place];
}

/* The step of every row, the rows of each step, and how many of the first are to be sorted. */
scarce_status scarce__lambda_count_steps(scarce__lambda_list *k, scarce__pool *pool, scarce_error *err);
/* The rows to be sorted: k->id and k->score. */
scarce_status scarce__lambda_gather_top(scarce__lambda_list *k, size_t *n_top, scarce_error *err);
/* Joins groups of equal scores of the sorted rows to cells; returns their number. */
size_t scarce__lambda_join_groups(scarce__lambda_list *k);
/* Cells of the sorted rows, then those of steps: both sides must have room. */
void scarce__lambda_fill_sorted(scarce__lambda_list *k);
void scarce__lambda_fill_steps(scarce__lambda_list *k);

#endif
