/* SPDX-License-Identifier: Apache-2.0 */
/* Training of linear models: scikit-learn's weights (golden/linear.txt), liblinear's, the gradient at the
 * minimum, awkward columns, threads, cancelling. */
#include <stdlib.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "linear/linear.h"
#include "test.h"
#include "unit/tables.h"

static uint64_t lcg;

static double unit(void)
{
    lcg = lcg * 6364136223846793005u + 1442695040888963407u;
    return (double)(lcg >> 11) * 0x1p-53;
}

static scarce_table *table_of(const float *x, size_t n, size_t k, const uint8_t *y)
{
    scarce_table *t = NULL;
    CHECK(scarce_table_from_floats(&t, x, n, k, NULL, y, NULL) == SCARCE_OK);
    if (!t) exit(1);
    return t;
}

static scarce__linear train_it(const scarce_table *t, const scarce__linear_options *o,
                               scarce__linear_report *report, scarce_context *ctx)
{
    scarce__linear m;
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status status = scarce__linear_train(&m, report, t, o, ctx, &err);
    CHECK(status == SCARCE_OK);
    if (status != SCARCE_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return m;
}

/* ---- golden ---- */

static scarce_table *plain_table(int weighted)
{
    enum { N = 200 };
    static float x[N * 4];
    static uint8_t y[N];
    static double w[N];
    lcg = 11;
    for (size_t i = 0; i < N; ++i) {
        double u[6];
        for (int k = 0; k < 6; ++k) u[k] = unit();
        x[i * 4] = (float)(u[0] * 10 - 5);
        x[i * 4 + 1] = (float)((u[1] - 0.5) * 1000 + 200);
        x[i * 4 + 2] = (float)floor(u[2] * 4);
        x[i * 4 + 3] = (float)(u[3] * u[3] * 0.01);
        y[i] = u[0] + u[1] * 0.5 - u[2] * 0.3 + u[4] > 1.6;
        w[i] = 0.25 + u[5];
    }
    scarce_table *t = table_of(x, N, 4, y);
    if (weighted) CHECK(scarce_table_set_weight(t, w, NULL) == SCARCE_OK);
    return t;
}

static float mixed_rows[300 * 3];

static scarce_table *mixed_table(void)
{
    static uint8_t y[300];
    lcg = 12;
    for (size_t i = 0; i < 300; ++i) {
        double u[5];
        for (int k = 0; k < 5; ++k) u[k] = unit();
        float *x = mixed_rows + i * 3;
        x[0] = u[0] < 0.2 ? NAN : (float)(u[0] * 3);
        x[1] = u[1] < 0.95 ? (float)floor(u[1] * 4) : NAN;
        if (i % 100 == 7) x[1] = 4;
        x[2] = u[2] < 0.8 ? 0 : (float)(u[2] * 5);
        y[i] = (u[0] >= 0.2 ? u[0] : 0.9) + (floor(u[1] * 4) == 2 ? 0.4 : 0) + 0.5 * u[2] + u[3] > 1.9;
    }
    scarce_table *t = table_of(mixed_rows, 300, 3, y);
    to_category(t, 1, 6); /* a sixth category that no row has */
    to_sparse(t, 2);
    return t;
}

static size_t read_numbers(FILE *f, const char *name, double *value, size_t limit)
{
    char word[32];
    size_t n = 0;
    CHECK(fscanf(f, "%31s %zu", word, &n) == 2 && n <= limit);
    CHECK_TEXT(word, name);
    for (size_t i = 0; i < n && i < limit; ++i) CHECK(fscanf(f, "%lf", &value[i]) == 1);
    return n;
}

static void check_plain(FILE *f, const char *loss, int weighted, double c, double pos_weight)
{
    scarce__linear_options o = scarce__linear_options_init();
    double want[8];
    o.loss = strcmp(loss, "svm") == 0 ? SCARCE__LINEAR_SVM : SCARCE__LINEAR_LOGISTIC;
    o.c = c;
    o.pos_weight = pos_weight;
    o.tolerance = 1e-10;
    o.penalize_bias = o.loss == SCARCE__LINEAR_SVM; /* LinearSVC is liblinear */
    scarce_table *t = plain_table(weighted);
    scarce__linear_report report;
    scarce__linear m = train_it(t, &o, &report, NULL);
    CHECK(report.converged);
    CHECK(report.odds_factor == (o.loss == SCARCE__LINEAR_SVM ? 1 : pos_weight));
    CHECK(read_numbers(f, "weights", want, 8) == 5);
    for (size_t k = 0; k < 4; ++k) CHECK_NEAR(m.weight[k] / want[k], 1, 1e-6);
    CHECK_NEAR(m.bias, want[4], 1e-6);
    scarce__linear_deinit(&m);
    scarce_table_free(t);
}

static void check_mixed(FILE *f, const char *loss)
{
    scarce__linear_options o = scarce__linear_options_init();
    double want[64], parameter[64];
    o.loss = strcmp(loss, "svm") == 0 ? SCARCE__LINEAR_SVM : SCARCE__LINEAR_LOGISTIC;
    o.c = 0.5;
    o.pos_weight = 3;
    o.min_category_rows = 10;
    o.tolerance = 1e-10;
    o.penalize_bias = o.loss == SCARCE__LINEAR_SVM;
    scarce_table *t = mixed_table();
    scarce__linear_report report;
    scarce__linear m = train_it(t, &o, &report, NULL);
    CHECK(report.n_parameters == 9);
    CHECK(read_numbers(f, "scores", want, 64) == 40);
    for (size_t i = 0; i < 40; ++i) CHECK_NEAR(scarce__linear_score(&m, mixed_rows + i * 3), want[i], 1e-6);
    CHECK(read_numbers(f, "parameters", parameter, 64) == 10);
    CHECK(m.n_slots == 8);
    for (size_t k = 0; k < 4; ++k) CHECK_NEAR(m.slot_weight[k], parameter[2 + k], 1e-6);
    /* the rare one, the one without rows, and the unknown share a weight; missing has its own */
    for (size_t k = 4; k < 7; ++k) CHECK_NEAR(m.slot_weight[k], parameter[6], 1e-6);
    CHECK_NEAR(m.slot_weight[7], parameter[7], 1e-6);
    scarce__linear_deinit(&m);
    scarce_table_free(t);
}

static void test_golden(void)
{
    FILE *f = fopen("golden/linear.txt", "r");
    char kind[16], loss[16];
    int weighted, cases = 0;
    double c, pos_weight;
    CHECK(f != NULL);
    if (!f) return;
    while (fscanf(f, "%15s %15s", kind, loss) == 2) {
        if (strcmp(kind, "plain") == 0) {
            CHECK(fscanf(f, "%d %lf %lf", &weighted, &c, &pos_weight) == 3);
            check_plain(f, loss, weighted, c, pos_weight);
        } else {
            check_mixed(f, loss);
        }
        ++cases;
    }
    fclose(f);
    CHECK(cases == 10);
}

/* ---- liblinear ---- */

static void test_liblinear_agrees(void)
{
    for (int which = 0; which < 2; ++which) {
        for (int loss = 0; loss < 2; ++loss) {
            scarce_table *t = which ? mixed_table() : plain_table(0);
            scarce__linear_options o = scarce__linear_options_init();
            scarce__linear_report ours, theirs;
            scarce__linear b;
            scarce_error err = SCARCE_ERROR_INIT;
            o.loss = (scarce__linear_loss)loss;
            o.c = 0.3;
            o.pos_weight = 4;
            o.tolerance = 1e-11;
            o.penalize_bias = 1;
            scarce__linear a = train_it(t, &o, &ours, NULL);
            o.solver = SCARCE__LINEAR_LIBLINEAR;
            const scarce_status status = scarce__linear_train(&b, &theirs, t, &o, NULL, &err);
            if (status == SCARCE_EUNSUPPORTED) { /* a build without it */
                CHECK_TEXT(err.text, "this build has no liblinear; use solver=newton");
            } else {
                CHECK(status == SCARCE_OK);
                CHECK_NEAR(theirs.objective / ours.objective, 1, 1e-9);
                CHECK_NEAR(a.bias, b.bias, 1e-6);
                for (size_t f = 0; f < a.n_features; ++f) {
                    CHECK_NEAR(a.weight[f], b.weight[f], 1e-6 * (1 + fabs(a.weight[f])));
                    CHECK_NEAR(a.missing_weight[f], b.missing_weight[f],
                               1e-6 * (1 + fabs(a.missing_weight[f])));
                }
                for (size_t s = 0; s < a.n_slots; ++s) CHECK_NEAR(a.slot_weight[s], b.slot_weight[s], 1e-6);
                scarce__linear_deinit(&b);
            }
            scarce__linear_deinit(&a);
            scarce_table_free(t);
        }
    }
    scarce_table *t = plain_table(1);
    scarce__linear_options o = scarce__linear_options_init();
    scarce__linear m;
    o.solver = SCARCE__LINEAR_LIBLINEAR;
    CHECK(scarce__linear_train(&m, NULL, t, &o, NULL, NULL) == SCARCE_EUNSUPPORTED); /* case weights */
    scarce_table_free(t);
}

/* ---- what must hold of any result ---- */

static scarce_table *random_table(uint64_t seed, size_t n, size_t k)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 7);
    float *x = malloc(n * k * sizeof *x);
    uint8_t *y = malloc(n);
    for (size_t i = 0; i < n; ++i) {
        double z = -3;
        for (size_t f = 0; f < k; ++f) {
            const double v = scarce__random_normal(&r);
            x[i * k + f] = scarce__random_below(&r, 20) == 0 && f % 3 == 0 ? NAN : (float)v;
            if (f % 5 == 4) x[i * k + f] = (float)floor(fabs(v) * 2) < 3 ? (float)floor(fabs(v) * 2) : 3;
            if (f % 7 == 5 && scarce__random_below(&r, 3)) x[i * k + f] = 0;
            z += v / (double)(f + 1);
        }
        y[i] = scarce__random_unit(&r) < 1 / (1 + exp(-z));
    }
    y[0] = 1;
    y[1] = 0;
    scarce_table *t = table_of(x, n, k, y);
    for (size_t f = 0; f < k; ++f) {
        if (f % 5 == 4) to_category(t, f, 4);
        else if (f % 7 == 5) to_sparse(t, f);
    }
    free(x);
    free(y);
    return t;
}

static int same_model(const scarce__linear *a, const scarce__linear *b)
{
    return a->bias == b->bias && memcmp(a->weight, b->weight, a->n_features * sizeof *a->weight) == 0 &&
           memcmp(a->missing_weight, b->missing_weight, a->n_features * sizeof *a->weight) == 0 &&
           memcmp(a->slot_weight, b->slot_weight, a->n_slots * sizeof *a->slot_weight) == 0;
}

static void test_same_bits(void)
{
    scarce_table *t = random_table(3, 9000, 16);
    scarce__linear_options o = scarce__linear_options_init();
    for (int loss = 0; loss < 2; ++loss) {
        o.loss = (scarce__linear_loss)loss;
        scarce__linear one = train_it(t, &o, NULL, NULL);
        for (int threads = 1; threads <= 4; threads += 3) {
            scarce_context_options c = SCARCE_CONTEXT_OPTIONS_INIT;
            scarce_context *ctx = NULL;
            c.threads = threads;
            CHECK(scarce_context_new(&ctx, &c, NULL) == SCARCE_OK);
            scarce__linear m = train_it(t, &o, NULL, ctx);
            CHECK(same_model(&one, &m));
            scarce__linear_deinit(&m);
            scarce_context_free(ctx);
        }
        scarce__linear_deinit(&one);
    }
    scarce_table_free(t);
}

/* A weight of k is the same as k copies of the row. */
static void test_weights_are_copies(void)
{
    scarce_table *t = random_table(4, 400, 6), *copies = NULL;
    scarce__linear_options o = scarce__linear_options_init();
    static double w[400];
    static uint32_t rows[1600];
    size_t n = 0;
    o.tolerance = 1e-11;
    o.min_category_rows = 0;
    for (uint32_t i = 0; i < 400; ++i) {
        w[i] = i % 4 + (i % 2);
        for (int k = 0; k < (int)w[i]; ++k) rows[n++] = i;
    }
    CHECK(scarce_table_rows_of(&copies, t, rows, n, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_set_weight(t, w, NULL) == SCARCE_OK);
    for (int loss = 0; loss < 2; ++loss) {
        o.loss = (scarce__linear_loss)loss;
        scarce__linear a = train_it(t, &o, NULL, NULL), b = train_it(copies, &o, NULL, NULL);
        CHECK_NEAR(a.bias, b.bias, 1e-7);
        for (size_t f = 0; f < a.n_features; ++f) CHECK_NEAR(a.weight[f], b.weight[f], 1e-7);
        for (size_t s = 0; s < a.n_slots; ++s) CHECK_NEAR(a.slot_weight[s], b.slot_weight[s], 1e-7);
        scarce__linear_deinit(&a);
        scarce__linear_deinit(&b);
    }
    scarce_table_free(copies);
    scarce_table_free(t);
}

/* An unpenalised constant of logistic regression makes the mean probability the share of positives, so the
 * odds factor can be undone; standardised or not. */
static void test_mean_probability(void)
{
    scarce_table *t = random_table(5, 2000, 8);
    scarce__linear_options o = scarce__linear_options_init();
    double *z = malloc(2000 * sizeof *z);
    o.tolerance = 1e-9;
    for (int standardize = 0; standardize < 2; ++standardize) {
        o.standardize = standardize;
        scarce__linear m = train_it(t, &o, NULL, NULL);
        scarce__linear_score_table(&m, t, z, NULL);
        double p = 0;
        for (size_t i = 0; i < 2000; ++i) p += 1 / (1 + exp(-z[i]));
        CHECK_NEAR(p, (double)scarce_table_positives(t), 1e-4);
        scarce__linear_deinit(&m);
    }
    free(z);
    scarce_table_free(t);
}

static void test_awkward_columns(void)
{
    enum { N = 60, K = 7 };
    float x[N * K];
    uint8_t y[N];
    for (size_t i = 0; i < N; ++i) {
        y[i] = i == 17; /* one positive, separable by the first column */
        x[i * K] = i == 17 ? 5 : (float)(i % 3);
        x[i * K + 1] = 42;              /* constant */
        x[i * K + 2] = NAN;             /* all missing */
        x[i * K + 3] = i % 2 ? NAN : 7; /* constant where present: only the indicator is left */
        x[i * K + 4] = 0;               /* a category of one */
        x[i * K + 5] = 0;               /* sparse without entries */
        x[i * K + 6] = 16777216.0f + 2 * (float)(i % 2); /* tiny deviation on a large mean */
    }
    scarce_table *t = table_of(x, N, K, y);
    to_category(t, 4, 2);
    to_sparse(t, 5);
    for (int loss = 0; loss < 2; ++loss) {
        scarce__linear_options o = scarce__linear_options_init();
        scarce__linear_report report;
        o.loss = (scarce__linear_loss)loss;
        o.c = 1e6;
        scarce__linear m = train_it(t, &o, &report, NULL);
        CHECK(report.converged);
        CHECK(report.n_parameters == 3);
        CHECK(m.weight[0] > 0);
        CHECK(m.weight[1] == 0 && m.weight[2] == 0 && m.weight[3] == 0 && m.weight[5] == 0);
        CHECK(m.missing_weight[1] == 0 && m.missing_weight[2] == 0);
        for (size_t s = 0; s < m.n_slots; ++s) CHECK(m.slot_weight[s] == 0);
        for (size_t i = 0; i < N; ++i) {
            const double z = scarce__linear_score(&m, x + i * K);
            CHECK(isfinite(z) && (z > 0) == (y[i] != 0));
        }
        /* missing where training saw none: as the mean of the column */
        float row[K], mean = 0;
        memcpy(row, x, sizeof row);
        for (size_t i = 0; i < N; ++i) mean += x[i * K] / N;
        row[0] = NAN;
        const double missing = scarce__linear_score(&m, row);
        row[0] = mean;
        CHECK_NEAR(missing, scarce__linear_score(&m, row), 1e-4);
        scarce__linear_deinit(&m);
    }
    scarce_table_free(t);
    /* no column has anything to say */
    for (size_t i = 0; i < N; ++i) x[i] = 1;
    t = table_of(x, N, 1, y);
    scarce__linear_options o = scarce__linear_options_init();
    scarce__linear m = train_it(t, &o, NULL, NULL);
    CHECK_NEAR(m.bias, log(1.0 / 59), 1e-6);
    scarce__linear_deinit(&m);
    scarce_table_free(t);
}

static int stop_at_once(void *payload, const scarce_progress *progress)
{
    int *calls = payload;
    CHECK_TEXT(progress->stage, "train");
    return ++*calls >= 3;
}

static void test_cancel(void)
{
    scarce_table *t = random_table(6, 500, 10);
    scarce__linear_options o = scarce__linear_options_init();
    scarce_context_options c = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__linear m;
    int calls = 0;
    c.threads = 1;
    c.progress = stop_at_once;
    c.payload = &calls;
    CHECK(scarce_context_new(&ctx, &c, NULL) == SCARCE_OK);
    CHECK(scarce__linear_train(&m, NULL, t, &o, ctx, NULL) == SCARCE_ECANCEL);
    CHECK(calls == 3 && m.weight == NULL);
    scarce_context_free(ctx);
    scarce_table_free(t);
}

static void test_errors(void)
{
    const float x[] = {1, 2, 3, 4};
    const uint8_t none[] = {0, 0, 0, 0}, all[] = {1, 1, 1, 1}, some[] = {0, 0, 1, 1};
    const double w[] = {1, 1, 0, 0};
    scarce__linear_options o = scarce__linear_options_init(), bad;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__linear m;
    scarce_table *t = table_of(x, 4, 1, none);
    CHECK(scarce__linear_train(&m, NULL, t, &o, NULL, &err) == SCARCE_EDATA && m.weight == NULL);
    CHECK_TEXT(err.text, "no positives among 4 rows; both classes are needed");
    scarce_table_free(t);
    t = table_of(x, 4, 1, all);
    CHECK(scarce__linear_train(&m, NULL, t, &o, NULL, &err) == SCARCE_EDATA);
    scarce_table_free(t);
    t = table_of(x, 4, 1, NULL);
    CHECK(scarce__linear_train(&m, NULL, t, &o, NULL, &err) == SCARCE_EDATA);
    scarce_table_free(t);
    t = table_of(x, 4, 1, some);
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; ++k) {
        bad = o;
        bad.c = wrong[k];
        CHECK(scarce__linear_train(&m, NULL, t, &bad, NULL, NULL) == SCARCE_EINVAL);
        bad = o;
        bad.pos_weight = wrong[k];
        CHECK(scarce__linear_train(&m, NULL, t, &bad, NULL, NULL) == SCARCE_EINVAL);
        bad = o;
        bad.tolerance = wrong[k];
        CHECK(scarce__linear_train(&m, NULL, t, &bad, NULL, NULL) == SCARCE_EINVAL);
    }
    bad = o;
    bad.max_iterations = 0;
    CHECK(scarce__linear_train(&m, NULL, t, &bad, NULL, NULL) == SCARCE_EINVAL);
    CHECK(scarce_table_set_weight(t, w, NULL) == SCARCE_OK); /* the positives are left out */
    CHECK(scarce__linear_train(&m, NULL, t, &o, NULL, NULL) == SCARCE_EDATA);
    scarce_table_free(t);
}

static const test_case tests[] = {
    {"golden", test_golden},
    {"liblinear_agrees", test_liblinear_agrees},
    {"same_bits", test_same_bits},
    {"weights_are_copies", test_weights_are_copies},
    {"mean_probability", test_mean_probability},
    {"awkward_columns", test_awkward_columns},
    {"cancel", test_cancel},
    {"errors", test_errors},
};
TEST_MAIN(tests)
