/* SPDX-License-Identifier: Apache-2.0 */
#include "near/metric_pairs.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

enum { BLOCK = 512 };

void scarce__pairs_deinit(scarce__pairs *q)
{
    scarce__free(q->partner), scarce__free(q->square), scarce__free(q->times);
    scarce__free(q->y), scarce__free(q->s), scarce__free(q->w), scarce__free(q->part);
    memset(q, 0, sizeof *q);
}

scarce_status scarce__pairs_init(scarce__pairs *q, const scarce__points *p, size_t width, scarce_context *ctx,
                                 scarce_error *err)
{
    const size_t n = p->n, d = p->d;

    memset(q, 0, sizeof *q);
    q->p = p, q->width = width, q->pool = scarce__context_pool(ctx);
    q->partner = scarce__malloc_array(n * width, sizeof *q->partner);
    q->square = scarce__malloc_array(n * width, sizeof *q->square);
    q->times = scarce__malloc_array(n * width, sizeof *q->times);
    q->y = scarce__malloc_array(n * d, sizeof *q->y);
    q->s = scarce__malloc_array(n * d, sizeof *q->s);
    q->w = scarce__malloc_array(n, sizeof *q->w);
    q->part = scarce__malloc_array(scarce__blocks(n, BLOCK) * d * d, sizeof *q->part);
    if (!q->partner || !q->square || !q->times || !q->y || !q->s || !q->w || !q->part) {
        scarce__pairs_deinit(q);
        return scarce__fail_memory(err, "metric learning", 0);
    }
    for (size_t i = 0; i < n * width; ++i) q->partner[i] = UINT32_MAX;
    return SCARCE_OK;
}

static void map_block(void *arg, size_t block, int worker)
{
    const scarce__pairs *q = arg;
    const size_t d = q->p->d, first = block * BLOCK, end = first + BLOCK < q->p->n ? first + BLOCK : q->p->n;

    (void)worker;
    for (size_t i = first; i < end; ++i) {
        double *y = q->y + i * d;
        for (size_t c = 0; c < d; ++c) y[c] = 0;
        for (size_t r = 0; r < d; ++r) {
            const double x = q->p->z[i * d + r];
            for (size_t c = 0; c < d; ++c) y[c] += x * q->m[r * d + c];
        }
    }
}

static void measure_block(void *arg, size_t block, int worker)
{
    const scarce__pairs *q = arg;
    const size_t d = q->p->d, first = block * BLOCK, end = first + BLOCK < q->p->n ? first + BLOCK : q->p->n;

    (void)worker;
    for (size_t i = first; i < end; ++i)
        for (size_t k = 0; k < q->width; ++k) {
            const uint32_t j = q->partner[i * q->width + k];
            if (j == UINT32_MAX) continue;
            const double *a = q->p->z + i * d, *b = q->p->z + (size_t)j * d, *u = q->y + i * d,
                         *v = q->y + (size_t)j * d;
            double sum[4] = {0, 0, 0, 0};
            size_t c = 0;
            for (; c + 4 <= d; c += 4)
                for (size_t l = 0; l < 4; ++l) sum[l] += (a[c + l] - b[c + l]) * (u[c + l] - v[c + l]);
            for (; c < d; ++c) sum[0] += (a[c] - b[c]) * (u[c] - v[c]);
            q->square[i * q->width + k] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
        }
}

void scarce__pairs_measure(scarce__pairs *q, const double *m)
{
    const size_t blocks = scarce__blocks(q->p->n, BLOCK);

    q->m = m;
    scarce__pool_run(q->pool, blocks, map_block, q);
    scarce__pool_run(q->pool, blocks, measure_block, q);
}

static void sum_block(void *arg, size_t block, int worker)
{
    const scarce__pairs *q = arg;
    const size_t d = q->p->d, first = block * BLOCK, end = first + BLOCK < q->p->n ? first + BLOCK : q->p->n;
    double *part = q->part + block * d * d;

    (void)worker;
    memset(part, 0, d * d * sizeof *part);
    for (size_t i = first; i < end; ++i) {
        const double *z = q->p->z + i * d;
        double *s = q->s + i * d;
        memset(s, 0, d * sizeof *s);
        for (size_t k = 0; k < q->width; ++k) {
            const uint32_t j = q->partner[i * q->width + k];
            const double c = j == UINT32_MAX ? 0 : q->times[i * q->width + k];
            for (size_t e = 0; c != 0 && e < d; ++e) s[e] += c * q->p->z[(size_t)j * d + e];
        }
        for (size_t r = 0; r < d; ++r) { /* half of it: transposed and added at the end */
            const double x = z[r] * q->w[i] / 2 - s[r];
            for (size_t c = 0; c < d; ++c) part[r * d + c] += x * z[c];
        }
    }
}

void scarce__pairs_sum(scarce__pairs *q, double *gradient)
{
    const size_t d = q->p->d, n = q->p->n, blocks = scarce__blocks(n, BLOCK);

    for (size_t i = 0; i < n; ++i) q->w[i] = 0;
    for (size_t i = 0; i < n * q->width; ++i) {
        if (q->partner[i] == UINT32_MAX || q->times[i] == 0) continue;
        q->w[i / q->width] += q->times[i];
        q->w[q->partner[i]] += q->times[i];
    }
    scarce__pool_run(q->pool, blocks, sum_block, q);
    for (size_t b = 1; b < blocks; ++b)
        for (size_t i = 0; i < d * d; ++i) q->part[i] += q->part[b * d * d + i];
    for (size_t r = 0; r < d; ++r)
        for (size_t c = 0; c < d; ++c) gradient[r * d + c] = q->part[r * d + c] + q->part[c * d + r];
}
