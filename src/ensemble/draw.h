/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows a member of an ensemble sees (see draw.c). */
#ifndef SCARCE_ENSEMBLE_DRAW_H
#define SCARCE_ENSEMBLE_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>

typedef enum scarce__member_rows {
    SCARCE__MEMBER_ALL = 0,            /* all rows */
    SCARCE__MEMBER_BOOTSTRAP,          /* share x n draws with replacement */
    SCARCE__MEMBER_BOOTSTRAP_BALANCED, /* share x the rarer class draws with replacement from each class */
    SCARCE__MEMBER_BALANCED /* share x the rarer class rows of each class, without replacement; with
                                          share 1 all of the rarer one */
} scarce__member_rows;

/* The rows of each class, once for all members. */
typedef struct scarce__classes {
    size_t n, n_positives;
    uint32_t *row; /* negatives ascending, then positives ascending */
} scarce__classes;

/* labels: per row, or of the rows listed (ascending; NULL: all). */
scarce_status scarce__classes_new(scarce__classes *out, const uint8_t *label, const uint32_t *rows, size_t n,
                                  scarce_error *err);
void scarce__classes_deinit(scarce__classes *classes);

/* A draw: rows ascending, each once, and how often it was drawn. Room is the struct's own. */
typedef struct scarce__drawn {
    size_t n, room;
    uint32_t *row, *times;
} scarce__drawn;

void scarce__drawn_deinit(scarce__drawn *drawn);

/* Draws the rows of a member. Depends on (seed, member) and the classes alone. */
scarce_status scarce__draw_member(scarce__drawn *out, const scarce__classes *classes, scarce__member_rows how,
                                  double share, uint64_t seed, uint64_t member, scarce_error *err);

/* By how much such a draw multiplies the odds of a positive: what a score learnt from it has to be divided by. */
double scarce__draw_odds(const scarce__classes *classes, scarce__member_rows how, double share);

/* Rows that a draw can have at most. */
size_t scarce__draw_most(size_t n, size_t n_positives, scarce__member_rows how, double share);

#endif
