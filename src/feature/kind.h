/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a kind: a history for each key, found by a 128-bit hash of the key's fields.
 *
 *     scarce__kind_state_init(&k, plan_kind, base, err);
 *     scarce__kind_ask(&k, &record, out);      the features that the record sees
 *     scarce__kind_reserve(&k, &record);       0: out of memory, and nothing has changed
 *     scarce__kind_insert(&k, &record);        from now on others see it
 *
 * Everything else is invisible: keys whose newest record is beyond the horizon are freed, a few looked at with each
 * record; a history gives memory back. */
#ifndef SCARCE_FEATURE_KIND_H
#define SCARCE_FEATURE_KIND_H

#include "feature/history.h"

typedef struct scarce__kind_state {
    scarce__shape shape;
    scarce__mark marks[SCARCE__FEATURE_FILTERS * SCARCE__FEATURE_COLUMNS];
    scarce__history **chunks;
    size_t n_chunks, n_slots, n_free, free_slot; /* slots in use lie below n_slots */
    uint32_t *index;                             /* open addressing: 1 + slot, 0: free */
    size_t n_index;
    size_t sweep;
    void *totals, *own; /* scratch */
    uint64_t *set;      /* scratch for counting different values */
    size_t set_slots, set_used;
    uint64_t late;   /* records older than the horizon when they came */
    uint64_t folded; /* times that a history was folded */
} scarce__kind_state;

scarce_status scarce__kind_state_init(scarce__kind_state *k, const scarce__feature_kind *kind, int64_t base,
                                      scarce_error *err);
void scarce__kind_state_deinit(scarce__kind_state *k);

/* Asks the memory for what the record will need, without waiting for it: steps 0, 1, ... SCARCE__FETCHES - 1, each of all
 * kinds before the next, since each finds its way by what the one before has brought. A million keys are in no cache, and
 * one by one these waits would be most of the time of a record. */
enum { SCARCE__FETCHES = 4 };
void scarce__kind_fetch(const scarce__kind_state *k, const scarce__kind_record *r, int step);

/* Features of the kind into out[feature]. 0 when memory for scratch is exhausted. */
int scarce__kind_ask(scarce__kind_state *k, const scarce__kind_record *r, double *out);
int scarce__kind_reserve(scarce__kind_state *k, const scarce__kind_record *r);
void scarce__kind_insert(scarce__kind_state *k, const scarce__kind_record *r);
/* The label of a record that was inserted with this time and tag. */
void scarce__kind_label(scarce__kind_state *k, const uint64_t key[2], int64_t t, uint32_t tag, int label,
                        int64_t at);

/* The number of the history of a key; SIZE_MAX where there is none. */
size_t scarce__kind_find(const scarce__kind_state *k, const uint64_t key[2]);
/* The same, made where it isn't there; SIZE_MAX: out of memory. */
size_t scarce__kind_slot(scarce__kind_state *k, const uint64_t key[2]);
static inline scarce__history *scarce__kind_history(const scarce__kind_state *k, size_t slot)
{
    enum { CHUNK_SHIFT = 10 };
    return &k->chunks[slot >> CHUNK_SHIFT][slot & ((1u << CHUNK_SHIFT) - 1)];
}

/* Keys, live records, allocated bytes. */
typedef struct scarce__kind_size {
    uint64_t keys, records, bytes, longest;
} scarce__kind_size;
scarce__kind_size scarce__kind_measure(const scarce__kind_state *k);

/* Older than this (or of this second) is beyond the horizon; INT64_MIN: there is none. */
static inline int64_t scarce__kind_limit(const scarce__kind_state *k, int64_t at)
{
    return k->shape.kind->horizon == SCARCE__NO_HORIZON ? INT64_MIN : at - k->shape.kind->horizon;
}

/* query.c: count, sum, mean, min, max, sd of n records with these totals. */
double scarce__read_sum(const scarce__feature_aggregate *a, const scarce__sum *s, uint64_t n);
/* Of a history, NULL: an empty one. 0: out of memory. */
int scarce__history_ask(scarce__kind_state *k, const scarce__history *h, const scarce__kind_record *r,
                        double *out);

#endif
