/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once in a stream that is learnt with labels that come late: reading blocks, learning, figures, the
 * checkpoint, going on from it, the model; with two classes and with three. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/scarce.h>

#include "oom/walk.h"
#include "test.h"

#ifdef SCARCE_FAULTS

static char path[32], saved[32];
static const char *spec;
static int three; /* classes */
static scarce_model *checkpoint;

static scarce_status learn(scarce_error *err)
{
    static const char *const exact[] = {"early"}, *const classes[] = {"0", "1", "2"};
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_learner_options lo = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_stream *stream = NULL;
    scarce_learner *learner = NULL;
    scarce_params *params = NULL;
    scarce_table *block = NULL;
    scarce_model *model = NULL;
    const char *name = path;
    scarce_status st;

    ro.time = "time", ro.group = "card";
    ro.exact = (scarce_names){exact, 1};
    if (three) ro.classes = (scarce_names){classes, 3};
    lo.delay = 50, lo.early = 0, lo.window = 30, lo.adapt = SCARCE_ADAPT_RESTART_WEAKEST;
    st = scarce_params_of_spec(&params, spec, err);
    if (!st) st = scarce_stream_open(&stream, &name, 1, &ro, NULL, err);
    while (!st && !(st = scarce_stream_next(stream, &block, err)) && block) {
        if (!learner) st = scarce_learner_new(&learner, params, scarce_stream_schema(stream), &lo, NULL, err);
        CHECK(!st == (learner != NULL));
        if (!st) st = scarce_learner_block(learner, block, 0, NULL, err);
        scarce_table_free(block);
        block = NULL;
    }
    if (!st) st = scarce_learner_checkpoint(learner, saved, err);
    if (!st) st = scarce_learner_flush(learner, err);
    if (!st) st = scarce_learner_model(&model, learner, err);
    CHECK(!st == (model != NULL));
    scarce_model_free(model);
    scarce_learner_free(learner);
    scarce_stream_close(stream);
    scarce_params_free(params);
    return st;
}

static scarce_status go_on(scarce_error *err)
{
    scarce_learner *learner = NULL;
    scarce_status st = scarce_learner_go_on(&learner, checkpoint, NULL, NULL, err);
    CHECK(!st == (learner != NULL));
    if (!st) st = scarce_learner_flush(learner, err);
    scarce_learner_free(learner);
    return st;
}

static void write_rows(FILE *f)
{
    fprintf(f, "time,card,x,shop,early,label\n");
    for (int i = 0; i < 60; ++i)
        fprintf(f, "%d,c%d,%d,s%d,%d,%d\n", 10 * i, i % 7, i * i % 31, i % 9, i % 5 == 0, i % 3 == 0);
}

static void test_learner(void)
{
    static const char *const specs[] = {"onlb:n_learners=3", "adaboost-ol:weak=tree:n_learners=2:grace=5",
                                        "onlb:n_learners=2"};
    strcpy(path, "/tmp/scarce-oom-XXXXXX");
    strcpy(saved, "/tmp/scarce-oom-XXXXXX");
    const int fd = mkstemp(path), other = mkstemp(saved);
    FILE *f = fdopen(fd, "w");
    write_rows(f);
    CHECK(fclose(f) == 0 && close(other) == 0);
    for (int i = 0; i < 3; ++i) {
        spec = specs[i];
        three = i == 2;
        oom_walk("learn", learn);
        CHECK(learn(NULL) == SCARCE_OK && scarce_model_load(&checkpoint, saved, NULL) == SCARCE_OK);
        oom_walk("go on", go_on);
        scarce_model_free(checkpoint);
    }
    CHECK(remove(path) == 0 && remove(saved) == 0);
}

#else

static void test_learner(void)
{
}

#endif

static const test_case tests[] = {{"learner", test_learner}};

TEST_MAIN(tests)
