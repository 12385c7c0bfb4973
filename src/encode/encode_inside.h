/* SPDX-License-Identifier: Apache-2.0 */
/* What an encoder holds: counts.c fills it, encode.c applies it, encode_file.c keeps it. */
#ifndef SCARCE_ENCODE_ENCODE_INSIDE_H
#define SCARCE_ENCODE_ENCODE_INSIDE_H

#include "encode/encode.h"

/* Rows and positives of each value of a column, or of each pair of values of two. A cell has a key:
 * code + 1 of a, or (code + 1 of a) * (categories of b + 1) + code + 1 of b; code + 1 = 0 is missing. */
typedef struct scarce__counts {
    uint32_t a, b; /* columns; b = SCARCE__ALONE: a alone */
    size_t n;      /* cells, in the order in which they were first seen */
    uint64_t *key;
    float *rows, *positives;
    uint32_t *slots; /* open addressing: 1 + cell, 0 = free; of a column alone 1 + cell by key */
    size_t n_slots;
} scarce__counts;

#define SCARCE__ALONE UINT32_MAX

struct scarce__encoder {
    size_t n_from;
    size_t *kept, n_kept;   /* columns that stay as they are */
    scarce__counts *counts; /* columns alone first, then pairs */
    size_t n_counts, n_alone;
    float **order;        /* per column alone: by code; NULL: its texts have no order */
    uint32_t *categories; /* per column of the table */
    double share;         /* of positives among the training rows */
    scarce_schema schema;
};

static inline double scarce__encoded_rate(double positives, double rows, double share)
{
    static const double strength = 2; /* rows that the share of all weighs */
    return (positives + strength * share) / (rows + strength);
}

/* The cell of a key, or SIZE_MAX. */
size_t scarce__counts_find(const scarce__counts *c, uint64_t key);
/* Makes the slots of the cells; EPARSE when two have the same key. */
scarce_status scarce__counts_index(scarce__counts *c, scarce_error *err);
void scarce__counts_deinit(scarce__counts *c);
/* UINT64_MAX: a value that was unknown to the training. */
uint64_t scarce__counts_key(const scarce__encoder *e, const scarce__counts *c, int64_t code_a,
                            int64_t code_b);

/* Names and order of everything, from the columns that counts[] say. */
scarce_status scarce__encoder_finish(scarce__encoder *e, const scarce_schema *schema, scarce_error *err);

/* A table of the kept columns and these numbers, which become its own also when it fails. */
scarce_status scarce__encoder_widen(scarce_table **out, const scarce__encoder *e, const scarce_table *table,
                                    float **numbers, scarce_error *err);
size_t scarce__encoder_numbers(const scarce__encoder *e);
/* Room for one column of n floats per number; NULL: out of memory. */
float **scarce__encoder_room(const scarce__encoder *e, size_t n);
void scarce__encoder_drop(float **numbers, size_t n);

#endif
