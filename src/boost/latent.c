/* SPDX-License-Identifier: Apache-2.0 */
/* The layer of representations: memory, scores, and how alike its representations are. */
#include "boost/latent.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/simd.h"

scarce_status scarce__latent_init(scarce__latent *l, size_t width, double skip, scarce_error *err)
{
    memset(l, 0, sizeof *l);
    l->width = width;
    l->skip = skip;
    l->out = scarce__calloc(width, sizeof *l->out);
    l->importance = scarce__calloc(width, sizeof *l->importance);
    if (l->out && l->importance) return SCARCE_OK;
    scarce__latent_deinit(l);
    return scarce__fail_memory(err, "representations", 2 * width * sizeof *l->out);
}

void scarce__latent_deinit(scarce__latent *l)
{
    scarce__free(l->out);
    scarce__free(l->in);
    scarce__free(l->importance);
    memset(l, 0, sizeof *l);
}

scarce_status scarce__latent_add(scarce__latent *l, double **in, scarce_error *err)
{
    if (l->n_trees == l->room) {
        const size_t room = l->room ? 2 * l->room : 32;
        double *larger = scarce__realloc_array(l->in, room * l->width, sizeof *larger);
        if (!larger) return scarce__fail_memory(err, "representations", room * l->width * sizeof *larger);
        l->in = larger;
        l->room = room;
    }
    double *at = l->in + l->n_trees++ * l->width;
    memset(at, 0, l->width * sizeof *at);
    if (in) *in = at;
    return SCARCE_OK;
}

static int all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!isfinite(x[i])) return 0;
    return 1;
}

scarce_status scarce__latent_check(const scarce__latent *l, size_t n_trees, scarce_error *err)
{
    if (l->width == 0 || l->width > SCARCE__LATENT_MOST)
        return scarce__fail(err, SCARCE_EPARSE, "%zu representations, 1 to %d are allowed", l->width,
                            SCARCE__LATENT_MOST);
    if (l->n_trees != n_trees)
        return scarce__fail(err, SCARCE_EPARSE, "the representations are of %zu trees, there are %zu",
                            l->n_trees, n_trees);
    if (!isfinite(l->skip) || !all_finite(l->out, l->width) || !all_finite(l->importance, l->width) ||
        !all_finite(l->in, n_trees * l->width))
        return scarce__fail(err, SCARCE_EPARSE, "a weight of a representation isn't finite");
    return SCARCE_OK;
}

enum { VECTORS = 5 }; /* of 4, so that 20 representations stay in registers from tree to tree */

typedef double four __attribute__((vector_size(32)));
typedef double four_at __attribute__((vector_size(32), may_alias, aligned(8))); /* in memory */

/* 4 k representations, `in` being those of the first tree. */
SCARCE__BODY void feed_some(const double *in, size_t width, size_t n, const float *value, int k, double *z)
{
    four sum[VECTORS];

    for (int j = 0; j < k; ++j) sum[j] = *(const four_at *)(const void *)(z + 4 * j);
    for (size_t t = 0; t < n; ++t, in += width) {
        const double v = (double)value[t];
        for (int j = 0; j < k; ++j)
            sum[j] += *(const four_at *)(const void *)(in + 4 * j) * (four){v, v, v, v};
    }
    for (int j = 0; j < k; ++j) *(four_at *)(void *)(z + 4 * j) = sum[j];
}

SCARCE__BODY void feed_body(const scarce__latent *l, size_t from, size_t n, const float *restrict value,
                            double *restrict z, double *skipped)
{
    if (n == 0) return;
    const size_t width = l->width;
    const double *in = l->in + from * width;
    double all = *skipped;
    size_t p = 0;

    for (size_t t = 0; t < n; ++t) all += l->skip * (double)value[t];
    *skipped = all;
    for (; p + 4 * VECTORS <= width; p += 4 * VECTORS) feed_some(in + p, width, n, value, VECTORS, z + p);
    for (; p + 4 <= width; p += 4) feed_some(in + p, width, n, value, 1, z + p);
    for (; p < width; ++p)
        for (size_t t = 0; t < n; ++t) z[p] += in[t * width + p] * (double)value[t];
}

static void feed_plain(const scarce__latent *l, size_t from, size_t n, const float *value, double *z,
                       double *skipped)
{
    feed_body(l, from, n, value, z, skipped);
}

SCARCE__AVX2 static void feed_avx2(const scarce__latent *l, size_t from, size_t n, const float *value,
                                   double *z, double *skipped)
{
    feed_body(l, from, n, value, z, skipped);
}

void scarce__latent_feed(const scarce__latent *l, size_t from, size_t n, const float *value, double *z,
                         double *skipped)
{
    if (scarce__cpu_avx2()) feed_avx2(l, from, n, value, z, skipped);
    else feed_plain(l, from, n, value, z, skipped);
}

double scarce__latent_score(const scarce__latent *l, double base, const double *z, double skipped)
{
    double f = base + skipped;
    for (size_t p = 0; p < l->width; ++p) f += z[p] > 0 ? l->out[p] * z[p] : 0;
    return f;
}

void scarce__latent_correlation(const scarce__latent *l, double *out)
{
    const size_t width = l->width, n = l->n_trees;

    for (size_t p = 0; p < width; ++p)
        for (size_t q = 0; q <= p; ++q) {
            double mp = 0, mq = 0, pp = 0, qq = 0, pq = 0;
            for (size_t t = 0; t < n; ++t) {
                mp += l->in[t * width + p] / (double)n;
                mq += l->in[t * width + q] / (double)n;
            }
            for (size_t t = 0; t < n; ++t) {
                const double x = l->in[t * width + p] - mp, y = l->in[t * width + q] - mq;
                pp += x * x;
                qq += y * y;
                pq += x * y;
            }
            const double spread = sqrt(pp) * sqrt(qq);
            const double c = p == q ? 1 : spread > 0 && isfinite(spread) ? pq / spread : 0;
            out[p * width + q] = out[q * width + p] = c > 1 ? 1 : c < -1 ? -1 : c;
        }
}
