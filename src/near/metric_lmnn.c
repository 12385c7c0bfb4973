/* SPDX-License-Identifier: Apache-2.0 */
/* LMNN: Weinberger and Saul, Distance metric learning for large margin nearest neighbor classification, JMLR 10 (2009).
 *
 *     f(M) = (1-mu)/n sum over i, targets j of D_M(i,j) + mu/n sum over i, targets j, impostors l of (1 + D_M(i,j) - D_M(i,l))_+
 *
 * Targets: the k nearest of the same class, Euclidean. Convex in M >= 0: projected gradient. Impostors are rows of the
 * other class within the margin of a target. Candidates for them are the 64 nearest rows of the other class in the
 * present metric (those beyond would push too, but in the same directions), found by the search of near.h in rounds
 * (the active set). Terms are counted by their pairs, so a gradient takes one outer product a pair, not a triplet. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "near/metric_pairs.h"

enum { MOST = 64 };

/* The partners of a row: k targets, then MOST candidates. */
typedef struct lmnn {
    const scarce__points *p;
    const scarce__lmnn_options *o;
    scarce_context *ctx;
    scarce__pairs pairs;
} lmnn;

static scarce_status find_targets(lmnn *s, scarce_error *err)
{
    const size_t n = s->p->n, k = s->o->k;

    for (int label = 0; label < 2; ++label) {
        uint32_t *near = NULL;
        size_t at = 0;
        SCARCE__TRY(scarce__metric_neighbours(&near, s->p, k, label, 1, s->ctx, err));
        for (size_t i = 0; i < n; ++i)
            if (s->p->label[i] == label)
                memcpy(s->pairs.partner + i * s->pairs.width, near + at++ * k, k * sizeof *near);
        scarce__free(near);
    }
    return SCARCE_OK;
}

/* The MOST nearest rows of the other class in the metric M. */
static scarce_status find_rivals(lmnn *s, const double *m, scarce_error *err)
{
    const size_t n = s->p->n, d = s->p->d;
    size_t n_out = 0;
    double *map = scarce__metric_map(m, d, &n_out), *z = NULL;
    scarce_status st = SCARCE_OK;

    if (map) z = scarce__malloc_array(n * n_out, sizeof *z);
    if (!map || !z) st = scarce__fail_memory(err, "metric learning", 0);
    for (size_t i = 0; st == SCARCE_OK && i < n * n_out; ++i) {
        const double *x = s->p->z + i / n_out * d, *row = map + i % n_out * d;
        z[i] = 0;
        for (size_t j = 0; j < d; ++j) z[i] += row[j] * x[j];
    }
    const scarce__points mapped = {z, s->p->label, n, n_out, NULL};
    for (int label = 0; label < 2 && st == SCARCE_OK; ++label) {
        uint32_t *near = NULL;
        size_t at = 0;
        st = scarce__metric_neighbours(&near, &mapped, MOST, label, 0, s->ctx, err);
        for (size_t i = 0; st == SCARCE_OK && i < n; ++i)
            if (s->p->label[i] == label)
                memcpy(s->pairs.partner + i * s->pairs.width + s->o->k, near + at++ * MOST,
                       MOST * sizeof *near);
        scarce__free(near);
    }
    scarce__free(map);
    scarce__free(z);
    return st;
}

/* The terms of a row, and how often each of its pairs counts. */
static double add_row(lmnn *s, size_t i)
{
    const size_t k = s->o->k, at = i * s->pairs.width;
    const double pull = (1 - s->o->mu) / (double)s->p->n, push = s->o->mu / (double)s->p->n,
                 *square = s->pairs.square + at;
    const uint32_t *partner = s->pairs.partner + at;
    double *times = s->pairs.times + at, value = 0, farthest = -1;
    size_t n = 0;

    for (; n < k && partner[n] != UINT32_MAX; ++n) {
        value += pull * square[n];
        times[n] = pull;
        if (square[n] > farthest) farthest = square[n];
    }
    for (size_t r = k; r < s->pairs.width; ++r) {
        times[r] = 0;
        if (partner[r] == UINT32_MAX || square[r] >= 1 + farthest) continue;
        for (size_t t = 0; t < n; ++t) {
            const double hinge = 1 + square[t] - square[r];
            if (!(hinge > 0)) continue;
            value += push * hinge;
            times[t] += push;
            times[r] -= push;
        }
    }
    return value;
}

static scarce_status evaluate(void *payload, const double *m, double *value, double *gradient,
                              scarce_error *err)
{
    lmnn *s = payload;

    (void)err;
    scarce__pairs_measure(&s->pairs, m);
    *value = 0;
    for (size_t i = 0; i < s->p->n; ++i) *value += add_row(s, i);
    scarce__pairs_sum(&s->pairs, gradient);
    return SCARCE_OK;
}

static scarce_status init(lmnn *s, const scarce__points *p, const scarce__lmnn_options *o,
                          scarce_context *ctx, scarce_error *err)
{
    *s = (lmnn){.p = p, .o = o, .ctx = ctx};
    SCARCE__TRY(scarce__pairs_init(&s->pairs, p, o->k + MOST, ctx, err));
    return find_targets(s, err);
}

/* Rounds of: find the impostors in the present metric, minimise with them fixed. The last rounds change nothing any more. */
scarce_status scarce__metric_lmnn(double *m, double *value, const scarce__points *p,
                                  const scarce__lmnn_options *o, scarce_context *ctx, scarce_error *err)
{
    enum { ROUNDS = 12 };
    const size_t d = p->d, steps = o->most_steps / ROUNDS + 1;
    lmnn s;
    scarce_status st = init(&s, p, o, ctx, err);
    const scarce__metric_problem problem = {&s, d, 0, (double)INFINITY, evaluate};
    double last = (double)INFINITY;

    for (size_t i = 0; i < d * d; ++i) m[i] = i % (d + 1) == 0;
    for (int round = 0; round < ROUNDS && st == SCARCE_OK; ++round) {
        st = find_rivals(&s, m, err);
        if (st == SCARCE_OK) st = scarce__metric_minimise(m, value, &problem, o->tolerance, steps, ctx, err);
        if (fabs(last - *value) <= 1e-6 * fabs(*value)) break;
        last = *value;
    }
    scarce__pairs_deinit(&s.pairs);
    return st;
}

scarce_status scarce__lmnn_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                 const scarce__lmnn_options *o, scarce_context *ctx, scarce_error *err)
{
    lmnn s;
    scarce_status st = init(&s, p, o, ctx, err);

    if (st == SCARCE_OK) st = find_rivals(&s, m, err);
    if (st == SCARCE_OK) st = evaluate(&s, m, value, gradient, err);
    scarce__pairs_deinit(&s.pairs);
    return st;
}
