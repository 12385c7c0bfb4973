/* SPDX-License-Identifier: Apache-2.0 */
/* scarce train --report: the learning curve, what the model lives on, how it does on the validation rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* ---- learning curve: kept from the notes of the progress ("valid ap 0.3412") */

void learning_note(void *payload, const scarce_progress *p)
{
    learning_curve *c = payload;
    const char *value = p->note ? strrchr(p->note, ' ') : NULL;
    double number;
    char *end;

    if (!value || strncmp(p->note, "valid ", 6) != 0) return;
    number = strtod(value, &end);
    if (end == value || *end) return;
    if (c->n && p->done <= c->x[c->n - 1]) c->n = 0; /* another run of the method: the last one counts */
    if (c->n == c->capacity) {
        const size_t capacity = c->capacity ? 2 * c->capacity : 256;
        double *x = realloc(c->x, capacity * sizeof *x), *y = x ? realloc(c->y, capacity * sizeof *y) : NULL;
        if (x) c->x = x;
        if (y) c->y = y;
        if (!x || !y) return; /* a curve with a hole is better than no training */
        c->capacity = capacity;
    }
    c->x[c->n] = p->done;
    c->y[c->n++] = number;
}

void forget_learning(learning_curve *c)
{
    free(c->x);
    free(c->y);
    memset(c, 0, sizeof *c);
}

static void draw_learning(scarce_report *r, const train_view *v)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;

    if (v->learning->n < 2) return;
    o.title = "Learning curve";
    o.note = v->summary->best_iteration != v->summary->iterations
                 ? "On the validation rows. What comes after the mark is not kept."
                 : "On the validation rows. The end was the best.";
    o.x_label = "iterations";
    o.y_label = v->metric;
    c = scarce_report_chart(r, &o);
    scarce_chart_line(c, v->metric, v->learning->x, v->learning->y, v->learning->n);
    if (v->summary->best_iteration && v->summary->best_iteration != v->summary->iterations)
        scarce_chart_mark(c, "kept", (double)v->summary->best_iteration);
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

static scarce_status draw_valid(scarce_report *r, const train_view *v, scarce_context *ctx, scarce_error *err)
{
    scarce_metrics_options mo = SCARCE_METRICS_OPTIONS_INIT;
    scored_data s;
    eval_view e = {&s, NULL, NULL, v->metrics, &mo, 0};
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
        scarce_report_section(r, "Importances");
        st = draw_importances(r, v, ctx, err);
    }
    if (st == SCARCE_OK && v->valid) st = draw_valid(r, v, ctx, err);
    if (st == SCARCE_OK) settings(r, v);
    if (st == SCARCE_OK) st = scarce_report_write(r, path, err);
    scarce_report_free(r);
    return st;
}
