/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory there is. */
#ifndef SCARCE_CORE_MEMORY_H
#define SCARCE_CORE_MEMORY_H

/* Bytes this process may still take: what the system and its control group have left. */
double scarce__memory_available(void);

#endif
