/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles: features that are hardly ever away from zero share a column.
 *
 * Bundling is exact: a feature joins a bundle only if none of its rows away from zero is taken, so a bundled
 * column loses nothing. Candidates come in falling order of such rows and take the first bundle with room. */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "tree/bins_inside.h"

enum { BUNDLE_TRIES = 256 };

typedef struct candidate {
    uint32_t feature, away;
} candidate;

static int by_rows(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->away != y->away) return x->away < y->away ? 1 : -1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

typedef struct bundle {
    uint64_t *taken; /* a bit per row */
    uint32_t n_codes;
} bundle;

static size_t away_list(const scarce__finder *f, uint32_t feature, uint32_t *where)
{
    const scarce__found *v = &f->features[feature];
    const scarce__column *column = &f->table->columns[feature];
    const float low = v->zero > 0 ? v->edge[v->zero - 1] : -INFINITY;
    const float high = (uint32_t)v->zero + 1 < v->n_bins ? v->edge[v->zero] : INFINITY;
    const int open = v->zero == 0;
    size_t m = 0;

    if (f->table->schema.features[feature].kind == SCARCE_COLUMN_SPARSE) {
        const size_t n = scarce__listed_values(f, &column->sparse, f->values[0], f->where[0]);
        for (size_t i = 0; i < n; ++i) {
            const float x = f->values[0][i];
            if (!((x > low || open) && x <= high)) where[m++] = f->where[0][i];
        }
        return m;
    }
    for (size_t k = 0; k < f->n; ++k) {
        const float x = column->number[f->rows ? f->rows[k] : k];
        if (!((x > low || open) && x <= high)) where[m++] = (uint32_t)k;
    }
    return m;
}

static int is_free(const bundle *b, const uint32_t *where, size_t m)
{
    for (size_t i = 0; i < m; ++i)
        if (b->taken[where[i] >> 6] >> (where[i] & 63) & 1) return 0;
    return 1;
}

scarce_status scarce__bins_bundle(scarce__finder *f, size_t *n_bundles_out, uint32_t *members,
                                  scarce_error *err)
{
    const size_t n_features = f->table->schema.n_features, words = f->n / 64 + 1;
    candidate *list = scarce__malloc_array(n_features, sizeof *list);
    bundle *bundles = scarce__calloc(n_features, sizeof *bundles);
    uint32_t *where = scarce__malloc_array(f->n, sizeof *where);
    size_t n_list = 0, n_bundles = 0;
    scarce_status status = SCARCE_OK;

    if (!list || !bundles || !where) {
        status = scarce__fail_memory(err, "bundles of features", 0);
        goto end;
    }
    for (size_t i = 0; i < n_features; ++i) {
        const scarce__found *v = &f->features[i];
        if (v->n_bins < 2 || v->n_missing > 0 || v->map) continue;
        if ((double)v->away > f->options.bundle_share * (double)f->n) continue;
        list[n_list++] = (candidate){(uint32_t)i, v->away};
    }
    qsort(list, n_list, sizeof *list, by_rows);
    for (size_t i = 0; i < n_list; ++i) {
        scarce__found *v = &f->features[list[i].feature];
        const size_t m = away_list(f, list[i].feature, where);
        size_t b = n_bundles > BUNDLE_TRIES ? n_bundles - BUNDLE_TRIES : 0;
        while (b < n_bundles && (bundles[b].n_codes + v->n_bins - 1 > 256 || !is_free(&bundles[b], where, m)))
            ++b;
        if (b == n_bundles) {
            bundles[b].taken = scarce__calloc(words, sizeof *bundles[b].taken);
            if (!bundles[b].taken) {
                status = scarce__fail_memory(err, "bundles of features", 0);
                goto end;
            }
            bundles[b].n_codes = 1;
            ++n_bundles;
        }
        for (size_t k = 0; k < m; ++k) bundles[b].taken[where[k] >> 6] |= (uint64_t)1 << (where[k] & 63);
        v->bundled = 1;
        v->column = (uint32_t)b;
        v->first = bundles[b].n_codes;
        bundles[b].n_codes += v->n_bins - 1;
        ++members[b];
    }
    *n_bundles_out = n_bundles;
end:
    for (size_t b = 0; bundles && b < n_bundles; ++b) scarce__free(bundles[b].taken);
    scarce__free(bundles);
    scarce__free(list);
    scarce__free(where);
    return status;
}
