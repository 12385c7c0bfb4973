/* SPDX-License-Identifier: Apache-2.0 */
/* From arrays to a model: columns of floats are used where they lie, countries become a category. */
#include <stdio.h>
#include <stdlib.h>

#include <scarce/scarce.h>

enum { N = 2000 };

/* What a program has: a few arrays. The table borrows `amount`, so it must live until the table lets go. */
typedef struct payments {
    float amount[N];
    double when[N];
    int32_t country[N]; /* codes; -1: not known */
    int64_t card[N];
    uint8_t fraud[N];
} payments;

static const char *const countries[] = {"FR", "DE", "XX"};

static void make_payments(payments *p)
{
    for (int i = 0; i < N; ++i) { /* large amounts to XX are fraud */
        p->amount[i] = (float)((i * 37) % 1000);
        p->when[i] = 60.0 * i;
        p->country[i] = i % 11 == 0 ? -1 : i % 7 == 0 ? 2 : i % 2;
        p->card[i] = 4000000000000000 + i % 90;
        p->fraud[i] = p->country[i] == 2 && p->amount[i] > 700;
    }
}

/* The library calls this once, when it doesn't need the arrays any more. */
static void let_go(void *payload)
{
    free(payload);
    printf("the arrays are free\n");
}

static scarce_status make_table(scarce_table **table, scarce_error *err)
{
    payments *p = malloc(sizeof *p);
    scarce_column c[5] = {SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT,
                          SCARCE_COLUMN_INIT};
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;

    if (!p) return SCARCE_ENOMEM;
    make_payments(p);
    c[0].name = "amount";
    c[0].items = p->amount;
    c[1].name = "country";
    c[1].kind = SCARCE_COLUMN_CATEGORY;
    c[1].type = SCARCE_TYPE_I32;
    c[1].items = p->country;
    c[1].categories = countries;
    c[1].n_categories = 3;
    c[2].name = "when";
    c[2].role = SCARCE_ROLE_TIME;
    c[2].type = SCARCE_TYPE_F64;
    c[2].items = p->when;
    c[3].name = "card";
    c[3].role = SCARCE_ROLE_GROUP;
    c[3].type = SCARCE_TYPE_I64;
    c[3].items = p->card;
    c[4].name = "fraud";
    c[4].role = SCARCE_ROLE_LABEL;
    c[4].type = SCARCE_TYPE_U8;
    c[4].items = p->fraud;
    o.release = let_go; /* also called when the call fails; without it everything is copied */
    o.payload = p;
    return scarce_table_from_columns(table, c, 5, N, &o, NULL, err);
}

int main(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL, *recent = NULL;
    scarce_view_options last = SCARCE_VIEW_OPTIONS_INIT;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    double score[N / 4];
    scarce_status st = make_table(&table, &err);

    if (st == SCARCE_OK) st = scarce_params_new(&params, "gb", &err);
    if (st == SCARCE_OK) st = scarce_train(&model, table, params, NULL, NULL, NULL, &err);
    last.first = N - N / 4; /* the last quarter, without copying it */
    if (st == SCARCE_OK) st = scarce_table_view(&recent, table, &last, &err);
    if (st == SCARCE_OK) st = scarce_scorer_new(&scorer, model, &err);
    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, recent, score, NULL, NULL, &err);
    if (st == SCARCE_OK) {
        size_t best = 0;
        for (size_t i = 1; i < N / 4; ++i)
            if (score[i] > score[best]) best = i;
        printf("%zu rows, %zu frauds; most suspicious of the last %d: row %zu, %.0f to %s\n",
               scarce_table_rows(table), scarce_table_positives(table), N / 4, last.first + best,
               (double)scarce_table_numbers(recent, 0)[best],
               scarce_schema_category(scarce_table_schema(recent), 1,
                                      (size_t)scarce_table_codes(recent, 1)[best]));
    } else fprintf(stderr, "%s\n", err.text);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(recent); /* before the table it looks at */
    scarce_table_free(table);
    return st != SCARCE_OK;
}
