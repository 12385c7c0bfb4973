/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a comparison: who is better, by how much, and is it real. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/text.h"
#include "pages/pages.h"

typedef struct page {
    scarce_report *r;
    const scarce_comparison_view *v;
    const scarce_compare *c;
    size_t methods, folds;
    const char **name; /* of the contestants */
    double *room;      /* 3 * (methods + folds) numbers */
    scarce_context *ctx;
    scarce_error *err;
} page;

/* ---- verdicts */

static size_t best_of(const page *p, scarce_status *st)
{
    const int sign = scarce_metric_direction(p->v->verdicts->metric) < 0 ? -1 : 1;
    double best_mean = (double)NAN;
    size_t best = 0;
    for (size_t m = 0; m < p->methods && *st == SCARCE_OK; ++m) {
        scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
        *st = scarce_compare_summarize(&s, p->c, m, p->v->verdicts->metric, p->ctx, p->err);
        if (*st == SCARCE_OK && s.n && !(sign * s.mean <= sign * best_mean)) {
            best_mean = s.mean;
            best = m;
        }
    }
    return best;
}

/* A sentence for each pair with the best in it. */
static scarce_status tell_pairs(page *p)
{
    const scarce_verdicts *v = p->v->verdicts;
    scarce_status st = SCARCE_OK;
    const size_t best = best_of(p, &st);

    for (size_t i = 0; st == SCARCE_OK && i < v->n_pairs; ++i) {
        const scarce_verdict *w = v->pairs[i];
        const size_t other = w->a == best ? w->b : w->a;
        const double sign = w->a == best ? 1 : -1;
        char text[400], verdict_text[160];
        int real;
        if (w->a != best && w->b != best) continue;
        scarce_verdict_text(verdict_text, sizeof verdict_text, w);
        real = strcmp(verdict_text, "real") == 0;
        scarce__print(text, sizeof text, "%.100s against %.100s: %s %+.4f (%+.4f to %+.4f).", p->name[best],
                      p->name[other], scarce_metric_name(v->metric), sign * w->pair.difference,
                      sign > 0 ? w->pair.lo : -w->pair.hi, sign > 0 ? w->pair.hi : -w->pair.lo);
        scarce_report_finding(p->r, real ? SCARCE_SEVERITY_GOOD : SCARCE_SEVERITY_NOTE, text,
                              real ? "The difference is real." : verdict_text);
    }
    return st;
}

static void tell_problems(page *p)
{
    size_t n = 0;
    char text[120];
    for (size_t f = 0; f < p->folds; ++f) n += scarce_compare_problem(p->c, f) != NULL;
    if (n == 0) return;
    scarce__print(text, sizeof text, "%zu of %zu folds have no figures, because a class is missing.", n,
                  p->folds);
    scarce_report_finding(p->r, SCARCE_SEVERITY_WARN, text,
                          "They are left out of the means; longer test parts would have positives.");
}

static scarce_status overview(page *p)
{
    const scarce_verdicts *v = p->v->verdicts;
    char detail[64];
    scarce_status st = SCARCE_OK;
    const size_t best = best_of(p, &st);
    scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;

    if (st == SCARCE_OK) st = scarce_compare_summarize(&s, p->c, best, v->metric, p->ctx, p->err);
    if (st != SCARCE_OK) return st;
    scarce_report_section(p->r, "Verdict");
    scarce_report_tile(p->r, "best mean", p->name[best], NULL);
    scarce__print(detail, sizeof detail, "95 %%: %.3g to %.3g", s.lo, s.hi);
    scarce_report_tile_number(p->r, scarce_metric_name(v->metric), s.mean, 4, isnan(s.lo) ? NULL : detail);
    scarce_report_tile_number(p->r, "contestants", (double)p->methods, 4, NULL);
    scarce_report_tile_number(p->r, "folds", (double)p->folds, 4, NULL);
    if (v->n_pairs)
        scarce_report_tile_number(p->r, "positives tested", (double)v->pairs[0]->pair.positives, 4, NULL);
    if (p->methods > 2 && !isnan(v->friedman.p))
        scarce_report_tile_number(p->r, "Friedman's p", v->friedman.p, 3, "all of them alike?");
    st = tell_pairs(p);
    tell_problems(p);
    return st;
}

/* ---- charts */

static scarce_status draw_intervals(page *p, size_t metric)
{
    double *mean = p->room, *lo = mean + p->methods, *hi = lo + p->methods;
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;

    for (size_t m = 0; m < p->methods; ++m) {
        scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
        const scarce_status st = scarce_compare_summarize(&s, p->c, m, metric, p->ctx, p->err);
        if (st != SCARCE_OK) return st;
        mean[m] = s.mean;
        lo[m] = isnan(s.lo) ? s.mean : s.lo;
        hi[m] = isnan(s.hi) ? s.mean : s.hi;
    }
    o.title = scarce_metric_name(metric);
    o.note = scarce_metric_help(metric);
    o.digits = 3;
    scarce_chart_dots(scarce_report_chart(p->r, &o), scarce_metric_name(metric), p->name, mean, lo, hi,
                      p->methods);
    return SCARCE_OK;
}

/* Of one contestant, by fold: the judged metric. */
static void fold_values(const page *p, size_t m, double *x, double *y)
{
    for (size_t f = 0; f < p->folds; ++f) {
        x[f] = (double)(f + 1);
        y[f] = scarce_metric_value(scarce_compare_metrics(p->c, m, f), p->v->verdicts->metric);
    }
}

static void draw_folds(page *p)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *x = p->room, *y = x + p->folds;
    scarce_chart *c;

    if (p->folds < 2) return;
    o.title = "Fold by fold";
    o.note = "Lines that cross are a matter of luck; lines that keep their order are not.";
    o.x_label = "fold";
    o.y_label = scarce_metric_name(p->v->verdicts->metric);
    o.wide = 1;
    c = scarce_report_chart(p->r, &o);
    for (size_t m = 0; m < p->methods; ++m) {
        fold_values(p, m, x, y);
        scarce_chart_line(c, p->name[m], x, y, p->folds);
        if (p->folds <= 60) scarce_chart_points(c, p->name[m], x, y, p->folds);
    }
}

/* All values at a glance, which many lines don't give. */
static scarce_status draw_heat(page *p)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *value = scarce__malloc_array(p->methods * p->folds, sizeof *value), *x = p->room;
    const char **column = scarce__malloc_array(p->folds, sizeof *column);
    char(*text)[24] = scarce__malloc_array(p->folds, sizeof *text);
    scarce_status st = SCARCE_OK;

    if (!value || !column || !text) st = scarce__fail_memory(p->err, "a page", 0);
    for (size_t f = 0; st == SCARCE_OK && f < p->folds; ++f) {
        scarce__print(text[f], sizeof text[f], "%zu", f + 1);
        column[f] = text[f];
    }
    for (size_t m = 0; st == SCARCE_OK && m < p->methods; ++m) fold_values(p, m, x, value + m * p->folds);
    if (st == SCARCE_OK) {
        o.title = "Every value";
        o.note = "A stronger colour is higher; an empty cell is a fold without figures.";
        o.x_label = "fold";
        o.wide = p->folds > 12;
        scarce_chart_heat(scarce_report_chart(p->r, &o), p->name, p->methods, column, p->folds, value,
                          (double)NAN, (double)NAN);
    }
    scarce__free(value);
    scarce__free((void *)column);
    scarce__free(text);
    return st;
}

static void draw_ranks(page *p)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *seconds = p->room;
    size_t timed = 0;

    o.title = "Average rank";
    o.note = "1 would be best on every fold.";
    o.digits = 3;
    scarce_chart_bars(scarce_report_chart(p->r, &o), "rank", p->name, p->v->verdicts->rank, NULL, NULL,
                      p->methods);
    for (size_t m = 0; m < p->methods; ++m) {
        seconds[m] = scarce_compare_mean_seconds(p->c, m);
        timed += !isnan(seconds[m]) ? 1u : 0u;
    }
    if (timed == 0) return;
    o.title = "Seconds per fold";
    o.note = "Of tuning and training, with other folds running beside it.";
    scarce_chart_bars(scarce_report_chart(p->r, &o), "seconds", p->name, seconds, NULL, NULL, p->methods);
}

static void draw_positives(page *p)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *x = p->room, *test = x + p->folds + 1;
    scarce_chart *c;

    if (p->folds < 2) return;
    for (size_t f = 0; f <= p->folds; ++f) {
        size_t train_rows, train_positives, test_rows, positives = 0;
        x[f] = (double)f + 0.5;
        if (f == p->folds) break;
        scarce_compare_fold(p->c, f, &train_rows, &train_positives, &test_rows, &positives);
        test[f] = (double)positives;
    }
    o.title = "Positives to find";
    o.note = "A fold with few of them says little.";
    o.x_label = "fold";
    o.y_label = "positives in the test part";
    c = scarce_report_chart(p->r, &o);
    scarce_chart_histogram(c, "positives", x, test, p->folds);
}

/* ---- tables */

/* When the folds of a protocol by time train and test. */
static void fold_dates(page *p)
{
    enum { MOST = 100 };
    static const char *const columns[] = {"fold",         "trains",   "tests", "rows to train on",
                                          "rows to test", "positives"};

    if (p->folds == 0 || isnan(scarce_compare_times(p->c, 0).train_from)) return;
    scarce_report_table(p->r, p->folds > MOST ? "The first 100 folds" : NULL, columns, "rllrrr", 6);
    for (size_t f = 0; f < p->folds && f < MOST; ++f) {
        const scarce_fold_times t = scarce_compare_times(p->c, f);
        size_t train_rows, train_positives, test_rows, positives;
        char text[80];
        scarce_compare_fold(p->c, f, &train_rows, &train_positives, &test_rows, &positives);
        scarce_report_cell_number(p->r, (double)f + 1, 17);
        scarce_time_span(text, sizeof text, t.train_from, t.train_end);
        scarce_report_cell(p->r, text);
        scarce_time_span(text, sizeof text, t.test_from, t.test_end);
        scarce_report_cell(p->r, text);
        scarce_report_cell_number(p->r, (double)train_rows, 17);
        scarce_report_cell_number(p->r, (double)test_rows, 17);
        scarce_report_cell_number(p->r, (double)positives, 17);
    }
}

static void significance(page *p)
{
    static const char *const columns[] = {"a",  "b",          "a - b",         "95 % from",
                                          "to", "p Wilcoxon", "p shared rows", "verdict"};
    const scarce_verdicts *v = p->v->verdicts;
    char text[300];

    if (v->n_pairs == 0) return;
    scarce_report_section(p->r, "Significance");
    scarce__print(
        text, sizeof text,
        "Differences in %s, fold by fold. The first p is of Wilcoxon's signed-rank test, the second of a t "
        "test that allows for folds that share rows; both after Holm's correction over all pairs.",
        scarce_metric_name(v->metric));
    scarce_report_paragraph(p->r, text);
    scarce_report_table(p->r, NULL, columns, "llrrrrrl", 8);
    for (size_t i = 0; i < v->n_pairs; ++i) {
        const scarce_verdict *w = v->pairs[i];
        scarce_verdict_text(text, sizeof text, w);
        scarce_report_cell(p->r, p->name[w->a]);
        scarce_report_cell(p->r, p->name[w->b]);
        scarce_report_cell_number(p->r, w->pair.difference, 4);
        scarce_report_cell_number(p->r, w->pair.lo, 4);
        scarce_report_cell_number(p->r, w->pair.hi, 4);
        scarce_report_cell_number(p->r, w->holm, 3);
        scarce_report_cell_number(p->r, w->holm_corrected, 3);
        scarce_report_cell(p->r, text);
    }
}

static void settings(page *p)
{
    const scarce_comparison_view *v = p->v;
    scarce_report_section(p->r, "Settings and data");
    if (v->options) {
        scarce_report_fact(p->r, "protocol",
                           v->options->protocol ? v->options->protocol : SCARCE_DEFAULT_PROTOCOL);
        scarce_report_fact_number(p->r, "repeats", (double)v->options->repeats, 17);
        scarce_report_fact_number(p->r, "tuning trials", (double)v->options->tune, 17);
    }
    scarce_report_fact_number(p->r, "seed", (double)scarce_context_seed(p->ctx), 17);
    for (size_t m = 0; m < p->methods; ++m) scarce_report_fact(p->r, "contestant", p->name[m]);
    if (v->table) scarce__pages_data(p->r, "rows", v->table);
}

static scarce_status fill(page *p)
{
    scarce_status st = overview(p);

    if (st != SCARCE_OK) return st;
    scarce_report_section(p->r, "Contestants");
    for (size_t i = 0; st == SCARCE_OK && i < p->v->n_metrics; ++i) st = draw_intervals(p, p->v->metrics[i]);
    if (st != SCARCE_OK) return st;
    if (p->methods > 1) draw_ranks(p);
    scarce_report_note(p->r,
                       "Dots are means over the folds, whiskers hold 95 % of bootstrap replicates of them.");
    scarce_report_section(p->r, "Folds");
    draw_folds(p);
    if (p->folds > 1) st = draw_heat(p);
    draw_positives(p);
    fold_dates(p);
    if (st != SCARCE_OK) return st;
    significance(p);
    settings(p);
    return SCARCE_OK;
}

scarce_status scarce_page_comparison(scarce_report *report, const scarce_comparison_view *view,
                                     scarce_context *ctx, scarce_error *err)
{
    scarce_comparison_view v = SCARCE_COMPARISON_VIEW_INIT;
    page p;
    scarce_status st = SCARCE__OPTIONS(&v, view, SCARCE_COMPARISON_VIEW_INIT, err);

    if (st != SCARCE_OK) return st;
    if (!v.compare || !v.verdicts)
        return scarce__fail(err, SCARCE_EINVAL, "a page of a comparison needs it, and its verdicts");
    if (!v.metrics) v.metrics = &v.verdicts->metric, v.n_metrics = 1;
    memset(&p, 0, sizeof p);
    p.r = report, p.v = &v, p.c = v.compare, p.ctx = ctx, p.err = err;
    p.methods = scarce_compare_methods(v.compare);
    p.folds = scarce_compare_folds(v.compare);
    p.name = scarce__malloc_array(p.methods, sizeof *p.name);
    p.room = scarce__malloc_array(3 * (p.methods + p.folds + 1), sizeof *p.room);
    st = p.name && p.room ? SCARCE_OK : scarce__fail_memory(err, "a page", 0);
    if (st == SCARCE_OK) {
        for (size_t m = 0; m < p.methods; ++m) p.name[m] = scarce_compare_name(v.compare, m);
        st = fill(&p);
    }
    scarce__free((void *)p.name);
    scarce__free(p.room);
    return st;
}
