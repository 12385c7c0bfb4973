/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a single ranking tree, in words, and which of them a row fires. */
#ifndef SCARCE_RANK_RULEBOOK_H
#define SCARCE_RANK_RULEBOOK_H

#include "rank/show.h"

typedef struct scarce__rulebook {
    const scarce__dag *dag;
    scarce__rules rules; /* read from the top */
    size_t *first;       /* per leaf, and the end: its first box */
    char **way;          /* per box, in words */
    char **text;         /* per leaf: all its ways */
} scarce__rulebook;

/* The rank and the schema must outlive it. EUNSUPPORTED for forests. */
scarce_status scarce__rulebook_new(scarce__rulebook **out, const scarce__rank_shown *shown,
                                   scarce_error *err);
void scarce__rulebook_free(scarce__rulebook *book); /* takes NULL */

/* The leaf of a row, and the first of its boxes that holds. No allocation. */
size_t scarce__rulebook_find(const scarce__rulebook *book, const float *row, size_t *box);

#endif
