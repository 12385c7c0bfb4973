/* SPDX-License-Identifier: Apache-2.0 */
/* k-means: points gathered around q centers.
 *
 * Arthur and Vassilvitskii: k-means++ (SODA 2007) for the start, Lloyd's steps until no point moves (50 at most). Sums are
 * added block by block in the order of the rows: the same with any number of threads. */
#ifndef SCARCE_NEAR_CLUSTERS_H
#define SCARCE_NEAR_CLUSTERS_H

#include <stdint.h>

#include "core/context.h"

/* center: q x dims; of[i]: the center of point i (ties to the first), both of the caller. q <= n. index names the random
 * stream. Points that are all equal give equal centers. ENOMEM. */
scarce_status scarce__clusters_find(double *center, uint32_t *of, size_t q, const double *point, size_t n,
                                    size_t dims, uint64_t index, scarce_context *ctx, scarce_error *err);
/* The nearest center of a point. */
uint32_t scarce__clusters_nearest(const double *center, size_t q, const double *point, size_t dims,
                                  double *square);

#endif
