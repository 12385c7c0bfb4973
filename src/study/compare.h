/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a comparison. */
#ifndef SCARCE_STUDY_COMPARE_H
#define SCARCE_STUDY_COMPARE_H

#include <stdint.h>

#include <scarce/study.h>

#include "study/protocol.h"

typedef struct scarce__cell {
    scarce_metrics metrics;
    double seconds;
    int done;
} scarce__cell;

typedef struct scarce__fold_size {
    size_t train_rows, train_positives, valid_rows, test_rows, test_positives;
} scarce__fold_size;

struct scarce_compare {
    size_t n_trained; /* the first of the contestants; the others are scores made elsewhere */
    size_t n_contestants;
    char **names;
    scarce__folds folds;
    scarce__fold_size *size; /* per fold */
    size_t distinct;         /* positives that are tested in one fold or more */
    scarce__cell *cells;     /* fold * n_contestants + contestant */
    size_t unfinished;       /* fits left when the caller stopped it */
};

/* Folds that can't be trained on, or not judged on: a few words, or NULL. */
const char *scarce__untrainable(const scarce__fold_size *size);

/* ---- results.c: the file that lets a comparison go on after an interruption */

/* What results depend on: the data, the options, the seed; not the list of methods or the repeats. */
uint64_t scarce__compare_fingerprint(const scarce_table *table, const scarce_compare_options *o,
                                     const scarce_context *ctx);
scarce_status scarce__results_append(const scarce_compare *c, const char *path, uint64_t fingerprint,
                                     size_t fold, size_t method, scarce_error *err);
/* Fills the cells whose result is there. Lines of other comparisons, and a last one that was cut off, are
 * left alone. A file that isn't there is no error. */
scarce_status scarce__results_load(scarce_compare *c, const char *path, uint64_t fingerprint,
                                   scarce_error *err);

/* ---- memory.c */

/* Bytes one fit of a specification takes at most, about. */
double scarce__memory_of_fit(const char *spec, const scarce_table *table, const scarce__fold_size *size,
                             int tuned);

/* ---- compare_run.c: all cells that are not done yet */
scarce_status scarce__compare_fill(scarce_compare *c, const scarce_table *table,
                                   const scarce_compare_options *o, scarce_context *ctx, scarce_error *err);

/* ---- compare_stats.c
 * Positives that would have to be tested, in all, for a two-sided test at 5 % to see the difference with
 * 80 %: difference[i] was seen on positives[i] of them. NaN below 3 folds or at no difference. */
double scarce__positives_needed(const double *difference, const double *positives, size_t n);

#endif
