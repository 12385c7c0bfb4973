/* SPDX-License-Identifier: Apache-2.0 */
/* Criteria over two classes: a side has the weight W, and P of it is positive, N = W - P negative.
 *
 *   gini      impurity W * 2 p (1 - p), p = P / W. Taken from 2 P it leaves 2 P^2 / W: Newton's worth without
 *             lambda, so the sides come from Newton's kernel
 *   entropy   W times the bits of a class, -P log2 p - N log2 (1 - p)
 *   error     min(P, N): what a majority vote gets wrong
 *   opposed   min(N_L + P_R, P_L + N_R): what is wrong when the sides vote differently, as TreeRank's inner
 *             trees have it (Clemencon and Vayatis 2009, with a weight per class). Unlike the error of
 *             majorities it prefers one split to another where neither is better than none; whoever uses it
 *             takes useless splits back afterwards
 *
 * A gain is what a split takes off the impurity of the node. The error of a node often falls by no split at
 * all; then the first candidate is taken, row after row: limit the depth, or set gamma above 0. CART: Breiman
 * et al., Classification and Regression Trees (1984). Ordered by their share of positives, the categories of
 * the best subset for gini and entropy are a prefix (there, section 4.2.2). */
#include <math.h>

#include "core/elementary.h"
#include "tree/criterion.h"

static scarce__newton_kernel gini_kernel(const scarce__criterion_node *n)
{
    return (scarce__newton_kernel){.low = -INFINITY,
                                   .high = INFINITY,
                                   .min_weight = n->rules->min_child_weight,
                                   .total_g = n->total.g,
                                   .total_h = n->total.h};
}

static double gini_worth(const scarce__criterion_node *n)
{
    const scarce__newton_kernel k = gini_kernel(n);
    return scarce__newton_worth(&k);
}

static double gini_values(const scarce__criterion_node *n, const scarce__sides *s, size_t from, size_t to,
                          double *value)
{
    const scarce__newton_kernel k = gini_kernel(n);
    return scarce__newton_values(&k, s, from, to, value, n->avx2);
}

typedef double (*impurity_fn)(double p, double n);

static double entropy_of(double p, double n)
{
    const double w = p + n;
    return p > 0 && n > 0 ? -(p * scarce__log2(p / w) + n * scarce__log2(n / w)) : 0;
}

static double error_of(double p, double n)
{
    return p < n ? p : n;
}

static double values_of(const scarce__criterion_node *node, const scarce__sides *s, size_t from, size_t to,
                        double *value, impurity_fn impurity)
{
    const double least = node->rules->min_child_weight;
    for (size_t b = from; b < to; ++b) {
        const double pl = -(s->g[b] + s->add_g), wl = s->h[b] + s->add_h;
        const double pr = -node->total.g - pl, wr = node->total.h - wl;
        value[b] = wl >= least && wr >= least ? -(impurity(pl, wl - pl) + impurity(pr, wr - pr)) : -INFINITY;
    }
    return scarce__largest(value, to);
}

static double entropy_worth(const scarce__criterion_node *n)
{
    return -entropy_of(-n->total.g, n->total.h + n->total.g);
}

static double entropy_values(const scarce__criterion_node *n, const scarce__sides *s, size_t from, size_t to,
                             double *value)
{
    return values_of(n, s, from, to, value, entropy_of);
}

static double error_worth(const scarce__criterion_node *n)
{
    return -error_of(-n->total.g, n->total.h + n->total.g);
}

static double error_values(const scarce__criterion_node *n, const scarce__sides *s, size_t from, size_t to,
                           double *value)
{
    return values_of(n, s, from, to, value, error_of);
}

static double opposed_values(const scarce__criterion_node *node, const scarce__sides *s, size_t from,
                             size_t to, double *value)
{
    const double least = node->rules->min_child_weight;
    const double p = -node->total.g, n = node->total.h + node->total.g;
    for (size_t b = from; b < to; ++b) {
        const double pl = -(s->g[b] + s->add_g), wl = s->h[b] + s->add_h, nl = wl - pl;
        const double left = nl + (p - pl), right = pl + (n - nl);
        const int good = wl >= least && node->total.h - wl >= least;
        value[b] = good ? -(left < right ? left : right) : -INFINITY;
    }
    return scarce__largest(value, to);
}

static int any(const scarce__split_rules *r, double gain, double value, double worth)
{
    (void)r;
    (void)gain;
    (void)value;
    (void)worth;
    return 1;
}

/* Up to the rounding of the sums, a gain of nothing is enough. */
static int enough(const scarce__split_rules *r, double gain, double value, double worth)
{
    return gain >= r->gamma - 1e-10 * (fabs(value) + fabs(worth));
}

/* By counts, not by weights: these are exact. */
static int is_mixed(const scarce__totals *node, double own, const scarce__totals *left)
{
    const uint32_t marks = scarce__count_marks(node->counts), rows = scarce__count_rows(node->counts);
    (void)own;
    (void)left;
    return marks > 0 && marks < rows;
}

static double share(const scarce__split_rules *r, const scarce__totals *t, double low, double high)
{
    (void)r;
    (void)low;
    (void)high;
    return t->h > 0 ? -t->g / t->h : 0;
}

const scarce__criterion scarce__criterion_gini = {.name = "gini",
                                                  .classes = 1,
                                                  .counts = 1,
                                                  .scale = 2,
                                                  .worth = gini_worth,
                                                  .values = gini_values,
                                                  .enough = enough,
                                                  .may_split = is_mixed,
                                                  .leaf = share};

const scarce__criterion scarce__criterion_entropy = {.name = "entropy",
                                                     .classes = 1,
                                                     .counts = 1,
                                                     .scale = 1,
                                                     .worth = entropy_worth,
                                                     .values = entropy_values,
                                                     .enough = enough,
                                                     .may_split = is_mixed,
                                                     .leaf = share};

const scarce__criterion scarce__criterion_error = {.name = "error",
                                                   .classes = 1,
                                                   .counts = 1,
                                                   .scale = 1,
                                                   .worth = error_worth,
                                                   .values = error_values,
                                                   .enough = enough,
                                                   .may_split = is_mixed,
                                                   .leaf = share};

const scarce__criterion scarce__criterion_opposed = {.name = "opposed",
                                                     .classes = 1,
                                                     .counts = 1,
                                                     .scale = 1,
                                                     .worth = error_worth,
                                                     .values = opposed_values,
                                                     .enough = any,
                                                     .may_split = is_mixed,
                                                     .leaf = share};

/* Rows that are positive in part make no pure nodes: gamma above 0 ends the growth. */
const scarce__criterion scarce__criterion_gini_soft = {.name = "gini-soft",
                                                       .classes = 1,
                                                       .counts = 1,
                                                       .scale = 2,
                                                       .worth = gini_worth,
                                                       .values = gini_values,
                                                       .enough = enough,
                                                       .leaf = share};
