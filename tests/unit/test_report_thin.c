/* SPDX-License-Identifier: Apache-2.0 */
/* Thinning: each column of pixels keeps its first, lowest, highest and last point. */
#include <stdint.h>
#include <stdlib.h>

#include "core/random.h"
#include "report/thin.h"
#include "test.h"

enum { N = 50000, COLUMNS = 100 };
static double x[N], lo[N], hi[N];
static size_t keep[N];
static uint8_t kept[N], seen[40 * 30];

static size_t thin(size_t n)
{
    const size_t k = scarce__thin_line(keep, x, lo, hi, n, COLUMNS);
    memset(kept, 0, sizeof kept);
    for (size_t i = 0; i < k; ++i) {
        CHECK(keep[i] < n);
        CHECK(i == 0 || keep[i] > keep[i - 1]);
        kept[keep[i]] = 1;
    }
    return k;
}

static void fill(uint64_t seed, double gaps)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < N; ++i) {
        x[i] = (double)i / (N - 1);
        lo[i] = scarce__random_normal(&r);
        hi[i] = lo[i] + scarce__random_unit(&r);
        if (scarce__random_unit(&r) < gaps) lo[i] = (double)NAN;
    }
}

/* Slow: for every column look at all points. */
static void test_columns(void)
{
    fill(1, 0);
    CHECK(thin(N) <= 4 * (COLUMNS + 1));
    CHECK(kept[0] && kept[N - 1]);
    for (size_t column = 0; column < COLUMNS; ++column) {
        size_t first = SIZE_MAX, last = 0, low = 0, high = 0;
        for (size_t i = 0; i < N; ++i) {
            if ((size_t)floor(x[i] * COLUMNS) != column) continue;
            if (first == SIZE_MAX) first = low = high = i;
            if (lo[i] < lo[low]) low = i;
            if (hi[i] > hi[high]) high = i;
            last = i;
        }
        CHECK(kept[first] && kept[last] && kept[low] && kept[high]);
    }
}

static void test_gaps(void)
{
    size_t k, low = 0, high = 0;
    fill(2, 0.001);
    lo[0] = 0;
    k = thin(N);
    CHECK(k < N / 20);
    for (size_t i = 0; i < N; ++i) {
        if (isnan(lo[i])) continue;
        if (lo[i] < lo[low]) low = i;
        if (hi[i] > hi[high] || isnan(lo[high])) high = i;
    }
    CHECK(kept[low] && kept[high]);
    for (size_t i = 1; i < N; ++i) /* a gap between two points stays one */
        if (isnan(lo[i]) && !isnan(lo[i - 1])) CHECK(kept[i]);
    fill(3, 1);
    CHECK(thin(N) == 1);
}

static void test_few_and_wild(void)
{
    fill(4, 0);
    CHECK(thin(4 * COLUMNS) == 4 * COLUMNS);
    CHECK(thin(1) == 1 && thin(0) == 0);
    for (size_t i = 0; i < N; ++i) x[i] = i % 2 ? 0.9 : 0.1; /* to and fro */
    CHECK(thin(N) <= 4 * (COLUMNS + 1));
    for (size_t i = 0; i < N; ++i) x[i] = 0.5;
    CHECK(thin(N) <= 4);
    for (size_t i = 0; i < N; ++i) x[i] = (double)i - N / 2.0; /* beyond both ends */
    CHECK(thin(N) <= 4 * (COLUMNS + 1));
}

static void test_cloud(void)
{
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 0);
    uint8_t filled[40 * 30] = {0};
    size_t n, cells = 0, low = 0;
    for (size_t i = 0; i < N; ++i) {
        x[i] = scarce__random_unit(&r);
        lo[i] = 0.5 + scarce__random_normal(&r) / 4;
    }
    x[7] = (double)NAN;
    lo[8] = 3;
    n = scarce__thin_points(keep, x, lo, N, 40, 30, seen);
    memset(kept, 0, sizeof kept);
    for (size_t i = 0; i < n; ++i) kept[keep[i]] = 1;
    CHECK(!kept[7] && !kept[8] && n <= 40 * 30 + 4);
    for (size_t i = 0; i < N; ++i) {
        const int inside = x[i] >= 0 && x[i] <= 1 && lo[i] >= 0 && lo[i] <= 1;
        size_t cell;
        if (!inside) continue;
        cell = (size_t)fmin(39, floor(x[i] * 40)) * 30 + (size_t)fmin(29, floor(lo[i] * 30));
        if (!filled[cell]) CHECK(kept[i]); /* the first of each cell */
        cells += !filled[cell];
        filled[cell] = 1;
        if (lo[i] < lo[low]) low = i;
    }
    CHECK(n >= cells && kept[low]);
}

static const test_case tests[] = {{"columns", test_columns},
                                  {"gaps", test_gaps},
                                  {"few_and_wild", test_few_and_wild},
                                  {"cloud", test_cloud}};
TEST_MAIN(tests)
