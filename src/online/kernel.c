/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of online learning (weak.h): bodies of independent items, compiled for any machine and for AVX2. */
#include <math.h>

#include "core/elementary.h"
#include "core/simd.h"
#include "online/weak.h"

SCARCE__BODY void add_body(float *restrict sum, const float *restrict weight, size_t width,
                           const uint32_t *input, const float *value, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        const float *restrict w = weight + (size_t)input[k] * width;
        const float x = value[k];
        for (size_t i = 0; i < width; ++i) sum[i] += x * w[i];
    }
}

SCARCE__BODY void step_body(float *restrict weight, float *restrict square, size_t width,
                            const uint32_t *input, const float *value, size_t n, const float *restrict delta,
                            float rate)
{
    for (size_t k = 0; k < n; ++k) {
        float *restrict w = weight + (size_t)input[k] * width;
        float *restrict q = square + (size_t)input[k] * width;
        const float x = value[k];
        for (size_t i = 0; i < width; ++i) {
            const float g = x * delta[i], s = q[i] + g * g;
            q[i] = s;
            w[i] += rate * g / (sqrtf(s) + 1e-8f);
        }
    }
}

/* tanh x = 1 - 2 / (1 + e^2x), in double: rounding to float hides what cancels. */
SCARCE__BODY void tanh_body(float *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) x[i] = (float)(1 - 2 / (1 + scarce__exp_body(2 * (double)x[i])));
}

SCARCE__BODY void mix_body(float *restrict z, const float *restrict a, size_t width, const float *h, size_t n)
{
    for (size_t t = 0; t < n; ++t) {
        const float x = h[t];
        for (size_t p = 0; p < width; ++p) z[p] += x * a[t * width + p];
    }
}

SCARCE__BODY void unmix_body(float *out, float *restrict a, size_t width, const float *restrict d,
                             const float *restrict e, const float *h, size_t n)
{
    for (size_t t = 0; t < n; ++t) {
        float *restrict row = a + t * width, s[8] = {0};
        for (size_t p = 0; p < width; p += 8)
            for (size_t l = 0; l < 8; ++l) s[l] += row[p + l] * d[p + l];
        out[t] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
        if (!e) continue;
        const float x = h[t];
        for (size_t p = 0; p < width; ++p) row[p] += x * e[p];
    }
}

static void add_plain(float *sum, const float *weight, size_t width, const uint32_t *input,
                      const float *value, size_t n)
{
    add_body(sum, weight, width, input, value, n);
}

static void step_plain(float *weight, float *square, size_t width, const uint32_t *input, const float *value,
                       size_t n, const float *delta, float rate)
{
    step_body(weight, square, width, input, value, n, delta, rate);
}

static void tanh_plain(float *x, size_t n)
{
    tanh_body(x, n);
}

static void mix_plain(float *z, const float *a, size_t width, const float *h, size_t n)
{
    mix_body(z, a, width, h, n);
}

static void unmix_plain(float *out, float *a, size_t width, const float *d, const float *e, const float *h,
                        size_t n)
{
    unmix_body(out, a, width, d, e, h, n);
}

const scarce__bank_kernels scarce__bank_plain = {add_plain, step_plain, tanh_plain, mix_plain, unmix_plain};

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void add_avx2(float *sum, const float *weight, size_t width, const uint32_t *input,
                                  const float *value, size_t n)
{
    add_body(sum, weight, width, input, value, n);
}

SCARCE__AVX2 static void step_avx2(float *weight, float *square, size_t width, const uint32_t *input,
                                   const float *value, size_t n, const float *delta, float rate)
{
    step_body(weight, square, width, input, value, n, delta, rate);
}

SCARCE__AVX2 static void tanh_avx2(float *x, size_t n)
{
    tanh_body(x, n);
}

SCARCE__AVX2 static void mix_avx2(float *z, const float *a, size_t width, const float *h, size_t n)
{
    mix_body(z, a, width, h, n);
}

SCARCE__AVX2 static void unmix_avx2(float *out, float *a, size_t width, const float *d, const float *e,
                                    const float *h, size_t n)
{
    unmix_body(out, a, width, d, e, h, n);
}

static const scarce__bank_kernels avx2 = {add_avx2, step_avx2, tanh_avx2, mix_avx2, unmix_avx2};
#endif

const scarce__bank_kernels *scarce__bank_best(void)
{
#if SCARCE__HAVE_AVX2
    if (scarce__cpu_avx2()) return &avx2;
#endif
    return &scarce__bank_plain;
}
