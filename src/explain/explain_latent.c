/* SPDX-License-Identifier: Apache-2.0 */
/* Non-linear boosting (boost/latent.h): F = base + skip sum_t h_t + sum_p a_p max(0, z_p), z_p = sum_t alpha_tp h_t.
 *
 * Along the straight line from the expected representations z0_p = sum_t alpha_tp E h_t to those of the row, the mean
 * slope of max(0, .) is m_p = (max(0, z_p) - max(0, z0_p)) / (z_p - z0_p): integrated gradients (Sundararajan, Taly and
 * Yan 2017) of the layer, in closed form. So a tree counts
 *     c_t = skip + sum_p a_p m_p alpha_tp
 * for this row, and the contribution of a feature is sum_t c_t phi_t, phi_t its Shapley value in tree t alone. These add
 * up to h_t - E h_t, so the contributions add up to F(x) - F(z0), and the base is F(z0): exactly, but for rounding. They
 * are not Shapley values of F as a whole, which would take the layer at every subset of features.
 *
 * Without background rows a tree is explained in terms of the features it uses alone. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "explain/explain.h"

typedef struct part { /* a tree */
    scarce__forest alone;
    uint32_t begin[2];
    uint32_t *feature; /* its features; NULL: all, by their own numbers */
    size_t n;
    scarce__explain *explain;
} part;

typedef struct body {
    const scarce__latent *layer;
    scarce__fast *fast;
    part *parts;
    size_t n_trees, n_features, most; /* most: features of a part */
    double *mean;                     /* z0 */
} body;

static void free_body(void *x)
{
    body *b = x;
    if (!b) return;
    for (size_t t = 0; b->parts && t < b->n_trees; ++t) {
        scarce__explain_free(b->parts[t].explain);
        if (b->parts[t].feature) scarce__free(b->parts[t].alone.nodes);
        scarce__free(b->parts[t].feature);
    }
    scarce__free(b->parts);
    scarce__fast_free(b->fast);
    scarce__free(b->mean);
    scarce__free(b);
}

/* ---- preparing */

/* The features of a tree get numbers of their own. known: by feature, its number + 1 or 0; all 0 again. */
static scarce_status renumber(part *q, uint32_t *known, scarce_error *err)
{
    const size_t n = q->begin[1];
    scarce__node *nodes = scarce__malloc_array(n, sizeof *nodes);

    q->feature = scarce__malloc_array(n, sizeof *q->feature);
    if (!nodes || !q->feature) {
        scarce__free(nodes);
        scarce__free(q->feature);
        q->feature = NULL;
        return scarce__fail_memory(err, "an explainer", n * sizeof *nodes);
    }
    memcpy(nodes, q->alone.nodes, n * sizeof *nodes);
    for (size_t i = 0; i < n; ++i) {
        if (nodes[i].feature < 0) continue;
        uint32_t *at = &known[nodes[i].feature];
        if (!*at) {
            q->feature[q->n] = (uint32_t)nodes[i].feature;
            *at = (uint32_t)++q->n;
        }
        nodes[i].feature = (int32_t)*at - 1;
    }
    for (size_t k = 0; k < q->n; ++k) known[q->feature[k]] = 0;
    q->alone.nodes = nodes;
    q->alone.n_features = q->n;
    return SCARCE_OK;
}

static scarce_status prepare(body *b, const scarce__forest *f, const scarce_table *background,
                             uint32_t *known, scarce_error *err)
{
    for (size_t t = 0; t < b->n_trees; ++t) {
        part *q = &b->parts[t];
        q->alone = *f;
        q->alone.base = 0;
        q->alone.n_trees = 1;
        q->alone.n_members = 0;
        q->alone.nodes = f->nodes + f->tree_begin[t];
        q->begin[1] = f->tree_begin[t + 1] - f->tree_begin[t];
        q->alone.tree_begin = q->begin;
        q->n = b->n_features;
        if (!background) {
            q->n = 0;
            SCARCE__TRY(renumber(q, known, err));
        }
        if (q->n > b->most) b->most = q->n;
        if (q->n == 0) continue; /* a single leaf: nothing to share out */
        SCARCE__TRY(scarce__explain_forest(&q->explain, &q->alone, background, err));
    }
    return scarce__fast_new(&b->fast, f, err);
}

/* z0, and F there. */
static double expectation(body *b, double base)
{
    double skipped = 0;
    for (size_t t = 0; t < b->n_trees; ++t) {
        const part *q = &b->parts[t];
        const double mean = q->explain ? scarce__explain_base(q->explain) : (double)q->alone.nodes[0].value;
        skipped += b->layer->skip * mean;
        for (size_t p = 0; p < b->layer->width; ++p)
            b->mean[p] += b->layer->in[t * b->layer->width + p] * mean;
    }
    return scarce__latent_score(b->layer, base, b->mean, skipped);
}

/* ---- a row */

/* c[t stride] of a row, from the values of its trees: value[t stride]. slope: room for P numbers. */
static void weigh(const body *b, const float *value, size_t stride, double *slope, double *c)
{
    const scarce__latent *l = b->layer;
    const size_t width = l->width;

    memset(slope, 0, width * sizeof *slope);
    for (size_t t = 0; t < b->n_trees; ++t)
        for (size_t p = 0; p < width; ++p) slope[p] += l->in[t * width + p] * (double)value[t * stride];
    for (size_t p = 0; p < width; ++p) {
        const double z = slope[p], from = b->mean[p], way = z - from;
        const double m = z > 0 && from > 0 ? 1 : z <= 0 && from <= 0 ? 0 : (z > 0 ? z : -from) / way;
        slope[p] = l->out[p] * m;
    }
    for (size_t t = 0; t < b->n_trees; ++t) {
        double sum = l->skip;
        for (size_t p = 0; p < width; ++p) sum += slope[p] * l->in[t * width + p];
        c[t * stride] = sum;
    }
}

static void add_part(const part *q, const double *terms, double c, double *contribution)
{
    for (size_t k = 0; k < q->n; ++k) contribution[q->feature ? q->feature[k] : k] += c * terms[k];
}

static scarce_status explain_row(const void *x, const float *row, double *contribution, scarce_error *err)
{
    const body *b = x;
    double *room = scarce__malloc_array(b->n_trees + b->layer->width + b->most, sizeof *room);
    float *value = scarce__malloc_array(b->n_trees + b->most, sizeof *value);
    scarce_status st = SCARCE_OK;

    if (!room || !value) st = scarce__fail_memory(err, "an explanation", 0);
    memset(contribution, 0, b->n_features * sizeof *contribution);
    if (st == SCARCE_OK) {
        double *c = room, *slope = room + b->n_trees, *terms = slope + b->layer->width;
        float *own = value + b->n_trees;
        scarce__fast_row_values(b->fast, row, 0, b->n_trees, value);
        weigh(b, value, 1, slope, c);
        for (size_t t = 0; st == SCARCE_OK && t < b->n_trees; ++t) {
            const part *q = &b->parts[t];
            if (!q->explain) continue;
            for (size_t k = 0; q->feature && k < q->n; ++k) own[k] = row[q->feature[k]];
            st = scarce__explain_row(q->explain, q->feature ? own : row, terms, err);
            if (st == SCARCE_OK) add_part(q, terms, c[t], contribution);
        }
    }
    scarce__free(room);
    scarce__free(value);
    return st;
}

/* ---- many rows */

enum { TASK_ROWS = 64 };

typedef struct block {
    float *value;
    double *c, *slope, *terms;
    scarce__columns *own;
} block;

static scarce_status explain_block(const body *b, const block *k, const scarce__columns *columns,
                                   size_t begin, size_t n, double *out, scarce_error *err)
{
    if (!scarce__fast_column_values(b->fast, columns, begin, n, k->value))
        return scarce__fail_memory(err, "an explanation", 0);
    for (size_t r = 0; r < n; ++r) weigh(b, k->value + r, n, k->slope, k->c + r);
    memset(out, 0, n * b->n_features * sizeof *out);
    for (size_t t = 0; t < b->n_trees; ++t) {
        const part *q = &b->parts[t];
        if (!q->explain) continue;
        for (size_t f = 0; q->feature && f < q->n; ++f) k->own[f] = columns[q->feature[f]];
        SCARCE__TRY(
            scarce__explain_columns(q->explain, q->feature ? k->own : columns, begin, n, k->terms, err));
        for (size_t r = 0; r < n; ++r)
            add_part(q, k->terms + r * q->n, k->c[t * n + r], out + r * b->n_features);
    }
    return SCARCE_OK;
}

static scarce_status explain_columns(const void *x, const scarce__columns *columns, size_t begin, size_t n,
                                     double *out, scarce_error *err)
{
    const body *b = x;
    const size_t rows = n < TASK_ROWS ? n : TASK_ROWS;
    block k = {.value = scarce__malloc_array(b->n_trees * rows, sizeof *k.value),
               .c = scarce__malloc_array(b->n_trees * rows, sizeof *k.c),
               .slope = scarce__malloc_array(b->layer->width, sizeof *k.slope),
               .terms = scarce__malloc_array(b->most * rows, sizeof *k.terms),
               .own = scarce__malloc_array(b->most, sizeof *k.own)};
    scarce_status st = SCARCE_OK;

    if (!k.value || !k.c || !k.slope || !k.terms || !k.own)
        st = scarce__fail_memory(err, "an explanation", (b->n_trees + b->most) * rows * 12);
    for (size_t at = 0; st == SCARCE_OK && at < n; at += rows)
        st = explain_block(b, &k, columns, begin + at, n - at < rows ? n - at : rows,
                           out + at * b->n_features, err);
    scarce__free(k.value);
    scarce__free(k.c);
    scarce__free(k.slope);
    scarce__free(k.terms);
    scarce__free(k.own);
    return st;
}

scarce_status scarce__explain_latent(scarce__explain **out, const scarce__forest *forest,
                                     const scarce__latent *layer, const scarce_table *background,
                                     scarce_error *err)
{
    static const scarce__explain_calls calls = {free_body, explain_row, explain_columns, TASK_ROWS};
    body *b = scarce__calloc(1, sizeof *b);
    uint32_t *known = scarce__calloc(forest->n_features, sizeof *known);
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (b) {
        b->layer = layer;
        b->n_trees = forest->n_trees;
        b->n_features = forest->n_features;
        b->parts = scarce__calloc(forest->n_trees, sizeof *b->parts);
        b->mean = scarce__calloc(layer->width, sizeof *b->mean);
    }
    if (!b || !known || !b->parts || !b->mean) st = scarce__fail_memory(err, "an explainer", 0);
    if (st == SCARCE_OK) st = prepare(b, forest, background, known, err);
    scarce__free(known);
    if (st != SCARCE_OK) {
        free_body(b);
        return st;
    }
    const double base = expectation(b, forest->base);
    return scarce__explain_new(out, b->n_features, base, b, &calls, err);
}
