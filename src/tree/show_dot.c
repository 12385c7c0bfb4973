/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as a Graphviz digraph. */
#include "tree/show_names.h"

enum { CATEGORIES_SHOWN = 8 };

/* Inside a quoted label. */
static void add_escaped(scarce__text *out, const char *text)
{
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') scarce__text_add_char(out, '\\');
        scarce__text_add_char(out, (unsigned char)*text < 32 ? ' ' : *text);
    }
}

static void put_label(scarce__text *out, const scarce__forest *forest, const scarce__node *node,
                      const scarce__show_names *names)
{
    char buffer[32];

    if (node->feature < 0) {
        scarce__text_float(out, node->value);
        return;
    }
    add_escaped(out, scarce__show_feature(names, (size_t)node->feature, buffer));
    if (!(node->flags & SCARCE__CATEGORY)) {
        scarce__text_add(out, " <= ");
        scarce__text_float(out, node->value);
        return;
    }
    scarce__text_add(out, " in ");
    scarce__show_lefts(out, forest, node, names, CATEGORIES_SHOWN, add_escaped);
    if (node->flags & SCARCE__OTHER_LEFT) scarce__text_add(out, " or other");
}

static void put_tree(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                     size_t tree)
{
    const uint32_t begin = forest->tree_begin[tree];

    for (uint32_t i = 0; begin + i < forest->tree_begin[tree + 1]; ++i) {
        const scarce__node *node = forest->nodes + begin + i;
        const int leaf = node->feature < 0, missing_left = (node->flags & SCARCE__MISSING_LEFT) != 0;
        scarce__text_addf(out, "  t%zun%lu [shape=%s, label=\"", tree, (unsigned long)i,
                          leaf ? "box" : "ellipse");
        put_label(out, forest, node, names);
        scarce__text_add(out, "\"];\n");
        if (leaf) continue;
        scarce__text_addf(out, "  t%zun%lu -> t%zun%d [label=\"%s\"];\n", tree, (unsigned long)i, tree,
                          (int)node->left, missing_left ? "yes, missing" : "yes");
        scarce__text_addf(out, "  t%zun%lu -> t%zun%d [label=\"%s\"];\n", tree, (unsigned long)i, tree,
                          (int)node->right, missing_left ? "no" : "no, missing");
    }
}

void scarce__show_dot(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                      size_t begin, size_t end)
{
    if (end > forest->n_trees) end = forest->n_trees;
    scarce__text_add(out, "digraph trees {\n");
    for (size_t t = begin; t < end; ++t) put_tree(out, forest, names, t);
    scarce__text_add(out, "}\n");
}
