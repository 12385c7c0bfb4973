/* SPDX-License-Identifier: Apache-2.0 */
/* The splits inside a training part that tuning judges settings on.
 *
 * With rare positives one split is a lottery, so there are as many as it takes to judge on 100 positives in
 * all: folds of a cross-validation (at most two rounds of it), or with a time role the latest rows, then
 * those before them, and so on, each with all that is older to train on (at most 3). Where there are fewer
 * than 4 splits, the rows that judge are dealt into blocks as well, so that there is a spread to take an
 * error from. */
#ifndef SCARCE_STUDY_INNER_H
#define SCARCE_STUDY_INNER_H

#include <scarce/study.h>

#include "data/table.h"

typedef struct scarce__inner_split {
    scarce_split rows;          /* of the table; empty where the rows that judge were given */
    scarce_table *train, *test; /* kept where memory allows; NULL: gathered for every fit */
    const scarce_table *given;  /* the rows that judge, given by the caller */
    size_t n_train, n_test;
    uint8_t *block; /* per row that judges; NULL: all one */
    void *
        shared; /* of the rows that train: what fits need not make anew (scarce__train_share); NULL: nothing */
} scarce__inner_split;

typedef struct scarce__inner {
    const scarce_table *table;
    scarce__inner_split *splits;
    size_t count;
    size_t blocks;  /* of each split, 1: none */
    double sharing; /* rows that judge for each that trains, where splits share rows; else 0 */
} scarce__inner;

enum { SCARCE__INNER_BLOCKS = 8 };

scarce_status scarce__inner_make(scarce__inner *out, const scarce_table *table, const scarce_tune_options *o,
                                 scarce_context *ctx, scarce_error *err);
void scarce__inner_deinit(scarce__inner *inner);

/* The metric of split k for scores of its rows that judge: value[0] of all, value[1..blocks] of each block, or with
 * `roughly`, where nobody will ask for an error, of all again. The probabilities may be NULL where the metric
 * doesn't look at them. */
typedef struct scarce__judging {
    size_t metric;
    double threshold;
    int roughly;
} scarce__judging;
scarce_status scarce__inner_judge(double *value, const scarce__inner *inner, size_t k,
                                  const scarce_table *test, const double *score, const double *probability,
                                  const scarce__judging *how, scarce_context *ctx, scarce_error *err);
int scarce__wants_probabilities(size_t metric);

#endif
