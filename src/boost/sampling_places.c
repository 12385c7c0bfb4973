/* SPDX-License-Identifier: Apache-2.0 */
#include "boost/sampling_places.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "data/row_hash.h"

void scarce__places_free(scarce__places *p)
{
    if (!p) return;
    scarce__free(p->first);
    scarce__free(p->coins);
    scarce__free(p);
}

scarce_status scarce__training_hashes(uint64_t **out, const scarce__population *all, scarce_error *err)
{
    uint64_t *of_table = scarce__row_hashes(all->table);

    *out = scarce__malloc_array(all->n, sizeof **out);
    if (!of_table || !*out) {
        scarce__free(of_table);
        scarce__free(*out);
        *out = NULL;
        return scarce__fail_memory(err, "drawing rows", scarce_table_rows(all->table) * sizeof **out);
    }
    for (size_t i = 0; i < all->n; ++i)
        (*out)[i] =
            scarce__hash(of_table[all->table_row ? all->table_row[i] : i], all->label && all->label[i]);
    scarce__free(of_table);
    return SCARCE_OK;
}

static scarce_status fill(scarce__places *p, const scarce__population *all, int split, uint32_t *order,
                          scarce_error *err)
{
    const scarce_table *t = all->table;
    const scarce__counts counts = scarce__counts_of(t->weight, t->cost, t->n_rows);
    uint64_t *hash = NULL;
    scarce_status st = scarce__training_hashes(&hash, all, err);

    for (size_t i = 0; st == SCARCE_OK && i < all->n; ++i) order[i] = (uint32_t)i;
    if (st == SCARCE_OK) st = scarce__order_rows(order, all->n, hash, err);
    for (size_t k = 0; st == SCARCE_OK && k < all->n; ++k) {
        const uint32_t i = order[k];
        const int stratum = split && all->label[i];
        const uint32_t coins = scarce__count_at(&counts, all->table_row ? all->table_row[i] : i);
        p->first[i] = (uint32_t)p->n[stratum];
        if (p->coins) p->coins[i] = coins;
        p->n[stratum] += coins;
    }
    scarce__free(hash);
    if (st == SCARCE_OK && (p->n[0] >= UINT32_MAX || p->n[1] >= UINT32_MAX))
        return scarce__fail(err, SCARCE_EDATA, "rows with weights that make them more than %zu to draw from",
                            (size_t)UINT32_MAX);
    return st;
}

scarce_status scarce__places_new(scarce__places **out, const scarce__population *all, int split,
                                 scarce_error *err)
{
    const int weighed = all->table->weight || all->table->cost;
    scarce__places *p = scarce__calloc(1, sizeof *p);
    uint32_t *order = scarce__malloc_array(all->n, sizeof *order);
    scarce_status st;

    *out = NULL;
    if (p) {
        p->first = scarce__malloc_array(all->n, sizeof *p->first);
        if (weighed) p->coins = scarce__malloc_array(all->n, sizeof *p->coins);
    }
    if (!p || !order || !p->first || (weighed && !p->coins))
        st = scarce__fail_memory(err, "drawing rows", 12 * all->n);
    else st = fill(p, all, split, order, err);
    scarce__free(order);
    if (st == SCARCE_OK) *out = p;
    else scarce__places_free(p);
    return st;
}
