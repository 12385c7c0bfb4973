/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of many categories as numbers that trees can cut.
 *
 *     rate   (P + s q) / (N + s): the share of positives among rows with the same value, P of N, drawn towards the
 *            share q of all rows by s = 2 rows
 *     count  N
 *     order  the place of the value's text among all texts, where they are numbers or begin with one
 *            ("9", "10", "[20-30)"); missing where they aren't
 *
 * The same for pairs of columns, where asked for. In training a row must not see its own label: P and N are
 * those of the other four of five folds (drawn by row and seed, whole groups together), or where rows have times of
 * earlier rows: those at least `delay` older, whose labels were known by then. When scoring they are those of all training rows; a value never seen has N = 0.
 *
 * The numbers take the place of the columns: an encoder maps tables and rows to wider ones, whose features are
 * the columns kept and then the numbers. */
#ifndef SCARCE_ENCODE_ENCODE_H
#define SCARCE_ENCODE_ENCODE_H

#include "core/bytes.h"
#include "core/context.h"
#include "data/columns.h"
#include "data/table.h"

typedef struct scarce__encoder scarce__encoder;

enum {
    SCARCE__ENCODE_ABOVE = 30, /* categories: columns with more become numbers */
    SCARCE__ENCODE_PAIRED = 8  /* columns at most that are paired, those with most categories */
};

/* Has the table a column that would become numbers; how many? */
size_t scarce__encode_columns(const scarce_schema *schema);

#define SCARCE__ALL_PAIRS UINT32_MAX

/* What may be asked for. */
typedef struct scarce__encode_options {
    uint32_t pairs; /* bit k: the k-th pair of the columns that are paired, of 28 at most; 0: none */
    double delay;   /* of labels, in units of the time column; 0: known to whatever comes later */
    uint64_t seed;
} scarce__encode_options;

/* *train: the training rows encoded, for learning alone; it shares memory with `table` and the encoder, which must
 * outlive it. */
scarce_status scarce__encoder_new(scarce__encoder **out, scarce_table **train, const scarce_table *table,
                                  const scarce__encode_options *options, scarce_context *ctx,
                                  scarce_error *err);
void scarce__encoder_free(scarce__encoder *e);

/* What the encoded features are called, and of what kind they are. */
const scarce_schema *scarce__encoder_schema(const scarce__encoder *e);
size_t scarce__encoder_from(const scarce__encoder *e); /* features of the tables it takes */
/* The column that encoded feature f is made of; *second is the other one of a pair, else SIZE_MAX. */
size_t scarce__encoder_source(const scarce__encoder *e, size_t f, size_t *second);

/* Which pair it is of, SIZE_MAX: of none. */
size_t scarce__encoder_pair(const scarce__encoder *e, size_t f);

/* Rows to be scored: a table that shares memory with `table` and the encoder. */
scarce_status scarce__encoder_table(scarce_table **out, const scarce__encoder *e, const scarce_table *table,
                                    scarce_context *ctx, scarce_error *err);
/* One row: no allocation, no lock. */
void scarce__encoder_row(const scarce__encoder *e, const float *row, float *encoded);

void scarce__encoder_write(const scarce__encoder *e, scarce__writer *w);
/* EPARSE for whatever write did not write. */
scarce_status scarce__encoder_read(scarce__encoder **out, const scarce_schema *schema, scarce__reader *r,
                                   scarce_error *err);

#endif
