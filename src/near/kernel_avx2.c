/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with AVX2 and FMA: 3 rows x 32 at a time, 12 of the 16 registers hold sums. */
#include "near/kernel.h"

#if SCARCE__HAVE_AVX2
#define TARGET __attribute__((target("avx2,fma,bmi,bmi2")))

enum { G = SCARCE__NEAR_GROUP, W = SCARCE__NEAR_PANEL, ROWS = 3 };

TARGET static inline __attribute__((always_inline)) void
add_codes(__m256 acc[ROWS][4], const scarce__near_tile *t, const int32_t *codes, size_t first)
{
    const __m256 weight = _mm256_set1_ps(t->weight);
    for (size_t c = 0; c < t->n_codes; ++c)
        for (size_t v = 0; v < 4; ++v) {
            const __m256i y = _mm256_loadu_si256((const __m256i *)(codes + c * W + v * 8));
            for (size_t i = 0; i < ROWS; ++i) {
                const __m256i same = _mm256_cmpeq_epi32(y, _mm256_set1_epi32(t->q_code[c * G + first + i]));
                acc[i][v] = _mm256_add_ps(acc[i][v], _mm256_andnot_ps(_mm256_castsi256_ps(same), weight));
            }
        }
}

TARGET static uint32_t tile(const scarce__near_tile *t, const float *panel, const int32_t *codes,
                            uint32_t *mask)
{
    uint32_t all = 0;

    for (size_t first = 0; first < G; first += ROWS) {
        const float *query = t->query + first, *y = panel + W;
        __m256 acc[ROWS][4];
        for (size_t i = 0; i < ROWS; ++i)
            for (size_t v = 0; v < 4; ++v) acc[i][v] = _mm256_loadu_ps(panel + v * 8);
        for (size_t d = 0; d < t->dims; ++d, y += W, query += G) {
            const __m256 x0 = _mm256_broadcast_ss(query), x1 = _mm256_broadcast_ss(query + 1),
                         x2 = _mm256_broadcast_ss(query + 2);
            for (size_t v = 0; v < 4; ++v) {
                const __m256 p = _mm256_loadu_ps(y + v * 8);
                acc[0][v] = _mm256_fnmadd_ps(x0, p, acc[0][v]);
                acc[1][v] = _mm256_fnmadd_ps(x1, p, acc[1][v]);
                acc[2][v] = _mm256_fnmadd_ps(x2, p, acc[2][v]);
            }
        }
        if (t->n_codes) add_codes(acc, t, codes, first);
        for (size_t i = 0; i < ROWS; ++i) {
            const __m256 limit = _mm256_set1_ps(t->limit[first + i]);
            uint32_t m = 0;
            for (size_t v = 0; v < 4; ++v)
                m |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(acc[i][v], limit, _CMP_NGT_UQ)) << (v * 8);
            if (t->acc)
                for (size_t v = 0; v < 4; ++v) _mm256_storeu_ps(t->acc + (first + i) * W + v * 8, acc[i][v]);
            mask[first + i] = m;
            all |= m;
        }
    }
    return all;
}

SCARCE__AVX2 static double square(const scarce__near_exact *e, const float *x, const float *y)
{
    return scarce__near_square_body(e, x, y);
}

TARGET static uint32_t line(const scarce__near_line *t, const float *panel, const int32_t *codes)
{
    const __m256 limit = _mm256_set1_ps(t->limit), weight = _mm256_set1_ps(t->weight);
    const float *y = panel + W;
    __m256 acc[4];
    uint32_t mask = 0;

    for (size_t v = 0; v < 4; ++v) acc[v] = _mm256_loadu_ps(panel + v * 8);
    for (size_t d = 0; d < t->dims; ++d, y += W) {
        const __m256 x = _mm256_broadcast_ss(t->query + d);
        for (size_t v = 0; v < 4; ++v) acc[v] = _mm256_fnmadd_ps(x, _mm256_loadu_ps(y + v * 8), acc[v]);
    }
    for (size_t c = 0; c < t->n_codes; ++c) {
        const __m256i q = _mm256_set1_epi32(t->q_code[c]);
        for (size_t v = 0; v < 4; ++v) {
            const __m256i code = _mm256_loadu_si256((const __m256i *)(codes + c * W + v * 8));
            const __m256 same = _mm256_castsi256_ps(_mm256_cmpeq_epi32(code, q));
            acc[v] = _mm256_add_ps(acc[v], _mm256_andnot_ps(same, weight));
        }
    }
    for (size_t v = 0; v < 4; ++v)
        mask |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(acc[v], limit, _CMP_NGT_UQ)) << (v * 8);
    return mask;
}

const scarce__near_kernels scarce__near_avx2 = {tile, square, line};

#else
typedef int scarce__near_avx2_is_empty;
#endif
