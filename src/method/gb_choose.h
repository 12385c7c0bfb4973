/* SPDX-License-Identifier: Apache-2.0 */
/* What `gb` finds out on held-out rows when it isn't told (see gb_choose.c). */
#ifndef SCARCE_METHOD_GB_CHOOSE_H
#define SCARCE_METHOD_GB_CHOOSE_H

#include "boost/boost.h"
#include "method/gb_weigh.h"

enum { SCARCE__MOST_CANDIDATES = SCARCE__MOST_VOICES, SCARCE__MOST_PARTS = 5 };

typedef struct scarce__gb_candidate {
    scarce__boost_options o;
    int linear; /* a logistic regression as trees (gb_linear.h) instead; of `o` only what it says of costs counts */
    int haste;    /* tries take steps so many times as long, and so many times fewer of them */
    int least;    /* trees, whatever held-out rows say */
    double prior; /* of a voice: its weight, in any unit, as far as rows can't tell */
    int risky;    /* a voice that is only heard where rows can tell */
} scarce__gb_candidate;

typedef struct scarce__gb_candidates {
    size_t n; /* the first is what is taken where rows can't tell */
    scarce__gb_candidate one[SCARCE__MOST_CANDIDATES];
    int calibrate;       /* held-out rows also say how sure the scores may be */
    double scale, shift; /* of all of them, as asked for; scale 0, shift NaN: held-out rows say so */
    size_t parts;        /* that rows are dealt into, up to SCARCE__MOST_PARTS; one is held out at a time */
    int blind;           /* nobody is held out, and they are taken as they are */
    int sum; /* they are voices of a sum, and held-out rows give each its weight; 0: one of them is taken */
} scarce__gb_candidates;

/* f'(x) = (base + shift) + scale (f(x) - base): scarce__forest_rescale. */
typedef struct scarce__gb_share {
    double weight; /* in the sum; 0: not taken */
    int n_trees;
    double scale, shift;
} scarce__gb_share;

typedef struct scarce__gb_choice {
    size_t which; /* the one that was taken, or of the sum the trees with the largest weight */
    int told;     /* rows were held out, and could tell */
    scarce__gb_share of[SCARCE__MOST_CANDIDATES];
} scarce__gb_choice;

/* Depends on the table, the candidates and their seeds only. Where the rows can't tell, the candidates are taken as they
 * are: the first, or all that are not risky by their priors. *cancelled: the progress callback asked to stop. Errors: ENOMEM. */
scarce_status scarce__gb_choose(scarce__gb_choice *out, int *cancelled, const scarce_table *table,
                                const scarce__gb_candidates *candidates, scarce_context *ctx,
                                scarce_error *err);

#endif
