/* SPDX-License-Identifier: Apache-2.0 */
/* Imitators: of every method's model, with and without labels; what is kept is what one computes oneself; the same
 * bytes for any number of threads; a tree that is a tree already is imitated to the row; wrong use is told. */
#include <math.h>

#include <scarce/scarce.h>

#include "test.h"
#include "unit/method_tables.h"

static scarce_model *teacher_of(const char *spec, const scarce_table *table)
{
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    CHECK(scarce_params_of_spec(&params, spec, NULL) == SCARCE_OK);
    CHECK(scarce_train(&model, table, params, NULL, NULL, NULL, NULL) == SCARCE_OK);
    scarce_params_free(params);
    return model;
}

static double *scores(const scarce_model *model, const scarce_table *table)
{
    double *score = calloc(scarce_table_rows(table), sizeof *score);
    scarce_scorer *scorer = NULL;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, table, score, NULL, NULL, NULL) == SCARCE_OK);
    scarce_scorer_free(scorer);
    return score;
}

static double ap_of(const double *score, const scarce_table *table)
{
    const scarce_scored in = scarce_scored_of_table(table, score, NULL);
    scarce_metrics m = SCARCE_METRICS_INIT;
    CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, NULL) == SCARCE_OK);
    return m.ap;
}

static void test_every_method(void)
{
    scarce_table *table = make_table_of(TABLE_PAYMENTS, 1200, 1, NULL),
                 *test = make_table_of(TABLE_PAYMENTS, 800, 2, table);
    for (size_t m = 0; m < scarce_method_count(); ++m) {
        scarce_distil_options o = SCARCE_DISTIL_OPTIONS_INIT;
        scarce_distilled kept = SCARCE_DISTILLED_INIT;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_model *model, *out = NULL;
        char spec[80];
        const int before = test_failures;
        snprintf(spec, sizeof spec, "%s%s", scarce_method_get(m).name,
                 strstr(scarce_method_get(m).name, "forest") || scarce_method_get(m).stages ? ":n_trees=20"
                                                                                            : "");
        model = teacher_of(spec, table);
        o.test = test;
        if (m % 2) o.rules = 12;
        CHECK(scarce_distil(&out, model, table, &o, &kept, NULL, &err) == SCARCE_OK);
        if (err.text[0]) fprintf(stderr, "%s\n", err.text);
        if (out) {
            double *a = scores(model, test), *b = scores(out, test);
            CHECK_NEAR(kept.teacher_ap, ap_of(a, test), 1e-12);
            CHECK_NEAR(kept.ap, ap_of(b, test), 1e-12);
            CHECK(kept.ap > 0.3 * kept.teacher_ap && kept.overlap > 0.1 && kept.overlap <= 1);
            CHECK(kept.leaves >= 2 && kept.leaves <= (m % 2 ? 12u : 16u));
            CHECK(kept.test_rows == 800 && kept.rows == 1200 && isnan(kept.amount));
            CHECK(scarce_model_reasons(out) == SCARCE_REASONS_RULE);
            free(a);
            free(b);
        }
        if (test_failures != before) fprintf(stderr, "in method %s\n", spec);
        scarce_model_free(model);
        scarce_model_free(out);
    }
    scarce_table_free(table);
    scarce_table_free(test);
}

/* The imitator of a tree with few leaves puts rows as it does. */
static void test_imitates_a_tree(void)
{
    scarce_table *table = make_table_of(TABLE_PAYMENTS, 3000, 3, NULL);
    scarce_model *model = teacher_of("cart:max_depth=2:scores=leaf:min_child_rows=30", table), *out = NULL;
    scarce_distil_options o = SCARCE_DISTIL_OPTIONS_INIT;
    scarce_distilled kept = SCARCE_DISTILLED_INIT;
    CHECK(scarce_distil(&out, model, table, &o, &kept, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(kept.ap, kept.teacher_ap, 0.02);
    scarce_model_free(model);
    scarce_model_free(out);
    scarce_table_free(table);
}

static void test_threads(void)
{
    scarce_table *table = make_table_of(TABLE_WEIGHTED, 2500, 4, NULL);
    scarce_model *model = teacher_of("gb:n_trees=20", table);
    void *first = NULL;
    size_t n_first = 0;
    for (int threads = 1; threads <= 4; threads *= 2) {
        scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        scarce_model *out = NULL;
        void *bytes = NULL;
        size_t n = 0;
        co.threads = threads;
        CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
        CHECK(scarce_distil(&out, model, table, NULL, NULL, ctx, NULL) == SCARCE_OK);
        CHECK(scarce_model_bytes(&bytes, &n, out, NULL) == SCARCE_OK);
        if (first) CHECK(n == n_first && memcmp(first, bytes, n) == 0);
        if (first) scarce_bytes_free(bytes);
        else first = bytes, n_first = n;
        scarce_model_free(out);
        scarce_context_free(ctx);
    }
    scarce_bytes_free(first);
    scarce_model_free(model);
    scarce_table_free(table);
}

/* Without labels: no AP, but how much of the list is the same. */
static void test_without_labels(void)
{
    scarce_table *table = make_table_of(TABLE_PAYMENTS, 2000, 5, NULL);
    scarce_model *model = teacher_of("gb:n_trees=30", table),
                 *ranker = teacher_of("rankboost:n_trees=30", table);
    uint8_t *label = table->label;
    table->label = NULL;
    const scarce_model *teachers[] = {model, ranker};
    for (int k = 0; k < 2; ++k) {
        scarce_model *out = NULL;
        scarce_distilled kept = SCARCE_DISTILLED_INIT;
        CHECK(scarce_distil(&out, teachers[k], table, NULL, &kept, NULL, NULL) == SCARCE_OK);
        CHECK(isnan(kept.ap) && kept.test_positives == 0);
        CHECK(kept.overlap > 0.3);
        scarce_model_free(out);
    }
    table->label = label;
    scarce_model_free(model);
    scarce_model_free(ranker);
    scarce_table_free(table);
}

/* Splits of rare positives see roots of probabilities; a leaf says the mean of the probabilities themselves. */
static void test_leaves_of_rare_positives(void)
{
    static const char *const settings[] = {"rows=4000", "features=20", "rate=0.03"};
    scarce_distil_options o = SCARCE_DISTIL_OPTIONS_INIT;
    scarce_table *table = NULL;
    CHECK(scarce_simulate_table(&table, "copula", settings, 3, NULL, NULL, NULL) == SCARCE_OK);
    scarce_model *model = teacher_of("gb:n_trees=20", table), *out = NULL;
    scarce_scorer *scorer = NULL;
    const size_t n = scarce_table_rows(table);
    double *score = calloc(n, sizeof *score), *p = calloc(n, sizeof *p), *leaf;

    CHECK(scarce_table_positives(table) < n / 20);
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, table, score, p, NULL, NULL) == SCARCE_OK);
    o.rules = 8;
    o.test_fraction = 0;
    CHECK(scarce_distil(&out, model, table, &o, NULL, NULL, NULL) == SCARCE_OK);
    leaf = scores(out, table);
    for (size_t i = 0; i < n; i += 37) {
        double sum = 0, rows = 0;
        for (size_t k = 0; k < n; ++k)
            if (leaf[k] == leaf[i]) sum += p[k], rows += 1;
        CHECK_NEAR(leaf[i], sum / rows, 1e-9);
    }
    free(score), free(p), free(leaf);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_model_free(out);
    scarce_table_free(table);
}

static void test_wrong_use(void)
{
    scarce_table *table = make_table_of(TABLE_PAYMENTS, 300, 6, NULL),
                 *words = make_table_of(TABLE_WORDS, 100, 1, NULL);
    scarce_model *model = teacher_of("gb:n_trees=5", table), *out = NULL;
    const int depth[] = {0, 31, 4, 4, 4}, rules[] = {0, 0, 1, 0, 0};
    const double fraction[] = {0.3, 0.3, 0.3, 1, 0.3}, k[] = {5, 5, 5, 5, 0};
    scarce_error err = SCARCE_ERROR_INIT;
    for (size_t i = 0; i < 5; ++i) {
        scarce_distil_options o = SCARCE_DISTIL_OPTIONS_INIT;
        o.depth = depth[i];
        o.rules = rules[i];
        o.test_fraction = fraction[i];
        o.k = k[i];
        CHECK(scarce_distil(&out, model, table, &o, NULL, NULL, &err) == SCARCE_EINVAL);
        CHECK(out == NULL && err.text[0] != '\0');
    }
    CHECK(scarce_distil(&out, model, words, NULL, NULL, NULL, &err) == SCARCE_EDATA);
    scarce_model_free(model);
    scarce_table_free(table);
    scarce_table_free(words);
}

static const test_case tests[] = {{"every_method", ONE_THREAD(test_every_method)},
                                  {"imitates_a_tree", test_imitates_a_tree},
                                  {"threads", test_threads},
                                  {"without_labels", test_without_labels},
                                  {"leaves_of_rare_positives", test_leaves_of_rare_positives},
                                  {"wrong_use", test_wrong_use}};

TEST_MAIN(tests)
