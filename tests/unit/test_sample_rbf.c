/* SPDX-License-Identifier: Apache-2.0 */
/* The RBF machine of svm-smote: the conditions of its optimum, LIBSVM's figures (tests/golden/make_rbf.py), and
 * which rows it is shown. */
#include <stdlib.h>

#include <scarce/resample.h>

#include "data/table.h"
#include "resample_tables.h"
#include "sample/rbf.h"
#include "test.h"

static uint32_t *all_rows(size_t n)
{
    uint32_t *rows = malloc(n * sizeof *rows);
    for (size_t i = 0; i < n; ++i) rows[i] = (uint32_t)i;
    return rows;
}

static void train(scarce__rbf *m, scarce__space *space, const scarce_table *t, scarce__near_scale scale,
                  double c, double gamma)
{
    uint32_t *rows = all_rows(t->n_rows);
    CHECK(scarce__space_init(space, t, scale, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__rbf_train(m, space, t, rows, t->n_rows, c, gamma, NULL, NULL) == SCARCE_OK);
    free(rows);
}

/* y f >= 1 without alpha, = 1 with one in between, <= 1 at C; and the alphas of both classes are equal. */
static void test_conditions(void)
{
    for (int kind = PLAIN; kind <= LISTED; ++kind) {
        scarce_table *t = resample_table(kind, 300, 21);
        scarce__space space;
        scarce__rbf m;
        double sum = 0;
        size_t wrong = 0, at = 0;
        train(&m, &space, t, SCARCE__SCALE_AUTO, 1, 0.5);
        for (size_t i = 0; i < t->n_rows; ++i) {
            const double y = t->label[i] ? 1 : -1, f = y * scarce__rbf_score(&m, i);
            const double a = at < m.n && m.rows[at] == i ? y * m.alpha[at++] : 0;
            wrong += a < 0 || a > 1;
            if (a < 1) wrong += f < 1 - 2 * SCARCE__RBF_TOLERANCE;
            if (a > 0) wrong += f > 1 + 2 * SCARCE__RBF_TOLERANCE;
            sum += y * a;
        }
        CHECK(wrong == 0 && at == m.n && m.n > 20);
        CHECK_NEAR(sum, 0, 1e-9);
        scarce__rbf_deinit(&m);
        scarce__space_deinit(&space);
        scarce_table_free(t);
    }
}

static void test_libsvm(void)
{
    static const struct {
        double c, gamma, sum, bias, f[12];
    } want[] = {{1,
                 0.5,
                 97.48169064750067,
                 -2.763466228308505,
                 {-2.167463778, 0.588365085, -0.735480253, -1.627264933, 0.963829228, -2.278157004,
                  -0.368956207, 0.187541131, -2.164519996, 0.519884136, -1.315279537, -1.539108285}},
                {10,
                 3,
                 473.9211525747833,
                 -1.3034476016451035,
                 {-0.766170534, 1.055518768, -1.250087396, -0.999999699, 4.335225545, -2.566601823,
                  -1.000000184, 1.276863029, -3.163792973, 0.879412515, -2.828091178, -0.901629933}}};
    enum { N = 160 };
    float x[N * 2];
    uint8_t y[N];
    scarce_table *t = NULL;
    for (int i = 0; i < N; ++i) {
        x[2 * i] = (float)((i * 37) % 101 / 50.5 - 1);
        x[2 * i + 1] = (float)((i * 59) % 97 / 48.5 - 1);
        const double a = (double)x[2 * i], b = (double)x[2 * i + 1];
        y[i] = (uint8_t)((a * a + b * b < 0.35) ^ (i % 11 == 0));
    }
    CHECK(scarce_table_from_floats(&t, x, N, 2, NULL, y, NULL) == SCARCE_OK);
    for (int k = 0; k < 2; ++k) {
        scarce__space space;
        scarce__rbf m;
        double sum = 0;
        train(&m, &space, t, SCARCE__SCALE_NONE, want[k].c, want[k].gamma);
        for (size_t i = 0; i < m.n; ++i) sum += fabs(m.alpha[i]);
        CHECK_NEAR(sum, want[k].sum, 2e-3 * want[k].sum);
        CHECK_NEAR(m.bias, want[k].bias, 5e-3);
        for (size_t i = 0; i < 12; ++i) CHECK_NEAR(scarce__rbf_score(&m, i), want[k].f[i], 5e-3);
        scarce__rbf_deinit(&m);
        scarce__space_deinit(&space);
    }
    scarce_table_free(t);
}

/* Few rows: all. Many: the positives and negatives near them, never more than allowed, always both classes. */
static void test_rows(void)
{
    static const size_t sizes[] = {200, 6000, 30000};
    for (int k = 0; k < 3; ++k) {
        scarce_table *t = resample_table(PLAIN, sizes[k], 6);
        uint32_t *rows = NULL;
        scarce__space space;
        size_t n = 0, positives = 0;
        CHECK(scarce__space_init(&space, t, SCARCE__SCALE_AUTO, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__rbf_rows(&rows, &n, &space, t, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < n; ++i) {
            positives += t->label[rows[i]];
            CHECK(!i || rows[i] > rows[i - 1]);
        }
        CHECK(n <= SCARCE__RBF_MOST_ROWS && positives > 0 && positives < n);
        if (k == 0) CHECK(n == 200);
        if (k == 1) CHECK(positives == t->n_positives);
        if (k == 2) CHECK(positives == SCARCE__RBF_MOST_ROWS / 2);
        free(rows);
        scarce__space_deinit(&space);
        scarce_table_free(t);
    }
}

/* As a resampler: ratio, threads, and starting rows that differ from those of the linear machine. */
static void test_resampler(void)
{
    int other = 0;
    for (int kind = PLAIN; kind <= LISTED; ++kind) {
        scarce_table *t = resample_table(kind, 400, 8), *first = NULL, *linear = NULL;
        CHECK(scarce_resample(&linear, NULL, NULL, t, "svm-smote:ratio=0.8", NULL, NULL) == SCARCE_OK);
        for (int threads = 1; threads <= 4; threads *= 2) {
            scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
            scarce_context *ctx = NULL;
            scarce_error err = SCARCE_ERROR_INIT;
            scarce_table *r = NULL;
            o.threads = threads;
            CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
            CHECK(scarce_resample(&r, NULL, NULL, t, "svm-smote:kernel=rbf:ratio=0.8", ctx, &err) ==
                  SCARCE_OK);
            if (!r) fprintf(stderr, "%s\n", err.text);
            if (r) CHECK(scarce_table_rows(r) == scarce_table_rows(linear));
            if (r && first) CHECK(scarce_table_fingerprint(r) == scarce_table_fingerprint(first));
            if (first) scarce_table_free(r);
            else first = r;
            scarce_context_free(ctx);
        }
        other += first && scarce_table_fingerprint(first) != scarce_table_fingerprint(linear);
        scarce_table_free(first);
        scarce_table_free(linear);
        scarce_table_free(t);
    }
    CHECK(other >= 2);
}

static const test_case tests[] = {{"conditions", test_conditions},
                                  {"libsvm", test_libsvm},
                                  {"rows", test_rows},
                                  {"resampler", test_resampler}};
TEST_MAIN(tests)
