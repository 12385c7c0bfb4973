/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of hypotheses against scipy (tests/golden/make_significance.py) and against enumeration. */
#include <stdlib.h>

#include <scarce/metrics.h>

#include "eval/special.h"
#include "lcg.h"
#include "test.h"

static int near(double got, double want)
{
    return fabs(got - want) <= 1e-11 * fmax(1e-3, fabs(want));
}

static void check_wilcoxon(size_t c, char *at)
{
    static const uint64_t level_choice[] = {4, 30, (uint64_t)1 << 31};
    lcg r = lcg_start(c);
    const size_t n = 3 + lcg_below(&r, 60);
    const uint64_t levels = level_choice[lcg_below(&r, 3)];
    double a[64], b[64];
    scarce_wilcoxon_result w;
    for (size_t i = 0; i < n; ++i) a[i] = (double)lcg_below(&r, levels) / (double)levels;
    for (size_t i = 0; i < n; ++i) b[i] = (double)lcg_below(&r, levels) / (double)levels;
    CHECK(scarce_wilcoxon(&w, a, b, n, NULL) == SCARCE_OK);
    CHECK(near(w.statistic, strtod(at, &at)));
    CHECK(near(w.p, strtod(at, &at)));
    CHECK(w.exact == (n <= 25 && w.zeros == 0 && w.ties == 0));
}

static void check_friedman(size_t c, char *at)
{
    lcg r = lcg_start(500000 + c);
    const size_t blocks = 3 + lcg_below(&r, 20), methods = 3 + lcg_below(&r, 6);
    const uint64_t levels = lcg_below(&r, 2) ? (uint64_t)1 << 31 : 4;
    double v[23 * 9], rank[9], sum = 0;
    scarce_friedman_result f;
    for (size_t i = 0; i < blocks * methods; ++i) v[i] = (double)lcg_below(&r, levels) / (double)levels;
    CHECK(scarce_friedman(&f, rank, v, blocks, methods, 1, NULL) == SCARCE_OK);
    CHECK(f.blocks == blocks);
    CHECK(near(f.chi2, strtod(at, &at)));
    CHECK(near(f.p, strtod(at, &at)));
    CHECK(near(f.f, strtod(at, &at)));
    CHECK(near(f.p_f, strtod(at, &at)));
    for (size_t m = 0; m < methods; ++m) sum += rank[m];
    CHECK_NEAR(sum, (double)(methods * (methods + 1)) / 2, 1e-10);
}

static void check_holm(size_t c, char *at)
{
    lcg r = lcg_start(700000 + c);
    const size_t n = 1 + lcg_below(&r, 12);
    const uint64_t levels = lcg_below(&r, 2) ? (uint64_t)1 << 31 : 20;
    double p[12];
    for (size_t i = 0; i < n; ++i) p[i] = (double)lcg_below(&r, levels) / (double)levels / 4;
    CHECK(scarce_holm(p, p, n, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) CHECK(near(p[i], strtod(at, &at)));
}

static void check_tails(size_t c, char *at)
{
    static const double scale[] = {0.2, 3, 30};
    lcg r = lcg_start(900000 + c);
    const double d1 = 1 + (double)lcg_below(&r, 40), d2 = 1 + (double)lcg_below(&r, 200);
    const double u = (double)lcg_below(&r, (uint64_t)1 << 31) / 2147483648.0, x = u * scale[lcg_below(&r, 3)];
    CHECK(x == strtod(at, &at));
    CHECK_NEAR(scarce__chi2_upper(x, d1) / strtod(at, &at), 1, 1e-10);
    CHECK_NEAR(scarce__f_upper(x, d1, d2) / strtod(at, &at), 1, 1e-10);
}

static void test_scipy(void)
{
    FILE *f = fopen("golden/significance.txt", "r");
    char line[1000];
    size_t seen[256] = {0};
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        const size_t c = seen[(unsigned char)line[0]]++;
        switch (line[0]) {
        case 'w': check_wilcoxon(c, line + 1); break;
        case 'f': check_friedman(c, line + 1); break;
        case 'h': check_holm(c, line + 1); break;
        case 'q': check_tails(c, line + 1); break;
        default: CHECK(line[0] == 'w');
        }
    }
    CHECK(seen['w'] == 400 && seen['f'] == 200 && seen['h'] == 100 && seen['q'] == 200);
    if (f) fclose(f);
}

/* All 2^n signs, counted. */
static void test_exact_by_enumeration(void)
{
    const double a[] = {1, -2, 3, 4, -5, 6, 7.5, 8, 9, -10}, b[10] = {0};
    double plus = 0, minus = 0;
    size_t extreme = 0;
    scarce_wilcoxon_result w;
    for (size_t i = 0; i < 10; ++i) *(a[i] > 0 ? &plus : &minus) += (double)(i + 1);
    for (unsigned signs = 0; signs < 1024; ++signs) {
        double sum = 0;
        for (unsigned i = 0; i < 10; ++i) sum += signs >> i & 1 ? i + 1 : 0;
        extreme += sum <= fmin(plus, minus) || sum >= fmax(plus, minus);
    }
    CHECK(scarce_wilcoxon(&w, a, b, 10, NULL) == SCARCE_OK);
    CHECK(w.exact && w.r_plus == plus && w.r_minus == minus);
    CHECK_NEAR(w.p, (double)extreme / 1024, 1e-15);
}

static void test_edges(void)
{
    const double same[] = {.5, .5, .5}, hole[] = {.5, NAN, .25};
    const double table[] = {.9, .8, .7, .9, NAN, .7, .5, .5, .6};
    double p[] = {.01, NAN, .04}, rank[3];
    scarce_wilcoxon_result w;
    scarce_friedman_result f;
    scarce_error err = SCARCE_ERROR_INIT;

    CHECK(scarce_wilcoxon(&w, same, same, 3, NULL) == SCARCE_OK && w.p == 1 && w.zeros == 3);
    CHECK(scarce_wilcoxon(&w, same, same, 0, NULL) == SCARCE_OK && isnan(w.p) && w.n == 0);
    CHECK(scarce_wilcoxon(&w, same, hole, 3, NULL) == SCARCE_OK && w.n == 2 && w.zeros == 1);

    CHECK(scarce_holm(p, p, 3, NULL) == SCARCE_OK);
    CHECK_NEAR(p[0], .02, 1e-15);
    CHECK(isnan(p[1]));
    CHECK_NEAR(p[2], .04, 1e-15);
    p[0] = 2;
    CHECK(scarce_holm(p, p, 3, &err) == SCARCE_EINVAL && strstr(err.text, "p[0] is 2"));

    /* the block with a NaN is left out; lower is better turns the ranks round */
    CHECK(scarce_friedman(&f, rank, table, 3, 3, 1, NULL) == SCARCE_OK && f.blocks == 2);
    CHECK_NEAR(rank[0], (1 + 2.5) / 2, 1e-15);
    CHECK_NEAR(rank[2], (3 + 1) / 2.0, 1e-15);
    CHECK(scarce_friedman(&f, rank, table, 3, 3, -1, NULL) == SCARCE_OK);
    CHECK_NEAR(rank[0], (3 + 1.5) / 2, 1e-15);
    CHECK(scarce_friedman(&f, rank, same, 1, 3, 1, NULL) == SCARCE_OK && isnan(f.p) && rank[1] == 2);
    CHECK(scarce_friedman(&f, rank, same, 3, 1, 1, NULL) == SCARCE_EINVAL);
}

static const test_case tests[] = {
    {"scipy", test_scipy},
    {"exact_by_enumeration", test_exact_by_enumeration},
    {"edges", test_edges},
};
TEST_MAIN(tests)
