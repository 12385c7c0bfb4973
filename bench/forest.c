/* SPDX-License-Identifier: Apache-2.0 */
/* forest X.npy y.npy TEST_X.npy TEST_y.npy THREADS SPEC train|score|anew: a method trained on the first rows; the time of a
 * training, or of scoring the test rows: with a scorer that is there, as an estimator that was fitted has one, or made
 * for it. All tell the AP of the test rows. */
#include "bench.h"

static scarce_model *train(const char *spec, const scarce_table *table, scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_params *params;
    scarce_model *model;
    o.threshold = "value:0.5"; /* peers choose none */
    must(scarce_params_of_spec(&params, spec, &err), &err);
    must(scarce_train(&model, table, params, &o, NULL, ctx, &err), &err);
    scarce_params_free(params);
    return model;
}

/* With the scorer that is given, or one of its own. */
static void score(double *out, const scarce_model *model, const scarce_scorer *ready,
                  const scarce_table *test, scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_scorer *scorer = NULL;
    if (!ready) must(scarce_scorer_new(&scorer, model, &err), &err);
    must(scarce_scorer_table(ready ? ready : scorer, test, out, NULL, ctx, &err), &err);
    scarce_scorer_free(scorer);
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_table *table, *test;
    scarce_context *ctx;
    scarce_model *model = NULL;
    scarce_scorer *ready = NULL;
    char word[64];

    if (argc != 8) die("forest", "X.npy y.npy TEST_X.npy TEST_y.npy THREADS SPEC train|score|anew");
    ctx = context(atoi(argv[5]));
    table = table_of(argv[1], argv[2], ctx);
    test = table_of(argv[3], argv[4], ctx);
    double *scores = calloc(scarce_table_rows(test), sizeof *scores);
    const int trains = !strcmp(argv[7], "train");
    if (!scores) die("forest", "out of memory");
    if (!trains) model = train(argv[6], table, ctx);
    if (!strcmp(argv[7], "score")) must(scarce_scorer_new(&ready, model, &err), &err);
    printf("{}\n");
    while (next_word(word)) {
        const double t = wall(), c = cpu();
        if (!strcmp(word, "info")) {
            const double highest = peak();
            if (!model) model = train(argv[6], table, ctx);
            score(scores, model, ready, test, ctx);
            const scarce_scored rows = scarce_scored_of_table(test, scores, NULL);
            must(scarce_metrics_compute(&m, &rows, NULL, ctx, &err), &err);
            printf("{\"ap\": %.9g, \"rss_mib\": %.1f}\n", m.ap, highest);
            continue;
        }
        if (trains) {
            scarce_model_free(model);
            model = train(argv[6], table, ctx);
        } else score(scores, model, ready, test, ctx);
        printf("{\"seconds\": %.9g, \"cpu\": %.9g}\n", wall() - t, cpu() - c);
    }
    scarce_scorer_free(ready);
    scarce_model_free(model);
    scarce_table_free(table);
    scarce_table_free(test);
    scarce_context_free(ctx);
    free(scores);
    return 0;
}
