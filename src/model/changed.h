/* SPDX-License-Identifier: Apache-2.0 */
/* A table in which up to two features have other values: it borrows everything else from the given one, so
 * that a model can be asked "what if" without copying the data. */
#ifndef SCARCE_MODEL_CHANGED_H
#define SCARCE_MODEL_CHANGED_H

#include "model/model.h"

typedef struct scarce__changed {
    const scarce_table *from;
    scarce_table *view; /* of `from`; changed features point into the cells */
    void *cells[2];     /* n_rows floats or codes each; the second is made when it is first asked for */
    double *score;      /* of scarce__changed_score */
    scarce_scorer *scorer;
} scarce__changed;

/* EDATA when the table hasn't the model's features. To be freed in any case. */
scarce_status scarce__changed_new(scarce__changed *c, const scarce_model *model, const scarce_table *table,
                                  scarce_error *err);
void scarce__changed_free(scarce__changed *c);

/* Where to write the new values of a feature: floats, or int32 codes for a category. NULL: no memory. */
void *scarce__changed_cells(scarce__changed *c, int which);
/* Puts these cells in the place of feature f (a sparse column becomes a full one), and back. */
void scarce__changed_set(scarce__changed *c, size_t f, int which);
void scarce__changed_reset(scarce__changed *c, size_t f);
/* The same value in all rows: a number, a code (beyond the categories: unknown), NaN for missing. */
scarce_status scarce__changed_fill(scarce__changed *c, size_t f, int which, float value, scarce_error *err);

/* Scores all rows into c->score. */
scarce_status scarce__changed_score(scarce__changed *c, scarce_context *ctx, scarce_error *err);

#endif
