/* SPDX-License-Identifier: Apache-2.0 */
/* Bits that nobody outside the process can foresee. They must never reach a result: they key hash tables, so
 * that no file can be made whose texts all collide, and name temporary files. What users may repeat comes
 * from core/random.h. */
#ifndef SCARCE_CORE_ENTROPY_H
#define SCARCE_CORE_ENTROPY_H

#include <stdint.h>

/* From the system; where it gives none, from clock, process number and addresses. */
uint64_t scarce__entropy(void);

/* Drawn at the first call, the same until the process ends (and in its forks); never 0. A load afterwards. */
uint64_t scarce__process_key(void);

#endif
