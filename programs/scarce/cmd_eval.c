/* SPDX-License-Identifier: Apache-2.0 */
/* scarce eval MODEL DATA, or scarce eval --scores FILE: every metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"

typedef struct eval_command {
    common_options common;
    data_options data;
    const char *scores;
    double k, threshold, beta, cost, card_k, day;
    const char *budget, *report;
    int live, curves, drift;
    long bootstrap;
} eval_command;

#define AT(f) offsetof(eval_command, f)
static const option_spec specs[] = {
    {"--define", "FILE", OPTION_TEXT, AT(data.define),
     "how the rows were made (scarce features): refused where the model learnt from other definitions"},
    {"--scores", "FILE", OPTION_TEXT, AT(scores),
     "instead of MODEL and DATA: any tool's scores, a CSV with columns score, label\n"
     "                             and if you like weight, time, group, amount, probability"},
    {"--k", "K", OPTION_REAL, AT(k),
     "rows that can be checked (default: number of positives; below 1: a share of the rows)"},
    {"--threshold", "X", OPTION_REAL, AT(threshold),
     "alert from this score on (default: the model's; for --scores 0.5 on the\n"
     "                             probability, or the best F1)"},
    {"--budget", "K/day", OPTION_TEXT, AT(budget),
     "instead: the best K of each day (/hour, /week, /30m) of --time"},
    {"--live", NULL, OPTION_FLAG, AT(live), "--budget row by row, knowing only what came before"},
    {"--beta", "B", OPTION_REAL, AT(beta), "of f_beta (default 2: recall counts more)"},
    {"--cost", "C", OPTION_REAL, AT(cost), "what checking one row costs; a miss costs its --amount (or 1)"},
    {"--card-k", "K", OPTION_REAL, AT(card_k),
     "cards checked a day, for card_precision_at_k (default: the budget, or 100; needs --time and --group)"},
    {"--day", "SECONDS", OPTION_REAL, AT(day), "length of a day in units of --time (default 86400)"},
    {"--curves", NULL, OPTION_FLAG, AT(curves),
     "with --json: precision-recall, ROC, calibration, gains and costs as arrays"},
    {"--drift", NULL, OPTION_FLAG, AT(drift),
     "how much each feature is spread otherwise than in training (population stability index)"},
    {"--bootstrap", "N", OPTION_COUNT, AT(bootstrap),
     "N bootstrap replicates: 95 % intervals (by group when there are groups)"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report),
     "one page with curves, costs, importances and reasons"},
    {"--keep", "COL,...", OPTION_COMMAS, AT(data.keep),
     "columns that the page's list of alerts shows: ids, time"},
};

static void defaults(void *options)
{
    eval_command *o = options;
    const scarce_metrics_options mo = SCARCE_METRICS_OPTIONS_INIT;
    o->k = o->threshold = o->cost = o->card_k = o->day = (double)NAN;
    o->beta = mo.beta;
    o->bootstrap = -1; /* none */
}

/* Columns that are there take their role; only score and label must be. */
static scarce_status read_scores(scored_data *s, const eval_command *o, scarce_context *ctx,
                                 scarce_error *err)
{
    static const char *const exact[] = {"score", "probability"};
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_status st;

    ro.label = o->data.label ? o->data.label : "label";
    ro.positive = o->data.positive;
    ro.weight = o->data.weight ? o->data.weight : "weight";
    ro.time = o->data.time ? o->data.time : "time";
    ro.group = o->data.group ? o->data.group : "group";
    ro.amount = o->data.amount ? o->data.amount : "amount";
    ro.optional_roles = (o->data.weight ? 0 : SCARCE_ROLE_WEIGHT) | (o->data.time ? 0 : SCARCE_ROLE_TIME) |
                        (o->data.group ? 0 : SCARCE_ROLE_GROUP) | (o->data.amount ? 0 : SCARCE_ROLE_AMOUNT);
    ro.missing.items = o->data.missing.items;
    ro.missing.count = o->data.missing.count;
    ro.exact.items = exact;
    ro.exact.count = 2;
    st = format_by_name(&ro.format, o->data.format, err);
    if (st == SCARCE_OK) st = scarce_table_read(&s->table, &o->scores, 1, &ro, ctx, err);
    talk_clear();
    if (st != SCARCE_OK) return st;
    if (!scarce_table_exact(s->table, 0))
        return fail_with(err, SCARCE_EDATA,
                         "%.400s: no column \"score\" (--scores wants the columns score and label, and if "
                         "need be probability, time, group, amount, weight)",
                         o->scores);
    s->rows =
        scarce_scored_of_table(s->table, scarce_table_exact(s->table, 0), scarce_table_exact(s->table, 1));
    for (size_t i = 0; i < s->rows.n; ++i)
        if (isnan(s->rows.score[i]))
            return fail_with(err, SCARCE_EDATA, "%.400s: row %zu has no score", o->scores, i + 1);
    return SCARCE_OK;
}

static scarce_metrics_options metrics_options(const eval_command *o, const budget_rule *b,
                                              const scored_data *s)
{
    scarce_metrics_options mo = SCARCE_METRICS_OPTIONS_INIT;
    mo.threshold = !isnan(o->threshold) ? o->threshold
                   : s->model           ? scarce_model_threshold(s->model)
                                        : (double)NAN;
    if (!isnan(mo.threshold)) mo.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
    if (b->text || (s->model && isnan(mo.threshold))) mo.alert = s->alert; /* a budget; a threshold per row */
    if (o->k < 1) mo.k_share = o->k;
    else mo.k = o->k;
    mo.beta = o->beta;
    if (b->text && b->options.budget >= 1) mo.card_k = b->options.budget, mo.day_length = b->options.span;
    if (!isnan(o->card_k)) mo.card_k = o->card_k;
    if (!isnan(o->day)) mo.day_length = o->day;
    mo.cost = o->cost;
    return mo;
}

static scarce_status bootstrap(scarce_metrics_interval *out, const scored_data *s,
                               const scarce_metrics_options *mo, long replicates, scarce_context *ctx,
                               scarce_error *err)
{
    scarce_bootstrap_options bo = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    const size_t n = scarce_metric_count();
    size_t *numbers = malloc(n * sizeof *numbers);
    scarce_status st;

    if (!numbers) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; ++i) numbers[i] = i;
    bo.replicates = (size_t)replicates;
    st = scarce_metrics_bootstrap(out, numbers, n, &s->rows, mo, &bo, ctx, err);
    talk_clear();
    free(numbers);
    return st;
}

static void print_intervals(const scarce_metrics *m, const scarce_metrics_interval *intervals)
{
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        const double v = scarce_metric_value(m, i);
        char value[32] = "n/a";
        if (!isnan(v))
            snprintf(value, sizeof value, scarce_metric_is_count(i) && v == floor(v) ? "%.0f" : "%.6g", v);
        printf("%-24s %12s", scarce_metric_name(i), value);
        if (scarce_metric_direction(i) != 0 && !isnan(intervals[i].lo))
            printf("   [%.6g, %.6g]", intervals[i].lo, intervals[i].hi);
        putchar('\n');
    }
}

static void json_intervals(const scarce_metrics_interval *intervals)
{
    json_key("intervals"), json_open('{');
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        if (scarce_metric_direction(i) == 0) continue;
        json_key(scarce_metric_name(i)), json_open('{');
        json_key("lo"), json_number(intervals[i].lo);
        json_key("hi"), json_number(intervals[i].hi);
        json_key("sd"), json_number(intervals[i].sd);
        json_key("undefined"), json_count(intervals[i].undefined);
        json_close('}');
    }
    json_close('}');
}

/* What isn't a metric: the best threshold by cost, the budget, curves. */
static scarce_status print_more(const scored_data *s, const eval_command *o, const budget_rule *b,
                                const scarce_metrics_options *mo, scarce_context *ctx, scarce_error *err)
{
    scarce_status st = print_best_cost(&s->rows, o->cost, o->common.json, ctx, err);

    if (st == SCARCE_OK) st = print_budget(s, b, o->common.json, err);
    if (st == SCARCE_OK && o->curves) st = print_curves(&s->rows, mo, ctx, err);
    if (st == SCARCE_OK && o->drift) st = print_drift(s->model, s->table, o->common.json, err);
    return st;
}

static scarce_status fail_none(const scored_data *s, scarce_error *err)
{
    const scarce_schema *schema = s->table ? scarce_table_schema(s->table) : scarce_model_schema(s->model);
    return fail_with(err, SCARCE_EDATA,
                     "none of the %zu rows is positive, so nothing can be judged (positive is %.60s = %.60s; "
                     "--label and --positive say otherwise)",
                     s->rows.n, scarce_schema_label(schema), scarce_schema_positive(schema));
}

static scarce_status write_page(const scored_data *s, const eval_command *o, const text_list *paths,
                                const scarce_metrics *m, const scarce_metrics_options *mo,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_evaluation_view v = SCARCE_EVALUATION_VIEW_INIT;
    const text_list none = {NULL, 0};
    scarce_report *r = NULL;
    char from[300];
    scarce_status st;

    v.rows = &s->rows, v.metrics = m, v.options = mo, v.model = s->model, v.table = s->table;
    v.replicates = o->bootstrap > 0 ? (size_t)o->bootstrap : 0;
    v.keep = o->data.keep.items, v.n_keep = o->data.keep.count;
    v.scores_name = o->scores;
    if (!o->scores && paths->count) v.model_name = paths->items[0];
    if (o->scores) st = begin_page(&r, "Evaluation", o->scores, &none, 0, err);
    else {
        snprintf(from, sizeof from, "%.250s on ", paths->items[0]);
        st = begin_page(&r, "Evaluation", from, paths, 1, err);
    }
    if (st == SCARCE_OK) st = scarce_page_evaluation(r, &v, ctx, err);
    return end_page(r, o->report, st, err);
}

static scarce_status print_text(const scored_data *s, const eval_command *o, const budget_rule *b,
                                const scarce_metrics *m, const scarce_metrics_options *mo,
                                const eval_extra *extra, const scarce_metrics_interval *intervals,
                                scarce_context *ctx, scarce_error *err)
{
    const scarce_status st = print_classes(s, 0, ctx, err);

    if (st != SCARCE_OK) return st;
    if (has_classes(s)) {
        printf("\n%s against all others\n", shown(scarce_schema_positive(scarce_model_schema(s->model))));
        if (m->positives == 0) {
            puts("no row is of that class");
            return SCARCE_OK;
        }
    }
    print_sentences(m, mo, extra);
    if (intervals) print_intervals(m, intervals);
    else print_metrics_table(m);
    return print_more(s, o, b, mo, ctx, err);
}

static scarce_status judge(const scored_data *s, const eval_command *o, const budget_rule *b,
                           const text_list *paths, scarce_context *ctx, scarce_error *err)
{
    const scarce_metrics_options mo = metrics_options(o, b, s);
    scarce_metrics_interval *intervals = NULL;
    scarce_metrics m = SCARCE_METRICS_INIT;
    eval_extra extra;
    scarce_status st;

    if (!s->rows.label)
        return fail_with(err, SCARCE_EDATA,
                         "the data have no label column to compare the scores with (--label COL)");
    st = scarce_metrics_compute(&m, &s->rows, &mo, ctx, err);
    if (st == SCARCE_OK) st = find_extra(&extra, s, &m, &mo, ctx, err);
    if (st == SCARCE_OK) say_seen(&extra);
    if (st == SCARCE_OK && o->bootstrap > 0) {
        intervals = calloc(scarce_metric_count(), sizeof *intervals);
        st = intervals ? bootstrap(intervals, s, &mo, o->bootstrap, ctx, err)
                       : fail_with(err, SCARCE_ENOMEM, "out of memory");
    }
    if (st == SCARCE_OK && o->report) st = write_page(s, o, paths, &m, &mo, ctx, err);
    if (st == SCARCE_OK && m.positives == 0 && !has_classes(s)) st = fail_none(s, err);
    if (st == SCARCE_OK && o->common.json) {
        json_open('{');
        st = print_classes(s, 1, ctx, err);
        print_metrics_json(&m);
        json_extra(&extra);
        if (intervals) json_intervals(intervals);
        if (st == SCARCE_OK) st = print_more(s, o, b, &mo, ctx, err);
        json_close('}');
        json_end();
    } else if (st == SCARCE_OK) st = print_text(s, o, b, &m, &mo, &extra, intervals, ctx, err);
    free(intervals);
    return st;
}

static int check_use(const eval_command *o)
{
    const data_options *d = &o->data;
    if (!isnan(o->k) && !(o->k > 0))
        return complain(EXIT_USE, "--k wants rows (1 or more) or a share of them (between 0 and 1)");
    if (!(o->beta > 0)) return complain(EXIT_USE, "--beta wants a number above 0");
    if (o->cost < 0) return complain(EXIT_USE, "--cost can't be negative");
    if (o->card_k < 1) return complain(EXIT_USE, "--card-k wants 1 or more");
    if (o->day <= 0) return complain(EXIT_USE, "--day wants a length above 0");
    if (o->budget && !isnan(o->threshold))
        return complain(EXIT_USE, "--budget and --threshold exclude each other");
    if (o->data.keep.count && (!o->report || o->scores))
        return complain(EXIT_USE, "--keep is for the list of alerts in --report, of a MODEL and DATA");
    if (o->drift && o->scores) return complain(EXIT_USE, "--drift is of a MODEL and DATA");
    if (o->curves && !o->common.json) return complain(EXIT_USE, "--curves are arrays: add --json");
    if (o->bootstrap == 0 || o->bootstrap == 1)
        return complain(EXIT_USE, "--bootstrap wants 2 replicates or more");
    if (o->scores && (d->no_header || d->ignore.count || d->categorical.count || d->numeric.count))
        return complain(EXIT_USE,
                        "--no-header, --ignore, --categorical and --numeric mean nothing with --scores");
    return check_report(o->report);
}

/* What looks at features needs them in memory. */
static int is_in_blocks(const eval_command *o, const text_list *paths)
{
    const text_list rest = {paths->items + 1, paths->count - 1};
    return !o->report && !o->drift && too_large(&rest);
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const eval_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;
    scored_data s;
    budget_rule budget;
    int code;

    code = check_use(o);
    if (code != EXIT_DONE) return code;
    if (o->scores && args->paths.count) return complain(EXIT_USE, "--scores comes instead of MODEL and DATA");
    if (!o->scores && args->paths.count < 2)
        return complain(EXIT_USE, "a model and data, please (scarce eval MODEL DATA)");
    if (parse_budget(o->budget, o->live, &budget) != EXIT_DONE) return EXIT_USE;
    memset(&s, 0, sizeof s);
    if (o->scores) st = read_scores(&s, o, ctx, &err);
    else if (is_in_blocks(o, &args->paths)) st = score_data_in_blocks(&s, &args->paths, &o->data, ctx, &err);
    else st = score_data(&s, &args->paths, &o->data, ctx, &err);
    if (st == SCARCE_OK && s.table && !o->scores) say_table(s.table);
    if (st == SCARCE_OK && (budget.text || isnan(o->threshold)))
        st = decide_alerts(&s, s.model, &budget, &err);
    if (st == SCARCE_OK) {
        say_alerts(&s, &budget);
        st = judge(&s, o, &budget, &args->paths, ctx, &err);
        if (st == SCARCE_EDATA && o->scores) { /* it names the row: say of which file */
            const scarce_error plain = err;
            (void)fail_with(&err, st, "%.200s: %.300s", o->scores, plain.text);
        }
    }
    forget_scored(&s);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_eval = {
    "eval",
    "judges a ranking by every metric",
    "MODEL DATA... | --scores FILE [options]",
    "  scarce eval fraud.scarce test.csv --time tx_time --group card --amount amount --cost 5\n"
    "  scarce eval fraud.scarce test.csv --time tx_time --budget 100/day --live\n"
    "  scarce eval --scores any_tool.csv --bootstrap 1000 --json\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(eval_command),
    data_option_specs,
    offsetof(eval_command, data),
    0,
    defaults,
    run};
