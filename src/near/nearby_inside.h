/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of remembered rows share. */
#ifndef SCARCE_NEAR_NEARBY_INSIDE_H
#define SCARCE_NEAR_NEARBY_INSIDE_H

#include "near/index.h"
#include "near/nearby.h"

enum { SCARCE__SIDES = 3, SCARCE__FIXED_WEIGHT = 1024 };

/* The rows of a side (of nearby.h), where they are looked for. */
typedef struct scarce__nearby_side {
    scarce__near_rows among; /* of m->rows or of mapped rows */
    uint32_t *rows;
    const scarce__space *space;
    scarce__index index;
} scarce__nearby_side;

struct scarce__nearby_ready {
    const scarce__nearby *m;
    scarce__nearby_side side[SCARCE__SIDES];
    scarce__embed embed;     /* where points are needed */
    scarce_table *mapped[2]; /* [1] towards positives */
    scarce__space mapped_space[2];
    uint32_t *fixed; /* weights of rows times 1024, for krnn; else NULL */
    size_t length;   /* of a list: k, or more where rows weigh less than 1 */
    /* Of a metric for each query, which is learnt from distinct rows; else NULL: the first row that is equal to each, the
     * only one that is found, and what such rows weigh together. */
    uint32_t *first;
    double *weight;
};

/* A list of a side: squares ascend. */
typedef struct scarce__nearby_list {
    const double *square;
    const uint32_t *row;
    size_t n;
} scarce__nearby_list;

/* The score of the lists of the three sides; factor: of distances to positives; within: as nearby.h says. */
double scarce__vote_of(const scarce__nearby *m, const scarce__nearby_list *list, double factor,
                       double within);
/* The squared distance at which positives weigh k (or all of them do); NaN without positives. */
double scarce__vote_radius(const scarce__nearby *m, const scarce__nearby_list *list, double factor);
/* The factor of a row's cluster. */
double scarce__cluster_factor(const scarce__nearby *m, const double *point, size_t dims);

/* With a metric of its own for the row; `except` doesn't answer (UINT32_MAX: all do). NaN without memory. */
double scarce__nearby_local_score(const scarce__nearby_ready *p, const float *row, uint32_t except);

static inline size_t scarce__list_count(const uint32_t *row, size_t k)
{
    size_t n = 0;
    while (n < k && row[n] != UINT32_MAX) ++n;
    return n;
}

#endif
