/* SPDX-License-Identifier: Apache-2.0 */
/* How the values of each feature were spread over the training rows, in a few ranges, so that later rows can be held
 * against them.
 *
 *     number    ten ranges between the deciles, and missing
 *     sparse    the same of what is listed, what isn't, and missing
 *     category  the twenty most frequent ones, all others, and missing
 *
 * Of at most 20,000 rows, an even sample (priority.h): enough to tell shares of a thousandth, and no cost beside a training. */
#ifndef SCARCE_DATA_PROFILE_H
#define SCARCE_DATA_PROFILE_H

#include "core/bytes.h"
#include "data/table.h"

enum {
    SCARCE__PROFILE_CUTS = 9,
    SCARCE__PROFILE_CATEGORIES = 20,
    SCARCE__PROFILE_BINS = 22,
    SCARCE__PROFILE_FEATURES = 2000,
    SCARCE__PROFILE_ROWS = 20000
};

typedef struct scarce__profile_column {
    uint32_t n; /* cuts, or categories */
    int sparse; /* zeros are what isn't listed */
    float cut[SCARCE__PROFILE_CUTS];
    uint32_t code[SCARCE__PROFILE_CATEGORIES];
    uint32_t rows[SCARCE__PROFILE_BINS]; /* ranges or categories; then others or unlisted; last missing */
} scarce__profile_column;

typedef struct scarce__profile {
    size_t n_features, n_rows; /* n_rows: looked at */
    scarce__profile_column *columns;
} scarce__profile;

/* *out is NULL for tables of more than 2,000 features. */
scarce_status scarce__profile_of(scarce__profile **out, const scarce_table *table, scarce_error *err);
/* Of the listed rows alone (NULL: the first n). */
scarce_status scarce__profile_of_rows(scarce__profile **out, const scarce_table *table, const uint32_t *rows,
                                      size_t n, scarce_error *err);
scarce_status scarce__profile_copy(scarce__profile **out, const scarce__profile *from,
                                   scarce_error *err); /* NULL stays NULL */
void scarce__profile_free(scarce__profile *p);

/* Population stability index of each feature of a table with the same features; NaN where it has no value. */
scarce_status scarce__profile_drift(double *psi, const scarce__profile *p, const scarce_table *table,
                                    scarce_error *err);

void scarce__profile_write(const scarce__profile *p, const scarce_schema *schema, scarce__writer *w);
/* r->failed for what is none; *out is to be freed all the same. */
scarce_status scarce__profile_read(scarce__profile **out, const scarce_schema *schema, scarce__reader *r,
                                   scarce_error *err);

/* sum over bins of (a - b) ln(a / b) of the shares of two counts, less what chance alone would give; at least 0. NaN when
 * one side has no rows. */
double scarce__psi(const double *a, const double *b, size_t bins);

#endif
