/* SPDX-License-Identifier: Apache-2.0 */
/* Boosted trees with a loss of one's own: squared error in which a fraud counts by its amount, so that large
 * frauds come first. The model then has no probability of its own.
 *
 *     cc own_loss.c $(pkg-config --cflags --libs scarce) -o own_loss */
#include <stdio.h>
#include <stdlib.h>

#include <scarce/scarce.h>

typedef struct amounts {
    const double *amount; /* per row of the training table */
    double mean;          /* over the frauds */
} amounts;

/* Called for blocks of rows, from several threads at once: nothing is changed but g and h. */
static int gradients(void *payload, const scarce_loss_rows *rows, float *g, float *h)
{
    const amounts *a = payload;
    for (size_t i = 0; i < rows->n; ++i) {
        float w = 1;
        if (rows->label[i]) w = (float)(a->amount[scarce_loss_row(rows, i)] / a->mean);
        g[i] = w * (rows->score[i] - (float)rows->label[i]); /* derivative of w (f - y)^2 / 2 */
        h[i] = w;
    }
    return 0;
}

static double start(void *payload, const scarce_loss_rows *rows)
{
    double positives = 0;
    (void)payload;
    for (size_t i = 0; i < rows->n; ++i) positives += rows->label[i];
    return positives / (double)rows->n;
}

static int fail(const scarce_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

/* How much of the money is in the best k rows? */
static int judge(const scarce_table *table, const scarce_model *model, scarce_context *ctx, scarce_error *err)
{
    const size_t n = scarce_table_rows(table);
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_scored rows = SCARCE_SCORED_INIT;
    scarce_scorer *scorer = NULL;
    double *score = malloc(n * sizeof *score);

    if (!score) return 1;
    if (scarce_scorer_new(&scorer, model, err)) return fail(err);
    if (scarce_scorer_table(scorer, table, score, NULL, ctx, err)) return fail(err);
    rows.n = n;
    rows.score = score;
    rows.label = scarce_table_label(table);
    rows.amount = scarce_table_amount(table);
    if (scarce_metrics_compute(&m, &rows, NULL, ctx, err)) return fail(err);
    printf("average precision %.3f, amount in the best %.0f rows %.0f\n", m.ap, m.k, m.amount_recovered_at_k);
    scarce_scorer_free(scorer);
    free(score);
    return 0;
}

int main(void)
{
    const char *path = "pay.csv", *settings[] = {"transactions=20000", "rate=0.01"};
    static const char *const ids[] = {"tx_id", "terminal", "label_time"};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_train_options options = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_loss loss = SCARCE_LOSS_INIT;
    scarce_context *ctx = NULL;
    scarce_table *table = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    amounts a = {NULL, 0};

    if (scarce_context_new(&ctx, NULL, &err)) return fail(&err);
    if (scarce_simulate("fraud", settings, 2, path, ctx, NULL, &err)) return fail(&err);
    ro.time = "time";
    ro.group = "card";
    ro.amount = "amount";
    ro.ignore.items = ids;
    ro.ignore.count = 3;
    if (scarce_table_read(&table, &path, 1, &ro, ctx, &err)) return fail(&err);

    a.amount = scarce_table_amount(table);
    for (size_t i = 0; i < scarce_table_rows(table); ++i)
        if (scarce_table_label(table)[i]) a.mean += a.amount[i] / (double)scarce_table_positives(table);
    loss.name = "squared error by amount";
    loss.payload = &a;
    loss.gradients = gradients;
    loss.start = start;

    if (scarce_params_new(&params, "gb", &err)) return fail(&err);
    if (scarce_params_set_list(params, "n_trees=30,max_leaves=8", ',', &err)) return fail(&err);
    for (int own = 0; own < 2; ++own) {
        options.loss = own ? &loss : NULL;
        if (scarce_train(&model, table, params, &options, NULL, ctx, &err)) return fail(&err);
        printf("%s: ", own ? scarce_model_note(model, "loss") : "logistic");
        if (judge(table, model, ctx, &err)) return 1;
        printf("  probabilities: %s\n", scarce_model_has_probability(model) ? "yes" : "n/a");
        scarce_model_free(model);
    }
    scarce_params_free(params);
    scarce_table_free(table);
    scarce_context_free(ctx);
    return 0;
}
