/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models as a kind: saved as docs/model-format.md says. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "linear/linear.h"
#include "model/model.h"

static void free_body(void *body)
{
    if (!body) return;
    scarce__linear_deinit(body);
    scarce__free(body);
}

static uint32_t write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__linear *m = body;
    scarce__put_f64(w, m->bias);
    for (size_t f = 0; f < schema->n_features; ++f) {
        if (schema->features[f].kind == SCARCE_COLUMN_CATEGORY) {
            for (size_t s = m->slot_begin[f]; s < m->slot_begin[f + 1]; ++s)
                scarce__put_f64(w, m->slot_weight[s]);
            continue;
        }
        scarce__put_f64(w, m->weight[f]);
        scarce__put_f64(w, m->missing_weight[f]);
    }
    return 1;
}

/* Codes, then unknown, then missing: the slots of every category. */
static scarce_status alloc_for(scarce__linear *m, const scarce_schema *schema, scarce_error *err)
{
    const size_t n = schema->n_features;
    size_t *begin = scarce__calloc(n + 1, sizeof *begin);
    scarce_status st;

    if (!begin) return scarce__fail_memory(err, "a linear model", 0);
    for (size_t f = 0; f < n; ++f) {
        const scarce__feature *feature = &schema->features[f];
        begin[f + 1] =
            begin[f] + (feature->kind == SCARCE_COLUMN_CATEGORY ? feature->categories.count + 2 : 0);
    }
    st = scarce__linear_alloc(m, n, begin, err);
    scarce__free(begin);
    return st;
}

static void read_weights(scarce__linear *m, const scarce_schema *schema, scarce__reader *r)
{
    m->bias = scarce__get_f64(r);
    for (size_t f = 0; f < schema->n_features; ++f) {
        if (schema->features[f].kind == SCARCE_COLUMN_CATEGORY) {
            for (size_t s = m->slot_begin[f]; s < m->slot_begin[f + 1]; ++s)
                m->slot_weight[s] = scarce__get_f64(r);
            continue;
        }
        m->weight[f] = scarce__get_f64(r);
        m->missing_weight[f] = scarce__get_f64(r);
    }
}

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__linear *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    *body = NULL;
    if (!m) return scarce__fail_memory(err, "a linear model", 0);
    st = alloc_for(m, schema, err);
    if (st == SCARCE_OK) {
        read_weights(m, schema, r);
        if (r->failed) st = scarce__fail(err, SCARCE_EPARSE, "the weights are cut off");
        else if (scarce__linear_check(m, err) != SCARCE_OK)
            st = scarce__fail(err, SCARCE_EPARSE, "a weight is not a number");
    }
    if (st != SCARCE_OK) {
        free_body(m);
        return st;
    }
    *body = m;
    return SCARCE_OK;
}

static double score_row(const void *prepared, const float *row)
{
    return scarce__linear_score(prepared, row);
}

static scarce_status score_table(const void *prepared, const scarce_table *table, double *score,
                                 scarce_context *ctx, scarce_error *err)
{
    (void)err;
    scarce__linear_score_table(prepared, table, score, ctx);
    return SCARCE_OK;
}

static void category_json(const scarce__linear *m, const scarce__feature *feature, size_t f,
                          scarce__text *out)
{
    const size_t begin = m->slot_begin[f], end = m->slot_begin[f + 1];
    scarce__json_key(out, "categories");
    scarce__json_begin_object(out);
    for (size_t c = 0; c < feature->categories.count; ++c)
        scarce__json_field_number(out, scarce__dictionary_text(&feature->categories, c),
                                  m->slot_weight[begin + c]);
    scarce__json_end_object(out);
    scarce__json_field_number(out, "unknown", m->slot_weight[end - 2]);
    scarce__json_field_number(out, "missing", m->slot_weight[end - 1]);
}

static void show_json(const scarce__linear *m, const scarce_schema *schema, scarce__text *out)
{
    scarce__json_key(out, "bias");
    scarce__json_number(out, m->bias);
    scarce__json_key(out, "weights");
    scarce__json_begin_array(out);
    for (size_t f = 0; f < schema->n_features; ++f) {
        scarce__json_begin_object(out);
        scarce__json_field_string(out, "feature", schema->features[f].name);
        if (schema->features[f].kind == SCARCE_COLUMN_CATEGORY)
            category_json(m, &schema->features[f], f, out);
        else {
            scarce__json_field_number(out, "weight", m->weight[f]);
            scarce__json_field_number(out, "missing", m->missing_weight[f]);
        }
        scarce__json_end_object(out);
    }
    scarce__json_end_array(out);
}

static void weight_line(const char *name, double weight, scarce__text *out)
{
    scarce__text_addf(out, "  %-36s  ", name);
    scarce__text_digits(out, weight, 6);
    scarce__text_add(out, "\n");
}

static void show_text(const scarce__linear *m, const scarce_schema *schema, scarce__text *out)
{
    char name[160];
    scarce__text_add(out, "\nscore = bias + sum of weight x value\n");
    weight_line("(bias)", m->bias, out);
    for (size_t f = 0; f < schema->n_features; ++f) {
        const scarce__feature *feature = &schema->features[f];
        const size_t n = feature->categories.count;
        if (feature->kind != SCARCE_COLUMN_CATEGORY) {
            weight_line(feature->name, m->weight[f], out);
            snprintf(name, sizeof name, "%.100s missing", feature->name);
            if (m->missing_weight[f] != 0) weight_line(name, m->missing_weight[f], out);
            continue;
        }
        for (size_t c = 0; c < n + 2; ++c) {
            const double weight = m->slot_weight[m->slot_begin[f] + c];
            snprintf(name, sizeof name, "%.70s = %.70s", feature->name,
                     c < n    ? scarce__dictionary_text(&feature->categories, c)
                     : c == n ? "(unknown)"
                              : "(missing)");
            if (weight != 0) weight_line(name, weight, out);
        }
    }
}

static scarce_status show(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    if (strcmp(format, "json") == 0) show_json(body, &model->schema, out);
    else if (strcmp(format, "text") == 0 || strcmp(format, "summary") == 0)
        show_text(body, &model->schema, out);
    else
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a linear model has no form \"%.20s\" (it has text and json)", format);
    return SCARCE_OK;
}

static scarce_status explain(scarce__explain **out, const void *body, const scarce_table *background,
                             scarce_error *err)
{
    return scarce__explain_linear(out, body, background, err);
}

const scarce__kind scarce__kind_linear = {.name = "linear",
                                          .tag = "LINR",
                                          .free = free_body,
                                          .write = write_body,
                                          .read = read_body,
                                          .score_row = score_row,
                                          .score_table = score_table,
                                          .show = show,
                                          .reasons = SCARCE__REASONS_ADDITIVE,
                                          .explain = explain};
