/* SPDX-License-Identifier: Apache-2.0 */
/* Forests of XGBoost and LightGBM: reading their files, and writing XGBoost's.
 *
 * The importers take any bytes, from whoever: they return a forest that has passed scarce__forest_check,
 * or an error, in memory proportional to the file. Scores are the peer's raw margins; leaf values become
 * float, so sums differ from LightGBM's (double) by a few 1e-9 per tree. */
#ifndef SCARCE_TREE_IMPORT_H
#define SCARCE_TREE_IMPORT_H

#include "core/text.h"
#include "tree/forest.h"

typedef enum scarce__link {
    SCARCE__LINK_IDENTITY = 0,
    SCARCE__LINK_LOGISTIC, /* 1 / (1 + exp(-slope * score)) */
    SCARCE__LINK_EXP       /* exp(score) */
} scarce__link;

typedef struct scarce__imported {
    scarce__forest forest;
    char **names; /* forest.n_features of them; "f0", "f1", ... where the file has none */
    scarce__link link;
    double slope;
    char *objective; /* as the file calls it, "" when it has none */
} scarce__imported;

void scarce__imported_deinit(scarce__imported *model);

/* LightGBM's text (save_model, versions 2 to 4). One class. EUNSUPPORTED: several trees per iteration,
 * linear trees, and nodes with zero_as_missing whose default side can't be said by one threshold. */
scarce_status scarce__import_lightgbm(scarce__imported *out, const char *bytes, size_t n, scarce_error *err);

/* XGBoost's JSON or UBJ (save_model, 1.0 to 3.x), told apart by the bytes. Boosters gbtree and dart (whose
 * tree weights go into the leaves); all trees, whatever best_iteration says. One class.
 * The base is the file's base_score as a margin. */
scarce_status scarce__import_xgboost(scarce__imported *out, const char *bytes, size_t n, scarce_error *err);

/* Whichever of the two the bytes look like. */
scarce_status scarce__import_any(scarce__imported *out, const char *bytes, size_t n, scarce_error *err);

/* Appends XGBoost JSON. name(payload, f) names feature f (NULL name: "f0", ...). The objective is
 * binary:logistic for LOGISTIC (EUNSUPPORTED unless the slope is 1), else reg:squarederror or, for EXP,
 * count:poisson. A base that is not 0 becomes a tree of one leaf where base_score couldn't hold it.
 * Scores agree but for float sums there, and for infinite values at infinite thresholds. */
scarce_status scarce__export_xgboost(scarce__text *out, const scarce__forest *forest, scarce__link link,
                                     double slope, const char *(*name)(void *payload, size_t feature),
                                     void *payload, scarce_error *err);

/* ---- Shared by the importers ---- */

/* The largest float that is <= x (so that float v <= x is v <= that). */
float scarce__float_below(double x);

/* A tree as files have it: node 0 is the root, the others in any order. Renumbers from the root downwards,
 * refuses a node that is reached twice, drops those never reached (XGBoost's pruning leaves some), and
 * appends the tree. The sets are not checked here: scarce__forest_check does that. */
scarce_status scarce__import_tree(scarce__forest *forest, const scarce__node *nodes, size_t n_nodes,
                                  const uint32_t *sets, size_t n_set_words, scarce_error *err);

/* Sets names "f0".. for those still NULL; ENOMEM. EPARSE when two are equal. */
scarce_status scarce__import_names(scarce__imported *model, scarce_error *err);

#endif
