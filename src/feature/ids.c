/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/ids.h"

#include <string.h>

#include "core/alloc.h"
#include "core/simd.h"

enum { FIRST = 256 };

void scarce__ids_deinit(scarce__ids *ids)
{
    scarce__free(ids->entries);
    scarce__free(ids->slots);
    memset(ids, 0, sizeof *ids);
}

static size_t place_of(const scarce__ids *ids, uint64_t hash)
{
    const size_t mask = ids->capacity - 1;
    size_t i = (size_t)hash & mask;
    while (ids->entries[i].hash && ids->entries[i].hash != hash) i = (i + 1) & mask;
    return i;
}

size_t scarce__ids_find(const scarce__ids *ids, uint64_t hash, int64_t limit)
{
    if (ids->capacity == 0) return SIZE_MAX;
    const size_t i = place_of(ids, hash);
    return ids->entries[i].hash && ids->entries[i].time > limit ? i : SIZE_MAX;
}

void scarce__ids_fetch(const scarce__ids *ids, uint64_t hash)
{
    if (ids->capacity) SCARCE__PREFETCH(&ids->entries[(size_t)hash & (ids->capacity - 1)]);
}

int scarce__ids_reserve(scarce__ids *ids, size_t more)
{
    size_t capacity = ids->capacity ? ids->capacity : FIRST;
    scarce__ids to = *ids;

    if (4 * (ids->n + more) <= 3 * ids->capacity) return 1;
    if (more > SIZE_MAX / 64) return 0;
    while (4 * (ids->n + more) > 3 * capacity) capacity *= 2;
    to.entries = scarce__huge_calloc(capacity, sizeof *to.entries);
    to.slots = scarce__huge_calloc(capacity * ids->n_slots, sizeof *to.slots);
    if (!to.entries || !to.slots) {
        scarce__free(to.entries);
        scarce__free(to.slots);
        return 0;
    }
    to.capacity = capacity;
    for (size_t i = 0; i < ids->capacity; ++i) {
        if (!ids->entries[i].hash) continue;
        const size_t at = place_of(&to, ids->entries[i].hash);
        to.entries[at] = ids->entries[i];
        memcpy(to.slots + at * ids->n_slots, ids->slots + i * ids->n_slots, ids->n_slots * sizeof *to.slots);
    }
    scarce__free(ids->entries);
    scarce__free(ids->slots);
    *ids = to;
    return 1;
}

size_t scarce__ids_add(scarce__ids *ids, uint64_t hash, int64_t time, uint32_t tag)
{
    const size_t i = place_of(ids, hash);
    ids->n += ids->entries[i].hash == 0;
    ids->entries[i].hash = hash;
    ids->entries[i].time = (int32_t)time;
    ids->entries[i].tag = tag;
    for (size_t s = 0; s < ids->n_slots; ++s) ids->slots[i * ids->n_slots + s] = UINT32_MAX;
    return i;
}

static void remove_at(scarce__ids *ids, size_t hole)
{
    const size_t mask = ids->capacity - 1;
    for (size_t i = (hole + 1) & mask; ids->entries[i].hash; i = (i + 1) & mask) {
        const size_t home = (size_t)ids->entries[i].hash & mask;
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        ids->entries[hole] = ids->entries[i];
        memcpy(ids->slots + hole * ids->n_slots, ids->slots + i * ids->n_slots,
               ids->n_slots * sizeof *ids->slots);
        hole = i;
    }
    ids->entries[hole].hash = 0;
    --ids->n;
}

void scarce__ids_sweep(scarce__ids *ids, int64_t limit)
{
    if (limit == INT64_MIN || ids->capacity == 0) return;
    for (int k = 0; k < 4; ++k) {
        ids->sweep = (ids->sweep + 1) & (ids->capacity - 1);
        if (ids->entries[ids->sweep].hash && ids->entries[ids->sweep].time <= limit)
            remove_at(ids, ids->sweep);
    }
}

size_t scarce__ids_bytes(const scarce__ids *ids)
{
    return ids->capacity * (sizeof *ids->entries + ids->n_slots * sizeof *ids->slots);
}
