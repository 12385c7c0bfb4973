/* SPDX-License-Identifier: Apache-2.0 */
/* From inner trees to one graph. Nodes of an inner tree are numbered from its root down, left before right, and
 * inner trees in the order in which the meta-tree is walked, left before right: so every edge leads to a
 * larger number, and the leaves' numbers are their ranks. */
#include "rank/build.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

void scarce__build_deinit(scarce__build *b)
{
    scarce__free(b->nodes);
    scarce__free(b->sets);
    scarce__free(b->leaves);
    scarce__free(b->target);
    scarce__free(b->stack);
    memset(b, 0, sizeof *b);
}

/* Room for n items of an array that doubles; 0: out of memory. */
static int reserve(void *array, size_t *capacity, size_t n, size_t size)
{
    void **a = array;
    if (n <= *capacity && *a) return 1;
    const size_t room = 2 * n + 16;
    void *grown = scarce__realloc_array(*a, room, size);
    if (!grown) return 0;
    *a = grown;
    *capacity = room;
    return 1;
}

static scarce_status no_memory(scarce_error *err)
{
    return scarce__fail_memory(err, "a ranking tree", 0);
}

scarce_status scarce__build_meta(scarce__build *b, uint32_t *id, scarce_error *err)
{
    if (!reserve(&b->target, &b->meta_capacity, b->n_meta + 1, sizeof *b->target)) return no_memory(err);
    b->target[b->n_meta] = -1;
    *id = (uint32_t)b->n_meta++;
    return SCARCE_OK;
}

scarce_status scarce__build_leaves(scarce__build *b, const scarce__inner_tree *in, uint32_t *leaf, size_t *n,
                                   scarce_error *err)
{
    const scarce__node *nodes = in->tree.nodes;
    size_t top = 1;

    *n = 0;
    if (!reserve(&b->stack, &b->stack_capacity, 2 * in->tree.n_nodes + 2, sizeof *b->stack))
        return no_memory(err);
    b->stack[0] = 0;
    while (top > 0) {
        const uint32_t i = b->stack[--top];
        if (nodes[i].feature < 0) {
            leaf[(*n)++] = i;
            continue;
        }
        b->stack[top++] = (uint32_t)nodes[i].right;
        b->stack[top++] = (uint32_t)nodes[i].left;
    }
    return SCARCE_OK;
}

static uint32_t majority(const scarce__rank_sums *s)
{
    const double p = s->positive, n = s->weight - s->positive;
    return p > n ? SCARCE__EXIT_POSITIVE : p < n ? SCARCE__EXIT_NEGATIVE : SCARCE__EXIT_EVEN;
}

/* Node i of the inner tree as the last node of the graph. */
static void put_node(scarce__build *b, const scarce__inner_tree *in, uint32_t i, const uint32_t *meta_of)
{
    const scarce__rank_sums *s = &in->sums[i];
    scarce__node *node = &b->nodes[b->n_nodes++];

    *node = in->tree.nodes[i];
    node->cover = s->weight > 0 ? (float)(s->positive / s->weight) : 0;
    node->rows = (uint32_t)s->rows;
    if (node->feature < 0) {
        node->value = node->gain = 0;
        node->set = node->set_words = 0;
        node->right = 0;
        node->left = (int32_t)meta_of[i];
        node->flags = majority(s);
        return;
    }
    node->gain = node->flags & SCARCE__CATEGORY ? 0 : node->value; /* where it was before it is rounded */
    if (node->flags & SCARCE__CATEGORY) node->set += (uint32_t)b->n_set_words;
}

scarce_status scarce__build_tree(scarce__build *b, uint32_t id, const scarce__inner_tree *in,
                                 const uint32_t *meta_of, scarce_error *err)
{
    const scarce__binned_tree *t = &in->tree;
    const size_t first = b->n_nodes;
    size_t top = 0;

    if (!reserve(&b->nodes, &b->nodes_capacity, b->n_nodes + t->n_nodes, sizeof *b->nodes) ||
        !reserve(&b->sets, &b->sets_capacity, b->n_set_words + t->n_set_words, sizeof *b->sets) ||
        !reserve(&b->stack, &b->stack_capacity, 2 * t->n_nodes + 2, sizeof *b->stack) ||
        first + t->n_nodes > INT32_MAX)
        return no_memory(err);
    b->target[id] = (int32_t)first;
    /* pairs: node of the inner tree, and 2 * (its parent in the graph) + (it is the right child) */
    b->stack[top++] = 0;
    b->stack[top++] = UINT32_MAX;
    while (top > 0) {
        const uint32_t from = b->stack[--top], i = b->stack[--top];
        const size_t at = b->n_nodes;
        put_node(b, in, i, meta_of);
        if (from == UINT32_MAX) b->nodes[at].flags |= SCARCE__INNER_ROOT;
        else if (from & 1) b->nodes[from / 2].right = (int32_t)at;
        else b->nodes[from / 2].left = (int32_t)at;
        if (b->nodes[at].feature < 0) continue;
        b->stack[top++] = (uint32_t)t->nodes[i].right;
        b->stack[top++] = 2 * (uint32_t)at + 1;
        b->stack[top++] = (uint32_t)t->nodes[i].left;
        b->stack[top++] = 2 * (uint32_t)at;
    }
    if (t->n_set_words > 0) memcpy(b->sets + b->n_set_words, t->sets, t->n_set_words * sizeof *b->sets);
    b->n_set_words += t->n_set_words;
    return SCARCE_OK;
}

scarce_status scarce__build_leaf(scarce__build *b, uint32_t id, const scarce__rank_sums *s, scarce_error *err)
{
    if (!reserve(&b->leaves, &b->leaves_capacity, b->n_leaves + 1, sizeof *b->leaves)) return no_memory(err);
    b->leaves[b->n_leaves] = (scarce__rank_leaf){
        .weight = s->weight, .positive = s->positive, .rows = s->rows, .positives = s->positives};
    b->target[id] = -1 - (int32_t)b->n_leaves++;
    return SCARCE_OK;
}

/* A graph of a leaf alone: rows exit at once. */
static scarce_status lone_leaf(scarce__build *b, scarce_error *err)
{
    const scarce__rank_leaf *l = &b->leaves[0];
    if (b->n_nodes > 0) return SCARCE_OK;
    if (!reserve(&b->nodes, &b->nodes_capacity, 1, sizeof *b->nodes)) return no_memory(err);
    const scarce__rank_sums s = {l->weight, l->positive, l->rows, l->positives};
    b->nodes[b->n_nodes++] = (scarce__node){.feature = -1,
                                            .flags = majority(&s),
                                            .cover = l->weight > 0 ? (float)(l->positive / l->weight) : 0,
                                            .rows = (uint32_t)l->rows};
    return SCARCE_OK;
}

static int leads_to_leaf(const scarce__build *b, const scarce__node *exit)
{
    return b->target[exit->left] < 0;
}

/* Exits into another inner tree go; edges lead to its root instead. */
static void resolve(scarce__build *b, uint32_t *number)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n_nodes; ++i) {
        number[i] = (uint32_t)n;
        n += b->nodes[i].feature >= 0 || leads_to_leaf(b, &b->nodes[i]);
    }
    for (size_t i = 0; i < b->n_nodes; ++i) {
        scarce__node *node = &b->nodes[i];
        if (node->feature < 0) continue;
        int32_t *child[2] = {&node->left, &node->right};
        for (int k = 0; k < 2; ++k) {
            const scarce__node *to = &b->nodes[*child[k]];
            const int32_t at = to->feature < 0 && !leads_to_leaf(b, to) ? b->target[to->left] : *child[k];
            *child[k] = (int32_t)number[at];
        }
    }
    n = 0;
    for (size_t i = 0; i < b->n_nodes; ++i) {
        scarce__node node = b->nodes[i];
        if (node.feature < 0) {
            if (!leads_to_leaf(b, &node)) continue;
            node.left = -1 - b->target[node.left];
        }
        b->nodes[n++] = node;
    }
    b->n_nodes = n;
}

scarce_status scarce__build_finish(scarce__dag *out, scarce__build *b, scarce_error *err)
{
    const int alone = b->n_nodes == 0;
    SCARCE__TRY(lone_leaf(b, err));
    if (!alone) {
        uint32_t *number = scarce__malloc_array(b->n_nodes, sizeof *number);
        if (!number) return no_memory(err);
        resolve(b, number);
        scarce__free(number);
    }
    *out = (scarce__dag){.n_nodes = b->n_nodes,
                         .n_set_words = b->n_set_words,
                         .n_leaves = b->n_leaves,
                         .nodes = b->nodes,
                         .sets = b->sets,
                         .leaves = b->leaves};
    b->nodes = NULL;
    b->sets = NULL;
    b->leaves = NULL;
    scarce__build_deinit(b);
    return SCARCE_OK;
}
