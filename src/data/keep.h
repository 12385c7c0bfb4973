/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a file that travel with its rows as they stand there: columns of scarce_read_options.keep, and whole
 * lines (keep_lines). How it is done stands in keep.c. */
#ifndef SCARCE_DATA_KEEP_H
#define SCARCE_DATA_KEEP_H

#include "data/plan.h"

/* Texts in the order of the rows, `per_row` of each, every one with a NUL. */
typedef struct scarce__kept {
    size_t per_row;
    char *bytes;
    size_t n_bytes, bytes_capacity;
    size_t *begin; /* of text i in bytes */
    size_t n, capacity;
    char *header; /* with keep_lines: what stands before the first row */
    size_t n_header;
} scarce__kept;

void scarce__kept_deinit(scarce__kept *kept);
/* Forgets the texts, not the memory. */
void scarce__kept_clear(scarce__kept *kept);

/* The columns to keep, by number; the line itself is column SIZE_MAX and comes last. */
typedef struct scarce__keep {
    size_t n;
    size_t *columns;
    size_t last; /* the highest of them, and one more */
} scarce__keep;

/* EDATA for a name that isn't there. */
scarce_status scarce__keep_plan(scarce__keep *keep, const scarce__header *header,
                                const scarce_read_options *o, const char *file, scarce_error *err);
void scarce__keep_deinit(scarce__keep *keep);

/* How a line is cut. */
typedef struct scarce__keep_syntax {
    char separator;
    int arff;
} scarce__keep_syntax;

/* Takes the texts of the row begin..end, of which the last byte is its newline. 0: out of memory. */
int scarce__keep_row(scarce__kept *to, const scarce__keep *keep, scarce__keep_syntax how, const char *begin,
                     const char *end);
/* Appends the rows of another. 0: out of memory. */
int scarce__keep_join(scarce__kept *to, const scarce__kept *more);
/* 0: out of memory. */
int scarce__keep_header(scarce__kept *to, const char *text, size_t n);

#endif
