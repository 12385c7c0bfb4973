/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a prepared explainer.
 *
 * Formula. A leaf of value v is reached through features i = 1..d (each counted once), of which the row meets
 * all conditions (o_i = 1) or not (o_i = 0), and the training cover a share z_i. Known features S give the
 * leaf v * prod_{i in S} o_i * prod_{i not in S} z_i. Shapley's weight |S|! (d - 1 - |S|)! / d! is
 * the integral over t in (0, 1) of t^|S| (1 - t)^(d - 1 - |S|), so the sum over all S becomes a product:
 *
 *     phi_i = v (o_i - z_i) * integral of prod_{j != i} (t o_j + (1 - t) z_j) dt.
 *
 * The integrand is a polynomial of degree d - 1 in t: Gauss-Legendre with ceil(d / 2) points is exact, and
 * nothing has to be enumerated. With f_j = t o_j + (1 - t) z_j and g_i = (o_i - z_i) / f_i
 *
 *     phi_i = sum over points k of w_k * v * prod_j f_jk * g_ik,
 *
 * where the products of all leaves of a tree share their beginnings. So a walk over the whole tree carries
 * down P_k = w_k prod f_jk and brings up H_k = sum over the leaves below of v P_k; an edge that changes
 * (o_i, z_i) of its feature adds sum_k H_k (g_new - g_old) to phi_i. What an edge multiplies by depends on
 * the row by one of three cases only, so all of it is a table of constants:
 *     0  the feature's conditions above were met, and the row goes to the first child,
 *     1  they were met, and it goes to the second child,
 *     2  they were not met (g = -1 / (1 - t) above and below: nothing is added).
 * Leaves are folded into their parent's constants. Many rows are lanes of a vector; for one row the points
 * are. Both add in the same order.
 *
 * The same sum in O(depth) per leaf, and the idea to carry points of a polynomial: Yu et al. 2022 (Linear
 * TreeSHAP); the quadrature in t makes the points few and the weights positive. */
#ifndef SCARCE_EXPLAIN_SHAP_INSIDE_H
#define SCARCE_EXPLAIN_SHAP_INSIDE_H

#include "explain/shap.h"

/* What the walk does, in the order of the tree; `first` and `second` are the children, an inner one first.
 * The constants of a case, each one per point: */
typedef enum scarce__shap_what {
    SCARCE__SHAP_PAIR = 0,    /* two leaves:         a b    H = P a, phi += P b */
    SCARCE__SHAP_ENTER_ONE,   /* inner and leaf:   f a b    the same, P of the child = P f */
    SCARCE__SHAP_LEAVE_ONE,   /*                       d    phi += H of the child d, H += H of the child */
    SCARCE__SHAP_ENTER_FIRST, /* two inner nodes:      f    P of the first child = P f */
    SCARCE__SHAP_NEXT, /*                     d f    phi += H of the child d, H = it, P of the second */
    SCARCE__SHAP_LEAVE_SECOND /*                       d    as LEAVE_ONE */
} scarce__shap_what;

typedef struct scarce__shap_op {
    uint8_t what, flags; /* flags: of the node */
    uint8_t first_right; /* the first child is the right one */
    uint32_t level;      /* depth of the node */
    uint32_t old;        /* 1 + level of the last node above with this feature; 0: none, and no case 2 */
    uint32_t feature;    /* number among those used */
    float threshold;
    uint32_t set, set_words;
    size_t constants;
} scarce__shap_op;

/* What the constants of an op are made of. */
typedef struct scarce__shap_edge {
    double share[2]; /* of the node's cover that goes to the first child, to the second */
    double old_z;    /* of the node's feature, above the node */
    double value[2]; /* of the children that are leaves */
} scarce__shap_edge;

typedef struct scarce__shap_tree {
    size_t op, n_ops;
    uint32_t levels;   /* of inner nodes */
    uint32_t n_points; /* K */
    uint32_t padded;   /* K as constants are stored: a multiple of 4, zeros behind */
    size_t weights;    /* of the points, padded, in shap.weights; the points are in shap.points */
    /* Deep trees (many points, or many points times levels) would have constants and work arrays out of all
     * proportion to the tree: they are walked for four points at a time, with constants made when they are
     * needed, of what is kept of each op in shap.edges. Sums over points are sums of fours, in this order. */
    uint32_t deep;
    size_t edges;
} scarce__shap_tree;

struct scarce__shap {
    size_t n_features, n_used, n_trees, bytes;
    double base;
    int level;      /* of instructions */
    uint32_t *used; /* features that some node tests, ascending */
    scarce__shap_tree *trees;
    scarce__shap_op *ops;
    double *constants; /* by op, case, kind, point */
    double *weights, *points;
    scarce__shap_edge *edges; /* by op, of deep trees */
    uint32_t *sets;
    size_t most_levels, most_work; /* over the trees: levels, and levels * padded points walked at a time */
    size_t most_deep;              /* over the deep trees: constants of four points */
};

enum {
    SCARCE__SHAP_FEW = 4,        /* points of a deep tree that are walked at a time */
    SCARCE__SHAP_POINTS = 32,    /* padded points from which on a tree is deep, */
    SCARCE__SHAP_WORK = 1 << 16, /* and levels times these */
    SCARCE__SHAP_TILE = 32,      /* rows walked together */
    SCARCE__SHAP_BLOCK = 128     /* rows with all trees, a multiple of it */
};

/* Which kinds of constants an op has. */
static inline size_t scarce__shap_kinds(unsigned what)
{
    return what == SCARCE__SHAP_ENTER_ONE                           ? 3
           : what == SCARCE__SHAP_PAIR || what == SCARCE__SHAP_NEXT ? 2
                                                                    : 1;
}

/* The constants of an op in one case: kinds x padded numbers, of which those behind n_points stay as they
 * are. */
void scarce__shap_constants(const scarce__shap_edge *edge, unsigned what, int which, const double *point,
                            size_t n_points, size_t padded, double *to);

/* Space for a walk of a tile: P and H of all levels, and three masks for each level. All aligned to 64. */
typedef struct scarce__shap_work {
    double *x_sums; /* n_used x BLOCK contributions */
    float *x;       /* n_used x BLOCK values */
    double *products, *sums;
    int64_t *masks;
    double *deep; /* constants of four points of a deep tree; NULL: there is none */
} scarce__shap_work;

/* Adds one tree's contributions for the tile at rows at..at+TILE-1 of the work's block. */
typedef void (*scarce__shap_tile_fn)(const scarce__shap *shap, const scarce__shap_tree *tree,
                                     const scarce__shap_work *work, size_t at);
/* Adds one tree's contributions for one row (by used feature). work: 2 * levels * padded doubles, state: 2 *
 * levels. */
typedef void (*scarce__shap_one_fn)(const scarce__shap *shap, const scarce__shap_tree *tree, const float *row,
                                    double *sums, double *work, uint32_t *state);

typedef struct scarce__shap_kernels {
    scarce__shap_tile_fn tile;
    scarce__shap_one_fn one;
} scarce__shap_kernels;

const scarce__shap_kernels *scarce__shap_kernels_of(int level);

#endif
