/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: reading files, looking at what was read, splitting rows.
 *
 *     scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
 *     ro.label = "fraud";
 *     const char *path = "pay.csv";
 *     if (scarce_table_read(&table, &path, 1, &ro, ctx, &err)) ...
 *
 * A table is column-wise. A feature column is numeric (float, NaN = missing), a category (codes into
 * a list of texts, -1 = missing), or sparse numeric (LIBSVM: what isn't listed is 0). Label, weight,
 * time, group, amount and cost are roles: they are kept beside the features. Weight, time, group, cost and label
 * columns are not features; an amount column is both. */
#ifndef SCARCE_TABLE_H
#define SCARCE_TABLE_H

#include <scarce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_table scarce_table;

/* What a model expects of its input: names, kinds and categories of the features, in order. */
typedef struct scarce_schema scarce_schema;

typedef enum scarce_format {
    /* By the file's name: .csv .tsv .svm .libsvm .arff .dat, each also .gz, .zst; else CSV. */
    SCARCE_FORMAT_AUTO = 0,
    SCARCE_FORMAT_CSV,
    SCARCE_FORMAT_TSV,
    SCARCE_FORMAT_LIBSVM,
    SCARCE_FORMAT_ARFF,
    SCARCE_FORMAT_KEEL
} scarce_format;

typedef enum scarce_column_kind {
    SCARCE_COLUMN_NUMERIC = 0,
    SCARCE_COLUMN_CATEGORY = 1,
    SCARCE_COLUMN_SPARSE = 2
} scarce_column_kind;

/* A list of column names (or 1-based numbers as text); NULL and 0 for none. */
typedef struct scarce_names {
    const char *const *items;
    size_t count;
} scarce_names;

/* Roles a column may have; sums of them make sets. */
typedef enum scarce_role {
    SCARCE_ROLE_WEIGHT = 1,
    SCARCE_ROLE_TIME = 2,
    SCARCE_ROLE_GROUP = 4,
    SCARCE_ROLE_AMOUNT = 8,
    SCARCE_ROLE_LABEL = 16,
    SCARCE_ROLE_IGNORE = 32, /* no feature; with SCARCE_ROLE_AMOUNT: an amount that is no feature */
    SCARCE_ROLE_COST = 64
} scarce_role;

/* What comes first in a date like 01/04/2018. */
typedef enum scarce_date_order {
    SCARCE_DATE_AUTO = 0, /* what all dates of the column agree on; EDATA when that is nothing */
    SCARCE_DATE_DMY,
    SCARCE_DATE_MDY,
    SCARCE_DATE_YMD
} scarce_date_order;

/* What the time column holds. All but NUMBER end up as seconds. */
typedef enum scarce_time_format {
    SCARCE_TIME_AUTO = 0, /* dates, or what the numbers can only be between 1980 and 2100, else NUMBER */
    SCARCE_TIME_NUMBER,   /* as it is; where a length is asked for ("30d"), it counts as seconds */
    SCARCE_TIME_SECONDS,
    SCARCE_TIME_MILLISECONDS,
    SCARCE_TIME_MICROSECONDS,
    SCARCE_TIME_NANOSECONDS,
    SCARCE_TIME_MINUTES,
    SCARCE_TIME_HOURS,
    SCARCE_TIME_DAYS,
    SCARCE_TIME_YYYYMMDD, /* 20180401 or 20180401123000 */
    SCARCE_TIME_DATES     /* texts; a number is an error */
} scarce_time_format;

/* How numbers and times are written, where a file can't always tell by itself: 1,234 and 01/04/2018 mean one thing
 * or another, and one row of a stream shows little. A table knows how it was read, a model how its training rows
 * were (scarce_schema_writing). With options.schema that settles what a new file leaves open, and
 * SCARCE_NOTE_UNLIKE_TRAINING tells when the file shows something else. */
typedef struct scarce_writing {
    char decimal;                   /* '.' or ','; 0: no number showed it */
    scarce_date_order date_order;   /* AUTO: no dates, or all of them clear */
    scarce_time_format time_format; /* AUTO: no time column, or not known */
} scarce_writing;

typedef struct scarce_read_options {
    size_t struct_size;
    scarce_format format;
    int no_header;        /* nonzero: columns are named "1", "2", ... */
    const char *label;    /* NULL: "label", "class", "Class", "target", "y", else the last column */
    const char *positive; /* NULL: 1, +1, true, positive, else the rarer value */
    const char *weight, *time, *group, *amount; /* NULL: none */
    scarce_names ignore, categorical, numeric;
    scarce_names missing; /* none: the usual texts, see docs/input.md (NA, N/A, NULL, None, nan, -, ?, ...) */
    /* For scoring: only these features are read, matched by name, with the schema's categories
     * (a text that isn't among them gets the code "number of categories": unknown). The label may
     * then be absent. NULL when training. Borrowed by the call only. */
    const scarce_schema *schema;
    int label_optional; /* nonzero: a table without label column is fine (and the last column is a feature) */
    int optional_roles; /* set of scarce_role: whose column, when it isn't there, is left out instead of an
                           error */
    scarce_names exact; /* up to 8 columns kept as double beside the features (scores of other tools); absent
                           ones are left out */
    scarce_names keep;  /* columns whose text is kept as it stands in the file (scarce_table_kept): features,
                           roles or ignored ones. CSV, TSV, ARFF, KEEL; else EUNSUPPORTED */
    int keep_lines;     /* nonzero: the header and every line too (scarce_table_line), from which
                           scarce_table_write takes numbers and dates that were not changed; as much memory as
                           the unpacked file. A LIBSVM table keeps none */
    int may_be_empty;   /* nonzero: a header without rows is fine: SCARCE_OK, and *out is NULL */
    char separator;     /* between fields of a CSV; 0: of , ; tab | the one that fits the first lines */
    char decimal;       /* '.' or ','; 0: a comma when numbers like 12,5 show it and nothing contradicts */
    scarce_date_order date_order;
    scarce_time_format time_format;
    /* Nonzero: columns that certainly can't help are no features (ids, times later than the row's own; see
     * scarce_table_reading), unless they are named in `use`, `numeric` or `categorical`. */
    int leave_out;
    scarce_names use;
    /* What an error on the row costs, 0 or more: training weighs it (docs/losses.md). It may be the column of the
     * amounts, which then stays a feature. NULL: none. */
    const char *cost;
    /* Nonzero: these rows are a part of more (a block of a stream). A label of one value alone is fine: of 0, no, false
     * and the like the other one is taken to be the positive value. With a schema and 1, texts that it doesn't list get codes
     * too: those of this table alone, in the order in which they come, not the schema's; with SCARCE_PART_CODED the codes are
     * the schema's, as without `part`, so that the model with this schema can score the rows. */
    int part;
    /* The values of a label of more than two classes, 3 to 64 of them, in the order of their numbers: scarce_table_classes
     * then says of which class each row is, and the label is 1 where that is `positive` (one of them; NULL: the last). A schema
     * may have classes too. */
    scarce_names classes;
} scarce_read_options;

enum { SCARCE_PART_CODED = 2, SCARCE_NO_CLASS = 255 };

#define SCARCE_READ_OPTIONS_INIT                                                                             \
    SCARCE_INIT(sizeof(scarce_read_options), SCARCE_FORMAT_AUTO, 0, NULL, NULL, NULL, NULL, NULL, NULL,      \
                {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, 0, 0, {NULL, 0}, {NULL, 0}, 0, 0, 0, 0,    \
                SCARCE_DATE_AUTO, SCARCE_TIME_AUTO, 0, {NULL, 0}, NULL, 0, {NULL, 0})

/* Reads one or several files ("-": standard input) as one table; all must have the same columns.
 * .gz and .zst are unpacked on the way. Types are found over the whole input: a column with one
 * value that is neither a number nor missing is a category from its first row on. The features of a LIBSVM
 * file are "1", "2", ... up to its largest index, or where that is beyond 1024 + 4 times the entries of the
 * file, the indices that occur.
 * Errors name file, line and column. EPARSE and EDATA as in the text of the error. */
SCARCE_API scarce_status scarce_table_read(scarce_table **out, const char *const *paths, size_t n_paths,
                                           const scarce_read_options *options, scarce_context *ctx,
                                           scarce_error *err);

/* The same from memory: the text of a CSV, LIBSVM, ... file, or its gzip or zstd bytes, that came over a
 * network or lies in an archive. `name` stands in messages and, where the format isn't told, chooses it
 * ("pay.svm.gz"); NULL: "memory", a CSV. The bytes are borrowed by the call only. */
SCARCE_API scarce_status scarce_table_read_bytes(scarce_table **out, const void *bytes, size_t n,
                                                 const char *name, const scarce_read_options *options,
                                                 scarce_context *ctx, scarce_error *err);

/* ---- What was understood when a file was read: for people to see before they trust the result. */

typedef enum scarce_choice {
    SCARCE_CHOICE_NONE = 0,
    SCARCE_CHOICE_ASKED,    /* the options say so */
    SCARCE_CHOICE_NAME,     /* a label called label, class, target, ...; a positive value 1, true, positive */
    SCARCE_CHOICE_POSITION, /* the last column */
    SCARCE_CHOICE_RARER,    /* of two label values */
    SCARCE_CHOICE_MODEL,    /* as in training */
    SCARCE_CHOICE_FILE      /* the file says so (KEEL's @outputs) */
} scarce_choice;

typedef enum scarce_note_code {
    SCARCE_NOTE_MOST_POSITIVE = 1, /* more than half of the rows are positive */
    SCARCE_NOTE_LABEL_DOUBTFUL,    /* the label is the last column, but another one is called like a label */
    SCARCE_NOTE_STRAY_TEXT,        /* a category, but most of its values are numbers */
    SCARCE_NOTE_MANY_CATEGORIES,
    SCARCE_NOTE_ID,              /* numbers or texts that name the row */
    SCARCE_NOTE_LONG_NUMBERS,    /* whole numbers longer than a float, read as categories */
    SCARCE_NOTE_LATER_TIME,      /* never before the row's own time: known only afterwards */
    SCARCE_NOTE_DATES,           /* dates that are read as categories */
    SCARCE_NOTE_DECIMAL,         /* numbers with a comma and numbers with a point */
    SCARCE_NOTE_UNLIKE_TRAINING, /* with a schema: numbers or times are written otherwise than in training */
    SCARCE_NOTE_TIME_ORDER /* nobody named the time, and the rows are in the order of a column that looks like it */
} scarce_note_code;

typedef struct scarce_note {
    scarce_note_code code;
    int certain;        /* ID, LATER_TIME: such a column can't help */
    int left_out;       /* and it is no feature of the table */
    const char *column; /* NULL: none in particular */
    const char *file;   /* STRAY_TEXT: where the first one stands; */
    size_t line;
    const char *value; /* and what it is */
    const char *text;  /* a sentence with all of this */
} scarce_note;

typedef struct scarce_reading {
    scarce_choice label_by, positive_by;
    double time_first, time_last; /* NaN without a time role */
    scarce_time_format time_format;
    scarce_date_order date_order; /* of the dates; AUTO: year first, or month by name */
    size_t numbers, categories;   /* features of these kinds */
    char separator;               /* of a CSV, else 0 */
    char decimal;
    const char *encoding;       /* "UTF-8", "UTF-16", "ISO-8859-1" */
    const char *const *ignored; /* columns that were asked to be ignored */
    size_t n_ignored;
    const scarce_note *notes;
    size_t n_notes;
} scarce_reading;

/* NULL for a table that didn't come from a file (or its bytes). Lives as long as the table. */
SCARCE_API const scarce_reading *scarce_table_reading(const scarce_table *table);

/* The same in words, for any table: a line on what the table is, then a line for each note and for what is
 * left out. Written to text[0..size), cut off if need be and always ending in NUL; returns the length it
 * has in full, 0 when memory is exhausted. text may be NULL when size is 0. */
SCARCE_API size_t scarce_table_describe(const scarce_table *table, char *text, size_t size);

/* A table of n_rows x n_columns floats (row-major, NaN = missing), for callers that have arrays.
 * names may be NULL ("1", "2", ...), but no two are equal; label (0 or 1) may be NULL. Copies. Messages of
 * this and the next functions count rows from 1. */
SCARCE_API scarce_status scarce_table_from_floats(scarce_table **out, const float *values, size_t n_rows,
                                                  size_t n_columns, const char *const *names,
                                                  const uint8_t *label, scarce_error *err);
SCARCE_API void scarce_table_free(scarce_table *table);

SCARCE_API size_t scarce_table_rows(const scarce_table *table);
SCARCE_API size_t scarce_table_features(const scarce_table *table);
SCARCE_API size_t scarce_table_positives(const scarce_table *table); /* 0 without label */
SCARCE_API size_t scarce_table_bytes(const scarce_table *table);     /* memory it holds */
SCARCE_API const scarce_schema *scarce_table_schema(const scarce_table *table);
/* 64 bits over all that was read: names, values of every kind of column, categories, roles, exact columns.
 * Equal tables have equal fingerprints; different ones practically never do. One pass over the table. */
SCARCE_API uint64_t scarce_table_fingerprint(const scarce_table *table);

/* NULL where the table has no such role. One item per row. Group codes count from 0; the time is in
 * seconds where the column held dates, else the number itself. */
SCARCE_API const uint8_t *scarce_table_label(const scarce_table *table);
SCARCE_API const double *scarce_table_weight(const scarce_table *table);
/* The number of each row's class, SCARCE_NO_CLASS where its label is none of them; NULL for tables of two classes. */
SCARCE_API const uint8_t *scarce_table_classes(const scarce_table *table);
SCARCE_API const double *scarce_table_time(const scarce_table *table);
SCARCE_API const double *scarce_table_amount(const scarce_table *table);
SCARCE_API const double *scarce_table_cost(const scarce_table *table);
SCARCE_API const int32_t *scarce_table_group(const scarce_table *table);
/* Do times look like seconds since 1970 (1973 to 5138)? Else they are numbers of an unknown unit. */
SCARCE_API int scarce_time_is_seconds(double from, double end);
/* A length of time as people write it ("30d", "12h", "2w"; a number alone is in the unit of the times): 1, or 0 when it is
 * none. */
SCARCE_API int scarce_time_length(const char *text, double *out);
/* "2018-04-01 to 2018-04-30" in UTC, or the numbers; `end` is the first moment that isn't in it. 80 bytes hold it. */
SCARCE_API void scarce_time_span(char *out, size_t size, double from, double end);
/* Column `i` of options.exact, NaN = missing; NULL when the table has no such column. */
SCARCE_API const double *scarce_table_exact(const scarce_table *table, size_t i);
SCARCE_API const char *scarce_table_group_name(const scarce_table *table, int32_t code);
/* The text of column `i` of options.keep in a row (from 0), without the quotes of the file; NULL when it
 * wasn't kept. *length may be NULL: the text ends with a NUL. Tables of chosen rows have those of their
 * rows, views have none. */
SCARCE_API const char *scarce_table_kept(const scarce_table *table, size_t i, size_t row, size_t *length);
/* With options.keep_lines: the line of a row without its end, and all that stands before the first row of the
 * first file, with its line ends; NULL otherwise. */
SCARCE_API const char *scarce_table_line(const scarce_table *table, size_t row, size_t *length);
SCARCE_API const char *scarce_table_header(const scarce_table *table, size_t *length);

/* The numbers of feature `f` (numeric), or NULL; its codes (category), or NULL. */
SCARCE_API const float *scarce_table_numbers(const scarce_table *table, size_t f);
SCARCE_API const int32_t *scarce_table_codes(const scarce_table *table, size_t f);
/* One row as scarce_scorer_score takes it: a float per feature (code of a category, NaN = missing). Takes a search in each
 * sparse column. */
SCARCE_API void scarce_table_row(const scarce_table *table, size_t row, float *values);

/* How many numbers of feature `f` are of magnitude 2^24 (16777216) or more, where a float can't tell a whole
 * number from the next: ids there are merged unless they are read as categories. 0 for a category. One pass. */
SCARCE_API size_t scarce_table_inexact(const scarce_table *table, size_t f);

/* A new table of the given rows (in that order; repeats allowed), with all roles and exact columns. */
SCARCE_API scarce_status scarce_table_rows_of(scarce_table **out, const scarce_table *table,
                                              const uint32_t *rows, size_t n, scarce_context *ctx,
                                              scarce_error *err);

/* ---- Tables from memory: columns as callers have them (arrays, NumPy, Arrow).
 *
 *     scarce_column c[3] = {SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT};
 *     c[0].name = "amount";                              c[0].items = amounts;   float[n]
 *     c[1].name = "country"; c[1].type = SCARCE_TYPE_TEXT; c[1].items = countries; const char *[n]
 *     c[2].name = "fraud";   c[2].type = SCARCE_TYPE_U8;   c[2].items = frauds;    uint8_t[n]
 *     c[2].role = SCARCE_ROLE_LABEL;
 *     if (scarce_table_from_columns(&table, c, 3, n, NULL, ctx, &err)) ...
 *
 * It gives the table that reading a file with these columns would give. */

typedef enum scarce_type {
    SCARCE_TYPE_F32 = 0, /* float */
    SCARCE_TYPE_F64,
    SCARCE_TYPE_I8,
    SCARCE_TYPE_I16,
    SCARCE_TYPE_I32,
    SCARCE_TYPE_I64,
    SCARCE_TYPE_U8, /* also bool */
    SCARCE_TYPE_U16,
    SCARCE_TYPE_U32,
    SCARCE_TYPE_U64,
    SCARCE_TYPE_TEXT /* const char *, UTF-8, ending in NUL; NULL and "": missing */
} scarce_type;

/* What is in a column:
 *  - numbers (kind NUMERIC): NaN is missing. Features are kept as float, to which wider types are rounded;
 *    time, weight and amount as double.
 *  - a category (kind CATEGORY, or any column of texts): texts; or with `categories` codes of an integer type
 *    into them, of which a negative one is missing; or numbers, each being the category that its shortest
 *    text names. Categories are numbered by first appearance and unused ones left out, as from a file.
 *  - sparse numbers (kind SPARSE; features only): entry i is items[i] in row sparse_row[i]; rows ascend;
 *    what isn't listed is 0. */
typedef struct scarce_column {
    size_t struct_size;
    const char *name; /* not empty, no two equal */
    int role; /* 0: a feature; else one of SCARCE_ROLE_LABEL, _WEIGHT, _TIME, _GROUP, _AMOUNT (a feature
                 too, unless _IGNORE is added), _IGNORE */
    scarce_column_kind kind;
    scarce_type type;
    const void *items;    /* the item of row 0 */
    ptrdiff_t stride;     /* bytes from one item to the next, also negative; 0: packed */
    const uint8_t *valid; /* bitmap, lowest bit first, 1: the item is there (Arrow's); NULL: all are */
    size_t valid_offset;  /* bits of it to skip */
    const char *const *categories;
    size_t n_categories;
    const uint32_t *sparse_row;
    size_t sparse_count;
} scarce_column;

#define SCARCE_COLUMN_INIT                                                                                   \
    {                                                                                                        \
        sizeof(scarce_column), NULL, 0, SCARCE_COLUMN_NUMERIC, SCARCE_TYPE_F32, NULL, 0, NULL, 0, NULL, 0,   \
            NULL, 0                                                                                          \
    }

typedef struct scarce_columns_options {
    size_t struct_size;
    const char *positive; /* value of the label, as text; NULL: 1, true, positive, else the rarer value */
    /* As in scarce_read_options: the table gets the schema's features, found by name; other columns without
     * role are left out; a category that it doesn't know is "unknown"; the label is told by name. */
    const scarce_schema *schema;
    /* NULL: everything is copied. Else what can be used as it lies is borrowed: packed float numbers without
     * bitmap, packed int32 codes that are numbered by first appearance, packed doubles of weight, time and
     * amount, packed float entries without zeros. release(payload) is called exactly once, from whichever
     * thread is in the library then: when the table is freed; at the end of the call when nothing had to be
     * borrowed; and also when the call fails, before it returns. Until then the memory must stay as it is. */
    void (*release)(void *payload);
    void *payload;
    /* What the numbers of the time column are: AUTO as for files (so milliseconds since 1970 become seconds), DATES
     * for seconds that were dates where they come from. */
    scarce_time_format time_format;
    /* Nonzero: these rows are a part of more, as in scarce_read_options: a label of one value alone is fine. */
    int part;
} scarce_columns_options;

#define SCARCE_COLUMNS_OPTIONS_INIT                                                                          \
    {                                                                                                        \
        sizeof(scarce_columns_options), NULL, NULL, NULL, NULL, SCARCE_TIME_AUTO, 0                          \
    }

/* n columns of n_rows items each. `columns` itself, names and categories are borrowed by the call only;
 * options may be NULL. A column is the label only when its role says so. EINVAL for what a column can't be
 * (names column), EDATA for items that can't be used (names column and row, from 1): a code beyond the
 * categories, a missing label or group, a weight below 0, a time or amount that isn't finite. Without a label
 * column the table has none. Costs a look at labels and codes, and a pass over what is copied, on the threads
 * of ctx: 40 borrowed columns of a million floats are a matter of microseconds. */
SCARCE_API scarce_status scarce_table_from_columns(scarce_table **out, const scarce_column *columns, size_t n,
                                                   size_t n_rows, const scarce_columns_options *options,
                                                   scarce_context *ctx, scarce_error *err);

/* A table that shares the columns of another: with a label or weights of its own, or a range of its rows. No
 * column is copied (of sparse ones the row numbers, where the range isn't the whole table), so it costs next
 * to nothing; for rows that are no range take scarce_table_rows_of. The table, and the arrays given here,
 * must outlive the view, and the table stays as it is as long as there are views of it. A view is a table
 * like any other, and freed like one. */
typedef struct scarce_view_options {
    size_t struct_size;
    size_t first, rows;   /* a range of rows, from 0; rows 0: to the end */
    const uint8_t *label; /* 0 or 1 for each row of the range; NULL: that of the table */
    const double *weight; /* the same; NULL: that of the table */
    int without; /* set of scarce_role: weight, time, group, amount, cost, label that the view lacks */
} scarce_view_options;

#define SCARCE_VIEW_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(scarce_view_options), 0, 0, NULL, NULL, 0                                                     \
    }

/* NULL options: the table as it is. */
SCARCE_API scarce_status scarce_table_view(scarce_table **out, const scarce_table *table,
                                           const scarce_view_options *options, scarce_error *err);

/* Sets or replaces a role from the caller's array (one item per row, copied). */
SCARCE_API scarce_status scarce_table_set_weight(scarce_table *table, const double *weight,
                                                 scarce_error *err);

/* Writes the table as CSV with a header line: features, then weight, time, group, cost and amount (unless it is
 * a feature already), the column of origin if asked for, and the label last, so that reading the file back
 * with the same names gives the same table. Missing values are empty fields; numbers that were read with
 * keep_lines and not changed since are the text that was read; other numbers are the shortest text that reads
 * back as the same float (time, weight, amount: double); sparse columns are written out; a
 * category that was unknown when the table was read is "(unknown)". "-": standard output. The file
 * appears whole or not at all. EIO with the path and the system's words; EUNSUPPORTED for .gz and .zst. */
typedef struct scarce_write_options {
    size_t struct_size;
    char separator;           /* 0: tab for *.tsv, else comma */
    const char *origin;       /* name of a column that says "original" or "synthetic"; NULL: none */
    const uint8_t *synthetic; /* for it, one per row: 0 original */
} scarce_write_options;

#define SCARCE_WRITE_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_write_options), 0, NULL, NULL)

SCARCE_API scarce_status scarce_table_write(const scarce_table *table, const char *path,
                                            const scarce_write_options *options, scarce_context *ctx,
                                            scarce_error *err);

SCARCE_API size_t scarce_schema_features(const scarce_schema *schema);
SCARCE_API const char *scarce_schema_name(const scarce_schema *schema, size_t f);
SCARCE_API scarce_column_kind scarce_schema_kind(const scarce_schema *schema, size_t f);
SCARCE_API size_t scarce_schema_categories(const scarce_schema *schema, size_t f);
SCARCE_API const char *scarce_schema_category(const scarce_schema *schema, size_t f, size_t code);
/* The code of a category's text; the number of categories when it isn't among them. */
SCARCE_API size_t scarce_schema_code(const scarce_schema *schema, size_t f, const char *text, size_t length);
/* The code of a category that is a number: that of its shortest text ("5", "0.1"), else of one that has its
 * value ("5.0"); the number of categories when there is none, or for NaN. */
SCARCE_API size_t scarce_schema_code_number(const scarce_schema *schema, size_t f, double value);
/* Number of the feature with that name, or SIZE_MAX. */
SCARCE_API size_t scarce_schema_find(const scarce_schema *schema, const char *name);
SCARCE_API const char *scarce_schema_label(const scarce_schema *schema); /* NULL: no label column */
/* The column of a role; NULL: none. */
SCARCE_API const char *scarce_schema_role(const scarce_schema *schema, scarce_role role);
SCARCE_API const char *scarce_schema_positive(const scarce_schema *schema); /* its positive value */
SCARCE_API const char *scarce_schema_negative(const scarce_schema *schema); /* its other one; NULL: several */
/* More than two classes: how many (0: the label has two values), and the text of each. */
SCARCE_API size_t scarce_schema_n_classes(const scarce_schema *schema);
SCARCE_API const char *scarce_schema_class(const scarce_schema *schema, size_t number);
SCARCE_API scarce_writing
scarce_schema_writing(const scarce_schema *schema); /* zeros where nothing is known */

/* ---- Splits: which rows train and which test. From the seed of the context alone: the same for
 * every method, thread count and machine. Stratified by class; with a group role whole groups go to
 * one side (still balanced by class as far as the groups allow). */

typedef struct scarce_split {
    uint32_t *train; /* ascending row numbers */
    size_t n_train;
    uint32_t *test;
    size_t n_test;
} scarce_split;

SCARCE_API void scarce_split_deinit(scarce_split *split);

/* `fraction` of the rows (0 < fraction < 1) to test. `repeat` numbers independent repetitions. */
SCARCE_API scarce_status scarce_split_holdout(scarce_split *out, const scarce_table *table, double fraction,
                                              uint64_t repeat, const scarce_context *ctx, scarce_error *err);

/* Fold `fold` of `folds` (2 or more) tests, the rest trains. */
SCARCE_API scarce_status scarce_split_fold(scarce_split *out, const scarce_table *table, size_t folds,
                                           size_t fold, uint64_t repeat, const scarce_context *ctx,
                                           scarce_error *err);

/* The latest `fraction` of the rows tests (needs the time role): as holdout, but the way the model will be
 * used. Rows of the same moment stay on one side. */
SCARCE_API scarce_status scarce_split_latest(scarce_split *out, const scarce_table *table, double fraction,
                                             scarce_error *err);

/* The same for times without a table, say of files that memory can't hold: the earliest of the n times that tests; all from
 * it on do. Puts the times in another order; O(n). NaN for no times. */
SCARCE_API double scarce_split_moment(double *time, size_t n, double fraction);

/* By time: train on [start, start + train), leave out `gap`, test on the next `test`. Needs the time
 * role. With `purge_known`, rows of the test period are left out when their group had a positive
 * before the gap began. */
typedef struct scarce_temporal {
    size_t struct_size;
    double start, train, gap, test; /* in the units of the time role */
    int purge_known;
} scarce_temporal;

#define SCARCE_TEMPORAL_INIT SCARCE_INIT(sizeof(scarce_temporal), 0, 0, 0, 0, 0)

SCARCE_API scarce_status scarce_split_temporal(scarce_split *out, const scarce_table *table,
                                               const scarce_temporal *period, scarce_error *err);

#ifdef __cplusplus
}
#endif
#endif
