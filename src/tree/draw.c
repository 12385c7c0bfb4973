/* SPDX-License-Identifier: Apache-2.0 */
/* The first steps of a shuffle of the features that are allowed. */
#include "tree/draw.h"

#include <math.h>

#include "core/random.h"

void scarce__draw_features(uint8_t *mask, uint32_t *order, size_t n_features, double share, uint64_t seed,
                           uint64_t stream)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_COLUMNS, stream);
    size_t n = 0;
    for (size_t i = 0; i < n_features; ++i)
        if (mask[i]) order[n++] = (uint32_t)i;
    if (n == 0) return;
    size_t keep = (size_t)ceil(share * (double)n - 1e-9);
    if (keep < 1) keep = 1;
    for (size_t i = 0; i < keep && i + 1 < n; ++i) {
        const size_t k = i + (size_t)scarce__random_below(&r, n - i);
        const uint32_t t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (size_t i = keep; i < n; ++i) mask[order[i]] = 0;
}
