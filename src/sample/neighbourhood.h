/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows disagree with their neighbours, without finding all neighbours.
 *
 * A row disagrees when at least `others` of its k nearest rows are of the other class. That is so unless k - others
 * + 1 rows of its own class come before the others-th nearest row of the other class. So the nearest rows of the
 * other class are found first, which is cheap where that class is rare, and then rows of the own class are only
 * counted, up to that number: most rows have them at once. */
#ifndef SCARCE_SAMPLE_NEIGHBOURHOOD_H
#define SCARCE_SAMPLE_NEIGHBOURHOOD_H

#include "near/near.h"
#include "sample/resample.h"

/* The rows of a table that are still there, by class. */
typedef struct scarce__crowd {
    const scarce_table *table;
    scarce__space space;
    uint8_t *gone;     /* per row of the table */
    uint32_t *rows[2]; /* of the negatives, of the positives: ascending */
    size_t n[2];
} scarce__crowd;

/* All rows. scale: scarce__near_scale. */
scarce_status scarce__crowd_init(scarce__crowd *out, const scarce_table *table, int scale,
                                 scarce_context *ctx, scarce_error *err);
void scarce__crowd_deinit(scarce__crowd *crowd);
/* Takes what was marked in `gone` out of the lists; tells how many that were. */
size_t scarce__crowd_sweep(scarce__crowd *crowd);

/* The doubts of a class: what was found out, for repeated rounds. Begin with zeros. */
typedef struct scarce__doubts {
    size_t k, others;
    uint32_t *rival; /* per row of the class: the others-th nearest of the other class; UINT32_MAX: none */
    double *square;
    uint32_t *count;   /* rows of the own class before it, up to k - others + 1 */
    uint32_t *witness; /* these rows, k - others + 1 places each */
} scarce__doubts;

void scarce__doubts_deinit(scarce__doubts *doubts);
/* For the rows of class `positive` in crowd->rows, in their order: scarce__disagrees tells then. */
scarce_status scarce__doubts_find(scarce__doubts *out, const scarce__crowd *crowd, int positive, size_t k,
                                  size_t others, scarce_context *ctx, scarce_error *err);
static inline int scarce__disagrees(const scarce__doubts *d, size_t i)
{
    return d->rival[i] != UINT32_MAX && d->count[i] < d->k - d->others + 1;
}
/* After rows of the class were swept (none of the other class): only rows that lost a witness are looked at
 * again. `before` are the rows of the class for which `doubts` was found, n_before of them. */
scarce_status scarce__doubts_again(scarce__doubts *doubts, const scarce__crowd *crowd, int positive,
                                   const uint32_t *before, size_t n_before, scarce_context *ctx,
                                   scarce_error *err);

/* How many neighbours of the other class it takes for row to disagree: one (all), or the larger part of k (mode), a
 * draw counting for the negatives. */
size_t scarce__others_needed(int mode, size_t k, int positive);

/* ---- cleaning rules, also for those who go on from another method's result */

typedef struct scarce__tomek_options {
    int both; /* remove the positives of links too */
    int scale;
} scarce__tomek_options;

typedef struct scarce__enn_options {
    int64_t k;
    int mode; /* 0: all neighbours have to agree, 1: most of them */
    int both;
    int scale;
} scarce__enn_options;

scarce_status scarce__run_tomek(scarce__recipe *out, const scarce_table *table, const void *options,
                                scarce_context *ctx, scarce_error *err);
scarce_status scarce__run_enn(scarce__recipe *out, const scarce_table *table, const void *options,
                              scarce_context *ctx, scarce_error *err);

#define SCARCE__CLEAN_PARAM(type, field, def)                                                                \
    {                                                                                                        \
        "clean", "", SCARCE__CHOICE, offsetof(type, field), def, 0, 0, "negatives|both",                     \
            "which rows may be removed", NULL, NULL                                                          \
    }
#define SCARCE__KIND_PARAM(type, field)                                                                      \
    {                                                                                                        \
        "kind", "kind_sel", SCARCE__CHOICE, offsetof(type, field), "all", 0, 0, "all|mode",                  \
            "a row stays when all its neighbours are of its class, or most of them (mode)", NULL, NULL       \
    }

#endif
