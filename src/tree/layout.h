/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a binned table, laid out twice:
 *
 *   tiles   [tile of 128 rows][column][128]     scoring (vector compare down a column) and partition
 *   rows    [slab of 64 columns][row][width]    histograms: one line of memory holds a row's codes;
 *                                               width = 64, in the last slab the rest rounded up to 8
 *
 * A compact copy (a bag of rows) has only the second. Padding bytes are 0. */
#ifndef SCARCE_TREE_LAYOUT_H
#define SCARCE_TREE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "tree/bins.h"

enum { SCARCE__TILE = 128, SCARCE__SLAB = 64 };

typedef struct scarce__codes {
    size_t n_rows, n_columns;
    uint8_t *tiles;       /* or NULL */
    uint8_t *rows;        /* or NULL */
    size_t rows_capacity; /* rows there is room for in `rows` */
} scarce__codes;

static inline size_t scarce__slabs(size_t n_columns)
{
    return (n_columns + SCARCE__SLAB - 1) / SCARCE__SLAB;
}

static inline size_t scarce__slab_width(size_t n_columns, size_t slab)
{
    const size_t rest = n_columns - slab * SCARCE__SLAB;
    return rest >= SCARCE__SLAB ? SCARCE__SLAB : (rest + 7) / 8 * 8;
}

static inline uint8_t *scarce__slab(const scarce__codes *c, size_t slab)
{
    return c->rows + slab * SCARCE__SLAB * c->n_rows;
}

static inline uint8_t *scarce__tile(const scarce__codes *c, size_t tile)
{
    return c->tiles + tile * SCARCE__TILE * c->n_columns;
}

/* Codes `n` rows of the table (rows NULL: all). with_rows: the second layout too. */
scarce_status scarce__codes_build(scarce__codes *out, const scarce__bins *bins, const scarce_table *table,
                                  const uint32_t *rows, size_t n, int with_rows, scarce_context *ctx,
                                  scarce_error *err);

/* Copies the given rows together into out->rows (grown as needed, so one `out` serves bag after bag). */
scarce_status scarce__codes_gather(scarce__codes *out, const scarce__codes *from, const uint32_t *row,
                                   size_t n, scarce_context *ctx, scarce_error *err);

/* Puts the rows of `more` (same columns) behind those of a gathered copy, which loses its tiles. */
scarce_status scarce__codes_append(scarce__codes *codes, const scarce__codes *more, scarce_error *err);

/* Lays the tiles of a gathered copy beside its rows. */
scarce_status scarce__codes_retile(scarce__codes *codes, scarce_context *ctx, scarce_error *err);

void scarce__codes_deinit(scarce__codes *codes);
size_t scarce__codes_bytes(size_t n_rows, size_t n_columns, int with_rows);

#endif
