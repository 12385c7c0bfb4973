/* SPDX-License-Identifier: Apache-2.0 */
#include "report/thin.h"

#include <math.h>
#include <string.h>

static int is_gap(const double *x, const double *lo, const double *hi, size_t i)
{
    return isnan(x[i]) || isnan(lo[i]) || isnan(hi[i]);
}

/* The run a point belongs to: its column, or its number in blocks of `block`. */
static size_t run_of(const double *x, size_t i, size_t columns, size_t block)
{
    const double at = floor(x[i] * (double)columns);
    if (block) return i / block;
    return at <= 0 ? 0 : at >= (double)columns ? columns : (size_t)at;
}

static size_t count_runs(const double *x, const double *lo, const double *hi, size_t n, size_t columns)
{
    size_t runs = 0, previous = SIZE_MAX;
    for (size_t i = 0; i < n; ++i) {
        const size_t run = is_gap(x, lo, hi, i) ? SIZE_MAX : run_of(x, i, columns, 0);
        runs += run != previous;
        previous = run;
    }
    return runs;
}

/* first, lowest, highest, last: in rising order and each once. */
static size_t keep_run(size_t *keep, const double *lo, const double *hi, size_t first, size_t end)
{
    size_t low = first, high = first, n = 0;
    for (size_t i = first; i < end; ++i) {
        if (lo[i] < lo[low]) low = i;
        if (hi[i] > hi[high]) high = i;
    }
    keep[n++] = first;
    if (low > high) {
        const size_t swap = low;
        low = high;
        high = swap;
    }
    if (low > keep[n - 1]) keep[n++] = low;
    if (high > keep[n - 1]) keep[n++] = high;
    if (end - 1 > keep[n - 1]) keep[n++] = end - 1;
    return n;
}

size_t scarce__thin_line(size_t *keep, const double *x, const double *lo, const double *hi, size_t n,
                         size_t columns)
{
    size_t kept = 0, block = 0;

    if (columns < 1) columns = 1;
    if (n <= 4 * columns) {
        for (size_t i = 0; i < n; ++i) keep[i] = i;
        return n;
    }
    if (count_runs(x, lo, hi, n, columns) > 2 * columns) block = (n + columns - 1) / columns;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        if (is_gap(x, lo, hi, i)) {
            while (end < n && is_gap(x, lo, hi, end)) ++end;
            keep[kept++] = i;
        } else {
            const size_t run = run_of(x, i, columns, block);
            while (end < n && !is_gap(x, lo, hi, end) && run_of(x, end, columns, block) == run) ++end;
            kept += keep_run(keep + kept, lo, hi, i, end);
        }
        i = end;
    }
    return kept;
}

size_t scarce__thin_points(size_t *keep, const double *x, const double *y, size_t n, size_t columns,
                           size_t rows, uint8_t *seen)
{
    size_t extreme[4] = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}, kept = 0; /* first, last, lowest, highest */

    memset(seen, 0, columns * rows);
    for (size_t i = 0; i < n; ++i) {
        if (!(x[i] >= 0 && x[i] <= 1 && y[i] >= 0 && y[i] <= 1)) continue;
        if (extreme[0] == SIZE_MAX) extreme[0] = extreme[2] = extreme[3] = i;
        extreme[1] = i;
        if (y[i] < y[extreme[2]]) extreme[2] = i;
        if (y[i] > y[extreme[3]]) extreme[3] = i;
    }
    for (size_t i = 0; i < n; ++i) {
        size_t column, row;
        if (!(x[i] >= 0 && x[i] <= 1 && y[i] >= 0 && y[i] <= 1)) continue;
        column = (size_t)(x[i] * (double)columns);
        row = (size_t)(y[i] * (double)rows);
        if (column == columns) --column;
        if (row == rows) --row;
        if (seen[column * rows + row] && i != extreme[0] && i != extreme[1] && i != extreme[2] &&
            i != extreme[3])
            continue;
        seen[column * rows + row] = 1;
        keep[kept++] = i;
    }
    return kept;
}
