/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models: contribution_f = term_f(x) - mean of term_f over the background; base = bias + those means.
 * Terms are as in linear.h: weight * value, the weight of the category, or that of missing. */
#include <float.h>
#include <math.h>

#include "core/alloc.h"
#include "data/columns.h"
#include "data/table.h"
#include "explain/explain.h"

typedef struct linear_body {
    const scarce__linear *m;
    double *mean; /* n_features; zeros without background */
} linear_body;

enum { TASK_ROWS = 4096, CHUNK = 256 };

static double term(const scarce__linear *m, size_t f, float x)
{
    const size_t from = m->slot_begin[f], slots = m->slot_begin[f + 1] - from;

    if (slots == 0) return fabsf(x) <= FLT_MAX ? m->weight[f] * (double)x : m->missing_weight[f];
    if (!(x >= 0)) return m->slot_weight[from + slots - 1];
    return m->slot_weight[from + ((double)x < (double)(slots - 2) ? (size_t)x : slots - 2)];
}

static void free_body(void *body)
{
    linear_body *b = body;
    if (!b) return;
    scarce__free(b->mean);
    scarce__free(b);
}

static scarce_status explain_row(const void *body, const float *row, double *contribution, scarce_error *err)
{
    const linear_body *b = body;

    (void)err;
    for (size_t f = 0; f < b->m->n_features; ++f) contribution[f] = term(b->m, f, row[f]) - b->mean[f];
    return SCARCE_OK;
}

static scarce_status explain_columns(const void *body, const scarce__columns *columns, size_t begin, size_t n,
                                     double *out, scarce_error *err)
{
    const linear_body *b = body;
    const size_t width = b->m->n_features;
    float x[CHUNK];

    (void)err;
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t rows = n - at < CHUNK ? n - at : CHUNK;
        for (size_t f = 0; f < width; ++f) {
            scarce__columns_take(columns + f, begin + at, rows, x, 1);
            for (size_t r = 0; r < rows; ++r) out[(at + r) * width + f] = term(b->m, f, x[r]) - b->mean[f];
        }
    }
    return SCARCE_OK;
}

static const scarce__explain_calls calls = {free_body, explain_row, explain_columns, TASK_ROWS};

static int set_means(linear_body *b, const scarce_table *table)
{
    scarce__columns *columns = scarce__columns_of(table);
    float x[CHUNK];

    if (!columns) return 0;
    for (size_t f = 0; f < b->m->n_features; ++f) {
        for (size_t at = 0; at < table->n_rows; at += CHUNK) {
            const size_t rows = table->n_rows - at < CHUNK ? table->n_rows - at : CHUNK;
            scarce__columns_take(columns + f, at, rows, x, 1);
            for (size_t r = 0; r < rows; ++r) b->mean[f] += term(b->m, f, x[r]);
        }
        b->mean[f] /= (double)table->n_rows;
    }
    scarce__free(columns);
    return 1;
}

scarce_status scarce__explain_linear(scarce__explain **out, const scarce__linear *linear,
                                     const scarce_table *background, scarce_error *err)
{
    linear_body *b = scarce__calloc(1, sizeof *b);
    double base = linear->bias;

    *out = NULL;
    if (b) {
        b->m = linear;
        b->mean = scarce__calloc(linear->n_features, sizeof *b->mean);
    }
    if (!b || !b->mean || (background && !set_means(b, background))) {
        free_body(b);
        return scarce__fail_memory(err, "an explainer", 0);
    }
    for (size_t f = 0; f < linear->n_features; ++f) base += b->mean[f];
    return scarce__explain_new(out, linear->n_features, base, b, &calls, err);
}
