/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of values of one type, for `in`: found by hash. */
#ifndef SCARCE_EXPR_SET_H
#define SCARCE_EXPR_SET_H

#include "core/fail.h"
#include "expr/value.h"

enum { SCARCE__SET_LONGEST = 1024 }; /* bytes of a text in a set */

typedef struct scarce__set scarce__set;

scarce_status scarce__set_new(scarce__set **out, scarce__type type, scarce_error *err);
void scarce__set_free(scarce__set *set);
scarce__type scarce__set_type(const scarce__set *set);
size_t scarce__set_count(const scarce__set *set);

/* Adds a known value (a copy); one that is there already stays. EINVAL for a text that is too long. */
scarce_status scarce__set_add(scarce__set *set, scarce__value value, scarce_error *err);
/* 1 when it was there. */
int scarce__set_remove(scarce__set *set, scarce__value value);
/* Whether a known value is in it. No allocation. */
int scarce__set_has(const scarce__set *set, const scarce__value *value);

#endif
