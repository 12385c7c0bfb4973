/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of metrics, curves, bootstrap, paired tests and simulated data fails once: ENOMEM, results
 * as promised for failures (all NaN, empty, unchanged), nothing leaked. */
#include <stdlib.h>

#include <scarce/metrics.h>
#include <scarce/simulate.h>

#include "core/random.h"
#include "oom/walk.h"

#ifdef SCARCE_FAULTS

enum { N = 300 };

static scarce_context *ctx;
static double score[N], weight[N], probability[N], when[N], amount[N];
static uint8_t label[N];
static int32_t group[N];
static scarce_scored rows;
static const char *const *settings;
static size_t n_settings;
static const char *kind;

static void prepare(void)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 0);
    o.threads = 2;
    if (scarce_context_new(&ctx, &o, NULL) != SCARCE_OK) abort();
    for (size_t i = 0; i < N; ++i) {
        label[i] = i % 7 == 0;
        score[i] = floor(scarce__random_normal(&r) * 8) / 8 + label[i]; /* with ties */
        probability[i] = 1 / (1 + exp(-score[i]));
        weight[i] = 1 + (double)(i % 3);
        when[i] = (double)i * 3000;
        amount[i] = (double)(i % 50);
        group[i] = (int32_t)(i % 23);
    }
    rows = (scarce_scored){N, score, label, weight, probability, when, amount, group};
}

static scarce_status metrics(scarce_error *err)
{
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    o.cost = 3;
    o.card_k = 2;
    const scarce_status st = scarce_metrics_compute(&m, &rows, &o, ctx, err);
    for (size_t i = 0; st && i < scarce_metric_count(); ++i) CHECK(isnan(scarce_metric_value(&m, i)));
    CHECK(st || (m.ap > 0 && m.ap <= 1 && m.rows == N));
    return st;
}

static scarce_status average_precision(scarce_error *err)
{
    double ap = 7;
    const scarce_status st = scarce_average_precision(&ap, score, label, NULL, N, ctx, err);
    CHECK(st ? isnan(ap) || ap == 7 : ap > 0 && ap <= 1);
    return st;
}

static scarce_status at_k(scarce_error *err)
{
    static const double k[] = {1, 10, 100};
    double precision[3], recall[3], recovered[3];
    return scarce_metrics_at_k(precision, recall, recovered, &rows, k, 3, ctx, err);
}

static scarce_status curve(int roc, scarce_error *err)
{
    scarce_curve c = {9, score, score, score};
    const scarce_status st =
        roc ? scarce_curve_roc(&c, &rows, 50, ctx, err) : scarce_curve_pr(&c, &rows, 0, ctx, err);
    CHECK(!st == (c.n > 0) && !st == (c.x != NULL));
    scarce_curve_deinit(&c);
    return st;
}

static scarce_status roc(scarce_error *err)
{
    return curve(1, err);
}

static scarce_status pr(scarce_error *err)
{
    return curve(0, err);
}

static scarce_status calibration(scarce_error *err)
{
    scarce_calibration_bin bins[5];
    return scarce_curve_calibration(bins, 5, SCARCE_BINS_EQUAL_COUNT, &rows, ctx, err);
}

static scarce_status costs(scarce_error *err)
{
    static const double c[] = {0.5, 2, 10};
    scarce_cost_point points[3];
    return scarce_curve_cost(points, c, 3, &rows, NULL, ctx, err);
}

static scarce_status bootstrap(scarce_bootstrap_by by, scarce_error *err)
{
    scarce_bootstrap_options o = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    const size_t which[] = {scarce_metric_find("ap"), scarce_metric_find("auc_roc"),
                            scarce_metric_find("brier")};
    scarce_metrics_interval out[3];
    o.replicates = 20;
    o.by = by;
    return scarce_metrics_bootstrap(out, which, 3, &rows, NULL, &o, ctx, err);
}

static scarce_status bootstrap_class(scarce_error *err)
{
    return bootstrap(SCARCE_BOOTSTRAP_BY_CLASS, err);
}

static scarce_status bootstrap_group(scarce_error *err)
{
    return bootstrap(SCARCE_BOOTSTRAP_BY_GROUP, err);
}

static scarce_status wilcoxon(scarce_error *err)
{
    scarce_wilcoxon_result out;
    return scarce_wilcoxon(&out, score, probability, 60, err);
}

static scarce_status holm(scarce_error *err)
{
    double adjusted[20];
    return scarce_holm(adjusted, probability, 20, err);
}

static scarce_status friedman(scarce_error *err)
{
    scarce_friedman_result out;
    double ranks[4];
    return scarce_friedman(&out, ranks, score, 20, 4, 1, err);
}

static scarce_status simulate(scarce_error *err)
{
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    const scarce_status st = scarce_simulate(kind, settings, n_settings, "/dev/null", ctx, &s, err);
    CHECK(!st == (s.rows > 0));
    return st;
}

static scarce_status simulate_table(scarce_error *err)
{
    scarce_table *t = NULL;
    const scarce_status st = scarce_simulate_table(&t, kind, settings, n_settings, ctx, NULL, err);
    CHECK(!st == (t != NULL));
    scarce_table_free(t);
    return st;
}

static void test_eval(void)
{
    static const struct {
        const char *name;
        oom_scenario run;
    } scenarios[] = {
        {"metrics", metrics},
        {"average_precision", average_precision},
        {"at_k", at_k},
        {"roc", roc},
        {"pr", pr},
        {"calibration", calibration},
        {"costs", costs},
        {"bootstrap_class", bootstrap_class},
        {"bootstrap_group", bootstrap_group},
        {"wilcoxon", wilcoxon},
        {"friedman", friedman},
        {"holm", holm},
    };
    prepare();
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i)
        oom_walk(scenarios[i].name, scenarios[i].run);
    scarce_context_free(ctx);
}

static void test_simulate(void)
{
    static const char *const hard[] = {"transactions=600", "days=10"},
                             *const handbook[] = {"preset=handbook", "cards=20", "days=10"},
                             *const copula[] = {"rows=100", "features=20", "truth=true",
                                                "intercept_rows=200"},
                             *const toy[] = {"variant=square"};
    prepare();
    kind = "fraud";
    settings = hard;
    n_settings = 2;
    oom_walk("hard", simulate);
    settings = handbook;
    n_settings = 3;
    oom_walk("handbook", simulate);
    kind = "toy";
    settings = toy;
    n_settings = 1;
    oom_walk("toy", simulate);
    kind = "copula";
    settings = copula;
    n_settings = 4;
    oom_walk("copula", simulate);
    oom_walk("copula table", simulate_table);
    scarce_context_free(ctx);
}

#else

static void test_eval(void)
{
}
static void test_simulate(void)
{
}

#endif

static const test_case tests[] = {{"eval", test_eval}, {"simulate", test_simulate}};
TEST_MAIN(tests)
