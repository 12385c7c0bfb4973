/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's criterion, that of gradient boosting.
 *
 * A child with gradient sum G and hessian sum H would get the leaf value
 *     w = -T(G) / (H + lambda), clipped to [-cap, cap] and to the bounds of monotone constraints,
 * T(G) = G shrunk towards 0 by alpha, and is worth
 *     S = -(2 G w + (H + lambda) w^2 + 2 alpha |w|)      (G^2 / (H + lambda) without cap and alpha),
 * so the cap counts inside the gain:  gain = 1/2 [S_L + S_R - S_parent], to be above gamma.
 *
 * The values of all candidates are computed side by side. */
#include <math.h>

#include "tree/criterion.h"
#include "tree/simd.h"

typedef scarce__newton_kernel kernel;

SCARCE__BODY double leaf_of(double g, double h, const kernel *k)
{
    double t = g;
    if (k->alpha > 0) {
        const double up = g - k->alpha, down = g + k->alpha;
        t = up > 0 ? up : down < 0 ? down : 0;
    }
    const double d = h > SCARCE__TINY ? h : SCARCE__TINY;
    double w = -t / d;
    w = w < k->low ? k->low : w;
    w = w > k->high ? k->high : w;
    return w;
}

/* h here is H + lambda */
SCARCE__BODY double worth(double g, double h, double w, double alpha)
{
    double s = -(2 * g * w + h * w * w);
    if (alpha > 0) s -= 2 * alpha * (w < 0 ? -w : w);
    return s;
}

double scarce__leaf_value(const scarce__split_rules *rules, double g, double h, double low, double high)
{
    const double cap = rules->max_delta_step > 0 ? rules->max_delta_step : INFINITY;
    const kernel k = {.lambda = rules->lambda,
                      .alpha = rules->alpha,
                      .low = low > -cap ? low : -cap,
                      .high = high < cap ? high : cap};
    return leaf_of(g, h + rules->lambda, &k);
}

SCARCE__BODY void values_body(const scarce__sides *s, size_t from, size_t to, double *restrict value,
                              const kernel *k)
{
    const double none = -INFINITY, add_g = s->add_g, add_h = s->add_h;
    const double *restrict g = s->g, *restrict h = s->h;
    for (size_t b = from; b < to; ++b) {
        const double gl = g[b] + add_g, hl = h[b] + add_h;
        const double gr = k->total_g - gl, hr = k->total_h - hl;
        const double dl = hl + k->lambda, dr = hr + k->lambda;
        const double wl = leaf_of(gl, dl, k), wr = leaf_of(gr, dr, k);
        const double sum = worth(gl, dl, wl, k->alpha) + worth(gr, dr, wr, k->alpha);
        int good = (hl >= k->min_weight) & (hr >= k->min_weight);
        if (k->sign) good &= (double)k->sign * (wr - wl) >= 0;
        value[b] = good ? sum : none;
    }
}

/* The usual case: no alpha, no monotone constraint. Constants let the compiler drop the rest. */
SCARCE__BODY void values_pick(const scarce__sides *s, size_t from, size_t to, double *value, const kernel *k)
{
    if (k->alpha == 0 && k->sign == 0) {
        const kernel plain = {k->lambda, 0, k->low, k->high, k->min_weight, k->total_g, k->total_h, 0};
        values_body(s, from, to, value, &plain);
    } else values_body(s, from, to, value, k);
}

static double values_plain(const kernel *k, const scarce__sides *s, size_t from, size_t to, double *value)
{
    values_pick(s, from, to, value, k);
    return scarce__largest_body(value, to);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static double values_avx2(const kernel *k, const scarce__sides *s, size_t from, size_t to,
                                       double *value)
{
    values_pick(s, from, to, value, k);
    return scarce__largest_body(value, to);
}
#else
#define values_avx2 values_plain
#endif

double scarce__newton_values(const kernel *k, const scarce__sides *s, size_t from, size_t to, double *value,
                             int avx2)
{
    return avx2 ? values_avx2(k, s, from, to, value) : values_plain(k, s, from, to, value);
}

double scarce__newton_worth(const kernel *k)
{
    const double d = k->total_h + k->lambda, w = leaf_of(k->total_g, d, k);
    return worth(k->total_g, d, w, k->alpha);
}

static kernel kernel_of(const scarce__criterion_node *n)
{
    const scarce__split_rules *r = n->rules;
    return (kernel){.lambda = r->lambda,
                    .alpha = r->alpha,
                    .low = n->low,
                    .high = n->high,
                    .min_weight = r->min_child_weight,
                    .total_g = n->total.g,
                    .total_h = n->total.h,
                    .sign = n->sign};
}

static double node_worth(const scarce__criterion_node *n)
{
    const kernel k = kernel_of(n);
    return scarce__newton_worth(&k);
}

static double values(const scarce__criterion_node *n, const scarce__sides *s, size_t from, size_t to,
                     double *value)
{
    const kernel k = kernel_of(n);
    return scarce__newton_values(&k, s, from, to, value, n->avx2);
}

/* Below the rounding of the sums a gain is noise. */
static int enough(const scarce__split_rules *r, double gain, double value, double parent)
{
    return gain > r->gamma && gain > 1e-10 * (fabs(value) + fabs(parent));
}

static double leaf(const scarce__split_rules *r, const scarce__totals *t, double low, double high)
{
    return scarce__leaf_value(r, t->g, t->h, low, high);
}

const scarce__criterion scarce__criterion_newton = {
    .name = "newton", .scale = 0.5, .worth = node_worth, .values = values, .enough = enough, .leaf = leaf};
