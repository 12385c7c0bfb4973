/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring. The fast path needs no test per feature: weights are finite and bounded, so a sum of products is
 * finite exactly when all values are; when it isn't, the row has something missing and is added up again. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "data/table.h"
#include "linear/linear.h"

enum { BLOCK_ROWS = 896, SUMS = 4 }; /* two blocks of sums on the stack */
static const double LARGEST_WEIGHT = 1e250;

void scarce__linear_deinit(scarce__linear *m)
{
    if (!m) return;
    scarce__free(m->weight);
    scarce__free(m->missing_weight);
    scarce__free(m->slot_begin);
    scarce__free(m->slot_weight);
    memset(m, 0, sizeof *m);
}

scarce_status scarce__linear_alloc(scarce__linear *out, size_t n_features, const size_t *slot_begin,
                                   scarce_error *err)
{
    memset(out, 0, sizeof *out);
    if (n_features >= SIZE_MAX / 64)
        return scarce__fail(err, SCARCE_EDATA, "%zu features in a linear model", n_features);
    out->n_features = n_features;
    out->n_slots = slot_begin ? slot_begin[n_features] : 0;
    out->weight = scarce__calloc(n_features, sizeof *out->weight);
    out->missing_weight = scarce__calloc(n_features, sizeof *out->missing_weight);
    out->slot_begin = scarce__calloc(n_features + 1, sizeof *out->slot_begin);
    out->slot_weight = scarce__calloc(out->n_slots, sizeof *out->slot_weight);
    if (!out->weight || !out->missing_weight || !out->slot_begin || !out->slot_weight) {
        scarce__linear_deinit(out);
        return scarce__fail_memory(err, "a linear model", 0);
    }
    if (slot_begin) memcpy(out->slot_begin, slot_begin, (n_features + 1) * sizeof *slot_begin);
    return SCARCE_OK;
}

static int fine(double weight)
{
    return fabs(weight) <= LARGEST_WEIGHT; /* false for NaN */
}

scarce_status scarce__linear_check(const scarce__linear *m, scarce_error *err)
{
    if (!m->weight || !m->missing_weight || !m->slot_begin || (m->n_slots > 0 && !m->slot_weight))
        return scarce__fail(err, SCARCE_EDATA, "linear model without weights");
    if (!fine(m->bias)) return scarce__fail(err, SCARCE_EDATA, "bias of the linear model is %g", m->bias);
    if (m->slot_begin[0] != 0 || m->slot_begin[m->n_features] != m->n_slots)
        return scarce__fail(err, SCARCE_EDATA, "categories of the linear model do not add up");
    for (size_t f = 0; f < m->n_features; ++f) {
        const size_t from = m->slot_begin[f], to = m->slot_begin[f + 1];
        if (to < from || to > m->n_slots || to - from == 1)
            return scarce__fail(err, SCARCE_EDATA,
                                "categories of feature %zu of the linear model do not add up", f);
        if (!fine(m->weight[f]) || !fine(m->missing_weight[f]))
            return scarce__fail(err, SCARCE_EDATA, "weights of feature %zu of the linear model are %g and %g",
                                f, m->weight[f], m->missing_weight[f]);
    }
    for (size_t i = 0; i < m->n_slots; ++i)
        if (!fine(m->slot_weight[i]))
            return scarce__fail(err, SCARCE_EDATA, "category weight %zu of the linear model is %g", i,
                                m->slot_weight[i]);
    return SCARCE_OK;
}

static double total(const double s[SUMS], double bias)
{
    return ((s[0] + s[1]) + (s[2] + s[3])) + bias;
}

static double number_term(const scarce__linear *m, size_t f, float x)
{
    return fabsf(x) <= FLT_MAX ? m->weight[f] * (double)x : m->missing_weight[f];
}

/* x: a code as float. */
static double category_term(const scarce__linear *m, size_t f, float x)
{
    const size_t from = m->slot_begin[f], n = m->slot_begin[f + 1] - from - 2;
    if (!(x >= 0)) return m->slot_weight[from + n + 1];
    return m->slot_weight[from + ((double)x < (double)n ? (size_t)x : n)];
}

static double score_slowly(const scarce__linear *m, const float *row)
{
    double s[SUMS] = {0, 0, 0, 0};
    for (size_t f = 0; f < m->n_features; ++f) {
        const int category = m->slot_begin[f + 1] != m->slot_begin[f];
        s[f % SUMS] += category ? category_term(m, f, row[f]) : number_term(m, f, row[f]);
    }
    return total(s, m->bias);
}

double scarce__linear_score(const scarce__linear *m, const float *row)
{
    const double *w = m->weight;
    const size_t n = m->n_features;
    double s[SUMS] = {0, 0, 0, 0};
    size_t f = 0;

    if (m->n_slots > 0) return score_slowly(m, row);
    for (; f + SUMS <= n; f += SUMS)
        for (size_t k = 0; k < SUMS; ++k) s[k] += w[f + k] * (double)row[f + k];
    for (; f < n; ++f) s[f % SUMS] += w[f] * (double)row[f];
    const double score = total(s, m->bias);
    return isfinite(score) ? score : score_slowly(m, row);
}

/* ---- whole tables ---- */

typedef struct table_job {
    const scarce__linear *m;
    const scarce_table *table;
    double *score;
} table_job;

static void add_column(const table_job *j, size_t f, size_t from, size_t to, double *sum)
{
    const scarce__linear *m = j->m;
    const scarce__column *column = &j->table->columns[f];

    switch (j->table->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        for (size_t i = from; i < to; ++i) sum[i - from] += number_term(m, f, column->number[i]);
        break;
    case SCARCE_COLUMN_CATEGORY: {
        const size_t begin = m->slot_begin[f], n = m->slot_begin[f + 1] - begin - 2;
        for (size_t i = from; i < to; ++i) {
            const int32_t code = column->code[i];
            const size_t slot = code < 0 ? n + 1 : (size_t)code < n ? (size_t)code : n;
            sum[i - from] += m->slot_weight[begin + slot];
        }
        break;
    }
    case SCARCE_COLUMN_SPARSE: { /* what isn't listed adds weight * 0 */
        const scarce__sparse *s = &column->sparse;
        for (size_t k = scarce__first_row(s->row, s->count, from); k < s->count && s->row[k] < to; ++k)
            sum[s->row[k] - from] += number_term(m, f, s->value[k]);
        break;
    }
    }
}

/* Every fourth column from `first` on, as the row by row sum has them. */
static void sum_columns(const table_job *j, size_t first, size_t from, size_t to, double *sum)
{
    memset(sum, 0, (to - from) * sizeof *sum);
    for (size_t f = first; f < j->m->n_features; f += SUMS) add_column(j, f, from, to, sum);
}

/* The additions of total(), in its order. */
static void score_block(void *arg, size_t index, int worker)
{
    const table_job *j = arg;
    const size_t from = index * BLOCK_ROWS;
    const size_t to = from + BLOCK_ROWS < j->table->n_rows ? from + BLOCK_ROWS : j->table->n_rows;
    double first[BLOCK_ROWS], second[BLOCK_ROWS], *score = j->score + from;

    (void)worker;
    sum_columns(j, 0, from, to, score);
    sum_columns(j, 1, from, to, first);
    for (size_t i = 0; i < to - from; ++i) score[i] += first[i];
    sum_columns(j, 2, from, to, first);
    sum_columns(j, 3, from, to, second);
    for (size_t i = 0; i < to - from; ++i) score[i] = (score[i] + (first[i] + second[i])) + j->m->bias;
}

void scarce__linear_score_table(const scarce__linear *m, const scarce_table *table, double *score,
                                const scarce_context *ctx)
{
    table_job j = {m, table, score};
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(table->n_rows, BLOCK_ROWS), score_block, &j);
}
