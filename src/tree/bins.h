/* SPDX-License-Identifier: Apache-2.0 */
/* A table cut into bytes: what trees are grown on.
 *
 * A feature with two or more bins is *used*. It lives in a byte column, alone or in a bundle:
 *   alone    code 0 = missing, code 1 + b = bin b
 *   bundle   several features that are never away from zero in the same row share a column: code 0 = all of
 *            them in their zero bin, else code first + (b, not counting the zero bin). Such features have no
 *            missing value; where one turns up later it is treated like zero.
 * Numeric: bin = number of edges below x, so that (bin <= b) is exactly (x <= edge[b]) for every float.
 * Category: the most frequent ones have a bin each, the last bin is for all others (rare or unknown). */
#ifndef SCARCE_TREE_BINS_H
#define SCARCE_TREE_BINS_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>
#include <scarce/table.h>

#include "core/bytes.h"
#include "tree/quantile.h"

typedef struct scarce__bin_feature {
    uint32_t feature; /* number in the schema */
    uint32_t column;
    uint16_t n_bins; /* 2 or more */
    uint16_t first;  /* code of bin 0 (of the first bin that has a code) */
    int16_t zero;    /* in a bundle: the bin without a code; else -1 */
    uint8_t category;
    uint8_t has_missing; /* in the rows the bins were found on */
    uint32_t edge;       /* numeric: n_bins - 1 items of bins.edges from here */
    uint32_t map;        /* category: n_categories items of bins.bin_of from here */
    uint32_t n_categories;
} scarce__bin_feature;

typedef struct scarce__bins {
    size_t n_features; /* of the schema */
    size_t n_used;
    scarce__bin_feature *used; /* in the order of the schema */
    int32_t *used_of;          /* schema feature -> used, or -1 (constant) */
    size_t n_columns;
    uint16_t *n_codes;      /* per column, 2..256 */
    uint32_t *column_begin; /* n_columns + 1: into column_used */
    uint32_t *column_used;  /* the used features of each column */
    float *edges;
    uint8_t *bin_of;
} scarce__bins;

typedef struct scarce__bin_options {
    int max_bins;          /* 2..255 */
    int min_category_rows; /* rarer categories are pooled */
    double bundle_share;   /* features away from zero in at most this share of rows are bundled; 0: none */
    double positive_share; /* of the cuts are made where the positives lie, when they are rarer; 0: none */
} scarce__bin_options;

#define SCARCE__BIN_OPTIONS_INIT SCARCE_INIT(.max_bins = 255, .min_category_rows = 1, .bundle_share = 0.2)

/* Finds the bins of `n` rows of the table (rows NULL: all, n ignored). weight: per table row, or NULL. */
scarce_status scarce__bins_find(scarce__bins *out, const scarce_table *table, const uint32_t *rows, size_t n,
                                const double *weight, const scarce__bin_options *options, scarce_context *ctx,
                                scarce_error *err);
/* Of all rows of a table, by an even sample of each class where they are many (bins_sampled.c). */
scarce_status scarce__bins_find_sampled(scarce__bins *out, const scarce_table *table, const double *weight,
                                        const scarce__bin_options *options, scarce_context *ctx,
                                        scarce_error *err);
int scarce__bins_sampled(const scarce_table *table); /* is it by a sample? */
/* Weights of the given rows (NULL: the first n) times a factor by class, indexed as the table's rows; to be freed. NULL:
 * out of memory. */
double *scarce__bins_weights(const scarce_table *table, const uint32_t *rows, size_t n, const double *weight,
                             const double factor[2]);

void scarce__bins_write(const scarce__bins *bins, scarce__writer *w);
scarce_status scarce__bins_read(scarce__bins *out, scarce__reader *r,
                                scarce_error *err); /* EPARSE: damaged */

void scarce__bins_deinit(scarce__bins *bins);
size_t scarce__bins_bytes(const scarce__bins *bins);

/* The code of one value (number, or category code as float, NaN = missing) of a used feature within its
 * column. The slow obvious way; layout.c codes whole columns. */
unsigned scarce__bins_code(const scarce__bins *bins, const scarce__bin_feature *used, float x);

/* Where the stored values of a sparse column fall within a list of rows: positions of table row r are
 * where[begin[r]] .. where[begin[r + 1] - 1]. NULL begin: the rows are the table's own. */
typedef struct scarce__positions {
    uint32_t *begin, *where;
} scarce__positions;

scarce_status scarce__positions_of(scarce__positions *out, const scarce_table *table, const uint32_t *rows,
                                   size_t n, scarce_error *err);
void scarce__positions_deinit(scarce__positions *p);

/* Number of edges below key. */
static inline unsigned scarce__bin_search(const uint32_t *edge_key, unsigned n_edges, uint32_t key)
{
    unsigned lo = 0, n = n_edges;
    while (n > 0) {
        const unsigned half = n / 2;
        if (edge_key[lo + half] < key) {
            lo += half + 1;
            n -= half + 1;
        } else n = half;
    }
    return lo;
}

#endif
