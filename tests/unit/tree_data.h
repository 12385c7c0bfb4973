/* SPDX-License-Identifier: Apache-2.0 */
/* Small random tables with everything that makes trees hard: ties, missing values, zeros, categories, sparse
 * and exclusive columns, constants. */
#ifndef SCARCE_TEST_TREE_DATA_H
#define SCARCE_TEST_TREE_DATA_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"

enum { DATA_FEATURES = 12 };
/* 0 continuous, 1 few integers, 2 continuous with missing, 3 zero-inflated, 4 category (6 values, missing),
 * 5 category (400 values), 6 constant, 7-10 exclusive sparse columns, 11 sparse with negative values */

static inline void data_make_category(scarce_table *t, size_t f, size_t n_values)
{
    const float *x = t->columns[f].number;
    int32_t *code = scarce__malloc_array(t->n_rows, sizeof *code);
    for (size_t i = 0; i < n_values; ++i) {
        char text[16];
        (void)snprintf(text, sizeof text, "c%zu", i);
        (void)scarce__dictionary_add(&t->schema.features[f].categories, text, strlen(text));
    }
    for (size_t i = 0; i < t->n_rows; ++i) code[i] = x[i] == x[i] ? (int32_t)x[i] : -1;
    scarce__free(t->columns[f].number);
    t->columns[f].code = code;
    t->schema.features[f].kind = SCARCE_COLUMN_CATEGORY;
}

static inline void data_make_sparse(scarce_table *t, size_t f)
{
    float *x = t->columns[f].number;
    scarce__sparse s = {0, scarce__malloc_array(t->n_rows, sizeof *s.row),
                        scarce__malloc_array(t->n_rows, sizeof *s.value)};
    for (size_t i = 0; i < t->n_rows; ++i)
        if (x[i] != 0) {
            s.row[s.count] = (uint32_t)i;
            s.value[s.count++] = x[i];
        }
    scarce__free(x);
    t->columns[f].sparse = s;
    t->schema.features[f].kind = SCARCE_COLUMN_SPARSE;
}

/* The row as the forest sees it: numbers, category codes, NaN. Valid before and after the columns change
 * kind. */
static inline scarce_table *data_table(size_t n, uint64_t seed, float **dense, double share)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 77);
    float *x = scarce__malloc_array(n * DATA_FEATURES, sizeof *x);
    uint8_t *y = scarce__malloc(n);
    scarce_table *t = NULL;
    for (size_t i = 0; i < n; ++i) {
        float *v = x + i * DATA_FEATURES;
        v[0] = (float)scarce__random_normal(&r);
        v[1] = (float)scarce__random_below(&r, 7);
        v[2] = scarce__random_unit(&r) < 0.2 ? NAN : (float)scarce__random_normal(&r);
        v[3] = scarce__random_unit(&r) < 0.7 ? 0 : (float)scarce__random_exponential(&r);
        v[4] = scarce__random_unit(&r) < 0.1 ? NAN : (float)scarce__random_below(&r, 6);
        v[5] = (float)(scarce__random_below(&r, 20) * scarce__random_below(&r, 20));
        v[6] = 3;
        const size_t hot = (size_t)scarce__random_below(&r, 8);
        for (size_t k = 0; k < 4; ++k) v[7 + k] = hot == k ? (float)(1 + k % 2) : 0;
        v[11] = scarce__random_unit(&r) < 0.9 ? 0 : (float)scarce__random_normal(&r);
        const double z = (double)v[0] + (v[1] > 4 ? 1.5 : 0) + (v[2] != v[2] ? 1 : 0) + (v[4] == 2 ? 2 : 0) +
                         (v[3] > 1 ? 1 : 0) + (hot == 1 ? 1.5 : 0);
        y[i] = z + scarce__random_normal(&r) > share;
    }
    y[0] = 1;
    y[n - 1] = 0;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_table_from_floats(&t, x, n, DATA_FEATURES, NULL, y, &err) != SCARCE_OK) puts(err.text);
    data_make_category(t, 4, 6);
    data_make_category(t, 5, 400);
    for (size_t f = 7; f <= 11; ++f) data_make_sparse(t, f);
    scarce__free(y);
    if (dense) *dense = x;
    else scarce__free(x);
    return t;
}

#endif
