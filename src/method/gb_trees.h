/* SPDX-License-Identifier: Apache-2.0 */
/* How many trees `gb` grows when it isn't told, and how large (see gb_trees.c). */
#ifndef SCARCE_METHOD_GB_TREES_H
#define SCARCE_METHOD_GB_TREES_H

#include "boost/boost.h"

typedef struct scarce__trees_wanted {
    int least;  /* trees, whatever the held-out rows say */
    int larger; /* leaves of the larger trees to be tried beside those of the options; 0: none */
} scarce__trees_wanted;

/* Sets o->n_trees to the number after which the loss on held-out rows of the table was least, but not below
 * `least`, and o->grow.max_leaves to `larger` where that makes the loss lower by more than a hundredth.
 * Leaves both as they are where one class has too few rows to tell, when every part held out fails to train,
 * or when the progress callback asks to stop (*cancelled = 1). Depends on the data, `o` and its seed only.
 * Costs several times the training itself (four to six times on tables of 20,000 to 300,000 rows, more where
 * few trees are enough). Errors: ENOMEM. */
scarce_status scarce__gb_choose_trees(scarce__boost_options *o, int *cancelled, const scarce_table *table,
                                      const scarce__trees_wanted *wanted, scarce_context *ctx,
                                      scarce_error *err);

#endif
