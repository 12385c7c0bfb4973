/* SPDX-License-Identifier: Apache-2.0 */
/* The head of the list, with reasons where a model is there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

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

typedef struct reasons {
    const scarce_schema *schema;
    char text[ALERTS][400];
} reasons;

static void add_reason(char *text, size_t size, const scarce_schema *schema, const scarce_reason *why,
                       float value)
{
    const size_t used = strlen(text), f = why->feature;
    char shown[64];

    if (scarce_schema_kind(schema, f) == SCARCE_COLUMN_CATEGORY) {
        const size_t code = value >= 0 ? (size_t)value : SIZE_MAX;
        snprintf(shown, sizeof shown, "%.60s",
                 code < scarce_schema_categories(schema, f) ? scarce_schema_category(schema, f, code)
                 : code == SIZE_MAX                         ? "missing"
                                                            : "unknown");
    } else if (isnan(value)) snprintf(shown, sizeof shown, "missing");
    else snprintf(shown, sizeof shown, "%.5g", (double)value);
    if (used < size)
        snprintf(text + used, size - used, "%s%.60s = %s (%+.2f)", used ? "; " : "",
                 scarce_schema_name(schema, f), shown, why->contribution);
}

static int take_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    reasons *r = payload;
    const size_t width = scarce_schema_features(r->schema);

    for (size_t i = 0; i < n && first + i < ALERTS; ++i) {
        scarce_reason why[REASONS];
        const size_t found = scarce_reasons_strongest(contribution + i * width, width, REASONS, why);
        for (size_t k = 0; k < found; ++k)
            add_reason(r->text[first + i], sizeof r->text[0], r->schema, &why[k],
                       value[i * width + why[k].feature]);
    }
    return 0;
}

static scarce_status find_reasons(reasons *r, const scarce_explainer *e, const eval_view *v,
                                  const uint32_t *top, size_t n, scarce_context *ctx, scarce_error *err)
{
    scarce_table *few = NULL;
    scarce_status st = scarce_table_rows_of(&few, v->data->table, top, n, ctx, err);

    r->schema = scarce_model_schema(v->data->model);
    if (st == SCARCE_OK) st = scarce_explainer_table(e, few, take_rows, r, ctx, err);
    scarce_table_free(few);
    talk_clear();
    return st;
}

static void write_alerts(scarce_report *report, const eval_view *v, const uint32_t *top, size_t n,
                         const reasons *why)
{
    const scarce_scored *rows = &v->data->rows;
    const int has_probability = rows->probability && !isnan(v->metrics->brier);
    const char *columns[8];
    char align[9] = "";
    size_t k = 0;

    columns[k] = "row", align[k++] = 'r';
    columns[k] = "score", align[k++] = 'r';
    if (has_probability) columns[k] = "probability", align[k++] = 'r';
    if (rows->amount) columns[k] = "amount", align[k++] = 'r';
    if (rows->group) columns[k] = "group", align[k++] = 'l';
    columns[k] = "truth", align[k++] = 'l';
    if (why) columns[k] = "strongest reasons", align[k++] = 'l';
    scarce_report_table(report, NULL, columns, align, k);
    for (size_t i = 0; i < n; ++i) {
        const size_t row = top[i];
        scarce_report_cell_number(report, (double)row + 1, 17);
        scarce_report_cell_number(report, rows->score[row], 4);
        if (has_probability) scarce_report_cell_number(report, rows->probability[row], 3);
        if (rows->amount) scarce_report_cell_number(report, rows->amount[row], 6);
        if (rows->group)
            scarce_report_cell(report, scarce_table_group_name(v->data->table, rows->group[row]));
        scarce_report_cell(report, rows->label[row] ? "positive" : "negative");
        if (why) scarce_report_cell(report, why->text[i]);
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
    free(why);
    return st;
}
