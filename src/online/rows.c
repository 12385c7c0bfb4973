/* SPDX-License-Identifier: Apache-2.0 */
/* Rows out of a table, at a cost of the features that are not sparse and the entries that are. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "online/inputs.h"
#include "online/online.h"

void scarce__online_rows_deinit(scarce__online_rows *r)
{
    scarce__free(r->value);
    if (r->borrowed) {
        memset(r, 0, sizeof *r);
        return;
    }
    scarce__free(r->dense);
    scarce__free(r->row_begin);
    scarce__free(r->feature);
    scarce__free(r->entry);
    memset(r, 0, sizeof *r);
}

/* Sparse columns turned into rows by counting; features ascend within a row. */
static void turn(scarce__online_rows *r)
{
    const scarce_table *t = r->table;
    for (int filling = 0; filling < 2; ++filling) {
        size_t *at = r->row_begin + (filling ? 1 : 2); /* counts two ahead, places one ahead, ends right */
        for (size_t f = 0; f < t->schema.n_features; ++f) {
            if (t->schema.features[f].kind != SCARCE_COLUMN_SPARSE) continue;
            const scarce__sparse *s = &t->columns[f].sparse;
            for (size_t k = 0; k < s->count; ++k) {
                const size_t place = at[s->row[k]]++;
                if (!filling) continue;
                r->feature[place] = (uint32_t)f;
                r->entry[place] = s->value[k];
            }
        }
        for (size_t i = 2; !filling && i < t->n_rows + 2; ++i) r->row_begin[i] += r->row_begin[i - 1];
    }
}

scarce_status scarce__online_rows_init(scarce__online_rows *out, const scarce_table *table, scarce_error *err)
{
    size_t entries = 0;
    int sparse = 0;

    memset(out, 0, sizeof *out);
    out->table = table;
    out->shown = SIZE_MAX;
    out->dense = scarce__malloc_array(table->schema.n_features, sizeof *out->dense);
    if (!out->dense) return scarce__fail_memory(err, "the rows of a table", 0);
    for (size_t f = 0; f < table->schema.n_features; ++f) {
        if (table->schema.features[f].kind != SCARCE_COLUMN_SPARSE) {
            out->dense[out->n_dense++] = (uint32_t)f;
            continue;
        }
        entries += table->columns[f].sparse.count;
        sparse = 1;
    }
    out->value = scarce__calloc(table->schema.n_features, sizeof *out->value);
    if (sparse) {
        out->row_begin = scarce__calloc(table->n_rows + 2, sizeof *out->row_begin);
        out->feature = scarce__malloc_array(entries, sizeof *out->feature);
        out->entry = scarce__malloc_array(entries, sizeof *out->entry);
    }
    if (!out->value || (sparse && (!out->row_begin || !out->feature || !out->entry))) {
        scarce__online_rows_deinit(out);
        return scarce__fail_memory(err, "the rows of a table", entries * 8);
    }
    if (sparse) turn(out);
    return SCARCE_OK;
}

scarce_status scarce__online_rows_share(scarce__online_rows *out, const scarce__online_rows *from,
                                        scarce_error *err)
{
    *out = *from;
    out->borrowed = 1;
    out->shown = SIZE_MAX;
    out->value = scarce__calloc(from->table->schema.n_features, sizeof *out->value);
    return out->value ? SCARCE_OK : scarce__fail_memory(err, "the rows of a table", 0);
}

void scarce__online_rows_match(scarce__online_rows *r, const scarce__online *m)
{
    for (size_t k = 0; k < r->n_dense; ++k)
        if (m->inputs->features[r->dense[k]].kind == SCARCE_COLUMN_SPARSE) r->unlisted = 1;
}

scarce__online_row scarce__online_rows_get(scarce__online_rows *r, size_t i)
{
    const scarce_table *t = r->table;
    scarce__online_row row = {r->value, NULL, 0};

    for (size_t k = 0; k < r->n_dense; ++k) {
        const size_t f = r->dense[k];
        const scarce__column *c = &t->columns[f];
        if (t->schema.features[f].kind == SCARCE_COLUMN_NUMERIC) r->value[f] = c->number[i];
        else r->value[f] = c->code[i] < 0 ? (float)NAN : (float)c->code[i];
    }
    if (!r->row_begin) return row;
    if (r->shown != SIZE_MAX)
        for (size_t k = r->row_begin[r->shown]; k < r->row_begin[r->shown + 1]; ++k)
            r->value[r->feature[k]] = 0;
    for (size_t k = r->row_begin[i]; k < r->row_begin[i + 1]; ++k) r->value[r->feature[k]] = r->entry[k];
    r->shown = i;
    if (r->unlisted) return row;
    row.sparse = r->feature + r->row_begin[i];
    row.n_sparse = r->row_begin[i + 1] - r->row_begin[i];
    return row;
}
