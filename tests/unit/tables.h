/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a table of floats turned into other kinds. */
#ifndef SCARCE_TEST_TABLES_H
#define SCARCE_TEST_TABLES_H

#include <math.h>

#include "core/alloc.h"
#include "data/table.h"

/* Feature f becomes a category (codes from the numbers, NaN = missing). */
static inline void to_category(scarce_table *t, size_t f, size_t n_categories)
{
    int32_t *code = scarce__malloc_array(t->n_rows, sizeof *code);
    char name[2] = "a";
    for (size_t i = 0; i < t->n_rows; ++i)
        code[i] = isnan(t->columns[f].number[i]) ? -1 : (int32_t)t->columns[f].number[i];
    scarce__free(t->columns[f].number);
    t->columns[f].code = code;
    t->schema.features[f].kind = SCARCE_COLUMN_CATEGORY;
    for (size_t c = 0; c < n_categories; ++c, ++name[0])
        scarce__dictionary_add(&t->schema.features[f].categories, name, 1);
}

/* Feature f becomes sparse: what isn't 0 is listed. */
static inline void to_sparse(scarce_table *t, size_t f)
{
    scarce__sparse s = {0, scarce__malloc_array(t->n_rows, sizeof *s.row),
                        scarce__malloc_array(t->n_rows, sizeof *s.value)};
    for (size_t i = 0; i < t->n_rows; ++i) {
        const float x = t->columns[f].number[i];
        if (x == 0) continue;
        s.row[s.count] = (uint32_t)i;
        s.value[s.count++] = x;
    }
    scarce__free(t->columns[f].number);
    t->columns[f].sparse = s;
    t->schema.features[f].kind = SCARCE_COLUMN_SPARSE;
}

#endif
