/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of one key: its live records in order of time (equal times as they arrived), column by column
 * in one block, from which everything else follows.
 *
 * A record takes 4 bytes for its time, 4 for each value (8 in the histories that have seen one beyond 31 bits), 8 for
 * each counted column, 4 and 1 where labels or filters are used. Short histories are walked through; long ones have
 * sums of 64 and of 4,096 records beside them (summary.c), which are functions of the records too. */
#ifndef SCARCE_FEATURE_HISTORY_H
#define SCARCE_FEATURE_HISTORY_H

#include "feature/totals.h"

enum { SCARCE__LABEL_OPEN = 0, SCARCE__LABEL_GENUINE = 1, SCARCE__LABEL_FRAUD = 2 };

/* Which values of a column are counted among which records. */
typedef struct scarce__mark {
    int filter, counted;
} scarce__mark;

/* Sums of what was folded: records of one span of time that are older than the newest `max_events`. */
typedef struct scarce__tile {
    int64_t bucket;
    int32_t time; /* of the newest in it: that of all of them from now on */
    int32_t unused;
} scarce__tile; /* totals follow */

/* The last occurrence of each value: at position last_at of the block. */
typedef struct scarce__last {
    uint64_t *bits;   /* per position: this is the last record with its value */
    uint32_t *high;   /* how many of each 4,096 are */
    uint64_t *values; /* open addressing; 0: free */
    uint32_t *at;
    size_t slots; /* power of two */
    size_t used;
} scarce__last;

typedef struct scarce__summary {
    int active; /* nodes and marks are right */
    char *nodes, *high_nodes;
    size_t n_nodes; /* that there is room for */
    scarce__last *lasts;
    char *tiles;
    size_t n_tiles, tiles_capacity;
} scarce__summary;

typedef struct scarce__history {
    uint64_t key[2];
    uint8_t *block;
    scarce__summary *summary;
    uint32_t head, tail, capacity;
    uint8_t wide, used;
} scarce__history;

/* How records of a kind are laid out. */
typedef struct scarce__shape {
    const scarce__feature_kind *kind;
    scarce__totals_shape totals;
    size_t tile_bytes;
    int n_values, n_counted, has_tags, has_flags;
    const scarce__mark *marks;
    int n_marks;
    int64_t base; /* what times count from; tiles are cut by the true time */
} scarce__shape;

enum { SCARCE__LONG_HISTORY = 192 };

/* A record on its way in. */
typedef struct scarce__kind_record {
    int64_t t, at; /* seconds since the engine's base */
    uint64_t key[2];
    int has_key;
    const int64_t *numbers; /* by field; SCARCE__NO_VALUE: missing */
    const uint64_t *hashes; /* by field; 0: missing */
    uint32_t filters;       /* bit f: it passes filter f; bit 0 is set */
    uint32_t tag;           /* names it for its label */
    int label;              /* what is known already (a snapshot) */
} scarce__kind_record;

static inline size_t scarce__record_bytes(const scarce__shape *s, int wide)
{
    return 8 * (size_t)s->n_counted + (wide ? 8 : 4) * (size_t)s->n_values + 4 + (s->has_tags ? 4 : 0) +
           (s->has_flags ? 1 : 0);
}

static inline uint64_t *scarce__counted(const scarce__history *h, int c)
{
    return (uint64_t *)(void *)h->block + (size_t)c * h->capacity;
}

static inline uint8_t *scarce__values(const scarce__shape *s, const scarce__history *h, int v)
{
    return h->block + 8 * (size_t)s->n_counted * h->capacity + (h->wide ? 8 : 4) * (size_t)v * h->capacity;
}

static inline int32_t *scarce__times(const scarce__shape *s, const scarce__history *h)
{
    return (int32_t *)(void *)scarce__values(s, h, s->n_values);
}

static inline uint32_t *scarce__tags(const scarce__shape *s, const scarce__history *h)
{
    return (uint32_t *)(void *)(scarce__times(s, h) + h->capacity);
}

static inline uint8_t *scarce__flags(const scarce__shape *s, const scarce__history *h)
{
    return (uint8_t *)(scarce__times(s, h) + (s->has_tags ? 2 : 1) * (size_t)h->capacity);
}

static inline int64_t scarce__value_at(const scarce__shape *s, const scarce__history *h, int v, size_t i)
{
    const uint8_t *column = scarce__values(s, h, v);
    if (h->wide) return ((const int64_t *)(const void *)column)[i];
    const int32_t x = ((const int32_t *)(const void *)column)[i];
    return x == INT32_MIN ? SCARCE__NO_VALUE : x;
}

/* Low two bits: the label; bit 1 + f: filter f. */
static inline unsigned scarce__flags_at(const scarce__shape *s, const scarce__history *h, size_t i)
{
    return s->has_flags ? scarce__flags(s, h)[i] : 0;
}

static inline int scarce__passes(unsigned flags, int filter)
{
    return filter == 0 || (flags >> (1 + filter) & 1);
}

/* The first position of [from, to) whose time is above `limit`; `to` where there is none. */
size_t scarce__history_after(const scarce__shape *s, const scarce__history *h, size_t from, size_t to,
                             int64_t limit);

/* Room for one more record with these values: 0 when memory is exhausted (and nothing is lost). */
int scarce__history_reserve(const scarce__shape *s, scarce__history *h, const int64_t *numbers);
/* Puts it in its place. There is room. */
void scarce__history_insert(const scarce__shape *s, scarce__history *h, const scarce__kind_record *r);
/* Forgets what isn't above `limit` (in time). */
void scarce__history_evict(const scarce__shape *s, scarce__history *h, int64_t limit);
/* Gives memory back where most of it is unused. */
void scarce__history_trim(const scarce__shape *s, scarce__history *h);
void scarce__history_deinit(const scarce__shape *s, scarce__history *h);
/* The label of the record with this time and tag; 1 when it was found. */
int scarce__history_label(const scarce__shape *s, scarce__history *h, int64_t t, uint32_t tag, int label);
/* Allocated bytes. */
size_t scarce__history_bytes(const scarce__shape *s, const scarce__history *h);

/* ---- summary.c */

/* Adds record i. */
void scarce__add_record(const scarce__shape *s, const scarce__history *h, size_t i, void *totals);
/* Adds the records of [from, to). */
void scarce__add_range(const scarce__shape *s, const scarce__history *h, size_t from, size_t to,
                       void *totals);
/* Makes the summary from the records, or drops it where memory is exhausted or the history short. */
void scarce__summary_build(const scarce__shape *s, scarce__history *h);
/* Takes the record at the end in. */
void scarce__summary_append(const scarce__shape *s, scarce__history *h);
void scarce__summary_label(const scarce__shape *s, scarce__history *h, size_t i, int change);
void scarce__summary_deinit(const scarce__shape *s, scarce__history *h);
size_t scarce__summary_bytes(const scarce__shape *s, const scarce__history *h);
/* Where value `hash` last occurred, or SIZE_MAX. */
size_t scarce__summary_find(const scarce__history *h, int mark, uint64_t hash);
/* How many positions of [from, to) hold the last of their value. */
size_t scarce__summary_marks(const scarce__history *h, int mark, size_t from, size_t to);

/* Folds the oldest quarter into tiles: 0 when memory is exhausted, and nothing has changed. */
int scarce__history_fold(const scarce__shape *s, scarce__history *h);
static inline scarce__tile *scarce__tile_at(const scarce__shape *s, const scarce__history *h, size_t i)
{
    return (scarce__tile *)(void *)(h->summary->tiles + i * s->tile_bytes);
}
static inline void *scarce__tile_totals(scarce__tile *t)
{
    return t + 1;
}
/* The tile of that bucket, made where it isn't there; NULL: out of memory. */
scarce__tile *scarce__tile_of(const scarce__shape *s, scarce__history *h, int64_t bucket);

#endif
