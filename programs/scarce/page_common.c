/* SPDX-License-Identifier: Apache-2.0 */
/* What the pages of --report share: facts of data, settings, importances of a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

void page_data_facts(scarce_report *r, const char *name, const scarce_table *t)
{
    const double rows = (double)scarce_table_rows(t), positives = (double)scarce_table_positives(t);
    const char *label = scarce_schema_label(scarce_table_schema(t));
    char text[512], share[32];

    if (rows > 0) snprintf(share, sizeof share, " (%.3g %%)", 100 * positives / rows);
    else share[0] = '\0';
    snprintf(text, sizeof text, "%.0f rows, %zu features, %.0f positives%s", rows, scarce_table_features(t),
             positives, share);
    scarce_report_fact(r, name, text);
    if (label) {
        const char *positive = scarce_schema_positive(scarce_table_schema(t));
        snprintf(text, sizeof text, "%.200s = %.200s", label, positive ? positive : "1");
        scarce_report_fact(r, "positive is", text);
    }
    for (int i = 0; i < 4; ++i) {
        static const char *const role[] = {"weight", "time", "group", "amount"};
        const char *column = scarce_schema_role(scarce_table_schema(t), (scarce_role)(1 << i));
        if (column) scarce_report_fact(r, role[i], column);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)scarce_table_fingerprint(t));
    scarce_report_fact(r, "fingerprint", text);
}

int check_report(const char *path)
{
    if (path && (!*path || strcmp(path, "-") == 0))
        return complain(EXIT_USE, "--report wants the name of a file");
    return check_output(path);
}

char *page_paths(const text_list *paths, size_t from)
{
    size_t n = 1, used = 0;
    char *text;
    for (size_t i = from; i < paths->count; ++i) n += strlen(paths->items[i]) + 2;
    text = malloc(n);
    if (!text) return NULL;
    text[0] = '\0';
    for (size_t i = from; i < paths->count; ++i)
        used += (size_t)snprintf(text + used, n - used, "%s%s", i > from ? ", " : "", paths->items[i]);
    return text;
}

void page_model_facts(scarce_report *r, const scarce_model *model)
{
    static const char *const notes[] = {"library",   "seed",       "rows",
                                        "positives", "iterations", "best_iteration"};
    const size_t method = scarce_method_find(scarce_model_method(model));

    scarce_report_fact(r, "method", scarce_model_method(model));
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; ++i) {
        const char *value = scarce_model_note(model, notes[i]);
        char key[64];
        snprintf(key, sizeof key, "%s%s", i == 2 || i == 3 ? "training " : "", notes[i]);
        if (value) scarce_report_fact(r, key, value);
    }
    for (size_t i = 0; method != SIZE_MAX && i < scarce_method_get(method).n_params; ++i) {
        char key[160];
        const char *name = scarce_method_param(method, i).name, *value;
        snprintf(key, sizeof key, "param.%.128s", name);
        value = scarce_model_note(model, key);
        if (value && *value) scarce_report_fact(r, name, value);
    }
}

/* ---- importances */

enum { IMPORTANCE_ROWS = 2000, IMPORTANCE_SHOWN = 20 };

/* At most so many rows at even distances, all when there are few; *out stays NULL then. */
static scarce_status thin_table(scarce_table **out, const scarce_table *t, size_t most, scarce_context *ctx,
                                scarce_error *err)
{
    const size_t n = scarce_table_rows(t);
    uint32_t *rows;
    scarce_status st;

    *out = NULL;
    if (n <= most) return SCARCE_OK;
    rows = malloc(most * sizeof *rows);
    if (!rows) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    for (size_t i = 0; i < most; ++i) rows[i] = (uint32_t)((double)i * ((double)n / (double)most));
    st = scarce_table_rows_of(out, t, rows, most, ctx, err);
    free(rows);
    return st;
}

typedef struct ranked {
    const char *name;
    double value, error;
} ranked;

static int by_value(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    return (a->value < b->value) - (a->value > b->value);
}

static void draw_importances(scarce_report *r, ranked *item, size_t n, size_t rows)
{
    const char *label[IMPORTANCE_SHOWN];
    double value[IMPORTANCE_SHOWN], lo[IMPORTANCE_SHOWN], hi[IMPORTANCE_SHOWN];
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;
    char note[200];
    size_t shown = 0;

    qsort(item, n, sizeof *item, by_value);
    for (; shown < n && shown < IMPORTANCE_SHOWN && item[shown].value > 0; ++shown) {
        label[shown] = item[shown].name;
        value[shown] = item[shown].value;
        lo[shown] = fmax(0, item[shown].value - 1.96 * item[shown].error);
        hi[shown] = item[shown].value + 1.96 * item[shown].error;
    }
    snprintf(note, sizeof note,
             "Mean size of a feature's contribution to the score over %zu rows; whiskers: 95 %%.%s", rows,
             shown < n ? " The strongest are shown." : "");
    o.title = "What the model relies on";
    o.note = note;
    o.digits = 3;
    c = scarce_report_chart(r, &o);
    scarce_chart_bars(c, "mean |contribution|", label, value, lo, hi, shown);
}

scarce_status page_importances(scarce_report *r, const scarce_model *model, const scarce_explainer *e,
                               const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const size_t n = scarce_schema_features(scarce_model_schema(model));
    scarce_importance *importance = malloc((n + 1) * sizeof *importance);
    ranked *item = malloc((n + 1) * sizeof *item);
    scarce_table *few = NULL;
    scarce_status st = importance && item ? SCARCE_OK : fail_with(err, SCARCE_ENOMEM, "out of memory");

    if (st == SCARCE_OK) st = thin_table(&few, table, IMPORTANCE_ROWS, ctx, err);
    if (st == SCARCE_OK) st = scarce_importance_shap(importance, e, few ? few : table, ctx, err);
    talk_clear();
    for (size_t f = 0; st == SCARCE_OK && f < n; ++f)
        item[f] = (ranked){scarce_schema_name(scarce_model_schema(model), f), importance[f].value,
                           isnan(importance[f].error) ? 0 : importance[f].error};
    if (st == SCARCE_OK) draw_importances(r, item, n, scarce_table_rows(few ? few : table));
    scarce_table_free(few);
    free(importance);
    free(item);
    return st;
}
