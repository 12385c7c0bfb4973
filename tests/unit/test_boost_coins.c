/* SPDX-License-Identifier: Apache-2.0 */
/* Coins: a row of weight w is drawn as its w copies are, wherever they stand; shares are right; parts of weights count. */
#include <stdlib.h>

#include "boost/sampling_coins.h"
#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "test.h"

enum { ROWS = 400, MOST = 5 };

/* ROWS different rows; row i is written out `times(i)` times, or once with that weight. Of each row written: which it is. */
static scarce_table *table_of(uint32_t *which, size_t *n, int copies, int backwards)
{
    static float x[ROWS * MOST * 2];
    static uint8_t y[ROWS * MOST];
    static double weight[ROWS * MOST];
    scarce_table *t = NULL;

    *n = 0;
    for (size_t k = 0; k < ROWS; ++k) {
        const size_t i = backwards ? ROWS - 1 - k : k, times = 1 + i % MOST;
        for (size_t c = 0; c < (copies ? times : 1); ++c) {
            x[2 * *n] = (float)(i % 20);
            x[2 * *n + 1] = (float)(i / 20);
            y[*n] = i % 7 == 0;
            weight[*n] = copies ? 1 : (double)times;
            which[(*n)++] = (uint32_t)i;
        }
    }
    CHECK(scarce_table_from_floats(&t, x, *n, 2, NULL, y, NULL) == SCARCE_OK);
    if (!copies) CHECK(scarce_table_set_weight(t, weight, NULL) == SCARCE_OK);
    return t;
}

/* How much of each of the ROWS rows is kept in one draw, in rows. */
static void draw(double *kept, const scarce_table *t, const uint32_t *which, size_t n, size_t tree)
{
    const scarce__population all = {.n = n, .label = scarce_table_label(t), .n_all = n, .table = t};
    const uint64_t key = scarce__key(3, SCARCE__FOR_ROWS, tree);
    const double *weight = scarce_table_weight(t);
    scarce__coins *c = NULL;

    CHECK(scarce__coins_new(&c, &all, NULL) == SCARCE_OK);
    memset(kept, 0, ROWS * sizeof *kept);
    for (size_t i = 0; i < n; ++i)
        kept[which[i]] += (double)scarce__coins_kept(c, i, key, (uint64_t)1 << 63) * (weight ? weight[i] : 1);
    scarce__coins_free(c);
}

static void test_copies(void)
{
    static uint32_t which[ROWS * MOST];
    static double by_weight[ROWS], by_copies[ROWS];
    double sum = 0, all = 0;
    size_t n;

    for (size_t tree = 0; tree < 20; ++tree) {
        scarce_table *t = table_of(which, &n, 0, 0);
        draw(by_weight, t, which, n, tree);
        scarce_table_free(t);
        t = table_of(which, &n, 1, tree % 2 == 0);
        draw(by_copies, t, which, n, tree);
        scarce_table_free(t);
        for (size_t i = 0; i < ROWS; ++i) {
            CHECK_NEAR(by_weight[i], by_copies[i], 1e-6);
            sum += by_copies[i];
            all += (double)(1 + i % MOST);
        }
    }
    CHECK_NEAR(sum / all, 0.5, 0.01); /* 24,000 coins */
}

static void test_parts(void)
{
    enum { N = 3000 };
    static float x[N];
    static uint8_t y[N];
    static double weight[N];
    const scarce__population all = {.n = N, .label = y, .n_all = N};
    scarce__population from = all;
    scarce__coins *c = NULL;
    scarce_table *t = NULL;
    double sum = 0;

    for (size_t i = 0; i < N; ++i) {
        x[i] = 1; /* all alike: coins differ by number alone */
        y[i] = i == 0;
        weight[i] = i % 3 == 0 ? 0.25 : i % 3 == 1 ? 2.5 : 1e6;
    }
    CHECK(scarce_table_from_floats(&t, x, N, 1, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce_table_set_weight(t, weight, NULL) == SCARCE_OK);
    from.table = t;
    CHECK(scarce__coins_new(&c, &from, NULL) == SCARCE_OK);
    for (size_t i = 0; i < N; ++i) {
        const float kept = scarce__coins_kept(c, i, 77, (uint64_t)1 << 63);
        CHECK(kept >= 0 && kept <= 1);
        if (i % 3 == 0) CHECK(kept == 0 || kept == 1);
        if (i % 3 == 1) CHECK_NEAR(fmod((double)kept * 5, 1), 0, 1e-5); /* of 2.5: 0, 0.5, 1, 1.5, 2, 2.5 */
        if (i % 3 == 2) CHECK(kept > 0.2f && kept < 0.8f);              /* 64 coins */
        sum += (double)kept;
    }
    CHECK_NEAR(sum / N, 0.5, 0.02);
    scarce__coins_free(c);
    scarce_table_free(t);
}

static const test_case tests[] = {{"copies", test_copies}, {"parts", test_parts}};
TEST_MAIN(tests)
