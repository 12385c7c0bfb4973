/* SPDX-License-Identifier: Apache-2.0 */
/* Random streams: apart by seed, purpose and index, uniform, without bias, with the moments they promise. The
 * seeds are fixed, so that a test passes always or never; limits lie at about five standard errors. */
#include <stdlib.h>

#include "core/random.h"
#include "test.h"

static void test_streams(void)
{
    enum { SEEDS = 20, INDEXES = 20, PURPOSES = SCARCE__FOR_TEST };
    static uint64_t first[SEEDS * INDEXES * PURPOSES];
    size_t n = 0, equal = 0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
        for (int purpose = 1; purpose <= PURPOSES; ++purpose)
            for (uint64_t index = 0; index < INDEXES; ++index) {
                scarce__random r = scarce__random_start(seed, (scarce__purpose)purpose, index);
                first[n++] = scarce__random_u64(&r);
            }
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i + 1; j < n; ++j) equal += first[i] == first[j];
    CHECK(equal == 0);
    /* the same name, the same numbers */
    scarce__random a = scarce__random_start(3, SCARCE__FOR_ROWS, 5),
                   b = scarce__random_start(3, SCARCE__FOR_ROWS, 5);
    for (int i = 0; i < 100; ++i) CHECK(scarce__random_u64(&a) == scarce__random_u64(&b));
}

/* Neighbouring streams have nothing in common: half of the bits differ. */
static void test_neighbours(void)
{
    const struct {
        uint64_t seed, index;
        scarce__purpose purpose;
    } names[] = {{1, 0, SCARCE__FOR_ROWS},
                 {2, 0, SCARCE__FOR_ROWS},
                 {1, 1, SCARCE__FOR_ROWS},
                 {1, 0, SCARCE__FOR_COLUMNS}};
    for (int k = 1; k < 4; ++k) {
        scarce__random a = scarce__random_start(names[0].seed, names[0].purpose, names[0].index);
        scarce__random b = scarce__random_start(names[k].seed, names[k].purpose, names[k].index);
        int bits = 0;
        for (int i = 0; i < 1000; ++i)
            bits += __builtin_popcountll(scarce__random_u64(&a) ^ scarce__random_u64(&b));
        CHECK(abs(bits - 32000) < 5 * 127); /* sd = sqrt(64000) / 2 */
    }
}

/* xoshiro256** of the reference state 1, 2, 3, 4 (the values everybody's test has). */
static void test_known_values(void)
{
    static const uint64_t want[] = {11520u, 0u, 1509978240u, 1215971899390074240u};
    scarce__random r = {{1, 2, 3, 4}};
    for (int i = 0; i < 4; ++i) CHECK(scarce__random_u64(&r) == want[i]);
    CHECK(scarce__mix64(0) == 0);
    CHECK(scarce__mix64(0x9e3779b97f4a7c15u) == 0xe220a8397b1dcdafu); /* splitmix64 of seed 0 */
}

static double chi_square(const size_t *count, size_t cells, double expected)
{
    double sum = 0;
    for (size_t i = 0; i < cells; ++i)
        sum += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    return sum;
}

/* chi2 of k degrees of freedom has mean k and variance 2k. */
static int near_degrees(double chi2, double degrees)
{
    return fabs(chi2 - degrees) < 5 * sqrt(2 * degrees);
}

static void test_uniform(void)
{
    enum { CELLS = 256, DRAWS = 256 * 400 };
    size_t count[CELLS] = {0}, low[CELLS] = {0}, hashed[CELLS] = {0}, pairs[CELLS] = {0};
    scarce__random r = scarce__random_start(11, SCARCE__FOR_TEST, 0);
    const uint64_t key = scarce__key(11, SCARCE__FOR_TEST, 1);
    unsigned before = 0;
    for (uint64_t i = 0; i < DRAWS; ++i) {
        const uint64_t x = scarce__random_u64(&r);
        const double u = scarce__to_unit(x);
        CHECK(u >= 0 && u < 1);
        ++count[(size_t)(u * CELLS)];
        ++low[x & 255];
        ++hashed[scarce__hash(key, i) >> 56];
        ++pairs[(before << 4 | (unsigned)(x >> 60)) & 255];
        before = (unsigned)(x >> 60);
    }
    CHECK(near_degrees(chi_square(count, CELLS, 400), CELLS - 1));
    CHECK(near_degrees(chi_square(low, CELLS, 400), CELLS - 1));
    CHECK(near_degrees(chi_square(hashed, CELLS, 400), CELLS - 1));
    CHECK(near_degrees(chi_square(pairs, CELLS, 400), CELLS - 1));
    CHECK(scarce__to_unit(UINT64_MAX) < 1 && scarce__to_unit(0) == 0);
}

static void test_below(void)
{
    static const uint64_t sizes[] = {1, 2, 3, 6, 7, 10, 97};
    scarce__random r = scarce__random_start(12, SCARCE__FOR_TEST, 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        const uint64_t n = sizes[k];
        size_t count[97] = {0};
        for (int i = 0; i < 50000; ++i) {
            const uint64_t x = scarce__random_below(&r, n);
            CHECK(x < n);
            ++count[x < n ? x : 0];
        }
        if (n > 1) CHECK(near_degrees(chi_square(count, n, 50000.0 / (double)n), (double)n - 1));
        else CHECK(count[0] == 50000);
    }
    /* Of 3 * 2^62 numbers a plain remainder would favour the first third: 1/2 instead of 1/3. */
    const uint64_t n = (uint64_t)3 << 62;
    int first = 0;
    for (int i = 0; i < 30000; ++i) first += scarce__random_below(&r, n) < n / 3;
    CHECK(abs(first - 10000) < 5 * 82);
    for (int i = 0; i < 100; ++i) CHECK(scarce__random_below(&r, UINT64_MAX) < UINT64_MAX);
}

typedef struct moments {
    double n, mean, variance, third, fourth; /* third and fourth: standardised */
} moments;

static moments moments_of(const double *x, size_t n)
{
    moments m = {(double)n, 0, 0, 0, 0};
    for (size_t i = 0; i < n; ++i) m.mean += x[i] / m.n;
    for (size_t i = 0; i < n; ++i) m.variance += (x[i] - m.mean) * (x[i] - m.mean) / m.n;
    for (size_t i = 0; i < n; ++i) {
        const double z = (x[i] - m.mean) / sqrt(m.variance);
        m.third += z * z * z / m.n;
        m.fourth += z * z * z * z / m.n;
    }
    return m;
}

enum { DRAWS = 200000 };
static double drawn[DRAWS];

static void test_normal(void)
{
    scarce__random r = scarce__random_start(13, SCARCE__FOR_TEST, 0);
    size_t beyond = 0;
    for (size_t i = 0; i < DRAWS; ++i) {
        drawn[i] = scarce__random_normal(&r);
        beyond += fabs(drawn[i]) > 1.959963984540054;
    }
    const moments m = moments_of(drawn, DRAWS);
    CHECK_NEAR(m.mean, 0, 5 / sqrt(m.n));
    CHECK_NEAR(m.variance, 1, 5 * sqrt(2 / m.n));
    CHECK_NEAR(m.third, 0, 5 * sqrt(6 / m.n));
    CHECK_NEAR(m.fourth, 3, 5 * sqrt(24 / m.n));
    CHECK_NEAR((double)beyond / m.n, 0.05, 5 * sqrt(0.05 * 0.95 / m.n));
}

static void test_exponential(void)
{
    scarce__random r = scarce__random_start(14, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < DRAWS; ++i) {
        drawn[i] = scarce__random_exponential(&r);
        CHECK(drawn[i] >= 0 && isfinite(drawn[i]));
    }
    const moments m = moments_of(drawn, DRAWS);
    CHECK_NEAR(m.mean, 1, 5 / sqrt(m.n));
    CHECK_NEAR(m.variance, 1, 5 * sqrt(8 / m.n));
}

/* Gamma(a): mean a, variance a, skewness 2 / sqrt(a); also below 1, where it is made another way. */
static void test_gamma(void)
{
    static const double shapes[] = {0.05, 0.5, 0.999, 1, 2.5, 30, 1e4};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
        const double a = shapes[k];
        scarce__random r = scarce__random_start(15, SCARCE__FOR_TEST, k);
        for (size_t i = 0; i < DRAWS; ++i) {
            drawn[i] = scarce__random_gamma(&r, a);
            CHECK(drawn[i] >= 0 && isfinite(drawn[i]));
        }
        const moments m = moments_of(drawn, DRAWS);
        CHECK_NEAR(m.mean, a, 5 * sqrt(a / m.n));
        CHECK_NEAR(m.variance, a, 5 * a * sqrt((2 + 6 / a) / m.n)); /* kurtosis 3 + 6 / a */
    }
}

/* Poisson: mean = variance; small means are counted, large ones split. */
static void test_poisson(void)
{
    static const double means[] = {0.01, 0.7, 5, 29.5, 30.5, 200, 5000};
    for (size_t k = 0; k < sizeof means / sizeof *means; ++k) {
        const double mean = means[k];
        const size_t n = mean > 100 ? 20000 : DRAWS;
        scarce__random r = scarce__random_start(16, SCARCE__FOR_TEST, k);
        size_t zeros = 0;
        for (size_t i = 0; i < n; ++i) {
            drawn[i] = (double)scarce__random_poisson(&r, mean);
            zeros += drawn[i] == 0;
        }
        const moments m = moments_of(drawn, n);
        const double none = exp(-mean);
        CHECK_NEAR(m.mean, mean, 5 * sqrt(mean / m.n));
        CHECK_NEAR(m.variance, mean, 5 * mean * sqrt((2 + 1 / mean) / m.n));
        CHECK_NEAR((double)zeros / m.n, none, 5 * sqrt(none / m.n) + 1e-12);
    }
    scarce__random r = scarce__random_start(16, SCARCE__FOR_TEST, 99);
    for (int i = 0; i < 1000; ++i) CHECK(scarce__random_poisson(&r, 0) == 0);
}

/* All 24 orders of four things are equally frequent. */
static void test_shuffle(void)
{
    size_t count[256] = {0}, orders = 0;
    double chi2 = 0;
    scarce__random r = scarce__random_start(17, SCARCE__FOR_TEST, 0);
    for (int i = 0; i < 24000; ++i) {
        uint32_t a[4] = {0, 1, 2, 3};
        scarce__shuffle_u32(&r, a, 4);
        ++count[a[0] << 6 | a[1] << 4 | a[2] << 2 | a[3]];
    }
    for (size_t i = 0; i < 256; ++i) {
        if (!count[i]) continue;
        ++orders;
        chi2 += ((double)count[i] - 1000) * ((double)count[i] - 1000) / 1000;
    }
    CHECK(orders == 24 && near_degrees(chi2, 23));
    uint32_t one = 7;
    scarce__shuffle_u32(&r, &one, 1);
    scarce__shuffle_u32(&r, &one, 0);
    CHECK(one == 7);
}

static const test_case tests[] = {
    {"streams", test_streams},         {"neighbours", test_neighbours}, {"known_values", test_known_values},
    {"uniform", test_uniform},         {"below", test_below},           {"normal", test_normal},
    {"exponential", test_exponential}, {"gamma", test_gamma},           {"poisson", test_poisson},
    {"shuffle", test_shuffle}};
TEST_MAIN(tests)
