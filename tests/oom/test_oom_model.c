/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once on the way from parameters to an alert: parameters, configuration, training
 * with each method and calibration, saving, loading, showing, preparing and scoring a table. ENOMEM, *out
 * NULL, nothing leaked. (liblinear's own allocations are out of reach.) */
#include <unistd.h>

#include <scarce/model.h>

#include "oom/walk.h"
#include "unit/models.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 120 };

static scarce_context *ctx;
static scarce_table *table;
static scarce_model *linear, *trees;
static char config_path[32], model_path[32];
static const char *method, *settings, *calibrate, *threshold, *format;
static const scarce_model *chosen;

static void prepare(void)
{
    static const char config[] = "# what counts\nmethod = logistic\nc = 0.5\nmax_iter = 20\n";
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    strcpy(config_path, "/tmp/scarce-oom-XXXXXX");
    strcpy(model_path, "/tmp/scarce-oom-XXXXXX");
    const int fd = mkstemp(config_path), fd2 = mkstemp(model_path);
    must(fd >= 0 && fd2 >= 0 && write(fd, config, sizeof config - 1) == (ssize_t)sizeof config - 1);
    must(close(fd) == 0 && close(fd2) == 0);
    o.threads = 2;
    must(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    linear = linear_model();
    trees = tree_model(4, 4);
    table = model_table(linear, ROWS);
    table->label = scarce__malloc(ROWS);
    table->amount = scarce__malloc_array(ROWS, sizeof *table->amount);
    must(table->label && table->amount);
    for (size_t i = 0; i < ROWS; ++i) {
        table->label[i] = i % 6 == 0;
        table->n_positives += table->label[i];
        table->amount[i] = (double)i;
    }
}

static void finish(void)
{
    scarce_table_free(table);
    scarce_model_free(linear);
    scarce_model_free(trees);
    scarce_context_free(ctx);
    CHECK(unlink(config_path) == 0 && unlink(model_path) == 0);
}

/* ---- scenarios */

static scarce_status new_context(scarce_error *err)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *c = ctx;
    o.threads = 3;
    const scarce_status st = scarce_context_new(&c, &o, err);
    CHECK(!st == (c != NULL));
    scarce_context_free(c);
    return st;
}

static scarce_status params(scarce_error *err)
{
    scarce_params *p = (scarce_params *)table;
    scarce_status st = scarce_params_new(&p, method, err);
    CHECK(!st == (p != NULL));
    if (!st) st = scarce_params_set_list(p, settings, ',', err);
    scarce_params_free(p);
    return st;
}

static scarce_status read_config(scarce_error *err)
{
    scarce_params *p = NULL;
    scarce_status st = scarce_params_new(&p, "logistic", err);
    if (!st) st = scarce_params_read(p, config_path, err);
    scarce_params_free(p);
    return st;
}

static scarce_status train(scarce_error *err)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_model *m = linear;
    scarce_params *p = NULL;
    scarce_status st = scarce_params_new(&p, method, err);
    if (!st) st = scarce_params_set_list(p, settings, ',', err);
    if (calibrate) o.valid = table;
    o.calibrate = calibrate;
    o.threshold = threshold;
    if (!st) {
        st = scarce_train(&m, table, p, &o, NULL, ctx, err);
        CHECK(!st == (m != NULL));
        scarce_model_free(m);
    }
    scarce_params_free(p);
    return st;
}

static scarce_status to_bytes(scarce_error *err)
{
    void *bytes = table;
    size_t n = 0;
    const scarce_status st = scarce_model_bytes(&bytes, &n, chosen, err);
    CHECK(!st == (bytes != NULL) && !st == (n > 0));
    scarce_bytes_free(bytes);
    return st;
}

static scarce_status save_and_load(scarce_error *err)
{
    scarce_model *m = linear;
    scarce_status st = scarce_model_save(chosen, model_path, err);
    if (st) return st;
    st = scarce_model_load(&m, model_path, err);
    CHECK(!st == (m != NULL));
    scarce_model_free(m);
    return st;
}

static scarce_status show(scarce_error *err)
{
    char *text = model_path;
    const scarce_status st = scarce_model_show(&text, chosen, format, err);
    CHECK(!st == (text != NULL));
    scarce_bytes_free(text);
    return st;
}

/* Where scratch memory is a mere help (trees score row by row without it) the scores are the same. */
static scarce_status score(scarce_error *err)
{
    scarce_scorer *scorer = (scarce_scorer *)table;
    double scores[ROWS], probabilities[ROWS];
    scarce_status st = scarce_scorer_new(&scorer, chosen, err);
    CHECK(!st == (scorer != NULL));
    if (!st) st = scarce_scorer_table(scorer, table, scores, probabilities, ctx, err);
    for (size_t i = 0; !st && i < ROWS; ++i) {
        float row[MODEL_FEATURES];
        model_row(row, i);
        CHECK(scores[i] == scarce_scorer_score(scorer, row));
        CHECK(probabilities[i] == scarce_scorer_probability(scorer, scores[i]));
    }
    scarce_scorer_free(scorer);
    return st;
}

/* ---- walks */

static void test_params(void)
{
    static const char *const lists[][2] = {{"logistic", "c=2,solver=newton,standardize=false"},
                                           {"linear-svm", "c=2"}};
    prepare();
    oom_walk("context", new_context);
    for (size_t i = 0; i < 2; ++i) {
        method = lists[i][0];
        settings = lists[i][1];
        oom_walk(method, params);
    }
    oom_walk("config", read_config);
    finish();
}

static void test_train(void)
{
    static const char *const ways[][2] = {
        {NULL, NULL}, {"platt", "f1"}, {"isotonic", "budget:10"}, {"beta", "cost:5"}};
    prepare();
    for (size_t k = 0; k < scarce_method_count(); ++k) {
        const char *family = scarce_method_get(k).family;
        method = scarce_method_get(k).name;
        settings = NULL;
        /* test_oom_methods walks through the learning of every method; here it is what is around it, once a family */
        if (k > 0 && strcmp(family, scarce_method_get(k - 1).family) == 0) continue;
        if (strcmp(family, "metric") == 0 || strcmp(family, "ensemble") == 0) continue; /* minutes each */
        for (size_t i = 0; i < scarce_method_get(k).n_params; ++i)
            if (strcmp(scarce_method_param(k, i).name, "n_trees") == 0) settings = "n_trees=3";
        /* what follows training is the same for all methods */
        const size_t n_ways = k == 0 || strcmp(method, "logistic") == 0 ? 4 : 1;
        for (size_t i = 0; i < n_ways; ++i) {
            calibrate = ways[i][0];
            threshold = ways[i][1];
            oom_walk(method, train);
        }
    }
    finish();
}

static void test_models(void)
{
    static const char *const formats[] = {"text", "json", "dot"};
    prepare();
    for (size_t i = 0; i < 2; ++i) {
        chosen = i ? trees : linear;
        oom_walk("bytes", to_bytes);
        oom_walk("save and load", save_and_load);
        oom_walk("score", score);
        for (size_t k = 0; k < 2 + i; ++k) {
            format = formats[k];
            oom_walk("show", show);
        }
    }
    finish();
}

/* A row by names is made with allocations, and used without. */
static scarce_status row_by_names(scarce_error *err)
{
    scarce_row *row = (scarce_row *)table;
    const scarce_status st = scarce_row_new(&row, chosen, err);
    CHECK(!st == (row != NULL));
    scarce_row_free(row);
    return st;
}

static scarce_status score_rows(scarce_error *err)
{
    static float rows[ROWS][MODEL_FEATURES];
    scarce_scorer *scorer = NULL;
    double scores[ROWS];
    scarce_status st = scarce_scorer_new(&scorer, chosen, err);
    for (size_t i = 0; i < ROWS; ++i) model_row(rows[i], i);
    if (!st) st = scarce_scorer_rows(scorer, rows[0], ROWS, 0, scores, NULL, ctx, err);
    for (size_t i = 0; !st && i < ROWS; ++i) CHECK(scores[i] == scarce_scorer_score(scorer, rows[i]));
    scarce_scorer_free(scorer);
    return st;
}

static void test_rows(void)
{
    scarce__dictionary *categories;
    prepare();
    for (int i = 0; i < 2; ++i) {
        chosen = i ? trees : linear;
        categories = &(i ? trees : linear)->schema.features[1].categories;
        must(scarce__dictionary_add(categories, "5.0", 3) != SIZE_MAX); /* a number in another way */
        oom_walk("row", row_by_names);
        oom_walk("rows", score_rows);
    }
    finish();
}

/* A payment is scored without a single allocation, by names too. */
static void test_no_allocation(void)
{
    for (int i = 0; i < 4; ++i) {
        scarce_model *m = i == 0   ? linear_model()
                          : i == 1 ? tree_model(20, 5)
                          : i == 2 ? tree_model(3, 9)
                                   : tree_model(0, 0);
        scarce_scorer *scorer = NULL;
        scarce_row *named = NULL;
        size_t alerts = 0;
        CHECK(scarce_scorer_new(&scorer, m, NULL) == SCARCE_OK);
        CHECK(scarce_row_new(&named, m, NULL) == SCARCE_OK);
        scarce__alloc_fail_from(1);
        for (uint64_t r = 0; r < 500; ++r) {
            float row[MODEL_FEATURES];
            model_row(row, r);
            const double s = scarce_scorer_score(scorer, row), p = scarce_scorer_probability(scorer, s);
            alerts += scarce_scorer_alert(scorer, s, p, 10) != 0;
            const scarce_field fields[] = {
                {"count", "1.5", 0}, {"amount", NULL, s}, {"shop", r % 2 ? "toys" : NULL, p}, {"id", "x", 0}};
            CHECK(scarce_row_set(named, fields, 4, NULL) == SCARCE_OK);
            alerts += isnan(scarce_scorer_score(scorer, scarce_row_values(named))) != 0;
        }
        CHECK(scarce__alloc_count() == 0);
        scarce__alloc_fail_from(0);
        CHECK(alerts < 500);
        scarce_row_free(named);
        scarce_scorer_free(scorer);
        scarce_model_free(m);
    }
}

#else

static void test_rows(void)
{
}

static void test_params(void)
{
}
static void test_train(void)
{
}
static void test_models(void)
{
}
static void test_no_allocation(void)
{
}

#endif

static const test_case tests[] = {{"params", test_params},
                                  {"train", test_train},
                                  {"models", test_models},
                                  {"rows", test_rows},
                                  {"no_allocation", test_no_allocation}};
TEST_MAIN(tests)
