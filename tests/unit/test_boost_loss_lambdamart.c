/* SPDX-License-Identifier: Apache-2.0 */
/* lambdamart-ap: |dAP| by swapping two rows and ranking anew; cells against all pairs. */
#include "core/context.h"
#include "core/random.h"
#include "loss_check.h"

/* AP of labels in the order of the list, by definition. */
static double ap_of(const uint8_t *label, size_t n)
{
    double sum = 0, seen = 0;
    for (size_t i = 0; i < n; ++i)
        if (label[i]) {
            seen += 1;
            sum += seen / (double)(i + 1);
        }
    return sum / seen;
}

static void test_vectors(void)
{
    static loss_list l;
    static const int places[2][2] = {{4, 5}, {2, 8}};
    static const double ap[2] = {0.325, 0.375};
    for (int k = 0; k < 2; ++k) {
        const scarce__loss loss = scarce__loss_lambdamart(0);
        l.n = 10;
        for (size_t i = 0; i < 10; ++i) {
            l.score[i] = -(float)i;
            l.label[i] = (int)i + 1 == places[k][0] || (int)i + 1 == places[k][1];
        }
        const scarce__loss_rows rows = list_rows(&l);
        CHECK_NEAR(1 - loss.value(&loss, &rows), ap[k], 1e-12);
        CHECK_NEAR(ap_of(l.label, 10), ap[k], 1e-12);
    }
}

/* The list is sorted in place, best first, so ranks are indices. */
static int descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void test_swaps(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    static double wg[LIST_MOST], wh[LIST_MOST];
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        const scarce__loss loss = scarce__loss_lambdamart((int)(seed & 1));
        double total = 0, p = 0;
        list_make(&l, seed, 20 + 10 * seed, 5, 3, 0, 0);
        for (size_t i = 0; i < l.n; ++i) l.score[i] += (float)i * 0.0009765625f / 256; /* distinct */
        qsort(l.score, l.n, sizeof l.score[0], descending);
        memset(wg, 0, sizeof wg);
        memset(wh, 0, sizeof wh);
        const double ap = ap_of(l.label, l.n);
        for (size_t i = 0; i < l.n; ++i) {
            p += l.label[i];
            for (size_t j = 0; j < l.n; ++j) {
                if (!l.label[i] || l.label[j]) continue;
                l.label[i] = 0;
                l.label[j] = 1;
                const double d = fabs(ap_of(l.label, l.n) - ap);
                l.label[i] = 1;
                l.label[j] = 0;
                const double rho = 1 / (1 + exp((double)l.score[i] - (double)l.score[j]));
                wg[i] -= rho * d;
                wg[j] += rho * d;
                wh[i] += rho * (1 - rho) * d;
                wh[j] += rho * (1 - rho) * d;
                total += rho * d;
            }
        }
        list_gradients(&loss, &l, g, h, 2);
        CHECK(list_worst(g, wg, l.n, p / total) < 1e-4);
        CHECK(list_worst(h, wh, l.n, p / total) < 1e-4);
    }
}

/* Cells against all pairs, and the sum of the gradients. */
static void test_cells(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST], g2[LIST_MOST], h2[LIST_MOST];
    static double want[LIST_MOST];
    for (int k = 0; k < 4; ++k) {
        const scarce__loss cells = scarce__loss_lambdamart(0), exact = scarce__loss_lambdamart(1);
        double p = 0;
        list_make(&l, 70 + (uint64_t)k, LIST_MOST, 20, k & 1 ? 2 : 8, 0, k & 2); /* 7.6e7 pairs */
        list_gradients(&cells, &l, g, h, 1);
        list_gradients(&exact, &l, g2, h2, 2);
        for (size_t i = 0; i < l.n; ++i) {
            want[i] = (double)g2[i];
            if (l.label[i]) p += list_weight(&l, i);
        }
        CHECK(list_distance(g, want, l.n) < 0.005);
        for (size_t i = 0; i < l.n; ++i) want[i] = (double)h2[i];
        CHECK(list_distance(h, want, l.n) < 0.005);
        CHECK_NEAR(list_abs(g, &l, 0) / p, 1, 1e-4);
        CHECK_NEAR(list_abs(g, &l, 1) / p, 1, 1e-3);
    }
}

static void test_start(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    const scarce__loss loss = scarce__loss_lambdamart(0);
    double p = 0;
    list_make(&l, 9, 1000, 10, 1, 0, 0);
    for (size_t i = 0; i < l.n; ++i) {
        l.score[i] = 0;
        p += l.label[i];
    }
    list_gradients(&loss, &l, g, h, 1);
    for (size_t i = 0; i < l.n; ++i) CHECK_NEAR(g[i], l.label[i] ? -1 : p / ((double)l.n - p), 1e-5);
}

/* Weights all times a constant change nothing but the units. */
static void test_weights(void)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST], g2[LIST_MOST], h2[LIST_MOST];
    static double want[LIST_MOST];
    const scarce__loss loss = scarce__loss_lambdamart(0);
    list_make(&l, 13, 2000, 10, 3, 0, 1);
    list_gradients(&loss, &l, g, h, 1);
    for (size_t i = 0; i < l.n; ++i) l.weight[i] *= 0.125f;
    list_gradients(&loss, &l, g2, h2, 1);
    for (size_t i = 0; i < l.n; ++i) want[i] = (double)g[i];
    CHECK(list_worst(g2, want, l.n, 0.125) < 1e-4);
    for (size_t i = 0; i < l.n; ++i) l.weight[i] = 3; /* all the same: as without weights */
    list_gradients(&loss, &l, g, h, 1);
    l.weighted = 0;
    list_gradients(&loss, &l, g2, h2, 1);
    for (size_t i = 0; i < l.n; ++i) want[i] = (double)g2[i];
    CHECK(list_worst(g, want, l.n, 3) < 1e-4);
}

static void test_promises(void)
{
    check_promises(scarce__loss_lambdamart(0), 1, 1e-3);
    check_no_memory(scarce__loss_lambdamart(0), 3000);
}

static const test_case tests[] = {{"vectors", test_vectors}, {"swaps", test_swaps},
                                  {"cells", test_cells},     {"start", test_start},
                                  {"weights", test_weights}, {"promises", test_promises}};
TEST_MAIN(tests)
