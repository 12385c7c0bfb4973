/* SPDX-License-Identifier: Apache-2.0 */
/* See combine.h. */
#include "online/combine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/random.h"

enum {
    T_MOST = SCARCE__ONLINE_MOST_LEARNERS,
    P_MOST = SCARCE__ONLINE_MOST_SPACES,
    J_MOST = SCARCE__ONLINE_MOST_CLASSES
};
static const double most_step = 10, largest_score = 1e15; /* the latter: of damaged weights alone */

static double cut(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

/* ---- making */

void scarce__combine_free(scarce__combine *c)
{
    if (!c) return;
    scarce__free(c->mix);
    scarce__free(c->top);
    scarce__free(c->shift);
    scarce__free(c->alpha);
    scarce__free(c->chance);
    scarce__free(c->share);
    scarce__free(c->sigma);
    scarce__free(c->table);
    scarce__free(c);
}

static float uniform(const scarce__combine *c, uint64_t index, uint64_t i)
{
    const uint64_t key = scarce__key(~c->seed, SCARCE__FOR_ONLINE, index);
    return (float)(2 * scarce__to_unit(scarce__hash(key, i)) - 1);
}

static void first_mix(scarce__combine *c, size_t t)
{
    const float scale = (float)(1 / sqrt((double)c->spaces));
    for (size_t p = 0; p < c->spaces; ++p) c->mix[t * c->width + p] = scale * uniform(c, 1 + t, p);
}

/* Weights of online-bbm, as logarithms first: C(n, k) up^k down^(n-k). */
static void fill_table(scarce__combine *c)
{
    const double up = scarce__ln(0.5 + c->o.edge), down = scarce__ln(0.5 - c->o.edge);
    for (size_t t = 0; t < c->learners; ++t) {
        const size_t n = c->learners - t - 1;
        double largest = -HUGE_VAL, w[T_MOST];
        for (size_t k = 0; k <= n; ++k) {
            w[k] = scarce__log_gamma((double)n + 1) - scarce__log_gamma((double)k + 1) -
                   scarce__log_gamma((double)(n - k) + 1) + (double)k * up + (double)(n - k) * down;
            largest = w[k] > largest ? w[k] : largest;
        }
        for (size_t k = 0; k <= n; ++k) c->table[t * c->learners + k] = (float)scarce__exp(w[k] - largest);
    }
}

/* What of each alpha_t h_t the score has: the share of weight of F_t, F_t+1, ... */
static void settle_shares(scarce__combine *c)
{
    double largest = -HUGE_VAL, sum = 0, rest = 0, e[T_MOST];
    for (size_t t = 0; t < c->learners; ++t) largest = c->chance[t] > largest ? c->chance[t] : largest;
    for (size_t t = 0; t < c->learners; ++t) {
        c->chance[t] -= largest;
        if (c->chance[t] < -700) c->chance[t] = -700;
        sum += e[t] = scarce__exp(c->chance[t]);
    }
    for (size_t t = c->learners; t-- > 0;) c->share[t] = (rest += e[t]) / sum;
}

static scarce_status allocate(scarce__combine *c, scarce_error *err)
{
    const size_t n = c->learners;
    int ok = 1;

    c->shift = scarce__calloc(c->outputs, sizeof *c->shift);
    ok = c->shift != NULL;
    switch (c->o.algorithm) {
    case SCARCE__ONLINE_ONLB:
        c->mix = scarce__calloc(n * c->width, sizeof *c->mix);
        c->top = scarce__calloc(c->outputs * c->width, sizeof *c->top);
        ok = ok && c->mix && c->top;
        break;
    case SCARCE__ONLINE_BBM:
        c->table = scarce__calloc(n * n, sizeof *c->table);
        ok = ok && c->table;
        break;
    case SCARCE__ONLINE_ADABOOST:
    case SCARCE__ONLINE_ADABOOST_W:
        c->alpha = scarce__calloc(n, sizeof *c->alpha);
        c->chance = scarce__calloc(n, sizeof *c->chance);
        c->share = scarce__calloc(n, sizeof *c->share);
        ok = ok && c->alpha && c->chance && c->share;
        break;
    case SCARCE__ONLINE_OGB:
        c->sigma = scarce__calloc(n, sizeof *c->sigma);
        ok = ok && c->sigma;
        break;
    default: break;
    }
    return ok ? SCARCE_OK : scarce__fail_memory(err, "an online model", 0);
}

scarce_status scarce__combine_new(scarce__combine **out, const scarce__online_options *o, size_t outputs,
                                  size_t positive, uint64_t seed, scarce_error *err)
{
    scarce__combine *c = scarce__calloc(1, sizeof *c);
    scarce_status st;

    *out = NULL;
    if (!c) return scarce__fail_memory(err, "an online model", 0);
    c->o = *o;
    c->kernels = scarce__bank_best();
    c->learners = (size_t)o->learners;
    c->spaces = (size_t)o->spaces;
    c->width = (c->spaces + 7) / 8 * 8;
    c->outputs = outputs;
    c->positive = positive;
    c->seed = seed;
    st = allocate(c, err);
    if (st != SCARCE_OK) {
        scarce__combine_free(c);
        return st;
    }
    for (size_t t = 0; c->mix && t < c->learners; ++t) first_mix(c, t);
    for (size_t i = 0; c->top && i < outputs * c->width; ++i)
        if (i % c->width < c->spaces) c->top[i] = (float)sqrt(2 / (double)c->spaces) * uniform(c, 0, i);
    if (c->table) fill_table(c);
    if (c->share) settle_shares(c);
    *out = c;
    return SCARCE_OK;
}

void scarce__combine_restart(scarce__combine *c, size_t t)
{
    if (c->mix) first_mix(c, t);
    if (c->alpha) c->alpha[t] = 0;
    if (c->sigma) c->sigma[t] = 0;
}

/* ---- forward */

/* relu in place, and its slope. */
static void bend(const scarce__combine *c, float *z, float *slope)
{
    const float leak = c->o.paper ? 0 : (float)c->o.leak;
    for (size_t p = 0; p < c->width; ++p) {
        slope[p] = z[p] > 0 ? 1 : leak;
        z[p] *= slope[p];
    }
}

static double dot(const float *a, const float *r, size_t width)
{
    double s[4] = {0, 0, 0, 0};
    for (size_t p = 0; p < width; p += 4)
        for (size_t l = 0; l < 4; ++l) s[l] += (double)a[p + l] * (double)r[p + l];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static void onlb_outputs(const scarce__combine *c, const float *h, float *r, float *slope, double *out)
{
    memset(r, 0, c->width * sizeof *r);
    c->kernels->mix(r, c->mix, c->width, h, c->learners);
    bend(c, r, slope);
    for (size_t j = 0; j < c->outputs; ++j) out[j] = c->shift[j] + dot(c->top + j * c->width, r, c->width);
}

static double vote(float h)
{
    return cut((double)h, 1);
}

/* Sums over learners, one after the other. */
static double walk(const scarce__combine *c, const float *h)
{
    const double eta = c->o.combine_rate;
    double f = 0;

    for (size_t t = 0; t < c->learners; ++t) switch (c->o.algorithm) {
        case SCARCE__ONLINE_BBM: f += vote(h[t]); break;
        case SCARCE__ONLINE_ADABOOST:
        case SCARCE__ONLINE_ADABOOST_W: f += c->share[t] * c->alpha[t] * vote(h[t]); break;
        case SCARCE__ONLINE_OGB: f = cut((1 - c->sigma[t] * eta) * f + eta * (double)h[t], c->o.bound); break;
        case SCARCE__ONLINE_STREAMBOOST: f += eta * (double)h[t]; break;
        default: f = (double)h[0]; break;
        }
    return f;
}

void scarce__combine_outputs(const scarce__combine *c, const float *h, double *out)
{
    float r[P_MOST], slope[P_MOST];
    if (c->o.algorithm == SCARCE__ONLINE_ONLB) onlb_outputs(c, h, r, slope, out);
    else out[0] = walk(c, h);
}

double scarce__combine_score(const scarce__combine *c, const float *h)
{
    double out[J_MOST], largest = -HUGE_VAL, sum = 0;

    scarce__combine_outputs(c, h, out);
    if (c->outputs == 1) return out[0] == out[0] ? cut(out[0], largest_score) : 0;
    for (size_t j = 0; j < c->outputs; ++j)
        if (j != c->positive && out[j] > largest) largest = out[j];
    for (size_t j = 0; j < c->outputs; ++j)
        if (j != c->positive) sum += scarce__exp(out[j] - largest);
    const double score = out[c->positive] - (largest + scarce__ln(sum));
    return score == score ? cut(score, largest_score) : 0;
}

/* ---- a label */

/* g_j = w (y_j - p_j), cut. 0: an output is no number. */
static int residuals(const scarce__combine *c, const double *out, size_t y, double w, double *g)
{
    double largest = -HUGE_VAL, sum = 0;

    for (size_t j = 0; j < c->outputs; ++j)
        if (!isfinite(out[j])) return 0;
    if (c->outputs == 1) {
        g[0] = cut(w * ((double)(y != 0) - scarce__sigmoid(out[0])), most_step);
        return 1;
    }
    for (size_t j = 0; j < c->outputs; ++j) largest = out[j] > largest ? out[j] : largest;
    for (size_t j = 0; j < c->outputs; ++j) sum += g[j] = scarce__exp(out[j] - largest);
    for (size_t j = 0; j < c->outputs; ++j) g[j] = cut(w * ((double)(j == y) - g[j] / sum), most_step);
    return 1;
}

static int learn_end_to_end(scarce__combine *c, const float *h, size_t y, double w, scarce__steps *s,
                            double *effect)
{
    const double eta = c->o.combine_rate;
    float r[P_MOST], slope[P_MOST], d[P_MOST], e[P_MOST];
    double out[J_MOST], g[J_MOST];

    onlb_outputs(c, h, r, slope, out);
    if (!residuals(c, out, y, w, g)) return 0;
    memset(d, 0, c->width * sizeof *d);
    for (size_t j = 0; j < c->outputs; ++j) {
        float *top = c->top + j * c->width;
        const float gj = (float)g[j], step = (float)(eta / (double)c->learners * g[j]);
        for (size_t p = 0; p < c->width; ++p) {
            d[p] += gj * top[p] * slope[p];
            top[p] += step * r[p];
        }
        c->shift[j] += eta * g[j];
    }
    for (size_t p = 0; p < c->width; ++p) e[p] = (float)eta * d[p];
    s->by_gradient = 1;
    c->kernels->unmix(s->move, c->mix, c->width, d, e, h, c->learners);
    for (size_t t = 0; t < c->learners; ++t) effect[t] += fabs((double)(s->move[t] * h[t]));
    return 1;
}

static void regress(scarce__steps *s, size_t t, double target, double weight, double h, double *effect)
{
    s->target[t] = (float)target;
    s->weight[t] = (float)weight;
    effect[t] += weight * (target * target - (target - h) * (target - h));
}

/* z grows by learner t; F_t; then a and A_t take a step each. */
static void paper_stage(scarce__combine *c, size_t t, float h, double y, double w, float *z, double *f)
{
    const double eta = c->o.combine_rate;
    float *mix = c->mix + t * c->width, r[P_MOST], slope[P_MOST];

    for (size_t p = 0; p < c->width; ++p) r[p] = z[p] += h * mix[p];
    bend(c, r, slope);
    *f = dot(c->top, r, c->width);
    const double g = cut(w * (y - scarce__sigmoid(*f)), most_step);
    for (size_t p = 0; p < c->width; ++p) {
        const float top = c->top[p];
        c->top[p] += (float)(eta / (double)c->learners * g) * r[p];
        mix[p] += (float)(eta * g) * top * slope[p] * h;
    }
}

static int learn_paper(scarce__combine *c, const float *h, double y, double w, scarce__steps *s,
                       double *effect)
{
    float z[P_MOST], r[P_MOST], slope[P_MOST];
    double f, out[J_MOST];

    onlb_outputs(c, h, r, slope, out);
    if (!isfinite(out[0])) return 0;
    memset(z, 0, c->width * sizeof *z);
    f = 0;
    for (size_t t = 0; t < c->learners; ++t) {
        regress(s, t, y - scarce__sigmoid(f), w, (double)h[t], effect);
        paper_stage(c, t, h[t], y, w, z, &f);
    }
    return 1;
}

static void learn_bbm(const scarce__combine *c, const float *h, double sign, double w, scarce__steps *s,
                      double *effect)
{
    double votes = 0;
    for (size_t t = 0; t < c->learners; ++t) {
        const double left = (double)(c->learners - t), k = floor((left - votes) / 2);
        const double weight = k >= 0 && k <= left - 1 ? (double)c->table[t * c->learners + (size_t)k] : 0;
        regress(s, t, sign, w * weight, (double)h[t], effect);
        votes += sign * vote(h[t]);
    }
}

static void learn_adaboost(scarce__combine *c, const float *h, double sign, double w, uint64_t n,
                           scarce__steps *s, double *effect)
{
    const double eta = 4 / sqrt((double)n);
    const uint64_t key = scarce__key(c->seed, SCARCE__FOR_ONLINE, ~n);
    double f = 0;
    int wrong = 0;

    for (size_t t = 0; t < c->learners; ++t) {
        const double weight = scarce__sigmoid(-sign * f), v = vote(h[t]);
        const int drawn = scarce__to_unit(scarce__hash(key, t)) < weight;
        const int draws = c->o.algorithm == SCARCE__ONLINE_ADABOOST;
        regress(s, t, sign, draws ? w * drawn : w * weight, (double)h[t], effect);
        f += c->alpha[t] * v;
        c->alpha[t] = cut(c->alpha[t] + eta * cut(w, most_step) * sign * v * scarce__sigmoid(-sign * f), 2);
        if (sign * f <= 0) c->chance[t] -= w > 0, wrong = 1;
    }
    if (wrong) settle_shares(c);
}

static void learn_residual(scarce__combine *c, const float *h, double y, double w, uint64_t n,
                           scarce__steps *s, double *effect)
{
    const double eta = c->o.combine_rate, rate = 1 / (c->o.bound * sqrt((double)n));
    const int ogb = c->o.algorithm == SCARCE__ONLINE_OGB;
    double f = 0;

    for (size_t t = 0; t < c->learners; ++t) {
        const double r = y - scarce__sigmoid(f);
        regress(s, t, r, w, (double)h[t], effect);
        if (!ogb) {
            f += eta * (double)h[t];
            continue;
        }
        const double before = f;
        f = cut((1 - c->sigma[t] * eta) * f + eta * (double)h[t], c->o.bound);
        const double sigma = c->sigma[t] - rate * cut(w, most_step) * r * before;
        c->sigma[t] = sigma < 0 ? 0 : sigma > 1 ? 1 : sigma;
    }
}

int scarce__combine_learn(scarce__combine *c, const float *h, size_t y, double w, uint64_t n,
                          scarce__steps *s, double *effect)
{
    const double truth = (double)(y != 0), sign = 2 * truth - 1;

    for (size_t t = 0; t < c->learners; ++t)
        if (!(fabsf(h[t]) <= FLT_MAX)) return 0;
    s->by_gradient = 0;
    switch (c->o.algorithm) {
    case SCARCE__ONLINE_ONLB:
        return c->o.paper ? learn_paper(c, h, truth, w, s, effect) : learn_end_to_end(c, h, y, w, s, effect);
    case SCARCE__ONLINE_BBM: learn_bbm(c, h, sign, w, s, effect); break;
    case SCARCE__ONLINE_ADABOOST:
    case SCARCE__ONLINE_ADABOOST_W: learn_adaboost(c, h, sign, w, n, s, effect); break;
    case SCARCE__ONLINE_OGB:
    case SCARCE__ONLINE_STREAMBOOST: learn_residual(c, h, truth, w, n, s, effect); break;
    default:
        s->by_gradient = 1;
        s->move[0] = (float)cut(w * (truth - scarce__sigmoid((double)h[0])), most_step);
        break;
    }
    return 1;
}

/* ---- the file */

static void put_doubles(scarce__writer *w, const double *x, size_t n)
{
    for (size_t i = 0; x && i < n; ++i) scarce__put_f64(w, x[i]);
}

static void get_doubles(scarce__reader *r, double *x, size_t n, double lo, double hi)
{
    for (size_t i = 0; x && i < n; ++i) {
        x[i] = scarce__get_f64(r);
        if (!(x[i] >= lo && x[i] <= hi)) r->failed = 1;
    }
}

/* Without the padding. */
static void put_matrix(scarce__writer *w, const scarce__combine *c, const float *x, size_t rows)
{
    for (size_t i = 0; x && i < rows; ++i)
        for (size_t p = 0; p < c->spaces; ++p) scarce__put_f32(w, x[i * c->width + p]);
}

static void get_matrix(scarce__reader *r, const scarce__combine *c, float *x, size_t rows)
{
    for (size_t i = 0; x && i < rows; ++i)
        for (size_t p = 0; p < c->spaces; ++p) {
            x[i * c->width + p] = scarce__get_f32(r);
            if (!(fabsf(x[i * c->width + p]) <= FLT_MAX)) r->failed = 1;
        }
}

void scarce__combine_write(const scarce__combine *c, scarce__writer *w)
{
    put_doubles(w, c->shift, c->outputs);
    put_matrix(w, c, c->mix, c->learners);
    put_matrix(w, c, c->top, c->outputs);
    put_doubles(w, c->alpha, c->learners);
    put_doubles(w, c->chance, c->learners);
    put_doubles(w, c->sigma, c->learners);
}

scarce_status scarce__combine_read(scarce__combine *c, scarce__reader *r, scarce_error *err)
{
    get_doubles(r, c->shift, c->outputs, -DBL_MAX, DBL_MAX);
    get_matrix(r, c, c->mix, c->learners);
    get_matrix(r, c, c->top, c->outputs);
    get_doubles(r, c->alpha, c->learners, -2, 2);
    get_doubles(r, c->chance, c->learners, -1e6, 0);
    get_doubles(r, c->sigma, c->learners, 0, 1);
    if (r->failed) return scarce__fail(err, SCARCE_EPARSE, "the combination of an online model is damaged");
    if (c->share) settle_shares(c);
    return SCARCE_OK;
}
