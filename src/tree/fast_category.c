/* SPDX-License-Identifier: Apache-2.0 */
/* Category splits to bytes: codes that no split of a group tells apart form a class.
 *
 * Groups are filled greedily: a split joins the group of its feature as long as the common refinement
 *     class'(code) = (class(code), side of code)
 * has at most 256 classes. One split alone has two, so every split finds a group. */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_inside.h"

/* Beyond this many (split, code) pairs the forest is walked: nobody has such categories, and a hostile
 * file must not buy hours and gigabytes with a few kilobytes. */
#define WORK_MAX ((uint64_t)1 << 28)
#define CLASS_BYTES_MAX ((size_t)64 << 20)

typedef struct split {
    uint32_t feature, node;
} split;

static int by_feature(const void *a, const void *b)
{
    const split *x = a, *y = b;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Code n is "other", n + 1 missing. */
static unsigned goes_right(const scarce__forest *forest, const scarce__node *node, uint32_t code, uint32_t n)
{
    if (code == n + 1) return !(node->flags & SCARCE__MISSING_LEFT);
    if (code == n || code / 32 >= node->set_words) return !(node->flags & SCARCE__OTHER_LEFT);
    return !(forest->sets[node->set + code / 32] >> (code % 32) & 1);
}

/* Refines classes (n + 2 of them) by a split; returns how many there are now, 0 when more than 256 (and
 * then classes are as before). */
static unsigned refine(const scarce__forest *forest, const scarce__node *node, uint32_t n, uint8_t *classes,
                       uint8_t *next)
{
    int number[256][2];
    unsigned count = 0;

    memset(number, -1, sizeof number);
    for (uint32_t code = 0; code < n + 2; ++code) {
        int *slot = &number[classes[code]][goes_right(forest, node, code, n)];
        if (*slot < 0) {
            if (count == 256) return 0;
            *slot = (int)count++;
        }
        next[code] = (uint8_t)*slot;
    }
    memcpy(classes, next, n + 2);
    return count;
}

static void fill_lookups(scarce__fast *fast, const scarce__forest *forest, const split *splits, size_t from,
                         size_t to, const scarce__input *input, scarce__node_test *where)
{
    const uint8_t *classes = fast->classes + input->offset;

    for (size_t i = from; i < to; ++i) {
        uint8_t *lookup = fast->lookups + 256 * fast->n_lookups;
        memset(lookup, 0, 256);
        for (uint32_t code = 0; code < input->n + 2; ++code)
            if (goes_right(forest, forest->nodes + splits[i].node, code, input->n))
                lookup[classes[code]] = 255;
        for (unsigned c = 0; c < 256; ++c)
            if (lookup[c]) fast->bitmaps[32 * fast->n_lookups + c / 8] |= (uint8_t)(1u << (c % 8));
        where[splits[i].node].input = (uint32_t)(input - fast->inputs);
        where[splits[i].node].lookup = (uint32_t)++fast->n_lookups;
    }
}

/* The splits from..to-1 of one feature; n codes. */
static scarce_status add_groups(scarce__fast *fast, const scarce__forest *forest, const split *splits,
                                size_t from, size_t to, uint32_t n, uint8_t *next, scarce__node_test *where)
{
    while (from < to) {
        scarce__input *input = scarce__fast_add_input(fast);
        uint8_t *classes = scarce__realloc_array(fast->classes, fast->n_classes + n + 2, 1);
        size_t end = from;
        unsigned count;

        if (classes) fast->classes = classes;
        if (!input || !classes) return SCARCE_ENOMEM;
        if (fast->n_classes + n + 2 > CLASS_BYTES_MAX) {
            fast->has_tests = 0;
            return SCARCE_OK;
        }
        input->feature = splits[from].feature;
        input->category = 1;
        input->n = n;
        input->offset = fast->n_classes;
        input->column[0] = (uint32_t)fast->n_columns++;
        classes += input->offset;
        memset(classes, 0, n + 2);
        while (end < to &&
               (count = refine(forest, forest->nodes + splits[end].node, n, classes, next)) != 0) {
            input->n_bins = count;
            ++end;
        }
        fast->n_classes += n + 2;
        fill_lookups(fast, forest, splits, from, end, input, where);
        from = end;
    }
    return SCARCE_OK;
}

static scarce_status class_splits(scarce__fast *fast, const scarce__forest *forest, const split *splits,
                                  size_t n_splits, scarce__node_test *where)
{
    scarce_status st = SCARCE_OK;
    uint64_t work = 0;

    for (size_t from = 0, to; from < n_splits && st == SCARCE_OK && fast->has_tests; from = to) {
        uint32_t words = 0;
        uint8_t *next;
        for (to = from; to < n_splits && splits[to].feature == splits[from].feature; ++to)
            if (forest->nodes[splits[to].node].set_words > words)
                words = forest->nodes[splits[to].node].set_words;
        work += (uint64_t)(to - from) * ((uint64_t)words * 32 + 2);
        if (work > WORK_MAX) {
            fast->has_tests = 0;
            return SCARCE_OK;
        }
        next = scarce__malloc((size_t)words * 32 + 2);
        if (!next) return SCARCE_ENOMEM;
        st = add_groups(fast, forest, splits, from, to, words * 32, next, where);
        scarce__free(next);
    }
    return st;
}

scarce_status scarce__fast_build_category(scarce__fast *fast, const scarce__forest *forest,
                                          scarce__node_test *where)
{
    const size_t n_nodes = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    size_t n_splits = 0;
    split *splits;
    scarce_status st = SCARCE_ENOMEM;

    if (!fast->has_category) return SCARCE_OK;
    splits = scarce__malloc_array(n_nodes, sizeof *splits);
    if (!splits) return SCARCE_ENOMEM;
    for (size_t i = 0; i < n_nodes; ++i) {
        if (forest->nodes[i].feature < 0 || !(forest->nodes[i].flags & SCARCE__CATEGORY)) continue;
        splits[n_splits].feature = (uint32_t)forest->nodes[i].feature;
        splits[n_splits++].node = (uint32_t)i;
    }
    qsort(splits, n_splits, sizeof *splits, by_feature);
    fast->lookups = scarce__huge_alloc(n_splits + 1, 256); /* and one that sends nothing right, for leaves */
    fast->bitmaps = scarce__calloc(n_splits + 1, 32);
    if (fast->lookups) memset(fast->lookups + 256 * n_splits, 0, 256);
    if (fast->lookups && fast->bitmaps) st = class_splits(fast, forest, splits, n_splits, where);
    fast->bytes += (n_splits + 1) * (256 + 32) + fast->n_classes;
    scarce__free(splits);
    return st;
}
