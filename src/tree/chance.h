/* SPDX-License-Identifier: Apache-2.0 */
/* The gain that sorting categories by their own gradients has by chance (see chance.c). */
#ifndef SCARCE_TREE_CHANCE_H
#define SCARCE_TREE_CHANCE_H

#include <stddef.h>

/* penalty[i] for the prefix of i + 1 categories, i < n; root[i]: square root of category i's hessian sum in
 * that order, roots and weights: sums of all roots and hessians (more than n where the last is no candidate).
 */
void scarce__chance_penalty(double *penalty, const double *root, size_t n, double roots, double weights,
                            double factor);

#endif
