/* SPDX-License-Identifier: Apache-2.0 */
/* A first look at a text file: how its lines, fields and numbers are written. */
#ifndef SCARCE_DATA_LOOK_H
#define SCARCE_DATA_LOOK_H

#include "data/decode.h"
#include "data/table.h"

typedef struct scarce__look {
    scarce__encoding encoding;
    int cr; /* lines end with a carriage return alone */
    char separator;
    char decimal;      /* '.' or ',' */
    int decimal_sure;  /* asked for, or shown by the numbers of the first lines */
    char mixed[2][48]; /* numbers that can't have the same decimal sign; empty: none seen */
    size_t n_columns;
    uint8_t *is_long; /* per column: whole numbers that are names, not quantities; NULL: no such column */
} scarce__look;

void scarce__look_deinit(scarce__look *look);

/* Reads the first 64 KB and goes back to the start. Options that say something are followed: format TSV,
 * separator, decimal, no_header. With `arff` only encoding and ends of lines are looked at. */
scarce_status scarce__look_at(scarce__look *out, scarce__source *source, const scarce_read_options *o,
                              int arff, scarce_error *err);

/* signature.c: EPARSE with what to do for files that are no text (Excel, Parquet, zip, ...). */
scarce_status scarce__check_signature(scarce__source *source, scarce_error *err);
/* Would a file that begins with this be refused as such? */
int scarce__begins_like_no_text(const char *text, size_t n);

#endif
