/* SPDX-License-Identifier: Apache-2.0 */
/* Curves: one walk down the ranking each, then only the points that can be seen. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "eval/metrics_internal.h"

/* ---- Top k. The k are visited in ascending order, so one walk serves them all. */
scarce_status scarce_metrics_at_k(double *precision, double *recall, double *amount_recovered,
                                  const scarce_scored *in, const double *k, size_t n_k, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    scarce__ranking r = {0, 0, NULL, NULL}, ks = {0, 0, NULL, NULL};
    scarce__head was = {0, 0, 0, 0}, h = was, all = was;
    size_t g = 0;
    scarce_status st;

    for (size_t i = 0; i < n_k; ++i) {
        if (precision) precision[i] = NAN;
        if (recall) recall[i] = NAN;
        if (amount_recovered) amount_recovered[i] = NAN;
    }
    for (size_t i = 0; i < n_k; ++i)
        if (!(k[i] >= 1)) return scarce__fail(err, SCARCE_EINVAL, "k is %g, must be 1 or more", k[i]);
    SCARCE__TRY(scarce__scored_check(in, err));
    st = scarce__rank(&ks, k, n_k, "k", NULL, err);
    if (st == SCARCE_OK) st = scarce__rank(&r, in->score, in->n, "score", pool, err);
    if (st != SCARCE_OK) goto done;
    scarce__head_add(&all, in, NULL, NULL, 0, in->n);
    if (!(all.pos > 0) || !(all.neg > 0)) goto done;
    for (size_t i = n_k; i-- > 0;) {
        const size_t at = ks.order[i];
        const double kk = fmin(floor(k[at] + 0.5), all.rows);
        for (; h.rows < kk; ++g) {
            was = h;
            scarce__head_add(&h, in, r.order, NULL, g ? r.group_end[g - 1] : 0, r.group_end[g]);
        }
        const scarce__head cut = scarce__head_at(&was, &h, kk);
        if (precision && cut.pos + cut.neg > 0) precision[at] = cut.pos / (cut.pos + cut.neg);
        if (recall) recall[at] = cut.pos / all.pos;
        if (amount_recovered && in->amount) amount_recovered[at] = cut.amount;
    }
done:
    scarce__ranking_deinit(&r);
    scarce__ranking_deinit(&ks);
    return st;
}

/* ---- ROC and precision-recall. */
void scarce_curve_deinit(scarce_curve *curve)
{
    if (!curve) return;
    scarce__free(curve->x);
    scarce__free(curve->y);
    scarce__free(curve->threshold);
    memset(curve, 0, sizeof *curve);
}

static int curve_init(scarce_curve *c, size_t capacity)
{
    memset(c, 0, sizeof *c);
    c->x = scarce__malloc_array(capacity, sizeof *c->x);
    c->y = scarce__malloc_array(capacity, sizeof *c->y);
    c->threshold = scarce__malloc_array(capacity, sizeof *c->threshold);
    if (c->x && c->y && c->threshold) return 1;
    scarce_curve_deinit(c);
    return 0;
}

static void push(scarce_curve *c, double x, double y, double threshold)
{
    c->x[c->n] = x;
    c->y[c->n] = y;
    c->threshold[c->n++] = threshold;
}

static void move_point(scarce_curve *c, size_t to, size_t from)
{
    c->x[to] = c->x[from];
    c->y[to] = c->y[from];
    c->threshold[to] = c->threshold[from];
}

static double step_length(const scarce_curve *c, size_t i)
{
    return fabs(c->x[i] - c->x[i - 1]) + fabs(c->y[i] - c->y[i - 1]);
}

/* Keeps the points at about equal distances along the curve, and both ends. */
static void thin(scarce_curve *c, size_t max_points)
{
    double length = 0, gone = 0;
    size_t kept = 1, passed = 0;
    if (max_points < 2 || c->n <= max_points) return;
    for (size_t i = 1; i < c->n; ++i) length += step_length(c, i);
    for (size_t i = 1; i + 1 < c->n; ++i) {
        gone += step_length(c, i);
        const size_t mark = (size_t)(gone / length * (double)(max_points - 1));
        if (mark <= passed || kept + 1 >= max_points) continue;
        passed = mark;
        move_point(c, kept++, i);
    }
    move_point(c, kept++, c->n - 1);
    c->n = kept;
}

/* Points in the middle of a straight piece say nothing. x and y are still sums of weights here. */
static void drop_straight(scarce_curve *c)
{
    size_t kept = 1;
    for (size_t i = 1; i < c->n; ++i) {
        if (kept >= 2) {
            const double dx = c->x[kept - 1] - c->x[kept - 2], dy = c->y[kept - 1] - c->y[kept - 2];
            if (dx * (c->y[i] - c->y[kept - 1]) == dy * (c->x[i] - c->x[kept - 1])) --kept;
        }
        move_point(c, kept++, i);
    }
    c->n = kept;
}

typedef enum curve_kind { ROC, PR } curve_kind;

static void walk(scarce_curve *c, const scarce_scored *in, const scarce__ranking *r, const scarce__head *all,
                 curve_kind kind)
{
    scarce__head h = {0, 0, 0, 0};
    size_t begin = 0;
    if (kind == ROC) push(c, 0, 0, INFINITY);
    for (size_t g = 0; g < r->n_groups; ++g) {
        const double t = in->score[r->order[begin]];
        scarce__head_add(&h, in, r->order, NULL, begin, r->group_end[g]);
        begin = r->group_end[g];
        if (kind == ROC) {
            push(c, h.neg, h.pos, t);
        } else if (h.pos + h.neg > 0) {
            push(c, h.pos / all->pos, h.pos / (h.pos + h.neg), t);
            if (h.pos == all->pos) return;
        }
    }
}

static scarce_status curve_of(scarce_curve *out, const scarce_scored *in, size_t max_points, curve_kind kind,
                              scarce_context *ctx, scarce_error *err)
{
    scarce__head all = {0, 0, 0, 0};
    scarce__ranking r;
    scarce_curve c;

    memset(out, 0, sizeof *out);
    SCARCE__TRY(scarce__scored_check(in, err));
    SCARCE__TRY(scarce__rank(&r, in->score, in->n, "score", scarce__context_pool(ctx), err));
    scarce__head_add(&all, in, r.order, NULL, 0,
                     in->n); /* in the order of the walk: the last sum is equal, not near */
    if (!(all.pos > 0) || !(all.neg > 0)) {
        scarce__ranking_deinit(&r);
        return scarce__fail(err, SCARCE_EDATA, "no curve without %s",
                            all.pos > 0 ? "negatives" : "positives");
    }
    if (!curve_init(&c, r.n_groups + 1)) {
        scarce__ranking_deinit(&r);
        return scarce__fail_memory(err, "the curve", 0);
    }
    walk(&c, in, &r, &all, kind);
    scarce__ranking_deinit(&r);
    if (kind == ROC) {
        drop_straight(&c);
        for (size_t i = 0; i < c.n; ++i) {
            c.x[i] /= all.neg;
            c.y[i] /= all.pos;
        }
    }
    thin(&c, max_points);
    *out = c;
    return SCARCE_OK;
}

scarce_status scarce_curve_roc(scarce_curve *out, const scarce_scored *in, size_t max_points,
                               scarce_context *ctx, scarce_error *err)
{
    return curve_of(out, in, max_points, ROC, ctx, err);
}

scarce_status scarce_curve_pr(scarce_curve *out, const scarce_scored *in, size_t max_points,
                              scarce_context *ctx, scarce_error *err)
{
    return curve_of(out, in, max_points, PR, ctx, err);
}

/* ---- Calibration. */
static void put_in_bin(scarce_calibration_bin *bin, const scarce_scored *in, size_t row)
{
    const double w = in->weight ? in->weight[row] : 1.0;
    bin->weight += w;
    bin->mean_probability += w * in->probability[row];
    bin->share_positive += in->label[row] ? w : 0;
}

static void equal_count(scarce_calibration_bin *bins, size_t n_bins, const scarce_scored *in,
                        const scarce__ranking *r)
{
    size_t end = in->n;
    for (size_t g = r->n_groups; g-- > 0;) { /* probabilities rising */
        const size_t begin = g ? r->group_end[g - 1] : 0;
        const size_t below = in->n - end;
        scarce_calibration_bin *bin = &bins[(size_t)((double)below * (double)n_bins / (double)in->n)];
        const double p = in->probability[r->order[begin]];
        if (isnan(bin->lo)) bin->lo = p;
        bin->hi = p;
        for (size_t i = begin; i < end; ++i) put_in_bin(bin, in, r->order[i]);
        end = begin;
    }
}

scarce_status scarce_curve_calibration(scarce_calibration_bin *bins, size_t n_bins,
                                       scarce_calibration_bins kind, const scarce_scored *in,
                                       scarce_context *ctx, scarce_error *err)
{
    scarce__ranking r;
    const int width = kind == SCARCE_BINS_EQUAL_WIDTH;

    for (size_t b = 0; b < n_bins; ++b) {
        bins[b] = (scarce_calibration_bin){NAN, NAN, 0, 0, 0};
        if (!width) continue;
        bins[b].lo = (double)b / (double)n_bins;
        bins[b].hi = (double)(b + 1) / (double)n_bins;
    }
    if (n_bins == 0) return scarce__fail(err, SCARCE_EINVAL, "no bins asked for");
    if (!in->probability) return scarce__fail(err, SCARCE_EINVAL, "calibration needs probabilities");
    SCARCE__TRY(scarce__scored_check(in, err));
    if (width) {
        for (size_t i = 0; i < in->n; ++i) {
            const size_t b = (size_t)(in->probability[i] * (double)n_bins);
            put_in_bin(&bins[b < n_bins ? b : n_bins - 1], in, i);
        }
    } else {
        SCARCE__TRY(scarce__rank(&r, in->probability, in->n, "probability", scarce__context_pool(ctx), err));
        equal_count(bins, n_bins, in, &r);
        scarce__ranking_deinit(&r);
    }
    for (size_t b = 0; b < n_bins; ++b) { /* 0/0 is the NaN of an empty bin */
        bins[b].mean_probability /= bins[b].weight;
        bins[b].share_positive /= bins[b].weight;
    }
    return SCARCE_OK;
}

/* ---- Costs. Investigating all rows at or above a threshold costs total - caught + c * alerts. For any c the
 * best threshold is a corner of the upper hull of the points (alerts, caught). */
static double at_stake(const scarce_scored *in, size_t row)
{
    const double w = in->weight ? in->weight[row] : 1.0;
    if (!in->label[row]) return 0;
    return in->amount ? w * in->amount[row] : w;
}

static void push_hull(scarce_curve *h, double alerts, double caught, double threshold)
{
    while (h->n >= 2) {
        const double dx = h->x[h->n - 1] - h->x[h->n - 2], dy = h->y[h->n - 1] - h->y[h->n - 2];
        if (dy * (alerts - h->x[h->n - 2]) > (caught - h->y[h->n - 2]) * dx) break;
        --h->n;
    }
    push(h, alerts, caught, threshold);
}

static void hull_of(scarce_curve *h, const scarce_scored *in, const scarce__ranking *r)
{
    double alerts = 0, caught = 0;
    size_t begin = 0;
    push(h, 0, 0, INFINITY);
    for (size_t g = 0; g < r->n_groups; ++g) {
        const double t = in->score[r->order[begin]];
        for (; begin < r->group_end[g]; ++begin) {
            const size_t row = r->order[begin];
            alerts += in->weight ? in->weight[row] : 1.0;
            caught += at_stake(in, row);
        }
        push_hull(h, alerts, caught, t);
    }
}

static void fill_cost(scarce_cost_point *p, double c, const scarce_scored *in, const scarce_curve *hull,
                      double alerts, double missed)
{
    const double total = hull->y[hull->n - 1];
    double by_value = 0;
    *p = (scarce_cost_point){c, total, c * hull->x[hull->n - 1], missed + c * alerts, total, INFINITY, NAN};
    for (size_t i = 1; i < hull->n; ++i) {
        const double cost = total - hull->y[i] + c * hull->x[i];
        if (cost < p->best) {
            p->best = cost;
            p->best_threshold = hull->threshold[i];
        }
    }
    if (!in->probability) return;
    for (size_t i = 0; i < in->n; ++i) {
        const double gain = in->amount ? in->probability[i] * in->amount[i] : in->probability[i];
        by_value += gain >= c ? c * (in->weight ? in->weight[i] : 1.0) : at_stake(in, i);
    }
    p->by_value = by_value;
}

scarce_status scarce_curve_cost(scarce_cost_point *points, const double *c, size_t n_c,
                                const scarce_scored *in, const scarce_metrics_options *options,
                                scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    scarce_metrics_options o;
    scarce__ranking r = {0, 0, NULL, NULL};
    scarce__facts f = {NULL, 0, NULL, NULL, NULL};
    scarce_curve hull = {0, NULL, NULL, NULL};
    scarce_metrics m = SCARCE_METRICS_INIT;
    double alerts = 0, missed = 0;
    scarce_status st;

    SCARCE__TRY(scarce__metrics_options(&o, options, err));
    SCARCE__TRY(scarce__scored_check(in, err));
    for (size_t i = 0; i < n_c; ++i)
        if (!(c[i] >= 0) || isinf(c[i]))
            return scarce__fail(err, SCARCE_EINVAL, "cost is %g, must be 0 or more", c[i]);
    scarce__metrics_clear(&m);
    st = scarce__rank(&r, in->score, in->n, "score", pool, err);
    if (st != SCARCE_OK) goto done;
    if (!curve_init(&hull, r.n_groups + 1)) {
        st = scarce__fail_memory(err, "the cost curve", 0);
        goto done;
    }
    hull_of(&hull, in, &r);
    scarce__metrics_of_order(&m, in, &r, r.order, NULL, &o);
    st = scarce__facts_init(&f, in, &o, m.f1_best_threshold, pool, err);
    if (st != SCARCE_OK) goto done;
    for (size_t i = 0; i < in->n; ++i) {
        if (scarce__is_alert(&f, i)) alerts += in->weight ? in->weight[i] : 1.0;
        else missed += at_stake(in, i);
    }
    if (isnan(f.threshold) && !f.alert) missed = NAN; /* no threshold was given and none can be chosen */
    for (size_t i = 0; i < n_c; ++i) fill_cost(&points[i], c[i], in, &hull, alerts, missed);
done:
    scarce__ranking_deinit(&r);
    scarce__facts_deinit(&f);
    scarce_curve_deinit(&hull);
    return st;
}
