/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the upper 16 bits tell where the sample ends; only the priorities of that one cell are sorted. */
#include "data/priority.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

enum { CELLS = 1 << 16, SHIFT = 48 };

static int is_of(const uint8_t *labels, int label, size_t i)
{
    return !labels || (labels[i] != 0) == label;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The largest priority that is still in: the k-th smallest of those in the cell. */
static int find_last(uint64_t *last, const uint8_t *labels, int label, size_t n, uint64_t cell,
                     size_t in_cell, size_t k)
{
    uint64_t *of_cell = scarce__malloc_array(in_cell, sizeof *of_cell);
    size_t m = 0;

    if (!of_cell) return 0;
    for (size_t i = 0; i < n && m < in_cell; ++i)
        if (is_of(labels, label, i) && scarce__priority(i) >> SHIFT == cell)
            of_cell[m++] = scarce__priority(i);
    qsort(of_cell, m, sizeof *of_cell, ascending);
    *last = of_cell[k - 1]; /* a bijection of the numbers: no two are equal */
    scarce__free(of_cell);
    return 1;
}

uint32_t *scarce__priority_rows(const uint8_t *labels, int label, size_t n, size_t most, size_t *count)
{
    uint32_t *rows = NULL, *cells;
    uint64_t last = UINT64_MAX;
    size_t all = 0, k = 0;

    *count = 0;
    for (size_t i = 0; i < n; ++i) all += (size_t)is_of(labels, label, i);
    if (all > most) {
        uint64_t cell = 0;
        size_t below = 0;
        cells = scarce__calloc(CELLS, sizeof *cells);
        if (!cells) return NULL;
        for (size_t i = 0; i < n; ++i)
            if (is_of(labels, label, i)) ++cells[scarce__priority(i) >> SHIFT];
        while (below + cells[cell] < most) below += cells[cell++];
        const int found = find_last(&last, labels, label, n, cell, cells[cell], most - below);
        scarce__free(cells);
        if (!found) return NULL;
    }
    rows = scarce__malloc_array((all < most ? all : most) + 1, sizeof *rows);
    for (size_t i = 0; rows && i < n; ++i)
        if (is_of(labels, label, i) && scarce__priority(i) <= last) rows[k++] = (uint32_t)i;
    *count = k;
    return rows;
}

uint32_t *scarce__priority_rows_of(const uint64_t *id, size_t n, size_t most, size_t *count)
{
    uint64_t *sorted = scarce__malloc_array(n + 1, sizeof *sorted);
    uint32_t *rows = scarce__malloc_array((n < most ? n : most) + 1, sizeof *rows);
    size_t k = 0;

    *count = 0;
    if (sorted && rows) {
        for (size_t i = 0; i < n; ++i) sorted[i] = scarce__priority(id[i]);
        qsort(sorted, n, sizeof *sorted, ascending);
        const uint64_t last = n > most ? sorted[most - 1] : UINT64_MAX;
        for (size_t i = 0; i < n; ++i)
            if (scarce__priority(id[i]) <= last) rows[k++] = (uint32_t)i;
        *count = k;
    } else {
        scarce__free(rows);
        rows = NULL;
    }
    scarce__free(sorted);
    return rows;
}
