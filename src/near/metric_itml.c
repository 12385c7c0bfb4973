/* SPDX-License-Identifier: Apache-2.0 */
/* ITML: Davis, Kulis, Jain, Sra and Dhillon, Information-theoretic metric learning, ICML 2007.
 *
 * The matrix nearest to I in LogDet divergence with (x_i - x_j)' M (x_i - x_j) <= u for similar pairs and >= v for
 * dissimilar ones, with slack gamma: cyclic Bregman projections, each a change of rank one. (001 prints <= v for the
 * dissimilar ones.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "near/metric.h"

typedef struct projections {
    double *m, *v, *mv; /* M, a difference, M v */
    double *lambda, *old, *bound;
    size_t d;
} projections;

static double difference(const projections *s, const scarce__points *p, uint32_t a, uint32_t b)
{
    double sum = 0;

    for (size_t i = 0; i < s->d; ++i) s->v[i] = p->z[a * s->d + i] - p->z[b * s->d + i];
    for (size_t i = 0; i < s->d; ++i) {
        s->mv[i] = 0;
        for (size_t j = 0; j < s->d; ++j) s->mv[i] += s->m[i * s->d + j] * s->v[j];
        sum += s->v[i] * s->mv[i];
    }
    return sum;
}

/* One pair onto its bound. sign: 1 similar, -1 dissimilar. */
static void project(projections *s, size_t i, double square, int sign, double gamma)
{
    const double share = gamma / (gamma + 1);
    if (!(square > 1e-300)) return;
    const double want = share * sign * (1 / square - 1 / s->bound[i]);
    const double alpha = s->lambda[i] < want ? s->lambda[i] : want;
    const double beta = sign * alpha / (1 - sign * alpha * square);

    s->lambda[i] -= alpha;
    s->bound[i] = 1 / (1 / s->bound[i] + sign * alpha / gamma);
    for (size_t r = 0; r < s->d; ++r)
        for (size_t c = 0; c < s->d; ++c) s->m[r * s->d + c] += s->mv[r] * (s->mv[c] * beta);
}

static double change(const projections *s, size_t n)
{
    double norm = 0, old = 0, sum = 0;
    for (size_t i = 0; i < n; ++i) {
        norm += s->lambda[i] * s->lambda[i];
        old += s->old[i] * s->old[i];
        sum += fabs(s->lambda[i] - s->old[i]);
    }
    norm = sqrt(norm) + sqrt(old);
    return norm > 0 ? sum / norm : 0;
}

scarce_status scarce__itml_project(double *m, const scarce__points *p, const scarce__itml_pairs *pairs,
                                   double gamma, double tolerance, size_t most_rounds, scarce_error *err)
{
    const size_t d = p->d, n = pairs->n;
    double *all = scarce__calloc(2 * d + 3 * n, sizeof *all);

    if (!all) return scarce__fail_memory(err, "metric learning", 0);
    projections s = {m, all, all + d, all + 2 * d, all + 2 * d + n, all + 2 * d + 2 * n, d};
    for (size_t i = 0; i < d * d; ++i) m[i] = i % (d + 1) == 0;
    for (size_t i = 0; i < n; ++i) s.bound[i] = i < pairs->n_similar ? pairs->near : pairs->far;
    for (size_t round = 0; round < most_rounds; ++round) {
        for (size_t i = 0; i < n; ++i)
            project(&s, i, difference(&s, p, pairs->a[i], pairs->b[i]), i < pairs->n_similar ? 1 : -1, gamma);
        if (change(&s, n) < tolerance) break;
        memcpy(s.old, s.lambda, n * sizeof *s.old);
    }
    for (size_t i = 0; i < d; ++i)
        for (size_t j = 0; j < i; ++j) m[i * d + j] = m[j * d + i] = (m[i * d + j] + m[j * d + i]) / 2;
    scarce__free(all);
    return SCARCE_OK;
}

/* ---- which pairs */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Squared distances of pairs drawn at random, and their 5th and 95th percentile. */
static scarce_status bounds(double *near, double *far, const scarce__points *p, scarce__random *random,
                            scarce_error *err)
{
    enum { DRAWN = 20000 };
    double *square = scarce__malloc_array(DRAWN, sizeof *square);

    if (!square) return scarce__fail_memory(err, "metric learning", 0);
    for (size_t k = 0; k < DRAWN; ++k) {
        const double *a = p->z + scarce__random_below(random, p->n) * p->d,
                     *b = p->z + scarce__random_below(random, p->n) * p->d;
        square[k] = 0;
        for (size_t i = 0; i < p->d; ++i) square[k] += (a[i] - b[i]) * (a[i] - b[i]);
    }
    qsort(square, DRAWN, sizeof *square, ascending);
    *near = square[DRAWN / 20] > 1e-9 ? square[DRAWN / 20] : 1e-9;
    *far = square[DRAWN - DRAWN / 20] > 1e-9 ? square[DRAWN - DRAWN / 20] : 1e-9;
    scarce__free(square);
    return SCARCE_OK;
}

/* Half of the similar pairs are of positives: drawn from all rows, hardly one would be. */
static void draw_pairs(uint32_t *a, uint32_t *b, const uint32_t *row[2], const size_t count[2], size_t n,
                       scarce__random *random)
{
    for (size_t i = 0; i < 2 * n; ++i) {
        const int similar = i < n, first = similar ? (int)(i % 2) : 1, second = similar ? first : 0;
        a[i] = row[first][scarce__random_below(random, count[first])];
        b[i] = row[second][scarce__random_below(random, count[second])];
    }
}

scarce_status scarce__metric_itml(double *m, const scarce__points *p, size_t n_pairs, double gamma,
                                  double tolerance, size_t most_rounds, scarce_context *ctx,
                                  scarce_error *err)
{
    uint32_t *all = scarce__malloc_array(4 * n_pairs + 2 * p->n, sizeof *all);
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_ROWS, 2000);
    size_t count[2] = {0, 0};
    double near = 1, far = 1;
    scarce_status st;

    if (!all) return scarce__fail_memory(err, "metric learning", 0);
    uint32_t *rows[2] = {all + 4 * n_pairs, all + 4 * n_pairs + p->n};
    for (size_t i = 0; i < p->n; ++i) rows[p->label[i] != 0][count[p->label[i] != 0]++] = (uint32_t)i;
    const uint32_t *row[2] = {rows[0], rows[1]};
    st = bounds(&near, &far, p, &random, err);
    draw_pairs(all, all + 2 * n_pairs, row, count, n_pairs, &random);
    const scarce__itml_pairs pairs = {all, all + 2 * n_pairs, 2 * n_pairs, n_pairs, near, far};
    if (st == SCARCE_OK) st = scarce__itml_project(m, p, &pairs, gamma, tolerance, most_rounds, err);
    scarce__free(all);
    return st;
}
