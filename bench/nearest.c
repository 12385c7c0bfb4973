/* SPDX-License-Identifier: Apache-2.0 */
/* Models of neighbours in memory.
 *
 *     nearest X.npy y.npy THREADS SPEC
 *
 * Trains SPEC (as --methods takes it) on all rows, tells what was said of memory beforehand, then answers lines: "table" all rows
 * as queries at once, "one N" N rows one at a time, "train" the training again. */
#include "bench.h"

#include <math.h>

#include <scarce/model.h>

static scarce_model *trained(const scarce_table *t, const char *spec, scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    must(scarce_params_of_spec(&params, spec, &err), &err);
    must(scarce_train(&model, t, params, &o, NULL, ctx, &err), &err);
    scarce_params_free(params);
    return model;
}

static double told(const scarce_table *t, const char *spec, scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params = NULL;
    scarce_train_size size = SCARCE_TRAIN_SIZE_INIT;
    double bytes = 0;
    size.rows = scarce_table_rows(t);
    size.positives = scarce_table_positives(t);
    size.features = scarce_table_features(t);
    must(scarce_params_of_spec(&params, spec, &err), &err);
    must(scarce_train_memory(&bytes, params, NULL, &size, ctx, &err), &err);
    scarce_params_free(params);
    return bytes;
}

static void answer(const scarce_scorer *s, const scarce_table *t, const char *line, scarce_context *ctx)
{
    const size_t rows = scarce_table_rows(t), width = scarce_table_features(t);
    size_t n = 1000;
    scarce_error err = SCARCE_ERROR_INIT;
    double *score = malloc(rows * sizeof *score), sum = 0;
    float *row = malloc(width * sizeof *row);
    if (!score || !row) die("nearest", "out of memory");
    (void)sscanf(line, "one %zu", &n);
    const double start = wall(), begun = cpu();
    if (!strncmp(line, "one", 3))
        for (size_t i = 0; i < n; ++i) {
            scarce_table_row(t, i * 97 % rows, row);
            sum += scarce_scorer_score(s, row);
        }
    else must(scarce_scorer_table(s, t, score, NULL, ctx, &err), &err);
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"sum\": %.9g, \"rss_mib\": %.1f}\n", wall() - start,
           cpu() - begun, sum, peak());
    free(score), free(row);
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    char line[256];
    scarce_scorer *scorer = NULL;

    if (argc != 5) die("nearest", "X.npy y.npy THREADS SPEC");
    scarce_context *ctx = context(atoi(argv[3]));
    scarce_table *table = table_of(argv[1], argv[2], ctx);
    scarce_model *model = trained(table, argv[4], ctx);
    must(scarce_scorer_new(&scorer, model, &err), &err);
    printf("{\"rows\": %zu, \"told_mib\": %.1f, \"rss_mib\": %.1f}\n", scarce_table_rows(table),
           told(table, argv[4], ctx) / 1048576, peak());
    for (fflush(stdout); fgets(line, sizeof line, stdin); fflush(stdout)) {
        line[strcspn(line, "\n")] = 0;
        if (!strcmp(line, "info")) printf("{\"rss_mib\": %.1f}\n", peak());
        else if (!strcmp(line, "train")) {
            const double start = wall(), begun = cpu();
            scarce_model_free(trained(table, argv[4], ctx));
            printf("{\"seconds\": %.6f, \"cpu\": %.6f}\n", wall() - start, cpu() - begun);
        } else answer(scorer, table, line, ctx);
    }
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_table_free(table);
    scarce_context_free(ctx);
    return 0;
}
