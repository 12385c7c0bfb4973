/* SPDX-License-Identifier: Apache-2.0 */
/* What is promised of every method, asked of whatever the table of methods lists:
 *
 *     the same bytes with 1, 2 and 4 threads
 *     saved and loaded, or written to memory and read: the same scores and bytes
 *     rows one by one = the table, of numbers, categories, missing values and sparse columns
 *     resumed from a checkpoint saved on the way, and from what an interruption leaves = never interrupted,
 *     byte for byte; also with validation rows and early stopping
 *     reasons sum to the score, or it is said why there are none
 *     shown as text and JSON, and as dot or told why not
 *     case weights of 1 = no weights, and others are not ignored
 *     a calibrator gives probabilities
 *
 * A method that learns in steps (method_tables.h knows their parameter) must be able to go on from a checkpoint;
 * others may (ensembles, member by member), or say that they can't. Out of memory: tests/oom/test_oom_methods.c. */
#include <unistd.h>

#include <scarce/scarce.h>

#include "unit/method_tables.h"

enum { ROWS = 700, MANY_ROWS = 10000, STAGES = 8 };

static table_kind current; /* of the table that for_each_method shows */

/* Sanitizers take ten times as long. That the bytes are the same with any number of threads the plain build tells; they see
 * every method learn with four. What runs on one thread has nothing to tell the thread sanitizer. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
enum { ONLY_THREADS = 1, SANITIZED = 1 };
#define KNOWS_SANITIZER
#elif __has_feature(address_sanitizer)
enum { ONLY_THREADS = 0, SANITIZED = 1 };
#define KNOWS_SANITIZER
#endif
#endif
#ifndef KNOWS_SANITIZER
enum { ONLY_THREADS = 0, SANITIZED = 0 };
#endif

/* ---- tools */

static scarce_context *context_of(int threads, scarce_progress_fn progress, void *payload)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    o.progress = progress;
    o.payload = payload;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

/* NULL, and a failure of the test, when it doesn't train. */
static scarce_model *train(size_t method, int stages, const scarce_table *table,
                           const scarce_train_options *options, scarce_train_summary *summary,
                           scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_status st;
    scarce_params *params = params_of(method, stages, &st, &err);
    if (!st) st = scarce_train(&model, table, params, options, summary, ctx, &err);
    if (st) fprintf(stderr, "training: %s\n", err.text);
    CHECK(st == SCARCE_OK && model != NULL);
    scarce_params_free(params);
    return model;
}

/* A model of few stages, trained once for all checks that only look at it; nobody frees it. */
static const scarce_model *trained(size_t method, const scarce_table *table)
{
    enum { MOST_METHODS = 128 };
    static scarce_model *kept[TABLE_KINDS][MOST_METHODS];
    CHECK(method < MOST_METHODS && scarce_table_rows(table) == ROWS);
    if (method >= MOST_METHODS) return NULL;
    scarce_model **model = &kept[current][method];
    if (!*model) *model = train(method, STAGES, table, NULL, NULL, NULL);
    return *model;
}

static int same_bytes(const scarce_model *a, const scarce_model *b)
{
    void *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    const int same = a && b && !scarce_model_bytes(&x, &n, a, NULL) && !scarce_model_bytes(&y, &m, b, NULL) &&
                     n == m && memcmp(x, y, n) == 0;
    scarce_bytes_free(x);
    scarce_bytes_free(y);
    return same;
}

/* How many rows of a table are scored: all, but of iml, which learns a metric for each. */
static size_t scored_rows(const scarce_model *model, const scarce_table *table)
{
    const size_t n = scarce_table_rows(table);
    return model && strcmp(scarce_model_method(model), "iml") == 0 && n > 60 ? 60 : n;
}

/* Of the first scored_rows; the caller frees. */
static double *scores_of(const scarce_model *model, const scarce_table *table)
{
    const scarce_view_options first = {sizeof first, 0, scored_rows(model, table), NULL, NULL, 0};
    double *score = calloc(scarce_table_rows(table), sizeof *score);
    scarce_scorer *scorer = NULL;
    scarce_table *part = NULL;
    CHECK(model && score && scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_table_view(&part, table, &first, NULL) == SCARCE_OK);
    if (scorer && part) CHECK(scarce_scorer_table(scorer, part, score, NULL, NULL, NULL) == SCARCE_OK);
    scarce_scorer_free(scorer);
    scarce_table_free(part);
    return score;
}

/* The largest difference of the scores. */
static double difference(const scarce_model *a, const scarce_model *b, const scarce_table *table)
{
    double *x = scores_of(a, table), *y = scores_of(b, table), most = 0;
    for (size_t i = 0; x && y && i < scored_rows(a, table); ++i) most = fmax(most, fabs(x[i] - y[i]));
    free(x);
    free(y);
    return most;
}

/* Each check over all methods; what fails is told with the method's name. */
static void for_each_method(void (*check)(size_t method, const scarce_table *table), table_kind kind,
                            size_t rows)
{
    scarce_table *table = make_table_of(kind, rows, 1, NULL);
    current = kind;
    categories_wanted = kind == TABLE_MERCHANTS ? "pairs" : NULL;
    CHECK(table != NULL && scarce_method_count() > 0);
    for (size_t m = 0; table && m < scarce_method_count(); ++m) {
        const int before = test_failures;
        check(m, table);
        if (test_failures != before) fprintf(stderr, "in method %s\n", scarce_method_get(m).name);
    }
    scarce_table_free(table);
}

/* ---- threads */

static void check_threads(size_t method, const scarce_table *table)
{
    scarce_model *first = NULL;
    /* pairs of many rows take minutes under a sanitizer: metric learners are asked on the smaller tables below */
    if (scarce_table_rows(table) > ROWS && strcmp(scarce_method_get(method).family, "metric") == 0) return;
    for (int threads = SANITIZED ? 4 : 1; threads <= 4; threads *= 2) {
        scarce_context *ctx = context_of(threads, NULL, NULL);
        scarce_model *model = train(method, STAGES, table, NULL, NULL, ctx);
        if (first) CHECK(same_bytes(first, model));
        if (first) scarce_model_free(model);
        else first = model;
        scarce_context_free(ctx);
    }
    scarce_model_free(first);
}

static void test_threads(void)
{
    for_each_method(check_threads, TABLE_WEIGHTED, MANY_ROWS);
    for_each_method(check_threads, TABLE_WORDS, ROWS);
    for_each_method(check_threads, TABLE_MERCHANTS, ROWS);
}

/* ---- files */

static void check_files(size_t method, const scarce_table *table)
{
    char path[] = "/tmp/scarce_methods_XXXXXX";
    const int fd = mkstemp(path);
    const scarce_model *model = trained(method, table);
    scarce_model *loaded = NULL, *read = NULL;
    void *bytes = NULL;
    size_t n = 0;

    CHECK(fd >= 0 && close(fd) == 0);
    if (!model) return;
    CHECK(strcmp(scarce_model_method(model), scarce_method_get(method).name) == 0);
    CHECK(scarce_model_save(model, path, NULL) == SCARCE_OK);
    CHECK(scarce_model_load(&loaded, path, NULL) == SCARCE_OK);
    CHECK(scarce_model_bytes(&bytes, &n, model, NULL) == SCARCE_OK);
    CHECK(scarce_model_read(&read, bytes, n, "bytes", NULL) == SCARCE_OK);
    CHECK(same_bytes(model, loaded) && same_bytes(model, read));
    if (loaded && read) CHECK(difference(model, loaded, table) == 0 && difference(model, read, table) == 0);
    CHECK(remove(path) == 0);
    scarce_bytes_free(bytes);
    scarce_model_free(loaded);
    scarce_model_free(read);
}

static void test_files(void)
{
    if (ONLY_THREADS) return;
    for_each_method(check_files, TABLE_PAYMENTS, ROWS);
    for_each_method(check_files, TABLE_WORDS, ROWS);
    for_each_method(check_files, TABLE_MERCHANTS, ROWS);
}

/* ---- rows one by one */

static void check_rows(size_t method, const scarce_table *table)
{
    const scarce_model *model = trained(method, table);
    scarce_table *other = make_table_of(current, ROWS, 5, table);
    double *score = model && other ? scores_of(model, other) : NULL;
    float *row = calloc(scarce_table_features(table), sizeof *row);
    scarce_scorer *scorer = NULL;
    size_t distinct = 0;

    CHECK(score && row);
    if (score && row) CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    for (size_t i = 0; scorer && i < scored_rows(model, other); ++i) {
        take_row(row, other, i);
        CHECK(scarce_scorer_score(scorer, row) == score[i]);
        distinct += score[i] != score[0];
    }
    CHECK(distinct > 0); /* something was learnt */
    scarce_scorer_free(scorer);
    scarce_table_free(other);
    free(score);
    free(row);
}

static void test_rows(void)
{
    if (ONLY_THREADS) return;
    for_each_method(check_rows, TABLE_PAYMENTS, ROWS);
    for_each_method(check_rows, TABLE_WORDS, ROWS);
    for_each_method(check_rows, TABLE_MERCHANTS, ROWS);
}

/* ---- interruption and checkpoints */

typedef struct stopper {
    double at;           /* steps after which to stop; none: never */
    const char *path;    /* of a checkpoint to look for, or NULL */
    scarce_model *saved; /* what was found there first */
    int calls;
} stopper;

static int watch(void *payload, const scarce_progress *p)
{
    stopper *s = payload;
    if (strcmp(p->stage, "train") != 0) return 0;
    ++s->calls;
    if (s->path && !s->saved && access(s->path, R_OK) == 0) scarce_model_load(&s->saved, s->path, NULL);
    return s->at > 0 && p->done >= s->at;
}

static int resumes(size_t method)
{
    const int can = (scarce_method_get(method).can & SCARCE_METHOD_RESUMES) != 0;
    CHECK(can || !stages_of(method));
    return can;
}

/* Stops after three steps and goes on: the same as `whole`. */
static void check_interruption(size_t method, int stages, const scarce_table *table,
                               scarce_train_options options, const scarce_model *whole)
{
    stopper stop = {3, NULL, NULL, 0};
    scarce_context *stopping = context_of(2, watch, &stop), *quiet = context_of(4, NULL, NULL);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_model *part = NULL, *rest = NULL;
    scarce_params *params = params_of(method, stages, &st, &err);

    st = scarce_train(&part, table, params, &options, &summary, stopping, &err);
    if (resumes(method)) CHECK(st == SCARCE_OK && summary.cancelled && summary.iterations >= 3);
    else CHECK(st == SCARCE_OK || st == SCARCE_ECANCEL);
    options.resume = part;
    if (part && resumes(method)) {
        rest = train(method, stages, table, &options, &summary, quiet);
        CHECK(!summary.cancelled && same_bytes(whole, rest));
    } else if (part) { /* nothing to go on from, and that is said */
        CHECK(scarce_train(&rest, table, params, &options, &summary, quiet, &err) == SCARCE_EINVAL);
        CHECK(strstr(err.text, "checkpoint") != NULL);
    }
    scarce_train_summary_deinit(&summary);
    scarce_model_free(part);
    scarce_model_free(rest);
    scarce_params_free(params);
    scarce_context_free(stopping);
    scarce_context_free(quiet);
}

/* Saves every three steps, in a training that nobody interrupts: the file of step three is as good as the
 * training itself, and leaves its result as it is. */
static void check_checkpoint(size_t method, const scarce_table *table, const scarce_model *whole)
{
    char path[] = "/tmp/scarce_methods_XXXXXX";
    const int fd = mkstemp(path);
    stopper found = {0, path, NULL, 0};
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_context *ctx = context_of(2, watch, &found);
    scarce_model *saving, *rest = NULL;

    CHECK(fd >= 0 && close(fd) == 0 && remove(path) == 0);
    o.checkpoint = path;
    o.checkpoint_every = 3;
    saving = train(method, STAGES, table, &o, NULL, ctx);
    CHECK(same_bytes(whole, saving));
    CHECK(!resumes(method) || found.saved);
    o.checkpoint = NULL;
    o.checkpoint_every = 0;
    o.resume = found.saved;
    if (found.saved) {
        rest = train(method, STAGES, table, &o, NULL, NULL);
        CHECK(same_bytes(whole, rest));
    }
    remove(path);
    scarce_model_free(saving);
    scarce_model_free(found.saved);
    scarce_model_free(rest);
    scarce_context_free(ctx);
}

static void check_resume(size_t method, const scarce_table *table)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    const scarce_model *whole = trained(method, table);
    check_interruption(method, STAGES, table, o, whole);
    check_checkpoint(method, table, whole);
}

static void test_resume(void)
{
    for_each_method(check_resume, TABLE_PAYMENTS, ROWS);
    if (!ONLY_THREADS) for_each_method(check_resume, TABLE_MERCHANTS, ROWS);
}

/* ---- validation rows */

static void check_valid(size_t method, const scarce_table *table)
{
    enum { MOST = 40, PATIENCE = 3 };
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT, again = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_table *valid = make_table_of(current, ROWS, 3, table);
    scarce_context *ctx = context_of(4, NULL, NULL);
    scarce_model *whole, *parallel;

    o.valid = valid;
    o.early_stop = PATIENCE;
    o.calibrate = "platt";
    whole = train(method, MOST, table, &o, &summary, NULL);
    parallel = train(method, MOST, table, &o, &again, ctx);
    CHECK(same_bytes(whole, parallel));
    CHECK(summary.iterations == again.iterations && summary.best_iteration == again.best_iteration);
    if (stages_of(method)) {
        CHECK(!isnan(summary.valid_metric) && summary.iterations <= MOST);
        CHECK(summary.best_iteration >= 1 && summary.best_iteration <= summary.iterations);
        CHECK(summary.iterations == MOST || summary.iterations >= summary.best_iteration + PATIENCE);
    }
    if (resumes(method) && (!stages_of(method) || summary.iterations > 4))
        check_interruption(method, MOST, table, o, whole);
    CHECK(whole && scarce_model_has_probability(whole));
    scarce_train_summary_deinit(&summary);
    scarce_train_summary_deinit(&again);
    scarce_model_free(whole);
    scarce_model_free(parallel);
    scarce_table_free(valid);
    scarce_context_free(ctx);
}

static void test_valid(void)
{
    for_each_method(check_valid, TABLE_PAYMENTS, ROWS);
    if (!ONLY_THREADS) for_each_method(check_valid, TABLE_MERCHANTS, ROWS);
}

/* ---- case weights */

static void check_weights(size_t method, const scarce_table *table)
{
    static double ones[ROWS], some[ROWS];
    static uint32_t all[ROWS];
    scarce_table *weighted = NULL;
    const scarce_model *plain = trained(method, table);
    scarce_model *same, *other;

    for (size_t i = 0; i < ROWS; ++i) {
        all[i] = (uint32_t)i;
        ones[i] = 1;
        some[i] = i % 3 ? 1 : 6;
    }
    CHECK(scarce_table_rows_of(&weighted, table, all, ROWS, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_set_weight(weighted, ones, NULL) == SCARCE_OK);
    same = train(method, STAGES, weighted, NULL, NULL, NULL);
    CHECK_NEAR(difference(plain, same, table), 0, 1e-9);
    CHECK(scarce_table_set_weight(weighted, some, NULL) == SCARCE_OK);
    other = train(method, STAGES, weighted, NULL, NULL, NULL);
    CHECK(difference(plain, other, table) > 1e-3);
    scarce_model_free(same);
    scarce_model_free(other);
    scarce_table_free(weighted);
}

static void test_weights(void)
{
    if (ONLY_THREADS) return;
    for_each_method(check_weights, TABLE_PAYMENTS, ROWS);
}

/* ---- reasons */

static void check_sums(const scarce_model *model, const scarce_table *table, const scarce_table *background)
{
    const size_t n = scarce_table_features(table);
    scarce_explain_options o = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_explainer *explainer = NULL;
    float *row = calloc(n, sizeof *row);
    double *part = calloc(n, sizeof *part), *score = scores_of(model, table);
    scarce_status st;

    o.background = background;
    st = scarce_explainer_new(&explainer, model, &o, &err);
    CHECK(st == SCARCE_OK || (st == SCARCE_EUNSUPPORTED && err.text[0] != '\0'));
    for (size_t i = 0; row && part && score && explainer && i < 60; ++i) {
        double sum = scarce_explainer_base(explainer);
        take_row(row, table, i);
        CHECK(scarce_explainer_row(explainer, row, part, NULL) == SCARCE_OK);
        for (size_t f = 0; f < n; ++f) sum += part[f];
        CHECK_NEAR(sum, score[i], 1e-9 * (1 + fabs(score[i])));
    }
    scarce_explainer_free(explainer);
    free(row);
    free(part);
    free(score);
}

static void check_reasons(size_t method, const scarce_table *table)
{
    const scarce_model *model = trained(method, table);
    scarce_table *background = NULL;
    uint32_t rows[20];
    for (uint32_t i = 0; i < 20; ++i) rows[i] = 7 * i;
    CHECK(scarce_table_rows_of(&background, table, rows, 20, NULL, NULL) == SCARCE_OK);
    if (model && background) {
        check_sums(model, table, NULL);
        check_sums(model, table, background);
    }
    scarce_table_free(background);
}

static void test_reasons(void)
{
    if (ONLY_THREADS) return;
    for_each_method(check_reasons, TABLE_PAYMENTS, ROWS);
    for_each_method(check_reasons, TABLE_WORDS, ROWS);
    for_each_method(check_reasons, TABLE_MERCHANTS, ROWS);
}

/* ---- what a model shows */

static void check_show(size_t method, const scarce_table *table)
{
    static const char *const formats[] = {"text", "json", "dot"};
    const scarce_model *model = trained(method, table);
    for (int k = 0; model && k < 3; ++k) {
        scarce_error err = SCARCE_ERROR_INIT;
        char *text = NULL;
        const scarce_status st = scarce_model_show(&text, model, formats[k], &err);
        CHECK(st == SCARCE_OK || (k == 2 && st == SCARCE_EUNSUPPORTED && err.text[0] != '\0'));
        CHECK(!st == (text != NULL));
        if (text) CHECK(strstr(text, k == 2 ? "digraph" : scarce_method_get(method).name) != NULL);
        if (text && k == 1) CHECK(text[0] == '{' && strchr(text, '}') != NULL);
        scarce_bytes_free(text);
    }
}

static void test_show(void)
{
    if (ONLY_THREADS) return;
    for_each_method(check_show, TABLE_PAYMENTS, ROWS);
    for_each_method(check_show, TABLE_WORDS, ROWS);
    for_each_method(check_show, TABLE_MERCHANTS, ROWS);
}

static const test_case tests[] = {
    {"threads", test_threads}, {"resume", test_resume},   {"valid", test_valid},     {"files", test_files},
    {"rows", test_rows},       {"weights", test_weights}, {"reasons", test_reasons}, {"show", test_show}};

TEST_MAIN(tests)
