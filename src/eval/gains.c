/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of the list brings in: after alerting all rows with score >= t,
 *     recovered(t) = sum of the amounts of the positives among them (1 each without amounts)
 *     cost(t) = (at_stake - recovered(t)) + c * alerts(t)
 * One walk down the ranking. The head matters and is thin, so points are kept at even steps of
 * log(1 + alerts). */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "eval/metrics_internal.h"

void scarce_gains_deinit(scarce_gains *g)
{
    if (!g) return;
    scarce__free(g->alerts);
    scarce__free(g->threshold);
    scarce__free(g->recovered);
    scarce__free(g->cost);
    memset(g, 0, sizeof *g);
}

static int gains_init(scarce_gains *g, size_t capacity)
{
    memset(g, 0, sizeof *g);
    g->alerts = scarce__malloc_array(capacity, sizeof *g->alerts);
    g->threshold = scarce__malloc_array(capacity, sizeof *g->threshold);
    g->recovered = scarce__malloc_array(capacity, sizeof *g->recovered);
    g->cost = scarce__malloc_array(capacity, sizeof *g->cost);
    if (g->alerts && g->threshold && g->recovered && g->cost) return 1;
    scarce_gains_deinit(g);
    return 0;
}

static void move_point(scarce_gains *g, size_t to, size_t from)
{
    g->alerts[to] = g->alerts[from];
    g->threshold[to] = g->threshold[from];
    g->recovered[to] = g->recovered[from];
    g->cost[to] = g->cost[from];
}

static void walk(scarce_gains *g, const scarce_scored *in, const scarce__ranking *r, double c)
{
    double alerts = 0, recovered = 0;
    size_t row = 0;

    for (size_t i = 0; i <= r->n_groups; ++i) { /* point 0: nothing is alerted */
        const size_t end = i ? r->group_end[i - 1] : 0;
        for (; row < end; ++row) {
            const size_t at = r->order[row];
            const double w = in->weight ? in->weight[at] : 1.0;
            alerts += w;
            if (in->label[at]) recovered += in->amount ? w * in->amount[at] : w;
        }
        g->alerts[i] = alerts;
        g->recovered[i] = recovered;
        g->threshold[i] = i ? in->score[r->order[end - 1]] : (double)INFINITY;
    }
    g->n = r->n_groups + 1;
    g->at_stake = recovered; /* the sum of the same walk, so that the last cost is c * alerts exactly */
    for (size_t i = 0; i < g->n; ++i) {
        g->cost[i] = g->at_stake - g->recovered[i] + c * g->alerts[i];
        if (g->cost[i] < g->cost[g->best]) g->best = i;
    }
}

/* Keeps both ends, the best point, and the last point of each step of log(1 + alerts). */
static void thin(scarce_gains *g, size_t max_points)
{
    const double whole = scarce__log1p(g->alerts[g->n - 1]);
    const size_t best = g->best;
    size_t kept = 1;

    if (max_points == 0 || g->n <= max_points || !(whole > 0)) return;
    const double steps = max_points > 4 ? (double)(max_points - 3) : 1;
    for (size_t i = 1; i < g->n; ++i) {
        const int last = i + 1 == g->n;
        const double step = floor(scarce__log1p(g->alerts[i]) / whole * steps);
        if (!last && i != best && floor(scarce__log1p(g->alerts[i + 1]) / whole * steps) <= step) continue;
        if (i == best) g->best = kept;
        move_point(g, kept++, i);
    }
    g->n = kept;
}

scarce_status scarce_curve_gains(scarce_gains *out, const scarce_scored *in, double c, size_t max_points,
                                 scarce_context *ctx, scarce_error *err)
{
    scarce__ranking r;
    scarce_gains g;

    memset(out, 0, sizeof *out);
    if (!(c >= 0) || isinf(c)) return scarce__fail(err, SCARCE_EINVAL, "cost is %g, must be 0 or more", c);
    SCARCE__TRY(scarce__scored_check(in, err));
    SCARCE__TRY(scarce__rank(&r, in->score, in->n, "score", scarce__context_pool(ctx), err));
    if (!gains_init(&g, r.n_groups + 1)) {
        scarce__ranking_deinit(&r);
        return scarce__fail_memory(err, "the gains", (r.n_groups + 1) * 32);
    }
    walk(&g, in, &r, c);
    scarce__ranking_deinit(&r);
    thin(&g, max_points);
    *out = g;
    return SCARCE_OK;
}
