/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram and the best split of a leaf.
 *
 * A histogram is built in segments of rows over the threads, each with its own cells. The search goes over
 * the columns: a task adds up the segments of its columns, takes the result from the parent's cells (which
 * leaves the sibling's), and searches both children there. Which task is done by whom doesn't matter: sums
 * are exact, or added in the order of the segments, and among equal gains the first feature wins. */
#include <math.h>
#include <string.h>

#include "tree/draw.h"
#include "tree/grow_inside.h"

/* ---- Slots */

static scarce__gh *slot_cells(const scarce__grower *w, int32_t slot)
{
    return w->slots + (size_t)slot * w->slot_cells;
}

static scarce__gh *segment_cells(const scarce__grower *w, size_t segment, int32_t slot)
{
    return segment == 0 ? slot_cells(w, slot) : w->segments + (segment - 1) * w->slot_cells;
}

/* Counts stand behind the gradients of a slot, or are the same. */
static scarce__gh *counts_in(const scarce__grower *w, scarce__gh *cells)
{
    if (w->options.plain) return cells;
    return cells + w->layout.n_cells * (w->options.histogram_double ? 2 : 1);
}

/* Leaves that aren't queued yet hold at most two slots, and there are four: some queued leaf has one. */
int32_t scarce__grow_take_slot(scarce__grower *w)
{
    while (w->n_free == 0) {
        const scarce__heap_item item = scarce__heap_pop(&w->victims);
        scarce__leaf *l = &w->leaves[item.leaf];
        if (l->node != item.node || l->slot < 0) continue; /* split since then */
        w->free_slots[w->n_free++] = l->slot;
        l->slot = -1;
    }
    return w->free_slots[--w->n_free];
}

void scarce__grow_give_slot(scarce__grower *w, scarce__leaf *l)
{
    if (l->slot < 0) return;
    w->free_slots[w->n_free++] = l->slot;
    l->slot = -1;
}

/* ---- Histograms */

typedef struct build_job {
    const scarce__grower *w;
    const scarce__leaf *l;
    int32_t slot;
    size_t segments, slabs;
    int root;
} build_job;

static void build_task(void *arg, size_t index, int worker)
{
    const build_job *j = arg;
    const scarce__grower *w = j->w;
    const size_t segment = index / j->slabs, slab = index % j->slabs;
    const size_t n = j->l->end - j->l->begin;
    const size_t b = j->l->begin + n * segment / j->segments,
                 e = j->l->begin + n * (segment + 1) / j->segments;
    const uint32_t *row = j->root ? NULL : w->row;
    scarce__gh *cells = segment_cells(w, segment, j->slot);

    (void)worker;
    if (w->options.histogram_double)
        scarce__hist_build_double((scarce__ghd *)(void *)cells, &w->layout, w->codes, slab, row, b, e, w->d);
    else scarce__hist_build(cells, &w->layout, w->codes, slab, row, b, e, w->q);
    if (w->one) scarce__hist_build(counts_in(w, cells), &w->layout, w->codes, slab, row, b, e, w->one);
}

size_t scarce__grow_build(scarce__grower *w, const scarce__leaf *l, int32_t slot, int root)
{
    const size_t n = l->end - l->begin;
    build_job j = {w, l, slot, scarce__grow_segments(n), scarce__slabs(w->bins->n_columns), root};
    scarce__pool *pool = n * w->bins->n_columns < INLINE_UPDATES ? NULL : w->pool;
    scarce__pool_run(pool, j.segments * j.slabs, build_task, &j);
    return j.segments;
}

/* ---- Search */

typedef struct search_job {
    scarce__grower *w;
    scarce__leaf *child[2]; /* [0]: the one that was built; NULL: not to be searched */
    int32_t built;          /* slot */
    int32_t parent; /* slot that holds the parent's histogram and becomes child 1's; -1: no subtraction */
    size_t segments;
    int masked;
} search_job;

static void add_cells(scarce__gh *a, const scarce__gh *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] += b[i];
}

static void take_cells(scarce__gh *a, const scarce__gh *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] -= b[i];
}

static void add_doubles(double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] += b[i];
}

static void take_doubles(double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] -= b[i];
}

/* Adds the segments into the built slot and takes that from the parent's, for cells [from, to). */
static void settle(const search_job *j, size_t from, size_t to)
{
    const scarce__grower *w = j->w;
    scarce__gh *built = slot_cells(w, j->built);
    scarce__gh *parent = j->parent >= 0 ? slot_cells(w, j->parent) : NULL;
    const size_t n = to - from;

    for (size_t s = 1; s < j->segments; ++s) {
        scarce__gh *seg = segment_cells(w, s, 0);
        if (w->options.histogram_double)
            add_doubles((double *)(void *)(built + 2 * from), (const double *)(void *)(seg + 2 * from),
                        2 * n);
        else add_cells(built + from, seg + from, n);
        if (w->one) add_cells(counts_in(w, built) + from, counts_in(w, seg) + from, n);
    }
    if (!parent) return;
    if (w->options.histogram_double)
        take_doubles((double *)(void *)(parent + 2 * from), (const double *)(void *)(built + 2 * from),
                     2 * n);
    else take_cells(parent + from, built + from, n);
    if (w->one) take_cells(counts_in(w, parent) + from, counts_in(w, built) + from, n);
}

static void search_task(void *arg, size_t index, int worker)
{
    const search_job *j = arg;
    scarce__grower *w = j->w;
    const size_t c0 = index * SEARCH_COLUMNS;
    const size_t c1 = c0 + SEARCH_COLUMNS < w->bins->n_columns ? c0 + SEARCH_COLUMNS : w->bins->n_columns;

    (void)worker;
    settle(j, w->layout.offset[c0], w->layout.offset[c1]);
    for (int k = 0; k < 2; ++k) {
        const scarce__leaf *l = j->child[k];
        scarce__split *best = &w->found[2 * index + (size_t)k];
        scarce__split_node node;
        best->gain = -INFINITY;
        best->used = -1;
        if (!l) continue;
        scarce__gh *cells = slot_cells(w, k == 0 ? j->built : j->parent);
        node.total = l->total;
        node.cells = w->options.histogram_double ? NULL : cells;
        node.cellsd = w->options.histogram_double ? (const scarce__ghd *)(const void *)cells : NULL;
        node.counts = w->counted ? counts_in(w, cells) : NULL;
        node.unit_g = w->units.unit_g;
        node.unit_h = w->units.unit_h;
        node.low = l->low;
        node.high = l->high;
        node.id = l->node;
        const uint8_t *mask = j->masked ? w->mask[k] : w->tree_mask;
        for (uint32_t i = w->bins->column_begin[c0]; i < w->bins->column_begin[c1]; ++i) {
            const uint32_t u = w->bins->column_used[i];
            scarce__split s;
            if (mask && !mask[u]) continue;
            s.gain = -INFINITY;
            s.used = -1;
            scarce__split_search(&s, &w->options.rules, w->bins, &w->layout, &node, u);
            if (s.used >= 0 && (s.gain > best->gain || (s.gain == best->gain && s.used < best->used)))
                *best = s;
        }
    }
}

/* Which features a child may be split on: those of the tree, whose groups hold the whole path, drawn. */
static void node_mask(scarce__grower *w, const scarce__leaf *l, uint8_t *mask)
{
    const size_t n = w->bins->n_used, words = w->group_words;
    if (w->tree_mask) memcpy(mask, w->tree_mask, n);
    else memset(mask, 1, n);
    if (words > 0) {
        const uint64_t *path = w->path + (size_t)(l - w->leaves) * words;
        for (size_t i = 0; i < n; ++i) {
            uint64_t any = 0;
            for (size_t k = 0; k < words; ++k) any |= path[k] & w->groups_of[i * words + k];
            if (!any) mask[i] = 0;
        }
    }
    if (w->options.colsample_node < 1)
        scarce__draw_features(mask, w->order, n, w->options.colsample_node, w->options.seed,
                              scarce__columns_stream(w->index, l->node));
}

void scarce__grow_search(scarce__grower *w, scarce__leaf *built, int32_t built_slot, scarce__leaf *other,
                         int32_t parent_slot, size_t segments)
{
    search_job j = {w, {built, other}, built_slot, parent_slot, segments, w->mask[0] != NULL};
    const size_t work = w->layout.n_cells * ((built ? 1u : 0u) + (other ? 1u : 0u));

    for (int k = 0; k < 2; ++k)
        if (j.child[k] && j.masked) node_mask(w, j.child[k], w->mask[k]);
    scarce__pool_run(work < INLINE_CELLS ? NULL : w->pool, w->search_tasks, search_task, &j);
    for (int k = 0; k < 2; ++k) {
        scarce__leaf *l = j.child[k];
        if (!l) continue;
        l->best = w->found[k];
        for (size_t i = 1; i < w->search_tasks; ++i) {
            const scarce__split *s = &w->found[2 * i + (size_t)k];
            if (s->used >= 0 &&
                (s->gain > l->best.gain || (s->gain == l->best.gain && s->used < l->best.used)))
                l->best = *s;
        }
        if (l->best.used < 0 || !scarce__may_split(w->criterion, &l->total, l->own, &l->best.left))
            l->open = 0;
        else if (w->criterion->unit) l->best.gain *= w->criterion->unit(&l->total);
    }
}
