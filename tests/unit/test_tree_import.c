/* SPDX-License-Identifier: Apache-2.0 */
/* Models of the peers, with the margins they give (golden/make_import.py), and hostile variants of them. */
#include "tree/import.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/random.h"
#include "test.h"
#include "tree/fast.h"

enum { FEATURES = 6, ROWS_MAX = 300 };

static float rows[ROWS_MAX][FEATURES];
static size_t n_rows;

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    *n = 0;
    CHECK(f != NULL);
    if (f) {
        *n = fread(bytes, 1, 1 << 20, f);
        fclose(f);
    }
    return bytes;
}

static void read_rows(void)
{
    FILE *f = fopen("golden/import_rows.txt", "r");
    n_rows = 0;
    CHECK(f != NULL);
    if (!f) return;
    for (; n_rows < ROWS_MAX; ++n_rows) {
        int got = 0;
        for (int k = 0; k < FEATURES; ++k) got += fscanf(f, "%f", &rows[n_rows][k]) == 1;
        if (got != FEATURES) break;
    }
    fclose(f);
    CHECK(n_rows > 100);
}

static double want[ROWS_MAX];

static void read_margins(const char *name)
{
    char path[200];
    FILE *f;
    snprintf(path, sizeof path, "golden/import_%s.txt", name);
    f = fopen(path, "r");
    CHECK(f != NULL);
    if (!f) return;
    for (size_t i = 0; i < n_rows; ++i) CHECK(fscanf(f, "%lf", &want[i]) == 1);
    fclose(f);
}

static const struct {
    const char *name, *extension;
    size_t n_trees;
    scarce__link link;
    double slope;
    const char *objective;
} models[] = {
    {"xgb_binary", "json", 4, SCARCE__LINK_LOGISTIC, 1, "binary:logistic"},
    {"xgb_binary", "ubj", 4, SCARCE__LINK_LOGISTIC, 1, "binary:logistic"},
    {"xgb_cat", "json", 4, SCARCE__LINK_LOGISTIC, 1, "binary:logistic"},
    {"xgb_cat", "ubj", 4, SCARCE__LINK_LOGISTIC, 1, "binary:logistic"},
    {"xgb_onehot", "json", 3, SCARCE__LINK_LOGISTIC, 1, "binary:logistic"},
    {"xgb_dart", "json", 4, SCARCE__LINK_LOGISTIC, 1, "binary:logistic"},
    {"xgb_reg", "json", 3, SCARCE__LINK_IDENTITY, 1, "reg:squarederror"},
    {"xgb_poisson", "json", 3, SCARCE__LINK_EXP, 1, "count:poisson"},
    {"xgb_rank", "json", 3, SCARCE__LINK_IDENTITY, 1, "rank:ndcg"},
    {"lgb_binary", "model", 4, SCARCE__LINK_LOGISTIC, 1.5, "binary sigmoid:1.5"},
    {"lgb_none", "model", 4, SCARCE__LINK_LOGISTIC, 1, "binary sigmoid:1"},
    {"lgb_cat", "model", 4, SCARCE__LINK_LOGISTIC, 1, "binary sigmoid:1"},
    {"lgb_rf", "model", 3, SCARCE__LINK_LOGISTIC, 1, "binary sigmoid:1"},
    {"lgb_reg", "model", 3, SCARCE__LINK_IDENTITY, 1, "regression"},
    {"lgb_stump", "model", 1, SCARCE__LINK_LOGISTIC, 1, "binary sigmoid:1"},
};
enum { N_MODELS = sizeof models / sizeof models[0] };

static char *model_bytes(size_t m, size_t *n)
{
    char path[200];
    snprintf(path, sizeof path, "golden/import_%s.%s", models[m].name, models[m].extension);
    return slurp(path, n);
}

static void check_scores(const scarce__forest *forest, const char *what)
{
    scarce__fast *fast = NULL;
    double worst = 0;
    CHECK(scarce__fast_new(&fast, forest, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n_rows; ++i) {
        const double got = scarce__forest_walk(forest, rows[i]);
        worst = fmax(worst, fabs(got - want[i]));
        CHECK(scarce__fast_one(fast, rows[i]) == got);
    }
    scarce__fast_free(fast);
    if (!(worst <= 1e-6)) fprintf(stderr, "%s: off by %g\n", what, worst);
    CHECK(worst <= 1e-6);
}

static void test_margins(void)
{
    read_rows();
    for (size_t m = 0; m < N_MODELS; ++m) {
        scarce__imported model;
        scarce_error err = SCARCE_ERROR_INIT;
        size_t n;
        char *bytes = model_bytes(m, &n);
        const scarce_status st = scarce__import_any(&model, bytes, n, &err);
        CHECK(st == SCARCE_OK);
        if (st != SCARCE_OK) fprintf(stderr, "%s: %s\n", models[m].name, err.text);
        if (st == SCARCE_OK) {
            CHECK(model.forest.n_trees == models[m].n_trees);
            CHECK(model.forest.n_features == FEATURES);
            CHECK(model.link == models[m].link);
            CHECK(model.slope == models[m].slope);
            CHECK_TEXT(model.objective, models[m].objective);
            read_margins(models[m].name);
            check_scores(&model.forest, models[m].name);
            if (strcmp(models[m].name, "xgb_reg") == 0) {
                CHECK_TEXT(model.names[1], "beta \xc3\xa9");
                CHECK_TEXT(model.names[5], "country");
            } else {
                CHECK_TEXT(model.names[5], strncmp(models[m].name, "lgb", 3) == 0 ? "Column_5" : "f5");
            }
            scarce__imported_deinit(&model);
        }
        free(bytes);
    }
}

static const char *quoted_name(void *payload, size_t feature)
{
    static char text[32];
    (void)payload;
    snprintf(text, sizeof text, "x\"%zu\"", feature);
    return text;
}

/* Export and import again: the same margins, whatever the model came from. SCARCE_EXPORT_TO=folder keeps
 * the files for make_import.py check. */
static void test_export(void)
{
    const char *folder = getenv("SCARCE_EXPORT_TO");
    read_rows();
    for (size_t m = 0; m < N_MODELS; ++m) {
        scarce__imported model, again;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__text text = SCARCE__TEXT_INIT;
        size_t n;
        char *bytes = model_bytes(m, &n);
        CHECK(scarce__import_any(&model, bytes, n, &err) == SCARCE_OK);
        if (model.slope != 1) {
            CHECK(scarce__export_xgboost(&text, &model.forest, model.link, model.slope, NULL, NULL, &err) ==
                  SCARCE_EUNSUPPORTED);
            model.slope = 1; /* margins don't know it */
        }
        CHECK(scarce__export_xgboost(&text, &model.forest, model.link, model.slope,
                                     folder ? NULL : quoted_name, NULL, &err) == SCARCE_OK);
        CHECK(scarce__import_xgboost(&again, text.bytes, text.n, &err) == SCARCE_OK);
        if (again.names) {
            if (!folder) CHECK_TEXT(again.names[3], "x\"3\"");
            CHECK(again.link == model.link);
            read_margins(models[m].name);
            check_scores(&again.forest, models[m].name);
        } else {
            fprintf(stderr, "%s: %s\n", models[m].name, err.text);
        }
        if (folder) {
            char path[300];
            snprintf(path, sizeof path, "%s/export_%s.json", folder, models[m].name);
            FILE *f = fopen(path, "wb");
            if (f) {
                fwrite(text.bytes, 1, text.n, f);
                fclose(f);
            }
        }
        scarce__text_deinit(&text);
        scarce__imported_deinit(&model);
        scarce__imported_deinit(&again);
        free(bytes);
    }
}

/* zero_as_missing, by hand: what one threshold can say is said, the rest refused. */
static const char zero_model[] =
    "tree\nmax_feature_idx=0\nnum_tree_per_iteration=1\nobjective=binary sigmoid:1\n\n"
    "Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nthreshold=%s\n"
    "decision_type=%d\nleft_child=-1\nright_child=-2\nleaf_value=-1 1\n\nend of trees\n";

static void test_zero_as_missing(void)
{
    static const struct {
        const char *threshold;
        int type; /* 4: zero is missing, 2: default left */
        scarce_status status;
        double at_zero, at_minus, at_plus, at_nan; /* values at 0, -1, 1, NaN */
    } cases[] = {
        {"0.5", 6, SCARCE_OK, -1, -1, 1, -1},
        {"-0.5", 4, SCARCE_OK, 1, -1, 1, 1},
        {"1.0000000180025095e-35", 6, SCARCE_OK, -1, -1, 1, -1},
        {"-1.0000000180025095e-35", 6, SCARCE_OK, -1, -1, 1, -1},
        {"-1.0000000180025095e-35", 4, SCARCE_OK, 1, -1, 1, 1},
        {"0", 4, SCARCE_OK, 1, -1, 1, 1},
        {"0.5", 4, SCARCE_EUNSUPPORTED, 0, 0, 0, 0},
        {"-0.5", 6, SCARCE_EUNSUPPORTED, 0, 0, 0, 0},
        {"0.5", 0, SCARCE_OK, -1, -1, 1, -1}, /* nothing is missing: NaN is 0 */
        {"-0.5", 2, SCARCE_OK, 1, -1, 1, 1},
        {"-0.5", 10, SCARCE_OK, 1, -1, 1, -1}, /* NaN is missing */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1000];
        scarce__imported model;
        const float x[4] = {0, -1, 1, NAN};
        const double value[4] = {cases[i].at_zero, cases[i].at_minus, cases[i].at_plus, cases[i].at_nan};
        const float tiny = -1e-35f;
        snprintf(text, sizeof text, zero_model, cases[i].threshold, cases[i].type);
        CHECK(scarce__import_lightgbm(&model, text, strlen(text), NULL) == cases[i].status);
        if (cases[i].status != SCARCE_OK) continue;
        for (int k = 0; k < 4; ++k) CHECK(scarce__forest_walk(&model.forest, x + k) == value[k]);
        if (cases[i].type & 4) CHECK(scarce__forest_walk(&model.forest, &tiny) == cases[i].at_zero);
        scarce__imported_deinit(&model);
    }
}

static void test_refused(void)
{
    static const char *const texts[] = {
        "",
        "{",
        "tree",
        "tree\n",
        "{}",
        "{\"learner\":{}}",
        "[1,2]",
        "treemax_feature_idx=0\n",
        "tree\nmax_feature_idx=99999999999\n",
        "tree\nmax_feature_idx=0\nnum_tree_per_iteration=3\nTree=0\n",
        "tree\nmax_feature_idx=0\nTree=0\nnum_leaves=4000000000\n",
        "tree\nmax_feature_idx=0\nTree=0\nnum_leaves=1\nleaf_value=nan\n",
        "tree\nmax_feature_idx=0\nTree=0\nnum_leaves=1\nleaf_value=1e39\n",
        "tree\nmax_feature_idx=0\nobjective=multiclass num_class:3\nTree=0\nnum_leaves=1\nleaf_value=1\n",
        "tree\nmax_feature_idx=0\nTree=0\nnum_leaves=2\nis_linear=1\n",
        "tree\nmax_feature_idx=1\nfeature_names=a a\nTree=0\nnum_leaves=1\nleaf_value=1\n",
        "{\"learner\":{\"learner_model_param\":{\"num_feature\":\"2\",\"base_score\":\"0.5\"},"
        "\"objective\":{\"name\":\"binary:logistic\"},\"feature_names\":[\"a\",\"a\"],"
        "\"gradient_booster\":{\"name\":\"gbtree\",\"model\":{\"trees\":[]}}}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        scarce__imported model;
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(scarce__import_any(&model, texts[i], strlen(texts[i]), &err) != SCARCE_OK);
        CHECK(err.text[0] != '\0');
        if (strstr(texts[i], "feature_names")) CHECK_TEXT(err.text, "two features are named \"a\"");
        CHECK(model.names == NULL && model.forest.nodes == NULL);
    }
}

/* Broken files: whatever comes back is an error, or a forest that scores. */
static void test_mutations(void)
{
    scarce__random r = scarce__random_start(3, SCARCE__FOR_TEST, 0);
    size_t accepted = 0;
    read_rows();
    for (size_t m = 0; m < N_MODELS; ++m) {
        size_t n;
        char *bytes = model_bytes(m, &n), *copy = malloc(n + 16);
        for (int trial = 0; trial < 300; ++trial) {
            scarce__imported model;
            scarce__fast *fast = NULL;
            size_t length = n;
            memcpy(copy, bytes, n);
            if (trial % 3 == 0) length = (size_t)scarce__random_below(&r, n);
            for (uint64_t k = scarce__random_below(&r, 4) + 1; k; --k) {
                const size_t at = (size_t)scarce__random_below(&r, n);
                static const char likely[] = "0123456789-.,[]{}\" =\n";
                copy[at] = trial % 2 ? (char)scarce__random_u64(&r)
                                     : likely[scarce__random_below(&r, sizeof likely - 1)];
            }
            if (scarce__import_any(&model, copy, length, NULL) != SCARCE_OK) continue;
            ++accepted;
            CHECK(scarce__forest_check(&model.forest, NULL) == SCARCE_OK);
            if (model.forest.n_features <= FEATURES &&
                scarce__fast_new(&fast, &model.forest, NULL) == SCARCE_OK)
                for (size_t i = 0; i < n_rows; i += 7)
                    CHECK(scarce__fast_one(fast, rows[i]) == scarce__forest_walk(&model.forest, rows[i]));
            scarce__fast_free(fast);
            scarce__imported_deinit(&model);
        }
        free(bytes);
        free(copy);
    }
    CHECK(accepted > 100); /* a mutated digit of a leaf is fine */
}

static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    for (size_t m = 0; m < N_MODELS; m += 2) {
        size_t n, fail = 1;
        char *bytes = model_bytes(m, &n);
        for (;; fail += fail > 60 ? 7 : 1) {
            scarce__imported model;
            scarce_status st;
            scarce__alloc_fail_from(fail);
            st = scarce__import_any(&model, bytes, n, NULL);
            scarce__alloc_fail_from(0);
            if (st == SCARCE_OK) {
                scarce__imported_deinit(&model);
                break;
            }
            CHECK(st == SCARCE_ENOMEM);
            CHECK(model.forest.nodes == NULL && model.names == NULL);
        }
        CHECK(fail > 5);
        free(bytes);
    }
#endif
}

static const test_case tests[] = {
    {"margins", test_margins}, {"export", test_export},       {"zero_as_missing", test_zero_as_missing},
    {"refused", test_refused}, {"mutations", test_mutations}, {"no_memory", test_no_memory},
};
TEST_MAIN(tests)
