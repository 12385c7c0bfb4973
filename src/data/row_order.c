/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of what they hold, and weights as numbers of copies. */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/sort.h"
#include "data/row_hash.h"

enum { MOST_COPIES = 8 };

scarce__counts scarce__counts_of(const double *weight, const double *cost, size_t n)
{
    scarce__counts c = {weight, cost, weight || cost};
    double sum = 0;

    for (size_t i = 0; c.copies && i < n; ++i) {
        const double w = (weight ? weight[i] : 1) * (cost ? cost[i] : 1);
        c.copies = w == floor(w);
        sum += w;
    }
    c.copies = c.copies && sum <= (double)MOST_COPIES * (double)n;
    return c;
}

typedef struct placed {
    uint64_t hash;
    uint32_t row;
} placed;

static int by_hash(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* By the upper half of the hashes in one radix sort (the lower half of a key is the place), then the few that are equal
 * there. */
scarce_status scarce__order_rows(uint32_t *row, size_t n, const uint64_t *hash, scarce_error *err)
{
    uint64_t *keys = scarce__malloc_array(2 * n, sizeof *keys);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(NULL, n), sizeof *counts);
    placed *same = NULL;
    size_t most = 0;
    scarce_status st = keys && counts ? SCARCE_OK : scarce__fail_memory(err, "the order of rows", 16 * n);

    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) keys[i] = (hash[row[i]] >> 32) << 32 | row[i];
    if (st == SCARCE_OK) scarce__sort_keys(keys, keys + n, n, counts, NULL);
    for (size_t i = 0, j; st == SCARCE_OK && i < n; i = j) {
        for (j = i + 1; j < n && keys[j] >> 32 == keys[i] >> 32; ++j) {
        }
        if (j - i > most) most = j - i;
    }
    if (st == SCARCE_OK && most > 1) {
        same = scarce__malloc_array(most, sizeof *same);
        if (!same) st = scarce__fail_memory(err, "the order of rows", most * sizeof *same);
    }
    for (size_t i = 0, j; st == SCARCE_OK && i < n; i = j) {
        for (j = i; j < n && keys[j] >> 32 == keys[i] >> 32; ++j) row[j] = (uint32_t)keys[j];
        if (j - i < 2) continue;
        for (size_t k = i; k < j; ++k) same[k - i] = (placed){hash[row[k]], row[k]};
        qsort(same, j - i, sizeof *same, by_hash);
        for (size_t k = i; k < j; ++k) row[k] = same[k - i].row;
    }
    scarce__free(keys);
    scarce__free(counts);
    scarce__free(same);
    return st;
}
