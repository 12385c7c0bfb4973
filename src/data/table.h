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
    char *weight_name, *time_name, *group_name, *amount_name; /* columns of the roles; NULL: none */
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

struct scarce_table {
    size_t n_rows;
    scarce_schema schema;
    scarce__column *columns;
    uint8_t *label;
    size_t n_positives;
    double *weight, *time, *amount;
    double *exact[SCARCE__MAX_EXACT]; /* columns of scarce_read_options.exact; NULL where absent */
    int32_t *group;
    scarce__dictionary groups;
};

void scarce__schema_deinit(scarce_schema *schema);
void scarce__schema_clear_roles(scarce_schema *schema); /* forgets the names of label, weight, time, ... */
scarce_status scarce__schema_copy(scarce_schema *out, const scarce_schema *from, scarce_error *err);

#endif
