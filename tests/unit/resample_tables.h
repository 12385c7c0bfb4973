/* SPDX-License-Identifier: Apache-2.0 */
/* Tables on which every resampler is tried. Weight 1 + row, so that a row is known again by it; time and group follow
 * from the row too. */
#ifndef SCARCE_TEST_RESAMPLE_TABLES_H
#define SCARCE_TEST_RESAMPLE_TABLES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scarce/table.h>

#include "lcg.h"

enum {
    PLAIN,  /* numbers */
    MIXED,  /* categories, missing values, a constant column */
    LISTED, /* sparse columns, some missing */
    EQUAL,  /* all rows equal */
    FEW,    /* three positives */
    ONE,    /* one positive */
    GAPS_ONLY /* one column without a value, one of one category */,
    N_TABLES
};

static inline float some_number(lcg *r, int positive)
{
    double sum = positive ? 0.8 : 0;
    for (int i = 0; i < 4; ++i) sum += (double)lcg_below(r, 1 << 16) / (1 << 16) - 0.5;
    return (float)sum;
}

static inline scarce_table *resample_table(int kind, size_t n, uint64_t seed)
{
    static const char *const words[] = {"a", "b", "c"}, *const groups[] = {"g0", "g1", "g2", "g3",
                                                                           "g4", "g5", "g6"};
    enum { NUMBERS = 4 };
    lcg r = lcg_start(seed);
    const scarce_column init = SCARCE_COLUMN_INIT;
    scarce_column c[12];
    float *x = malloc(n * NUMBERS * sizeof *x), *value = malloc(n * NUMBERS * sizeof *value);
    uint32_t *row = malloc(n * NUMBERS * sizeof *row);
    int32_t *code = malloc(n * sizeof *code), *group = malloc(n * sizeof *group);
    double *weight = malloc(n * sizeof *weight), *when = malloc(n * sizeof *when);
    uint8_t *label = malloc(n);
    size_t k = 0;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    for (size_t i = 0; i < n; ++i) {
        label[i] = kind == ONE   ? i == n / 2
                   : kind == FEW ? i % (n / 3) == 1 && i < n - 2
                                 : lcg_below(&r, 6) == 0 || i == 7;
        weight[i] = 1 + (double)i;
        when[i] = 1000 + 3 * (double)i;
        group[i] = (int32_t)(i % 7);
        code[i] = kind == GAPS_ONLY || kind == EQUAL ? 0 : (int32_t)lcg_below(&r, 3);
        if (kind == MIXED && lcg_below(&r, 9) == 0) code[i] = -1;
        if (i < 3 && (kind == MIXED || kind == LISTED)) code[i] = (int32_t)i;
        for (size_t f = 0; f < NUMBERS; ++f) {
            float *to = &x[f * n + i];
            *to = kind == EQUAL ? 1 : some_number(&r, label[i]);
            if (kind == MIXED && f == 1 && lcg_below(&r, 5) == 0) *to = NAN;
            if ((kind == MIXED && f == 2)) *to = 5;
            if (kind == GAPS_ONLY && f == 0) *to = NAN;
        }
    }
    static const char *const names[] = {"x0", "x1", "x2", "x3"};
    for (size_t f = 0; f < NUMBERS; ++f) {
        c[k] = init, c[k].name = names[f], c[k].type = SCARCE_TYPE_F32, c[k].items = x + f * n;
        if (kind == LISTED && f < 3) {
            size_t entries = 0;
            for (size_t i = 0; i < n; ++i)
                if (lcg_below(&r, 3) == 0) {
                    row[f * n + entries] = (uint32_t)i;
                    value[f * n + entries++] = f == 2 && lcg_below(&r, 8) == 0 ? NAN : x[f * n + i] + 3;
                }
            c[k].items = value + f * n, c[k].sparse_row = row + f * n, c[k].kind = SCARCE_COLUMN_SPARSE,
            c[k].sparse_count = entries;
        }
        ++k;
    }
    if (kind == MIXED || kind == LISTED || kind == GAPS_ONLY)
        c[k] = init, c[k].name = "c", c[k].type = SCARCE_TYPE_I32, c[k].items = code, c[k].categories = words,
        c[k].kind = SCARCE_COLUMN_CATEGORY, c[k++].n_categories = kind == GAPS_ONLY ? 1 : 3;
    c[k] = init, c[k].name = "y", c[k].type = SCARCE_TYPE_U8, c[k].items = label,
    c[k++].role = SCARCE_ROLE_LABEL;
    c[k] = init, c[k].name = "w", c[k].type = SCARCE_TYPE_F64, c[k].items = weight,
    c[k++].role = SCARCE_ROLE_WEIGHT;
    c[k] = init, c[k].name = "t", c[k].type = SCARCE_TYPE_F64, c[k].items = when,
    c[k++].role = SCARCE_ROLE_TIME;
    c[k] = init, c[k].name = "g", c[k].type = SCARCE_TYPE_I32, c[k].items = group, c[k].categories = groups,
    c[k].kind = SCARCE_COLUMN_CATEGORY, c[k].n_categories = 7, c[k++].role = SCARCE_ROLE_GROUP;
    if (scarce_table_from_columns(&t, c, k, n, NULL, NULL, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    free(x), free(value), free(row), free(code), free(group), free(weight), free(when), free(label);
    return t;
}

#endif
