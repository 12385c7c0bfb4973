/* SPDX-License-Identifier: Apache-2.0 */
/* rules backtest as text and as JSON. */
#include <math.h>
#include <string.h>

#include "rules.h"

static const char *const sum_names[] = {"all rules", "those that block", "the model", "rules or model"};
static const char *const sum_keys[] = {"rules_together", "blocks_together", "model", "either"};

/* ---- text */

static void print_percent(int width, double share)
{
    char text[32];
    if (isnan(share)) snprintf(text, sizeof text, "n/a");
    else snprintf(text, sizeof text, "%.3g %%", 100 * share);
    printf(" %*s", width, text);
}

static void print_figures(const char *name, const char *stage, const scarce_backtest_figures *f, int is_rule,
                          int has_model)
{
    char text[48] = "";

    printf("%-24.24s %-6s %8zu", shown(name), stage, f->fired);
    if (is_rule) printf(" %8zu", f->unknown);
    else printf(" %8s", "");
    printf(" %8zu", f->hits);
    print_percent(9, f->precision);
    if (!isnan(f->precision_lo))
        snprintf(text, sizeof text, "%.3g to %.3g %%", 100 * f->precision_lo, 100 * f->precision_hi);
    printf(" %18s", text);
    print_percent(9, f->detection);
    print_percent(8, f->false_alerts);
    if (!isnan(f->amount)) printf(" %12.0f", f->amount_hits);
    if (is_rule) printf(" %6zu", f->alone);
    else printf(" %6s", "");
    if (has_model) printf(" %10zu", f->with_model);
    putchar('\n');
}

static void print_sums(const scarce_backtest *b, int has_model)
{
    for (int s = 0; s < 4; ++s) {
        scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
        if (s >= SCARCE_BACKTEST_MODEL && !has_model) return;
        if (scarce_backtest_get(b, SCARCE_BACKTEST_SUM(s), &f, NULL) != SCARCE_OK) return;
        if (s == SCARCE_BACKTEST_BLOCKS && f.fired == 0) continue;
        print_figures(sum_names[s], "", &f, 0, has_model);
    }
}

static void print_limits(const scarce_backtest *b, const scarce_ruleset *set)
{
    const scarce_backtest_limit *l;

    for (size_t i = 0; (l = scarce_backtest_limit_of(b, i)) != NULL; ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        if (scarce_ruleset_get(set, l->rule, &info, NULL) != SCARCE_OK) continue;
        if (i == 0) puts("\nlimits");
        printf("  %s, %s: %s\n", shown(info.name), l->limit, l->text);
    }
}

static void print_notes(const scarce_backtest *b, const scarce_ruleset *set)
{
    const size_t rows = scarce_backtest_rows(b);

    for (size_t i = 0; i < scarce_ruleset_count(set); ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
        if (scarce_ruleset_get(set, i, &info, NULL) != SCARCE_OK ||
            scarce_backtest_get(b, i, &f, NULL) != SCARCE_OK)
            continue;
        if (info.sql) printf("%s: a query, which runs only in the service\n", shown(info.name));
        else if (f.unknown == rows)
            printf("%s: unknown on every row; are its columns empty?\n", shown(info.name));
        if (f.after_block)
            printf("%s: %zu of its %zu rows come after an earlier block of the same card; these might not "
                   "have happened\n",
                   shown(info.name), f.after_block, f.fired);
    }
}

static void print_weeks(const scarce_backtest *b, const scarce_ruleset *set)
{
    const size_t n = scarce_backtest_periods(b);

    if (n < 2) return;
    puts("\nweek by week: positive / fired");
    for (size_t p = 0; p < n; ++p) {
        const scarce_backtest_period all = scarce_backtest_period_of(b, SIZE_MAX, p);
        char text[80];
        scarce_time_span(text, sizeof text, all.begin, all.end);
        printf("  %-26s %zu rows, %zu positives:", text, all.rows, all.positives);
        for (size_t i = 0, told = 0; i < scarce_ruleset_count(set); ++i) {
            const scarce_backtest_period q = scarce_backtest_period_of(b, i, p);
            scarce_rule_info info = SCARCE_RULE_INFO_INIT;
            if (q.fired == 0 || scarce_ruleset_get(set, i, &info, NULL) != SCARCE_OK) continue;
            printf("%s %s %zu/%zu", told++ ? "," : "", shown(info.name), q.hits, q.fired);
        }
        putchar('\n');
    }
}

void print_backtest(const scarce_backtest *b, const scarce_ruleset *set, const scarce_table *table,
                    const char *model)
{
    const size_t rows = scarce_backtest_rows(b), positives = scarce_backtest_positives(b);
    const int has_amount = scarce_table_amount(table) != NULL;

    printf("%zu rows, %zu positive%s (%.3g %%)\n\n", rows, positives, positives == 1 ? "" : "s",
           rows ? 100 * (double)positives / (double)rows : 0);
    printf("%-24s %-6s %8s %8s %8s %9s %18s %9s %8s", "rule", "stage", "fired", "unknown", "positive",
           "precision", "interval", "detection", "false");
    if (has_amount) printf(" %12s", "amount found");
    printf(" %6s", "alone");
    if (model) printf(" %10s", "with model");
    putchar('\n');
    for (size_t i = 0; i < scarce_ruleset_count(set); ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
        if (scarce_ruleset_get(set, i, &info, NULL) != SCARCE_OK ||
            scarce_backtest_get(b, i, &f, NULL) != SCARCE_OK || info.sql)
            continue;
        print_figures(info.name, info.shadow ? "shadow" : scarce_stage_name(info.stage), &f, 1,
                      model != NULL);
    }
    print_sums(b, model != NULL);
    print_notes(b, set);
    print_limits(b, set);
    print_weeks(b, set);
}

/* ---- JSON */

static void json_figures(const scarce_backtest_figures *f, int is_rule, int has_model)
{
    json_key("fired"), json_count(f->fired);
    if (is_rule) json_key("unknown"), json_count(f->unknown);
    if (is_rule) json_key("asleep"), json_count(f->asleep);
    json_key("positive"), json_count(f->hits);
    json_key("precision"), json_number(f->precision);
    json_key("precision_lo"), json_number(f->precision_lo);
    json_key("precision_hi"), json_number(f->precision_hi);
    json_key("detection"), json_number(f->detection);
    json_key("detection_lo"), json_number(f->detection_lo);
    json_key("detection_hi"), json_number(f->detection_hi);
    json_key("false_alerts"), json_number(f->false_alerts);
    json_key("amount"), json_number(f->amount);
    json_key("amount_positive"), json_number(f->amount_hits);
    if (is_rule) json_key("alone"), json_count(f->alone);
    if (is_rule) json_key("amount_alone"), json_number(f->amount_alone);
    if (has_model) json_key("with_model"), json_count(f->with_model);
    if (has_model) json_key("positive_with_model"), json_count(f->hits_with_model);
    if (is_rule) json_key("after_block"), json_count(f->after_block);
}

static void json_limits(const scarce_backtest *b, size_t rule)
{
    static const char *const states[] = {"kept", "broken", "open"};
    const scarce_backtest_limit *l;

    json_key("limits"), json_open('[');
    for (size_t i = 0; (l = scarce_backtest_limit_of(b, i)) != NULL; ++i) {
        if (l->rule != rule) continue;
        json_open('{');
        json_key("limit"), json_text(l->limit);
        json_key("state"), json_text(states[l->state]);
        json_key("text"), json_text(l->text);
        json_close('}');
    }
    json_close(']');
}

static void json_weeks(const scarce_backtest *b, size_t rule)
{
    json_key("weeks"), json_open('[');
    for (size_t p = 0; p < scarce_backtest_periods(b); ++p) {
        const scarce_backtest_period q = scarce_backtest_period_of(b, rule, p);
        json_open('{');
        json_key("begin"), json_number(q.begin);
        json_key("rows"), json_count(q.rows);
        json_key("positives"), json_count(q.positives);
        json_key("fired"), json_count(q.fired);
        json_key("positive"), json_count(q.hits);
        json_close('}');
    }
    json_close(']');
}

static void json_rows(const scarce_backtest *b, size_t rule)
{
    enum { MOST = 50 };
    size_t n;
    const uint32_t *rows = scarce_backtest_rows_of(b, rule, &n);

    json_key("first_rows"), json_open('[');
    for (size_t k = 0; k < n && k < MOST; ++k) json_count((size_t)rows[k] + 1);
    json_close(']');
}

void print_backtest_json(const scarce_backtest *b, const scarce_ruleset *set)
{
    const int has_model = scarce_backtest_has_model(b);
    scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;

    json_open('{');
    json_key("rows"), json_count(scarce_backtest_rows(b));
    json_key("positives"), json_count(scarce_backtest_positives(b));
    json_key("rules"), json_open('[');
    for (size_t i = 0; i < scarce_ruleset_count(set); ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        if (scarce_ruleset_get(set, i, &info, NULL) != SCARCE_OK ||
            scarce_backtest_get(b, i, &f, NULL) != SCARCE_OK)
            continue;
        json_open('{');
        json_key("name"), json_text(info.name);
        json_key("stage"), json_text(scarce_stage_name(info.stage));
        json_key("shadow"), json_bool(info.shadow);
        json_key("sql"), json_bool(info.sql != NULL);
        json_figures(&f, 1, has_model);
        json_limits(b, i);
        json_weeks(b, i);
        json_rows(b, i);
        json_close('}');
    }
    json_close(']');
    for (int s = 0; s < 4; ++s) {
        if (s >= SCARCE_BACKTEST_MODEL && !has_model) break;
        if (scarce_backtest_get(b, SCARCE_BACKTEST_SUM(s), &f, NULL) != SCARCE_OK) continue;
        json_key(sum_keys[s]), json_open('{');
        json_figures(&f, 0, has_model);
        json_close('}');
    }
    json_close('}');
    json_end();
}
