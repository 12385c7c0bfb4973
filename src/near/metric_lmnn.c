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
#include "near/metric.h"

enum { BLOCK = 64, MOST = 64 };

typedef struct lmnn {
    const scarce__points *p;
    const scarce__lmnn_options *o;
    scarce_context *ctx;
    uint32_t *target; /* n x k */
    uint32_t *rival;  /* n x MOST: candidates for impostors, UINT32_MAX behind the last */
    double *part;     /* per block */
    size_t width;
    const double *m;
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
                memcpy(s->target + i * k, near + at++ * k, k * sizeof *near);
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
    const scarce__points mapped = {z, s->p->label, n, n_out};
    for (int label = 0; label < 2 && st == SCARCE_OK; ++label) {
        uint32_t *near = NULL;
        size_t at = 0;
        st = scarce__metric_neighbours(&near, &mapped, MOST, label, 0, s->ctx, err);
        for (size_t i = 0; st == SCARCE_OK && i < n; ++i)
            if (s->p->label[i] == label)
                memcpy(s->rival + i * MOST, near + at++ * MOST, MOST * sizeof *near);
        scarce__free(near);
    }
    scarce__free(map);
    scarce__free(z);
    return st;
}

static double distance(const lmnn *s, size_t i, size_t j, double *v)
{
    const size_t d = s->p->d;
    double sum = 0;

    for (size_t a = 0; a < d; ++a) v[a] = s->p->z[i * d + a] - s->p->z[j * d + a];
    for (size_t a = 0; a < d; ++a) {
        double row = 0;
        for (size_t b = 0; b < d; ++b) row += s->m[a * d + b] * v[b];
        sum += row * v[a];
    }
    return sum;
}

static void add_outer(double *g, const double *v, size_t d, double times)
{
    for (size_t a = 0; a < d; ++a) {
        const double x = times * v[a];
        for (size_t b = 0; b < d; ++b) g[a * d + b] += x * v[b];
    }
}

static void add_row(const lmnn *s, size_t i, double *part, double *v)
{
    enum { MOST_TARGETS = 64 };
    const size_t d = s->p->d, k = s->o->k < MOST_TARGETS ? s->o->k : MOST_TARGETS;
    const double pull = (1 - s->o->mu) / (double)s->p->n, push = s->o->mu / (double)s->p->n;
    double target[MOST_TARGETS], active[MOST_TARGETS], farthest = 0;
    size_t n = 0;

    for (; n < k && s->target[i * s->o->k + n] != UINT32_MAX; ++n) {
        target[n] = distance(s, i, s->target[i * s->o->k + n], v);
        active[n] = 0;
        part[0] += pull * target[n];
        if (target[n] > farthest) farthest = target[n];
    }
    for (size_t r = 0; n && r < MOST && s->rival[i * MOST + r] != UINT32_MAX; ++r) {
        const double x = distance(s, i, s->rival[i * MOST + r], v);
        double times = 0;
        if (x >= 1 + farthest) continue;
        for (size_t t = 0; t < n; ++t) {
            const double hinge = 1 + target[t] - x;
            if (!(hinge > 0)) continue;
            part[0] += push * hinge;
            active[t] += 1;
            times += 1;
        }
        add_outer(part + 1, v, d, -push * times);
    }
    for (size_t t = 0; t < n; ++t) {
        (void)distance(s, i, s->target[i * s->o->k + t], v);
        add_outer(part + 1, v, d, pull + push * active[t]);
    }
}

static void add_block(void *arg, size_t block, int worker)
{
    lmnn *s = arg;
    double *part = s->part + block * (s->width + s->p->d), *v = part + s->width;
    const size_t first = block * BLOCK, end = first + BLOCK < s->p->n ? first + BLOCK : s->p->n;

    (void)worker;
    memset(part, 0, s->width * sizeof *part);
    for (size_t i = first; i < end; ++i) add_row(s, i, part, v);
}

static scarce_status evaluate(void *payload, const double *m, double *value, double *gradient,
                              scarce_error *err)
{
    lmnn *s = payload;
    const size_t d = s->p->d, blocks = scarce__blocks(s->p->n, BLOCK);

    (void)err;
    s->m = m;
    scarce__pool_run(scarce__context_pool(s->ctx), blocks, add_block, s);
    *value = 0;
    for (size_t i = 0; i < d * d; ++i) gradient[i] = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const double *part = s->part + b * (s->width + d);
        *value += part[0];
        for (size_t i = 0; i < d * d; ++i) gradient[i] += part[1 + i];
    }
    return SCARCE_OK;
}

static void deinit(lmnn *s)
{
    scarce__free(s->target);
    scarce__free(s->rival);
    scarce__free(s->part);
}

static scarce_status init(lmnn *s, const scarce__points *p, const scarce__lmnn_options *o,
                          scarce_context *ctx, scarce_error *err)
{
    memset(s, 0, sizeof *s);
    s->p = p, s->o = o, s->ctx = ctx;
    s->width = 1 + p->d * p->d;
    s->target = scarce__malloc_array(p->n * o->k, sizeof *s->target);
    s->rival = scarce__malloc_array(p->n * MOST, sizeof *s->rival);
    s->part = scarce__malloc_array(scarce__blocks(p->n, BLOCK) * (s->width + p->d), sizeof *s->part);
    if (!s->target || !s->rival || !s->part) return scarce__fail_memory(err, "metric learning", 0);
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
    deinit(&s);
    return st;
}

scarce_status scarce__lmnn_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                 const scarce__lmnn_options *o, scarce_context *ctx, scarce_error *err)
{
    lmnn s;
    scarce_status st = init(&s, p, o, ctx, err);

    if (st == SCARCE_OK) st = find_rivals(&s, m, err);
    if (st == SCARCE_OK) st = evaluate(&s, m, value, gradient, err);
    deinit(&s);
    return st;
}
