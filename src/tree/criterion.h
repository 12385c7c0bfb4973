/* SPDX-License-Identifier: Apache-2.0 */
/* What a split is worth, what a leaf says, and when to stop: the part of a tree that differs between methods.
 *
 * A criterion is asked once for all candidates of one feature in one node (or for a block of them), so its
 * loop over running sums stays a loop: Newton's is the AVX2 kernel of boosting. Both growers (grow.c over
 * histograms, exact.c over sorted values) and all their rules work with any criterion.
 *
 *   newton    g, h: gradient and hessian of a loss; gain = 1/2 [S_L + S_R - S], see criterion_newton.c
 *   gini      |
 *   entropy   | class criteria: h = weight of the row, g = -h for positives and 0 for negatives, mark = 1 for
 *   error     | positives; costs of classes or rows are weights. A leaf's value is its share of positives.
 *   opposed   | error when the two sides vote differently, better than the node or not
 *   ap        | counts rows instead of adding weights: average precision of the two sides
 *   ap-soft   | the same of weights; rows may be positive in part (g = -share * h)
 *   gini-soft | gini of rows that are positive in part, as imitators of another model's scores have them
 *
 * A class criterion splits any mixed node as long as there is a split whose gain is at least gamma (0: even
 * one that gains nothing yet, as CART does, which is how fully grown trees get through an XOR); Newton wants
 * more than gamma. Categories are ordered by G / (H + category_smooth) for Newton, by their share of
 * positives for the others; one against the rest is Newton's only. */
#ifndef SCARCE_TREE_CRITERION_H
#define SCARCE_TREE_CRITERION_H

#include <stddef.h>
#include <stdint.h>

#include "tree/histogram.h"
#include "tree/simd.h"

#define SCARCE__TINY 1e-16 /* instead of a division by 0 */

typedef struct scarce__criterion scarce__criterion;

typedef struct scarce__split_rules {
    const scarce__criterion *criterion; /* NULL: newton */
    double lambda, alpha, gamma;
    double max_delta_step; /* 0: no cap */
    double min_child_weight;
    uint32_t min_child_rows, min_child_marks; /* checked only where the node has counts */
    int category_onehot;                      /* one-vs-rest up to so many categories in the node */
    double category_smooth;
    int random;              /* one random threshold per feature */
    uint64_t random_key;     /* of this tree */
    const int8_t *monotone;  /* per used feature: -1, 0, +1; or NULL */
    int portable;            /* don't use AVX2 (the result is the same) */
    double category_penalty; /* newton: times the gain that sorted categories would have by chance */
    int category_all;        /* also one against the rest, and thresholds in the order of their texts */
} scarce__split_rules;

typedef struct scarce__totals {
    double g, h;
    scarce__gh q;      /* the integers g and h come from */
    scarce__gh counts; /* marks in the upper half, rows in the lower */
} scarce__totals;

/* Sums of the left side, one per candidate, and what is added to all of them (missing rows on the left). */
typedef struct scarce__sides {
    const double *g, *h;
    const scarce__gh *counts; /* or NULL: nobody counts */
    double add_g, add_h;
    scarce__gh add_counts;
} scarce__sides;

/* The node to be split, on one feature. */
typedef struct scarce__criterion_node {
    const scarce__split_rules *rules;
    scarce__totals total;
    double low, high; /* newton: bounds of the leaf values, from the cap and from monotone constraints */
    int sign;         /* newton: the feature is monotone in this direction */
    int avx2;
} scarce__criterion_node;

/* Values are filled in whole lanes: arrays have room for a multiple of this. */
enum { SCARCE__LANES = 8 };

struct scarce__criterion {
    const char *name;
    int classes; /* g and h are weights of two classes, as said above */
    int counts;  /* marks and rows are counted even if no rule asks for it */

    /* The gain of a candidate is scale * (value - worth of the node). */
    double scale;
    double (*worth)(const scarce__criterion_node *node);

    /* Fills value[from..to), -inf for candidates that leave a side less than min_child_weight, and returns
     * the largest. Entries of value outside, up to whole lanes, are -inf already. */
    double (*values)(const scarce__criterion_node *node, const scarce__sides *left, size_t from, size_t to,
                     double *value);

    /* Whether the best candidate counts as a split at all. */
    int (*enough)(const scarce__split_rules *rules, double gain, double value, double worth);

    /* Factor that makes the gains of different nodes comparable, once the best of a node is known; NULL: they
     * are. (ap compares integers within a node.) */
    double (*unit)(const scarce__totals *node);

    /* The stopping rule: asked with left NULL before the search, then with the sums of the best split. own:
     * the number below. NULL: always. */
    int (*may_split)(const scarce__totals *node, double own, const scarce__totals *left);

    /* A number that each leaf carries, from its parent's sums (NULL: it is the root) and its own; NULL: 0. */
    double (*own)(const scarce__totals *parent, const scarce__totals *leaf);

    /* Leaf value before the learning rate. */
    double (*leaf)(const scarce__split_rules *rules, const scarce__totals *total, double low, double high);
};

extern const scarce__criterion scarce__criterion_newton, scarce__criterion_gini, scarce__criterion_entropy,
    scarce__criterion_error, scarce__criterion_ap, scarce__criterion_opposed, scarce__criterion_ap_soft,
    scarce__criterion_gini_soft;

/* The criterion of that name ("error" and "ap" as above), or NULL. */
const scarce__criterion *scarce__criterion_find(const char *name);

static inline const scarce__criterion *scarce__criterion_of(const scarce__split_rules *rules)
{
    return rules->criterion ? rules->criterion : &scarce__criterion_newton;
}

/* How categories are tried: in the order of G / (H + smooth), one against the rest up to so many of them. */
static inline double scarce__category_key(const scarce__split_rules *r, double g, double h)
{
    const double smooth = scarce__criterion_of(r)->classes ? 0 : r->category_smooth;
    return g / (h + smooth + SCARCE__TINY);
}

static inline int scarce__one_against_rest(const scarce__split_rules *r, size_t n)
{
    return !scarce__criterion_of(r)->classes && (int)n <= r->category_onehot;
}

/* Whether prefixes of sorted categories pay for what sorting finds by chance (chance.h). */
static inline int scarce__pays_for_chance(const scarce__split_rules *r, double weights)
{
    return !scarce__criterion_of(r)->classes && r->category_penalty > 0 && weights > 0;
}

/* Whether the leaf is worth searching (left NULL) or splitting. */
static inline int scarce__may_split(const scarce__criterion *c, const scarce__totals *node, double own,
                                    const scarce__totals *left)
{
    return !c->may_split || c->may_split(node, own, left);
}

static inline uint32_t scarce__count_rows(scarce__gh counts)
{
    return (uint32_t)counts;
}

static inline uint32_t scarce__count_marks(scarce__gh counts)
{
    return (uint32_t)scarce__gh_g(counts);
}

/* The largest of n values; n is rounded up to whole lanes. */
SCARCE__BODY double scarce__largest_body(const double *value, size_t n)
{
    double m[SCARCE__LANES];
    for (int j = 0; j < SCARCE__LANES; ++j) m[j] = value[j];
    for (size_t b = SCARCE__LANES; b < n; b += SCARCE__LANES)
        for (int j = 0; j < SCARCE__LANES; ++j)
            m[j] = value[b + (size_t)j] > m[j] ? value[b + (size_t)j] : m[j];
    for (int j = 1; j < SCARCE__LANES; ++j) m[0] = m[j] > m[0] ? m[j] : m[0];
    return m[0];
}
double scarce__largest(const double *value, size_t n);

/* The first of the best candidates in [from, to) whose gain is above *gain, which it then replaces; SIZE_MAX:
 * none. worth: of the node; value: room for the candidates in whole lanes; penalty: taken off their gains, or
 * NULL. */
size_t scarce__judge(const scarce__criterion_node *node, double worth, const scarce__sides *left, size_t from,
                     size_t to, double *value, const double *penalty, double *gain);

/* ---- criterion_newton.c */

typedef struct scarce__newton_kernel {
    double lambda, alpha, low, high, min_weight, total_g, total_h;
    int sign;
} scarce__newton_kernel;

double scarce__newton_values(const scarce__newton_kernel *kernel, const scarce__sides *left, size_t from,
                             size_t to, double *value, int avx2);
double scarce__newton_worth(const scarce__newton_kernel *kernel);

/* Newton's leaf value before the learning rate, within [low, high]. */
double scarce__leaf_value(const scarce__split_rules *rules, double g, double h, double low, double high);

#endif
