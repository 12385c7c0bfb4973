/* SPDX-License-Identifier: Apache-2.0 */
/* Raw values to inputs of nets and linear models, learnt on the way.
 *
 *     constant  input 0, always 1
 *     number    (x - mean) / sd of the rows learnt so far, at most +-10; one more input where it is missing
 *     sparse    x / root mean square of what was listed so far, so that zeros stay zeros; missing as above
 *     category  an input for each category that was learnt, for missing, and for what is unknown to the schema
 *
 * An input is made when a row that needs it is learnt; a value without input adds nothing. Means and spreads are
 * Welford's, over learnt rows; what scoring uses is brought up to date with every row in the first 256 and with
 * every 256th later, so that a row costs no division per value. */
#ifndef SCARCE_ONLINE_INPUTS_H
#define SCARCE_ONLINE_INPUTS_H

#include "online/online.h"

#define SCARCE__NO_INPUT UINT32_MAX

/* A kind of input, for whoever makes weights for it. */
typedef enum scarce__input_kind {
    SCARCE__INPUT_CONSTANT,
    SCARCE__INPUT_NUMBER,
    SCARCE__INPUT_FLAG /* 0 or 1: a category, missing; and sparse numbers */
} scarce__input_kind;

typedef struct scarce__input_feature {
    scarce_column_kind kind;
    uint32_t value, missing, unknown; /* inputs */
    uint64_t count;                   /* rows with a value */
    double mean, m2;                  /* of numbers; m2 of sparse ones: sum of squares */
    float center, scale;              /* what scoring uses */
    uint32_t *slot;                   /* input of each code */
    size_t n_slots, capacity;
} scarce__input_feature;

struct scarce__inputs {
    size_t n_features, n_inputs;
    scarce__input_feature *features;
    uint32_t *dense, *sparse; /* features of these kinds */
    size_t n_dense, n_sparse;
    uint64_t rows;
    size_t max_categories;
};

/* What is not zero of a row. */
typedef struct scarce__active {
    uint32_t *input;
    float *value;
    size_t n, capacity;
} scarce__active;

scarce_status scarce__inputs_new(scarce__inputs **out, const scarce_schema *schema, size_t max_categories,
                                 scarce_error *err);
void scarce__inputs_free(scarce__inputs *in);

/* Makes the inputs that a row needs beyond those there are; `made` is told of each with its number. When it fails, inputs
 * made so far stay, which does no harm. */
typedef scarce_status (*scarce__input_made_fn)(void *payload, uint32_t input, scarce__input_kind kind,
                                               scarce_error *err);
scarce_status scarce__inputs_make(scarce__inputs *in, const scarce__online_row *row,
                                  scarce__input_made_fn made, void *payload, scarce_error *err);
/* The row counts in means and spreads. */
void scarce__inputs_count(scarce__inputs *in, const scarce__online_row *row);
/* Old rows count a quarter. */
void scarce__inputs_decay(scarce__inputs *in);

/* Calls `add` with pieces of at most 64 active inputs, in order: constant, dense features, sparse features. */
typedef void (*scarce__inputs_fn)(void *payload, const uint32_t *input, const float *value, size_t n);
void scarce__inputs_each(const scarce__inputs *in, const scarce__online_row *row, scarce__inputs_fn add,
                         void *payload);
/* The same as a list; room for n_features + 1. */
void scarce__inputs_list(const scarce__inputs *in, const scarce__online_row *row, scarce__active *out);

void scarce__inputs_write(const scarce__inputs *in, scarce__writer *w);
scarce_status scarce__inputs_read(scarce__inputs **out, const scarce_schema *schema, scarce__reader *r,
                                  scarce_error *err);

#endif
