/* SPDX-License-Identifier: Apache-2.0 */
/* Where the record of an id is: by a 64-bit hash of the id to its time, its tag, and its key in each kind that wants
 * labels. An entry lives as long as the longest horizon; the dead are removed a few with each record. */
#ifndef SCARCE_FEATURE_IDS_H
#define SCARCE_FEATURE_IDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct scarce__id_entry {
    uint64_t hash; /* 0: free */
    int32_t time;
    uint32_t tag;
} scarce__id_entry;

typedef struct scarce__ids {
    scarce__id_entry *entries;
    uint32_t *slots; /* n_slots for each entry: histories, UINT32_MAX: none */
    size_t n_slots;
    size_t n, capacity; /* capacity: a power of two, or 0 */
    size_t sweep;
} scarce__ids;

void scarce__ids_deinit(scarce__ids *ids);
/* The entry of an id that is younger than `limit`, or SIZE_MAX. */
size_t scarce__ids_find(const scarce__ids *ids, uint64_t hash, int64_t limit);
/* Asks the memory for where it is, without waiting for it. */
void scarce__ids_fetch(const scarce__ids *ids, uint64_t hash);
/* Room for so many more: 0 when memory is exhausted. Who adds many that come from such a table asks for all at once: they
 * come in the order of their hashes, and a table that is too small for them has no gaps where they go. */
int scarce__ids_reserve(scarce__ids *ids, size_t more);
/* Its entry, whose slots are to be filled; one that has died is taken over. There is room. */
size_t scarce__ids_add(scarce__ids *ids, uint64_t hash, int64_t time, uint32_t tag);
void scarce__ids_sweep(scarce__ids *ids, int64_t limit);
size_t scarce__ids_bytes(const scarce__ids *ids);

#endif
