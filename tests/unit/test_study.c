/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols, comparisons and tuning: the folds are what they say, results don't depend on threads, an
 * interrupted comparison goes on from its file, tuning finds a planted optimum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <scarce/study.h>

#include "core/random.h"
#include "data/table.h"
#include "study/protocol.h"
#include "test.h"

enum { ROWS = 1200, DAY = 86400 };

/* 60 days, 20 rows a day; the label follows x0. */
static scarce_table *make_table(int with_time, int with_group)
{
    static float x[ROWS * 2];
    static uint8_t y[ROWS];
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 0);
    scarce_table *t = NULL;
    for (int i = 0; i < ROWS; ++i) {
        x[2 * i] = (float)scarce__random_normal(&r);
        x[2 * i + 1] = (float)scarce__random_normal(&r);
        y[i] = scarce__random_unit(&r) < 1 / (1 + exp(2.5 - 2 * (double)x[2 * i]));
    }
    CHECK(scarce_table_from_floats(&t, x, ROWS, 2, NULL, y, NULL) == SCARCE_OK);
    if (with_time) {
        t->time = malloc(ROWS * sizeof(double));
        for (int i = 0; i < ROWS; ++i) t->time[i] = 1.5e9 + (double)i * DAY / 20;
    }
    if (with_group) {
        t->group = malloc(ROWS * sizeof(int32_t));
        for (int i = 0; i < ROWS; ++i) t->group[i] = i % 150;
        for (int g = 0; g < 150; ++g) {
            char name[8];
            snprintf(name, sizeof name, "g%d", g);
            CHECK(scarce__dictionary_add(&t->groups, name, strlen(name)) == (size_t)g);
        }
    }
    return t;
}

static scarce__folds folds_of(const scarce_table *t, const char *protocol, size_t repeats, int purge)
{
    scarce__folds f;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce__folds_make(&f, t, protocol, repeats, purge, NULL, &err) != SCARCE_OK) {
        fprintf(stderr, "%s: %s\n", protocol, err.text);
        ++test_failures;
    }
    return f;
}

static void test_random_protocols(void)
{
    scarce_table *t = make_table(0, 0);
    scarce__folds f = folds_of(t, "cv:4", 3, 0);
    uint8_t seen[ROWS] = {0};
    CHECK(f.count == 12);
    for (int k = 0; k < 4; ++k) /* the folds of a repeat test every row once */
        for (size_t i = 0; i < f.items[k].n_test; ++i) seen[f.items[k].test[i]] += 1;
    for (int i = 0; i < ROWS; ++i) CHECK(seen[i] == 1);
    scarce__folds_deinit(&f);
    f = folds_of(t, "holdout:0.25", 5, 0);
    CHECK(f.count == 5 && f.items[0].n_test == ROWS / 4);
    CHECK(memcmp(f.items[0].test, f.items[1].test, 50 * sizeof(uint32_t)) != 0);
    scarce__folds_deinit(&f);
    scarce_table_free(t);
}

static void test_temporal_protocol(void)
{
    scarce_table *t = make_table(1, 1);
    scarce__folds f = folds_of(t, "temporal:train=20d,valid=5d,gap=7d,test=4d,step=8d", 1, 0);
    CHECK(f.count == 4); /* starts 0, 8, 16 and 24: 24 + 36 days = 60 */
    for (size_t k = 0; k < f.count; ++k) {
        const scarce__fold *a = &f.items[k];
        const double start = 1.5e9 + (double)k * 8 * DAY;
        CHECK(a->n_train == 400 && a->n_valid == 100 && a->n_test == 80);
        for (size_t i = 0; i < a->n_train; ++i)
            CHECK(t->time[a->train[i]] >= start && t->time[a->train[i]] < start + 20 * DAY);
        for (size_t i = 0; i < a->n_valid; ++i)
            CHECK(t->time[a->valid[i]] >= start + 20 * DAY && t->time[a->valid[i]] < start + 25 * DAY);
        for (size_t i = 0; i < a->n_test; ++i)
            CHECK(t->time[a->test[i]] >= start + 32 * DAY && t->time[a->test[i]] < start + 36 * DAY);
    }
    scarce__folds_deinit(&f);
    f = folds_of(t, "prequential:delay=7d,train=30d,test=2d", 1, 0);
    CHECK(f.count == 11); /* from day 37 on, two days each, while they last */
    for (size_t k = 0; k < f.count; ++k)
        CHECK(f.items[k].n_train == 600 + 40 * k && f.items[k].train[0] == 0);
    scarce__folds_deinit(&f);
    f = folds_of(t, "temporal:train=30d,gap=7d,test=7d", 1, 1);
    for (size_t i = 0; i < f.items[0].n_test; ++i) { /* no card with a fraud known before the gap */
        const int32_t g = t->group[f.items[0].test[i]];
        for (int j = 0; j < ROWS; ++j)
            if (t->group[j] == g && t->time[j] < 1.5e9 + 30 * DAY) CHECK(!t->label[j]);
    }
    scarce__folds_deinit(&f);
    scarce_table_free(t);
}

static void test_bad_protocols(void)
{
    static const char *const bad[] = {"",
                                      "cv:1",
                                      "cv:x",
                                      "holdout:2",
                                      "temporal:train=3d",
                                      "temporal:train=3x,test=1d",
                                      "temporal:foo=1",
                                      "prequential:train=3d",
                                      "walk",
                                      "temporal:train=1d,test=1d,step=0"};
    scarce_table *t = make_table(1, 0), *timeless = make_table(0, 0);
    scarce__folds f;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        CHECK(scarce__folds_make(&f, t, bad[i], 2, 0, NULL, NULL) == SCARCE_EINVAL);
    CHECK(scarce__folds_make(&f, timeless, "temporal:train=3d,test=1d", 1, 0, NULL, NULL) == SCARCE_EDATA);
    CHECK(scarce__folds_make(&f, t, "temporal:train=300d,test=100d", 1, 0, NULL, NULL) == SCARCE_EDATA);
    scarce_table_free(t);
    scarce_table_free(timeless);
}

static const char *const contestants[] = {"logistic", "gb:n_trees=10", "gb:n_trees=5:max_depth=2"};

static scarce_compare *compare(const scarce_table *t, int threads, const char *results, size_t tune)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_compare *c = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    co.threads = threads;
    o.repeats = 4;
    o.results = results;
    o.tune = tune;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    if (scarce_compare_run(&c, t, contestants, 3, &o, ctx, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    CHECK(c != NULL);
    scarce_context_free(ctx);
    return c;
}

static void check_same(const scarce_compare *a, const scarce_compare *b)
{
    for (size_t m = 0; m < 3; ++m)
        for (size_t f = 0; f < 4; ++f)
            for (size_t k = 0; k < scarce_metric_count(); ++k) {
                const double x = scarce_metric_value(scarce_compare_metrics(a, m, f), k),
                             y = scarce_metric_value(scarce_compare_metrics(b, m, f), k);
                CHECK(x == y || (isnan(x) && isnan(y)));
            }
}

static void test_compare_any_threads(void)
{
    scarce_table *t = make_table(0, 0);
    scarce_compare *one = compare(t, 1, NULL, 0), *three = compare(t, 3, NULL, 0);
    scarce_summary s;
    check_same(one, three);
    CHECK(scarce_compare_summary(&s, one, 0, scarce_metric_find("ap"), NULL, NULL) == SCARCE_OK);
    CHECK(s.n == 4 && s.undefined == 0 && s.lo <= s.mean && s.mean <= s.hi && s.mean > 0.3);
    scarce_compare_free(one);
    scarce_compare_free(three);
    one = compare(t, 1, NULL, 4);
    three = compare(t, 4, NULL, 4);
    check_same(one, three);
    scarce_compare_free(one);
    scarce_compare_free(three);
    scarce_table_free(t);
}

static void test_compare_goes_on(void)
{
    scarce_table *t = make_table(0, 0);
    char path[] = "/tmp/scarce_results_XXXXXX";
    const int fd = mkstemp(path);
    scarce_compare *first = compare(t, 2, path, 0), *again;
    FILE *file = fopen(path, "ab");
    CHECK(fd >= 0 && file != NULL);
    fputs("half a li", file); /* what an interruption may leave */
    fclose(file);
    again = compare(t, 2, path, 0);
    check_same(first, again);
    for (size_t m = 0; m < 3; ++m) /* taken from the file: the very same times */
        for (size_t f = 0; f < 4; ++f)
            CHECK(scarce_compare_seconds(first, m, f) == scarce_compare_seconds(again, m, f));
    scarce_compare_free(first);
    scarce_compare_free(again);
    CHECK(close(fd) == 0 && remove(path) == 0);
    scarce_table_free(t);
}

static void test_tune(void)
{
    scarce_table *t = make_table(0, 0);
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tuned tuned;
    scarce_params *p = NULL;
    o.trials = 12;
    CHECK(scarce_tune_run(&tuned, t, "gb", &o, NULL, NULL) == SCARCE_OK);
    CHECK(tuned.n_trials == 12);
    for (size_t i = 0; i < 12; ++i) CHECK(tuned.trials[tuned.best].value >= tuned.trials[i].value);
    CHECK_TEXT(tuned.trials[0].settings,
               ""); /* the default as it is; the others with the trees that were found */
    CHECK(strstr(tuned.trials[1].settings, "n_trees=") != NULL);
    CHECK(strstr(tuned.trials[3].settings, "focal_gamma") == NULL); /* belongs to another loss */
    CHECK(scarce_params_new(&p, "gb", NULL) == SCARCE_OK);
    for (size_t i = 0; i < 12; ++i) { /* every setting can be typed in again */
        scarce_params_free(p);
        CHECK(scarce_params_new(&p, "gb", NULL) == SCARCE_OK);
        CHECK(scarce_params_set_list(p, tuned.trials[i].settings, ' ', NULL) == SCARCE_OK);
    }
    scarce_params_free(p);
    scarce_tuned_deinit(&tuned);
    CHECK(scarce_tune_run(&tuned, t, "focal", &o, NULL, NULL) == SCARCE_OK);
    CHECK(strstr(tuned.trials[3].settings, "focal_gamma") != NULL);
    scarce_tuned_deinit(&tuned);
    o.metric = "rows";
    CHECK(scarce_tune_run(&tuned, t, "gb", &o, NULL, NULL) == SCARCE_EINVAL && tuned.trials == NULL);
    scarce_table_free(t);
}

static const test_case tests[] = {
    {"random_protocols", test_random_protocols}, {"temporal_protocol", test_temporal_protocol},
    {"bad_protocols", test_bad_protocols},       {"compare_any_threads", test_compare_any_threads},
    {"compare_goes_on", test_compare_goes_on},   {"tune", test_tune},
};
TEST_MAIN(tests)
