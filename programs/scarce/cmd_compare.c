/* SPDX-License-Identifier: Apache-2.0 */
/* scarce compare DATA --methods A,B,...: the same splits for all, and what the differences are worth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"

typedef struct compare_command {
    common_options common;
    data_options data;
    text_list methods, metrics, scores;
    const char *protocol, *results, *metric, *csv, *folds, *report;
    long repeats, tune;
    double k, cost, card_k;
    int purge;
} compare_command;

#define AT(f) offsetof(compare_command, f)
static const option_spec specs[] = {
    {"--methods", "A,B,...", OPTION_COMMAS, AT(methods),
     "name[:key=value]... items, e.g. gb,gb:n_trees=50:max_depth=2,logistic"},
    {"--scores", "NAME=FILE", OPTION_LIST, AT(scores),
     "what another tool says, as a further contestant (repeatable): columns score[,probability], one\n"
     "                             line per row of DATA, or [fold,]row,score as --write-folds counts them"},
    {"--protocol", "PROTOCOL", OPTION_TEXT, AT(protocol),
     "holdout:F (default 0.3333), cv:K, temporal:train=30d,gap=7d,test=7d[,valid=..][,step=..],\n"
     "                             prequential:delay=7d[,train=..][,test=..]"},
    {"--repeats", "N", OPTION_COUNT, AT(repeats), "repetitions of holdout and cv (default 10)"},
    {"--tune", "TRIALS", OPTION_COUNT, AT(tune), "search parameters inside every training part"},
    {"--metric", "NAME", OPTION_TEXT, AT(metric),
     "what tuning looks at, and the tests of significance (default ap)"},
    {"--metrics", "A,B,...", OPTION_COMMAS, AT(metrics),
     "columns of the table (default ap,precision_at_k,auc_roc,f1_best)"},
    {"--k", "K", OPTION_REAL, AT(k), "rows that can be checked (default: number of positives)"},
    {"--cost", "C", OPTION_REAL, AT(cost), "what checking one row costs"},
    {"--card-k", "K", OPTION_REAL, AT(card_k), "cards checked a day (default 100)"},
    {"--purge", NULL, OPTION_FLAG, AT(purge),
     "by time: leave out test rows of groups whose fraud was known when the row came"},
    {"--results", "FILE", OPTION_TEXT, AT(results),
     "every finished fit goes there, and is not computed again (default: OUT.results beside --report or\n"
     "                             --csv, until the comparison is complete)"},
    {"--csv", "FILE", OPTION_TEXT, AT(csv),
     "every metric of every fold (-: to stdout, instead of the table)"},
    {"--write-folds", "FILE", OPTION_TEXT, AT(folds), "only write the folds: fold,row,part (-: to stdout)"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report), "one page with intervals, folds and tests"},
};

static void defaults(void *options)
{
    compare_command *o = options;
    o->repeats = 10;
    o->k = o->cost = (double)NAN;
    o->card_k = 100;
}

static const char *const usual_metrics[] = {"ap", "precision_at_k", "auc_roc", "f1_best"};

static int complain_metric(const char *name)
{
    const char *names[128], *nearest;
    size_t n = 0;

    for (; n < scarce_metric_count() && n < 128; ++n) names[n] = scarce_metric_name(n);
    nearest = scarce_nearest_name(name, names, n);
    if (nearest) return complain(EXIT_USE, "no metric \"%s\", did you mean \"%s\"?", name, nearest);
    return complain(EXIT_USE, "no metric \"%s\" (scarce eval prints them all)", name);
}

static int find_metrics(const compare_command *o, size_t *metrics, size_t *n, size_t *judged)
{
    const char *const *names = o->metrics.count ? o->metrics.items : usual_metrics;
    *n = o->metrics.count ? o->metrics.count : 4;
    if (*n > 16) return complain(EXIT_USE, "--metrics: at most 16");
    for (size_t i = 0; i < *n; ++i) {
        metrics[i] = scarce_metric_find(names[i]);
        if (metrics[i] == SIZE_MAX) return complain_metric(names[i]);
    }
    *judged = scarce_metric_find(o->metric ? o->metric : "ap");
    if (*judged == SIZE_MAX) return complain_metric(o->metric);
    if (scarce_metric_direction(*judged) == 0)
        return complain(EXIT_USE, "can't compare by --metric %s: it is not a measure of quality", o->metric);
    return EXIT_DONE;
}

static int check_use(const compare_command *o, const parsed *args)
{
    if (args->paths.count == 0)
        return complain(EXIT_USE, "which data? (scarce compare DATA --methods gb,logistic)");
    if (o->methods.count == 0 && o->scores.count == 0 && !o->folds)
        return complain(EXIT_USE, "which --methods? (scarce methods lists them)");
    if (o->repeats < 1) return complain(EXIT_USE, "--repeats wants 1 or more");
    if (o->csv && strcmp(o->csv, "-") == 0 && o->common.json)
        return complain(EXIT_USE, "--json and --csv - can't both go to standard output");
    if (o->csv && check_output(o->csv) != EXIT_DONE) return EXIT_FAILED;
    return check_report(o->report);
}

/* Finished fits are kept beside the output that was asked for until all are; freed by free. NULL: nowhere. */
static char *results_path(const compare_command *o)
{
    const char *csv = o->csv && strcmp(o->csv, "-") != 0 ? o->csv : NULL;
    const char *beside = o->report ? o->report : csv;
    const size_t n = beside ? strlen(beside) + 9 : 0;
    char *path;

    if (o->results) return strdup(o->results);
    path = beside && strncmp(beside, "/dev/", 5) != 0 ? malloc(n) : NULL;
    if (path) snprintf(path, n, "%s.results", beside);
    return path;
}

/* Stopped by Ctrl-C: what was made of it, and how to go on. */
static int say_stopped(const compare_command *o, const char *results, const scarce_compare *c)
{
    const char *shown_so_far = c ? "interrupted: these are the folds finished so far" : "interrupted";
    const int into_pipe = o->csv && strcmp(o->csv, "-") == 0;

    if (c && into_pipe) shown_so_far = "interrupted";
    if (results)
        return complain(EXIT_INTERRUPTED, "%s; the same command goes on from %s", shown_so_far, results);
    return complain(EXIT_INTERRUPTED, "%s; --results FILE would keep every finished fit for the next time",
                    shown_so_far);
}

static scarce_compare_options options_of(const compare_command *o, const ranking_files *rankings,
                                         scarce_metrics_options *metrics)
{
    scarce_compare_options co = SCARCE_COMPARE_OPTIONS_INIT;
    co.protocol = o->protocol;
    co.repeats = (size_t)o->repeats;
    co.metric = o->metric;
    co.tune = (size_t)o->tune;
    co.purge_known = o->purge;
    if (o->k < 1) metrics->k_share = o->k;
    else metrics->k = o->k;
    metrics->cost = o->cost;
    metrics->card_k = o->card_k;
    co.metrics = metrics;
    co.rankings = rankings->rankings;
    co.n_rankings = rankings->count;
    return co;
}

static scarce_status write_page(const scarce_comparison_view *view, const text_list *paths, const char *path,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_report *r = NULL;
    scarce_status st = begin_page(&r, "Comparison", "", paths, 0, err);
    if (st == SCARCE_OK) st = scarce_page_comparison(r, view, ctx, err);
    return end_page(r, path, st, err);
}

static scarce_status tell(scarce_comparison_view view, const compare_command *o, const text_list *paths,
                          size_t judged, scarce_context *ctx, scarce_error *err)
{
    const scarce_compare *c = view.compare;
    const int whole = scarce_compare_unfinished(c) == 0; /* no file pretends to be what it isn't */
    scarce_verdicts *v = NULL;
    scarce_status st = scarce_verdicts_new(&v, c, judged, ctx, err);
    view.verdicts = v;
    if (st == SCARCE_OK && whole && o->report) st = write_page(&view, paths, o->report, ctx, err);
    if (st == SCARCE_OK && whole && o->csv) st = write_comparison_csv(o->csv, c, err);
    if (st == SCARCE_OK && o->common.json) print_comparison_json(c, v, ctx);
    else if (st == SCARCE_OK && !(o->csv && strcmp(o->csv, "-") == 0))
        st = print_comparison(c, v, view.metrics, view.n_metrics, ctx, err);
    scarce_verdicts_free(v);
    return st;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const compare_command *o = options;
    scarce_metrics_options metrics_options = SCARCE_METRICS_OPTIONS_INIT;
    scarce_compare_options co;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare *c = NULL;
    scarce_table *table = NULL;
    ranking_files rankings;
    size_t metrics[16], n = 0, judged = 0;
    scarce_status st;
    char *results;
    int code = check_use(o, args);

    memset(&rankings, 0, sizeof rankings);
    if (code == EXIT_DONE) code = find_metrics(o, metrics, &n, &judged);
    if (code != EXIT_DONE) return code;
    st = read_table(&table, &args->paths, &o->data, NULL, ctx, &err);
    if (st == SCARCE_OK) st = read_rankings(&rankings, &o->scores, scarce_table_rows(table), ctx, &err);
    co = options_of(o, &rankings, &metrics_options);
    co.results = results = o->folds ? NULL : results_path(o);
    if (st == SCARCE_OK && o->folds) st = scarce_compare_write_folds(o->folds, table, &co, ctx, &err);
    else if (st == SCARCE_OK) {
        st = scarce_compare_run(&c, table, o->methods.items, o->methods.count, &co, ctx, &err);
        talk_clear();
        scarce_comparison_view view = SCARCE_COMPARISON_VIEW_INIT;
        view.compare = c, view.metrics = metrics, view.n_metrics = n, view.table = table, view.options = &co;
        if (st == SCARCE_OK) st = tell(view, o, &args->paths, judged, ctx, &err);
    }
    if ((st == SCARCE_ECANCEL && table) || (st == SCARCE_OK && c && scarce_compare_unfinished(c)))
        code = say_stopped(o, results, c);
    else if (st != SCARCE_OK) code = complain_status(&err);
    else if (!o->results && o->methods.count > 0) remove_finished(results);
    forget_rankings(&rankings);
    scarce_compare_free(c);
    scarce_table_free(table);
    free(results);
    return code;
}

const command command_compare = {
    "compare",
    "the same splits for several methods, with tests of significance",
    "DATA... --methods A,B,... [options]",
    "  scarce compare pay.csv --time tx_time --group card --methods gb,logistic \\\n"
    "         --protocol temporal:train=30d,gap=7d,test=7d\n"
    "  scarce compare yeast5.csv --methods gb,gb:splits=random:n_trees=500 --protocol cv:5 --repeats 6\n"
    "  scarce compare pay.csv --time tx_time --methods gb --scores rules=rules.csv --scores "
    "bank=theirs.csv\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(compare_command),
    data_option_specs,
    offsetof(compare_command, data),
    0,
    defaults,
    run};
