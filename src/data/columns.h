/* SPDX-License-Identifier: Apache-2.0 */
/* Columns to read from, wherever they come from, and rows out of them. */
#ifndef SCARCE_DATA_COLUMNS_H
#define SCARCE_DATA_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/table.h>

/* One of a set of columns, as a table has them: either numbers (NaN = missing), or codes (negative =
 * missing), or both NULL with `sparse` rows and values, where what isn't listed is 0. */
typedef struct scarce__columns {
    const float *number;
    const int32_t *code;
    const uint32_t *sparse_row; /* ascending */
    const float *sparse_value;
    size_t sparse_count;
} scarce__columns;

/* The columns of a table, to be freed by scarce__free; NULL: out of memory. */
scarce__columns *scarce__columns_of(const scarce_table *table);

/* Values of rows begin..begin+n-1, as rows have them (a code as float, NaN = missing), the next one `stride`
 * floats after the one before. */
void scarce__columns_take(const scarce__columns *column, size_t begin, size_t n, float *to, size_t stride);

#endif
