/* SPDX-License-Identifier: Apache-2.0 */
/* A forest for people and other programs: text, JSON, Graphviz dot; and what its features are worth. */
#ifndef SCARCE_TREE_SHOW_H
#define SCARCE_TREE_SHOW_H

#include <scarce/table.h>

#include "core/text.h"
#include "tree/forest.h"

/* Names of features and categories. name == NULL: "f0", ...; category == NULL or its answer NULL: the code.
 * Answers are borrowed until the next call. */
typedef struct scarce__show_names {
    const char *(*name)(const void *payload, size_t feature);
    const char *(*category)(const void *payload, size_t feature, size_t code);
    const void *payload;
} scarce__show_names;

/* Names from a schema, which must outlive the result. */
scarce__show_names scarce__show_schema(const scarce_schema *schema);

/* Trees begin..end-1 (cut to those there are), appended to out; check out->failed at the end.
 *
 * Text: a line per node, children below it, two blanks deeper (from depth 40 on only the number grows).
 *     tree 0: 3 leaves, depth 2
 *     amount <= 12.5 (missing: yes), gain 3.25, 100 rows
 *       yes: leaf -0.125, 90 rows
 *       no: country in {DE, FR} (other: no, missing: no), gain 1, 10 rows
 * JSON: {"base":..,"trees":[{"nodes":[{"id":0,"feature":"amount","threshold":12.5,"missing":"left",
 *     "left":1,"right":2,"gain":..,"cover":..,"rows":..},{"id":1,"leaf":-0.125,..}]}]}; category splits
 *     have "categories":[names of those that go left] and "other" instead of "threshold". The list is
 *     flat, so deep trees are no trouble for readers.
 * dot: a digraph; render with dot -Tsvg. */
void scarce__show_text(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                       size_t begin, size_t end);
void scarce__show_json(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                       size_t begin, size_t end);
void scarce__show_dot(scarce__text *out, const scarce__forest *forest, const scarce__show_names *names,
                      size_t begin, size_t end);

typedef enum scarce__importance_kind {
    SCARCE__IMPORTANCE_GAIN = 0, /* sum of the gains of its splits */
    SCARCE__IMPORTANCE_COUNT     /* number of its splits */
} scarce__importance_kind;

/* out[f] for every feature; not scaled. */
void scarce__forest_importance(const scarce__forest *forest, scarce__importance_kind kind, double *out);

#endif
