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
    scarce__free(forest->member_trees);
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
    for (size_t round = 0, left = n_trees; forest->n_members > 0; ++round) { /* in turns: who is cut off */
        size_t took = 0;
        for (size_t m = 0; m < forest->n_members; ++m) {
            if (forest->member_trees[m] <= round) continue;
            ++took;
            if (left > 0) --left;
            else forest->member_trees[m] = round;
        }
        if (took == 0) break;
    }
}

/* ---- Sums of forests */

/* One tree of `from`, its leaves times `scale`. */
static scarce_status add_scaled(scarce__forest *to, const scarce__forest *from, size_t tree, double scale,
                                scarce_error *err)
{
    const uint32_t begin = from->tree_begin[tree], n = from->tree_begin[tree + 1] - begin;
    const size_t old_nodes = to->n_trees ? to->tree_begin[to->n_trees] : 0;
    size_t low = SIZE_MAX, high = 0;

    for (uint32_t i = begin; i < begin + n; ++i) { /* the words of its sets stand together */
        const scarce__node *node = &from->nodes[i];
        if (node->feature < 0 || !(node->flags & SCARCE__CATEGORY)) continue;
        if (node->set < low) low = node->set;
        if ((size_t)node->set + node->set_words > high) high = (size_t)node->set + node->set_words;
    }
    if (low > high) low = high = 0;
    SCARCE__TRY(scarce__forest_add(to, from->nodes + begin, n, high > low ? from->sets + low : NULL,
                                   high - low, err));
    for (uint32_t i = 0; i < n; ++i) {
        scarce__node *node = &to->nodes[old_nodes + i];
        if (node->feature < 0) {
            node->value = (float)(scale * (double)node->value);
            if (!isfinite(node->value))
                return scarce__fail(err, SCARCE_ENUMERIC, "tree %zu times %g has a leaf that isn't finite",
                                    tree, scale);
        } else if (node->flags & SCARCE__CATEGORY) node->set = (uint32_t)(node->set - low);
    }
    return SCARCE_OK;
}

static scarce_status same_features(scarce__forest *to, const scarce__forest *from, scarce_error *err)
{
    if (to->n_trees == 0 && to->n_features == 0) to->n_features = from->n_features;
    if (to->n_features == from->n_features) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "trees over %zu features can't be added to trees over %zu",
                        from->n_features, to->n_features);
}

scarce_status scarce__forest_append(scarce__forest *to, const scarce__forest *from, double scale,
                                    scarce_error *err)
{
    const size_t before = to->n_trees, words = to->n_set_words, features = to->n_features;
    const double base = to->base + scale * from->base;
    scarce_status st = same_features(to, from, err);

    if (st == SCARCE_OK && !isfinite(base))
        st = scarce__fail(err, SCARCE_ENUMERIC, "the base of a sum of forests isn't finite");
    for (size_t t = 0; st == SCARCE_OK && t < from->n_trees; ++t) st = add_scaled(to, from, t, scale, err);
    if (st != SCARCE_OK) {
        to->n_trees = before; /* members are as they were: nothing to count anew */
        to->n_set_words = words;
        to->n_features = features;
        return st;
    }
    to->base = base;
    to->n_members = 0;
    scarce__free(to->member_trees);
    to->member_trees = NULL;
    return SCARCE_OK;
}

void scarce__forest_rescale(scarce__forest *forest, double scale, double shift)
{
    const size_t n = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    forest->base += shift;
    for (size_t i = 0; scale != 1 && i < n; ++i)
        if (forest->nodes[i].feature < 0)
            forest->nodes[i].value = (float)(scale * (double)forest->nodes[i].value);
}

scarce_status scarce__forest_join(scarce__forest *out, const scarce__forest *const *members, size_t n,
                                  double scale, scarce_error *err)
{
    size_t most = 0;
    scarce_status st = SCARCE_OK;

    out->member_trees = scarce__malloc_array(n, sizeof *out->member_trees);
    if (!out->member_trees) return scarce__fail_memory(err, "a sum of forests", 0);
    out->n_members = n;
    for (size_t m = 0; st == SCARCE_OK && m < n; ++m) {
        out->member_trees[m] = members[m]->n_trees;
        out->base += scale * members[m]->base;
        if (members[m]->n_trees > most) most = members[m]->n_trees;
        st = same_features(out, members[m], err);
    }
    if (st == SCARCE_OK && !isfinite(out->base))
        st = scarce__fail(err, SCARCE_ENUMERIC, "the base of a sum of forests isn't finite");
    for (size_t round = 0; round < most; ++round)
        for (size_t m = 0; st == SCARCE_OK && m < n; ++m)
            if (round < members[m]->n_trees) st = add_scaled(out, members[m], round, scale, err);
    if (st != SCARCE_OK) scarce__forest_deinit(out);
    return st;
}

size_t scarce__forest_rounds(const scarce__forest *forest)
{
    size_t most = 0;
    for (size_t m = 0; m < forest->n_members; ++m)
        if (forest->member_trees[m] > most) most = forest->member_trees[m];
    return forest->n_members ? most : forest->n_trees;
}

size_t scarce__forest_trees_in(const scarce__forest *forest, size_t rounds)
{
    size_t trees = 0;
    if (forest->n_members == 0) return rounds < forest->n_trees ? rounds : forest->n_trees;
    for (size_t m = 0; m < forest->n_members; ++m)
        trees += rounds < forest->member_trees[m] ? rounds : forest->member_trees[m];
    return trees;
}

#define LISTED_MOST ((uint64_t)1 << 27)

scarce_status scarce__forest_check_listing(const scarce__forest *forest, int fewer, scarce_error *err)
{
    const size_t n = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    uint64_t words = 0, codes = 0;

    for (size_t i = 0; i < n; ++i) {
        const scarce__node *node = &forest->nodes[i];
        if (node->feature < 0 || !(node->flags & SCARCE__CATEGORY)) continue;
        const uint32_t turn = fewer && (node->flags & SCARCE__OTHER_LEFT) ? UINT32_MAX : 0;
        words += node->set_words;
        for (uint32_t k = 0; k < node->set_words && words <= LISTED_MOST; ++k)
            codes += (uint64_t)__builtin_popcount(forest->sets[node->set + k] ^ turn);
    }
    if (words <= LISTED_MOST && codes <= LISTED_MOST) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EUNSUPPORTED,
                        "the category splits list more than %u million categories, too many to write out",
                        (unsigned)(LISTED_MOST / 1000000));
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

scarce_status scarce__forest_check_members(const scarce__forest *forest, scarce_error *err)
{
    size_t left = forest->n_trees;

    if (forest->n_members == 0) return SCARCE_OK;
    for (size_t m = 0; m < forest->n_members; ++m) {
        if (forest->member_trees[m] > left)
            return scarce__fail(err, SCARCE_EPARSE, "member %zu has more trees than there are", m);
        left -= forest->member_trees[m];
    }
    if (left == 0) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EPARSE, "%zu trees are of no member", left);
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
    SCARCE__TRY(scarce__forest_check_members(forest, err));
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
