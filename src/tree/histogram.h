/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of (g, h) per column and code over the rows of a node (see histogram.c). */
#ifndef SCARCE_TREE_HISTOGRAM_H
#define SCARCE_TREE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "tree/layout.h"

/* g in the upper half (signed), h in the lower (unsigned, below 2^31 in any sum): one addition for both. */
typedef int64_t scarce__gh;

static inline scarce__gh scarce__gh_pack(int32_t g, int32_t h)
{
    return (scarce__gh)((uint64_t)(int64_t)g << 32) + h;
}

static inline int32_t scarce__gh_g(scarce__gh v)
{
    return (int32_t)(v >> 32);
}

static inline int32_t scarce__gh_h(scarce__gh v)
{
    return (int32_t)(uint32_t)(uint64_t)v;
}

/* The floating variant. */
typedef struct scarce__ghd {
    double g, h;
} scarce__ghd;

/* Where the cells of a column begin. Columns take an odd number of cache lines, so that the popular codes of
 * many columns don't fall on the same lines of the first-level cache. */
typedef struct scarce__hist_layout {
    size_t n_columns;
    uint32_t *offset; /* n_columns + 1, in cells of 8 bytes */
    size_t n_cells;
} scarce__hist_layout;

scarce_status scarce__hist_layout_init(scarce__hist_layout *out, const scarce__bins *bins, scarce_error *err);
void scarce__hist_layout_deinit(scarce__hist_layout *layout);

/* Clears the cells of one slab's columns and adds the rows row[begin..end) (row NULL: begin..end themselves);
 * value is indexed by row. */
void scarce__hist_build(scarce__gh *cells, const scarce__hist_layout *layout, const scarce__codes *codes,
                        size_t slab, const uint32_t *row, size_t begin, size_t end, const scarce__gh *value);
void scarce__hist_build_double(scarce__ghd *cells, const scarce__hist_layout *layout,
                               const scarce__codes *codes, size_t slab, const uint32_t *row, size_t begin,
                               size_t end, const scarce__ghd *value);

#endif
