/* SPDX-License-Identifier: Apache-2.0 */
/* A table whose columns are put in the order of a schema, and whose categories have its codes: blocks of a stream, frames of
 * a cluster and files name their columns alike, but number their categories as they come. */
#ifndef SCARCE_FAR_ALIGN_H
#define SCARCE_FAR_ALIGN_H

#include "data/table.h"

typedef struct scarce__aligned {
    scarce_table table; /* borrows schema, numbers and roles; has the codes */
    int32_t **codes;    /* per feature, those that had to be changed */
} scarce__aligned;

/* grow: texts the schema doesn't list are added to it; else they get the code "unknown". EDATA names a column that isn't
 * there or is of another kind. The schema and `from` must outlive it. */
scarce_status scarce__align(scarce__aligned *out, scarce_schema *schema, const scarce_table *from, int grow,
                            scarce_error *err);
void scarce__aligned_deinit(scarce__aligned *aligned);

#endif
