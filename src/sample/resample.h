/* SPDX-License-Identifier: Apache-2.0 */
/* The table of resamplers. A resampler decides (a recipe: which rows stay, which are repeated or made up); one
 * driver makes the table of it. A new one is a file with one `const scarce__resampler`, a line below, and a line
 * in resample.c. Families share their means: neighbourhood.h (who disagrees with its neighbours), synthesis.h
 * (rows between rows). */
#ifndef SCARCE_SAMPLE_RESAMPLE_H
#define SCARCE_SAMPLE_RESAMPLE_H

#include <scarce/resample.h>

#include "core/context.h"
#include "core/param.h"
#include "data/rework.h"
#include "data/table.h"

/* The new table is the rows `keep`, then one row for each of `base`: a copy of that row, or, with `making`, what
 * is made up in its place (roles are those of the base row). */
typedef struct scarce__recipe {
    uint32_t *keep; /* ascending, no row twice; NULL: all rows */
    size_t n_keep;
    uint32_t *base;
    size_t n_base;
    scarce__making making; /* payload NULL: copies */
    void (*free_payload)(void *payload);
    int factor_holds; /* see scarce_resample_info */
} scarce__recipe;

void scarce__recipe_deinit(scarce__recipe *recipe);

/* The table has a label and rows of both classes. `options` is the struct of the resampler's `params`. *out is
 * empty; on failure the caller frees what is there. */
typedef scarce_status (*scarce__resample_fn)(scarce__recipe *out, const scarce_table *table,
                                             const void *options, scarce_context *ctx, scarce_error *err);

typedef struct scarce__resampler {
    const char *name;
    const char *summary;
    scarce__param_table params;
    scarce__resample_fn run;
    scarce__resample_fn then; /* a second recipe, for the table that the first one made; NULL: none */
} scarce__resampler;

extern const scarce__resampler scarce__resample_under, scarce__resample_over;
extern const scarce__resampler scarce__resample_tomek, scarce__resample_enn, scarce__resample_renn,
    scarce__resample_all_knn, scarce__resample_ncr;
extern const scarce__resampler scarce__resample_cnn, scarce__resample_oss;
extern const scarce__resampler scarce__resample_nearmiss_1, scarce__resample_nearmiss_2,
    scarce__resample_nearmiss_3;
extern const scarce__resampler scarce__resample_smote, scarce__resample_smote_nc, scarce__resample_adasyn;
extern const scarce__resampler scarce__resample_borderline_1, scarce__resample_borderline_2,
    scarce__resample_svm_smote;
extern const scarce__resampler scarce__resample_smote_enn, scarce__resample_smote_tomek;

/* Numbers of the rows of one class. NULL: out of memory. */
uint32_t *scarce__rows_of_class(const scarce_table *table, int positive);
/* How many positives have to be added for `ratio` per negative; EINVAL when no table holds them. */
scarce_status scarce__rows_to_add(size_t *out, const scarce_table *table, double ratio, scarce_error *err);
/* How many negatives there are to be for `ratio` positives per negative: from 1 to what there is. */
size_t scarce__rows_to_leave(const scarce_table *table, double ratio);
/* Keeps all rows but those that are marked. */
scarce_status scarce__keep_unmarked(scarce__recipe *out, const scarce_table *table, const uint8_t *gone,
                                    scarce_error *err);

/* What a specification does to a table. */
typedef struct scarce__resampled {
    scarce_table *table; /* NULL: nothing was to be done, the table is as wanted */
    uint8_t *synthetic;  /* one per row of it: 1 for copies and made-up rows */
    double odds_factor;
    int factor_holds;
    int spoilt; /* after a failure: the table that was to be changed in place is good for freeing only */
} scarce__resampled;

void scarce__resampled_deinit(scarce__resampled *resampled);
/* The same on the table itself (out->table stays NULL): memory holds one table. */
scarce_status scarce__resample_taken(scarce__resampled *out, scarce_table *table, const char *spec,
                                     scarce_context *ctx, scarce_error *err);
scarce_status scarce__resample(scarce__resampled *out, const scarce_table *table, const char *spec,
                               scarce_context *ctx, scarce_error *err);

#endif
