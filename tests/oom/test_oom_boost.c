/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of binning and boosting fails once, on a table with all kinds of columns, with bags, a
 * pool, validation rows and a run that is taken up: ENOMEM, an empty forest, nothing leaked. */
#include "example/loss_discrete.c"
#include "example/sampler_copies.c"

#include "boost/boost.h"
#include "data/table.h"
#include "eval/ap.h"
#include "eval/watch.h"
#include "method/watcher.h"
#include "oom/walk.h"
#include "unit/tree_data.h"

#ifdef SCARCE_FAULTS

static scarce_table *table, *other;
static scarce__forest begun;
static scarce__sampling_kind kind;
static const scarce__sampler *sampler;
static int variant, with_state;

/* Average precision with weights allocates each time: when that fails the training ends, it doesn't go on as
 * if the metric were undefined. */
static scarce_status metric(void *payload, const float *score, double *value, scarce_error *err)
{
    (void)payload;
    return scarce__ap_fast_f32(value, score, other->label, NULL, other->n_rows, NULL, err);
}

static scarce_status train(scarce_error *err)
{
    const scarce__boost_data data = {.table = table}, valid = {.table = other};
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__forest f;
    scarce__boost_options_init(&o);
    o.n_trees = 4;
    o.grow.max_leaves = 70; /* the list of leaves grows */
    o.grow.rules.min_child_weight = 0;
    o.sampling.kind = kind;
    o.sampling.sampler = sampler;
    if (with_state) {
        const scarce__loss_params params = {.scale = 300};
        o.loss = scarce__loss_kind_discrete.make(&params);
    }
    o.sampling.per_positive = 0.5;
    o.sampling.pool_again = 2;
    o.sampling.pool = 4;
    o.sampling.pool_least = 0;
    o.sampling.keep = 1;
    o.metric = metric;
    if (variant) {
        o.grow.histogram_double = 1;
        o.grow.rules.min_child_rows = 2;
        o.grow.colsample_node = 0.5;
        o.resume = &begun;
    }
    const scarce_status st = scarce__boost_train(&f, &data, &valid, &o, &result, NULL, err);
    CHECK(st == SCARCE_OK ? f.n_trees == 4 : f.n_trees == 0 && f.nodes == NULL);
    scarce__forest_deinit(&f);
    return st;
}

static void test_training(void)
{
    table = data_table(300, 5, NULL, 2);
    other = data_table(50, 6, NULL, 2);
    const scarce__boost_data data = {.table = table};
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__boost_options_init(&o);
    o.n_trees = 2;
    CHECK(scarce__boost_train(&begun, &data, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    for (variant = 0; variant < 2; ++variant) {
        kind = SCARCE__ROWS_ALL;
        oom_walk("all rows", train);
        kind = SCARCE__ROWS_STRATIFIED;
        oom_walk("stratified bags", train);
        kind = SCARCE__ROWS_GOSS;
        oom_walk("goss", train);
        kind = SCARCE__ROWS_MVS;
        oom_walk("minimal variance sampling", train);
        kind = SCARCE__ROWS_IMPORTANCE;
        oom_walk("importance sampling", train);
        kind = SCARCE__ROWS_BOOTSTRAP_BALANCED;
        oom_walk("bootstrap", train);
        sampler = &scarce__sampler_copies;
        oom_walk("rows made up", train);
        with_state = 1;
        oom_walk("rows made up, state of rows", train);
        with_state = 0;
        sampler = NULL;
    }
    scarce__forest_deinit(&begun);
    scarce_table_free(table);
    scarce_table_free(other);
}

/* ---- Metrics asked after every tree */

enum { WATCHED = 400 };
static uint8_t label[WATCHED];
static double seconds[WATCHED];
static int32_t group[WATCHED];
static const char *watched;

static scarce_status watch(scarce_error *err)
{
    static const float score[WATCHED];
    const scarce_scored rows = {WATCHED, NULL, label, NULL, NULL, seconds, NULL, group};
    scarce__watch *w = NULL;
    scarce_status st = scarce__watch_new(&w, scarce_metric_find(watched), &rows, NULL, err);
    CHECK((st == SCARCE_OK) == (w != NULL));
    double value = 0;
    if (st == SCARCE_OK) st = scarce__watch_value(&value, w, score, NULL, err);
    CHECK(st != SCARCE_OK || value > 0);
    scarce__watch_free(w);
    return st;
}

static void test_watching(void)
{
    static const char *const names[] = {"ap", "precision_at_k", "card_precision_at_k"};
    for (size_t i = 0; i < WATCHED; ++i) {
        label[i] = i % 40 == 3;
        seconds[i] = 86400.0 * (double)(i / 100);
        group[i] = (int32_t)(i % 60);
    }
    for (size_t k = 0; k < 3; ++k) {
        watched = names[k];
        oom_walk(names[k], watch);
    }
}

/* A metric that had no memory says so, and isn't taken for undefined: it decides which trees are kept. */
static void test_watcher(void)
{
    static const char *const names[] = {"ap", "auc", "f1_best"};
    table = data_table(60, 5, NULL, 2);
    for (size_t i = 0; i < table->n_rows; ++i) table->label[i] = i % 3 == 0;
    for (size_t k = 0; k < 3; ++k) {
        static const float score[60];
        scarce_train_options options = SCARCE_TRAIN_OPTIONS_INIT;
        scarce__boost_options o;
        scarce__watcher w;
        scarce_error err = SCARCE_ERROR_INIT;
        double value = 0;
        options.metric = names[k];
        const scarce__job job = {.table = table, .valid = table, .options = &options};
        memset(&w, 0, sizeof w);
        scarce__boost_options_init(&o);
        CHECK(scarce__watcher_start(&w, &o, &job, NULL) == SCARCE_OK);
        scarce__alloc_fail_from(1);
        CHECK(o.metric(o.metric_payload, score, &value, &err) == SCARCE_ENOMEM);
        CHECK(err.code == SCARCE_ENOMEM);
        scarce__alloc_fail_from(0);
        CHECK(o.metric(o.metric_payload, score, &value, &err) == SCARCE_OK && value > 0);
        scarce__watcher_stop(&w);
    }
    scarce_table_free(table);
}

/* A value of a loss that wants memory and gets none is computed slowly. */
static void test_loss_value(void)
{
    scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, 9);
    float score[90];
    uint8_t y[90];
    const scarce__loss_rows rows = {.n = 90, .score = score, .label = y};
    const scarce__loss loss = scarce__loss_lambdamart(0);
    for (size_t i = 0; i < 90; ++i) {
        score[i] = (float)scarce__random_below(&r, 30); /* ties */
        y[i] = scarce__random_below(&r, 5) == 0;
    }
    const double want = loss.value(&loss, &rows);
    scarce__alloc_fail_from(1);
    const double got = loss.value(&loss, &rows);
    scarce__alloc_fail_from(0);
    CHECK(want > 0 && want < 1);
    CHECK_NEAR(got, want, 1e-12);
    memset(y, 0, sizeof y);
    scarce__alloc_fail_from(1);
    CHECK(isnan(loss.value(&loss, &rows)));
    scarce__alloc_fail_from(0);
}

static const test_case tests[] = {{"training", test_training},
                                  {"watching", test_watching},
                                  {"watcher", test_watcher},
                                  {"loss_value", test_loss_value}};
TEST_MAIN(tests)
#else
int main(void)
{
    return 0;
}
#endif
