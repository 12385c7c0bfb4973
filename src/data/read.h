/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the formats share: where a format is chosen, how labels become 0 and 1. */
#ifndef SCARCE_DATA_READ_H
#define SCARCE_DATA_READ_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "data/source.h"
#include "data/table.h"

/* Sizes of the pieces in which text is read. Results don't depend on them; tests make them tiny.
 * 0 means the usual size. */
typedef struct scarce__read_tuning {
    size_t first;      /* bytes of the very first piece, which settles most column types */
    size_t superblock; /* bytes of the later ones */
    size_t block;      /* bytes of one parallel task */
    size_t max_line;   /* a longer line is an error */
    int portable;      /* nonzero: no special instructions of the processor */
} scarce__read_tuning;

/* A line (from 1) of source `file` (from 0). Line 0: nowhere. */
typedef struct scarce__place {
    size_t file, line;
} scarce__place;

/* The label column while it is read: one code per row into the texts seen, -1 = missing.
 * first[c] is where text c appeared first. Zero-initialise, free with scarce__labels_deinit. */
typedef struct scarce__labels {
    int32_t *codes;
    scarce__dictionary texts;
    scarce__place *first;
    size_t first_capacity;
    size_t n_missing;
    scarce__place first_missing;
} scarce__labels;

void scarce__labels_deinit(scarce__labels *labels);
/* The code of the text (added if new, with its place), or -1 when memory is exhausted. */
int32_t scarce__labels_add(scarce__labels *labels, const char *text, size_t length, scarce__place place);

int scarce__usual_positive(const char *text); /* 1, +1, 1.0, true, positive */

/* Decides which text is the positive one and fills table->label, n_positives, schema.label (`name`),
 * .positive and .negative; table->n_rows must be set, labels->codes have one code per row. Texts that
 * are the same number ("1", "1.0", "+1") are one value. Training (o->schema NULL): two values are
 * needed (EDATA otherwise), or any number when o->positive is given. Scoring: the schema's positive
 * value (or o->positive) counts, all else is negative; a column that is missing throughout leaves the
 * table without label. A label missing in some rows only is EDATA, with the place of the first. Without
 * sources (NULL) the lines of places are rows from 1. */
scarce_status scarce__finish_label(scarce_table *table, const scarce__labels *labels, const char *name,
                                   scarce__source *const *sources, const scarce_read_options *o,
                                   scarce_error *err);

/* The readers fill a table that is all zero; when they fail the caller frees it. */
scarce_status scarce__read_libsvm(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                                  const scarce_read_options *o, const scarce__read_tuning *tuning,
                                  scarce_context *ctx, scarce_error *err);
scarce_status scarce__read_csv(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                               const scarce_read_options *o, const scarce__read_tuning *tuning,
                               scarce_context *ctx, scarce_error *err);
/* ARFF and KEEL (o->format says which). */
scarce_status scarce__read_arff(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                                const scarce_read_options *o, const scarce__read_tuning *tuning,
                                scarce_context *ctx, scarce_error *err);

/* scarce_table_read after the files are open; o is complete (no struct_size games), its format is
 * not AUTO. tuning may be NULL. */
scarce_status scarce__read_sources(scarce_table **out, scarce__source *const *sources, size_t n_sources,
                                   const scarce_read_options *o, const scarce__read_tuning *tuning,
                                   scarce_context *ctx, scarce_error *err);

#endif
