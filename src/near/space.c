/* SPDX-License-Identifier: Apache-2.0 */
/* Scales of the features, and distances one by one. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "data/moments.h"
#include "data/reading.h"
#include "near/inside.h"
#include "near/nearby.h"

/* So many sparse columns are laid out as plain numbers; beyond, their entries alone are worth the way. */
enum { MOST_SPREAD = 256 };

void scarce__space_deinit(scarce__space *s)
{
    scarce__free(s->number);
    scarce__free(s->scale);
    scarce__free(s->center);
    scarce__free(s->gaps);
    scarce__free(s->code);
    scarce__free(s->sparse);
    scarce__free(s->sparse_scale);
    scarce__free(s->sparse_gaps);
    memset(s, 0, sizeof *s);
}

static size_t count_kind(const scarce_table *t, scarce_column_kind kind)
{
    size_t n = 0;
    for (size_t f = 0; f < t->schema.n_features; ++f) n += t->schema.features[f].kind == kind;
    return n;
}

static scarce__near_scale choose(const scarce_table *t, const scarce__moments *m)
{
    for (size_t f = 0; f < t->schema.n_features; ++f)
        if (t->schema.features[f].kind == SCARCE_COLUMN_CATEGORY || m[f].n_missing)
            return SCARCE__SCALE_RANGE;
    return SCARCE__SCALE_STANDARD;
}

static double scale_of(const scarce__moments *m, scarce__near_scale scale)
{
    const double spread = scale == SCARCE__SCALE_RANGE ? (double)m->hi - (double)m->lo : m->sd;

    if (!(m->lo < m->hi)) return 0; /* constant, or no value at all */
    if (scale == SCARCE__SCALE_NONE) return 1;
    return spread > 0 ? 1 / spread : 0;
}

/* How far from the center the values of a column are at most, in its scale. */
static double reach(const scarce__moments *m, double center, double scale)
{
    const double low = fabs((double)m->lo - center), high = fabs((double)m->hi - center);
    return m->lo <= m->hi ? scale * (low > high ? low : high) : 0;
}

static void add_column(scarce__space *s, size_t f, scarce_column_kind kind, const scarce__moments *m,
                       scarce__near_scale scale, double *square)
{
    const int gaps = m->n_missing > 0;
    const double r = scale_of(m, scale);

    if (kind == SCARCE_COLUMN_CATEGORY) {
        s->code[s->n_codes++] = (uint32_t)f;
        return;
    }
    if (r == 0 && !gaps) return; /* says nothing */
    if (kind == SCARCE_COLUMN_SPARSE && s->sparse) {
        s->sparse[s->n_sparse] = (uint32_t)f;
        s->sparse_gaps[s->n_sparse] = (uint8_t)gaps;
        s->sparse_scale[s->n_sparse++] = r;
        return;
    }
    s->number[s->n_numbers] = (uint32_t)f;
    s->gaps[s->n_numbers] = (uint8_t)gaps;
    s->center[s->n_numbers] = r > 0 ? m->mean : 0;
    s->scale[s->n_numbers] = r;
    s->n_gaps += (size_t)gaps;
    *square += reach(m, s->center[s->n_numbers], r) * reach(m, s->center[s->n_numbers], r) + gaps;
    ++s->n_numbers;
}

static void set_unit(scarce__space *s, double square)
{
    int exponent = 0;

    s->dims = s->n_numbers + 2 * s->n_gaps;
    s->unit = 1;
    square += (double)s->n_codes;
    if (square > 0) {
        (void)frexp(sqrt(square), &exponent);
        s->unit = ldexp(1, -exponent);
    }
}

static void fill(scarce__space *s, const scarce_table *t, const scarce__moments *m, scarce__near_scale scale)
{
    double square = 0;

    if (scale == SCARCE__SCALE_AUTO) scale = choose(t, m);
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        if (scarce__only_kept(t, f)) continue;
        add_column(s, f, t->schema.features[f].kind, &m[f], scale, &square);
    }
    s->n_padded = (s->n_numbers + 7) / 8 * 8;
    set_unit(s, square);
}

scarce_status scarce__space_init(scarce__space *out, const scarce_table *t, scarce__near_scale scale,
                                 scarce_context *ctx, scarce_error *err)
{
    const size_t n = t->schema.n_features, padded = (n + 7) / 8 * 8,
                 n_sparse = count_kind(t, SCARCE_COLUMN_SPARSE);
    scarce__moments *m = scarce__malloc_array(n, sizeof *m);

    memset(out, 0, sizeof *out);
    out->category_square = 1;
    out->number = scarce__malloc_array(n, sizeof *out->number);
    out->scale = scarce__calloc(padded, sizeof *out->scale);
    out->center = scarce__calloc(padded, sizeof *out->center);
    out->gaps = scarce__calloc(padded, 1);
    out->code = scarce__malloc_array(n, sizeof *out->code);
    if (n_sparse > MOST_SPREAD) {
        out->sparse_scale = scarce__malloc_array(n, sizeof *out->sparse_scale);
        out->sparse_gaps = scarce__malloc_array(n, 1);
        out->sparse = scarce__malloc_array(n, sizeof *out->sparse);
    }
    if (!m || !out->number || !out->scale || !out->center || !out->gaps || !out->code ||
        (n_sparse > MOST_SPREAD && (!out->sparse || !out->sparse_scale || !out->sparse_gaps))) {
        scarce__free(m);
        scarce__space_deinit(out);
        return scarce__fail_memory(err, "distances of rows", 0);
    }
    scarce__table_moments(m, t, scarce__context_pool(ctx));
    fill(out, t, m, scale);
    scarce__free(m);
    return SCARCE_OK;
}

/* ---- of a space that was read from a file */

static int column_gaps(const scarce_table *t, size_t f)
{
    const scarce__column *c = &t->columns[f];
    const int sparse = t->schema.features[f].kind == SCARCE_COLUMN_SPARSE;
    const float *value = sparse ? c->sparse.value : c->number;
    const size_t n = sparse ? c->sparse.count : t->n_rows;

    for (size_t i = 0; i < n; ++i)
        if (!(fabsf(value[i]) <= FLT_MAX)) return 1;
    return 0;
}

static double column_reach(const scarce_table *t, size_t f, double center)
{
    const scarce__column *c = &t->columns[f];
    const int sparse = t->schema.features[f].kind == SCARCE_COLUMN_SPARSE;
    const float *value = sparse ? c->sparse.value : c->number;
    const size_t n = sparse ? c->sparse.count : t->n_rows;
    double most = sparse ? fabs(center) : 0;

    for (size_t i = 0; i < n; ++i)
        if (fabs((double)value[i] - center) > most && fabsf(value[i]) <= FLT_MAX)
            most = fabs((double)value[i] - center);
    return most;
}

void scarce__space_restore(scarce__space *s, const scarce_table *t)
{
    double square = 0;

    s->n_gaps = 0;
    for (size_t i = 0; i < s->n_numbers; ++i) {
        const double far = column_reach(t, s->number[i], s->center[i]) * s->scale[i];
        s->gaps[i] = (uint8_t)column_gaps(t, s->number[i]);
        s->n_gaps += s->gaps[i];
        square += far * far + s->gaps[i];
    }
    for (size_t i = 0; i < s->n_sparse; ++i) s->sparse_gaps[i] = (uint8_t)column_gaps(t, s->sparse[i]);
    set_unit(s, square);
}

/* ---- one pair */

static float sparse_value(const scarce__sparse *s, size_t row)
{
    const size_t at = scarce__first_row(s->row, s->count, row);
    return at < s->count && s->row[at] == row ? s->value[at] : 0;
}

static double cell(const scarce_table *t, size_t f, size_t row)
{
    const float x = t->schema.features[f].kind == SCARCE_COLUMN_SPARSE
                        ? sparse_value(&t->columns[f].sparse, row)
                        : t->columns[f].number[row];
    return isfinite(x) ? (double)x : (double)NAN;
}

/* The order of the sums is that of kernel.h, written out once more. */
double scarce__space_square(const scarce__space *s, const scarce_table *a, size_t row_a,
                            const scarce_table *b, size_t row_b)
{
    double sum[8] = {0}, rest = 0;
    size_t differ = 0;

    for (size_t i = 0; i < s->n_numbers; ++i) {
        const double t = (cell(a, s->number[i], row_a) - cell(b, s->number[i], row_b)) * s->scale[i];
        sum[i % 8] += isnan(t) ? 1 : t * t;
    }
    for (size_t i = 0; i < s->n_codes; ++i) {
        const int32_t x = a->columns[s->code[i]].code[row_a], y = b->columns[s->code[i]].code[row_b];
        differ += x != y || x < 0;
    }
    for (size_t i = 0; i < s->n_sparse; ++i) {
        const double t = (cell(a, s->sparse[i], row_a) - cell(b, s->sparse[i], row_b)) * s->sparse_scale[i];
        rest += isnan(t) ? 1 : t * t;
    }
    rest += ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])) +
            s->category_square * (double)differ;
    return rest;
}
