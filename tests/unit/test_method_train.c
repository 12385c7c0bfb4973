/* SPDX-License-Identifier: Apache-2.0 */
/* scarce_train from end to end: same bits for any threads, probabilities that stay right after class weights
 * and resampling, thresholds, calibration, interruption and resume. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <scarce/scarce.h>

#include "core/random.h"
#include "test.h"

enum { ROWS = 6000, COLUMNS = 6 };

/* Logit = -3.5 + 2 x0 + x1 x2 - x3; x4 has missing values, x5 is constant. About 8 % positives. */
static scarce_table *make_table(uint64_t seed)
{
    static float x[ROWS * COLUMNS];
    static uint8_t y[ROWS];
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 0);
    scarce_table *table = NULL;
    for (size_t i = 0; i < ROWS; ++i) {
        float *row = x + i * COLUMNS;
        for (int k = 0; k < 5; ++k) row[k] = (float)scarce__random_normal(&r);
        if (scarce__random_unit(&r) < 0.1) row[4] = NAN;
        row[5] = 7;
        const double z = -3.5 + 2 * (double)row[0] + (double)(row[1] * row[2]) - (double)row[3];
        y[i] = scarce__random_unit(&r) < 1 / (1 + exp(-z));
    }
    CHECK(scarce_table_from_floats(&table, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    return table;
}

static scarce_context *make_context(int threads, scarce_progress_fn progress, void *payload)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    o.progress = progress;
    o.payload = payload;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static scarce_params *make_params(const char *method, const char *settings)
{
    scarce_params *p = NULL;
    CHECK(scarce_params_new(&p, method, NULL) == SCARCE_OK);
    CHECK(scarce_params_set_list(p, settings, ' ', NULL) == SCARCE_OK);
    return p;
}

static scarce_model *train(const char *method, const char *settings, const scarce_table *table,
                           const scarce_train_options *options, scarce_context *ctx)
{
    scarce_params *p = make_params(method, settings);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    if (scarce_train(&model, table, p, options, NULL, ctx, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    scarce_params_free(p);
    return model;
}

static int same_bytes(const scarce_model *a, const scarce_model *b)
{
    void *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    int same;
    CHECK(scarce_model_bytes(&x, &n, a, NULL) == SCARCE_OK &&
          scarce_model_bytes(&y, &m, b, NULL) == SCARCE_OK);
    same = n == m && memcmp(x, y, n) == 0;
    scarce_bytes_free(x);
    scarce_bytes_free(y);
    return same;
}

static const struct {
    const char *method, *settings;
} variants[] = {
    {"logistic", ""},
    {"linear-svm", "c=0.1"},
    {"gb", "n_trees=20"},
    {"gb", "n_trees=12 subsample=0.5 colsample=0.5"},
    {"gb", "n_trees=12 sample=goss"},
    {"gb", "n_trees=12 sample=balanced"},
    {"gb", "n_trees=12 sample=importance neg_per_pos=2"},
    {"gb", "n_trees=12 splits=random growth=level max_depth=4"},
    {"gb", "n_trees=12 histogram=double loss=exponential"},
};

static void test_same_bits_for_any_threads(void)
{
    scarce_table *table = make_table(1);
    static const int threads[] = {1, 2, 3, 8};
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; ++v) {
        scarce_model *first = NULL;
        for (int t = 0; t < 4; ++t) {
            scarce_context *ctx = make_context(threads[t], NULL, NULL);
            scarce_model *m = train(variants[v].method, variants[v].settings, table, NULL, ctx);
            CHECK(m != NULL);
            if (first && m) CHECK(same_bytes(first, m));
            if (!first) first = m;
            else scarce_model_free(m);
            scarce_context_free(ctx);
        }
        scarce_model_free(first);
    }
    scarce_table_free(table);
}

/* Mean probability minus share of positives on other rows. */
static double bias_of(const scarce_model *model, const scarce_table *table)
{
    const size_t n = scarce_table_rows(table);
    double *score = malloc(n * sizeof *score), *p = malloc(n * sizeof *p), sum = 0;
    scarce_scorer *scorer = NULL;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, table, score, p, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) sum += p[i];
    scarce_scorer_free(scorer);
    free(score);
    free(p);
    return sum / (double)n - (double)scarce_table_positives(table) / (double)n;
}

static void test_probabilities_stay_right(void)
{
    scarce_table *table = make_table(1), *other = make_table(2), *under = NULL;
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
    static const char *const methods[][2] = {{"logistic", ""}, {"gb", "n_trees=60 max_leaves=8"}};

    CHECK(scarce_resample(&under, NULL, &info, table, "random-under:ratio=1", NULL, NULL) == SCARCE_OK);
    for (int k = 0; k < 2; ++k) {
        char weighted[64];
        scarce_model *plain = train(methods[k][0], methods[k][1], table, NULL, NULL), *m;
        CHECK_NEAR(bias_of(plain, other), 0, 0.01);
        scarce_model_free(plain);

        snprintf(weighted, sizeof weighted, "%s%spos_weight=10", methods[k][1], *methods[k][1] ? " " : "");
        m = train(methods[k][0], weighted, table, NULL, NULL);
        CHECK_NEAR(bias_of(m, other), 0, 0.015);
        scarce_model_free(m);

        o.odds_factor = info.odds_factor;
        m = train(methods[k][0], methods[k][1], under, &o, NULL);
        CHECK_NEAR(bias_of(m, other), 0, 0.015);
        scarce_model_free(m);

        o.odds_factor = 1; /* not told of the resampling, it must be far off: the correction is not a no-op */
        m = train(methods[k][0], methods[k][1], under, &o, NULL);
        CHECK(bias_of(m, other) > 0.08);
        scarce_model_free(m);

        o.odds_factor = (double)NAN; /* synthetic rows: no probability rather than a wrong one */
        m = train(methods[k][0], methods[k][1], under, &o, NULL);
        CHECK(m && !scarce_model_has_probability(m));
        scarce_model_free(m);
    }
    scarce_table_free(under);
    scarce_table_free(other);
    scarce_table_free(table);
}

static void test_calibration_needs_and_uses_validation(void)
{
    scarce_table *table = make_table(1), *valid = make_table(3), *other = make_table(2);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_params *p = make_params("linear-svm", "");
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *m = NULL;
    static const char *const ways[] = {"platt", "isotonic", "beta"};

    o.calibrate = "platt";
    CHECK(scarce_train(&m, table, p, &o, NULL, NULL, &err) == SCARCE_EINVAL && m == NULL);
    CHECK(strstr(err.text, "validation") != NULL);
    o.calibrate = "prior"; /* an SVM has no odds to correct */
    CHECK(scarce_train(&m, table, p, &o, NULL, NULL, &err) == SCARCE_EINVAL);
    o.valid = valid;
    for (int k = 0; k < 3; ++k) {
        o.calibrate = ways[k];
        CHECK(scarce_train(&m, table, p, &o, NULL, NULL, &err) == SCARCE_OK);
        CHECK(scarce_model_has_probability(m));
        CHECK_NEAR(bias_of(m, other), 0, 0.012);
        scarce_model_free(m);
    }
    scarce_params_free(p);
    scarce_table_free(table);
    scarce_table_free(valid);
    scarce_table_free(other);
}

static size_t count_alerts(const scarce_model *model, const scarce_table *table)
{
    const size_t n = scarce_table_rows(table);
    double *score = malloc(n * sizeof *score);
    scarce_scorer *scorer = NULL;
    size_t alerts = 0;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, table, score, NULL, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i)
        alerts += (size_t)scarce_scorer_alert(scorer, score[i], scarce_scorer_probability(scorer, score[i]),
                                              (double)NAN);
    scarce_scorer_free(scorer);
    free(score);
    return alerts;
}

static void test_thresholds(void)
{
    scarce_table *table = make_table(1), *valid = make_table(3);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_model *m = train("logistic", "", table, &o, NULL);

    CHECK(count_alerts(m, table) == scarce_table_positives(table)); /* no validation: as many as positives */
    scarce_model_free(m);
    o.valid = valid;
    o.threshold = "budget:50";
    m = train("logistic", "", table, &o, NULL);
    CHECK(count_alerts(m, valid) == 50);
    scarce_model_free(m);
    o.threshold = "value:0.25";
    m = train("logistic", "", table, &o, NULL);
    CHECK(scarce_model_threshold(m) == 0.25);
    scarce_model_free(m);
    scarce_table_free(table);
    scarce_table_free(valid);
}

static int stop_at_tree(void *payload, const scarce_progress *p)
{
    return strcmp(p->stage, "train") == 0 && p->done >= *(const double *)payload;
}

static void resume_equals_uninterrupted(const char *settings, const scarce_table *valid, int early_stop)
{
    scarce_table *table = make_table(1);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_params *p = make_params("gb", settings);
    scarce_model *whole = NULL, *part = NULL, *rest = NULL;
    double stop = 9;
    scarce_context *quiet = make_context(2, NULL, NULL), *stopping = make_context(2, stop_at_tree, &stop);

    o.valid = valid;
    o.early_stop = early_stop;
    CHECK(scarce_train(&whole, table, p, &o, NULL, quiet, NULL) == SCARCE_OK);
    CHECK(scarce_train(&part, table, p, &o, &summary, stopping, NULL) == SCARCE_OK);
    CHECK(summary.cancelled && summary.iterations >= 8 && summary.iterations < 20);
    o.resume = part;
    CHECK(scarce_train(&rest, table, p, &o, &summary, quiet, NULL) == SCARCE_OK);
    CHECK(!summary.cancelled);
    CHECK((summary.n_curve > 0) == (valid != NULL || early_stop > 0));
    scarce_train_summary_deinit(&summary);
    CHECK(whole && rest && same_bytes(whole, rest));
    scarce_model_free(whole);
    scarce_model_free(part);
    scarce_model_free(rest);
    scarce_params_free(p);
    scarce_context_free(quiet);
    scarce_context_free(stopping);
    scarce_table_free(table);
}

static int stop_soon(void *payload, const scarce_progress *p)
{
    (void)payload;
    return strcmp(p->stage, "train") == 0 && p->done >= 13;
}

/* What was saved on the way is as good as what an interruption leaves. */
static void test_checkpoints_on_the_way(void)
{
    scarce_table *table = make_table(1);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_params *p = make_params("gb", "n_trees=20");
    scarce_model *whole = NULL, *part = NULL, *rest = NULL, *ignored = NULL;
    scarce_context *ctx = make_context(2, stop_soon, NULL);
    char path[] = "/tmp/scarce_checkpoint_XXXXXX";
    const int fd = mkstemp(path);

    CHECK(fd >= 0);
    CHECK(scarce_train(&whole, table, p, &o, NULL, NULL, NULL) == SCARCE_OK);
    o.checkpoint = path;
    o.checkpoint_every = 5;
    CHECK(scarce_train(&ignored, table, p, &o, NULL, ctx, NULL) == SCARCE_OK);
    CHECK(scarce_model_load(&part, path, NULL) == SCARCE_OK);
    o.checkpoint = NULL;
    o.resume = part;
    CHECK(scarce_train(&rest, table, p, &o, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(whole && rest && same_bytes(whole, rest));
    CHECK(close(fd) == 0 && remove(path) == 0);
    scarce_model_free(whole);
    scarce_model_free(part);
    scarce_model_free(rest);
    scarce_model_free(ignored);
    scarce_params_free(p);
    scarce_context_free(ctx);
    scarce_table_free(table);
}

static void test_resume(void)
{
    scarce_table *valid = make_table(3);
    resume_equals_uninterrupted("n_trees=25", NULL, 0);
    resume_equals_uninterrupted("n_trees=25 subsample=0.4 colsample=0.5", NULL, 0);
    resume_equals_uninterrupted("n_trees=25 sample=importance neg_per_pos=2", NULL, 0);
    resume_equals_uninterrupted("n_trees=200 learning_rate=0.3", valid, 5);
    scarce_table_free(valid);
}

/* A checkpoint goes on with the same training only: what differs is named (B1, B2). */
static void test_resume_is_checked(void)
{
    static const struct {
        const char *spec, *settings;
        int seed, row;
        const char *says;
    } cases[] = {
        {"ap-lb", "n_trees=12", 1, -1, NULL},
        {"ap-lb", "n_trees=15", 1, -1, NULL}, /* more stages of the same model */
        {"gb", "n_trees=12", 1, -1, "of method ap-lb, not gb"},
        {"ap-lb", "n_trees=12", 2, -1, "with the seed 1, not 2"},
        {"ap-lb", "n_trees=12 max_leaves=5", 1, -1, "max_leaves=auto, and now it is 5"},
        {"ap-lb", "n_trees=12 lambda=2", 1, -1, "lambda=1, and now it is 2"},
        {"random-under+ap-lb", "n_trees=12", 1, -1, "on all rows, not after random-under"},
        {"ap-lb", "n_trees=12", 1, 7, "other rows"},
    };
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_table *table = make_table(1);
    double stop = 5;
    scarce_context *stopping = make_context(2, stop_at_tree, &stop);
    scarce_params *p = make_params("ap-lb", "n_trees=12");
    scarce_model *part = NULL;

    CHECK(scarce_train(&part, table, p, &o, &summary, stopping, NULL) == SCARCE_OK && summary.cancelled);
    o.resume = part;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_context *ctx = NULL;
        scarce_params *now = NULL;
        scarce_model *m = NULL;
        float *number = (float *)(uintptr_t)scarce_table_numbers(table, 0);
        const float kept = number[7];
        co.seed = (uint64_t)cases[i].seed;
        CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
        CHECK(scarce_params_of_spec(&now, cases[i].spec, NULL) == SCARCE_OK &&
              scarce_params_set_list(now, cases[i].settings, ' ', NULL) == SCARCE_OK);
        if (cases[i].row >= 0) number[cases[i].row] += 1;
        const scarce_status st = scarce_train(&m, table, now, &o, NULL, ctx, &err);
        CHECK(st == (cases[i].says ? SCARCE_EINVAL : SCARCE_OK));
        if (cases[i].says && !strstr(err.text, cases[i].says)) {
            fprintf(stderr, "\"%s\" does not say \"%s\"\n", err.text, cases[i].says);
            CHECK(0);
        }
        number[7] = kept;
        scarce_model_free(m);
        scarce_params_free(now);
        scarce_context_free(ctx);
    }
    scarce_train_summary_deinit(&summary);
    scarce_model_free(part);
    scarce_params_free(p);
    scarce_context_free(stopping);
    scarce_table_free(table);
}

/* What "auto" came to be is noted, and who decided. */
static void test_notes(void)
{
    scarce_table *table = make_table(1);
    scarce_model *m = train("gb", "n_trees=30 subsample=0.5", table, NULL, NULL);
    CHECK_TEXT(scarce_model_note(m, "param.learning_rate"), "0.1");
    CHECK_TEXT(scarce_model_note(m, "param.max_leaves"), "31");
    CHECK(strcmp(scarce_model_note(m, "param.sample"), "uniform") == 0 ||
          strcmp(scarce_model_note(m, "param.sample"), "stratified") == 0);
    CHECK_TEXT(scarce_model_note(m, "set"), "n_trees subsample");
    CHECK(strstr(scarce_model_note(m, "auto"), "learning_rate") &&
          !strstr(scarce_model_note(m, "auto"), "n_trees"));
    CHECK(!scarce_model_note(m, "param.beta")); /* says nothing with this loss */
    scarce_model_free(m);
    scarce_table_free(table);
}

/* A method that combines what exists is its line in the table: the same trees as gb told all of it by hand. */
static void test_st_grboost(void)
{
    scarce_table *table = make_table(1);
    scarce_model *line = train("st-grboost", "n_trees=30", table, NULL, NULL),
                 *hand =
                     train("gb",
                           "n_trees=30 loss_gamma=2 sample=uniform draw=coin subsample=0.5 learning_rate=0.1 "
                           "max_depth=1 min_child_weight=1 lambda=1e-16 max_delta_step=1 splits=best",
                           table, NULL, NULL);
    scarce_scorer *a = NULL, *b = NULL;
    double *x = calloc(scarce_table_rows(table), sizeof *x), *y = calloc(scarce_table_rows(table), sizeof *y),
           *p = calloc(scarce_table_rows(table), sizeof *p);
    CHECK(line && hand && scarce_model_has_probability(line));
    CHECK(scarce_scorer_new(&a, line, NULL) == SCARCE_OK && scarce_scorer_new(&b, hand, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(a, table, x, p, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(b, table, y, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(memcmp(x, y, scarce_table_rows(table) * sizeof *x) == 0);
    for (size_t i = 0; i < scarce_table_rows(table); ++i) CHECK_NEAR(p[i], 1 / (1 + exp(-2 * x[i])), 1e-12);
    scarce_scorer_free(a);
    scarce_scorer_free(b);
    scarce_model_free(line);
    scarce_model_free(hand);
    free(x);
    free(y);
    free(p);
    scarce_table_free(table);
}

/* Probabilities for another share of positives: the odds are multiplied, scores stay; resampling is undone. */
static void test_prevalence(void)
{
    scarce_table *table = make_table(1);
    const double share = (double)scarce_table_positives(table) / (double)scarce_table_rows(table);
    scarce_model *plain = train("logistic", "", table, NULL, NULL), *under = NULL,
                 *svm = train("linear-svm", "", table, NULL, NULL);
    scarce_params *p = NULL;
    scarce_scorer *s = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    CHECK(scarce_params_of_spec(&p, "random-under:ratio=0.9+logistic", NULL) == SCARCE_OK);
    CHECK(scarce_train(&under, table, p, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(scarce_model_prevalence(plain), share, 1e-12);
    CHECK_NEAR(scarce_model_prevalence(under), share, 1e-12);
    CHECK(isnan(scarce_model_prevalence(svm)));
    CHECK(scarce_scorer_new(&s, plain, NULL) == SCARCE_OK);
    const double before = scarce_scorer_probability(s, 0.3), odds = share / (1 - share);
    CHECK(scarce_scorer_set_prevalence(s, 0.01, &err) == SCARCE_OK);
    const double after = scarce_scorer_probability(s, 0.3);
    CHECK_NEAR(after / (1 - after), before / (1 - before) * (0.01 / 0.99) / odds, 1e-12);
    double *score = calloc(2 * scarce_table_rows(table), sizeof *score),
           *q = score + scarce_table_rows(table);
    CHECK(scarce_scorer_table(s, table, score, q, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < scarce_table_rows(table); ++i)
        CHECK(q[i] == scarce_scorer_probability(s, score[i]));
    CHECK(scarce_scorer_set_prevalence(s, 1, &err) == SCARCE_EINVAL);
    scarce_scorer_free(s);
    CHECK(scarce_scorer_new(&s, svm, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_set_prevalence(s, 0.1, &err) == SCARCE_EUNSUPPORTED);
    scarce_scorer_free(s);
    free(score);
    scarce_model_free(plain);
    scarce_model_free(under);
    scarce_model_free(svm);
    scarce_params_free(p);
    scarce_table_free(table);
}

/* Without validation rows the loss outside the bags stops the training before it overfits. */
static void test_out_of_bag_stop(void)
{
    scarce_table *table = make_table(1);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_params *p = make_params("gb", "n_trees=1000 subsample=0.5 learning_rate=0.2"),
                  *all = make_params("gb", "n_trees=20");
    scarce_model *m = NULL, *again = NULL;
    scarce_context *ctx = make_context(3, NULL, NULL);

    o.early_stop = 15;
    CHECK(scarce_train(&m, table, p, &o, &summary, NULL, NULL) == SCARCE_OK);
    CHECK(summary.best_iteration > 5 && summary.best_iteration < 300);
    CHECK(summary.iterations == summary.best_iteration + 15);
    CHECK(scarce_train(&again, table, p, &o, &summary, ctx, NULL) == SCARCE_OK && same_bytes(m, again));
    scarce_model_free(m);
    scarce_model_free(again);
    CHECK(scarce_train(&m, table, all, &o, &summary, NULL, NULL) == SCARCE_EINVAL); /* no row is left out */
    scarce_train_summary_deinit(&summary);
    scarce_params_free(p);
    scarce_params_free(all);
    scarce_context_free(ctx);
    scarce_table_free(table);
}

static const test_case tests[] = {
    {"out_of_bag_stop", test_out_of_bag_stop},
    {"resume_is_checked", test_resume_is_checked},
    {"notes", test_notes},
    {"prevalence", test_prevalence},
    {"st_grboost", test_st_grboost},
    {"same_bits_for_any_threads", test_same_bits_for_any_threads},
    {"probabilities_stay_right", test_probabilities_stay_right},
    {"calibration_needs_and_uses_validation", test_calibration_needs_and_uses_validation},
    {"thresholds", test_thresholds},
    {"resume", test_resume},
    {"checkpoints_on_the_way", test_checkpoints_on_the_way},
};
TEST_MAIN(tests)
