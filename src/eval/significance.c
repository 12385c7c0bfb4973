/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for the comparison of methods over several data sets (Demsar 2006): Wilcoxon's signed ranks for two
 * methods, Friedman for several, Holm for the number of comparisons.
 *
 * Pratt's way with zeros: they take part in the ranking, then their ranks are dropped; the mean and variance
 * of the rank sum under the hypothesis lose the part that the zeros had. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "eval/metrics_internal.h"
#include "eval/special.h"

enum { MOST_EXACT = 25 };

/* P(W <= w) where W = sum of a random subset of {1..n}, each with chance 1/2: counts by dynamic programming.
 * The counts stay below 2^25, so they are exact. */
static double exact_lower(size_t n, double w)
{
    double ways[MOST_EXACT * (MOST_EXACT + 1) / 2 + 1] = {1};
    double below = 0;
    size_t top = 0;
    for (size_t r = 1; r <= n; ++r) {
        top += r;
        for (size_t s = top; s >= r; --s) ways[s] += ways[s - r];
    }
    for (size_t s = 0; s <= top && (double)s <= w; ++s) below += ways[s];
    return ldexp(below, -(int)n);
}

/* Mean rank of group g when ranks count from 1 at the *end* of the (descending) ranking. */
static double rank_from_end(const scarce__ranking *r, size_t g)
{
    const double begin = g ? (double)r->group_end[g - 1] : 0, end = (double)r->group_end[g];
    return (double)r->n - (begin + end - 1) / 2;
}

static void sum_ranks(scarce_wilcoxon_result *w, double *tie_cubes, const double *d, const scarce__ranking *r)
{
    size_t begin = 0;
    for (size_t g = 0; g < r->n_groups; ++g) {
        const size_t end = r->group_end[g];
        const double rank = rank_from_end(r, g), t = (double)(end - begin);
        if (d[r->order[begin]] == 0) {
            w->zeros = end - begin;
        } else if (end - begin > 1) {
            w->ties += end - begin;
            *tie_cubes += t * t * t - t;
        }
        for (; begin < end; ++begin) {
            if (d[r->order[begin]] > 0) w->r_plus += rank;
            if (d[r->order[begin]] < 0) w->r_minus += rank;
        }
    }
}

static void wilcoxon_p(scarce_wilcoxon_result *w, double tie_cubes)
{
    const double n = (double)w->n, zeros = (double)w->zeros;
    const double mean = (n * (n + 1) - zeros * (zeros + 1)) / 4;
    const double variance =
        (n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1) - tie_cubes / 2) / 24;

    w->statistic = fmin(w->r_plus, w->r_minus);
    if (w->zeros == w->n) {
        w->p = 1;
        return;
    }
    w->exact = w->n <= MOST_EXACT && w->zeros == 0 && w->ties == 0;
    if (w->exact) {
        w->p = fmin(1, 2 * exact_lower(w->n, w->statistic));
        return;
    }
    w->z = w->r_plus - mean;
    w->z = (w->z - (w->z > 0 ? 0.5 : w->z < 0 ? -0.5 : 0)) / sqrt(variance);
    w->p = fmin(1, 2 * scarce__normal_upper(fabs(w->z)));
}

scarce_status scarce_wilcoxon(scarce_wilcoxon_result *out, const double *a, const double *b, size_t n,
                              scarce_error *err)
{
    double *d = scarce__malloc_array(n, sizeof *d), *size = scarce__malloc_array(n, sizeof *size);
    double tie_cubes = 0;
    scarce__ranking r = {0, 0, NULL, NULL};
    scarce_status st = SCARCE_ENOMEM;

    memset(out, 0, sizeof *out);
    out->statistic = out->z = out->p = NAN;
    if (!d || !size) {
        scarce__fail_memory(err, "the signed-rank test", 0);
        goto done;
    }
    for (size_t i = 0; i < n; ++i) {
        const double x = a[i] == b[i] ? 0 : a[i] - b[i]; /* equal infinities are equal */
        if (isnan(x)) continue;
        d[out->n] = x;
        size[out->n++] = fabs(x);
    }
    st = scarce__rank(&r, size, out->n, "difference", NULL, err);
    if (st != SCARCE_OK || out->n == 0) goto done;
    sum_ranks(out, &tie_cubes, d, &r);
    wilcoxon_p(out, tie_cubes);
done:
    scarce__ranking_deinit(&r);
    scarce__free(d);
    scarce__free(size);
    return st;
}

scarce_status scarce_holm(double *adjusted, const double *p, size_t n, scarce_error *err)
{
    double *known = scarce__malloc_array(n, sizeof *known);
    size_t *where = scarce__malloc_array(n, sizeof *where);
    scarce__ranking r = {0, 0, NULL, NULL};
    scarce_status st = SCARCE_ENOMEM;
    double highest = 0;
    size_t m = 0;

    if (!known || !where) {
        scarce__fail_memory(err, "Holm's correction", 0);
        goto done;
    }
    for (size_t i = 0; i < n; ++i) {
        if (p[i] < 0 || p[i] > 1) {
            st = scarce__fail(err, SCARCE_EINVAL, "p[%zu] is %g, must be between 0 and 1", i, p[i]);
            goto done;
        }
        if (isnan(p[i])) continue;
        known[m] = p[i];
        where[m++] = i;
    }
    st = scarce__rank(&r, known, m, "p", NULL, err);
    if (st != SCARCE_OK) goto done;
    for (size_t i = 0; i < n; ++i) adjusted[i] = p[i]; /* the NaNs */
    for (size_t step = 0; step < m; ++step) {          /* smallest first: the ranking from its end */
        const size_t i = r.order[m - 1 - step];
        highest = fmax(highest, fmin(1, (double)(m - step) * known[i]));
        adjusted[where[i]] = highest;
    }
done:
    scarce__ranking_deinit(&r);
    scarce__free(known);
    scarce__free(where);
    return st;
}

/* Adds the ranks of one block (1 = best) and returns sum of t^3 - t over its ties. */
static scarce_status add_block(double *rank_sum, double *tie_cubes, const double *value, double *turned,
                               size_t n, int direction, scarce_error *err)
{
    scarce__ranking r;
    size_t begin = 0;
    for (size_t i = 0; i < n; ++i) turned[i] = direction < 0 ? -value[i] : value[i];
    SCARCE__TRY(scarce__rank(&r, turned, n, "value", NULL, err));
    for (size_t g = 0; g < r.n_groups; ++g) {
        const size_t end = r.group_end[g];
        const double t = (double)(end - begin), rank = (double)(begin + end + 1) / 2;
        *tie_cubes += t * t * t - t;
        for (; begin < end; ++begin) rank_sum[r.order[begin]] += rank;
    }
    scarce__ranking_deinit(&r);
    return SCARCE_OK;
}

static void friedman_p(scarce_friedman_result *out, const double *rank_sum, double tie_cubes,
                       size_t n_methods)
{
    const double b = (double)out->blocks, k = (double)n_methods;
    const double tie_factor = 1 - tie_cubes / (b * k * (k * k - 1));
    double spread = 0;
    for (size_t i = 0; i < n_methods; ++i) {
        const double off = rank_sum[i] - b * (k + 1) / 2;
        spread += off * off;
    }
    if (out->blocks < 2 || !(tie_factor > 0)) return;
    out->chi2 = 12 * spread / (b * k * (k + 1)) / tie_factor;
    out->p = scarce__chi2_upper(out->chi2, k - 1);
    /* Iman & Davenport: infinite when all blocks agree completely */
    const double left = b * (k - 1) - out->chi2;
    out->f = left > 1e-12 * b * (k - 1) ? (b - 1) * out->chi2 / left : (double)INFINITY;
    out->p_f = scarce__f_upper(out->f, k - 1, (k - 1) * (b - 1));
}

scarce_status scarce_friedman(scarce_friedman_result *out, double *average_rank, const double *value,
                              size_t n_blocks, size_t n_methods, int direction, scarce_error *err)
{
    double *turned, tie_cubes = 0;
    scarce_status st = SCARCE_OK;

    *out = (scarce_friedman_result){0, NAN, NAN, NAN, NAN};
    for (size_t m = 0; m < n_methods; ++m) average_rank[m] = NAN;
    if (n_methods < 2)
        return scarce__fail(err, SCARCE_EINVAL, "%zu methods, 2 or more are needed to compare", n_methods);
    if (direction == 0) return scarce__fail(err, SCARCE_EINVAL, "direction is 0, must be +1 or -1");
    turned = scarce__malloc_array(n_methods, sizeof *turned);
    if (!turned) return scarce__fail_memory(err, "the Friedman test", 0);
    for (size_t m = 0; m < n_methods; ++m) average_rank[m] = 0;
    for (size_t b = 0; b < n_blocks && st == SCARCE_OK; ++b) {
        const double *row = value + b * n_methods;
        int complete = 1;
        for (size_t m = 0; m < n_methods; ++m) complete &= !isnan(row[m]);
        if (!complete) continue;
        ++out->blocks;
        st = add_block(average_rank, &tie_cubes, row, turned, n_methods, direction, err);
    }
    scarce__free(turned);
    if (st == SCARCE_OK && out->blocks > 0) friedman_p(out, average_rank, tie_cubes, n_methods);
    for (size_t m = 0; m < n_methods; ++m)
        average_rank[m] =
            st == SCARCE_OK && out->blocks > 0 ? average_rank[m] / (double)out->blocks : (double)NAN;
    return st;
}
