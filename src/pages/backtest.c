/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a back-test: rules, their sums, limits, weeks, and the first rows that fired. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "pages/pages.h"

enum { SHOWN_ROWS = 20, MOST_LINES = 8 };

static const char *const sum_names[] = {"all rules", "those that block", "the model", "rules or model"};

static void percent(char out[64], double share)
{
    if (isnan(share)) scarce__print(out, 64, "n/a");
    else scarce__print(out, 64, "%.3g %%", 100 * share);
}

static void interval(char out[64], double lo, double hi)
{
    if (isnan(lo)) scarce__print(out, 64, "n/a");
    else scarce__print(out, 64, "%.3g to %.3g %%", 100 * lo, 100 * hi);
}

static void add_figures(scarce_report *r, const char *name, const char *stage,
                        const scarce_backtest_figures *f, int has_amount, int has_model, int is_rule)
{
    char text[64];

    scarce_report_cell(r, name);
    scarce_report_cell(r, stage);
    scarce_report_cell_number(r, (double)f->fired, 17);
    if (is_rule) scarce_report_cell_number(r, (double)f->unknown, 17);
    else scarce_report_cell(r, "");
    scarce_report_cell_number(r, (double)f->hits, 17);
    percent(text, f->precision);
    scarce_report_cell(r, text);
    interval(text, f->precision_lo, f->precision_hi);
    scarce_report_cell(r, text);
    percent(text, f->detection);
    scarce_report_cell(r, text);
    percent(text, f->false_alerts);
    scarce_report_cell(r, text);
    if (has_amount) scarce_report_cell_number(r, f->amount, 9);
    if (has_amount) scarce_report_cell_number(r, f->amount_hits, 9);
    if (is_rule) scarce_report_cell_number(r, (double)f->alone, 17);
    else scarce_report_cell(r, "");
    if (has_model) scarce_report_cell_number(r, (double)f->with_model, 17);
}

static scarce_status add_rules(scarce_report *r, const scarce_backtest *b, const scarce_ruleset *set,
                               scarce_error *err)
{
    const int has_model = scarce_backtest_has_model(b);
    const char *columns[16];
    char align[17] = "";
    size_t k = 0;
    scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;

    SCARCE__TRY(scarce_backtest_get(b, SCARCE_BACKTEST_SUM(SCARCE_BACKTEST_RULES), &f, err));
    const int has_amount = !isnan(f.amount);
    columns[k] = "rule", align[k++] = 'l';
    columns[k] = "stage", align[k++] = 'l';
    columns[k] = "fired", align[k++] = 'r';
    columns[k] = "unknown", align[k++] = 'r';
    columns[k] = "positive", align[k++] = 'r';
    columns[k] = "precision", align[k++] = 'r';
    columns[k] = "interval", align[k++] = 'r';
    columns[k] = "detection", align[k++] = 'r';
    columns[k] = "false alerts", align[k++] = 'r';
    if (has_amount) columns[k] = "amount", align[k++] = 'r';
    if (has_amount) columns[k] = "amount of positives", align[k++] = 'r';
    columns[k] = "found alone", align[k++] = 'r';
    if (has_model) columns[k] = "on the model's list", align[k++] = 'r';
    scarce_report_section(r, "Rules");
    scarce_report_table(r, NULL, columns, align, k);
    for (size_t i = 0; i < scarce_ruleset_count(set); ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        char stage[32];
        SCARCE__TRY(scarce_ruleset_get(set, i, &info, err));
        SCARCE__TRY(scarce_backtest_get(b, i, &f, err));
        scarce__print(stage, sizeof stage, "%s%s", scarce_stage_name(info.stage),
                      info.sql      ? ", not run"
                      : info.shadow ? ", shadow"
                                    : "");
        add_figures(r, info.name, stage, &f, has_amount, has_model, 1);
    }
    for (int s = 0; s < 4; ++s) {
        if (s >= SCARCE_BACKTEST_MODEL && !has_model) break;
        SCARCE__TRY(scarce_backtest_get(b, SCARCE_BACKTEST_SUM(s), &f, err));
        add_figures(r, sum_names[s], "", &f, has_amount, has_model, 0);
    }
    scarce_report_note(
        r, "Precision is the share of positives among the rows that fired, with Wilson's interval; detection "
           "the share of all positives that fired; false alerts is 1 - precision. Found alone are positives "
           "that no other rule and not the model found: the only reason to keep a rule. Unknown: a value "
           "that decides is missing. Shadows count, but not in the sums.");
    return SCARCE_OK;
}

static scarce_status add_limits(scarce_report *r, const scarce_backtest *b, const scarce_ruleset *set,
                                scarce_error *err)
{
    static const scarce_severity severity[] = {SCARCE_SEVERITY_GOOD, SCARCE_SEVERITY_BAD,
                                               SCARCE_SEVERITY_NOTE};
    const scarce_backtest_limit *l;

    if (!scarce_backtest_limit_of(b, 0)) return SCARCE_OK;
    scarce_report_section(r, "Limits");
    for (size_t i = 0; (l = scarce_backtest_limit_of(b, i)) != NULL; ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        scarce__text t = SCARCE__TEXT_INIT;
        SCARCE__TRY(scarce_ruleset_get(set, l->rule, &info, err));
        scarce__text_addf(&t, "%s, limit %s: %s", info.name, l->limit, l->text);
        if (t.failed) {
            scarce__text_deinit(&t);
            return scarce__fail_memory(err, "a page", 0);
        }
        scarce_report_finding(r, severity[l->state], t.bytes, NULL);
        scarce__text_deinit(&t);
    }
    return SCARCE_OK;
}

/* Lines of the rules that fired most, week by week. */
static scarce_status add_chart(scarce_report *r, const scarce_backtest *b, const scarce_ruleset *set,
                               int hits, scarce_error *err)
{
    const size_t periods = scarce_backtest_periods(b), n = scarce_ruleset_count(set);
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *x = scarce__malloc_array(2 * periods, sizeof *x), *y = x ? x + periods : NULL;
    scarce_chart *chart;
    scarce_status st = x ? SCARCE_OK : scarce__fail_memory(err, "a page", 0);
    size_t drawn = 0;

    if (st != SCARCE_OK) return st;
    for (size_t p = 0; p < periods; ++p) x[p] = scarce_backtest_period_of(b, 0, p).begin;
    o.title = hits ? "Positives found, by week" : "Fired, by week";
    o.x_axis = scarce_time_is_seconds(x[0], x[periods - 1]) ? SCARCE_AXIS_TIME : SCARCE_AXIS_LINEAR;
    o.y_lo = 0;
    chart = scarce_report_chart(r, &o);
    for (size_t i = 0; i < n && drawn < MOST_LINES; ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        size_t fired;
        (void)scarce_backtest_rows_of(b, i, &fired);
        if (fired == 0 || scarce_ruleset_get(set, i, &info, NULL) != SCARCE_OK) continue;
        for (size_t p = 0; p < periods; ++p) {
            const scarce_backtest_period q = scarce_backtest_period_of(b, i, p);
            y[p] = (double)(hits ? q.hits : q.fired);
        }
        scarce_chart_line(chart, info.name, x, y, periods);
        ++drawn;
    }
    scarce__free(x);
    return SCARCE_OK;
}

static scarce_status add_weeks(scarce_report *r, const scarce_backtest *b, const scarce_ruleset *set,
                               scarce_error *err)
{
    static const char *const columns[] = {"week",  "rows",     "positives", "rule",
                                          "fired", "positive", "precision"};
    const size_t periods = scarce_backtest_periods(b);

    if (periods < 2) return SCARCE_OK;
    scarce_report_section(r, "Week by week");
    SCARCE__TRY(add_chart(r, b, set, 0, err));
    SCARCE__TRY(add_chart(r, b, set, 1, err));
    scarce_report_table(r, NULL, columns, "lrrlrrr", 7);
    for (size_t p = 0; p < periods; ++p)
        for (size_t i = 0; i < scarce_ruleset_count(set); ++i) {
            const scarce_backtest_period q = scarce_backtest_period_of(b, i, p);
            scarce_rule_info info = SCARCE_RULE_INFO_INIT;
            char text[80];
            if (q.fired == 0 || scarce_ruleset_get(set, i, &info, err) != SCARCE_OK) continue;
            scarce_time_span(text, sizeof text, q.begin, q.end);
            scarce_report_cell(r, text);
            scarce_report_cell_number(r, (double)q.rows, 17);
            scarce_report_cell_number(r, (double)q.positives, 17);
            scarce_report_cell(r, info.name);
            scarce_report_cell_number(r, (double)q.fired, 17);
            scarce_report_cell_number(r, (double)q.hits, 17);
            percent(text, (double)q.hits / (double)q.fired);
            scarce_report_cell(r, text);
        }
    return SCARCE_OK;
}

/* The first rows of each rule, with its sentence. */
static scarce_status add_rows(scarce_report *r, const scarce_backtest *b, const scarce_ruleset *set,
                              const scarce_records *records, scarce_error *err)
{
    static const char *const columns[] = {"row", "truth", "sentence"};
    size_t n_fields;
    (void)scarce_records_fields(records, &n_fields);
    scarce_value *record = scarce__calloc(n_fields, sizeof *record);
    const uint8_t *label = scarce_table_label(scarce_records_table(records));

    if (!record) return scarce__fail_memory(err, "a page", 0);
    scarce_report_section(r, "First rows that fired");
    for (size_t i = 0; i < scarce_ruleset_count(set); ++i) {
        size_t fired;
        const uint32_t *rows = scarce_backtest_rows_of(b, i, &fired);
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        char text[600];
        if (fired == 0 || scarce_ruleset_get(set, i, &info, NULL) != SCARCE_OK) continue;
        scarce_report_table(r, info.name, columns, "rll", 3);
        for (size_t k = 0; k < fired && k < SHOWN_ROWS; ++k) {
            scarce_records_get(records, rows[k], NULL, 0, record);
            (void)scarce_ruleset_say(set, i, record, text, sizeof text);
            scarce_report_cell_number(r, (double)rows[k] + 1, 17);
            scarce_report_cell(r, label[rows[k]] ? "positive" : "negative");
            scarce_report_cell(r, text);
        }
    }
    scarce__free(record);
    return SCARCE_OK;
}

static scarce_status add_notes(scarce_report *r, const scarce_backtest *b, const scarce_ruleset *set,
                               scarce_error *err)
{
    for (size_t i = 0; i < scarce_ruleset_count(set); ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
        char text[400];
        SCARCE__TRY(scarce_ruleset_get(set, i, &info, err));
        SCARCE__TRY(scarce_backtest_get(b, i, &f, err));
        if (f.after_block == 0) continue;
        scarce__print(text, sizeof text,
                      "%.100s would have blocked %zu of its %zu rows after an earlier block of the same "
                      "card: these might "
                      "not have happened.",
                      info.name, f.after_block, f.fired);
        scarce_report_note(r, text);
    }
    return SCARCE_OK;
}

scarce_status scarce_page_backtest(scarce_report *r, const scarce_backtest *b, const scarce_ruleset *set,
                                   const scarce_records *records, scarce_error *err)
{
    scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
    char text[64];

    SCARCE__TRY(scarce_backtest_get(b, SCARCE_BACKTEST_SUM(SCARCE_BACKTEST_RULES), &f, err));
    scarce_report_tile_number(r, "rows", (double)scarce_backtest_rows(b), 17, NULL);
    scarce_report_tile_number(r, "positives", (double)scarce_backtest_positives(b), 17, NULL);
    scarce_report_tile_number(r, "rows that fired", (double)f.fired, 17, NULL);
    percent(text, f.precision);
    scarce_report_tile(r, "of these positive", text, NULL);
    percent(text, f.detection);
    scarce_report_tile(r, "of all positives found", text, NULL);
    SCARCE__TRY(add_rules(r, b, set, err));
    SCARCE__TRY(add_notes(r, b, set, err));
    SCARCE__TRY(add_limits(r, b, set, err));
    SCARCE__TRY(add_weeks(r, b, set, err));
    return add_rows(r, b, set, records, err);
}
