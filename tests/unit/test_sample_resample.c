/* SPDX-License-Identifier: Apache-2.0 */
#include <scarce/resample.h>

#include <stdlib.h>

#include "test.h"

/* One feature that is the row's number, so that a row is known again. */
static scarce_table *make_table(size_t n, size_t period)
{
    float *values = malloc(n * sizeof *values);
    uint8_t *label = malloc(n);
    scarce_table *t = NULL;
    if (!values || !label) abort();
    for (size_t i = 0; i < n; ++i) {
        values[i] = (float)i;
        label[i] = i % period == 0;
    }
    CHECK(scarce_table_from_floats(&t, values, n, 1, NULL, label, NULL) == SCARCE_OK);
    free(values);
    free(label);
    return t;
}

static scarce_context *make_context(uint64_t seed, int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.seed = seed;
    o.threads = threads;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static void test_under(void)
{
    scarce_context *ctx = make_context(1, 2);
    scarce_table *t = make_table(1000, 50), *r = NULL; /* 20 positives, 980 negatives */
    scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    uint8_t *synthetic = NULL;
    size_t positives = 0;

    CHECK(scarce_resample(&r, &synthetic, &info, t, "random-under:ratio=0.25", ctx, &err) == SCARCE_OK);
    if (!r) return;
    CHECK(scarce_table_rows(r) == 100 && scarce_table_positives(r) == 20);
    CHECK_NEAR(info.odds_factor, (20.0 / 80) / (20.0 / 980), 1e-12);
    CHECK(info.factor_holds == 1);
    const float *v = scarce_table_numbers(r, 0);
    for (size_t i = 0; i < 100; ++i) {
        CHECK(synthetic[i] == 0 && (i == 0 || v[i] > v[i - 1])); /* original order, no repeats */
        CHECK(scarce_table_label(r)[i] == ((int)v[i] % 50 == 0));
        positives += scarce_table_label(r)[i];
    }
    CHECK(positives == 20);
    scarce_table_free(r);
    scarce_resample_flags_free(synthetic);
    scarce_resample_flags_free(NULL);

    CHECK(scarce_resample(&r, NULL, NULL, t, "random-under", ctx, &err) == SCARCE_OK);
    CHECK(scarce_table_rows(r) == 40);
    scarce_table_free(r);
    /* already beyond the ratio: a copy */
    CHECK(scarce_resample(&r, NULL, &info, t, "random-under:ratio=0.01", ctx, &err) == SCARCE_OK);
    CHECK(scarce_table_rows(r) == 1000 && info.odds_factor == 1);
    scarce_table_free(r);
    CHECK(scarce_resample(&r, NULL, &info, t, "random-under:ratio=1000", ctx, &err) == SCARCE_OK);
    CHECK(scarce_table_rows(r) == 21); /* one negative stays */
    scarce_table_free(r);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

/* Every negative is taken equally often over many seeds, pairs too (a subset, not blocks). */
static void test_under_is_uniform(void)
{
    enum { SEEDS = 6000 };
    scarce_table *t = make_table(10, 5); /* 2 positives, 8 negatives; 4 kept */
    size_t times[10] = {0}, neighbours = 0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        scarce_context *ctx = make_context(seed, 1);
        scarce_table *r = NULL;
        CHECK(scarce_resample(&r, NULL, NULL, t, "random-under:ratio=0.5", ctx, NULL) == SCARCE_OK);
        CHECK(scarce_table_rows(r) == 6);
        size_t in[10] = {0};
        for (size_t i = 0; i < 6; ++i) in[(size_t)scarce_table_numbers(r, 0)[i]] = 1;
        for (size_t i = 0; i < 10; ++i) times[i] += in[i];
        neighbours += in[1] && in[2];
        scarce_table_free(r);
        scarce_context_free(ctx);
    }
    for (size_t i = 0; i < 10; ++i) CHECK_NEAR((double)times[i] / SEEDS, i % 5 == 0 ? 1 : 0.5, 0.03);
    CHECK_NEAR((double)neighbours / SEEDS, 4.0 * 3 / (8 * 7), 0.03);
    scarce_table_free(t);
}

static void test_under_with_replacement(void)
{
    scarce_context *ctx = make_context(1, 1);
    scarce_table *t = make_table(1000, 2), *r = NULL; /* 500 and 500 */
    uint8_t *synthetic = NULL;
    size_t repeats = 0;
    CHECK(scarce_resample(&r, &synthetic, NULL, t, "random-under:ratio=1:replacement=true", ctx, NULL) ==
          SCARCE_OK);
    CHECK(scarce_table_rows(r) == 1000 && scarce_table_positives(r) == 500);
    for (size_t i = 1; i < 1000; ++i) { /* the originals in their order, then copies in theirs */
        const float *v = scarce_table_numbers(r, 0);
        CHECK(synthetic[i] >= synthetic[i - 1]);
        CHECK(synthetic[i] != synthetic[i - 1] || (synthetic[i] ? v[i] >= v[i - 1] : v[i] > v[i - 1]));
        CHECK(!synthetic[i] || !scarce_table_label(r)[i]);
        repeats += synthetic[i];
    }
    CHECK(repeats > 130 && repeats < 240); /* 500 / e = 184 are expected not to be drawn */
    scarce_table_free(r);
    scarce_resample_flags_free(synthetic);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

static void test_over(void)
{
    scarce_context *ctx = make_context(3, 2), *one = make_context(3, 1);
    scarce_table *t = make_table(1000, 100), *r = NULL, *again = NULL; /* 10 and 990 */
    scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
    uint8_t *synthetic = NULL;
    size_t times[1000] = {0}, wrong = 0;

    CHECK(scarce_resample(&r, &synthetic, &info, t, "random-over:ratio=0.5", ctx, NULL) == SCARCE_OK);
    if (!r) return;
    const float *v = scarce_table_numbers(r, 0);
    CHECK(scarce_table_rows(r) == 990 + 495 && scarce_table_positives(r) == 495);
    CHECK_NEAR(info.odds_factor, 49.5, 1e-9);
    CHECK(info.factor_holds == 1);
    for (size_t i = 0; i < 1000; ++i) wrong += v[i] != (float)i || synthetic[i];
    for (size_t i = 1000; i < 1485; ++i) {
        wrong += !synthetic[i] || (int)v[i] % 100 != 0;
        ++times[(size_t)v[i]];
    }
    CHECK(wrong == 0);
    for (size_t i = 0; i < 1000; i += 100) CHECK(times[i] > 20 && times[i] < 85); /* 48.5 +- 5 sigma */
    CHECK(scarce_resample(&again, NULL, NULL, t, "random-over:ratio=0.5", one, NULL) == SCARCE_OK);
    CHECK(again && memcmp(scarce_table_numbers(again, 0), v, 1485 * sizeof *v) == 0);
    scarce_table_free(again);
    scarce_table_free(r);
    scarce_resample_flags_free(synthetic);

    CHECK(scarce_resample(&r, NULL, &info, t, "random-over:ratio=0.001", ctx, NULL) == SCARCE_OK);
    CHECK(scarce_table_rows(r) == 1000 && info.odds_factor == 1);
    scarce_table_free(r);
    scarce_table_free(t);
    scarce_context_free(ctx);
    scarce_context_free(one);
}

static void test_refuses(void)
{
    const float values[4] = {0};
    const uint8_t ones[4] = {1, 1, 1, 1};
    scarce_table *t = make_table(100, 10), *bare = NULL, *positive = NULL, *r = t;
    uint8_t *flags = (uint8_t *)1;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_table_from_floats(&bare, values, 4, 1, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_from_floats(&positive, values, 4, 1, NULL, ones, NULL) == SCARCE_OK);
    CHECK(scarce_resample(&r, &flags, NULL, t, "random-undr", NULL, &err) == SCARCE_EINVAL && !r && !flags);
    CHECK_TEXT(err.text, "no resampling method \"random-undr\", did you mean \"random-under\"?");
    CHECK(scarce_resample(&r, NULL, NULL, t, "random-under:rato=1", NULL, &err) == SCARCE_EINVAL && !r);
    CHECK(strstr(err.text, "\"ratio\"") != NULL);
    CHECK(scarce_resample(&r, NULL, NULL, t, "random-under:ratio=0", NULL, &err) == SCARCE_EINVAL && !r);
    CHECK(scarce_resample(&r, NULL, NULL, t, "random-over:ratio=1e9", NULL, &err) == SCARCE_EINVAL && !r);
    CHECK(strstr(err.text, "more than a table holds") != NULL);
    CHECK(scarce_resample(&r, NULL, NULL, bare, "random-over", NULL, &err) == SCARCE_EDATA && !r);
    CHECK(scarce_resample(&r, NULL, NULL, positive, "random-over", NULL, &err) == SCARCE_EDATA && !r);
    scarce_table_free(t);
    scarce_table_free(bare);
    scarce_table_free(positive);
}

static void test_lists_methods(void)
{
    CHECK(scarce_resample_count() >= 2);
    CHECK(scarce_resample_find("nothing") == SIZE_MAX);
    for (size_t i = 0; i < scarce_resample_count(); ++i) {
        const scarce_resample_method m = scarce_resample_get(i);
        CHECK(m.name && m.summary && scarce_resample_find(m.name) == i);
        for (size_t p = 0; p < m.n_params; ++p) CHECK(scarce_resample_param(i, p).help != NULL);
        CHECK(scarce_resample_param(i, m.n_params).name == NULL);
    }
    const size_t under = scarce_resample_find("random-under");
    CHECK_TEXT(scarce_resample_param(under, 0).name, "ratio");
    CHECK_TEXT(scarce_resample_param(under, 1).type, "true|false");
    CHECK(scarce_resample_get(SIZE_MAX).name == NULL);
}

/* In place as into a new table: dense, categories, sparse, every role; borrowed columns stay the caller's. */
static void test_take(void)
{
    static const char *const specs[] = {"random-under:ratio=0.5", "random-under:ratio=1:replacement=true",
                                        "random-over:ratio=0.7", "random-under:ratio=0.0001"};
    static const char csv[] = "t,g,amount,x,c,label,w\n";
    static const char svm[] = "1 1:0.5 3:2\n0 2:1\n0 1:4 2:3\n0 3:1\n1 1:7\n0 2:5\n0 1:1 2:1 3:1\n0 3:9\n";
    char text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", csv);
    for (int i = 0; i < 120; ++i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,g%d,%d.5,%s,%c,%d,%d\n", i, i % 7, i,
                              i % 11 ? "1" : "", 'a' + i % 3, i % 9 == 0, 1 + i % 4);
    for (int sparse = 0; sparse < 2; ++sparse)
        for (size_t s = 0; s < sizeof specs / sizeof *specs; ++s)
            for (int borrowed = 0; borrowed < 2; ++borrowed) {
                scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
                scarce_view_options all = SCARCE_VIEW_OPTIONS_INIT;
                scarce_resample_info one = SCARCE_RESAMPLE_INFO_INIT, two = SCARCE_RESAMPLE_INFO_INIT;
                scarce_context *ctx = make_context(5, 2);
                scarce_table *t = NULL, *view = NULL, *fresh = NULL;
                uint8_t *flags = NULL, *more = NULL;
                scarce_error err = SCARCE_ERROR_INIT;
                ro.format = sparse ? SCARCE_FORMAT_LIBSVM : SCARCE_FORMAT_CSV;
                if (!sparse) ro.time = "t", ro.group = "g", ro.amount = "amount", ro.weight = "w";
                CHECK(scarce_table_read_bytes(&t, sparse ? svm : text, sparse ? sizeof svm - 1 : n, "t", &ro,
                                              ctx, &err) == SCARCE_OK);
                const uint64_t before = scarce_table_fingerprint(t);
                CHECK(scarce_resample(&fresh, &flags, &one, t, specs[s], ctx, &err) == SCARCE_OK);
                CHECK(scarce_table_fingerprint(t) == before);
                if (borrowed) CHECK(scarce_table_view(&view, t, &all, &err) == SCARCE_OK);
                else view = t, t = NULL;
                CHECK(scarce_resample_take(&view, &more, &two, specs[s], ctx, &err) == SCARCE_OK);
                CHECK(scarce_table_rows(view) == scarce_table_rows(fresh) &&
                      scarce_table_fingerprint(view) == scarce_table_fingerprint(fresh));
                CHECK(memcmp(flags, more, scarce_table_rows(fresh)) == 0);
                CHECK(one.odds_factor == two.odds_factor && one.factor_holds == two.factor_holds);
                if (t) CHECK(scarce_table_fingerprint(t) == before);
                CHECK(scarce_resample_take(&view, NULL, NULL, "random-undr", ctx, &err) == SCARCE_EINVAL &&
                      view);
                scarce_table_free(view);
                scarce_table_free(t);
                scarce_table_free(fresh);
                scarce_resample_flags_free(flags);
                scarce_resample_flags_free(more);
                scarce_context_free(ctx);
            }
}

static const test_case tests[] = {
    {"take", test_take},
    {"under", test_under},
    {"under_is_uniform", test_under_is_uniform},
    {"under_with_replacement", test_under_with_replacement},
    {"over", test_over},
    {"refuses", test_refuses},
    {"lists_methods", test_lists_methods},
};
TEST_MAIN(tests)
