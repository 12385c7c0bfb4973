/* SPDX-License-Identifier: Apache-2.0 */
/* A key whose records are all at hand and in order of time: its windows by two pointers each. */
#ifndef SCARCE_FEATURE_SWEEP_H
#define SCARCE_FEATURE_SWEEP_H

#include "feature/totals.h"

/* Whether the features of a kind can be had so: windows in time over all records, of numbers and counts. */
int scarce__sweep_can(const scarce__feature_kind *kind);

typedef struct scarce__sweep {
    const scarce__feature_kind *kind;
    size_t capacity; /* records that there is room for */
    int64_t *time;   /* ascending */
    int64_t *values; /* [value * capacity + record]; SCARCE__NO_VALUE: missing */
    uint32_t *deque; /* scratch */
    uint32_t *to;    /* where the features of a record go */
} scarce__sweep;

/* 0: out of memory. */
int scarce__sweep_reserve(scarce__sweep *s, size_t n);
void scarce__sweep_deinit(scarce__sweep *s);
/* Whether the n records laid in can be taken: all values below 2^31. */
int scarce__sweep_fits(const scarce__sweep *s, size_t n);
/* Features of the n records: aggregate a of record i to out[to[i] * n_aggregates + a]. */
void scarce__sweep_run(const scarce__sweep *s, size_t n, double *out);

#endif
