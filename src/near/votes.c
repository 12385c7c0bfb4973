/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of distances to a score: nearby.h says which. Real and synthetic positives are merged on the way; squares are
 * compared, roots taken of what enters a score. */
#include <math.h>

#include "near/nearby_inside.h"

/* The positives of both lists in one order. */
typedef struct merged {
    const scarce__nearby *m;
    const scarce__nearby_list *real, *made;
    double real_factor, made_factor; /* of squares */
    size_t i, j;
} merged;

static merged merge_of(const scarce__nearby *m, const scarce__nearby_list *list, double factor)
{
    const double made = factor * m->synthetic;
    return (merged){
        m, &list[SCARCE__SIDE_POSITIVE], &list[SCARCE__SIDE_SYNTHETIC], factor * factor, made * made, 0, 0};
}

/* The next square, INFINITY behind the last; *weight of its row. */
static double peek(const merged *g, double *weight)
{
    const double a = g->i < g->real->n ? g->real->square[g->i] * g->real_factor : (double)INFINITY;
    const double b = g->j < g->made->n ? g->made->square[g->j] * g->made_factor : (double)INFINITY;
    const uint32_t row = a <= b ? (g->i < g->real->n ? g->real->row[g->i] : UINT32_MAX) : g->made->row[g->j];

    *weight = row == UINT32_MAX ? 0 : g->m->copies * (g->m->rows->weight ? g->m->rows->weight[row] : 1);
    return a <= b ? a : b;
}

static void advance(merged *g)
{
    const double a = g->i < g->real->n ? g->real->square[g->i] * g->real_factor : (double)INFINITY;
    const double b = g->j < g->made->n ? g->made->square[g->j] * g->made_factor : (double)INFINITY;
    if (a <= b) ++g->i;
    else ++g->j;
}

static double negative_weight(const scarce__nearby *m, uint32_t row)
{
    return m->rows->weight ? m->rows->weight[row] : 1;
}

/* The square at which the positives weigh `enough`, or the last there is; NaN: none. */
static double positive_at(const scarce__nearby *m, const scarce__nearby_list *list, double factor,
                          double enough, double *weight)
{
    merged g = merge_of(m, list, factor);
    double last = (double)NAN, sum = 0, w, square;

    while (sum < enough && (square = peek(&g, &w)) < (double)INFINITY) {
        last = square;
        sum += w;
        advance(&g);
    }
    *weight = sum;
    return last;
}

/* DN_r: where the negatives weigh more than k / 2. */
static double negative_at(const scarce__nearby *m, const scarce__nearby_list *list, double more_than)
{
    const scarce__nearby_list *neg = &list[SCARCE__SIDE_NEGATIVE];
    double last = (double)NAN, sum = 0;

    for (size_t i = 0; i < neg->n && sum <= more_than; ++i) {
        last = neg->square[i];
        sum += negative_weight(m, neg->row[i]);
    }
    return last;
}

static double margin(const scarce__nearby *m, const scarce__nearby_list *list, double factor)
{
    const double half = (double)m->k / 2;
    double weight;
    const double dp = positive_at(m, list, factor, half, &weight), dn = negative_at(m, list, half);

    if (isnan(dp)) return 0; /* no positives; there are always both in a training */
    if (isnan(dn)) return 1;
    return dp == dn ? 0.5 : 1 / (1 + sqrt(dp) / sqrt(dn));
}

/* 1 / D, or 1 of each row, over the k nearest of both classes. */
static double share(const scarce__nearby *m, const scarce__nearby_list *list, double factor, int inverse)
{
    const scarce__nearby_list *neg = &list[SCARCE__SIDE_NEGATIVE];
    merged g = merge_of(m, list, factor);
    double left = (double)m->k, sum[2] = {0, 0};
    size_t i = 0;

    while (left > 0) {
        double weight;
        const double dp = peek(&g, &weight), dn = i < neg->n ? neg->square[i] : (double)INFINITY;
        const int positive = dp <= dn;
        const double square = positive ? dp : dn;
        if (square == (double)INFINITY) break;
        if (positive) advance(&g);
        else weight = negative_weight(m, neg->row[i++]);
        weight = weight < left ? weight : left;
        left -= weight;
        sum[positive] += inverse ? weight / (square > 1e-24 ? sqrt(square) : 1e-12) : weight;
    }
    return sum[1] + sum[0] > 0 ? sum[1] / (sum[1] + sum[0]) : 0;
}

/* krnn. z = 1.6449: 90 %. */
static double reverse(const scarce__nearby *m, const scarce__nearby_list *list, double factor, double n)
{
    const double z = 1.6448536269514722, all_p = m->total[1] * m->copies, all_n = m->total[0],
                 all = all_p + all_n, rate = all_p / all;
    double p, lambda = 1;

    (void)positive_at(m, list, factor, (double)m->k, &p);
    if (!(p > 0)) return 0;
    if (p > (double)m->k) p = (double)m->k; /* copies beyond the k-th are as far as it */
    const double global = rate + z * sqrt(rate * (1 - rate) / all), local = p / (p + n), size = p + n;
    const double low =
        (local + z * z / (2 * size) - z * sqrt(local * (1 - local) / size + z * z / (4 * size * size))) /
        (1 + z * z / size);
    if (low > global && n > 0) lambda = (p / n) / (all_p / all_n);
    return p / (p + n / lambda);
}

double scarce__vote_radius(const scarce__nearby *m, const scarce__nearby_list *list, double factor)
{
    double weight;
    return positive_at(m, list, factor, (double)m->k, &weight);
}

double scarce__vote_of(const scarce__nearby *m, const scarce__nearby_list *list, double factor, double within)
{
    switch (m->vote) {
    case SCARCE__VOTE_MARGIN: return margin(m, list, factor);
    case SCARCE__VOTE_SHARE: return share(m, list, factor * m->gamma, 0);
    case SCARCE__VOTE_INVERSE: return share(m, list, factor * m->gamma, 1);
    case SCARCE__VOTE_REVERSE: return reverse(m, list, factor, within);
    }
    return (double)NAN;
}

double scarce__cluster_factor(const scarce__nearby *m, const double *point, size_t dims)
{
    size_t best = 0;
    double least = (double)INFINITY;

    for (size_t c = 0; c < m->n_clusters; ++c) {
        double square = 0;
        for (size_t i = 0; i < dims; ++i) {
            const double d = point[i] - m->center[c * dims + i];
            square += d * d;
        }
        if (square < least) least = square, best = c;
    }
    return m->n_clusters ? m->cluster_gamma[best] : 1;
}
