/* SPDX-License-Identifier: Apache-2.0 */
/* cart, treerank, metaap and forests of the last two: parameters of rank/rank.h. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "method/method.h"
#include "rank/rank.h"

typedef struct rank_params {
    int64_t max_depth, inner_depth, max_leaves, min_child_rows, max_bins, max_categories, n_trees;
    double min_gain, pos_weight, colsample_node;
    int criterion, scores, tie_break, thresholds, round;
} rank_params;

#define AT(f) offsetof(rank_params, f)
#define DEPTH(def, lo, help, search)                                                                         \
    {                                                                                                        \
        "max_depth", "depth", SCARCE__INT, AT(max_depth), def, lo, 30, NULL, help, search, NULL              \
    }

static const scarce__param cart_own[] = {
    DEPTH("6", 0, "levels of the tree; 0: until every leaf is pure", "int:2:12"),
    {"criterion", "", SCARCE__CHOICE, AT(criterion), "entropy", 0, 0, "gini|entropy|ap",
     "what a split is worth: impurity, bits, or the average precision of its two sides (weights there as\n"
     "they are; classes are not costed)",
     "gini|entropy|ap", NULL},
    {"scores", "", SCARCE__CHOICE, AT(scores), "leaf+distance", 0, 0, "leaf|distance|leaf+distance",
     "leaf: its share of positives, a probability; distance: how far from the nearest threshold, with the "
     "sign\n"
     "of the leaf's majority; leaf+distance: the leaf, and the distance among its rows",
     NULL, NULL},
    {"max_leaves", "max_leaf_nodes", SCARCE__INT, AT(max_leaves), "0", 0, 1048576, NULL,
     "leaves at most, the best splits first; 0: no limit", NULL, NULL},
    {"min_gain", "min_impurity_decrease", SCARCE__REAL, AT(min_gain), "0", 0, 1, NULL,
     "a split must take off this share of the impurity of all rows (gini and entropy)", "log:0.0001:0.03",
     NULL},
};
static const scarce__param meta_own[] = {
    DEPTH("5", 1, "levels of the meta-tree, and of the tree inside each of its nodes", "int:2:10"),
    {"inner_depth", "", SCARCE__INT, AT(inner_depth), "0", 0, 30, NULL,
     "levels of the inner trees where they differ; 0: max_depth", NULL, NULL},
    {"tie_break", "", SCARCE__BOOL, AT(tie_break), "true", 0, 0, NULL,
     "tell the rows of a leaf apart by their distance to the nearest threshold; never changes the order of\n"
     "leaves",
     NULL, NULL},
};
static const scarce__param shared[] = {
    {"min_child_rows", "min_samples_leaf", SCARCE__INT, AT(min_child_rows), "1", 1, 1e9, NULL,
     "rows in a leaf at least", "int:1:50", NULL},
    {"pos_weight", "scale_pos_weight", SCARCE__REAL, AT(pos_weight), "1", 1e-9, 1e9, NULL,
     "a positive counts as this many rows; probabilities are corrected for it", NULL, NULL},
    {"thresholds", "", SCARCE__CHOICE, AT(thresholds), "auto", 0, 0, "auto|exact|bins",
     "every midpoint between two values (exact: auto up to 50,000 rows) or up to max_bins quantiles", NULL,
     NULL},
    {"max_bins", "", SCARCE__INT, AT(max_bins), "255", 2, 255, NULL, "of a column", NULL,
     "thresholds=auto|bins"},
    {"max_categories", "", SCARCE__INT, AT(max_categories), "64", 0, 16777216, NULL,
     "columns of more categories are not looked at: nobody reads such lists, and they fit anything; 0: no "
     "limit",
     NULL, NULL},
    {"round", "", SCARCE__BOOL, AT(round), "true", 0, 0, NULL,
     "thresholds become the shortest number that parts the training rows alike; false: midpoints or edges "
     "of\n"
     "bins",
     NULL, NULL},
};
static const scarce__param forest_own[] = {
    {"n_trees", "n_estimators,members", SCARCE__INT, AT(n_trees), "100", 1, 100000, NULL,
     "ranking trees, each on a bootstrap of the rows; the score is the mean of theirs", NULL, NULL},
    {"colsample_node", "max_features", SCARCE__REAL, AT(colsample_node), "1", 1e-6, 1, NULL,
     "share of the features that a split may look at", "real:0.2:1", NULL},
};
static const scarce__param_part cart_parts[] = {SCARCE__PART(cart_own, 0), SCARCE__PART(shared, 0)};
static const scarce__param_part meta_parts[] = {SCARCE__PART(meta_own, 0), SCARCE__PART(shared, 0)};
static const scarce__param_part forest_parts[] = {SCARCE__PART(forest_own, 0), SCARCE__PART(meta_own, 0),
                                                  SCARCE__PART(shared, 0)};
static const scarce__param_table cart_table = {cart_parts, 2, sizeof(rank_params)};
static const scarce__param_table meta_table = {meta_parts, 2, sizeof(rank_params)};
static const scarce__param_table forest_table = {forest_parts, 3, sizeof(rank_params)};

static scarce__rank_options options_of(const rank_params *p, scarce__rank_shape shape, uint64_t seed)
{
    static const char *const criteria[] = {"gini", "entropy", "ap"};
    scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;

    o.shape = shape;
    o.max_depth = (int)p->max_depth;
    o.min_rows = (uint32_t)p->min_child_rows;
    o.pos_weight = p->pos_weight;
    o.thresholds = (scarce__thresholds)p->thresholds;
    o.max_bins = (int)p->max_bins;
    o.max_categories = (size_t)p->max_categories;
    o.rounded = p->round;
    o.seed = seed;
    if (shape == SCARCE__CART) {
        o.criterion = criteria[p->criterion];
        o.scores = (scarce__rank_scores)p->scores;
        o.max_leaves = (int)p->max_leaves;
        o.min_gain = p->min_gain;
        return o;
    }
    o.scores = p->tie_break ? SCARCE__SCORES_BOTH : SCARCE__SCORES_LEAF;
    o.inner_depth = (int)p->inner_depth;
    if (p->n_trees > 0) o.colsample_node = p->colsample_node;
    return o;
}

static scarce_status check(const scarce__job *job, scarce_error *err)
{
    const rank_params *p = scarce__params_options(job->asked);
    if (p->max_leaves == 1)
        return scarce__fail(err, SCARCE_EINVAL, "max_leaves is 1, allowed are 2 and more, or 0: no limit");
    return SCARCE_OK;
}

static double memory(const scarce__job *job, scarce__rank_shape shape, size_t rows, size_t features)
{
    const scarce__rank_options o = options_of(scarce__params_options(job->asked), shape, 1);
    const int threads = scarce_context_threads(job->ctx);
    return scarce__rank_memory(&o, rows, features, threads);
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce__rank_shape shape,
                           scarce_error *err)
{
    const rank_params *p = scarce__params_options(job->params);
    const scarce__rank_options o = options_of(p, shape, scarce_context_seed(job->ctx));
    const scarce__rank_data data = {.table = job->table};
    scarce__rank *body = NULL;

    if (p->n_trees > 0) {
        SCARCE__TRY(scarce__rank_forest(&body, &data, &o, (size_t)p->n_trees, job->ctx, err));
        out->members = (size_t)p->n_trees;
    } else SCARCE__TRY(scarce__rank_learn(&body, &data, &o, job->ctx, err));
    out->kind = &scarce__kind_rank;
    out->body = body;
    out->meaning.link =
        shape == SCARCE__CART && o.scores == SCARCE__SCORES_LEAF ? SCARCE__LINK_SHARE : SCARCE__LINK_NONE;
    out->meaning.odds_factor = p->pos_weight;
    out->meaning.why = shape == SCARCE__CART ? "distances only rank (scores=leaf gives probabilities)"
                                             : "the scores of this method only rank";
    return SCARCE_OK;
}

#define ENGINE(name, shape)                                                                                  \
    static scarce_status train_##name(scarce__learned *out, const scarce__job *job, scarce_error *err)       \
    {                                                                                                        \
        return train(out, job, shape, err);                                                                  \
    }                                                                                                        \
    static double memory_##name(const scarce__job *job, size_t rows, size_t positives, size_t features,      \
                                size_t valid_rows)                                                           \
    {                                                                                                        \
        (void)positives, (void)valid_rows;                                                                   \
        return memory(job, shape, rows, features);                                                           \
    }
ENGINE(cart, SCARCE__CART)
ENGINE(treerank, SCARCE__TREERANK)
ENGINE(metaap, SCARCE__METAAP)

static int ranks(const void *options)
{
    const rank_params *p = options;
    return p->scores != SCARCE__SCORES_LEAF;
}

const scarce__engine scarce__engine_cart = {.params = &cart_table,
                                            .can = SCARCE__CAN_PROBABILITY,
                                            .ranks = ranks,
                                            .check = check,
                                            .memory = memory_cart,
                                            .train = train_cart};
const scarce__engine scarce__engine_treerank = {
    .params = &meta_table, .memory = memory_treerank, .train = train_treerank};
const scarce__engine scarce__engine_metaap = {
    .params = &meta_table, .memory = memory_metaap, .train = train_metaap};
const scarce__engine scarce__engine_treerank_forest = {
    .params = &forest_table, .memory = memory_treerank, .train = train_treerank};
const scarce__engine scarce__engine_metaap_forest = {
    .params = &forest_table, .memory = memory_metaap, .train = train_metaap};
