/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing a scorer: thresholds to bytes, trees to tests. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/sort.h"
#include "tree/fast_inside.h"

typedef struct item {
    uint32_t feature;
    float threshold;
    uint32_t node;
} item;

/* In the order of numbers, both zeros as one. */
static uint32_t ordered(float x)
{
    uint32_t u;
    x += 0.0f; /* -0 becomes 0 */
    memcpy(&u, &x, sizeof u);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

/* By feature, threshold and node: a counting sort, then a radix sort of threshold and node in one word. Returns 0
 * without memory. */
static int sort_items(item *items, size_t n, const scarce__forest *forest)
{
    size_t *begin = scarce__calloc(forest->n_features + 2, sizeof *begin);
    uint64_t *keys = scarce__malloc_array(n, 2 * sizeof *keys);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(NULL, n), sizeof *counts);
    const int good = begin && keys && counts;

    for (size_t i = 0; good && i < n; ++i) ++begin[items[i].feature + 2];
    for (size_t f = 2; good && f < forest->n_features + 2; ++f) begin[f] += begin[f - 1];
    for (size_t i = 0; good && i < n; ++i)
        keys[begin[items[i].feature + 1]++] = (uint64_t)ordered(items[i].threshold) << 32 | items[i].node;
    for (size_t f = 0; good && f < forest->n_features; ++f) {
        scarce__sort_keys(keys + begin[f], keys + n, begin[f + 1] - begin[f], counts, NULL);
        for (size_t i = begin[f]; i < begin[f + 1]; ++i) {
            const uint32_t node = (uint32_t)keys[i];
            items[i] = (item){(uint32_t)f, forest->nodes[node].value, node};
        }
    }
    scarce__free(begin);
    scarce__free(keys);
    scarce__free(counts);
    return good;
}

scarce__input *scarce__fast_add_input(scarce__fast *fast)
{
    scarce__input *input;

    if (fast->n_inputs == fast->inputs_capacity) {
        const size_t capacity = fast->inputs_capacity ? 2 * fast->inputs_capacity : 32;
        input = scarce__realloc_array(fast->inputs, capacity, sizeof *input);
        if (!input) return NULL;
        fast->inputs = input;
        fast->inputs_capacity = capacity;
    }
    input = fast->inputs + fast->n_inputs++;
    memset(input, 0, sizeof *input);
    input->column[0] = input->column[1] = SCARCE__NO_COLUMN;
    return input;
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t p = 16;
    while (p < least) p *= 2;
    return p;
}

/* Takes the items from `from` on that belong to one input: a feature, at most 255 distinct thresholds. */
static size_t chunk_end(const item *items, size_t from, size_t n, uint32_t *n_thresholds)
{
    size_t i = from;
    *n_thresholds = 0;
    for (; i < n && items[i].feature == items[from].feature; ++i) {
        if (i > from && items[i].threshold == items[i - 1].threshold) continue;
        if (*n_thresholds == SCARCE__CHUNK) break;
        ++*n_thresholds;
    }
    return i;
}

/* Behind the thresholds the same once more, as a search by halves meets them (fast_avx512.c): those that end a
 * SCARCE__BLOCKS-th part; of each part the middle one; the middle ones of both halves, ... */
static void order_by_level(float *t, uint32_t padded)
{
    const uint32_t step = padded / SCARCE__BLOCKS;
    float *to = t + padded;

    if (step < 2) return;
    for (uint32_t b = 1; b <= SCARCE__BLOCKS; ++b) *to++ = t[step * b - 1];
    for (uint32_t half = step / 2; half; half /= 2)
        for (uint32_t first = half - 1; first < step; first += 2 * half)
            for (uint32_t b = 0; b < SCARCE__BLOCKS; ++b) *to++ = t[step * b + first];
}

static void fill_chunk(scarce__fast *fast, const scarce__forest *forest, const item *items, size_t from,
                       size_t to, scarce__input *input, scarce__node_test *where)
{
    float *t = fast->thresholds + input->offset;
    uint32_t bin = 0;

    for (size_t i = from; i < to; ++i) {
        const uint32_t node = items[i].node;
        const int right = !(forest->nodes[node].flags & SCARCE__MISSING_LEFT);
        if (i > from && items[i].threshold != items[i - 1].threshold) ++bin;
        t[bin] = items[i].threshold;
        where[node].input = (uint32_t)(input - fast->inputs);
        where[node].bin = bin;
        if (input->column[right] == SCARCE__NO_COLUMN) input->column[right] = (uint32_t)fast->n_columns++;
    }
    for (uint32_t k = input->n; k < input->padded; ++k) t[k] = INFINITY;
    order_by_level(t, input->padded);
}

scarce_status scarce__fast_build_numeric(scarce__fast *fast, const scarce__forest *forest,
                                         scarce__node_test *where)
{
    const size_t n_nodes = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    item *items = scarce__malloc_array(n_nodes, sizeof *items);
    size_t n = 0, n_thresholds = 0, end;
    uint32_t count;

    if (!items) return SCARCE_ENOMEM;
    for (size_t i = 0; i < n_nodes; ++i) {
        const scarce__node *node = forest->nodes + i;
        if (node->feature < 0 || (node->flags & SCARCE__CATEGORY)) continue;
        items[n].feature = (uint32_t)node->feature;
        items[n].threshold = node->value;
        items[n++].node = (uint32_t)i;
    }
    if (!sort_items(items, n, forest)) goto failed;
    for (size_t i = 0; i < n; i = end) {
        end = chunk_end(items, i, n, &count);
        n_thresholds += 2 * power_of_two(count + 1);
    }
    fast->thresholds = scarce__huge_alloc(n_thresholds, sizeof *fast->thresholds);
    if (!fast->thresholds) goto failed;
    n_thresholds = 0;
    for (size_t i = 0; i < n; i = end) {
        scarce__input *input = scarce__fast_add_input(fast);
        if (!input) goto failed;
        end = chunk_end(items, i, n, &count);
        input->feature = items[i].feature;
        input->n = count;
        input->n_bins = count + 1;
        input->padded = power_of_two(count + 1);
        input->offset = n_thresholds;
        n_thresholds += 2 * (size_t)input->padded;
        fill_chunk(fast, forest, items, i, end, input, where);
    }
    fast->bytes += n_thresholds * sizeof *fast->thresholds;
    scarce__free(items);
    return SCARCE_OK;
failed:
    scarce__free(items);
    return SCARCE_ENOMEM;
}

void scarce__fast_number_leaves(const scarce__node *nodes, size_t n, uint32_t *first, uint32_t *count)
{
    for (size_t i = n; i-- > 0;)
        count[i] = nodes[i].feature >= 0 ? count[nodes[i].left] + count[nodes[i].right] : 1;
    first[0] = 0;
    for (size_t i = 0; i < n; ++i) {
        if (nodes[i].feature < 0) continue;
        first[nodes[i].left] = first[i];
        first[nodes[i].right] = first[i] + count[nodes[i].left];
    }
}

/* Appends the tests of a tree with numbered leaves. */
static void add_tests(scarce__fast *fast, const scarce__forest *forest, size_t tree,
                      const scarce__node_test *where, const uint32_t *first)
{
    const uint32_t begin = forest->tree_begin[tree], n = forest->tree_begin[tree + 1] - begin;

    fast->trees[tree].test = fast->n_tests;
    for (uint32_t i = 0; i < n; ++i) {
        const scarce__node *node = forest->nodes + begin + i;
        const scarce__node_test *w = where + begin + i;
        if (node->feature < 0) continue;
        const int category = (node->flags & SCARCE__CATEGORY) != 0;
        fast->tests[fast->n_tests++] = (scarce__test){.column = scarce__node_column(fast, node, w),
                                                      .bin = category ? 0 : w->bin * 0x01010101u,
                                                      .first = first[i] * 0x01010101u,
                                                      .right = first[node->right] * 0x01010101u,
                                                      .lookup = category ? w->lookup : 0};
    }
    fast->trees[tree].n_tests = (uint32_t)(fast->n_tests - fast->trees[tree].test);
}

static void add_tree(scarce__fast *fast, const scarce__forest *forest, size_t tree,
                     const scarce__node_test *where, const uint32_t *first, size_t *n_leaves)
{
    const uint32_t begin = forest->tree_begin[tree], n = forest->tree_begin[tree + 1] - begin;
    scarce__fast_tree *to = fast->trees + tree;

    to->n_leaves = n / 2 + 1;
    to->test = fast->n_tests;
    to->n_tests = 0;
    to->leaf = *n_leaves;
    if (to->n_leaves > SCARCE__BYTE_LEAVES) {
        fast->has_large = 1;
        return;
    }
    *n_leaves += power_of_two(to->n_leaves);
    for (uint32_t i = 0; i < n; ++i)
        if (forest->nodes[begin + i].feature < 0)
            fast->leaves[to->leaf + first[i]] = forest->nodes[begin + i].value;
    if (!fast->has_tests) return;
    add_tests(fast, forest, tree, where, first);
}

scarce_status scarce__fast_build_trees(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where)
{
    const size_t n_trees = forest->n_trees, n_nodes = n_trees ? forest->tree_begin[n_trees] : 0;
    size_t n_leaves = 0;
    uint32_t *first = scarce__malloc_array(n_nodes, sizeof *first);
    uint32_t *count = scarce__malloc_array(n_nodes, sizeof *count);
    scarce_status st = SCARCE_ENOMEM;

    for (size_t t = 0; t < n_trees; ++t) {
        const uint32_t leaves = (forest->tree_begin[t + 1] - forest->tree_begin[t]) / 2 + 1;
        if (leaves <= SCARCE__BYTE_LEAVES) n_leaves += power_of_two(leaves);
    }
    fast->trees = scarce__malloc_array(n_trees, sizeof *fast->trees);
    fast->leaves = scarce__huge_alloc(n_leaves, sizeof *fast->leaves);
    fast->tests = scarce__malloc_array(n_nodes / 2, sizeof *fast->tests);
    if (!first || !count || !fast->trees || !fast->leaves || !fast->tests) goto done;
    memset(fast->leaves, 0, n_leaves * sizeof *fast->leaves);
    fast->bytes +=
        n_trees * sizeof *fast->trees + n_leaves * sizeof *fast->leaves + n_nodes / 2 * sizeof *fast->tests;
    n_leaves = 0;
    for (size_t t = 0; t < n_trees; ++t) {
        const uint32_t begin = forest->tree_begin[t];
        const uint32_t n = forest->tree_begin[t + 1] - begin;
        if (n / 2 + 1 <= SCARCE__BYTE_LEAVES)
            scarce__fast_number_leaves(forest->nodes + begin, n, first, count);
        add_tree(fast, forest, t, where, first, &n_leaves);
    }
    st = SCARCE_OK;
done:
    scarce__free(first);
    scarce__free(count);
    return st;
}

void scarce__fast_free(scarce__fast *fast)
{
    if (!fast) return;
    scarce__free(fast->nodes);
    scarce__free(fast->values);
    scarce__free(fast->roots);
    scarce__free(fast->depths);
    scarce__free(fast->walk_sets);
    scarce__free(fast->sets);
    scarce__free(fast->inputs);
    scarce__free(fast->thresholds);
    scarce__free(fast->classes);
    scarce__free(fast->tests);
    scarce__free(fast->lookups);
    scarce__free(fast->bitmaps);
    scarce__free(fast->trees);
    scarce__free(fast->leaves);
    scarce__free(fast->short_nodes);
    scarce__free(fast->long_nodes);
    scarce__free(fast->byte_lookup);
    scarce__free(fast->exits);
    scarce__free(fast->tops);
    scarce__free(fast->steps);
    scarce__free(fast->top_columns);
    scarce__free(fast->top_sets);
    scarce__free(fast->masks);
    scarce__free(fast->rest_begin);
    scarce__free(fast->rest_tree);
    scarce__free(fast->rest_mask);
    scarce__free(fast);
}

size_t scarce__fast_features(const scarce__fast *fast)
{
    return fast->n_features;
}

size_t scarce__fast_bytes(const scarce__fast *fast)
{
    return fast->bytes;
}

scarce_status scarce__fast_new(scarce__fast **out, const scarce__forest *forest, scarce_error *err)
{
    const size_t n_nodes = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    scarce__fast *fast = scarce__calloc(1, sizeof *fast);
    scarce__node_test *where = scarce__calloc(n_nodes, sizeof *where);
    scarce_status st = SCARCE_ENOMEM;

    *out = NULL;
    if (!fast || !where) goto done;
    fast->n_features = forest->n_features;
    fast->n_trees = forest->n_trees;
    fast->base = forest->base;
    fast->has_tests = 1;
    fast->bytes = sizeof *fast;
    if ((st = scarce__fast_build_walk(fast, forest)) != SCARCE_OK) goto done;
    if ((st = scarce__fast_build_numeric(fast, forest, where)) != SCARCE_OK) goto done;
    if ((st = scarce__fast_build_category(fast, forest, where)) != SCARCE_OK) goto done;
    if ((st = scarce__fast_build_trees(fast, forest, where)) != SCARCE_OK) goto done;
    if ((st = scarce__fast_build_large(fast, forest, where)) != SCARCE_OK) goto done;
    if ((st = scarce__fast_build_masks(fast, forest, where)) != SCARCE_OK) goto done;
    fast->bytes += fast->n_inputs * sizeof *fast->inputs;
    (void)scarce__fast_set_level(fast, 2);
    *out = fast;
    fast = NULL;
done:
    if (st != SCARCE_OK) scarce__fail_memory(err, "a prepared scorer", n_nodes * sizeof *forest->nodes);
    scarce__free(where);
    scarce__fast_free(fast);
    return st;
}
