/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of trees in two instances (core/simd.h), and what only they do. */
#ifndef SCARCE_TREE_SIMD_H
#define SCARCE_TREE_SIMD_H

#include <stdint.h>

#include "core/simd.h"

#if SCARCE__HAVE_AVX2
/* Moves the lanes whose bit is set to the front, in order. */
SCARCE__AVX2 static inline __m256i scarce__pack8(__m256i v, uint32_t mask)
{
    const uint64_t lanes = _pdep_u64(mask, 0x0101010101010101u) * 255;
    const uint64_t order = _pext_u64(0x0706050403020100u, lanes);
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order)));
}
#endif

#endif
