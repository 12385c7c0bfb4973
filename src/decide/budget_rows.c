/* SPDX-License-Identifier: Apache-2.0 */
/* A budget per span over arrays of rows: with hindsight (rows from the highest score down, each alerted while
 * its span has budget left), or live (budget.c, in the order of time). */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "decide/budget.h"
#include "eval/rank.h"

/* Numbers the spans that have rows from 0 in the order of time: span_of[row]. */
static size_t number_spans(uint32_t *span_of, const double *time, double span, const scarce__ranking *by_time)
{
    double last = 0;
    size_t n = 0;

    for (size_t i = by_time->n; i-- > 0;) { /* the ranking is falling */
        const uint32_t row = by_time->order[i];
        const double k = floor(time[row] / span);
        if (n == 0 || k != last) ++n;
        last = k;
        span_of[row] = (uint32_t)(n - 1);
    }
    return n;
}

static scarce_status with_hindsight(uint8_t *alert, const scarce_scored *rows, const uint32_t *span_of,
                                    size_t n_spans, double budget, scarce_error *err)
{
    scarce__ranking r = {0};
    uint32_t *used = scarce__calloc(n_spans, sizeof *used);
    scarce_status st = used ? scarce__rank(&r, rows->score, rows->n, "score", NULL, err)
                            : scarce__fail_memory(err, "a budget", n_spans * sizeof *used);

    for (size_t i = 0; st == SCARCE_OK && i < rows->n; ++i) {
        const uint32_t row = r.order[i];
        if ((double)used[span_of[row]] + 1 > budget) continue;
        ++used[span_of[row]];
        alert[row] = 1;
    }
    scarce__ranking_deinit(&r);
    scarce__free(used);
    return st;
}

static scarce_status live(uint8_t *alert, const scarce_scored *rows, const scarce_budget_options *o,
                          const scarce__ranking *by_time, scarce_error *err)
{
    scarce_budget *b = NULL;
    scarce_status st = scarce_budget_new(&b, o, err);

    for (size_t g = by_time->n_groups; st == SCARCE_OK && g-- > 0;)
        for (size_t i = g ? by_time->group_end[g - 1] : 0; st == SCARCE_OK && i < by_time->group_end[g];
             ++i) {
            const uint32_t row = by_time->order[i];
            int now = 0;
            st = scarce_budget_offer(b, rows->time[row], rows->score[row], &now, err);
            alert[row] = (uint8_t)now;
        }
    scarce_budget_free(b);
    return st;
}

static scarce_status count(scarce_budget_use *use, const uint8_t *alert, const uint32_t *span_of, size_t n,
                           size_t n_spans, double budget, scarce_error *err)
{
    uint32_t *used = scarce__calloc(n_spans, sizeof *used);

    if (!used) return scarce__fail_memory(err, "a budget", n_spans * sizeof *used);
    memset(use, 0, sizeof *use);
    use->spans = n_spans;
    for (size_t i = 0; i < n; ++i) used[span_of[i]] += alert[i];
    for (size_t s = 0; s < n_spans; ++s) {
        use->alerts += used[s];
        if (used[s] > use->most) use->most = used[s];
        use->full += (double)used[s] >= floor(budget);
    }
    scarce__free(used);
    return SCARCE_OK;
}

scarce_status scarce_budget_alerts(uint8_t *alert, uint32_t *span, scarce_budget_use *use,
                                   const scarce_scored *rows, const scarce_budget_options *options,
                                   scarce_budget_mode mode, scarce_error *err)
{
    scarce_budget_options o;
    scarce__ranking by_time = {0};
    uint32_t *span_of = span;
    size_t n_spans = 0;
    scarce_status st;

    if (use) memset(use, 0, sizeof *use);
    SCARCE__TRY(scarce__budget_options(&o, options, err));
    if (rows->n == 0) return SCARCE_OK;
    memset(alert, 0, rows->n);
    if (!rows->time)
        return scarce__fail(err, SCARCE_EDATA,
                            "a budget per day needs the time of the rows; give a time column");
    for (size_t i = 0; i < rows->n; ++i)
        if (!isfinite(floor(rows->time[i] / o.span)))
            return scarce__fail(err, SCARCE_EDATA, "time of row %zu is %g", i + 1, rows->time[i]);
    st = scarce__rank(&by_time, rows->time, rows->n, "time", NULL, err);
    if (st == SCARCE_OK && !span_of) {
        span_of = scarce__malloc_array(rows->n, sizeof *span_of);
        if (!span_of) st = scarce__fail_memory(err, "a budget", rows->n * sizeof *span_of);
    }
    if (st == SCARCE_OK) n_spans = number_spans(span_of, rows->time, o.span, &by_time);
    if (st == SCARCE_OK && mode == SCARCE_BUDGET_HINDSIGHT)
        st = with_hindsight(alert, rows, span_of, n_spans, o.budget, err);
    else if (st == SCARCE_OK) st = live(alert, rows, &o, &by_time, err);
    if (st == SCARCE_OK && use) st = count(use, alert, span_of, rows->n, n_spans, o.budget, err);
    scarce__ranking_deinit(&by_time);
    if (span_of != span) scarce__free(span_of);
    return st;
}
