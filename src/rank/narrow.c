/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of too many categories are passed over: a view of the table in which they are constant. */
#include "core/alloc.h"
#include "core/fail.h"
#include "rank/round.h"

static int is_wide(const scarce__feature *f, size_t most)
{
    return f->kind == SCARCE_COLUMN_CATEGORY && f->categories.count > most;
}

scarce_status scarce__rank_narrow(scarce_table **out, int32_t **codes, const scarce_table *table, size_t most,
                                  scarce_error *err)
{
    size_t wide = 0;

    *out = NULL;
    *codes = NULL;
    for (size_t f = 0; most > 0 && f < table->schema.n_features; ++f)
        wide += (size_t)is_wide(&table->schema.features[f], most);
    if (wide == 0) return SCARCE_OK;
    *codes = scarce__calloc(table->n_rows, sizeof **codes);
    if (!*codes) return scarce__fail_memory(err, "columns", table->n_rows * sizeof **codes);
    const scarce_status st = scarce__view_new(out, table, 0, table->n_rows, err);
    if (st != SCARCE_OK) {
        scarce__free(*codes);
        *codes = NULL;
        return st;
    }
    for (size_t f = 0; f < table->schema.n_features; ++f)
        if (is_wide(&table->schema.features[f], most))
            (*out)->columns[f].code = *codes; /* a view frees no cells */
    return SCARCE_OK;
}
