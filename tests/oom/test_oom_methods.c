/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once in what any method does, for whatever the table of methods lists: training with
 * validation rows and a checkpoint on the way, going on from a checkpoint, writing, reading, scoring,
 * explaining and showing the model. (Training without all that: test_oom_model.c. Allocations of liblinear
 * are out of reach.) */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/explain.h>
#include <scarce/model.h>

#include "oom/walk.h"
#include "unit/method_tables.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 60, STAGES = 2 };

static scarce_context *ctx;
static scarce_table *table, *valid;
static size_t method;
static scarce_model *model, *checkpoint;
static char path[32];

static scarce_status train_with(scarce_model **out, const scarce_train_options *o, scarce_context *c,
                                scarce_error *err)
{
    scarce_status st;
    scarce_params *params = params_of(method, STAGES, &st, err);
    *out = NULL;
    if (!st) (void)scarce_params_set(params, "members", "2", NULL); /* of ensembles */
    if (!st) st = scarce_train(out, table, params, o, NULL, c, err);
    CHECK(!st == (*out != NULL));
    scarce_params_free(params);
    return st;
}

/* ---- scenarios */

static scarce_status train(scarce_error *err)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_model *m;
    scarce_status st;
    o.valid = valid;
    o.early_stop = 1;
    o.checkpoint = path;
    o.checkpoint_every = 1;
    st = train_with(&m, &o, ctx, err);
    scarce_model_free(m);
    return st;
}

static scarce_status resume(scarce_error *err)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_model *m;
    scarce_status st;
    o.resume = checkpoint;
    st = train_with(&m, &o, ctx, err);
    scarce_model_free(m);
    return st;
}

static scarce_status write_and_read(scarce_error *err)
{
    scarce_model *again = model;
    void *bytes = table;
    size_t n = 0;
    scarce_status st = scarce_model_bytes(&bytes, &n, model, err);
    CHECK(!st == (bytes != NULL));
    if (!st) {
        st = scarce_model_read(&again, bytes, n, "bytes", err);
        CHECK(!st == (again != NULL));
        scarce_model_free(again);
    }
    scarce_bytes_free(bytes);
    return st;
}

static scarce_status score(scarce_error *err)
{
    static double scores[ROWS];
    scarce_scorer *scorer = (scarce_scorer *)table;
    scarce_status st = scarce_scorer_new(&scorer, model, err);
    CHECK(!st == (scorer != NULL));
    if (!st) st = scarce_scorer_table(scorer, table, scores, NULL, ctx, err);
    scarce_scorer_free(scorer);
    return st;
}

static int look(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    (void)payload, (void)first, (void)n, (void)value, (void)contribution;
    return 0;
}

static scarce_status explain(scarce_error *err)
{
    scarce_explainer *explainer = (scarce_explainer *)table;
    scarce_status st = scarce_explainer_new(&explainer, model, NULL, err);
    CHECK(!st == (explainer != NULL));
    if (!st) st = scarce_explainer_table(explainer, table, look, NULL, ctx, err);
    scarce_explainer_free(explainer);
    return st;
}

static const char *format;

static scarce_status show(scarce_error *err)
{
    char *text = path;
    const scarce_status st = scarce_model_show(&text, model, format, err);
    CHECK(!st == (text != NULL));
    scarce_bytes_free(text);
    return st;
}

/* ---- walks */

static int stop_soon(void *payload, const scarce_progress *p)
{
    (void)payload;
    return strcmp(p->stage, "train") == 0 && p->done >= 1;
}

/* What an interruption leaves; NULL where the method can't go on from it. */
static scarce_model *make_checkpoint(void)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *stopping = NULL;
    scarce_model *part = NULL;
    if (!(scarce_method_get(method).can & SCARCE_METHOD_RESUMES)) return NULL;
    o.threads = 2;
    o.progress = stop_soon;
    CHECK(scarce_context_new(&stopping, &o, NULL) == SCARCE_OK);
    CHECK(train_with(&part, NULL, stopping, NULL) == SCARCE_OK);
    scarce_context_free(stopping);
    return part;
}

static void walk_method(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    static const char *const formats[] = {"text", "json", "dot"};

    CHECK(train_with(&model, NULL, ctx, &err) == SCARCE_OK);
    if (!model) return;
    checkpoint = make_checkpoint();
    oom_walk("train", train);
    if (checkpoint) oom_walk("resume", resume);
    oom_walk("write and read", write_and_read);
    oom_walk("score", score);
    if (explain(&err) != SCARCE_EUNSUPPORTED) oom_walk("explain", explain);
    for (int k = 0; k < 3; ++k) {
        format = formats[k];
        if (show(&err) != SCARCE_EUNSUPPORTED) oom_walk(format, show);
    }
    scarce_model_free(model);
    scarce_model_free(checkpoint);
}

/* encoded: only methods that turn many categories into numbers, and with pairs of them; the bag of them too. */
static void walk_table(table_kind kind, int encoded)
{
    table = make_table_of(kind, ROWS, 1, NULL);
    valid = make_table_of(kind, ROWS, 2, table);
    CHECK(table && valid);
    categories_wanted = encoded ? "pairs" : NULL;
    for (method = 0; table && valid && method < scarce_method_count(); ++method) {
        const int before = test_failures;
        const char *name = scarce_method_get(method).name;
        if (encoded && strcmp(name, "gb") != 0 && strcmp(name, "bag") != 0) continue;
        walk_method();
        if (test_failures != before) fprintf(stderr, "in method %s\n", scarce_method_get(method).name);
    }
    scarce_table_free(table);
    scarce_table_free(valid);
}

static void test_methods(void)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    strcpy(path, "/tmp/scarce-oom-XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    o.threads = 2;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    walk_table(TABLE_PAYMENTS, 0);
    walk_table(TABLE_MERCHANTS, 1);
    scarce_context_free(ctx);
    CHECK(remove(path) == 0);
}

#else

static void test_methods(void)
{
}

#endif

static const test_case tests[] = {{"methods", test_methods}};
TEST_MAIN(tests)
