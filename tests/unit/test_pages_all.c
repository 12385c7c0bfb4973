/* SPDX-License-Identifier: Apache-2.0 */
/* The library's pages: well formed, the same bytes with any number of threads, and whole with whatever a caller lacks. */
#include <locale.h>
#include <stdlib.h>

#include <scarce/pages.h>

#include "core/text.h"
#include "html_check.h"
#include "unit/studies.h"

typedef struct setting {
    scarce_context *ctx;
    scarce_table *table, *train, *valid;
    scarce_model *model;
    scarce_train_summary summary;
    scarce_metrics metrics;
    double *score, *probability;
    scarce_scored rows;
} setting;

static scarce_context *context_of(int threads)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    co.threads = threads;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    return ctx;
}

static void begin(setting *s, const char *method, int threads)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_metrics metrics = SCARCE_METRICS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params = NULL;
    scarce_scorer *scorer = NULL;
    scarce_split split;

    memset(s, 0, sizeof *s);
    s->summary = summary, s->metrics = metrics;
    s->ctx = context_of(threads);
    s->table = study_table(1, 1);
    CHECK(scarce_split_latest(&split, s->table, 0.3, &err) == SCARCE_OK);
    CHECK(scarce_table_rows_of(&s->train, s->table, split.train, split.n_train, s->ctx, &err) == SCARCE_OK);
    CHECK(scarce_table_rows_of(&s->valid, s->table, split.test, split.n_test, s->ctx, &err) == SCARCE_OK);
    scarce_split_deinit(&split);
    o.valid = s->valid;
    CHECK(scarce_params_of_spec(&params, method, &err) == SCARCE_OK);
    CHECK(scarce_train(&s->model, s->train, params, &o, &s->summary, s->ctx, &err) == SCARCE_OK);
    scarce_params_free(params);
    s->score = malloc(STUDY_ROWS * sizeof *s->score);
    s->probability = malloc(STUDY_ROWS * sizeof *s->probability);
    CHECK(scarce_scorer_new(&scorer, s->model, &err) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, s->valid, s->score, s->probability, s->ctx, &err) == SCARCE_OK);
    scarce_scorer_free(scorer);
    s->rows = scarce_scored_of_table(s->valid, s->score, s->probability);
    CHECK(scarce_metrics_compute(&s->metrics, &s->rows, NULL, s->ctx, &err) == SCARCE_OK);
}

static void end(setting *s)
{
    free(s->score);
    free(s->probability);
    scarce_train_summary_deinit(&s->summary);
    scarce_model_free(s->model);
    scarce_table_free(s->train);
    scarce_table_free(s->valid);
    scarce_table_free(s->table);
    scarce_context_free(s->ctx);
}

static scarce_report *report_of(void)
{
    scarce_report *r = NULL;
    CHECK(scarce_report_new(&r, "Title", NULL, NULL) == SCARCE_OK);
    return r;
}

/* The text of a page that must be well formed. */
static char *bytes_of(scarce_report *r)
{
    void *bytes = NULL;
    html_state state;
    size_t n;

    CHECK(scarce_report_bytes(&bytes, &n, r, NULL) == SCARCE_OK);
    if (!bytes) abort();
    CHECK(html_problem(&state, bytes) == NULL);
    scarce_report_free(r);
    return bytes;
}

static char *training(const setting *s, int with_summary, int with_tables)
{
    scarce_training_view v = SCARCE_TRAINING_VIEW_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = report_of();

    v.model = s->model;
    if (with_summary) v.summary = &s->summary;
    if (with_tables) v.table = s->train, v.valid = s->valid, v.metrics = &s->metrics;
    CHECK(scarce_page_training(r, &v, s->ctx, &err) == SCARCE_OK);
    return bytes_of(r);
}

static void test_training(void)
{
    setting s;
    char *page;

    begin(&s, "gb:n_trees=12", 2);
    s.summary.seconds_prepare = s.summary.seconds_train = 0.5;
    page = training(&s, 1, 1);
    CHECK(strstr(page, "Learning curve") && strstr(page, "Mean size of a feature") &&
          strstr(page, "Validation rows"));
    scarce_bytes_free(page);
    page = training(&s, 0, 0);
    CHECK(strstr(page, "gains of a feature") && !strstr(page, "Learning curve") && strstr(page, "n_trees"));
    scarce_bytes_free(page);
    end(&s);
    begin(&s, "logistic", 1);
    page = training(&s, 0, 0); /* neither rows nor trees: no importances */
    CHECK(!strstr(page, "Importances") && strstr(page, "logistic"));
    scarce_bytes_free(page);
    end(&s);
}

static char *evaluation(const setting *s, int with_model)
{
    scarce_evaluation_view v = SCARCE_EVALUATION_VIEW_INIT;
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = report_of();

    o.cost = 0.25;
    v.rows = &s->rows, v.metrics = &s->metrics, v.replicates = 30;
    if (with_model) v.model = s->model, v.table = s->valid, v.options = &o, v.model_name = "a.scarce";
    CHECK(scarce_page_evaluation(r, &v, s->ctx, &err) == SCARCE_OK);
    if (err.code != SCARCE_OK) fprintf(stderr, "%s\n", err.text);
    return bytes_of(r);
}

static void test_evaluation(void)
{
    setting one, two;
    char *a, *b;

    begin(&one, "gb:n_trees=12", 1);
    begin(&two, "gb:n_trees=12", 4);
    a = evaluation(&one, 1);
    b = evaluation(&two, 1);
    CHECK(strcmp(a, b) == 0);
    CHECK(strstr(a, "what raised the score") && strstr(a, "a.scarce") &&
          strstr(a, "Cost of every threshold"));
    CHECK(strlen(a) < 100000);
    scarce_bytes_free(a);
    scarce_bytes_free(b);
    a = evaluation(&one, 0);
    CHECK(strstr(a, "Precision and recall") && !strstr(a, "what raised the score"));
    scarce_bytes_free(a);
    end(&one);
    end(&two);
}

static void test_comparison(void)
{
    static const char *const methods[] = {"logistic", "gb:n_trees=5"};
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_comparison_view v = SCARCE_COMPARISON_VIEW_INIT;
    scarce_table *t = study_table(0, 0);
    scarce_context *ctx = context_of(2);
    scarce_verdicts *verdicts = NULL;
    scarce_compare *c = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = report_of();
    char *page, text[160];

    o.repeats = 3;
    CHECK(scarce_compare_run(&c, t, methods, 2, &o, ctx, &err) == SCARCE_OK);
    CHECK(scarce_verdicts_new(&verdicts, c, scarce_metric_find("ap"), ctx, &err) == SCARCE_OK);
    CHECK(verdicts->n_pairs == 1 && verdicts->rank[0] + verdicts->rank[1] == 3);
    CHECK(verdicts->pairs[0]->a == 0 && verdicts->pairs[0]->b == 1 && verdicts->pairs[0]->pair.n == 3);
    scarce_verdict_text(text, sizeof text, verdicts->pairs[0]);
    CHECK(strncmp(text, "too few folds", 13) == 0);
    v.compare = c, v.verdicts = verdicts;
    CHECK(scarce_page_comparison(r, &v, ctx, &err) == SCARCE_OK);
    page = bytes_of(r);
    CHECK(strstr(page, "Fold by fold") && strstr(page, text) && !strstr(page, "protocol"));
    scarce_bytes_free(page);
    scarce_verdicts_free(verdicts);
    scarce_verdicts_free(NULL);
    scarce_compare_free(c);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

static void test_tuning(void)
{
    scarce_tune_trial first = {(char *)(uintptr_t) "", 0.5, 1, 0, 1, 1},
                      second = {(char *)(uintptr_t) "max_depth=3 n_trees=40", 0.6, 2, 40, 1, 3},
                      cut = {(char *)(uintptr_t) "<b>=1", (double)NAN, 2, 0, 1.0 / 9, 4};
    scarce_tune_trial *trials[] = {&first, &second, &cut};
    scarce_tune_result t = SCARCE_TUNE_RESULT_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = report_of();
    char *page;

    CHECK(scarce_page_tuning(r, &t, "gb", NULL, &err) == SCARCE_EINVAL);
    t.trials = trials, t.n_trials = 3, t.best = t.highest = 1, t.difference = 0.1, t.error = 0.02,
    t.splits = 5;
    CHECK(scarce_page_tuning(r, &t, "gb", NULL, &err) == SCARCE_OK);
    page = bytes_of(r);
    CHECK(strstr(page, "Take max_depth=3 n_trees=40.") && strstr(page, "(the default)"));
    CHECK(strstr(page, "&lt;b&gt;=1") && strstr(page, "on 5 splits"));
    scarce_bytes_free(page);
}

static void test_doctor(void)
{
    scarce_table *t = study_table(1, 1);
    scarce_context *ctx = context_of(2);
    scarce_doctor *d = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = report_of();
    char *page;

    CHECK(scarce_doctor_run(&d, t, NULL, ctx, &err) == SCARCE_OK);
    CHECK(scarce_page_doctor(r, d, t, &err) == SCARCE_OK);
    page = bytes_of(r);
    CHECK(strstr(page, "Findings") && strstr(page, "fingerprint"));
    scarce_bytes_free(page);
    r = report_of();
    CHECK(scarce_page_doctor(r, d, NULL, &err) == SCARCE_OK);
    page = bytes_of(r);
    CHECK(!strstr(page, "fingerprint"));
    scarce_bytes_free(page);
    scarce_doctor_free(d);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

static void test_keywords(void)
{
    scarce_report *r = report_of();
    char *page;

    scarce_report_paragraph(r, "say --time-format first");
    scarce_report_keywords(r);
    scarce_report_finding(r, SCARCE_SEVERITY_NOTE, "--valid-fraction F, or --valid; a--b, ---, 1 -- 2",
                          "--time COL");
    page = bytes_of(r);
    CHECK(strstr(page, "say --time-format first"));
    CHECK(strstr(page, "valid_fraction= F, or valid=; a--b, ---, 1 -- 2") && strstr(page, "time= COL"));
    scarce_bytes_free(page);
}

/* Numbers in sentences have a point in every locale, and texts are cut as snprintf cuts them. */
static void test_print(void)
{
    const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    char out[64];

    for (size_t i = 0; i < 4; ++i) {
        if (!setlocale(LC_NUMERIC, locales[i])) continue;
        CHECK(scarce__print(out, sizeof out, "%.3g %% of %.0f: %+.2f|%-4s|%zu|%5d|%016llx", 1.25, 1e6, -0.5,
                            "ab", (size_t)7, -3, 255ULL) > 0);
        CHECK(strcmp(out, "1.25 % of 1000000: -0.50|ab  |7|   -3|00000000000000ff") == 0);
    }
    setlocale(LC_NUMERIC, "C");
    CHECK(scarce__print(out, 5, "%.3f and more", 1.5) == 14 && strcmp(out, "1.50") == 0);
    CHECK(scarce__print(out, sizeof out, "%.2s", "abc") == 2 && strcmp(out, "ab") == 0);
    CHECK(scarce__print(out, sizeof out, "%g %g", (double)NAN, (double)INFINITY) > 0 &&
          strcmp(out, "nan inf") == 0);
    CHECK(scarce__print(out, sizeof out, "%s", "") == 0 && out[0] == '\0');
}

static const test_case tests[] = {
    {"training", test_training}, {"evaluation", test_evaluation}, {"comparison", test_comparison},
    {"tuning", test_tuning},     {"doctor", test_doctor},         {"keywords", test_keywords},
    {"print", test_print}};
TEST_MAIN(tests)
