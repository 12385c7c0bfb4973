/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCARCE_DECIDE_BUDGET_H
#define SCARCE_DECIDE_BUDGET_H

#include <scarce/decide.h>

/* The caller's options over the defaults, checked. */
scarce_status scarce__budget_options(scarce_budget_options *out, const scarce_budget_options *given,
                                     scarce_error *err);

#endif
