/* SPDX-License-Identifier: Apache-2.0 */
/* sgbap-sig: the double sum against differences of AP_sig, the grid against the double sum. */
#include "core/context.h"
#include "core/random.h"
#include "loss_check.h"

static double sig_value(const void *arg, const double *f, const loss_list *l)
{
    const double alpha = *(const double *)arg;
    double sum = 0, p = 0;
    for (size_t i = 0; i < l->n; ++i) {
        double a = 0, d = 0;
        if (!l->label[i]) continue;
        for (size_t j = 0; j < l->n; ++j) {
            const double s = j == i ? 1 : 1 / (1 + exp(-alpha * (f[j] - f[i])));
            d += list_weight(l, j) * s;
            if (l->label[j]) a += list_weight(l, j) * s;
        }
        sum += list_weight(l, i) * a / d;
        p += list_weight(l, i);
    }
    return 1 - sum / p;
}

static double positives(const loss_list *l)
{
    double p = 0;
    for (size_t i = 0; i < l->n; ++i)
        if (l->label[i]) p += list_weight(l, i);
    return p;
}

static void test_definition(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    static double d[LIST_MOST];
    for (int k = 0; k < 8; ++k) {
        const double alpha = k & 1 ? 3 : 1;
        const scarce__loss loss = scarce__loss_sgbap_sig(alpha, 1);
        list_make(&l, 50 + (uint64_t)k, 90, 5, 2, k & 4, k & 2);
        list_differences(sig_value, &alpha, &l, d);
        list_gradients(&loss, &l, g, h, 2);
        CHECK(list_distance(g, d, l.n) < 1e-6);
        CHECK_NEAR(list_abs(g, &l, -1), 2 * positives(&l), 1e-4 * positives(&l));
        for (size_t i = 0; i < l.n; ++i) CHECK(h[i] == (fabsf(g[i]) > 1e-16f ? fabsf(g[i]) : 1e-16f));
        double f[90];
        for (size_t i = 0; i < l.n; ++i) f[i] = (double)l.score[i];
        const scarce__loss_rows rows = list_rows(&l);
        CHECK_NEAR(loss.value(&loss, &rows), sig_value(&alpha, f, &l), 1e-12);
    }
}

static void test_grid(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST], g2[LIST_MOST], h2[LIST_MOST];
    static double want[LIST_MOST];
    static const double spread[] = {0.01, 1, 5, 25};
    for (int k = 0; k < 16; ++k) {
        const double alpha = k & 1 ? 3 : 1;
        const scarce__loss grid = scarce__loss_sgbap_sig(alpha, 0), exact = scarce__loss_sgbap_sig(alpha, 1);
        list_make(&l, 60 + (uint64_t)k, 3000, 40, spread[k / 4], 0, k & 2);
        list_gradients(&grid, &l, g, h, 1);
        list_gradients(&exact, &l, g2, h2, 2);
        for (size_t i = 0; i < l.n; ++i) want[i] = (double)g2[i];
        CHECK(list_distance(g, want, l.n) < 0.0005);
    }
}

static void test_start(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    list_make(&l, 9, 1000, 10, 1, 0, 0);
    for (size_t i = 0; i < l.n; ++i) l.score[i] = 0;
    for (int exact = 0; exact < 2; ++exact) {
        const scarce__loss loss = scarce__loss_sgbap_sig(3, exact);
        const double p = positives(&l), n = (double)l.n - p;
        list_gradients(&loss, &l, g, h, 1);
        for (size_t i = 0; i < l.n; ++i) CHECK_NEAR(g[i], l.label[i] ? -1 : p / n, 1e-5);
    }
}

static void test_promises(void)
{
    check_promises(scarce__loss_sgbap_sig(3, 0), 1, 1e-3);
    check_no_memory(scarce__loss_sgbap_sig(3, 0), 3000);
    check_no_memory(scarce__loss_sgbap_sig(3, 1), 300);
}

static const test_case tests[] = {
    {"definition", test_definition}, {"grid", test_grid}, {"start", test_start}, {"promises", test_promises}};
TEST_MAIN(tests)
