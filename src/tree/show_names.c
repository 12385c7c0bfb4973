/* SPDX-License-Identifier: Apache-2.0 */
/* Names of features and categories, and importances. */
#include "tree/show_names.h"

#include <stdio.h>

static const char *schema_name(const void *payload, size_t feature)
{
    const scarce_schema *schema = payload;
    return feature < scarce_schema_features(schema) ? scarce_schema_name(schema, feature) : NULL;
}

static const char *schema_category(const void *payload, size_t feature, size_t code)
{
    const scarce_schema *schema = payload;
    if (feature >= scarce_schema_features(schema) || code >= scarce_schema_categories(schema, feature))
        return NULL;
    return scarce_schema_category(schema, feature, code);
}

scarce__show_names scarce__show_schema(const scarce_schema *schema)
{
    const scarce__show_names names = {schema_name, schema_category, schema};
    return names;
}

const char *scarce__show_feature(const scarce__show_names *names, size_t feature, char buffer[32])
{
    const char *name = names && names->name ? names->name(names->payload, feature) : NULL;
    if (name) return name;
    (void)snprintf(buffer, 32, "f%zu", feature);
    return buffer;
}

const char *scarce__show_category(const scarce__show_names *names, size_t feature, size_t code,
                                  char buffer[32])
{
    const char *name = names && names->category ? names->category(names->payload, feature, code) : NULL;
    if (name) return name;
    (void)snprintf(buffer, 32, "%zu", code);
    return buffer;
}

/* Sets are whole words: bits behind the last category say where unknown ones go, which is told as "other". A
 * feature that has no names at all (of another tool's model) shows its codes. */
static int is_known(const scarce__show_names *names, size_t feature, size_t code)
{
    if (!names || !names->category) return 1;
    return names->category(names->payload, feature, code) || !names->category(names->payload, feature, 0);
}

size_t scarce__show_next_left(const scarce__forest *forest, const scarce__node *node,
                              const scarce__show_names *names, size_t from)
{
    for (size_t code = from; code < 32 * (size_t)node->set_words;) {
        const uint32_t rest = forest->sets[node->set + code / 32] >> (code % 32);
        if (rest & 1) {
            if (is_known(names, (size_t)node->feature, code)) return code;
            ++code;
        } else code = rest ? code + (size_t)__builtin_ctz(rest) : (code / 32 + 1) * 32;
    }
    return SIZE_MAX;
}

void scarce__forest_importance(const scarce__forest *forest, scarce__importance_kind kind, double *out)
{
    const size_t n = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;

    for (size_t f = 0; f < forest->n_features; ++f) out[f] = 0;
    for (size_t i = 0; i < n; ++i)
        if (forest->nodes[i].feature >= 0)
            out[forest->nodes[i].feature] +=
                kind == SCARCE__IMPORTANCE_GAIN ? (double)forest->nodes[i].gain : 1.0;
}

void scarce__show_lefts(scarce__text *out, const scarce__forest *forest, const scarce__node *node,
                        const scarce__show_names *names, size_t most,
                        void (*add)(scarce__text *out, const char *text))
{
    char buffer[32];
    size_t shown = 0;

    for (size_t code = scarce__show_next_left(forest, node, names, 0); code != SIZE_MAX;
         code = scarce__show_next_left(forest, node, names, code + 1)) {
        if (shown == most) {
            scarce__text_add(out, ", ...");
            return;
        }
        if (shown++) scarce__text_add(out, ", ");
        add(out, scarce__show_category(names, (size_t)node->feature, code, buffer));
    }
}
