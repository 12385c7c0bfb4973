/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a grower and the constraints of its trees, laid out once for all trees of a booster. */
#include <string.h>

#include "core/alloc.h"
#include "tree/grow_inside.h"
#include "tree/partition.h"
#include "tree/tiles.h"

size_t scarce__grow_leaf_limit(const scarce__grow_options *o, size_t rows)
{
    size_t limit = o->max_leaves > 0 ? (size_t)o->max_leaves : (size_t)1 << 30;
    if (o->max_depth > 0 && o->max_depth < 30 && (size_t)1 << o->max_depth < limit)
        limit = (size_t)1 << o->max_depth;
    return limit < rows ? limit : rows > 0 ? rows : 1;
}

size_t scarce__grow_segments(size_t n)
{
    const size_t s = n / SEGMENT;
    return s < 2 ? 1 : s > MOST_SEGMENTS ? MOST_SEGMENTS : s;
}

static size_t layout_cells(const scarce__bins *bins)
{
    size_t cells = 0;
    for (size_t c = 0; c < bins->n_columns; ++c) cells += ((bins->n_codes[c] + 7u) / 8u | 1u) * 8u;
    return cells;
}

static int needs_counts(const scarce__grow_options *o)
{
    return o->rules.min_child_rows > 1 || o->rules.min_child_marks > 0 ||
           scarce__criterion_of(&o->rules)->counts;
}

/* Counts have cells of their own, unless they are the gradients. */
static int counts_apart(const scarce__grow_options *o)
{
    return needs_counts(o) && !o->plain;
}

static int rounds_coarsely(const scarce__grow_options *o, size_t max_rows)
{
    return o->rounding > 0 && max_rows >= ACTIVE_FROM && !o->histogram_double && !needs_counts(o) &&
           scarce__grow_leaf_limit(o, max_rows) <= SCARCE__TILES_LEAVES;
}

static size_t cells_of_slot(const scarce__bins *bins, const scarce__grow_options *o)
{
    return layout_cells(bins) * ((o->histogram_double ? 2u : 1u) + (counts_apart(o) ? 1u : 0u));
}

static size_t slots_of(const scarce__bins *bins, const scarce__grow_options *o, size_t max_rows)
{
    const size_t bytes = cells_of_slot(bins, o) * sizeof(scarce__gh) + 1;
    const size_t pool = o->pool_bytes ? o->pool_bytes : (size_t)512 << 20;
    size_t n = scarce__grow_leaf_limit(o, max_rows) + 1;
    if (n > pool / bytes) n = pool / bytes;
    return n < 4 ? 4 : n;
}

size_t scarce__grower_bytes(const scarce__bins *bins, size_t max_rows, const scarce__grow_options *o)
{
    const size_t cell = cells_of_slot(bins, o) * sizeof(scarce__gh);
    const size_t per_row = 16 + (rounds_coarsely(o, max_rows) ? 2u : 0u) + (o->histogram_double ? 16u : 0u) +
                           (counts_apart(o) ? 8u : 0u);
    return cell * (slots_of(bins, o, max_rows) + scarce__grow_segments(max_rows) - 1) + max_rows * per_row;
}

static int alloc_constraints(scarce__grower *w)
{
    const scarce__grow_options *o = &w->options;
    const size_t n = w->bins->n_used;

    if (o->monotone) {
        w->monotone = scarce__malloc(n);
        if (!w->monotone) return 0;
        for (size_t i = 0; i < n; ++i) w->monotone[i] = o->monotone[w->bins->used[i].feature];
    }
    if (o->colsample_tree < 1 || o->colsample_node < 1) {
        w->tree_mask = scarce__malloc(n);
        w->order = scarce__malloc_array(n, sizeof *w->order);
        if (!w->tree_mask || !w->order) return 0;
    }
    if (o->colsample_node < 1 || o->n_groups > 0) {
        w->mask[0] = scarce__malloc(n);
        w->mask[1] = scarce__malloc(n);
        if (!w->mask[0] || !w->mask[1]) return 0;
    }
    if (o->n_groups > 0) {
        /* a feature in no group gets one of its own, so one rule serves all: bit n_groups + feature */
        w->group_words = (o->n_groups + n + 63) / 64;
        w->groups_of = scarce__calloc(n * w->group_words, sizeof *w->groups_of);
        if (!w->groups_of) return 0;
        for (size_t gr = 0; gr < o->n_groups; ++gr)
            for (uint32_t k = o->group_begin[gr]; k < o->group_begin[gr + 1]; ++k) {
                const uint32_t f = o->group_feature[k];
                if (f >= w->bins->n_features || w->bins->used_of[f] < 0) continue;
                w->groups_of[(size_t)w->bins->used_of[f] * w->group_words + gr / 64] |= (uint64_t)1
                                                                                        << (gr & 63);
            }
        for (size_t i = 0; i < n; ++i) {
            uint64_t any = 0;
            for (size_t k = 0; k < w->group_words; ++k) any |= w->groups_of[i * w->group_words + k];
            const size_t own = o->n_groups + i;
            if (!any) w->groups_of[i * w->group_words + own / 64] |= (uint64_t)1 << (own & 63);
        }
    }
    return 1;
}

int scarce__grow_reserve_leaves(scarce__grower *w, size_t n)
{
    if (n <= w->leaves_capacity) return 1;
    scarce__leaf *leaves = scarce__realloc_array(w->leaves, n, sizeof *leaves);
    if (!leaves) return 0;
    w->leaves = leaves;
    scarce__heap_item *next = scarce__realloc_array(w->next.items, n, sizeof *next);
    if (!next) return 0;
    w->next.items = next;
    /* every split queues two leaves, and stale items stay: 2 n - 1 for n leaves */
    scarce__heap_item *victims = scarce__realloc_array(w->victims.items, 2 * n, sizeof *victims);
    if (!victims) return 0;
    w->victims.items = victims;
    if (w->group_words > 0) {
        uint64_t *path = scarce__realloc_array(w->path, n * w->group_words, sizeof *path);
        if (!path) return 0;
        w->path = path;
    }
    w->leaves_capacity = n;
    return 1;
}

scarce_status scarce__grower_new(scarce__grower **out, const scarce__bins *bins, size_t max_rows,
                                 const scarce__grow_options *o, scarce_error *err)
{
    scarce__grower *w;

    *out = NULL;
    if (o->max_leaves <= 0 && o->max_depth <= 0)
        return scarce__fail(err, SCARCE_EINVAL,
                            "max_leaves and max_depth are both without limit; set one of them");
    if (o->max_leaves == 1 || o->max_leaves > 1 << 20)
        return scarce__fail(err, SCARCE_EINVAL, "max_leaves is %d, allowed are 2 to 1048576", o->max_leaves);
    if (max_rows >= (size_t)1 << 30)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many for one tree, 2^30 - 1 at most",
                            max_rows);
    if (o->plain && (!scarce__criterion_of(&o->rules)->counts || o->histogram_double))
        return scarce__fail(err, SCARCE_EBUG, "plain rows are for criteria that count");
    w = scarce__calloc(1, sizeof *w);
    if (!w) return scarce__fail_memory(err, "growing trees", 0);
    w->bins = bins;
    w->options = *o;
    w->criterion = scarce__criterion_of(&o->rules);
    w->max_rows = max_rows;
    w->counted = needs_counts(o);
    if (scarce__hist_layout_init(&w->layout, bins, err) != SCARCE_OK) {
        scarce__free(w);
        return SCARCE_ENOMEM;
    }
    w->slot_cells = cells_of_slot(bins, o);
    w->n_slots = slots_of(bins, o, max_rows);
    w->search_tasks = scarce__blocks(bins->n_columns, SEARCH_COLUMNS);
    w->row = scarce__huge_alloc(max_rows + 1, sizeof *w->row);
    w->spare = scarce__huge_alloc(max_rows + 1, sizeof *w->spare);
    w->block_left = scarce__malloc_array(max_rows / SCARCE__PARTITION_BLOCK + 2, sizeof *w->block_left);
    if (o->histogram_double) w->d = scarce__huge_alloc(max_rows, sizeof *w->d);
    w->q = scarce__huge_alloc(max_rows, sizeof *w->q);
    if (counts_apart(o)) w->one = scarce__huge_alloc(max_rows, sizeof *w->one);
    w->slots = scarce__huge_alloc(w->slot_cells * w->n_slots, sizeof *w->slots);
    w->segments =
        scarce__huge_alloc(w->slot_cells * (scarce__grow_segments(max_rows) - 1), sizeof *w->segments);
    const int coarse = rounds_coarsely(o, max_rows);
    if (coarse) {
        w->leaf_of = scarce__huge_alloc(max_rows, 1);
        w->leaf_sums = scarce__malloc_array(scarce__grow_leaf_sums(max_rows), sizeof *w->leaf_sums);
        w->leaf_node = scarce__malloc_array(SCARCE__TILES_LEAVES, sizeof *w->leaf_node);
    }
    w->free_slots = scarce__malloc_array(w->n_slots, sizeof *w->free_slots);
    w->found = scarce__malloc_array(2 * w->search_tasks, sizeof *w->found);
    if (!w->row || !w->spare || !w->block_left || (o->histogram_double && !w->d) || !w->q ||
        (counts_apart(o) && !w->one) || (coarse && (!w->leaf_of || !w->leaf_sums || !w->leaf_node)) ||
        !w->slots || !w->segments || !w->free_slots || !w->found || !alloc_constraints(w) ||
        !scarce__grow_reserve_leaves(w, 64)) {
        scarce__grower_free(w);
        return scarce__fail_memory(err, "growing trees", scarce__grower_bytes(bins, max_rows, o));
    }
    *out = w;
    return SCARCE_OK;
}

void scarce__grower_free(scarce__grower *w)
{
    if (!w) return;
    scarce__hist_layout_deinit(&w->layout);
    scarce__free(w->row);
    scarce__free(w->spare);
    scarce__free(w->block_left);
    scarce__free(w->q);
    scarce__free(w->one);
    scarce__free(w->d);
    scarce__free(w->slots);
    scarce__free(w->segments);
    scarce__free(w->leaf_of);
    scarce__free(w->leaf_sums);
    scarce__free(w->leaf_node);
    scarce__free(w->free_slots);
    scarce__free(w->leaves);
    scarce__free(w->next.items);
    scarce__free(w->victims.items);
    scarce__free(w->monotone);
    scarce__free(w->tree_mask);
    scarce__free(w->mask[0]);
    scarce__free(w->mask[1]);
    scarce__free(w->order);
    scarce__free(w->path);
    scarce__free(w->groups_of);
    scarce__free(w->found);
    scarce__free(w);
}
