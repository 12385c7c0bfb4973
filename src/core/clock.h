/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds that only go forward, from some moment on: for measuring and for limits, never for results. */
#ifndef SCARCE_CORE_CLOCK_H
#define SCARCE_CORE_CLOCK_H

#include <time.h>

static inline double scarce__clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
