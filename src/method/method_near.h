/* SPDX-License-Identifier: Apache-2.0 */
/* What the engines of neighbours and of metric learning share. */
#ifndef SCARCE_METHOD_METHOD_NEAR_H
#define SCARCE_METHOD_METHOD_NEAR_H

#include "data/distinct.h"
#include "method/method.h"
#include "method/near_gamma.h"

/* In the order of the choices of the parameter `rule`. */
typedef enum scarce__near_rule {
    SCARCE__RULE_KNN = 0,
    SCARCE__RULE_WKNN,
    SCARCE__RULE_CWKNN,
    SCARCE__RULE_DUPKNN,
    SCARCE__RULE_KRNN,
    SCARCE__RULE_GAMMA,
    SCARCE__RULE_LOCAL
} scarce__near_rule;

typedef struct scarce__near_params {
    int64_t k, folds, clusters;
    double gamma, synthetic_gamma;
    int rule, scale, share, measure, variant;
} scarce__near_params;

/* What folds, clusters and metrics are learnt from: distinct rows (data/distinct.h), so that copies of a row are in one fold,
 * and neither the order of the rows nor weights written as copies change what is learnt. The model keeps all rows, whose
 * numbers are its reasons, in the space of the distinct ones. */
typedef struct scarce__near_seen {
    scarce__distinct rows;
    scarce__job job; /* that given, of these rows */
    scarce__nearby *m;
} scarce__near_seen;
scarce_status scarce__near_seen_init(scarce__near_seen *s, const scarce__job *job, scarce__near_scale scale,
                                     scarce_error *err);
/* Gives what was learnt (space, gammas, clusters, maps) to a model of all rows. */
void scarce__near_seen_give(scarce__near_seen *s, scarce__nearby *to);
void scarce__near_seen_deinit(scarce__near_seen *s); /* after a failed init, too */

/* The fold of each row; *n_folds 0, and *fold NULL: each row is left out alone. */
scarce_status scarce__near_folds(uint8_t **fold, size_t *n_folds, const scarce_table *table, size_t folds,
                                 scarce_context *ctx, scarce_error *err);
/* Scores of the remembered rows by others; NaN for synthetic ones. */
scarce_status scarce__near_held(double *score, const scarce__nearby *m, const uint8_t *fold, size_t n_folds,
                                scarce_context *ctx, scarce_error *err);
/* EDATA unless both classes have weight. */
scarce_status scarce__near_check_rows(const scarce__nearby *m, scarce_error *err);
/* Scores of the training rows, where a threshold is to be chosen on them. */
scarce_status scarce__near_hold(scarce__learned *out, const scarce__nearby *m, const scarce__job *job,
                                scarce_error *err);

#endif
