/* SPDX-License-Identifier: Apache-2.0 */
/* q_g = round(g / unit_g), q_h = round(h / unit_h).
 *
 * The units are the smallest powers of two with which no sum over any set of rows can leave 31 bits:
 * sum |g| / unit_g + n <= 2^31 - 1 and the same for h. With 10^6 rows and 0.2 % positives a unit is about
 * 4e-6 of a gradient; the sum of rounding errors over a leaf is far below what decides a split.
 *
 * Coarse rounding. Gradients are noisy: had the labels been drawn again, a sum of gradients would vary by
 * about sum g^2. Rounding at random to multiples of u adds at most u sum |g| to that. So with
 *
 *   u = noise * sum g^2 / sum |g|
 *
 * rounding adds the share `noise` to a variance that is there anyway, and of the many rows with |g| < u only
 * the share |g| / u keeps a gradient at all; the others need not be looked at (grow_active.c). At most (sum
 * |g|)^2 / (noise sum g^2) rows stay: the effective number of rows over the noise. Where that doesn't promise
 * fewer rows than there are, the fine units are taken. g and h share their random number, and the unit, so
 * that rows with both small have neither. */
#include "tree/quantise.h"

#include <math.h>

#include "tree/simd.h"

enum { BLOCK = 16384, RANDOM_FROM = 1 << 17, MOST_BLOCKS_AT_ONCE = 64 };

/* To the nearest; at random, for g and h apart; at random with one number for both. */
enum rounding { NEAREST, APART, TOGETHER };

typedef struct job {
    scarce__gh *q;
    const float *g, *h;
    size_t n;
    float scale_g, scale_h;
    uint32_t key;
    enum rounding random;
    int avx2;
    size_t first; /* block */
    double sum_g[MOST_BLOCKS_AT_ONCE], sum_h[MOST_BLOCKS_AT_ONCE], sum_gg[MOST_BLOCKS_AT_ONCE];
    scarce__gh sum_q[MOST_BLOCKS_AT_ONCE];
} job;

static double sum8(const double *a)
{
    return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

/* In eight fixed lanes, so that vector and scalar code add in the same order. */
SCARCE__BODY void sums_body(job *j, size_t index, const float *g, const float *h, size_t n)
{
    double a[8] = {0}, b[8] = {0}, c[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) {
            const double v = (double)g[i + k];
            a[k] += fabs(v);
            b[k] += (double)(h[i + k] > 0 ? h[i + k] : h[i + k] - h[i + k]); /* 0, or NaN */
            c[k] += v * v;
        }
    for (; i < n; ++i) {
        const double v = (double)g[i];
        a[i & 7] += fabs(v);
        b[i & 7] += (double)(h[i] > 0 ? h[i] : h[i] - h[i]);
        c[i & 7] += v * v;
    }
    j->sum_g[index] = sum8(a);
    j->sum_h[index] = sum8(b);
    j->sum_gg[index] = sum8(c);
}

SCARCE__BODY int32_t floor_to_int(float v)
{
    const int32_t t = (int32_t)v;
    return t - ((float)t > v);
}

SCARCE__BODY scarce__gh quantise_body(scarce__gh *q, const float *g, const float *h, size_t begin, size_t end,
                                      float sg, float sh, uint32_t key, enum rounding random)
{
    scarce__gh total = 0;
    for (size_t i = begin; i < end; ++i) {
        float ug = 0.5f, uh = 0.5f;
        if (random != NEAREST) {
            uint32_t x = (uint32_t)i * 0x9e3779b1u + key;
            x ^= x >> 16;
            x *= 0x7feb352du;
            x ^= x >> 15;
            ug = (float)(int32_t)(x >> 16) * 0x1p-16f;
            uh = random == TOGETHER ? ug : (float)(int32_t)(x & 0xffffu) * 0x1p-16f;
        }
        const float hp = h[i] > 0 ? h[i] : 0;
        const int32_t a = floor_to_int(g[i] * sg + ug), b = floor_to_int(hp * sh + uh);
        const scarce__gh v = scarce__gh_pack(a, b);
        q[i] = v;
        total += v;
    }
    return total;
}

/* An instance of the loop for each rounding. */
#define QUANTISE_EACH(j, b, e)                                                                               \
    if ((j)->random == NEAREST)                                                                              \
        return quantise_body((j)->q, (j)->g, (j)->h, b, e, (j)->scale_g, (j)->scale_h, (j)->key, NEAREST);   \
    if ((j)->random == APART)                                                                                \
        return quantise_body((j)->q, (j)->g, (j)->h, b, e, (j)->scale_g, (j)->scale_h, (j)->key, APART);     \
    return quantise_body((j)->q, (j)->g, (j)->h, b, e, (j)->scale_g, (j)->scale_h, (j)->key, TOGETHER);

static void sums(job *j, size_t index, const float *g, const float *h, size_t n)
{
    sums_body(j, index, g, h, n);
}

static scarce__gh quantise(const job *j, size_t b, size_t e){QUANTISE_EACH(j, b, e)}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void sums_avx2(job *j, size_t index, const float *g, const float *h, size_t n)
{
    sums_body(j, index, g, h, n);
}

SCARCE__AVX2 static scarce__gh quantise_avx2(const job *j, size_t b, size_t e)
{
    QUANTISE_EACH(j, b, e)
}
#else
#define sums_avx2 sums
#define quantise_avx2 quantise
#endif

static void sums_block(void *arg, size_t index, int worker)
{
    job *j = arg;
    const size_t b = (j->first + index) * BLOCK, n = j->n - b < BLOCK ? j->n - b : BLOCK;
    (void)worker;
    if (j->avx2) sums_avx2(j, index, j->g + b, j->h + b, n);
    else sums(j, index, j->g + b, j->h + b, n);
}

static void quantise_block(void *arg, size_t index, int worker)
{
    job *j = arg;
    const size_t b = (j->first + index) * BLOCK, e = b + BLOCK < j->n ? b + BLOCK : j->n;
    (void)worker;
    j->sum_q[index] = j->avx2 ? quantise_avx2(j, b, e) : quantise(j, b, e);
}

/* The smallest power of two u with sum / u + n <= 2^31 - 1. */
static double unit_for(double sum, size_t n)
{
    int e;
    const double room = 2147483647.0 - (double)n;
    if (!(sum > 0)) return 1;
    (void)frexp(sum / room, &e); /* sum / room <= 2^e */
    return ldexp(1, e < -100 ? -100 : e);
}

/* The power of two nearest to noise * sum g^2 / sum |g|; 0 when it would hardly save a row. */
static double coarse_unit(const scarce__quantised *s, double noise, size_t n)
{
    if (!(noise > 0) || !(s->sum_gg > 0) || s->sum_abs_g * s->sum_abs_g >= noise * s->sum_gg * (double)n)
        return 0;
    int e;
    const double m = frexp(noise * s->sum_gg / s->sum_abs_g, &e); /* 1/2 <= m < 1 */
    return ldexp(1, m * m < 0.5 ? e - 1 : e);
}

int scarce__quantise(scarce__quantised *out, scarce__gh *q, const float *g, const float *h, size_t n,
                     double noise, uint64_t key, int portable, scarce__pool *pool)
{
    job j;
    const size_t blocks = scarce__blocks(n, BLOCK);

    j.q = q;
    j.g = g;
    j.h = h;
    j.n = n;
    j.key = (uint32_t)(key >> 32);
    j.random = n > RANDOM_FROM ? APART : NEAREST;
    j.avx2 = !portable && scarce__cpu_avx2();
    out->sum_abs_g = out->sum_h = out->sum_gg = 0;
    out->total = 0;
    for (j.first = 0; j.first < blocks; j.first += MOST_BLOCKS_AT_ONCE) {
        const size_t m = blocks - j.first < MOST_BLOCKS_AT_ONCE ? blocks - j.first : MOST_BLOCKS_AT_ONCE;
        scarce__pool_run(pool, m, sums_block, &j);
        for (size_t i = 0; i < m; ++i) {
            out->sum_abs_g += j.sum_g[i];
            out->sum_h += j.sum_h[i];
            out->sum_gg += j.sum_gg[i];
        }
    }
    if (!isfinite(out->sum_abs_g) || !isfinite(out->sum_h)) return 0;
    out->unit_g = unit_for(out->sum_abs_g, n);
    out->unit_h = unit_for(out->sum_h, n);
    const double unit = coarse_unit(out, noise, n);
    out->coarse = unit > out->unit_g && unit > out->unit_h;
    if (out->coarse) {
        out->unit_g = out->unit_h = unit;
        j.random = TOGETHER;
    }
    j.scale_g = (float)(1 / out->unit_g);
    j.scale_h = (float)(1 / out->unit_h);
    for (j.first = 0; j.first < blocks; j.first += MOST_BLOCKS_AT_ONCE) {
        const size_t m = blocks - j.first < MOST_BLOCKS_AT_ONCE ? blocks - j.first : MOST_BLOCKS_AT_ONCE;
        scarce__pool_run(pool, m, quantise_block, &j);
        for (size_t i = 0; i < m; ++i) out->total += j.sum_q[i];
    }
    return 1;
}
