/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a training: the learning curve, what the model relies on, how it does on the validation rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/options.h"
#include "core/text.h"
#include "pages/pages.h"

/* ---- learning curve */

/* The iterations that were looked at, and what was seen there. Returns how many; 0 also without memory. */
static size_t points_of(double **x, double **y, const scarce_train_summary *s)
{
    size_t n = 0;
    *x = scarce__malloc_array(s->n_curve + 1, sizeof **x);
    *y = scarce__malloc_array(s->n_curve + 1, sizeof **y);
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
static void curve_note(char *note, size_t size, const scarce_training_view *v, double peak, double best,
                       double end)
{
    const scarce_train_summary *s = v->summary;
    if (s->best_iteration != s->iterations)
        scarce__print(note, size, "On the validation rows. What comes after the mark is not kept.");
    else if ((size_t)peak == s->iterations)
        scarce__print(note, size, "On the validation rows. The end was the best.");
    else
        scarce__print(
            note, size,
            "On the validation rows. It was best after %.0f iterations (%.4f), and is %.4f at the end, "
            "which is what the model keeps: early stopping would have stopped near the best.",
            peak, best, end);
}

static void draw_learning(scarce_report *r, const scarce_training_view *v)
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
    scarce__free(x);
    scarce__free(y);
}

static void draw_times(scarce_report *r, const scarce_training_view *v)
{
    static const char *const label[] = {"reading", "preparing", "training", "the rest"};
    const scarce_train_summary *s = v->summary;
    const double load = isnan(v->seconds_load) ? 0 : v->seconds_load,
                 rest = v->seconds_total - load - s->seconds_prepare - s->seconds_train;
    const double value[] = {load, s->seconds_prepare, s->seconds_train, isnan(rest) ? 0 : fmax(0, rest)};
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;

    o.title = "Seconds";
    o.note = "The rest: calibration, threshold, judging and writing the model.";
    o.digits = 3;
    scarce_chart_bars(scarce_report_chart(r, &o), "seconds", label, value, NULL, NULL, 4);
}

static scarce_status draw_importances(scarce_report *r, const scarce_training_view *v, scarce_context *ctx,
                                      scarce_error *err)
{
    const scarce_table *rows = v->valid ? v->valid : v->table;
    scarce_explainer *e = NULL;
    scarce_status st = SCARCE_OK;

    if (rows) st = scarce_explainer_new(&e, v->model, NULL, err);
    if (st == SCARCE_EUNSUPPORTED) return SCARCE_OK; /* no sum of features */
    if (st == SCARCE_OK) st = scarce__pages_importances(r, v->model, e, rows, ctx, err);
    scarce_explainer_free(e);
    return st;
}

enum { MOST_REPRESENTATIONS = 60 };

static void draw_matrix(scarce_report *r, const char *const *name, size_t n, const double *correlation,
                        double *size)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;

    for (size_t i = 0; i < n * n; ++i) size[i] = fabs(correlation[i]);
    o.title = "How alike representations are";
    o.note = "Absolute correlation of their weights over the trees. Pale is what makes them worth having: "
             "where all are "
             "dark, the model is a sum of trees in other words.";
    o.wide = n > 12;
    scarce_chart_heat(scarce_report_chart(r, &o), name, n, name, n, size, 0, 1);
}

/* Of non-linear boosting: what its representations matter, and how alike they are. */
static scarce_status draw_representations(scarce_report *r, const scarce_model *model, scarce_error *err)
{
    const size_t n = scarce_model_representations(model, NULL, NULL, NULL);
    const size_t shown = n < MOST_REPRESENTATIONS ? n : MOST_REPRESENTATIONS;
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *importance, *correlation;
    const char **name;
    char(*text)[24];

    if (n == 0) return SCARCE_OK;
    importance = scarce__malloc_array(n + 2 * n * n, sizeof *importance);
    name = scarce__malloc_array(n, sizeof *name);
    text = scarce__malloc_array(n, sizeof *text);
    if (importance && name && text) {
        correlation = importance + n;
        scarce_model_representations(model, NULL, importance, correlation);
        for (size_t i = 0; i < n; ++i) {
            scarce__print(text[i], sizeof text[i], "%zu", i + 1);
            name[i] = text[i];
        }
        scarce_report_section(r, "Representations");
        o.title = "What each adds to a score";
        o.note = "Mean over the validation rows, or over the training rows where there are none.";
        o.digits = 3;
        scarce_chart_columns(scarce_report_chart(r, &o), "mean |share of the score|", name, importance,
                             shown);
        for (size_t i = 0; i < shown; ++i) /* the first of them, where there are very many */
            memmove(correlation + i * shown, correlation + i * n, shown * sizeof *correlation);
        draw_matrix(r, name, shown, correlation, correlation + n * n);
    }
    const int failed = !importance || !name || !text;
    scarce__free(importance);
    scarce__free((void *)name);
    scarce__free(text);
    return failed ? scarce__fail_memory(err, "a page", 0) : SCARCE_OK;
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

/* The validation rows with their scores. */
typedef struct judged {
    double *score, *probability; /* probability: NULL where the model has none */
    scarce_scored rows;
    scarce_metrics_options options;
    scarce_metrics metrics;
} judged;

/* Scores v->valid, and where the caller has no metrics of it computes them; v->metrics is set then. */
static scarce_status judge(judged *j, scarce_training_view *v, scarce_context *ctx, scarce_error *err)
{
    const scarce_metrics none = SCARCE_METRICS_INIT;
    const scarce_metrics_options usual = SCARCE_METRICS_OPTIONS_INIT;
    const size_t n = scarce_table_rows(v->valid);
    scarce_scorer *scorer = NULL;
    scarce_status st;

    j->score = scarce__malloc_array(2 * n + 1, sizeof *j->score);
    if (!j->score) return scarce__fail_memory(err, "a page", (2 * n + 1) * sizeof *j->score);
    if (scarce_model_has_probability(v->model)) j->probability = j->score + n;
    st = scarce_scorer_new(&scorer, v->model, err);
    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, v->valid, j->score, j->score + n, ctx, err);
    scarce_scorer_free(scorer);
    j->rows = scarce_scored_of_table(v->valid, j->score, j->probability);
    j->options = usual;
    j->options.threshold = scarce_model_threshold(v->model);
    if (!isnan(j->options.threshold)) j->options.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
    if (st == SCARCE_OK && !v->metrics) {
        j->metrics = none;
        st = scarce_metrics_compute(&j->metrics, &j->rows, &j->options, ctx, err);
        v->metrics = &j->metrics;
    }
    return st;
}

static scarce_status draw_valid(scarce_report *r, const scarce_training_view *v, const judged *j,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_evaluation_view e = SCARCE_EVALUATION_VIEW_INIT;

    e.rows = &j->rows, e.metrics = v->metrics, e.options = &j->options;
    scarce_report_section(r, "Validation rows");
    scarce_report_paragraph(r, "These rows chose the iteration, the calibration and the threshold, so they "
                               "flatter: judge the model on later rows.");
    return scarce__pages_scores(r, &e, ctx, err);
}

static void tile_counts(scarce_report *r, double rows, double positives, double features)
{
    char detail[64];

    if (rows > 0) scarce_report_tile_number(r, "rows", rows, 17, NULL);
    scarce__print(detail, sizeof detail, "%.3g %%", 100 * positives / rows);
    if (positives > 0) scarce_report_tile_number(r, "positives", positives, 17, rows > 0 ? detail : NULL);
    scarce_report_tile_number(r, "features", features, 17, NULL);
}

/* A figure that the model remembers; 0 when it doesn't. */
static double noted(const scarce_model *model, const char *key)
{
    const char *text = scarce_model_note(model, key);
    double value = 0;
    return text && scarce__parse_double(text, strlen(text), &value) == 1 ? value : 0;
}

static void overview(scarce_report *r, const scarce_training_view *v)
{
    const scarce_train_summary *s = v->summary;
    const double features = (double)scarce_schema_features(scarce_model_schema(v->model));
    char detail[64];

    scarce_report_section(r, "Overview");
    scarce_report_tile(r, "method", scarce_model_method(v->model), NULL);
    if (s) tile_counts(r, (double)s->rows, (double)s->positives, (double)s->features);
    else tile_counts(r, noted(v->model, "rows"), noted(v->model, "positives"), features);
    if (s && s->iterations) {
        scarce__print(detail, sizeof detail, "of %zu tried", s->iterations);
        scarce_report_tile_number(r, "iterations kept", (double)s->best_iteration, 17, detail);
    }
    if (!v->metrics) return;
    scarce_report_tile_number(r, "average precision", v->metrics->ap, 4, "validation rows");
    scarce__print(detail, sizeof detail, "precision in the top %.0f", v->metrics->k);
    scarce_report_tile_number(r, detail, v->metrics->precision_at_k, 4, "validation rows");
    scarce_report_tile_number(r, "area under ROC", v->metrics->auc_roc, 4, "validation rows");
}

static void settings(scarce_report *r, const scarce_training_view *v)
{
    if (v->table) {
        scarce_report_section(r, "Settings and data");
        scarce__pages_data(r, "training rows", v->table);
    }
    if (v->valid) {
        scarce_report_section(r, "Validation data");
        scarce__pages_data(r, "rows", v->valid);
    }
    scarce_report_section(r, "Model");
    scarce__pages_model(r, v->model);
    scarce_report_fact_number(r, "threshold of the score", scarce_model_threshold(v->model), 6);
}

static scarce_status fill(scarce_report *r, const scarce_training_view *v, const judged *j,
                          scarce_context *ctx, scarce_error *err)
{
    scarce_status st;

    overview(r, v);
    if (v->summary) {
        scarce_report_section(r, "Learning");
        draw_learning(r, v);
        draw_times(r, v);
    }
    if (scarce_model_reasons(v->model) == SCARCE_REASONS_RULE) st = draw_rules(r, v->model, err);
    else st = draw_importances(r, v, ctx, err);
    if (st == SCARCE_OK) st = draw_representations(r, v->model, err);
    if (st == SCARCE_OK && v->valid) st = draw_valid(r, v, j, ctx, err);
    if (st == SCARCE_OK) settings(r, v);
    return st;
}

scarce_status scarce_page_training(scarce_report *report, const scarce_training_view *view,
                                   scarce_context *ctx, scarce_error *err)
{
    scarce_training_view v = SCARCE_TRAINING_VIEW_INIT;
    judged j;
    scarce_status st = SCARCE__OPTIONS(&v, view, SCARCE_TRAINING_VIEW_INIT, err);

    if (st != SCARCE_OK) return st;
    if (!v.model) return scarce__fail(err, SCARCE_EINVAL, "a page of a training needs a model");
    if (!v.metric) v.metric = "ap";
    memset(&j, 0, sizeof j);
    if (v.valid) st = judge(&j, &v, ctx, err);
    else v.metrics = NULL;
    if (st == SCARCE_OK) st = fill(report, &v, &j, ctx, err);
    scarce__free(j.score);
    return st;
}
