/* SPDX-License-Identifier: Apache-2.0 */
/* Between sampling.c and sampling_gradient.c. */
#ifndef SCARCE_BOOST_SAMPLING_INSIDE_H
#define SCARCE_BOOST_SAMPLING_INSIDE_H

#include "boost/sampling.h"

/* Room for n rows, with weights or not; *bag is empty or of an earlier draw. */
scarce_status scarce__bag_reserve(scarce__bag *bag, size_t n, int weights, scarce_error *err);

scarce_status scarce__draw_by_gradient(scarce__bag *out, const scarce__sampling_options *options,
                                       const scarce__population *from, int pool, double n_all, uint64_t seed,
                                       uint64_t tree, const scarce__loss *loss, scarce_context *ctx,
                                       scarce_error *err);

#endif
