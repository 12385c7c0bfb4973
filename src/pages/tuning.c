/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a search for parameters: what to take, how sure that is, every setting that was tried. */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "pages/pages.h"

enum { MOST = 50 };

static const char *settings_of(const scarce_tune_result *t, size_t i)
{
    return t->trials[i]->settings && *t->trials[i]->settings ? t->trials[i]->settings : "(the default)";
}

static void verdict(scarce_report *r, const scarce_tune_result *t, const char *method, const char *metric)
{
    char text[400];

    scarce_report_section(r, "Verdict");
    scarce_report_tile(r, "method", method, NULL);
    scarce_report_tile_number(r, "settings tried", (double)t->n_trials, 15, NULL);
    scarce_report_tile_number(r, metric, t->trials[t->best]->value, 4, "of the setting to take");
    scarce_report_tile_number(r, "the default", t->trials[0]->value, 4, metric);
    if (t->best == 0)
        scarce_report_finding(r, SCARCE_SEVERITY_NOTE, "Nothing is clearly better than the default: keep it.",
                              "The best of many is mostly luck where positives are few.");
    else {
        scarce__print(text, sizeof text, "Take %.300s.", settings_of(t, t->best));
        scarce_report_finding(r, SCARCE_SEVERITY_GOOD, text,
                              "The best of many promises too much: judge it on rows that the search did not "
                              "see.");
    }
    if (!isnan(t->difference)) {
        scarce__print(text, sizeof text,
                      "The best value is %.4g from the default's, with a standard error of %.2g, on %zu "
                      "split%s.",
                      fabs(t->difference), t->error, t->splits, t->splits == 1 ? "" : "s");
        scarce_report_paragraph(r, text);
    }
    if (t->cancelled)
        scarce_report_finding(r, SCARCE_SEVERITY_WARN, "The search was stopped: this is the best so far.",
                              NULL);
}

/* The best value so far, by the seconds that it took. */
static void draw_search(scarce_report *r, const scarce_tune_result *t, const char *metric, double *x)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *y = x + t->n_trials;
    scarce_chart *c;
    size_t n = 0;

    for (size_t i = 0; i < t->n_trials; ++i) {
        if (isnan(t->trials[i]->value) || t->trials[i]->share < 1) continue;
        x[n] = t->trials[i]->finished;
        y[n++] = t->trials[i]->value;
    }
    if (n < 2) return;
    o.title = "The search";
    o.note = "Settings that were judged in full, by the time they were finished.";
    o.x_label = "seconds";
    o.y_label = metric;
    c = scarce_report_chart(r, &o);
    scarce_chart_points(c, "settings", x, y, n);
    scarce_chart_level(c, "the default", t->trials[0]->value);
}

typedef struct place {
    size_t trial;
    double share, value;
} place;

/* Judged in full first, then by value; NaN last; ties by number. */
static int better(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->share != b->share) return a->share > b->share ? -1 : 1;
    if (isnan(a->value) != isnan(b->value)) return isnan(a->value) ? 1 : -1;
    if (a->value != b->value && !isnan(a->value)) return a->value > b->value ? -1 : 1;
    return a->trial < b->trial ? -1 : a->trial > b->trial;
}

static void list(scarce_report *r, const scarce_tune_result *t, const char *metric, place *order)
{
    const char *const columns[] = {"settings", metric, "share of the effort", "iterations", "seconds"};
    const size_t n = t->n_trials < MOST ? t->n_trials : MOST;
    const double sign = scarce_metric_direction(scarce_metric_find(metric)) < 0 ? -1 : 1;

    for (size_t i = 0; i < t->n_trials; ++i)
        order[i] = (place){i, t->trials[i]->share, t->trials[i]->value * sign};
    qsort(order, t->n_trials, sizeof *order, better);
    scarce_report_section(r, "Settings");
    scarce_report_table(r, NULL, columns, "lrrrr", 5);
    for (size_t i = 0; i < n; ++i) {
        const scarce_tune_trial *trial = t->trials[order[i].trial];
        scarce_report_cell(r, settings_of(t, order[i].trial));
        scarce_report_cell_number(r, trial->value, 4);
        scarce_report_cell_number(r, trial->share, 3);
        scarce_report_cell_number(r, (double)trial->iterations, 15);
        scarce_report_cell_number(r, trial->seconds, 3);
    }
    if (n < t->n_trials) scarce_report_note(r, "the best 50");
}

scarce_status scarce_page_tuning(scarce_report *report, const scarce_tune_result *result, const char *method,
                                 const char *metric, scarce_error *err)
{
    place *order;
    double *room;

    if (result->n_trials == 0) return scarce__fail(err, SCARCE_EINVAL, "a page of a search without settings");
    if (!metric) metric = "ap";
    order = scarce__malloc_array(result->n_trials, sizeof *order);
    room = scarce__malloc_array(2 * result->n_trials, sizeof *room);
    if (order && room) {
        verdict(report, result, method, metric);
        draw_search(report, result, metric, room);
        list(report, result, metric, order);
    }
    scarce__free(room);
    scarce__free(order);
    return order && room ? SCARCE_OK : scarce__fail_memory(err, "a page", 0);
}
