/* SPDX-License-Identifier: Apache-2.0 */
/* What scarce_table_from_columns works with, and taking one column. */
#ifndef SCARCE_DATA_TAKE_H
#define SCARCE_DATA_TAKE_H

#include "data/plan.h"
#include "data/read.h"

/* Numbers that are copied: to one of the two. */
typedef struct scarce__copying {
    const scarce_column *from;
    float *floats;
    double *doubles;
} scarce__copying;

typedef struct scarce__building {
    scarce_column *columns; /* complete copies of the caller's */
    size_t n, n_rows;
    scarce_read_options o;
    const char **ignored;
    int borrow, borrowed; /* may be, was */
    scarce__header header;
    scarce__plan plan;
    scarce__copying *copies;
    size_t n_copies;
    scarce_table *table;
} scarce__building;

/* A category, whatever its role. */
static inline int scarce__is_text(const scarce_column *c)
{
    return c->kind == SCARCE_COLUMN_CATEGORY || c->type == SCARCE_TYPE_TEXT;
}

/* Column i into the feature or role that the plan gave it; b->copies has room. */
scarce_status scarce__take_column(scarce__building *b, size_t i, scarce_error *err);
/* Fills what isn't borrowed. */
void scarce__take_copies(scarce__building *b, const scarce_context *ctx);

#endif
