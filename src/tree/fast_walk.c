/* SPDX-License-Identifier: Apache-2.0 */
/* Walking compact nodes: children are neighbours, a leaf is its own child, so that a step has no branch
 * and several trees (one row) or several rows (one tree) can go on together until the deepest is done. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_inside.h"

static int category_right(const scarce__fast *fast, const scarce__walk_node *node, float x)
{
    uint32_t i;
    memcpy(&i, &node->threshold, sizeof i);
    const scarce__walk_set *set = fast->walk_sets + i;
    return !scarce__set_left(fast->sets + set->set, set->words, set->flags, x);
}

static inline uint32_t step_value(const scarce__fast *fast, const scarce__walk_node *node, float x)
{
    uint32_t right;

    if (node->feature & SCARCE__WALK_CATEGORY) return node->kid + (uint32_t)category_right(fast, node, x);
    right = (uint32_t) !(x <= node->threshold) & ~((uint32_t)(x != x) & node->feature >> 31);
    return node->kid + right;
}

static inline uint32_t step(const scarce__fast *fast, uint32_t at, const float *row)
{
    const scarce__walk_node *node = fast->nodes + at;
    return step_value(fast, node, row[node->feature & SCARCE__WALK_FEATURE]);
}

uint32_t scarce__fast_step(const scarce__fast *fast, uint32_t at, float x)
{
    return step_value(fast, fast->nodes + at, x);
}

uint32_t scarce__fast_walk_tree(const scarce__fast *fast, size_t tree, const float *row)
{
    uint32_t at = fast->roots[tree];
    for (uint32_t d = 0; d < fast->depths[tree]; ++d) {
        const uint32_t next = step(fast, at, row);
        if (next == at) break;
        at = next;
    }
    return at;
}

/* The leaves of SCARCE__LOCKSTEP trees from t on. */
static inline void walk_some(const scarce__fast *fast, size_t t, const float *row, uint32_t *at)
{
    uint32_t depth = 0;
    for (int j = 0; j < SCARCE__LOCKSTEP; ++j) {
        at[j] = fast->roots[t + (size_t)j];
        if (fast->depths[t + (size_t)j] > depth) depth = fast->depths[t + (size_t)j];
    }
    while (depth) { /* looks every 4 levels whether all have arrived */
        const uint32_t levels = depth < 4 ? depth : 4;
        uint32_t moved = 0;
        for (uint32_t d = 0; d < levels; ++d) {
            moved = 0;
            for (int j = 0; j < SCARCE__LOCKSTEP; ++j) {
                const uint32_t next = step(fast, at[j], row);
                moved |= next ^ at[j];
                at[j] = next;
            }
        }
        if (!moved) break;
        depth -= levels;
    }
}

void scarce__fast_row_values(const scarce__fast *fast, const float *row, size_t first, size_t n, float *value)
{
    uint32_t at[SCARCE__LOCKSTEP];
    size_t i = 0;

    for (; i + SCARCE__LOCKSTEP <= n; i += SCARCE__LOCKSTEP) {
        walk_some(fast, first + i, row, at);
        for (size_t j = 0; j < SCARCE__LOCKSTEP; ++j) value[i + j] = fast->values[at[j]];
    }
    for (; i < n; ++i) value[i] = fast->values[scarce__fast_walk_tree(fast, first + i, row)];
}

double scarce__fast_walk_all(const scarce__fast *fast, const float *row)
{
    double sum = fast->base;
    size_t t = 0;

    for (; t + SCARCE__LOCKSTEP <= fast->n_trees; t += SCARCE__LOCKSTEP) {
        uint32_t at[SCARCE__LOCKSTEP];
        walk_some(fast, t, row, at);
        for (int j = 0; j < SCARCE__LOCKSTEP; ++j) sum += (double)fast->values[at[j]];
    }
    for (; t < fast->n_trees; ++t) sum += (double)fast->values[scarce__fast_walk_tree(fast, t, row)];
    return sum;
}

void scarce__fast_walk_tile(const scarce__fast *fast, size_t tree, const float *rows, size_t n, size_t stride,
                            double *sums)
{
    size_t i = 0;

    for (; i + SCARCE__LOCKSTEP <= n; i += SCARCE__LOCKSTEP) {
        uint32_t at[SCARCE__LOCKSTEP];
        for (int j = 0; j < SCARCE__LOCKSTEP; ++j) at[j] = fast->roots[tree];
        for (uint32_t d = 0; d < fast->depths[tree]; ++d) {
            uint32_t moved = 0;
            for (int j = 0; j < SCARCE__LOCKSTEP; ++j) {
                const uint32_t next = step(fast, at[j], rows + (i + (size_t)j) * stride);
                moved |= next ^ at[j];
                at[j] = next;
            }
            if (!moved) break;
        }
        for (int j = 0; j < SCARCE__LOCKSTEP; ++j) sums[i + (size_t)j] += (double)fast->values[at[j]];
    }
    for (; i < n; ++i) sums[i] += (double)fast->values[scarce__fast_walk_tree(fast, tree, rows + i * stride)];
}

static void set_node(scarce__fast *fast, const scarce__node *from, uint32_t to, uint32_t *n_sets)
{
    scarce__walk_node *node = fast->nodes + to;

    if (from->feature < 0) {
        node->threshold = INFINITY;
        node->feature = SCARCE__WALK_MISSING_LEFT;
        node->kid = to;
        fast->values[to] = from->value;
        return;
    }
    fast->values[to] = 0;
    node->threshold = from->value;
    node->feature = (uint32_t)from->feature;
    if (from->flags & SCARCE__MISSING_LEFT) node->feature |= SCARCE__WALK_MISSING_LEFT;
    if (from->flags & SCARCE__CATEGORY) {
        scarce__walk_set *set = fast->walk_sets + *n_sets;
        node->feature |= SCARCE__WALK_CATEGORY;
        memcpy(&node->threshold, n_sets, sizeof node->threshold);
        set->set = from->set;
        set->words = from->set_words;
        set->flags = from->flags;
        ++*n_sets;
    }
}

/* place[i]: where the forest's node i of this tree goes. Parents come before their children, so one
 * pass hands out neighbouring places. */
static uint32_t place_tree(scarce__fast *fast, const scarce__forest *forest, size_t tree, uint32_t *place,
                           uint32_t *depth, uint32_t *n_sets)
{
    const scarce__node *nodes = forest->nodes + forest->tree_begin[tree];
    const uint32_t n = forest->tree_begin[tree + 1] - forest->tree_begin[tree];
    uint32_t next = forest->tree_begin[tree] + 1, deepest = 0;

    place[0] = forest->tree_begin[tree];
    depth[0] = 0;
    for (uint32_t i = 0; i < n; ++i) {
        set_node(fast, nodes + i, place[i], n_sets);
        if (depth[i] > deepest) deepest = depth[i];
        if (nodes[i].feature < 0) continue;
        fast->nodes[place[i]].kid = next;
        place[nodes[i].left] = next++;
        place[nodes[i].right] = next++;
        depth[nodes[i].left] = depth[nodes[i].right] = depth[i] + 1;
    }
    fast->roots[tree] = place[0];
    return deepest;
}

scarce_status scarce__fast_build_walk(scarce__fast *fast, const scarce__forest *forest)
{
    const size_t n_trees = forest->n_trees, n_nodes = n_trees ? forest->tree_begin[n_trees] : 0;
    size_t n_category = 0, largest = 1;
    uint32_t n_sets = 0, *place, *depth;

    for (size_t i = 0; i < n_nodes; ++i)
        n_category += forest->nodes[i].feature >= 0 && (forest->nodes[i].flags & SCARCE__CATEGORY);
    for (size_t t = 0; t < n_trees; ++t)
        if (forest->tree_begin[t + 1] - forest->tree_begin[t] > largest)
            largest = forest->tree_begin[t + 1] - forest->tree_begin[t];
    fast->has_category = n_category > 0;
    fast->nodes = scarce__malloc_array(n_nodes, sizeof *fast->nodes);
    fast->values = scarce__malloc_array(n_nodes, sizeof *fast->values);
    fast->roots = scarce__malloc_array(n_trees, sizeof *fast->roots);
    fast->depths = scarce__malloc_array(n_trees, sizeof *fast->depths);
    fast->walk_sets = scarce__malloc_array(n_category, sizeof *fast->walk_sets);
    fast->sets = scarce__malloc_array(forest->n_set_words, sizeof *fast->sets);
    place = scarce__malloc_array(largest, sizeof *place);
    depth = scarce__malloc_array(largest, sizeof *depth);
    if (!fast->nodes || !fast->values || !fast->roots || !fast->depths || !fast->walk_sets || !fast->sets ||
        !place || !depth) {
        scarce__free(place);
        scarce__free(depth);
        return SCARCE_ENOMEM;
    }
    if (forest->n_set_words) memcpy(fast->sets, forest->sets, forest->n_set_words * sizeof *fast->sets);
    for (size_t t = 0; t < n_trees; ++t) fast->depths[t] = place_tree(fast, forest, t, place, depth, &n_sets);
    fast->bytes += n_nodes * (sizeof *fast->nodes + sizeof *fast->values) +
                   n_trees * 2 * sizeof *fast->roots + n_category * sizeof *fast->walk_sets +
                   forest->n_set_words * sizeof *fast->sets;
    scarce__free(place);
    scarce__free(depth);
    return SCARCE_OK;
}
