/* SPDX-License-Identifier: Apache-2.0 */
/* Growth: the open leaf with the largest gain is split (or, level-wise, the first of the lowest level), its
 * rows are partitioned, the histogram of the child with fewer rows is built, and the other child's is what is
 * left of the parent's. Both children are then searched in one go, columns side by side over the threads.
 *
 * Every child is searched when it appears, unless it can't be split at all (depth, rows, hessian, or the tree
 * is full). Histograms live in a pool of slots; when the pool is used up the open leaf with the smallest gain
 * gives its slot away, and should it be split after all, both its children are built from their rows. */
#include "tree/grow_inside.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "tree/draw.h"
#include "tree/partition.h"

static int can_split(const scarce__grower *w, const scarce__leaf *l)
{
    const scarce__split_rules *r = &w->options.rules;
    const size_t n = l->end - l->begin, least = r->min_child_rows > 1 ? r->min_child_rows : 1;
    if (w->options.max_depth > 0 && l->depth >= (uint32_t)w->options.max_depth) return 0;
    if (n < 2 * least) return 0;
    if (!(l->total.h >= 2 * r->min_child_weight) || w->bins->n_used == 0) return 0;
    return scarce__may_split(w->criterion, &l->total, l->own, NULL);
}

static void finish_totals(const scarce__grower *w, scarce__totals *t)
{
    if (w->options.histogram_double) return;
    t->g = (double)scarce__gh_g(t->q) * w->units.unit_g;
    t->h = (double)scarce__gh_h(t->q) * w->units.unit_h;
}

/* The node's split as tests on codes and on raw values. */
static scarce_status write_split(scarce__grower *w, scarce__binned_tree *tree, const scarce__leaf *l,
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

static void fill_node(const scarce__grower *w, scarce__node *node, const scarce__leaf *l)
{
    const double v = w->criterion->leaf(&w->options.rules, &l->total, l->low, l->high);
    memset(node, 0, sizeof *node);
    node->feature = -1;
    node->value = (float)(w->options.learning_rate * v) + 0.0f;
    node->cover = (float)l->total.h;
    node->rows = (uint32_t)(l->end - l->begin);
}

/* Bounds of the children's values: with a monotone split they may not cross the middle of the two. */
static void bound_children(const scarce__grower *w, const scarce__leaf *parent, scarce__leaf *left,
                           scarce__leaf *right)
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

static void queue_leaf(scarce__grower *w, const scarce__leaf *l)
{
    if (!l->open) return;
    const uint32_t at = (uint32_t)(l - w->leaves);
    scarce__heap_push(&w->next, scarce__next_item(w->options.growth == SCARCE__LEVEL_WISE, l->best.gain,
                                                  l->depth, at, l->node));
    if (l->slot < 0) return;
    const scarce__heap_item victim = {.key = l->best.gain, .tie = at, .leaf = at, .node = l->node};
    scarce__heap_push(&w->victims, victim);
}

/* Histograms and splits of the two new leaves. */
static void open_children(scarce__grower *w, scarce__leaf *left, scarce__leaf *right, int32_t parent_slot)
{
    scarce__leaf *small = left->end - left->begin <= right->end - right->begin ? left : right;
    scarce__leaf *large = small == left ? right : left;

    left->slot = right->slot = -1;
    if (!small->open && !large->open) {
        if (parent_slot >= 0) w->free_slots[w->n_free++] = parent_slot;
        return;
    }
    if (parent_slot < 0) { /* its histogram was given away: each child from its own rows */
        scarce__leaf *both[2] = {small, large};
        for (int k = 0; k < 2; ++k) {
            if (!both[k]->open) continue;
            both[k]->slot = scarce__grow_take_slot(w);
            const size_t segments = scarce__grow_build(w, both[k], both[k]->slot, 0);
            scarce__grow_search(w, both[k], both[k]->slot, NULL, -1, segments);
        }
    } else {
        large->slot = parent_slot;
        small->slot = scarce__grow_take_slot(w);
        const size_t segments = scarce__grow_build(w, small, small->slot, 0);
        scarce__grow_search(w, small->open ? small : NULL, small->slot, large->open ? large : NULL,
                            parent_slot, segments);
    }
    if (!small->open) scarce__grow_give_slot(w, small);
    if (!large->open) scarce__grow_give_slot(w, large);
}

static scarce_status split_leaf(scarce__grower *w, scarce__binned_tree *tree, size_t at, size_t limit,
                                scarce_error *err)
{
    if (w->n_leaves == w->leaves_capacity && !scarce__grow_reserve_leaves(w, 2 * w->leaves_capacity))
        return scarce__fail_memory(err, "the leaves of a tree",
                                   2 * w->leaves_capacity * sizeof(scarce__leaf));
    SCARCE__TRY(scarce__binned_tree_reserve(
        tree, tree->n_nodes + 2 > tree->capacity ? 2 * tree->n_nodes + 62 : tree->capacity, err));
    const scarce__leaf parent = w->leaves[at];
    SCARCE__TRY(write_split(w, tree, &parent, err));
    const size_t n_left = scarce__partition(w->row, w->spare, w->block_left, parent.begin, parent.end,
                                            !w->active && !w->some && w->n_leaves == 1, w->codes,
                                            &tree->tests[parent.node], w->options.portable, w->pool);
    scarce__leaf *left = &w->leaves[at], *right = &w->leaves[w->n_leaves];
    *right = parent;
    left->end = right->begin = parent.begin + n_left;
    left->total = parent.best.left;
    right->total.q = parent.total.q - left->total.q;
    right->total.g = parent.total.g - left->total.g;
    right->total.h = parent.total.h - left->total.h;
    right->total.counts = parent.total.counts - left->total.counts;
    finish_totals(w, &left->total);
    finish_totals(w, &right->total);
    if (w->criterion->own) {
        left->own = w->criterion->own(&parent.total, &left->total);
        right->own = w->criterion->own(&parent.total, &right->total);
    }
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
    queue_leaf(w, left);
    queue_leaf(w, right);
    return SCARCE_OK;
}

/* Rows that count once: the gradients are the counts. */
static void prepare_plain(scarce__grower *w, const uint8_t *mark, scarce__leaf *root)
{
    scarce__gh sum = 0;
    w->units.unit_g = -1;
    w->units.unit_h = 1;
    w->units.coarse = 0;
    w->active = 0;
    for (size_t i = 0; i < w->codes->n_rows; ++i) w->q[i] = scarce__gh_pack(mark[i] != 0, 1);
    for (size_t k = 0; k < root->end; ++k) sum += w->q[w->some ? w->row[k] : k];
    root->total.q = root->total.counts = w->units.total = sum;
    finish_totals(w, &root->total);
    if (w->criterion->own) root->own = w->criterion->own(NULL, &root->total);
}

static scarce_status prepare(scarce__grower *w, const float *g, const float *h, const uint8_t *mark,
                             scarce__leaf *root, scarce_error *err)
{
    const size_t n = w->codes->n_rows;
    const uint64_t key = scarce__key(w->options.seed, SCARCE__FOR_ROUNDING, w->index);

    const double noise =
        w->leaf_of && n >= ACTIVE_FROM && w->codes->tiles && !w->some ? w->options.rounding : 0;

    if (!scarce__quantise(&w->units, w->q, g, h, n, noise, key, w->options.portable, w->pool))
        return scarce__fail(err, SCARCE_ENUMERIC,
                            "a gradient of tree %llu isn't finite; a smaller learning_rate or a larger "
                            "lambda may help",
                            (unsigned long long)w->index + 1);
    root->total.q = w->units.total;
    root->total.counts = 0;
    if (w->some) {
        root->total.q = 0;
        for (size_t k = 0; k < root->end; ++k) root->total.q += w->q[w->row[k]];
    }
    finish_totals(w, &root->total);
    w->active = w->units.coarse;
    if (w->active) root->end = scarce__grow_list_active(w);
    if (w->options.histogram_double) {
        double sg = 0, sh = 0;
        for (size_t i = 0; i < n; ++i) {
            w->d[i].g = (double)g[i];
            w->d[i].h = h[i] > 0 ? (double)h[i] : 0;
        }
        for (size_t k = 0; k < root->end; ++k) {
            sg += w->d[w->some ? w->row[k] : k].g;
            sh += w->d[w->some ? w->row[k] : k].h;
        }
        root->total.g = sg;
        root->total.h = sh;
    }
    if (w->counted) {
        scarce__gh sum = 0;
        for (size_t i = 0; i < n; ++i) {
            w->one[i] = scarce__gh_pack(mark && mark[i], 1);
            if (!w->some) sum += w->one[i];
        }
        for (size_t k = 0; w->some && k < root->end; ++k) sum += w->one[w->row[k]];
        root->total.counts = sum;
    }
    if (w->criterion->own) root->own = w->criterion->own(NULL, &root->total);
    return SCARCE_OK;
}

scarce_status scarce__grower_tree(scarce__grower *w, scarce__binned_tree *tree, const scarce__codes *codes,
                                  const float *g, const float *h, const uint8_t *mark, uint64_t index,
                                  scarce_context *ctx, scarce_error *err)
{
    return scarce__grower_tree_on(w, tree, codes, NULL, 0, g, h, mark, index, ctx, err);
}

scarce_status scarce__grower_tree_on(scarce__grower *w, scarce__binned_tree *tree, const scarce__codes *codes,
                                     const uint32_t *rows, size_t n, const float *g, const float *h,
                                     const uint8_t *mark, uint64_t index, scarce_context *ctx,
                                     scarce_error *err)
{
    if (!rows) n = codes->n_rows;
    const size_t limit = scarce__grow_leaf_limit(&w->options, n);
    scarce__leaf *root = &w->leaves[0];

    if (n == 0 || n > codes->n_rows || codes->n_rows > w->max_rows)
        return scarce__fail(err, SCARCE_EBUG, "a tree on %zu rows, room for %zu", n, w->max_rows);
    if (w->criterion->counts && !mark)
        return scarce__fail(err, SCARCE_EBUG, "criterion %s without the classes of the rows",
                            w->criterion->name);
    w->codes = codes;
    w->index = index;
    w->pool = scarce__context_pool(ctx);
    w->options.rules.random_key = scarce__key(w->options.seed, SCARCE__FOR_THRESHOLDS, index);
    w->options.rules.monotone = w->monotone;
    w->options.rules.portable = w->options.portable;
    memset(root, 0, sizeof *root);
    root->end = n;
    w->some = rows != NULL;
    if (rows) memcpy(w->row, rows, n * sizeof *rows);
    root->low = -INFINITY;
    root->high = INFINITY;
    root->best.gain = -INFINITY;
    if (w->options.plain) prepare_plain(w, mark, root);
    else SCARCE__TRY(prepare(w, g, h, mark, root, err));
    SCARCE__TRY(scarce__binned_tree_reserve(tree, 61, err));
    w->n_leaves = 1;
    w->n_free = w->next.n = w->victims.n = 0;
    for (size_t i = w->n_slots; i-- > 0;) w->free_slots[w->n_free++] = (int32_t)i;
    if (w->group_words > 0) memset(w->path, 0xff, w->group_words * sizeof *w->path);
    if (w->tree_mask) {
        memset(w->tree_mask, 1, w->bins->n_used);
        if (w->options.colsample_tree < 1)
            scarce__draw_features(w->tree_mask, w->order, w->bins->n_used, w->options.colsample_tree,
                                  w->options.seed, scarce__columns_stream(index, -1));
    }
    tree->n_nodes = 1;
    tree->n_set_words = 0;
    fill_node(w, &tree->nodes[0], root);
    memset(&tree->tests[0], 0, sizeof *tree->tests);
    root->slot = -1;
    root->open = limit > 1 && can_split(w, root);
    if (root->open) {
        root->slot = scarce__grow_take_slot(w);
        const size_t segments = scarce__grow_build(w, root, root->slot, !w->active && !w->some);
        scarce__grow_search(w, root, root->slot, NULL, -1, segments);
    }
    queue_leaf(w, root);
    while (w->n_leaves < limit && w->next.n > 0)
        SCARCE__TRY(split_leaf(w, tree, scarce__heap_pop(&w->next).leaf, limit, err));
    return w->active ? scarce__grow_settle_active(w, tree, g, h, ctx, err) : SCARCE_OK;
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
    if (w->active) {
        scarce__grow_add_active(w, j->tree, j->score, b, e);
        return;
    }
    if (w->n_leaves == 1 && !w->some) {
        const float v = j->tree->nodes[0].value;
        for (size_t i = b; i < e; ++i) j->score[i] += v;
        return;
    }
    for (size_t k = 0; k < w->n_leaves; ++k) {
        const scarce__leaf *l = &w->leaves[k];
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
    if (w->active) {
        for (size_t i = 0; i < w->codes->n_rows; ++i) out[i] = w->leaf_node[w->leaf_of[i]];
        return;
    }
    for (size_t k = 0; k < w->n_leaves; ++k) {
        const scarce__leaf *l = &w->leaves[k];
        for (size_t i = l->begin; i < l->end; ++i)
            out[w->n_leaves == 1 && !w->some ? i : w->row[i]] = l->node;
    }
}
