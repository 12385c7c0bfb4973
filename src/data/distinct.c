/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are sorted by 64 bits over what they hold; those that agree there are taken for equal (of a million different rows
 * two do with probability 3e-8). */
#include "data/distinct.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "data/row_hash.h"

void scarce__distinct_deinit(scarce__distinct *d)
{
    scarce_table_free(d->table);
    scarce__free(d->mark);
    memset(d, 0, sizeof *d);
}

static uint64_t *hashes_of(const scarce_table *t, const uint8_t *mark, int roles)
{
    uint64_t *hash = scarce__row_hashes(t);

    for (size_t i = 0; hash && i < t->n_rows; ++i) {
        const uint64_t label = roles && t->label ? t->label[i] != 0 : 0, kind = mark ? mark[i] : 0,
                       group = roles && t->group ? (uint64_t)t->group[i] : 0;
        hash[i] = scarce__hash(hash[i], label | kind << 1 | group << 9);
    }
    return hash;
}

/* Rows become the first of each set of equal ones, weights the sums over it; returns how many. */
static size_t merge(uint32_t *row, double *weight, size_t n, const scarce_table *t, const uint64_t *hash)
{
    size_t to = 0;

    for (size_t k = 0; k < n; ++k) {
        const double w = t->weight ? t->weight[row[k]] : 1;
        if (to > 0 && hash[row[to - 1]] == hash[row[k]]) {
            weight[to - 1] += w;
            continue;
        }
        row[to] = row[k];
        weight[to++] = w;
    }
    return to;
}

static int all_one(const double *weight, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (weight[i] != 1) return 0;
    return 1;
}

/* The chosen rows as a table with these weights, which become its own. */
static scarce_status take(scarce__distinct *out, const scarce_table *t, const uint8_t *mark,
                          const uint32_t *row, double **weight, size_t n, scarce_context *ctx,
                          scarce_error *err)
{
    SCARCE__TRY(scarce_table_rows_of(&out->table, t, row, n, ctx, err));
    scarce__free(out->table->weight);
    out->table->weight = NULL;
    if (!all_one(*weight, n)) {
        out->table->weight = *weight;
        *weight = NULL;
    }
    if (!mark) return SCARCE_OK;
    out->mark = scarce__malloc(n);
    if (!out->mark) return scarce__fail_memory(err, "distinct rows", n);
    for (size_t i = 0; i < n; ++i) out->mark[i] = mark[row[i]];
    return SCARCE_OK;
}

scarce_status scarce__distinct_new(scarce__distinct *out, const scarce_table *t, const uint8_t *mark,
                                   scarce_context *ctx, scarce_error *err)
{
    uint64_t *hash = hashes_of(t, mark, 1);
    uint32_t *row = scarce__malloc_array(t->n_rows, sizeof *row);
    double *weight = scarce__malloc_array(t->n_rows, sizeof *weight);
    size_t n = 0;
    scarce_status st =
        hash && row && weight ? SCARCE_OK : scarce__fail_memory(err, "distinct rows", 20 * t->n_rows);

    memset(out, 0, sizeof *out);
    for (size_t i = 0; st == SCARCE_OK && i < t->n_rows; ++i)
        if (!t->weight || t->weight[i] > 0) row[n++] = (uint32_t)i;
    if (st == SCARCE_OK && n == 0) st = scarce__fail(err, SCARCE_EDATA, "all rows have weight 0");
    if (st == SCARCE_OK) st = scarce__order_rows(row, n, hash, err);
    if (st == SCARCE_OK) n = merge(row, weight, n, t, hash);
    if (st == SCARCE_OK) st = take(out, t, mark, row, &weight, n, ctx, err);
    if (st != SCARCE_OK) scarce__distinct_deinit(out);
    scarce__free(hash);
    scarce__free(row);
    scarce__free(weight);
    return st;
}

uint32_t *scarce__first_equal(const scarce_table *t, const uint8_t *mark)
{
    uint64_t *hash = hashes_of(t, mark, 0);
    uint32_t *row = scarce__malloc_array(t->n_rows, sizeof *row),
             *first = scarce__malloc_array(t->n_rows, sizeof *first);
    const int ok = hash && row && first;

    for (size_t i = 0; ok && i < t->n_rows; ++i) row[i] = (uint32_t)i;
    if (!ok || scarce__order_rows(row, t->n_rows, hash, NULL) != SCARCE_OK) {
        scarce__free(first);
        first = NULL;
    }
    for (size_t k = 0; first && k < t->n_rows; ++k)
        first[row[k]] = k > 0 && hash[row[k]] == hash[row[k - 1]] ? first[row[k - 1]] : row[k];
    scarce__free(hash);
    scarce__free(row);
    return first;
}
