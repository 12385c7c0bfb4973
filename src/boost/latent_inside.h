/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of learning a layer of representations (latent.h). Of a row only the leaf of each tree is kept, a byte:
 * with a table of what a leaf adds to every representation, z and the score of a row are sums over its trees.
 *
 * Lanes. What a leaf adds is a run of floats, a multiple of 8: the P representations, then what skips them, then
 * zeros. `floor` is 0 for representations and -infinity behind them, so that the sum over lanes of
 * weight (z > floor ? z : 0) is F - base. Lanes are added one by one in the order of trees, and to each other in
 * one order, so that plain and AVX2 code give the same bits.
 *
 * Groups. Where rows are many, trees of few leaves go together: a byte is which combination of leaves a row has in
 * several trees that follow each other, and what they add is summed up once for each combination instead of for each
 * row. Six stumps have 64 combinations, three trees of 4 leaves as many. */
#ifndef SCARCE_BOOST_LATENT_INSIDE_H
#define SCARCE_BOOST_LATENT_INSIDE_H

#include "boost/latent.h"
#include "core/simd.h"

enum {
    SCARCE__LATENT_BLOCK = 256, /* rows that a task of a step looks at */
    SCARCE__LATENT_GROUP = 64   /* most combinations, where trees go together */
};

/* Which combination of leaves rows have in each group of trees. Arrays have 3 bytes more than rows, since 4 rows go
 * together. */
typedef struct scarce__leaf_bytes {
    size_t n, n_groups, room;
    uint8_t **group;
} scarce__leaf_bytes;

void scarce__leaf_bytes_deinit(scarce__leaf_bytes *b);
/* Room for one more group; *out: where it goes (n bytes; those behind are 0). */
scarce_status scarce__leaf_bytes_add(scarce__leaf_bytes *b, uint8_t **out, scarce_error *err);

/* Trees that follow each other. Of combination c the leaf in a tree is c / stride % its leaves, stride the product of the
 * leaves of those before it. */
typedef struct scarce__latent_group {
    size_t tree, n_trees;
    size_t n;             /* combinations */
    size_t first, spread; /* of more than one tree: where its sums and the values of its trees begin */
} scarce__latent_group;

typedef struct scarce__latent_tables {
    size_t width, lanes, n_trees, trees_room, n_leaves, leaves_room;
    size_t most; /* combinations of a group of trees; 0: each tree is alone */
    size_t n_groups, n_sums, sums_room, n_spread, spread_room;
    float base, skip;
    size_t *first;                /* by tree: its first leaf */
    float *value;                 /* by leaf */
    float *table;                 /* by leaf: lanes */
    scarce__latent_group *groups; /* room for trees_room */
    float *sums;                  /* by combination: lanes */
    float *spread;                /* by group, tree and combination: the value of the leaf */
    float weight[(SCARCE__LATENT_MOST + 8) / 8 * 8], floor[(SCARCE__LATENT_MOST + 8) / 8 * 8];
} scarce__latent_tables;

void scarce__latent_tables_deinit(scarce__latent_tables *x);
/* One more tree with these leaves: in the last group while that has room, else in one of its own. */
scarce_status scarce__latent_tables_add(scarce__latent_tables *x, const float *value, size_t n_leaves,
                                        scarce_error *err);
/* What leaves add, from the layer as it is. */
void scarce__latent_tables_fill(scarce__latent_tables *x, const scarce__latent *layer);

/* Scores of rows begin .. begin + n - 1; z: n x lanes, or NULL. */
void scarce__latent_forward(const scarce__latent_tables *x, const scarce__leaf_bytes *rows, size_t begin,
                            size_t n, float *score, float *z, int avx2);
/* The same when z of the rows holds the trees but the newest: that is added. */
void scarce__latent_extend(const scarce__latent_tables *x, const scarce__leaf_bytes *rows, size_t begin,
                           size_t n, float *score, float *z, int avx2);

/* The gradient of sum_i weight_i log loss_i over a block of at most SCARCE__LATENT_BLOCK rows. z: room for
 * n x lanes; out: lanes, in: n_trees x lanes, both written. */
typedef struct scarce__latent_block {
    size_t begin, n;
    const uint8_t *label;
    const float *weight; /* both by row of the bytes */
    float *z, *out, *in;
} scarce__latent_block;
void scarce__latent_backward(const scarce__latent_tables *x, const scarce__leaf_bytes *rows,
                             const scarce__latent_block *block, int avx2);

/* ---- the two ways to learn, each after a tree is in tables, bytes and layer. Scores are those of all rows. */

typedef struct scarce__latent_state {
    const scarce__latent_options *o;
    scarce__latent *layer, best, moment[2];
    int has_best, portable;
    scarce__latent_tables tables;
    scarce__leaf_bytes all, valid, sample;
    /* steps: rows drawn, and what their blocks found */
    uint32_t *row;
    uint8_t *label;
    float *weight, *found;
    size_t rows_room, found_room;
    float *kept;    /* of more rows than a sample holds: z, rows x lanes (loss_latent.c) */
    double weights; /* of all rows */
    uint64_t n_steps;
    /* sweeps */
    float *z, *h; /* P x n; n: the newest tree */
} scarce__latent_state;

void scarce__latent_steps_deinit(scarce__latent_state *s);
/* gradient: of the rows, before the newest tree. */
scarce_status scarce__latent_steps(scarce__latent_state *s, const scarce__loss_rows *rows,
                                   const float *gradient, scarce_context *ctx, scarce_error *err);
/* Takes the scores along. */
scarce_status scarce__latent_sweeps(scarce__latent_state *s, const scarce__loss_rows *rows, float *score,
                                    scarce_context *ctx, scarce_error *err);

static inline int scarce__latent_avx2(const scarce__latent_state *s)
{
    return !s->portable && scarce__cpu_avx2();
}

#endif
