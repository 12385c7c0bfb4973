/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of exact growth share: exact_setup.c (columns and their order), exact_search.c (the best
 * split of a leaf on one feature), exact.c (growth). */
#ifndef SCARCE_TREE_EXACT_INSIDE_H
#define SCARCE_TREE_EXACT_INSIDE_H

#include "tree/exact.h"
#include "tree/leaf_heap.h"

enum { EXACT_BLOCK = 256 }; /* candidates valued at a time; whole lanes */

/* A used feature. Numeric: positions in the order of their values, missing ones last. Category: codes 0 =
 * missing, 1 + c, and 1 + n_categories = unknown. */
typedef struct scarce__exact_feature {
    uint32_t feature; /* number in the schema */
    int category;
    uint32_t n_categories;
    float *x;         /* numeric: per position */
    uint32_t *code;   /* category: per position */
    uint32_t *sorted; /* numeric, of all positions */
    uint32_t *list;   /* numeric: those of the tree; a leaf's positions stand together, sorted */
} scarce__exact_feature;

typedef struct scarce__exact_row {
    double g, h;
    scarce__gh counts;
} scarce__exact_row;

typedef struct scarce__exact_split {
    double gain;
    int32_t used; /* -1: none */
    uint8_t missing_left;
    uint32_t at;     /* category: the last of the prefix, or the only one */
    float threshold; /* numeric */
    scarce__totals left;
} scarce__exact_split;

typedef struct scarce__exact_leaf {
    size_t begin, end; /* in the lists */
    scarce__totals total;
    scarce__exact_split best;
    double own;
    uint32_t node, depth;
    int open;
} scarce__exact_leaf;

/* Category codes of a leaf in the order in which they are tried. */
typedef struct scarce__exact_rank {
    double key;
    uint32_t code;
} scarce__exact_rank;

/* Of one worker. */
typedef struct scarce__exact_scratch {
    double g[EXACT_BLOCK], h[EXACT_BLOCK], value[EXACT_BLOCK];
    scarce__gh counts[EXACT_BLOCK];
    uint32_t at[EXACT_BLOCK];
    scarce__exact_row *cells; /* per code, zero between uses */
    scarce__exact_rank *rank;
    double *root, *penalty;
    uint32_t *spare; /* n positions */
} scarce__exact_scratch;

struct scarce__exact {
    scarce__grow_options options;
    const scarce__criterion *criterion;
    size_t n, n_tree, n_used; /* positions, those of the tree; features */
    scarce__exact_feature *used;
    uint32_t most_codes;
    scarce__exact_row *data;      /* per position */
    uint32_t *row;                /* positions of the tree, leaf by leaf */
    uint8_t *side;                /* per position: goes left */
    uint32_t *leaf_of;            /* per position */
    uint8_t *tree_mask, *mask[2]; /* per used feature, or NULL: all */
    uint32_t *order;              /* for drawing features */
    scarce__exact_split *found;   /* [feature][child] */
    scarce__exact_leaf *leaves;
    size_t n_leaves, leaves_capacity;
    scarce__leaf_heap next;
    scarce__exact_scratch *scratch; /* per worker */
    size_t n_scratch;
};

/* ---- exact_setup.c */

int scarce__exact_reserve_leaves(scarce__exact *w, size_t n); /* 0 when memory is exhausted */

/* Scratch for so many workers. */
scarce_status scarce__exact_workers(scarce__exact *w, int threads, scarce_error *err);

/* ---- exact_search.c */

/* The best split of the leaf on one used feature. */
void scarce__exact_search(const scarce__exact *w, const scarce__exact_leaf *leaf, uint32_t used,
                          scarce__exact_scratch *s, scarce__exact_split *best);

/* Fills s->rank with the categories of the leaf in the order the search tries them; returns how many. one:
 * each against the rest, else prefixes. s->cells holds their sums until scarce__exact_forget. */
size_t scarce__exact_rank_categories(const scarce__exact *w, const scarce__exact_leaf *leaf, uint32_t used,
                                     scarce__exact_scratch *s, int *one);
void scarce__exact_forget(scarce__exact_scratch *s, size_t n);

#endif
