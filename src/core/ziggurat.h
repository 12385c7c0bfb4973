/* SPDX-License-Identifier: Apache-2.0 */
/* Normal numbers by the hundred million.
 *
 * The ziggurat of Marsaglia and Tsang (2000) as Doornik (2005) mended it: the bell is covered by 256 pieces
 * of equal area, lying on one another; of 64 random bits 8 choose the piece and 53 the place in it, and in 99
 * of 100 cases that place is surely below the bell. A few ns each, some times less than the polar method of
 * core/random.h. The table is made of core/elementary.h, so the numbers are the same on every machine. */
#ifndef SCARCE_CORE_ZIGGURAT_H
#define SCARCE_CORE_ZIGGURAT_H

#include "core/random.h"

enum { SCARCE__ZIGGURAT_PIECES = 256 };

typedef struct scarce__ziggurat {
    double x[SCARCE__ZIGGURAT_PIECES + 1];  /* right ends of the pieces, falling to 0 */
    double inside[SCARCE__ZIGGURAT_PIECES]; /* share of the piece that is surely below the bell */
} scarce__ziggurat;

void scarce__ziggurat_init(scarce__ziggurat *z);

/* out[i] standard normal, i < n. */
void scarce__ziggurat_fill(const scarce__ziggurat *z, scarce__random *r, double *out, size_t n);

#endif
