/* SPDX-License-Identifier: Apache-2.0 */
/* Two instances of one loop: plain, and with AVX2 where the machine has it.
 *
 * A kernel is written once as an always-inline body of IEEE operations on independent items (no sum
 * over floats, no fused multiply-add), and is compiled twice. Lanes then compute what the scalar code
 * computes, so both instances give the same bits; only where the compiler can't see a vector form is
 * the AVX2 instance written with intrinsics, and a test holds the two side by side. */
#ifndef SCARCE_CORE_SIMD_H
#define SCARCE_CORE_SIMD_H

#include "core/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SCARCE__HAVE_AVX2 1
#define SCARCE__AVX2 __attribute__((target("avx2,bmi,bmi2")))
#else
#define SCARCE__HAVE_AVX2 0
#define SCARCE__AVX2
#endif

#if SCARCE__HAVE_AVX2
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define SCARCE__BODY static inline __attribute__((always_inline))
#define SCARCE__PREFETCH(p) __builtin_prefetch(p)
#else
#define SCARCE__BODY static inline
#define SCARCE__PREFETCH(p) ((void)(p))
#endif

static inline int scarce__cpu_avx2(void)
{
#if SCARCE__HAVE_AVX2
    return (scarce__cpu() & SCARCE__CPU_AVX2) != 0;
#else
    return 0;
#endif
}

#endif
