/* SPDX-License-Identifier: Apache-2.0 */
/* The head of the list, with reasons where a model and its rows are there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "pages/pages.h"

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
    scarce__text text[ALERTS];
} reasons;

static int take_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    reasons *r = payload;
    const size_t width = scarce_schema_features(r->schema);

    for (size_t i = 0; i < n && first + i < ALERTS; ++i) {
        scarce_reason why[REASONS];
        const size_t found = scarce_reasons_raising(contribution + i * width, width, REASONS, why);
        for (size_t k = 0; k < found; ++k) {
            char sentence[SCARCE_REASON_TEXT];
            scarce_reason_text(sentence, r->schema, r->spread, &why[k], value[i * width + why[k].feature]);
            if (k) scarce__text_add(&r->text[first + i], "; ");
            scarce__text_add(&r->text[first + i], sentence);
        }
    }
    return 0;
}

static scarce_status find_reasons(reasons *r, const scarce_explainer *e, const scarce_evaluation_view *v,
                                  const uint32_t *top, size_t n, scarce_context *ctx, scarce_error *err)
{
    scarce_table *few = NULL;
    scarce_status st = scarce_table_rows_of(&few, v->table, top, n, ctx, err);

    r->schema = scarce_model_schema(v->model);
    if (st == SCARCE_OK) st = scarce_spread_new(&r->spread, v->model, err);
    if (st == SCARCE_OK) st = scarce_explainer_table(e, few, take_rows, r, ctx, err);
    scarce_table_free(few);
    return st;
}

enum { MOST_KEPT = 8 };

/* A role's column under the name that the user gave it. */
static const char *role_name(const scarce_evaluation_view *v, scarce_role role, const char *otherwise)
{
    const char *name = v->table ? scarce_schema_role(scarce_table_schema(v->table), role) : NULL;
    return name ? name : otherwise;
}

static int is_kept(const scarce_evaluation_view *v, const char *name)
{
    for (size_t i = 0; i < v->n_keep; ++i)
        if (strcmp(v->keep[i], name) == 0) return 1;
    return 0;
}

static void write_alerts(scarce_report *report, const scarce_evaluation_view *v, const uint32_t *top,
                         size_t n, const reasons *why)
{
    const scarce_scored *rows = v->rows;
    const int has_probability = rows->probability && !isnan(v->metrics->brier);
    const char *amount = role_name(v, SCARCE_ROLE_AMOUNT, "amount"),
               *group = role_name(v, SCARCE_ROLE_GROUP, "group");
    const int with_amount = rows->amount && !is_kept(v, amount),
              with_group = rows->group && v->table && !is_kept(v, group);
    const size_t kept = !v->table ? 0 : v->n_keep < MOST_KEPT ? v->n_keep : MOST_KEPT;
    const char *columns[8 + MOST_KEPT];
    char align[9 + MOST_KEPT] = "";
    size_t k = 0;

    columns[k] = "row", align[k++] = 'r';
    for (size_t i = 0; i < kept; ++i) columns[k] = v->keep[i], align[k++] = 'l';
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
            const char *shown = scarce_table_kept(v->table, c, row, NULL);
            scarce_report_cell(report, shown ? shown : "");
        }
        scarce_report_cell_number(report, rows->score[row], 4);
        if (has_probability) scarce_report_cell_number(report, rows->probability[row], 3);
        if (with_amount) scarce_report_cell_number(report, rows->amount[row], 6);
        if (with_group) scarce_report_cell(report, scarce_table_group_name(v->table, rows->group[row]));
        scarce_report_cell(report, rows->label[row] ? "positive" : "negative");
        if (why)
            scarce_report_cell(report, why->text[i].bytes && !why->text[i].failed ? why->text[i].bytes : "");
    }
}

scarce_status scarce__pages_alerts(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                   scarce_error *err)
{
    const scarce_scored *rows = v->rows;
    scarce_explainer *e = NULL;
    reasons *why = NULL;
    uint32_t top[ALERTS];
    const size_t n = find_top(top, rows->score, rows->n);
    scarce_status st = SCARCE_OK;

    if (n == 0) return SCARCE_OK;
    if (v->model && v->table) {
        st = scarce_explainer_new(&e, v->model, NULL, err);
        if (st == SCARCE_EUNSUPPORTED) st = SCARCE_OK; /* no sum of features: the list without reasons */
        if (st == SCARCE_OK && e) {
            st = scarce__pages_importances(r, v->model, e, v->table, ctx, err);
            why = scarce__calloc(1, sizeof *why);
            if (st == SCARCE_OK && !why) st = scarce__fail_memory(err, "a page", 0);
            if (st == SCARCE_OK) st = find_reasons(why, e, v, top, n, ctx, err);
        }
    }
    if (st == SCARCE_OK) {
        scarce_report_section(r, "Top of the list");
        write_alerts(r, v, top, n, why);
    }
    scarce_explainer_free(e);
    for (size_t i = 0; why && i < ALERTS; ++i) scarce__text_deinit(&why->text[i]);
    if (why) scarce_spread_free(why->spread);
    scarce__free(why);
    return st;
}
