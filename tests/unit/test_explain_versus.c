/* SPDX-License-Identifier: Apache-2.0 */
/* Shapley values against background rows: the sum over all subsets, where the features that are not in the
 * subset are taken from each background row in turn. */
#include "explain/versus.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "random_forest.h"
#include "test.h"

enum { FEW = 6, BACKGROUND = 7 };

static double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static void brute_force(const scarce__forest *forest, const float *row, const float *background,
                        size_t n_background, double *phi, double *base)
{
    double value[1 << FEW];
    const int n = (int)forest->n_features;
    for (unsigned set = 0; set < 1u << n; ++set) {
        value[set] = 0;
        for (size_t b = 0; b < n_background; ++b) {
            float mixed[FEW];
            for (int f = 0; f < n; ++f)
                mixed[f] = set >> f & 1 ? row[f] : background[b * (size_t)n + (size_t)f];
            value[set] += scarce__forest_walk(forest, mixed) / (double)n_background;
        }
    }
    *base = value[0];
    for (int f = 0; f < n; ++f) {
        phi[f] = 0;
        for (unsigned set = 0; set < 1u << n; ++set) {
            const int size = __builtin_popcount(set);
            if (set >> f & 1) continue;
            phi[f] += factorial(size) * factorial(n - 1 - size) / factorial(n) *
                      (value[set | 1u << f] - value[set]);
        }
    }
}

static void test_brute_force(void)
{
    for (uint64_t seed = 0; seed < 60; ++seed) {
        const forest_shape shape = {1 + (size_t)seed % FEW,
                                    1 + (size_t)seed % 3,
                                    1 + (size_t)(seed * 7) % 18,
                                    seed % 2 ? 4 : 0,
                                    70,
                                    0,
                                    seed % 5 == 4};
        scarce__forest forest = random_forest(&shape, seed);
        float *rows = random_rows(&shape, 20, shape.n_features, seed);
        float *background = random_rows(&shape, BACKGROUND, shape.n_features, seed + 1000);
        scarce_table *table = NULL;
        scarce__versus *versus = NULL;
        CHECK(scarce_table_from_floats(&table, background, BACKGROUND, shape.n_features, NULL, NULL, NULL) ==
              SCARCE_OK);
        CHECK(scarce__versus_new(&versus, &forest, table, NULL) == SCARCE_OK);
        for (size_t i = 0; i < 20; ++i) {
            double want[FEW], got[FEW], base;
            brute_force(&forest, rows + i * shape.n_features, background, BACKGROUND, want, &base);
            CHECK(scarce__versus_row(versus, rows + i * shape.n_features, got, NULL) == SCARCE_OK);
            CHECK_NEAR(scarce__versus_base(versus), base, 1e-12);
            for (size_t f = 0; f < shape.n_features; ++f) CHECK_NEAR(got[f], want[f], 1e-12);
        }
        scarce__versus_free(versus);
        scarce_table_free(table);
        free(rows);
        free(background);
        scarce__forest_deinit(&forest);
    }
}

/* Long paths: the weights beyond the table, and base + sum = score. */
static void test_accuracy(void)
{
    const forest_shape shape = {400, 2, 401, 0, 40, 30, 1};
    scarce__forest forest = random_forest(&shape, 3);
    float *rows = random_rows(&shape, 20, shape.n_features, 3);
    float *background = random_rows(&shape, 20, shape.n_features, 4);
    double *got = malloc(shape.n_features * sizeof *got);
    scarce_table *table = NULL;
    scarce__versus *versus = NULL;
    CHECK(scarce_table_from_floats(&table, background, 20, shape.n_features, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__versus_new(&versus, &forest, table, NULL) == SCARCE_OK);
    for (size_t i = 0; i < 20; ++i) {
        double sum = scarce__versus_base(versus);
        CHECK(scarce__versus_row(versus, rows + i * shape.n_features, got, NULL) == SCARCE_OK);
        for (size_t f = 0; f < shape.n_features; ++f) sum += got[f];
        CHECK_NEAR(sum, scarce__forest_walk(&forest, rows + i * shape.n_features), 1e-10);
    }
    scarce__versus_free(versus);
    scarce_table_free(table);
    free(rows);
    free(background);
    free(got);
    scarce__forest_deinit(&forest);
}

/* A chain in which x is left everywhere and b right: one leaf for x, all others need every feature above. */
static void test_long_path(void)
{
    enum { N = 80 };
    scarce__node nodes[2 * N + 1];
    scarce__forest forest = {0};
    float x[N], b[N];
    double got[N], sum;
    scarce_table *table = NULL;
    scarce__versus *versus = NULL;
    memset(nodes, 0, sizeof nodes);
    for (int32_t i = 0; i < N; ++i) {
        nodes[2 * i].feature = i;
        nodes[2 * i].left = 2 * i + 2;
        nodes[2 * i].right = 2 * i + 1;
        nodes[2 * i + 1].feature = -1;
        x[i] = -1;
        b[i] = 1;
    }
    nodes[2 * N].feature = -1;
    nodes[2 * N].value = 40; /* only when all features are x's: each gets the same share */
    forest.n_features = N;
    CHECK(scarce__forest_add(&forest, nodes, 2 * N + 1, NULL, 0, NULL) == SCARCE_OK);
    CHECK(scarce_table_from_floats(&table, b, 1, N, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__versus_new(&versus, &forest, table, NULL) == SCARCE_OK);
    CHECK(scarce__versus_row(versus, x, got, NULL) == SCARCE_OK);
    sum = scarce__versus_base(versus);
    for (int f = 0; f < N; ++f) {
        CHECK_NEAR(got[f], 0.5, 1e-12);
        sum += got[f];
    }
    CHECK_NEAR(sum, 40, 1e-10);
    scarce__versus_free(versus);
    scarce_table_free(table);
    scarce__forest_deinit(&forest);
}

static const test_case tests[] = {
    {"brute_force", test_brute_force}, {"accuracy", test_accuracy}, {"long_path", test_long_path}};
TEST_MAIN(tests)
