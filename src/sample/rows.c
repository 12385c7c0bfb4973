/* SPDX-License-Identifier: Apache-2.0 */
/* What recipes are made of: rows of a class, how many of them, rows that stay. */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "sample/resample.h"

uint32_t *scarce__rows_of_class(const scarce_table *t, int positive)
{
    const size_t n = positive ? t->n_positives : t->n_rows - t->n_positives;
    uint32_t *rows = scarce__malloc_array(n, sizeof *rows);
    for (size_t i = 0, k = 0; rows && i < t->n_rows; ++i)
        if ((t->label[i] != 0) == positive) rows[k++] = (uint32_t)i;
    return rows;
}

scarce_status scarce__rows_to_add(size_t *out, const scarce_table *t, double ratio, scarce_error *err)
{
    const double wanted = floor(ratio * (double)(t->n_rows - t->n_positives) + 0.5);
    const double added = wanted > (double)t->n_positives ? wanted - (double)t->n_positives : 0;

    if ((double)t->n_rows + added >= (double)UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "ratio=%g needs %.0f rows, more than a table holds", ratio,
                            (double)t->n_rows + added);
    *out = (size_t)added;
    return SCARCE_OK;
}

size_t scarce__rows_to_leave(const scarce_table *t, double ratio)
{
    const size_t n_negatives = t->n_rows - t->n_positives;
    const double wanted = floor((double)t->n_positives / ratio + 0.5);
    return wanted < 1 ? 1 : wanted < (double)n_negatives ? (size_t)wanted : n_negatives;
}

scarce_status scarce__keep_unmarked(scarce__recipe *out, const scarce_table *t, const uint8_t *gone,
                                    scarce_error *err)
{
    out->keep = scarce__malloc_array(t->n_rows, sizeof *out->keep);
    if (!out->keep) return scarce__fail_memory(err, "the rows to keep", t->n_rows * sizeof *out->keep);
    for (size_t i = 0; i < t->n_rows; ++i)
        if (!gone[i]) out->keep[out->n_keep++] = (uint32_t)i;
    return SCARCE_OK;
}
