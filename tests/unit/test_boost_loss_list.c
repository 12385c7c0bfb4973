/* SPDX-License-Identifier: Apache-2.0 */
/* ap-lb, sgbap and rankboost against their definitions in double. */
#include "core/context.h"
#include "core/random.h"
#include "eval/ap.h"
#include "loss_check.h"

/* ---- Definitions, by obvious loops */

typedef struct setting {
    double alpha, beta;
} setting;

static double sum_exp(const double *f, const loss_list *l, int label, double k)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; ++i)
        if (label < 0 || l->label[i] == label) sum += list_weight(l, i) * exp(k * f[i]);
    return sum;
}

static double positives(const loss_list *l)
{
    double p = 0;
    for (size_t i = 0; i < l->n; ++i)
        if (l->label[i]) p += list_weight(l, i);
    return p;
}

static double rankboost_value(const void *arg, const double *f, const loss_list *l)
{
    double sum = 0;
    (void)arg;
    for (size_t i = 0; i < l->n; ++i)
        for (size_t j = 0; j < l->n; ++j)
            if (l->label[i] && !l->label[j]) sum += list_weight(l, i) * list_weight(l, j) * exp(f[j] - f[i]);
    return log(sum);
}

static double sgbap_value(const void *arg, const double *f, const loss_list *l)
{
    const setting *s = arg;
    double mean = 0;
    if (s->beta == 1) return -log(sum_exp(f, l, 1, s->alpha) / sum_exp(f, l, -1, s->alpha));
    if (s->beta > 0)
        return log(sum_exp(f, l, -1, s->alpha)) - log(sum_exp(f, l, 1, s->alpha * s->beta)) / s->beta;
    for (size_t i = 0; i < l->n; ++i)
        if (l->label[i]) mean += list_weight(l, i) * s->alpha * f[i] / positives(l);
    return log(sum_exp(f, l, -1, s->alpha)) - mean;
}

static double ap_lb_value(const void *arg, const double *f, const loss_list *l)
{
    const setting *s = arg;
    double sum = 0;
    for (size_t i = 0; i < l->n; ++i) {
        double k = 0, above = 0;
        if (!l->label[i]) continue;
        for (size_t j = 0; j < l->n; ++j) {
            if (!l->label[j]) above += list_weight(l, j) * exp(s->alpha * (f[j] - f[i]));
            else if (l->score[j] > l->score[i] || j == i)
                k += list_weight(l, j); /* ranks stay as f moves a little */
        }
        sum += list_weight(l, i) * k / (k + above);
    }
    return 1 - sum / positives(l);
}

/* Distinct scores. */
static void make(loss_list *l, uint64_t seed, int weighted)
{
    list_make(l, seed, 150, 6, 4, 0, weighted);
    for (size_t i = 0; i < l->n; ++i) l->score[i] += (float)i * 0.0009765625f / 256;
}

static void compare(scarce__loss loss, list_value_fn value, setting s, int weighted, int in_units)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    static double d[LIST_MOST];
    make(&l, 11 + (uint64_t)weighted, weighted);
    list_differences(value, &s, &l, d);
    list_gradients(&loss, &l, g, h, 1);
    CHECK(list_distance(g, d, l.n) < 2e-6);
    if (in_units) CHECK(list_worst(g, d, l.n, positives(&l)) < 2e-5);
    else CHECK_NEAR(list_abs(g, &l, 1) / positives(&l), 1, 1e-5);
    if (!loss.params.leaf_mean)
        for (size_t i = 0; i < l.n; ++i) CHECK(h[i] == fabsf(g[i]));
    else
        for (size_t i = 0; i < l.n; ++i) CHECK(h[i] == (float)list_weight(&l, i));
    const scarce__loss_rows rows = list_rows(&l);
    double f[150], moved[2], told[2];
    for (int k = 0; k < 2; ++k) { /* the loss's own value, up to a constant */
        for (size_t i = 0; i < l.n; ++i) {
            if (k) l.score[i] *= i % 2 ? 0.5f : 1.5f;
            f[i] = (double)l.score[i];
        }
        moved[k] = value(&s, f, &l);
        told[k] = loss.value(&loss, &rows);
    }
    CHECK_NEAR(told[1] - told[0], moved[1] - moved[0], 1e-9);
}

static void test_definitions(void)
{
    for (int weighted = 0; weighted < 2; ++weighted) {
        const setting one = {1, 1}, two = {2, 1}, half = {1.5, 0.5}, zero = {1, 0};
        compare(scarce__loss_rankboost(0), rankboost_value, one, weighted, 1);
        compare(scarce__loss_sgbap(1, 1, 0), sgbap_value, one, weighted, 1);
        compare(scarce__loss_sgbap(2, 1, 1), sgbap_value, two, weighted, 1);
        compare(scarce__loss_sgbap(1.5, 0.5, 0), sgbap_value, half, weighted, 1);
        compare(scarce__loss_sgbap(1, 0, 0), sgbap_value, zero, weighted, 1);
        compare(scarce__loss_ap_lb(1), ap_lb_value, one, weighted, 0);
        compare(scarce__loss_ap_lb(2), ap_lb_value, two, weighted, 0);
    }
}

/* The formula of the gradients in double against differences of the definition: below 1e-6. */
static void test_formulas_in_double(void)
{
    static loss_list l;
    static double d[LIST_MOST], q[LIST_MOST];
    const setting s = {1.5, 0.5};
    double worst = 0, mean = 0;
    make(&l, 3, 1);
    for (size_t i = 0; i < l.n; ++i) q[i] = (double)l.score[i];
    const double all = sum_exp(q, &l, -1, 1.5), pos = sum_exp(q, &l, 1, 0.75);
    list_differences(sgbap_value, &s, &l, d);
    for (size_t i = 0; i < l.n; ++i) {
        const double w = list_weight(&l, i);
        const double want = 1.5 * w * (exp(1.5 * q[i]) / all - (l.label[i] ? exp(0.75 * q[i]) / pos : 0));
        mean += fabs(want) / (double)l.n;
        if (fabs(want - d[i]) > worst) worst = fabs(want - d[i]);
    }
    CHECK(worst < 1e-6 * mean);
}

static double worst_share(const double *want, const double *d, size_t n)
{
    double worst = 0, mean = 0;
    for (size_t i = 0; i < n; ++i) {
        mean += fabs(want[i]) / (double)n;
        if (fabs(want[i] - d[i]) > worst) worst = fabs(want[i] - d[i]);
    }
    return worst / mean;
}

static void test_more_formulas_in_double(void)
{
    static loss_list l;
    static double d[LIST_MOST], f[LIST_MOST], want[LIST_MOST];
    const setting s = {1.5, 1};
    make(&l, 4, 1);
    const double p = positives(&l);
    for (size_t i = 0; i < l.n; ++i) f[i] = (double)l.score[i];
    const double down = sum_exp(f, &l, 0, 1), up = sum_exp(f, &l, 1, -1);
    for (size_t i = 0; i < l.n; ++i)
        want[i] = list_weight(&l, i) * (l.label[i] ? -exp(-f[i]) / up : exp(f[i]) / down);
    list_differences(rankboost_value, &s, &l, d);
    CHECK(worst_share(want, d, l.n) < 1e-6);

    const double neg = sum_exp(f, &l, 0, s.alpha);
    double total = 0;
    for (size_t i = 0; i < l.n; ++i) {
        double k = 0;
        if (!l.label[i]) continue;
        for (size_t j = 0; j < l.n; ++j)
            if (l.label[j] && l.score[j] >= l.score[i]) k += list_weight(&l, j);
        const double share = k / (k + neg * exp(-s.alpha * f[i]));
        want[i] = -s.alpha * list_weight(&l, i) * share * (1 - share) / p;
        total -= want[i];
    }
    for (size_t i = 0; i < l.n; ++i)
        if (!l.label[i]) want[i] = total * list_weight(&l, i) * exp(s.alpha * f[i]) / neg;
    list_differences(ap_lb_value, &s, &l, d);
    CHECK(worst_share(want, d, l.n) < 1e-6);
}

static void test_lower_bound(void)
{
    static loss_list l;
    for (uint64_t seed = 1; seed <= 200; ++seed)
        for (int a = 1; a <= 4; a *= 2) {
            double ap;
            make(&l, seed, 0);
            l.n = 4 + seed % 140;
            l.label[0] = 1;
            l.label[1] = 0;
            const scarce__loss loss = scarce__loss_ap_lb(a);
            const scarce__loss_rows rows = list_rows(&l);
            CHECK(scarce__ap_fast_f32(&ap, l.score, l.label, NULL, l.n, NULL, NULL) == SCARCE_OK);
            CHECK(1 - loss.value(&loss, &rows) <= ap + 1e-12);
        }
    /* far apart it is nearly AP itself: positives at ranks 4 and 5 of 10 */
    l.n = 10;
    l.weighted = 0;
    for (size_t i = 0; i < 10; ++i) {
        l.score[i] = -40.0f * (float)i;
        l.label[i] = i == 3 || i == 4;
    }
    const scarce__loss loss = scarce__loss_ap_lb(1);
    const scarce__loss_rows rows = list_rows(&l);
    CHECK(1 - loss.value(&loss, &rows) <= 0.325);
}

/* Everything equal: positives pull alike, negatives alike. */
static void test_start(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    const scarce__loss losses[] = {scarce__loss_ap_lb(1), scarce__loss_rankboost(0),
                                   scarce__loss_sgbap(1, 0.5, 0)};
    list_make(&l, 9, 1000, 10, 1, 0, 0);
    for (size_t i = 0; i < l.n; ++i) l.score[i] = 0;
    for (size_t k = 0; k < 3; ++k) {
        const double p = positives(&l), n = (double)l.n - p;
        const double each = k == 2 ? n / (p + n) : 1; /* sgbap: P alpha (1/P - 1/(P+N)) */
        list_gradients(&losses[k], &l, g, h, 1);
        for (size_t i = 0; i < l.n; ++i) CHECK_NEAR(g[i], l.label[i] ? -each : each * p / n, 1e-5);
        CHECK(losses[k].base(&losses[k], NULL) == 0 && losses[k].gamma == 0);
    }
}

/* A negative with weight 3 is three negatives. */
static void test_copies(void)
{
    static loss_list l, m;
    static float g[LIST_MOST], h[LIST_MOST], g2[LIST_MOST], h2[LIST_MOST];
    const scarce__loss losses[] = {scarce__loss_ap_lb(1), scarce__loss_rankboost(0),
                                   scarce__loss_sgbap(1, 1, 0)};
    for (size_t k = 0; k < 3; ++k) {
        make(&l, 21, 1);
        m.n = 0;
        m.weighted = 0;
        for (size_t i = 0; i < l.n; ++i) {
            l.weight[i] = l.label[i] ? 1 : (float)(1 + i % 3);
            for (size_t c = 0; c < (size_t)l.weight[i]; ++c) {
                m.score[m.n] = l.score[i];
                m.label[m.n++] = l.label[i];
            }
        }
        list_gradients(&losses[k], &l, g, h, 1);
        list_gradients(&losses[k], &m, g2, h2, 1);
        for (size_t i = 0, j = 0; i < l.n; j += (size_t)l.weight[i++])
            CHECK(fabsf(g[i] - l.weight[i] * g2[j]) <= 1e-5f * fabsf(g[i]));
    }
}

/* At +-1e4 float exponents would be off by 1e-3 if the largest weren't taken out as a score. */
static void test_far_scores(void)
{
    static loss_list l, m;
    static float g[LIST_MOST], h[LIST_MOST], g2[LIST_MOST], h2[LIST_MOST];
    static double want[LIST_MOST];
    const scarce__loss losses[] = {scarce__loss_ap_lb(1.3), scarce__loss_rankboost(0),
                                   scarce__loss_sgbap(1.3, 0.7, 0)};
    for (size_t k = 0; k < 3; ++k) {
        list_make(&l, 31, 3000, 12, 4, 0, 1);
        m = l;
        for (size_t i = 0; i < l.n; ++i) m.score[i] += k == 1 ? -8192.0f : 8192.0f;
        list_gradients(&losses[k], &l, g, h, 1);
        list_gradients(&losses[k], &m, g2, h2, 1);
        for (size_t i = 0; i < l.n; ++i) want[i] = (double)g[i];
        CHECK(list_worst(g2, want, l.n, 1) < 1e-5);
    }
}

static void test_interest(void)
{
    const float score[4] = {-20000, 0, 1, 20000};
    float out[4];
    const scarce__loss loss = scarce__loss_ap_lb(2);
    const scarce__loss_rows rows = {4, score, NULL, NULL, NULL, NULL, NULL};
    loss.interest(&loss, &rows, 0, 4, out);
    CHECK(out[0] > 0 && out[3] < 1e30f && out[3] > out[2]);
    CHECK_NEAR(out[2] / out[1], exp(2), 1e-5);
}

static void test_promises(void)
{
    check_promises(scarce__loss_rankboost(0), 1, 1e-5);
    check_promises(scarce__loss_ap_lb(1), 1, 1e-5);
    check_promises(scarce__loss_sgbap(1, 1, 0), 1, 1e-5);
    check_promises(scarce__loss_sgbap(1, 1, 1), 1, 1e-5);
    check_promises(scarce__loss_sgbap(2, 0.5, 0), 1, 1e-4);
    check_no_memory(scarce__loss_ap_lb(1), 3000);
    check_no_memory(scarce__loss_sgbap(1, 0, 0), 3000);
}

static const test_case tests[] = {
    {"definitions", test_definitions},
    {"formulas_in_double", test_formulas_in_double},
    {"more_formulas_in_double", test_more_formulas_in_double},
    {"lower_bound", test_lower_bound},
    {"start", test_start},
    {"copies", test_copies},
    {"far_scores", test_far_scores},
    {"interest", test_interest},
    {"promises", test_promises},
};
TEST_MAIN(tests)
