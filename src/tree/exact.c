/* SPDX-License-Identifier: Apache-2.0 */
/* Exact growth. Every numeric column is sorted once; a split parts the sorted lists of all columns stably, so
 * that the rows of each leaf stand together and sorted in each of them, and a search is one walk. A level of
 * the tree costs rows x columns, whatever its shape, and there is no recursion: open leaves wait in a heap.
 *
 * Searches and partitions run side by side over the columns. Sums are added in the order of the sorted rows,
 * among equal gains the first feature wins, and random draws are named by tree and node: the same tree for
 * any number of threads. */
#include "tree/exact.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "tree/draw.h"
#include "tree/exact_inside.h"
#include "tree/step.h"

enum { INLINE_WORK = 16384 }; /* rows x columns that aren't worth waking threads for */

static scarce__pool *pool_for(const scarce__exact *w, size_t rows, scarce_context *ctx)
{
    return rows * w->n_used < INLINE_WORK ? NULL : scarce__context_pool(ctx);
}

/* ---- The rows of a tree */

static int take_row(scarce__exact_row *to, const scarce__exact_rows *in, size_t i, uint32_t times)
{
    const double g = in->g ? (double)in->g[i] : in->g_double[i];
    const double h = in->g ? (double)in->h[i] : in->h_double[i];
    const double t = (double)times;
    to->g = times == 1 ? g : t * g;
    to->h = h > 0 ? times == 1 ? h : t * h : 0;
    to->counts = scarce__gh_pack(in->mark && in->mark[i] ? (int32_t)times : 0, (int32_t)times);
    return isfinite(g) && isfinite(h);
}

static scarce_status take_rows(scarce__exact *w, const scarce__exact_rows *in, scarce__exact_leaf *root,
                               uint64_t index, scarce_error *err)
{
    uint64_t counted = 0;
    size_t m = 0;

    for (size_t i = 0; i < w->n; ++i) {
        const uint32_t times = in->times ? in->times[i] : 1;
        w->leaf_of[i] = UINT32_MAX;
        if (times == 0) continue;
        counted += times;
        if (counted >= (uint64_t)1 << 31)
            return scarce__fail(err, SCARCE_EINVAL, "rows that count 2^31 times and more are too many");
        if (!take_row(&w->data[i], in, i, times))
            return scarce__fail(err, SCARCE_ENUMERIC, "row %zu of tree %llu: its gradient isn't finite",
                                i + 1, (unsigned long long)index + 1);
        root->total.g += w->data[i].g;
        root->total.h += w->data[i].h;
        root->total.counts += w->data[i].counts;
        w->leaf_of[i] = 0;
        w->row[m++] = (uint32_t)i;
    }
    root->end = w->n_tree = m;
    return SCARCE_OK;
}

static void list_feature(void *arg, size_t index, int worker)
{
    const scarce__exact *w = arg;
    const scarce__exact_feature *f = &w->used[index];
    size_t m = 0;

    (void)worker;
    if (f->category || (w->tree_mask && !w->tree_mask[index])) return;
    for (size_t k = 0; k < w->n; ++k)
        if (w->leaf_of[f->sorted[k]] == 0) f->list[m++] = f->sorted[k];
}

/* ---- Search */

static int can_split(const scarce__exact *w, const scarce__exact_leaf *l)
{
    const scarce__split_rules *r = &w->options.rules;
    const uint32_t least = r->min_child_rows > 1 ? r->min_child_rows : 1;
    if (w->options.max_depth > 0 && l->depth >= (uint32_t)w->options.max_depth) return 0;
    if (l->end - l->begin < 2 || scarce__count_rows(l->total.counts) / 2 < least) return 0;
    if (!(l->total.h >= 2 * r->min_child_weight) || w->n_used == 0) return 0;
    return scarce__may_split(w->criterion, &l->total, l->own, NULL);
}

typedef struct search_job {
    const scarce__exact *w;
    const scarce__exact_leaf *leaf[2];
} search_job;

static void search_task(void *arg, size_t index, int worker)
{
    const search_job *j = arg;
    const scarce__exact *w = j->w;
    for (size_t k = 0; k < 2; ++k) {
        scarce__exact_split *best = &w->found[2 * index + k];
        best->gain = -INFINITY;
        best->used = -1;
        if (!j->leaf[k] || !j->leaf[k]->open || (w->mask[k] && !w->mask[k][index])) continue;
        scarce__exact_search(w, j->leaf[k], (uint32_t)index, &w->scratch[worker], best);
    }
}

/* The best splits of open leaves (b may be NULL); leaves without one are closed, the others wait. */
static void search_leaves(scarce__exact *w, scarce__exact_leaf *a, scarce__exact_leaf *b, uint64_t index,
                          scarce_context *ctx)
{
    search_job j = {w, {a, b}};
    scarce__exact_leaf *leaf[2] = {a, b};
    const size_t rows = (a->open ? a->end - a->begin : 0) + (b && b->open ? b->end - b->begin : 0);

    if (rows == 0) return;
    for (int k = 0; k < 2; ++k) {
        if (!leaf[k] || !w->tree_mask) continue;
        memcpy(w->mask[k], w->tree_mask, w->n_used);
        if (w->options.colsample_node < 1)
            scarce__draw_features(w->mask[k], w->order, w->n_used, w->options.colsample_node, w->options.seed,
                                  scarce__columns_stream(index, leaf[k]->node));
    }
    scarce__pool_run(pool_for(w, rows, ctx), w->n_used, search_task, &j);
    for (size_t k = 0; k < 2; ++k) {
        scarce__exact_leaf *l = leaf[k];
        if (!l || !l->open) continue;
        l->best.gain = -INFINITY;
        l->best.used = -1;
        for (size_t i = 0; i < w->n_used; ++i)
            if (w->found[2 * i + k].gain > l->best.gain) l->best = w->found[2 * i + k];
        l->open = l->best.used >= 0 && scarce__may_split(w->criterion, &l->total, l->own, &l->best.left);
        if (!l->open) continue;
        if (w->criterion->unit) l->best.gain *= w->criterion->unit(&l->total);
        scarce__heap_push(&w->next, scarce__next_item(w->options.growth == SCARCE__LEVEL_WISE, l->best.gain,
                                                      l->depth, (uint32_t)(l - w->leaves), l->node));
    }
}

/* ---- Splitting */

/* Which codes of a category go left; those without rows here follow the heavier child. */
typedef struct category_sides {
    const scarce__exact_row *cells; /* counts < 0: left; > 0: right; 0: not here */
    int rest;
} category_sides;

static int code_left(const category_sides *s, uint32_t code)
{
    return s->cells[code].counts == 0 ? s->rest : s->cells[code].counts < 0;
}

static int category_left(const void *arg, uint32_t category)
{
    return code_left(arg, 1 + category);
}

static scarce_status write_category(scarce__exact *w, scarce__binned_tree *tree, const scarce__exact_leaf *l,
                                    scarce_error *err)
{
    const scarce__exact_feature *f = &w->used[l->best.used];
    scarce__exact_scratch *s = &w->scratch[0];
    int one;
    const size_t n = scarce__exact_rank_categories(w, l, (uint32_t)l->best.used, s, &one);
    const category_sides sides = {s->cells, 2 * l->best.left.h >= l->total.h};

    for (size_t i = one ? l->best.at : 0; i <= l->best.at; ++i) s->cells[s->rank[i].code].counts = -1;
    for (size_t k = l->begin; k < l->end; ++k)
        w->side[w->row[k]] = (uint8_t)code_left(&sides, f->code[w->row[k]]);
    const scarce_status status =
        scarce__write_set(tree, &tree->nodes[l->node], f->n_categories, category_left, &sides,
                          code_left(&sides, 1 + f->n_categories), code_left(&sides, 0), err);
    scarce__exact_forget(s, n);
    return status;
}

/* The test of the node, and in w->side where its rows go. */
static scarce_status write_split(scarce__exact *w, scarce__binned_tree *tree, const scarce__exact_leaf *l,
                                 scarce_error *err)
{
    const scarce__exact_feature *f = &w->used[l->best.used];
    scarce__node *node = &tree->nodes[l->node];

    node->feature = (int32_t)f->feature;
    node->gain = (float)l->best.gain;
    node->flags = 0;
    node->value = 0;
    if (f->category) return write_category(w, tree, l, err);
    node->value = l->best.threshold;
    if (l->best.missing_left) node->flags |= SCARCE__MISSING_LEFT;
    for (size_t k = l->begin; k < l->end; ++k) {
        const float x = f->x[w->row[k]];
        w->side[w->row[k]] = x != x ? l->best.missing_left : x <= node->value;
    }
    return SCARCE_OK;
}

static size_t part(uint32_t *list, size_t begin, size_t end, const uint8_t *side, uint32_t *spare)
{
    size_t n = begin, m = 0;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t p = list[k];
        if (side[p]) list[n++] = p;
        else spare[m++] = p;
    }
    memcpy(list + n, spare, m * sizeof *list);
    return n;
}

typedef struct part_job {
    const scarce__exact *w;
    size_t begin, end;
} part_job;

static void part_feature(void *arg, size_t index, int worker)
{
    const part_job *j = arg;
    const scarce__exact *w = j->w;
    if (w->used[index].category || (w->tree_mask && !w->tree_mask[index])) return;
    (void)part(w->used[index].list, j->begin, j->end, w->side, w->scratch[worker].spare);
}

static void fill_node(const scarce__exact *w, scarce__binned_tree *tree, const scarce__exact_leaf *l)
{
    scarce__node *node = &tree->nodes[l->node];
    const double v = w->criterion->leaf(&w->options.rules, &l->total, -INFINITY, INFINITY);
    memset(node, 0, sizeof *node);
    memset(&tree->tests[l->node], 0, sizeof *tree->tests);
    node->feature = -1;
    node->value = (float)(w->options.learning_rate * v) + 0.0f;
    node->cover = (float)l->total.h;
    node->rows = scarce__count_rows(l->total.counts);
}

static scarce_status split_leaf(scarce__exact *w, scarce__binned_tree *tree, size_t at, size_t limit,
                                uint64_t index, scarce_context *ctx, scarce_error *err)
{
    if (w->n_leaves == w->leaves_capacity && !scarce__exact_reserve_leaves(w, 2 * w->leaves_capacity))
        return scarce__fail_memory(err, "the leaves of a tree", 2 * w->leaves_capacity * sizeof *w->leaves);
    SCARCE__TRY(scarce__binned_tree_reserve(
        tree, tree->n_nodes + 2 > tree->capacity ? 2 * tree->n_nodes + 62 : tree->capacity, err));
    const scarce__exact_leaf parent = w->leaves[at];
    SCARCE__TRY(write_split(w, tree, &parent, err));
    part_job j = {w, parent.begin, parent.end};
    const size_t middle = part(w->row, parent.begin, parent.end, w->side, w->scratch[0].spare);
    scarce__pool_run(pool_for(w, parent.end - parent.begin, ctx), w->n_used, part_feature, &j);

    scarce__exact_leaf *left = &w->leaves[at], *right = &w->leaves[w->n_leaves++];
    *right = parent;
    left->end = right->begin = middle;
    left->total = parent.best.left;
    right->total.g -= left->total.g;
    right->total.h -= left->total.h;
    right->total.counts -= left->total.counts;
    left->depth = right->depth = parent.depth + 1;
    left->node = (uint32_t)tree->n_nodes;
    right->node = left->node + 1;
    tree->nodes[parent.node].left = (int32_t)left->node;
    tree->nodes[parent.node].right = (int32_t)right->node;
    tree->n_nodes += 2;
    scarce__exact_leaf *child[2] = {left, right};
    for (int k = 0; k < 2; ++k) {
        child[k]->own = w->criterion->own ? w->criterion->own(&parent.total, &child[k]->total) : 0;
        fill_node(w, tree, child[k]);
        child[k]->open = w->n_leaves < limit && can_split(w, child[k]);
    }
    search_leaves(w, left, right, index, ctx);
    return SCARCE_OK;
}

/* ---- The tree */

/* Where a row that had no part in the tree ends. */
static uint32_t walk(const scarce__exact *w, const scarce__binned_tree *tree, const uint32_t *used_of,
                     size_t i)
{
    uint32_t at = 0;
    while (tree->nodes[at].feature >= 0) {
        const scarce__node *node = &tree->nodes[at];
        const scarce__exact_feature *f = &w->used[used_of[at]];
        float x = NAN;
        if (!f->category) x = f->x[i];
        else if (f->code[i] > 0) x = (float)(f->code[i] - 1);
        at = (uint32_t)(scarce__node_left(tree->sets, node, x) ? node->left : node->right);
    }
    return at;
}

static scarce_status settle_leaves(scarce__exact *w, const scarce__binned_tree *tree, scarce_error *err)
{
    for (size_t k = 0; k < w->n_leaves; ++k)
        for (size_t i = w->leaves[k].begin; i < w->leaves[k].end; ++i)
            w->leaf_of[w->row[i]] = w->leaves[k].node;
    if (w->n_tree == w->n) return SCARCE_OK;
    uint32_t *used_of = scarce__calloc(tree->n_nodes, sizeof *used_of);
    if (!used_of) return scarce__fail_memory(err, "the leaves of rows", tree->n_nodes * sizeof *used_of);
    for (size_t i = 0; i < tree->n_nodes; ++i)
        while (tree->nodes[i].feature >= 0 && w->used[used_of[i]].feature != (uint32_t)tree->nodes[i].feature)
            ++used_of[i];
    for (size_t i = 0; i < w->n; ++i)
        if (w->leaf_of[i] == UINT32_MAX) w->leaf_of[i] = walk(w, tree, used_of, i);
    scarce__free(used_of);
    return SCARCE_OK;
}

scarce_status scarce__exact_tree(scarce__exact *w, scarce__binned_tree *tree, const scarce__exact_rows *rows,
                                 uint64_t index, scarce_context *ctx, scarce_error *err)
{
    scarce__exact_leaf *root = &w->leaves[0];

    if (w->criterion->counts && !rows->mark)
        return scarce__fail(err, SCARCE_EBUG, "criterion %s without the classes of the rows",
                            w->criterion->name);
    SCARCE__TRY(scarce__exact_workers(w, scarce_context_threads(ctx), err));
    SCARCE__TRY(scarce__binned_tree_reserve(tree, 61, err));
    memset(root, 0, sizeof *root);
    w->n_leaves = 0;
    w->next.n = 0;
    SCARCE__TRY(take_rows(w, rows, root, index, err));
    if (w->tree_mask) {
        memset(w->tree_mask, 1, w->n_used);
        if (w->options.colsample_tree < 1)
            scarce__draw_features(w->tree_mask, w->order, w->n_used, w->options.colsample_tree,
                                  w->options.seed, scarce__columns_stream(index, -1));
    }
    scarce__pool_run(pool_for(w, w->n, ctx), w->n_used, list_feature, w);
    const size_t limit = scarce__grow_leaf_limit(&w->options, root->end);
    w->n_leaves = 1;
    tree->n_nodes = 1;
    tree->n_set_words = 0;
    if (w->criterion->own && root->end > 0) root->own = w->criterion->own(NULL, &root->total);
    fill_node(w, tree, root);
    root->open = limit > 1 && can_split(w, root);
    search_leaves(w, root, NULL, index, ctx);
    while (w->n_leaves < limit && w->next.n > 0)
        SCARCE__TRY(split_leaf(w, tree, scarce__heap_pop(&w->next).leaf, limit, index, ctx, err));
    return settle_leaves(w, tree, err);
}

void scarce__exact_leaves(const scarce__exact *w, uint32_t *leaf)
{
    memcpy(leaf, w->leaf_of, w->n * sizeof *leaf);
}
