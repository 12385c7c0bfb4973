/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table laid out for the kernels.
 *
 * With z = (x - center) scale unit, half the squared distance of rows x and y is
 *
 *     sum over columns without gaps   z_x^2 / 2 + z_y^2 / 2 - z_x z_y
 *     sum over columns with gaps      g / 2 + p_y z_x^2 / 2 + p_x (z_y^2 - g p_y) / 2 - z_x z_y
 *
 * where p is 1 for a value and 0 for a gap (z = 0 there) and g = unit^2 is what a gap counts: a scalar product,
 * of three dimensions for a column with gaps. What belongs to y alone goes to the base of its place in the
 * panel, what belongs to x alone to its limit. Both are loosened by err N, N being the sum of z^2 and of what
 * gaps and categories count at most: err = 2 (n + 8) 2^-24 is twice the error bound of n products and sums. */
#include <float.h>
#include <math.h>

#include "near/inside.h"

static double error_of(const scarce__space *s)
{
    return 2 * (double)(s->dims + s->n_codes + 8) * 0x1p-24;
}

static double at_most(const scarce__space *s) /* what gaps and categories count */
{
    return s->unit * s->unit * ((double)s->n_gaps + s->category_square * (double)s->n_codes);
}

/* ---- raw rows */

static void raw_sparse(float *to, size_t width, const scarce__sparse *s, const uint32_t *rows, size_t first,
                       size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t row = rows ? rows[i] : (uint32_t)(first + i);
        if (at && s->row[at - 1] >= row) at = 0; /* only lists that don't ascend come here */
        at += scarce__first_row(s->row + at, s->count - at, row);
        to[i * width] = at < s->count && s->row[at] == row ? s->value[at] : 0;
    }
}

static void raw(float *to, const scarce__space *s, const scarce_table *t, const uint32_t *rows, size_t first,
                size_t n)
{
    const size_t width = scarce__near_width(s);

    for (size_t i = 0; i < n; ++i)
        for (size_t f = s->n_numbers; f < s->n_padded; ++f) to[i * width + f] = 0;
    for (size_t f = 0; f < s->n_numbers; ++f) {
        const scarce__column *c = &t->columns[s->number[f]];
        if (t->schema.features[s->number[f]].kind == SCARCE_COLUMN_SPARSE)
            raw_sparse(to + f, width, &c->sparse, rows, first, n);
        else
            for (size_t i = 0; i < n; ++i) to[i * width + f] = c->number[rows ? rows[i] : first + i];
        for (size_t i = 0; i < n; ++i)
            if (!(fabsf(to[i * width + f]) <= FLT_MAX)) to[i * width + f] = NAN;
    }
    for (size_t f = 0; f < s->n_codes; ++f) {
        const int32_t *code = t->columns[s->code[f]].code;
        for (size_t i = 0; i < n; ++i)
            memcpy(&to[i * width + s->n_padded + f], &code[rows ? rows[i] : first + i], sizeof *code);
    }
}

void scarce__near_raw(float *to, const scarce__space *s, const scarce__near_rows *r, size_t first, size_t n)
{
    raw(to, s, r->table, r->rows ? r->rows + first : NULL, first, n);
}

void scarce__near_raw_of(float *to, const scarce__space *s, const scarce_table *t, const uint32_t *rows,
                         size_t n)
{
    raw(to, s, t, rows, 0, n);
}

/* ---- panels and groups */

void scarce__near_panel(float *panel, int32_t *codes, const scarce__space *s, const float *raw_rows, size_t n,
                        int sign)
{
    enum { W = SCARCE__NEAR_PANEL };
    const size_t width = scarce__near_width(s);
    const double g = s->unit * s->unit, err = error_of(s), more = at_most(s);

    for (size_t j = 0; j < W; ++j) {
        const float *row =
            raw_rows + (j < n ? j : 0) * width; /* places without a row are masked by the caller */
        double half = 0, norm = more;
        float *to = panel + W + j;
        for (size_t f = 0; f < s->n_numbers; ++f, to += W) {
            const double x = (double)row[f];
            const int gap = s->gaps[f] && isnan(x);
            const double z = gap ? 0 : (x - s->center[f]) * s->scale[f] * s->unit;
            norm += z * z;
            *to = (float)(sign * z);
            if (!s->gaps[f]) {
                half += z * z / 2;
                continue;
            }
            to += W;
            *to = gap ? 0 : (float)-sign;
            to += W;
            *to = gap ? 0 : (float)(-sign * (z * z - g) / 2);
        }
        panel[j] = (float)(sign * half - err * norm);
        for (size_t c = 0; c < s->n_codes; ++c)
            memcpy(&codes[c * W + j], &row[s->n_padded + c], sizeof *codes);
        for (size_t c = 0; c < s->n_codes; ++c)
            if (codes[c * W + j] < 0) codes[c * W + j] = -1;
    }
}

/* The next dimension, and the next code, stand `stride` behind. */
static scarce__near_half query_at(float *to, int32_t *codes, size_t stride, const scarce__space *s,
                                  const float *row)
{
    const double g = s->unit * s->unit, err = error_of(s);
    double constant = g * (double)s->n_gaps, norm = at_most(s);

    for (size_t f = 0; f < s->n_numbers; ++f, to += stride) {
        const double x = (double)row[f];
        const int gap = s->gaps[f] && isnan(x);
        const double z = gap ? 0 : (x - s->center[f]) * s->scale[f] * s->unit;
        norm += z * z;
        *to = (float)z;
        if (!s->gaps[f]) {
            constant += z * z;
            continue;
        }
        to += stride;
        *to = (float)(z * z / 2);
        to += stride;
        *to = gap ? 0 : 1;
    }
    for (size_t c = 0; c < s->n_codes; ++c) {
        memcpy(&codes[c * stride], &row[s->n_padded + c], sizeof *codes);
        if (codes[c * stride] < 0) codes[c * stride] = -2; /* differs from a gap on the other side too */
    }
    return (scarce__near_half){constant, err * norm};
}

void scarce__near_group(float *group, int32_t *codes, scarce__near_half *half, const scarce__space *s,
                        const float *raw_rows, size_t n)
{
    enum { G = SCARCE__NEAR_GROUP };
    const size_t width = scarce__near_width(s);

    for (size_t i = 0; i < G; ++i)
        half[i] = query_at(group + i, codes + i, G, s, raw_rows + (i < n ? i : 0) * width);
}

void scarce__near_query(float *query, int32_t *codes, scarce__near_half *half, const scarce__space *s,
                        const float *raw_row)
{
    *half = query_at(query, codes, 1, s, raw_row);
}

float scarce__near_limit(const scarce__space *s, const scarce__near_half *half, double value, int sign)
{
    double limit = (value * s->unit * s->unit - sign * half->constant) / 2 + half->slack;

    limit += fabs(limit) * 0x1p-22 + 1e-30;
    if (value == -(double)INFINITY) return -INFINITY;
    return limit < (double)FLT_MAX ? (float)limit : INFINITY; /* NaN: everything */
}
