/* SPDX-License-Identifier: Apache-2.0 */
/* Walking large trees over a tile of bytes. The tests of a tree with thousands of leaves can't all be made for each row
 * (fast_kernel.h), so rows walk; but the bytes of the tile are there anyway, and with them a step is one load of a node
 * of 8 bytes, one of a byte out of a few kilobytes, and a comparison that knows nothing of missing values.
 *
 * Sixteen rows go on together, so that their loads overlap. Paths differ in length: after every few levels the rows
 * that have arrived are left out, and the others close ranks. */
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_inside.h"

enum { ABREAST = 16, FIRST_LEVELS = 8, NEXT_LEVELS = 4, MOST_COLUMNS = 1 << 16 };

/* ---- building */

static void set_leaf(scarce__byte_node *to, uint32_t at)
{
    to->kid = at; /* no byte is above 255: it stays where it is */
    to->column = 0;
    to->bin = 255;
    to->category = 0;
}

static void set_inner(scarce__fast *fast, scarce__byte_node *to, uint32_t at, uint32_t kid,
                      const scarce__node *node, const scarce__node_test *w)
{
    const scarce__input *input = fast->inputs + w->input;
    const int category = (node->flags & SCARCE__CATEGORY) != 0;
    to->kid = kid;
    to->category = (uint8_t)category;
    to->column = (uint16_t)input->column[category || (node->flags & SCARCE__MISSING_LEFT) ? 0 : 1];
    to->bin = (uint8_t)(category ? 255 : w->bin);
    if (category) fast->byte_lookup[at] = w->lookup - 1;
}

/* Places are those of the walk nodes (fast_walk.c). */
static void add_tree(scarce__fast *fast, const scarce__forest *forest, size_t tree,
                     const scarce__node_test *where, uint32_t *place)
{
    const uint32_t begin = forest->tree_begin[tree], n = forest->tree_begin[tree + 1] - begin;
    uint32_t next = begin + 1;

    place[0] = begin;
    for (uint32_t i = 0; i < n; ++i) {
        const scarce__node *node = forest->nodes + begin + i;
        if (node->feature < 0) {
            set_leaf(fast->byte_nodes + place[i], place[i]);
            continue;
        }
        set_inner(fast, fast->byte_nodes + place[i], place[i], next, node, where + begin + i);
        place[node->left] = next++;
        place[node->right] = next++;
    }
}

scarce_status scarce__fast_build_bytes(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where)
{
    const size_t n_trees = forest->n_trees, n_nodes = n_trees ? forest->tree_begin[n_trees] : 0;
    uint32_t *place;

    if (!fast->has_tests || !fast->has_large || fast->n_columns > MOST_COLUMNS) return SCARCE_OK;
    place = scarce__malloc_array(n_nodes, sizeof *place);
    fast->byte_nodes = scarce__big_alloc(n_nodes, sizeof *fast->byte_nodes);
    if (fast->has_category) fast->byte_lookup = scarce__malloc_array(n_nodes, sizeof *fast->byte_lookup);
    if (!place || !fast->byte_nodes || (fast->has_category && !fast->byte_lookup)) {
        scarce__free(place);
        return SCARCE_ENOMEM;
    }
    for (size_t t = 0; t < n_trees; ++t)
        if (fast->trees[t].n_leaves > SCARCE__BYTE_LEAVES) add_tree(fast, forest, t, where, place);
    fast->bytes +=
        n_nodes * (sizeof *fast->byte_nodes + (fast->has_category ? sizeof *fast->byte_lookup : 0));
    scarce__free(place);
    return SCARCE_OK;
}

/* ---- walking */

static inline uint32_t step(const scarce__fast *fast, const uint8_t *columns, uint32_t at, uint32_t row,
                            int categories)
{
    const scarce__byte_node node = fast->byte_nodes[at];
    const uint8_t byte = columns[(size_t)node.column * SCARCE__TILE + row];
    if (categories && node.category)
        return node.kid + (fast->lookups[(size_t)fast->byte_lookup[at] * 256 + byte] != 0);
    return node.kid + (byte > node.bin);
}

static inline void go_on(const scarce__fast *fast, const uint8_t *columns, uint32_t *at, const uint16_t *row,
                         uint32_t levels, int categories)
{
    for (uint32_t d = 0; d < levels; ++d)
        for (int j = 0; j < ABREAST; ++j) at[j] = step(fast, columns, at[j], row[j], categories);
}

/* at[0 .. n) and row[0 .. n) of those that have not arrived; the others' values are added. */
static size_t close_ranks(const scarce__fast *fast, uint32_t *at, uint16_t *row, size_t n, double *sums)
{
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t a = at[i];
        const uint16_t r = row[i];
        if (fast->byte_nodes[a].kid == a) sums[r] += (double)fast->values[a];
        else {
            at[k] = a;
            row[k++] = r;
        }
    }
    return k;
}

static inline void walk(const scarce__fast *fast, size_t tree, const uint8_t *columns, size_t n, double *sums,
                        int categories)
{
    uint32_t at[SCARCE__TILE + ABREAST], levels = FIRST_LEVELS;
    uint16_t row[SCARCE__TILE + ABREAST];

    for (size_t i = 0; i < n; ++i) {
        at[i] = fast->roots[tree];
        row[i] = (uint16_t)i;
    }
    while (n > 0) {
        for (size_t i = n; i % ABREAST; ++i) { /* whole ranks: the last row again */
            at[i] = at[n - 1];
            row[i] = row[n - 1];
        }
        for (size_t i = 0; i < n; i += ABREAST) go_on(fast, columns, at + i, row + i, levels, categories);
        n = close_ranks(fast, at, row, n, sums);
        levels = NEXT_LEVELS;
    }
}

void scarce__fast_walk_bytes(const scarce__fast *fast, size_t tree, const uint8_t *columns, size_t n,
                             double *sums)
{
    if (fast->has_category) walk(fast, tree, columns, n, sums, 1);
    else walk(fast, tree, columns, n, sums, 0);
}
