/* SPDX-License-Identifier: Apache-2.0 */
/* Known values, invariances, and slow versions by the definitions. */
#include <stdlib.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "core/random.h"
#include "test.h"

enum { MOST = 400 };

typedef struct rows {
    size_t n;
    double score[MOST], weight[MOST], probability[MOST], amount[MOST], when[MOST];
    uint8_t label[MOST];
    int32_t group[MOST];
} rows;

static scarce_scored view(const rows *r, int all)
{
    scarce_scored in = {r->n, r->score, r->label, NULL, NULL, NULL, NULL, NULL};
    if (!all) return in;
    in.weight = r->weight;
    in.probability = r->probability;
    in.amount = r->amount;
    in.time = r->when;
    in.group = r->group;
    return in;
}

static rows random_rows(uint64_t index, size_t n)
{
    rows r;
    scarce__random g = scarce__random_start(5, SCARCE__FOR_TEST, index);
    const double levels = index % 3 == 0 ? 4 : index % 3 == 1 ? 50 : 1e15, share = index % 2 ? .5 : .05;
    r.n = n;
    for (size_t i = 0; i < n; ++i) {
        r.label[i] = i == 1 || (i != 0 && scarce__random_unit(&g) < share);
        r.score[i] = floor(levels * (scarce__random_unit(&g) + .3 * r.label[i])) / levels;
        r.weight[i] = .1 + scarce__random_unit(&g);
        r.probability[i] = index % 5 ? scarce__random_unit(&g) : floor(scarce__random_unit(&g) * 11) / 10;
        r.amount[i] = floor(100 * scarce__random_unit(&g));
        r.when[i] = 86400 * 5 * scarce__random_unit(&g);
        r.group[i] = (int32_t)(scarce__random_unit(&g) * 30);
    }
    return r;
}

static scarce_metrics compute(const scarce_scored *in, const scarce_metrics_options *o)
{
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_metrics_compute(&m, in, o, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        ++test_failures;
    }
    return m;
}

/* Positives at the given ranks (1 = best) among n rows without ties. */
static scarce_metrics at_ranks(size_t n, const size_t *rank, size_t n_ranks)
{
    rows r;
    memset(&r, 0, sizeof r);
    r.n = n;
    for (size_t i = 0; i < n; ++i) r.score[i] = -(double)i;
    for (size_t i = 0; i < n_ranks; ++i) r.label[rank[i] - 1] = 1;
    scarce_scored in = view(&r, 0);
    return compute(&in, NULL);
}

static void test_known(void)
{
    scarce_metrics m = at_ranks(10, (const size_t[]){4, 5}, 2);
    CHECK_NEAR(m.ap, .325, 1e-15);
    CHECK_NEAR(m.auc_roc, .625, 1e-15);
    CHECK(m.k == 2 && m.precision_at_k == 0 && m.pos_at_top == 0);
    m = at_ranks(10, (const size_t[]){2, 8}, 2);
    CHECK_NEAR(m.ap, .375, 1e-15);
    CHECK_NEAR(m.auc_roc, .5625, 1e-15);
    CHECK(m.precision_at_k == .5 && m.recall_at_k == .5);
    m = at_ranks(10, (const size_t[]){1, 2, 7}, 3);
    CHECK_NEAR(m.pos_at_top, 2.0 / 3, 1e-15);
    CHECK_NEAR(m.f1_best, .8, 1e-15);
    CHECK(m.f1_best_threshold == -1);
}

/* Three positives of 14 (the toy of the SGBAP paper): one order, its reverse, and all tied. */
static void test_toy(void)
{
    rows r;
    memset(&r, 0, sizeof r);
    r.n = 14;
    r.label[1] = r.label[9] = r.label[10] = 1; /* at ranks 2, 10 and 11 */
    for (size_t i = 0; i < 14; ++i) r.score[i] = -(double)i;
    scarce_scored in = view(&r, 0);
    scarce_metrics m = compute(&in, NULL);
    CHECK_NEAR(m.ap, .3242, 5e-5);
    CHECK_NEAR(m.auc_roc, .4848, 5e-5);
    for (size_t i = 0; i < 14; ++i) r.score[i] = (double)i;
    m = compute(&in, NULL);
    CHECK_NEAR(m.ap, .2936, 5e-5);
    CHECK_NEAR(m.auc_roc, .5152, 5e-5);
    for (size_t i = 0; i < 14; ++i) r.score[i] = 7;
    m = compute(&in, NULL);
    CHECK_NEAR(m.ap, 3.0 / 14, 1e-15);
    CHECK(m.auc_roc == .5);
}

static double weight_of(const scarce_scored *in, size_t i)
{
    return in->weight ? in->weight[i] : 1;
}

static double slow_auc(const scarce_scored *in)
{
    double good = 0, pairs = 0;
    for (size_t i = 0; i < in->n; ++i)
        for (size_t j = 0; j < in->n; ++j) {
            if (!in->label[i] || in->label[j]) continue;
            const double w = weight_of(in, i) * weight_of(in, j);
            pairs += w;
            good += in->score[i] > in->score[j] ? w : in->score[i] == in->score[j] ? w / 2 : 0;
        }
    return good / pairs;
}

/* Best F1 and G-mean by trying every score as threshold. */
static void slow_best(const scarce_scored *in, double *f1, double *g_mean)
{
    *f1 = *g_mean = 0;
    for (size_t t = 0; t < in->n; ++t) {
        double tp = 0, fp = 0, tn = 0, fn = 0;
        for (size_t i = 0; i < in->n; ++i) {
            const int alert = in->score[i] >= in->score[t];
            *(in->label[i] ? (alert ? &tp : &fn) : (alert ? &fp : &tn)) += weight_of(in, i);
        }
        *f1 = fmax(*f1, 2 * tp / (2 * tp + fp + fn));
        *g_mean = fmax(*g_mean, sqrt(tp / (tp + fn) * tn / (tn + fp)));
    }
}

static double slow_pos_at_top(const scarce_scored *in)
{
    double best = -INFINITY, above = 0, all = 0;
    for (size_t i = 0; i < in->n; ++i)
        if (!in->label[i]) best = fmax(best, in->score[i]);
    for (size_t i = 0; i < in->n; ++i) {
        all += in->label[i] ? weight_of(in, i) : 0;
        above += in->label[i] && in->score[i] > best ? weight_of(in, i) : 0;
    }
    return above / all;
}

/* Chance of row i to be among the first k: 1, 0, or the share of its rank group that fits. */
static double chance_in_top(const scarce_scored *in, size_t i, double k)
{
    double above = 0, tied = 0;
    for (size_t j = 0; j < in->n; ++j) {
        above += in->score[j] > in->score[i];
        tied += in->score[j] == in->score[i];
    }
    return fmax(0, fmin(1, (k - above) / tied));
}

static void check_at_k(const scarce_scored *in, const scarce_metrics *m)
{
    double pos = 0, all = 0, every = 0, amount = 0;
    for (size_t i = 0; i < in->n; ++i) {
        const double w = weight_of(in, i) * chance_in_top(in, i, m->k);
        all += w;
        pos += in->label[i] ? w : 0;
        every += in->label[i] ? weight_of(in, i) : 0;
        amount += in->label[i] && in->amount ? w * in->amount[i] : 0;
    }
    CHECK_NEAR(m->precision_at_k, pos / all, 1e-12);
    CHECK_NEAR(m->recall_at_k, pos / every, 1e-12);
    if (in->amount) CHECK_NEAR(m->amount_recovered_at_k, amount, 1e-9);
    else CHECK(isnan(m->amount_recovered_at_k));
}

static void test_oracles(void)
{
    for (uint64_t c = 0; c < 200; ++c) {
        const rows r = random_rows(c, 2 + c);
        const scarce_scored in = view(&r, c % 4 >= 2);
        scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
        double f1, g_mean;
        if (c % 5 == 1) o.k = 1 + (double)(c % 7);
        if (c % 5 == 2) o.k_share = .3;
        const scarce_metrics m = compute(&in, &o);
        CHECK_NEAR(m.auc_roc, slow_auc(&in), 1e-12);
        CHECK_NEAR(m.pos_at_top, slow_pos_at_top(&in), 1e-12);
        slow_best(&in, &f1, &g_mean);
        CHECK_NEAR(m.f1_best, f1, 1e-12);
        CHECK_NEAR(m.g_mean_best, g_mean, 1e-12);
        CHECK(m.ap >= 0 && m.ap <= 1);
        check_at_k(&in, &m);
        if (c % 5 == 1) CHECK(m.k == fmin(o.k, (double)in.n));
        if (c % 5 == 2) CHECK(m.k == fmax(1, floor(.3 * (double)in.n + .5)));
        if (!in.probability) { /* the threshold is that of the best F1, so F1 there is the best */
            CHECK(m.threshold == m.f1_best_threshold);
            CHECK_NEAR(m.f1, m.f1_best, 1e-12);
        }
    }
}

/* The interpolated curve by small steps: between two thresholds, x of the rows in between are let through. */
static double slow_aucpr(const scarce_scored *in)
{
    enum { STEPS = 20000 };
    double tp = 0, fp = 0, area = 0, all = 0, t = INFINITY;
    for (size_t i = 0; i < in->n; ++i) all += in->label[i] ? weight_of(in, i) : 0;
    for (;;) {
        double next = -INFINITY, dp = 0, dn = 0;
        for (size_t i = 0; i < in->n; ++i)
            if (in->score[i] < t) next = fmax(next, in->score[i]);
        if (next == -INFINITY) return area / all;
        for (size_t i = 0; i < in->n; ++i)
            if (in->score[i] == next) *(in->label[i] ? &dp : &dn) += weight_of(in, i);
        for (int s = 0; s < STEPS && dp > 0; ++s) {
            const double x = (s + .5) / STEPS, p = tp + x * dp, q = fp + x * dn;
            area += dp / STEPS * p / (p + q);
        }
        tp += dp;
        fp += dn;
        t = next;
    }
}

static void test_aucpr(void)
{
    for (uint64_t c = 0; c < 24; ++c) {
        const rows r = random_rows(c, 20);
        const scarce_scored in = view(&r, c % 4 >= 2);
        const scarce_metrics m = compute(&in, NULL);
        CHECK_NEAR(m.aucpr, slow_aucpr(&in), 1e-5);
    }
}

static void check_same(const scarce_metrics *a, const scarce_metrics *b, const char *but)
{
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        const double x = scarce_metric_value(a, i), y = scarce_metric_value(b, i);
        if (strstr(but, scarce_metric_name(i)) || (isnan(x) && isnan(y))) continue;
        if (!(fabs(x - y) <= 1e-11 * fmax(1, fabs(x)))) {
            fprintf(stderr, "%s: %.17g and %.17g\n", scarce_metric_name(i), x, y);
            ++test_failures;
        }
    }
}

static void test_invariance(void)
{
    for (uint64_t c = 0; c < 60; ++c) {
        const rows r = random_rows(c, 100);
        rows s = r;
        const scarce_scored a = view(&r, 1), b = view(&s, 1);
        scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
        scarce_metrics was = SCARCE_METRICS_INIT, now = SCARCE_METRICS_INIT;
        scarce__random g = scarce__random_start(6, SCARCE__FOR_TEST, c);
        uint32_t order[100];
        o.cost = 3;
        o.card_k = 3;
        was = compute(&a, &o);
        for (uint32_t i = 0; i < 100; ++i) order[i] = i;
        scarce__shuffle_u32(&g, order, 100);
        for (size_t i = 0; i < 100; ++i) {
            const uint32_t j = order[i];
            s.score[i] = r.score[j];
            s.label[i] = r.label[j];
            s.weight[i] = r.weight[j];
            s.probability[i] = r.probability[j];
            s.amount[i] = r.amount[j];
            s.when[i] = r.when[j];
            s.group[i] = r.group[j];
        }
        now = compute(&b, &o);
        check_same(&was, &now, "");
        for (size_t i = 0; i < 100; ++i)
            s.score[i] = exp(3 * s.score[i]) - 7; /* a monotone change of scale */
        now = compute(&b, &o);
        check_same(&was, &now, "f1_best_threshold g_mean_best_threshold");
    }
}

static void test_constant(void)
{
    for (uint64_t c = 0; c < 20; ++c) {
        rows r = random_rows(c, 50);
        scarce_scored in = view(&r, 0);
        double p = 0;
        for (size_t i = 0; i < 50; ++i) {
            r.score[i] = -2.5;
            p += r.label[i] / 50.0;
        }
        const scarce_metrics m = compute(&in, NULL);
        CHECK_NEAR(m.ap, p, 1e-15);
        CHECK_NEAR(m.aucpr, p, 1e-15);
        CHECK_NEAR(m.precision_at_k, p, 1e-15);
        CHECK(m.auc_roc == .5 && m.pos_at_top == 0 && m.recall == 1 && m.mcc == 0);
    }
}

static void test_threshold_and_cost(void)
{
    const double score[] = {5, 4, 3, 2, 1}, probability[] = {.9, .4, .6, .2, 0},
                 amount[] = {10, 20, 30, 40, 50};
    const uint8_t label[] = {1, 0, 1, 1, 0};
    scarce_scored in = {5, score, label, NULL, probability, NULL, amount, NULL};
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    o.cost = 7;
    scarce_metrics m = compute(&in, &o);
    CHECK(m.threshold == .5 && m.tp == 2 && m.fp == 0 && m.fn == 1 && m.tn == 2);
    CHECK(m.cost == 40 + 2 * 7);
    CHECK_NEAR(m.brier, (.01 + .16 + .16 + .64) / 5, 1e-15);
    CHECK_NEAR(m.brier_pos, (.01 + .16 + .64) / 3, 1e-15);
    CHECK_NEAR(m.bias, (2.1 - 3) / 5, 1e-15);
    CHECK_NEAR(m.bias_pos, (1.7 - 3) / 3, 1e-15);
    CHECK_NEAR(m.bias_neg, .2, 1e-15);
    CHECK_NEAR(m.ece, (.1 + .4 + .4 + .8) / 5, 1e-15); /* every probability in a bin of its own */
    o.threshold = 4;
    m = compute(&in, &o); /* a given threshold is one of the score */
    CHECK(m.tp == 1 && m.fp == 1 && m.fn == 2 && m.tn == 1 && m.cost == 70 + 14);
    CHECK_NEAR(m.f_beta, 5.0 / (5 + 4 * 2 + 1), 1e-15);
    CHECK_NEAR(m.g_measure, sqrt(.5 / 3), 1e-15);
    o.threshold_on = SCARCE_THRESHOLD_ON_PROBABILITY;
    m = compute(&in, &o); /* no alert at all */
    CHECK(m.tp == 0 && m.fp == 0 && isnan(m.precision) && m.f1 == 0 && m.g_measure == 0 && m.mcc == 0);
    in.amount = NULL;
    o.threshold = .2;
    m = compute(&in, &o);
    CHECK(m.cost == 4 * 7 && m.recall == 1);
    in.probability = NULL;
    o.threshold_on = SCARCE_THRESHOLD_ON_AUTO;
    o.threshold = NAN;
    m = compute(&in, &o);
    CHECK(m.threshold == 2 && isnan(m.brier) && isnan(m.ece));
}

static void test_undefined(void)
{
    static const char *const ranked[] = {
        "ap",      "aucpr",       "auc_roc", "pos_at_top", "precision_at_k",   "recall_at_k",
        "f1_best", "g_mean_best", "g_mean",  "mcc",        "balanced_accuracy"};
    for (int positive = 0; positive < 2; ++positive) {
        rows r = random_rows(1, 20);
        for (size_t i = 0; i < 20; ++i) r.label[i] = (uint8_t)positive;
        const scarce_scored in = view(&r, 1);
        const scarce_metrics m = compute(&in, NULL);
        double ap;
        for (size_t i = 0; i < sizeof ranked / sizeof *ranked; ++i)
            CHECK(isnan(scarce_metric_value(&m, scarce_metric_find(ranked[i]))));
        CHECK(isnan(positive ? m.tnr : m.recall) && !isnan(positive ? m.recall : m.tnr));
        CHECK(isnan(positive ? m.brier_neg : m.brier_pos) && m.brier > 0);
        CHECK(m.rows == 20 && m.positives == 20 * positive);
        CHECK(scarce_average_precision(&ap, r.score, r.label, NULL, 20, NULL, NULL) == SCARCE_OK &&
              isnan(ap));
    }
    const scarce_scored none = {0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    const scarce_metrics m = compute(&none, NULL);
    CHECK(m.rows == 0 && m.positives == 0 && isnan(m.ap) && isnan(m.accuracy));
}

static void test_errors(void)
{
    rows r = random_rows(1, 10);
    const scarce_scored in = view(&r, 1);
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    r.score[3] = NAN;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, &err) == SCARCE_EDATA && isnan(m.rows));
    CHECK_TEXT(err.text, "row 4: the score is NaN");
    r.score[3] = INFINITY;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, &err) == SCARCE_OK);
    r.label[0] = 2;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "row 1: label 2, expected 0 or 1");
    r.label[0] = 0;
    r.weight[9] = -1;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "row 10: weight -1, expected 0 or more");
    r.weight[9] = 1;
    r.probability[2] = 1.5;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "row 3: probability 1.5, expected 0 to 1");
    r.probability[2] = 1;
    r.when[5] = NAN;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "row 6: the time is NaN");
    r.when[5] = 0;
    o.k = 0;
    CHECK(scarce_metrics_compute(&m, &in, &o, NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "k is 0, must be 1 or more");
    o.k = NAN;
    o.struct_size = offsetof(scarce_metrics_options, beta); /* an older caller: the rest are defaults */
    o.beta = -1;
    CHECK(scarce_metrics_compute(&m, &in, &o, NULL, &err) == SCARCE_OK);
}

static void test_names(void)
{
    CHECK(scarce_metric_find("average_precision") == scarce_metric_find("ap"));
    CHECK(scarce_metric_find("AUC") == scarce_metric_find("auc-roc"));
    CHECK(scarce_metric_find("binary_logloss") == scarce_metric_find("log_loss"));
    CHECK(scarce_metric_find("p@k") == scarce_metric_find("precision_at_k"));
    CHECK(scarce_metric_find("TPR") == scarce_metric_find("recall"));
    CHECK(scarce_metric_find("apx") == SIZE_MAX && scarce_metric_find("") == SIZE_MAX);
    CHECK(scarce_metric_find(NULL) == SIZE_MAX && scarce_metric_name(scarce_metric_count()) == NULL);
    CHECK(scarce_metric_direction(scarce_metric_find("brier")) == -1);
    CHECK(scarce_metric_direction(scarce_metric_find("ap")) == 1);
    CHECK(scarce_metric_is_count(scarce_metric_find("tp")) &&
          !scarce_metric_is_count(scarce_metric_find("ap")));
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        scarce_metrics m = SCARCE_METRICS_INIT;
        (&m.rows)[i] = 1; /* the table and the struct have the same order */
        CHECK(scarce_metric_find(scarce_metric_name(i)) == i && scarce_metric_value(&m, i) == 1);
    }
}

static void test_threads(void)
{
    enum { N = 200000 };
    double *score = malloc(N * sizeof *score), *p = malloc(N * sizeof *p), *w = malloc(N * sizeof *w);
    uint8_t *label = malloc(N);
    scarce_metrics first = SCARCE_METRICS_INIT, m = SCARCE_METRICS_INIT;
    scarce__random r = scarce__random_start(7, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < N; ++i) {
        p[i] = scarce__random_unit(&r);
        label[i] = scarce__random_unit(&r) < p[i] * p[i] * p[i];
        score[i] = log(p[i] + 1e-9);
        w[i] = scarce__random_unit(&r);
    }
    const scarce_scored in = {N, score, label, w, p, NULL, w, NULL};
    for (int threads = 1; threads < 5; ++threads) {
        scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        co.threads = threads;
        CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
        CHECK(scarce_metrics_compute(&m, &in, NULL, ctx, NULL) == SCARCE_OK);
        if (threads == 1) first = m;
        for (size_t i = 0; i < scarce_metric_count(); ++i) {
            const double a = scarce_metric_value(&first, i), b = scarce_metric_value(&m, i);
            CHECK(a == b || (isnan(a) && isnan(b)));
        }
        scarce_context_free(ctx);
    }
    CHECK(fabs(first.bias) > .1 && first.ap > .25);
    free(score);
    free(p);
    free(w);
    free(label);
}

static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    const rows r = random_rows(1, 300);
    const scarce_scored in = view(&r, 1);
    for (size_t fail = 1;; ++fail) {
        scarce_metrics m = SCARCE_METRICS_INIT;
        double ap = 0;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__alloc_fail_from(fail);
        const scarce_status st = scarce_metrics_compute(&m, &in, NULL, NULL, &err);
        scarce__alloc_fail_from(fail);
        const scarce_status st2 = scarce_average_precision(&ap, r.score, r.label, r.weight, r.n, NULL, NULL);
        scarce__alloc_fail_from(0);
        CHECK(st2 == SCARCE_OK || (st2 == SCARCE_ENOMEM && isnan(ap)));
        if (st == SCARCE_OK) {
            CHECK(fail > 5);
            return;
        }
        CHECK(st == SCARCE_ENOMEM && isnan(m.ap) && strstr(err.text, "out of memory"));
    }
#endif
}

static const test_case tests[] = {
    {"known", test_known},
    {"toy", test_toy},
    {"oracles", test_oracles},
    {"aucpr", test_aucpr},
    {"invariance", test_invariance},
    {"constant", test_constant},
    {"threshold_and_cost", test_threshold_and_cost},
    {"undefined", test_undefined},
    {"errors", test_errors},
    {"names", test_names},
    {"threads", test_threads},
    {"no_memory", test_no_memory},
};
TEST_MAIN(tests)
