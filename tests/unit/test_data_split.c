/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "test.h"

/* n rows, positives spread by the seed, exactly `positives` of them. */
static scarce_table *make_table(size_t n, size_t positives, uint64_t seed)
{
    float *values = calloc(n, sizeof *values);
    uint8_t *label = calloc(n, 1);
    scarce__random random = scarce__random_start(seed, SCARCE__FOR_TEST, n);
    scarce_table *t = NULL;
    if (!values || !label) abort();
    for (size_t k = 0; k < positives;) {
        const size_t i = (size_t)scarce__random_below(&random, n);
        k += !label[i];
        label[i] = 1;
    }
    CHECK(scarce_table_from_floats(&t, values, n, 1, NULL, label, NULL) == SCARCE_OK);
    free(values);
    free(label);
    if (!t) abort();
    return t;
}

/* Groups of uneven sizes: row i to a group drawn with a bias to small numbers. One more, empty, group. */
static void give_groups(scarce_table *t, size_t n_groups, uint64_t seed)
{
    scarce__random random = scarce__random_start(seed, SCARCE__FOR_TEST, 99);
    t->group = scarce__malloc_array(t->n_rows, sizeof *t->group);
    for (size_t g = 0; g < n_groups + 1; ++g) {
        char name[24];
        (void)snprintf(name, sizeof name, "g%zu", g);
        (void)scarce__dictionary_add(&t->groups, name, strlen(name));
    }
    for (size_t i = 0; i < t->n_rows; ++i) {
        const double u = scarce__random_unit(&random);
        t->group[i] = i < n_groups ? (int32_t)i : (int32_t)(u * u * (double)n_groups);
    }
}

static scarce_context *make_context(uint64_t seed)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = 1;
    o.seed = seed;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static size_t positives_of(const scarce_table *t, const uint32_t *rows, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) k += t->label[rows[i]];
    return k;
}

/* Every row on exactly one side, both lists ascending. */
static int is_partition(const scarce_split *s, size_t n)
{
    size_t a = 0, b = 0;
    if (s->n_train + s->n_test != n) return 0;
    for (size_t i = 0; i < n; ++i) {
        if (a < s->n_train && s->train[a] == i) ++a;
        else if (b < s->n_test && s->test[b] == i) ++b;
        else return 0;
    }
    return 1;
}

static void test_holdout_counts(void)
{
    static const struct {
        size_t n, positives;
        double fraction;
        size_t want, want_positives; /* of the test side */
    } cases[] = {
        {1000, 37, 0.3, 300, 11}, {1000, 1, 0.3, 300, 0}, {10, 5, 0.5, 5, 2},   {10, 0, 0.2, 2, 0},
        {10, 10, 0.2, 2, 2},      {2, 1, 0.5, 1, 0},      {100, 7, 0.1, 10, 1}, {1000, 999, 0.25, 250, 250},
    };
    scarce_context *ctx = make_context(5);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        scarce_table *t = make_table(cases[c].n, cases[c].positives, c);
        scarce_split s;
        CHECK(scarce_split_holdout(&s, t, cases[c].fraction, 0, ctx, NULL) == SCARCE_OK);
        CHECK(is_partition(&s, cases[c].n));
        CHECK(s.n_test == cases[c].want);
        CHECK(positives_of(t, s.test, s.n_test) == cases[c].want_positives);
        scarce_split_deinit(&s);
        scarce_split_deinit(&s);
        scarce_table_free(t);
    }
    scarce_context_free(ctx);
}

/* Over many repeats every row is tested about as often as every other of its class. */
static void test_holdout_is_fair(void)
{
    enum { N = 60, REPEATS = 4000 };
    size_t times[N] = {0}, different = 0;
    scarce_context *ctx = make_context(1), *other = make_context(2);
    scarce_table *t = make_table(N, 20, 3);
    scarce_split s, again;
    for (uint64_t r = 0; r < REPEATS; ++r) {
        CHECK(scarce_split_holdout(&s, t, 0.25, r, ctx, NULL) == SCARCE_OK);
        for (size_t i = 0; i < s.n_test; ++i) ++times[s.test[i]];
        if (r < 20) {
            CHECK(scarce_split_holdout(&again, t, 0.25, r, ctx, NULL) == SCARCE_OK);
            CHECK(memcmp(s.test, again.test, s.n_test * sizeof *s.test) == 0);
            scarce_split_deinit(&again);
            CHECK(scarce_split_holdout(&again, t, 0.25, r, other, NULL) == SCARCE_OK);
            different += memcmp(s.test, again.test, s.n_test * sizeof *s.test) != 0;
            scarce_split_deinit(&again);
        }
        scarce_split_deinit(&s);
    }
    CHECK(different == 20);
    for (size_t i = 0; i < N; ++i) CHECK_NEAR((double)times[i] / REPEATS, 0.25, 0.03); /* 4.4 sigma */
    scarce_table_free(t);
    scarce_context_free(ctx);
    scarce_context_free(other);
}

static void test_folds(void)
{
    static const size_t cases[][3] = {{1000, 37, 5}, {103, 3, 10}, {11, 1, 11},
                                      {10, 5, 3},    {7, 0, 2},    {9, 9, 4}};
    scarce_context *ctx = make_context(5);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const size_t n = cases[c][0], positives = cases[c][1], folds = cases[c][2];
        scarce_table *t = make_table(n, positives, c);
        size_t *seen = calloc(n, sizeof *seen), once = 0;
        if (!seen) abort();
        for (size_t k = 0; k < folds; ++k) {
            scarce_split s;
            CHECK(scarce_split_fold(&s, t, folds, k, 7, ctx, NULL) == SCARCE_OK);
            CHECK(is_partition(&s, n));
            CHECK(s.n_test == n / folds || s.n_test == n / folds + 1);
            const size_t p = positives_of(t, s.test, s.n_test), q = s.n_test - p, m = n - positives;
            CHECK(p == positives / folds || p == positives / folds + 1);
            CHECK(q == m / folds || q == m / folds + 1);
            for (size_t i = 0; i < s.n_test; ++i) ++seen[s.test[i]];
            scarce_split_deinit(&s);
        }
        for (size_t i = 0; i < n; ++i) once += seen[i] == 1;
        CHECK(once == n);
        free(seen);
        scarce_table_free(t);
    }
    scarce_context_free(ctx);
}

static int groups_whole(const scarce_table *t, const scarce_split *s)
{
    int8_t *side = calloc(t->groups.count, 1);
    int ok = side != NULL;
    for (size_t i = 0; ok && i < s->n_train; ++i) side[t->group[s->train[i]]] = 1;
    for (size_t i = 0; ok && i < s->n_test; ++i) ok = side[t->group[s->test[i]]] == 0;
    free(side);
    return ok;
}

static void test_grouped_folds(void)
{
    enum { N = 20000, GROUPS = 400, FOLDS = 5 };
    scarce_context *ctx = make_context(5);
    scarce_table *t = make_table(N, 200, 11);
    size_t rows = 0;
    give_groups(t, GROUPS, 1);
    for (size_t k = 0; k < FOLDS; ++k) {
        scarce_split s;
        CHECK(scarce_split_fold(&s, t, FOLDS, k, 0, ctx, NULL) == SCARCE_OK);
        CHECK(is_partition(&s, N) && groups_whole(t, &s));
        CHECK_NEAR((double)s.n_test / N, 0.2, 0.01);
        CHECK_NEAR((double)positives_of(t, s.test, s.n_test) / 200, 0.2, 0.02);
        rows += s.n_test;
        scarce_split_deinit(&s);
    }
    CHECK(rows == N);
    scarce_table_free(t);

    /* one group per fold, of very different sizes */
    t = make_table(1000, 20, 1);
    give_groups(t, FOLDS, 1);
    for (size_t k = 0; k < FOLDS; ++k) {
        scarce_split s;
        CHECK(scarce_split_fold(&s, t, FOLDS, k, 0, ctx, NULL) == SCARCE_OK && groups_whole(t, &s));
        for (size_t i = 1; i < s.n_test; ++i) CHECK(t->group[s.test[i]] == t->group[s.test[0]]);
        scarce_split_deinit(&s);
    }
    scarce_table_free(t);
    scarce_context_free(ctx);
}

static void test_grouped_holdout(void)
{
    enum { N = 20000, GROUPS = 300, REPEATS = 100 };
    scarce_context *ctx = make_context(5);
    scarce_table *t = make_table(N, 100, 12);
    size_t tested[GROUPS + 1] = {0}, most = 0, least = REPEATS;
    give_groups(t, GROUPS, 2);
    for (uint64_t r = 0; r < REPEATS; ++r) {
        scarce_split s;
        uint8_t in_test[GROUPS + 1] = {0};
        CHECK(scarce_split_holdout(&s, t, 0.3, r, ctx, NULL) == SCARCE_OK);
        CHECK(is_partition(&s, N) && groups_whole(t, &s));
        CHECK_NEAR((double)s.n_test / N, 0.3, 0.02);
        CHECK_NEAR((double)positives_of(t, s.test, s.n_test) / 100, 0.3, 0.03);
        for (size_t i = 0; i < s.n_test; ++i) in_test[t->group[s.test[i]]] = 1;
        for (size_t g = 0; g < GROUPS; ++g) tested[g] += in_test[g];
        scarce_split_deinit(&s);
    }
    for (size_t g = 0; g < GROUPS; ++g) {
        if (tested[g] > most) most = tested[g];
        if (tested[g] < least) least = tested[g];
    }
    CHECK(least > 5 && most < 70); /* every group is tested now and then, the largest too */
    scarce_table_free(t);

    t = make_table(100, 10, 1); /* two groups: one on each side whatever the fraction */
    give_groups(t, 2, 1);
    scarce_split s;
    CHECK(scarce_split_holdout(&s, t, 0.01, 0, ctx, NULL) == SCARCE_OK && groups_whole(t, &s));
    scarce_split_deinit(&s);
    CHECK(scarce_split_holdout(&s, t, 0.99, 0, ctx, NULL) == SCARCE_OK && groups_whole(t, &s));
    scarce_split_deinit(&s);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

static void test_refuses(void)
{
    const float values[3] = {0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = make_table(10, 1, 1), *bare = NULL;
    scarce_split s;
    CHECK(scarce_table_from_floats(&bare, values, 3, 1, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_split_holdout(&s, t, 0, 0, NULL, &err) == SCARCE_EINVAL && !s.train && !s.test);
    CHECK(scarce_split_holdout(&s, t, 1, 0, NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "test fraction 1, expected a number between 0 and 1");
    CHECK(scarce_split_holdout(&s, t, (double)NAN, 0, NULL, &err) == SCARCE_EINVAL);
    CHECK(scarce_split_holdout(&s, t, 0.01, 0, NULL, &err) == SCARCE_EDATA); /* nothing to test */
    CHECK_TEXT(err.text, "the split leaves 10 rows to train and 0 to test");
    CHECK(scarce_split_holdout(&s, bare, 0.5, 0, NULL, &err) == SCARCE_EDATA && strstr(err.text, "no label"));
    CHECK(scarce_split_fold(&s, bare, 2, 0, 0, NULL, &err) == SCARCE_EDATA && strstr(err.text, "no label"));
    CHECK(scarce_split_fold(&s, t, 1, 0, 0, NULL, &err) == SCARCE_EINVAL);
    CHECK(scarce_split_fold(&s, t, 5, 5, 0, NULL, &err) == SCARCE_EINVAL);
    CHECK(scarce_split_fold(&s, t, 11, 0, 0, NULL, &err) == SCARCE_EDATA);
    give_groups(t, 3, 1);
    CHECK(scarce_split_fold(&s, t, 4, 0, 0, NULL, &err) == SCARCE_EDATA && strstr(err.text, "3 groups"));
    for (size_t i = 0; i < 10; ++i) t->group[i] = 1;
    CHECK(scarce_split_holdout(&s, t, 0.5, 0, NULL, &err) == SCARCE_EDATA && strstr(err.text, "1 groups"));
    scarce_table_free(t);
    scarce_table_free(bare);
}

static void test_temporal(void)
{
    /* row:                    0  1  2  3  4  5  6  7  8  9 */
    const double times[] = {9, 0, 1, 4, 5, 6, 7, 8, (double)NAN, -3};
    const uint8_t label[] = {0, 0, 1, 0, 1, 0, 0, 0, 1, 1};
    const int32_t group[] = {0, 0, 1, 0, 2, 0, 1, 2, 0, 3};
    const float values[10] = {0};
    scarce_temporal p = SCARCE_TEMPORAL_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    scarce_split s;

    CHECK(scarce_table_from_floats(&t, values, 10, 1, NULL, label, NULL) == SCARCE_OK);
    p.train = 5;
    p.gap = 1;
    p.test = 3;
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_EDATA && strstr(err.text, "no time role"));
    t->time = scarce__malloc(sizeof times);
    if (!t->time) abort();
    memcpy(t->time, times, sizeof times);
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_OK);
    CHECK(s.n_train == 3 && s.train[0] == 1 && s.train[1] == 2 && s.train[2] == 3); /* 0, 1, 4 of [0, 5) */
    CHECK(s.n_test == 3 && s.test[0] == 5 && s.test[1] == 6 && s.test[2] == 7);     /* 6, 7, 8 of [6, 9) */
    scarce_split_deinit(&s);

    p.purge_known = 1;
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_EDATA && strstr(err.text, "no group role"));
    t->group = scarce__malloc(sizeof group);
    if (!t->group) abort();
    memcpy(t->group, group, sizeof group);
    for (int g = 0; g < 4; ++g) (void)scarce__dictionary_add(&t->groups, &"abcd"[g], 1);
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_OK);
    /* group 1 was positive at 1; group 2 only inside the gap, at 5; group 0 at an unknown time */
    CHECK(s.n_test == 2 && s.test[0] == 5 && s.test[1] == 7 && s.n_train == 3);
    scarce_split_deinit(&s);
    t->group[7] = 3; /* positive at -3: before the training period, known all the same */
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_OK);
    CHECK(s.n_test == 1 && s.test[0] == 5);
    scarce_split_deinit(&s);

    p.start = 100;
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_EDATA && !s.train && !s.test);
    CHECK_TEXT(err.text,
               "train from 100 to 105, test from 106 to 109: the split leaves 0 rows to train and 0 to test");
    p.start = (double)NAN;
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_EINVAL);
    p.start = 0;
    p.train = 0;
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_EINVAL);
    p.train = 5;
    p.gap = -1;
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_EINVAL);
    p.gap = 0;
    p.test = (double)INFINITY;
    CHECK(scarce_split_temporal(&s, t, &p, &err) == SCARCE_EINVAL);
    scarce_table_free(t);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Against sorting: random, sorted, falling, equal and sawtooth times. */
static void test_moment(void)
{
    static double times[3000], sorted[3000];
    static const double fractions[] = {1e-9, 0.2, 0.5, 0.999};
    scarce__random random = scarce__random_start(3, SCARCE__FOR_TEST, 0);

    for (int shape = 0; shape < 5; ++shape)
        for (size_t n = 1; n <= 3000; n += 1 + n / 3)
            for (size_t k = 0; k < 4; ++k) {
                for (size_t i = 0; i < n; ++i)
                    sorted[i] = times[i] = shape == 0   ? (double)scarce__random_below(&random, 400)
                                           : shape == 1 ? (double)i
                                           : shape == 2 ? -(double)i
                                           : shape == 3 ? 7
                                                        : (double)(i % 50);
                qsort(sorted, n, sizeof *sorted, by_value);
                CHECK(scarce_split_moment(times, n, fractions[k]) ==
                      sorted[n - 1 - (size_t)(fractions[k] * (double)(n - 1))]);
            }
    CHECK(isnan(scarce_split_moment(times, 0, 0.5)));
}

static const test_case tests[] = {
    {"moment", test_moment},
    {"holdout_counts", test_holdout_counts},
    {"holdout_is_fair", test_holdout_is_fair},
    {"folds", test_folds},
    {"grouped_folds", test_grouped_folds},
    {"grouped_holdout", test_grouped_holdout},
    {"refuses", test_refuses},
    {"temporal", test_temporal},
};
TEST_MAIN(tests)
