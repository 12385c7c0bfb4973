/* SPDX-License-Identifier: Apache-2.0 */
/* What pages share: facts of data, settings, importances of a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/text.h"
#include "pages/pages.h"

void scarce__pages_data(scarce_report *r, const char *name, const scarce_table *t)
{
    const double rows = (double)scarce_table_rows(t), positives = (double)scarce_table_positives(t);
    const char *label = scarce_schema_label(scarce_table_schema(t));
    char text[512], share[32];

    if (rows > 0) scarce__print(share, sizeof share, " (%.3g %%)", 100 * positives / rows);
    else share[0] = '\0';
    scarce__print(text, sizeof text, "%.0f rows, %zu features, %.0f positives%s", rows,
                  scarce_table_features(t), positives, share);
    scarce_report_fact(r, name, text);
    if (label) {
        const char *positive = scarce_schema_positive(scarce_table_schema(t));
        scarce__print(text, sizeof text, "%.200s = %.200s", label, positive ? positive : "1");
        scarce_report_fact(r, "positive is", text);
    }
    for (int i = 0; i < 4; ++i) {
        static const char *const role[] = {"weight", "time", "group", "amount"};
        const char *column = scarce_schema_role(scarce_table_schema(t), (scarce_role)(1 << i));
        if (column) scarce_report_fact(r, role[i], column);
    }
    scarce__print(text, sizeof text, "%016llx", (unsigned long long)scarce_table_fingerprint(t));
    scarce_report_fact(r, "fingerprint", text);
}

void scarce__pages_model(scarce_report *r, const scarce_model *model)
{
    static const char *const notes[] = {"library",   "seed",       "rows",
                                        "positives", "iterations", "best_iteration"};
    const size_t method = scarce_method_find(scarce_model_method(model));

    scarce_report_fact(r, "method", scarce_model_method(model));
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; ++i) {
        const char *value = scarce_model_note(model, notes[i]);
        char key[64];
        scarce__print(key, sizeof key, "%s%s", i == 2 || i == 3 ? "training " : "", notes[i]);
        if (value) scarce_report_fact(r, key, value);
    }
    for (size_t i = 0; method != SIZE_MAX && i < scarce_method_get(method).n_params; ++i) {
        char key[160];
        const char *name = scarce_method_param(method, i).name, *value;
        scarce__print(key, sizeof key, "param.%.128s", name);
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
    rows = scarce__malloc_array(most, sizeof *rows);
    if (!rows) return scarce__fail_memory(err, "a page", 0);
    for (size_t i = 0; i < most; ++i) rows[i] = (uint32_t)((double)i * ((double)n / (double)most));
    st = scarce_table_rows_of(out, t, rows, most, ctx, err);
    scarce__free(rows);
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

static void draw_importances(scarce_report *r, ranked *item, size_t n, const char *name, const char *note)
{
    const char *label[IMPORTANCE_SHOWN];
    double value[IMPORTANCE_SHOWN], lo[IMPORTANCE_SHOWN], hi[IMPORTANCE_SHOWN];
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;
    char whole[200];
    size_t shown = 0;

    qsort(item, n, sizeof *item, by_value);
    for (; shown < n && shown < IMPORTANCE_SHOWN && item[shown].value > 0; ++shown) {
        label[shown] = item[shown].name;
        value[shown] = item[shown].value;
        lo[shown] = fmax(0, item[shown].value - 1.96 * item[shown].error);
        hi[shown] = item[shown].value + 1.96 * item[shown].error;
    }
    scarce__print(whole, sizeof whole, "%s; whiskers: 95 %%.%s", note,
                  shown < n ? " The strongest are shown." : "");
    o.title = "What the model relies on";
    o.note = whole;
    o.digits = 3;
    c = scarce_report_chart(r, &o);
    scarce_chart_bars(c, name, label, value, lo, hi, shown);
}

/* Mean |contribution| over rows of the table, or without rows the gains of the splits. */
static scarce_status find_importances(scarce_importance *out, char note[120], const scarce_model *model,
                                      const scarce_explainer *e, const scarce_table *table,
                                      scarce_context *ctx, scarce_error *err)
{
    scarce_table *few = NULL;
    scarce_status st;

    if (!e || !table) {
        scarce__print(note, 120, "Sum of the gains of a feature's splits");
        return scarce_importance_splits(out, model, SCARCE_SPLITS_GAIN, err);
    }
    st = thin_table(&few, table, IMPORTANCE_ROWS, ctx, err);
    if (st == SCARCE_OK) st = scarce_importance_shap(out, e, few ? few : table, ctx, err);
    scarce__print(note, 120, "Mean size of a feature's contribution to the score over %zu rows",
                  scarce_table_rows(few ? few : table));
    scarce_table_free(few);
    return st;
}

scarce_status scarce__pages_importances(scarce_report *r, const scarce_model *model,
                                        const scarce_explainer *e, const scarce_table *table,
                                        scarce_context *ctx, scarce_error *err)
{
    const size_t n = scarce_schema_features(scarce_model_schema(model));
    scarce_importance *importance = scarce__malloc_array(n + 1, sizeof *importance);
    ranked *item = scarce__malloc_array(n + 1, sizeof *item);
    char note[120];
    scarce_status st = importance && item ? SCARCE_OK : scarce__fail_memory(err, "a page", 0);

    if (st == SCARCE_OK) st = find_importances(importance, note, model, e, table, ctx, err);
    for (size_t f = 0; st == SCARCE_OK && f < n; ++f)
        item[f] = (ranked){scarce_schema_name(scarce_model_schema(model), f), importance[f].value,
                           isnan(importance[f].error) ? 0 : importance[f].error};
    if (st == SCARCE_OK) {
        scarce_report_section(r, "Importances");
        draw_importances(r, item, n, e && table ? "mean |contribution|" : "gain", note);
    }
    scarce__free(importance);
    scarce__free(item);
    return st == SCARCE_EUNSUPPORTED && !(e && table) ? SCARCE_OK : st; /* no trees, no gains */
}
