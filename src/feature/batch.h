/* SPDX-License-Identifier: Apache-2.0 */
/* A whole table through the engine: records in the order of their rows, columns in, columns out.
 *
 * A kind's features depend on the records of one key alone, so keys are shared out over shards by their hash, and
 * each (kind, shard) is a task of its own, with a state of its own. The number of shards follows from the rows, and
 * no task sees another's: any number of threads gives the same bytes, those of the engine record by record. */
#ifndef SCARCE_FEATURE_BATCH_H
#define SCARCE_FEATURE_BATCH_H

#include "core/context.h"
#include "feature/plan.h"

typedef struct scarce__batch {
    const scarce__feature_plan *plan;
    size_t n;
    const int64_t *time;           /* seconds; NULL: no time, all are of one moment */
    const int64_t *at;             /* arrivals; NULL: the running maximum of the times */
    const uint64_t *const *keys;   /* [kind][2 * row]: hash of its key; NULL kind: none wanted */
    const uint8_t *const *no_key;  /* [kind][row]: 1: it has none; NULL: all have one */
    const int64_t *const *numbers; /* [field][row]; NULL: not used */
    const uint64_t *const *hashes;
    const uint8_t *const *filters; /* [kind][row] bits; NULL: filter 0 alone */
    const uint8_t *label;          /* 1: a fraud; NULL: no labels */
    const int64_t *label_time;     /* when it is known; NULL: `label_delay` after the row's time */
    int64_t label_delay;
    const uint8_t *repeated; /* 1: the row is told its features, but isn't a record; NULL: none */
    double *const *out;      /* [feature][row]; NULL: not wanted */
    double *rows;            /* instead of out: [row * features + feature] */
    uint64_t late, folded;   /* results */
} scarce__batch;

scarce_status scarce__batch_run(scarce__batch *b, const scarce_context *ctx, scarce_error *err);

/* Where feature f of row 0 goes, and how far it is to the next row; NULL: it isn't wanted. */
static inline double *scarce__batch_column(const scarce__batch *b, size_t f, size_t *step)
{
    *step = b->rows ? b->plan->n_outs : 1;
    return b->rows ? b->rows + f : b->out[f];
}

/* From which moment on a label is known: from label_time on, and never in the second of its own record. */
static inline int64_t scarce__label_from(int64_t t, int64_t label_time)
{
    return label_time > t ? label_time : t + 1;
}

/* The running maximum of times: what stands for the arrival of a table's rows. */
void scarce__running_max(int64_t *at, const int64_t *time, size_t n);

#endif
