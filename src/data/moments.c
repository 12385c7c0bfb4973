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

static int present(float x)
{
    return fabsf(x) <= FLT_MAX;
}

static void of_numbers(scarce__moments *m, const float *x, const double *w, size_t n)
{
    double sum = 0, square = 0;

    for (size_t i = 0; i < n; ++i) {
        if (!present(x[i])) {
            ++m->n_missing;
            continue;
        }
        if (x[i] < m->lo) m->lo = x[i];
        if (x[i] > m->hi) m->hi = x[i];
        m->weight += w ? w[i] : 1;
        sum += (w ? w[i] : 1) * (double)x[i];
    }
    m->mean = m->weight > 0 ? sum / m->weight : 0;
    for (size_t i = 0; i < n; ++i) {
        const double e = present(x[i]) ? (double)x[i] - m->mean : 0;
        square += (w ? w[i] : 1) * e * e;
    }
    m->sd = m->weight > 0 ? sqrt(square / m->weight) : 0;
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
