/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of exponentials by class.
 *
 * Each block of rows takes out its own largest k f first (as a score, so that f - ref is exact where it
 * matters: at scores of 1e4 a float k f would already be off by 1e-3), then adds exponentials; blocks are
 * joined in double. Adding in a fixed number of lanes is the same sum in vector and in scalar code. The
 * exponentials stay in g, so that gradients cost a multiplication. */
#include "boost/list.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "boost/exp.h"
#include "core/alloc.h"
#include "core/elementary.h"
#include "tree/simd.h"

enum { BLOCK = 4096, LANES = 8 };

/* ---- Sums */

typedef struct block_sum {
    double sum[2], weight[2];
} block_sum;

/* Lane l adds items l, l + 8, ...; n is at most BLOCK. */
SCARCE__BODY double add_lanes(const float *x, size_t n)
{
    double a[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; ++l) a[l] += (double)x[i + l];
    for (; i < n; ++i) a[i % LANES] += (double)x[i];
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

SCARCE__BODY float max_lanes(const float *x, size_t n)
{
    float a[LANES], m = -FLT_MAX;
    size_t i = 0;
    for (size_t l = 0; l < LANES; ++l) a[l] = -FLT_MAX;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; ++l) a[l] = x[i + l] > a[l] ? x[i + l] : a[l];
    for (; i < n; ++i) m = x[i] > m ? x[i] : m;
    for (size_t l = 0; l < LANES; ++l) m = a[l] > m ? a[l] : m;
    return m;
}

/* Places of the positives of a block; mostly there are none in eight rows. */
static size_t find_positives(const uint8_t *y, size_t n, uint16_t *at)
{
    size_t k = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, y + i, sizeof eight);
        for (size_t l = i; eight != 0 && l < i + 8; ++l) {
            at[k] = (uint16_t)l;
            k += y[l] != 0;
        }
    }
    for (; i < n; ++i)
        if (y[i]) at[k++] = (uint16_t)i;
    return k;
}

/* e = w exp(k (f - ref)) of all rows as if they were negatives, then the few positives by themselves. */
SCARCE__BODY void sum_body(block_sum *out, float ref[2], const float *restrict f, const uint8_t *restrict y,
                           const float *restrict weight, size_t n, float k0, float k1, float *restrict e)
{
    const float s0 = k0 < 0 ? -1.0f : 1.0f, s1 = k1 < 0 ? -1.0f : 1.0f;
    uint16_t at[BLOCK + 8];
    const size_t n_pos = find_positives(y, n, at);
    double weight_all = (double)n, sum_pos = 0, weight_pos = 0;
    float most = -FLT_MAX;

    if (weight)
        for (size_t i = 0; i < n; ++i) e[i] = weight[i] > 0 ? s0 * f[i] : -FLT_MAX;
    else
        for (size_t i = 0; i < n; ++i) e[i] = s0 * f[i];
    for (size_t i = 0; i < n_pos; ++i) {
        const float x = s1 * f[at[i]];
        e[at[i]] = -FLT_MAX;
        if (x > most && !(weight && !(weight[at[i]] > 0))) most = x;
    }
    ref[0] = max_lanes(e, n);
    ref[1] = most;
    const float r0 = s0 * ref[0], r1 = s1 * most;
    for (size_t i = 0; i < n; ++i) e[i] = scarce__expf(k0 * (f[i] - r0));
    for (size_t i = 0; i < n_pos; ++i) e[at[i]] = scarce__expf(k1 * (f[at[i]] - r1));
    if (weight) {
        for (size_t i = 0; i < n; ++i) e[i] *= weight[i];
        weight_all = add_lanes(weight, n);
    }
    for (size_t i = 0; i < n_pos; ++i) {
        sum_pos += (double)e[at[i]];
        weight_pos += weight ? (double)weight[at[i]] : 1;
    }
    /* a class has a row with exp = 1, so nothing is lost by subtracting in double */
    out->sum[0] = ref[0] > -FLT_MAX ? add_lanes(e, n) - sum_pos : 0;
    out->sum[1] = most > -FLT_MAX ? sum_pos : 0;
    out->weight[0] = weight_all - weight_pos;
    out->weight[1] = weight_pos;
}

typedef struct sum_job {
    scarce__list *list;
    block_sum *part;
    int avx2;
} sum_job;

static void sum_plain(block_sum *out, float *ref, const float *f, const uint8_t *y, const float *w, size_t n,
                      float k0, float k1, float *e)
{
    sum_body(out, ref, f, y, w, n, k0, k1, e);
}

SCARCE__AVX2 static void sum_avx2(block_sum *out, float *ref, const float *f, const uint8_t *y,
                                  const float *w, size_t n, float k0, float k1, float *e)
{
    sum_body(out, ref, f, y, w, n, k0, k1, e);
}

static void sum_block(void *arg, size_t index, int worker)
{
    const sum_job *j = arg;
    const scarce__loss_rows *rows = j->list->rows;
    const size_t b = index * BLOCK, n = b + BLOCK < rows->n ? BLOCK : rows->n - b;
    (void)worker;
    (j->avx2 ? sum_avx2 : sum_plain)(&j->part[index], j->list->ref[index], rows->score + b, rows->label + b,
                                     rows->weight ? rows->weight + b : NULL, n, (float)j->list->k[0],
                                     (float)j->list->k[1], j->list->g + b);
}

static void join_sums(scarce__list *list, const block_sum *part, size_t blocks)
{
    for (int c = 0; c < 2; ++c) {
        scarce__list_sum *out = &list->sum[c];
        const double kc = (double)(float)list->k[c], sign = kc < 0 ? -1 : 1; /* k as the rows have seen it */
        float ref = -FLT_MAX;
        double sum = 0;
        out->weight = 0;
        for (size_t i = 0; i < blocks; ++i) ref = list->ref[i][c] > ref ? list->ref[i][c] : ref;
        for (size_t i = 0; i < blocks; ++i) {
            out->weight += part[i].weight[c];
            if (list->ref[i][c] > -FLT_MAX)
                sum += part[i].sum[c] * scarce__exp(fabs(kc) * ((double)list->ref[i][c] - (double)ref));
        }
        out->ref = ref > -FLT_MAX ? sign * (double)ref : 0;
        out->log_sum = sum > 0 ? scarce__ln(sum) : -INFINITY;
        if (!(sum > 0)) out->weight = 0;
    }
}

scarce_status scarce__list_sums(scarce__list *out, const scarce__loss_rows *rows, const double k[2], float *g,
                                int portable, scarce_context *ctx, scarce_error *err)
{
    const size_t blocks = scarce__blocks(rows->n, BLOCK);

    memset(out, 0, sizeof *out);
    sum_job j = {out, NULL, !portable && scarce__cpu_avx2()};
    out->rows = rows;
    out->k[0] = k[0];
    out->k[1] = k[1];
    out->g = g;
    out->portable = portable;
    out->ref = scarce__malloc_array(blocks, sizeof *out->ref);
    j.part = scarce__malloc_array(blocks, sizeof *j.part);
    if (!j.part || !out->ref) {
        scarce__free(j.part);
        scarce__list_end(out);
        return scarce__fail_memory(err, "sums of a list", blocks * sizeof *j.part);
    }
    scarce__pool_run(scarce__context_pool(ctx), blocks, sum_block, &j);
    join_sums(out, j.part, blocks);
    scarce__free(j.part);
    return SCARCE_OK;
}

void scarce__list_end(scarce__list *list)
{
    scarce__free(list->ref);
    list->ref = NULL;
}

double scarce__log_add(double a, double b)
{
    if (a < b) return b + scarce__log1p(scarce__exp(a - b));
    return b == -INFINITY ? a : a + scarce__log1p(scarce__exp(b - a));
}

/* ---- Gradients */

typedef struct fill_job {
    const scarce__list *list;
    double c[2];
    int flat, avx2;
    float *h;
} fill_job;

/* e to g and h; factors of the two classes. */
SCARCE__BODY void fill_body(float *restrict g, float *restrict h, const uint8_t *restrict y,
                            const float *restrict weight, size_t n, float f0, float f1, int flat)
{
    for (size_t i = 0; i < n; ++i) {
        const int32_t c = y[i];
        const float x = g[i] * (c != 0 ? f1 : f0), a = x < 0 ? -x : x;
        g[i] = x;
        h[i] = a > SCARCE__LEAST_H ? a : SCARCE__LEAST_H;
    }
    for (size_t i = 0; flat && i < n; ++i) {
        const float w = weight ? weight[i] : 1.0f;
        h[i] = w > SCARCE__LEAST_H ? w : SCARCE__LEAST_H;
    }
}

static void fill_plain(float *g, float *h, const uint8_t *y, const float *w, size_t n, float f0, float f1,
                       int flat)
{
    fill_body(g, h, y, w, n, f0, f1, flat);
}

SCARCE__AVX2 static void fill_avx2(float *g, float *h, const uint8_t *y, const float *w, size_t n, float f0,
                                   float f1, int flat)
{
    fill_body(g, h, y, w, n, f0, f1, flat);
}

static void fill_block(void *arg, size_t index, int worker)
{
    const fill_job *j = arg;
    const scarce__list *l = j->list;
    const size_t b = index * BLOCK, n = b + BLOCK < l->rows->n ? BLOCK : l->rows->n - b;
    float factor[2];
    (void)worker;
    for (int y = 0; y < 2; ++y) {
        const double k = (double)(float)l->k[y], sign = k < 0 ? -1 : 1, ref = sign * (double)l->ref[index][y];
        factor[y] = l->ref[index][y] > -FLT_MAX
                        ? (float)(j->c[y] * scarce__exp(k * (ref - l->sum[y].ref) - l->sum[y].log_sum))
                        : 0.0f;
    }
    (j->avx2 ? fill_avx2 : fill_plain)(l->g + b, j->h + b, l->rows->label + b,
                                       l->rows->weight ? l->rows->weight + b : NULL, n, factor[0], factor[1],
                                       j->flat);
}

void scarce__list_fill(scarce__list *list, const double c[2], int flat, float *h, scarce_context *ctx)
{
    fill_job j = {list, {c[0], c[1]}, flat, !list->portable && scarce__cpu_avx2(), h};
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(list->rows->n, BLOCK), fill_block, &j);
}

void scarce__list_silence(size_t n, float *g, float *h)
{
    for (size_t i = 0; i < n; ++i) {
        g[i] = 0;
        h[i] = SCARCE__LEAST_H;
    }
}

SCARCE__BODY float min_lanes(const float *x, size_t n)
{
    float a[LANES], m = FLT_MAX;
    size_t i = 0;
    for (size_t l = 0; l < LANES; ++l) a[l] = FLT_MAX;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; ++l) a[l] = x[i + l] < a[l] ? x[i + l] : a[l];
    for (; i < n; ++i) m = x[i] < m ? x[i] : m;
    for (size_t l = 0; l < LANES; ++l) m = a[l] < m ? a[l] : m;
    return m;
}

SCARCE__BODY void range_body(const float *score, size_t n, float *low, float *high)
{
    *low = *high = score[0];
    for (size_t b = 0; b < n; b += BLOCK) {
        const size_t m = n - b < BLOCK ? n - b : BLOCK;
        const float least = min_lanes(score + b, m), most = max_lanes(score + b, m);
        *low = least < *low ? least : *low;
        *high = most > *high ? most : *high;
    }
}

SCARCE__AVX2 static void range_avx2(const float *score, size_t n, float *low, float *high)
{
    range_body(score, n, low, high);
}

void scarce__list_range(const float *score, size_t n, float *low, float *high)
{
    if (scarce__cpu_avx2()) range_avx2(score, n, low, high);
    else range_body(score, n, low, high);
}

typedef struct scale_job {
    size_t n;
    float factor;
    int same;
    float *g, *h;
} scale_job;

static void scale_block(void *arg, size_t index, int worker)
{
    const scale_job *j = arg;
    const size_t b = index * BLOCK, e = b + BLOCK < j->n ? b + BLOCK : j->n;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        const float x = j->g[i] * j->factor, a = j->same ? fabsf(x) : j->h[i] * j->factor;
        j->g[i] = x;
        j->h[i] = a > SCARCE__LEAST_H ? a : SCARCE__LEAST_H;
    }
}

void scarce__list_rescale(size_t n, double p, double sum_abs_g, int same, float *g, float *h,
                          scarce_context *ctx)
{
    scale_job j = {n, (float)(2 * p / sum_abs_g), same, g, h};
    if (!(sum_abs_g > 0) || !isfinite(j.factor)) scarce__list_silence(n, g, h);
    else scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(n, BLOCK), scale_block, &j);
}

/* ---- Rows */

scarce_status scarce__list_positives(uint32_t **out, size_t *n, const scarce__loss_rows *rows,
                                     scarce_error *err)
{
    const uint8_t *y = rows->label, *end = y + rows->n;
    size_t count = 0;

    *out = NULL;
    *n = 0;
    for (size_t i = 0; i < rows->n; ++i) count += y[i];
    *out = scarce__malloc_array(count, sizeof **out);
    if (!*out) return scarce__fail_memory(err, "the positives of a list", count * sizeof **out);
    for (const uint8_t *p = y; (p = memchr(p, 1, (size_t)(end - p))) != NULL; ++p)
        (*out)[(*n)++] = (uint32_t)(p - y);
    return SCARCE_OK;
}

SCARCE__BODY void interest_body(const float *score, float k, size_t n, float *out)
{
    for (size_t i = 0; i < n; ++i) {
        float t = k * score[i];
        t = t > 60.0f ? 60.0f : t;
        out[i] = scarce__expf(t < -60.0f ? -60.0f : t);
    }
}

SCARCE__AVX2 static void interest_avx2(const float *score, float k, size_t n, float *out)
{
    interest_body(score, k, n, out);
}

void scarce__list_interest(const float *score, float k, size_t n, float *out, int portable)
{
    if (!portable && scarce__cpu_avx2()) interest_avx2(score, k, n, out);
    else interest_body(score, k, n, out);
}

double scarce__list_lse_plain(const scarce__loss_rows *rows, int label, double k)
{
    double most = -INFINITY, sum = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = 0; i < rows->n; ++i) {
            const double t = k * (double)rows->score[i], w = scarce__row_weight(rows, i);
            if ((rows->label[i] != 0) != label || !(w > 0)) continue;
            if (pass) sum += w * scarce__exp(t - most);
            else if (t > most) most = t;
        }
    return sum > 0 ? most + scarce__ln(sum) : -INFINITY;
}

double scarce__list_base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    (void)loss;
    (void)rows;
    return 0;
}

void scarce__list_scaled_interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e,
                                  float *out)
{
    scarce__list_interest(rows->score + b, (float)loss->params.scale, e - b, out + b, loss->portable);
}
