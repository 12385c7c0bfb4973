/* SPDX-License-Identifier: Apache-2.0 */
/* The two solvers. Both fill theta (n_parameters + 2 items, see encode.h). */
#ifndef SCARCE_LINEAR_NEWTON_H
#define SCARCE_LINEAR_NEWTON_H

#include "linear/encode.h"

/* cost: c * weight * class weight of every row, >= 0. */
scarce_status scarce__newton(double *theta, scarce__linear_report *report, scarce__design *d,
                             const uint8_t *label, const double *cost, const scarce__linear_options *options,
                             scarce_context *ctx, scarce_error *err);

scarce_status scarce__liblinear(double *theta, const scarce__design *d, const uint8_t *label,
                                const scarce__linear_options *options, scarce_error *err);

/* The objective at theta, given z = X theta. */
double scarce__linear_objective(const scarce__design *d, const double *theta, const double *z,
                                const uint8_t *label, const double *cost,
                                const scarce__linear_options *options);

#endif
