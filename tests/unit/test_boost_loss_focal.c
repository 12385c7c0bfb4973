/* SPDX-License-Identifier: Apache-2.0 */
/* Focal loss against its definition. */
#include "core/context.h"
#include "core/random.h"
#include "loss_check.h"

static double focal(double x, double e)
{
    const double p = 1 / (1 + exp(-x));
    return -pow(1 - p, e) * log(p);
}

static void test_definition(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    for (int k = 0; k <= 6; ++k) {
        const double e = 0.5 * k;
        const scarce__loss loss = scarce__loss_focal(e);
        list_make(&l, 40 + (uint64_t)k, 2000, 4, 9, 0, 1);
        list_gradients(&loss, &l, g, h, 1);
        for (size_t i = 0; i < l.n; ++i) {
            const double s = l.label[i] ? 1 : -1, x = s * (double)l.score[i], w = (double)l.weight[i],
                         t = 1e-3;
            const double d1 = (focal(x + t, e) - focal(x - t, e)) / (2 * t);
            const double d2 = (focal(x + t, e) - 2 * focal(x, e) + focal(x - t, e)) / (t * t);
            const double p = 1 / (1 + exp(-x)), least = pow(1 - p, e) * p * (1 - p);
            CHECK_NEAR(g[i], w * s * d1, 1e-5 * w * (fabs(d1) + 0.1));
            CHECK_NEAR(h[i], w * (d2 > least ? d2 : least), 1e-5 * w);
            CHECK(h[i] > 0);
        }
        const scarce__loss_rows one = {1, &l.score[7], &l.label[7], NULL, NULL, NULL, NULL};
        CHECK_NEAR(loss.value(&loss, &one), focal((l.label[7] ? 1 : -1) * (double)l.score[7], e), 1e-12);
    }
}

/* Exponent 0 is the logistic loss. */
static void test_logistic(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST], g2[LIST_MOST], h2[LIST_MOST];
    const scarce__loss focal0 = scarce__loss_focal(0), logistic = scarce__loss_logistic(1);
    list_make(&l, 2, 3000, 10, 12, 0, 1);
    list_gradients(&focal0, &l, g, h, 1);
    list_gradients(&logistic, &l, g2, h2, 1);
    for (size_t i = 0; i < l.n; ++i) {
        CHECK_NEAR(g[i], g2[i], 1e-6 * (double)fabsf(g2[i]));
        CHECK_NEAR(h[i], h2[i], 1e-6 * (double)h2[i]);
    }
    const scarce__loss_rows rows = list_rows(&l);
    CHECK_NEAR(focal0.base(&focal0, &rows), logistic.base(&logistic, &rows), 1e-9);
}

/* No other constant is better than f_0. */
static void test_base(void)
{
    static loss_list l;
    list_make(&l, 3, 2000, 50, 1, 0, 1);
    const scarce__loss_rows rows = list_rows(&l);
    for (int k = 0; k <= 4; ++k) {
        const scarce__loss loss = scarce__loss_focal(k);
        const double f = loss.base(&loss, &rows);
        double at[3];
        for (int m = 0; m < 3; ++m) {
            for (size_t i = 0; i < l.n; ++i) l.score[i] = (float)(f + 0.05 * (m - 1));
            at[m] = loss.value(&loss, &rows);
        }
        CHECK(at[1] < at[0] && at[1] < at[2]);
    }
}

static void test_promises(void)
{
    check_promises(scarce__loss_focal(2), 0, 1e-6);
    check_promises(scarce__loss_focal(0.5), 0, 1e-6);
}

static const test_case tests[] = {{"definition", test_definition},
                                  {"logistic", test_logistic},
                                  {"base", test_base},
                                  {"promises", test_promises}};
TEST_MAIN(tests)
