/* SPDX-License-Identifier: Apache-2.0 */
/* Behind a payment: the scorer is prepared once, then each row is scored without allocating or locking. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <scarce/scarce.h>

/* amount, country: what a payment looks like here */
static const struct {
    float amount;
    const char *country;
} payments[] = {{12.5f, "FR"}, {900.0f, "FR"}, {880.0f, "XX"}, {NAN, "DE"}, {20.0f, "never seen"}};

static scarce_status make_model(scarce_model **model, scarce_error *err)
{
    enum { N = 400 };
    float amount[N];
    const char *country[N];
    uint8_t fraud[N];
    scarce_column c[3] = {SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT};
    scarce_table *table = NULL;
    scarce_params *params = NULL;
    scarce_status st;

    for (int i = 0; i < N; ++i) { /* large amounts to XX are fraud */
        amount[i] = (float)((i * 37) % 1000);
        country[i] = i % 5 == 0 ? "XX" : i % 2 ? "FR" : "DE";
        fraud[i] = i % 5 == 0 && amount[i] > 700;
    }
    c[0].name = "amount";
    c[0].items = amount;
    c[1].name = "country";
    c[1].type = SCARCE_TYPE_TEXT;
    c[1].items = country;
    c[2].name = "fraud";
    c[2].type = SCARCE_TYPE_U8;
    c[2].items = fraud;
    c[2].role = SCARCE_ROLE_LABEL;
    st = scarce_table_from_columns(&table, c, 3, N, NULL, NULL, err); /* copies */
    if (st == SCARCE_OK) st = scarce_params_new(&params, "logistic", err);
    if (st == SCARCE_OK) st = scarce_train(model, table, params, NULL, NULL, NULL, err);
    scarce_params_free(params);
    scarce_table_free(table);
    return st;
}

int main(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    const scarce_schema *schema;
    enum { PAYMENTS = sizeof payments / sizeof payments[0] };
    float rows[PAYMENTS][2]; /* one float per feature of the schema, in its order */
    double scores[PAYMENTS];
    size_t amount_at, country_at;

    if (make_model(&model, &err) || scarce_scorer_new(&scorer, model, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    schema = scarce_model_schema(model);
    amount_at = scarce_schema_find(schema, "amount");
    country_at = scarce_schema_find(schema, "country");
    if (scarce_schema_features(schema) != 2 || amount_at > 1 || country_at > 1) return 1;
    for (size_t i = 0; i < PAYMENTS; ++i) {
        const char *country = payments[i].country;
        const double amount = (double)payments[i].amount;
        double score, probability;

        rows[i][amount_at] = payments[i].amount; /* NaN: missing */
        rows[i][country_at] = (float)scarce_schema_code(schema, country_at, country, strlen(country));
        score = scarce_scorer_score(scorer, rows[i]);
        probability = scarce_scorer_probability(scorer, score);
        printf("%7.2f %-10s  score %7.3f  probability %.4f  %s\n", amount, country, score, probability,
               scarce_scorer_alert(scorer, score, probability, amount) ? "alert" : "");
    }
    /* where many rows come at once, in one call: the same scores, sooner */
    if (scarce_scorer_rows(scorer, rows[0], PAYMENTS, 2, scores, NULL, NULL, &err) == SCARCE_OK)
        printf("first score again: %.3f\n", scores[0]);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    return 0;
}
