/* SPDX-License-Identifier: Apache-2.0 */
/* What thresholds cost and bring in: the best point as a line of eval, curves as arrays of its JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { POINTS = 200, COSTS = 41, BINS = 20 };

scarce_status print_best_cost(const scarce_scored *rows, double cost, int json, scarce_context *ctx,
                              scarce_error *err)
{
    scarce_gains g;
    scarce_status st;

    if (isnan(cost)) return SCARCE_OK;
    st = scarce_curve_gains(&g, rows, cost, 0, ctx, err);
    if (st != SCARCE_OK) return st;
    const double all = cost * g.alerts[g.n - 1], best = g.cost[g.best];
    if (json) {
        json_key("best_cost"), json_open('{');
        json_key("cost"), json_number(best);
        json_key("threshold"), json_number(g.threshold[g.best]);
        json_key("alerts"), json_number(g.alerts[g.best]);
        json_key("recovered"), json_number(g.recovered[g.best]);
        json_key("at_stake"), json_number(g.at_stake);
        json_key("all"), json_number(all);
        json_close('}');
    } else if (g.best == 0) {
        printf("%-24s %12.6g   no alert at all; everything %.6g\n", "best_cost", best, all);
    } else {
        printf("%-24s %12.6g   from score %.6g on: %.6g alerts recover %.6g; nothing %.6g, everything %.6g\n",
               "best_cost", best, g.threshold[g.best], g.alerts[g.best], g.recovered[g.best], g.at_stake,
               all);
    }
    scarce_gains_deinit(&g);
    return SCARCE_OK;
}

static void numbers(const char *key, const double *values, size_t n)
{
    json_key(key), json_open('[');
    for (size_t i = 0; i < n; ++i) json_number(values[i]);
    json_close(']');
}

static scarce_status curve_of(const char *name, const char *x, const char *y, int roc,
                              const scarce_scored *rows, scarce_context *ctx, scarce_error *err)
{
    scarce_curve c;
    const scarce_status st =
        roc ? scarce_curve_roc(&c, rows, POINTS, ctx, err) : scarce_curve_pr(&c, rows, POINTS, ctx, err);
    json_key(name);
    if (st == SCARCE_EDATA) { /* one class only */
        json_text(NULL);
        return SCARCE_OK;
    }
    if (st != SCARCE_OK) return st;
    json_open('{');
    numbers(x, c.x, c.n), numbers(y, c.y, c.n), numbers("threshold", c.threshold, c.n);
    json_close('}');
    scarce_curve_deinit(&c);
    return st;
}

static scarce_status calibration(const scarce_scored *rows, scarce_context *ctx, scarce_error *err)
{
    scarce_calibration_bin bins[BINS];
    scarce_status st;

    json_key("calibration");
    if (!rows->probability) {
        json_text(NULL);
        return SCARCE_OK;
    }
    st = scarce_curve_calibration(bins, BINS, SCARCE_BINS_EQUAL_COUNT, rows, ctx, err);
    if (st != SCARCE_OK) return st;
    json_open('[');
    for (size_t i = 0; i < BINS; ++i) {
        if (!(bins[i].weight > 0)) continue;
        json_open('{');
        json_key("lo"), json_number(bins[i].lo);
        json_key("hi"), json_number(bins[i].hi);
        json_key("weight"), json_number(bins[i].weight);
        json_key("mean_probability"), json_number(bins[i].mean_probability);
        json_key("share_positive"), json_number(bins[i].share_positive);
        json_close('}');
    }
    json_close(']');
    return SCARCE_OK;
}

static scarce_status gains(const scarce_scored *rows, double cost, scarce_context *ctx, scarce_error *err)
{
    scarce_gains g;
    const scarce_status st = scarce_curve_gains(&g, rows, isnan(cost) ? 0 : cost, POINTS, ctx, err);

    if (st != SCARCE_OK) return st;
    json_key("gains"), json_open('{');
    numbers("alerts", g.alerts, g.n), numbers("threshold", g.threshold, g.n);
    numbers("recovered", g.recovered, g.n);
    if (!isnan(cost)) numbers("cost", g.cost, g.n);
    json_close('}');
    scarce_gains_deinit(&g);
    return st;
}

/* Prices of an investigation: 0, and evenly in their logarithm up to the largest amount of a positive, from
 * which on no alert can pay. */
static scarce_status costs(const scarce_scored *rows, const scarce_metrics_options *mo, scarce_context *ctx,
                           scarce_error *err)
{
    scarce_cost_point points[COSTS];
    double c[COSTS] = {0}, most = rows->amount ? 0 : 1;
    scarce_status st;

    for (size_t i = 0; rows->amount && i < rows->n; ++i)
        if (rows->label[i] && rows->amount[i] > most) most = rows->amount[i];
    for (int i = 1; i < COSTS; ++i) c[i] = most * pow(10, 4.0 * (i - COSTS + 1) / (COSTS - 2));
    st = scarce_curve_cost(points, c, COSTS, rows, mo, ctx, err);
    if (st != SCARCE_OK) return st;
    json_key("cost"), json_open('[');
    for (int i = 0; i < COSTS; ++i) {
        json_open('{');
        json_key("cost"), json_number(points[i].cost);
        json_key("none"), json_number(points[i].none);
        json_key("all"), json_number(points[i].all);
        json_key("alerts"), json_number(points[i].at_threshold);
        json_key("best"), json_number(points[i].best);
        json_key("best_threshold"), json_number(points[i].best_threshold);
        json_key("by_value"), json_number(points[i].by_value);
        json_close('}');
    }
    json_close(']');
    return SCARCE_OK;
}

scarce_status print_curves(const scarce_scored *rows, const scarce_metrics_options *mo, scarce_context *ctx,
                           scarce_error *err)
{
    scarce_status st;

    json_key("curves"), json_open('{');
    st = curve_of("pr", "recall", "precision", 0, rows, ctx, err);
    if (st == SCARCE_OK) st = curve_of("roc", "fpr", "tpr", 1, rows, ctx, err);
    if (st == SCARCE_OK) st = calibration(rows, ctx, err);
    if (st == SCARCE_OK) st = gains(rows, mo->cost, ctx, err);
    if (st == SCARCE_OK) st = costs(rows, mo, ctx, err);
    json_close('}');
    return st;
}
