/* SPDX-License-Identifier: Apache-2.0 */
/* A logistic regression as trees: what stands beside a booster (gb_linear.c). */
#ifndef SCARCE_METHOD_GB_LINEAR_H
#define SCARCE_METHOD_GB_LINEAR_H

#include "boost/boost.h"
#include "tree/forest.h"

/* Can there be one for this table? Columns must be dense, and not hundreds. */
int scarce__gb_linear_fits(const scarce_table *table);

/* Trains on all rows of the table, with the class weights of `o`, into the all-zero `out`, in the
 * unit of the loss's scores: a tree for each feature that
 * says something. Same bits with any number of threads. Errors: ENOMEM; ECANCEL when the progress callback says so. Where
 * the numbers can't be learnt from (ENUMERIC and the like) the forest is empty, with the base 0. */
scarce_status scarce__gb_linear(scarce__forest *out, const scarce_table *table,
                                const scarce__boost_options *o, scarce_context *ctx, scarce_error *err);

#endif
