/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with AVX-512: 12 rows x 32 at a time, 24 of the 32 registers hold sums. */
#include "near/kernel.h"

#if SCARCE__HAVE_AVX2
#define TARGET __attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq")))

enum { G = SCARCE__NEAR_GROUP, W = SCARCE__NEAR_PANEL };

TARGET static inline __attribute__((always_inline)) void
add_codes(__m512 acc[G][2], const scarce__near_tile *t, const int32_t *codes)
{
    const __m512 weight = _mm512_set1_ps(t->weight);
    for (size_t c = 0; c < t->n_codes; ++c) {
        const __m512i y0 = _mm512_loadu_si512(codes + c * W), y1 = _mm512_loadu_si512(codes + c * W + 16);
#pragma GCC unroll 12
        for (size_t i = 0; i < G; ++i) {
            const __m512i x = _mm512_set1_epi32(t->q_code[c * G + i]);
            acc[i][0] = _mm512_mask_add_ps(acc[i][0], _mm512_cmpneq_epi32_mask(y0, x), acc[i][0], weight);
            acc[i][1] = _mm512_mask_add_ps(acc[i][1], _mm512_cmpneq_epi32_mask(y1, x), acc[i][1], weight);
        }
    }
}

TARGET static uint32_t tile(const scarce__near_tile *t, const float *panel, const int32_t *codes,
                            uint32_t *mask)
{
    const float *query = t->query, *y = panel + W;
    __m512 acc[G][2];
    uint32_t all = 0;

#pragma GCC unroll 12
    for (size_t i = 0; i < G; ++i)
        acc[i][0] = _mm512_loadu_ps(panel), acc[i][1] = _mm512_loadu_ps(panel + 16);
    for (size_t d = 0; d < t->dims; ++d, y += W, query += G) {
        const __m512 y0 = _mm512_loadu_ps(y), y1 = _mm512_loadu_ps(y + 16);
#pragma GCC unroll 12
        for (size_t i = 0; i < G; ++i) {
            const __m512 x = _mm512_set1_ps(query[i]);
            acc[i][0] = _mm512_fnmadd_ps(x, y0, acc[i][0]);
            acc[i][1] = _mm512_fnmadd_ps(x, y1, acc[i][1]);
        }
    }
    if (t->n_codes) add_codes(acc, t, codes);
#pragma GCC unroll 12
    for (size_t i = 0; i < G; ++i) {
        const __m512 limit = _mm512_set1_ps(t->limit[i]);
        mask[i] = (uint32_t)_mm512_cmp_ps_mask(acc[i][0], limit, _CMP_NGT_UQ) |
                  (uint32_t)_mm512_cmp_ps_mask(acc[i][1], limit, _CMP_NGT_UQ) << 16;
        all |= mask[i];
    }
    if (t->acc) {
#pragma GCC unroll 12
        for (size_t i = 0; i < G; ++i) {
            _mm512_storeu_ps(t->acc + i * W, acc[i][0]);
            _mm512_storeu_ps(t->acc + i * W + 16, acc[i][1]);
        }
    }
    return all;
}

__attribute__((target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq"))) static double
square(const scarce__near_exact *e, const float *x, const float *y)
{
    return scarce__near_square_body(e, x, y);
}

__attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq"))) static uint32_t
line(const scarce__near_line *t, const float *panel, const int32_t *codes)
{
    const __m512 limit = _mm512_set1_ps(t->limit), weight = _mm512_set1_ps(t->weight);
    const float *y = panel + W;
    __m512 low = _mm512_loadu_ps(panel), high = _mm512_loadu_ps(panel + 16);

    for (size_t d = 0; d < t->dims; ++d, y += W) {
        const __m512 x = _mm512_set1_ps(t->query[d]);
        low = _mm512_fnmadd_ps(x, _mm512_loadu_ps(y), low);
        high = _mm512_fnmadd_ps(x, _mm512_loadu_ps(y + 16), high);
    }
    for (size_t c = 0; c < t->n_codes; ++c, codes += W) {
        const __m512i q = _mm512_set1_epi32(t->q_code[c]);
        low = _mm512_mask_add_ps(low, _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(codes), q), low, weight);
        high = _mm512_mask_add_ps(high, _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(codes + 16), q), high,
                                  weight);
    }
    return (uint32_t)_mm512_cmp_ps_mask(low, limit, _CMP_NGT_UQ) |
           (uint32_t)_mm512_cmp_ps_mask(high, limit, _CMP_NGT_UQ) << 16;
}

const scarce__near_kernels scarce__near_avx512 = {tile, square, line};

#else
typedef int scarce__near_avx512_is_empty;
#endif
