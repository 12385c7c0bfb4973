/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of binning share: bins_cut.c (the bins of each feature), bundle.c (features that share a
 * column), bins.c (both put together). */
#ifndef SCARCE_TREE_BINS_INSIDE_H
#define SCARCE_TREE_BINS_INSIDE_H

#include "data/table.h"
#include "tree/bins.h"

/* What one task finds out about one feature. */
typedef struct scarce__found {
    uint32_t n_bins; /* below 2: not used */
    uint32_t n_missing;
    int zero;      /* bin of the value 0 */
    uint32_t away; /* rows outside that bin */
    float *edge;   /* n_bins - 1 */
    uint8_t *map;  /* category: its bin */
    uint32_t n_categories;
    uint32_t column, first;
    int bundled, failed;
} scarce__found;

typedef struct scarce__finder {
    const scarce_table *table;
    const uint32_t *rows;
    size_t n;
    const double *weight; /* per table row, or NULL; and in the order they are looked at: */
    double *listed_weight, *positive_weight;
    scarce__bin_options options;
    uint32_t *positive; /* table rows, when cuts are made for them */
    size_t n_positive;
    scarce__positions positions;
    scarce__cutter *cutters;
    float **values; /* per worker: listed values of a sparse column */
    uint32_t **where;
    scarce__found *features;
} scarce__finder;

/* ---- bins_cut.c */

/* The table rows of the positives, if cuts are to be made for them. */
scarce_status scarce__bins_positives(scarce__finder *f, scarce_error *err);

/* Task `index` finds the bins of that feature; arg is the finder. */
void scarce__bins_cut(void *arg, size_t index, int worker);

/* The listed values of a sparse column within the rows, and their places there; at most n. */
size_t scarce__listed_values(const scarce__finder *f, const scarce__sparse *s, float *value, uint32_t *where);

/* ---- bundle.c */

/* Gives every candidate a bundle and codes; members[b] says how many features bundle b has (those of one are
 * undone by the caller). */
scarce_status scarce__bins_bundle(scarce__finder *f, size_t *n_bundles, uint32_t *members, scarce_error *err);

#endif
