/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning: places are drawn where they should be, the learning curve of one model is what smaller models give,
 * the result does not depend on threads, a planted optimum is found, and noise is not taken for one. */
#include <scarce/study.h>

#include <unistd.h>

#include "study/inner.h"
#include "study/places.h"
#include "study/trial.h"
#include "unit/files.h"
#include "unit/studies.h"

static scarce_context *context_of(int threads, uint64_t seed)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    co.threads = threads;
    co.seed = seed;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    return ctx;
}

/* ---- places */

/* Every method says where to look, and whatever is drawn there can be typed in. */
static void test_every_method(void)
{
    for (size_t m = 0; m < scarce_method_count(); ++m) {
        const char *name = scarce_method_get(m).name;
        scarce_params *params = NULL, *typed;
        scarce__places places;
        double u[128];
        CHECK(scarce_params_new(&params, name, NULL) == SCARCE_OK);
        CHECK(scarce__places_find(&places, params, NULL, NULL, NULL) == SCARCE_OK);
        if (places.count == 0 || places.count > 128) fprintf(stderr, "%s: %zu places\n", name, places.count);
        CHECK(places.count > 0 && places.count <= 128);
        for (uint64_t i = 0; i < 50; ++i) {
            scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, i);
            scarce__text text = SCARCE__TEXT_INIT;
            scarce__places_draw(&places, u, &r);
            if (i % 2) scarce__places_move(&places, u, u, 0.5, &r);
            for (size_t k = 0; k < places.count; ++k) CHECK(u[k] >= 0 && u[k] <= 1);
            scarce__places_text(&places, u, &text);
            CHECK(scarce_params_new(&typed, name, NULL) == SCARCE_OK);
            CHECK(scarce_params_set_list(typed, text.bytes ? text.bytes : "", ' ', NULL) == SCARCE_OK);
            scarce_params_free(typed);
            scarce__text_deinit(&text);
        }
        scarce__places_deinit(&places);
        scarce_params_free(params);
    }
}

static size_t side_of(const scarce__places *places, const char *name)
{
    for (size_t i = 0; i < places->count; ++i)
        if (strcmp(places->items[i].param->name, name) == 0) return i;
    CHECK(0);
    return 0;
}

static void test_places(void)
{
    static const scarce__param table_params[] = {
        {"rate", "", SCARCE__REAL, 0, "0.1", 0, 1, NULL, "", "log:0.01:1", NULL},
        {"kind", "", SCARCE__CHOICE, 8, "a", 0, 0, "a|b|c", "", "a|b", NULL},
        {"depth", "", SCARCE__INT, 16, "3", 1, 99, NULL, "", "int:1:4", "kind=b|c"},
        {"free", "", SCARCE__REAL, 24, "7", 0, 9, NULL, "", NULL, NULL},
        {"far", "", SCARCE__REAL, 32, "5", 0, 9, NULL, "", "real:0:1", NULL},
    };
    static const scarce__param_part parts[] = {SCARCE__PART(table_params, 0)};
    static const scarce__param_table table = {parts, 1, 40};
    static const scarce__engine engine = {.params = &table};
    static const scarce__method method = {"test", "", "", "", &engine, NULL};
    scarce__params *values = NULL;
    scarce__text text = SCARCE__TEXT_INIT;
    scarce__places places;
    double u[4], moved[4];
    CHECK(scarce__params_new(&values, "", "test", &table, NULL, NULL) == SCARCE_OK);
    const scarce_params params = {&method, values, NULL};
    CHECK(scarce__places_find(&places, &params, NULL, NULL, NULL) == SCARCE_OK);
    const size_t rate = side_of(&places, "rate"), kind = side_of(&places, "kind"),
                 depth = side_of(&places, "depth"), far = side_of(&places, "far");
    CHECK(places.count == 4 && places.items[rate].log && places.items[depth].whole);
    CHECK_NEAR(places.items[rate].usual, 0.5, 1e-12); /* 0.1 is half way on a log scale */
    CHECK(isnan(places.items[far].usual));            /* the default lies outside */
    u[rate] = 0.5, u[kind] = 0, u[depth] = 1, u[far] = (double)NAN;
    scarce__places_text(&places, u, &text);
    CHECK_TEXT(text.bytes, "rate=0.1 kind=a"); /* depth belongs to b and c; far stays as it is */
    scarce__text_deinit(&text);
    u[kind] = 0.99;
    scarce__places_text(&places, u, &text);
    CHECK_TEXT(text.bytes, "rate=0.1 kind=b depth=4");
    scarce__text_deinit(&text);
    CHECK_NEAR(scarce__places_number(&places, u, "rate"), 0.1, 1e-12);
    CHECK_NEAR(scarce__places_number(&places, u, "free"), 7, 0);
    CHECK(isnan(scarce__places_number(&places, u, "kind")) && isnan(scarce__places_number(&places, u, "no")));
    for (uint64_t i = 0; i < 200; ++i) { /* near is near */
        scarce__random r = scarce__random_start(2, SCARCE__FOR_TEST, i);
        scarce__places_move(&places, moved, u, 0.1, &r);
        CHECK(fabs(moved[rate] - 0.5) <= 0.1 && moved[depth] >= 0.9 && moved[depth] <= 1);
    }
    scarce__places_deinit(&places);
    CHECK(scarce__params_set(values, "rate", "0.3", NULL) == SCARCE_OK);
    CHECK(scarce__places_find(&places, &params, "kind", NULL, NULL) == SCARCE_OK);
    CHECK(places.count == 2); /* a fixed one is no place, nor is the exception */
    scarce__places_deinit(&places);
    scarce__params_free(values);
}

/* ---- splits and curves */

static void test_inner(void)
{
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce__inner inner;
    scarce_table *t = study_table(0, 0), *timed = study_table(1, 0);
    CHECK(t->n_positives > 120 && t->n_positives < 300);
    CHECK(scarce__inner_make(&inner, t, &o, NULL, NULL) == SCARCE_OK);
    CHECK(inner.count >= 1 && inner.count < 4 && inner.blocks > 1 && inner.sharing > 0);
    scarce__inner_deinit(&inner);
    CHECK(scarce__inner_make(&inner, timed, &o, NULL, NULL) == SCARCE_OK);
    CHECK(inner.count >= 2 && inner.sharing == 0);
    for (size_t k = 0; k < inner.count; ++k) { /* what judges is younger than what trains */
        const scarce_split *s = &inner.splits[k].rows;
        CHECK(s->train[s->n_train - 1] < s->test[0]);
        CHECK_NEAR((double)s->n_test, 300, 1);
    }
    scarce__inner_deinit(&inner);
    t->n_positives = 0;
    for (int i = 0, seen = 0; i < STUDY_ROWS; ++i) { /* few positives: two rounds of 4 folds */
        seen += t->label[i];
        if (seen > 20) t->label[i] = 0;
        t->n_positives += t->label[i];
    }
    CHECK(scarce__inner_make(&inner, t, &o, NULL, NULL) == SCARCE_OK);
    CHECK(inner.count == 8 && inner.blocks == 1);
    scarce__inner_deinit(&inner);
    o.repeats = 3;
    CHECK(scarce__inner_make(&inner, t, &o, NULL, NULL) == SCARCE_OK && inner.count == 3);
    scarce__inner_deinit(&inner);
    o.valid_fraction = 2;
    CHECK(scarce__inner_make(&inner, t, &o, NULL, NULL) == SCARCE_EINVAL);
    o.valid_fraction = 0.25;
    memset(t->label, 0, STUDY_ROWS);
    t->n_positives = 0;
    CHECK(scarce__inner_make(&inner, t, &o, NULL, NULL) == SCARCE_EDATA);
    scarce_table_free(t);
    scarce_table_free(timed);
}

/* The value of the curve at k trees is that of a model trained with k trees. */
static void test_curve(void)
{
    static const char *const metrics[] = {"ap", "log_loss"};
    scarce_table *t = study_table(0, 0);
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce__inner inner;
    scarce__fit_plan plan;
    double curve[SCARCE__POINTS * (1 + SCARCE__INNER_BLOCKS)], alone[1 + SCARCE__INNER_BLOCKS];
    CHECK(scarce__inner_make(&inner, t, &o, NULL, NULL) == SCARCE_OK);
    for (int m = 0; m < 2; ++m) {
        memset(&plan, 0, sizeof plan);
        plan.spec = "gb:splits=best:learning_rate=0.2";
        plan.settings = "max_leaves=6";
        plan.negatives = 1;
        plan.metric = scarce_metric_find(metrics[m]);
        scarce__plan_points(&plan, 40);
        CHECK(plan.points[plan.n_points - 1] == 40 && plan.n_points > 10);
        CHECK(scarce__fit_and_judge(curve, &plan, &inner, 0, NULL, NULL) == SCARCE_OK);
        for (size_t p = 0; p < plan.n_points; p += 3) {
            char settings[64];
            scarce__fit_plan single = plan;
            snprintf(settings, sizeof settings, "max_leaves=6 n_trees=%zu", plan.points[p]);
            single.settings = settings;
            single.trees = 0;
            single.n_points = 1;
            CHECK(scarce__fit_and_judge(alone, &single, &inner, 0, NULL, NULL) == SCARCE_OK);
            for (size_t j = 0; j <= inner.blocks; ++j)
                CHECK_NEAR(curve[p * (1 + inner.blocks) + j], alone[j], 1e-9);
        }
    }
    scarce__inner_deinit(&inner);
    scarce_table_free(t);
}

/* ---- the search */

static void test_search(void)
{
    scarce_table *t = study_table(0, 0);
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_context *one = context_of(1, 1), *three = context_of(3, 1);
    scarce_tune_result tuned = SCARCE_TUNE_RESULT_INIT, again = SCARCE_TUNE_RESULT_INIT;
    size_t full = 0;
    o.trials = 14;
    CHECK(scarce_tune_run(&tuned, t, "gb", &o, one, NULL) == SCARCE_OK);
    CHECK(scarce_tune_run(&again, t, "gb", &o, three, NULL) == SCARCE_OK);
    CHECK(tuned.n_trials == 14 && again.n_trials == 14 && tuned.best == again.best);
    CHECK_TEXT(tuned.trials[0]->settings, ""); /* the default as it is */
    CHECK(tuned.trials[0]->share == 1 && tuned.trials[tuned.highest]->share == 1);
    for (size_t i = 0; i < 14; ++i) {
        const scarce_tune_trial *a = tuned.trials[i];
        scarce_params *p = NULL;
        CHECK_TEXT(again.trials[i]->settings, a->settings);
        CHECK(a->value == again.trials[i]->value && !isnan(a->value));
        CHECK(a->share < 1 || tuned.trials[tuned.highest]->value >= a->value);
        CHECK((i == 0) == (strstr(a->settings, "n_trees=") == NULL));
        CHECK(strstr(a->settings, "focal_gamma") == NULL);     /* belongs to another loss */
        CHECK(scarce_params_new(&p, "gb", NULL) == SCARCE_OK); /* every setting can be typed in again */
        CHECK(scarce_params_set_list(p, a->settings, ' ', NULL) == SCARCE_OK);
        scarce_params_free(p);
        full += a->share == 1;
    }
    CHECK(full >= 3 && full <= 8); /* most fell out before they cost much */
    scarce_tune_result_deinit(&tuned);
    scarce_tune_result_deinit(&again);
    CHECK(scarce_tune_run(&tuned, t, "focal:n_trees=20", &o, one, NULL) == SCARCE_OK);
    CHECK(strstr(tuned.trials[3]->settings, "focal_gamma") != NULL);
    CHECK(strstr(tuned.trials[3]->settings, "n_trees") == NULL); /* fixed */
    scarce_tune_result_deinit(&tuned);
    scarce_context_free(one);
    scarce_context_free(three);
    scarce_table_free(t);
}

static void check_same_search(const scarce_tune_result *a, const scarce_tune_result *b)
{
    CHECK(a->n_trials == b->n_trials && a->best == b->best);
    for (size_t i = 0; i < a->n_trials && i < b->n_trials; ++i) {
        CHECK_TEXT(b->trials[i]->settings, a->trials[i]->settings);
        CHECK(a->trials[i]->value == b->trials[i]->value && a->trials[i]->share == b->trials[i]->share);
    }
}

/* A search goes on from its file, wherever that was cut off, to the same bits; a file of somebody else is refused and
 * stays as it is; where none can be written, the search goes on without. */
static void test_kept(void)
{
    static const char notes[] = "my own notes\n";
    char path[] = "/tmp/scarce-trials-XXXXXX", *whole;
    scarce_table *t = study_table(0, 0);
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tune_result plain = SCARCE_TUNE_RESULT_INIT, kept = SCARCE_TUNE_RESULT_INIT;
    size_t n, left;

    CHECK(close(mkstemp(path)) == 0);
    o.trials = 4;
    o.repeats = 1;
    CHECK(scarce_tune_run(&plain, t, "gb:n_trees=4", &o, NULL, NULL) == SCARCE_OK);
    o.results = path;
    CHECK(scarce_tune_run(&kept, t, "gb:n_trees=4", &o, NULL, NULL) == SCARCE_OK);
    check_same_search(&plain, &kept);
    scarce_tune_result_deinit(&kept);
    whole = slurp(path, &n);
    for (size_t keep = 0; keep <= n; keep += keep < 40 ? 13 : n / 5) {
        CHECK(truncate(path, 0) == 0);
        FILE *f = fopen(path, "wb");
        CHECK(f && fwrite(whole, 1, keep, f) == keep && fclose(f) == 0);
        CHECK(scarce_tune_run(&kept, t, "gb:n_trees=4", &o, NULL, NULL) == SCARCE_OK);
        check_same_search(&plain, &kept);
        scarce_tune_result_deinit(&kept);
    }
    free(whole);
    FILE *f = fopen(path, "wb");
    CHECK(f && fputs(notes, f) >= 0 && fclose(f) == 0);
    CHECK(scarce_tune_run(&kept, t, "gb:n_trees=4", &o, NULL, NULL) == SCARCE_EDATA);
    whole = slurp(path, &left);
    CHECK_TEXT(whole, notes);
    free(whole);
    o.results = "/nowhere/trials";
    CHECK(scarce_tune_run(&kept, t, "gb:n_trees=4", &o, NULL, NULL) == SCARCE_OK);
    check_same_search(&plain, &kept);
    scarce_tune_result_deinit(&kept);
    scarce_tune_result_deinit(&plain);
    scarce_table_free(t);
    CHECK(unlink(path) == 0);
}

/* Many columns of noise and few rows: less regularisation than the default must lose, more must win. */
static void test_planted(void)
{
    enum { N = 3000, D = 480 };
    static float x[N * D];
    static uint8_t y[N];
    scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, 1);
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_table *t = NULL;
    scarce_tune_result tuned = SCARCE_TUNE_RESULT_INIT;
    double c = 1;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < D; ++j) x[i * D + j] = (float)scarce__random_normal(&r);
        y[i] = (double)x[i * D] + 0.7 * scarce__random_normal(&r) > 1.2;
    }
    CHECK(scarce_table_from_floats(&t, x, N, D, NULL, y, NULL) == SCARCE_OK);
    o.trials = 6;
    CHECK(scarce_tune_run(&tuned, t, "logistic", &o, NULL, NULL) == SCARCE_OK);
    CHECK(tuned.best != 0 && tuned.best == tuned.highest && tuned.difference > 2 * tuned.error);
    CHECK(sscanf(tuned.trials[tuned.best]->settings, "c=%lf", &c) == 1 && c < 0.3);
    scarce_tune_result_deinit(&tuned);
    scarce_table_free(t);
}

/* Labels that nothing explains, 25 of them: whatever looks best is luck, and the default stays, mostly. */
static void test_noise(void)
{
    enum { N = 500, D = 4, RUNS = 12 };
    static float x[N * D];
    static uint8_t y[N];
    size_t changed = 0;
    for (uint64_t run = 0; run < RUNS; ++run) {
        scarce__random r = scarce__random_start(9, SCARCE__FOR_TEST, run);
        scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
        scarce_context *ctx = context_of(1, run);
        scarce_table *t = NULL;
        scarce_tune_result tuned = SCARCE_TUNE_RESULT_INIT;
        for (int i = 0; i < N * D; ++i) x[i] = (float)scarce__random_normal(&r);
        for (int i = 0; i < N; ++i) y[i] = i % 20 == 0;
        CHECK(scarce_table_from_floats(&t, x, N, D, NULL, y, NULL) == SCARCE_OK);
        o.trials = 12;
        CHECK(scarce_tune_run(&tuned, t, "logistic", &o, ctx, NULL) == SCARCE_OK);
        changed += tuned.best != 0;
        scarce_tune_result_deinit(&tuned);
        scarce_context_free(ctx);
        scarce_table_free(t);
    }
    if (changed > RUNS / 3) fprintf(stderr, "%zu of %d settings changed for nothing\n", changed, RUNS);
    CHECK(changed <= RUNS / 3);
}

static void test_limits(void)
{
    scarce_table *t = study_table(1, 0), *rows = study_table(0, 0);
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tune_result tuned = SCARCE_TUNE_RESULT_INIT;
    o.trials = 0;
    CHECK(scarce_tune_run(&tuned, t, "gb", &o, NULL, NULL) == SCARCE_EINVAL && tuned.trials == NULL);
    o.seconds = 1e-6; /* the default is judged in any case */
    CHECK(scarce_tune_run(&tuned, t, "gb", &o, NULL, NULL) == SCARCE_OK);
    CHECK(tuned.n_trials == 1 && tuned.best == 0 && !isnan(tuned.trials[0]->value));
    scarce_tune_result_deinit(&tuned);
    o.seconds = 0.3;
    CHECK(scarce_tune_run(&tuned, t, "logistic", &o, NULL, NULL) == SCARCE_OK);
    CHECK(tuned.n_trials >= 1 && tuned.best < tuned.n_trials);
    scarce_tune_result_deinit(&tuned);
    o.seconds = 0;
    o.trials = 3;
    o.valid = rows; /* rows that judge, given */
    CHECK(scarce_tune_run(&tuned, t, "logistic", &o, NULL, NULL) == SCARCE_OK && tuned.splits == 1);
    scarce_tune_result_deinit(&tuned);
    o.metric = "rows";
    CHECK(scarce_tune_run(&tuned, t, "gb", &o, NULL, NULL) == SCARCE_EINVAL && tuned.trials == NULL);
    o.metric = "brier"; /* lower is better */
    CHECK(scarce_tune_run(&tuned, t, "logistic", &o, NULL, NULL) == SCARCE_OK);
    CHECK(tuned.trials[tuned.highest]->value <= tuned.trials[0]->value);
    scarce_tune_result_deinit(&tuned);
    scarce_table_free(t);
    scarce_table_free(rows);
}

static const test_case tests[] = {
    {"every_method", test_every_method},
    {"places", test_places},
    {"inner", test_inner},
    {"curve", test_curve},
    {"search", test_search},
    {"kept", test_kept},
    {"planted", test_planted},
    {"noise", test_noise},
    {"limits", test_limits},
};
TEST_MAIN(tests)
