/* SPDX-License-Identifier: Apache-2.0 */
/* Shapley values of forests: against the sum over all subsets, against XGBoost (golden/make_shap.py), and
 * base + sum = score where subsets are too many. */
#include "explain/shap.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "random_forest.h"
#include "test.h"
#include "tree/import.h"
#include "tree/step.h"

enum { FEW = 6 };

/* Covers: 0 none, 1 rows only, 2 hessians that are 0 on some leaves. */
static void set_covers(scarce__forest *forest, int kind, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 9);
    for (size_t i = 0; i < forest->tree_begin[forest->n_trees]; ++i) {
        scarce__node *node = forest->nodes + i;
        const uint64_t rows = scarce__random_below(&r, 50);
        if (kind == 1) node->rows = (uint32_t)rows;
        if (kind == 2) node->cover = rows < 5 ? 0 : (float)scarce__random_unit(&r);
    }
}

static double left_share(const scarce__node *left, const scarce__node *right)
{
    if (left->cover > 0 || right->cover > 0)
        return (double)left->cover / ((double)left->cover + (double)right->cover);
    if (left->rows + right->rows > 0) return left->rows / ((double)left->rows + right->rows);
    return 0.5;
}

/* What is expected when only the features of the set are known. */
static double expected(const scarce__forest *forest, const scarce__node *nodes, size_t at, const float *row,
                       unsigned known)
{
    const scarce__node *node = nodes + at, *left = nodes + node->left, *right = nodes + node->right;
    double share;
    if (node->feature < 0) return (double)node->value;
    if (known >> node->feature & 1)
        return expected(
            forest, nodes,
            (size_t)(scarce__node_left(forest->sets, node, row[node->feature]) ? node->left : node->right),
            row, known);
    share = left_share(left, right);
    return share * expected(forest, nodes, (size_t)node->left, row, known) +
           (1 - share) * expected(forest, nodes, (size_t)node->right, row, known);
}

static double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static void brute_force(const scarce__forest *forest, const float *row, double *phi, double *base)
{
    double value[1 << FEW];
    const int n = (int)forest->n_features;
    for (unsigned set = 0; set < 1u << n; ++set) {
        value[set] = forest->base;
        for (size_t t = 0; t < forest->n_trees; ++t)
            value[set] += expected(forest, forest->nodes + forest->tree_begin[t], 0, row, set);
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

/* Row-major rows as columns. */
static scarce__columns *columns_of(const float *rows, size_t n, size_t n_features)
{
    scarce__columns *columns = calloc(n_features, sizeof *columns);
    for (size_t f = 0; f < n_features; ++f) {
        float *number = malloc(n * sizeof *number);
        for (size_t i = 0; i < n; ++i) number[i] = rows[i * n_features + f];
        columns[f].number = number;
    }
    return columns;
}

static void free_columns(scarce__columns *columns, size_t n_features)
{
    for (size_t f = 0; f < n_features; ++f) free((void *)(size_t)columns[f].number);
    free(columns);
}

static void check_many(scarce__shap *shap, const float *rows, size_t n, size_t n_features)
{
    scarce__columns *columns = columns_of(rows, n, n_features);
    double *many = malloc(n * n_features * sizeof *many), *one = malloc(n_features * sizeof *one);
    for (int level = 0; level < 3; ++level) {
        size_t different = 0;
        scarce__shap_set_level(shap, level);
        CHECK(scarce__shap_columns(shap, columns, 0, n, many, NULL) == SCARCE_OK);
        for (size_t i = 0; i < n; ++i) {
            CHECK(scarce__shap_row(shap, rows + i * n_features, one, NULL) == SCARCE_OK);
            for (size_t f = 0; f < n_features; ++f) different += one[f] != many[i * n_features + f];
        }
        CHECK(different == 0);
        if (n > 3) {
            CHECK(scarce__shap_columns(shap, columns, 3, 1, one, NULL) == SCARCE_OK);
            CHECK(memcmp(one, many + 3 * n_features, n_features * sizeof *one) == 0);
        }
    }
    free_columns(columns, n_features);
    free(many);
    free(one);
}

static void test_brute_force(void)
{
    for (uint64_t seed = 0; seed < 60; ++seed) {
        const forest_shape shape = {1 + (size_t)seed % FEW,
                                    1 + (size_t)seed % 3,
                                    1 + (size_t)(seed * 7) % 18,
                                    seed % 2 ? 4 : 0,
                                    70,
                                    seed % 4 == 3 && seed % FEW ? 40 : 0,
                                    seed % 5 == 4};
        scarce__forest forest = random_forest(&shape, seed);
        float *rows = random_rows(&shape, 40, shape.n_features, seed);
        scarce__shap *shap = NULL;
        set_covers(&forest, (int)(seed % 3), seed);
        CHECK(scarce__shap_new(&shap, &forest, NULL) == SCARCE_OK);
        for (size_t i = 0; i < 40; ++i) {
            double want[FEW], got[FEW], base;
            brute_force(&forest, rows + i * shape.n_features, want, &base);
            CHECK(scarce__shap_row(shap, rows + i * shape.n_features, got, NULL) == SCARCE_OK);
            CHECK_NEAR(scarce__shap_base(shap), base, 1e-12);
            for (size_t f = 0; f < shape.n_features; ++f) CHECK_NEAR(got[f], want[f], 1e-12);
        }
        check_many(shap, rows, 40, shape.n_features);
        scarce__shap_free(shap);
        free(rows);
        scarce__forest_deinit(&forest);
    }
}

/* base + sum of contributions is the score. */
static void check_accuracy(const forest_shape *shape, size_t n, uint64_t seed, double tolerance)
{
    scarce__forest forest = random_forest(shape, seed);
    float *rows = random_rows(shape, n, shape->n_features, seed);
    double *got = malloc(shape->n_features * sizeof *got), worst = 0;
    scarce__shap *shap = NULL;
    set_covers(&forest, 1 + (int)(seed % 2), seed);
    CHECK(scarce__shap_new(&shap, &forest, NULL) == SCARCE_OK);
    for (size_t i = 0; shap && i < n; ++i) {
        double sum = scarce__shap_base(shap);
        CHECK(scarce__shap_row(shap, rows + i * shape->n_features, got, NULL) == SCARCE_OK);
        for (size_t f = 0; f < shape->n_features; ++f) sum += got[f];
        worst = fmax(worst, fabs(sum - scarce__forest_walk(&forest, rows + i * shape->n_features)));
    }
    CHECK_NEAR(worst, 0, tolerance);
    check_many(shap, rows, n, shape->n_features);
    scarce__shap_free(shap);
    free(rows);
    free(got);
    scarce__forest_deinit(&forest);
}

static void test_accuracy(void)
{
    const forest_shape usual = {30, 100, 31, 0, 40, 20, 0};
    const forest_shape large = {20, 3, 3000, 0, 40, 20, 0};
    const forest_shape chain = {60, 2, 200, 0, 40, 20, 1}; /* more work than the stack has */
    const forest_shape thin = {400, 1, 401, 0, 0, 0, 1};   /* some 250 different features on a path */
    const forest_shape stumps = {5, 20, 2, 4, 0, 0, 0};
    const forest_shape leaves = {3, 5, 1, 0, 0, 0, 0};
    check_accuracy(&usual, 200, 1, 1e-11);
    check_accuracy(&large, 60, 2, 1e-11);
    check_accuracy(&chain, 60, 3, 1e-11);
    check_accuracy(&thin, 40, 4, 1e-11);
    check_accuracy(&stumps, 100, 5, 1e-12);
    check_accuracy(&leaves, 10, 6, 1e-12);
}

static void test_quadrature(void)
{
    for (size_t n = 1; n < 200; n = n < 10 ? n + 1 : n * 2) {
        double point[400], weight[400];
        scarce__quadrature(n, point, weight);
        for (size_t degree = 0; degree < 2 * n; ++degree) {
            double sum = 0;
            for (size_t i = 0; i < n; ++i) sum += weight[i] * pow(point[i], (double)degree);
            CHECK_NEAR(sum, 1 / ((double)degree + 1), 1e-14);
        }
        for (size_t i = 0; i < n; ++i) CHECK(point[i] > 0 && point[i] < 1 && weight[i] > 0);
    }
}

static void test_empty(void)
{
    scarce__forest forest = {0};
    scarce__shap *shap = NULL;
    const float row[2] = {0, 1};
    double got[2] = {5, 5};
    forest.n_features = 2;
    forest.base = -1.5;
    CHECK(scarce__shap_new(&shap, &forest, NULL) == SCARCE_OK);
    CHECK(scarce__shap_row(shap, row, got, NULL) == SCARCE_OK);
    CHECK(got[0] == 0 && got[1] == 0 && scarce__shap_base(shap) == -1.5);
    scarce__shap_free(shap);
}

/* A chain of more features than can be explained is refused, not begun. */
static void test_too_long(void)
{
    enum { N = SCARCE__SHAP_PATH_MOST + 1 };
    scarce__node *nodes = calloc(2 * N + 1, sizeof *nodes);
    scarce__forest forest = {0};
    scarce__shap *shap = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    forest.n_features = N;
    for (int32_t i = 0; i < N; ++i) {
        nodes[2 * i].feature = i;
        nodes[2 * i].left = 2 * i + 1;
        nodes[2 * i].right = 2 * i + 2;
        nodes[2 * i + 1].feature = -1;
    }
    nodes[2 * N].feature = -1;
    CHECK(scarce__forest_add(&forest, nodes, 2 * N + 1, NULL, 0, NULL) == SCARCE_OK);
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    CHECK(scarce__shap_new(&shap, &forest, &err) == SCARCE_EUNSUPPORTED && shap == NULL);
    CHECK(strstr(err.text, "2049") != NULL);
    scarce__forest_deinit(&forest);
    free(nodes);
}

static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    const forest_shape shape = {400, 1, 401, 0, 0, 0, 1}; /* a deep one: constants are made on the way */
    scarce__forest forest = random_forest(&shape, 8);
    float *rows = random_rows(&shape, 1, shape.n_features, 8);
    scarce__columns *columns = columns_of(rows, 1, shape.n_features);
    double got[400];
    size_t fail;
    scarce__shap *shap = NULL;
    for (fail = 1;; ++fail) {
        scarce__alloc_fail_from(fail);
        const scarce_status st = scarce__shap_new(&shap, &forest, NULL);
        scarce__alloc_fail_from(0);
        if (st == SCARCE_OK) break;
        CHECK(st == SCARCE_ENOMEM && shap == NULL);
    }
    CHECK(fail > 8);
    for (size_t k = 1; k <= 3; ++k) {
        scarce__alloc_fail_from(k);
        CHECK(scarce__shap_row(shap, rows, got, NULL) == SCARCE_ENOMEM);
        scarce__alloc_fail_from(k);
        CHECK(scarce__shap_columns(shap, columns, 0, 1, got, NULL) == SCARCE_ENOMEM);
        scarce__alloc_fail_from(0);
    }
    scarce__shap_free(shap);
    free_columns(columns, shape.n_features);
    free(rows);
    scarce__forest_deinit(&forest);
#endif
}

/* XGBoost adds in float, so that its own sums are off by some 1e-7. */
static void test_xgboost(void)
{
    static const char *const names[] = {"xgb_binary", "xgb_cat", "xgb_onehot", "xgb_reg"};
    static float rows[300][FEW];
    static char bytes[1 << 20];
    size_t n_rows = 0;
    FILE *f = fopen("golden/import_rows.txt", "r");
    CHECK(f != NULL);
    if (!f) return;
    for (; n_rows < 300; ++n_rows) {
        int got = 0;
        for (int k = 0; k < FEW; ++k) got += fscanf(f, "%f", &rows[n_rows][k]) == 1;
        if (got != FEW) break;
    }
    fclose(f);
    CHECK(n_rows > 100);
    for (size_t m = 0; m < sizeof names / sizeof names[0]; ++m) {
        char path[100];
        scarce__imported model;
        scarce__shap *shap = NULL;
        double worst = 0;
        snprintf(path, sizeof path, "golden/import_%s.json", names[m]);
        f = fopen(path, "rb");
        CHECK(f != NULL);
        if (!f) return;
        const size_t n = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        CHECK(scarce__import_any(&model, bytes, n, NULL) == SCARCE_OK);
        CHECK(scarce__shap_new(&shap, &model.forest, NULL) == SCARCE_OK);
        snprintf(path, sizeof path, "golden/shap_%s.txt", names[m]);
        f = fopen(path, "r");
        CHECK(f != NULL);
        for (size_t i = 0; f && i < n_rows; ++i) {
            double got[FEW], want;
            CHECK(scarce__shap_row(shap, rows[i], got, NULL) == SCARCE_OK);
            for (int k = 0; k <= FEW; ++k) {
                CHECK(fscanf(f, "%lf", &want) == 1);
                worst = fmax(worst, fabs((k < FEW ? got[k] : scarce__shap_base(shap)) - want));
            }
        }
        if (f) fclose(f);
        if (!(worst <= 2e-6)) fprintf(stderr, "%s: off by %g\n", names[m], worst);
        CHECK(worst <= 2e-6);
        scarce__shap_free(shap);
        scarce__imported_deinit(&model);
    }
}

static const test_case tests[] = {
    {"xgboost", test_xgboost},     {"brute_force", test_brute_force},
    {"accuracy", test_accuracy},   {"quadrature", test_quadrature},
    {"empty", test_empty},         {"too_long", test_too_long},
    {"no_memory", test_no_memory},
};
TEST_MAIN(tests)
