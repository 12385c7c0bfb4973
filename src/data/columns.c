/* SPDX-License-Identifier: Apache-2.0 */
#include "data/columns.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "data/table.h"

scarce__columns *scarce__columns_of(const scarce_table *table)
{
    scarce__columns *columns = scarce__calloc(table->schema.n_features, sizeof *columns);

    for (size_t f = 0; columns && f < table->schema.n_features; ++f) {
        const scarce__column *from = table->columns + f;
        switch (table->schema.features[f].kind) {
        case SCARCE_COLUMN_NUMERIC: columns[f].number = from->number; break;
        case SCARCE_COLUMN_CATEGORY: columns[f].code = from->code; break;
        case SCARCE_COLUMN_SPARSE:
            columns[f].sparse_row = from->sparse.row;
            columns[f].sparse_value = from->sparse.value;
            columns[f].sparse_count = from->sparse.count;
            break;
        }
    }
    return columns;
}

static void take_sparse(const scarce__columns *column, size_t begin, size_t n, float *to, size_t stride)
{
    size_t low = 0, high = column->sparse_count;

    for (size_t i = 0; i < n; ++i) to[i * stride] = 0;
    while (low < high) { /* first entry at or after `begin` */
        const size_t middle = low + (high - low) / 2;
        if (column->sparse_row[middle] < begin) low = middle + 1;
        else high = middle;
    }
    for (; low < column->sparse_count && column->sparse_row[low] < begin + n; ++low)
        to[(column->sparse_row[low] - begin) * stride] = column->sparse_value[low];
}

/* Inline, so that the stride of 1 is a loop of its own. */
static inline void take_codes(const int32_t *code, size_t n, float *to, size_t stride)
{
    for (size_t i = 0; i < n; ++i) to[i * stride] = code[i] < 0 ? (float)NAN : (float)code[i];
}

void scarce__columns_take(const scarce__columns *column, size_t begin, size_t n, float *to, size_t stride)
{
    if (column->number && stride == 1) memcpy(to, column->number + begin, n * sizeof *to);
    else if (column->number)
        for (size_t i = 0; i < n; ++i) to[i * stride] = column->number[begin + i];
    else if (column->code && stride == 1) take_codes(column->code + begin, n, to, 1);
    else if (column->code) take_codes(column->code + begin, n, to, stride);
    else take_sparse(column, begin, n, to, stride);
}

void scarce_table_row(const scarce_table *t, size_t row, float *values)
{
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce__column *c = &t->columns[f];
        const scarce__sparse *s = &c->sparse;
        size_t at;
        switch (t->schema.features[f].kind) {
        case SCARCE_COLUMN_NUMERIC: values[f] = c->number[row]; break;
        case SCARCE_COLUMN_CATEGORY: values[f] = c->code[row] < 0 ? NAN : (float)c->code[row]; break;
        case SCARCE_COLUMN_SPARSE:
            at = scarce__first_row(s->row, s->count, row);
            values[f] = at < s->count && s->row[at] == row ? s->value[at] : 0;
            break;
        }
    }
}
