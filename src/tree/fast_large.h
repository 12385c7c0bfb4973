/* SPDX-License-Identifier: Apache-2.0 */
/* Walking forests that have large trees (fast_large.c), SCARCE__BIT_ROWS rows at a time:
 *
 *     scarce__large tile;
 *     if (scarce__large_new(&tile, fast)) ...
 *     for each SCARCE__TILE rows  fill scarce__large_columns(&tile, fast, at)
 *     sums = base; scarce__large_score(&tile, fast, n);
 *     scarce__large_free(&tile); */
#ifndef SCARCE_TREE_FAST_LARGE_H
#define SCARCE_TREE_FAST_LARGE_H

#include "tree/fast_top.h"

enum {
    SCARCE__LARGE_ADDS = 1 << 15, /* most additions that wait together */
    SCARCE__LEVELS = 2            /* to go before looking who has arrived */
};
#define SCARCE__EXIT_LEAF 0x80000000u /* an exit of a top that is a leaf */

/* What is to be added, tree after tree: the value of leaf at[k] to sums[row[k]]. */
struct scarce__large {
    uint8_t *columns; /* for every SCARCE__TILE rows the tile of fast_inside.h, and 64 bytes more */
    scarce__bits *bits, *masks;
    uint16_t *place; /* by row: of the tree at hand */
    size_t n_adds, n_waiting;
    uint16_t *row;
    uint32_t *at;      /* nodes of the forest, */
    uint16_t *waiting; /* for these k not yet a leaf. Room for 64 more in all three */
    double *sums;
};

/* 0 without memory; nothing is held then. */
int scarce__large_new(scarce__large *l, const scarce__fast *fast);
void scarce__large_free(scarce__large *l);
/* Where the columns of rows at .. at + SCARCE__TILE - 1 begin. */
uint8_t *scarce__large_columns(const scarce__large *l, const scarce__fast *fast, size_t at);
/* Adds all trees to the sums of the first n rows. */
void scarce__large_score(scarce__large *l, const scarce__fast *fast, size_t n);

/* Kernels of fast_inside.h: additions of a tree from the places of n rows; and the walk of all that wait. */
void scarce__large_collect_plain(const scarce__fast *fast, size_t tree, size_t n, scarce__large *l);
void scarce__large_collect_avx512(const scarce__fast *fast, size_t tree, size_t n, scarce__large *l);
void scarce__large_walk_plain(const scarce__fast *fast, scarce__large *l);
void scarce__large_walk_avx512(const scarce__fast *fast, scarce__large *l);

#endif
