/* SPDX-License-Identifier: Apache-2.0 */
/* The table of resamplers. A new one is a file with one `const scarce__resampler`, a line below, and a
 * line in resample.c. */
#ifndef SCARCE_SAMPLE_RESAMPLE_H
#define SCARCE_SAMPLE_RESAMPLE_H

#include <scarce/resample.h>

#include "core/context.h"
#include "core/param.h"
#include "data/table.h"

/* What a run makes. Empty at its start; on failure the caller frees what is there. */
typedef struct scarce__resampled {
    scarce_table *table;
    uint8_t *synthetic; /* one per row of the table */
    int exact;          /* see scarce_resample_info */
} scarce__resampled;

typedef struct scarce__resampler {
    const char *name;
    const char *summary;
    scarce__param_table params;
    /* The table has a label and rows of both classes. `options` is the struct of `params`. */
    scarce_status (*run)(scarce__resampled *out, const scarce_table *table, const void *options,
                         scarce_context *ctx, scarce_error *err);
} scarce__resampler;

extern const scarce__resampler scarce__resample_under;
extern const scarce__resampler scarce__resample_over;

/* The table of the given rows with its flags: a row is synthetic from position n_original on, and where
 * it repeats the one before it. Methods that make rows up pass the row each starts from, and overwrite
 * its values afterwards. */
scarce_status scarce__resample_rows(scarce__resampled *out, const scarce_table *table, const uint32_t *rows,
                                    size_t n, size_t n_original, scarce_context *ctx, scarce_error *err);

#endif
