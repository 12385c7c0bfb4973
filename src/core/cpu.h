/* SPDX-License-Identifier: Apache-2.0 */
/* What the processor can, asked of the processor itself: compilers' own ways need a run-time library that not
 * every linker brings. */
#ifndef SCARCE_CORE_CPU_H
#define SCARCE_CORE_CPU_H

enum {
    SCARCE__CPU_POPCNT = 1,
    SCARCE__CPU_AVX2 = 2,  /* avx2, bmi, bmi2, and a system that keeps the wide registers */
    SCARCE__CPU_AVX512 = 4 /* f, bw, vl, dq likewise */
};

/* A set of these; 0 on other processors. Asked once, then remembered. */
unsigned scarce__cpu(void);

#endif
