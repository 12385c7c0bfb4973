/* SPDX-License-Identifier: Apache-2.0 */
/* The copula's rows against what is known of them: correlations, margins, probabilities, and what they may
 * depend on. Bounds are five deviations of the estimate, at seeds that are fixed. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/simulate.h>

#include "core/elementary.h"
#include "eval/special.h"
#include "simulate/copula.h"
#include "test.h"
#include "unit/files.h"

enum { N = 20000 };

static scarce_context *context(int threads, uint64_t seed)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    o.seed = seed;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static scarce_table *made(const char *const *settings, size_t n, uint64_t seed, scarce_simulate_summary *s)
{
    scarce_context *ctx = context(2, seed);
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_simulate_table(&t, "copula", settings, n, ctx, s, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    CHECK(t != NULL);
    scarce_context_free(ctx);
    return t;
}

static double mean_of(const float *x)
{
    double sum = 0;
    for (size_t i = 0; i < N; ++i) sum += (double)x[i];
    return sum / N;
}

static double correlation(const float *x, const float *y)
{
    const double mx = mean_of(x), my = mean_of(y);
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < N; ++i) {
        const double a = (double)x[i] - mx, b = (double)y[i] - my;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xy / sqrt(xx * yy);
}

/* 3 groups of 3 clusters over 28 columns, so that sizes differ by one. */
static void test_correlations(void)
{
    static const char *const settings[] = {"rows=20000",   "features=28",  "groups=3",      "clusters=3",
                                           "rho_high=0.7", "rho_low=0.25", "margins=normal"};
    static const int cluster[28] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4,
                                    4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8};
    scarce_table *t = made(settings, 7, 5, NULL);
    for (size_t a = 0; a < 28; ++a)
        for (size_t b = 0; b < a; ++b) {
            const double rho = cluster[a] == cluster[b] ? 0.7 : cluster[a] / 3 == cluster[b] / 3 ? 0.25 : 0;
            CHECK_NEAR(correlation(scarce_table_numbers(t, a), scarce_table_numbers(t, b)), rho,
                       5 * (1 - rho * rho) / sqrt(N));
        }
    scarce_table_free(t);
}

/* P(X <= x) of Gamma(2, 2) is known in closed form; of 0 and 1 also how often two are 1 together. */
static void test_margins(void)
{
    static const char *const gamma[] = {"rows=20000", "features=2", "groups=1", "clusters=1",
                                        "margins=gamma:2:2"},
                             *const half[] = {"rows=20000", "features=2", "groups=1", "clusters=1",
                                              "margins=bernoulli:0.5"},
                             *const tenth[] = {"rows=20000", "features=2", "groups=2", "clusters=1",
                                               "margins=bernoulli:0.1"};
    scarce_table *t = made(gamma, 5, 3, NULL);
    for (double x = 0.2; x < 20; x *= 1.7) {
        size_t below = 0;
        for (size_t i = 0; i < N; ++i) below += (double)scarce_table_numbers(t, 1)[i] <= x;
        CHECK_NEAR((double)below / N, 1 - (1 + x / 2) * exp(-x / 2), 5 * 0.5 / sqrt(N));
    }
    CHECK_NEAR(mean_of(scarce_table_numbers(t, 0)), 4, 5 * sqrt(8.0 / N));
    scarce_table_free(t);

    t = made(half, 5, 3, NULL);
    size_t both = 0;
    for (size_t i = 0; i < N; ++i)
        both += (double)scarce_table_numbers(t, 0)[i] > 0.5 && (double)scarce_table_numbers(t, 1)[i] > 0.5;
    CHECK_NEAR((double)both / N, 0.25 + asin(0.8) / (2 * 3.14159265358979), 5 * 0.5 / sqrt(N));
    CHECK_NEAR(mean_of(scarce_table_numbers(t, 0)), 0.5, 5 * 0.5 / sqrt(N));
    scarce_table_free(t);

    t = made(tenth, 5, 3, NULL);
    CHECK_NEAR(mean_of(scarce_table_numbers(t, 0)), 0.1, 5 * 0.3 / sqrt(N));
    CHECK_NEAR(correlation(scarce_table_numbers(t, 0), scarce_table_numbers(t, 1)), 0, 5 / sqrt(N));
    scarce_table_free(t);
}

/* Every margin is drawn about equally often. */
static void test_margins_are_shared_out(void)
{
    scarce__copula_options o = {
        1,   4000, 10, 2, 0.8, 0.2, "normal,bernoulli:0.1,bernoulli:0.5,gamma:2:2", COPULA_HALF, NAN,
        0.1, -3,   1,  1, 1,   0};
    size_t count[4] = {0}, zero = 0;
    scarce__copula c;
    double square = 0;
    CHECK(scarce__copula_init(&c, &o, NULL, NULL) == SCARCE_OK);
    for (size_t j = 0; j < 4000; ++j) {
        ++count[c.margin[j]];
        zero += c.beta[j] == 0;
        square += c.beta[j] * c.beta[j];
        CHECK((c.beta[j] == 0) == (j >= 2000)); /* by groups */
    }
    for (int k = 0; k < 4; ++k) CHECK_NEAR((double)count[k], 1000, 5 * sqrt(4000 * 0.25 * 0.75));
    CHECK(zero == 2000 && c.intercept == -3);
    CHECK_NEAR(square / 2000, 0.033 * 0.033, 5 * 0.033 * 0.033 * sqrt(2.0 / 2000));
    scarce__copula_deinit(&c);
}

/* The mean of p on rows that are not those which set the intercept, and as many labels. */
static void test_rate(void)
{
    static const char *const rates[] = {"rate=0.05", "rate=0.1", "rate=0.2", "rate=0.001"};
    for (int k = 0; k < 4; ++k) {
        const char *settings[] = {"rows=20000", "features=300", "truth=true",
                                  rates[k],     "sd=0.3",       "intercept_rows=100000"};
        const double q = atof(rates[k] + 5);
        scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
        scarce_table *t = made(settings, 6, 17, &s);
        const double *p = scarce_table_exact(t, 0);
        double sum = 0, spread = 0, variance = 0;
        for (size_t i = 0; i < N; ++i) {
            sum += p[i];
            spread += (p[i] - q) * (p[i] - q);
            variance += p[i] * (1 - p[i]);
        }
        CHECK_NEAR(sum / N, s.mean_probability, 1e-12);
        CHECK_NEAR(s.mean_probability, q, 5 * sqrt(1.2 * spread) / N); /* of both samples */
        CHECK_NEAR((double)s.positives, sum, 5 * sqrt(variance));
        CHECK(s.rows == N && s.positives == scarce_table_positives(t));
        scarce_table_free(t);
    }
}

/* The column probability is the model's, of the cells as they are. */
static void test_truth(void)
{
    static const char *const settings[] = {"rows=300", "features=50", "truth=true",  "model=4",
                                           "draw=9",   "sd=0.2",      "intercept=-2"};
    scarce__copula_options o = {
        300, 50, 10, 2, 0.8, 0.2, "normal,bernoulli:0.1,bernoulli:0.5,gamma:2:2", COPULA_ALL, 0.2,
        0.1, -2, 1,  4, 9,   1};
    scarce_table *t = made(settings, 7, 2, NULL);
    scarce__copula c;
    CHECK(scarce__copula_init(&c, &o, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < 300; ++i) {
        double eta = -2;
        for (size_t j = 0; j < 50; ++j) eta += c.beta[j] * (double)scarce_table_numbers(t, j)[i];
        CHECK_NEAR(scarce_table_exact(t, 0)[i], scarce__sigmoid(eta), 1e-9);
    }
    scarce__copula_deinit(&c);
    scarce_table_free(t);
}

static scarce_table *from_file(const char *const *settings, size_t n, int threads, uint64_t seed)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_context *ctx = context(threads, seed);
    const char *paths[1], *exact[] = {"probability"};
    scarce_table *t = NULL;
    char path[256];
    snprintf(path, sizeof path, "%s/scarce-copula-%ld.csv", P_tmpdir, (long)getpid());
    paths[0] = path;
    ro.label = "label";
    ro.ignore.items = ro.exact.items = exact;
    ro.ignore.count = ro.exact.count = 1;
    CHECK(scarce_simulate("copula", settings, n, path, ctx, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_read(&t, paths, 1, &ro, ctx, NULL) == SCARCE_OK);
    unlink(path);
    scarce_context_free(ctx);
    return t;
}

/* The file is the table, for any number of threads; fewer rows are the first of more. */
static void test_file_is_table(void)
{
    static const char *const settings[] = {"rows=2500", "features=60", "truth=true",
                                           "rate=0.2",  "sd=0.2",      "intercept_rows=640"},
                             *const fewer[] = {"rows=77",  "features=60", "truth=true",
                                               "rate=0.2", "sd=0.2",      "intercept_rows=640"};
    scarce_table *t = made(settings, 6, 8, NULL), *few = made(fewer, 6, 8, NULL),
                 *other = made(fewer, 6, 9, NULL);
    static const int threads[] = {1, 2, 5};
    size_t same = 0;

    for (int k = 0; k < 3; ++k) {
        scarce_table *f = from_file(settings, 6, threads[k], 8);
        CHECK(scarce_table_features(f) == 60 && scarce_table_rows(f) == 2500);
        for (size_t j = 0; j < 60; ++j)
            CHECK(memcmp(scarce_table_numbers(t, j), scarce_table_numbers(f, j), 2500 * sizeof(float)) == 0);
        CHECK(memcmp(scarce_table_label(t), scarce_table_label(f), 2500) == 0);
        CHECK(memcmp(scarce_table_exact(t, 0), scarce_table_exact(f, 0), 2500 * sizeof(double)) == 0);
        scarce_table_free(f);
    }
    for (size_t j = 0; j < 60; ++j) {
        CHECK(memcmp(scarce_table_numbers(t, j), scarce_table_numbers(few, j), 77 * sizeof(float)) == 0);
        for (size_t i = 0; i < 77; ++i)
            same += scarce_table_numbers(other, j)[i] == scarce_table_numbers(few, j)[i];
    }
    CHECK(memcmp(scarce_table_label(t), scarce_table_label(few), 77) == 0);
    CHECK(same < 60 * 77 * 2 / 3); /* columns of 0 and 1 agree by chance */
    scarce_table_free(t);
    scarce_table_free(few);
    scarce_table_free(other);
}

static void refused(const char *setting, const char *word)
{
    const char *settings[] = {"rows=10", "features=20", setting};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    CHECK(scarce_simulate_table(&t, "copula", settings, 3, NULL, NULL, &err) == SCARCE_EINVAL);
    CHECK(t == NULL && strstr(err.text, word) != NULL);
    if (!strstr(err.text, word)) fprintf(stderr, "%s\n", err.text);
}

static void test_refused(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    refused("margins=", "margin ''");
    refused("margins=normal,,gamma:2:2", "margin ''");
    refused("margins=cauchy", "cauchy");
    refused("margins=bernoulli", "bernoulli");
    refused("margins=bernoulli:1", "bernoulli:1");
    refused("margins=gamma:2:2:2", "gamma:2:2:2");
    refused("margins=gamma:x:2", "gamma:x:2");
    refused("margins=normal:1", "normal:1");
    refused("rho_low=0.9", "rho_low");
    refused("rho_high=1.1", "rho_high");
    refused("groups=11", "groups");
    refused("rate=0", "rate");
    CHECK(scarce_simulate_table(&t, "toy", NULL, 0, NULL, NULL, &err) == SCARCE_EUNSUPPORTED && t == NULL);
}

/* Against figures of tables, and each other. */
static void test_quantiles(void)
{
    CHECK_NEAR(scarce__normal_quantile(0.5), 0, 1e-15);
    CHECK_NEAR(scarce__normal_quantile(0.975), 1.959963984540054, 1e-12);
    CHECK_NEAR(scarce__normal_quantile(0.1), -1.2815515655446004, 1e-12);
    CHECK_NEAR(scarce__normal_quantile(1e-20), -9.262340089798408, 1e-9);
    CHECK(isnan(scarce__normal_quantile(0)) && isnan(scarce__normal_quantile(1)));
    for (double shape = 0.05; shape < 900; shape *= 3)
        for (double z = -8; z <= 8; z += 0.5) {
            const double x = scarce__gamma_of_normal(shape, z), tail = scarce__normal_upper(fabs(z));
            const double got = z < 0 ? scarce__gamma_p(shape, x) : scarce__gamma_q(shape, x);
            if (x > 1e-290) CHECK_NEAR(got, tail, 1e-9 * tail);
        }
    CHECK_NEAR(scarce__gamma_of_normal(2, 0), 1.6783469900166605, 1e-12); /* the median */
}

static const test_case tests[] = {
    {"correlations", test_correlations},
    {"margins", test_margins},
    {"margins_are_shared_out", test_margins_are_shared_out},
    {"rate", test_rate},
    {"truth", test_truth},
    {"file_is_table", test_file_is_table},
    {"refused", test_refused},
    {"quantiles", test_quantiles},
};
TEST_MAIN(tests)
