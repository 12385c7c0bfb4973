/* SPDX-License-Identifier: Apache-2.0 */
/* A table seen as a matrix X of n_rows x n_parameters, without copying it:
 *
 *     numeric   (x - center) * scale, missing = 0, one parameter; where some but not all values are missing
 *               a second one, 1 for missing rows; none when constant
 *     sparse    x * scale, not centred, so that zeros stay zeros; a second one for missing as above
 *     category  one 0/1 parameter per category that has min_category_rows or more, one shared by the rarer
 *               and unknown ones, one for missing; none when all rows fall into one of them
 *
 * Parameter vectors have n_parameters + 2 items: the constant at [n_parameters], and behind it the sink,
 * which stands for every dropped parameter: always 0 in a vector, to be ignored in a gradient. */
#ifndef SCARCE_LINEAR_ENCODE_H
#define SCARCE_LINEAR_ENCODE_H

#include <stdint.h>

#include <scarce/table.h>

#include "core/pool.h"
#include "linear/linear.h"

typedef struct scarce__design_column {
    scarce_column_kind kind;
    uint32_t value, missing; /* parameters; the sink when dropped */
    double center, scale;
    double mean;      /* of what isn't missing, also when not centred */
    size_t n_missing; /* rows */
    int constant;
    size_t n_categories;
    uint32_t *slot; /* parameter of code c at [c + 1]; missing at [0], unknown at [n_categories + 1] */
} scarce__design_column;

typedef struct scarce__design {
    const scarce_table *table;
    size_t n_rows, n_columns, n_parameters;
    scarce__design_column *columns;
    uint32_t *slots; /* of all categories */
    /* Sparse columns by rows: row i has entries row_begin[i] .. row_begin[i+1]-1. NULL without sparse
     * columns. */
    size_t *row_begin;
    uint32_t *entry_parameter;
    float *entry_value; /* raw; 1 for a missing indicator */
    double *scaled;     /* scratch: a vector times the scales */
} scarce__design;

scarce_status scarce__design_init(scarce__design *out, const scarce_table *table,
                                  const scarce__linear_options *options, scarce__pool *pool,
                                  scarce_error *err);
void scarce__design_deinit(scarce__design *d);

/* z = X v + v[n_parameters], in parallel over blocks of rows. */
void scarce__design_times(scarce__design *d, const double *v, double *z, scarce__pool *pool);
/* g = X^T u with the sum of u at [n_parameters]; with `squares` every element of X is squared first. In
 * parallel over columns; every sum runs over the rows in a fixed order. The sink is set to 0. */
void scarce__design_transposed(const scarce__design *d, const double *u, double *g, int squares,
                               scarce__pool *pool);

/* The non-zeros of one row, in ascending order of parameters; at most scarce__design_row_limit. */
size_t scarce__design_row(const scarce__design *d, size_t row, uint32_t *parameter, double *value);
size_t scarce__design_row_limit(const scarce__design *d);

/* Weights on raw values from parameters on encoded ones. */
scarce_status scarce__design_fold(scarce__linear *out, const scarce__design *d, const double *theta,
                                  scarce_error *err);

#endif
