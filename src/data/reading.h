/* SPDX-License-Identifier: Apache-2.0 */
/* What was understood when a file was read (scarce_reading), while it is put together. */
#ifndef SCARCE_DATA_READING_H
#define SCARCE_DATA_READING_H

#include "core/fail.h"
#include "data/table.h"

/* Of a feature. */
enum { SCARCE__NAMED = 1, SCARCE__LONG = 2, SCARCE__AMOUNT = 4, SCARCE__NOTED = 8, SCARCE__CERTAIN = 16 };

/* The first field that made a category of feature `feature`. */
typedef struct scarce__stray {
    size_t feature, line;
    const char *file, *value;
} scarce__stray;

typedef struct scarce__reading {
    scarce_reading facts;
    scarce_note *notes;
    size_t notes_capacity;
    char **texts; /* what the members point to */
    size_t n_texts, texts_capacity;
    const char **ignored;
    const char **columns; /* all of the file, in its order */
    uint8_t *unused;      /* of each: it is no feature and has no role */
    size_t n_columns;
    uint8_t *features; /* per feature a set of the above; NULL: nothing */
    scarce__stray *strays;
    size_t n_strays;
    char mixed[2][48]; /* numbers with a point and with a comma, or empty */
} scarce__reading;

scarce__reading *scarce__reading_new(void);
void scarce__reading_free(scarce__reading *reading);
/* A copy that lives as long as the reading; NULL when memory is exhausted. */
const char *scarce__reading_keep(scarce__reading *reading, const char *text);

/* reading.c: counts and notes, and leaves out what certainly can't help when o->leave_out. */
scarce_status scarce__reading_finish(scarce_table *table, const scarce_read_options *o, scarce_error *err);

/* notes.c: adds a note; the text as of printf. The returned note may be filled further. NULL: no memory. */
scarce_note *scarce__note_add(scarce__reading *reading, scarce_note_code code, const char *column,
                              const char *format, ...) SCARCE__PRINTF(4, 5);
scarce_status scarce__notes_take(scarce_table *table, scarce_error *err);
/* note_column.c: a text among numbers; what else is suspicious of feature f. ENOMEM only. */
scarce_status scarce__note_stray(scarce_table *table, const scarce__stray *stray, scarce_error *err);
scarce_status scarce__note_column(scarce_table *table, size_t f, scarce_error *err);

/* A feature that names the row or is known only afterwards, kept because the table is to be written again: it says
 * nothing of how alike rows are. Never all features. */
int scarce__only_kept(const scarce_table *table, size_t f);

/* 12,345 into room for 32 bytes; returns text. */
const char *scarce__grouped(char text[32], size_t number);

#endif
