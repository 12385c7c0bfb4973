/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as indented text. The stack of nodes to come is on the heap: a tree may be deep. */
#include <string.h>

#include "core/alloc.h"
#include "tree/show_names.h"

enum { INDENT_MAX = 40, CATEGORIES_SHOWN = 20 };

typedef struct place {
    uint32_t node, depth;
    char side; /* 'y', 'n', or 0 for the root */
} place;

static void put_node(scarce__text *out, const scarce__forest *forest, const scarce__node *node,
                     const scarce__show_names *names)
{
    char buffer[32];

    if (node->feature < 0) {
        scarce__text_add(out, "leaf ");
        scarce__text_float(out, node->value);
    } else {
        scarce__text_add(out, scarce__show_feature(names, (size_t)node->feature, buffer));
        if (node->flags & SCARCE__CATEGORY) {
            scarce__text_add(out, " in {");
            scarce__show_lefts(out, forest, node, names, CATEGORIES_SHOWN, scarce__text_add);
            scarce__text_add_char(out, '}');
            scarce__text_add(out, node->flags & SCARCE__OTHER_LEFT ? " (other: yes, missing: "
                                                                   : " (other: no, missing: ");
        } else {
            scarce__text_add(out, " <= ");
            scarce__text_float(out, node->value);
            scarce__text_add(out, " (missing: ");
        }
        scarce__text_add(out, node->flags & SCARCE__MISSING_LEFT ? "yes), gain " : "no), gain ");
        scarce__text_digits(out, (double)node->gain, 6);
    }
    if (node->rows) scarce__text_addf(out, ", %lu rows", (unsigned long)node->rows);
    scarce__text_add_char(out, '\n');
}

static void put_tree(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                     size_t tree, place *stack)
{
    const scarce__node *nodes = forest->nodes + forest->tree_begin[tree];
    const size_t n = forest->tree_begin[tree + 1] - forest->tree_begin[tree];
    size_t top = 0;
    uint32_t deepest = 0;

    for (size_t i = 0; i < n; ++i) stack[i].depth = 0; /* used twice: first for the depths */
    for (size_t i = 0; i < n; ++i) {
        if (stack[i].depth > deepest) deepest = stack[i].depth;
        if (nodes[i].feature < 0) continue;
        stack[nodes[i].left].depth = stack[nodes[i].right].depth = stack[i].depth + 1;
    }
    scarce__text_addf(out, "tree %zu: %zu leaves, depth %lu\n", tree, n / 2 + 1, (unsigned long)deepest);
    stack[top++] = (place){0, 0, 0};
    while (top) {
        const place at = stack[--top];
        for (uint32_t d = 0; d < at.depth && d < INDENT_MAX; ++d) scarce__text_add(out, "  ");
        if (at.depth > INDENT_MAX) scarce__text_addf(out, "[%lu] ", (unsigned long)at.depth);
        if (at.side) scarce__text_add(out, at.side == 'y' ? "yes: " : "no: ");
        put_node(out, forest, nodes + at.node, names);
        if (nodes[at.node].feature < 0) continue;
        stack[top++] = (place){(uint32_t)nodes[at.node].right, at.depth + 1, 'n'};
        stack[top++] = (place){(uint32_t)nodes[at.node].left, at.depth + 1, 'y'};
    }
}

void scarce__show_text(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                       size_t begin, size_t end)
{
    size_t largest = 1;
    place *stack;

    if (end > forest->n_trees) end = forest->n_trees;
    for (size_t t = begin; t < end; ++t)
        if (forest->tree_begin[t + 1] - forest->tree_begin[t] > largest)
            largest = forest->tree_begin[t + 1] - forest->tree_begin[t];
    stack = scarce__malloc_array(largest, sizeof *stack);
    if (!stack) {
        out->failed = 1;
        return;
    }
    for (size_t t = begin; t < end; ++t) put_tree(out, forest, names, t, stack);
    scarce__free(stack);
}
