/* SPDX-License-Identifier: Apache-2.0 */
/* The table of resamplers. A resampler decides (a recipe: which rows stay, which are repeated or made up); one
 * driver makes the table of it. A new one is a file with one `const scarce__resampler`, a line below, and a line
 * in resample.c. */
#ifndef SCARCE_SAMPLE_RESAMPLE_H
#define SCARCE_SAMPLE_RESAMPLE_H

#include <scarce/resample.h>

#include "core/context.h"
#include "core/param.h"
#include "data/table.h"

/* The new table is the rows `keep`, then one row for each of `base`: a copy of that row, or, with `made`, the
 * made-up row in its place there (same features as the table; roles are those of the base row). */
typedef struct scarce__recipe {
    uint32_t *keep; /* ascending, no row twice; NULL: all rows */
    size_t n_keep;
    uint32_t *base;
    size_t n_base;
    scarce_table *made;
    int factor_holds; /* see scarce_resample_info */
} scarce__recipe;

void scarce__recipe_deinit(scarce__recipe *recipe);

typedef struct scarce__resampler {
    const char *name;
    const char *summary;
    scarce__param_table params;
    /* The table has a label and rows of both classes. `options` is the struct of `params`. *out is empty; on
     * failure the caller frees what is there. */
    scarce_status (*run)(scarce__recipe *out, const scarce_table *table, const void *options,
                         scarce_context *ctx, scarce_error *err);
} scarce__resampler;

extern const scarce__resampler scarce__resample_under;
extern const scarce__resampler scarce__resample_over;

/* What a specification does to a table. */
typedef struct scarce__resampled {
    scarce_table *table; /* NULL: nothing was to be done, the table is as wanted */
    uint8_t *synthetic;  /* one per row of it: 1 for copies and made-up rows */
    double odds_factor;
    int factor_holds;
} scarce__resampled;

void scarce__resampled_deinit(scarce__resampled *resampled);
/* The same on the table itself (out->table stays NULL): memory holds one table. */
scarce_status scarce__resample_taken(scarce__resampled *out, scarce_table *table, const char *spec,
                                     scarce_context *ctx, scarce_error *err);
scarce_status scarce__resample(scarce__resampled *out, const scarce_table *table, const char *spec,
                               scarce_context *ctx, scarce_error *err);

#endif
