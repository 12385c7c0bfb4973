/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that come in tables, one after the other: scored, decided on, written. A row gets what it would get in one table
 * of all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "score.h"

enum { TOLD = 10 }; /* rows that are told one by one */

static scarce_status fail_time(const answerer *a, scarce_error *err)
{
    return fail_with(err, SCARCE_EINVAL, "--budget %.60s needs the time of the rows (--time COL)",
                     a->rule->text);
}

static scarce_status fail_amount(scarce_error *err)
{
    return fail_with(
        err, SCARCE_EINVAL,
        "the model's alerts weigh the amount at stake: say which column holds it (--amount COL)");
}

/* What can be refused before the header is out. */
static scarce_status check_roles(const answerer *a, scarce_error *err)
{
    const scarce_schema *schema = scarce_model_schema(a->model);

    if (a->rule->text && !a->o->data.time && !scarce_schema_role(schema, SCARCE_ROLE_TIME))
        return fail_time(a, err);
    if (!a->rule->text && isnan(scarce_model_threshold(a->model)) && !a->o->data.amount &&
        !scarce_schema_role(schema, SCARCE_ROLE_AMOUNT))
        return fail_amount(err);
    return SCARCE_OK;
}

scarce_status answerer_init(answerer *a, size_t n_reasons, const budget_rule *rule, scarce_error *err)
{
    const scarce_table *background = NULL;
    scarce_table *owned = NULL;
    scarce_status st = scarce_scorer_new(&a->scorer, a->model, err);

    a->rule = rule;
    if (st == SCARCE_OK && a->o->prevalence != 0)
        st = scarce_scorer_set_prevalence(a->scorer, a->o->prevalence, err);
    if (st == SCARCE_OK) st = read_background(&background, &owned, a->model, NULL, a->o, a->ctx, err);
    if (st == SCARCE_OK) st = writer_init(&a->w, a->o, a->model, n_reasons, background, err);
    scarce_table_free(owned);
    if (st == SCARCE_OK) st = check_roles(a, err);
    if (st == SCARCE_OK && rule->text) {
        scarce_budget_options bo = rule->options;
        bo.start = scarce_model_threshold(a->model);
        st = scarce_budget_new(&a->budget, &bo, err);
    }
    return st;
}

void answerer_deinit(answerer *a)
{
    writer_deinit(&a->w);
    scarce_budget_free(a->budget);
    scarce_scorer_free(a->scorer);
    scarce_model_free(a->model);
    free(a->score), free(a->probability), free(a->alert), free(a->number);
}

static scarce_status make_room(answerer *a, size_t n, scarce_error *err)
{
    if (n <= a->capacity) return SCARCE_OK;
    free(a->score), free(a->probability), free(a->alert), free(a->number);
    a->score = malloc(n * sizeof *a->score);
    a->probability = malloc(n * sizeof *a->probability);
    a->alert = malloc(n);
    a->number = malloc(n * sizeof *a->number);
    a->capacity = n;
    return a->score && a->probability && a->alert && a->number
               ? SCARCE_OK
               : fail_with(err, SCARCE_ENOMEM, "out of memory for %zu rows", n);
}

static scarce_status decide(answerer *a, const scarce_table *t, size_t n, scarce_error *err)
{
    const double *time = scarce_table_time(t), *amount = scarce_table_amount(t);

    if (a->budget && !time) return fail_time(a, err);
    if (!a->budget && isnan(scarce_model_threshold(a->model)) && !amount) return fail_amount(err);
    for (size_t i = 0; i < n; ++i) {
        int alert = 0;
        if (!a->budget)
            alert = scarce_scorer_alert(a->scorer, a->score[i], a->probability[i],
                                        amount ? amount[i] : (double)NAN);
        else if (scarce_budget_offer(a->budget, time[i], a->score[i], &alert, err) != SCARCE_OK) {
            if (err->code != SCARCE_EDATA) return err->code;
            alert = 0;
            if (++a->late <= TOLD) say("row %zu: %s; it gets no alert", a->number[i], err->text);
        }
        a->alert[i] = alert != 0;
    }
    return SCARCE_OK;
}

void tell_late(const answerer *a)
{
    if (a->late > TOLD) say("%zu rows came after their span was over and got no alert", a->late);
}

scarce_status answer_scores(answerer *a, const scarce_table *t, scarce_error *err)
{
    const size_t n = scarce_table_rows(t);
    scarce_status st = make_room(a, n, err);

    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) a->number[i] = a->row + i + 1;
    if (st == SCARCE_OK) st = scarce_scorer_table(a->scorer, t, a->score, a->probability, a->ctx, err);
    if (st == SCARCE_OK) st = decide(a, t, n, err);
    if (st == SCARCE_OK) a->row += n;
    return st;
}

scarce_status answer_table(answerer *a, const scarce_table *t, scarce_error *err)
{
    const scarce_status st = answer_scores(a, t, err);
    const score_batch batch = {t, a->score, a->probability, a->alert, NULL, a->number};
    return st == SCARCE_OK ? write_batch(&a->w, &batch, scarce_table_rows(t), a->ctx, err) : st;
}
