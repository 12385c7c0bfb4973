/* SPDX-License-Identifier: Apache-2.0 */
/* Between tests on codes and tests on raw values. Both forms decide alike for every value, because an edge is
 * the same number on both sides; so a forest that was saved can be replayed on the bins it was grown on. */
#include "tree/binned_tree.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

scarce_status scarce__binned_tree_reserve(scarce__binned_tree *tree, size_t n_nodes, scarce_error *err)
{
    if (n_nodes <= tree->capacity) return SCARCE_OK;
    scarce__node *nodes = scarce__realloc_array(tree->nodes, n_nodes, sizeof *nodes);
    if (nodes) tree->nodes = nodes;
    scarce__bin_test *tests = scarce__realloc_array(tree->tests, n_nodes, sizeof *tests);
    if (tests) tree->tests = tests;
    if (!nodes || !tests)
        return scarce__fail_memory(err, "a tree", n_nodes * (sizeof *nodes + sizeof *tests));
    tree->capacity = n_nodes;
    return SCARCE_OK;
}

void scarce__binned_tree_deinit(scarce__binned_tree *tree)
{
    scarce__free(tree->nodes);
    scarce__free(tree->tests);
    scarce__free(tree->sets);
    memset(tree, 0, sizeof *tree);
}

scarce__bin_test scarce__range_test(const scarce__bin_feature *f, unsigned b, int missing_left)
{
    scarce__bin_test t;
    memset(&t, 0, sizeof t);
    t.column = f->column;
    if (f->zero < 0) { /* codes 0 (missing), 1.. : left is [0, 1 + b] or [1, 1 + b] */
        t.sub = missing_left ? 0 : 1;
        t.span = (uint8_t)(missing_left ? b + 1 : b);
    } else if (b < (unsigned)f->zero) { /* left: some codes of this feature; everything else right */
        t.sub = (uint8_t)f->first;
        t.span = (uint8_t)b;
    } else { /* right: the codes of bins above b */
        t.sub = (uint8_t)(f->first + b);
        t.span = (uint8_t)(f->n_bins - 2u - b);
        t.invert = 1;
    }
    return t;
}

scarce__bin_test scarce__set_test(const scarce__bin_feature *f, const uint64_t left[4])
{
    scarce__bin_test t;
    memset(&t, 0, sizeof t);
    t.column = f->column;
    t.is_set = 1;
    memcpy(t.set, left, sizeof t.set);
    return t;
}

static int bit_of(const uint64_t set[4], unsigned code)
{
    return (int)(set[code >> 6] >> (code & 63) & 1);
}

static scarce_status sets_reserve(scarce__binned_tree *tree, size_t words, scarce_error *err)
{
    if (tree->n_set_words + words <= tree->sets_capacity && tree->sets) return SCARCE_OK;
    const size_t room = 2 * (tree->n_set_words + words) + 16;
    uint32_t *sets = scarce__realloc_array(tree->sets, room, sizeof *sets);
    if (!sets) return scarce__fail_memory(err, "a set of categories", room * sizeof *sets);
    tree->sets = sets;
    tree->sets_capacity = room;
    return SCARCE_OK;
}

scarce_status scarce__write_set(scarce__binned_tree *tree, scarce__node *node, uint32_t n_categories,
                                int (*left)(const void *arg, uint32_t category), const void *arg, int other,
                                int missing, scarce_error *err)
{
    size_t words = 0;

    for (uint32_t c = 0; c < n_categories; ++c)
        if (left(arg, c) != other) words = c / 32 + 1;
    SCARCE__TRY(sets_reserve(tree, words, err));
    uint32_t *set = tree->sets + tree->n_set_words;
    memset(set, 0, words * sizeof *set);
    for (uint32_t c = 0; c < 32 * words; ++c) {
        const int goes_left = c < n_categories ? left(arg, c) : other;
        if (goes_left) set[c / 32] |= (uint32_t)1 << (c & 31);
    }
    node->set = (uint32_t)tree->n_set_words;
    node->set_words = (uint32_t)words;
    node->flags = SCARCE__CATEGORY;
    if (other) node->flags |= SCARCE__OTHER_LEFT;
    if (missing) node->flags |= SCARCE__MISSING_LEFT;
    tree->n_set_words += words;
    return SCARCE_OK;
}

typedef struct binned_set {
    const uint8_t *map;   /* category to bin */
    const uint64_t *left; /* a bit per code */
} binned_set;

static int category_left(const void *arg, uint32_t category)
{
    const binned_set *s = arg;
    return bit_of(s->left, 1u + s->map[category]);
}

scarce_status scarce__raw_set(scarce__binned_tree *tree, scarce__node *node, const scarce__bins *bins,
                              const scarce__bin_feature *f, const uint64_t left[4], scarce_error *err)
{
    const binned_set s = {bins->bin_of + f->map, left};
    return scarce__write_set(tree, node, f->n_categories, category_left, &s, bit_of(left, f->n_bins),
                             bit_of(left, 0), err);
}

static int raw_bit(const scarce__forest *forest, const scarce__node *n, uint32_t code)
{
    if (code / 32 >= n->set_words) return (n->flags & SCARCE__OTHER_LEFT) != 0;
    return (int)(forest->sets[n->set + code / 32] >> (code & 31) & 1);
}

static int node_test(scarce__bin_test *out, const scarce__bins *bins, const scarce__forest *forest,
                     const scarce__node *n)
{
    if (n->feature < 0 || (size_t)n->feature >= bins->n_features || bins->used_of[n->feature] < 0) return 0;
    const scarce__bin_feature *f = &bins->used[bins->used_of[n->feature]];
    if (n->flags & SCARCE__CATEGORY) {
        uint64_t left[4] = {0};
        if (!f->category) return 0;
        if (n->flags & SCARCE__MISSING_LEFT) left[0] |= 1;
        if (n->flags & SCARCE__OTHER_LEFT) left[f->n_bins >> 6] |= (uint64_t)1 << (f->n_bins & 63);
        for (uint32_t c = 0; c < f->n_categories; ++c) {
            const unsigned code = 1u + bins->bin_of[f->map + c];
            if (code < f->n_bins && raw_bit(forest, n, c)) left[code >> 6] |= (uint64_t)1 << (code & 63);
        }
        *out = scarce__set_test(f, left);
        return 1;
    }
    if (f->category) return 0;
    for (unsigned b = 0; b + 1 < f->n_bins; ++b) {
        const float edge = bins->edges[f->edge + b];
        if (edge < n->value) continue;
        if (edge > n->value) return 0;
        *out = scarce__range_test(f, b, (n->flags & SCARCE__MISSING_LEFT) != 0);
        return 1;
    }
    return 0;
}

scarce_status scarce__binned_tree_from(scarce__binned_tree *out, const scarce__bins *bins,
                                       const scarce__forest *forest, size_t index, scarce_error *err)
{
    const uint32_t b = forest->tree_begin[index], e = forest->tree_begin[index + 1];
    uint32_t first = UINT32_MAX, end = 0;

    SCARCE__TRY(scarce__binned_tree_reserve(out, e - b, err));
    out->n_nodes = e - b;
    out->n_set_words = 0;
    memcpy(out->nodes, forest->nodes + b, (e - b) * sizeof *out->nodes);
    for (uint32_t i = 0; i < e - b; ++i) {
        scarce__node *n = &out->nodes[i];
        memset(&out->tests[i], 0, sizeof out->tests[i]);
        if (n->feature < 0) continue;
        if (!node_test(&out->tests[i], bins, forest, n))
            return scarce__fail(err, SCARCE_EDATA,
                                "tree %zu, node %u: the split of feature %d isn't at an edge of these bins; "
                                "go on only with the data the model was trained on",
                                index + 1, (unsigned)i, (int)n->feature + 1);
        if (n->flags & SCARCE__CATEGORY) {
            if (n->set < first) first = n->set;
            if (n->set + n->set_words > end) end = n->set + n->set_words;
        }
    }
    if (first <= end) { /* the tree's words lie together; they keep their order */
        SCARCE__TRY(sets_reserve(out, end - first, err));
        if (end > first) memcpy(out->sets, forest->sets + first, (end - first) * sizeof *out->sets);
        out->n_set_words = end - first;
        for (uint32_t i = 0; i < e - b; ++i)
            if (out->nodes[i].feature >= 0 && (out->nodes[i].flags & SCARCE__CATEGORY))
                out->nodes[i].set -= first;
    }
    return SCARCE_OK;
}
