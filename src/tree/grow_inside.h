/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of growth share: grow_setup.c (memory, constraints), grow_node.c (the histogram and the best
 * split of a leaf), grow_active.c (leaving out rows that round to nothing), grow.c (which leaf is split, and
 * what becomes of its rows). */
#ifndef SCARCE_TREE_GROW_INSIDE_H
#define SCARCE_TREE_GROW_INSIDE_H

#include "tree/grow.h"
#include "tree/leaf_heap.h"
#include "tree/quantise.h"

enum {
    SEGMENT = 2048, /* rows of one task of a histogram */
    MOST_SEGMENTS = 8,
    SEARCH_COLUMNS = 4,     /* columns of one task of the search */
    INLINE_UPDATES = 65536, /* additions of a histogram that aren't worth waking threads for */
    INLINE_CELLS = 16384,   /* cells of a search likewise */
    UPDATE_BLOCK = 32768
};

typedef struct scarce__leaf {
    size_t begin, end; /* in the list of rows */
    scarce__totals total;
    scarce__split best;
    double low, high;
    double own;    /* of the criterion */
    uint32_t node; /* number in the tree */
    uint32_t depth;
    int32_t slot; /* of its histogram, or -1 */
    int open;     /* may be split */
} scarce__leaf;

typedef struct scarce__leaf_sum {
    double g, h;
    size_t rows;
} scarce__leaf_sum;

struct scarce__grower {
    const scarce__bins *bins;
    scarce__grow_options options;
    const scarce__criterion *criterion;
    scarce__hist_layout layout;
    size_t max_rows;
    int counted; /* rows and marks are counted per bin */
    uint32_t *row, *spare, *block_left;
    scarce__gh *q, *one; /* per row: gradients, counts */
    scarce__ghd *d;
    size_t slot_cells, n_slots; /* cells of 8 bytes */
    scarce__gh *slots, *segments;
    int32_t *free_slots;
    size_t n_free;
    scarce__leaf *leaves;
    size_t n_leaves, leaves_capacity;
    scarce__leaf_heap next;    /* open leaves, the one to be split first */
    scarce__leaf_heap victims; /* those with a histogram, the smallest gain first; items may be stale */
    int8_t *monotone;          /* per used feature */
    uint8_t *tree_mask;        /* per used feature, or NULL: all */
    uint8_t *mask[2];          /* of the two children being searched */
    uint32_t *order;           /* for drawing features */
    uint64_t *path;            /* per leaf: groups that still hold all features above; words = group_words */
    size_t group_words;
    uint64_t *groups_of;  /* per used feature */
    scarce__split *found; /* [task][child] */
    size_t search_tasks;
    /* rounding coarsely, or NULL: */
    uint8_t *leaf_of;            /* per row: leaf, in the order of the nodes */
    scarce__leaf_sum *leaf_sums; /* [block][lane][SCARCE__TILES_LEAVES] */
    uint32_t *leaf_node;
    /* of the tree being grown */
    int active; /* on the rows that keep a gradient; leaf_of tells of all rows */
    int some;   /* on a caller's list of rows */
    const scarce__codes *codes;
    scarce__quantised units;
    uint64_t index;
    scarce__pool *pool;
};

/* ---- grow_setup.c */

size_t scarce__grow_segments(size_t n);                       /* of the histogram of n rows */
int scarce__grow_reserve_leaves(scarce__grower *w, size_t n); /* 0 when memory is exhausted */

/* ---- grow_node.c */

/* A free slot; when there is none, that of the queued leaf with the smallest gain. */
int32_t scarce__grow_take_slot(scarce__grower *w);
void scarce__grow_give_slot(scarce__grower *w, scarce__leaf *l);

/* The histogram of a leaf into a slot and the segments; the search adds the segments up. Returns their
 * number. */
size_t scarce__grow_build(scarce__grower *w, const scarce__leaf *l, int32_t slot, int root);

/* The best splits of the leaf that was built and of its sibling (either may be NULL: not wanted). parent_slot
 * holds the parent's histogram and becomes the sibling's; -1: no subtraction. Leaves without a split are
 * closed. */
void scarce__grow_search(scarce__grower *w, scarce__leaf *built, int32_t built_slot, scarce__leaf *other,
                         int32_t parent_slot, size_t segments);

/* ---- grow_active.c */

/* Rows from which on coarse rounding is worth its two passes over all rows. */
enum { ACTIVE_FROM = 65536 };

size_t scarce__grow_list_active(scarce__grower *w); /* fills w->row, returns how many */

/* Values, covers and rows of the nodes from the exact gradients of all rows; fills leaf_of. */
scarce_status scarce__grow_settle_active(scarce__grower *w, scarce__binned_tree *tree, const float *g,
                                         const float *h, scarce_context *ctx, scarce_error *err);
void scarce__grow_add_active(const scarce__grower *w, const scarce__binned_tree *tree, float *score,
                             size_t begin, size_t end);
size_t scarce__grow_leaf_sums(size_t max_rows);

#endif
