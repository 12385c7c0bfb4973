/* SPDX-License-Identifier: Apache-2.0 */
/* What `gb` finds out on held-out rows when it isn't told (see gb_choose.c). */
#ifndef SCARCE_METHOD_GB_CHOOSE_H
#define SCARCE_METHOD_GB_CHOOSE_H

#include "boost/boost.h"

enum { SCARCE__MOST_CANDIDATES = 6 };

typedef struct scarce__gb_candidate {
    scarce__boost_options o;
    int haste; /* tries take steps so many times as long, and so many times fewer of them */
    int least; /* trees, whatever held-out rows say */
} scarce__gb_candidate;

typedef struct scarce__gb_candidates {
    size_t n; /* the first is what is taken unless another is clearly better */
    scarce__gb_candidate one[SCARCE__MOST_CANDIDATES];
    int calibrate; /* held-out rows also say how sure the scores may be */
    double beside; /* share of what stands beside the trees (gb_beside.h); 0: nothing does */
    int small_runs; /* the small trees among them are counted too; then they stand beside the first candidate only */
    scarce__gb_candidate small;
} scarce__gb_candidates;

typedef struct scarce__gb_choice {
    size_t which;
    int n_trees;
    double scale, shift; /* for the trees together, and for the base: see scarce__forest_rescale */
    double beside;       /* share; 0 when another candidate was taken */
    int small_trees;     /* 0: as many as there are others */
    double small_scale, small_shift;
} scarce__gb_choice;

/* Depends on the table, the candidates and their seed only. Where the rows can't tell, the choice is the first
 * candidate as it is. *cancelled: the progress callback asked to stop. Errors: ENOMEM. */
scarce_status scarce__gb_choose(scarce__gb_choice *out, int *cancelled, const scarce_table *table,
                                const scarce__gb_candidates *candidates, scarce_context *ctx,
                                scarce_error *err);

#endif
