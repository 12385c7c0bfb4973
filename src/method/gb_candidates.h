/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of `gb` that held-out rows choose between (see gb_candidates.c). */
#ifndef SCARCE_METHOD_GB_CANDIDATES_H
#define SCARCE_METHOD_GB_CANDIDATES_H

#include "method/gb_choose.h"
#include "method/gb_options.h"

/* The first is `o`; others where the parameters asked for leave it open. calibrate: nobody else does. */
void scarce__gb_candidates_of(scarce__gb_candidates *c, const scarce__boost_options *o,
                              const scarce__gb_params *asked, const scarce_table *table, int calibrate);

#endif
