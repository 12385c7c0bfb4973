/* SPDX-License-Identifier: Apache-2.0 */
/* One setting, fitted and judged on one split.
 *
 * Boosted trees are sums, so the first k trees of a model of T are the model of k trees: one fit gives the
 * values at a row of numbers of trees, by scoring a piece of the sum after the other. */
#ifndef SCARCE_STUDY_TRIAL_H
#define SCARCE_STUDY_TRIAL_H

#include "method/method.h"
#include "study/inner.h"

enum { SCARCE__POINTS = 16 };

/* How a setting is to be fitted. */
typedef struct scarce__fit_plan {
    const char *spec;     /* "gb:max_depth=3" */
    const char *settings; /* "key=value key=value" on top of it */
    size_t trees; /* 0: as the setting says, and judged once; else as many, judged at the points below */
    size_t points[SCARCE__POINTS];
    size_t n_points;  /* 1 without trees */
    double negatives; /* share of the negatives that train */
    size_t metric;
    int roughly; /* only the values themselves count, not those of blocks */
    uint64_t seed;
} scarce__fit_plan;

/* Are the first k trees of this method's models the model of k trees? */
int scarce__staged(const scarce__method *method);

/* Points for that many trees: denser towards the end. */
void scarce__plan_points(scarce__fit_plan *plan, size_t trees);

/* value[point * (1 + blocks) + j] as scarce__inner_judge says. A setting that leaves the numbers (ENUMERIC),
 * or whose values do not go together (EINVAL), gives NaN. */
scarce_status scarce__fit_and_judge(double *value, const scarce__fit_plan *plan, const scarce__inner *inner,
                                    size_t split, scarce_context *ctx, scarce_error *err);

#endif
