/* SPDX-License-Identifier: Apache-2.0 */
/* A key whose records are all at hand and in order of time: its windows by two pointers each. */
#ifndef SCARCE_FEATURE_SWEEP_H
#define SCARCE_FEATURE_SWEEP_H

#include "feature/totals.h"

/* Whether the features of a kind can be had so: windows in time over all records, of numbers and counts. */
int scarce__sweep_can(const scarce__feature_kind *kind);

/* Features that are made together: of one window and, counts apart, of one measure. */
typedef struct scarce__sweep_part {
    const scarce__feature_window *window;
    const scarce__feature_aggregate *first;
    size_t n;
    int value; /* of the kind; -1: counts alone */
    int squares;
} scarce__sweep_part;

/* The part that begins with aggregate `from` of the kind. */
scarce__sweep_part scarce__sweep_part_at(const scarce__feature_kind *kind, size_t from);

/* What a worker writes on: of each record, and of what comes before it. */
typedef struct scarce__sweep {
    size_t capacity; /* records that there is room for */
    int32_t *time;
    uint32_t *begin, *end; /* the window of each */
    uint32_t *known;       /* values before each; one more than records, as the next two */
    int64_t *sum;
    scarce__u128 *squares;
    int32_t *extreme;
} scarce__sweep;

/* 0: out of memory. */
int scarce__sweep_reserve(scarce__sweep *s, size_t n);
void scarce__sweep_deinit(scarce__sweep *s);

/* Features of n records, times ascending, values SCARCE__SMALL_MISSING where they are (`missing`: some may): feature a of
 * record i to out[i * part->n + a]. */
void scarce__sweep_run(scarce__sweep *s, const scarce__sweep_part *part, const int32_t *time,
                       const int32_t *values, int missing, size_t n, double *out);

#endif
