/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing the masks of single rows (see fast_inside.h). */
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_inside.h"

enum { MASK_BYTES_MIN = 4 << 20, SHIFT_MAX = 8 };

/* Rows of the table with this shift. */
static size_t count_rows(const scarce__fast *fast, uint32_t shift)
{
    size_t rows = 0;
    for (size_t i = 0; i < fast->n_inputs; ++i) {
        const scarce__input *input = fast->inputs + i;
        rows += input->category ? input->n_bins : ((size_t)input->n >> shift) + 2;
    }
    return rows;
}

/* The smallest shift whose table fits: into 4 MB, or into what a large forest takes anyway. 0 rows when
 * none does. */
static size_t choose_shift(scarce__fast *fast, size_t row_bytes)
{
    const size_t most = fast->bytes > MASK_BYTES_MIN ? fast->bytes : MASK_BYTES_MIN;

    for (uint32_t shift = 0; shift <= SHIFT_MAX; ++shift) {
        const size_t rows = count_rows(fast, shift);
        if (rows > most / row_bytes) continue;
        fast->mask_shift = shift;
        return rows;
    }
    return 0;
}

static void number_rows(scarce__fast *fast)
{
    size_t row = 0, bins = 0;

    for (size_t i = 0; i < fast->n_inputs; ++i) {
        scarce__input *input = fast->inputs + i;
        input->mask_row = row;
        input->n_rows = input->category ? input->n_bins : (input->n >> fast->mask_shift) + 1;
        row += input->n_rows + !input->category;
        input->rest = bins;
        if (!input->category) bins += input->n + 1;
    }
    fast->rest_bins = bins;
}

/* Takes the left child's leaves from every row whose bins all go right. */
static void and_node(scarce__fast *fast, const scarce__node *node, const scarce__node_test *where,
                     size_t tree, uint64_t keep)
{
    const scarce__input *input = fast->inputs + where->input;
    const uint8_t *lookup = where->lookup ? fast->lookups + 256 * (size_t)(where->lookup - 1) : NULL;
    const uint32_t n_rows = input->n_rows + !input->category;

    for (uint32_t row = 0; row < n_rows; ++row) {
        const size_t at = (input->mask_row + row) * fast->mask_stride + tree;
        const int right = lookup                 ? lookup[row] != 0
                          : row == input->n_rows ? !(node->flags & SCARCE__MISSING_LEFT)
                                                 : row << fast->mask_shift > where->bin;
        if (!right) continue;
        if (fast->mask_width == 4) ((uint32_t *)fast->masks)[at] &= (uint32_t)keep;
        else ((uint64_t *)fast->masks)[at] &= keep;
    }
}

/* rest_begin counts the nodes of each bin, shifted by one, until they are summed. */
static uint32_t *rest_slot(scarce__fast *fast, const scarce__node_test *where, size_t tree)
{
    return fast->rest_begin + tree / SCARCE__MASK_CHUNK * fast->rest_bins + fast->inputs[where->input].rest +
           where->bin;
}

typedef enum pass { COUNT_REST, FILL } pass;

static void add_tree(scarce__fast *fast, const scarce__forest *forest, const scarce__node_test *where,
                     size_t tree, pass what)
{
    const uint32_t begin = forest->tree_begin[tree], n = forest->tree_begin[tree + 1] - begin;
    uint32_t first[127], count[127]; /* at most 64 leaves */

    scarce__fast_number_leaves(forest->nodes + begin, n, first, count);
    for (uint32_t i = 0; i < n; ++i) {
        const scarce__node *node = forest->nodes + begin + i;
        const int rest = fast->rest_begin && !(node->flags & SCARCE__CATEGORY);
        uint64_t keep;
        if (node->feature < 0) continue;
        if (what == COUNT_REST) {
            if (rest) ++*rest_slot(fast, where + begin + i, tree);
            continue;
        }
        keep =
            ~((((uint64_t)1 << count[node->left]) - 1) << first[i]); /* at most 63: the right has some too */
        and_node(fast, node, where + begin + i, tree, keep);
        if (rest) {
            const uint32_t at = --*rest_slot(fast, where + begin + i, tree);
            fast->rest_tree[at] = (uint16_t)(tree % SCARCE__MASK_CHUNK);
            if (fast->mask_width == 4) ((uint32_t *)fast->rest_mask)[at] = (uint32_t)keep;
            else ((uint64_t *)fast->rest_mask)[at] = keep;
        }
    }
}

static scarce_status make_rest(scarce__fast *fast, const scarce__forest *forest,
                               const scarce__node_test *where)
{
    const size_t n_chunks = (fast->n_trees + SCARCE__MASK_CHUNK - 1) / SCARCE__MASK_CHUNK;
    const size_t n_bins = n_chunks * fast->rest_bins, n_nodes = forest->tree_begin[fast->n_trees];
    uint32_t sum = 0;

    fast->rest_begin = scarce__calloc(n_bins, sizeof *fast->rest_begin);
    fast->rest_tree = scarce__malloc_array(n_nodes / 2, sizeof *fast->rest_tree);
    fast->rest_mask = scarce__malloc_array(n_nodes / 2, (size_t)fast->mask_width);
    if (!fast->rest_begin || !fast->rest_tree || !fast->rest_mask) return SCARCE_ENOMEM;
    fast->bytes += n_bins * sizeof *fast->rest_begin +
                   n_nodes / 2 * (sizeof *fast->rest_tree + (size_t)fast->mask_width);
    for (size_t t = 0; t < fast->n_trees; ++t) add_tree(fast, forest, where, t, COUNT_REST);
    for (size_t i = 0; i < n_bins; ++i) { /* ends, from which the filling counts down to the beginnings */
        sum += fast->rest_begin[i];
        fast->rest_begin[i] = sum;
    }
    return SCARCE_OK;
}

scarce_status scarce__fast_build_masks(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where)
{
    uint32_t most = 0;
    size_t rows, row_bytes;

    for (size_t t = 0; t < fast->n_trees; ++t)
        if (fast->trees[t].n_leaves > most) most = fast->trees[t].n_leaves;
    if (!fast->has_tests || most > 64 || fast->n_trees == 0) return SCARCE_OK;
    fast->mask_width = most > 32 ? 8 : 4;
    fast->mask_stride = (fast->n_trees + 15) / 16 * 16;
    row_bytes = fast->mask_stride * (size_t)fast->mask_width;
    rows = choose_shift(fast, row_bytes);
    if (rows == 0 && fast->n_inputs) return SCARCE_OK;
    number_rows(fast);
    fast->masks = scarce__huge_alloc(rows, row_bytes);
    if (!fast->masks) return SCARCE_ENOMEM;
    memset(fast->masks, 255, rows * row_bytes);
    fast->bytes += rows * row_bytes;
    if (fast->mask_shift && make_rest(fast, forest, where) != SCARCE_OK) return SCARCE_ENOMEM;
    for (size_t t = 0; t < fast->n_trees; ++t) add_tree(fast, forest, where, t, FILL);
    return SCARCE_OK;
}
