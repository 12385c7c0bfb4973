/* SPDX-License-Identifier: Apache-2.0 */
/* What scarce eval says in sentences before its table, and what the sentences need that is no metric: how sure
 * the AP is, what it is beyond chance, the highest card precision that any list could have, and whether the
 * rows were trained on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum {
    REPLICATES = 200,
    MOST_ROWS = 2000000
}; /* more rows have an AP that is sure enough, and take too long */

static scarce_status find_interval(eval_extra *x, const scored_data *s, const scarce_metrics_options *mo,
                                   scarce_context *ctx, scarce_error *err)
{
    scarce_bootstrap_options bo = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    const size_t ap = scarce_metric_find("ap"), few = 40000000 / (s->rows.n + 1);
    scarce_metrics_interval interval;
    scarce_status st;

    if (s->rows.n > MOST_ROWS) return SCARCE_OK;
    bo.replicates = few < REPLICATES ? few : REPLICATES;
    st = scarce_metrics_bootstrap(&interval, &ap, 1, &s->rows, mo, &bo, ctx, err);
    talk_clear();
    if (st == SCARCE_OK) x->ap_lo = interval.lo, x->ap_hi = interval.hi;
    return st;
}

scarce_status find_extra(eval_extra *x, const scored_data *s, const scarce_metrics *m,
                         const scarce_metrics_options *mo, scarce_context *ctx, scarce_error *err)
{
    const double share = m->positives / m->rows;
    scarce_status st = SCARCE_OK;

    x->ap_lo = x->ap_hi = x->card_ceiling = x->seen = (double)NAN;
    x->ap_normalized = (m->ap - share) / (1 - share); /* NaN when all rows are positive */
    if (m->positives > 0 && m->positives < m->rows) st = find_interval(x, s, mo, ctx, err);
    if (st == SCARCE_OK && !isnan(m->card_precision_at_k))
        st = scarce_card_ceiling(&x->card_ceiling, &s->rows, mo, ctx, err);
    if (st == SCARCE_OK && s->model && s->table) st = scarce_model_seen(&x->seen, s->model, s->table, err);
    return st;
}

static const char *plural(double n)
{
    return n == 1 ? "" : "s";
}

void say_seen(const eval_extra *x)
{
    if (x->seen >= 0.95)
        say("warning: the model was trained on these rows: the figures say nothing about new ones");
    else if (x->seen >= 0.5)
        say("warning: the model was trained on about %.0f %% of these rows: the figures are too good for new "
            "ones",
            100 * x->seen);
}

void print_sentences(const scarce_metrics *m, const scarce_metrics_options *mo, const eval_extra *x)
{
    const double hits = m->precision_at_k * m->k, alerts = m->tp + m->fp;

    printf("%.0f check%s find %.4g of %.0f positive%s", m->k, plural(m->k), hits, m->positives,
           plural(m->positives));
    if (!isnan(alerts))
        printf("; %s %.6g alert%s, %.6g hit%s", mo->alert ? "as decided" : "at the threshold", alerts,
               plural(alerts), m->tp, plural(m->tp));
    printf(".\nAverage precision %.4g", m->ap);
    if (!isnan(x->ap_lo)) printf(" (95 %%: %.3g to %.3g)", x->ap_lo, x->ap_hi);
    printf("; a random order has %.3g", m->positives / m->rows);
    if (!isnan(x->ap_normalized)) printf(", so %.3g of what can be gained", x->ap_normalized);
    puts(".");
    if (!isnan(x->card_ceiling))
        printf("Card precision %.3g with %.0f cards a day; the best possible list has %.3g.\n",
               m->card_precision_at_k, mo->card_k, x->card_ceiling);
    putchar('\n');
}

void json_extra(const eval_extra *x)
{
    json_key("ap_normalized"), json_number(x->ap_normalized);
    json_key("ap_interval"), json_open('{');
    json_key("lo"), json_number(x->ap_lo);
    json_key("hi"), json_number(x->ap_hi);
    json_close('}');
    json_key("card_precision_ceiling"), json_number(x->card_ceiling);
    json_key("rows_seen"), json_number(x->seen);
}
