/* SPDX-License-Identifier: Apache-2.0 */
/* Every public function that takes a struct with a struct_size refuses one that was zeroed, or whose size is
 * whatever was on the stack. The headers themselves are read, so that a new function is missed here. */
#include <dirent.h>
#include <stdlib.h>

#include <scarce/scarce.h>

#include "core/options.h"
#include "studies.h"

typedef struct given {
    scarce_table *table;
    scarce_model *model;
    scarce_scored rows;
    scarce_params *params;
    void *options; /* 4096 bytes, zero but for the size */
    scarce_error err;
    scarce_compare *compared;
} given;

static scarce_status new_context(given *g)
{
    scarce_context *ctx = NULL;
    const scarce_status st = scarce_context_new(&ctx, g->options, &g->err);
    CHECK(!ctx);
    return st;
}

static scarce_status read_table(given *g)
{
    const char *path = "nowhere.csv";
    scarce_table *t = NULL;
    return scarce_table_read(&t, &path, 1, g->options, NULL, &g->err);
}

static scarce_status write_table(given *g)
{
    return scarce_table_write(g->table, "/dev/null", g->options, NULL, &g->err);
}

static scarce_status split(given *g)
{
    scarce_split s;
    return scarce_split_temporal(&s, g->table, g->options, &g->err);
}

static scarce_status metrics(given *g)
{
    scarce_metrics m = SCARCE_METRICS_INIT;
    return scarce_metrics_compute(&m, &g->rows, g->options, NULL, &g->err);
}

static scarce_status metrics_filled(given *g)
{
    return scarce_metrics_compute(g->options, &g->rows, NULL, NULL, &g->err);
}

static scarce_status cards(given *g)
{
    scarce_curve c;
    return scarce_curve_cards(&c, &g->rows, g->options, NULL, &g->err);
}

static scarce_status cost(given *g)
{
    scarce_cost_point p;
    const double c = 1;
    return scarce_curve_cost(&p, &c, 1, &g->rows, g->options, NULL, &g->err);
}

static scarce_status bootstrap(given *g)
{
    const size_t ap = scarce_metric_find("ap");
    const scarce_bootstrap_options few = {sizeof few, 2, 0.9, SCARCE_BOOTSTRAP_AUTO};
    scarce_metrics_interval i;
    CHECK(scarce_metrics_bootstrap(&i, &ap, 1, &g->rows, g->options, &few, NULL, &g->err) == SCARCE_EINVAL);
    return scarce_metrics_bootstrap(&i, &ap, 1, &g->rows, NULL, g->options, NULL, &g->err);
}

static scarce_status bands(given *g)
{
    double x = 0.5, lo, hi;
    const scarce_curve_band b = {SCARCE_BAND_PR, 1, &x, &lo, &hi};
    return scarce_curve_bands(&b, 1, &g->rows, g->options, NULL, &g->err);
}

static scarce_status threshold(given *g)
{
    scarce_threshold_choice c;
    return scarce_threshold_choose(&c, g->options, &g->rows, &g->err);
}

static scarce_status new_budget(given *g)
{
    scarce_budget *b = NULL;
    return scarce_budget_new(&b, g->options, &g->err);
}

static scarce_status budget_rows(given *g)
{
    uint8_t *alert = malloc(g->rows.n);
    const scarce_status st =
        scarce_budget_alerts(alert, NULL, NULL, &g->rows, g->options, SCARCE_BUDGET_HINDSIGHT, &g->err);
    free(alert);
    return st;
}

static scarce_status explainer(given *g)
{
    scarce_explainer *e = NULL;
    return scarce_explainer_new(&e, g->model, g->options, &g->err);
}

static scarce_status resample(given *g)
{
    scarce_table *t = NULL;
    return scarce_resample(&t, NULL, g->options, g->table, "random-under", NULL, &g->err);
}

static scarce_status resample_rows(given *g)
{
    uint32_t *rows = NULL;
    size_t n;
    return scarce_resample_rows(&rows, &n, g->options, g->table, "random-under", NULL, &g->err);
}

static scarce_status frame_sparse(given *g)
{
    scarce_frame *f = NULL;
    return scarce_frame_sparse(&f, g->options, &g->err);
}

static scarce_status resample_take(given *g)
{
    return scarce_resample_take(&g->table, NULL, g->options, "random-under", NULL, &g->err);
}

static scarce_status simulate(given *g)
{
    const char *few = "n=20";
    return scarce_simulate("gaussian", &few, 1, "/dev/null", NULL, g->options, &g->err);
}

static scarce_status compare(given *g)
{
    const char *method = "logistic";
    scarce_compare *c = NULL;
    return scarce_compare_run(&c, g->table, &method, 1, g->options, NULL, &g->err);
}

static scarce_status folds(given *g)
{
    return scarce_compare_write_folds("/dev/null", g->table, g->options, NULL, &g->err);
}

static scarce_status tune(given *g)
{
    scarce_tune_result t = SCARCE_TUNE_RESULT_INIT;
    return scarce_tune_run(&t, g->table, "logistic", g->options, NULL, &g->err);
}

static scarce_status doctor(given *g)
{
    scarce_doctor *d = NULL;
    return scarce_doctor_run(&d, g->table, g->options, NULL, &g->err);
}

/* has no status: the report says so when it is written */
static scarce_status chart(given *g)
{
    scarce_report *r = NULL;
    scarce_status st;
    CHECK(scarce_report_new(&r, "title", NULL, NULL) == SCARCE_OK);
    CHECK(scarce_report_chart(r, g->options) == NULL);
    st = scarce_report_write(r, "/dev/null", &g->err);
    scarce_report_free(r);
    return st;
}

static scarce_status train(given *g)
{
    scarce_model *m = NULL;
    CHECK(scarce_train(&m, g->table, g->params, NULL, g->options, NULL, &g->err) == SCARCE_EINVAL);
    return scarce_train(&m, g->table, g->params, g->options, NULL, NULL, &g->err);
}

static scarce_status train_far(given *g)
{
    scarce_model *m = NULL;
    scarce_sketch *sketch = NULL;
    scarce_plan *plan = NULL;
    scarce_far far = scarce_far_here(&(scarce_here){NULL, 0});
    scarce_params *gb = NULL;
    scarce_status st;
    CHECK(scarce_params_new(&gb, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_sketch_new(&sketch, NULL) == SCARCE_OK);
    CHECK(scarce_sketch_add(sketch, g->table, NULL, 0, NULL) == SCARCE_OK);
    CHECK(scarce_plan_new(&plan, sketch, gb, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_train_far(&m, plan, gb, NULL, g->options, NULL, NULL, &g->err) == SCARCE_EINVAL);
    CHECK(scarce_train_far(&m, plan, gb, NULL, &far, g->options, NULL, &g->err) == SCARCE_EINVAL);
    st = scarce_train_far(&m, plan, gb, g->options, &far, NULL, NULL, &g->err);
    scarce_params_free(gb);
    scarce_plan_free(plan);
    scarce_sketch_free(sketch);
    return st;
}

static scarce_status train_check(given *g)
{
    return scarce_train_check(g->params, g->options, &g->err);
}

static scarce_status train_memory(given *g)
{
    double bytes;
    CHECK(scarce_train_memory(&bytes, g->params, g->options, NULL, NULL, &g->err) == SCARCE_EINVAL);
    return scarce_train_memory(&bytes, g->params, NULL, g->options, NULL, &g->err);
}

static scarce_status read_bytes(given *g)
{
    scarce_table *t = NULL;
    return scarce_table_read_bytes(&t, "a,label\n1,0\n", 12, "bytes", g->options, NULL, &g->err);
}

static scarce_status from_columns(given *g)
{
    scarce_table *t = NULL;
    return scarce_table_from_columns(&t, g->options, 1, 1, NULL, NULL, &g->err);
}

static scarce_status view(given *g)
{
    scarce_table *t = NULL;
    return scarce_table_view(&t, g->table, g->options, &g->err);
}

static scarce_status tune_filled(given *g)
{
    return scarce_tune_run(g->options, g->table, "logistic", NULL, NULL, &g->err);
}

static scarce_status summary(given *g)
{
    return scarce_compare_summarize(g->options, g->compared, 0, 0, NULL, &g->err);
}

static scarce_status pair(given *g)
{
    return scarce_compare_test(g->options, g->compared, 0, 0, 0, NULL, &g->err);
}

/* A page adds to a report. */
static scarce_status page_with(given *g, scarce_status (*draw)(given *g, scarce_report *r))
{
    scarce_report *r = NULL;
    CHECK(scarce_report_new(&r, "title", NULL, NULL) == SCARCE_OK);
    const scarce_status st = draw(g, r);
    scarce_report_free(r);
    return st;
}

static scarce_status draw_training(given *g, scarce_report *r)
{
    return scarce_page_training(r, g->options, NULL, &g->err);
}

static scarce_status draw_evaluation(given *g, scarce_report *r)
{
    return scarce_page_evaluation(r, g->options, NULL, &g->err);
}

static scarce_status draw_comparison(given *g, scarce_report *r)
{
    return scarce_page_comparison(r, g->options, NULL, &g->err);
}

static scarce_status page_training(given *g)
{
    return page_with(g, draw_training);
}

static scarce_status page_evaluation(given *g)
{
    return page_with(g, draw_evaluation);
}

static scarce_status page_comparison(given *g)
{
    return page_with(g, draw_comparison);
}

static scarce_status simulate_table(given *g)
{
    const char *few = "n=20";
    scarce_table *t = NULL;
    return scarce_simulate_table(&t, "copula", &few, 1, NULL, g->options, &g->err);
}

static scarce_status card_ceiling(given *g)
{
    double x;
    return scarce_card_ceiling(&x, &g->rows, g->options, NULL, &g->err);
}

static scarce_status distil(given *g)
{
    scarce_model *m = NULL;
    CHECK(scarce_distil(&m, g->model, g->table, NULL, g->options, NULL, &g->err) == SCARCE_EINVAL);
    return scarce_distil(&m, g->model, g->table, g->options, NULL, NULL, &g->err);
}

static scarce_status rules_get(given *g)
{
    scarce_params *p = NULL;
    scarce_model *m = NULL;
    scarce_rules *rules = NULL;
    CHECK(scarce_params_new(&p, "cart", NULL) == SCARCE_OK);
    CHECK(scarce_train(&m, g->table, p, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_rules_new(&rules, m, NULL) == SCARCE_OK);
    const scarce_status st = scarce_rules_get(rules, 0, g->options, &g->err);
    scarce_rules_free(rules);
    scarce_model_free(m);
    scarce_params_free(p);
    return st;
}

/* ---- rules, features, streams */

static const scarce_record_field amount = {"amount", SCARCE_VALUE_NUMBER};
static const char one_rule[] = "rule large stage alert\n  when amount > 1\n";

static scarce_status ruleset_load(given *g)
{
    scarce_ruleset *set = NULL;
    return scarce_ruleset_load(&set, "nowhere.rules", &amount, 1, g->options, &g->err);
}

static scarce_status ruleset_read(given *g)
{
    scarce_ruleset *set = NULL;
    return scarce_ruleset_read(&set, one_rule, strlen(one_rule), "rules", &amount, 1, g->options, &g->err);
}

static scarce_status ruleset_get(given *g)
{
    scarce_ruleset *set = NULL;
    CHECK(scarce_ruleset_read(&set, one_rule, strlen(one_rule), "rules", &amount, 1, NULL, NULL) ==
          SCARCE_OK);
    const scarce_status st = scarce_ruleset_get(set, 0, g->options, &g->err);
    scarce_ruleset_free(set);
    return st;
}

/* Rules of the table's first column, over the table. */
static scarce_status backtest(given *g, int get)
{
    char text[128];
    scarce_records *records = NULL;
    scarce_ruleset *set = NULL;
    scarce_backtest *b = NULL;
    scarce_status st;
    size_t n = 0, f = 0;

    CHECK(scarce_records_new(&records, g->table, NULL) == SCARCE_OK);
    const scarce_record_field *fields = scarce_records_fields(records, &n);
    while (f + 1 < n && fields[f].type != SCARCE_VALUE_NUMBER) ++f;
    snprintf(text, sizeof text, "rule some stage alert\n  when %s > 0\n", fields[f].name);
    CHECK(scarce_ruleset_read(&set, text, strlen(text), "rules", fields, n, NULL, NULL) == SCARCE_OK);
    if (!get) st = scarce_backtest_run(&b, set, records, g->options, NULL, &g->err);
    else {
        CHECK(scarce_backtest_run(&b, set, records, NULL, NULL, NULL) == SCARCE_OK);
        st = scarce_backtest_get(b, 0, g->options, &g->err);
    }
    scarce_backtest_free(b);
    scarce_ruleset_free(set);
    scarce_records_free(records);
    return st;
}

static scarce_status backtest_run(given *g)
{
    return backtest(g, 0);
}

static scarce_status backtest_get(given *g)
{
    return backtest(g, 1);
}

static scarce_definitions *definitions(void)
{
    static const char text[] = "field time time\nfield card key\nover 1d by card: count\n";
    scarce_definitions *d = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status st = scarce_definitions_read(&d, text, strlen(text), "text", &err);
    if (st) fprintf(stderr, "%s\n", err.text);
    CHECK(st == SCARCE_OK);
    return d;
}

static scarce_status features_measure(given *g)
{
    scarce_definitions *d = definitions();
    scarce_features *f = NULL;
    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    const scarce_status st = scarce_features_measure(f, g->options, &g->err);
    scarce_features_free(f);
    scarce_definitions_free(d);
    return st;
}

static scarce_status features_table(given *g)
{
    const char *path = "nowhere.csv";
    scarce_definitions *d = definitions();
    CHECK(scarce_features_table(d, &path, 1, "/dev/null", NULL, NULL, g->options, &g->err) == SCARCE_EINVAL);
    const scarce_status st = scarce_features_table(d, &path, 1, "/dev/null", g->options, NULL, NULL, &g->err);
    scarce_definitions_free(d);
    return st;
}

static scarce_status stream_open(given *g)
{
    const char *path = "nowhere.csv";
    scarce_stream *s = NULL;
    return scarce_stream_open(&s, &path, 1, g->options, NULL, &g->err);
}

/* 0 new, 1 of classes, 2 going on, 3 its status */
static scarce_status learner(given *g, int what)
{
    scarce_params *p = NULL;
    scarce_learner *l = NULL, *other = NULL;
    scarce_model *m = NULL;
    scarce_status st = SCARCE_OK;
    CHECK(scarce_params_new(&p, "onlb", NULL) == SCARCE_OK);
    CHECK(scarce_learner_new(&l, p, scarce_table_schema(g->table), NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_learner_model(&m, l, NULL) == SCARCE_OK);
    if (what == 0)
        st = scarce_learner_new(&other, p, scarce_table_schema(g->table), g->options, NULL, &g->err);
    if (what == 1)
        st = scarce_learner_new_classes(&other, p, scarce_table_schema(g->table), 3, 1, g->options, NULL,
                                        &g->err);
    if (what == 2) st = scarce_learner_go_on(&other, m, g->options, NULL, &g->err);
    if (what == 3) st = scarce_learner_get_status(g->options, l, &g->err);
    scarce_learner_free(other);
    scarce_learner_free(l);
    scarce_model_free(m);
    scarce_params_free(p);
    return st;
}

static scarce_status learner_new(given *g)
{
    return learner(g, 0);
}

static scarce_status learner_new_classes(given *g)
{
    return learner(g, 1);
}

static scarce_status learner_go_on(given *g)
{
    return learner(g, 2);
}

static scarce_status learner_status(given *g)
{
    return learner(g, 3);
}

static const struct {
    const char *name;
    scarce_status (*call)(given *g); /* NULL: see the comment */
} functions[] = {
    {"scarce_ruleset_load", ruleset_load},
    {"scarce_ruleset_read", ruleset_read},
    {"scarce_ruleset_get", ruleset_get},
    {"scarce_backtest_run", backtest_run},
    {"scarce_backtest_get", backtest_get},
    {"scarce_features_measure", features_measure},
    {"scarce_features_table", features_table},
    {"scarce_stream_open", stream_open},
    {"scarce_learner_new", learner_new},
    {"scarce_learner_new_classes", learner_new_classes},
    {"scarce_learner_go_on", learner_go_on},
    {"scarce_learner_get_status", learner_status},
    {"scarce_context_new", new_context},
    {"scarce_table_read", read_table},
    {"scarce_table_write", write_table},
    {"scarce_split_temporal", split},
    {"scarce_metrics_compute", metrics},
    {"scarce_metrics_compute, filled", metrics_filled},
    {"scarce_compare_summarize", summary},
    {"scarce_compare_test", pair},
    {"scarce_tune_run, filled", tune_filled},
    {"scarce_curve_cards", cards},
    {"scarce_curve_cost", cost},
    {"scarce_metrics_bootstrap", bootstrap},
    {"scarce_curve_bands", bands},
    {"scarce_threshold_choose", threshold},
    {"scarce_budget_new", new_budget},
    {"scarce_budget_alerts", budget_rows},
    {"scarce_explainer_new", explainer},
    {"scarce_resample", resample},
    {"scarce_resample_take", resample_take},
    {"scarce_resample_rows", resample_rows},
    {"scarce_frame_sparse", frame_sparse},
    {"scarce_simulate", simulate},
    {"scarce_compare_run", compare},
    {"scarce_compare_write_folds", folds},
    {"scarce_tune_run", tune},
    {"scarce_doctor_run", doctor},
    {"scarce_report_chart", chart},
    {"scarce_page_training", page_training},
    {"scarce_page_evaluation", page_evaluation},
    {"scarce_page_comparison", page_comparison},
    {"scarce_page_tuning", NULL}, /* reads one that was filled */
    {"scarce_simulate_table", simulate_table},
    {"scarce_card_ceiling", card_ceiling},
    {"scarce_distil", distil},
    {"scarce_rules_get", rules_get},
    {"scarce_threshold_parse", NULL}, /* fills the whole struct */
    {"scarce_train", train},
    {"scarce_train_check", train_check},
    {"scarce_train_far", train_far},
    {"scarce_train_memory", train_memory},
    {"scarce_table_read_bytes", read_bytes},
    {"scarce_table_from_columns", from_columns},
    {"scarce_table_view", view},
    {"scarce_metric_value", NULL},         /* reads one that was filled */
    {"scarce_tune_result_deinit", NULL},   /* frees what scarce_tune_run put there */
    {"scarce_train_summary_deinit", NULL}, /* frees what scarce_train put there */
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static void test_no_size(void)
{
    static const size_t wrong[] = {0, 1, sizeof(size_t), 5000, (size_t)0xdeadbeefdeadbeef, SIZE_MAX};
    static double score[STUDY_ROWS];
    const char *method = "logistic";
    scarce_params *params = NULL;
    given g;

    memset(&g, 0, sizeof g);
    g.table = study_table(1, 1);
    for (size_t i = 0; i < STUDY_ROWS; ++i) score[i] = (double)(i % 97);
    g.rows.n = STUDY_ROWS;
    g.rows.score = score;
    g.rows.label = g.table->label;
    g.rows.time = g.table->time;
    g.rows.group = g.table->group;
    CHECK(scarce_params_new(&params, "logistic", NULL) == SCARCE_OK);
    g.params = params;
    CHECK(scarce_train(&g.model, g.table, params, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_compare_run(&g.compared, g.table, &method, 1, NULL, NULL, NULL) == SCARCE_OK);
    g.options = calloc(1, 4096);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
        for (size_t f = 0; f < FUNCTIONS; ++f) {
            if (!functions[f].call) continue;
            memset(g.options, 0, 4096);
            memset(g.err.text, 0, sizeof g.err.text);
            memcpy(g.options, &wrong[k], sizeof wrong[k]);
            if (functions[f].call(&g) != SCARCE_EINVAL ||
                !strstr(g.err.text, "begin the struct with SCARCE_")) {
                fprintf(stderr, "%s took struct_size %zu: \"%s\"\n", functions[f].name, wrong[k], g.err.text);
                ++test_failures;
            }
        }
    free(g.options);
    scarce_compare_free(g.compared);
    scarce_model_free(g.model);
    scarce_params_free(params);
    scarce_table_free(g.table);
}

/* Metrics options inside those of a comparison are looked at before anything is trained. */
static void test_inside(void)
{
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_metrics_options zeroed;
    const char *method = "logistic";
    scarce_compare *c = NULL;
    scarce_table *t = study_table(0, 0);
    scarce_error err = SCARCE_ERROR_INIT;
    memset(&zeroed, 0, sizeof zeroed);
    o.metrics = &zeroed;
    CHECK(scarce_compare_run(&c, t, &method, 1, &o, NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "struct_size is 0: begin the struct with SCARCE_METRICS_OPTIONS_INIT");
    scarce_table_free(t);
}

/* ---- the copy itself: an older and a newer caller */

static void test_copy(void)
{
    typedef struct some {
        size_t struct_size;
        int64_t a, b;
    } some;
    struct {
        some known;
        int64_t c;
    } newer = {{sizeof newer, 5, 6}, 7};
    some o = {sizeof o, 1, 2}, older = {offsetof(some, b), 3, 99}, room = {offsetof(some, b), 0, 42};

    CHECK(SCARCE__OPTIONS(&o, (const some *)NULL, SOME_INIT, NULL) == SCARCE_OK && o.a == 1 && o.b == 2);
    CHECK(SCARCE__OPTIONS(&o, &older, SOME_INIT, NULL) == SCARCE_OK);
    CHECK(o.a == 3 && o.b == 2 && o.struct_size == sizeof o);
    CHECK(SCARCE__OPTIONS(&o, &newer.known, SOME_INIT, NULL) == SCARCE_OK);
    CHECK(o.a == 5 && o.b == 6 && o.struct_size == sizeof o);
    SCARCE__FILL(&room, &o);
    CHECK(room.a == 5 && room.b == 42 && room.struct_size == offsetof(some, b));
    SCARCE__FILL((some *)NULL, &o);
}

/* ---- the headers: which structs have a size, and which functions take them */

enum { MOST_TYPES = 64 };
static char sized[MOST_TYPES][64];
static size_t n_sized;

static char *text_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    CHECK(f && text);
    if (f) CHECK(fread(text, 1, (1 << 20) - 1, f) > 0);
    if (f) fclose(f);
    return text;
}

static void find_types(const char *text)
{
    for (const char *p = text; (p = strstr(p, "typedef struct scarce_")) != NULL; ++p) {
        const char *name = p + strlen("typedef struct "), *brace = strpbrk(name, "{;"), *end;
        if (!brace || *brace == ';') continue;
        end = strchr(brace, '}');
        const char *size = strstr(brace, "size_t struct_size;");
        if (!end || !size || size > end || n_sized == MOST_TYPES) continue;
        snprintf(sized[n_sized++], 64, "%.*s", (int)strcspn(name, " \n"), name);
    }
}

static int takes_sized(const char *call, size_t n)
{
    for (size_t k = 0; k < n_sized; ++k)
        for (const char *p = call; (p = strstr(p, sized[k])) != NULL && p < call + n; ++p)
            if (strncmp(p + strlen(sized[k]), " *", 2) == 0) return 1;
    return 0;
}

static size_t find_calls(const char *text)
{
    size_t found = 0;
    for (const char *p = text; (p = strstr(p, "\nSCARCE_API ")) != NULL; ++p) {
        const char *open = strchr(p, '('), *end = strchr(p, ';'), *name = open;
        size_t f = 0;
        if (!open || !end || !takes_sized(open, (size_t)(end - open))) continue;
        while (name[-1] != ' ' && name[-1] != '*') --name;
        const size_t n = (size_t)(open - name);
        while (f < FUNCTIONS && (strlen(functions[f].name) != n || strncmp(functions[f].name, name, n))) ++f;
        if (f == FUNCTIONS) {
            fprintf(stderr, "%.*s takes a struct with a size and is not in this test\n", (int)n, name);
            ++test_failures;
        }
        ++found;
    }
    return found;
}

static void test_headers(void)
{
    size_t found = 0;
    for (int pass = 0; pass < 2; ++pass) {
        DIR *folder = opendir("../include/scarce");
        struct dirent *e;
        CHECK(folder);
        while (folder && (e = readdir(folder)) != NULL) {
            char path[512];
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "../include/scarce/%.200s", e->d_name);
            char *text = text_of(path);
            if (pass == 0) find_types(text);
            else found += find_calls(text);
            free(text);
        }
        if (folder) closedir(folder);
    }
    CHECK(n_sized >= 15 && found + 2 >= FUNCTIONS); /* two take a size twice */
}

static const test_case tests[] = {
    {"no_size", test_no_size}, {"inside", test_inside}, {"copy", test_copy}, {"headers", test_headers}};
TEST_MAIN(tests)
