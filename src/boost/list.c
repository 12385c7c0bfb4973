/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of exponentials by class.
 *
 * Each block of rows takes out its own largest k f first (as a score, so that f - ref is exact where it
 * matters: at scores of 1e4 a float k f would already be off by 1e-3), then adds exponentials; blocks are
 * joined in double. Adding in a fixed number of lanes is the same sum in vector and in scalar code. */
#include "boost/list.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "boost/exp.h"
#include "core/alloc.h"
#include "tree/simd.h"

enum { BLOCK = 4096, LANES = 8 };

/* ---- Sums */

typedef struct block_sum {
    float ref[2]; /* sign(k) f at its largest; -FLT_MAX: none */
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

SCARCE__BODY void sum_body(block_sum *out, const float *restrict f, const uint8_t *restrict y,
                           const float *restrict weight, size_t n, float k0, float k1)
{
    const float s0 = k0 < 0 ? -1.0f : 1.0f, s1 = k1 < 0 ? -1.0f : 1.0f;
    float a[BLOCK], b[BLOCK], w[BLOCK];

    if (weight) memcpy(w, weight, n * sizeof *w);
    else
        for (size_t i = 0; i < n; ++i) w[i] = 1.0f;
    for (size_t i = 0; i < n; ++i) {
        const int32_t c = y[i];
        const float u = w[i] > 0 ? f[i] : -FLT_MAX * s0, v = w[i] > 0 ? f[i] : -FLT_MAX * s1;
        a[i] = c != 0 ? -FLT_MAX : s0 * u;
        b[i] = c != 0 ? s1 * v : -FLT_MAX;
    }
    out->ref[0] = max_lanes(a, n);
    out->ref[1] = max_lanes(b, n);
    const float r0 = s0 * out->ref[0], r1 = s1 * out->ref[1];
    for (size_t i = 0; i < n; ++i) {
        const int32_t c = y[i];
        const float e = w[i] * scarce__expf((c != 0 ? k1 : k0) * (f[i] - (c != 0 ? r1 : r0)));
        a[i] = c != 0 ? 0.0f : e;
        b[i] = c != 0 ? e : 0.0f;
    }
    out->sum[0] = add_lanes(a, n);
    out->sum[1] = add_lanes(b, n);
    for (size_t i = 0; i < n; ++i) {
        const int32_t c = y[i];
        b[i] = c != 0 ? w[i] : 0.0f;
    }
    out->weight[1] = add_lanes(b, n);
    out->weight[0] = add_lanes(w, n) - out->weight[1];
}

static void sum_plain(block_sum *out, const float *f, const uint8_t *y, const float *w, size_t n, float k0,
                      float k1)
{
    sum_body(out, f, y, w, n, k0, k1);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void sum_avx2(block_sum *out, const float *f, const uint8_t *y, const float *w, size_t n,
                                  float k0, float k1)
{
    sum_body(out, f, y, w, n, k0, k1);
}
#else
#define sum_avx2 sum_plain
#endif

typedef struct sum_job {
    const scarce__loss_rows *rows;
    const double *k;
    block_sum *part;
    int avx2;
} sum_job;

static void sum_block(void *arg, size_t index, int worker)
{
    const sum_job *j = arg;
    const size_t b = index * BLOCK, n = b + BLOCK < j->rows->n ? BLOCK : j->rows->n - b;
    const float *w = j->rows->weight ? j->rows->weight + b : NULL;
    (void)worker;
    (j->avx2 ? sum_avx2 : sum_plain)(&j->part[index], j->rows->score + b, j->rows->label + b, w, n,
                                     (float)j->k[0], (float)j->k[1]);
}

scarce_status scarce__list_sums(scarce__list_sum out[2], const scarce__loss_rows *rows, const double k[2],
                                int portable, scarce_context *ctx, scarce_error *err)
{
    const size_t blocks = scarce__blocks(rows->n, BLOCK);
    sum_job j = {rows, k, NULL, !portable && scarce__cpu_avx2()};

    j.part = scarce__malloc_array(blocks, sizeof *j.part);
    if (!j.part) return scarce__fail_memory(err, "sums of a list", blocks * sizeof *j.part);
    scarce__pool_run(scarce__context_pool(ctx), blocks, sum_block, &j);
    for (int c = 0; c < 2; ++c) {
        const double kc = (double)(float)k[c], sign = k[c] < 0 ? -1 : 1; /* k as the rows have seen it */
        float ref = -FLT_MAX;
        double sum = 0;
        out[c].weight = 0;
        for (size_t i = 0; i < blocks; ++i) ref = j.part[i].ref[c] > ref ? j.part[i].ref[c] : ref;
        for (size_t i = 0; i < blocks; ++i) {
            const block_sum *p = &j.part[i];
            out[c].weight += p->weight[c];
            if (p->ref[c] > -FLT_MAX) sum += p->sum[c] * exp(fabs(kc) * ((double)p->ref[c] - (double)ref));
        }
        out[c].ref = ref > -FLT_MAX ? sign * (double)ref : 0;
        out[c].log_sum = sum > 0 ? log(sum) : -INFINITY;
        if (!(sum > 0)) out[c].weight = 0;
    }
    scarce__free(j.part);
    return SCARCE_OK;
}

double scarce__log_add(double a, double b)
{
    if (a < b) return b + log1p(exp(a - b));
    return b == -INFINITY ? a : a + log1p(exp(b - a));
}

/* ---- Gradients */

typedef struct fill_job {
    const scarce__loss_rows *rows;
    float ref[2], log_sum[2], k[2], c[2];
    int flat, avx2;
    float *g, *h;
} fill_job;

SCARCE__BODY void fill_body(const fill_job *j, size_t b, size_t e)
{
    const float *restrict f = j->rows->score;
    const uint8_t *restrict y = j->rows->label;
    float *restrict g = j->g, *restrict h = j->h;
    const float r0 = j->ref[0], r1 = j->ref[1], l0 = j->log_sum[0], l1 = j->log_sum[1];
    const float k0 = j->k[0], k1 = j->k[1], c0 = j->c[0], c1 = j->c[1];

    for (size_t i = b; i < e; ++i) {
        const int32_t c = y[i];
        const float t = (c != 0 ? k1 : k0) * (f[i] - (c != 0 ? r1 : r0)) - (c != 0 ? l1 : l0);
        g[i] = (c != 0 ? c1 : c0) * scarce__expf(t);
    }
    if (j->rows->weight) {
        const float *restrict w = j->rows->weight;
        for (size_t i = b; i < e; ++i) g[i] *= w[i];
    }
    for (size_t i = b; i < e; ++i) {
        const float a = g[i] < 0 ? -g[i] : g[i];
        h[i] = a > SCARCE__LEAST_H ? a : SCARCE__LEAST_H;
    }
    if (!j->flat) return;
    for (size_t i = b; i < e; ++i) {
        const float w = j->rows->weight ? j->rows->weight[i] : 1.0f;
        h[i] = w > SCARCE__LEAST_H ? w : SCARCE__LEAST_H;
    }
}

static void fill_plain(const fill_job *j, size_t b, size_t e)
{
    fill_body(j, b, e);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void fill_avx2(const fill_job *j, size_t b, size_t e)
{
    fill_body(j, b, e);
}
#else
#define fill_avx2 fill_plain
#endif

static void fill_block(void *arg, size_t index, int worker)
{
    const fill_job *j = arg;
    const size_t b = index * BLOCK, e = b + BLOCK < j->rows->n ? b + BLOCK : j->rows->n;
    (void)worker;
    (j->avx2 ? fill_avx2 : fill_plain)(j, b, e);
}

void scarce__list_fill(const scarce__loss_rows *rows, const scarce__list_sum s[2], const double k[2],
                       const double c[2], int flat, float *g, float *h, int portable, scarce_context *ctx)
{
    fill_job j;
    memset(&j, 0, sizeof j);
    j.rows = rows;
    for (int y = 0; y < 2; ++y) {
        j.ref[y] = (float)s[y].ref;
        j.log_sum[y] = (float)s[y].log_sum;
        j.k[y] = (float)k[y];
        j.c[y] = (float)c[y];
    }
    j.flat = flat;
    j.avx2 = !portable && scarce__cpu_avx2();
    j.g = g;
    j.h = h;
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(rows->n, BLOCK), fill_block, &j);
}

void scarce__list_silence(size_t n, float *g, float *h)
{
    for (size_t i = 0; i < n; ++i) {
        g[i] = 0;
        h[i] = SCARCE__LEAST_H;
    }
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

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void interest_avx2(const float *score, float k, size_t n, float *out)
{
    interest_body(score, k, n, out);
}
#endif

void scarce__list_interest(const float *score, float k, size_t n, float *out, int portable)
{
#if SCARCE__HAVE_AVX2
    if (!portable && scarce__cpu_avx2()) {
        interest_avx2(score, k, n, out);
        return;
    }
#endif
    (void)portable;
    interest_body(score, k, n, out);
}

double scarce__list_lse_plain(const scarce__loss_rows *rows, int label, double k)
{
    double most = -INFINITY, sum = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = 0; i < rows->n; ++i) {
            const double t = k * (double)rows->score[i], w = scarce__row_weight(rows, i);
            if ((rows->label[i] != 0) != label || !(w > 0)) continue;
            if (pass) sum += w * exp(t - most);
            else if (t > most) most = t;
        }
    return sum > 0 ? most + log(sum) : -INFINITY;
}

double scarce__list_base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    (void)loss;
    (void)rows;
    return 0;
}
