/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrators against scikit-learn (golden/calibration.txt) and against what defines them. */
#include <scarce/decide.h>
#include <stdlib.h>

#include "core/random.h"
#include "decide/calibrate.h"
#include "test.h"
#include "unit/lcg.h"

enum { MAX_ROWS = 1000 };
static double score[MAX_ROWS], weight[MAX_ROWS];
static uint8_t label[MAX_ROWS];

static uint64_t state;

static double unit(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* As rows() in golden/make_calibration.py. */
static void make_rows(uint64_t seed, size_t n, double scale, double step, int weighted, int in_unit)
{
    state = seed;
    for (size_t i = 0; i < n; ++i) {
        const int y = unit() < 0.2;
        const double a = unit(), b = unit(), c = unit(), d = unit();
        double s = in_unit ? (a + b + (y ? 0.5 : 0.0)) / 2.5 : scale * (a + b + c - 1.5 + (y ? 0.4 : 0.0));
        if (step > 0) s = floor(s / step) * step;
        score[i] = s;
        label[i] = (uint8_t)y;
        weight[i] = weighted ? (d < 0.1 ? 0.0 : 0.25 + d) : 1.0;
    }
}

static scarce_calibrator *fit_rows(scarce_calibration kind, size_t n, int weighted)
{
    scarce_calibrator *c = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_scored rows = SCARCE_SCORED_INIT;
    rows.n = n;
    rows.score = score;
    rows.label = label;
    rows.weight = weighted ? weight : NULL;
    CHECK(scarce_calibrator_fit(&c, kind, &rows, &err) == SCARCE_OK);
    if (!c) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    CHECK(scarce__calibrator_check(c, &err) == SCARCE_OK);
    CHECK(scarce_calibrator_kind(c) == kind);
    return c;
}

static void test_golden(void)
{
    FILE *f = fopen("golden/calibration.txt", "r");
    unsigned long long seed;
    size_t n, n_probes;
    double scale, step, a, b, ba, bb, bc, x, p;
    int weighted, in_unit, cases = 0;

    CHECK(f != NULL);
    if (!f) return;
    while (fscanf(f, " case %llu %zu %lf %lf %d %d", &seed, &n, &scale, &step, &weighted, &in_unit) == 6) {
        CHECK(fscanf(f, " platt %lf %lf beta %lf %lf %lf probes %zu", &a, &b, &ba, &bb, &bc, &n_probes) == 6);
        make_rows(seed, n, scale, step, weighted, in_unit);
        scarce_calibrator *platt = fit_rows(SCARCE_CALIBRATE_PLATT, n, weighted);
        scarce_calibrator *isotonic = fit_rows(SCARCE_CALIBRATE_ISOTONIC, n, weighted);
        scarce_calibrator *beta = fit_rows(SCARCE_CALIBRATE_BETA, n, weighted);
        CHECK_NEAR(platt->a / a, 1, 1e-4);
        CHECK_NEAR(platt->b, b, 1e-4);
        CHECK(beta->a >= 0 && beta->b >= 0);
        scarce__calibrator want = *beta;
        want.a = ba;
        want.b = bb;
        want.c = bc;
        for (size_t i = 0; i < n_probes; ++i) {
            CHECK(fscanf(f, "%lf %lf", &x, &p) == 2);
            CHECK_NEAR(scarce_calibrator_apply(platt, x), 1 / (1 + exp(-(a * x + b))), 1e-5);
            CHECK_NEAR(scarce_calibrator_apply(isotonic, x), p, 1e-9);
            CHECK_NEAR(scarce_calibrator_apply(beta, x), scarce__calibrator_apply(&want, x), 1e-8);
        }
        scarce_calibrator_free(platt);
        scarce_calibrator_free(isotonic);
        scarce_calibrator_free(beta);
        ++cases;
    }
    fclose(f);
    CHECK(cases == 9);
}

/* Sum of w (label - y(score))^2 over the rows. */
static double squares(const scarce_calibrator *c, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; ++i) {
        const double e = (label[i] ? 1 : 0) - scarce_calibrator_apply(c, score[i]);
        s += weight[i] * e * e;
    }
    return s;
}

/* max over a of min over b of the mean of [a, b] (tied scores never split): the other definition. */
static double min_max(size_t n, double at)
{
    double best = 0;
    for (size_t a = 0; a < n; ++a) {
        double least = 1;
        if (score[a] > at) continue;
        for (size_t b = 0; b < n; ++b) {
            double sum = 0, all = 0;
            if (score[b] < at) continue;
            for (size_t i = 0; i < n; ++i) {
                if (score[i] < score[a] || score[i] > score[b]) continue;
                all += weight[i];
                sum += label[i] ? weight[i] : 0;
            }
            if (all > 0 && sum / all < least) least = sum / all;
        }
        if (least > best) best = least;
    }
    return best;
}

static void test_isotonic_min_max(void)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const size_t n = 10 + seed;
        make_rows(seed, n, 1, seed % 2 ? 0.25 : 0, 1, 0);
        for (size_t i = 0; i < n; ++i) weight[i] += 0.125; /* min_max has no rule for weight 0 */
        label[0] = 1;
        label[1] = 0;
        scarce_calibrator *c = fit_rows(SCARCE_CALIBRATE_ISOTONIC, n, 1);
        for (size_t i = 0; i < n; ++i)
            CHECK_NEAR(scarce_calibrator_apply(c, score[i]), min_max(n, score[i]), 1e-12);
        CHECK(squares(c, n) >= 0);
        scarce_calibrator_free(c);
    }
}

static double beta_loss(const scarce__calibrator *c, size_t n)
{
    double count[2] = {0, 0}, s = 0;
    for (size_t i = 0; i < n; ++i) count[label[i] != 0] += 1;
    for (size_t i = 0; i < n; ++i) {
        const double p = scarce__calibrator_apply(c, score[i]);
        const double t = label[i] ? (count[1] + 1) / (count[1] + 2) : 1 / (count[0] + 2);
        s -= t * log(p) + (1 - t) * log1p(-p);
    }
    return s;
}

/* No allowed move makes the loss smaller. */
static void test_beta_is_the_minimum(void)
{
    int on_edge = 0;
    for (uint64_t seed = 20; seed < 50; ++seed) {
        const size_t n = 60;
        make_rows(seed, n, seed % 5 == 0 ? -2 : 2, 0, 0, seed % 2 == 1);
        label[0] = 1;
        label[1] = 0;
        scarce_calibrator *c = fit_rows(SCARCE_CALIBRATE_BETA, n, 0);
        const double best = beta_loss(c, n);
        on_edge += c->a == 0 || c->b == 0;
        for (int k = 0; k < 27; ++k) {
            scarce__calibrator near = *c;
            near.a += (k % 3 - 1) * 1e-3;
            near.b += (k / 3 % 3 - 1) * 1e-3;
            near.c += (k / 9 - 1) * 1e-3;
            if (near.a >= 0 && near.b >= 0) CHECK(beta_loss(&near, n) >= best - 1e-10);
        }
        scarce_calibrator_free(c);
    }
    CHECK(on_edge >= 3);
}

static void test_hard_rows(void)
{
    const scarce_calibration kinds[] = {SCARCE_CALIBRATE_PLATT, SCARCE_CALIBRATE_ISOTONIC,
                                        SCARCE_CALIBRATE_BETA};
    const double scales[] = {1e-300, 1e-9, 1, 1e4, 1e150, 1e307};
    for (size_t k = 0; k < 3; ++k) {
        for (size_t q = 0; q < sizeof scales / sizeof scales[0]; ++q) {
            /* separable, one positive */
            for (size_t i = 0; i < 50; ++i) {
                score[i] = scales[q] * (((double)i - 25) / 25);
                label[i] = i == 49;
            }
            scarce_calibrator *c = fit_rows(kinds[k], 50, 0);
            const double lo = scarce_calibrator_apply(c, score[0]),
                         hi = scarce_calibrator_apply(c, score[49]);
            CHECK(lo >= 0 && hi <= 1 && lo <= hi);
            if (scales[q] > 1e-8 && scales[q] < 1e100) CHECK(hi > lo + 0.05);
            CHECK(scarce_calibrator_apply(c, INFINITY) >= hi);
            CHECK(scarce_calibrator_apply(c, -INFINITY) <= lo);
            CHECK(isnan(scarce_calibrator_apply(c, NAN)));
            scarce_calibrator_free(c);
        }
        /* all scores equal: everybody gets the (smoothed) share */
        for (size_t i = 0; i < 50; ++i) {
            score[i] = 0.3;
            label[i] = i < 5;
        }
        scarce_calibrator *c = fit_rows(kinds[k], 50, 0);
        CHECK_NEAR(scarce_calibrator_apply(c, 0.3), 0.1, 0.025);
        CHECK(scarce_calibrator_apply(c, 0.9) == scarce_calibrator_apply(c, 0.3));
        scarce_calibrator_free(c);
    }
    /* scores of +-1e4 mixed with small ones, not separable */
    for (size_t i = 0; i < 100; ++i) {
        score[i] = i % 10 == 0 ? (i % 20 ? 1e4 : -1e4) : (double)i / 100;
        label[i] = i % 3 == 0;
    }
    scarce_calibrator *c = fit_rows(SCARCE_CALIBRATE_PLATT, 100, 0);
    CHECK(isfinite(c->a) && isfinite(c->b));
    scarce_calibrator_free(c);
}

static void test_errors(void)
{
    scarce_calibrator *c = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_scored rows = SCARCE_SCORED_INIT;
    rows.n = 10;
    rows.score = score;
    rows.label = label;
    for (int kind = 1; kind <= 3; ++kind) {
        const scarce_calibration k = (scarce_calibration)kind;
        make_rows(1, 10, 1, 0, 0, 0);
        memset(label, 0, sizeof label);
        CHECK(scarce_calibrator_fit(&c, k, &rows, &err) == SCARCE_EDATA && c == NULL);
        CHECK_TEXT(err.text, "no positives among 10 scored rows; both classes are needed");
        memset(label, 1, sizeof label);
        CHECK(scarce_calibrator_fit(&c, k, &rows, &err) == SCARCE_EDATA && c == NULL);
        label[3] = 0;
        rows.weight = weight;
        weight[3] = 0;
        CHECK(scarce_calibrator_fit(&c, k, &rows, &err) == SCARCE_EDATA && c == NULL);
        weight[3] = -1;
        CHECK(scarce_calibrator_fit(&c, k, &rows, &err) == SCARCE_EDATA && c == NULL);
        rows.weight = NULL;
        score[4] = NAN;
        CHECK(scarce_calibrator_fit(&c, k, &rows, &err) == SCARCE_EDATA && c == NULL);
        CHECK(strstr(err.text, "row 5") != NULL);
    }
    rows.n = 0;
    CHECK(scarce_calibrator_fit(&c, SCARCE_CALIBRATE_PLATT, &rows, NULL) == SCARCE_EINVAL && c == NULL);
    CHECK(scarce_calibrator_fit(&c, SCARCE_CALIBRATE_PLATT, NULL, NULL) == SCARCE_EINVAL && c == NULL);
    CHECK(scarce_calibrator_fit(&c, (scarce_calibration)77, &rows, NULL) == SCARCE_EINVAL && c == NULL);
    CHECK(scarce_calibrator_fit(&c, SCARCE_CALIBRATE_NONE, NULL, &err) == SCARCE_OK);
    CHECK(scarce_calibrator_apply(c, 0.25) == 0.25);
    scarce_calibrator_free(c);
    scarce_calibrator_free(NULL);
}

static void test_check_refuses(void)
{
    double x[] = {0, 1, 2}, y[] = {0, 0.5, 1};
    scarce__calibrator c = {SCARCE__CALIBRATOR_ISOTONIC, 0, 0, 0, 3, x, y};
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_OK);
    CHECK_NEAR(scarce__calibrator_apply(&c, 0.5), 0.25, 1e-15);
    y[2] = 1.5;
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_EDATA);
    y[2] = 0.25;
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_EDATA);
    y[2] = 1;
    x[2] = 1;
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_EDATA);
    x[2] = NAN;
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_EDATA);
    c.n_knots = 0;
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_EDATA);
    c = scarce__calibrator_logit(INFINITY);
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_EDATA);
    c = scarce__calibrator_logit(0);
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_OK);
    CHECK_NEAR(scarce__calibrator_apply(&c, 2), 1 / (1 + exp(-2.0)), 1e-15);
    c.kind = (scarce__calibrator_kind)9;
    CHECK(scarce__calibrator_check(&c, NULL) == SCARCE_EDATA);
}

static void test_prior(void)
{
    /* 004 eq. 2.21: from one half */
    const double p = 0.7, q = 0.01;
    CHECK_NEAR(scarce_prior_correct(p, 0.5, q), p / (p + (1 - p) * (1 - q) / q), 1e-15);
    CHECK_NEAR(scarce_prior_correct(scarce_prior_correct(p, 0.3, q), q, 0.3), p, 1e-14);
    CHECK(scarce_prior_correct(0, 0.5, q) == 0 && scarce_prior_correct(1, 0.5, q) == 1);
    CHECK(isnan(scarce_prior_correct(p, 0, q)) && isnan(scarce_prior_correct(p, 0.5, 1)));
    CHECK(isnan(scarce_prior_undo(p, 0)) && isnan(scarce_prior_undo(1.5, 2)) &&
          isnan(scarce_prior_undo(p, NAN)));
    /* negatives kept with chance 0.1: odds 10 times too high */
    CHECK_NEAR(scarce_prior_undo(0.5, 10), 1.0 / 11, 1e-15);
    CHECK_NEAR(scarce_prior_undo(1e-300, 10), 1e-301, 1e-315);
    scarce__calibrator c = scarce__calibrator_shift(scarce__odds_shift(10));
    CHECK_NEAR(scarce__calibrator_apply(&c, 0.5), 1.0 / 11, 1e-15);
    CHECK(scarce__calibrator_apply(&c, 0) == 0 && scarce__calibrator_apply(&c, 1) == 1);
    c = scarce__calibrator_logit(scarce__prior_shift(0.5, q));
    CHECK_NEAR(scarce__calibrator_apply(&c, log(p / (1 - p))), scarce_prior_correct(p, 0.5, q), 1e-15);
    CHECK(isnan(scarce__odds_shift(-1)) && isnan(scarce__prior_shift(0.5, NAN)));

    CHECK_NEAR(scarce_cost_threshold(1, 99, 0, 0), 0.01, 1e-15);
    CHECK_NEAR(scarce_cost_threshold(3, 9, 1, 3), 0.25, 1e-15);
    CHECK(isnan(scarce_cost_threshold(1, 1, 2, 0)) && isnan(scarce_cost_threshold(0, 0, 0, 0)));
    CHECK_NEAR(scarce_amount_threshold(5, 200), 0.025, 1e-15);
    CHECK(isinf(scarce_amount_threshold(5, 0)) && isinf(scarce_amount_threshold(5, -3)));
    CHECK(scarce_amount_threshold(5, NAN) == 0.5 && scarce_amount_threshold(0.01, NAN) == 0.5);
}

/* The constant alone: the least of the loss by a fine search, the mean of the probabilities where there are many
 * rows, next to b0 where there is nothing to tell. */
static double shift_loss(double b, double b0, double a, const double *s, const uint8_t *y, const double *w,
                         size_t n)
{
    double loss = (b - b0) * (b - b0) / 2;
    for (size_t i = 0; i < n; ++i) {
        const double z = a * s[i] + b;
        loss += (w ? w[i] : 1) * (log1p(exp(-fabs(z))) + (z > 0 ? z : 0) - (y[i] ? z : 0));
    }
    return loss;
}

static void test_shift(void)
{
    enum { N = 400 };
    double s[N], w[N];
    uint8_t y[N];
    for (uint64_t seed = 1; seed < 20; ++seed) {
        lcg r = lcg_start(seed);
        scarce__calibrator c;
        const double a = 0.5 + (double)lcg_below(&r, 30) / 10, b0 = (double)lcg_below(&r, 80) / 10 - 4;
        double mean = 0, share = 0;
        for (size_t i = 0; i < N; ++i) {
            s[i] = (double)lcg_below(&r, 1000) / 100 - 8;
            y[i] = i == 0 || lcg_below(&r, 40) == 0;
            w[i] = seed % 2 ? 1 : (double)(1 + lcg_below(&r, 5));
        }
        CHECK(scarce__calibrate_shift(&c, a, b0, s, y, w, N, NULL) == SCARCE_OK && c.a == a);
        const double least = shift_loss(c.b, b0, a, s, y, w, N);
        for (double d = -3; d <= 3; d += 0.01) CHECK(shift_loss(c.b + d, b0, a, s, y, w, N) >= least - 1e-9);
        for (size_t i = 0; i < N; ++i) {
            mean += w[i] * scarce__calibrator_apply(&c, s[i]);
            share += w[i] * y[i];
        }
        CHECK_NEAR(mean - share, -(c.b - b0), 1e-4); /* the gradient of the square is all that is left */
    }
    const double one_score[] = {0, 0};
    const uint8_t one_label[] = {1, 0};
    const double tiny[] = {1e-9, 1e-9};
    scarce__calibrator c;
    CHECK(scarce__calibrate_shift(&c, 1, 2.5, one_score, one_label, tiny, 2, NULL) == SCARCE_OK);
    CHECK_NEAR(c.b, 2.5, 1e-6);
    const uint8_t same[] = {1, 1};
    CHECK(scarce__calibrate_shift(&c, 1, 0, one_score, same, NULL, 2, NULL) == SCARCE_EDATA);
}

static const test_case tests[] = {
    {"shift", test_shift},
    {"golden", test_golden},
    {"isotonic_min_max", test_isotonic_min_max},
    {"beta_is_the_minimum", test_beta_is_the_minimum},
    {"hard_rows", test_hard_rows},
    {"errors", test_errors},
    {"check_refuses", test_check_refuses},
    {"prior", test_prior},
};
TEST_MAIN(tests)
