/* SPDX-License-Identifier: Apache-2.0 */
/* Bags as a kind of model: score = sum of weight (score of the member + shift), in the order of the members. What can
 * be said of a sum is asked of the members and added up. Saved as docs/model-format.md says. */
#include "model/bag.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"

static void free_body(void *body)
{
    scarce__bag_body *b = body;
    if (!b) return;
    for (size_t i = 0; b->members && i < b->n; ++i)
        if (b->members[i].kind && b->members[i].body) b->members[i].kind->free(b->members[i].body);
    scarce__free(b->members);
    scarce__free(b);
}

/* ---- in files */

static uint32_t write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__bag_body *b = body;
    uint32_t version = 1;

    scarce__put_u64(w, b->n);
    for (size_t i = 0; i < b->n; ++i) {
        const scarce__bag_member *m = &b->members[i];
        scarce__put(w, m->kind->tag, 4);
        scarce__put_f64(w, m->weight);
        scarce__put_f64(w, m->shift);
        const size_t place = scarce__put_begin(w);
        const uint32_t needs = m->kind->write(m->body, schema, w);
        scarce__put_end(w, place);
        if (needs > version) version = needs;
    }
    return version;
}

static scarce_status read_member(scarce__bag_member *m, const scarce_schema *schema, scarce__reader *r,
                                 scarce_error *err)
{
    const uint8_t *tag = scarce__get(r, 4);
    const scarce__kind *kind = tag ? scarce__kind_of_tag(tag) : NULL;

    m->weight = scarce__get_f64(r);
    m->shift = scarce__get_f64(r);
    const size_t n = scarce__get_count(r, 1);
    const uint8_t *bytes = scarce__get(r, n);
    if (r->failed || !kind || kind == &scarce__kind_bag || !(fabs(m->weight) <= 1e30) ||
        !(fabs(m->shift) <= 1e250))
        return scarce__fail(err, SCARCE_EPARSE, "a member of the bag is cut off or of no kind");
    scarce__reader inside = scarce__reader_of(bytes, n);
    m->kind = kind;
    SCARCE__TRY(kind->read(&m->body, schema, &inside, err));
    if (inside.at == inside.end) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EPARSE, "a member of the bag is longer than it says");
}

enum { LEAST_MEMBER = 4 + 8 + 8 + 8 }; /* bytes in the file */

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__bag_body *b = scarce__calloc(1, sizeof *b);
    scarce_status st = SCARCE_OK;

    *body = NULL;
    if (!b) return scarce__fail_memory(err, "a bag", 0);
    b->n_features = schema->n_features;
    b->n = scarce__get_count(r, LEAST_MEMBER);
    b->members = scarce__calloc(b->n, sizeof *b->members);
    if (!b->members) st = scarce__fail_memory(err, "a bag", b->n * sizeof *b->members);
    else if (r->failed || b->n == 0) st = scarce__fail(err, SCARCE_EPARSE, "the bag is cut off");
    for (size_t i = 0; st == SCARCE_OK && i < b->n; ++i) st = read_member(&b->members[i], schema, r, err);
    if (st != SCARCE_OK) {
        free_body(b);
        return st;
    }
    *body = b;
    return SCARCE_OK;
}

/* ---- scoring */

typedef struct prepared {
    const scarce__bag_body *bag;
    void **owned; /* per member, NULL: the body itself */
} prepared;

static void unprepare(void *x)
{
    prepared *p = x;
    if (!p) return;
    for (size_t i = 0; p->owned && i < p->bag->n; ++i)
        if (p->owned[i]) p->bag->members[i].kind->unprepare(p->owned[i]);
    scarce__free(p->owned);
    scarce__free(p);
}

static scarce_status prepare(void **out, const void *body, scarce_error *err)
{
    const scarce__bag_body *b = body;
    prepared *p = scarce__calloc(1, sizeof *p);
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (!p) return scarce__fail_memory(err, "a scorer", 0);
    p->bag = b;
    p->owned = scarce__calloc(b->n, sizeof *p->owned);
    if (!p->owned) st = scarce__fail_memory(err, "a scorer", 0);
    for (size_t i = 0; st == SCARCE_OK && i < b->n; ++i)
        if (b->members[i].kind->prepare)
            st = b->members[i].kind->prepare(&p->owned[i], b->members[i].body, err);
    if (st != SCARCE_OK) {
        unprepare(p);
        return st;
    }
    *out = p;
    return SCARCE_OK;
}

static const void *inside(const prepared *p, size_t i)
{
    return p->owned[i] ? p->owned[i] : p->bag->members[i].body;
}

static inline double term(const scarce__bag_member *m, double score)
{
    return m->weight * (score + m->shift);
}

static double score_row(const void *x, const float *row)
{
    const prepared *p = x;
    double sum = 0;
    for (size_t i = 0; i < p->bag->n; ++i)
        sum += term(&p->bag->members[i], p->bag->members[i].kind->score_row(inside(p, i), row));
    return sum;
}

static scarce_status score_table(const void *x, const scarce_table *table, double *score, scarce_context *ctx,
                                 scarce_error *err)
{
    const prepared *p = x;
    double *one = scarce__malloc_array(table->n_rows, sizeof *one);
    scarce_status st = SCARCE_OK;

    if (!one) return scarce__fail_memory(err, "scores", table->n_rows * sizeof *one);
    for (size_t r = 0; r < table->n_rows; ++r) score[r] = 0;
    for (size_t i = 0; st == SCARCE_OK && i < p->bag->n; ++i) {
        const scarce__bag_member *m = &p->bag->members[i];
        st = m->kind->score_table(inside(p, i), table, one, ctx, err);
        for (size_t r = 0; st == SCARCE_OK && r < table->n_rows; ++r) score[r] += term(m, one[r]);
    }
    scarce__free(one);
    return st;
}

/* ---- what it says */

static scarce_status show(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    const scarce__bag_body *b = body;
    const int json = strcmp(format, "json") == 0;
    scarce_status st = SCARCE_OK;

    if (!json && strcmp(format, "text") != 0 && strcmp(format, "summary") != 0)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "a bag has no form \"%.20s\" (it has text and json)",
                            format);
    if (json) scarce__json_key(out, "bag");
    if (json) scarce__json_begin_array(out);
    else scarce__text_addf(out, "\nscore = sum over %zu models of weight x (score + shift)\n", b->n);
    for (size_t i = 0; st == SCARCE_OK && i < b->n; ++i) {
        const scarce__bag_member *m = &b->members[i];
        scarce_model one = *model; /* borrowed throughout */
        one.kind = m->kind;
        one.body = m->body;
        if (json) {
            scarce__json_begin_object(out);
            scarce__json_field_string(out, "kind", m->kind->name);
            scarce__json_field_number(out, "weight", m->weight);
            scarce__json_field_number(out, "shift", m->shift);
        } else
            scarce__text_addf(out, "\nmember %zu: %s, weight %g, shift %g\n", i + 1, m->kind->name, m->weight,
                              m->shift);
        st = m->kind->show(m->body, &one, format, out, err);
        if (json) scarce__json_end_object(out);
    }
    if (json) scarce__json_end_array(out);
    return st;
}

typedef struct explaining {
    const scarce__bag_body *bag;
    scarce__explain **inside;
} explaining;

static void free_explaining(void *x)
{
    explaining *e = x;
    if (!e) return;
    for (size_t i = 0; e->inside && i < e->bag->n; ++i) scarce__explain_free(e->inside[i]);
    scarce__free(e->inside);
    scarce__free(e);
}

static scarce_status explain_row(const void *x, const float *row, double *contribution, scarce_error *err)
{
    const explaining *e = x;
    const size_t n = e->bag->n_features;
    double *terms = scarce__malloc_array(n, sizeof *terms);
    scarce_status st = terms ? SCARCE_OK : scarce__fail_memory(err, "an explanation", n * sizeof *terms);

    for (size_t f = 0; f < n; ++f) contribution[f] = 0;
    for (size_t i = 0; st == SCARCE_OK && i < e->bag->n; ++i) {
        st = scarce__explain_row(e->inside[i], row, terms, err);
        for (size_t f = 0; st == SCARCE_OK && f < n; ++f)
            contribution[f] += e->bag->members[i].weight * terms[f];
    }
    scarce__free(terms);
    return st;
}

static scarce_status explain_columns(const void *x, const scarce__columns *columns, size_t begin, size_t n,
                                     double *out, scarce_error *err)
{
    const explaining *e = x;
    const size_t width = e->bag->n_features;
    float *rows = scarce__malloc_array(width * n, sizeof *rows);
    scarce_status st = rows ? SCARCE_OK : scarce__fail_memory(err, "an explanation", width * n * 4);

    for (size_t f = 0; st == SCARCE_OK && f < width; ++f)
        scarce__columns_take(&columns[f], begin, n, rows + f, width);
    for (size_t r = 0; st == SCARCE_OK && r < n; ++r)
        st = explain_row(x, rows + r * width, out + r * width, err);
    scarce__free(rows);
    return st;
}

static scarce_status explain_members(explaining *e, double *base, const scarce_table *background,
                                     scarce_error *err)
{
    e->inside = scarce__calloc(e->bag->n, sizeof *e->inside);
    if (!e->inside) return scarce__fail_memory(err, "an explainer", 0);
    for (size_t i = 0; i < e->bag->n; ++i) {
        const scarce__bag_member *m = &e->bag->members[i];
        if (m->kind->reasons != SCARCE__REASONS_ADDITIVE || !m->kind->explain)
            return scarce__fail(err, SCARCE_EUNSUPPORTED, "scores of a %s model are no sum over features",
                                m->kind->name);
        SCARCE__TRY(m->kind->explain(&e->inside[i], m->body, background, err));
        *base += term(m, scarce__explain_base(e->inside[i]));
    }
    return SCARCE_OK;
}

static scarce_status explain(scarce__explain **out, const void *body, const scarce_table *background,
                             scarce_error *err)
{
    static const scarce__explain_calls calls = {free_explaining, explain_row, explain_columns, 64};
    explaining *e = scarce__calloc(1, sizeof *e);
    double base = 0;

    *out = NULL;
    if (!e) return scarce__fail_memory(err, "an explainer", 0);
    e->bag = body;
    const scarce_status st = explain_members(e, &base, background, err);
    if (st != SCARCE_OK) {
        free_explaining(e);
        return st;
    }
    return scarce__explain_new(out, e->bag->n_features, base, e, &calls, err);
}

const scarce__kind scarce__kind_bag = {.name = "bag",
                                       .tag = "BAGG",
                                       .free = free_body,
                                       .write = write_body,
                                       .read = read_body,
                                       .prepare = prepare,
                                       .unprepare = unprepare,
                                       .score_row = score_row,
                                       .score_table = score_table,
                                       .show = show,
                                       .reasons = SCARCE__REASONS_ADDITIVE,
                                       .explain = explain};
