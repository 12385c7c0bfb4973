/* SPDX-License-Identifier: Apache-2.0 */
/* Scored rows to lines, with their reasons. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "score.h"

enum { MOST_NEIGHBOURS = 16 }; /* for --explain all */

static scarce_status init_neighbours(writer *w, const scarce_model *model, const scarce_table *background,
                                     size_t n_reasons, scarce_error *err)
{
    if (background)
        return fail_with(err, SCARCE_EUNSUPPORTED,
                         "--background is for reasons that are features; those of %s are training rows",
                         scarce_model_method(model));
    w->format.n_reasons = n_reasons < MOST_NEIGHBOURS ? n_reasons : MOST_NEIGHBOURS;
    w->format.model = model;
    w->neighbours = malloc(2 * w->format.n_reasons * sizeof *w->neighbours);
    w->values = malloc((w->width + 1) * sizeof *w->values);
    if (!w->neighbours || !w->values) return fail_with(err, SCARCE_ENOMEM, "out of memory for reasons");
    const scarce_status st = scarce_scorer_new(&w->scorer, model, err);
    w->format.scorer = w->scorer;
    return st;
}

/* Lines of a model with more than two classes name the likeliest, or tell of all. */
static scarce_status init_classes(writer *w, const score_options *o, const scarce_model *model,
                                  scarce_error *err)
{
    const size_t n = scarce_model_n_classes(model);

    if (n == 2)
        return o->classes
                   ? fail_with(err, SCARCE_EINVAL,
                               "--classes: the model knows two, and the probability is that of \"%.60s\"",
                               scarce_schema_positive(scarce_model_schema(model)))
                   : SCARCE_OK;
    w->format.n_classes = n;
    w->format.all_classes = o->classes;
    return scarce_scorer_new(&w->class_scorer, model, err);
}

static scarce_status find_classes(writer *w, const scarce_table *table, scarce_context *ctx,
                                  scarce_error *err)
{
    const size_t n = scarce_table_rows(table) * w->format.n_classes;

    free(w->classes);
    w->classes = malloc((n + 1) * sizeof *w->classes);
    if (!w->classes) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu probabilities", n);
    return scarce_scorer_classes(w->class_scorer, table, w->classes, ctx, err);
}

scarce_status writer_init(writer *w, const score_options *o, const scarce_model *model, size_t n_reasons,
                          const scarce_table *background, scarce_error *err)
{
    scarce_explain_options eo = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_status st = SCARCE_OK;

    memset(w, 0, sizeof *w);
    w->width = scarce_schema_features(scarce_model_schema(model));
    w->format.schema = scarce_model_schema(model);
    w->format.keep = &o->data.keep;
    w->format.n_reasons = n_reasons < w->width ? n_reasons : w->width;
    w->format.ranked = o->top > 0;
    w->format.full = o->full;
    w->format.words = o->words;
    w->format.only_for = o->only_for;
    w->terminal = (!o->output || strcmp(o->output, "-") == 0) && isatty(1);
    st = init_classes(w, o, model, err);
    if (st != SCARCE_OK || w->format.n_reasons == 0) return st;
    if (scarce_model_reasons(model) == SCARCE_REASONS_RULE) {
        w->format.n_reasons = 0;
        w->format.rules = 1;
        if (background)
            return fail_with(err, SCARCE_EINVAL,
                             "a rule compares a row with no others: leave --background out");
        return scarce_rules_new(&w->rules, model, err);
    }
    if (scarce_model_reasons(model) == SCARCE_REASONS_NEIGHBOURS)
        return init_neighbours(w, model, background, n_reasons, err);
    w->reasons = malloc(w->format.n_reasons * sizeof *w->reasons);
    if (!w->reasons)
        return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu reasons", w->format.n_reasons);
    eo.background = background;
    st = scarce_explainer_new(&w->explainer, model, &eo, err);
    if (st == SCARCE_OK) w->format.base = scarce_explainer_base(w->explainer);
    if (st == SCARCE_OK && o->words) st = scarce_spread_new(&w->spread, model, err);
    w->format.spread = w->spread;
    return st;
}

void writer_deinit(writer *w)
{
    scarce_explainer_free(w->explainer);
    scarce_spread_free(w->spread);
    scarce_rules_free(w->rules);
    free(w->rule);
    free(w->way);
    scarce_scorer_free(w->scorer);
    scarce_scorer_free(w->class_scorer);
    free(w->classes);
    free(w->neighbours);
    free(w->values);
    free(w->reasons);
    free(w->line.bytes);
}

/* What stands in w->line, to where it goes. */
static scarce_status put_line(writer *w, scarce_error *err)
{
    const size_t n = w->line.n;

    w->line.n = 0;
    if (w->line.failed) return fail_with(err, SCARCE_ENOMEM, "out of memory for a line");
    if (w->terminal && n > 0) { /* files and pipes get the bytes as they are */
        w->line.bytes[n - 1] = '\0';
        scarce_printable(w->line.bytes);
        w->line.bytes[n - 1] = '\n';
    }
    if (w->sink) return w->sink(w->payload, w->line.bytes, n, err);
    if (w->out) return scarce_output_write(w->out, w->line.bytes, n, err);
    return fwrite(w->line.bytes, 1, n, stdout) == n
               ? SCARCE_OK
               : fail_with(err, SCARCE_EIO, "standard output can't be written");
}

scarce_status write_line(writer *w, const char *bytes, size_t n, scarce_error *err)
{
    text_add(&w->line, bytes, n);
    return put_line(w, err);
}

scarce_status write_header(writer *w, scarce_error *err)
{
    csv_header(&w->line, &w->format);
    return put_line(w, err);
}

/* Rows first..first+n-1 of what is written; value and contribution are NULL without reasons. */
static int put_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    writer *w = payload;
    const score_batch *b = &w->batch;

    for (size_t i = 0; i < n && w->status == SCARCE_OK; ++i) {
        const size_t at = first + i, row = b->top ? b->top[at].row : at;
        score_line line = {.rank = at + 1,
                           .row = b->number ? b->number[row] : row + 1,
                           .score = b->score[row],
                           .probability = b->probability[row],
                           .alert = b->alert[row],
                           .table = b->table,
                           .table_row = row,
                           .value = value ? value + i * w->width : NULL,
                           .reasons = w->reasons,
                           .rule = w->rule ? w->rule[row] : 0,
                           .way = w->way ? w->way[row] : NULL,
                           .classes = w->classes ? w->classes + row * w->format.n_classes : NULL};
        if (w->scorer) {
            scarce_table_row(b->table, row, w->values);
            w->status = find_neighbours(w->neighbours, &line.n_neighbours, &w->format, w->values, &w->error);
            line.value = w->values;
            line.neighbours = w->neighbours;
        } else if (value)
            line.found = choose_reasons(w->reasons, w->format.n_reasons, contribution + i * w->width,
                                        w->width, w->format.only_for);
        if (w->json) {
            json_line(&w->format, &line);
            continue;
        }
        csv_line(&w->line, &w->format, &line);
        w->status = put_line(w, &w->error);
    }
    return w->status != SCARCE_OK;
}

/* The rows to explain, in the order in which they are written; *owned is to be freed. */
static scarce_status rows_to_explain(const scarce_table **out, scarce_table **owned, const score_batch *b,
                                     size_t n, scarce_context *ctx, scarce_error *err)
{
    uint32_t *rows;
    scarce_status st;

    *owned = NULL;
    *out = b->table;
    if (!b->top) return SCARCE_OK;
    rows = malloc((n + 1) * sizeof *rows);
    if (!rows) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu rows", n);
    for (size_t i = 0; i < n; ++i) rows[i] = (uint32_t)b->top[i].row;
    st = scarce_table_rows_of(owned, b->table, rows, n, ctx, err);
    free(rows);
    *out = *owned;
    return st;
}

static scarce_status find_rules(writer *w, const scarce_table *table, scarce_error *err)
{
    const size_t n = scarce_table_rows(table);

    free(w->rule);
    free(w->way);
    w->rule = malloc((n + 1) * sizeof *w->rule);
    w->way = malloc((n + 1) * sizeof *w->way);
    if (!w->rule || !w->way)
        return fail_with(err, SCARCE_ENOMEM, "out of memory for the rules of %zu rows", n);
    return scarce_rules_table(w->rules, table, w->rule, w->way, err);
}

scarce_status write_batch(writer *w, const score_batch *batch, size_t n, scarce_context *ctx,
                          scarce_error *err)
{
    const scarce_table *rows = NULL;
    scarce_table *owned = NULL;
    scarce_status st = SCARCE_OK;

    w->batch = *batch;
    w->status = SCARCE_OK;
    if (w->rules && (st = find_rules(w, batch->table, err)) != SCARCE_OK) return st;
    if (w->class_scorer && (st = find_classes(w, batch->table, ctx, err)) != SCARCE_OK) return st;
    if (!w->explainer) put_rows(w, 0, n, NULL, NULL);
    else {
        st = rows_to_explain(&rows, &owned, batch, n, ctx, err);
        if (st == SCARCE_OK) st = scarce_explainer_table(w->explainer, rows, put_rows, w, ctx, err);
        scarce_table_free(owned);
    }
    if (w->status == SCARCE_OK) return st;
    *err = w->error;
    return w->status;
}
