/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of sparse columns: rows as lists of their entries.
 *
 * With v = x scale, |x - y|^2 = |x|^2 + |y|^2 - 2 x y, and the product takes time by the entries of y alone once
 * those of x stand in an array by column. Its error in doubles is at most 2 (entries + 4) 2^-53 (|x|^2 + |y|^2);
 * a pair that may be wanted is added up over both lists, in the order of the columns. A missing entry counts 1
 * instead: it is no part of the product, and the bound of a pair falls by the v^2 that may stand opposite, so
 * rows with gaps simply have the bound 0. Columns that are not sparse are added exactly. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "near/inside.h"

enum { CHUNK = 16, BATCH = 4096 };

typedef struct lists {
    const scarce__scan *scan;
    const scarce__near *ask;
    const scarce__space *space;
    scarce__near_exact exact;
    scarce__entries from, among; /* of the tables; the same when they are one */
    double *spread;              /* n_sparse per worker */
    float *raw;                  /* of `among`, and behind it one row per worker */
    size_t width, first_query;
    int sign, same_table;
} lists;

static size_t count_entries(const scarce__space *s, const scarce_table *t)
{
    size_t n = 0;
    for (size_t c = 0; c < s->n_sparse; ++c) n += t->columns[s->sparse[c]].sparse.count;
    return n;
}

double scarce__near_sparse_memory(const scarce__near *ask, int threads)
{
    const scarce__space *s = ask->space;
    double bytes = 8 * (double)count_entries(s, ask->among.table) + 16 * (double)ask->among.table->n_rows +
                   4 * (double)scarce__near_width(s) * (double)ask->among.n;
    if (ask->from.table != ask->among.table)
        bytes += 8 * (double)count_entries(s, ask->from.table) + 16 * (double)ask->from.table->n_rows;
    return bytes + 8 * (double)s->n_sparse * threads;
}

void scarce__entries_deinit(scarce__entries *e)
{
    scarce__free(e->begin);
    scarce__free(e->column);
    scarce__free(e->value);
    scarce__free(e->norm);
}

/* Columns ascend because they are gone through in order. */
int scarce__entries_init(scarce__entries *e, const scarce__space *s, const scarce_table *t)
{
    const size_t total = count_entries(s, t);

    e->begin = scarce__calloc(t->n_rows + 2, sizeof *e->begin);
    e->norm = scarce__calloc(t->n_rows, sizeof *e->norm);
    e->column = scarce__malloc_array(total, sizeof *e->column);
    e->value = scarce__malloc_array(total, sizeof *e->value);
    if (!e->begin || !e->norm || !e->column || !e->value) return 0;
    for (size_t c = 0; c < s->n_sparse; ++c) {
        const scarce__sparse *from = &t->columns[s->sparse[c]].sparse;
        for (size_t k = 0; k < from->count; ++k) ++e->begin[(size_t)from->row[k] + 2];
    }
    for (size_t i = 2; i < t->n_rows + 2; ++i) e->begin[i] += e->begin[i - 1];
    for (size_t c = 0; c < s->n_sparse; ++c) {
        const scarce__sparse *from = &t->columns[s->sparse[c]].sparse;
        for (size_t k = 0; k < from->count; ++k) {
            const size_t at = e->begin[(size_t)from->row[k] + 1]++;
            const double v = (double)from->value[k] * s->sparse_scale[c];
            e->column[at] = (uint32_t)c;
            e->value[at] = isfinite(from->value[k]) ? from->value[k] : NAN;
            e->norm[from->row[k]] += isfinite(from->value[k]) ? v * v : (double)NAN;
        }
    }
    return 1;
}

/* The exact sum over both lists. */
static double merge(const lists *l, size_t i, size_t j)
{
    const scarce__entries *a = &l->from, *b = &l->among;
    size_t p = a->begin[i], q = b->begin[j];
    const size_t p_end = a->begin[i + 1], q_end = b->begin[j + 1];
    double sum = 0;

    while (p < p_end || q < q_end) {
        const uint32_t c =
            q == q_end || (p < p_end && a->column[p] <= b->column[q]) ? a->column[p] : b->column[q];
        const double x = p < p_end && a->column[p] == c ? (double)a->value[p++] : 0;
        const double y = q < q_end && b->column[q] == c ? (double)b->value[q++] : 0;
        const double t = (x - y) * l->space->sparse_scale[c];
        sum += isnan(t) ? 1 : t * t;
    }
    return sum;
}

/* A lower bound of the squared distance in the sparse columns. */
static double bound(const lists *l, const double *spread, size_t i, size_t j)
{
    const scarce__entries *b = &l->among;
    const double norms = l->from.norm[i] + b->norm[j];
    const size_t n = b->begin[j + 1] - b->begin[j] + (l->from.begin[i + 1] - l->from.begin[i]);
    double product = 0;

    if (isnan(norms)) return 0;
    for (size_t q = b->begin[j]; q < b->begin[j + 1]; ++q)
        product += spread[b->column[q]] * ((double)b->value[q] * l->space->sparse_scale[b->column[q]]);
    return norms - 2 * product - 4 * (double)(n + 4) * 0x1p-53 * norms;
}

static void ask_one(lists *l, size_t i, int worker)
{
    const scarce__scan *scan = l->scan;
    const scarce__near *ask = l->ask;
    double *spread = l->spread + (size_t)worker * l->space->n_sparse, wants = scan->wants(scan->sink, i);
    float *own = l->raw + (ask->among.n + (size_t)worker) * l->width;
    const uint32_t row = scarce__near_row(&ask->from, i);

    scarce__near_raw_of(own, l->space, ask->from.table, &row, 1);
    for (size_t p = l->from.begin[row]; p < l->from.begin[row + 1]; ++p)
        spread[l->from.column[p]] = (double)l->from.value[p] * l->space->sparse_scale[l->from.column[p]];
    for (size_t j = 0; j < ask->among.n && wants > -(double)INFINITY; ++j) {
        const uint32_t other = scarce__near_row(&ask->among, j);
        if (l->same_table && other == row) continue;
        const double rest = scarce__near_square_body(&l->exact, own, l->raw + j * l->width);
        if (l->sign > 0 && bound(l, spread, row, other) + rest * (1 - 0x1p-50) > wants) continue;
        const double value = l->sign * (merge(l, row, other) + rest);
        if (value <= wants) wants = scan->take(scan->sink, i, value, other);
    }
    for (size_t p = l->from.begin[row]; p < l->from.begin[row + 1]; ++p) spread[l->from.column[p]] = 0;
}

static void ask_chunk(void *arg, size_t chunk, int worker)
{
    lists *l = arg;
    const size_t first = l->first_query + chunk * CHUNK;
    for (size_t i = first; i < first + CHUNK && i < l->ask->from.n; ++i) ask_one(l, i, worker);
}

scarce_status scarce__scan_sparse(const scarce__scan *scan, scarce_context *ctx, scarce_error *err)
{
    const scarce__near *ask = scan->ask;
    const scarce__space *s = ask->space;
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t threads = (size_t)scarce__pool_threads(pool);
    lists l = {.scan = scan, .ask = ask, .space = s, .width = scarce__near_width(s)};
    scarce_status st = SCARCE_OK;

    l.exact = (scarce__near_exact){s->scale, s->n_padded, s->n_codes, s->category_square};
    l.sign = ask->farthest ? -1 : 1;
    l.same_table = ask->from.table == ask->among.table;
    l.spread = scarce__calloc(s->n_sparse * threads, sizeof *l.spread);
    l.raw = scarce__malloc_array((ask->among.n + threads) * l.width, sizeof *l.raw);
    if (!l.spread || !l.raw || !scarce__entries_init(&l.among, s, ask->among.table) ||
        (!l.same_table && !scarce__entries_init(&l.from, s, ask->from.table)))
        st = scarce__fail_memory(err, "rows as lists of entries", 0);
    else scarce__near_raw(l.raw, s, &ask->among, 0, ask->among.n);
    if (l.same_table) l.from = l.among;
    for (; st == SCARCE_OK && l.first_query < ask->from.n; l.first_query += BATCH) {
        const size_t left = ask->from.n - l.first_query;
        scarce__pool_run(pool, scarce__blocks(left < BATCH ? left : BATCH, CHUNK), ask_chunk, &l);
        st = scarce__near_progress(ctx, l.first_query, ask->from.n, err);
    }
    scarce__free(l.spread);
    scarce__free(l.raw);
    if (!l.same_table) scarce__entries_deinit(&l.from);
    scarce__entries_deinit(&l.among);
    return st;
}
