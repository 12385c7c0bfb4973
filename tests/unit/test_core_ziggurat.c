/* SPDX-License-Identifier: Apache-2.0 */
/* Normal numbers of the ziggurat: moments, the share below each of many limits, the tail, and no state beside
 * the stream. */
#include <stdlib.h>

#include "core/ziggurat.h"
#include "eval/special.h"
#include "test.h"

enum { N = 2000000 };

static double *numbers(uint64_t seed, size_t at_once)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 0);
    double *x = malloc(N * sizeof *x);
    scarce__ziggurat z;
    scarce__ziggurat_init(&z);
    for (size_t i = 0; i < N; i += at_once) scarce__ziggurat_fill(&z, &r, x + i, at_once);
    return x;
}

static void test_moments(void)
{
    double *x = numbers(3, 1000), sum[5] = {0};
    for (size_t i = 0; i < N; ++i) {
        double power = 1;
        for (int k = 1; k <= 4; ++k) sum[k] += power *= x[i];
    }
    CHECK_NEAR(sum[1] / N, 0, 5 / sqrt(N));
    CHECK_NEAR(sum[2] / N, 1, 5 * sqrt(2.0 / N));
    CHECK_NEAR(sum[3] / N, 0, 5 * sqrt(15.0 / N));
    CHECK_NEAR(sum[4] / N, 3, 5 * sqrt(96.0 / N));
    free(x);
}

/* The limits lie inside pieces, at their ends and beyond them all. */
static void test_distribution(void)
{
    double *x = numbers(4, 500);
    for (double limit = -4.5; limit <= 4.5; limit += 0.05) {
        const double upper = scarce__normal_upper(limit);
        size_t above = 0;
        for (size_t i = 0; i < N; ++i) above += x[i] > limit;
        CHECK_NEAR((double)above / N, upper, 5 * sqrt(upper * (1 - upper) / N) + 1.0 / N);
    }
    free(x);
}

static void test_pieces_do_not_matter(void)
{
    double *a = numbers(5, 1), *b = numbers(5, N / 4);
    CHECK(memcmp(a, b, N * sizeof *a) == 0);
    free(a);
    free(b);
}

/* The pieces have equal area and end at the top of the bell. */
static void test_table(void)
{
    scarce__ziggurat z;
    scarce__ziggurat_init(&z);
    for (int i = 1; i < SCARCE__ZIGGURAT_PIECES; ++i) {
        const double height = exp(-0.5 * z.x[i + 1] * z.x[i + 1]) - exp(-0.5 * z.x[i] * z.x[i]);
        CHECK(z.x[i] > z.x[i + 1]);
        CHECK_NEAR(z.x[i] * height, 0.00492867323399, 1e-11);
    }
}

static const test_case tests[] = {{"moments", test_moments},
                                  {"distribution", test_distribution},
                                  {"pieces_do_not_matter", test_pieces_do_not_matter},
                                  {"table", test_table}};
TEST_MAIN(tests)
