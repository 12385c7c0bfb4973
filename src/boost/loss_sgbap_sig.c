/* SPDX-License-Identifier: Apache-2.0 */
/* SGBAP's sigmoid surrogate of average precision: "j stands above i" becomes s_ji = sigma(alpha (f_j - f_i)).
 *     A_i = w_i/2 + sum over positives of w_j s_ji,  B_i = sum over negatives of w_j s_ji,  D_i = A_i + B_i
 *     AP_sig = (1/P) sum over positives of w_i A_i / D_i          (i itself counts fully, 1/2 + 1/2)
 * Gradient of 1 - AP_sig, with s' = s (1 - s), R_i = w_i A_i / D_i^2, T_i = w_i B_i / D_i^2:
 *     negative p:  (alpha/P) w_p sum_i R_i s'_pi
 *     positive p: -(alpha/P) w_p sum_{i != p} T_i s'_pi
 *                 +(alpha/P) w_p / D_p^2 (B_p U_p - A_p V_p)
 *     U_p = sum over positives j != p of w_j s'_jp,  V_p = sum over negatives of w_n s'_np
 * then multiplied so that sum |g| = 2 P; h = |g|. (As printed in the paper signs and alpha are wrong.)
 *
 * All these sums are convolutions of s or s' with weights on the line of scores. They are computed on a grid
 * of at most 4096 points: a row's weight is shared linearly by the two points around it, a sum is read off
 * linearly between two points; both errors are of second order in alpha x step (0.05 where the grid allows
 * it), so the gradient is right to some 0.01 %. s' is nothing and s a constant beyond a band around 0.
 * O(rows + points x band) instead of O(P rows); params.exact computes the double sum itself.
 *
 * Frery et al.: Efficient top rank optimization with gradient boosting for supervised anomaly detection,
 * ECML PKDD 2017. */
#include <math.h>
#include <string.h>

#include "boost/list.h"
#include "core/alloc.h"
#include "core/elementary.h"

enum {
    LEAST_POINTS = 512,
    MOST_POINTS = 4096,
    PARTS = 16,
    LEAST_PART = 8192,
    EXACT_BLOCK = 64,
    POINT_BLOCK = 64
};
#define STEP 0.05 /* alpha x distance of two points that is wanted */
#define BAND 24.0 /* s(24) is 1 to 4e-11 */

typedef struct grid {
    double low, step, per_step, alpha; /* per_step = 1 / step */
    size_t n, band;                    /* points; half width of the band in points */
    double *s, *ds;                    /* s(alpha step d), s' for d = -band .. band: item d + band */
    double *pos, *neg, *r, *t;         /* weights, R and T on the points */
    double *a, *b, *s_pos, *s_neg;     /* sums at the points: s with pos and neg, s' with pos and neg */
    double *s_r, *s_t;                 /* s' with R and T */
    double *room;
} grid;

typedef struct work {
    const scarce__loss_rows *rows;
    const scarce__loss *loss;
    const uint32_t *row; /* positives */
    size_t n_pos;
    grid *grid;
    size_t part;     /* rows of a part */
    double *shared;  /* per part: pos, neg of its rows */
    double *a, *b;   /* per positive: A, B */
    double p;        /* weight of the positives */
    double *sum_abs; /* per block */
    float *g;
} work;

static double sigma(double x)
{
    return 1 / (1 + scarce__exp(-x));
}

/* ---- The double sum itself */

static void exact_ab(void *arg, size_t index, int worker)
{
    work *k = arg;
    const size_t end = (index + 1) * EXACT_BLOCK < k->n_pos ? (index + 1) * EXACT_BLOCK : k->n_pos;
    (void)worker;
    for (size_t i = index * EXACT_BLOCK; i < end; ++i) {
        const double f = (double)k->rows->score[k->row[i]];
        double sum[2] = {0, 0.5 * scarce__row_weight(k->rows, k->row[i])};
        for (size_t j = 0; j < k->rows->n; ++j)
            sum[k->rows->label[j] != 0] += scarce__row_weight(k->rows, j) *
                                           sigma(k->loss->params.scale * ((double)k->rows->score[j] - f));
        k->a[i] = sum[1];
        k->b[i] = sum[0];
    }
}

static void exact_rows(void *arg, size_t index, int worker)
{
    work *k = arg;
    const size_t end = (index + 1) * EXACT_BLOCK < k->rows->n ? (index + 1) * EXACT_BLOCK : k->rows->n;
    double sum_abs = 0;
    (void)worker;
    for (size_t j = index * EXACT_BLOCK; j < end; ++j) { /* what row j does to the D of all positives */
        double g = 0;
        for (size_t i = 0; i < k->n_pos; ++i) {
            if (k->row[i] == j) continue;
            const double s = sigma(k->loss->params.scale *
                                   ((double)k->rows->score[j] - (double)k->rows->score[k->row[i]]));
            const double d = k->a[i] + k->b[i], w = scarce__row_weight(k->rows, k->row[i]);
            if (w > 0) g += w * s * (1 - s) / (d * d) * (k->rows->label[j] ? -k->b[i] : k->a[i]);
        }
        k->g[j] = (float)(scarce__row_weight(k->rows, j) * g);
        sum_abs += fabs((double)k->g[j]);
    }
    k->sum_abs[index] = sum_abs;
}

/* What a positive does to its own A and B. */
static void exact_own(void *arg, size_t index, int worker)
{
    work *k = arg;
    const size_t end = (index + 1) * EXACT_BLOCK < k->n_pos ? (index + 1) * EXACT_BLOCK : k->n_pos;
    (void)worker;
    for (size_t i = index * EXACT_BLOCK; i < end; ++i) {
        const double d = k->a[i] + k->b[i], w = scarce__row_weight(k->rows, k->row[i]);
        double own = 0;
        for (size_t j = 0; j < k->rows->n; ++j) {
            if (k->row[i] == j) continue;
            const double s = sigma(k->loss->params.scale *
                                   ((double)k->rows->score[j] - (double)k->rows->score[k->row[i]]));
            own += scarce__row_weight(k->rows, j) * s * (1 - s) * (k->rows->label[j] ? k->b[i] : -k->a[i]);
        }
        if (w > 0) k->g[k->row[i]] += (float)(w * own / (d * d));
    }
}

static void exact(work *k, scarce__pool *pool)
{
    scarce__pool_run(pool, scarce__blocks(k->n_pos, EXACT_BLOCK), exact_ab, k);
    scarce__pool_run(pool, scarce__blocks(k->rows->n, EXACT_BLOCK), exact_rows, k);
    scarce__pool_run(pool, scarce__blocks(k->n_pos, EXACT_BLOCK), exact_own, k);
}

/* ---- On a grid */

static void grid_deinit(grid *q)
{
    scarce__free(q->s);
    scarce__free(q->room);
}

static scarce_status grid_init(grid *q, const scarce__loss_rows *rows, double alpha, scarce_error *err)
{
    float low, high;
    double **const arrays[] = {&q->pos, &q->neg,   &q->r,     &q->t,   &q->a,
                               &q->b,   &q->s_pos, &q->s_neg, &q->s_r, &q->s_t};
    const size_t n_arrays = sizeof arrays / sizeof arrays[0];

    scarce__list_range(rows->score, rows->n, &low, &high);
    const double range = (double)high - (double)low, want = ceil(range * alpha / STEP) + 1;
    q->n = want < LEAST_POINTS ? LEAST_POINTS : want > MOST_POINTS ? MOST_POINTS : (size_t)want;
    q->alpha = alpha;
    q->step = range > 0 ? range / (double)(q->n - 1) : 1;
    q->step *= 1 + 1e-12; /* the highest score stays below the last point */
    q->low = (double)low;
    q->per_step = 1 / q->step;
    const double band = ceil(BAND / (alpha * q->step));
    q->band = band < (double)q->n ? (size_t)band : q->n;
    q->s = scarce__malloc_array(2 * (2 * q->band + 1), sizeof *q->s);
    q->room = scarce__calloc(n_arrays * q->n, sizeof *q->room);
    if (!q->s || !q->room) return scarce__fail_memory(err, "a grid of scores", 0);
    q->ds = q->s + 2 * q->band + 1;
    for (size_t d = 0; d <= 2 * q->band; ++d) {
        const double x = alpha * q->step * ((double)d - (double)q->band);
        q->s[d] = sigma(x);
        q->ds[d] = sigma(x) * sigma(-x);
    }
    for (size_t i = 0; i < n_arrays; ++i) *arrays[i] = q->room + i * q->n;
    return SCARCE_OK;
}

/* The point at or below a score, and how far on towards the next it is. */
static inline size_t place(const grid *q, float score, double *share)
{
    const double x = ((double)score - q->low) * q->per_step;
    int32_t i = (int32_t)x; /* x is in 0 .. 4096 */
    if (i > (int32_t)q->n - 2) i = (int32_t)q->n - 2;
    *share = x - (double)i;
    return (size_t)i;
}

static inline void put(double *at, size_t i, double share, double what)
{
    at[i] += (1 - share) * what;
    at[i + 1] += share * what;
}

static inline double get(const double *at, size_t i, double share)
{
    return (1 - share) * at[i] + share * at[i + 1];
}

static void share_rows(void *arg, size_t index, int worker)
{
    work *k = arg;
    const grid *q = k->grid;
    double *at[2] = {k->shared + (2 * index + 1) * q->n, k->shared + 2 * index * q->n}; /* neg, pos */
    const size_t b = index * k->part, e = b + k->part < k->rows->n ? b + k->part : k->rows->n;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        double share;
        const size_t point = place(q, k->rows->score[i], &share);
        put(at[k->rows->label[i] != 0], point, share, scarce__row_weight(k->rows, i));
    }
}

/* out_x[i] = sum over points l of x[l] kernel(l - i); outside the band the kernel is `above` (l > i) or 0. */
static void convolve(const grid *q, const double *kernel, const double *x, const double *y, double *out_x,
                     double *out_y, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        const size_t from = i > q->band ? i - q->band : 0, to = i + q->band < q->n ? i + q->band + 1 : q->n;
        const double *at = kernel + (q->band + from - i);
        double sx[4] = {0}, sy[4] = {0};
        size_t l = from;
        for (; l + 4 <= to; l += 4)
            for (size_t m = 0; m < 4; ++m) {
                sx[m] += x[l + m] * at[l + m - from];
                sy[m] += y[l + m] * at[l + m - from];
            }
        for (; l < to; ++l) {
            sx[0] += x[l] * at[l - from];
            sy[0] += y[l] * at[l - from];
        }
        out_x[i] = (sx[0] + sx[1]) + (sx[2] + sx[3]);
        out_y[i] = (sy[0] + sy[1]) + (sy[2] + sy[3]);
    }
}

static void first_sums(void *arg, size_t index, int worker)
{
    const grid *q = ((work *)arg)->grid;
    const size_t b = index * POINT_BLOCK, e = b + POINT_BLOCK < q->n ? b + POINT_BLOCK : q->n;
    (void)worker;
    convolve(q, q->s, q->pos, q->neg, q->a, q->b, b, e);
    convolve(q, q->ds, q->pos, q->neg, q->s_pos, q->s_neg, b, e);
}

static void second_sums(void *arg, size_t index, int worker)
{
    const grid *q = ((work *)arg)->grid;
    const size_t b = index * POINT_BLOCK, e = b + POINT_BLOCK < q->n ? b + POINT_BLOCK : q->n;
    (void)worker;
    convolve(q, q->ds, q->r, q->t, q->s_r, q->s_t, b, e);
}

/* s is 1 for all points above the band. */
static void add_above(const grid *q)
{
    double pos = 0, neg = 0;
    for (size_t i = q->n; i-- > 0;) {
        if (i + q->band + 1 < q->n) {
            pos += q->pos[i + q->band + 1];
            neg += q->neg[i + q->band + 1];
        }
        q->a[i] += pos;
        q->b[i] += neg;
    }
}

static void grid_rows(void *arg, size_t index, int worker)
{
    work *k = arg;
    const grid *q = k->grid;
    const size_t b = index * LEAST_PART, e = b + LEAST_PART < k->rows->n ? b + LEAST_PART : k->rows->n;
    double sum_abs = 0;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        double share;
        const size_t at = place(q, k->rows->score[i], &share);
        const double x = scarce__row_weight(k->rows, i) * get(q->s_r, at, share);
        k->g[i] = (float)x;
        sum_abs += k->rows->label[i] ? 0 : x;
    }
    k->sum_abs[index] = sum_abs;
}

/* A and B of the positives; R and T on the points. */
static void put_positives(work *k)
{
    const grid *q = k->grid;
    for (size_t i = 0; i < k->n_pos; ++i) {
        double share;
        const size_t at = place(q, k->rows->score[k->row[i]], &share);
        const double w = scarce__row_weight(k->rows, k->row[i]);
        const double a = get(q->a, at, share) + 0.5 * w, b = get(q->b, at, share), d = a + b;
        k->a[i] = a;
        k->b[i] = b;
        if (!(w > 0)) continue;
        put(q->r, at, share, w * a / (d * d));
        put(q->t, at, share, w * b / (d * d));
    }
}

static double positives(work *k)
{
    const grid *q = k->grid;
    double sum_abs = 0;
    for (size_t i = 0; i < k->n_pos; ++i) {
        double share;
        const size_t at = place(q, k->rows->score[k->row[i]], &share);
        const double w = scarce__row_weight(k->rows, k->row[i]), a = k->a[i], b = k->b[i],
                     d2 = (a + b) * (a + b);
        double x = 0;
        if (w > 0)
            x = -(get(q->s_t, at, share) - 0.25 * w * b / d2) +
                (b * (get(q->s_pos, at, share) - 0.25 * w) - a * get(q->s_neg, at, share)) / d2;
        k->g[k->row[i]] = (float)(w * x);
        sum_abs += fabs(w * x);
    }
    return sum_abs;
}

static scarce_status on_grid(work *k, scarce__pool *pool, scarce_error *err)
{
    grid *q = k->grid;
    size_t parts = scarce__blocks(k->rows->n, LEAST_PART);

    if (parts > PARTS) parts = PARTS;
    k->part = (k->rows->n + parts - 1) / parts;
    k->shared = scarce__calloc(2 * parts * q->n, sizeof *k->shared);
    if (!k->shared) return scarce__fail_memory(err, "a grid of scores", 16 * parts * q->n);
    scarce__pool_run(pool, parts, share_rows, k);
    for (size_t i = 0; i < parts; ++i)
        for (size_t l = 0; l < 2 * q->n; ++l)
            q->pos[l] += k->shared[2 * i * q->n + l]; /* neg lies behind pos */
    scarce__free(k->shared);
    scarce__pool_run(pool, scarce__blocks(q->n, POINT_BLOCK), first_sums, k);
    add_above(q);
    put_positives(k);
    scarce__pool_run(pool, scarce__blocks(q->n, POINT_BLOCK), second_sums, k);
    scarce__pool_run(pool, scarce__blocks(k->rows->n, LEAST_PART), grid_rows, k);
    return SCARCE_OK;
}

/* ---- The loss */

static scarce_status fill(work *k, grid *q, uint32_t **row, float *h, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t n = k->rows->n;
    double sum_abs = 0;

    SCARCE__TRY(scarce__list_positives(row, &k->n_pos, k->rows, err));
    k->row = *row;
    for (size_t i = 0; i < k->n_pos; ++i) k->p += scarce__row_weight(k->rows, (*row)[i]);
    if (k->n_pos == n || !(k->p > 0)) {
        scarce__list_silence(n, k->g, h);
        return SCARCE_OK;
    }
    const size_t block = k->loss->params.exact ? EXACT_BLOCK : LEAST_PART;
    k->a = scarce__malloc_array(2 * k->n_pos, sizeof *k->a);
    k->sum_abs = scarce__malloc_array(scarce__blocks(n, block), sizeof *k->sum_abs);
    if (!k->a || !k->sum_abs) return scarce__fail_memory(err, "sums of a list", 0);
    k->b = k->a + k->n_pos;
    if (k->loss->params.exact) {
        exact(k, pool);
        for (size_t i = 0; i < n; ++i) sum_abs += fabs((double)k->g[i]);
    } else {
        SCARCE__TRY(grid_init(q, k->rows, k->loss->params.scale, err));
        SCARCE__TRY(on_grid(k, pool, err));
        for (size_t i = 0; i < scarce__blocks(n, block); ++i) sum_abs += k->sum_abs[i];
        sum_abs += positives(k);
    }
    scarce__list_rescale(n, k->p, sum_abs, 1, k->g, h, ctx);
    return SCARCE_OK;
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    work k;
    grid q;
    uint32_t *row = NULL;
    scarce_status status;

    memset(&k, 0, sizeof k);
    memset(&q, 0, sizeof q);
    k.rows = rows;
    k.loss = loss;
    k.grid = &q;
    k.g = g;
    if (rows->n == 0) return SCARCE_OK;
    status = fill(&k, &q, &row, h, ctx, err);
    scarce__free(row);
    scarce__free(k.a);
    scarce__free(k.sum_abs);
    grid_deinit(&q);
    return status;
}

/* 1 - AP_sig by its definition: O(P rows). */
static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = scarce__row_weight(rows, i);
        double part[2] = {0, 0.5 * w};
        if (!rows->label[i] || !(w > 0)) continue;
        for (size_t j = 0; j < rows->n; ++j)
            part[rows->label[j] != 0] +=
                scarce__row_weight(rows, j) *
                sigma(loss->params.scale * ((double)rows->score[j] - (double)rows->score[i]));
        sum += w * part[1] / (part[0] + part[1]);
        weights += w;
    }
    return weights > 0 ? 1 - sum / weights : 0;
}

static void interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *out)
{
    scarce__list_interest(rows->score + b, 1, e - b, out + b, loss->portable);
}

static scarce__loss make(const scarce__loss_params *params)
{
    scarce__loss loss = {.name = "sgbap-sig",
                         .needs_label = 1,
                         .params = *params,
                         .gradients = gradients,
                         .base = scarce__list_base,
                         .value = value,
                         .interest = interest};
    if (!(loss.params.scale > 0)) loss.params.scale = 3;
    return loss;
}

const scarce__loss_kind scarce__loss_kind_sgbap_sig = {.name = "sgbap-sig",
                                                       .summary =
                                                           "average precision with sigmoids for its steps",
                                                       .takes = "scale exact",
                                                       .of_list = 1,
                                                       .make = make};
