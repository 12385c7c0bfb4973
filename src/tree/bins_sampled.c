/* SPDX-License-Identifier: Apache-2.0 */
/* Bins of many rows from an even sample of each class (data/priority.h): sorting all values of ten million rows costs
 * more than boosting on them. Positives are few, so most of them are in it, and class weights make the quantiles those
 * of all rows. Sparse columns are cut by all rows, and so is a table with features that could share a column, because two
 * of them may be away from zero in a row outside the sample. */
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "data/priority.h"
#include "data/table.h"
#include "tree/bins.h"

double *scarce__bins_weights(const scarce_table *t, const uint32_t *rows, size_t n, const double *weight,
                             const double factor[2])
{
    double *out = scarce__malloc_array(t->n_rows, sizeof *out);
    for (size_t k = 0; out && k < n; ++k) {
        const size_t r = rows ? rows[k] : k;
        out[r] = (weight ? weight[r] : 1) * factor[t->label[r] != 0];
    }
    return out;
}

static int all_dense(const scarce_table *t)
{
    for (size_t f = 0; f < t->schema.n_features; ++f)
        if (t->schema.features[f].kind == SCARCE_COLUMN_SPARSE) return 0;
    return 1;
}

/* Negatives and positives of the sample, merged ascending; NULL: out of memory. */
static uint32_t *sample_of(const scarce_table *t, size_t n[2])
{
    uint32_t *negative = scarce__priority_rows(t->label, 0, t->n_rows, SCARCE__SKETCH_ROWS, &n[0]);
    uint32_t *positive = scarce__priority_rows(t->label, 1, t->n_rows, SCARCE__SKETCH_ROWS, &n[1]);
    uint32_t *all = negative && positive ? scarce__malloc_array(n[0] + n[1] + 1, sizeof *all) : NULL;
    size_t i = 0, j = 0, k = 0;

    while (all && (i < n[0] || j < n[1]))
        all[k++] = j == n[1] || (i < n[0] && negative[i] < positive[j]) ? negative[i++] : positive[j++];
    scarce__free(negative);
    scarce__free(positive);
    return all;
}

int scarce__bins_sampled(const scarce_table *t)
{
    return t->label && all_dense(t) &&
           (t->n_positives > SCARCE__SKETCH_ROWS || t->n_rows - t->n_positives > SCARCE__SKETCH_ROWS);
}

scarce_status scarce__bins_find_sampled(scarce__bins *out, const scarce_table *table, const double *weight,
                                        const scarce__bin_options *options, scarce_context *ctx,
                                        scarce_error *err)
{
    size_t n[2] = {0, 0};
    uint32_t *rows;
    double *weights = NULL;
    scarce_status st;

    if (!scarce__bins_sampled(table))
        return scarce__bins_find(out, table, NULL, 0, weight, options, ctx, err);
    rows = sample_of(table, n);
    if (rows) {
        const double factor[2] = {n[0] ? (double)(table->n_rows - table->n_positives) / (double)n[0] : 1,
                                  n[1] ? (double)table->n_positives / (double)n[1] : 1};
        weights = scarce__bins_weights(table, rows, n[0] + n[1], weight, factor);
    }
    st = weights ? scarce__bins_find(out, table, rows, n[0] + n[1], weights, options, ctx, err)
                 : scarce__fail_memory(err, "finding bins", table->n_rows * sizeof *weights);
    scarce__free(weights);
    scarce__free(rows);
    if (st != SCARCE_OK || out->n_columns == out->n_used) return st;
    scarce__bins_deinit(out);
    return scarce__bins_find(out, table, NULL, 0, weight, options, ctx, err);
}
