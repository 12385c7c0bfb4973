/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows a member of an ensemble sees (see draw.c). */
#ifndef SCARCE_ENSEMBLE_DRAW_H
#define SCARCE_ENSEMBLE_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>

#include "data/row_hash.h"

typedef enum scarce__member_rows {
    SCARCE__MEMBER_ALL = 0,            /* all rows */
    SCARCE__MEMBER_BOOTSTRAP,          /* share x n draws with replacement */
    SCARCE__MEMBER_BOOTSTRAP_BALANCED, /* share x the rarer class draws with replacement from each class */
    SCARCE__MEMBER_BALANCED /* share x the rarer class rows of each class, without replacement; with
                                          share 1 all of the rarer one */
} scarce__member_rows;

/* The rows of each class, once for all members. A row is drawn as so many rows as scarce__count_at says: coins. */
typedef struct scarce__classes {
    size_t n, n_positives; /* rows; those of weight 0 are none */
    size_t coins[2];       /* of negatives, of positives */
    uint32_t *row;         /* negatives, then positives, each in the order of what they hold */
    size_t *first;         /* coins before each of them, n + 1; NULL: one each */
    uint32_t *place;       /* of a row in that list, by its number */
    size_t n_rows;         /* of the table: all numbers in `row` are below */
} scarce__classes;

/* Of all rows of a table with labels. */
scarce_status scarce__classes_new(scarce__classes *out, const scarce_table *table, scarce_error *err);
/* The same from arrays: labels (NULL: no positives) and weights (NULL: 1) per row, hashes of what rows hold (NULL: their
 * numbers), of the rows listed (NULL: all). */
typedef struct scarce__classes_from {
    const uint8_t *label;
    const double *weight;
    const uint64_t *hash;
    const uint32_t *rows;
    size_t n;      /* of those listed */
    size_t n_rows; /* of the arrays */
} scarce__classes_from;
scarce_status scarce__classes_of(scarce__classes *out, const scarce__classes_from *from, scarce_error *err);
void scarce__classes_deinit(scarce__classes *classes);
/* Coins of each class, without the rest. */
void scarce__classes_count(size_t coins[2], const scarce_table *table);

/* A draw: rows ascending, each once, and how often it was drawn. Room is the struct's own. */
typedef struct scarce__drawn {
    size_t n, room;
    uint32_t *row, *times;
} scarce__drawn;

void scarce__drawn_deinit(scarce__drawn *drawn);

/* Draws the rows of a member. Depends on (seed, member) and on what the rows hold, not on their order, and a row of
 * weight w is drawn as often as w copies of it: it then counts `times` its scarce__count_weight. (MEMBER_ALL: each
 * once, with its weight.) */
scarce_status scarce__draw_member(scarce__drawn *out, const scarce__classes *classes, scarce__member_rows how,
                                  double share, uint64_t seed, uint64_t member, scarce_error *err);

/* The draws of a member one by one, as rows in the order of the classes: the same rows in the same order however those of
 * the table are ordered, and with weights as with copies. n of them, freed by scarce__free; NULL: out of memory. */
uint32_t *scarce__drawn_rows(const scarce__drawn *drawn, const scarce__classes *classes, size_t *n);

/* By how much such a draw multiplies the odds of a positive: what a score learnt from it has to be divided by. */
double scarce__draw_odds(const size_t coins[2], scarce__member_rows how);

/* Rows that a draw can have at most. */
size_t scarce__draw_room(const scarce__classes *classes, scarce__member_rows how, double share);
size_t scarce__draw_most(size_t n, size_t n_positives, scarce__member_rows how, double share);

#endif
