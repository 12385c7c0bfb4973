/* SPDX-License-Identifier: Apache-2.0 */
/* The two merges. A leaf has p positives and m negatives, n = p + m, of P and M in all inner leaves.
 *
 *   metaap    leaves ascending by (1 - precision) / recall = (m / n) / (p / P), those without positives last;
 *             the prefix whose AP, were it on top of the list and the rest below, is largest. With the sums
 *             p', n' of a prefix AP = (p'/P)(p'/n') + (1 - p'/P) P/N, and b (b - a) / a orders prefixes alike,
 *             b = p'/P, a = n'/N. (Viola, thesis 2022, section 4.4)
 *   treerank  leaves descending by beta / alpha = (p / P) / (m / M), those without negatives first; the prefix
 *             that maximises beta' - alpha'. (Clemencon and Vayatis, IEEE Trans. Inf. Theory 55, 2009)
 *
 * Keys are one division of whole numbers that doubles hold exactly (up to some 200,000 rows), so that equal
 * leaves have equal keys and keep their order. */
#include "rank/merge.h"

#include <math.h>

typedef double (*key_fn)(const scarce__mass *leaf);

static int after(const scarce__mass *leaf, key_fn key, uint32_t a, uint32_t b)
{
    const double x = key(&leaf[a]), y = key(&leaf[b]);
    return x > y || (x == y && a > b);
}

static void sink(uint32_t *order, size_t n, size_t at, const scarce__mass *leaf, key_fn key)
{
    for (;;) {
        size_t last = at;
        for (size_t kid = 2 * at + 1; kid <= 2 * at + 2 && kid < n; ++kid)
            if (after(leaf, key, order[kid], order[last])) last = kid;
        if (last == at) return;
        const uint32_t swap = order[at];
        order[at] = order[last];
        order[last] = swap;
        at = last;
    }
}

/* A heap sort, which needs no memory; the number of a leaf breaks ties, so that equal ones keep their order. */
static void order_by(uint32_t *order, const scarce__mass *leaf, size_t n, key_fn key)
{
    for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
    for (size_t i = n / 2; i-- > 0;) sink(order, n, i, leaf, key);
    for (size_t left = n; left > 1;) {
        const uint32_t swap = order[0];
        order[0] = order[--left];
        order[left] = swap;
        sink(order, left, 0, leaf, key);
    }
}

static double key_ap(const scarce__mass *l)
{
    return l->positive > 0 ? l->negative / ((l->positive + l->negative) * l->positive) : INFINITY;
}

static double key_roc(const scarce__mass *l)
{
    return l->positive > 0 ? l->negative / l->positive : INFINITY;
}

static scarce__mass sum_of(const scarce__mass *leaf, size_t n)
{
    scarce__mass all = {0, 0};
    for (size_t i = 0; i < n; ++i) {
        all.positive += leaf[i].positive;
        all.negative += leaf[i].negative;
    }
    return all;
}

/* The first prefix of the largest value. */
static size_t best_prefix(const uint32_t *order, const scarce__mass *leaf, size_t n,
                          double (*value)(const scarce__mass *prefix, const scarce__mass *all))
{
    const scarce__mass all = sum_of(leaf, n);
    scarce__mass sum = {0, 0};
    double best = -INFINITY;
    size_t taken = n;

    for (size_t i = 0; i < n; ++i) {
        sum.positive += leaf[order[i]].positive;
        sum.negative += leaf[order[i]].negative;
        const double v = value(&sum, &all);
        if (v > best) {
            best = v;
            taken = i + 1;
        }
    }
    return taken;
}

static double value_ap(const scarce__mass *s, const scarce__mass *all)
{
    const double n = s->positive + s->negative, total = all->positive + all->negative;
    return n > 0 ? s->positive * (s->positive * total - all->positive * n) / n : -INFINITY;
}

static double value_roc(const scarce__mass *s, const scarce__mass *all)
{
    return s->positive * all->negative - s->negative * all->positive;
}

size_t scarce__merge_ap(uint32_t *order, const scarce__mass *leaf, size_t n)
{
    order_by(order, leaf, n, key_ap);
    return best_prefix(order, leaf, n, value_ap);
}

size_t scarce__merge_roc(uint32_t *order, const scarce__mass *leaf, size_t n)
{
    order_by(order, leaf, n, key_roc);
    return best_prefix(order, leaf, n, value_roc);
}
