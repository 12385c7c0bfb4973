/* SPDX-License-Identifier: Apache-2.0 */
#include "model/changed.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

void scarce__changed_free(scarce__changed *c)
{
    scarce_table_free(c->view);
    scarce__free(c->cells[0]);
    scarce__free(c->cells[1]);
    scarce__free(c->score);
    scarce_scorer_free(c->scorer);
}

scarce_status scarce__changed_new(scarce__changed *c, const scarce_model *model, const scarce_table *table,
                                  scarce_error *err)
{
    memset(c, 0, sizeof *c);
    SCARCE__TRY(scarce__check_same_features(&model->schema, &table->schema, err));
    c->score = scarce__malloc_array(table->n_rows, sizeof *c->score);
    if (!c->score) return scarce__fail_memory(err, "scoring a changed table", table->n_rows * 8);
    c->from = table;
    SCARCE__TRY(scarce__view_new(&c->view, table, 0, table->n_rows, err));
    return scarce_scorer_new(&c->scorer, model, err);
}

void *scarce__changed_cells(scarce__changed *c, int which)
{
    if (!c->cells[which]) c->cells[which] = scarce__malloc_array(c->from->n_rows, 4);
    return c->cells[which];
}

void scarce__changed_set(scarce__changed *c, size_t f, int which)
{
    if (c->view->schema.features[f].kind == SCARCE_COLUMN_CATEGORY) {
        c->view->columns[f].code = c->cells[which];
        return;
    }
    c->view->schema.features[f].kind = SCARCE_COLUMN_NUMERIC;
    c->view->columns[f].number = c->cells[which];
}

void scarce__changed_reset(scarce__changed *c, size_t f)
{
    c->view->schema.features[f].kind = c->from->schema.features[f].kind;
    c->view->columns[f] = c->from->columns[f];
}

scarce_status scarce__changed_fill(scarce__changed *c, size_t f, int which, float value, scarce_error *err)
{
    const size_t n = c->from->n_rows;
    void *cells = scarce__changed_cells(c, which);

    if (!cells) return scarce__fail_memory(err, "scoring a changed table", n * 4);
    if (c->view->schema.features[f].kind == SCARCE_COLUMN_CATEGORY) {
        const size_t most = c->view->schema.features[f].categories.count;
        const int32_t code = !(value >= 0)                  ? -1
                             : (double)value < (double)most ? (int32_t)value
                                                            : (int32_t)most;
        for (size_t r = 0; r < n; ++r) ((int32_t *)cells)[r] = code;
    } else {
        for (size_t r = 0; r < n; ++r) ((float *)cells)[r] = value;
    }
    scarce__changed_set(c, f, which);
    return SCARCE_OK;
}

scarce_status scarce__changed_score(scarce__changed *c, scarce_context *ctx, scarce_error *err)
{
    return scarce_scorer_table(c->scorer, c->view, c->score, NULL, ctx, err);
}
