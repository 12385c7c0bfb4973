/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of scarce_table and scarce_schema.
 *
 * Invariants: (1) columns[f] has the kind of schema.features[f]; (2) a code is -1 (missing) or in
 * 0..n_categories, where n_categories itself means "unknown" and occurs only in tables read with a
 * model's schema; (3) sparse rows ascend within a column, without repeats and without NaN-free zeros;
 * (4) group codes are in 0..n_groups-1; (5) n_rows < 2^32 - 1 and n_rows > 0. */
#ifndef SCARCE_DATA_TABLE_H
#define SCARCE_DATA_TABLE_H

#include <scarce/table.h>

/* Texts numbered in the order of their first appearance; found by hash. */
typedef struct scarce__dictionary {
    size_t count, capacity;
    char *bytes; /* all texts, each with a NUL */
    size_t n_bytes, bytes_capacity;
    size_t *offset;   /* of text i in bytes */
    uint32_t *hashes; /* of text i */
    uint32_t *slots;  /* open addressing: 1 + index, 0 = free */
    size_t n_slots;   /* power of two */
} scarce__dictionary;

void scarce__dictionary_deinit(scarce__dictionary *d);
/* Index of the text, added if new; SIZE_MAX when memory is exhausted. */
size_t scarce__dictionary_add(scarce__dictionary *d, const char *text, size_t length);
/* Index of the text, or SIZE_MAX. */
size_t scarce__dictionary_find(const scarce__dictionary *d, const char *text, size_t length);
const char *scarce__dictionary_text(const scarce__dictionary *d, size_t index);
scarce_status scarce__dictionary_copy(scarce__dictionary *out, const scarce__dictionary *from,
                                      scarce_error *err);

typedef struct scarce__feature {
    char *name;
    scarce_column_kind kind;
    scarce__dictionary categories; /* empty unless a category */
} scarce__feature;

struct scarce_schema {
    size_t n_features;
    scarce__feature *features;
    char *label;    /* NULL: none */
    char *positive; /* text of the positive value, NULL without label */
    char *negative; /* text of the negative value; NULL when there are several or none */
    char *weight_name, *time_name, *group_name, *amount_name,
        *cost_name;             /* columns of the roles; NULL: none */
    scarce_writing writing;     /* how it was written where it was read */
    scarce__dictionary classes; /* of a label with more than two values; else none */
};

typedef struct scarce__sparse {
    size_t count;
    uint32_t *row;
    float *value;
} scarce__sparse;

typedef union scarce__column {
    float *number;
    int32_t *code;
    scarce__sparse sparse;
} scarce__column;

enum { SCARCE__MAX_EXACT = 8 };

/* Memory of a table that belongs to someone else: the caller of scarce_table_from_columns, or the table of
 * which it is a view. It is not freed with the table. */
enum {
    SCARCE__SHARED_CELLS = 1, /* of a feature: numbers, codes, values of a sparse column */
    SCARCE__SHARED_ROWS = 2   /* of a feature: the rows of a sparse column */
};
enum {
    SCARCE__SHARED_LABEL = 1,
    SCARCE__SHARED_WEIGHT = 2,
    SCARCE__SHARED_TIME = 4,
    SCARCE__SHARED_AMOUNT = 8,
    SCARCE__SHARED_EXACT = 16,
    SCARCE__SHARED_GROUP = 32,
    SCARCE__SHARED_TEXTS = 64, /* names of features, categories and groups */
    SCARCE__SHARED_COST = 128,
    SCARCE__SHARED_CLASS = 256
};

struct scarce_table {
    size_t n_rows;
    scarce_schema schema;
    scarce__column *columns;
    uint8_t *label;
    uint8_t *class_of; /* number of the class, or SCARCE_NO_CLASS; NULL: two classes */
    size_t n_positives;
    double *weight, *time, *amount, *cost;
    double *exact[SCARCE__MAX_EXACT]; /* columns of scarce_read_options.exact; NULL where absent */
    int32_t *group;
    scarce__dictionary groups;
    struct scarce__kept *kept; /* texts of the file (keep.h); NULL: none */
    uint8_t *shared;           /* per feature a set of SCARCE__SHARED_CELLS, _ROWS; NULL: all is its own */
    int shared_parts;          /* set of SCARCE__SHARED_LABEL, ... */
    void (*release)(void *payload); /* tells the caller that his columns aren't needed any more; NULL: none */
    void *payload;
    struct scarce__reading *reading; /* what was understood (reading.h); NULL: not read from a file */
};

struct scarce__text;
void scarce__print_float(struct scarce__text *text, float value); /* as scarce_table_write does */

/* The first of n ascending rows that is not below `limit`; n when there is none. */
static inline size_t scarce__first_row(const uint32_t *row, size_t n, size_t limit)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row[middle] < limit) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Frees the cells of feature f, where they are the table's own. */
void scarce__free_column(scarce_table *table, size_t f);

/* Columns a table may borrow. */
static inline int scarce__shares(const scarce_table *table, size_t f, int what)
{
    return table->shared && (table->shared[f] & what);
}

#define SCARCE__LARGEST_WEIGHT 1e30 /* sums of squares stay finite, and so do floats */

/* What a model will remember of the decimal sign: the comma where files had it; else the point where a number has a
 * fraction, else nothing. So a table says the same whether it came out of a file ("5.0") or out of memory. */
void scarce__settle_decimal(scarce_table *table);
/* EDATA unless all are from 0 to 1e30, and one of them more than 0. */
scarce_status scarce__check_weights(const double *weight, size_t n, scarce_error *err);
scarce_status scarce__check_costs(const double *cost, size_t n, scarce_error *err); /* the same of costs */
scarce_status scarce__check_labels(const uint8_t *label, size_t n,
                                   scarce_error *err); /* EDATA unless 0 or 1 */

/* A table that shares everything with rows first..first+n-1 of another, which must outlive it; only the row
 * numbers of sparse columns are copied where the range isn't the whole table. Its arrays of columns and of
 * features are its own, so they may be pointed elsewhere. The range has been checked. */
scarce_status scarce__view_new(scarce_table **out, const scarce_table *from, size_t first, size_t n,
                               scarce_error *err);

void scarce__schema_deinit(scarce_schema *schema);
void scarce__schema_clear_roles(scarce_schema *schema); /* forgets the names of label, weight, time, ... */
scarce_status scarce__schema_copy(scarce_schema *out, const scarce_schema *from, scarce_error *err);
/* Label, positive, negative and the columns of the roles; 0 when memory is exhausted. */
int scarce__schema_copy_roles(scarce_schema *out, const scarce_schema *from);

/* Fails with `code` and "two features are named ..." when two of the n names are equal: columns are found by
 * name, so the second could never be told from the first. */
scarce_status scarce__check_names(size_t n, const char *(*name_of)(const void *arg, size_t i),
                                  const void *arg, scarce_status code, scarce_error *err);
/* The same for the features of a schema. */
scarce_status scarce__schema_check(const scarce_schema *schema, scarce_status code, scarce_error *err);

/* EDATA for more than can be learned from: 2^30 rows (sums of gradients have 31 bits), 2^24 categories of a
 * feature (codes travel as floats). */
enum { SCARCE__MOST_CLASSES = 64 }; /* of a label */
enum { SCARCE__MOST_TRAINED = 1 << 30, SCARCE__MOST_CATEGORIES = 1 << 24 };
scarce_status scarce__check_limits(size_t n_rows, const scarce_schema *schema, scarce_error *err);

#endif
