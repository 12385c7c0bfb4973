/* SPDX-License-Identifier: Apache-2.0 */
/* MLFP: Viola, Emonet, Habrard, Metzler and Sebban, Learning from few positives, IJCAI 2020 (001 chapter 3).
 *
 * M is used between a query and a positive only; distances to negatives stay Euclidean. With |.| Euclidean,
 *
 *     f(M) = s [ (1-a) sum over positives i, positives j, negatives k of (1 - c + D_M(i,j) - |i-k|^2)_+
 *                + a   sum over negatives i, negatives j, positives k of (1 - c + |i-j|^2 - D_M(i,k))_+ ] + mu |M - I|^2
 *
 * a = P/m, 0 <= M <= 1: convex. j and k are the nearest of each class (s = 1/m: with the document's 1/m^3 the penalty wins
 * and M = I; the authors' code has 1/m) or all rows (s = 1/m^3). For a row i all terms with one partner of D_M share their
 * thresholds (the Euclidean ones), which are sorted once with their sums: a term then takes a search.
 *
 * A hinge has a kink, at which gradient steps stall: it is rounded off, (u + e)^2 / 4e between -e and e, and the minimum
 * followed from e = 0.1 down to 1e-5, where it is off by less than 1e-5 a term. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/simd.h"
#include "near/metric.h"

enum {
    BLOCK = 64,
    MOST_ALL = 3000,
    MOST_KEPT = 1 << 25
}; /* MOST_KEPT: squared differences that are kept, 256 MB */

/* Row i has the partners partner[i*n_partners ..] (of D_M: positives) and sorted thresholds with prefix sums. */
typedef struct scarce__mlfp mlfp;
struct scarce__mlfp {
    const scarce__points *p;
    const scarce__mlfp_options *o;
    scarce__pool *pool;
    double mu;
    int avx2;
    double
        *apart; /* of a diagonal M and neighbours: (x_i - x_partner)^2, n x n_partners x d; NULL: not kept */
    double *diagonal;
    /* of these pairs: |x_i - x_partner|^2, and D under the diagonal `before`, since which D changed by at most |.|^2 times
     * `bound`. all: every D is made, and `before` becomes the diagonal. share: of pairs that needed it the last time. */
    double *euclid, *then, *before, bound, share;
    int all;
    size_t n_partners, n_thresholds;
    uint32_t *partner;    /* n x n_partners; UINT32_MAX: none; NULL: all positives */
    double *limit;        /* n x n_thresholds, ascending */
    double *sum, *square; /* of those before: n x (n_thresholds + 1); of their squares */
    double round;         /* e */
    uint32_t *n_limits;   /* of each row */
    uint32_t *positive;   /* rows */
    size_t n_positives;
    double scale, weight[2]; /* of terms of a negative, of a positive row */
    double *part;            /* per block: value, then gradient (d or d^2) */
    size_t width;
    const double *m;
};

static double square_of(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many of n ascending numbers are below x. */
static size_t below(const double *t, size_t n, double x)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (t[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

static double mahalanobis(const mlfp *s, const double *v)
{
    const size_t d = s->p->d;
    double sum = 0;

    for (size_t i = 0; i < d; ++i) {
        double row = 0;
        if (s->o->full)
            for (size_t j = 0; j < d; ++j) row += s->m[i * d + j] * v[j];
        else row = s->m[i * d + i] * v[i];
        sum += row * v[i];
    }
    return sum;
}

/* A pair (i, partner): its terms, and times how much its outer product enters the gradient. */
static double pair_terms(const mlfp *s, size_t i, double x, double *times)
{
    const double *limit = s->limit + i * s->n_thresholds, *sum = s->sum + i * (s->n_thresholds + 1),
                 *square = s->square + i * (s->n_thresholds + 1), e = s->round;
    const size_t n = s->n_limits[i], low = below(limit, n, x - e),
                 high = e > 0 ? below(limit, n, x + e) : low;
    const int positive = s->p->label[i] != 0;
    const double w = s->weight[positive], inside = (double)(high - low), linear = sum[high] - sum[low];
    const double edge = positive ? x + e : x - e;
    double value, slope;

    if (positive) { /* thresholds below x: x - t */
        slope = (double)low;
        value = (double)low * x - sum[low];
    } else {
        slope = -(double)(n - high);
        value = sum[n] - sum[high] - (double)(n - high) * x;
    }
    if (high > low) {
        value += (inside * edge * edge - 2 * edge * linear + square[high] - square[low]) / (4 * e);
        slope += (inside * edge - linear) / (2 * e);
    }
    *times = w * slope;
    return w * value;
}

static void add_row(const mlfp *s, size_t i, double *part, double *v)
{
    const size_t d = s->p->d, n = s->partner ? s->n_partners : s->n_positives;

    for (size_t k = 0; k < n; ++k) {
        const uint32_t other = s->partner ? s->partner[i * s->n_partners + k] : s->positive[k];
        double times;
        if (other == UINT32_MAX) break;
        if (other == i) continue;
        for (size_t j = 0; j < d; ++j) v[j] = s->p->z[i * d + j] - s->p->z[other * d + j];
        part[0] += pair_terms(s, i, mahalanobis(s, v), &times);
        if (times == 0) continue;
        for (size_t j = 0; j < d; ++j) {
            const double x = times * v[j];
            if (!s->o->full) part[1 + j] += x * v[j];
            else
                for (size_t c = 0; c < d; ++c) part[1 + j * d + c] += x * v[c];
        }
    }
}

/* Can a pair of row i have terms, given where its D may be? A positive's terms begin at its least threshold, a negative's
 * end at its greatest. */
SCARCE__BODY int may_count(const mlfp *s, size_t i, double low, double high)
{
    const size_t n = s->n_limits[i];
    const double *limit = s->limit + i * s->n_thresholds;

    if (n == 0) return 0;
    return s->p->label[i] ? high + s->round > limit[0] : low - s->round < limit[n - 1];
}

/* The same from squared differences that are kept: D_M is a product with the diagonal, and most pairs are known to have no
 * terms without it. part[width]: how many needed it. */
SCARCE__BODY void kept_body(const mlfp *s, size_t first, size_t end, double *part)
{
    const size_t d = s->p->d;

    for (size_t i = first; i < end; ++i)
        for (size_t k = 0; k < s->n_partners && s->partner[i * s->n_partners + k] != UINT32_MAX; ++k) {
            const size_t pair = i * s->n_partners + k;
            const double *apart = s->apart + pair * d, by = s->bound * s->euclid[pair];
            double sum[4] = {0, 0, 0, 0}, times;
            size_t j = 0;
            if (!s->all && !may_count(s, i, s->then[pair] - by, s->then[pair] + by)) continue;
            for (; j + 4 <= d; j += 4)
                for (size_t l = 0; l < 4; ++l) sum[l] += s->diagonal[j + l] * apart[j + l];
            for (; j < d; ++j) sum[0] += s->diagonal[j] * apart[j];
            const double x = (sum[0] + sum[2]) + (sum[1] + sum[3]);
            if (s->all) s->then[pair] = x;
            part[s->width] += 1;
            if (!may_count(s, i, x, x)) continue;
            part[0] += pair_terms(s, i, x, &times);
            for (j = 0; times != 0 && j < d; ++j) part[1 + j] += times * apart[j];
        }
}

static void kept_plain(const mlfp *s, size_t first, size_t end, double *part)
{
    kept_body(s, first, end, part);
}

SCARCE__AVX2 static void kept_avx2(const mlfp *s, size_t first, size_t end, double *part)
{
    kept_body(s, first, end, part);
}

static void add_block(void *arg, size_t block, int worker)
{
    mlfp *s = arg;
    double *part = s->part + block * (s->width + s->p->d), *v = part + s->width;
    const size_t first = block * BLOCK, end = first + BLOCK < s->p->n ? first + BLOCK : s->p->n;

    (void)worker;
    memset(part, 0, (s->width + 1) * sizeof *part);
    if (s->apart && s->avx2) kept_avx2(s, first, end, part);
    else if (s->apart) kept_plain(s, first, end, part);
    else
        for (size_t i = first; i < end; ++i) add_row(s, i, part, v);
}

/* How far distances may have moved since all were made. */
static void set_bound(mlfp *s, const double *m)
{
    const size_t d = s->p->d;

    for (size_t i = 0; i < d; ++i) s->diagonal[i] = m[i * d + i];
    if (!s->apart) return;
    s->all = s->share > 0.3;
    if (s->all) memcpy(s->before, s->diagonal, d * sizeof *s->before);
    s->bound = 0;
    for (size_t i = 0; i < d; ++i)
        if (fabs(s->diagonal[i] - s->before[i]) > s->bound) s->bound = fabs(s->diagonal[i] - s->before[i]);
    s->bound *= 1 + 1e-9;
}

static scarce_status evaluate(void *payload, const double *m, double *value, double *gradient,
                              scarce_error *err)
{
    mlfp *s = payload;
    const size_t d = s->p->d, blocks = scarce__blocks(s->p->n, BLOCK);

    (void)err;
    s->m = m;
    set_bound(s, m);
    scarce__pool_run(s->pool, blocks, add_block, s);
    s->share = 0;
    for (size_t b = 0; s->apart && !s->all && b < blocks; ++b)
        s->share += s->part[b * (s->width + d) + s->width] / ((double)s->n_partners * (double)s->p->n);
    *value = 0;
    for (size_t i = 0; i < d * d; ++i) {
        const int on = i % (d + 1) == 0;
        gradient[i] = 0;
        if (!s->o->full && !on) continue;
        const double off = m[i] - (on ? 1 : 0);
        for (size_t b = 0; b < blocks; ++b)
            gradient[i] += s->part[b * (s->width + d) + 1 + (s->o->full ? i : i / d)];
        gradient[i] = s->scale * gradient[i] + 2 * s->mu * off;
        *value += s->mu * off * off;
    }
    for (size_t b = 0; b < blocks; ++b) *value += s->scale * s->part[b * (s->width + d)];
    return SCARCE_OK;
}

/* ---- triplets */

/* Thresholds of row i from the Euclidean distances to some rows of the other kind. */
static void set_limits(mlfp *s, size_t i, const uint32_t *rows, size_t n)
{
    const size_t d = s->p->d;
    const double margin = 1 - s->o->c;
    double *limit = s->limit + i * s->n_thresholds, *sum = s->sum + i * (s->n_thresholds + 1),
           *square = s->square + i * (s->n_thresholds + 1);
    size_t count = 0;

    for (size_t k = 0; k < n && rows[k] != UINT32_MAX; ++k) {
        if (rows[k] == i) continue;
        const double e = square_of(s->p->z + i * d, s->p->z + rows[k] * d, d);
        limit[count++] = s->p->label[i] ? e - margin : e + margin;
    }
    s->n_limits[i] = (uint32_t)count;
    qsort(limit, count, sizeof *limit, ascending);
    sum[0] = square[0] = 0;
    for (size_t k = 0; k < count; ++k) {
        sum[k + 1] = sum[k] + limit[k];
        square[k + 1] = square[k] + limit[k] * limit[k];
    }
}

static scarce_status near_triplets(mlfp *s, scarce_context *ctx, scarce_error *err)
{
    const size_t n = s->p->n, k = s->o->k;
    scarce_status st = SCARCE_OK;

    s->partner = scarce__malloc_array(n * k, sizeof *s->partner);
    if (!s->partner) return scarce__fail_memory(err, "metric learning", 0);
    for (int label = 0; label < 2 && st == SCARCE_OK; ++label) {
        uint32_t *positives = NULL, *negatives = NULL;
        size_t at = 0;
        st = scarce__metric_neighbours(&positives, s->p, k, label, label == 1, ctx, err);
        if (st == SCARCE_OK) st = scarce__metric_neighbours(&negatives, s->p, k, label, label == 0, ctx, err);
        for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
            if (s->p->label[i] != label) continue;
            memcpy(s->partner + i * k, positives + at * k, k * sizeof *positives);
            set_limits(s, i, negatives + at * k, k);
            ++at;
        }
        scarce__free(positives);
        scarce__free(negatives);
    }
    return st;
}

/* Where they fit, the squared differences of a row and its partners are made once. */
static scarce_status keep_apart(mlfp *s, scarce_error *err)
{
    const size_t n = s->p->n, d = s->p->d, k = s->n_partners;

    if (s->o->full || n * k > MOST_KEPT / d) return SCARCE_OK;
    s->apart = scarce__huge_alloc(n * k * d, sizeof *s->apart);
    s->euclid = scarce__calloc(n * k, sizeof *s->euclid);
    s->then = scarce__malloc_array(n * k, sizeof *s->then);
    s->before = scarce__malloc_array(d, sizeof *s->before);
    if (!s->apart || !s->euclid || !s->then || !s->before)
        return scarce__fail_memory(err, "metric learning", n * k * (d + 2) * sizeof *s->apart);
    s->share = 1;
    for (size_t i = 0; i < n * k; ++i) {
        const double *a = s->p->z + i / k * d, *b = s->p->z + (size_t)s->partner[i] * d;
        for (size_t j = 0; s->partner[i] != UINT32_MAX && j < d; ++j) {
            s->apart[i * d + j] = (a[j] - b[j]) * (a[j] - b[j]);
            s->euclid[i] += s->apart[i * d + j];
        }
    }
    return SCARCE_OK;
}

static scarce_status all_triplets(mlfp *s, scarce_error *err)
{
    const size_t n = s->p->n;
    uint32_t *negatives = scarce__malloc_array(n, sizeof *negatives);
    size_t count = 0;

    if (!negatives) return scarce__fail_memory(err, "metric learning", 0);
    for (size_t i = 0; i < n; ++i)
        if (!s->p->label[i]) negatives[count++] = (uint32_t)i;
    for (size_t i = 0; i < n; ++i) set_limits(s, i, negatives, count);
    scarce__free(negatives);
    return SCARCE_OK;
}

static void deinit(mlfp *s)
{
    scarce__free(s->partner), scarce__free(s->limit), scarce__free(s->sum), scarce__free(s->square);
    scarce__free(s->n_limits);
    scarce__free(s->positive), scarce__free(s->part);
    scarce__free(s->apart), scarce__free(s->diagonal);
    scarce__free(s->euclid), scarce__free(s->then), scarce__free(s->before);
}

static scarce_status init(mlfp *s, const scarce__points *p, const scarce__mlfp_options *o,
                          scarce_context *ctx, scarce_error *err)
{
    const size_t n = p->n, d = p->d;

    memset(s, 0, sizeof *s);
    s->mu = o->mu;
    s->avx2 = scarce__cpu_avx2();
    if (o->all && n > MOST_ALL)
        return scarce__fail(err, SCARCE_EINVAL,
                            "triplets=all holds the distances of all rows, up to %d of them; these are %zu "
                            "(triplets=near has no such limit)",
                            (int)MOST_ALL, n);
    s->p = p, s->o = o, s->pool = scarce__context_pool(ctx);
    s->n_partners = o->k;
    s->n_thresholds = o->all ? n : o->k;
    s->width = 1 + (o->full ? d * d : d);
    s->limit = scarce__malloc_array(n * s->n_thresholds, sizeof *s->limit);
    s->sum = scarce__malloc_array(n * (s->n_thresholds + 1), sizeof *s->sum);
    s->square = scarce__malloc_array(n * (s->n_thresholds + 1), sizeof *s->square);
    s->n_limits = scarce__calloc(n, sizeof *s->n_limits);
    s->positive = scarce__malloc_array(n, sizeof *s->positive);
    s->part = scarce__malloc_array(scarce__blocks(n, BLOCK) * (s->width + d), sizeof *s->part);
    s->diagonal = scarce__malloc_array(d, sizeof *s->diagonal);
    if (!s->limit || !s->sum || !s->square || !s->n_limits || !s->positive || !s->part || !s->diagonal)
        return scarce__fail_memory(err, "metric learning", 0);
    for (size_t i = 0; i < n; ++i)
        if (p->label[i]) s->positive[s->n_positives++] = (uint32_t)i;
    const double share = (double)s->n_positives / (double)n, m = (double)n;
    s->scale = o->all ? 1 / (m * m * m) : 1 / m;
    s->weight[0] = share;
    s->weight[1] = 1 - share;
    if (o->all) return all_triplets(s, err);
    SCARCE__TRY(near_triplets(s, ctx, err));
    return keep_apart(s, err);
}

scarce_status scarce__mlfp_new(scarce__mlfp **out, const scarce__points *p, const scarce__mlfp_options *o,
                               scarce_context *ctx, scarce_error *err)
{
    mlfp *s = scarce__calloc(1, sizeof *s);
    scarce_status st;

    *out = NULL;
    if (!s) return scarce__fail_memory(err, "metric learning", sizeof *s);
    st = init(s, p, o, ctx, err);
    if (st == SCARCE_OK) *out = s;
    else scarce__mlfp_free(s);
    return st;
}

void scarce__mlfp_free(scarce__mlfp *s)
{
    if (!s) return;
    deinit(s);
    scarce__free(s);
}

scarce_status scarce__mlfp_fit(scarce__mlfp *s, double mu, int roughly, double *m, double *value,
                               scarce_context *ctx, scarce_error *err)
{
    const scarce__metric_problem problem = {s, s->p->d, !s->o->full, 1, evaluate};
    const double tolerance = roughly && s->o->tolerance < 1e-3 ? 1e-3 : s->o->tolerance;
    scarce_status st = SCARCE_OK;

    s->mu = mu;
    for (s->round = 0.1; s->round > (roughly ? 5e-3 : 5e-6) && st == SCARCE_OK; s->round /= 10)
        st = scarce__metric_minimise(m, value, &problem, tolerance, s->o->most_steps, ctx, err);
    s->round = 0;
    if (st == SCARCE_OK) st = scarce__metric_minimise(m, value, &problem, tolerance, 1, ctx, err);
    return st;
}

scarce_status scarce__metric_mlfp(double *m, double *value, const scarce__points *p,
                                  const scarce__mlfp_options *o, scarce_context *ctx, scarce_error *err)
{
    scarce__mlfp *s = NULL;
    scarce_status st = scarce__mlfp_new(&s, p, o, ctx, err);

    for (size_t i = 0; i < p->d * p->d; ++i) m[i] = i % (p->d + 1) == 0;
    if (st == SCARCE_OK) st = scarce__mlfp_fit(s, o->mu, 0, m, value, ctx, err);
    scarce__mlfp_free(s);
    return st;
}

scarce_status scarce__mlfp_value(double *value, double *gradient, const double *m, const scarce__points *p,
                                 const scarce__mlfp_options *o, scarce_context *ctx, scarce_error *err)
{
    mlfp s;
    scarce_status st = init(&s, p, o, ctx, err);

    if (st == SCARCE_OK) st = evaluate(&s, m, value, gradient, err);
    deinit(&s);
    return st;
}
