/* SPDX-License-Identifier: Apache-2.0 */
/* Weights, amounts and times that are not what they should be.
 *
 * Weights are worth (sum w)^2 / sum w^2 rows of equal weight: where that is far below the number of rows, a
 * few rows decide. */
#include <math.h>

#include "core/alloc.h"
#include "eval/rank.h"
#include "study/doctor.h"

static const char *or_else(const char *name, const char *other)
{
    return name ? name : other;
}

static scarce_status say(scarce_doctor *d, const char *code, scarce_severity severity, const char *subject,
                         const char *figure, double value, scarce__text *what, const char *advice,
                         scarce_error *err)
{
    scarce_doctor_finding *finding = scarce__doctor_add(d, code, severity, SIZE_MAX, subject, err);
    scarce__doctor_figure(finding, figure, value);
    return scarce__doctor_say(finding, what, advice, err);
}

static scarce_status judge_weights(scarce_doctor *d, scarce_error *err)
{
    const scarce_table *t = d->table;
    const char *name = or_else(t->schema.weight_name, "weight");
    double sum = 0, squares = 0, of_positives = 0;
    size_t zeros = 0, bad = 0;
    scarce__text a = SCARCE__TEXT_INIT, b = SCARCE__TEXT_INIT, c = SCARCE__TEXT_INIT, e = SCARCE__TEXT_INIT;

    for (size_t i = 0; i < t->n_rows; ++i) {
        const double w = t->weight[i];
        zeros += w == 0;
        if (!(w >= 0) || isinf(w)) {
            ++bad;
            continue;
        }
        sum += w;
        squares += w * w;
        of_positives += t->label && t->label[i] ? w : 0;
    }
    const double worth = squares > 0 ? sum * sum / squares / (double)t->n_rows : 0;
    if (bad > 0) {
        scarce__doctor_textf(&a, "%s is negative, infinite or missing in %z row%S", name, bad);
        SCARCE__TRY(say(d, "weights", SCARCE_SEVERITY_BAD, name, "rows", (double)bad, &a,
                        "repair these weights", err));
    }
    if (t->n_positives > 0 && of_positives == 0) {
        scarce__doctor_textf(&b, "all positives have %s 0", name);
        SCARCE__TRY(say(d, "weights", SCARCE_SEVERITY_BAD, name, "positives", (double)t->n_positives, &b,
                        "without weight nothing is learnt from them: check the weights", err));
    }
    if (zeros > 0) {
        scarce__doctor_textf(&c, "%s is 0 in %z row%S", name, zeros);
        SCARCE__TRY(say(d, "zero-weights", SCARCE_SEVERITY_NOTE, name, "rows", (double)zeros, &c,
                        "they count for nothing; leave them out if that is meant", err));
    }
    if (worth >= 0.2) return SCARCE_OK;
    scarce__doctor_textf(&e, "by %s a few rows decide: all are worth %p of as many equal rows", name, worth);
    return say(d, "huge-weights", SCARCE_SEVERITY_WARN, name, "effective_share", worth, &e,
               "cap the largest weights, or use the amount as --amount instead", err);
}

/* Share of the sum that the largest 1 % of the rows hold; NaN when there is nothing to share. */
static scarce_status top_share(double *out, const scarce_table *t, scarce__pool *pool, scarce_error *err)
{
    double *x = scarce__malloc_array(t->n_rows, sizeof *x), top = 0, sum = 0;
    scarce__ranking r;
    scarce_status st;

    *out = (double)NAN;
    if (!x) return scarce__fail_memory(err, "the amounts", t->n_rows * sizeof *x);
    for (size_t i = 0; i < t->n_rows; ++i)
        x[i] = isfinite(t->amount[i]) && t->amount[i] > 0 ? t->amount[i] : 0;
    st = scarce__rank(&r, x, t->n_rows, "amount", pool, err);
    for (size_t k = 0; st == SCARCE_OK && k < t->n_rows; ++k) {
        sum += x[r.order[k]];
        if (k < t->n_rows / 100) top += x[r.order[k]];
    }
    if (st == SCARCE_OK) scarce__ranking_deinit(&r);
    if (sum > 0) *out = top / sum;
    scarce__free(x);
    return st;
}

static scarce_status judge_amounts(scarce_doctor *d, scarce__pool *pool, scarce_error *err)
{
    const scarce_table *t = d->table;
    const char *name = or_else(t->schema.amount_name, "amount");
    size_t missing = 0, negative = 0, worthless = 0;
    double share;
    scarce__text a = SCARCE__TEXT_INIT, b = SCARCE__TEXT_INIT, c = SCARCE__TEXT_INIT, e = SCARCE__TEXT_INIT;

    for (size_t i = 0; i < t->n_rows; ++i) {
        missing += isfinite(t->amount[i]) ? 0 : 1;
        negative += t->amount[i] < 0;
        worthless += t->label && t->label[i] && !(t->amount[i] > 0) && !(t->amount[i] < 0);
    }
    if (missing > 0) {
        scarce__doctor_textf(&a, "%s is missing or infinite in %z row%S", name, missing);
        SCARCE__TRY(say(d, "amount-missing", SCARCE_SEVERITY_WARN, name, "rows", (double)missing, &a,
                        "fill it in: costs and amounts recovered can't be told without", err));
    }
    if (negative > 0) {
        scarce__doctor_textf(&b, "%s is negative in %z row%S", name, negative);
        SCARCE__TRY(say(d, "amount-negative", SCARCE_SEVERITY_WARN, name, "rows", (double)negative, &b,
                        "refunds? money at stake must not be negative: set them to 0, or leave the rows out",
                        err));
    }
    if (worthless > 0) {
        scarce__doctor_textf(&c, "%s is 0 in %z of %z positive%S", name, worthless, t->n_positives);
        SCARCE__TRY(say(d, "amount-zero", SCARCE_SEVERITY_NOTE, name, "positives", (double)worthless, &c,
                        "by cost they are not worth finding: is that so?", err));
    }
    SCARCE__TRY(top_share(&share, t, pool, err));
    if (t->n_rows < 1000 || !(share >= 0.5)) return SCARCE_OK;
    scarce__doctor_textf(&e, "1 %% of the rows hold %p of all %s", share, name);
    return say(d, "amount-heavy", SCARCE_SEVERITY_NOTE, name, "share", share, &e,
               "figures in money hang on a few rows: look at their intervals", err);
}

static scarce_status judge_times(scarce_doctor *d, scarce_error *err)
{
    const scarce_table *t = d->table;
    const char *name = or_else(t->schema.time_name, "time");
    size_t missing = 0, backward = 0, first = SIZE_MAX;
    double last = (double)-INFINITY, low = (double)INFINITY;
    scarce__text a = SCARCE__TEXT_INIT, b = SCARCE__TEXT_INIT, c = SCARCE__TEXT_INIT;

    for (size_t i = 0; i < t->n_rows; ++i) {
        const double x = t->time[i];
        if (!isfinite(x)) {
            ++missing;
            continue;
        }
        if (x < last) {
            ++backward;
            if (first == SIZE_MAX) first = i;
        } else last = x;
        low = x < low ? x : low;
    }
    if (missing > 0) {
        scarce__doctor_textf(&a, "%s is missing in %z row%S", name, missing);
        SCARCE__TRY(say(d, "time-missing", SCARCE_SEVERITY_WARN, name, "rows", (double)missing, &a,
                        "they are in no period and no fold by time: fill it in, or leave them out", err));
    }
    if (t->n_rows > 1 && low == last) {
        scarce__doctor_textf(&b, "%s is the same in all rows", name);
        return say(d, "time-constant", SCARCE_SEVERITY_WARN, name, "rows", (double)t->n_rows, &b,
                   "name the column that holds the time (--time)", err);
    }
    if (backward == 0) return SCARCE_OK;
    scarce__doctor_textf(
        &c, "the rows are not in the order of %s: %z are earlier than one before them, the first is row %z",
        name, backward, first + 1);
    return say(d, "time-unsorted", SCARCE_SEVERITY_NOTE, name, "rows", (double)backward, &c,
               "splits by time sort by themselves; sort the file for methods that learn row by row", err);
}

scarce_status scarce__doctor_roles(scarce_doctor *d, scarce_context *ctx, scarce_error *err)
{
    if (d->table->weight) SCARCE__TRY(judge_weights(d, err));
    if (d->table->amount) SCARCE__TRY(judge_amounts(d, scarce__context_pool(ctx), err));
    return d->table->time ? judge_times(d, err) : SCARCE_OK;
}
