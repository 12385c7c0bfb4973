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
#include "near/metric_pairs.h"

/* The partners of a row: k of its class, then k of the other one. */
typedef struct imbml {
    const scarce__points *p;
    const scarce__imbml_options *o;
    scarce__pairs pairs;
    double weight[2][2]; /* of a pair, by class of the row and whether it is similar */
} imbml;

static scarce_status add_pairs(imbml *s, int label, int same, scarce_context *ctx, scarce_error *err)
{
    const size_t k = s->o->k;
    const double share = label ? s->o->share : 1 - s->o->share;
    uint32_t *near = NULL;
    size_t at = 0, count = 0;

    SCARCE__TRY(scarce__metric_neighbours(&near, s->p, k, label, same, ctx, err));
    for (size_t i = 0; i < s->p->n; ++i) {
        if (s->p->label[i] != label) continue;
        for (size_t j = 0; j < k; ++j) count += near[at * k + j] != UINT32_MAX;
        memcpy(s->pairs.partner + i * 2 * k + (same ? 0 : k), near + at++ * k, k * sizeof *near);
    }
    scarce__free(near);
    s->weight[label][same] = count ? share / (4 * (double)count) : 0;
    return SCARCE_OK;
}

static scarce_status evaluate(void *payload, const double *m, double *value, double *gradient,
                              scarce_error *err)
{
    imbml *s = payload;
    const size_t d = s->p->d, k = s->o->k;

    (void)err;
    scarce__pairs_measure(&s->pairs, m);
    *value = 0;
    for (size_t i = 0; i < s->p->n * 2 * k; ++i) {
        const int similar = i % (2 * k) < k;
        const double w = s->weight[s->p->label[i / (2 * k)]][similar], x = s->pairs.square[i],
                     hinge = similar ? x - 1 : 1 + s->o->margin - x;
        const int counts = s->pairs.partner[i] != UINT32_MAX && hinge > 0;
        s->pairs.times[i] = !counts ? 0 : similar ? w : -w;
        if (counts) *value += w * hinge;
    }
    scarce__pairs_sum(&s->pairs, gradient);
    for (size_t i = 0; i < d * d; ++i) {
        const double off = m[i] - (i % (d + 1) == 0);
        gradient[i] += 2 * s->o->lambda * off;
        *value += s->o->lambda * off * off;
    }
    return SCARCE_OK;
}

static scarce_status init(imbml *s, const scarce__points *p, const scarce__imbml_options *o,
                          scarce_context *ctx, scarce_error *err)
{
    scarce_status st;

    *s = (imbml){.p = p, .o = o};
    st = scarce__pairs_init(&s->pairs, p, 2 * o->k, ctx, err);
    for (int label = 1; label >= 0; --label)
        for (int same = 1; same >= 0 && st == SCARCE_OK; --same) st = add_pairs(s, label, same, ctx, err);
    return st;
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
    scarce__pairs_deinit(&s.pairs);
    return st;
}

scarce_status scarce__imbml_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                  const scarce__imbml_options *o, scarce_context *ctx, scarce_error *err)
{
    imbml s;
    scarce_status st = init(&s, p, o, ctx, err);

    if (st == SCARCE_OK) st = evaluate(&s, m, value, gradient, err);
    scarce__pairs_deinit(&s.pairs);
    return st;
}
