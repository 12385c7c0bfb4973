/* SPDX-License-Identifier: Apache-2.0 */
/* Every step of an online model against finite differences of its loss: weights of nets and linear models, and what
 * combines them, of two classes and of three. A weight is changed in the bytes of the model, which is then read
 * and scored, so that nothing of the learning is believed. The vector loops against the plain ones, bit for bit. */
#include <math.h>

#include "core/elementary.h"
#include "method/method_online.h"
#include "online/combine.h"
#include "online/inputs.h"
#include "online/online.h"
#include "online/weak.h"
#include "test.h"
#include "unit/method_tables.h"

enum { ROWS = 60, T = 3, P = 5, UNITS = 2 };

static scarce__online_options options_of(int algorithm, int weak)
{
    scarce__online_options o = {0};
    o.algorithm = algorithm;
    o.weak = weak;
    o.learners = algorithm == SCARCE__ONLINE_ALONE ? 1 : T;
    o.spaces = P;
    o.units = UNITS;
    o.learning_rate = 0.1;
    o.combine_rate = 0.02;
    o.leak = 0.1;
    o.pos_weight = 1;
    o.edge = 0.1;
    o.bound = 10;
    o.kappa = 4;
    o.max_categories = 100;
    o.grace = 20;
    o.max_leaves = 8;
    o.split_confidence = 0.001;
    o.tie = 0.5;
    return o;
}

static size_t class_of(const scarce_table *t, size_t i, size_t n_classes)
{
    return n_classes == 2 ? t->label[i] : (i * 7 + t->label[i]) % n_classes;
}

/* Learnt a little; AdaGrad has forgotten, so that its square is that of the next gradient. */
static scarce__online *learnt_from(const scarce_table *t, const scarce__online_options *o, size_t n_classes,
                                   uint64_t seed)
{
    scarce__online *m = NULL;
    scarce__online_rows rows;
    CHECK(scarce__online_new(&m, o, &t->schema, n_classes, 1, seed, NULL) == SCARCE_OK);
    CHECK(scarce__online_rows_init(&rows, t, NULL) == SCARCE_OK);
    for (size_t i = 0; m && i + 1 < ROWS; ++i) {
        const scarce__online_row row = scarce__online_rows_get(&rows, i);
        CHECK(scarce__online_learn(m, &row, class_of(t, i, n_classes), 1, NULL) == SCARCE_OK);
    }
    for (int i = 0; m && i < 40; ++i) scarce__online_decay(m);
    if (m) m->inputs->rows = 300; /* means stay as they are for the next row */
    scarce__online_rows_deinit(&rows);
    return m;
}

/* How far the latent spaces of the last row are from the bend of relu, where there is no derivative. */
static double distance_to_bend(scarce__online *m, const scarce_table *t)
{
    const scarce__combine *c = m->combine;
    float h[SCARCE__ONLINE_MOST_LEARNERS];
    double least = 1;
    scarce__online_rows rows;

    if (!c->mix || scarce__online_rows_init(&rows, t, NULL)) return 1;
    const scarce__online_row row = scarce__online_rows_get(&rows, ROWS - 1);
    m->weak->ops->predict(m->weak, m->inputs, &row, h);
    for (size_t p = 0; p < c->spaces; ++p) {
        double z = 0;
        for (size_t k = 0; k < c->learners; ++k) z += (double)(h[k] * c->mix[k * c->width + p]);
        least = fmin(least, fabs(z));
    }
    scarce__online_rows_deinit(&rows);
    return least;
}

static scarce__online *learnt(const scarce_table *t, const scarce__online_options *o, size_t n_classes)
{
    for (uint64_t seed = 1; seed < 100; ++seed) {
        scarce__online *m = learnt_from(t, o, n_classes, seed);
        if (!m || distance_to_bend(m, t) > 0.02) return m;
        scarce__online_free(m);
    }
    return NULL;
}

static scarce__writer bytes_of(const scarce__online *m)
{
    scarce__writer w = {0};
    scarce__online_write(m, &w);
    CHECK(!w.failed);
    return w;
}

static double loss_of(const scarce__writer *w, const scarce_table *t, const float *row, size_t y)
{
    scarce__reader r = scarce__reader_of(w->bytes, w->n);
    scarce__online *m = NULL;
    double p[SCARCE__ONLINE_MOST_CLASSES];
    CHECK(scarce__online_read(&m, &t->schema, &r, NULL) == SCARCE_OK);
    if (!m) return 0;
    const scarce__online_row at = {row, NULL, 0};
    (void)scarce__online_classes(m, &at, p);
    scarce__online_free(m);
    return -scarce__ln(p[y]);
}

/* - d loss / d number at `at`, a float or a double. */
static double slope(const scarce__writer *w, size_t at, int is_double, const scarce_table *t,
                    const float *row, size_t y)
{
    const double step = 2e-3;
    double loss[2];
    for (int k = 0; k < 2; ++k) {
        const double by = k ? -step : step;
        uint8_t old[8];
        memcpy(old, w->bytes + at, 8);
        if (is_double) {
            double x;
            memcpy(&x, w->bytes + at, 8);
            x += by;
            memcpy(w->bytes + at, &x, 8);
        } else {
            float x;
            memcpy(&x, w->bytes + at, 4);
            x = (float)((double)x + by);
            memcpy(w->bytes + at, &x, 4);
        }
        loss[k] = loss_of(w, t, row, y);
        memcpy(w->bytes + at, old, 8);
    }
    return (loss[1] - loss[0]) / (2 * step);
}

static float float_at(const scarce__writer *w, size_t at)
{
    float x;
    memcpy(&x, w->bytes + at, 4);
    return x;
}

static double double_at(const scarce__writer *w, size_t at)
{
    double x;
    memcpy(&x, w->bytes + at, 8);
    return x;
}

static void near_to(double got, double want, const char *what)
{
    if (fabs(got - want) > 4e-3 + 0.02 * fabs(want)) {
        fprintf(stderr, "%s: %g, finite differences say %g\n", what, got, want);
        CHECK(0);
    }
}

/* A weight and its square: the step is along the gradient, and the square is its square. */
static void check_adagrad(const scarce__writer *before, const scarce__writer *after, size_t weight,
                          size_t square, const scarce_table *t, const float *row, size_t y)
{
    const double g = sqrt((double)float_at(after, square)),
                 moved = (double)float_at(after, weight) - (double)float_at(before, weight);
    near_to(moved > 0   ? g
            : moved < 0 ? -g
                        : 0,
            slope(before, weight, 0, t, row, y), "a weak learner's weight");
    if (g > 1e-3) CHECK_NEAR(fabs(moved), 0.1, 1e-3);
}

static void check_steps(int algorithm, int weak, int paper, size_t n_classes)
{
    scarce_table *t = make_table_of(TABLE_PAYMENTS, ROWS, 1, NULL);
    scarce__online_options o = options_of(algorithm, weak);
    if (paper) o.paper = 1, o.learners = 1;
    const size_t outputs = n_classes == 2 ? 1 : n_classes, learners = (size_t)o.learners;
    const size_t hidden = weak == SCARCE__WEAK_NET ? learners * UNITS : learners;
    scarce__online *m = learnt(t, &o, n_classes);
    const size_t y = class_of(t, ROWS - 1, n_classes);
    scarce__online_rows rows;
    CHECK(m != NULL);
    if (!m || scarce__online_rows_init(&rows, t, NULL)) return;
    const scarce__online_row row = scarce__online_rows_get(&rows, ROWS - 1);
    scarce__writer before = bytes_of(m), after;
    const size_t n_inputs = m->inputs->n_inputs;
    CHECK(scarce__online_learn(m, &row, y, 1, NULL) == SCARCE_OK);
    CHECK(m->inputs->n_inputs == n_inputs && m->refused == 0);
    after = bytes_of(m);
    const size_t ends = weak == SCARCE__WEAK_NET ? 8 * hidden + 8 * learners : 0;
    const size_t weights = before.n - ends - n_inputs * hidden * 8;
    CHECK(before.n == after.n);
    for (size_t i = 0; !paper && i < n_inputs * hidden; i += 3) { /* every third will do */
        const size_t at = weights + (i / hidden) * hidden * 8 + (i % hidden) * 4;
        check_adagrad(&before, &after, at, at + hidden * 4, t, row.value, y);
    }
    for (size_t i = 0; !paper && ends && i < hidden; ++i)
        check_adagrad(&before, &after, before.n - ends + 4 * i, before.n - ends + 4 * (hidden + i), t,
                      row.value, y);
    for (size_t i = 0; !paper && ends && i < learners; ++i)
        check_adagrad(&before, &after, before.n - 8 * learners + 4 * i, before.n - 4 * learners + 4 * i, t,
                      row.value, y);
    if (algorithm == SCARCE__ONLINE_ONLB) {
        const size_t top = weights - outputs * P * 4, mix = top - learners * P * 4, shift = mix - outputs * 8;
        for (size_t i = 0; i < outputs * P; ++i)
            near_to(((double)float_at(&after, top + 4 * i) - (double)float_at(&before, top + 4 * i)) /
                        (0.02 / (double)learners),
                    slope(&before, top + 4 * i, 0, t, row.value, y), "a");
        for (size_t i = 0; i < learners * P; ++i)
            near_to(((double)float_at(&after, mix + 4 * i) - (double)float_at(&before, mix + 4 * i)) / 0.02,
                    slope(&before, mix + 4 * i, 0, t, row.value, y), "A");
        for (size_t i = 0; !paper && i < outputs; ++i)
            near_to((double_at(&after, shift + 8 * i) - double_at(&before, shift + 8 * i)) / 0.02,
                    slope(&before, shift + 8 * i, 1, t, row.value, y), "b");
    }
    scarce__writer_deinit(&before);
    scarce__writer_deinit(&after);
    scarce__online_rows_deinit(&rows);
    scarce__online_free(m);
    scarce_table_free(t);
}

static void test_alone(void)
{
    check_steps(SCARCE__ONLINE_ALONE, SCARCE__WEAK_NET, 0, 2);
    check_steps(SCARCE__ONLINE_ALONE, SCARCE__WEAK_LINEAR, 0, 2);
}

static void test_onlb(void)
{
    check_steps(SCARCE__ONLINE_ONLB, SCARCE__WEAK_NET, 0, 2);
    check_steps(SCARCE__ONLINE_ONLB, SCARCE__WEAK_LINEAR, 0, 2);
    check_steps(SCARCE__ONLINE_ONLB, SCARCE__WEAK_NET, 1, 2); /* one stage: the gradient of F_1 */
}

static void test_classes(void)
{
    check_steps(SCARCE__ONLINE_ONLB, SCARCE__WEAK_NET, 0, 3);
}

/* ---- what regresses, against the formulas written out */

static double sigma(double x)
{
    return 1 / (1 + exp(-x));
}

static void test_residuals(void)
{
    scarce__online_options o = options_of(SCARCE__ONLINE_STREAMBOOST, SCARCE__WEAK_NET);
    const float h[T] = {0.4f, -0.7f, 0.2f};
    double effect[T] = {0};
    scarce__combine *c = NULL;
    static scarce__steps s;
    double f = 0;

    o.combine_rate = 0.5;
    CHECK(scarce__combine_new(&c, &o, 1, 1, 1, NULL) == SCARCE_OK);
    CHECK(scarce__combine_learn(c, h, 1, 2, 1, &s, effect) && !s.by_gradient);
    for (int t = 0; t < T; ++t) {
        CHECK_NEAR((double)s.target[t], 1 - sigma(f), 1e-6);
        CHECK_NEAR((double)s.weight[t], 2, 1e-6);
        f += 0.5 * (double)h[t];
    }
    CHECK_NEAR(scarce__combine_score(c, h), f, 1e-6);
    scarce__combine_free(c);
    o.algorithm = SCARCE__ONLINE_OGB;
    CHECK(scarce__combine_new(&c, &o, 1, 1, 1, NULL) == SCARCE_OK);
    for (uint64_t n = 1; n <= 50; ++n) CHECK(scarce__combine_learn(c, h, 0, 1, n, &s, effect));
    for (int t = 0; t < T; ++t) CHECK(c->sigma[t] >= 0 && c->sigma[t] <= 1);
    CHECK(c->sigma[1] > 0); /* F_1 is above 0 and wrong: it is shrunk */
    f = 0;
    for (int t = 0; t < T; ++t) {
        CHECK_NEAR((double)s.target[t], -sigma(f), 0.2); /* sigma moved a little in the last step */
        f = (1 - c->sigma[t] * 0.5) * f + 0.5 * (double)h[t];
    }
    CHECK_NEAR(scarce__combine_score(c, h), f, 1e-9);
    scarce__combine_free(c);
}

/* Weights of boosting by majority by the binomial formula itself. */
static void test_majority(void)
{
    scarce__online_options o = options_of(SCARCE__ONLINE_BBM, SCARCE__WEAK_NET);
    float h[10];
    double effect[10] = {0}, votes = 0;
    scarce__combine *c = NULL;
    static scarce__steps s;

    o.learners = 10;
    for (int t = 0; t < 10; ++t) h[t] = t % 3 ? 0.9f : -0.4f;
    CHECK(scarce__combine_new(&c, &o, 1, 1, 1, NULL) == SCARCE_OK);
    CHECK(scarce__combine_learn(c, h, 1, 1, 1, &s, effect));
    for (int t = 0; t < 10; ++t) {
        const int n = 10 - t - 1, k = (int)floor((10 - t - votes) / 2);
        double w[10], most = 0, choose = 1;
        for (int j = 0; j <= n; ++j) {
            w[j] = choose * pow(0.6, j) * pow(0.4, n - j);
            most = fmax(most, w[j]);
            choose = choose * (n - j) / (j + 1);
        }
        CHECK_NEAR((double)s.weight[t], k >= 0 && k <= n ? w[k] / most : 0, 1e-5);
        CHECK((double)s.target[t] == 1);
        votes += (double)h[t];
    }
    CHECK_NEAR(scarce__combine_score(c, h), votes, 1e-6);
    scarce__combine_free(c);
}

static void test_adaboost(void)
{
    scarce__online_options o = options_of(SCARCE__ONLINE_ADABOOST_W, SCARCE__WEAK_NET);
    const float h[T] = {0.5f, -0.8f, 2};
    double effect[T] = {0}, alpha[T] = {0}, chance[T] = {0};
    scarce__combine *c = NULL;
    static scarce__steps s;

    CHECK(scarce__combine_new(&c, &o, 1, 1, 1, NULL) == SCARCE_OK);
    for (uint64_t n = 1; n <= 30; ++n) {
        const int y = n % 4 == 0;
        const double sign = y ? 1 : -1;
        double f = 0, sum = 0, want = 0, part = 0;
        CHECK(scarce__combine_learn(c, h, (size_t)y, 1, n, &s, effect));
        for (int t = 0; t < T; ++t) {
            const double v = fmin((double)h[t], 1);
            CHECK_NEAR((double)s.weight[t], 1 / (1 + exp(sign * f)), 1e-6);
            f += alpha[t] * v;
            alpha[t] = fmax(-2, fmin(2, alpha[t] + 4 / sqrt((double)n) * sign * v / (1 + exp(sign * f))));
            if (sign * f <= 0) chance[t] -= 1;
            CHECK_NEAR(c->alpha[t], alpha[t], 1e-9);
        }
        for (int t = 0; t < T; ++t) sum += exp(chance[t]);
        for (int t = 0; t < T; ++t)
            part += alpha[t] * fmin((double)h[t], 1), want += exp(chance[t]) / sum * part;
        CHECK_NEAR(scarce__combine_score(c, h), want, 1e-9);
    }
    scarce__combine_free(c);
}

/* ---- the same bits */

static void test_kernels(void)
{
    enum { WIDTH = 40, INPUTS = 9 };
    const scarce__bank_kernels *k[2] = {&scarce__bank_plain, scarce__bank_best()};
    static float w[2][INPUTS * WIDTH], q[2][INPUTS * WIDTH], sum[2][WIDTH], out[2][INPUTS];
    const uint32_t input[] = {4, 0, 7, 8};
    const float value[] = {0.3f, -2, 1, 7.5f};
    float h[INPUTS], d[WIDTH], e[WIDTH];
    lcg r = lcg_start(5);

    for (size_t i = 0; i < INPUTS * WIDTH; ++i) {
        w[0][i] = w[1][i] = (float)lcg_below(&r, 2000) / 997 - 1;
        q[0][i] = q[1][i] = (float)lcg_below(&r, 5) / 7;
    }
    for (size_t i = 0; i < WIDTH; ++i) d[i] = (float)lcg_below(&r, 100) / 31 - 1, e[i] = d[i] / 3;
    for (size_t i = 0; i < INPUTS; ++i) h[i] = (float)lcg_below(&r, 100) / 71 - 1;
    for (int i = 0; i < 2; ++i)
        for (int round = 0; round < 20; ++round) {
            k[i]->add(sum[i], w[i], WIDTH, input, value, 4);
            k[i]->tanh(sum[i], WIDTH);
            k[i]->step(w[i], q[i], WIDTH, input, value, 4, d, 0.1f);
            k[i]->mix(sum[i], w[i], WIDTH, h, INPUTS);
            k[i]->unmix(out[i], w[i], WIDTH, d, e, h, INPUTS);
        }
    CHECK(memcmp(w[0], w[1], sizeof w[0]) == 0 && memcmp(q[0], q[1], sizeof q[0]) == 0);
    CHECK(memcmp(sum[0], sum[1], sizeof sum[0]) == 0 && memcmp(out[0], out[1], sizeof out[0]) == 0);
    for (float x = -12; x <= 12; x += 0.37f) {
        float y[8] = {x, x, x, x, x, x, x, x};
        k[1]->tanh(y, 8);
        CHECK_NEAR((double)y[3], tanh((double)x), 1e-7);
    }
}

static const test_case tests[] = {{"alone", test_alone},       {"onlb", test_onlb},
                                  {"classes", test_classes},   {"residuals", test_residuals},
                                  {"majority", test_majority}, {"adaboost", test_adaboost},
                                  {"kernels", test_kernels}};

TEST_MAIN(tests)
