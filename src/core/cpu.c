/* SPDX-License-Identifier: Apache-2.0 */
/* CPUID says what the processor has, XGETBV which registers the system saves for us: an instruction set counts
 * only with both (Intel 64 manual, volume 1, 13.3 and 14.3). */
#include "core/cpu.h"

#include <stdatomic.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

enum { KNOWN = 1u << 30 };

/* The set of register states that the system keeps; 0 without OSXSAVE. */
static unsigned kept_states(unsigned ecx1)
{
    unsigned low, high;

    if (!(ecx1 & bit_OSXSAVE)) return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static unsigned look(void)
{
    const unsigned ymm = 2 | 4, zmm = ymm | 32 | 64 | 128;
    const unsigned avx2 = bit_AVX2 | bit_BMI | bit_BMI2,
                   avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
    unsigned a, b, c, d, b7 = 0, states, can = 0;

    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    states = kept_states(c);
    if (c & bit_POPCNT) can |= SCARCE__CPU_POPCNT;
    if (!__get_cpuid_count(7, 0, &a, &b7, &c, &d)) return can;
    if ((states & ymm) == ymm && (b7 & avx2) == avx2) can |= SCARCE__CPU_AVX2;
    if ((states & zmm) == zmm && (b7 & avx512) == avx512) can |= SCARCE__CPU_AVX512;
    return can;
}

unsigned scarce__cpu(void)
{
    static atomic_uint known; /* the same whoever looks first */
    unsigned can = atomic_load_explicit(&known, memory_order_relaxed);

    if (!can) {
        can = look() | KNOWN;
        atomic_store_explicit(&known, can, memory_order_relaxed);
    }
    return can & ~(unsigned)KNOWN;
}
#else
unsigned scarce__cpu(void)
{
    return 0;
}
#endif
