/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as JSON: a flat list of nodes for each. */
#include "core/json.h"
#include "tree/show_names.h"

static void put_split(scarce__text *out, const scarce__forest *forest, const scarce__node *node,
                      const scarce__show_names *names)
{
    char buffer[32];

    scarce__json_field_string(out, "feature", scarce__show_feature(names, (size_t)node->feature, buffer));
    if (node->flags & SCARCE__CATEGORY) {
        scarce__json_key(out, "categories");
        scarce__json_begin_array(out);
        for (size_t code = scarce__show_next_left(forest, node, names, 0); code != SIZE_MAX;
             code = scarce__show_next_left(forest, node, names, code + 1))
            scarce__json_string(out, scarce__show_category(names, (size_t)node->feature, code, buffer));
        scarce__json_end_array(out);
        scarce__json_field_string(out, "other", node->flags & SCARCE__OTHER_LEFT ? "left" : "right");
        scarce__json_field_integer(out, "codes",
                                   32 * (int64_t)node->set_words); /* from here on it is "other" */
    } else {
        scarce__json_key(out, "threshold");
        scarce__json_float(out, node->value);
    }
    scarce__json_field_string(out, "missing", node->flags & SCARCE__MISSING_LEFT ? "left" : "right");
    scarce__json_field_integer(out, "left", node->left);
    scarce__json_field_integer(out, "right", node->right);
    scarce__json_key(out, "gain");
    scarce__json_float(out, node->gain);
}

static void put_tree(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                     size_t tree)
{
    const uint32_t begin = forest->tree_begin[tree];

    scarce__json_begin_object(out);
    scarce__json_field_integer(out, "tree", (int64_t)tree);
    scarce__json_key(out, "nodes");
    scarce__json_begin_array(out);
    for (uint32_t i = begin; i < forest->tree_begin[tree + 1]; ++i) {
        const scarce__node *node = forest->nodes + i;
        scarce__json_begin_object(out);
        scarce__json_field_integer(out, "id", i - begin);
        if (node->feature < 0) {
            scarce__json_key(out, "leaf");
            scarce__json_float(out, node->value);
        } else {
            put_split(out, forest, node, names);
        }
        scarce__json_key(out, "cover");
        scarce__json_float(out, node->cover);
        scarce__json_field_integer(out, "rows", node->rows);
        scarce__json_end_object(out);
    }
    scarce__json_end_array(out);
    scarce__json_end_object(out);
}

void scarce__show_json(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                       size_t begin, size_t end)
{
    if (end > forest->n_trees) end = forest->n_trees;
    scarce__json_begin_object(out);
    scarce__json_field_number(out, "base", forest->base);
    scarce__json_key(out, "trees");
    scarce__json_begin_array(out);
    for (size_t t = begin; t < end; ++t) put_tree(out, forest, names, t);
    scarce__json_end_array(out);
    scarce__json_end_object(out);
}
