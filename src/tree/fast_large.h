/* SPDX-License-Identifier: Apache-2.0 */
/* Walking forests that have large trees (fast_large.c), a large tile of rows at a time:
 *
 *     scarce__large tile;
 *     if (scarce__large_new(&tile, fast)) ...
 *     for each SCARCE__TILE rows  fill scarce__large_columns(&tile, fast, at); scarce__large_turn(&tile, fast, at);
 *     scarce__large_tops(&tile, fast, n); sums = base; for each tree  walk(fast, tree, &tile, n);          (a kernel of fast_inside.h)
 *     scarce__large_free(&tile); */
#ifndef SCARCE_TREE_FAST_LARGE_H
#define SCARCE_TREE_FAST_LARGE_H

#include "tree/fast_inside.h"

/* Levels to go before looking who has arrived. */
enum { SCARCE__LEVELS = 4 };
#define SCARCE__EXIT_LEAF 0x80000000u /* an exit of the top that is a leaf */

struct scarce__large {
    size_t width, rows; /* bytes of a row; rows that fit, a multiple of SCARCE__BIT_ROWS below 2^16 */
    uint8_t *columns;   /* for every SCARCE__TILE rows the tile of fast_inside.h */
    uint8_t *bytes;     /* the same row after row, and 64 more */
    uint8_t *top;       /* for each tree: by row, the exit from its top */
    scarce__bits *bits; /* of the tops, and */
    scarce__bits *masks;
    uint32_t *place; /* where each row is in the tree, counted from its root, if it adds something */
    uint16_t *adds;  /* these rows, */
    uint16_t *list;  /* those on their way; room for 64 more in both */
    double *sums;
};

/* Bytes of a row in a tile. */
size_t scarce__large_width(const scarce__fast *fast);
/* 0 without memory; nothing is held then. */
int scarce__large_new(scarce__large *l, const scarce__fast *fast);
void scarce__large_free(scarce__large *l);
/* Where the columns of rows at .. at + SCARCE__TILE - 1 begin, and writing them row after row. */
uint8_t *scarce__large_columns(const scarce__large *l, const scarce__fast *fast, size_t at);
void scarce__large_turn(const scarce__large *l, const scarce__fast *fast, size_t at);
/* Fills `top` for the first n rows and all trees. */
void scarce__large_tops(const scarce__large *l, const scarce__fast *fast, size_t n);

/* Adds the values where rows arrived to the sums of those in `adds`. */
void scarce__large_add(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n_adds);
/* Adds a tree's values to the sums of the first n rows. */
void scarce__large_walk_plain(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n);
void scarce__large_walk_avx512(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n);

#endif
