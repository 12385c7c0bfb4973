/* SPDX-License-Identifier: Apache-2.0 */
/* Curves and intervals: areas, corners, brute force over thresholds, replicates drawn the slow way. */
#include <stdlib.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "core/random.h"
#include "test.h"

enum { N = 500 };

static double score[N], weight[N], probability[N], amount[N];
static uint8_t label[N];
static int32_t group[N];

static scarce_scored make_rows(uint64_t index, int weighted)
{
    scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, index);
    const double levels = index % 2 ? 8 : 1e12;
    for (size_t i = 0; i < N; ++i) {
        label[i] = i < 3 || scarce__random_unit(&r) < .1;
        score[i] = floor(levels * (scarce__random_unit(&r) + .4 * label[i])) / levels;
        weight[i] = floor(scarce__random_unit(&r) * 5);
        probability[i] = floor(scarce__random_unit(&r) * 41) / 40;
        amount[i] = floor(100 * scarce__random_unit(&r));
        group[i] = (int32_t)(scarce__random_unit(&r) * 60) * 3;
    }
    weight[0] = 1;
    return (scarce_scored){N, score, label, weighted ? weight : NULL, probability, NULL, amount, group};
}

static void test_roc(void)
{
    for (uint64_t c = 0; c < 20; ++c) {
        const scarce_scored in = make_rows(c, c % 4 > 1);
        scarce_curve roc, small;
        scarce_metrics m = SCARCE_METRICS_INIT;
        double area = 0;
        CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_curve_roc(&roc, &in, 0, NULL, NULL) == SCARCE_OK);
        CHECK(roc.x[0] == 0 && roc.y[0] == 0 && isinf(roc.threshold[0]));
        CHECK(roc.x[roc.n - 1] == 1 && roc.y[roc.n - 1] == 1);
        for (size_t i = 1; i < roc.n; ++i) {
            area += (roc.x[i] - roc.x[i - 1]) * (roc.y[i] + roc.y[i - 1]) / 2;
            CHECK(roc.x[i] >= roc.x[i - 1] && roc.y[i] >= roc.y[i - 1] &&
                  roc.threshold[i] < roc.threshold[i - 1]);
        }
        CHECK_NEAR(area, m.auc_roc, 1e-12); /* also: what was dropped lay on straight pieces */
        CHECK(scarce_curve_roc(&small, &in, 6, NULL, NULL) == SCARCE_OK);
        CHECK(small.n <= 6 && small.n >= 3 && small.x[0] == 0 && small.y[small.n - 1] == 1);
        scarce_curve_deinit(&roc);
        scarce_curve_deinit(&small);
        CHECK(roc.x == NULL);
    }
    scarce_curve_deinit(NULL);
}

static void test_pr(void)
{
    for (uint64_t c = 0; c < 20; ++c) {
        const scarce_scored in = make_rows(c, c % 4 > 1);
        scarce_curve pr;
        scarce_metrics m = SCARCE_METRICS_INIT;
        double ap = 0;
        CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_curve_pr(&pr, &in, 0, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < pr.n; ++i) ap += (pr.x[i] - (i ? pr.x[i - 1] : 0)) * pr.y[i];
        CHECK_NEAR(ap, m.ap, 1e-12);
        CHECK(pr.x[pr.n - 1] == 1);
        scarce_curve_deinit(&pr);
    }
}

static void test_without_a_class(void)
{
    scarce_scored in = make_rows(1, 0);
    scarce_curve c;
    scarce_error err = SCARCE_ERROR_INIT;
    memset(label, 0, sizeof label);
    CHECK(scarce_curve_pr(&c, &in, 0, NULL, &err) == SCARCE_EDATA && c.x == NULL && c.n == 0);
    CHECK_TEXT(err.text, "no curve without positives");
    memset(label, 1, sizeof label);
    CHECK(scarce_curve_roc(&c, &in, 0, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "no curve without negatives");
}

static void test_at_k(void)
{
    const double k[] = {40, 1, 500, 7, 7, 9999};
    for (uint64_t c = 0; c < 20; ++c) {
        const scarce_scored in = make_rows(c, c % 4 > 1);
        double precision[6], recall[6], money[6];
        CHECK(scarce_metrics_at_k(precision, recall, money, &in, k, 6, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < 6; ++i) {
            scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
            scarce_metrics m = SCARCE_METRICS_INIT;
            o.k = k[i];
            CHECK(scarce_metrics_compute(&m, &in, &o, NULL, NULL) == SCARCE_OK);
            CHECK(isnan(precision[i]) == isnan(m.precision_at_k));
            if (!isnan(precision[i])) CHECK_NEAR(precision[i], m.precision_at_k, 1e-12);
            CHECK_NEAR(recall[i], m.recall_at_k, 1e-12);
            CHECK_NEAR(money[i], m.amount_recovered_at_k, 1e-9);
        }
        CHECK(scarce_metrics_at_k(NULL, recall, NULL, &in, k, 6, NULL, NULL) == SCARCE_OK);
    }
}

static void test_calibration(void)
{
    for (uint64_t c = 0; c < 10; ++c) {
        const scarce_scored in = make_rows(c, c % 4 > 1);
        scarce_calibration_bin bin[15];
        scarce_metrics m = SCARCE_METRICS_INIT;
        double total = 0, ece = 0, sum = 0;
        CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_curve_calibration(bin, 15, SCARCE_BINS_EQUAL_WIDTH, &in, NULL, NULL) == SCARCE_OK);
        for (size_t b = 0; b < 15; ++b) total += bin[b].weight;
        for (size_t b = 0; b < 15; ++b) {
            if (bin[b].weight == 0) continue;
            ece += bin[b].weight / total * fabs(bin[b].mean_probability - bin[b].share_positive);
            CHECK(bin[b].mean_probability >= bin[b].lo && bin[b].mean_probability <= bin[b].hi);
        }
        CHECK_NEAR(ece, m.ece, 1e-12);
        CHECK(scarce_curve_calibration(bin, 10, SCARCE_BINS_EQUAL_COUNT, &in, NULL, NULL) == SCARCE_OK);
        for (size_t b = 0; b < 10;
             ++b) { /* 41 values, 500 rows: a bin gets its 50 rows, give or take a value */
            if (b > 0) CHECK(bin[b].lo > bin[b - 1].hi);
            sum += bin[b].weight;
            if (!in.weight) CHECK(bin[b].weight > 20 && bin[b].weight < 80);
        }
        CHECK_NEAR(sum, total, 1e-9);
    }
}

static double cost_at(const scarce_scored *in, const double *against, double t, double c)
{
    double cost = 0;
    for (size_t i = 0; i < in->n; ++i) {
        const double w = in->weight ? in->weight[i] : 1;
        cost += against[i] >= t ? w * c : in->label[i] ? w * in->amount[i] : 0;
    }
    return cost;
}

static void test_cost(void)
{
    const double c[] = {0, 1, 4, 20, 1000};
    for (uint64_t round = 0; round < 10; ++round) {
        const scarce_scored in = make_rows(round, round % 4 > 1);
        scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
        scarce_cost_point p[5];
        o.threshold = .6;
        CHECK(scarce_curve_cost(p, c, 5, &in, &o, NULL, NULL) == SCARCE_OK);
        for (size_t k = 0; k < 5; ++k) {
            double best = cost_at(&in, score, INFINITY, c[k]), by_value = 0;
            for (size_t t = 0; t < N; ++t) best = fmin(best, cost_at(&in, score, score[t], c[k]));
            for (size_t i = 0; i < N; ++i) {
                const double w = in.weight ? weight[i] : 1;
                by_value += probability[i] * amount[i] >= c[k] ? w * c[k] : label[i] ? w * amount[i] : 0;
            }
            CHECK_NEAR(p[k].best, best, 1e-7);
            CHECK_NEAR(cost_at(&in, score, p[k].best_threshold, c[k]), best, 1e-7);
            CHECK_NEAR(p[k].none, cost_at(&in, score, INFINITY, c[k]), 1e-7);
            CHECK_NEAR(p[k].all, cost_at(&in, score, -INFINITY, c[k]), 1e-7);
            CHECK_NEAR(p[k].at_threshold, cost_at(&in, score, .6, c[k]), 1e-7);
            CHECK_NEAR(p[k].by_value, by_value, 1e-7);
        }
    }
}

/* A replicate made for real: rows copied out and ranked anew must give the metrics of the counted one. */
/* Gains against adding up for every threshold. */
static void test_gains(void)
{
    for (uint64_t q = 0; q < 20; ++q) {
        const scarce_scored in = make_rows(q, q % 4 > 1);
        const double c = (double)(q % 5) * 7;
        scarce_gains all, few;
        double least = INFINITY;
        CHECK(scarce_curve_gains(&all, &in, c, 0, NULL, NULL) == SCARCE_OK);
        CHECK(all.alerts[0] == 0 && isinf(all.threshold[0]) && all.cost[0] == all.at_stake);
        for (size_t i = 0; i < all.n; ++i) {
            double alerts = 0, recovered = 0, missed = 0;
            for (size_t k = 0; k < N; ++k) {
                const double w = in.weight ? in.weight[k] : 1;
                if (score[k] >= all.threshold[i]) alerts += w;
                if (!label[k]) continue;
                *(score[k] >= all.threshold[i] ? &recovered : &missed) += w * amount[k];
            }
            CHECK_NEAR(all.alerts[i], alerts, 1e-9);
            CHECK_NEAR(all.recovered[i], recovered, 1e-9);
            CHECK_NEAR(all.cost[i], missed + c * alerts, 1e-9);
            if (all.cost[i] < least) least = all.cost[i];
        }
        CHECK(all.cost[all.best] == least);
        for (size_t i = 0; i < all.best; ++i) CHECK(all.cost[i] > least);
        CHECK(scarce_curve_gains(&few, &in, c, 6, NULL, NULL) == SCARCE_OK);
        CHECK(few.n <= 7 && few.n < all.n && few.alerts[0] == 0);
        CHECK(few.alerts[few.n - 1] == all.alerts[all.n - 1] && few.cost[few.best] == least);
        scarce_gains_deinit(&all);
        scarce_gains_deinit(&few);
    }
    scarce_scored in = make_rows(1, 0);
    scarce_gains g;
    CHECK(scarce_curve_gains(&g, &in, -1, 0, NULL, NULL) == SCARCE_EINVAL && g.n == 0);
    CHECK(scarce_curve_gains(&g, &in, NAN, 0, NULL, NULL) == SCARCE_EINVAL);
    in.amount = NULL;
    CHECK(scarce_curve_gains(&g, &in, 0, 0, NULL, NULL) == SCARCE_OK);
    double positives = 0;
    for (size_t i = 0; i < N; ++i) positives += label[i];
    CHECK(g.at_stake == positives && g.cost[g.best] == 0); /* looking is free: everything is found */
    scarce_gains_deinit(&g);
    in.n = 0;
    CHECK(scarce_curve_gains(&g, &in, 1, 9, NULL, NULL) == SCARCE_OK && g.n == 1 && g.best == 0);
    scarce_gains_deinit(&g);
    scarce_gains_deinit(NULL);
}

/* Decisions given row by row count as those of a threshold that makes the same ones, in the bootstrap too. */
static void test_alerts_given(void)
{
    const scarce_scored in = make_rows(3, 1);
    static uint8_t alert[N];
    const size_t metrics[] = {scarce_metric_find("precision"), scarce_metric_find("cost"),
                              scarce_metric_find("ap")};
    scarce_metrics_options by_score = SCARCE_METRICS_OPTIONS_INIT, given;
    scarce_bootstrap_options bo = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    scarce_metrics_interval a[3], b[3];
    scarce_metrics x = SCARCE_METRICS_INIT, y = SCARCE_METRICS_INIT;
    scarce_cost_point p, q;
    const double c = 3;

    by_score.threshold = 0.75;
    by_score.cost = 2;
    bo.replicates = 20;
    given = by_score;
    given.threshold = NAN;
    given.alert = alert;
    for (size_t i = 0; i < N; ++i) alert[i] = score[i] >= 0.75 ? 3 : 0;
    CHECK(scarce_metrics_compute(&x, &in, &by_score, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_metrics_compute(&y, &in, &given, NULL, NULL) == SCARCE_OK);
    CHECK(isnan(y.threshold));
    y.threshold = x.threshold;
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        const double u = scarce_metric_value(&x, i), v = scarce_metric_value(&y, i);
        CHECK(u == v || (isnan(u) && isnan(v)));
    }
    CHECK(scarce_metrics_bootstrap(a, metrics, 3, &in, &by_score, &bo, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_metrics_bootstrap(b, metrics, 3, &in, &given, &bo, NULL, NULL) == SCARCE_OK);
    for (int i = 0; i < 3; ++i) CHECK(a[i].lo == b[i].lo && a[i].hi == b[i].hi && a[i].value == b[i].value);
    CHECK(scarce_curve_cost(&p, &c, 1, &in, &by_score, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_curve_cost(&q, &c, 1, &in, &given, NULL, NULL) == SCARCE_OK);
    CHECK(p.at_threshold == q.at_threshold);
}

static void test_bootstrap_replicate(void)
{
    static const char *const names[] = {"ap",       "auc_roc", "precision_at_k", "f1_best", "mcc",
                                        "log_loss", "ece"};
    static double s[2 * N * 10], w[2 * N * 10], p[2 * N * 10], a[2 * N * 10];
    static uint8_t y[2 * N * 10];
    for (int by_group = 0; by_group < 2; ++by_group) {
        scarce_scored in = make_rows(3, 1);
        scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
        scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
        scarce_metrics_interval got[7];
        size_t metric[7], n = 0, units[N], times[N] = {0}, n_pos = 0;
        scarce__random r = scarce__random_start(1, SCARCE__FOR_BOOTSTRAP, 0);
        for (size_t i = 0; i < N; ++i) score[i] = 1 - (double)i / N; /* sorted, so that the order is known */
        b.replicates = 1;
        b.by = by_group ? SCARCE_BOOTSTRAP_BY_GROUP : SCARCE_BOOTSTRAP_BY_CLASS;
        for (size_t i = 0; i < 7; ++i) metric[i] = scarce_metric_find(names[i]);
        CHECK(scarce_metrics_bootstrap(got, metric, 7, &in, &o, &b, NULL, NULL) == SCARCE_OK);

        if (by_group) {
            size_t n_groups = 0, copies[200] = {0};
            for (int32_t g = 0; g < 180; ++g) {
                int seen = 0;
                for (size_t i = 0; i < N; ++i) seen |= group[i] == g;
                if (seen) units[n_groups++] = (size_t)g;
            }
            for (size_t i = 0; i < n_groups; ++i)
                ++copies[units[(size_t)(scarce__random_unit(&r) * (double)n_groups)]];
            for (size_t i = 0; i < N; ++i) times[i] = copies[group[i]];
        } else {
            for (int positive = 1; positive >= 0; --positive) {
                n_pos = 0;
                for (size_t i = 0; i < N; ++i)
                    if (label[i] == positive) units[n_pos++] = i;
                for (size_t i = 0; i < n_pos; ++i)
                    ++times[units[(size_t)(scarce__random_unit(&r) * (double)n_pos)]];
            }
        }
        for (size_t i = 0; i < N; ++i)
            for (size_t t = 0; t < times[i]; ++t, ++n) {
                s[n] = score[i];
                w[n] = weight[i];
                p[n] = probability[i];
                a[n] = amount[i];
                y[n] = label[i];
            }
        const scarce_scored copy = {n, s, y, w, p, NULL, a, NULL};
        scarce_metrics m = SCARCE_METRICS_INIT;
        CHECK(scarce_metrics_compute(&m, &copy, &o, NULL, NULL) == SCARCE_OK);
        if (!by_group) CHECK(n == N);
        for (size_t i = 0; i < 7; ++i) {
            CHECK_NEAR(got[i].lo, scarce_metric_value(&m, metric[i]), 1e-12);
            CHECK(got[i].lo == got[i].hi && isnan(got[i].sd));
        }
    }
}

static void test_bootstrap(void)
{
    const scarce_scored in = make_rows(4, 0);
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    const size_t metric[] = {scarce_metric_find("ap"), scarce_metric_find("auc_roc"),
                             scarce_metric_find("recall")};
    scarce_metrics_interval first[3], got[3];
    scarce_metrics m = SCARCE_METRICS_INIT;
    b.replicates = 300;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, NULL) == SCARCE_OK);
    for (int threads = 1; threads < 4; ++threads) {
        scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        co.threads = threads;
        CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
        CHECK(scarce_metrics_bootstrap(got, metric, 3, &in, NULL, &b, ctx, NULL) == SCARCE_OK);
        if (threads == 1) memcpy(first, got, sizeof got);
        CHECK(memcmp(first, got, sizeof got) == 0);
        scarce_context_free(ctx);
    }
    CHECK_NEAR(got[0].value, m.ap, 1e-12);
    for (size_t i = 0; i < 3; ++i) {
        CHECK(got[i].lo < got[i].value && got[i].value < got[i].hi && got[i].undefined == 0);
        /* an interval of 95 % is nearly four standard errors wide */
        CHECK(fabs((got[i].hi - got[i].lo) / (4 * got[i].sd) - 1) < .15);
    }
    /* the standard error of a recall is that of a share: sqrt(r (1 - r) / P), here by class */
    b.by = SCARCE_BOOTSTRAP_BY_CLASS;
    b.replicates = 2000;
    CHECK(scarce_metrics_bootstrap(got, metric, 3, &in, NULL, &b, NULL, NULL) == SCARCE_OK);
    CHECK(fabs(got[2].sd / sqrt(m.recall * (1 - m.recall) / m.positives) - 1) < .08);
}

static int stop_now(void *payload, const scarce_progress *progress)
{
    (void)payload;
    return progress->done >= 64;
}

static void test_bootstrap_errors(void)
{
    scarce_scored in = make_rows(4, 0);
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    const size_t metric[] = {0, 9999};
    scarce_metrics_interval out[2];
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_metrics_bootstrap(out, metric, 2, &in, NULL, NULL, NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "there is no metric number 9999");
    co.progress = stop_now;
    co.threads = 1;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce_metrics_bootstrap(out, metric, 1, &in, NULL, NULL, ctx, NULL) == SCARCE_ECANCEL);
    CHECK(isnan(out[0].value));
    scarce_context_free(ctx);
    b.by = SCARCE_BOOTSTRAP_BY_GROUP;
    in.group = NULL;
    CHECK(scarce_metrics_bootstrap(out, metric, 1, &in, NULL, &b, NULL, NULL) == SCARCE_EINVAL);
    b.by = SCARCE_BOOTSTRAP_AUTO;
    memset(label, 0, sizeof label);
    b.replicates = 5;
    const size_t ap = scarce_metric_find("ap");
    CHECK(scarce_metrics_bootstrap(out, &ap, 1, &in, NULL, &b, NULL, NULL) == SCARCE_OK);
    CHECK(isnan(out[0].value) && isnan(out[0].lo) && out[0].undefined == 5);
}

static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    const scarce_scored in = make_rows(2, 1);
    const size_t ap = scarce_metric_find("ap");
    const double k = 5, c = 3;
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    b.replicates = 2;
    for (int call = 0; call < 8; ++call)
        for (size_t fail = 1;; ++fail) {
            scarce_curve curve = {0, NULL, NULL, NULL};
            scarce_calibration_bin bins[4];
            scarce_cost_point point;
            scarce_metrics_interval interval;
            scarce_wilcoxon_result w;
            scarce_friedman_result f;
            scarce_status st;
            double rank[2];
            scarce__alloc_fail_from(fail);
            switch (call) {
            case 0: st = scarce_curve_roc(&curve, &in, 0, NULL, NULL); break;
            case 1: st = scarce_curve_calibration(bins, 4, SCARCE_BINS_EQUAL_COUNT, &in, NULL, NULL); break;
            case 2: st = scarce_curve_cost(&point, &c, 1, &in, NULL, NULL, NULL); break;
            case 3: st = scarce_metrics_bootstrap(&interval, &ap, 1, &in, NULL, &b, NULL, NULL); break;
            case 4: st = scarce_metrics_at_k(rank, NULL, NULL, &in, &k, 1, NULL, NULL); break;
            case 5: st = scarce_wilcoxon(&w, score, amount, N, NULL); break;
            case 6: {
                scarce_gains gains;
                st = scarce_curve_gains(&gains, &in, c, 0, NULL, NULL);
                if (st != SCARCE_OK) CHECK(gains.n == 0 && gains.cost == NULL);
                scarce_gains_deinit(&gains);
                break;
            }
            default: st = scarce_friedman(&f, rank, score, 3, 2, 1, NULL); break;
            }
            scarce__alloc_fail_from(0);
            CHECK(st == SCARCE_OK || st == SCARCE_ENOMEM);
            if (st != SCARCE_OK) CHECK(curve.x == NULL);
            scarce_curve_deinit(&curve);
            if (st == SCARCE_OK) {
                CHECK(fail > 4);
                break;
            }
        }
#endif
}

static const test_case tests[] = {
    {"roc", test_roc},
    {"pr", test_pr},
    {"without_a_class", test_without_a_class},
    {"at_k", test_at_k},
    {"calibration", test_calibration},
    {"cost", test_cost},
    {"gains", test_gains},
    {"alerts_given", test_alerts_given},
    {"bootstrap_replicate", test_bootstrap_replicate},
    {"bootstrap", test_bootstrap},
    {"bootstrap_errors", test_bootstrap_errors},
    {"no_memory", test_no_memory},
};
TEST_MAIN(tests)
