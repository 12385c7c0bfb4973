/* SPDX-License-Identifier: Apache-2.0 */
/* The AP criterion of the ranking trees (MetaAP).
 *
 * A node has n rows, p of them positive. Were the left side (nl, pl) put on top of the list and the rest
 * below it, average precision would be AP_l = (pl / p) (pl / nl) + (pr / p) (p / n); AP_r likewise with the
 * right side on top. A split is to make the mean over the rows large:
 *
 *     nl AP_l + nr AP_r = p [1 + (b - a)(2 b - 1)],    a = nl / n, b = pl / p
 *
 * (multiply out). So within a node the integers (n pl - p nl)(2 pl - p) are compared. They are exact in a
 * double while p^2 (n - p) < 2^53, which 390,000 rows of any mixture can't exceed; beyond, products are
 * rounded once. The gain is (n pl - p nl)(2 pl - p) / (n p), and may be negative: small pure leaves that hold
 * less than half of the positives are not liked. Rows count, weights don't; ap-soft is for weights, and for rows
 * that are positive in part: n and p are then sums of doubles.
 *
 * Stopping (the authors' rule): a leaf carries ref = 1 - p / n at the root, and 1 - AP with this side on top
 * below it. It is split only if ref - (nl ref_l + nr ref_r) / n >= 0 up to rounding, and not when ref <= 0 or
 * when it holds one class only. */
#include <math.h>

#include "tree/criterion.h"

typedef struct pair {
    int64_t n, p;
} pair;

static pair pair_of(scarce__gh counts)
{
    return (pair){(int64_t)scarce__count_rows(counts), (int64_t)scarce__count_marks(counts)};
}

static double ap_worth(const scarce__criterion_node *node)
{
    (void)node;
    return 0;
}

static double ap_values(const scarce__criterion_node *node, const scarce__sides *s, size_t from, size_t to,
                        double *value)
{
    const pair all = pair_of(node->total.counts);
    const double least = node->rules->min_child_weight;
    for (size_t b = from; b < to; ++b) {
        const pair l = pair_of(s->counts[b] + s->add_counts);
        const double hl = s->h[b] + s->add_h, hr = node->total.h - hl;
        const int64_t lift = all.n * l.p - all.p * l.n, side = 2 * l.p - all.p;
        const int good = l.n > 0 && l.n < all.n && hl >= least && hr >= least;
        value[b] = good ? (double)lift * (double)side : -INFINITY;
    }
    return scarce__largest(value, to);
}

static double ap_unit(const scarce__totals *node)
{
    const pair all = pair_of(node->counts);
    return all.p > 0 ? 1 / ((double)all.n * (double)all.p) : 1;
}

static int enough(const scarce__split_rules *r, double gain, double value, double worth)
{
    (void)r;
    (void)gain;
    (void)value;
    (void)worth;
    return 1; /* may_split decides */
}

static double ap_own(const scarce__totals *parent, const scarce__totals *leaf)
{
    const pair l = pair_of(leaf->counts);
    if (!parent) return 1 - (double)l.p / (double)l.n;
    const pair all = pair_of(parent->counts);
    const double top = (double)l.p * (double)l.p / ((double)all.p * (double)l.n);
    return 1 - (top + (double)(all.p - l.p) / (double)all.n);
}

static int ap_may_split(const scarce__totals *node, double own, const scarce__totals *left)
{
    const pair all = pair_of(node->counts);
    if (all.p == 0 || all.p == all.n || own <= 0) return 0;
    if (!left) return 1;
    const pair l = pair_of(left->counts);
    const scarce__totals right = {.counts = node->counts - left->counts};
    const double rest = (double)l.n * ap_own(node, left) + (double)(all.n - l.n) * ap_own(node, &right);
    return own - rest / (double)all.n >= -1e-12;
}

static double ap_leaf(const scarce__split_rules *r, const scarce__totals *t, double low, double high)
{
    const pair l = pair_of(t->counts);
    (void)r;
    (void)low;
    (void)high;
    return l.n > 0 ? (double)l.p / (double)l.n : 0;
}

const scarce__criterion scarce__criterion_ap = {.name = "ap",
                                                .classes = 1,
                                                .counts = 1,
                                                .scale = 1,
                                                .worth = ap_worth,
                                                .values = ap_values,
                                                .enough = enough,
                                                .unit = ap_unit,
                                                .may_split = ap_may_split,
                                                .own = ap_own,
                                                .leaf = ap_leaf};

/* ---- Weights instead of counts */

static double soft_values(const scarce__criterion_node *node, const scarce__sides *s, size_t from, size_t to,
                          double *value)
{
    const double least = node->rules->min_child_weight, n = node->total.h, p = -node->total.g;
    for (size_t b = from; b < to; ++b) {
        const double nl = s->h[b] + s->add_h, pl = -(s->g[b] + s->add_g);
        const int good = nl > 0 && nl < n && nl >= least && n - nl >= least;
        value[b] = good ? (n * pl - p * nl) * (2 * pl - p) : -INFINITY;
    }
    return scarce__largest(value, to);
}

static double soft_unit(const scarce__totals *node)
{
    return node->g < 0 ? 1 / (node->h * -node->g) : 1;
}

static double soft_own(const scarce__totals *parent, const scarce__totals *leaf)
{
    if (!parent) return 1 + leaf->g / leaf->h;
    return 1 - (leaf->g * leaf->g / (-parent->g * leaf->h) + (leaf->g - parent->g) / parent->h);
}

/* A class whose weight is a rounding error isn't there. */
static int soft_may_split(const scarce__totals *node, double own, const scarce__totals *left)
{
    const double p = -node->g, n = node->h, dust = 1e-12 * n;
    if (!(p > dust) || !(n - p > dust) || own <= 0) return 0;
    if (!left) return 1;
    const scarce__totals right = {.g = node->g - left->g, .h = node->h - left->h};
    if (!(left->h > 0) || !(right.h > 0)) return 0;
    const double rest = left->h * soft_own(node, left) + right.h * soft_own(node, &right);
    return own - rest / n >= -1e-12;
}

static double soft_leaf(const scarce__split_rules *r, const scarce__totals *t, double low, double high)
{
    (void)r;
    (void)low;
    (void)high;
    return t->h > 0 ? -t->g / t->h : 0;
}

const scarce__criterion scarce__criterion_ap_soft = {.name = "ap-soft",
                                                     .classes = 1,
                                                     .counts = 1,
                                                     .scale = 1,
                                                     .worth = ap_worth,
                                                     .values = soft_values,
                                                     .enough = enough,
                                                     .unit = soft_unit,
                                                     .may_split = soft_may_split,
                                                     .own = soft_own,
                                                     .leaf = soft_leaf};
