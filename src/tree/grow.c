/* SPDX-License-Identifier: Apache-2.0 */
/* Growth: the open leaf with the largest gain is split (or, level-wise, the first of the lowest level), its
 * rows are partitioned, the histogram of the child with fewer rows is built, and the other child's is what is
 * left of the parent's. Both children are then searched in one go, columns side by side over the threads.
 *
 * Every child is searched when it appears, unless it can't be split at all (depth, rows, hessian, or the tree
 * is full). Histograms live in a pool of slots; when the pool is used up the open leaf with the smallest gain
 * gives its slot away, and should it be split after all, both its children are built from their rows. */
#include "tree/grow.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"
#include "tree/partition.h"
#include "tree/quantise.h"
#include "tree/simd.h"

enum {
    SEGMENT = 16384, /* rows of one task of a histogram */
    MOST_SEGMENTS = 8,
    SEARCH_COLUMNS = 4,     /* columns of one task of the search */
    INLINE_UPDATES = 65536, /* additions of a histogram that aren't worth waking threads for */
    INLINE_CELLS = 16384,   /* cells of a search likewise */
    UPDATE_BLOCK = 32768
};

typedef struct leaf {
    size_t begin, end; /* in the list of rows */
    scarce__totals total;
    scarce__split best;
    double low, high;
    uint32_t node; /* number in the tree */
    uint32_t depth;
    int32_t slot; /* of its histogram, or -1 */
    int open;     /* may be split */
} leaf;

struct scarce__grower {
    const scarce__bins *bins;
    scarce__grow_options options;
    scarce__hist_layout layout;
    size_t max_rows;
    int counted; /* rows and marks are counted per bin */
    uint32_t *row, *spare, *block_left;
    scarce__gh *q, *one; /* per row: gradients, counts */
    scarce__ghd *d;
    size_t slot_cells, n_slots; /* cells of 8 bytes */
    scarce__gh *slots, *segments;
    int32_t *free_slots;
    size_t n_free;
    leaf *leaves;
    size_t n_leaves, leaves_capacity;
    int8_t *monotone;   /* per used feature */
    uint8_t *tree_mask; /* per used feature, or NULL: all */
    uint8_t *mask[2];   /* of the two children being searched */
    uint32_t *order;    /* for drawing features */
    uint64_t *path;     /* per leaf: groups that still hold all features above; words = group_words */
    size_t group_words;
    uint64_t *groups_of;  /* per used feature */
    scarce__split *found; /* [task][child] */
    size_t search_tasks;
    /* of the tree being grown */
    const scarce__codes *codes;
    scarce__quantised units;
    uint64_t index;
    scarce__pool *pool;
};

static size_t leaf_limit(const scarce__grow_options *o, size_t rows)
{
    size_t limit = o->max_leaves > 0 ? (size_t)o->max_leaves : (size_t)1 << 30;
    if (o->max_depth > 0 && o->max_depth < 30 && (size_t)1 << o->max_depth < limit)
        limit = (size_t)1 << o->max_depth;
    return limit < rows ? limit : rows > 0 ? rows : 1;
}

static size_t segments_of(size_t n)
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
    return o->rules.min_child_rows > 1 || o->rules.min_child_marks > 0;
}

static size_t cells_of_slot(const scarce__bins *bins, const scarce__grow_options *o)
{
    return layout_cells(bins) * ((o->histogram_double ? 2u : 1u) + (needs_counts(o) ? 1u : 0u));
}

static size_t slots_of(const scarce__bins *bins, const scarce__grow_options *o, size_t max_rows)
{
    const size_t bytes = cells_of_slot(bins, o) * sizeof(scarce__gh) + 1;
    const size_t pool = o->pool_bytes ? o->pool_bytes : (size_t)512 << 20;
    size_t n = leaf_limit(o, max_rows) + 1;
    if (n > pool / bytes) n = pool / bytes;
    return n < 4 ? 4 : n;
}

size_t scarce__grower_bytes(const scarce__bins *bins, size_t max_rows, const scarce__grow_options *o)
{
    const size_t cell = cells_of_slot(bins, o) * sizeof(scarce__gh);
    const size_t per_row = 16 + (o->histogram_double ? 16u : 0u) + (needs_counts(o) ? 8u : 0u);
    return cell * (slots_of(bins, o, max_rows) + segments_of(max_rows) - 1) + max_rows * per_row;
}

/* ---- Set-up */

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

static int alloc_leaves(scarce__grower *w, size_t n)
{
    if (n <= w->leaves_capacity) return 1;
    leaf *leaves = scarce__realloc_array(w->leaves, n, sizeof *leaves);
    if (!leaves) return 0;
    w->leaves = leaves;
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
    w = scarce__calloc(1, sizeof *w);
    if (!w) return scarce__fail_memory(err, "growing trees", 0);
    w->bins = bins;
    w->options = *o;
    w->max_rows = max_rows;
    w->counted = needs_counts(o);
    if (scarce__hist_layout_init(&w->layout, bins, err) != SCARCE_OK) {
        scarce__free(w);
        return SCARCE_ENOMEM;
    }
    w->slot_cells = cells_of_slot(bins, o);
    w->n_slots = slots_of(bins, o, max_rows);
    w->search_tasks = scarce__blocks(bins->n_columns, SEARCH_COLUMNS);
    w->row = scarce__big_alloc(max_rows + 1, sizeof *w->row);
    w->spare = scarce__big_alloc(max_rows + 1, sizeof *w->spare);
    w->block_left = scarce__malloc_array(max_rows / SCARCE__PARTITION_BLOCK + 2, sizeof *w->block_left);
    if (o->histogram_double) w->d = scarce__big_alloc(max_rows, sizeof *w->d);
    w->q = scarce__big_alloc(max_rows, sizeof *w->q);
    if (w->counted) w->one = scarce__big_alloc(max_rows, sizeof *w->one);
    w->slots = scarce__big_alloc(w->slot_cells * w->n_slots, sizeof *w->slots);
    w->segments = scarce__big_alloc(w->slot_cells * (segments_of(max_rows) - 1), sizeof *w->segments);
    w->free_slots = scarce__malloc_array(w->n_slots, sizeof *w->free_slots);
    w->found = scarce__malloc_array(2 * w->search_tasks, sizeof *w->found);
    if (!w->row || !w->spare || !w->block_left || (o->histogram_double && !w->d) || !w->q ||
        (w->counted && !w->one) || !w->slots || !w->segments || !w->free_slots || !w->found ||
        !alloc_constraints(w) || !alloc_leaves(w, 64)) {
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
    scarce__free(w->free_slots);
    scarce__free(w->leaves);
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

/* ---- Slots */

static scarce__gh *slot_cells(const scarce__grower *w, int32_t slot)
{
    return w->slots + (size_t)slot * w->slot_cells;
}

static scarce__gh *segment_cells(const scarce__grower *w, size_t segment, int32_t slot)
{
    return segment == 0 ? slot_cells(w, slot) : w->segments + (segment - 1) * w->slot_cells;
}

/* Counts stand behind the gradients of a slot. */
static scarce__gh *counts_in(const scarce__grower *w, scarce__gh *cells)
{
    return cells + w->layout.n_cells * (w->options.histogram_double ? 2 : 1);
}

static int32_t take_slot(scarce__grower *w, const leaf *keep)
{
    if (w->n_free == 0) {
        leaf *victim = NULL;
        for (size_t i = 0; i < w->n_leaves; ++i) {
            leaf *l = &w->leaves[i];
            if (l == keep || l->slot < 0) continue;
            if (!victim || l->best.gain < victim->best.gain) victim = l;
        }
        w->free_slots[w->n_free++] = victim->slot;
        victim->slot = -1;
    }
    return w->free_slots[--w->n_free];
}

static void give_slot(scarce__grower *w, leaf *l)
{
    if (l->slot < 0) return;
    w->free_slots[w->n_free++] = l->slot;
    l->slot = -1;
}

/* ---- Histograms */

typedef struct build_job {
    const scarce__grower *w;
    const leaf *l;
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
    if (w->counted) scarce__hist_build(counts_in(w, cells), &w->layout, w->codes, slab, row, b, e, w->one);
}

/* Into the slot and the segments; the search adds the segments up. Returns their number. */
static size_t build(scarce__grower *w, const leaf *l, int32_t slot, int root)
{
    const size_t n = l->end - l->begin;
    build_job j = {w, l, slot, segments_of(n), scarce__slabs(w->bins->n_columns), root};
    scarce__pool *pool = n * w->bins->n_columns < INLINE_UPDATES ? NULL : w->pool;
    scarce__pool_run(pool, j.segments * j.slabs, build_task, &j);
    return j.segments;
}

/* ---- Search */

typedef struct search_job {
    scarce__grower *w;
    leaf *child[2]; /* [0]: the one that was built; NULL: not to be searched */
    int32_t built;  /* slot */
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
        if (w->counted) add_cells(counts_in(w, built) + from, counts_in(w, seg) + from, n);
    }
    if (!parent) return;
    if (w->options.histogram_double)
        take_doubles((double *)(void *)(parent + 2 * from), (const double *)(void *)(built + 2 * from),
                     2 * n);
    else take_cells(parent + from, built + from, n);
    if (w->counted) take_cells(counts_in(w, parent) + from, counts_in(w, built) + from, n);
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
        const leaf *l = j->child[k];
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

/* Keeps `share` of the features that mask already allows (at least one). */
static void draw_features(scarce__grower *w, uint8_t *mask, double share, uint64_t stream)
{
    scarce__random r = scarce__random_start(w->options.seed, SCARCE__FOR_COLUMNS, stream);
    size_t n = 0;
    for (size_t i = 0; i < w->bins->n_used; ++i)
        if (mask[i]) w->order[n++] = (uint32_t)i;
    if (n == 0) return;
    size_t keep = (size_t)ceil(share * (double)n - 1e-9);
    if (keep < 1) keep = 1;
    for (size_t i = 0; i < keep && i + 1 < n; ++i) {
        const size_t k = i + (size_t)scarce__random_below(&r, n - i);
        const uint32_t t = w->order[i];
        w->order[i] = w->order[k];
        w->order[k] = t;
    }
    for (size_t i = keep; i < n; ++i) mask[w->order[i]] = 0;
}

/* Which features a child may be split on: those of the tree, whose groups hold the whole path, drawn. */
static void node_mask(scarce__grower *w, const leaf *l, uint8_t *mask)
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
        draw_features(w, mask, w->options.colsample_node, (w->index << 20) + 1 + l->node);
}

static void search(scarce__grower *w, leaf *built, int32_t built_slot, leaf *other, int32_t parent_slot,
                   size_t segments)
{
    search_job j = {w, {built, other}, built_slot, parent_slot, segments, w->mask[0] != NULL};
    const size_t work = w->layout.n_cells * ((built ? 1u : 0u) + (other ? 1u : 0u));

    for (int k = 0; k < 2; ++k)
        if (j.child[k] && j.masked) node_mask(w, j.child[k], w->mask[k]);
    scarce__pool_run(work < INLINE_CELLS ? NULL : w->pool, w->search_tasks, search_task, &j);
    for (int k = 0; k < 2; ++k) {
        leaf *l = j.child[k];
        if (!l) continue;
        l->best = w->found[k];
        for (size_t i = 1; i < w->search_tasks; ++i) {
            const scarce__split *s = &w->found[2 * i + (size_t)k];
            if (s->used >= 0 &&
                (s->gain > l->best.gain || (s->gain == l->best.gain && s->used < l->best.used)))
                l->best = *s;
        }
        if (l->best.used < 0) l->open = 0;
    }
}

/* ---- Growth */

static int can_split(const scarce__grower *w, const leaf *l)
{
    const scarce__split_rules *r = &w->options.rules;
    const size_t n = l->end - l->begin, least = r->min_child_rows > 1 ? r->min_child_rows : 1;
    if (w->options.max_depth > 0 && l->depth >= (uint32_t)w->options.max_depth) return 0;
    if (n < 2 * least) return 0;
    return l->total.h >= 2 * r->min_child_weight && w->bins->n_used > 0;
}

static void finish_totals(const scarce__grower *w, scarce__totals *t)
{
    if (w->options.histogram_double) return;
    t->g = (double)scarce__gh_g(t->q) * w->units.unit_g;
    t->h = (double)scarce__gh_h(t->q) * w->units.unit_h;
}

/* The node's split as tests on codes and on raw values. */
static scarce_status write_split(scarce__grower *w, scarce__binned_tree *tree, const leaf *l,
                                 scarce_error *err)
{
    const scarce__bin_feature *f = &w->bins->used[l->best.used];
    scarce__node *node = &tree->nodes[l->node];

    node->feature = (int32_t)f->feature;
    node->gain = (float)l->best.gain;
    node->flags = 0;
    if (l->best.is_set) {
        tree->tests[l->node] = scarce__set_test(f, l->best.set);
        node->value = 0;
        return scarce__raw_set(tree, node, w->bins, f, l->best.set, err);
    }
    tree->tests[l->node] = scarce__range_test(f, l->best.bin, l->best.missing_left);
    node->value = w->bins->edges[f->edge + l->best.bin];
    if (l->best.missing_left) node->flags |= SCARCE__MISSING_LEFT;
    return SCARCE_OK;
}

static void fill_node(const scarce__grower *w, scarce__node *node, const leaf *l)
{
    const double v = scarce__leaf_value(&w->options.rules, l->total.g, l->total.h, l->low, l->high);
    memset(node, 0, sizeof *node);
    node->feature = -1;
    node->value = (float)(w->options.learning_rate * v) + 0.0f;
    node->cover = (float)l->total.h;
    node->rows = (uint32_t)(l->end - l->begin);
}

/* Bounds of the children's values: with a monotone split they may not cross the middle of the two. */
static void bound_children(const scarce__grower *w, const leaf *parent, leaf *left, leaf *right)
{
    const int sign = w->monotone ? w->monotone[parent->best.used] : 0;
    left->low = right->low = parent->low;
    left->high = right->high = parent->high;
    if (sign == 0) return;
    const scarce__split_rules *r = &w->options.rules;
    const double a = scarce__leaf_value(r, left->total.g, left->total.h, parent->low, parent->high);
    const double b = scarce__leaf_value(r, right->total.g, right->total.h, parent->low, parent->high);
    const double middle = 0.5 * (a + b);
    if (sign > 0) left->high = right->low = middle;
    else left->low = right->high = middle;
}

static void pass_groups(scarce__grower *w, size_t parent, size_t right, int32_t used)
{
    const size_t words = w->group_words;
    for (size_t k = 0; k < words; ++k) {
        w->path[parent * words + k] &= w->groups_of[(size_t)used * words + k];
        w->path[right * words + k] = w->path[parent * words + k];
    }
}

/* Histograms and splits of the two new leaves. */
static void open_children(scarce__grower *w, leaf *left, leaf *right, int32_t parent_slot)
{
    leaf *small = left->end - left->begin <= right->end - right->begin ? left : right;
    leaf *large = small == left ? right : left;

    left->slot = right->slot = -1;
    if (!small->open && !large->open) {
        if (parent_slot >= 0) w->free_slots[w->n_free++] = parent_slot;
        return;
    }
    if (parent_slot < 0) { /* its histogram was given away: each child from its own rows */
        leaf *both[2] = {small, large};
        for (int k = 0; k < 2; ++k) {
            if (!both[k]->open) continue;
            both[k]->slot = take_slot(w, both[1 - k]);
            const size_t segments = build(w, both[k], both[k]->slot, 0);
            search(w, both[k], both[k]->slot, NULL, -1, segments);
        }
    } else {
        large->slot = parent_slot;
        small->slot = take_slot(w, large);
        const size_t segments = build(w, small, small->slot, 0);
        search(w, small->open ? small : NULL, small->slot, large->open ? large : NULL, parent_slot, segments);
    }
    if (!small->open) give_slot(w, small);
    if (!large->open) give_slot(w, large);
}

static scarce_status split_leaf(scarce__grower *w, scarce__binned_tree *tree, size_t at, size_t limit,
                                scarce_error *err)
{
    if (w->n_leaves == w->leaves_capacity && !alloc_leaves(w, 2 * w->leaves_capacity))
        return scarce__fail_memory(err, "the leaves of a tree", 2 * w->leaves_capacity * sizeof(leaf));
    SCARCE__TRY(scarce__binned_tree_reserve(
        tree, tree->n_nodes + 2 > tree->capacity ? 2 * tree->n_nodes + 62 : tree->capacity, err));
    const leaf parent = w->leaves[at];
    SCARCE__TRY(write_split(w, tree, &parent, err));
    const size_t n_left =
        scarce__partition(w->row, w->spare, w->block_left, parent.begin, parent.end, w->n_leaves == 1,
                          w->codes, &tree->tests[parent.node], w->options.portable, w->pool);
    leaf *left = &w->leaves[at], *right = &w->leaves[w->n_leaves];
    *right = parent;
    left->end = right->begin = parent.begin + n_left;
    left->total = parent.best.left;
    right->total.q = parent.total.q - left->total.q;
    right->total.g = parent.total.g - left->total.g;
    right->total.h = parent.total.h - left->total.h;
    right->total.counts = parent.total.counts - left->total.counts;
    finish_totals(w, &left->total);
    finish_totals(w, &right->total);
    bound_children(w, &parent, left, right);
    if (w->group_words > 0) pass_groups(w, at, w->n_leaves, parent.best.used);
    left->depth = right->depth = parent.depth + 1;
    left->node = (uint32_t)tree->n_nodes;
    right->node = left->node + 1;
    tree->nodes[parent.node].left = (int32_t)left->node;
    tree->nodes[parent.node].right = (int32_t)right->node;
    tree->n_nodes += 2;
    w->n_leaves += 1;
    fill_node(w, &tree->nodes[left->node], left);
    fill_node(w, &tree->nodes[right->node], right);
    memset(&tree->tests[left->node], 0, 2 * sizeof *tree->tests);
    left->best.gain = right->best.gain = -INFINITY;
    left->open = w->n_leaves < limit && can_split(w, left);
    right->open = w->n_leaves < limit && can_split(w, right);
    open_children(w, left, right, parent.slot);
    return SCARCE_OK;
}

static size_t next_leaf(const scarce__grower *w)
{
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < w->n_leaves; ++i) {
        const leaf *l = &w->leaves[i];
        if (!l->open) continue;
        if (at == SIZE_MAX) at = i;
        else if (w->options.growth == SCARCE__LEVEL_WISE) {
            if (l->depth < w->leaves[at].depth ||
                (l->depth == w->leaves[at].depth && l->node < w->leaves[at].node))
                at = i;
        } else if (l->best.gain > w->leaves[at].best.gain) at = i;
    }
    return at;
}

static scarce_status prepare(scarce__grower *w, const float *g, const float *h, const uint8_t *mark,
                             leaf *root, scarce_error *err)
{
    const size_t n = w->codes->n_rows;
    const uint64_t key = scarce__key(w->options.seed, SCARCE__FOR_ROUNDING, w->index);

    if (!scarce__quantise(&w->units, w->q, g, h, n, key, w->options.portable, w->pool))
        return scarce__fail(err, SCARCE_ENUMERIC,
                            "a gradient of tree %llu isn't finite; a smaller learning_rate or "
                            "a larger lambda may help",
                            (unsigned long long)w->index + 1);
    root->total.q = w->units.total;
    root->total.counts = 0;
    finish_totals(w, &root->total);
    if (w->options.histogram_double) {
        double sg = 0, sh = 0;
        for (size_t i = 0; i < n; ++i) {
            w->d[i].g = (double)g[i];
            w->d[i].h = h[i] > 0 ? (double)h[i] : 0;
            sg += w->d[i].g;
            sh += w->d[i].h;
        }
        root->total.g = sg;
        root->total.h = sh;
    }
    if (w->counted) {
        scarce__gh sum = 0;
        for (size_t i = 0; i < n; ++i) {
            w->one[i] = scarce__gh_pack(mark && mark[i], 1);
            sum += w->one[i];
        }
        root->total.counts = sum;
    }
    return SCARCE_OK;
}

scarce_status scarce__grower_tree(scarce__grower *w, scarce__binned_tree *tree, const scarce__codes *codes,
                                  const float *g, const float *h, const uint8_t *mark, uint64_t index,
                                  scarce_context *ctx, scarce_error *err)
{
    const size_t limit = leaf_limit(&w->options, codes->n_rows);
    leaf *root = &w->leaves[0];
    size_t at;

    if (codes->n_rows == 0 || codes->n_rows > w->max_rows)
        return scarce__fail(err, SCARCE_EBUG, "a tree on %zu rows, room for %zu", codes->n_rows, w->max_rows);
    w->codes = codes;
    w->index = index;
    w->pool = scarce__context_pool(ctx);
    w->options.rules.random_key = scarce__key(w->options.seed, SCARCE__FOR_THRESHOLDS, index);
    w->options.rules.monotone = w->monotone;
    w->options.rules.portable = w->options.portable;
    memset(root, 0, sizeof *root);
    root->end = codes->n_rows;
    root->low = -INFINITY;
    root->high = INFINITY;
    root->best.gain = -INFINITY;
    SCARCE__TRY(prepare(w, g, h, mark, root, err));
    SCARCE__TRY(scarce__binned_tree_reserve(tree, 61, err));
    w->n_leaves = 1;
    w->n_free = 0;
    for (size_t i = w->n_slots; i-- > 0;) w->free_slots[w->n_free++] = (int32_t)i;
    if (w->group_words > 0) memset(w->path, 0xff, w->group_words * sizeof *w->path);
    if (w->tree_mask) {
        memset(w->tree_mask, 1, w->bins->n_used);
        if (w->options.colsample_tree < 1)
            draw_features(w, w->tree_mask, w->options.colsample_tree, index << 20);
    }
    tree->n_nodes = 1;
    tree->n_set_words = 0;
    fill_node(w, &tree->nodes[0], root);
    memset(&tree->tests[0], 0, sizeof *tree->tests);
    root->slot = -1;
    root->open = limit > 1 && can_split(w, root);
    if (root->open) {
        root->slot = take_slot(w, root);
        const size_t segments = build(w, root, root->slot, 1);
        search(w, root, root->slot, NULL, -1, segments);
    }
    while (w->n_leaves < limit && (at = next_leaf(w)) != SIZE_MAX)
        SCARCE__TRY(split_leaf(w, tree, at, limit, err));
    return SCARCE_OK;
}

/* ---- What became of the rows */

typedef struct update_job {
    const scarce__grower *w;
    const scarce__binned_tree *tree;
    float *score;
} update_job;

static void update_block(void *arg, size_t block, int worker)
{
    const update_job *j = arg;
    const scarce__grower *w = j->w;
    const size_t n = w->codes->n_rows, b = block * UPDATE_BLOCK,
                 e = b + UPDATE_BLOCK < n ? b + UPDATE_BLOCK : n;

    (void)worker;
    if (w->n_leaves == 1) {
        const float v = j->tree->nodes[0].value;
        for (size_t i = b; i < e; ++i) j->score[i] += v;
        return;
    }
    for (size_t k = 0; k < w->n_leaves; ++k) {
        const leaf *l = &w->leaves[k];
        const size_t from = l->begin > b ? l->begin : b, to = l->end < e ? l->end : e;
        const float v = j->tree->nodes[l->node].value;
        for (size_t i = from; i < to; ++i) j->score[w->row[i]] += v;
    }
}

void scarce__grower_add(const scarce__grower *w, const scarce__binned_tree *tree, float *score,
                        scarce_context *ctx)
{
    update_job j = {w, tree, score};
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(w->codes->n_rows, UPDATE_BLOCK), update_block,
                     &j);
}

void scarce__grower_leaves(const scarce__grower *w, uint32_t *out)
{
    for (size_t k = 0; k < w->n_leaves; ++k) {
        const leaf *l = &w->leaves[k];
        for (size_t i = l->begin; i < l->end; ++i) out[w->n_leaves == 1 ? i : w->row[i]] = l->node;
    }
}
