/* SPDX-License-Identifier: Apache-2.0 */
/* Models built by hand for tests: three features (a number, a category of five, a sparse number), notes, a
 * calibrator and a threshold; the body is linear or trees. */
#ifndef SCARCE_TEST_MODELS_H
#define SCARCE_TEST_MODELS_H

#include <stdlib.h>

#include "core/alloc.h"
#include "core/random.h"
#include "linear/linear.h"
#include "model/model.h"
#include "tree/forest.h"

enum { MODEL_FEATURES = 3, MODEL_CATEGORIES = 5 };

static inline void must(int ok)
{
    if (!ok) abort(); /* the test itself is broken */
}

static inline void fill_schema(scarce_schema *s)
{
    static const char *const names[] = {"amount", "shop", "count"};
    static const char *const shops[] = {"food", "fuel", "toys", "", "\xc3\xa9tape"};
    s->features = scarce__calloc(MODEL_FEATURES, sizeof *s->features);
    must(s->features != NULL);
    s->n_features = MODEL_FEATURES;
    for (size_t f = 0; f < MODEL_FEATURES; ++f) {
        s->features[f].name = scarce__strdup(names[f]);
        s->features[f].kind = f == 0   ? SCARCE_COLUMN_NUMERIC
                              : f == 1 ? SCARCE_COLUMN_CATEGORY
                                       : SCARCE_COLUMN_SPARSE;
    }
    for (size_t c = 0; c < MODEL_CATEGORIES; ++c)
        must(scarce__dictionary_add(&s->features[1].categories, shops[c], strlen(shops[c])) == c);
    s->label = scarce__strdup("fraud");
    s->positive = scarce__strdup("yes");
    s->negative = scarce__strdup("no");
    s->amount_name = scarce__strdup("amount");
}

static inline void *linear_body(void)
{
    const size_t begin[MODEL_FEATURES + 1] = {0, 0, MODEL_CATEGORIES + 2, MODEL_CATEGORIES + 2};
    scarce__linear *m = scarce__calloc(1, sizeof *m);
    must(m && scarce__linear_alloc(m, MODEL_FEATURES, begin, NULL) == SCARCE_OK);
    m->bias = -0.75;
    m->weight[0] = 0.5;
    m->missing_weight[0] = -1e-3;
    m->weight[2] = 1e30;
    for (size_t s = 0; s < MODEL_CATEGORIES + 2; ++s) m->slot_weight[s] = (double)s / 7 - 0.4;
    return m;
}

/* Full binary trees of `depth` levels of splits over all three features. */
static inline void *tree_body(size_t n_trees, unsigned depth, uint64_t seed)
{
    scarce__forest *f = scarce__calloc(1, sizeof *f);
    const size_t n = ((size_t)2 << depth) - 1;
    scarce__node *nodes = calloc(n, sizeof *nodes);
    uint32_t *sets = calloc(n, sizeof *sets);
    must(f && nodes && sets);
    f->n_features = MODEL_FEATURES;
    f->base = -1.25;
    for (size_t t = 0; t < n_trees; ++t) {
        scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, t);
        size_t words = 0;
        memset(nodes, 0, n * sizeof *nodes);
        for (size_t i = 0; i < n; ++i) {
            scarce__node *node = &nodes[i];
            node->cover = (float)scarce__random_unit(&r);
            node->rows = (uint32_t)scarce__random_below(&r, 100);
            node->feature = -1;
            node->value = (float)scarce__random_normal(&r);
            if (2 * i + 2 >= n) continue;
            node->feature = (int32_t)scarce__random_below(&r, MODEL_FEATURES);
            node->left = (int32_t)(2 * i + 1);
            node->right = (int32_t)(2 * i + 2);
            node->flags = (uint32_t)scarce__random_below(&r, 4);
            node->gain = (float)scarce__random_unit(&r);
            if (node->feature != 1) continue;
            node->flags |= SCARCE__CATEGORY;
            node->value = 0;
            node->set = (uint32_t)words;
            node->set_words = 1;
            sets[words++] = (uint32_t)scarce__random_below(&r, 1u << MODEL_CATEGORIES);
        }
        must(scarce__forest_add(f, nodes, n, sets, words, NULL) == SCARCE_OK);
    }
    free(nodes);
    free(sets);
    must(scarce__forest_check(f, NULL) == SCARCE_OK);
    return f;
}

/* Owns the body. Isotonic calibration, because it has arrays. */
static inline scarce_model *model_of(const scarce__kind *kind, void *body, const char *method)
{
    scarce_model *m = scarce__calloc(1, sizeof *m);
    must(m != NULL);
    m->method = scarce__strdup(method);
    fill_schema(&m->schema);
    m->kind = kind;
    m->body = body;
    must(scarce__model_add_note(m, "seed", "1", NULL) == SCARCE_OK);
    must(scarce__model_add_note(m, "param.empty", "", NULL) == SCARCE_OK);
    m->has_probability = 1;
    m->calibrator.kind = SCARCE__CALIBRATOR_ISOTONIC;
    m->calibrator.n_knots = 3;
    m->calibrator.x = scarce__malloc_array(3, sizeof(double));
    m->calibrator.y = scarce__malloc_array(3, sizeof(double));
    must(m->calibrator.x && m->calibrator.y);
    for (int i = 0; i < 3; ++i) {
        m->calibrator.x[i] = i - 1;
        m->calibrator.y[i] = 0.1 + 0.3 * i;
    }
    m->alert_value = 0.25;
    return m;
}

static inline scarce_model *linear_model(void)
{
    return model_of(&scarce__kind_linear, linear_body(), "logistic");
}

static inline scarce_model *tree_model(size_t n_trees, unsigned depth)
{
    return model_of(&scarce__kind_trees, tree_body(n_trees, depth, 7), "gb");
}

/* Row i: numbers, codes up to "unknown", missing values. */
static inline void model_row(float row[MODEL_FEATURES], uint64_t i)
{
    scarce__random r = scarce__random_start(99, SCARCE__FOR_TEST, i);
    row[0] = (float)scarce__random_normal(&r);
    row[1] = (float)scarce__random_below(&r, MODEL_CATEGORIES + 1);
    row[2] = i % 3 ? 0 : (float)scarce__random_normal(&r);
    for (int f = 0; f < MODEL_FEATURES; ++f)
        if (scarce__random_below(&r, 8) == 0) row[f] = NAN;
}

/* The same rows as a table with the model's features (the sparse one written out). */
static inline scarce_table *model_table(const scarce_model *m, size_t n)
{
    scarce_table *t = scarce__calloc(1, sizeof *t);
    must(t && scarce__schema_copy(&t->schema, &m->schema, NULL) == SCARCE_OK);
    t->n_rows = n;
    t->schema.features[2].kind = SCARCE_COLUMN_NUMERIC;
    t->columns = scarce__calloc(MODEL_FEATURES, sizeof *t->columns);
    must(t->columns != NULL);
    t->columns[0].number = scarce__malloc_array(n, sizeof(float));
    t->columns[1].code = scarce__malloc_array(n, sizeof(int32_t));
    t->columns[2].number = scarce__malloc_array(n, sizeof(float));
    must(t->columns[0].number && t->columns[1].code && t->columns[2].number);
    for (size_t i = 0; i < n; ++i) {
        float row[MODEL_FEATURES];
        model_row(row, i);
        t->columns[0].number[i] = row[0];
        t->columns[1].code[i] = isnan(row[1]) ? -1 : (int32_t)row[1];
        t->columns[2].number[i] = row[2];
    }
    return t;
}

#endif
