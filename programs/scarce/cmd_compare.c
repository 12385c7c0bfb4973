/* SPDX-License-Identifier: Apache-2.0 */
/* scarce compare DATA --methods A,B,...: the same splits for all, and what the differences are worth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct compare_command {
    common_options common;
    data_options data;
    text_list methods, metrics;
    const char *protocol, *results, *metric;
    long repeats, tune;
    double k, cost, card_k;
    int purge;
} compare_command;

#define AT(f) offsetof(compare_command, f)
static const option_spec specs[] = {
    {"--methods", "A,B,...", OPTION_COMMAS, AT(methods),
     "name[:key=value]... items, e.g. gb,gb:n_trees=50:max_depth=2,logistic"},
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
     "by time: leave out test rows of groups with a positive known before the gap"},
    {"--results", "FILE", OPTION_TEXT, AT(results),
     "every finished fit goes there, and is not computed again"},
};

static void defaults(void *options)
{
    compare_command *o = options;
    o->repeats = 10;
    o->k = o->cost = (double)NAN;
    o->card_k = 100;
}

static const char *const usual_metrics[] = {"ap", "precision_at_k", "auc_roc", "f1_best"};

/* The values of a metric: value[fold * methods + method]. */
static double *values_of(const scarce_compare *c, size_t metric)
{
    const size_t methods = scarce_compare_methods(c), folds = scarce_compare_folds(c);
    double *value = malloc(methods * folds * sizeof *value);
    for (size_t f = 0; value && f < folds; ++f)
        for (size_t m = 0; m < methods; ++m)
            value[f * methods + m] = scarce_metric_value(scarce_compare_metrics(c, m, f), metric);
    return value;
}

typedef struct pair {
    size_t a, b;
    scarce_wilcoxon_result wilcoxon;
    double difference, holm;
} pair;

typedef struct tests {
    double *rank; /* per method */
    scarce_friedman_result friedman;
    pair *pairs;
    size_t n_pairs;
} tests;

static void forget_tests(tests *t)
{
    free(t->rank);
    free(t->pairs);
}

static scarce_status compare_pair(pair *p, const double *value, size_t methods, size_t folds,
                                  scarce_error *err)
{
    double *a = malloc(folds * sizeof *a), *b = malloc(folds * sizeof *b), sum = 0;
    size_t n = 0;
    scarce_status st = a && b ? SCARCE_OK : fail_with(err, SCARCE_ENOMEM, "out of memory");

    for (size_t f = 0; st == SCARCE_OK && f < folds; ++f) {
        a[f] = value[f * methods + p->a];
        b[f] = value[f * methods + p->b];
        if (isnan(a[f]) || isnan(b[f])) continue;
        sum += a[f] - b[f];
        ++n;
    }
    p->difference = n ? sum / (double)n : (double)NAN;
    if (st == SCARCE_OK) st = scarce_wilcoxon(&p->wilcoxon, a, b, folds, err);
    free(a);
    free(b);
    return st;
}

static scarce_status make_tests(tests *t, const scarce_compare *c, size_t metric, scarce_error *err)
{
    const size_t methods = scarce_compare_methods(c), folds = scarce_compare_folds(c);
    double *value = values_of(c, metric), *p = NULL;
    scarce_status st = SCARCE_OK;

    memset(t, 0, sizeof *t);
    t->rank = calloc(methods, sizeof *t->rank);
    t->pairs = calloc(methods * methods, sizeof *t->pairs);
    p = calloc(methods * methods, sizeof *p);
    if (!value || !t->rank || !t->pairs || !p) st = fail_with(err, SCARCE_ENOMEM, "out of memory");
    if (st == SCARCE_OK && methods > 1)
        st = scarce_friedman(&t->friedman, t->rank, value, folds, methods,
                             scarce_metric_direction(metric) < 0 ? -1 : 1, err);
    for (size_t a = 0; st == SCARCE_OK && a < methods; ++a)
        for (size_t b = a + 1; st == SCARCE_OK && b < methods; ++b) {
            pair *q = &t->pairs[t->n_pairs];
            q->a = a;
            q->b = b;
            st = compare_pair(q, value, methods, folds, err);
            p[t->n_pairs++] = q->wilcoxon.p;
        }
    if (st == SCARCE_OK && t->n_pairs) st = scarce_holm(p, p, t->n_pairs, err);
    for (size_t i = 0; st == SCARCE_OK && i < t->n_pairs; ++i) t->pairs[i].holm = p[i];
    free(value);
    free(p);
    return st;
}

static double mean_seconds(const scarce_compare *c, size_t method)
{
    double sum = 0;
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) sum += scarce_compare_seconds(c, method, f);
    return sum / (double)scarce_compare_folds(c);
}

/* Folds of this size and spread that a two-sided test at 5 % would need to see the difference with 80 %. */
static double folds_needed(const scarce_compare *c, const pair *p, size_t metric)
{
    double sum = 0, n = 0;
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) {
        const double d = scarce_metric_value(scarce_compare_metrics(c, p->a, f), metric) -
                         scarce_metric_value(scarce_compare_metrics(c, p->b, f), metric);
        if (isnan(d)) continue;
        sum += (d - p->difference) * (d - p->difference);
        n += 1;
    }
    if (n < 3 || p->difference == 0) return (double)NAN;
    return 7.85 * sum / (n - 1) / (p->difference * p->difference); /* (1.96 + 0.84)^2 */
}

static double mean_test_positives(const scarce_compare *c)
{
    double sum = 0;
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) {
        size_t a, b, d, positives;
        scarce_compare_fold(c, f, &a, &b, &d, &positives);
        sum += (double)positives;
    }
    return sum / (double)scarce_compare_folds(c);
}

static scarce_status print_table(const scarce_compare *c, const tests *t, const size_t *metrics, size_t n,
                                 const scarce_context *ctx, scarce_error *err)
{
    printf("%-32s", "method");
    for (size_t i = 0; i < n; ++i) printf("  %-17s", scarce_metric_name(metrics[i]));
    printf("  %6s  %9s\n", "rank", "seconds");
    for (size_t m = 0; m < scarce_compare_methods(c); ++m) {
        printf("%-32s", scarce_compare_name(c, m));
        for (size_t i = 0; i < n; ++i) {
            scarce_summary s;
            const scarce_status st = scarce_compare_summary(&s, c, m, metrics[i], ctx, err);
            char text[32] = "n/a";
            if (st != SCARCE_OK) return st;
            if (s.n > 1) snprintf(text, sizeof text, "%.4f +- %.4f", s.mean, s.sd);
            else if (s.n == 1) snprintf(text, sizeof text, "%.4f", s.mean);
            printf("  %-17s", text);
        }
        printf("  %6.2f  %9.3f\n", scarce_compare_methods(c) > 1 ? t->rank[m] : 1.0, mean_seconds(c, m));
    }
    return SCARCE_OK;
}

static void print_tests(const scarce_compare *c, const tests *t, size_t metric)
{
    const char *name = scarce_metric_name(metric);
    size_t undefined = 0;
    for (size_t f = 0; f < scarce_compare_folds(c); ++f)
        if (isnan(scarce_metric_value(scarce_compare_metrics(c, 0, f), metric))) ++undefined;
    if (undefined)
        printf("\n%zu of %zu folds have no %s (a class is missing in the test part) and are left out\n",
               undefined, scarce_compare_folds(c), name);
    if (t->n_pairs == 0) return;
    if (scarce_compare_methods(c) > 2)
        printf("\nFriedman test of %s: chi2 %.3f, p %.4g\n", name, t->friedman.chi2, t->friedman.p);
    printf("\npaired differences in %s (Wilcoxon signed-rank, Holm's correction)\n", name);
    for (size_t i = 0; i < t->n_pairs; ++i) {
        const pair *p = &t->pairs[i];
        const double needed = folds_needed(c, p, metric), positives = mean_test_positives(c);
        printf("  %s - %s: %+.4f, p %.4g", scarce_compare_name(c, p->a), scarce_compare_name(c, p->b),
               p->difference, p->holm);
        if (p->holm < 0.05) printf(", real\n");
        else if (isnan(needed) || needed > 1e5) printf(", can't be told apart\n");
        else if (needed > (double)p->wilcoxon.n)
            printf(", not proved: about %.0f more test positives would be needed to tell\n",
                   (needed - (double)p->wilcoxon.n) * positives);
        else printf(", not proved\n");
    }
}

static void json_method(const scarce_compare *c, const tests *t, size_t m, const scarce_context *ctx)
{
    json_open('{');
    json_key("name"), json_text(scarce_compare_name(c, m));
    json_key("rank"), json_number(scarce_compare_methods(c) > 1 ? t->rank[m] : 1.0);
    json_key("seconds"), json_number(mean_seconds(c, m));
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        scarce_summary s;
        if (scarce_compare_summary(&s, c, m, i, ctx, NULL) != SCARCE_OK) continue;
        json_key(scarce_metric_name(i)), json_open('{');
        json_key("mean"), json_number(s.mean);
        json_key("sd"), json_number(s.sd);
        json_key("lo"), json_number(s.lo);
        json_key("hi"), json_number(s.hi);
        json_key("undefined"), json_count(s.undefined);
        json_close('}');
    }
    json_key("folds"), json_open('[');
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) {
        size_t train_rows, train_positives, test_rows, test_positives;
        scarce_compare_fold(c, f, &train_rows, &train_positives, &test_rows, &test_positives);
        json_open('{');
        json_key("train_rows"), json_count(train_rows);
        json_key("train_positives"), json_count(train_positives);
        json_key("test_rows"), json_count(test_rows);
        json_key("test_positives"), json_count(test_positives);
        json_key("seconds"), json_number(scarce_compare_seconds(c, m, f));
        print_metrics_json(scarce_compare_metrics(c, m, f));
        json_close('}');
    }
    json_close(']');
    json_close('}');
}

static void print_json(const scarce_compare *c, const tests *t, size_t metric, const scarce_context *ctx)
{
    json_open('{');
    json_key("methods"), json_open('[');
    for (size_t m = 0; m < scarce_compare_methods(c); ++m) json_method(c, t, m, ctx);
    json_close(']');
    json_key("metric"), json_text(scarce_metric_name(metric));
    json_key("friedman"), json_open('{');
    json_key("chi2"), json_number(t->n_pairs ? t->friedman.chi2 : (double)NAN);
    json_key("p"), json_number(t->n_pairs ? t->friedman.p : (double)NAN);
    json_close('}');
    json_key("tests"), json_open('[');
    for (size_t i = 0; i < t->n_pairs; ++i) {
        const pair *p = &t->pairs[i];
        json_open('{');
        json_key("a"), json_text(scarce_compare_name(c, p->a));
        json_key("b"), json_text(scarce_compare_name(c, p->b));
        json_key("difference"), json_number(p->difference);
        json_key("p"), json_number(p->wilcoxon.p);
        json_key("p_holm"), json_number(p->holm);
        json_close('}');
    }
    json_close(']');
    json_close('}');
    json_end();
}

static int find_metrics(const compare_command *o, size_t *metrics, size_t *n, size_t *judged)
{
    const char *const *names = o->metrics.count ? o->metrics.items : usual_metrics;
    *n = o->metrics.count ? o->metrics.count : 4;
    if (*n > 16) return complain(EXIT_USE, "--metrics: at most 16");
    for (size_t i = 0; i < *n; ++i) {
        metrics[i] = scarce_metric_find(names[i]);
        if (metrics[i] == SIZE_MAX) return complain(EXIT_USE, "no metric \"%s\"", names[i]);
    }
    *judged = scarce_metric_find(o->metric ? o->metric : "ap");
    if (*judged == SIZE_MAX || scarce_metric_direction(*judged) == 0)
        return complain(EXIT_USE, "--metric %s is no quality to compare by", o->metric);
    return EXIT_DONE;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const compare_command *o = options;
    scarce_compare_options co = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare *c = NULL;
    scarce_table *table = NULL;
    size_t metrics[16], n = 0, judged = 0;
    tests t;
    scarce_status st;
    int code;

    memset(&t, 0, sizeof t);
    if (args->paths.count == 0)
        return complain(EXIT_USE, "which data? (scarce compare DATA --methods gb,logistic)");
    if (o->methods.count == 0) return complain(EXIT_USE, "which --methods? (scarce methods lists them)");
    code = find_metrics(o, metrics, &n, &judged);
    if (code != EXIT_DONE) return code;
    co.protocol = o->protocol;
    co.repeats = (size_t)o->repeats;
    co.metric = o->metric;
    co.tune = (size_t)o->tune;
    co.purge_known = o->purge;
    co.results = o->results;
    if (o->k < 1) co.metrics.k_share = o->k;
    else co.metrics.k = o->k;
    co.metrics.cost = o->cost;
    co.metrics.card_k = o->card_k;
    st = read_table(&table, &args->paths, &o->data, NULL, ctx, &err);
    if (st == SCARCE_OK)
        st = scarce_compare_run(&c, table, o->methods.items, o->methods.count, &co, ctx, &err);
    talk_clear();
    if (st == SCARCE_OK) st = make_tests(&t, c, judged, &err);
    if (st == SCARCE_OK && o->common.json) print_json(c, &t, judged, ctx);
    else if (st == SCARCE_OK) {
        st = print_table(c, &t, metrics, n, ctx, &err);
        if (st == SCARCE_OK) print_tests(c, &t, judged);
    }
    forget_tests(&t);
    scarce_compare_free(c);
    scarce_table_free(table);
    if (st == SCARCE_ECANCEL && o->results)
        return complain(EXIT_INTERRUPTED, "%s; the same command goes on from %s", err.text, o->results);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_compare = {
    "compare",
    "the same splits for several methods, with tests of significance",
    "DATA... --methods A,B,... [options]",
    "  scarce compare pay.csv --time tx_time --group card --methods gb,logistic \\\n"
    "         --protocol temporal:train=30d,gap=7d,test=7d\n"
    "  scarce compare yeast5.csv --methods gb,gb:splits=random:n_trees=500 --protocol cv:5 --repeats 6\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(compare_command),
    data_option_specs,
    offsetof(compare_command, data),
    0,
    defaults,
    run};
