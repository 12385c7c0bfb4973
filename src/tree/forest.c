/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/forest.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "tree/step.h"

void scarce__forest_deinit(scarce__forest *forest)
{
    scarce__free(forest->tree_begin);
    scarce__free(forest->nodes);
    scarce__free(forest->sets);
    memset(forest, 0, sizeof *forest);
}

/* Makes room for `need` items; the block stays valid when there is none. */
static int grow(void **block, size_t *capacity, size_t need, size_t size)
{
    size_t wanted = *capacity ? *capacity : 16;
    void *larger;

    if (need <= *capacity) return 1;
    while (wanted < need) wanted += wanted / 2;
    larger = scarce__realloc_array(*block, wanted, size);
    if (!larger) return 0;
    *block = larger;
    *capacity = wanted;
    return 1;
}

scarce_status scarce__forest_add(scarce__forest *forest, const scarce__node *nodes, size_t n_nodes,
                                 const uint32_t *sets, size_t n_set_words, scarce_error *err)
{
    const size_t old_nodes = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    const size_t old_words = forest->n_set_words;
    void *begin = forest->tree_begin, *all_nodes = forest->nodes, *all_sets = forest->sets;
    int ok;

    if (n_nodes == 0) return scarce__fail(err, SCARCE_EINVAL, "a tree without nodes");
    if (n_nodes > INT32_MAX || n_nodes + old_nodes > INT32_MAX || n_set_words > INT32_MAX ||
        n_set_words + old_words > INT32_MAX)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "a forest of more than 2^31 nodes or category words");
    ok = grow(&begin, &forest->trees_capacity, forest->n_trees + 2, sizeof *forest->tree_begin);
    forest->tree_begin = begin;
    ok = ok && grow(&all_nodes, &forest->nodes_capacity, old_nodes + n_nodes, sizeof *nodes);
    forest->nodes = all_nodes;
    ok = ok && grow(&all_sets, &forest->sets_capacity, old_words + n_set_words, sizeof *sets);
    forest->sets = all_sets;
    if (!ok) return scarce__fail_memory(err, "a tree", n_nodes * sizeof *nodes);

    memcpy(forest->nodes + old_nodes, nodes, n_nodes * sizeof *nodes);
    if (n_set_words) memcpy(forest->sets + old_words, sets, n_set_words * sizeof *sets);
    for (size_t i = 0; i < n_nodes; ++i)
        if (nodes[i].feature >= 0 && (nodes[i].flags & SCARCE__CATEGORY))
            forest->nodes[old_nodes + i].set += (uint32_t)old_words;
    forest->tree_begin[forest->n_trees] = (uint32_t)old_nodes;
    forest->tree_begin[++forest->n_trees] = (uint32_t)(old_nodes + n_nodes);
    forest->n_set_words = old_words + n_set_words;
    return SCARCE_OK;
}

/* Each tree's sets follow those of the trees before it, so the words to keep end with the last one used. */
void scarce__forest_truncate(scarce__forest *forest, size_t n_trees)
{
    size_t words = 0;

    if (n_trees >= forest->n_trees) return;
    forest->n_trees = n_trees;
    for (size_t i = 0; i < forest->tree_begin[n_trees]; ++i) {
        const scarce__node *node = forest->nodes + i;
        if (node->feature < 0 || !(node->flags & SCARCE__CATEGORY)) continue;
        if ((size_t)node->set + node->set_words > words) words = (size_t)node->set + node->set_words;
    }
    forest->n_set_words = words;
}

static scarce_status bad(scarce_error *err, size_t tree, size_t node, const char *what)
{
    return scarce__fail(err, SCARCE_EPARSE, "tree %zu, node %zu: %s", tree, node, what);
}

static scarce_status check_leaf(const scarce__node *node, size_t tree, size_t i, scarce_error *err)
{
    if (node->feature != -1) return bad(err, tree, i, "a feature number below -1");
    if (!isfinite(node->value)) return bad(err, tree, i, "a leaf value that is not finite");
    if (node->left != 0 || node->right != 0) return bad(err, tree, i, "a leaf with children");
    return SCARCE_OK;
}

static scarce_status check_inner(const scarce__forest *forest, const scarce__node *node, size_t tree,
                                 size_t i, size_t n_nodes, scarce_error *err)
{
    if ((size_t)node->feature >= forest->n_features)
        return bad(err, tree, i, "a feature number out of range");
    if (node->left <= 0 || node->right <= 0 || (size_t)node->left <= i || (size_t)node->right <= i ||
        (size_t)node->left >= n_nodes || (size_t)node->right >= n_nodes || node->left == node->right)
        return bad(err, tree, i, "children out of range");
    if (node->flags & ~(uint32_t)(SCARCE__MISSING_LEFT | SCARCE__OTHER_LEFT | SCARCE__CATEGORY))
        return bad(err, tree, i, "unknown flags");
    if (node->flags & SCARCE__CATEGORY) {
        if ((size_t)node->set + node->set_words > forest->n_set_words)
            return bad(err, tree, i, "a category set out of range");
    } else if (isnan(node->value)) {
        return bad(err, tree, i, "a threshold that is not a number");
    }
    return SCARCE_OK;
}

static scarce_status check_tree(const scarce__forest *forest, size_t tree, uint8_t *parents,
                                scarce_error *err)
{
    const scarce__node *nodes = forest->nodes + forest->tree_begin[tree];
    const size_t n = forest->tree_begin[tree + 1] - forest->tree_begin[tree];

    memset(parents, 0, n);
    for (size_t i = 0; i < n; ++i) {
        if (isnan(nodes[i].gain) || isnan(nodes[i].cover))
            return bad(err, tree, i, "a gain or cover that is not a number");
        if (i > 0 && parents[i] != 1) return bad(err, tree, i, "not exactly one parent");
        if (nodes[i].feature < 0) {
            SCARCE__TRY(check_leaf(nodes + i, tree, i, err));
            continue;
        }
        SCARCE__TRY(check_inner(forest, nodes + i, tree, i, n, err));
        if (++parents[nodes[i].left] > 1 || ++parents[nodes[i].right] > 1)
            return bad(err, tree, i, "a child that has a parent already");
    }
    return SCARCE_OK;
}

scarce_status scarce__forest_check(const scarce__forest *forest, scarce_error *err)
{
    size_t largest = 0;
    uint8_t *parents;
    scarce_status st = SCARCE_OK;

    if (!isfinite(forest->base))
        return scarce__fail(err, SCARCE_EPARSE, "the base of the forest is not finite");
    if (forest->n_features > INT32_MAX)
        return scarce__fail(err, SCARCE_EPARSE, "%zu features", forest->n_features);
    if (forest->n_trees == 0) return SCARCE_OK;
    if (forest->tree_begin[0] != 0)
        return scarce__fail(err, SCARCE_EPARSE, "the first tree does not begin at node 0");
    for (size_t t = 0; t < forest->n_trees; ++t) {
        if (forest->tree_begin[t + 1] <= forest->tree_begin[t] || forest->tree_begin[t + 1] > INT32_MAX)
            return scarce__fail(err, SCARCE_EPARSE, "tree %zu has no nodes or too many", t);
        if (forest->tree_begin[t + 1] - forest->tree_begin[t] > largest)
            largest = forest->tree_begin[t + 1] - forest->tree_begin[t];
    }
    parents = scarce__malloc(largest);
    if (!parents) return scarce__fail_memory(err, "checking a forest", largest);
    for (size_t t = 0; t < forest->n_trees && st == SCARCE_OK; ++t) st = check_tree(forest, t, parents, err);
    scarce__free(parents);
    return st;
}

double scarce__forest_walk(const scarce__forest *forest, const float *row)
{
    double sum = forest->base;

    for (size_t t = 0; t < forest->n_trees; ++t) {
        const scarce__node *nodes = forest->nodes + forest->tree_begin[t], *node = nodes;
        while (node->feature >= 0)
            node = nodes +
                   (scarce__node_left(forest->sets, node, row[node->feature]) ? node->left : node->right);
        sum += (double)node->value;
    }
    return sum;
}
