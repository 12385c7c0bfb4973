/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints on trees as a user writes them, by feature names. */
#ifndef SCARCE_METHOD_CONSTRAINTS_H
#define SCARCE_METHOD_CONSTRAINTS_H

#include "data/table.h"

typedef struct scarce__constraints {
    int8_t *monotone; /* per feature; NULL: none */
    size_t n_groups;
    uint32_t *group_begin, *group_feature;
} scarce__constraints;

/* monotone: "amount:1,age:-1"; interactions: "amount+hour,country+channel". "" or NULL: none. EINVAL names
 * the item and the nearest feature. */
scarce_status scarce__constraints_parse(scarce__constraints *out, const scarce_schema *schema,
                                        const char *monotone, const char *interactions, scarce_error *err);
void scarce__constraints_deinit(scarce__constraints *c);

#endif
