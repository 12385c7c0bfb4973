/* SPDX-License-Identifier: Apache-2.0 */
/* Records with named fields, as a service gets them (JSON objects, dictionaries), in any order and with more
 * or fewer fields than the model reads. Nothing is allocated after the row was made. */
#include <stdio.h>
#include <string.h>

#include <scarce/scarce.h>

static const char training[] = "amount,country,hour,fraud\n"
                               "12,FR,10,0\n900,XX,3,1\n30,DE,12,0\n850,XX,2,1\n15,FR,9,0\n700,FR,20,0\n"
                               "990,XX,4,1\n22,DE,14,0\n640,DE,11,0\n18,FR,16,0\n";

static scarce_status make_model(scarce_model **model, scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_table *table = NULL;
    scarce_params *params = NULL;
    scarce_status st;

    ro.label = "fraud";
    st = scarce_table_read_bytes(&table, training, strlen(training), "training.csv", &ro, NULL, err);
    if (st == SCARCE_OK) st = scarce_params_new(&params, "logistic", err);
    if (st == SCARCE_OK) st = scarce_train(model, table, params, NULL, NULL, NULL, err);
    scarce_params_free(params);
    scarce_table_free(table);
    return st;
}

static void tell(const scarce_scorer *scorer, const scarce_row *row, const scarce_schema *schema)
{
    const double score = scarce_scorer_score(scorer, scarce_row_values(row));
    const char *unknown = NULL;
    size_t feature = 0;

    printf("score %7.3f  probability %.4f", score, scarce_scorer_probability(scorer, score));
    if (scarce_row_unknown(row, &unknown)) printf("  (no feature: %s)", unknown);
    if (scarce_row_unset(row, &feature, 1)) printf("  (not given: %s)", scarce_schema_name(schema, feature));
    printf("\n");
}

int main(void)
{
    /* a text, or where that is NULL a number */
    static const scarce_field full[] = {
        {"country", "XX", 0}, {"id", "a17", 0}, {"hour", NULL, 3}, {"amount", NULL, 880}};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    scarce_row *row = NULL;
    scarce_status st = make_model(&model, &err);

    if (st == SCARCE_OK) st = scarce_scorer_new(&scorer, model, &err);
    if (st == SCARCE_OK) st = scarce_row_new(&row, model, &err); /* one per thread */
    if (st == SCARCE_OK) st = scarce_row_set(row, full, sizeof full / sizeof full[0], &err);
    if (st == SCARCE_OK) {
        tell(scorer, row, scarce_model_schema(model));
        scarce_row_clear(row); /* the next record, field by field */
        st = scarce_row_number(row, "amount", 20, &err);
    }
    if (st == SCARCE_OK) st = scarce_row_text(row, "country", "never seen", &err);
    if (st == SCARCE_OK) tell(scorer, row, scarce_model_schema(model));
    if (st == SCARCE_OK && scarce_row_number(row, "amuont", 20, &err) == SCARCE_EDATA)
        printf("%s\n", err.text);
    if (st != SCARCE_OK) fprintf(stderr, "%s\n", err.text);
    scarce_row_free(row);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    return st != SCARCE_OK;
}
