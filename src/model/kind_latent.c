/* SPDX-License-Identifier: Apache-2.0 */
/* Non-linear boosting as a kind of model: trees and a layer of representations on top of them (boost/latent.h), saved as
 * docs/model-format.md says. Everything about its trees is what the kind of sums of trees does with them. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/json.h"
#include "model/latent_body.h"
#include "tree/fast.h"

static void free_body(void *x)
{
    scarce__latent_body *b = x;
    if (!b) return;
    scarce__forest_deinit(&b->forest);
    scarce__latent_deinit(&b->layer);
    scarce__free(b);
}

/* ---- in files */

static void put_all(scarce__writer *w, const double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) scarce__put_f64(w, x[i]);
}

static uint32_t write_body(const void *x, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__latent_body *b = x;
    scarce__put_f64(w, b->layer.skip);
    scarce__put_u64(w, b->layer.width);
    put_all(w, b->layer.out, b->layer.width);
    put_all(w, b->layer.importance, b->layer.width);
    scarce__put_u64(w, b->layer.n_trees);
    put_all(w, b->layer.in, b->layer.n_trees * b->layer.width);
    return scarce__kind_trees.write(&b->forest, schema, w);
}

static void get_all(scarce__reader *r, double *x, size_t n)
{
    for (size_t i = 0; i < n && !r->failed; ++i) x[i] = scarce__get_f64(r);
}

static scarce_status read_layer(scarce__latent *l, scarce__reader *r, scarce_error *err)
{
    const double skip = scarce__get_f64(r);
    const size_t width = scarce__get_count(r, 16);

    if (r->failed || width == 0 || width > SCARCE__LATENT_MOST)
        return scarce__fail(err, SCARCE_EPARSE, "the number of representations is damaged");
    SCARCE__TRY(scarce__latent_init(l, width, skip, err));
    get_all(r, l->out, width);
    get_all(r, l->importance, width);
    const size_t n = scarce__get_count(r, 8 * width);
    for (size_t t = 0; t < n && !r->failed; ++t) {
        double *in;
        SCARCE__TRY(scarce__latent_add(l, &in, err));
        get_all(r, in, width);
    }
    return r->failed ? scarce__fail(err, SCARCE_EPARSE, "the representations are cut off") : SCARCE_OK;
}

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__latent_body *b = scarce__calloc(1, sizeof *b);
    void *forest = NULL;
    scarce_status st;

    *body = NULL;
    if (!b) return scarce__fail_memory(err, "a model", sizeof *b);
    st = read_layer(&b->layer, r, err);
    if (st == SCARCE_OK) st = scarce__kind_trees.read(&forest, schema, r, err);
    if (forest) {
        b->forest = *(scarce__forest *)forest;
        scarce__free(forest);
    }
    if (st == SCARCE_OK) st = scarce__latent_check(&b->layer, b->forest.n_trees, err);
    if (st != SCARCE_OK) {
        free_body(b);
        return st;
    }
    *body = b;
    return SCARCE_OK;
}

/* ---- scoring */

typedef struct prepared {
    const scarce__latent_body *body;
    scarce__fast *fast;
} prepared;

static void unprepare(void *x)
{
    prepared *p = x;
    if (!p) return;
    scarce__fast_free(p->fast);
    scarce__free(p);
}

static scarce_status prepare(void **out, const void *body, scarce_error *err)
{
    prepared *p = scarce__calloc(1, sizeof *p);
    scarce_status st;

    *out = NULL;
    if (!p) return scarce__fail_memory(err, "a scorer", sizeof *p);
    p->body = body;
    st = scarce__fast_new(&p->fast, &p->body->forest, err);
    if (st != SCARCE_OK) {
        scarce__free(p);
        return st;
    }
    *out = p;
    return SCARCE_OK;
}

enum { TREES = 64, ROWS = 64 }; /* that go together */

static double score_row(const void *x, const float *row)
{
    const prepared *p = x;
    const scarce__latent *l = &p->body->layer;
    float value[TREES];
    double z[SCARCE__LATENT_MOST], skipped = 0;

    memset(z, 0, l->width * sizeof *z);
    for (size_t t = 0; t < l->n_trees; t += TREES) {
        const size_t n = l->n_trees - t < TREES ? l->n_trees - t : TREES;
        scarce__fast_row_values(p->fast, row, t, n, value);
        scarce__latent_feed(l, t, n, value, z, &skipped);
    }
    return scarce__latent_score(l, p->body->forest.base, z, skipped);
}

/* Representations of n <= ROWS rows of a table: z, n x P, and what skips them. 0 without memory. */
static int feed_rows(const prepared *p, const scarce__columns *columns, size_t begin, size_t n, double *z,
                     double *skipped)
{
    const scarce__latent *l = &p->body->layer;
    float *value = scarce__malloc_array(l->n_trees * n, sizeof *value), some[TREES];
    int done = value && scarce__fast_column_values(p->fast, columns, begin, n, value);

    if (done) memset(z, 0, n * l->width * sizeof *z);
    for (size_t r = 0; done && r < n; ++r) {
        skipped[r] = 0;
        for (size_t t = 0; t < l->n_trees; t += TREES) {
            const size_t m = l->n_trees - t < TREES ? l->n_trees - t : TREES;
            for (size_t i = 0; i < m; ++i) some[i] = value[(t + i) * n + r];
            scarce__latent_feed(l, t, m, some, z + r * l->width, &skipped[r]);
        }
    }
    scarce__free(value);
    return done;
}

typedef struct job {
    const prepared *p;
    const scarce__columns *columns;
    size_t n;
    double *score;
    double *sum; /* importances: P by task; NULL: scores */
    size_t step; /* every so many tasks are looked at */
    int *failed; /* by task */
} job;

enum { TASK = 4096, ENOUGH_TASKS = 8 }; /* a mean over some ten thousand rows is good enough */

static void rows_task(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const scarce__latent *l = &j->p->body->layer;
    const size_t begin = index * j->step * TASK, end = begin + TASK < j->n ? begin + TASK : j->n;
    double *z = scarce__malloc_array(ROWS * l->width, sizeof *z), skipped[ROWS];

    (void)worker;
    index *= j->step;
    j->failed[index] = z == NULL;
    for (size_t at = begin; at < end && !j->failed[index]; at += ROWS) {
        const size_t n = end - at < ROWS ? end - at : ROWS;
        j->failed[index] = !feed_rows(j->p, j->columns, at, n, z, skipped);
        for (size_t r = 0; r < n && !j->failed[index]; ++r) {
            const double *of_row = z + r * l->width;
            if (!j->sum)
                j->score[at + r] = scarce__latent_score(l, j->p->body->forest.base, of_row, skipped[r]);
            for (size_t k = 0; j->sum && k < l->width; ++k)
                j->sum[index * l->width + k] += of_row[k] > 0 ? fabs(l->out[k] * of_row[k]) : 0;
        }
    }
    scarce__free(z);
}

static scarce_status all_rows(job *j, const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const size_t tasks = scarce__blocks(table->n_rows, TASK);
    scarce__columns *columns;
    scarce_status st = SCARCE_OK;

    if (table->schema.n_features != j->p->body->forest.n_features)
        return scarce__fail(err, SCARCE_EINVAL, "a table of %zu features for a model of %zu",
                            table->schema.n_features, j->p->body->forest.n_features);
    columns = scarce__columns_of(table);
    j->columns = columns;
    j->n = table->n_rows;
    j->failed = scarce__calloc(tasks, sizeof *j->failed);
    if (!columns || !j->failed) st = scarce__fail_memory(err, "scoring a table", 0);
    if (st == SCARCE_OK)
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(tasks, j->step), rows_task, j);
    for (size_t t = 0; st == SCARCE_OK && t < tasks; ++t)
        if (j->failed[t]) st = scarce__fail_memory(err, "scoring a table", 0);
    scarce__free(columns);
    scarce__free(j->failed);
    return st;
}

static scarce_status score_table(const void *x, const scarce_table *table, double *score, scarce_context *ctx,
                                 scarce_error *err)
{
    job j = {.p = x, .score = score, .step = 1};
    return all_rows(&j, table, ctx, err);
}

scarce_status scarce__latent_importance(scarce__latent_body *body, const scarce_table *table,
                                        scarce_context *ctx, scarce_error *err)
{
    const size_t width = body->layer.width, tasks = scarce__blocks(table->n_rows, TASK);
    void *p = NULL;
    job j = {.sum = scarce__calloc(tasks * width, sizeof *j.sum), .step = tasks / ENOUGH_TASKS + 1};
    size_t looked_at = 0;
    scarce_status st = j.sum ? prepare(&p, body, err) : scarce__fail_memory(err, "representations", 0);

    j.p = p;
    if (st == SCARCE_OK) st = all_rows(&j, table, ctx, err);
    for (size_t t = 0; t < tasks; t += j.step)
        looked_at += table->n_rows - t * TASK < TASK ? table->n_rows - t * TASK : TASK;
    for (size_t k = 0; st == SCARCE_OK && k < width; ++k) {
        double sum = 0;
        for (size_t t = 0; t < tasks; ++t) sum += j.sum[t * width + k];
        body->layer.importance[k] = looked_at ? sum / (double)looked_at : 0;
    }
    unprepare(p);
    scarce__free(j.sum);
    return st;
}

/* ---- what it says */

static size_t representations(const void *x, double *weight, double *importance, double *correlation)
{
    const scarce__latent *l = &((const scarce__latent_body *)x)->layer;
    if (weight) memcpy(weight, l->out, l->width * sizeof *weight);
    if (importance) memcpy(importance, l->importance, l->width * sizeof *importance);
    if (correlation) scarce__latent_correlation(l, correlation);
    return l->width;
}

/* Mean of the absolute correlations with the others. */
static double alike(const double *correlation, size_t width, size_t p)
{
    double sum = 0;
    for (size_t q = 0; q < width; ++q) sum += q == p ? 0 : fabs(correlation[p * width + q]);
    return width > 1 ? sum / (double)(width - 1) : 0;
}

static void layer_text(const scarce__latent *l, const double *correlation, int full, scarce__text *out)
{
    enum { SHOWN = 12 };
    const size_t most = full || l->width <= SHOWN ? l->width : SHOWN;
    double whole = 0;

    for (size_t p = 0; p < l->width; ++p) whole += l->importance[p];
    scarce__text_addf(out, "\n%zu representations of %zu trees", l->width, l->n_trees);
    if (l->skip > 0) {
        scarce__text_add(out, "; beside them the sum of the trees times ");
        scarce__text_digits(out, l->skip, 4);
    }
    scarce__text_add(out, "\n  number      weight  importance   share  |correlation| with others\n");
    for (size_t p = 0; p < most; ++p) {
        scarce__text_addf(out, "  %6zu  ", p + 1);
        scarce__text_addf(out, "%10.4g  %10.4g  %5.1f %%  %.3f\n", l->out[p], l->importance[p],
                          whole > 0 ? 100 * l->importance[p] / whole : 0, alike(correlation, l->width, p));
    }
    if (most < l->width) scarce__text_addf(out, "  ... %zu more (--verbose)\n", l->width - most);
}

static void numbers_json(scarce__text *out, const double *x, size_t n)
{
    scarce__json_begin_array(out);
    for (size_t i = 0; i < n; ++i) scarce__json_number(out, x[i]);
    scarce__json_end_array(out);
}

static void layer_json(const scarce__latent *l, const double *correlation, scarce__text *out)
{
    scarce__json_field_number(out, "skip", l->skip);
    scarce__json_key(out, "representation_weights");
    numbers_json(out, l->out, l->width);
    scarce__json_key(out, "representation_importances");
    numbers_json(out, l->importance, l->width);
    scarce__json_key(out, "representation_correlations");
    scarce__json_begin_array(out);
    for (size_t p = 0; p < l->width; ++p) numbers_json(out, correlation + p * l->width, l->width);
    scarce__json_end_array(out);
    scarce__json_key(out, "tree_weights");
    scarce__json_begin_array(out);
    for (size_t t = 0; t < l->n_trees; ++t) numbers_json(out, l->in + t * l->width, l->width);
    scarce__json_end_array(out);
}

static scarce_status show(const void *x, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    const scarce__latent_body *b = x;
    const int json = strcmp(format, "json") == 0, text = strcmp(format, "text") == 0;

    if (json || text || strcmp(format, "summary") == 0) {
        double *correlation = scarce__malloc_array(b->layer.width * b->layer.width, sizeof *correlation);
        if (!correlation) return scarce__fail_memory(err, "the description of a model", 0);
        scarce__latent_correlation(&b->layer, correlation);
        if (json) layer_json(&b->layer, correlation, out);
        else layer_text(&b->layer, correlation, text, out);
        scarce__free(correlation);
    }
    return scarce__kind_trees.show(&b->forest, model, format, out, err);
}

static scarce_status explain(scarce__explain **out, const void *x, const scarce_table *background,
                             scarce_error *err)
{
    const scarce__latent_body *b = x;
    return scarce__explain_latent(out, &b->forest, &b->layer, background, err);
}

static const scarce__forest *forest_of(const void *x)
{
    return &((const scarce__latent_body *)x)->forest;
}

const scarce__kind scarce__kind_latent = {.name = "latent",
                                          .tag = "LATN",
                                          .free = free_body,
                                          .write = write_body,
                                          .read = read_body,
                                          .prepare = prepare,
                                          .unprepare = unprepare,
                                          .score_row = score_row,
                                          .score_table = score_table,
                                          .show = show,
                                          .reasons = SCARCE__REASONS_ADDITIVE,
                                          .explain = explain,
                                          .forest = forest_of,
                                          .no_sum = "feeds its trees into representations",
                                          .representations = representations};
