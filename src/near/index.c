/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one query over all rows of an index, and what is wanted of it. */
#include "near/index.h"

#include <float.h>
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"

enum { W = SCARCE__NEAR_PANEL, ON_STACK = 1024 };

void scarce__index_deinit(scarce__index *x)
{
    scarce__free(x->row);
    scarce__free(x->raw);
    scarce__free(x->panels);
    scarce__free(x->codes);
    scarce__entries_deinit(&x->sparse);
    memset(x, 0, sizeof *x);
}

static int by_panels(const scarce__space *s)
{
    return s->n_sparse == 0 && scarce__near_width(s) <= ON_STACK && s->dims <= ON_STACK;
}

double scarce__index_memory(const scarce__space *s, double n)
{
    const double panel = by_panels(s) ? 4 * (double)(s->dims + 1 + s->n_codes) : 0;
    return (n + W) * (4 * (double)scarce__near_width(s) + panel + 4);
}

scarce_status scarce__index_init(scarce__index *x, const scarce__space *s, const scarce__near_rows *among,
                                 scarce_error *err)
{
    const size_t n = among->n, panels = (n + W - 1) / W, panel_floats = (s->dims + 1) * W;

    memset(x, 0, sizeof *x);
    x->space = s;
    x->kernels = scarce__near_kernels_of(scarce__near_level());
    x->exact = (scarce__near_exact){s->scale, s->n_padded, s->n_codes, s->category_square};
    x->n = n;
    x->width = scarce__near_width(s);
    x->row = scarce__malloc_array(n, sizeof *x->row);
    x->raw = scarce__huge_alloc(n * x->width, sizeof *x->raw);
    int ok = x->row && x->raw;
    if (ok && by_panels(s)) {
        x->panels = scarce__huge_alloc(panels * panel_floats, sizeof *x->panels);
        x->codes = scarce__malloc_array(panels * W * s->n_codes, sizeof *x->codes);
        ok = x->panels && x->codes;
    }
    if (ok && s->n_sparse) ok = scarce__entries_init(&x->sparse, s, among->table);
    if (!ok) {
        scarce__index_deinit(x);
        return scarce__fail_memory(err, "an index of rows", 0);
    }
    for (size_t i = 0; i < n; ++i) x->row[i] = scarce__near_row(among, i);
    scarce__near_raw(x->raw, s, among, 0, n);
    for (size_t p = 0; x->panels && p < panels; ++p)
        scarce__near_panel(x->panels + p * panel_floats, x->codes + p * W * s->n_codes, s,
                           x->raw + p * W * x->width, n - p * W < W ? n - p * W : W, 1);
    return SCARCE_OK;
}

/* ---- one query */

/* Gets a pair, and tells up to which square the query wants pairs from then on. */
typedef double (*take_fn)(void *sink, double square, uint32_t number);

static float known(float x) /* missing unless it is finite */
{
    return fabsf(x) <= FLT_MAX ? x : NAN;
}

static int32_t code_of(float x)
{
    return x >= 0 && x < 0x1p30f ? (int32_t)x : -1;
}

static void walk_panels(const scarce__index *x, const float *row, double wants, take_fn take, void *sink)
{
    const scarce__space *s = x->space;
    const size_t panel_floats = (s->dims + 1) * W;
    float raw[ON_STACK], query[ON_STACK];
    int32_t codes[ON_STACK];
    scarce__near_half half;

    for (size_t f = 0; f < s->n_padded; ++f) raw[f] = f < s->n_numbers ? known(row[s->number[f]]) : 0;
    for (size_t c = 0; c < s->n_codes; ++c) {
        const int32_t code = code_of(row[s->code[c]]);
        memcpy(&raw[s->n_padded + c], &code, sizeof code);
    }
    scarce__near_query(query, codes, &half, s, raw);
    scarce__near_line line = {query, codes, 0, s->dims, s->n_codes, 0};
    line.weight = (float)(s->category_square * s->unit * s->unit / 2);
    line.limit = scarce__near_limit(s, &half, wants, 1);
    for (size_t p = 0; p * W < x->n; ++p) {
        const size_t left = x->n - p * W;
        uint32_t mask = x->kernels->line(&line, x->panels + p * panel_floats, x->codes + p * W * s->n_codes);
        if (left < W) mask &= ((uint32_t)1 << left) - 1;
        for (; mask; mask &= mask - 1) {
            const size_t j = p * W + (size_t)__builtin_ctz(mask);
            const double square = x->kernels->square(&x->exact, raw, x->raw + j * x->width);
            if (!(square <= wants)) continue;
            wants = take(sink, square, x->row[j]);
            line.limit = scarce__near_limit(s, &half, wants, 1);
        }
    }
}

/* The sparse part, over the columns where either side has an entry, as sparse.c adds it. */
static double sparse_square(const scarce__index *x, const float *row, const uint32_t *listed, size_t n_listed,
                            uint32_t number)
{
    const scarce__space *s = x->space;
    const scarce__entries *e = &x->sparse;
    size_t at = e->begin[number], p = 0;
    const size_t end = e->begin[number + 1];
    double sum = 0;

    while (p < n_listed || at < end) {
        const uint32_t c =
            at == end || (p < n_listed && listed[p] <= e->column[at]) ? listed[p] : e->column[at];
        const double a = p < n_listed && listed[p] == c ? (double)known(row[s->sparse[c]]) : 0;
        const double b = at < end && e->column[at] == c ? (double)e->value[at] : 0;
        const double t = (a - b) * s->sparse_scale[c];
        p += p < n_listed && listed[p] == c;
        at += at < end && e->column[at] == c;
        sum += isnan(t) ? 1 : t * t;
    }
    return sum;
}

static double plain_square(const scarce__index *x, const float *row, size_t j)
{
    const scarce__space *s = x->space;
    const float *other = x->raw + j * x->width;
    double sum[8] = {0};
    size_t differ = 0;

    for (size_t f = 0; f < s->n_numbers; ++f) {
        const double t = ((double)known(row[s->number[f]]) - (double)other[f]) * s->scale[f];
        sum[f % 8] += isnan(t) ? 1 : t * t;
    }
    for (size_t c = 0; c < s->n_codes; ++c) {
        const int32_t a = code_of(row[s->code[c]]);
        int32_t b;
        memcpy(&b, &other[s->n_padded + c], sizeof b);
        differ += a != b || a < 0;
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])) +
           s->category_square * (double)differ;
}

/* More entries than are listed on the stack: every column is asked. */
static double wide_square(const scarce__index *x, const float *row, uint32_t number)
{
    const scarce__space *s = x->space;
    const scarce__entries *e = &x->sparse;
    size_t at = e->begin[number];
    double sum = 0;

    for (uint32_t c = 0; c < s->n_sparse; ++c) {
        const int has = at < e->begin[number + 1] && e->column[at] == c;
        const double a = (double)known(row[s->sparse[c]]), b = has ? (double)e->value[at] : 0;
        const double t = (a - b) * s->sparse_scale[c];
        at += (size_t)has;
        sum += isnan(t) ? 1 : t * t;
    }
    return sum;
}

static void walk_rows(const scarce__index *x, const float *row, double wants, take_fn take, void *sink)
{
    const scarce__space *s = x->space;
    uint32_t listed[ON_STACK];
    size_t n = 0;

    for (uint32_t c = 0; c < s->n_sparse && n <= ON_STACK; ++c) {
        if (row[s->sparse[c]] == 0) continue;
        if (n < ON_STACK) listed[n] = c;
        ++n;
    }
    for (size_t j = 0; j < x->n; ++j) {
        double square = plain_square(x, row, j);
        if (s->n_sparse)
            square = (n <= ON_STACK ? sparse_square(x, row, listed, n, x->row[j])
                                    : wide_square(x, row, x->row[j])) +
                     square;
        if (square <= wants) wants = take(sink, square, x->row[j]);
    }
}

static void walk(const scarce__index *x, const float *row, double wants, take_fn take, void *sink)
{
    if (x->panels) walk_panels(x, row, wants, take, sink);
    else walk_rows(x, row, wants, take, sink);
}

/* ---- the k nearest */

typedef struct nearest {
    uint32_t *number;
    double *square;
    size_t k;
} nearest;

/* Rows come in ascending order, so the first of equals is there already. */
static double take_nearest(void *sink, double square, uint32_t number)
{
    nearest *s = sink;
    size_t at = s->k - 1;

    if (!(square < s->square[at])) return s->square[at];
    for (; at > 0 && square < s->square[at - 1]; --at) {
        s->square[at] = s->square[at - 1];
        s->number[at] = s->number[at - 1];
    }
    s->square[at] = square;
    s->number[at] = number;
    return s->square[s->k - 1];
}

void scarce__index_nearest(const scarce__index *x, const float *row, size_t k, uint32_t *number,
                           double *square)
{
    nearest sink = {number, square, k};

    for (size_t i = 0; i < k; ++i) number[i] = UINT32_MAX, square[i] = (double)INFINITY;
    if (k) walk(x, row, (double)INFINITY, take_nearest, &sink);
    for (size_t i = 0; i < k; ++i)
        if (number[i] == UINT32_MAX) square[i] = (double)NAN;
}

/* ---- all within a bound */

typedef struct within {
    const uint32_t *weight;
    double bound;
    uint64_t sum;
} within;

static double take_within(void *sink, double square, uint32_t number)
{
    within *s = sink;
    if (square <= s->bound) s->sum += s->weight[number];
    return s->bound;
}

uint64_t scarce__index_within(const scarce__index *x, const float *row, double bound, const uint32_t *weight)
{
    within sink = {weight, bound, 0};
    walk(x, row, bound, take_within, &sink);
    return sink.sum;
}

typedef struct sums {
    const double *bound;
    const uint32_t *weight;
    uint64_t *sum;
} sums;

static double sums_wants(void *sink, size_t i)
{
    const sums *s = sink;
    return s->bound[i];
}

static double sums_take(void *sink, size_t i, double value, uint32_t row)
{
    const sums *s = sink;
    if (value <= s->bound[i]) s->sum[i] += s->weight[row];
    return s->bound[i];
}

scarce_status scarce__near_within(uint64_t *sum, const scarce__near *ask, const double *bound,
                                  const uint32_t *weight, scarce_context *ctx, scarce_error *err)
{
    sums sink = {bound, weight, sum};
    const scarce__scan scan = {ask, scarce__near_level(), &sink, sums_wants, sums_take, 0};

    memset(sum, 0, ask->from.n * sizeof *sum);
    return scarce__scan_run(&scan, ctx, err);
}
