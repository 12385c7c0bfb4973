/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method with conjugate gradients on the L2-regularised primal (as in Lin, Weng & Keerthi 2008, with
 * a line search instead of their trust region):
 *
 *     f(w, b) = 1/2 |w|^2 + sum_i cost_i loss(y_i z_i),   z = X w + b
 *     gradient  w + X^T r,  r_i = cost_i loss'(..),      Hessian  I + X^T D X,  D_i = cost_i loss''(..)
 *
 *     loss = ln(1 + e^-yz):   r = cost (p - t),            D = cost p (1 - p)
 *     loss = max(0, 1-yz)^2:  r = 2 cost (z - y), D = 2 cost where yz < 1, else 0 (generalised Hessian)
 *
 * The system is solved only as far as the gradient is small already, which makes the last steps quadratic at
 * the price of few passes; the diagonal of the Hessian preconditions, so rare categories, the constant and
 * unscaled columns don't slow it down. Products X p of the inner iterations add up to X s, so the line
 * search needs no pass over the columns at all, only over z.
 *
 * Row sums go by blocks, added in block order: the same bits with any number of threads. */
#include "linear/newton.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"

enum { BLOCK_ROWS = 4096, CHUNK = 256, MAX_INNER = 500, MAX_HALVINGS = 40 };

typedef struct problem {
    scarce__design *d;
    const uint8_t *label;
    const double *cost;
    const scarce__linear_options *o;
    scarce__pool *pool;
    size_t n, m;       /* rows; length of parameter vectors */
    double bias_ridge; /* 1 when the constant is penalised */
    double *rows;      /* the one block behind the row vectors */
    double *z, *zs, *r, *curve, *zp;
    double *part;    /* one sum per block of rows */
    double *vectors; /* the one block behind the parameter vectors */
    double *g, *step, *residual, *direction, *scaled, *product, *diagonal;
} problem;

/* ---- sums over rows ---- */

typedef struct loss_job {
    const problem *p;
    const double *z, *zs; /* at z + length * zs; zs may be NULL */
    double length;
} loss_job;

static double row_loss(int svm, int positive, double z)
{
    const double yz = positive ? z : -z;
    if (svm) return yz < 1 ? (1 - yz) * (1 - yz) : 0;
    return scarce__softplus(-yz);
}

static void loss_block(void *arg, size_t index, int worker)
{
    const loss_job *j = arg;
    const problem *p = j->p;
    const size_t from = index * BLOCK_ROWS, to = from + BLOCK_ROWS < p->n ? from + BLOCK_ROWS : p->n;
    double z[CHUNK], s = 0;

    (void)worker;
    for (size_t at = from, n; at < to; at += n) {
        n = to - at < CHUNK ? to - at : CHUNK;
        for (size_t i = 0; i < n; ++i) z[i] = j->zs ? j->z[at + i] + j->length * j->zs[at + i] : j->z[at + i];
        if (p->o->loss == SCARCE__LINEAR_SVM) {
            for (size_t i = 0; i < n; ++i) z[i] = row_loss(1, p->label[at + i] != 0, z[i]);
        } else {
            for (size_t i = 0; i < n; ++i) z[i] = p->label[at + i] ? -z[i] : z[i];
            scarce__softplus_all(z, z, n);
        }
        for (size_t i = 0; i < n; ++i) s += p->cost[at + i] * z[i];
    }
    p->part[index] = s;
}

static double loss_sum(const problem *p, const double *z, const double *zs, double length)
{
    loss_job j = {p, z, zs, length};
    const size_t blocks = scarce__blocks(p->n, BLOCK_ROWS);
    double s = 0;

    scarce__pool_run(p->pool, blocks, loss_block, &j);
    for (size_t b = 0; b < blocks; ++b) s += p->part[b];
    return s;
}

/* r and curve at z, by vectors. With t = 1 for negatives and -1 for positives r = t cost sigmoid(t z). */
SCARCE__BODY void logistic_slopes(const double *z, const double *t, const double *cost, size_t n, double *r,
                                  double *curve)
{
    for (size_t i = 0; i < n; ++i) {
        const double e = scarce__exp_body(-fabs(z[i])), near = 1 / (1 + e),
                     far = e * near; /* of the likelier side, the other */
        r[i] = t[i] * (cost[i] * (t[i] * z[i] >= 0 ? near : far));
        curve[i] = cost[i] * near * far;
    }
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void logistic_slopes_avx2(const double *z, const double *t, const double *cost, size_t n,
                                              double *r, double *curve)
{
    logistic_slopes(z, t, cost, n, r, curve);
}
#else
#define logistic_slopes_avx2 logistic_slopes
#endif

static void svm_slopes(const problem *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; ++i) {
        const double z = p->z[i];
        const int positive = p->label[i] != 0, active = (positive ? z : -z) < 1;
        p->r[i] = active ? 2 * p->cost[i] * (z - (positive ? 1 : -1)) : 0;
        p->curve[i] = active ? 2 * p->cost[i] : 0;
    }
}

static void slope_block(void *arg, size_t index, int worker)
{
    const problem *p = arg;
    const size_t from = index * BLOCK_ROWS, to = from + BLOCK_ROWS < p->n ? from + BLOCK_ROWS : p->n;
    const int avx2 = scarce__cpu_avx2();
    double t[CHUNK];

    (void)worker;
    if (p->o->loss == SCARCE__LINEAR_SVM) {
        svm_slopes(p, from, to);
        return;
    }
    for (size_t at = from, n; at < to; at += n) {
        n = to - at < CHUNK ? to - at : CHUNK;
        for (size_t i = 0; i < n; ++i) t[i] = p->label[at + i] ? -1 : 1;
        if (avx2) logistic_slopes_avx2(p->z + at, t, p->cost + at, n, p->r + at, p->curve + at);
        else logistic_slopes(p->z + at, t, p->cost + at, n, p->r + at, p->curve + at);
    }
}

/* ---- parameter vectors ---- */

static double dot(const double *a, const double *b, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; ++i) s += a[i] * b[i];
    return s;
}

static double penalty(const problem *p, const double *theta)
{
    const double b = theta[p->d->n_parameters];
    return 0.5 * (dot(theta, theta, p->d->n_parameters) + p->bias_ridge * b * b);
}

static void add_ridge(const problem *p, const double *v, double *g)
{
    for (size_t j = 0; j < p->d->n_parameters; ++j) g[j] += v[j];
    g[p->d->n_parameters] += p->bias_ridge * v[p->d->n_parameters];
}

static void gradient(problem *p, const double *theta)
{
    scarce__pool_run(p->pool, scarce__blocks(p->n, BLOCK_ROWS), slope_block, p);
    scarce__design_transposed(p->d, p->r, p->g, 0, p->pool);
    add_ridge(p, theta, p->g);
}

static void diagonal(problem *p)
{
    scarce__design_transposed(p->d, p->curve, p->diagonal, 1, p->pool);
    for (size_t j = 0; j < p->d->n_parameters; ++j) p->diagonal[j] += 1;
    p->diagonal[p->d->n_parameters] += p->bias_ridge;
    /* svm rows all beyond the margin leave the constant without curvature */
    if (!(p->diagonal[p->d->n_parameters] > 0)) p->diagonal[p->d->n_parameters] = 1;
    p->diagonal[p->m - 1] = 1;
}

static void weigh_block(void *arg, size_t index, int worker)
{
    const problem *p = arg;
    const size_t from = index * BLOCK_ROWS, to = from + BLOCK_ROWS < p->n ? from + BLOCK_ROWS : p->n;
    (void)worker;
    for (size_t i = from; i < to; ++i) p->r[i] = p->curve[i] * p->zp[i]; /* r is free after the gradient */
}

/* product = H direction; zp = X direction on the way */
static void hessian_times(problem *p)
{
    scarce__design_times(p->d, p->direction, p->zp, p->pool);
    scarce__pool_run(p->pool, scarce__blocks(p->n, BLOCK_ROWS), weigh_block, p);
    scarce__design_transposed(p->d, p->r, p->product, 0, p->pool);
    add_ridge(p, p->direction, p->product);
}

static int report_pass(const problem *p, const scarce_context *ctx, const scarce__linear_report *report)
{
    const scarce_progress progress = {
        "train", report->iterations, p->o->max_iterations, "iterations", "", NULL, 0};
    return scarce__progress(ctx, &progress);
}

/* step = about -H^-1 g, and zs = X step; -1 when cancelled. Stops when the residual, in the norm of the
 * preconditioner, is `enough` of the gradient's. */
static int inner(problem *p, double enough, const scarce_context *ctx, scarce__linear_report *report)
{
    const size_t m = p->m, limit = m + 10 < MAX_INNER ? m + 10 : MAX_INNER;
    double rho = 0;

    memset(p->step, 0, m * sizeof *p->step);
    memset(p->zs, 0, p->n * sizeof *p->zs);
    for (size_t j = 0; j < m; ++j) {
        p->residual[j] = -p->g[j];
        p->direction[j] = p->residual[j] / p->diagonal[j];
        rho += p->residual[j] * p->direction[j];
    }
    const double target = enough * enough * rho;
    for (size_t k = 0; k < limit && rho > target && rho > 0; ++k) {
        if (report_pass(p, ctx, report)) return -1;
        hessian_times(p);
        report->passes += 1;
        const double bend = dot(p->direction, p->product, m);
        if (!(bend > 0)) break; /* flat in rounding: what is found so far is a descent step */
        const double length = rho / bend;
        for (size_t i = 0; i < p->n; ++i) p->zs[i] += length * p->zp[i];
        double next = 0;
        for (size_t j = 0; j < m; ++j) {
            p->step[j] += length * p->direction[j];
            p->residual[j] -= length * p->product[j];
            p->scaled[j] = p->residual[j] / p->diagonal[j];
            next += p->residual[j] * p->scaled[j];
        }
        for (size_t j = 0; j < m; ++j) p->direction[j] = p->scaled[j] + next / rho * p->direction[j];
        rho = next;
    }
    return 0;
}

/* Moves theta and z along the step; returns the new objective, or the old one when nothing is gained. */
static double search(problem *p, double *theta, double now, double slope, int *moved)
{
    const size_t m = p->m;
    const double ww = penalty(p, theta), ss = penalty(p, p->step);
    double ws = dot(theta, p->step, p->d->n_parameters), length = 1;

    ws += p->bias_ridge * theta[p->d->n_parameters] * p->step[p->d->n_parameters];
    *moved = 1;
    for (int k = 0; k < MAX_HALVINGS; ++k, length *= 0.5) {
        const double next = ww + length * ws + length * length * ss + loss_sum(p, p->z, p->zs, length);
        const int tiny =
            k == 0 && -slope < 1e-12 * fabs(now); /* the objective can't show the gain any more */
        if (!(next <= now + 1e-4 * length * slope) && !(tiny && isfinite(next))) continue;
        for (size_t j = 0; j < m; ++j) theta[j] += length * p->step[j];
        for (size_t i = 0; i < p->n; ++i) p->z[i] += length * p->zs[i];
        return next;
    }
    *moved = 0;
    return now;
}

static scarce_status iterate(problem *p, double *theta, scarce__linear_report *report,
                             const scarce_context *ctx, scarce_error *err)
{
    double now = penalty(p, theta) + loss_sum(p, p->z, NULL, 0), start = 0, total = 0;

    for (size_t i = 0; i < p->n; ++i) total += p->cost[i];
    for (;; report->iterations += 1) {
        gradient(p, theta);
        report->passes += 1;
        report->objective = now;
        const double norm = sqrt(dot(p->g, p->g, p->m));
        if (report->iterations == 0) start = norm > 1e-9 * total ? norm : 1e-9 * total;
        if (!isfinite(now) || !isfinite(norm))
            return scarce__fail(err, SCARCE_ENUMERIC, "linear training diverged");
        report->converged = norm <= p->o->tolerance * start;
        if (report->converged || report->iterations >= p->o->max_iterations) return SCARCE_OK;
        diagonal(p);
        const double enough = sqrt(norm / start);
        if (inner(p, enough < 0.3 ? enough : 0.3, ctx, report) != 0)
            return scarce__fail(err, SCARCE_ECANCEL, "linear training was stopped");
        const double slope = dot(p->g, p->step, p->m);
        int moved = 0;
        if (slope < 0) now = search(p, theta, now, slope, &moved);
        /* as near as the numbers allow */
        if (!moved || -slope < 1e-24 * fabs(now)) {
            report->converged = 1;
            report->objective = now;
            return SCARCE_OK;
        }
    }
}

static int alloc_problem(problem *p)
{
    double **row_vectors[] = {&p->z, &p->zs, &p->r, &p->curve, &p->zp};
    double **vectors[] = {&p->g,      &p->step,    &p->residual, &p->direction,
                          &p->scaled, &p->product, &p->diagonal};

    p->rows = scarce__big_alloc(5 * p->n, sizeof *p->rows);
    p->vectors = scarce__calloc(7 * p->m, sizeof *p->vectors);
    p->part = scarce__calloc(scarce__blocks(p->n, BLOCK_ROWS), sizeof *p->part);
    if (!p->rows || !p->vectors || !p->part) return 0;
    for (size_t k = 0; k < 5; ++k) *row_vectors[k] = p->rows + k * p->n;
    for (size_t k = 0; k < 7; ++k) *vectors[k] = p->vectors + k * p->m;
    return 1;
}

/* The best constant alone. */
static double start_bias(const problem *p)
{
    double count[2] = {0, 0};
    for (size_t i = 0; i < p->n; ++i) count[p->label[i] != 0] += p->cost[i];
    if (p->o->loss == SCARCE__LINEAR_SVM) return (count[1] - count[0]) / (count[1] + count[0]);
    return scarce__ln(count[1]) - scarce__ln(count[0]);
}

scarce_status scarce__newton(double *theta, scarce__linear_report *report, scarce__design *d,
                             const uint8_t *label, const double *cost, const scarce__linear_options *options,
                             scarce_context *ctx, scarce_error *err)
{
    problem p = {0};
    scarce_status status;

    p.d = d;
    p.label = label;
    p.cost = cost;
    p.o = options;
    p.pool = scarce__context_pool(ctx);
    p.n = d->n_rows;
    p.m = d->n_parameters + 2;
    p.bias_ridge = options->penalize_bias ? 1 : 0;
    if (alloc_problem(&p)) {
        memset(theta, 0, p.m * sizeof *theta);
        theta[d->n_parameters] = start_bias(&p);
        for (size_t i = 0; i < p.n; ++i) p.z[i] = theta[d->n_parameters];
        status = iterate(&p, theta, report, ctx, err);
    } else {
        status = scarce__fail_memory(err, "linear training", 5 * p.n * sizeof *p.rows);
    }
    scarce__free(p.rows);
    scarce__free(p.vectors);
    scarce__free(p.part);
    return status;
}

double scarce__linear_objective(const scarce__design *d, const double *theta, const double *z,
                                const uint8_t *label, const double *cost,
                                const scarce__linear_options *options)
{
    const size_t n = d->n_parameters;
    const double b = theta[n];
    double s = 0.5 * (dot(theta, theta, n) + (options->penalize_bias ? b * b : 0));

    for (size_t i = 0; i < d->n_rows; ++i)
        s += cost[i] * row_loss(options->loss == SCARCE__LINEAR_SVM, label[i] != 0, z[i]);
    return s;
}
