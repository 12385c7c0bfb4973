/* SPDX-License-Identifier: Apache-2.0 */
/* Products with the encoded matrix, read straight from the table's columns.
 *
 * X v runs over blocks of rows whose sums stay in the first-level cache while all columns pass; X^T u runs
 * over columns. No partial sums are kept, so memory doesn't grow with the number of blocks, and the order
 * of additions doesn't depend on the threads. */
#include <float.h>
#include <math.h>

#include "data/table.h"
#include "linear/encode.h"

enum { BLOCK_ROWS = 2048, COLUMN_CHUNK = 16 };

typedef struct times_job {
    const scarce__design *d;
    const double *v;
    double *z;
} times_job;

static void add_numbers(const scarce__design_column *c, const float *x, size_t n, const double *v, double *z)
{
    const double a = v[c->value] * c->scale, center = c->center, missing = v[c->missing];

    if (c->n_missing == 0) {
        for (size_t i = 0; i < n; ++i) z[i] += a * ((double)x[i] - center);
        return;
    }
    for (size_t i = 0; i < n; ++i) z[i] += fabsf(x[i]) <= FLT_MAX ? a * ((double)x[i] - center) : missing;
}

static void times_block(void *arg, size_t index, int worker)
{
    const times_job *j = arg;
    const scarce__design *d = j->d;
    const size_t from = index * BLOCK_ROWS, rest = d->n_rows - from,
                 n = rest < BLOCK_ROWS ? rest : BLOCK_ROWS;
    double *z = j->z + from;

    (void)worker;
    for (size_t i = 0; i < n; ++i) z[i] = j->v[d->n_parameters];
    for (size_t f = 0; f < d->n_columns; ++f) {
        const scarce__design_column *c = &d->columns[f];
        if (c->kind == SCARCE_COLUMN_NUMERIC) {
            add_numbers(c, d->table->columns[f].number + from, n, j->v, z);
        } else if (c->kind == SCARCE_COLUMN_CATEGORY) {
            const int32_t *code = d->table->columns[f].code + from;
            for (size_t i = 0; i < n; ++i) z[i] += j->v[c->slot[code[i] + 1]];
        }
    }
    if (!d->row_begin) return;
    for (size_t i = 0; i < n; ++i) {
        double s = 0;
        for (size_t k = d->row_begin[from + i]; k < d->row_begin[from + i + 1]; ++k)
            s += d->scaled[d->entry_parameter[k]] * (double)d->entry_value[k];
        z[i] += s;
    }
}

void scarce__design_times(scarce__design *d, const double *v, double *z, scarce__pool *pool)
{
    times_job j = {d, v, z};

    for (size_t f = 0; d->row_begin && f < d->n_columns; ++f) {
        const scarce__design_column *c = &d->columns[f];
        if (c->kind != SCARCE_COLUMN_SPARSE) continue;
        d->scaled[c->value] = v[c->value] * c->scale;
        d->scaled[c->missing] = v[c->missing];
    }
    scarce__pool_run(pool, scarce__blocks(d->n_rows, BLOCK_ROWS), times_block, &j);
}

typedef struct transposed_job {
    const scarce__design *d;
    const double *u;
    double *g;
    int squares;
    size_t chunk;
} transposed_job;

static inline void add_row(double *s, double *m, float x, double u, double center, int squares, int gaps)
{
    const int there = !gaps || fabsf(x) <= FLT_MAX;
    const double e = there ? (double)x - center : 0;
    *s += u * (squares ? e * e : e);
    if (gaps) *m += there ? 0 : u;
}

/* Four sums (row i to sum i mod 4) let the processor overlap the additions. The flags are constants where it
 * is called, so that each combination has a loop of its own. */
static inline double sum_numbers(const float *x, const double *u, size_t n, double center, int squares,
                                 int gaps, double *missing)
{
    double s[4] = {0, 0, 0, 0}, m[4] = {0, 0, 0, 0};
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; ++k) add_row(&s[k], &m[k], x[i + k], u[i + k], center, squares, gaps);
    for (; i < n; ++i) add_row(&s[i % 4], &m[i % 4], x[i], u[i], center, squares, gaps);
    *missing = (m[0] + m[1]) + (m[2] + m[3]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static double sum_column(const scarce__design_column *c, const float *x, const double *u, size_t n,
                         int squares, double *missing)
{
    if (c->n_missing > 0)
        return squares ? sum_numbers(x, u, n, c->center, 1, 1, missing)
                       : sum_numbers(x, u, n, c->center, 0, 1, missing);
    return squares ? sum_numbers(x, u, n, c->center, 1, 0, missing)
                   : sum_numbers(x, u, n, c->center, 0, 0, missing);
}

static double sum_sparse(const scarce__sparse *x, const double *u, int squares, double *missing)
{
    double s = 0, m = 0;
    for (size_t k = 0; k < x->count; ++k) {
        const double e = (double)x->value[k];
        if (fabs(e) <= FLT_MAX) s += u[x->row[k]] * (squares ? e * e : e);
        else m += u[x->row[k]];
    }
    *missing = m;
    return s;
}

static void transpose_column(const transposed_job *j, size_t f)
{
    const scarce__design *d = j->d;
    const scarce__design_column *c = &d->columns[f];
    const scarce__column *column = &d->table->columns[f];
    const double scale = j->squares ? c->scale * c->scale : c->scale;
    const uint32_t sink = (uint32_t)d->n_parameters + 1;
    double s, missing = 0;

    if (c->kind == SCARCE_COLUMN_CATEGORY) { /* no other column has these parameters */
        double *g = j->g;
        for (size_t k = 0; k < c->n_categories + 2; ++k)
            if (c->slot[k] != sink) g[c->slot[k]] = 0;
        for (size_t i = 0; i < d->n_rows; ++i) {
            const uint32_t p = c->slot[column->code[i] + 1];
            if (p != sink) g[p] += j->u[i];
        }
        return;
    }
    if (c->value == sink && c->missing == sink) return;
    if (c->kind == SCARCE_COLUMN_SPARSE) s = sum_sparse(&column->sparse, j->u, j->squares, &missing);
    else s = sum_column(c, column->number, j->u, d->n_rows, j->squares, &missing);
    if (c->value != sink) j->g[c->value] = s * scale;
    if (c->missing != sink) j->g[c->missing] = missing;
}

static void transpose_chunk(void *arg, size_t index, int worker)
{
    const transposed_job *j = arg;
    const size_t from = index * j->chunk;
    (void)worker;
    for (size_t f = from; f < from + j->chunk && f < j->d->n_columns; ++f) transpose_column(j, f);
}

void scarce__design_transposed(const scarce__design *d, const double *u, double *g, int squares,
                               scarce__pool *pool)
{
    transposed_job j = {d, u, g, squares, d->n_columns > 64 * COLUMN_CHUNK ? COLUMN_CHUNK : 1};
    double s = 0;

    scarce__pool_run(pool, scarce__blocks(d->n_columns, j.chunk), transpose_chunk, &j);
    for (size_t i = 0; i < d->n_rows; ++i) s += u[i];
    g[d->n_parameters] = s;
    g[d->n_parameters + 1] = 0;
}

size_t scarce__design_row_limit(const scarce__design *d)
{
    size_t most = 0;
    for (size_t i = 0; d->row_begin && i < d->n_rows; ++i) {
        const size_t n = d->row_begin[i + 1] - d->row_begin[i];
        if (n > most) most = n;
    }
    return most + d->n_columns;
}

size_t scarce__design_row(const scarce__design *d, size_t row, uint32_t *parameter, double *value)
{
    const uint32_t sink = (uint32_t)d->n_parameters + 1;
    size_t n = 0, k = d->row_begin ? d->row_begin[row] : 0;

    for (size_t f = 0; f < d->n_columns; ++f) {
        const scarce__design_column *c = &d->columns[f];
        uint32_t p;
        double v = 1;
        if (c->kind == SCARCE_COLUMN_SPARSE) { /* the row's entries are in the order of the columns */
            if (!d->row_begin || k >= d->row_begin[row + 1]) continue;
            p = d->entry_parameter[k];
            if (p != c->value && p != c->missing) continue;
            v = p == c->value ? (double)d->entry_value[k] * c->scale : 1;
            ++k;
        } else if (c->kind == SCARCE_COLUMN_CATEGORY) {
            p = c->slot[d->table->columns[f].code[row] + 1];
        } else {
            const float x = d->table->columns[f].number[row];
            const int there = fabsf(x) <= FLT_MAX;
            p = there ? c->value : c->missing;
            if (there) v = ((double)x - c->center) * c->scale;
        }
        if (p == sink || v == 0) continue;
        parameter[n] = p;
        value[n++] = v;
    }
    return n;
}
