/* SPDX-License-Identifier: Apache-2.0 */
/* What the past of a card, a terminal, a merchant says about a payment: features over rolling windows, defined once in
 * a file, and the same bytes in a table, in a log and in a service.
 *
 *     field id     text id
 *     field time   time
 *     field card   key
 *     field amount decimal(2)
 *     over 1h 1d 30d by card: count, mean(amount), max(amount)
 *     by card: since
 *     feature ratio = amount / card_mean_amount_30d
 *
 * docs/features.md has the whole language. A feature of a record is a function of its own fields and of the records j
 * of the same key that arrived before it with  t - delay - W < t_j <= t - delay  and  t_j > at - horizon,  where t is
 * the record's time and `at` its arrival. Sums are exact integers. So nothing depends on threads, on restarts, or on
 * when memory was freed.
 *
 *     scarce_definitions *d = NULL;
 *     scarce_features *f = NULL;
 *     if (scarce_definitions_load(&d, "payments.features", &err)) ...
 *     if (scarce_features_new(&f, d, &err)) ...
 *     const char *payment[] = {"tx-17", "2026-11-16 08:30:00", "4711", "12.50"};     one text for each field
 *     if (scarce_features_put(f, payment, SCARCE_FEATURES_NOW, values, NULL, &err)) ...
 *     scarce_features_label(f, "tx-17", 1, SCARCE_FEATURES_NOW, &err);               it was a fraud
 *
 * An engine belongs to one thread at a time; definitions are constant and may be shared, and must outlive the
 * engines made from them. */
#ifndef SCARCE_FEATURES_H
#define SCARCE_FEATURES_H

#include <scarce/base.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Definitions */

typedef struct scarce_definitions scarce_definitions;

/* From a text of n bytes; `name` stands in messages (NULL: "definitions"). EPARSE: "NAME:LINE:COLUMN: what is wrong",
 * with the nearest name where one was misspelt. */
SCARCE_API scarce_status scarce_definitions_read(scarce_definitions **out, const char *text, size_t n,
                                                 const char *name, scarce_error *err);
SCARCE_API scarce_status scarce_definitions_load(scarce_definitions **out, const char *path,
                                                 scarce_error *err);
SCARCE_API void scarce_definitions_free(scarce_definitions *definitions);

/* Fields, in the order of the file: what a record consists of. */
typedef struct scarce_definitions_field {
    const char *name;
    const char *type; /* "text", "key", "number", "decimal", "int", "bool", "time", "label" */
    int places;       /* decimals that are kept */
    int optional, id, secret;
    int used; /* a feature needs it */
} scarce_definitions_field;

SCARCE_API size_t scarce_definitions_fields(const scarce_definitions *definitions);
/* Out of range: a name that is NULL. */
SCARCE_API scarce_definitions_field scarce_definitions_get_field(const scarce_definitions *definitions,
                                                                 size_t i);

/* Features, in the order of the file. */
SCARCE_API size_t scarce_definitions_count(const scarce_definitions *definitions);
SCARCE_API const char *scarce_definitions_name(const scarce_definitions *definitions,
                                               size_t i); /* NULL beyond */

/* One line a feature, sorted by name, with all that its values depend on: the same for files that mean the same. */
SCARCE_API const char *scarce_definitions_text(const scarce_definitions *definitions);
/* 32 hexadecimal digits of that text. */
SCARCE_API const char *scarce_definitions_digest(const scarce_definitions *definitions);

/* Whether features defined elsewhere (`text` of scarce_definitions_text, as a model remembers it) are all defined here
 * in the same way. EDATA with the first that isn't, and how many more; what both say is in *differences (nullable;
 * freed by scarce_features_text_free). */
SCARCE_API scarce_status scarce_definitions_check(const scarce_definitions *definitions, const char *text,
                                                  char **differences, scarce_error *err);
SCARCE_API void scarce_features_text_free(char *text);

/* ---- Record by record */

typedef struct scarce_features scarce_features;

SCARCE_API scarce_status scarce_features_new(scarce_features **out, const scarce_definitions *definitions,
                                             scarce_error *err);
SCARCE_API void scarce_features_free(scarce_features *features);

/* As arrival: the latest time so far, which is how tables are read. */
#define SCARCE_FEATURES_NOW INT64_MIN

enum {
    SCARCE_FEATURES_DUPLICATE = 1, /* a record with this id was here before: told its features, not counted */
    SCARCE_FEATURES_LATE = 2       /* older than the horizon of a kind: not counted there */
};

/* One record: a text for each field (NULL or "": missing), as it would stand in a CSV. Its features are written to
 * values[scarce_definitions_count]; missing is NaN. Then it is part of the past of those that follow. *what (nullable)
 * is a set of SCARCE_FEATURES_*. `at`: when it arrived, in seconds since 1970; it never goes back (an earlier one
 * counts as the latest so far).
 * EDATA, and nothing has changed: a value that can't be read, is missing or too large to be summed exactly
 * (2^62 / 10^places); a time more than 5 minutes after `at`, or more than 68 years from the first record's. ENOMEM,
 * and nothing has changed.
 * Costs a microsecond or a few; allocates only where a key has more live records than ever before. */
SCARCE_API scarce_status scarce_features_put(scarce_features *features, const char *const *fields, int64_t at,
                                             double *values, int *what, scarce_error *err);

/* What a record turned out to be: 1 fraud, 0 genuine; the later one wins. Records that follow see it, none that came
 * before. *found (nullable): 0 when no record with that id is within the horizon. A label before its record is not
 * kept. EINVAL without a field marked `id`. */
SCARCE_API scarce_status scarce_features_label(scarce_features *features, const char *id, int label,
                                               int64_t at, int *found, scarce_error *err);

/* ---- Snapshots: the state in a file with a checksum; loading and going on gives the bytes of never having stopped.
 * The file appears whole or not at all. */
SCARCE_API scarce_status scarce_features_save(const scarce_features *features, const char *path,
                                              scarce_error *err);
/* EPARSE for a file that is damaged in any byte, EDATA for one of other definitions, EVERSION of a newer release: then
 * feed the records of the last horizon anew, which gives the same state. */
SCARCE_API scarce_status scarce_features_restore(scarce_features **out, const scarce_definitions *definitions,
                                                 const char *path, scarce_error *err);
/* How many records and labels it has taken: where to go on in the log after a restore. */
SCARCE_API uint64_t scarce_features_position(const scarce_features *features);

/* ---- What it takes. One pass over the keys. */
typedef struct scarce_features_size {
    size_t struct_size;
    uint64_t keys, records; /* of all kinds; records that are live */
    uint64_t bytes;         /* of all: histories, tables, ids */
    uint64_t id_bytes;      /* of it, to find records by their id */
    uint64_t longest;       /* most live records of a key */
    uint64_t late, folded; /* records beyond a horizon when they came; times a key had more than max_events */
} scarce_features_size;

#define SCARCE_FEATURES_SIZE_INIT SCARCE_INIT(sizeof(scarce_features_size), 0, 0, 0, 0, 0, 0, 0)

SCARCE_API scarce_status scarce_features_measure(const scarce_features *features, scarce_features_size *out,
                                                 scarce_error *err);

/* ---- Tables */

typedef struct scarce_features_options {
    size_t struct_size;
    const char
        *label_time; /* column with the moment from which on the label is known; NULL: "label_time" where the
                               file has it, else `label_delay` */
    double label_delay; /* seconds from a row to its label, where there is no such column */
    scarce_format format;
    char separator, decimal;
    scarce_date_order date_order;
    scarce_time_format time_format;
} scarce_features_options;

#define SCARCE_FEATURES_OPTIONS_INIT                                                                         \
    SCARCE_INIT(sizeof(scarce_features_options), NULL, 0, SCARCE_FORMAT_AUTO, 0, 0, SCARCE_DATE_AUTO,        \
                SCARCE_TIME_AUTO)

typedef struct scarce_features_summary {
    size_t struct_size;
    uint64_t rows, features;
    uint64_t duplicates;   /* rows whose id was there before */
    uint64_t late, folded; /* as of scarce_features_size */
    uint64_t out_of_order; /* rows with a time before that of a row above them */
} scarce_features_summary;

#define SCARCE_FEATURES_SUMMARY_INIT SCARCE_INIT(sizeof(scarce_features_summary), 0, 0, 0, 0, 0, 0)

/* The rows of the files as a stream in the order of the rows (arrival: the latest time so far), written to `path` as
 * they stood, each with its features behind it. Labels become known at their label_time, in the order of time; a
 * label is never seen by a row of the same second as its own. The same bytes with any number of threads, and the same
 * values as scarce_features_put gives. A missing value is an empty field; numbers have as many digits as are needed to
 * read back the same double. Costs a microsecond or a few a row, and some 100 bytes of memory and 16 for each feature beside the text. */
SCARCE_API scarce_status scarce_features_table(const scarce_definitions *definitions,
                                               const char *const *paths, size_t n_paths, const char *path,
                                               const scarce_features_options *options, scarce_context *ctx,
                                               scarce_features_summary *summary, scarce_error *err);

#ifdef __cplusplus
}
#endif
#endif
