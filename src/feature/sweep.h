/* SPDX-License-Identifier: Apache-2.0 */
/* A key whose records are all at hand and in order of time: its windows by two pointers each.
 *
 *     part = scarce__sweep_part_at(kind, from, missing);
 *     scarce__sweep_run(&sweep, &part, ...);               key by key: what each record's window holds, a few words
 *     scarce__sweep_gather(&held, &part, words, place, n, 0); row by row: these words of a few rows,
 *     scarce__sweep_column(&held, &part, a, n, out);       and feature a from them */
#ifndef SCARCE_FEATURE_SWEEP_H
#define SCARCE_FEATURE_SWEEP_H

#include "feature/totals.h"

enum {
    SCARCE__SWEEP_STEP = 4,     /* times that are looked at at once: so many behind the last are read */
    SCARCE__SWEEP_SHORT = 4096, /* most records of a key whose largest values are looked up in a table */
    SCARCE__SWEEP_ROWS = 256    /* most rows that are gathered together */
};

/* Whether the features of a kind can be had so: windows in time over all records, of numbers and counts. */
int scarce__sweep_can(const scarce__feature_kind *kind);

/* Features that are made together: of one window and, counts apart, of one measure; and where in the words of a record
 * stands what they need. */
typedef struct scarce__sweep_part {
    const scarce__feature_window *window;
    const scarce__feature_aggregate *first;
    size_t n;
    int value;                /* of the kind; -1: counts alone */
    int missing;              /* some values are */
    size_t words;             /* of 4 bytes, of one record */
    int count, known;         /* one word; known values: records, where none is missing */
    int sum, sd, most, least; /* two, two, one, one; -1: not needed */
} scarce__sweep_part;

/* The part that begins with aggregate `from` of the kind; missing[value of the kind]: some values are. */
scarce__sweep_part scarce__sweep_part_at(const scarce__feature_kind *kind, size_t from,
                                         const uint8_t *missing);

/* What a worker writes on: of each record, and of what comes before it. */
typedef struct scarce__sweep {
    size_t capacity;       /* records that there is room for */
    uint32_t *begin, *end; /* the window of each; its end where there is a delay */
    uint32_t *known;       /* values before each; one more than records, as the next two */
    int64_t *sum;
    scarce__u128 *squares;
    int32_t *extreme; /* with few records a table behind the first, else one for each */
    uint8_t level[SCARCE__SWEEP_SHORT + 1];
} scarce__sweep;

/* 0: out of memory. */
int scarce__sweep_reserve(scarce__sweep *s, size_t n);
void scarce__sweep_deinit(scarce__sweep *s);

/* n records, times ascending (SCARCE__SWEEP_STEP more are read, whatever they are), values SCARCE__SMALL_MISSING where they
 * are: the words of record i to out[i * part->words]. */
void scarce__sweep_run(scarce__sweep *s, const scarce__sweep_part *part, const int32_t *time,
                       const int32_t *values, size_t n, uint32_t *out);

/* sweep_rows.c: the words of some rows, each kind of them together. */
typedef struct scarce__swept {
    double sum[SCARCE__SWEEP_ROWS], sd[SCARCE__SWEEP_ROWS];
    int32_t count[SCARCE__SWEEP_ROWS], known[SCARCE__SWEEP_ROWS];
    int32_t most[SCARCE__SWEEP_ROWS], least[SCARCE__SWEEP_ROWS];
} scarce__swept;

/* `more` places behind the n are there as well: what will be asked for soon. */
void scarce__sweep_gather(scarce__swept *to, const scarce__sweep_part *part, const uint32_t *words,
                          const uint32_t *place, size_t n, size_t more);
/* Feature part->first[a] of n rows. */
void scarce__sweep_column(const scarce__swept *from, const scarce__sweep_part *part, size_t a, size_t n,
                          double *out);

#endif
