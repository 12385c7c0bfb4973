/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary.h against the C library's long double functions: on millions of random inputs of every
 * size and at the edges, never further off than the header says. */
#include <float.h>

#include "core/elementary.h"
#include "core/random.h"
#include "test.h"

enum { RANDOM = 400000 };

/* How far `got` is from `want`, in units of the last place of a double of want's size. */
static double ulps(double got, long double want)
{
    const double w = (double)want;
    int e;
    if (isnan(w)) return isnan(got) ? 0 : HUGE_VAL;
    if (isinf(w) || isinf(got)) { /* the border of overflow may be met half an ulp early */
        const double edge = fabs(isinf(w) ? got : w);
        return w == got || edge > DBL_MAX * (1 - 2 * DBL_EPSILON) ? 0 : HUGE_VAL;
    }
    (void)frexp(w, &e);
    return (double)(fabsl((long double)got - want) / ldexpl(1, e - 53 < -1074 ? -1074 : e - 53));
}

typedef struct worst {
    double ulps, at;
} worst;

static void note(worst *w, double x, double got, long double want)
{
    const double u = ulps(got, want);
    if (u > w->ulps || isnan(u)) {
        w->ulps = u;
        w->at = x;
    }
}

static void within(const char *name, worst w, double most)
{
    if (w.ulps <= most) return;
    fprintf(stderr, "%s(%a = %.17g): %.3f ulp off, at most %g allowed\n", name, w.at, w.at, w.ulps, most);
    CHECK(w.ulps <= most);
}

typedef struct range {
    double lo, hi;
} range;

static const double edges[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               2,
                               DBL_MIN,
                               -DBL_MIN,
                               0x1p-1074,
                               -0x1p-1074,
                               0x1.8p-1060,
                               DBL_MAX,
                               -DBL_MAX,
                               DBL_EPSILON,
                               -DBL_EPSILON,
                               0x1p-53,
                               -0x1p-53,
                               0x1.fffffffffffffp-1,
                               -0x1.fffffffffffffp-1,
                               0x1.0000000000001p0,
                               0x1.6a09e667f3bcdp-1,
                               0x1.6a09e667f3bccp-1,
                               0x1.6a09e667f3bcdp0,
                               0x1.6a09e667f3bccp0,
                               0.375,
                               0.3749999999999999,
                               -0.25,
                               -0.24999999999999997,
                               709.782712893384,
                               709.7827128933841,
                               710,
                               -708.3964185322641,
                               -744.4400719213812,
                               -745.1332191019411,
                               -745.1332191019412,
                               -746,
                               1e5,
                               -1e5,
                               36.7,
                               37.5,
                               -36.7,
                               -37.5,
                               HUGE_VAL,
                               -HUGE_VAL,
                               (double)NAN};

enum { EDGES = sizeof edges / sizeof edges[0] };

static worst look(double (*f)(double), long double (*truth)(long double), const range *r, size_t n)
{
    scarce__random random = scarce__random_start(5, SCARCE__FOR_TEST, n);
    worst w = {0, 0};

    for (size_t i = 0; i < EDGES; ++i) note(&w, edges[i], f(edges[i]), truth((long double)edges[i]));
    for (size_t k = 0; k < n; ++k) {
        for (size_t i = 0; i < RANDOM; ++i) {
            const double x = r[k].lo + (r[k].hi - r[k].lo) * scarce__random_unit(&random);
            note(&w, x, f(x), truth((long double)x));
        }
    }
    for (size_t i = 0; i < RANDOM; ++i) { /* any bits at all */
        const double x = scarce__of_bits(scarce__random_u64(&random));
        note(&w, x, f(x), truth((long double)x));
    }
    return w;
}

static void test_exp(void)
{
    const range r[] = {{-1, 1},      {-0.35, 0.35}, {-40, 40}, {-746, 711},
                       {-746, -700}, {-1e-9, 1e-9}, {700, 710}};
    within("exp", look(scarce__exp, expl, r, 7), 1);
    CHECK(scarce__exp(0) == 1 && scarce__exp(-0.0) == 1);
    CHECK(scarce__exp(-HUGE_VAL) == 0 && scarce__exp(HUGE_VAL) == HUGE_VAL);
}

static void test_log(void)
{
    const range r[] = {{0, 1}, {0.7, 1.5}, {0.99, 1.01}, {1, 100}, {0, 1e300}, {0, 1e-300}, {0, 1e-310}};
    within("log", look(scarce__ln, logl, r, 7), 1);
    within("log2", look(scarce__log2, log2l, r, 7), 2);
    within("log10", look(scarce__log10, log10l, r, 7), 2);
    for (int k = -1074; k <= 1023; ++k) CHECK(scarce__log2(ldexp(1, k)) == k);
}

static void test_log1p(void)
{
    const range r[] = {{-1, 1}, {-0.3, 0.4}, {0, 1}, {-1, -0.999}, {1, 1e6}, {-1e-8, 1e-8}, {1e15, 1e17}};
    within("log1p", look(scarce__log1p, log1pl, r, 7), 1);
    CHECK(signbit(scarce__log1p(-0.0)));
}

static double unit_body(double u)
{
    return u >= 0 && u <= 1 ? scarce__log1p_unit_body(u) : (double)NAN;
}

static long double unit_truth(long double u)
{
    return u >= 0 && u <= 1 ? log1pl(u) : (long double)NAN;
}

static long double sigmoid_truth(long double z)
{
    return z >= 0 ? 1 / (1 + expl(-z)) : expl(z) / (1 + expl(z));
}

static long double softplus_truth(long double z)
{
    return (z > 0 ? z : 0) + log1pl(expl(-fabsl(z)));
}

static void test_sigmoid(void)
{
    const range r[] = {{-1, 1}, {-40, 40}, {-746, 746}, {-1e-9, 1e-9}, {30, 40}};
    const range unit[] = {{0, 1}, {0, 1e-3}, {0.9, 1}};
    within("log1p on [0, 1]", look(unit_body, unit_truth, unit, 3), 1.5);
    within("sigmoid", look(scarce__sigmoid, sigmoid_truth, r, 5), 2.5);
    within("softplus", look(scarce__softplus, softplus_truth, r, 5), 2);
    CHECK(scarce__sigmoid(0) == 0.5);
    CHECK(scarce__sigmoid(HUGE_VAL) == 1 && scarce__sigmoid(-HUGE_VAL) == 0);
    CHECK(scarce__softplus(-HUGE_VAL) == 0 && scarce__softplus(HUGE_VAL) == HUGE_VAL);
}

/* p(z) + p(-z) = 1 as near as doubles can say, and softplus(z) - softplus(-z) = z. */
static void test_symmetric(void)
{
    scarce__random random = scarce__random_start(6, SCARCE__FOR_TEST, 0);
    double off = 0, off_soft = 0;

    for (size_t i = 0; i < RANDOM; ++i) {
        const double z = 80 * scarce__random_unit(&random) - 40;
        const double d = fabs(scarce__sigmoid(z) - (1 - scarce__sigmoid(-z)));
        const double s = fabs(scarce__softplus(z) - scarce__softplus(-z) - z) / (1 + fabs(z));
        off = d > off ? d : off;
        off_soft = s > off_soft ? s : off_soft;
    }
    CHECK(off <= DBL_EPSILON);
    CHECK(off_soft <= 2 * DBL_EPSILON);
}

/* Neighbours a few ulp apart, around every place where the code changes its ways: what is larger by more
 * than the error stays larger, and never turns round by more than an ulp. */
static void steps_up(const char *name, double (*f)(double), double at)
{
    double x = at, last = f(at), most = last;
    for (int i = 0; i < 4000; ++i) {
        x = nextafter(x, HUGE_VAL);
        const double y = f(x);
        if (y < most - 2 * (nextafter(fabs(most), HUGE_VAL) - fabs(most))) {
            fprintf(stderr, "%s falls at %a\n", name, x);
            CHECK(y >= most);
            return;
        }
        most = y > most ? y : most;
        last = y;
    }
    CHECK(last >= f(at));
}

static void test_monotone(void)
{
    const double at[] = {-1e-300, -0x1p-1074, 0, 1e-300, -1e-16, 1e-16, -0.34657359, 0.34657359, 1, 30};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i) {
        steps_up("exp", scarce__exp, at[i]);
        steps_up("log1p", scarce__log1p, at[i]);
        steps_up("sigmoid", scarce__sigmoid, at[i]);
        steps_up("softplus", scarce__softplus, at[i]);
        if (at[i] > 0) steps_up("log", scarce__ln, at[i]);
    }
    for (double z = -50; z < 50; z += 0x1p-8) {
        CHECK(scarce__sigmoid(z) <= scarce__sigmoid(z + 0x1p-8));
        CHECK(scarce__softplus(z) < scarce__softplus(z + 0x1p-8));
    }
}

static void test_pow(void)
{
    scarce__random r = scarce__random_start(7, SCARCE__FOR_TEST, 0);
    worst w = {0, 0};

    for (size_t i = 0; i < 50000; ++i) {
        const double x = i % 2 ? scarce__random_unit(&r) * 3 : exp(1400 * scarce__random_unit(&r) - 700);
        const double y = i % 4 < 2 ? 4 * scarce__random_unit(&r) - 2 : 2000 * scarce__random_unit(&r) - 1000;
        note(&w, x, scarce__pow(x, y), powl((long double)x, (long double)y));
    }
    within("pow", w, 0.8); /* denormals are rounded twice */
    double ten = 1;
    for (int k = 0; k <= 22; ++k, ten *= 10) CHECK(scarce__pow(10, k) == ten);
    for (int k = -1074; k < 1024; ++k) CHECK(scarce__pow(2, k) == ldexp(1, k));
    CHECK(scarce__pow(3, 5) == 243 && scarce__pow(9, 0.5) == 3 && scarce__pow(0.25, -1.5) == 8);
    CHECK(scarce__pow(0, 2) == 0 && scarce__pow(0, -2) == HUGE_VAL && scarce__pow(0, 0) == 1);
    CHECK(scarce__pow(HUGE_VAL, 2) == HUGE_VAL && scarce__pow(HUGE_VAL, -1) == 0);
    CHECK(scarce__pow(2, 1025) == HUGE_VAL && scarce__pow(2, -1080) == 0 && scarce__pow(0.5, HUGE_VAL) == 0);
    CHECK(isnan(scarce__pow(-1, 2)) && isnan(scarce__pow(2, (double)NAN)) &&
          isnan(scarce__pow((double)NAN, 2)));
}

static void test_cos(void)
{
    const long double circle = 6.283185307179586476925286766559L;
    scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, 0);
    worst w = {0, 0};

    for (size_t i = 0; i < 2 * RANDOM; ++i) {
        const double t = scarce__random_unit(&r) * (i % 2 ? 0.125 : 1);
        /* near a quarter the long double angle is itself off: there by the sine of what is missing */
        const long double rest = (long double)t - 0.25L, other = (long double)t - 0.75L;
        const long double want = fabsl(rest) < 0.1L    ? -sinl(circle * rest)
                                 : fabsl(other) < 0.1L ? sinl(circle * other)
                                                       : cosl(circle * (long double)t);
        note(&w, t, scarce__cos_turns(t), want);
    }
    within("cos", w, 2);
    CHECK(scarce__cos_turns(0) == 1 && scarce__cos_turns(0.25) == 0 && scarce__cos_turns(0.5) == -1);
    CHECK(scarce__cos_turns(1) == 1 && scarce__cos_turns(-0.25) == 0 && scarce__cos_turns(1e9 + 0.5) == -1);
}

static void test_log_gamma(void)
{
    scarce__random r = scarce__random_start(9, SCARCE__FOR_TEST, 0);
    double most = 0;

    for (size_t i = 0; i < RANDOM; ++i) {
        const double unit = scarce__random_unit(&r);
        const double a = i % 3 == 0 ? 1e-300 + unit * 20 : i % 3 == 1 ? unit * 1e5 : exp(70 * unit - 35);
        const long double want = lgammal((long double)a);
        const double off = (double)(fabsl((long double)scarce__log_gamma(a) - want) / fmaxl(1, fabsl(want)));
        most = off > most ? off : most;
    }
    if (most >= 1e-14) fprintf(stderr, "log_gamma %g off\n", most);
    CHECK(most < 1e-14);
    CHECK(fabs(scarce__log_gamma(1)) < 2e-15 && fabs(scarce__log_gamma(2)) < 2e-15);
    CHECK(isnan(scarce__log_gamma(0)) && isnan(scarce__log_gamma((double)NAN)));
    CHECK(scarce__log_gamma(HUGE_VAL) == HUGE_VAL);
}

/* Vectors and single values have the same bits, whatever the length. */
static void test_vectors(void)
{
    enum { MOST = 300 };
    scarce__random r = scarce__random_start(10, SCARCE__FOR_TEST, 0);
    double z[MOST], out[MOST];

    for (size_t n = 0; n <= MOST; ++n) {
        for (size_t i = 0; i < n; ++i)
            z[i] = i % 7 == 0 ? edges[(i + n) % EDGES] : 90 * scarce__random_unit(&r) - 45;
        scarce__sigmoid_all(out, z, n);
        for (size_t i = 0; i < n; ++i) {
            const double one = scarce__sigmoid(z[i]);
            CHECK(memcmp(&out[i], &one, sizeof one) == 0 || (isnan(one) && isnan(out[i])));
        }
        scarce__softplus_all(out, z, n);
        for (size_t i = 0; i < n; ++i) {
            const double one = scarce__softplus(z[i]);
            CHECK(memcmp(&out[i], &one, sizeof one) == 0 || (isnan(one) && isnan(out[i])));
        }
    }
}

/* A few bits themselves: these are the same on every machine, or a model is not. */
static void test_bits(void)
{
    uint64_t sum = 0;
    for (int i = -3000; i < 3000; ++i) {
        const double x = i * 0.23456789;
        const double v[] = {
            scarce__exp(x),          scarce__ln(fabs(x) + 0.01),  scarce__log1p(fabs(x)),
            scarce__sigmoid(x),      scarce__softplus(x),         scarce__pow(fabs(x), 0.37),
            scarce__cos_turns(x),    scarce__log2(fabs(x) + 0.5), scarce__log_gamma(fabs(x) + 0.1),
            scarce__log10(x * x + 1)};
        for (size_t k = 0; k < sizeof v / sizeof v[0]; ++k) sum = scarce__mix64(sum ^ scarce__bits_of(v[k]));
    }
    if (sum != 0x20804a1d448c7c65u) fprintf(stderr, "sum of bits %#llx\n", (unsigned long long)sum);
    CHECK(sum == 0x20804a1d448c7c65u);
}

static const test_case tests[] = {{"exp", test_exp},
                                  {"log", test_log},
                                  {"log1p", test_log1p},
                                  {"sigmoid", test_sigmoid},
                                  {"symmetric", test_symmetric},
                                  {"monotone", test_monotone},
                                  {"pow", test_pow},
                                  {"cos", test_cos},
                                  {"log_gamma", test_log_gamma},
                                  {"vectors", test_vectors},
                                  {"bits", test_bits}};
TEST_MAIN(tests)
