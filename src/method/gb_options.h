/* SPDX-License-Identifier: Apache-2.0 */
/* From parameters to the options of the engine (boost/boost.h): what gb, and every method made of boosters,
 * calls. In this order:
 *
 *     scarce__gb_check(params, ...)     what can't be meant
 *     scarce__gb_settle(p, ...)         "auto" becomes what the data ask for
 *     scarce__gb_options(&o, p, ...)    the engine's options
 *     scarce__gb_remember(p, &o)        what the engine decided goes back, for the model's notes */
#ifndef SCARCE_METHOD_GB_OPTIONS_H
#define SCARCE_METHOD_GB_OPTIONS_H

#include "boost/boost.h"
#include "method/gb_params.h"

/* What the defaults look at. */
typedef struct scarce__gb_size {
    size_t rows, positives;
} scarce__gb_size;

/* EINVAL with the parameter at fault. Needs no data. */
scarce_status scarce__gb_check(const scarce__gb_params *p, scarce_error *err);

/* Do the bags leave rows out, so that early stopping could look at those? */
int scarce__gb_leaves_rows_out(const scarce__gb_params *p);

/* Is it importance sampling that is asked for, by name or by "auto"? (The engine may yet take all rows, where
 * they are few.) */
int scarce__gb_by_importance(const scarce__gb_params *p, const scarce__loss *loss, scarce__gb_size size);

/* Does the loss on held-out rows tell how many trees are enough? */
int scarce__gb_counts_trees(const scarce__gb_params *p);

void scarce__gb_settle(scarce__gb_params *p, scarce__gb_size size);

/* `user` is a loss of the caller (borrowed) instead of that of the parameters, or NULL. Errors: those of
 * scarce__sampling_choose. */
scarce_status scarce__gb_options(scarce__boost_options *o, const scarce__gb_params *p, scarce__gb_size size,
                                 const scarce_loss *user, uint64_t seed, scarce_error *err);

/* The line of the engine's table behind a choice of `sample`. */
scarce__sampling_kind scarce__gb_sample_kind(int sample);

void scarce__gb_remember(scarce__gb_params *p, const scarce__boost_options *o);

/* What the scores of these options mean: link, slope, and what was done to the odds. */
struct scarce__meaning;
void scarce__gb_meaning(struct scarce__meaning *out, const scarce__boost_options *o);

#endif
