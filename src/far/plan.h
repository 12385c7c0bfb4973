/* SPDX-License-Identifier: Apache-2.0 */
/* How rows become bytes, wherever they lie; and where a training begins, what it knows of all rows without seeing them. */
#ifndef SCARCE_FAR_PLAN_H
#define SCARCE_FAR_PLAN_H

#include <scarce/scale.h>

#include "data/profile.h"
#include "data/table.h"
#include "tree/bins.h"

struct scarce_plan {
    scarce_schema schema;
    scarce__bins bins;
    uint64_t n_rows, n_positives;
    uint64_t fingerprint;
    /* Not sent: */
    scarce_table *
        sample; /* an even sample of the rows, all of them where they are few; NULL in a plan that was read */
    float *missing; /* share per feature */
    scarce__profile *profile;
};

scarce_status scarce__far_plan_make(scarce_plan **out, const scarce_sketch *sketch,
                                    const scarce__bin_options *options, scarce_context *ctx,
                                    scarce_error *err);

#endif
