/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of floats that do not depend on the order of the terms, so that rows may lie in any partition of them: the
 * mantissas of each exponent are added up as integers.
 *
 *     scarce__exact sum = {0};
 *     scarce__exact_add(&sum, x);          x >= 0 and finite, up to 2^40 terms
 *     scarce__exact_join(&sum, &other);
 *     double total = scarce__exact_value(&sum); */
#ifndef SCARCE_CORE_EXACT_H
#define SCARCE_CORE_EXACT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SCARCE__EXACT_PARTS = 255 };

typedef struct scarce__exact {
    uint64_t part[SCARCE__EXACT_PARTS]; /* by exponent */
} scarce__exact;

static inline void scarce__exact_add(scarce__exact *e, float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    const uint32_t exponent = u >> 23;
    e->part[exponent] += (u & 0x7fffffu) | (exponent ? 0x800000u : 0);
}

static inline void scarce__exact_join(scarce__exact *to, const scarce__exact *from)
{
    for (int i = 0; i < SCARCE__EXACT_PARTS; ++i) to->part[i] += from->part[i];
}

/* The value of integer mantissas with this exponent. */
static inline double scarce__exact_part(uint64_t mantissas, uint32_t exponent)
{
    return ldexp((double)mantissas, (int)(exponent ? exponent : 1) - 150);
}

static inline double scarce__exact_value(const scarce__exact *e)
{
    double sum = 0;
    for (uint32_t i = 0; i < SCARCE__EXACT_PARTS; ++i)
        if (e->part[i]) sum += scarce__exact_part(e->part[i], i);
    return sum;
}

#endif
