/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/columns.h"

#include <math.h>

#include "core/alloc.h"
#include "data/table.h"

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

void scarce__columns_take(const scarce__columns *column, size_t begin, size_t n, float *to, size_t stride)
{
    if (column->number)
        for (size_t i = 0; i < n; ++i) to[i * stride] = column->number[begin + i];
    else if (column->code)
        for (size_t i = 0; i < n; ++i)
            to[i * stride] = column->code[begin + i] < 0 ? (float)NAN : (float)column->code[begin + i];
    else take_sparse(column, begin, n, to, stride);
}
