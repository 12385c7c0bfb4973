/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours against all pairs one by one: ties, copies, gaps, constant columns, categories, sparse columns, fewer
 * rows than k, one row; every kernel, the tree, any number of threads. */
#include "near/near.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "lcg.h"
#include "near/inside.h"
#include "tables.h"
#include "test.h"

enum {
    TIES = 1,       /* whole numbers of a small range: many equal distances and equal rows */
    GAPS = 2,       /* missing values, and infinite ones that count as missing */
    CATEGORIES = 4, /* every third feature */
    SPARSE = 8,     /* every second feature, mostly 0 */
    HUGE_RANGE = 16 /* one feature from 1e-30 to 1e30 */
};

static scarce_table *make(size_t n, size_t d, int how, uint64_t seed)
{
    lcg r = lcg_start(seed);
    float *x = malloc(n * d * sizeof *x);
    uint8_t *label = calloc(n, 1);
    scarce_table *t = NULL;
    for (size_t i = 0; i < n * d; ++i) {
        const size_t f = i % d;
        x[i] = how & TIES ? (float)lcg_below(&r, 3) : (float)lcg_draw(&r) / 1e6f;
        if (how & CATEGORIES && f % 3 == 1) x[i] = (float)lcg_below(&r, 4);
        if (how & SPARSE && f % 2 == 0 && lcg_below(&r, 4)) x[i] = 0;
        if (how & GAPS && lcg_below(&r, 6) == 0) x[i] = NAN;
        if (how & GAPS && f % 3 == 2 && lcg_below(&r, 40) == 0) x[i] = -INFINITY;
        if (how & HUGE_RANGE && f == 2) x[i] = powf(10, (float)lcg_below(&r, 61) - 30);
        if (f == 3) x[i] = 5; /* constant */
    }
    CHECK(scarce_table_from_floats(&t, x, n, d, NULL, label, NULL) == SCARCE_OK);
    for (size_t f = 0; f < d; ++f) {
        if (how & CATEGORIES && f % 3 == 1) to_category(t, f, 4);
        else if (how & SPARSE && f % 2 == 0) to_sparse(t, f);
    }
    free(x), free(label);
    return t;
}

static scarce_context *context(int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static uint32_t row_of(const scarce__near_rows *r, size_t i)
{
    return r->rows ? r->rows[i] : (uint32_t)i;
}

/* The j-th neighbour is the smallest pair (distance, row) above the one before. */
static void slow_find(uint32_t *index, double *square, const scarce__near *ask)
{
    double *value = malloc(ask->among.n * sizeof *value);
    for (size_t i = 0; i < ask->from.n; ++i) {
        const uint32_t own = row_of(&ask->from, i);
        double last = -INFINITY;
        uint32_t last_row = 0;
        for (size_t a = 0; a < ask->among.n; ++a)
            value[a] =
                (ask->farthest ? -1 : 1) * scarce__space_square(ask->space, ask->from.table, own,
                                                                ask->among.table, row_of(&ask->among, a));
        for (size_t j = 0; j < ask->k; ++j) {
            double best = INFINITY;
            uint32_t best_row = UINT32_MAX;
            for (size_t a = 0; a < ask->among.n; ++a) {
                const uint32_t row = row_of(&ask->among, a);
                const double v = value[a];
                if (ask->from.table == ask->among.table && row == own) continue;
                if ((j && (v < last || (v == last && row <= last_row))) || v >= best) continue;
                best = v;
                best_row = row;
            }
            index[i * ask->k + j] = best_row;
            square[i * ask->k + j] = best_row == UINT32_MAX ? NAN : fabs(best);
            last = best;
            last_row = best_row;
            if (best_row != UINT32_MAX) continue;
            for (++j; j < ask->k; ++j) index[i * ask->k + j] = UINT32_MAX, square[i * ask->k + j] = NAN;
        }
    }
    free(value);
}

static size_t differ(const uint32_t *a, const double *x, const uint32_t *b, const double *y, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; ++i)
        wrong += a[i] != b[i] || (memcmp(&x[i], &y[i], sizeof *x) != 0 && !(isnan(x[i]) && isnan(y[i])));
    return wrong;
}

static void check_find(const scarce__near *ask, const char *what)
{
    const size_t n = ask->from.n * ask->k;
    uint32_t *want = malloc((n + 1) * sizeof *want), *got = malloc((n + 1) * sizeof *got);
    double *want_square = malloc((n + 1) * sizeof *want_square), *square = malloc((n + 1) * sizeof *square);
    const int trees = ask->space->n_codes + ask->space->n_gaps + ask->space->n_sparse == 0 && !ask->farthest;
    const int before = test_failures;
    slow_find(want, want_square, ask);
    for (int threads = 1; threads <= 4; threads *= 2) {
        scarce_context *ctx = context(threads);
        for (int level = 0; level <= scarce__near_level(); ++level)
            for (int tree = 0; tree <= trees; ++tree) {
                memset(got, 0, n * sizeof *got);
                CHECK(scarce__near_find_at(got, square, ask, level, tree, ctx, NULL) == SCARCE_OK);
                CHECK(differ(got, square, want, want_square, n) == 0);
            }
        CHECK(scarce__near_find(got, square, ask, ctx, NULL) == SCARCE_OK);
        CHECK(differ(got, square, want, want_square, n) == 0);
        scarce_context_free(ctx);
    }
    CHECK(scarce__near_memory(ask, 2) > 0 && scarce__near_memory(ask, 2) < 1e8);
    if (test_failures != before) fprintf(stderr, "in %s, k %zu\n", what, ask->k);
    free(want), free(got), free(want_square), free(square);
}

/* How many are before a bound, against counting. */
static void check_count(const scarce__near *ask, uint64_t seed)
{
    const size_t n = ask->from.n;
    uint32_t *count = malloc(n * sizeof *count), *bound_row = malloc(n * sizeof *bound_row),
             *witness = malloc(n * ask->k * sizeof *witness);
    double *bound = malloc(n * sizeof *bound);
    lcg r = lcg_start(seed);
    scarce_context *ctx = context(2);
    for (size_t i = 0; i < n; ++i) {
        bound_row[i] = row_of(&ask->among, lcg_below(&r, ask->among.n));
        bound[i] = scarce__space_square(ask->space, ask->from.table, row_of(&ask->from, i), ask->among.table,
                                        bound_row[i]);
    }
    if (n > 3) bound[3] = NAN;
    CHECK(scarce__near_count(count, witness, ask, bound, bound_row, ctx, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) {
        const uint32_t own = row_of(&ask->from, i);
        size_t want = 0, found = 0;
        for (size_t a = 0; a < ask->among.n; ++a) {
            const uint32_t row = row_of(&ask->among, a);
            const double v = scarce__space_square(ask->space, ask->from.table, own, ask->among.table, row);
            const int is_before = isnan(bound[i]) || v < bound[i] || (v == bound[i] && row < bound_row[i]);
            if (own == row && ask->from.table == ask->among.table) continue;
            want += (size_t)is_before;
            for (size_t j = 0; j < count[i]; ++j) found += witness[i * ask->k + j] == row && is_before;
        }
        CHECK(count[i] == (want < ask->k ? want : ask->k));
        CHECK(found == count[i]);
    }
    scarce_context_free(ctx);
    free(count), free(bound_row), free(bound), free(witness);
}

static void check_table(size_t n, size_t d, int how, scarce__near_scale scale, uint64_t seed)
{
    scarce_table *t = make(n, d, how, seed), *other = make(n / 2 + 1, d, how, seed + 1);
    scarce__space space;
    uint32_t *some = malloc(n * sizeof *some), *few = malloc(n * sizeof *few);
    size_t n_some = 0, n_few = 0;
    char what[96];
    for (uint32_t i = 0; i < n; ++i) {
        if (i % 3 != 1 || n < 3) some[n_some++] = i;
        if (i % 5 == 2 || n < 3) few[n_few++] = i;
    }
    snprintf(what, sizeof what, "%zu rows, %zu features, how %d, scale %d", n, d, how, (int)scale);
    CHECK(scarce__space_init(&space, t, scale, NULL, NULL) == SCARCE_OK);
    const scarce__near asks[] = {
        {&space, {t, NULL, n}, {t, NULL, n}, 1, 0},
        {&space, {t, few, n_few}, {t, some, n_some}, 5, 0},
        {&space, {t, some, n_some}, {t, few, n_few}, 3, 1},
        {&space, {other, NULL, n / 2 + 1}, {t, some, n_some}, 4, 0},
        {&space, {t, few, n_few}, {t, NULL, n}, n + 3 < 60 ? n + 3 : 60, 0},
    };
    for (size_t a = 0; a < sizeof asks / sizeof *asks; ++a) check_find(&asks[a], what);
    check_count(&asks[0], seed);
    check_count(&asks[1], seed);
    check_count(&asks[3], seed);
    scarce__space_deinit(&space);
    scarce_table_free(t);
    scarce_table_free(other);
    free(some), free(few);
}

static void test_oracle(void)
{
    static const int kinds[] = {0,
                                TIES,
                                GAPS,
                                TIES | GAPS,
                                CATEGORIES,
                                SPARSE,
                                HUGE_RANGE,
                                TIES | GAPS | CATEGORIES | SPARSE,
                                GAPS | CATEGORIES | HUGE_RANGE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (int scale = 0; scale < 4; ++scale) {
            check_table(150, 7, kinds[k], (scarce__near_scale)scale, 10 * k);
            check_table(70, 19, kinds[k], (scarce__near_scale)scale, 10 * k + 1);
        }
    check_table(1, 4, 0, SCARCE__SCALE_AUTO, 1);
    check_table(2, 4, TIES, SCARCE__SCALE_AUTO, 1);
    check_table(40, 1, TIES, SCARCE__SCALE_AUTO, 1);
}

/* More rows than a block of the kernel and a leaf of the tree hold. */
static void test_many_rows(void)
{
    scarce_table *t = make(1500, 300, 0, 3), *flat = make(1500, 3, TIES, 4);
    scarce__space space;
    uint32_t few[30];
    for (uint32_t i = 0; i < 30; ++i) few[i] = 49 * i;
    CHECK(scarce__space_init(&space, t, SCARCE__SCALE_AUTO, NULL, NULL) == SCARCE_OK);
    const scarce__near wide = {&space, {t, few, 30}, {t, NULL, 1500}, 7, 0};
    check_find(&wide, "300 features");
    check_count(&wide, 1);
    scarce__space_deinit(&space);
    CHECK(scarce__space_init(&space, flat, SCARCE__SCALE_AUTO, NULL, NULL) == SCARCE_OK);
    const scarce__near ties = {&space, {flat, NULL, 1500}, {flat, NULL, 1500}, 4, 0};
    check_find(&ties, "ties");
    scarce_table *gaps = make(40, 3, TIES | GAPS, 5); /* gaps where the space knows of none */
    const scarce__near unknown = {&space, {gaps, NULL, 40}, {flat, NULL, 1500}, 4, 0};
    check_find(&unknown, "gaps of another table");
    scarce_table_free(gaps);
    check_count(&ties, 2);
    scarce__space_deinit(&space);
    scarce_table_free(t);
    scarce_table_free(flat);
}

/* So many sparse columns that they are kept as lists, beside a category and numbers. */
static void test_sparse_lists(void)
{
    check_table(60, 620, SPARSE, SCARCE__SCALE_AUTO, 5);
    check_table(60, 620, SPARSE | TIES, SCARCE__SCALE_NONE, 6);
    check_table(50, 620, SPARSE | GAPS | CATEGORIES, SCARCE__SCALE_AUTO, 7);
}

/* The figures of the header, by hand. */
static void test_distance(void)
{
    const float x[] = {0, 1, 7, 2, 1, 7, 4, NAN, 7};
    const uint8_t label[] = {0, 1, 0};
    scarce_table *t = NULL;
    scarce__space s;
    CHECK(scarce_table_from_floats(&t, x, 3, 3, NULL, label, NULL) == SCARCE_OK);
    CHECK(scarce__space_init(&s, t, SCARCE__SCALE_AUTO, NULL, NULL) == SCARCE_OK); /* gaps: range */
    CHECK(scarce__space_square(&s, t, 0, t, 1) == 0.25);
    CHECK(scarce__space_square(&s, t, 0, t, 2) == 2);
    CHECK(scarce__space_square(&s, t, 2, t, 2) == 1); /* a gap is 1 from itself */
    scarce__space_deinit(&s);
    CHECK(scarce__space_init(&s, t, SCARCE__SCALE_NONE, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__space_square(&s, t, 1, t, 2) == 5);
    scarce__space_deinit(&s);
    to_category(t, 1, 4);
    CHECK(scarce__space_init(&s, t, SCARCE__SCALE_STANDARD, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(scarce__space_square(&s, t, 0, t, 2), 16 / (8.0 / 3) + 1, 1e-12);
    s.category_square = 9;
    CHECK_NEAR(scarce__space_square(&s, t, 0, t, 2), 16 / (8.0 / 3) + 9, 1e-12);
    CHECK_NEAR(scarce__space_square(&s, t, 0, t, 1), 4 / (8.0 / 3), 1e-12);
    scarce__space_deinit(&s);
    scarce_table_free(t);
}

/* What is told beforehand is enough, and not much more than is needed. */
static void check_memory(const scarce__near *ask, int tree, const char *what)
{
    scarce_context *ctx = context(2);
    uint32_t *index = malloc(ask->from.n * ask->k * sizeof *index);
    double *square = malloc(ask->from.n * ask->k * sizeof *square);
    const double told = scarce__near_memory(ask, 2);
    const int level = scarce__near_level();
    CHECK(scarce__near_tree_suits(ask) == tree);
    scarce_memory_limit(1e15);
    const double used = scarce__memory_used();
    scarce_memory_limit(used + told * 1.05 + 20000);
    const scarce_status enough = scarce__near_find_at(index, square, ask, level, tree, ctx, NULL);
    scarce_memory_limit(used + told * 0.5);
    const scarce_status half = scarce__near_find_at(index, square, ask, level, tree, ctx, NULL);
    scarce_memory_limit(0);
    CHECK(enough == SCARCE_OK && half == SCARCE_ENOMEM);
    if (enough != SCARCE_OK || half == SCARCE_OK) fprintf(stderr, "%s: told %.0f bytes\n", what, told);
    free(index), free(square);
    scarce_context_free(ctx);
}

static void test_memory(void)
{
    scarce_table *wide = make(9000, 40, GAPS | CATEGORIES, 3), *flat = make(9000, 2, 0, 4),
                 *lists = make(300, 700, SPARSE, 5);
    scarce_table *const tables[] = {wide, flat, lists};
    for (size_t i = 0; i < 3; ++i) {
        scarce__space space;
        CHECK(scarce__space_init(&space, tables[i], SCARCE__SCALE_AUTO, NULL, NULL) == SCARCE_OK);
        const scarce__near ask = {&space, {tables[i], NULL, 250}, {tables[i], NULL, tables[i]->n_rows}, 2, 0};
        check_memory(&ask, i == 1, i == 0 ? "blocks" : i == 1 ? "tree" : "lists");
        scarce__space_deinit(&space);
        scarce_table_free(tables[i]);
    }
}

static int stop(void *payload, const scarce_progress *p)
{
    (void)p;
    return ++*(int *)payload > 1;
}

static void test_stops(void)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_table *t = make(2000, 300, 0, 8);
    scarce__space space;
    uint32_t few[2] = {5, 6}, index[2];
    double square[2];
    int calls = 0;
    o.progress = stop;
    o.payload = &calls;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    CHECK(scarce__space_init(&space, t, SCARCE__SCALE_AUTO, ctx, NULL) == SCARCE_OK);
    const scarce__near ask = {&space, {t, few, 2}, {t, NULL, 2000}, 1, 0};
    CHECK(scarce__near_find(index, square, &ask, ctx, NULL) == SCARCE_ECANCEL && calls == 2);
    scarce__space_deinit(&space);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

static const test_case tests[] = {
    {"distance", test_distance},         {"oracle", test_oracle}, {"many_rows", test_many_rows},
    {"sparse_lists", test_sparse_lists}, {"memory", test_memory}, {"stops", test_stops},
};
TEST_MAIN(tests)
