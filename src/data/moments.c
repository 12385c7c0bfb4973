/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes over a column: the mean first, then the squares around it, which is as exact as doubles are. A
 * sparse column takes time by its entries; its zeros come in as weight - entries. */
#include "data/moments.h"

#include <float.h>
#include <math.h>

typedef struct moments_job {
    scarce__moments *out;
    const scarce_table *table;
    double all; /* weight of all rows */
} moments_job;

enum { LANES = 8 };

static int present(float x)
{
    return fabsf(x) <= FLT_MAX;
}

static double sum_of(const double *lane)
{
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* Row i adds to lane i % LANES: the order is fixed, and an addition doesn't wait for the one before. */
static void of_numbers(scarce__moments *m, const float *x, const double *w, size_t n)
{
    double sum[LANES] = {0}, square[LANES] = {0}, weight[LANES] = {0};

    for (size_t i = 0; i < n; i += LANES)
        for (size_t k = 0; k < LANES && i + k < n; ++k) {
            const int here = present(x[i + k]);
            const double v = here ? (w ? w[i + k] : 1) : 0;
            m->n_missing += !here;
            m->lo = here && x[i + k] < m->lo ? x[i + k] : m->lo;
            m->hi = here && x[i + k] > m->hi ? x[i + k] : m->hi;
            weight[k] += v;
            sum[k] += here ? v * (double)x[i + k] : 0;
        }
    m->weight = sum_of(weight);
    m->mean = m->weight > 0 ? sum_of(sum) / m->weight : 0;
    for (size_t i = 0; i < n; i += LANES)
        for (size_t k = 0; k < LANES && i + k < n; ++k) {
            const double e = present(x[i + k]) ? (double)x[i + k] - m->mean : 0;
            square[k] += (w ? w[i + k] : 1) * e * e;
        }
    m->sd = m->weight > 0 ? sqrt(sum_of(square) / m->weight) : 0;
}

static void of_sparse(scarce__moments *m, const scarce__sparse *s, const double *w, size_t n, double all)
{
    double sum = 0, square = 0, listed = 0, lost = 0;

    if (s->count < n) m->lo = m->hi = 0;
    for (size_t k = 0; k < s->count; ++k) {
        const double v = w ? w[s->row[k]] : 1;
        if (!present(s->value[k])) {
            ++m->n_missing;
            lost += v;
            continue;
        }
        if (s->value[k] < m->lo) m->lo = s->value[k];
        if (s->value[k] > m->hi) m->hi = s->value[k];
        listed += v;
        sum += v * (double)s->value[k];
    }
    m->weight = all - lost;
    m->mean = m->weight > 0 ? sum / m->weight : 0;
    for (size_t k = 0; k < s->count; ++k) {
        const double e = present(s->value[k]) ? (double)s->value[k] - m->mean : 0;
        square += (w ? w[s->row[k]] : 1) * e * e;
    }
    const double zeros = m->weight - listed;
    if (zeros > 0) square += zeros * m->mean * m->mean;
    m->sd = m->weight > 0 ? sqrt(square / m->weight) : 0;
}

static void of_column(void *arg, size_t f, int worker)
{
    const moments_job *j = arg;
    const scarce_table *t = j->table;
    scarce__moments *m = &j->out[f];

    (void)worker;
    *m = (scarce__moments){.lo = FLT_MAX, .hi = -FLT_MAX};
    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC: of_numbers(m, t->columns[f].number, t->weight, t->n_rows); break;
    case SCARCE_COLUMN_CATEGORY:
        for (size_t i = 0; i < t->n_rows; ++i) m->n_missing += t->columns[f].code[i] < 0;
        break;
    case SCARCE_COLUMN_SPARSE: of_sparse(m, &t->columns[f].sparse, t->weight, t->n_rows, j->all); break;
    }
}

void scarce__table_moments(scarce__moments *out, const scarce_table *table, scarce__pool *pool)
{
    moments_job j = {out, table, 0};
    for (size_t i = 0; i < table->n_rows; ++i) j.all += table->weight ? table->weight[i] : 1;
    scarce__pool_run(pool, table->schema.n_features, of_column, &j);
}
