/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows are alerts: by the model's own rule, or by a budget for each span of time (--budget 100/day). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

int parse_budget(const char *asked, int live, budget_rule *out)
{
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    char text[128];

    memset(out, 0, sizeof *out);
    if (!asked && live)
        return complain(
            EXIT_USE, "--live decides row by row within a budget: it needs --budget, e.g. --budget 100/day");
    if (!asked) return EXIT_DONE;
    snprintf(text, sizeof text, "budget:%s", asked);
    if (strlen(asked) > 100 || scarce_threshold_parse(&rule, text, &err) != SCARCE_OK ||
        rule.unit != SCARCE_BUDGET_PER_SPAN || rule.every)
        return complain(EXIT_USE, "--budget wants alerts per time, 100/day, 5/hour or 20/30m, not \"%.60s\"",
                        asked);
    out->text = asked;
    out->live = live;
    out->options = (scarce_budget_options)SCARCE_BUDGET_OPTIONS_INIT;
    out->options.budget = rule.budget;
    out->options.span = rule.span;
    return EXIT_DONE;
}

static scarce_status by_budget(scored_data *s, const scarce_model *model, const budget_rule *b,
                               scarce_error *err)
{
    scarce_budget_options o = b->options;

    if (!s->rows.time)
        return fail_with(err, SCARCE_EINVAL, "--budget %.60s needs the time of the rows (--time COL)",
                         b->text);
    s->span = malloc((s->rows.n + 1) * sizeof *s->span);
    if (!s->span) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu alerts", s->rows.n);
    if (model) o.start = scarce_model_threshold(model); /* NaN when it has no single one */
    return scarce_budget_alerts(s->alert, s->span, &s->use, &s->rows, &o,
                                b->live ? SCARCE_BUDGET_LIVE : SCARCE_BUDGET_HINDSIGHT, err);
}

scarce_status decide_alerts(scored_data *s, const scarce_model *model, const budget_rule *b,
                            scarce_error *err)
{
    if (!model && !b->text) return SCARCE_OK;
    s->alert = malloc(s->rows.n + 1);
    if (!s->alert) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu alerts", s->rows.n);
    if (b->text) return by_budget(s, model, b, err);
    if (isnan(scarce_model_threshold(model)) && !s->rows.amount)
        return fail_with(
            err, SCARCE_EDATA,
            "the model's alerts weigh the amount at stake: say which column holds it (--amount COL)");
    for (size_t i = 0; i < s->rows.n; ++i)
        s->alert[i] = scarce_scorer_alert(s->scorer, s->score[i], s->probability[i],
                                          s->rows.amount ? s->rows.amount[i] : (double)NAN) != 0;
    return SCARCE_OK;
}

void say_alerts(const scored_data *s, const budget_rule *b)
{
    const char *rule = s->model ? scarce_model_note(s->model, "threshold_rule") : NULL;

    if (b->text)
        say("alerts: %zu, at most %s, %s; %zu of %zu spans used their budget up", s->use.alerts, b->text,
            b->live ? "each row decided from earlier rows alone"
                    : "chosen when each span was over (--live decides row by row)",
            s->use.full, s->use.spans);
    else if (rule && strncmp(rule, "budget:", 7) == 0 && strchr(rule, '/') && s->rows.time)
        say("alerts: all rows above one threshold, which gave %s on the validation rows; --budget %.*s keeps "
            "to it on "
            "every day",
            rule + 7, (int)strcspn(rule + 7, "!"), rule + 7);
}

/* ---- a budget, span by span */

typedef struct day {
    double start;
    size_t rows, positives, alerts, hits, cards, cards_hit;
} day;

typedef struct card {
    uint32_t span;
    int32_t group;
    uint8_t alert, positive;
} card;

static int by_card(const void *a, const void *b)
{
    const card *x = a, *y = b;
    if (x->span != y->span) return x->span < y->span ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* A card counts when one of its rows is an alert; it is hit when one of its rows of that span is positive. */
static int count_cards(day *days, const scored_data *s)
{
    card *cards = malloc((s->rows.n + 1) * sizeof *cards);

    if (!cards) return 0;
    for (size_t i = 0; i < s->rows.n; ++i)
        cards[i] = (card){s->span[i], s->rows.group[i], s->alert[i], s->rows.label[i]};
    qsort(cards, s->rows.n, sizeof *cards, by_card);
    for (size_t i = 0, end; i < s->rows.n; i = end) {
        int alert = 0, positive = 0;
        for (end = i; end < s->rows.n && by_card(&cards[i], &cards[end]) == 0; ++end)
            alert |= cards[end].alert, positive |= cards[end].positive;
        days[cards[i].span].cards += (size_t)alert;
        days[cards[i].span].cards_hit += (size_t)(alert && positive);
    }
    free(cards);
    return 1;
}

static day *days_of(const scored_data *s, const budget_rule *b)
{
    day *days = calloc(s->use.spans + 1, sizeof *days);

    for (size_t i = 0; days && i < s->rows.n; ++i) {
        day *d = &days[s->span[i]];
        d->start = floor(s->rows.time[i] / b->options.span) * b->options.span;
        ++d->rows;
        d->positives += s->rows.label[i];
        d->alerts += s->alert[i];
        d->hits += s->alert[i] && s->rows.label[i];
    }
    if (days && s->rows.group && !count_cards(days, s)) {
        free(days);
        return NULL;
    }
    return days;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : (double)NAN;
}

/* Mean over the spans that had an alert; NaN when none had. */
static double mean_precision(const day *days, size_t n, int of_cards)
{
    double sum = 0;
    size_t counted = 0;
    for (size_t i = 0; i < n; ++i) {
        const double p =
            of_cards ? share(days[i].cards_hit, days[i].cards) : share(days[i].hits, days[i].alerts);
        if (!isnan(p)) sum += p, ++counted;
    }
    return counted ? sum / (double)counted : (double)NAN;
}

static void print_text(const scored_data *s, const budget_rule *b, const day *days)
{
    const double p = mean_precision(days, s->use.spans, 0), c = mean_precision(days, s->use.spans, 1);

    printf("%-24s %12.6g   alerts per span, %s: %s, %zu spans with rows, %zu full\n", "budget_alerts",
           share(s->use.alerts, s->use.spans), b->text, b->live ? "live" : "with hindsight", s->use.spans,
           s->use.full);
    if (isnan(p)) printf("%-24s %12s\n", "budget_precision", "n/a");
    else printf("%-24s %12.6g   mean over spans of hits / alerts\n", "budget_precision", p);
    if (!isnan(c)) printf("%-24s %12.6g   the same, of cards\n", "budget_card_precision", c);
}

static void print_json(const scored_data *s, const budget_rule *b, const day *days)
{
    json_key("budget"), json_open('{');
    json_key("rule"), json_text(b->text);
    json_key("mode"), json_text(b->live ? "live" : "hindsight");
    json_key("alerts"), json_count(s->use.alerts);
    json_key("full"), json_count(s->use.full);
    json_key("precision"), json_number(mean_precision(days, s->use.spans, 0));
    json_key("card_precision"), json_number(mean_precision(days, s->use.spans, 1));
    json_key("spans"), json_open('[');
    for (size_t i = 0; i < s->use.spans; ++i) {
        json_open('{');
        json_key("start"), json_number(days[i].start);
        json_key("rows"), json_count(days[i].rows);
        json_key("positives"), json_count(days[i].positives);
        json_key("alerts"), json_count(days[i].alerts);
        json_key("hits"), json_count(days[i].hits);
        if (s->rows.group) {
            json_key("cards"), json_count(days[i].cards);
            json_key("cards_hit"), json_count(days[i].cards_hit);
        }
        json_close('}');
    }
    json_close(']');
    json_close('}');
}

scarce_status print_budget(const scored_data *s, const budget_rule *b, int json, scarce_error *err)
{
    day *days;

    if (!b->text) return SCARCE_OK;
    days = days_of(s, b);
    if (!days) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu spans", s->use.spans);
    if (json) print_json(s, b, days);
    else print_text(s, b, days);
    free(days);
    return SCARCE_OK;
}
