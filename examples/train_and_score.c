/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates payments, trains on them, saves, loads and scores: the whole way in one page.
 *
 *     cc train_and_score.c $(pkg-config --cflags --libs scarce) -o train_and_score */
#include <stdio.h>
#include <stdlib.h>

#include <scarce/scarce.h>

static int fail(const scarce_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

int main(void)
{
    const char *path = "pay.csv", *settings[] = {"transactions=20000", "rate=0.01"};
    static const char *const ids[] = {"tx_id", "terminal", "label_time"};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_table *table = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    double *score = NULL, ap = 0;

    if (scarce_context_new(&ctx, NULL, &err)) return fail(&err);
    if (scarce_simulate("fraud", settings, 2, path, ctx, NULL, &err)) return fail(&err);

    ro.time = "time";
    ro.group = "card";
    ro.amount = "amount";
    ro.ignore.items = ids;
    ro.ignore.count = 3;
    if (scarce_table_read(&table, &path, 1, &ro, ctx, &err)) return fail(&err);
    printf("%zu rows, %zu features, %zu positives\n", scarce_table_rows(table), scarce_table_features(table),
           scarce_table_positives(table));

    if (scarce_params_new(&params, "logistic", &err)) return fail(&err);
    if (scarce_params_set(params, "c", "0.1", &err)) return fail(&err);
    if (scarce_train(&model, table, params, NULL, NULL, ctx, &err)) return fail(&err);
    if (scarce_model_save(model, "fraud.scarce", &err)) return fail(&err);
    scarce_model_free(model);

    if (scarce_model_load(&model, "fraud.scarce", &err)) return fail(&err);
    if (scarce_scorer_new(&scorer, model, &err)) return fail(&err);
    score = malloc(scarce_table_rows(table) * sizeof *score);
    if (!score) return 1;
    if (scarce_scorer_table(scorer, table, score, NULL, ctx, &err)) return fail(&err);
    if (scarce_average_precision(&ap, score, scarce_table_label(table), NULL, scarce_table_rows(table), ctx,
                                 &err))
        return fail(&err);
    printf("average precision on the training rows: %.3f\n", ap);

    free(score);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(table);
    scarce_context_free(ctx);
    return 0;
}
