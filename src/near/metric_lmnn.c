/* SPDX-License-Identifier: Apache-2.0 */
/* LMNN: Weinberger and Saul, Distance metric learning for large margin nearest neighbor classification, JMLR 10 (2009).
 *
 *     f(M) = (1-mu)/n sum over i, targets j of D_M(i,j) + mu/n sum over i, targets j, impostors l of (1 + D_M(i,j) - D_M(i,l))_+
 *
 * Targets: the k nearest of the same class, Euclidean. Convex in M >= 0: projected gradient. Impostors are rows of the
 * other class within the margin of a target. Candidates for them are the 64 nearest rows of the other class in the
 * present metric (those beyond would push too, but in the same directions), found by the search of near.h in rounds
 * (the active set). Terms are counted by their pairs, so a gradient takes one outer product a pair, not a triplet; with
 * Y = Z M a distance takes d operations (metric_pairs.h), and few are needed: since the last time that all candidates were
 * measured, under M0, a distance changed by at most |M - M0| |x_i - x_l|^2, so most stay outside every margin unseen. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/simd.h"
#include "near/metric.h"

enum { MOST = 64, BLOCK = 256 };

/* A pair that counts. */
typedef struct counted {
    uint32_t other;
    double times;
} counted;

/* What a block of rows found. */
typedef struct found {
    double value;
    size_t n_counted, n_measured, n_asked;
} found;

/* The partners of a row: k targets, then MOST candidates. */
typedef struct lmnn {
    const scarce__points *p;
    const scarce__lmnn_options *o;
    scarce_context *ctx;
    size_t width;
    uint32_t *partner;       /* n x width; UINT32_MAX: none */
    double *euclid, *before; /* n x MOST, of candidates: |x_i - x_l|^2; distance under m0 */
    double *m0;
    const double *m;
    double bound; /* |M - M0| */
    int all;      /* every candidate is measured, and M0 becomes M */
    int avx2;
    double share;             /* of the candidates that had to be measured the last time */
    double *y, *s, *own, *in; /* Z M; sum_j c_ij z_j; sums of c by row and by partner */
    double *part;             /* by block: d x d */
    counted *list;            /* by block: BLOCK x width */
    found *found;
} lmnn;

static void deinit(lmnn *s)
{
    scarce__free(s->partner), scarce__free(s->euclid), scarce__free(s->before), scarce__free(s->m0);
    scarce__free(s->y), scarce__free(s->s), scarce__free(s->own), scarce__free(s->in), scarce__free(s->part);
    scarce__free(s->list), scarce__free(s->found);
}

static scarce_status find_targets(lmnn *s, scarce_error *err)
{
    const size_t n = s->p->n, k = s->o->k;

    for (int label = 0; label < 2; ++label) {
        uint32_t *near = NULL;
        size_t at = 0;
        SCARCE__TRY(scarce__metric_neighbours(&near, s->p, k, label, 1, s->ctx, err));
        for (size_t i = 0; i < n; ++i)
            if (s->p->label[i] == label) memcpy(s->partner + i * s->width, near + at++ * k, k * sizeof *near);
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
                memcpy(s->partner + i * s->width + s->o->k, near + at++ * MOST, MOST * sizeof *near);
        scarce__free(near);
    }
    for (size_t i = 0; st == SCARCE_OK && i < n * MOST; ++i) {
        const uint32_t other = s->partner[i / MOST * s->width + s->o->k + i % MOST];
        const double *a = s->p->z + i / MOST * d, *b = s->p->z + (size_t)other * d;
        double sum = 0;
        for (size_t j = 0; other != UINT32_MAX && j < d; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
        s->euclid[i] = sum;
    }
    s->share = 1;
    scarce__free(map);
    scarce__free(z);
    return st;
}

/* ---- value and gradient */

/* Y = Z M for the rows of a block. */
SCARCE__BODY void map_body(const lmnn *s, size_t first, size_t end)
{
    const size_t d = s->p->d;

    for (size_t i = first; i < end; ++i) {
        const double *z = s->p->z + i * d;
        double *y = s->y + i * d;
        size_t r = 0;
        for (size_t c = 0; c < d; ++c) y[c] = 0;
        for (; r + 4 <= d; r += 4) {
            const double *m = s->m + r * d;
            for (size_t c = 0; c < d; ++c)
                y[c] +=
                    (z[r] * m[c] + z[r + 1] * m[d + c]) + (z[r + 2] * m[2 * d + c] + z[r + 3] * m[3 * d + c]);
        }
        for (; r < d; ++r)
            for (size_t c = 0; c < d; ++c) y[c] += z[r] * s->m[r * d + c];
    }
}

SCARCE__BODY double distance(const lmnn *s, size_t i, size_t j)
{
    const size_t d = s->p->d;
    const double *a = s->p->z + i * d, *b = s->p->z + j * d, *u = s->y + i * d, *v = s->y + j * d;
    double sum[4] = {0, 0, 0, 0};
    size_t c = 0;

    for (; c + 4 <= d; c += 4)
        for (size_t l = 0; l < 4; ++l) sum[l] += (a[c + l] - b[c + l]) * (u[c + l] - v[c + l]);
    for (; c < d; ++c) sum[0] += (a[c] - b[c]) * (u[c] - v[c]);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

SCARCE__BODY void count_pair(const lmnn *s, size_t i, uint32_t other, double times, found *f, counted *list)
{
    const size_t d = s->p->d;
    const double *z = s->p->z + (size_t)other * d;
    double *sum = s->s + i * d;

    list[f->n_counted++] = (counted){other, times};
    s->own[i] += times;
    for (size_t c = 0; c < d; ++c) sum[c] += times * z[c];
}

/* The terms of a row, and how often each of its pairs counts. */
SCARCE__BODY void row_body(const lmnn *s, size_t i, found *f, counted *list)
{
    const size_t k = s->o->k, d = s->p->d;
    const double pull = (1 - s->o->mu) / (double)s->p->n, push = s->o->mu / (double)s->p->n;
    const uint32_t *partner = s->partner + i * s->width;
    const double *euclid = s->euclid + i * MOST;
    double *before = s->before + i * MOST, target[MOST], times[MOST], farthest = -1;
    size_t n = 0;

    memset(s->s + i * d, 0, d * sizeof *s->s);
    s->own[i] = 0;
    for (; n < k && partner[n] != UINT32_MAX; ++n) {
        target[n] = distance(s, i, partner[n]);
        f->value += pull * target[n];
        times[n] = pull;
        if (target[n] > farthest) farthest = target[n];
    }
    for (size_t r = 0; r < MOST && partner[k + r] != UINT32_MAX; ++r) {
        double of_rival = 0;
        ++f->n_asked;
        if (!s->all && before[r] - s->bound * euclid[r] >= 1 + farthest) continue;
        const double x = distance(s, i, partner[k + r]);
        ++f->n_measured;
        if (s->all) before[r] = x;
        if (x >= 1 + farthest) continue;
        for (size_t t = 0; t < n; ++t) {
            const double hinge = 1 + target[t] - x;
            if (!(hinge > 0)) continue;
            f->value += push * hinge;
            times[t] += push;
            of_rival -= push;
        }
        if (of_rival != 0) count_pair(s, i, partner[k + r], of_rival, f, list);
    }
    for (size_t t = 0; t < n; ++t) count_pair(s, i, partner[t], times[t], f, list);
}

SCARCE__BODY void rows_body(const lmnn *s, size_t first, size_t end, found *f, counted *list)
{
    for (size_t i = first; i < end; ++i) row_body(s, i, f, list);
}

/* Half of sum_i (w_i z_i z_i' - 2 s_i z_i'): transposed and added at the end. Four rows go together. */
SCARCE__BODY void product_body(const lmnn *s, size_t first, size_t end, double *part)
{
    const size_t d = s->p->d;

    memset(part, 0, d * d * sizeof *part);
    for (size_t i = first; i < end; i += 4) {
        const size_t rows = end - i < 4 ? end - i : 4;
        const double *z = s->p->z + i * d, *sum = s->s + i * d;
        for (size_t r = 0; r < d; ++r) {
            double x[4] = {0, 0, 0, 0};
            for (size_t l = 0; l < rows; ++l)
                x[l] = z[l * d + r] * ((s->own[i + l] + s->in[i + l]) / 2) - sum[l * d + r];
            if (rows == 4)
                for (size_t c = 0; c < d; ++c)
                    part[r * d + c] +=
                        (x[0] * z[c] + x[1] * z[d + c]) + (x[2] * z[2 * d + c] + x[3] * z[3 * d + c]);
            else
                for (size_t l = 0; l < rows; ++l)
                    for (size_t c = 0; c < d; ++c) part[r * d + c] += x[l] * z[l * d + c];
        }
    }
}

typedef enum pass { PASS_MAP, PASS_ROWS, PASS_PRODUCT } pass;

SCARCE__BODY void pass_body(lmnn *s, pass what, size_t block)
{
    const size_t first = block * BLOCK, end = first + BLOCK < s->p->n ? first + BLOCK : s->p->n;

    if (what == PASS_MAP) map_body(s, first, end);
    else if (what == PASS_ROWS) rows_body(s, first, end, &s->found[block], s->list + first * s->width);
    else product_body(s, first, end, s->part + block * s->p->d * s->p->d);
}

static void pass_plain(lmnn *s, pass what, size_t block)
{
    pass_body(s, what, block);
}

SCARCE__AVX2 static void pass_avx2(lmnn *s, pass what, size_t block)
{
    pass_body(s, what, block);
}

typedef struct passing {
    lmnn *s;
    pass what;
} passing;

static void pass_task(void *arg, size_t block, int worker)
{
    const passing *j = arg;
    (void)worker;
    if (j->s->avx2) pass_avx2(j->s, j->what, block);
    else pass_plain(j->s, j->what, block);
}

static void run_pass(lmnn *s, pass what)
{
    passing j = {s, what};
    scarce__pool_run(scarce__context_pool(s->ctx), scarce__blocks(s->p->n, BLOCK), pass_task, &j);
}

/* How far M may have moved distances since all were measured. */
static void set_bound(lmnn *s, const double *m)
{
    const size_t d = s->p->d;
    double sum = 0;

    s->m = m;
    s->all = s->share > 0.3; /* most were measured the last time: all of them, and fewer from then on */
    if (s->all) memcpy(s->m0, m, d * d * sizeof *m);
    for (size_t i = 0; i < d * d; ++i) sum += (m[i] - s->m0[i]) * (m[i] - s->m0[i]);
    s->bound = sqrt(sum) * (1 + 1e-9);
}

static scarce_status evaluate(void *payload, const double *m, double *value, double *gradient,
                              scarce_error *err)
{
    lmnn *s = payload;
    const size_t n = s->p->n, d = s->p->d, blocks = scarce__blocks(n, BLOCK);
    size_t measured = 0, asked = 0;

    (void)err;
    set_bound(s, m);
    memset(s->found, 0, blocks * sizeof *s->found);
    memset(s->in, 0, n * sizeof *s->in);
    run_pass(s, PASS_MAP);
    run_pass(s, PASS_ROWS);
    *value = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const counted *list = s->list + b * BLOCK * s->width;
        *value += s->found[b].value;
        measured += s->found[b].n_measured;
        asked += s->found[b].n_asked;
        for (size_t i = 0; i < s->found[b].n_counted; ++i) s->in[list[i].other] += list[i].times;
    }
    s->share = s->all || asked == 0 ? 0 : (double)measured / (double)asked;
    run_pass(s, PASS_PRODUCT);
    for (size_t b = 1; b < blocks; ++b)
        for (size_t i = 0; i < d * d; ++i) s->part[i] += s->part[b * d * d + i];
    for (size_t r = 0; r < d; ++r)
        for (size_t c = 0; c < d; ++c) gradient[r * d + c] = s->part[r * d + c] + s->part[c * d + r];
    return SCARCE_OK;
}

static scarce_status init(lmnn *s, const scarce__points *p, const scarce__lmnn_options *o,
                          scarce_context *ctx, scarce_error *err)
{
    const size_t n = p->n, d = p->d, blocks = scarce__blocks(n, BLOCK);

    *s = (lmnn){.p = p, .o = o, .ctx = ctx, .width = o->k + MOST, .avx2 = scarce__cpu_avx2(), .share = 1};
    s->partner = scarce__malloc_array(n * s->width, sizeof *s->partner);
    s->euclid = scarce__malloc_array(n * MOST, sizeof *s->euclid);
    s->before = scarce__malloc_array(n * MOST, sizeof *s->before);
    s->m0 = scarce__malloc_array(d * d, sizeof *s->m0);
    s->y = scarce__malloc_array(n * d, sizeof *s->y);
    s->s = scarce__malloc_array(n * d, sizeof *s->s);
    s->own = scarce__malloc_array(n, sizeof *s->own);
    s->in = scarce__malloc_array(n, sizeof *s->in);
    s->part = scarce__malloc_array(blocks * d * d, sizeof *s->part);
    s->list = scarce__malloc_array(blocks * BLOCK * s->width, sizeof *s->list);
    s->found = scarce__malloc_array(blocks, sizeof *s->found);
    if (!s->partner || !s->euclid || !s->before || !s->m0 || !s->y || !s->s || !s->own || !s->in ||
        !s->part || !s->list || !s->found)
        return scarce__fail_memory(err, "metric learning", n * (s->width * 40 + d * 16));
    for (size_t i = 0; i < n * s->width; ++i) s->partner[i] = UINT32_MAX;
    return find_targets(s, err);
}

/* Are all rows of the other class candidates, whatever the metric? */
static int has_few(const scarce__points *p)
{
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < p->n; ++i) ++count[p->label[i] != 0];
    return count[0] <= MOST && count[1] <= MOST;
}

/* Rounds of: find the impostors in the present metric, minimise with them fixed. The last rounds change nothing any more. */
scarce_status scarce__metric_lmnn(double *m, double *value, const scarce__points *p,
                                  const scarce__lmnn_options *o, scarce_context *ctx, scarce_error *err)
{
    enum { ROUNDS = 12 };
    const int rounds = has_few(p) ? 1 : ROUNDS;
    const size_t d = p->d, steps = o->most_steps / (size_t)rounds + 1;
    const double enough = o->tolerance > 1e-6 ? o->tolerance : 1e-6;
    lmnn s;
    scarce_status st = init(&s, p, o, ctx, err);
    const scarce__metric_problem problem = {&s, d, 0, (double)INFINITY, evaluate};
    double last = (double)INFINITY;

    for (size_t i = 0; i < d * d; ++i) m[i] = i % (d + 1) == 0;
    for (int round = 0; round < rounds && st == SCARCE_OK; ++round) {
        st = find_rivals(&s, m, err);
        if (st == SCARCE_OK) st = scarce__metric_minimise(m, value, &problem, o->tolerance, steps, ctx, err);
        if (fabs(last - *value) <= enough * fabs(*value)) break;
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
