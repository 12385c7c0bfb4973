/* SPDX-License-Identifier: Apache-2.0 */
/* A model behind an encoder (encode/encode.h), as a kind of model: rows are encoded, then the kind inside does what
 * was asked. What it says of encoded features is said of the columns they are made of: contributions and
 * importances are added up there, a pair's in equal parts. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "model/bag.h"
#include "model/encoded.h"
#include "model/model.h"

static void free_body(void *body)
{
    scarce__encoded *m = body;
    if (!m) return;
    if (m->kind && m->body) m->kind->free(m->body);
    scarce__encoder_free(m->encoder);
    scarce__free(m);
}

const void *scarce__model_inside(const scarce_model *model, const scarce__kind **kind)
{
    const scarce__encoded *m = model->body;
    *kind = model->kind == &scarce__kind_encoded ? m->kind : model->kind;
    return model->kind == &scarce__kind_encoded ? m->body : model->body;
}

/* ---- in files */

static uint32_t write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__encoded *m = body;
    (void)schema;
    scarce__encoder_write(m->encoder, w);
    scarce__put(w, m->kind->tag, 4);
    return m->kind->write(m->body, scarce__encoder_schema(m->encoder), w);
}

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__encoded *m = scarce__calloc(1, sizeof *m);
    const uint8_t *tag;
    scarce_status st;

    *body = NULL;
    if (!m) return scarce__fail_memory(err, "a model", 0);
    st = scarce__encoder_read(&m->encoder, schema, r, err);
    if (st == SCARCE_OK) {
        tag = scarce__get(r, 4);
        m->kind = tag ? scarce__kind_of_tag(tag) : NULL;
        if (!m->kind || m->kind == &scarce__kind_encoded || m->kind == &scarce__kind_bag)
            st = scarce__fail(err, SCARCE_EPARSE, "behind the categories as numbers there is no model");
        else st = m->kind->read(&m->body, scarce__encoder_schema(m->encoder), r, err);
    }
    if (st != SCARCE_OK) {
        free_body(m);
        return st;
    }
    *body = m;
    return SCARCE_OK;
}

static int has_more(const void *body)
{
    const scarce__encoded *m = body;
    return m->kind->has_more && m->kind->has_more(m->body);
}

static void write_more(const void *body, scarce__writer *w)
{
    const scarce__encoded *m = body;
    m->kind->write_more(m->body, w);
}

static scarce_status read_more(void *body, scarce__reader *r, scarce_error *err)
{
    const scarce__encoded *m = body;
    if (!m->kind->read_more)
        return scarce__fail(err, SCARCE_EPARSE, "a section that doesn't belong to the model");
    return m->kind->read_more(m->body, r, err);
}

/* ---- scoring */

typedef struct prepared {
    const scarce__encoded *model;
    const void *inside;
    void *owned;
    size_t width;
} prepared;

static scarce_status prepare(void **out, const void *body, scarce_error *err)
{
    const scarce__encoded *m = body;
    prepared *p = scarce__calloc(1, sizeof *p);

    *out = NULL;
    if (!p) return scarce__fail_memory(err, "a scorer", 0);
    p->model = m;
    p->inside = m->body;
    p->width = scarce__encoder_schema(m->encoder)->n_features;
    if (m->kind->prepare) {
        const scarce_status st = m->kind->prepare(&p->owned, m->body, err);
        if (st != SCARCE_OK) {
            scarce__free(p);
            return st;
        }
        p->inside = p->owned;
    }
    *out = p;
    return SCARCE_OK;
}

static void unprepare(void *x)
{
    prepared *p = x;
    if (!p) return;
    if (p->owned) p->model->kind->unprepare(p->owned);
    scarce__free(p);
}

enum { ON_STACK = 2048, BLOCK_ROWS = 1 << 16 };

/* Wider rows than the stack holds need memory; without it there is no score. */
static double score_row(const void *x, const float *row)
{
    const prepared *p = x;
    float on_stack[ON_STACK], *encoded = on_stack;
    double score;

    if (p->width > ON_STACK) encoded = scarce__malloc_array(p->width, sizeof *encoded);
    if (!encoded) return (double)NAN;
    scarce__encoder_row(p->model->encoder, row, encoded);
    score = p->model->kind->score_row(p->inside, encoded);
    if (encoded != on_stack) scarce__free(encoded);
    return score;
}

static void score_rows(const void *x, const float *rows, size_t n, size_t stride, double *score)
{
    enum { AT_ONCE = 256 };
    const prepared *p = x;
    float *encoded =
        p->model->kind->score_rows ? scarce__malloc_array(p->width, AT_ONCE * sizeof *encoded) : NULL;

    for (size_t i = 0; !encoded && i < n; ++i) score[i] = score_row(x, rows + i * stride);
    for (size_t i = 0; encoded && i < n; i += AT_ONCE) {
        const size_t k = n - i < AT_ONCE ? n - i : AT_ONCE;
        for (size_t r = 0; r < k; ++r)
            scarce__encoder_row(p->model->encoder, rows + (i + r) * stride, encoded + r * p->width);
        p->model->kind->score_rows(p->inside, encoded, k, p->width, score + i);
    }
    scarce__free(encoded);
}

/* Some rows at a time, so that memory stays small. */
static scarce_status score_table(const void *x, const scarce_table *table, double *score, scarce_context *ctx,
                                 scarce_error *err)
{
    const prepared *p = x;
    scarce_status st = SCARCE_OK;

    for (size_t first = 0; st == SCARCE_OK && first < table->n_rows; first += BLOCK_ROWS) {
        const size_t n = table->n_rows - first < BLOCK_ROWS ? table->n_rows - first : BLOCK_ROWS;
        scarce_table *view = NULL, *encoded = NULL;
        st = scarce__view_new(&view, table, first, n, err);
        if (st == SCARCE_OK) st = scarce__encoder_table(&encoded, p->model->encoder, view, ctx, err);
        if (st == SCARCE_OK) st = p->model->kind->score_table(p->inside, encoded, score + first, ctx, err);
        scarce_table_free(encoded);
        scarce_table_free(view);
    }
    return st;
}

static scarce_status score_stages(const void *body, const scarce_table *table, const size_t *stage, size_t n,
                                  scarce__stage_fn fn, void *payload, scarce_context *ctx, scarce_error *err)
{
    const scarce__encoded *m = body;
    scarce_table *encoded = NULL;
    scarce_status st;

    if (!m->kind->score_stages)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "a %s model has no stages", m->kind->name);
    st = scarce__encoder_table(&encoded, m->encoder, table, ctx, err);
    if (st == SCARCE_OK) st = m->kind->score_stages(m->body, encoded, stage, n, fn, payload, ctx, err);
    scarce_table_free(encoded);
    return st;
}

/* ---- what it says */

static size_t source_of(const void *body, size_t feature, size_t *second)
{
    const scarce__encoded *m = body;
    return scarce__encoder_source(m->encoder, feature, second);
}

static const scarce__forest *forest_of(const void *body)
{
    const scarce__encoded *m = body;
    return m->kind->forest ? m->kind->forest(m->body) : NULL;
}

static scarce_status show(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    const scarce__encoded *m = body;
    scarce_model inside = *model; /* borrowed throughout: the names are those of the encoded features */
    inside.kind = m->kind;
    inside.body = m->body;
    inside.schema = *scarce__encoder_schema(m->encoder);
    return m->kind->show(m->body, &inside, format, out, err);
}

typedef struct explaining {
    const scarce__encoder *encoder;
    scarce__explain *inside;
    size_t from, width;
} explaining;

static void free_explaining(void *x)
{
    explaining *e = x;
    if (!e) return;
    scarce__explain_free(e->inside);
    scarce__free(e);
}

/* Contributions of encoded features, added to the columns they are made of. */
static void add_up(const explaining *e, const double *encoded, double *contribution)
{
    for (size_t f = 0; f < e->from; ++f) contribution[f] = 0;
    for (size_t f = 0; f < e->width; ++f) {
        size_t second;
        const size_t first = scarce__encoder_source(e->encoder, f, &second);
        contribution[first] += second == SIZE_MAX ? encoded[f] : encoded[f] / 2;
        if (second != SIZE_MAX) contribution[second] += encoded[f] / 2;
    }
}

static scarce_status explain_row(const void *x, const float *row, double *contribution, scarce_error *err)
{
    const explaining *e = x;
    float *encoded = scarce__malloc_array(e->width, sizeof *encoded);
    double *terms = scarce__malloc_array(e->width, sizeof *terms);
    scarce_status st = SCARCE_OK;

    if (!encoded || !terms) st = scarce__fail_memory(err, "an explanation", e->width * 12);
    if (st == SCARCE_OK) {
        scarce__encoder_row(e->encoder, row, encoded);
        st = scarce__explain_row(e->inside, encoded, terms, err);
    }
    if (st == SCARCE_OK) add_up(e, terms, contribution);
    scarce__free(encoded);
    scarce__free(terms);
    return st;
}

/* Rows encoded into columns of numbers (codes too, as rows have them), explained at once. */
static scarce_status explain_columns(const void *x, const scarce__columns *columns, size_t begin, size_t n,
                                     double *out, scarce_error *err)
{
    const explaining *e = x;
    float *row = scarce__malloc_array(e->from, sizeof *row);
    float *encoded = scarce__malloc_array(e->width, sizeof *encoded);
    float *numbers = scarce__malloc_array(e->width * n, sizeof *numbers);
    double *terms = scarce__malloc_array(e->width * n, sizeof *terms);
    scarce__columns *inside = scarce__calloc(e->width, sizeof *inside);
    scarce_status st = row && encoded && numbers && terms && inside
                           ? SCARCE_OK
                           : scarce__fail_memory(err, "an explanation", e->width * n * 12);

    for (size_t r = 0; st == SCARCE_OK && r < n; ++r) {
        for (size_t f = 0; f < e->from; ++f) scarce__columns_take(&columns[f], begin + r, 1, row + f, 1);
        scarce__encoder_row(e->encoder, row, encoded);
        for (size_t f = 0; f < e->width; ++f) numbers[f * n + r] = encoded[f];
    }
    for (size_t f = 0; st == SCARCE_OK && f < e->width; ++f) inside[f].number = numbers + f * n;
    if (st == SCARCE_OK) st = scarce__explain_columns(e->inside, inside, 0, n, terms, err);
    for (size_t r = 0; st == SCARCE_OK && r < n; ++r) add_up(e, terms + r * e->width, out + r * e->from);
    scarce__free(row);
    scarce__free(encoded);
    scarce__free(numbers);
    scarce__free(terms);
    scarce__free(inside);
    return st;
}

static scarce_status explain(scarce__explain **out, const void *body, const scarce_table *background,
                             scarce_error *err)
{
    static const scarce__explain_calls calls = {free_explaining, explain_row, explain_columns, 512};
    const scarce__encoded *m = body;
    scarce_table *encoded = NULL;
    explaining *e;
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (m->kind->reasons != SCARCE__REASONS_ADDITIVE || !m->kind->explain)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "scores of a %s model are no sum over features",
                            m->kind->name);
    e = scarce__calloc(1, sizeof *e);
    if (!e) return scarce__fail_memory(err, "an explainer", 0);
    e->encoder = m->encoder;
    e->from = scarce__encoder_from(m->encoder);
    e->width = scarce__encoder_schema(m->encoder)->n_features;
    if (background) st = scarce__encoder_table(&encoded, m->encoder, background, NULL, err);
    if (st == SCARCE_OK) st = m->kind->explain(&e->inside, m->body, encoded, err);
    scarce_table_free(encoded);
    if (st != SCARCE_OK) {
        scarce__free(e);
        return st;
    }
    return scarce__explain_new(out, e->from, scarce__explain_base(e->inside), e, &calls, err);
}

const scarce__kind scarce__kind_encoded = {.name = "encoded",
                                           .tag = "ENCO",
                                           .free = free_body,
                                           .write = write_body,
                                           .read = read_body,
                                           .prepare = prepare,
                                           .unprepare = unprepare,
                                           .score_row = score_row,
                                           .score_table = score_table,
                                           .score_rows = score_rows,
                                           .show = show,
                                           .reasons = SCARCE__REASONS_ADDITIVE,
                                           .explain = explain,
                                           .forest = forest_of,
                                           .source = source_of,
                                           .score_stages = score_stages,
                                           .more_tag = "memb",
                                           .has_more = has_more,
                                           .write_more = write_more,
                                           .read_more = read_more};
