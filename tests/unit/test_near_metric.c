/* SPDX-License-Identifier: Apache-2.0 */
/* Metric learning: metric-learn's ITML, the formula of GMML by scipy, the optimum of MLFP as a quadratic programme
 * (golden/metric.txt); gradients against differences; projections; eigenvalues put together again; threads. */
#include "near/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "lcg.h"
#include "near/linalg.h"
#include "test.h"

enum { MOST = 400, MOST_D = 8 };
static double z[MOST * MOST_D];
static uint8_t label[MOST];

static scarce__points rows(size_t n, size_t d, uint64_t seed)
{
    lcg g = lcg_start(seed);
    for (size_t i = 0; i < n; ++i) {
        label[i] = i % 3 == 0;
        for (size_t j = 0; j < d; ++j)
            z[i * d + j] = ((double)lcg_below(&g, 2000) - 1000) / 500 + (j < 2 ? label[i] : 0);
    }
    return (scarce__points){z, label, n, d, NULL};
}

/* The numbers of the line that begins with the name. */
static size_t golden(const char *name, double *out, size_t most)
{
    FILE *f = fopen("golden/metric.txt", "r");
    char line[4096];
    size_t n = 0;
    CHECK(f != NULL);
    while (f && n == 0 && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ') {
            char *at = line + strlen(name), *end;
            for (double x = strtod(at, &end); end != at && n < most; x = strtod(at, &end))
                out[n++] = x, at = end;
        }
    if (f) fclose(f);
    CHECK(n > 0);
    return n;
}

static void compare(const char *name, const double *m, size_t n, double within)
{
    double want[64];
    CHECK(golden(name, want, 64) == n);
    for (size_t i = 0; i < n; ++i) CHECK_NEAR(m[i], want[i], within);
}

static void test_itml(void)
{
    const scarce__points p = rows(30, 4, 5);
    uint32_t a[30], b[30];
    size_t n = 0;
    double m[16];
    lcg g = lcg_start(6);
    while (n < 30) {
        const uint32_t x = (uint32_t)lcg_below(&g, 30), y = (uint32_t)lcg_below(&g, 30);
        if (n < 15 ? x != y && label[x] == label[y] : label[x] != label[y]) a[n] = x, b[n++] = y;
    }
    const scarce__itml_pairs pairs = {a, b, 30, 15, 1, 9};
    CHECK(scarce__itml_project(m, &p, &pairs, 1, 1e-9, 20000, NULL) == SCARCE_OK);
    compare("itml 1", m, 16, 1e-7);
    CHECK(scarce__itml_project(m, &p, &pairs, 10, 1e-9, 20000, NULL) == SCARCE_OK);
    compare("itml 10", m, 16, 1e-7);
}

static void test_gmml(void)
{
    const scarce__points p = rows(40, 4, 7);
    double m[16];
    CHECK(scarce__metric_gmml(m, &p, 0.5, 1e-3, NULL, NULL) == SCARCE_OK);
    compare("gmml 0.5", m, 16, 1e-9);
    CHECK(scarce__metric_gmml(m, &p, 0.2, 1e-3, NULL, NULL) == SCARCE_OK);
    compare("gmml 0.2", m, 16, 1e-9);
}

static void test_mlfp(void)
{
    static const double mu[] = {0.01, 0.1}, c[] = {0, 0.5};
    for (int i = 0; i < 2; ++i) {
        const scarce__points p = rows(24, 3, 9);
        const scarce__mlfp_options o = {2, mu[i], c[i], 0, 0, 1e-9, 5000};
        double m[9], value, want[4];
        char name[32];
        snprintf(name, sizeof name, "mlfp %g %g", mu[i], c[i]);
        CHECK(golden(name, want, 4) == 4);
        CHECK(scarce__metric_mlfp(m, &value, &p, &o, NULL, NULL) == SCARCE_OK);
        CHECK_NEAR(value, want[0], 1e-4 * want[0]);
        CHECK(value >= want[0] - 1e-7);
    }
}

/* ---- gradients */

typedef scarce_status (*value_fn)(double *value, double *gradient, const double *m, const scarce__points *p,
                                  const void *options);

static scarce_status mlfp_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                const void *o)
{
    return scarce__mlfp_value(value, gradient, m, p, o, NULL, NULL);
}

static scarce_status lmnn_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                const void *o)
{
    return scarce__lmnn_value(value, gradient, m, p, o, NULL, NULL);
}

static scarce_status imbml_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                 const void *o)
{
    return scarce__imbml_value(value, gradient, m, p, o, NULL, NULL);
}

/* Symmetric changes of one entry, from both sides; kinks within the step are few. */
static void check_gradient(value_fn f, const void *o, int diagonal, const char *name)
{
    enum { D = 4 };
    const scarce__points p = rows(60, D, 21);
    double m[D * D], g[D * D], unused[D * D], up, down, value;
    size_t wrong = 0;
    lcg r = lcg_start(3);
    for (size_t i = 0; i < D * D; ++i) m[i] = i % (D + 1) == 0 ? 0.8 : 0;
    for (size_t i = 0; i < D; ++i)
        for (size_t j = 0; j <= i; ++j) {
            const double x = ((double)lcg_below(&r, 1000) - 500) / 5000;
            if (i == j) m[i * D + j] += x;
            else if (!diagonal) m[i * D + j] = m[j * D + i] = x;
        }
    CHECK(f(&value, g, m, &p, o) == SCARCE_OK);
    for (size_t i = 0; i < D; ++i)
        for (size_t j = 0; j <= i; ++j) {
            const double h = 1e-6;
            double other[D * D];
            if (diagonal && i != j) continue;
            memcpy(other, m, sizeof m);
            other[i * D + j] += h;
            if (i != j) other[j * D + i] += h;
            CHECK(f(&up, unused, other, &p, o) == SCARCE_OK);
            other[i * D + j] -= 2 * h;
            if (i != j) other[j * D + i] -= 2 * h;
            CHECK(f(&down, unused, other, &p, o) == SCARCE_OK);
            const double want = (up - down) / (2 * h), got = i == j ? g[i * D + j] : 2 * g[i * D + j];
            wrong += fabs(want - got) > 1e-5 * (1 + fabs(want));
        }
    CHECK(wrong == 0);
    if (wrong) fprintf(stderr, "gradient of %s\n", name);
}

static void test_gradients(void)
{
    const scarce__mlfp_options near = {3, 0.05, 0.3, 0, 0, 0, 0}, full = {3, 0.05, 0.3, 1, 0, 0, 0},
                               all = {3, 0.05, 0.3, 1, 1, 0, 0}, factors = {3, 0.05, 0.3, 0, 1, 0, 0};
    const scarce__lmnn_options lmnn = {3, 0.4, 0, 0};
    const scarce__imbml_options imbml = {3, 1, 0.1, 0.4, 0, 0};
    check_gradient(mlfp_value, &near, 1, "mlfp");
    check_gradient(mlfp_value, &factors, 1, "mlfp, all triplets");
    check_gradient(mlfp_value, &full, 0, "mlfp, full");
    check_gradient(mlfp_value, &all, 0, "mlfp, full, all triplets");
    check_gradient(lmnn_value, &lmnn, 0, "lmnn");
    check_gradient(imbml_value, &imbml, 0, "imbml");
}

/* All triplets, one by one. */
static void test_triplets(void)
{
    enum { N = 30, D = 3 };
    const scarce__points p = rows(N, D, 4);
    const scarce__mlfp_options o = {1, 0, 0.2, 0, 1, 0, 0};
    double m[9] = {0.5, 0, 0, 0, 0.9, 0, 0, 0, 0.1}, g[9], value, want = 0;
    CHECK(scarce__mlfp_value(&value, g, m, &p, &o, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < N; ++i)
        for (size_t a = 0; a < N; ++a)
            for (size_t b = 0; b < N; ++b) {
                double x = 0, e = 0; /* a positive by M, b negative, Euclidean */
                if (a == i || b == i || !label[a] || label[b]) continue;
                for (size_t j = 0; j < D; ++j) {
                    x += m[j * 4] * (z[i * D + j] - z[a * D + j]) * (z[i * D + j] - z[a * D + j]);
                    e += (z[i * D + j] - z[b * D + j]) * (z[i * D + j] - z[b * D + j]);
                }
                const double hinge = label[i] ? 0.8 + x - e : 0.8 + e - x;
                want += (label[i] ? 20.0 / 30 : 10.0 / 30) * (hinge > 0 ? hinge : 0) / (30.0 * 30 * 30);
            }
    CHECK_NEAR(value, want, 1e-10);
}

/* ---- what comes out is a metric, better than the start, the same with any threads */

static void check_eigenvalues(const double *m, size_t d, double most)
{
    double a[64], value[8], vector[64];
    memcpy(a, m, d * d * sizeof *m);
    scarce__eigen(a, value, vector, d);
    CHECK(value[d - 1] >= -1e-12 && value[0] <= most + 1e-12);
}

static void test_learners(void)
{
    enum { D = 5 };
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    double first[3][D * D];
    for (int threads = 1; threads <= 4; threads *= 2) {
        scarce_context *ctx = NULL;
        co.threads = threads;
        CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
        const scarce__points p = rows(300, D, 31);
        const scarce__mlfp_options mlfp = {3, 1e-3, 0.5, 1, 0, 1e-7, 300};
        const scarce__lmnn_options lmnn = {3, 0.5, 1e-7, 300};
        const scarce__imbml_options imbml = {3, 1, 1e-2, 0.5, 1e-7, 300};
        double m[3][D * D], value[3], start, g[D * D], unit[D * D];
        for (size_t i = 0; i < D * D; ++i) unit[i] = i % (D + 1) == 0;
        CHECK(scarce__metric_mlfp(m[0], &value[0], &p, &mlfp, ctx, NULL) == SCARCE_OK);
        CHECK(scarce__metric_lmnn(m[1], &value[1], &p, &lmnn, ctx, NULL) == SCARCE_OK);
        CHECK(scarce__metric_imbml(m[2], &value[2], &p, &imbml, ctx, NULL) == SCARCE_OK);
        check_eigenvalues(m[0], D, 1);
        check_eigenvalues(m[1], D, INFINITY);
        check_eigenvalues(m[2], D, INFINITY);
        CHECK(scarce__mlfp_value(&start, g, unit, &p, &mlfp, ctx, NULL) == SCARCE_OK && value[0] < start);
        CHECK(scarce__lmnn_value(&start, g, unit, &p, &lmnn, ctx, NULL) == SCARCE_OK && value[1] < start);
        CHECK(scarce__imbml_value(&start, g, unit, &p, &imbml, ctx, NULL) == SCARCE_OK && value[2] < start);
        if (threads == 1) memcpy(first, m, sizeof m);
        CHECK(memcmp(first, m, sizeof m) == 0);
        scarce_context_free(ctx);
    }
}

static void test_linalg(void)
{
    for (size_t d = 1; d <= 8; ++d) {
        double a[64], kept[64], value[8], vector[64], again[64], map[64];
        lcg r = lcg_start(d);
        for (size_t i = 0; i < d; ++i)
            for (size_t j = 0; j <= i; ++j)
                a[i * d + j] = a[j * d + i] = ((double)lcg_below(&r, 2001) - 1000) / (d == 5 ? 1e9 : 100);
        memcpy(kept, a, sizeof a);
        scarce__eigen(a, value, vector, d);
        scarce__eigen_compose(again, value, vector, d);
        for (size_t i = 0; i < d * d; ++i)
            CHECK_NEAR(again[i], kept[i], 1e-12 * (fabs(value[0]) + fabs(value[d - 1])));
        for (size_t i = 1; i < d; ++i) CHECK(value[i] <= value[i - 1]);
        for (size_t i = 0; i < d; ++i) value[i] = fabs(value[i]) + 0.1;
        scarce__eigen_compose(kept, value, vector, d);
        memcpy(a, kept, sizeof a);
        CHECK(scarce__cholesky(a, d));
        for (size_t i = 0; i < d; ++i)
            for (size_t j = 0; j <= i; ++j) {
                double sum = 0;
                for (size_t k = 0; k <= j; ++k) sum += a[i * d + k] * a[j * d + k];
                CHECK_NEAR(sum, kept[i * d + j], 1e-9);
            }
        size_t n_out = 0;
        double *l = scarce__metric_map(kept, d, &n_out);
        CHECK(l && n_out == d);
        for (size_t i = 0; l && i < d; ++i)
            for (size_t j = 0; j < d; ++j) {
                map[i * d + j] = 0;
                for (size_t k = 0; k < n_out; ++k) map[i * d + j] += l[k * d + i] * l[k * d + j];
                CHECK_NEAR(map[i * d + j], kept[i * d + j], 1e-9);
            }
        scarce__free(l);
    }
}

static const test_case tests[] = {{"itml", test_itml},         {"gmml", test_gmml},
                                  {"mlfp", test_mlfp},         {"gradients", test_gradients},
                                  {"triplets", test_triplets}, {"learners", test_learners},
                                  {"linalg", test_linalg}};

TEST_MAIN(tests)
