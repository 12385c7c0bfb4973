/* SPDX-License-Identifier: Apache-2.0 */
/* A table of chosen rows, in any order, with repeats. One task per column.
 *
 * Dense columns are gathered. A sparse column lists its rows ascending, so it needs the opposite map:
 * for source row r the new places place[start[r] .. start[r+1]), built once by a counting sort and shared
 * by all columns. When the chosen rows ascend, the new places come out ascending too; otherwise the
 * column's pairs are sorted by radix (11 bits a pass, as many passes as the row numbers have bits). */
#include <stdatomic.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "data/keep.h"
#include "data/table.h"

typedef struct gather {
    const scarce_table *from;
    scarce_table *to;
    const uint32_t *rows;
    size_t n;
    int ascending;
    uint32_t *start, *place; /* NULL without sparse columns */
    atomic_int failed;
} gather;

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/* Sorts by the high halves, which are below n. `other` has as much room as `pairs`. Returns
 * the sorted one. */
static uint64_t *sort_pairs(uint64_t *pairs, uint64_t *other, size_t count, size_t n)
{
    for (unsigned shift = 0; shift < 32 && (n - 1) >> shift; shift += RADIX_BITS) {
        uint32_t begin[RADIX] = {0}, sum = 0; /* places are 32 bits wide */
        uint64_t *swap;
        for (size_t i = 0; i < count; ++i) ++begin[(pairs[i] >> (32 + shift)) & (RADIX - 1)];
        for (size_t b = 0; b < RADIX; ++b) {
            const uint32_t c = begin[b];
            begin[b] = sum;
            sum += c;
        }
        for (size_t i = 0; i < count; ++i)
            other[begin[(pairs[i] >> (32 + shift)) & (RADIX - 1)]++] = pairs[i];
        swap = pairs;
        pairs = other;
        other = swap;
    }
    return pairs;
}

/* Each entry of the source goes to all places of its row; rows and values may come out unsorted. */
static void spread(const gather *g, const scarce__sparse *from, scarce__sparse *to)
{
    size_t k = 0;
    for (size_t i = 0; i < from->count; ++i)
        for (uint32_t j = g->start[from->row[i]]; j < g->start[from->row[i] + 1]; ++j) {
            to->row[k] = g->place[j];
            to->value[k++] = from->value[i];
        }
}

static int sort_sparse(scarce__sparse *s, size_t n_rows)
{
    uint64_t *pairs = scarce__malloc_array(s->count, 2 * sizeof *pairs), *sorted;

    if (!pairs) return 0;
    for (size_t i = 0; i < s->count; ++i) {
        uint32_t bits;
        memcpy(&bits, &s->value[i], 4);
        pairs[i] = (uint64_t)s->row[i] << 32 | bits;
    }
    sorted = sort_pairs(pairs, pairs + s->count, s->count, n_rows);
    for (size_t i = 0; i < s->count; ++i) {
        const uint32_t bits = (uint32_t)sorted[i];
        s->row[i] = (uint32_t)(sorted[i] >> 32);
        memcpy(&s->value[i], &bits, 4);
    }
    scarce__free(pairs);
    return 1;
}

static int gather_sparse(const gather *g, size_t f)
{
    const scarce__sparse *from = &g->from->columns[f].sparse;
    scarce__sparse *to = &g->to->columns[f].sparse;
    size_t count = 0;

    for (size_t i = 0; i < from->count; ++i) count += g->start[from->row[i] + 1] - g->start[from->row[i]];
    to->row = scarce__malloc_array(count, sizeof *to->row);
    to->value = scarce__malloc_array(count, sizeof *to->value);
    if (!to->row || !to->value) return 0;
    to->count = count;
    spread(g, from, to);
    return g->ascending || count < 2 || sort_sparse(to, g->n);
}

static void gather_column(void *arg, size_t f, int worker)
{
    gather *g = arg;
    const uint32_t *rows = g->rows;
    int ok = 1;

    (void)worker;
    switch (g->from->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC: {
        const float *from = g->from->columns[f].number;
        float *to = g->to->columns[f].number = scarce__big_alloc(g->n, sizeof *to);
        ok = to != NULL;
        for (size_t i = 0; ok && i < g->n; ++i) to[i] = from[rows[i]];
        break;
    }
    case SCARCE_COLUMN_CATEGORY: {
        const int32_t *from = g->from->columns[f].code;
        int32_t *to = g->to->columns[f].code = scarce__big_alloc(g->n, sizeof *to);
        ok = to != NULL;
        for (size_t i = 0; ok && i < g->n; ++i) to[i] = from[rows[i]];
        break;
    }
    case SCARCE_COLUMN_SPARSE: ok = gather_sparse(g, f); break;
    }
    if (!ok) atomic_store(&g->failed, 1);
}

/* 0 when memory is exhausted. */
static int gather_doubles(double **to, const double *from, const gather *g)
{
    if (!from) return 1;
    *to = scarce__big_alloc(g->n, sizeof **to);
    if (!*to) return 0;
    for (size_t i = 0; i < g->n; ++i) (*to)[i] = from[g->rows[i]];
    return 1;
}

static int gather_roles(const gather *g)
{
    const scarce_table *from = g->from;
    scarce_table *to = g->to;

    if (!gather_doubles(&to->weight, from->weight, g) || !gather_doubles(&to->time, from->time, g) ||
        !gather_doubles(&to->amount, from->amount, g) || !gather_doubles(&to->cost, from->cost, g))
        return 0;
    for (size_t i = 0; i < SCARCE__MAX_EXACT; ++i)
        if (!gather_doubles(&to->exact[i], from->exact[i], g)) return 0;
    if (from->label) {
        to->label = scarce__malloc(g->n);
        if (!to->label) return 0;
        for (size_t i = 0; i < g->n; ++i) to->n_positives += to->label[i] = from->label[g->rows[i]];
    }
    if (from->class_of) {
        to->class_of = scarce__malloc(g->n);
        if (!to->class_of) return 0;
        for (size_t i = 0; i < g->n; ++i) to->class_of[i] = from->class_of[g->rows[i]];
    }
    if (from->group) {
        to->group = scarce__malloc_array(g->n, sizeof *to->group);
        if (!to->group) return 0;
        for (size_t i = 0; i < g->n; ++i) to->group[i] = from->group[g->rows[i]];
    }
    return 1;
}

/* start and place of the head comment. */
static int invert_rows(gather *g)
{
    const size_t n_from = g->from->n_rows;

    g->start = scarce__calloc(n_from + 2, sizeof *g->start);
    g->place = scarce__malloc_array(g->n, sizeof *g->place);
    if (!g->start || !g->place) return 0;
    /* counted two places ahead, so that filling moves start[r + 1] to its final value */
    for (size_t i = 0; i < g->n; ++i) ++g->start[(size_t)g->rows[i] + 2];
    for (size_t r = 2; r < n_from + 2; ++r) g->start[r] += g->start[r - 1];
    for (size_t i = 0; i < g->n; ++i) g->place[g->start[(size_t)g->rows[i] + 1]++] = (uint32_t)i;
    return 1;
}

static scarce_status check_rows(gather *g, scarce_error *err)
{
    if (g->n == 0) return scarce__fail(err, SCARCE_EINVAL, "no rows chosen; a table has at least 1");
    if (g->n >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows chosen; a table holds fewer than %zu", g->n,
                            (size_t)UINT32_MAX);
    g->ascending = 1;
    for (size_t i = 0; i < g->n; ++i) {
        if (g->rows[i] >= g->from->n_rows)
            return scarce__fail(err, SCARCE_EINVAL, "row %zu of a table with %zu rows", (size_t)g->rows[i],
                                g->from->n_rows);
        if (i && g->rows[i] < g->rows[i - 1]) g->ascending = 0;
    }
    return SCARCE_OK;
}

static int has_sparse(const scarce_schema *schema)
{
    for (size_t f = 0; f < schema->n_features; ++f)
        if (schema->features[f].kind == SCARCE_COLUMN_SPARSE) return 1;
    return 0;
}

scarce_status scarce_table_rows_of(scarce_table **out, const scarce_table *table, const uint32_t *rows,
                                   size_t n, scarce_context *ctx, scarce_error *err)
{
    scarce_status st;
    gather g;

    *out = NULL;
    memset(&g, 0, sizeof g);
    g.from = table;
    g.rows = rows;
    g.n = n;
    SCARCE__TRY(check_rows(&g, err));
    st = SCARCE_ENOMEM;
    g.to = scarce__calloc(1, sizeof *g.to);
    if (!g.to) goto done;
    g.to->n_rows = n;
    if (scarce__schema_copy(&g.to->schema, &table->schema, err)) goto done;
    if (scarce__dictionary_copy(&g.to->groups, &table->groups, err)) goto done;
    g.to->columns = scarce__calloc(table->schema.n_features, sizeof *g.to->columns);
    if (!g.to->columns || !gather_roles(&g)) goto done;
    if (has_sparse(&table->schema) && !invert_rows(&g)) goto done;
    scarce__pool_run(scarce__context_pool(ctx), table->schema.n_features, gather_column, &g);
    if (atomic_load(&g.failed)) goto done;
    if (table->kept && !(g.to->kept = scarce__keep_rows(table->kept, rows, n))) goto done;
    *out = g.to;
    g.to = NULL;
    st = SCARCE_OK;
done:
    if (st) scarce__fail_memory(err, "a table of chosen rows", 0);
    scarce_table_free(g.to);
    scarce__free(g.start);
    scarce__free(g.place);
    return st;
}
