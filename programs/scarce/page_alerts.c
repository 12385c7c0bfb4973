/* SPDX-License-Identifier: Apache-2.0 */
/* The head of the list, with reasons where a model is there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

enum { ALERTS = 20, REASONS = 3 };

/* The rows with the highest scores, highest first; of equal ones the earlier. */
static size_t find_top(uint32_t *top, const double *score, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < n; ++i) {
        size_t at = found < ALERTS ? found++ : ALERTS;
        if (at == ALERTS && !(score[i] > score[top[ALERTS - 1]])) continue;
        if (at == ALERTS) --at;
        for (; at > 0 && score[i] > score[top[at - 1]]; --at) top[at] = top[at - 1];
        top[at] = (uint32_t)i;
    }
    return found;
}

/* Why each of them is on the list: what raised its score, as sentences. */
typedef struct reasons {
    const scarce_schema *schema;
    scarce_spread *spread;
    text text[ALERTS];
} reasons;

static int take_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    reasons *r = payload;
    const size_t width = scarce_schema_features(r->schema);

    for (size_t i = 0; i < n && first + i < ALERTS; ++i) {
        scarce_reason why[REASONS];
        const size_t found = choose_reasons(why, REASONS, contribution + i * width, width, 1);
        text *t = &r->text[first + i];
        for (size_t k = 0; k < found; ++k) {
            if (k) text_add(t, "; ", 2);
            add_sentence(t, r->schema, r->spread, &why[k], value[i * width + why[k].feature]);
        }
        text_add(t, "", 1);
    }
    return 0;
}

static scarce_status find_reasons(reasons *r, const scarce_explainer *e, const eval_view *v,
                                  const uint32_t *top, size_t n, scarce_context *ctx, scarce_error *err)
{
    scarce_table *few = NULL;
    scarce_status st = scarce_table_rows_of(&few, v->data->table, top, n, ctx, err);

    r->schema = scarce_model_schema(v->data->model);
    if (st == SCARCE_OK) st = scarce_spread_new(&r->spread, v->data->model, err);
    if (st == SCARCE_OK) st = scarce_explainer_table(e, few, take_rows, r, ctx, err);
    scarce_table_free(few);
    talk_clear();
    return st;
}

enum { MOST_KEPT = 8 };

/* A role's column under the name that the user gave it. */
static const char *role_name(const eval_view *v, scarce_role role, const char *otherwise)
{
    const char *name = v->data->table ? scarce_schema_role(scarce_table_schema(v->data->table), role) : NULL;
    return name ? name : otherwise;
}

static int is_kept(const eval_view *v, const char *name)
{
    for (size_t i = 0; i < v->keep->count; ++i)
        if (strcmp(v->keep->items[i], name) == 0) return 1;
    return 0;
}

static void write_alerts(scarce_report *report, const eval_view *v, const uint32_t *top, size_t n,
                         const reasons *why)
{
    const scarce_scored *rows = &v->data->rows;
    const int has_probability = rows->probability && !isnan(v->metrics->brier);
    const char *amount = role_name(v, SCARCE_ROLE_AMOUNT, "amount"),
               *group = role_name(v, SCARCE_ROLE_GROUP, "group");
    const int with_amount = rows->amount && !is_kept(v, amount),
              with_group = rows->group && !is_kept(v, group);
    const size_t kept = v->keep->count < MOST_KEPT ? v->keep->count : MOST_KEPT;
    const char *columns[8 + MOST_KEPT];
    char align[9 + MOST_KEPT] = "";
    size_t k = 0;

    columns[k] = "row", align[k++] = 'r';
    for (size_t i = 0; i < kept; ++i) columns[k] = v->keep->items[i], align[k++] = 'l';
    columns[k] = "score", align[k++] = 'r';
    if (has_probability) columns[k] = "probability", align[k++] = 'r';
    if (with_amount) columns[k] = amount, align[k++] = 'r';
    if (with_group) columns[k] = group, align[k++] = 'l';
    columns[k] = "truth", align[k++] = 'l';
    if (why) columns[k] = "what raised the score", align[k++] = 'l';
    scarce_report_table(report, NULL, columns, align, k);
    for (size_t i = 0; i < n; ++i) {
        const size_t row = top[i];
        scarce_report_cell_number(report, (double)row + 1, 17);
        for (size_t c = 0; c < kept; ++c) {
            const char *shown = scarce_table_kept(v->data->table, c, row, NULL);
            scarce_report_cell(report, shown ? shown : "");
        }
        scarce_report_cell_number(report, rows->score[row], 4);
        if (has_probability) scarce_report_cell_number(report, rows->probability[row], 3);
        if (with_amount) scarce_report_cell_number(report, rows->amount[row], 6);
        if (with_group) scarce_report_cell(report, scarce_table_group_name(v->data->table, rows->group[row]));
        scarce_report_cell(report, rows->label[row] ? "positive" : "negative");
        if (why)
            scarce_report_cell(report, why->text[i].bytes && !why->text[i].failed ? why->text[i].bytes : "");
    }
}

scarce_status page_alerts(scarce_report *r, const eval_view *v, scarce_context *ctx, scarce_error *err)
{
    const scarce_scored *rows = &v->data->rows;
    scarce_explainer *e = NULL;
    reasons *why = NULL;
    uint32_t top[ALERTS];
    const size_t n = find_top(top, rows->score, rows->n);
    scarce_status st = SCARCE_OK;

    if (n == 0) return SCARCE_OK;
    if (v->data->model) {
        st = scarce_explainer_new(&e, v->data->model, NULL, err);
        if (st == SCARCE_EUNSUPPORTED) st = SCARCE_OK; /* no sum of features: the list without reasons */
        if (st == SCARCE_OK && e) {
            scarce_report_section(r, "Importances");
            st = page_importances(r, v->data->model, e, v->data->table, ctx, err);
            why = calloc(1, sizeof *why);
            if (st == SCARCE_OK && !why) st = fail_with(err, SCARCE_ENOMEM, "out of memory");
            if (st == SCARCE_OK) st = find_reasons(why, e, v, top, n, ctx, err);
        }
    }
    if (st == SCARCE_OK) {
        scarce_report_section(r, "Top of the list");
        write_alerts(r, v, top, n, why);
    }
    scarce_explainer_free(e);
    for (size_t i = 0; why && i < ALERTS; ++i) free(why->text[i].bytes);
    if (why) scarce_spread_free(why->spread);
    free(why);
    return st;
}
