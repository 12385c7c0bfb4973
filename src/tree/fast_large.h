/* SPDX-License-Identifier: Apache-2.0 */
/* Walking forests that have large trees (fast_large.c), a large tile of rows at a time:
 *
 *     scarce__large tile;
 *     if (scarce__large_new(&tile, fast)) ...
 *     for each SCARCE__TILE rows  scarce__large_turn(&tile, at, columns, n_columns);
 *     sums = base; for each tree  walk(fast, tree, &tile, n);          (a kernel of fast_inside.h)
 *     scarce__large_free(&tile); */
#ifndef SCARCE_TREE_FAST_LARGE_H
#define SCARCE_TREE_FAST_LARGE_H

#include "tree/fast_inside.h"

/* Levels that all rows go, and that those go on which have not arrived. */
enum { SCARCE__FIRST_LEVELS = 8, SCARCE__NEXT_LEVELS = 4 };

struct scarce__large {
    size_t width, rows; /* bytes of a row; rows that fit, a multiple of SCARCE__TILE below 2^16 */
    uint8_t *bytes;     /* row after row, and 64 more */
    uint32_t *place;    /* where each row is in the tree, counted from its root */
    uint16_t *list;     /* rows on their way, and room for 64 more */
    double *sums;
};

/* Bytes of a row in a tile. */
size_t scarce__large_width(const scarce__fast *fast);
/* 0 without memory; nothing is held then. */
int scarce__large_new(scarce__large *l, const scarce__fast *fast);
void scarce__large_free(scarce__large *l);
/* Puts a tile of columns (SCARCE__TILE bytes each) to rows at .. at + SCARCE__TILE - 1. */
void scarce__large_turn(const scarce__large *l, size_t at, const uint8_t *columns, size_t n_columns);

/* Adds a tree's values to the sums of the first n rows. */
void scarce__large_walk_plain(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n);
void scarce__large_walk_avx512(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n);

#endif
