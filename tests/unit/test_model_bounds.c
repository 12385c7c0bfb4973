/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose shape asks for far more memory than their files have bytes: explained, imported, written and read
 * again in memory in proportion (a child with a limit of address space), or refused with a line. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "data/columns.h"
#include "explain/shap.h"
#include "model/model.h"
#include "test.h"
#include "tree/import.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

/* The sanitizers need all addresses for themselves and are slow: there the shapes are smaller, without limit. */
#ifdef SANITIZED
enum { SMALLER = 10 };
#else
enum { SMALLER = 1 };
#endif

/* Runs in a child that may have so many megabytes of address space. */
static void run_within(size_t megabytes, void (*run)(void))
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {megabytes << 20, megabytes << 20};
        test_failures = 0;
        if (SMALLER == 1) CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
        run();
        fflush(NULL);
        _exit(test_failures > 100 ? 100 : test_failures);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- Explaining a chain: 6,000 splits, 1,600 features on one path (took 3 GB) */

static void explain_chain(void)
{
    enum { SPLITS = 6000 / SMALLER, FEATURES = 1600 / SMALLER, ROWS = 3 };
    scarce__node *nodes = calloc(2 * SPLITS + 1, sizeof *nodes);
    scarce__forest forest = {.n_features = FEATURES, .base = 0.25};
    scarce__columns columns[FEATURES];
    float *x = malloc(sizeof(float) * FEATURES * ROWS), *row = malloc(sizeof(float) * FEATURES);
    double *many = malloc(sizeof(double) * FEATURES * ROWS), *one = malloc(sizeof(double) * FEATURES);
    scarce__shap *shap = NULL;

    for (int i = 0; i < SPLITS; ++i) { /* inner nodes and leaves in turns */
        nodes[2 * i] = (scarce__node){.feature = (i * 7) % FEATURES,
                                      .left = 2 * i + 1,
                                      .right = 2 * i + 2,
                                      .value = (float)(i % 11) - 5,
                                      .cover = (float)(2 * (SPLITS - i) + 1)};
        nodes[2 * i + 1] = (scarce__node){.feature = -1, .value = (float)(i % 13) / 100 - 0.05f, .cover = 2};
    }
    nodes[2 * SPLITS] = (scarce__node){.feature = -1, .value = 1, .cover = 1};
    CHECK(scarce__forest_add(&forest, nodes, 2 * SPLITS + 1, NULL, 0, NULL) == SCARCE_OK);
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    for (int f = 0; f < FEATURES; ++f) {
        for (int r = 0; r < ROWS; ++r) x[f * ROWS + r] = r == 0 ? 6 : (float)((f * 5 + r * 3) % 13) - 6;
        columns[f] = (scarce__columns){.number = x + f * ROWS};
    }
    CHECK(scarce__shap_new(&shap, &forest, NULL) == SCARCE_OK);
    CHECK(shap && scarce__shap_bytes(shap) < (size_t)SPLITS * 1000);
    CHECK(shap && scarce__shap_columns(shap, columns, 0, ROWS, many, NULL) == SCARCE_OK);
    for (int r = 0; shap && r < ROWS; ++r) {
        double sum = scarce__shap_base(shap);
        for (int f = 0; f < FEATURES; ++f) row[f] = x[f * ROWS + r];
        for (int f = 0; f < FEATURES; ++f) sum += many[r * FEATURES + f];
        CHECK_NEAR(sum, scarce__forest_walk(&forest, row), 1e-9);
        if (r > 0) continue;
        CHECK(scarce__shap_row(shap, row, one, NULL) == SCARCE_OK);
        CHECK(memcmp(one, many, sizeof(double) * FEATURES) == 0);
    }
    scarce__shap_free(shap);
    scarce__forest_deinit(&forest);
    free(nodes), free(x), free(row), free(many), free(one);
}

static void test_explain(void)
{
    run_within(256, explain_chain);
}

/* ---- Imports */

/* A list of n numbers; number(i) gives them. */
static void add_list(scarce__text *t, const char *key, int n, int (*number)(int i), int json)
{
    scarce__text_addf(t, json ? "\"%s\":[" : "%s=", key);
    for (int i = 0; i < n; ++i) scarce__text_addf(t, i == 0 ? "%d" : json ? ",%d" : " %d", number(i));
    scarce__text_add(t, json ? "]," : "\n");
}

enum { CHAIN = 16000 / SMALLER, CHAIN_NODES = 2 * CHAIN + 1, LARGEST = 1048575 };

static int number_of(int i)
{
    return i;
}
static int zero(int i)
{
    return 0 * i;
}
static int one(int i)
{
    return 1 + 0 * i;
}
static int chain_left(int i) /* of XGBoost: inner nodes come first */
{
    return i < CHAIN ? CHAIN + i : -1;
}
static int chain_right(int i)
{
    return i < CHAIN - 1 ? i + 1 : i == CHAIN - 1 ? 2 * CHAIN : -1;
}
static int chain_type(int i)
{
    return i < CHAIN;
}
static int chain_value(int i)
{
    return i % 3;
}
static int largest(int i)
{
    return LARGEST + 0 * i;
}
static int different(int i)
{
    return LARGEST - i;
}

static void xgboost_chain(scarce__text *t, int (*category)(int))
{
    scarce__text_add(t, "{\"learner\":{\"gradient_booster\":{\"model\":{\"trees\":[{");
    add_list(t, "categories", CHAIN, category, 1);
    add_list(t, "categories_nodes", CHAIN, number_of, 1);
    add_list(t, "categories_segments", CHAIN, number_of, 1);
    add_list(t, "categories_sizes", CHAIN, one, 1);
    add_list(t, "default_left", CHAIN_NODES, zero, 1);
    add_list(t, "left_children", CHAIN_NODES, chain_left, 1);
    add_list(t, "right_children", CHAIN_NODES, chain_right, 1);
    add_list(t, "split_conditions", CHAIN_NODES, chain_value, 1);
    add_list(t, "split_indices", CHAIN_NODES, zero, 1);
    add_list(t, "split_type", CHAIN_NODES, chain_type, 1);
    add_list(t, "loss_changes", CHAIN_NODES, one, 1);
    add_list(t, "sum_hessian", CHAIN_NODES, one, 1);
    scarce__text_add(t, "\"tree_param\":{\"num_nodes\":\"1\"}}]},\"name\":\"gbtree\"},"
                        "\"learner_model_param\":{\"base_score\":\"5E-1\",\"num_class\":\"0\","
                        "\"num_feature\":\"1\"},\"objective\":{\"name\":\"binary:logistic\"}}}");
}

enum { SPLITS = 20000 / SMALLER, WORDS = 200000 / SMALLER };

static int lgb_left(int i)
{
    return -1 - i;
}
static int lgb_right(int i)
{
    return i == SPLITS - 1 ? -1 - SPLITS : i + 1;
}
static int overlapping(int i)
{
    return i % 2 ? WORDS : i / 2;
}

static void lightgbm_chain(scarce__text *t, int overlap)
{
    scarce__text_addf(t,
                      "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\n"
                      "objective=binary sigmoid:1\nfeature_names=a\n\nTree=0\nnum_leaves=%d\n",
                      SPLITS + 1);
    scarce__text_addf(t, "num_cat=%d\n", overlap ? SPLITS : 1);
    add_list(t, "split_feature", SPLITS, zero, 0);
    add_list(t, "threshold", SPLITS, overlap ? number_of : zero, 0);
    add_list(t, "decision_type", SPLITS, one, 0);
    add_list(t, "left_child", SPLITS, lgb_left, 0);
    add_list(t, "right_child", SPLITS, lgb_right, 0);
    add_list(t, "leaf_value", SPLITS + 1, chain_value, 0);
    if (overlap) add_list(t, "cat_boundaries", SPLITS + 1, overlapping, 0);
    else scarce__text_addf(t, "cat_boundaries=0 %d\n", WORDS);
    add_list(t, "cat_threshold", WORDS, one, 0);
    scarce__text_add(t, "\nend of trees\n");
}

/* Imported by its name, saved, loaded and scored: as before; the file no larger than `most` bytes. */
static void convert(const scarce__text *text, size_t most)
{
    char path[] = "/tmp/test_model_bounds-XXXXXX";
    const int fd = mkstemp(path);
    scarce_model *m = NULL, *again = NULL;
    scarce_scorer *scorer[2] = {NULL, NULL};
    scarce_error err = SCARCE_ERROR_INIT;
    void *bytes = NULL, *bytes2 = NULL;
    size_t n = 0, n2 = 0;

    CHECK(fd >= 0 && !text->failed && write(fd, text->bytes, text->n) == (ssize_t)text->n);
    close(fd);
    CHECK(scarce_model_import(&m, path, &err) == SCARCE_OK);
    if (!m) fprintf(stderr, "%s\n", err.text);
    CHECK(m && scarce_model_bytes(&bytes, &n, m, NULL) == SCARCE_OK && n < most);
    CHECK(m && scarce_model_read(&again, bytes, n, "again", &err) == SCARCE_OK);
    CHECK(again && scarce_model_bytes(&bytes2, &n2, again, NULL) == SCARCE_OK);
    CHECK(n == n2 && memcmp(bytes, bytes2, n) == 0);
    CHECK(m && ((uint8_t *)bytes)[8] == 2); /* the version: older readers refuse it with the right words */
    CHECK(m && scarce_scorer_new(&scorer[0], m, NULL) == SCARCE_OK);
    CHECK(again && scarce_scorer_new(&scorer[1], again, NULL) == SCARCE_OK);
    for (int i = 0; i < 8 && scorer[0] && scorer[1]; ++i) {
        const float rows[] = {0, 1, 32, 33, 1048575, 1048574, 7e6f, NAN};
        CHECK(scarce_scorer_score(scorer[0], &rows[i]) == scarce_scorer_score(scorer[1], &rows[i]));
    }
    for (int i = 0; i < 2; ++i) scarce_scorer_free(scorer[i]);
    scarce_model_free(m);
    scarce_model_free(again);
    scarce_bytes_free(bytes);
    scarce_bytes_free(bytes2);
    unlink(path);
}

static void xgboost_shared(void)
{
    scarce__text text = SCARCE__TEXT_INIT;
    xgboost_chain(&text, largest);
    convert(&text, 4 << 20);
    scarce__text_deinit(&text);
}

static void refused(scarce__text *text, scarce_status want, const char *words)
{
    scarce__imported m;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(!text->failed && scarce__import_any(&m, text->bytes, text->n, &err) == want);
    CHECK(strstr(err.text, words) != NULL);
    scarce__text_deinit(text);
}

static void xgboost_different(void)
{
    scarce__text text = SCARCE__TEXT_INIT;
    xgboost_chain(&text, different);
    refused(&text, SCARCE_EUNSUPPORTED, "out of proportion");
}

static void test_xgboost(void)
{
    run_within(300, xgboost_shared);
    run_within(400, xgboost_different);
}

static void lightgbm_shared(void)
{
    scarce__text text = SCARCE__TEXT_INIT;
    lightgbm_chain(&text, 0);
    convert(&text, 8 << 20);
    scarce__text_deinit(&text);
}

static void lightgbm_overlap(void)
{
    scarce__text text = SCARCE__TEXT_INIT;
    lightgbm_chain(&text, 1);
    refused(&text, SCARCE_EPARSE, "cat_boundaries");
}

/* What would be gigabytes of text is refused, in every form that lists categories. */
static void lightgbm_listed(void)
{
    scarce__text text = SCARCE__TEXT_INIT, out = SCARCE__TEXT_INIT;
    scarce__imported m;
    scarce_error err = SCARCE_ERROR_INIT;

    lightgbm_chain(&text, 0);
    CHECK(scarce__import_any(&m, text.bytes, text.n, NULL) == SCARCE_OK);
    if (SMALLER == 1)
        CHECK(scarce__export_xgboost(&out, &m.forest, m.link, m.slope, NULL, NULL, &err) ==
                  SCARCE_EUNSUPPORTED &&
              strstr(err.text, "too many"));
    scarce__text_deinit(&text);
    scarce__text_deinit(&out);
    scarce__imported_deinit(&m);
}

static void test_lightgbm(void)
{
    run_within(300, lightgbm_shared);
    run_within(300, lightgbm_overlap);
    run_within(300, lightgbm_listed);
}

static const test_case tests[] = {
    {"explain", test_explain}, {"xgboost", test_xgboost}, {"lightgbm", test_lightgbm}};
TEST_MAIN(tests)
