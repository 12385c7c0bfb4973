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
    const char *path = "small.csv";
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_table *table = NULL;
    scarce_params *params = NULL;
    FILE *file = fopen(path, "w");
    scarce_status st;

    if (!file) return SCARCE_EIO;
    fprintf(file, "amount,country,label\n");
    for (int i = 0; i < 400; ++i) /* large amounts to XX are fraud */
        fprintf(file, "%d,%s,%d\n", (i * 37) % 1000,
                i % 5 == 0 ? "XX"
                : i % 2    ? "FR"
                           : "DE",
                i % 5 == 0 && (i * 37) % 1000 > 700);
    fclose(file);
    st = scarce_table_read(&table, &path, 1, &ro, NULL, err);
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

    if (make_model(&model, &err) || scarce_scorer_new(&scorer, model, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    schema = scarce_model_schema(model);
    for (size_t i = 0; i < sizeof payments / sizeof payments[0]; ++i) {
        const char *country = payments[i].country;
        float row[2]; /* one float per feature of the schema, in its order */
        double score, probability;

        row[scarce_schema_find(schema, "amount")] = payments[i].amount; /* NaN: missing */
        row[scarce_schema_find(schema, "country")] = (float)scarce_schema_code(
            schema, scarce_schema_find(schema, "country"), country, strlen(country));
        score = scarce_scorer_score(scorer, row);
        probability = scarce_scorer_probability(scorer, score);
        printf("%7.2f %-10s  score %7.3f  probability %.4f  %s\n", (double)payments[i].amount, country, score,
               probability,
               scarce_scorer_alert(scorer, score, probability, (double)payments[i].amount) ? "alert" : "");
    }
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    return 0;
}
