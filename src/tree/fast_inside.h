/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a prepared scorer.
 *
 * Inputs. The thresholds of one feature, sorted and without repeats, in chunks of at most 255, make a
 * byte of a value: bin(x) = #{k : t_k < x}, so that x > t_k is bin(x) > k. NaN gives bin 0 (never
 * right); where a node sends missing values right, a second column holds 255 for them (always right).
 * The category splits of one feature make classes: codes that no split of the group tells apart; a
 * group of splits has at most 256 classes. So each test, whatever it was, reads one byte per row.
 *
 * Tests. The leaves of a tree are numbered from left to right; a subtree owns the leaves first..last.
 * A row's place starts at leaf 0, and test after test (parents before children)
 *     place == first and it goes right  ->  place = first leaf of the right child.
 * A row is below a node exactly when its place is the node's first leaf and all nodes above were done,
 * so no path has to be remembered, and 64 rows take three vector instructions per node.
 *
 * Masks (one row). A node that sends the row right leaves "all but the leaves of its left child"; the AND
 * over all such nodes of a tree has the exit leaf as lowest bit (QuickScorer, Lucchese et al. 2015). The
 * nodes of an input that send bin b right are those with threshold number < b: their ANDs, for each tree
 * a word, are made beforehand for every 2^shift-th b (a row of the mask table); at most 2^shift - 1
 * thresholds remain, whose nodes (the rest) are taken one by one. shift is as small as memory allows, 0
 * for forests of some hundred trees.
 *
 * Walking. Where a tree has more than 256 leaves (batch: over the bytes, fast_large.c), or the masks don't fit (one
 * row), compact nodes are walked in lock-step, several at once, so that their memory latencies overlap. */
#ifndef SCARCE_TREE_FAST_INSIDE_H
#define SCARCE_TREE_FAST_INSIDE_H

#include "tree/fast.h"
#include "tree/step.h"

enum {
    SCARCE__TILE = 256,        /* rows scored together */
    SCARCE__CHUNK = 255,       /* thresholds per column */
    SCARCE__BLOCKS = 32,       /* in which they are searched, where there are more of them */
    SCARCE__BYTE_LEAVES = 256, /* leaves a place can name */
    SCARCE__LOCKSTEP = 8,      /* trees walked together */
    SCARCE__MASK_CHUNK = 512,  /* trees whose masks are on the stack together */
    SCARCE__BIT_ROWS = 512,    /* rows whose tests are bits (fast_top.c) */
    SCARCE__BIT_WORDS = SCARCE__BIT_ROWS / 64,
    SCARCE__PLANES = 9, /* bits of a place below the top; 3 at a time */
    SCARCE__PLACES = 1 << SCARCE__PLANES,
    SCARCE__PIECE = 4 /* most steps from one load of a mask to its store */
};
#define SCARCE__NO_COLUMN UINT32_MAX

typedef struct scarce__input {
    uint32_t feature;
    uint32_t category;
    uint32_t n;         /* thresholds, or codes (then class n is "other", n + 1 missing) */
    uint32_t padded;    /* thresholds with +inf behind them: a power of two, at least 16 and n + 1 */
    uint32_t n_bins;    /* thresholds + 1, or classes */
    size_t offset;      /* into thresholds, or into classes */
    uint32_t column[2]; /* with missing values left, right; category: [0] */
    size_t mask_row;    /* first row in the mask table */
    uint32_t n_rows;    /* rows for bins or classes; numeric: row mask_row + n_rows is for missing */
    size_t rest;        /* where its bins begin in rest_begin */
} scarce__input;

/* bin, first and right repeat their byte 4 times: so a vector is filled by a load alone. */
typedef struct scarce__test {
    uint32_t column;
    uint32_t bin; /* right when byte > bin; category: */
    uint32_t first, right;
    uint32_t lookup; /* 1 + number of the 256-byte table, 255 = right; 0 for numeric tests */
} scarce__test;

typedef struct scarce__fast_tree {
    size_t test; /* its first test */
    uint32_t n_tests;
    uint32_t n_leaves; /* more than 256: it has no tests */
    size_t leaf;       /* its first value in leaves; padded to a power of two, at least 16 */
} scarce__fast_tree;

typedef struct scarce__walk_node {
    float threshold;  /* leaf: +inf */
    uint32_t feature; /* with the bits below; a leaf reads feature 0 and stays where it is */
    uint32_t kid;     /* left; the right one is its neighbour */
} scarce__walk_node;

#define SCARCE__WALK_MISSING_LEFT 0x80000000u
#define SCARCE__WALK_CATEGORY 0x40000000u
#define SCARCE__WALK_FEATURE 0x3fffffffu

typedef struct scarce__walk_set {
    uint32_t set, words, flags;
} scarce__walk_set;

/* A bit for each of SCARCE__BIT_ROWS rows. */
typedef struct scarce__bits {
    uint64_t word[SCARCE__BIT_WORDS];
} scarce__bits;

/* A column that the tops of trees ask for. Its n rows of bits begin at `row`: for numbers row + k is "byte > bin[k]",
 * for categories there is one per class. */
typedef struct scarce__top_column {
    uint32_t column, row, n;
    uint8_t category;
    uint8_t planes;   /* numbers: the bits that its bytes need, at least 1 */
    uint8_t twin;     /* it holds what the one before holds, but 255 for missing values */
    uint8_t n_low;    /* those of bin that are below half of what the bits can say */
    uint8_t bin[256]; /* ascending */
} scarce__top_column;

/* The bits of a category test: those of its column's classes that go right. */
typedef struct scarce__top_set {
    uint32_t row, column_row, n; /* n classes */
    uint32_t lookup;             /* number of the 256-byte table */
} scarce__top_set;

/* A step of a piece (fast_top.c): of the rows of place `from` those of bits[row], or with flip the others, leave for place
 * `off`; 0 is never read. */
typedef struct scarce__top_step {
    uint32_t row;
    uint32_t flip; /* 0 or all ones */
    uint16_t off;
    uint16_t from; /* the same for all of a piece */
} scarce__top_step;

typedef struct scarce__top {
    size_t step, exit; /* its first ones */
    uint32_t n_steps, n_places;
    uint32_t n_pieces[SCARCE__PIECE]; /* the longest first */
} scarce__top;

struct scarce__fast {
    size_t n_features, n_trees, bytes;
    double base;
    int level; /* of instructions */
    int has_category;

    /* walking */
    scarce__walk_node *nodes;
    float *values;               /* of leaves, by node */
    uint32_t *roots;             /* by tree */
    uint32_t *depths;            /* by tree */
    scarce__walk_set *walk_sets; /* a category node's `threshold` holds the bits of its index here */
    uint32_t *sets;

    /* tiles */
    int has_tests; /* 0: the categories are too many to be classed, everything is walked */
    int has_large; /* some tree has more leaves than a byte can name */
    size_t n_inputs, inputs_capacity, n_columns, n_tests, n_lookups, n_classes;
    scarce__input *inputs;
    float *
        thresholds; /* of each input twice: sorted, and where padded > SCARCE__BLOCKS level by level of a search */
    uint8_t *classes;
    scarce__test *tests;
    uint8_t *lookups; /* 256 bytes each */
    uint8_t *bitmaps; /* the same as 256 bits each */
    scarce__fast_tree *trees;
    float *leaves;

    /* forests with large trees (fast_large.c), by walk node; neither of the first two: they are walked over values */
    uint32_t *short_nodes;   /* how far the left kid is << 16 | column << 8 | bin, */
    uint64_t *long_nodes;    /* or ... << 32 | column << 8 | bin */
    uint32_t *byte_lookup;   /* of category nodes: the number of the 256-byte table */
    uint32_t first_category; /* columns from here on hold classes */
    uint32_t *exits;         /* where the tops lead, by place */
    scarce__top *tops;       /* by tree */
    scarce__top_step *steps;
    scarce__top_column *top_columns;
    scarce__top_set *top_sets;
    size_t n_top_columns, n_top_sets, n_bits; /* the last: rows of bits */

    /* masks */
    int mask_width;     /* 0 none, 4 or 8 bytes */
    size_t mask_stride; /* words per row: the trees, padded to a multiple of 16 */
    void *masks;
    uint32_t mask_shift;
    size_t rest_bins;     /* of all inputs together */
    uint32_t *rest_begin; /* for each chunk of trees and bin: its first rest node; NULL when shift is 0 */
    uint16_t *rest_tree;  /* within the chunk */
    void *rest_mask;      /* words, as in masks */
};

/* Which byte a node of the forest reads, while a scorer is built; by node of the forest. */
typedef struct scarce__node_test {
    uint32_t input;
    uint32_t bin;    /* numeric */
    uint32_t lookup; /* category: as in scarce__test */
} scarce__node_test;

/* Builders; they fail with ENOMEM only, and what they made so far belongs to fast. */
scarce_status scarce__fast_build_walk(scarce__fast *fast, const scarce__forest *forest);
scarce_status scarce__fast_build_numeric(scarce__fast *fast, const scarce__forest *forest,
                                         scarce__node_test *where);
scarce_status scarce__fast_build_category(scarce__fast *fast, const scarce__forest *forest,
                                          scarce__node_test *where);
scarce_status scarce__fast_build_trees(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where);
scarce_status scarce__fast_build_top(scarce__fast *fast, const scarce__forest *forest,
                                     const scarce__node_test *where, const uint32_t *place);
scarce_status scarce__fast_build_large(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where);
scarce_status scarce__fast_build_masks(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where);
/* Numbers the leaves of a tree from left to right: first[i] and count[i] of the leaves below node i. */
void scarce__fast_number_leaves(const scarce__node *nodes, size_t n, uint32_t *first, uint32_t *count);
/* One more input, cleared; NULL without memory. */
scarce__input *scarce__fast_add_input(scarce__fast *fast);

/* Where value x goes from node `at` (which is no leaf). */
uint32_t scarce__fast_step(const scarce__fast *fast, uint32_t at, float x);
/* The leaf node of a tree for a row. */
uint32_t scarce__fast_walk_tree(const scarce__fast *fast, size_t tree, const float *row);
double scarce__fast_walk_all(const scarce__fast *fast, const float *row);
/* Adds a tree's values for a tile of rows. */
void scarce__fast_walk_tile(const scarce__fast *fast, size_t tree, const float *rows, size_t n, size_t stride,
                            double *sums);

/* The column that an inner node reads. */
static inline uint32_t scarce__node_column(const scarce__fast *fast, const scarce__node *node,
                                           const scarce__node_test *w)
{
    const scarce__input *input = fast->inputs + w->input;
    return input->column[!(node->flags & (SCARCE__MISSING_LEFT | SCARCE__CATEGORY))];
}

/* Which class a code has. */
static inline uint8_t scarce__input_class(const scarce__fast *fast, const scarce__input *input, float x)
{
    const uint8_t *classes = fast->classes + input->offset;
    if (x != x) return classes[input->n + 1];
    if (x >= 0 && (double)x < (double)input->n) return classes[(uint32_t)x];
    return classes[input->n];
}

/* The kernels of one instruction set. */
typedef struct scarce__large scarce__large;

typedef struct scarce__kernels {
    /* bytes of n values (a multiple of 64): missing gives 0 in left, 255 in right; one may be NULL */
    void (*bin)(const float *thresholds, uint32_t padded, const float *x, size_t n, uint8_t *left,
                uint8_t *right);
    /* adds the values of a tree, found by its tests, for n rows (a multiple of 64, at most a tile) */
    void (*tree)(const scarce__fast *fast, const scarce__fast_tree *tree, const uint8_t *columns, size_t n,
                 double *sums);
    /* one row by masks */
    double (*one)(const scarce__fast *fast, const float *row);
    /* of the tops of trees (fast_top.h) */
    void (*bits)(const scarce__fast *fast, const uint8_t *columns, scarce__bits *bits);
    void (*places)(const scarce__fast *fast, size_t tree, const scarce__bits *bits, scarce__bits *masks,
                   uint16_t *place);
    /* what a tree adds, and where it is found (fast_large.h) */
    void (*collect)(const scarce__fast *fast, size_t tree, size_t n, scarce__large *tile);
    void (*walk)(const scarce__fast *fast, scarce__large *tile);
} scarce__kernels;

extern const scarce__kernels scarce__kernels_plain;
#if defined(__x86_64__) && defined(__GNUC__)
#define SCARCE__FAST_X86 1
extern const scarce__kernels scarce__kernels_avx2;
extern const scarce__kernels scarce__kernels_avx512;
#else
#define SCARCE__FAST_X86 0
#endif

const scarce__kernels *scarce__fast_kernels(const scarce__fast *fast);

#endif
