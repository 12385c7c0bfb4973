/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once in protocols, comparisons (with a results file, scores of other tools, and
 * tuning inside), what is said about them, and the search for parameters. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/study.h>

#include "oom/walk.h"
#include "study/protocol.h"
#include "unit/studies.h"

#ifdef SCARCE_FAULTS

static scarce_table *table;
static scarce_context *ctx;
static scarce_compare *compared;
static char path[40];
static const char *protocol, *method;
static size_t tune;

static void prepare(void)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    o.threads = 1;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    scarce_table *all = study_table(1, 1);
    uint32_t rows[STUDY_ROWS / 6];
    for (uint32_t i = 0; i < STUDY_ROWS / 6; ++i) rows[i] = 6 * i; /* small, for it runs a thousand times */
    CHECK(scarce_table_rows_of(&table, all, rows, STUDY_ROWS / 6, ctx, NULL) == SCARCE_OK);
    scarce_table_free(all);
    strcpy(path, "/tmp/scarce-oom-XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
}

static void finish(void)
{
    scarce_table_free(table);
    scarce_context_free(ctx);
    CHECK(unlink(path) == 0);
}

static scarce_status folds(scarce_error *err)
{
    scarce__folds plan;
    scarce__fold fold;
    scarce_status st = scarce__folds_make(&plan, table, protocol, 2, protocol[0] == 't', ctx, err);
    if (st) return st;
    st = scarce__fold_rows(&fold, &plan, table, 0, ctx, err);
    scarce__fold_deinit(&fold);
    scarce__folds_deinit(&plan);
    return st;
}

static scarce_status compare(scarce_error *err)
{
    static const char *const methods[] = {"logistic:max_iterations=2"};
    static double score[STUDY_ROWS];
    const scarce_compare_ranking ranking = {"other", score, score, 1};
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_compare *c = (scarce_compare *)table;
    FILE *file = fopen(path, "wb"); /* nothing done yet */
    if (file) fclose(file);
    o.protocol = "holdout:0.3";
    o.repeats = 1;
    o.results = path;
    o.tune = tune;
    o.rankings = &ranking;
    o.n_rankings = 1;
    const scarce_status st = scarce_compare_run(&c, table, methods, 1, &o, ctx, err);
    CHECK(!st == (c != NULL));
    scarce_compare_free(c);
    return st;
}

static scarce_status tell(scarce_error *err)
{
    scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
    scarce_compare_pair p = SCARCE_COMPARE_PAIR_INIT;
    const scarce_status st = scarce_compare_summarize(&s, compared, 0, 2, ctx, err);
    return st ? st : scarce_compare_test(&p, compared, 0, 1, 2, ctx, err);
}

static scarce_status write_folds(scarce_error *err)
{
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    o.repeats = 1;
    return scarce_compare_write_folds(path, table, &o, ctx, err);
}

static scarce_status tuned(scarce_error *err)
{
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tune_result t = SCARCE_TUNE_RESULT_INIT;
    o.trials = 2;
    o.repeats = 1;
    const scarce_status st = scarce_tune_run(&t, table, method, &o, ctx, err);
    CHECK(!st == (t.trials != NULL));
    scarce_tune_result_deinit(&t);
    return st;
}

static void test_compare(void)
{
    static const char *const protocols[] = {"cv:3", "temporal:train=20d,valid=5d,gap=2d,test=5d",
                                            "prequential:delay=5d,test=5d"};
    static const char *const methods[] = {"logistic", "gb:n_trees=3"};
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    prepare();
    for (int i = 0; i < 3; ++i) {
        protocol = protocols[i];
        oom_walk(protocol, folds);
    }
    tune = 0;
    oom_walk("compare", compare);
    tune = 2;
    oom_walk("compare with tuning", compare);
    oom_walk("write folds", write_folds);
    o.repeats = 3;
    CHECK(scarce_compare_run(&compared, table, methods, 2, &o, ctx, NULL) == SCARCE_OK);
    oom_walk("pairs", tell);
    scarce_compare_free(compared);
    finish();
}

static void test_tune(void)
{
    static const char *const methods[] = {"logistic:max_iterations=2",
                                          "focal:max_leaves=2:learning_rate=1:max_bins=4"};
    prepare();
    for (int i = 0; i < 2; ++i) {
        method = methods[i];
        oom_walk(method, tuned);
    }
    finish();
}

#else

static void test_compare(void)
{
}
static void test_tune(void)
{
}

#endif

static const test_case tests[] = {{"compare", test_compare}, {"tune", test_tune}};
TEST_MAIN(tests)
