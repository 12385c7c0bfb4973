/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols as text to plans of folds. A plan is small; the lists of rows of a fold are made when they are
 * asked for, so that a thousand folds of a million rows cost nothing while they wait. */
#ifndef SCARCE_STUDY_PROTOCOL_H
#define SCARCE_STUDY_PROTOCOL_H

#include "data/table.h"

/* One fold. `valid` is empty where the protocol has no part for it. */
typedef struct scarce__fold {
    uint32_t *train, *valid, *test; /* ascending rows */
    size_t n_train, n_valid, n_test;
} scarce__fold;

typedef enum scarce__protocol_kind {
    SCARCE__PROTOCOL_HOLDOUT,
    SCARCE__PROTOCOL_CV,
    SCARCE__PROTOCOL_WINDOWS
} scarce__protocol_kind;

typedef struct scarce__folds {
    scarce__protocol_kind kind;
    size_t count;
    size_t skipped;                              /* windows without rows to train on, or to test: no folds */
    double fraction;                             /* holdout */
    size_t k;                                    /* cv */
    double train, valid, gap, test, step, first; /* windows, in the units of time */
    double last;                                 /* the latest row */
    int latest;                                  /* one window, which ends with the last row */
    int expanding;                               /* training begins at the first row */
    int purge;
    double *known_from; /* purge: per group the time of its first positive, INFINITY: none */
    size_t *window;     /* fold -> number of the window */
    uint32_t *order;    /* windows: rows that have a time, by time and then by number */
    double *at;         /* windows: their times */
    size_t n_timed;
} scarce__folds;

void scarce__folds_deinit(scarce__folds *folds);

/* EINVAL for a text that is no protocol, EDATA when the table lacks what it needs or no fold fits. */
scarce_status scarce__folds_make(scarce__folds *out, const scarce_table *table, const char *protocol,
                                 size_t repeats, int purge_known, const scarce_context *ctx,
                                 scarce_error *err);

/* Where the parts of a fold lie in time: train [from, train_end), valid [train_end, valid_end), test
 * [test_from, test_end). All NaN unless the protocol goes by time. */
typedef struct scarce__fold_times {
    double from, train_end, valid_end, test_from, test_end;
} scarce__fold_times;

scarce__fold_times scarce__fold_when(const scarce__folds *folds, size_t i);

/* The rows of fold i of a plan that was made of the same table with the same seed. */
scarce_status scarce__fold_rows(scarce__fold *out, const scarce__folds *folds, const scarce_table *table,
                                size_t i, const scarce_context *ctx, scarce_error *err);
void scarce__fold_deinit(scarce__fold *fold);

#endif
