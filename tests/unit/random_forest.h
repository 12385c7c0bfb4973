/* SPDX-License-Identifier: Apache-2.0 */
/* Random forests and rows for tests: grown by splitting a random leaf again and again. */
#ifndef SCARCE_TEST_RANDOM_FOREST_H
#define SCARCE_TEST_RANDOM_FOREST_H

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "tree/forest.h"

typedef struct forest_shape {
    size_t n_features, n_trees, n_leaves;
    uint64_t distinct;    /* thresholds are multiples of 1 / this; 0: any */
    uint64_t n_codes;     /* of category features */
    int percent_category; /* of the splits; features from n_features / 2 on */
    int chain;            /* always splits the newest leaf: as deep as can be */
} forest_shape;

static inline float random_threshold(scarce__random *r, uint64_t distinct)
{
    if (distinct == 0) return (float)scarce__random_normal(r);
    return (float)((double)scarce__random_below(r, distinct) / (double)distinct * 4 - 2);
}

static inline void random_tree(scarce__forest *forest, const forest_shape *shape, scarce__random *r)
{
    const size_t n = 2 * shape->n_leaves - 1, words = (size_t)(shape->n_codes + 31) / 32;
    scarce__node *nodes = calloc(n, sizeof *nodes);
    uint32_t *sets = calloc(n * words + 1, sizeof *sets), *leaves = calloc(n, sizeof *leaves);
    size_t count = 1, n_leaves = 1, n_words = 0;

    nodes[0].feature = -1;
    while (count < n) {
        const size_t which = shape->chain ? n_leaves - 1 : (size_t)scarce__random_below(r, n_leaves);
        scarce__node *node = nodes + leaves[which];
        const int category =
            shape->n_features > 1 && (int)scarce__random_below(r, 100) < shape->percent_category;
        const size_t half = shape->n_features / 2;
        node->flags = (uint32_t)scarce__random_below(r, 4);
        node->gain = (float)scarce__random_unit(r);
        node->feature = shape->percent_category == 0
                            ? (int32_t)scarce__random_below(r, shape->n_features)
                            : (int32_t)(category ? half + scarce__random_below(r, shape->n_features - half)
                                                 : scarce__random_below(r, half));
        if (category) {
            node->flags |= SCARCE__CATEGORY;
            node->set = (uint32_t)n_words;
            node->set_words = (uint32_t)scarce__random_below(r, words + 1);
            for (uint32_t w = 0; w < node->set_words; ++w) sets[n_words++] = (uint32_t)scarce__random_u64(r);
        } else {
            node->value = random_threshold(r, shape->distinct);
        }
        node->left = (int32_t)count;
        node->right = (int32_t)count + 1;
        nodes[count].feature = nodes[count + 1].feature = -1;
        leaves[which] = (uint32_t)count;
        leaves[n_leaves++] = (uint32_t)count + 1;
        count += 2;
    }
    for (size_t i = 0; i < n; ++i)
        if (nodes[i].feature < 0) nodes[i].value = (float)scarce__random_normal(r);
    (void)scarce__forest_add(forest, nodes, n, sets, n_words, NULL);
    free(nodes);
    free(sets);
    free(leaves);
}

static inline scarce__forest random_forest(const forest_shape *shape, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 7);
    scarce__forest forest = {0};
    forest.n_features = shape->n_features;
    forest.base = scarce__random_normal(&r);
    for (size_t t = 0; t < shape->n_trees; ++t) random_tree(&forest, shape, &r);
    return forest;
}

/* Values: thresholds themselves, their neighbours, missing, zeros of both signs, infinities, codes and
 * codes that don't exist. */
static inline float random_value(const forest_shape *shape, size_t feature, scarce__random *r)
{
    const uint64_t what = scarce__random_below(r, 20);
    float x;
    if (what == 0) return NAN;
    if (shape->percent_category && feature >= shape->n_features / 2) {
        if (what == 1) return (float)(shape->n_codes + scarce__random_below(r, 100));
        if (what == 2) return -1;
        if (what == 3) return 3e9f;
        return (float)scarce__random_below(r, shape->n_codes);
    }
    if (what == 1) return scarce__random_below(r, 2) ? 0.0f : -0.0f;
    if (what == 2) return scarce__random_below(r, 2) ? INFINITY : -INFINITY;
    x = random_threshold(r, shape->distinct);
    if (what == 3) return nextafterf(x, INFINITY);
    if (what == 4) return nextafterf(x, -INFINITY);
    return x;
}

static inline float *random_rows(const forest_shape *shape, size_t n, size_t stride, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 8);
    float *rows = malloc((n * stride + 1) * sizeof *rows);
    for (size_t i = 0; i < n; ++i)
        for (size_t f = 0; f < stride; ++f)
            rows[i * stride + f] = f < shape->n_features ? random_value(shape, f, &r) : NAN;
    return rows;
}

#endif
