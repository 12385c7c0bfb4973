/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that lie in several places, for tests: each depends on its number alone. */
#ifndef SCARCE_TEST_FAR_ROWS_H
#define SCARCE_TEST_FAR_ROWS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scarce/scarce.h>

#include "core/random.h"

static const char *const colours[] = {"red", "green", "blue", "a colour with a long name", "grey"};

/* The rows begin .. end - 1 of a table that never was: each depends on its number alone. Categories get their codes in the
 * order in which they come, as in a file of their own. */
static inline scarce_table *rows_like(size_t begin, size_t end, int weights, const scarce_schema *schema)
{
    const size_t n = end - begin;
    float *x[3];
    int32_t *code = malloc(n * sizeof *code), seen[5] = {-1, -1, -1, -1, -1};
    double *w = malloc(n * sizeof *w), *y = malloc(n * sizeof *y);
    const char *texts[5];
    size_t n_texts = 0;
    scarce_column c[6];
    scarce_table *table = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    for (int k = 0; k < 3; ++k) x[k] = malloc(n * sizeof *x[k]);
    for (size_t i = 0; i < n; ++i) {
        scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, begin + i);
        const size_t colour = scarce__random_below(&r, 5);
        for (int k = 0; k < 3; ++k) x[k][i] = (float)scarce__random_normal(&r);
        const double z = -7.5 + 2 * (double)x[0][i] + (double)(x[1][i] * x[1][i]) + (colour == 3 ? 1.5 : 0);
        y[i] = scarce__random_unit(&r) < 1 / (1 + exp(-z));
        if (scarce__random_unit(&r) < 0.1) x[2][i] = NAN;
        x[1][i] = floorf(4 * x[1][i]); /* ties */
        w[i] = 0.5 + scarce__random_unit(&r);
        if (seen[colour] < 0) {
            seen[colour] = (int32_t)n_texts;
            texts[n_texts++] = colours[colour];
        }
        code[i] = scarce__random_unit(&r) < 0.05 ? -1 : seen[colour];
    }
    static const char *const names[] = {"amount", "steps", "gap", "colour", "label", "weight"};
    for (int k = 0; k < 6; ++k) {
        c[k] = (scarce_column)SCARCE_COLUMN_INIT;
        c[k].name = names[k];
        c[k].items = k < 3    ? (const void *)x[k]
                     : k == 3 ? (const void *)code
                     : k == 4 ? (const void *)y
                              : (const void *)w;
    }
    c[3].kind = SCARCE_COLUMN_CATEGORY;
    c[3].type = SCARCE_TYPE_I32;
    c[3].categories = texts;
    c[3].n_categories = n_texts;
    c[4].type = c[5].type = SCARCE_TYPE_F64;
    c[4].role = SCARCE_ROLE_LABEL;
    c[5].role = SCARCE_ROLE_WEIGHT;
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    o.part = schema == NULL;
    o.schema = schema;
    if (scarce_table_from_columns(&table, c, weights ? 6 : 5, n, &o, NULL, &err) != SCARCE_OK)
        fprintf(stderr, "rows of a test: %s\n", err.text);
    for (int k = 0; k < 3; ++k) free(x[k]);
    free(code);
    free(w);
    free(y);
    return table;
}

static inline scarce_table *rows_of(size_t begin, size_t end, int weights)
{
    return rows_like(begin, end, weights, NULL);
}

#endif
