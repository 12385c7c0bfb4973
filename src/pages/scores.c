/* SPDX-License-Identifier: Apache-2.0 */
/* Charts of scores, probabilities, days and money, for the page of an evaluation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/text.h"
#include "pages/pages.h"

/* ---- score distributions */

enum { SCORE_BINS = 48 };

typedef struct spread {
    double lo, hi;
    int is_log;
} spread;

/* Scores like probabilities crowd at 0: then a log scale shows them. */
static int find_spread(spread *s, const scarce_scored *rows)
{
    double sum = 0;
    size_t n = 0;

    s->lo = (double)INFINITY;
    s->hi = -s->lo;
    for (size_t i = 0; i < rows->n; ++i) {
        const double v = rows->score[i];
        if (!(fabs(v) < 1e300)) continue;
        if (v < s->lo) s->lo = v;
        if (v > s->hi) s->hi = v;
        sum += v;
        ++n;
    }
    if (n == 0 || !(s->hi > s->lo)) return 0;
    s->is_log = s->lo > 0 && sum / (double)n < s->hi / 20;
    if (s->is_log && s->lo < s->hi * 1e-9) s->lo = s->hi * 1e-9;
    return 1;
}

static size_t bin_of(const spread *s, double v)
{
    const double at =
        s->is_log ? scarce__ln(v / s->lo) / scarce__ln(s->hi / s->lo) : (v - s->lo) / (s->hi - s->lo);
    return at <= 0 ? 0 : at >= 1 ? SCORE_BINS - 1 : (size_t)(at * SCORE_BINS);
}

static void draw_scores(scarce_report *r, const scarce_evaluation_view *v)
{
    const scarce_scored *rows = v->rows;
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double edge[SCORE_BINS + 1], share[2][SCORE_BINS] = {{0}}, total[2] = {0, 0};
    scarce_chart *c;
    spread s;

    if (!find_spread(&s, rows)) return;
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = rows->weight ? rows->weight[i] : 1;
        if (!(fabs(rows->score[i]) < 1e300)) continue;
        share[rows->label[i]][bin_of(&s, rows->score[i])] += w;
        total[rows->label[i]] += w;
    }
    for (size_t i = 0; i <= SCORE_BINS; ++i) {
        const double f = (double)i / SCORE_BINS;
        edge[i] = s.is_log ? s.lo * scarce__pow(s.hi / s.lo, f) : s.lo + (s.hi - s.lo) * f;
    }
    for (int label = 0; label < 2; ++label)
        for (size_t i = 0; i < SCORE_BINS; ++i)
            share[label][i] = total[label] > 0 ? share[label][i] / total[label] : 0;
    o.title = "Scores of both classes";
    o.note = "Where they overlap, no threshold can tell them apart.";
    o.x_label = "score";
    o.y_label = "share of the class";
    o.x_axis = s.is_log ? SCARCE_AXIS_LOG : SCARCE_AXIS_LINEAR;
    c = scarce_report_chart(r, &o);
    scarce_chart_histogram(c, "negatives", edge, share[0], SCORE_BINS);
    scarce_chart_histogram(c, "positives", edge, share[1], SCORE_BINS);
    if (v->metrics->threshold >= s.lo && v->metrics->threshold <= s.hi &&
        v->options->threshold_on == SCARCE_THRESHOLD_ON_SCORE)
        scarce_chart_mark(c, "threshold", v->metrics->threshold);
}

/* ---- calibration: bins of probability on a log scale, joined from the top until each has
 * enough positives */

enum { FINE_BINS = 400, MAX_POINTS = 24 };

typedef struct fine_bin {
    double weight, positive, probability; /* sums */
} fine_bin;

/* Points from the highest probabilities down; returned in rising order. */
static size_t join_bins(double (*point)[MAX_POINTS], const fine_bin *bin, double positives)
{
    const double enough = fmax(5, positives / 15);
    fine_bin sum = {0, 0, 0};
    size_t n = 0;

    for (size_t i = FINE_BINS; i-- > 0 && n < MAX_POINTS;) {
        sum.weight += bin[i].weight;
        sum.positive += bin[i].positive;
        sum.probability += bin[i].probability;
        if (sum.weight <= 0 || (sum.positive < enough && i > 0)) continue;
        point[0][n] = sum.probability / sum.weight;
        point[1][n] = sum.positive / sum.weight;
        scarce_share_interval(sum.positive, sum.weight, 0.95, &point[2][n], &point[3][n]);
        ++n;
        memset(&sum, 0, sizeof sum);
    }
    for (size_t k = 0; k < 4; ++k)
        for (size_t i = 0; i < n / 2; ++i) {
            const double swap = point[k][i];
            point[k][i] = point[k][n - 1 - i];
            point[k][n - 1 - i] = swap;
        }
    return n;
}

static scarce_status draw_calibration(scarce_report *r, const scarce_evaluation_view *v, scarce_error *err)
{
    const scarce_scored *rows = v->rows;
    fine_bin *bin = scarce__calloc(FINE_BINS, sizeof *bin);
    double point[4][MAX_POINTS], ends[2], positives = 0; /* point: probability, share, interval */
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;
    size_t n;

    if (!bin) return scarce__fail_memory(err, "a page", 0);
    for (size_t i = 0; i < rows->n; ++i) {
        const double p = rows->probability[i], w = rows->weight ? rows->weight[i] : 1;
        const double at = p > 0 ? FINE_BINS + scarce__log10(p) * 50 : 0; /* eight decades */
        fine_bin *b = &bin[!(at > 0) ? 0 : at >= FINE_BINS ? FINE_BINS - 1 : (size_t)at];
        b->weight += w;
        b->probability += w * p;
        if (rows->label[i]) b->positive += w;
        if (rows->label[i]) positives += w;
    }
    n = join_bins(point, bin, positives);
    scarce__free(bin);
    if (n == 0) return SCARCE_OK;
    o.title = "Calibration";
    o.note =
        "On the line, a probability of 1 % means one positive in a hundred. Above it: more than promised.";
    o.x_label = "mean probability";
    o.y_label = "share of positives";
    if (point[0][n - 1] > 30 * point[0][0]) o.x_axis = o.y_axis = SCARCE_AXIS_LOG;
    c = scarce_report_chart(r, &o);
    ends[0] = point[0][0];
    ends[1] = point[0][n - 1];
    scarce_chart_band(c, "seen, 95 %", point[0], point[2], point[3], n);
    scarce_chart_line(c, "seen, 95 %", point[0], point[1], n);
    scarce_chart_points(c, "seen, 95 %", point[0], point[1], n);
    scarce_chart_line(c, "promised", ends, ends, 2);
    return SCARCE_OK;
}

/* ---- cards by day */

static scarce_status draw_cards(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                scarce_error *err)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_curve days;
    scarce_chart *c;
    char title[80];
    scarce_status st = scarce_curve_cards(&days, v->rows, v->options, ctx, err);

    if (st != SCARCE_OK) return st;
    scarce__print(title, sizeof title, "Card precision at %.0f, day by day", v->options->card_k);
    o.title = title;
    o.note =
        "Of the cards checked that day, how many are fraudulent. Cards once found are not checked again.";
    o.wide = 1;
    o.y_lo = 0;
    if (days.n && days.x[0] >= 3e8) o.x_axis = SCARCE_AXIS_TIME; /* seconds since 1970, not a counter */
    else {
        for (size_t i = 0; i < days.n; ++i) days.x[i] /= v->options->day_length;
        o.x_label = "day";
    }
    c = scarce_report_chart(r, &o);
    scarce_chart_line(c, "day", days.x, days.y, days.n);
    if (days.n <= 200) scarce_chart_points(c, "day", days.x, days.y, days.n);
    scarce_chart_level(c, "mean", v->metrics->card_precision_at_k);
    scarce_curve_deinit(&days);
    return SCARCE_OK;
}

scarce_status scarce__pages_scores(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                   scarce_error *err)
{
    const scarce_scored *rows = v->rows;
    scarce_status st = SCARCE_OK;

    draw_scores(r, v);
    if (rows->probability && !isnan(v->metrics->brier)) st = draw_calibration(r, v, err);
    if (st == SCARCE_OK && rows->time && rows->group) st = draw_cards(r, v, ctx, err);
    return st;
}

/* ---- money */

enum { PRICES = 41, GAINS_POINTS = 400 };

static void draw_gains(scarce_report *r, const scarce_evaluation_view *v, const scarce_gains *g)
{
    const int priced = !isnan(v->options->cost);
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;

    o.x_axis = SCARCE_AXIS_LOG;
    o.x_label = "alerts";
    o.y_lo = 0;
    o.title = v->rows->amount ? "Money recovered" : "Positives found";
    o.note = "Amounts of the positives among the first alerts of the list.";
    if (!v->rows->amount) o.note = "Among the first alerts of the list.";
    c = scarce_report_chart(r, &o);
    scarce_chart_line(c, "recovered", g->alerts, g->recovered, g->n);
    scarce_chart_level(c, "at stake", g->at_stake);
    if (priced) scarce_chart_mark(c, "cheapest", g->alerts[g->best]);
    if (!priced) return;
    o.title = "Cost of every threshold";
    o.note = "What is missed, and the price of the checks. The lowest point is the best place to cut.";
    o.y_hi = g->at_stake > 0 ? 2 * g->at_stake : (double)NAN; /* "check everything" would hide the rest */
    c = scarce_report_chart(r, &o);
    scarce_chart_line(c, "cost", g->alerts, g->cost, g->n);
    scarce_chart_points(c, "cheapest", &g->alerts[g->best], &g->cost[g->best], 1);
    if (v->metrics->tp + v->metrics->fp > 0)
        scarce_chart_mark(c, "threshold now", v->metrics->tp + v->metrics->fp);
    scarce_chart_level(c, "no alerts", g->at_stake);
}

static scarce_status draw_prices(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                 scarce_error *err)
{
    const double cost = v->options->cost;
    double price[PRICES], at[4][PRICES];
    scarce_cost_point point[PRICES];
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;
    scarce_status st;

    for (size_t i = 0; i < PRICES; ++i)
        price[i] = cost * scarce__pow(10, ((double)i - PRICES / 2) / (PRICES / 2) * 1.5);
    st = scarce_curve_cost(point, price, PRICES, v->rows, v->options, ctx, err);
    if (st != SCARCE_OK) return st;
    for (size_t i = 0; i < PRICES; ++i) {
        at[0][i] = point[i].best;
        at[1][i] = point[i].at_threshold;
        at[2][i] = point[i].by_value;
        at[3][i] = point[i].none;
    }
    o.title = "If a check cost more or less";
    o.note = "Total cost of each policy as the price of a check varies.";
    o.x_label = "price of a check";
    o.x_axis = SCARCE_AXIS_LOG;
    o.y_lo = 0;
    o.y_hi = point[0].none > 0 ? 2 * point[0].none : (double)NAN;
    c = scarce_report_chart(r, &o);
    scarce_chart_line(c, "best threshold", price, at[0], PRICES);
    scarce_chart_line(c, "threshold now", price, at[1], PRICES);
    scarce_chart_line(c, "probability x amount", price, at[2], PRICES);
    scarce_chart_line(c, "no alerts", price, at[3], PRICES);
    scarce_chart_mark(c, "price now", cost);
    return SCARCE_OK;
}

scarce_status scarce__pages_money(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                  scarce_error *err)
{
    const int priced = !isnan(v->options->cost);
    scarce_gains g;
    scarce_status st;

    if (!priced && !v->rows->amount) return SCARCE_OK;
    st = scarce_curve_gains(&g, v->rows, priced ? v->options->cost : 0, GAINS_POINTS, ctx, err);
    if (st != SCARCE_OK) return st;
    scarce_report_section(r, v->rows->amount ? "Money" : "Costs");
    scarce_report_tile_number(r, "at stake", g.at_stake, 4, "amounts of all positives");
    if (priced) {
        char detail[96];
        scarce_report_tile_number(r, "cost at the threshold", v->metrics->cost, 5, NULL);
        scarce__print(detail, sizeof detail, "with %.0f alerts", g.alerts[g.best]);
        scarce_report_tile_number(r, "lowest cost", g.cost[g.best], 5, detail);
        scarce_report_tile_number(r, "best threshold", g.threshold[g.best], 5, "of the score, on these rows");
        if (v->metrics->cost > 1.1 * g.cost[g.best]) {
            scarce__print(detail, sizeof detail,
                          "The threshold costs %.0f %% more than the best one would have.",
                          100 * (v->metrics->cost / g.cost[g.best] - 1));
            scarce_report_finding(r, SCARCE_SEVERITY_NOTE, detail,
                                  "Choose it by cost on recent rows: --threshold cost:PRICE when training.");
        }
    }
    draw_gains(r, v, &g);
    if (priced && v->options->cost > 0 && !v->options->alert) st = draw_prices(r, v, ctx, err);
    scarce_gains_deinit(&g);
    return st;
}
