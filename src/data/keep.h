/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a file that travel with its rows as they stand there: columns of scarce_read_options.keep, and whole
 * lines (keep_lines), which are also what scarce_table_write takes numbers from that nobody changed. How it is
 * done stands in keep.c and written.c. */
#ifndef SCARCE_DATA_KEEP_H
#define SCARCE_DATA_KEEP_H

#include "data/decimal.h"
#include "data/plan.h"

/* Texts in the order of the rows, `per_row` of each, every one with a NUL. */
typedef struct scarce__kept {
    size_t per_row;
    char *bytes;
    size_t n_bytes, bytes_capacity;
    size_t *begin; /* of text i in bytes */
    size_t n, capacity;
    /* With keep_lines: what stands before the first row, the names of the columns, and how times were read. */
    char *header;
    size_t n_header;
    scarce__dictionary names;
    int arff;
    scarce_date_order date_order;
    scarce_time_format time_format;
} scarce__kept;

/* A line is kept behind its separator and its decimal sign, which are those of its file. */
enum { SCARCE__LINE_MARKS = 2 };

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
    char separator, decimal;
    int arff;
} scarce__keep_syntax;

/* Takes the texts of the row begin..end, of which the last byte is its newline. 0: out of memory. */
int scarce__keep_row(scarce__kept *to, const scarce__keep *keep, scarce__keep_syntax how, const char *begin,
                     const char *end);
/* Appends the rows of another. 0: out of memory. */
int scarce__keep_join(scarce__kept *to, const scarce__kept *more);
/* A new one with the texts of the given rows; NULL: out of memory. */
scarce__kept *scarce__keep_rows(const scarce__kept *from, const uint32_t *rows, size_t n);
/* 0: out of memory. */
int scarce__keep_header(scarce__kept *to, const char *text, size_t n);

/* ---- written.c: numbers as they were written */

/* The number of the column in the file; SIZE_MAX when no lines were kept or there is no such column. */
size_t scarce__written_column(const scarce_table *table, const char *name);
/* Cuts the line of `row` into the columns of `plan`, which replace what `to` held. 0: out of memory. */
int scarce__written_cut(scarce__kept *to, const scarce_table *table, size_t row, const scarce__keep *plan);

typedef enum scarce__written_kind {
    SCARCE__WRITTEN_FLOAT,
    SCARCE__WRITTEN_DOUBLE,
    SCARCE__WRITTEN_TIME
} scarce__written_kind;

/* Text i of a cut line, with a decimal point (made in `room` where it had a comma), if it still reads as
 * `value`; else NULL. */
const char *scarce__written_text(char room[SCARCE__DECIMAL_ROOM], const scarce__kept *cut,
                                 const scarce_table *table, size_t row, size_t i, double value,
                                 scarce__written_kind kind);

#endif
