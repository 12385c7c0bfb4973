/* SPDX-License-Identifier: Apache-2.0 */
/* scarce train --report: the learning curve, what the model relies on, how it does on the validation rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* ---- learning curve */

/* The iterations that were looked at, and what was seen there. Returns how many; 0 also without memory. */
static size_t points_of(double **x, double **y, const scarce_train_summary *s)
{
    size_t n = 0;
    *x = malloc((s->n_curve + 1) * sizeof **x);
    *y = malloc((s->n_curve + 1) * sizeof **y);
    for (size_t i = 0; *x && *y && i < s->n_curve; ++i) {
        if (isnan(s->curve[i])) continue;
        (*x)[n] = (double)(i + 1);
        (*y)[n++] = s->curve[i];
    }
    return n;
}

static size_t peak_of(const double *y, size_t n, const char *metric)
{
    const int direction = scarce_metric_direction(scarce_metric_find(metric));
    size_t peak = 0;
    for (size_t i = 1; i < n; ++i)
        if (direction < 0 ? y[i] < y[peak] : y[i] > y[peak]) peak = i;
    return peak;
}

/* What the curve says, in a sentence. */
static void curve_note(char *note, size_t size, const train_view *v, double peak, double best, double end)
{
    const scarce_train_summary *s = v->summary;
    if (s->best_iteration != s->iterations)
        snprintf(note, size, "On the validation rows. What comes after the mark is not kept.");
    else if ((size_t)peak == s->iterations)
        snprintf(note, size, "On the validation rows. The end was the best.");
    else
        snprintf(note, size,
                 "On the validation rows. It was best after %.0f iterations (%.4f), and is %.4f at the end, "
                 "which is what the model keeps: --early-stop would stop near the best.",
                 peak, best, end);
}

static void draw_learning(scarce_report *r, const train_view *v)
{
    const scarce_train_summary *s = v->summary;
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *x = NULL, *y = NULL;
    const size_t n = points_of(&x, &y, s);
    char note[256];

    if (n >= 2) {
        const size_t peak = peak_of(y, n, v->metric);
        curve_note(note, sizeof note, v, x[peak], y[peak], y[n - 1]);
        o.title = "Learning curve";
        o.note = note;
        o.x_label = "iterations";
        o.y_label = v->metric;
        scarce_chart *c = scarce_report_chart(r, &o);
        scarce_chart_line(c, v->metric, x, y, n);
        if (s->best_iteration && s->best_iteration != s->iterations)
            scarce_chart_mark(c, "kept", (double)s->best_iteration);
        else if (peak + 1 < n) scarce_chart_mark(c, "best", x[peak]);
    }
    free(x);
    free(y);
}

static void draw_times(scarce_report *r, const train_view *v)
{
    static const char *const label[] = {"reading", "preparing", "training", "the rest"};
    const scarce_train_summary *s = v->summary;
    const double value[] = {
        v->seconds_load, s->seconds_prepare, s->seconds_train,
        fmax(0, v->seconds_total - v->seconds_load - s->seconds_prepare - s->seconds_train)};
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;

    o.title = "Seconds";
    o.note = "The rest: calibration, threshold, judging and writing the model.";
    o.digits = 3;
    scarce_chart_bars(scarce_report_chart(r, &o), "seconds", label, value, NULL, NULL, 4);
}

static scarce_status draw_importances(scarce_report *r, const train_view *v, scarce_context *ctx,
                                      scarce_error *err)
{
    scarce_explainer *e = NULL;
    scarce_status st = scarce_explainer_new(&e, v->model, NULL, err);

    if (st == SCARCE_EUNSUPPORTED) return SCARCE_OK; /* no sum of features */
    if (st == SCARCE_OK) st = page_importances(r, v->model, e, v->valid ? v->valid : v->table, ctx, err);
    scarce_explainer_free(e);
    return st;
}

enum { MOST_RULES = 60 };

/* Of models that are rules: the tree, and the rules with what they caught. */
static scarce_status draw_rules(scarce_report *r, const scarce_model *model, scarce_error *err)
{
    static const char *const columns[] = {"rule", "when", "rows", "positives", "precision", "recall so far"};
    scarce_rules *rules = NULL;
    char *svg = NULL;
    scarce_status st = scarce_rules_new(&rules, model, err);

    if (st == SCARCE_EUNSUPPORTED) return SCARCE_OK;
    if (st == SCARCE_OK && scarce_rules_count(rules) <= MOST_RULES)
        st = scarce_model_show(&svg, model, "svg", err);
    if (st == SCARCE_OK) {
        scarce_report_section(r, "Tree and rules");
        if (svg)
            scarce_report_picture(r, "the ranking tree; its rules are in the table below", svg, strlen(svg));
        scarce_report_table(r, "Read from the top: the first that holds of a row counts. Training rows.",
                            columns, "rlrrrr", 6);
        for (size_t i = 0; i < scarce_rules_count(rules) && i < MOST_RULES; ++i) {
            scarce_rule rule = SCARCE_RULE_INIT;
            if (scarce_rules_get(rules, i, &rule, NULL) != SCARCE_OK) break;
            scarce_report_cell_number(r, (double)i + 1, 17);
            scarce_report_cell(r, rule.text);
            scarce_report_cell_number(r, (double)rule.rows, 17);
            scarce_report_cell_number(r, (double)rule.positives, 17);
            scarce_report_cell_number(r, rule.precision, 3);
            scarce_report_cell_number(r, rule.recall, 3);
        }
        if (scarce_rules_count(rules) > MOST_RULES)
            scarce_report_note(r, "The first 60 rules; scarce show --trees prints all.");
    }
    scarce_bytes_free(svg);
    scarce_rules_free(rules);
    return st;
}

static scarce_status draw_valid(scarce_report *r, const train_view *v, scarce_context *ctx, scarce_error *err)
{
    scarce_metrics_options mo = SCARCE_METRICS_OPTIONS_INIT;
    scored_data s;
    const text_list none = {NULL, 0};
    eval_view e = {&s, NULL, NULL, v->metrics, &mo, 0, &none, NULL};
    scarce_status st;

    memset(&s, 0, sizeof s);
    st = score_table(&s, v->model, v->valid, ctx, err);
    mo.threshold = scarce_model_threshold(v->model);
    if (!isnan(mo.threshold)) mo.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
    if (st == SCARCE_OK) {
        scarce_report_section(r, "Validation rows");
        scarce_report_paragraph(r,
                                "These rows chose the iteration, the calibration and the threshold, so they "
                                "flatter: judge the model on later rows with scarce eval.");
        st = page_score_charts(r, &e, ctx, err);
    }
    forget_scored(&s);
    return st;
}

static void overview(scarce_report *r, const train_view *v)
{
    const scarce_train_summary *s = v->summary;
    char detail[64];

    scarce_report_section(r, "Overview");
    scarce_report_tile(r, "method", scarce_model_method(v->model), NULL);
    scarce_report_tile_number(r, "rows", (double)s->rows, 17, NULL);
    snprintf(detail, sizeof detail, "%.3g %%", 100 * (double)s->positives / (double)s->rows);
    scarce_report_tile_number(r, "positives", (double)s->positives, 17, detail);
    scarce_report_tile_number(r, "features", (double)s->features, 17, NULL);
    if (s->iterations) {
        snprintf(detail, sizeof detail, "of %zu tried", s->iterations);
        scarce_report_tile_number(r, "iterations kept", (double)s->best_iteration, 17, detail);
    }
    if (!v->valid) return;
    scarce_report_tile_number(r, "average precision", v->metrics->ap, 4, "validation rows");
    snprintf(detail, sizeof detail, "precision in the top %.0f", v->metrics->k);
    scarce_report_tile_number(r, detail, v->metrics->precision_at_k, 4, "validation rows");
    scarce_report_tile_number(r, "area under ROC", v->metrics->auc_roc, 4, "validation rows");
}

static void settings(scarce_report *r, const train_view *v)
{
    scarce_report_section(r, "Settings and data");
    page_data_facts(r, "training rows", v->table);
    if (v->valid) {
        scarce_report_section(r, "Validation data");
        page_data_facts(r, "rows", v->valid);
    }
    scarce_report_section(r, "Model");
    page_model_facts(r, v->model);
    scarce_report_fact_number(r, "threshold of the score", scarce_model_threshold(v->model), 6);
}

scarce_status write_train_page(const char *path, const train_view *v, scarce_context *ctx, scarce_error *err)
{
    scarce_report *r = NULL;
    char *data = page_paths(v->paths, 0);
    scarce_status st = scarce_report_new(&r, "Training", data, err);

    free(data);
    if (st == SCARCE_OK) {
        overview(r, v);
        scarce_report_section(r, "Learning");
        draw_learning(r, v);
        draw_times(r, v);
        if (scarce_model_reasons(v->model) == SCARCE_REASONS_RULE) st = draw_rules(r, v->model, err);
        else {
            scarce_report_section(r, "Importances");
            st = draw_importances(r, v, ctx, err);
        }
    }
    if (st == SCARCE_OK && v->valid) st = draw_valid(r, v, ctx, err);
    if (st == SCARCE_OK) settings(r, v);
    if (st == SCARCE_OK) st = scarce_report_write(r, path, err);
    scarce_report_free(r);
    return st;
}
