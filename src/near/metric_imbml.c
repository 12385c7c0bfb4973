/* SPDX-License-Identifier: Apache-2.0 */
/* ImbML: Gautheron, Habrard, Morvant and Sebban, Metric learning from imbalanced data, ICTAI 2019.
 *
 *     f(M) = a / (4 |S+|) sum over S+ of (D_M - 1)_+    +  a / (4 |R+|) sum over R+ of (1 + m - D_M)_+
 *          + (1-a) / (4 |S-|) sum over S- of (D_M - 1)_+ + (1-a) / (4 |R-|) sum over R- of (1 + m - D_M)_+ + lambda |M - I|^2
 *
 * S+ and S- are pairs of a positive (negative) with its k nearest of the same class, R+ and R- with its k nearest of the
 * other one: every sort of pairs counts alike, however few there are. Convex in M >= 0. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "near/metric.h"

typedef struct pair {
    uint32_t a, b;
    double weight;
    int similar;
} pair;

typedef struct imbml {
    const scarce__points *p;
    const scarce__imbml_options *o;
    pair *pairs;
    size_t n;
    double *v; /* 2 d */
} imbml;

static scarce_status add_pairs(imbml *s, int label, int same, scarce_context *ctx, scarce_error *err)
{
    const size_t k = s->o->k, before = s->n;
    uint32_t *near = NULL;
    size_t at = 0;

    SCARCE__TRY(scarce__metric_neighbours(&near, s->p, k, label, same, ctx, err));
    for (size_t i = 0; i < s->p->n; ++i) {
        if (s->p->label[i] != label) continue;
        for (size_t j = 0; j < k && near[at * k + j] != UINT32_MAX; ++j)
            s->pairs[s->n++] = (pair){(uint32_t)i, near[at * k + j], 0, same};
        ++at;
    }
    scarce__free(near);
    const double share = label ? s->o->share : 1 - s->o->share;
    for (size_t i = before; i < s->n; ++i) s->pairs[i].weight = share / (4 * (double)(s->n - before));
    return SCARCE_OK;
}

static scarce_status evaluate(void *payload, const double *m, double *value, double *gradient,
                              scarce_error *err)
{
    imbml *s = payload;
    const size_t d = s->p->d;
    double *v = s->v, *mv = s->v + d;

    (void)err;
    *value = 0;
    for (size_t i = 0; i < d * d; ++i) {
        const double off = m[i] - (i % (d + 1) == 0);
        gradient[i] = 2 * s->o->lambda * off;
        *value += s->o->lambda * off * off;
    }
    for (size_t k = 0; k < s->n; ++k) {
        const pair *q = &s->pairs[k];
        double x = 0;
        for (size_t i = 0; i < d; ++i) v[i] = s->p->z[q->a * d + i] - s->p->z[q->b * d + i];
        for (size_t i = 0; i < d; ++i) {
            mv[i] = 0;
            for (size_t j = 0; j < d; ++j) mv[i] += m[i * d + j] * v[j];
            x += v[i] * mv[i];
        }
        const double hinge = q->similar ? x - 1 : 1 + s->o->margin - x;
        if (!(hinge > 0)) continue;
        *value += q->weight * hinge;
        for (size_t i = 0; i < d; ++i) {
            const double w = (q->similar ? q->weight : -q->weight) * v[i];
            for (size_t j = 0; j < d; ++j) gradient[i * d + j] += w * v[j];
        }
    }
    return SCARCE_OK;
}

static scarce_status init(imbml *s, const scarce__points *p, const scarce__imbml_options *o,
                          scarce_context *ctx, scarce_error *err)
{
    scarce_status st = SCARCE_OK;

    *s = (imbml){p, o, scarce__malloc_array(2 * p->n * o->k, sizeof(pair)), 0,
                 scarce__malloc_array(2 * p->d, sizeof(double))};
    if (!s->pairs || !s->v) return scarce__fail_memory(err, "metric learning", 0);
    for (int label = 1; label >= 0; --label)
        for (int same = 1; same >= 0 && st == SCARCE_OK; --same) st = add_pairs(s, label, same, ctx, err);
    return st;
}

static void deinit(imbml *s)
{
    scarce__free(s->pairs);
    scarce__free(s->v);
}

scarce_status scarce__metric_imbml(double *m, double *value, const scarce__points *p,
                                   const scarce__imbml_options *o, scarce_context *ctx, scarce_error *err)
{
    imbml s;
    scarce_status st = init(&s, p, o, ctx, err);
    const scarce__metric_problem problem = {&s, p->d, 0, (double)INFINITY, evaluate};

    for (size_t i = 0; i < p->d * p->d; ++i) m[i] = i % (p->d + 1) == 0;
    if (st == SCARCE_OK)
        st = scarce__metric_minimise(m, value, &problem, o->tolerance, o->most_steps, ctx, err);
    deinit(&s);
    return st;
}

scarce_status scarce__imbml_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                  const scarce__imbml_options *o, scarce_context *ctx, scarce_error *err)
{
    imbml s;
    scarce_status st = init(&s, p, o, ctx, err);

    if (st == SCARCE_OK) st = evaluate(&s, m, value, gradient, err);
    deinit(&s);
    return st;
}
