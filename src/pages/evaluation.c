/* SPDX-License-Identifier: Apache-2.0 */
/* The page of an evaluation: what the metrics mean, drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/text.h"
#include "pages/pages.h"

enum { CURVE_POINTS = 600, GRID = 81, K_GRID = 61, REPORT_REPLICATES = 200 };

typedef struct page {
    scarce_report *r;
    const scarce_evaluation_view *v;
    const scarce_scored *rows;
    const scarce_metrics *m;
    scarce_metrics_interval *interval; /* of every metric; value NaN where there is none */
    size_t replicates;
    double card_ceiling, seen; /* card precision of a list that knows the truth; share of rows trained on */
    scarce_context *ctx;
    scarce_error *err;
} page;

/* What a million rows can afford, when the user didn't say. */
static size_t replicates_for(const scarce_evaluation_view *v)
{
    const size_t n = v->rows->n, few = n ? 40000000 / n : REPORT_REPLICATES;
    if (v->replicates) return v->replicates;
    return few < 20 ? 20 : few < REPORT_REPLICATES ? few : REPORT_REPLICATES;
}

static scarce_status find_intervals(page *p)
{
    scarce_bootstrap_options bo = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    const size_t n = scarce_metric_count();
    size_t *number = scarce__malloc_array(n, sizeof *number);
    scarce_status st;

    p->interval = scarce__malloc(n * sizeof *p->interval);
    if (!number || !p->interval) {
        scarce__free(number);
        return scarce__fail_memory(p->err, "a page", 0);
    }
    for (size_t i = 0; i < n; ++i) number[i] = i;
    bo.replicates = p->replicates;
    st = scarce_metrics_bootstrap(p->interval, number, n, p->rows, p->v->options, &bo, p->ctx, p->err);
    scarce__free(number);
    return st;
}

/* ---- overview */

static void tile(page *p, const char *metric, const char *name)
{
    const size_t i = scarce_metric_find(metric);
    const double value = scarce_metric_value(p->m, i);
    char detail[96];

    if (isnan(value)) return;
    if (!isnan(p->interval[i].lo) && p->interval[i].lo != p->interval[i].hi)
        scarce__print(detail, sizeof detail,
                      p->interval[i].hi >= 1000 ? "95 %%: %.0f to %.0f" : "95 %%: %.3g to %.3g",
                      p->interval[i].lo, p->interval[i].hi);
    else detail[0] = '\0';
    scarce_report_tile_number(p->r, name, value, 4, detail[0] ? detail : NULL);
}

static void overview(page *p)
{
    const scarce_metrics *m = p->m;
    char detail[64], name[64];

    scarce_report_section(p->r, "Overview");
    scarce__print(detail, sizeof detail, "%.3g %% of %.0f rows", 100 * m->positives / m->rows, m->rows);
    scarce_report_tile_number(p->r, "positives", m->positives, 4, detail);
    tile(p, "ap", "average precision");
    tile(p, "auc_roc", "area under ROC");
    scarce__print(name, sizeof name, "precision in the top %.0f", m->k);
    tile(p, "precision_at_k", name);
    scarce__print(name, sizeof name, "recall in the top %.0f", m->k);
    tile(p, "recall_at_k", name);
    tile(p, "f1_best", "best F1");
    scarce__print(name, sizeof name, "card precision at %.0f", p->v->options->card_k);
    if (!isnan(p->card_ceiling)) {
        scarce__print(detail, sizeof detail, "at most %.3g is possible", p->card_ceiling);
        scarce_report_tile_number(p->r, name, m->card_precision_at_k, 4, detail);
    }
    tile(p, "cost", "cost at the threshold");
    if (p->rows->amount) {
        scarce__print(name, sizeof name, "recovered in the top %.0f", m->k);
        tile(p, "amount_recovered_at_k", name);
    }
    tile(p, "brier", "Brier score");
}

static void findings(page *p)
{
    const scarce_metrics *m = p->m;
    char text[300];
    size_t i = scarce_metric_find("ap");

    if (!(m->positives > 0 && m->positives < m->rows)) {
        scarce_report_finding(p->r, SCARCE_SEVERITY_BAD,
                              m->positives > 0 ? "All rows are positive." : "There are no positives.",
                              "No ranking can be judged on these rows; take a longer period or more rows.");
        return;
    }
    if (m->positives < 50) {
        scarce__print(text, sizeof text, "Only %.0f positives: every figure here can be off by a lot.",
                      m->positives);
        scarce_report_finding(
            p->r, SCARCE_SEVERITY_WARN, text,
            "Look at the intervals, not at the figures; judge on more positives if you can.");
    }
    if (p->seen >= 0.5) {
        scarce__print(text, sizeof text, "The model was trained on about %.0f %% of these rows.",
                      100 * p->seen);
        scarce_report_finding(p->r, SCARCE_SEVERITY_BAD, text,
                              "The figures say nothing about new rows: judge on rows it has not seen.");
    }
    if (m->auc_roc < 0.5)
        scarce_report_finding(p->r, SCARCE_SEVERITY_BAD, "The ranking is worse than chance.",
                              "Is the label the right way round, and a higher score more suspicious?");
    else if (p->interval[i].lo <= m->positives / m->rows)
        scarce_report_finding(p->r, SCARCE_SEVERITY_WARN,
                              "The average precision can't be told from that of a random order.", NULL);
    if (fabs(m->bias) > 0.2 * m->positives / m->rows) {
        scarce__print(text, sizeof text,
                      "The probabilities are off: their mean is %.3g, the share of positives %.3g.",
                      m->bias + m->positives / m->rows, m->positives / m->rows);
        scarce_report_finding(
            p->r, SCARCE_SEVERITY_WARN, text,
            "Calibrate on recent validation rows: --calibrate platt or isotonic when training.");
    }
}

/* ---- ranking */

static void even_grid(double *x, size_t n, double power)
{
    for (size_t i = 0; i < n; ++i) x[i] = scarce__pow((double)i / (double)(n - 1), power);
}

/* 1 ... rows, evenly on a log scale; returns how many different numbers. */
static size_t k_grid(double *k, size_t n, double rows)
{
    size_t used = 0;
    for (size_t i = 0; i < n; ++i) {
        const double at = floor(scarce__pow(rows, (double)i / (double)(n - 1)) + 0.5);
        if (used == 0 || at > k[used - 1]) k[used++] = at;
    }
    return used;
}

typedef struct grids {
    double recall[GRID], pr_lo[GRID], pr_hi[GRID];
    double fpr[GRID], roc_lo[GRID], roc_hi[GRID];
    double k[K_GRID], precision[K_GRID], found[K_GRID];
    double precision_lo[K_GRID], precision_hi[K_GRID], found_lo[K_GRID], found_hi[K_GRID];
    size_t n_k;
} grids;

static scarce_status fill_grids(grids *g, page *p)
{
    scarce_bootstrap_options bo = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    scarce_status st;

    for (size_t i = 0; i < GRID; ++i) g->recall[i] = (double)(i + 1) / GRID;
    even_grid(g->fpr, GRID, 2);
    g->n_k = k_grid(g->k, K_GRID, (double)p->rows->n);
    st = scarce_metrics_at_k(g->precision, g->found, NULL, p->rows, g->k, g->n_k, p->ctx, p->err);
    if (st == SCARCE_OK) {
        const scarce_curve_band bands[] = {
            {SCARCE_BAND_PR, GRID, g->recall, g->pr_lo, g->pr_hi},
            {SCARCE_BAND_ROC, GRID, g->fpr, g->roc_lo, g->roc_hi},
            {SCARCE_BAND_PRECISION_AT_K, g->n_k, g->k, g->precision_lo, g->precision_hi},
            {SCARCE_BAND_RECALL_AT_K, g->n_k, g->k, g->found_lo, g->found_hi}};
        bo.replicates = p->replicates;
        st = scarce_curve_bands(bands, 4, p->rows, &bo, p->ctx, p->err);
    }
    return st;
}

static scarce_chart *chart(page *p, const char *title, const char *note, const char *x, const char *y)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    o.title = title;
    o.note = note;
    o.x_label = x;
    o.y_label = y;
    o.y_lo = 0;
    o.y_hi = 1;
    o.x_lo = 0;
    o.x_hi = 1;
    return scarce_report_chart(p->r, &o);
}

/* The same curve from the side of the threshold. */
static void draw_thresholds(page *p, const scarce_curve *curve)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;

    o.title = "Every threshold";
    o.note = "What alerting from this score on would give.";
    o.x_label = "threshold of the score";
    o.y_lo = 0;
    o.y_hi = 1;
    c = scarce_report_chart(p->r, &o);
    scarce_chart_line(c, "precision", curve->threshold, curve->y, curve->n);
    scarce_chart_line(c, "recall", curve->threshold, curve->x, curve->n);
    if (p->v->options->threshold_on == SCARCE_THRESHOLD_ON_SCORE)
        scarce_chart_mark(c, "threshold now", p->m->threshold);
}

static scarce_status draw_curves(page *p, const grids *g)
{
    const double diagonal[] = {0, 1};
    scarce_curve curve;
    scarce_chart *c;
    scarce_status st = scarce_curve_pr(&curve, p->rows, CURVE_POINTS, p->ctx, p->err);

    if (st != SCARCE_OK) return st;
    c = chart(p, "Precision and recall", "Right and up is better: few false alarms, few misses.", "recall",
              "precision");
    scarce_chart_band(c, "ranking", g->recall, g->pr_lo, g->pr_hi, GRID);
    scarce_chart_line(c, "ranking", curve.x, curve.y, curve.n);
    scarce_chart_level(c, "by chance", p->m->positives / p->m->rows);
    draw_thresholds(p, &curve);
    scarce_curve_deinit(&curve);
    st = scarce_curve_roc(&curve, p->rows, CURVE_POINTS, p->ctx, p->err);
    if (st != SCARCE_OK) return st;
    c = chart(p, "ROC", "Left and up is better. With rare positives it flatters: look at precision too.",
              "false positive rate", "true positive rate");
    scarce_chart_band(c, "ranking", g->fpr, g->roc_lo, g->roc_hi, GRID);
    scarce_chart_line(c, "ranking", curve.x, curve.y, curve.n);
    scarce_chart_line(c, NULL, diagonal, diagonal, 2);
    scarce_curve_deinit(&curve);
    return SCARCE_OK;
}

static void draw_at_k(page *p, const grids *g)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;

    o.title = "Precision and recall in the top k";
    o.note = "How many of the rows checked are positive, and how many of the positives are found.";
    o.x_label = "k: rows checked";
    o.x_axis = SCARCE_AXIS_LOG;
    o.y_lo = 0;
    o.y_hi = 1;
    c = scarce_report_chart(p->r, &o);
    scarce_chart_band(c, "precision", g->k, g->precision_lo, g->precision_hi, g->n_k);
    scarce_chart_band(c, "recall", g->k, g->found_lo, g->found_hi, g->n_k);
    scarce_chart_line(c, "precision", g->k, g->precision, g->n_k);
    scarce_chart_line(c, "recall", g->k, g->found, g->n_k);
    scarce_chart_mark(c, "k", p->m->k);
}

static scarce_status ranking(page *p)
{
    grids *g = scarce__malloc(sizeof *g);
    scarce_status st = g ? fill_grids(g, p) : scarce__fail_memory(p->err, "a page", 0);

    if (st == SCARCE_OK) {
        char text[160];
        scarce_report_section(p->r, "Ranking");
        st = draw_curves(p, g);
        if (st == SCARCE_OK) draw_at_k(p, g);
        scarce__print(text, sizeof text, "Bands hold 95 %% of %zu bootstrap replicates, drawn by %s.",
                      p->replicates, p->rows->group ? "group" : "class");
        if (st == SCARCE_OK) st = scarce__pages_scores(p->r, p->v, p->ctx, p->err);
        if (st == SCARCE_OK) scarce_report_note(p->r, text);
    }
    scarce__free(g);
    return st;
}

/* ---- the rest */

static void metric_table(page *p)
{
    static const char *const columns[] = {"metric", "value", "95 % from", "to", ""};
    scarce_report_section(p->r, "All metrics");
    scarce_report_table(p->r, NULL, columns, "lrrrl", 5);
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        const double value = scarce_metric_value(p->m, i);
        if (isnan(value)) continue;
        scarce_report_cell(p->r, scarce_metric_name(i));
        scarce_report_cell_number(p->r, value, 6);
        if (scarce_metric_direction(i) != 0 && !isnan(p->interval[i].lo)) {
            scarce_report_cell_number(p->r, p->interval[i].lo, 4);
            scarce_report_cell_number(p->r, p->interval[i].hi, 4);
        } else {
            scarce_report_cell(p->r, "");
            scarce_report_cell(p->r, "");
        }
        scarce_report_cell(p->r, scarce_metric_help(i));
    }
}

static void settings(page *p)
{
    const scarce_metrics_options *o = p->v->options;
    scarce_report_section(p->r, "Settings and data");
    if (p->v->scores_name) scarce_report_fact(p->r, "scores", p->v->scores_name);
    if (p->v->model_name) scarce_report_fact(p->r, "model", p->v->model_name);
    if (p->v->table) scarce__pages_data(p->r, "rows", p->v->table);
    scarce_report_fact_number(p->r, "threshold", p->m->threshold, 6);
    scarce_report_fact_number(p->r, "k", p->m->k, 6);
    if (!isnan(o->cost)) scarce_report_fact_number(p->r, "cost of a check", o->cost, 6);
    scarce_report_fact_number(p->r, "seed", (double)scarce_context_seed(p->ctx), 17);
    scarce_report_fact_number(p->r, "bootstrap replicates", (double)p->replicates, 6);
    if (p->v->model) {
        scarce_report_section(p->r, "Model");
        scarce__pages_model(p->r, p->v->model);
    }
}

/* What is no metric: the best card precision there could be, and whether the rows are new to the model. */
static scarce_status find_more(page *p)
{
    scarce_status st = SCARCE_OK;

    p->card_ceiling = p->seen = (double)NAN;
    if (!isnan(p->m->card_precision_at_k))
        st = scarce_card_ceiling(&p->card_ceiling, p->rows, p->v->options, p->ctx, p->err);
    if (st == SCARCE_OK && p->v->model && p->v->table)
        st = scarce_model_seen(&p->seen, p->v->model, p->v->table, p->err);
    return st;
}

static scarce_status fill(page *p)
{
    scarce_status st = find_intervals(p);

    if (st == SCARCE_OK) st = find_more(p);
    if (st != SCARCE_OK) return st;
    overview(p);
    findings(p);
    if (p->m->positives > 0 && p->m->positives < p->m->rows) {
        st = ranking(p);
        if (st == SCARCE_OK) st = scarce__pages_money(p->r, p->v, p->ctx, p->err);
    }
    if (st == SCARCE_OK) st = scarce__pages_alerts(p->r, p->v, p->ctx, p->err);
    if (st == SCARCE_OK) metric_table(p);
    if (st == SCARCE_OK) settings(p);
    return st;
}

scarce_status scarce_page_evaluation(scarce_report *report, const scarce_evaluation_view *view,
                                     scarce_context *ctx, scarce_error *err)
{
    const scarce_metrics_options defaults = SCARCE_METRICS_OPTIONS_INIT;
    scarce_evaluation_view v = SCARCE_EVALUATION_VIEW_INIT;
    page p;
    scarce_status st = SCARCE__OPTIONS(&v, view, SCARCE_EVALUATION_VIEW_INIT, err);

    if (st != SCARCE_OK) return st;
    if (!v.rows || !v.metrics || !v.rows->label)
        return scarce__fail(err, SCARCE_EINVAL,
                            "a page of an evaluation needs rows with labels, and metrics");
    if (!v.options) v.options = &defaults;
    memset(&p, 0, sizeof p);
    p.r = report, p.v = &v, p.rows = v.rows, p.m = v.metrics, p.ctx = ctx, p.err = err;
    p.replicates = replicates_for(&v);
    st = fill(&p);
    scarce__free(p.interval);
    return st;
}
