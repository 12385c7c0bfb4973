/* SPDX-License-Identifier: Apache-2.0 */
/* Which column of a text file is what. Shared by CSV, ARFF and KEEL. */
#ifndef SCARCE_DATA_PLAN_H
#define SCARCE_DATA_PLAN_H

#include "data/table.h"

typedef enum scarce__use {
    SCARCE__USE_SKIP = 0,
    SCARCE__USE_NUMBER,   /* feature */
    SCARCE__USE_CATEGORY, /* feature */
    SCARCE__USE_LABEL,
    SCARCE__USE_GROUP,
    SCARCE__USE_WEIGHT,
    SCARCE__USE_TIME,
    SCARCE__USE_AMOUNT, /* and, unless ignored, a numeric feature */
    SCARCE__USE_COST,
    SCARCE__USE_EXACT /* kept as double beside the features */
} scarce__use;

/* What the file itself says of a column (ARFF, KEEL). */
typedef enum scarce__declared {
    SCARCE__UNDECLARED = 0,
    SCARCE__DECLARED_NUMBER,
    SCARCE__DECLARED_TEXT
} scarce__declared;

typedef struct scarce__header {
    size_t n_columns;
    scarce__dictionary names;   /* in the order of the columns */
    scarce__declared *declared; /* NULL: nothing */
    scarce__dictionary *values; /* NULL, or per column the nominal values (count 0: any) */
    size_t label;               /* column the file calls its output, SIZE_MAX: none */
    const uint8_t *is_long;     /* NULL, or per column: whole numbers that are names (look.h); borrowed */
    int no_guess;               /* nonzero: a column is the label only when that is said */
} scarce__header;

void scarce__header_deinit(scarce__header *header);

typedef struct scarce__plan_column {
    scarce__use use;
    int fixed;      /* number by declaration: other text is an error, not a category */
    int schema;     /* category of the schema: other texts are "unknown" */
    size_t feature; /* SIZE_MAX: none */
    int exact;      /* which of the exact columns */
    int named;      /* the options name it as a feature: never left out */
    int ignored;    /* the options say so */
} scarce__plan_column;

typedef struct scarce__plan {
    size_t n_columns;
    scarce__plan_column *columns;
    size_t n_features;
    size_t label, weight, time, group, amount, cost; /* column, or SIZE_MAX; cost may be that of amount */
    scarce_choice label_by;
    size_t exact[SCARCE__MAX_EXACT]; /* the same */
} scarce__plan;

/* Errors: EDATA for a column that isn't there (naming the nearest one), EINVAL for contradictions. */
scarce_status scarce__plan_make(scarce__plan *plan, const scarce__header *header,
                                const scarce_read_options *o, const char *file, scarce_error *err);
void scarce__plan_deinit(scarce__plan *plan);
/* The column of that name or number; EDATA when there is none. `what` says what it is for ("time"), or "". */
scarce_status scarce__plan_find(size_t *out, const scarce__header *header, const char *name, const char *what,
                                const char *file, scarce_error *err);

/* Features of the plan with their names and kinds (and the schema's categories) into table->schema,
 * and as many empty columns. */
scarce_status scarce__plan_apply(const scarce__plan *plan, const scarce__header *header,
                                 const scarce_read_options *o, scarce_table *table, scarce_error *err);

#endif
