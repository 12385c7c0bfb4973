/* SPDX-License-Identifier: Apache-2.0 */
#include "near/clusters.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

enum { BLOCK = 2048, MOST_STEPS = 50 };

typedef struct clustering {
    const double *point, *center;
    size_t n, dims, q;
    uint32_t *of;
    double *sum;   /* per block: q x (dims + 1), the last the count */
    size_t *moved; /* per block */
} clustering;

uint32_t scarce__clusters_nearest(const double *center, size_t q, const double *point, size_t dims,
                                  double *square)
{
    uint32_t best = 0;
    double least = (double)INFINITY;

    for (size_t c = 0; c < q; ++c) {
        double s = 0;
        for (size_t i = 0; i < dims; ++i) {
            const double d = point[i] - center[c * dims + i];
            s += d * d;
        }
        if (s < least) least = s, best = (uint32_t)c;
    }
    *square = least;
    return best;
}

static void assign(void *arg, size_t block, int worker)
{
    clustering *k = arg;
    const size_t first = block * BLOCK, end = first + BLOCK < k->n ? first + BLOCK : k->n;
    double *sum = k->sum + block * k->q * (k->dims + 1), square;

    (void)worker;
    memset(sum, 0, k->q * (k->dims + 1) * sizeof *sum);
    k->moved[block] = 0;
    for (size_t i = first; i < end; ++i) {
        const double *z = k->point + i * k->dims;
        const uint32_t c = scarce__clusters_nearest(k->center, k->q, z, k->dims, &square);
        double *to = sum + c * (k->dims + 1);
        k->moved[block] += c != k->of[i];
        k->of[i] = c;
        for (size_t d = 0; d < k->dims; ++d) to[d] += z[d];
        to[k->dims] += 1;
    }
}

/* Each next center is a point drawn by its squared distance to those before. */
static void start(double *center, const clustering *k, double *distance, scarce__random *random)
{
    for (size_t c = 0; c < k->q; ++c) {
        double total = 0, drawn;
        size_t at = 0;
        for (size_t i = 0; c && i < k->n; ++i) {
            double square;
            (void)scarce__clusters_nearest(center + (c - 1) * k->dims, 1, k->point + i * k->dims, k->dims,
                                           &square);
            if (c == 1 || square < distance[i]) distance[i] = square;
            total += distance[i];
        }
        if (total > 0) {
            drawn = scarce__random_unit(random) * total;
            while (at + 1 < k->n && (drawn -= distance[at]) >= 0) ++at;
        } else at = (size_t)scarce__random_below(random, k->n);
        memcpy(center + c * k->dims, k->point + at * k->dims, k->dims * sizeof *center);
    }
}

/* The means of what was assigned; a center without points stays. Returns how many points moved. */
static size_t move_centers(double *center, const clustering *k, size_t blocks)
{
    size_t moved = 0;

    for (size_t b = 0; b < blocks; ++b) moved += k->moved[b];
    for (size_t c = 0; c < k->q; ++c) {
        double *to = k->sum + c * (k->dims + 1); /* into the first block */
        for (size_t b = 1; b < blocks; ++b)
            for (size_t d = 0; d <= k->dims; ++d) to[d] += to[b * k->q * (k->dims + 1) + d];
        for (size_t d = 0; to[k->dims] > 0 && d < k->dims; ++d) center[c * k->dims + d] = to[d] / to[k->dims];
    }
    return moved;
}

scarce_status scarce__clusters_find(double *center, uint32_t *of, size_t q, const double *point, size_t n,
                                    size_t dims, uint64_t index, scarce_context *ctx, scarce_error *err)
{
    const size_t blocks = scarce__blocks(n, BLOCK);
    clustering k = {point, center, n, dims, q, of, NULL, NULL};
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_ROWS, index);
    double *distance = scarce__malloc_array(n, sizeof *distance);
    int ok;

    k.sum = scarce__malloc_array(blocks * q * (dims + 1), sizeof *k.sum);
    k.moved = scarce__malloc_array(blocks, sizeof *k.moved);
    ok = distance && k.sum && k.moved;
    if (ok) {
        start(center, &k, distance, &random);
        for (size_t i = 0; i < n; ++i) of[i] = UINT32_MAX;
        for (int step = 0; step < MOST_STEPS; ++step) {
            scarce__pool_run(scarce__context_pool(ctx), blocks, assign, &k);
            if (move_centers(center, &k, blocks) == 0) break;
        }
        scarce__pool_run(scarce__context_pool(ctx), blocks, assign, &k);
    }
    scarce__free(distance);
    scarce__free(k.sum);
    scarce__free(k.moved);
    return ok ? SCARCE_OK : scarce__fail_memory(err, "clusters of rows", 0);
}
