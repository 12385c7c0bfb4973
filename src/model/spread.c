/* SPDX-License-Identifier: Apache-2.0 */
/* Is 493.41 much? A model of trees has no list of the training rows, but cut points chosen where they lie: the
 * share of the cut points of a feature that are below a value says whether it is high or low in the eyes of the
 * model. Every cut counts once, however often trees use it: the first splits of all trees are much the same. */
#include <math.h>
#include <stdlib.h>

#include <scarce/explain.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "model/model.h"
#include "tree/forest.h"

typedef struct cut {
    int32_t feature;
    float value;
} cut;

struct scarce_spread {
    cut *cuts; /* by feature, then value; all different */
    size_t n;
};

static int by_place(const void *a, const void *b)
{
    const cut *x = a, *y = b;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

void scarce_spread_free(scarce_spread *s)
{
    if (s) scarce__free(s->cuts);
    scarce__free(s);
}

static void fill(scarce_spread *s, const scarce_model *model, const scarce__forest *forest, size_t n_nodes)
{
    size_t kept = 0;

    for (size_t i = 0; i < n_nodes; ++i) {
        const scarce__node *node = &forest->nodes[i];
        int32_t feature = node->feature;
        if (feature < 0 || (node->flags & SCARCE__CATEGORY)) continue;
        if (model->kind->source) {
            size_t second;
            const size_t own = model->kind->source(model->body, (size_t)feature, &second);
            if (second != SIZE_MAX || model->schema.features[own].kind == SCARCE_COLUMN_CATEGORY) continue;
            feature = (int32_t)own;
        }
        s->cuts[s->n++] = (cut){feature, node->value};
    }
    if (s->n == 0) return;
    qsort(s->cuts, s->n, sizeof *s->cuts, by_place);
    for (size_t i = 1; i < s->n; ++i)
        if (by_place(&s->cuts[kept], &s->cuts[i]) != 0) s->cuts[++kept] = s->cuts[i];
    s->n = kept + 1;
}

scarce_status scarce_spread_new(scarce_spread **out, const scarce_model *model, scarce_error *err)
{
    const scarce__forest *forest = model->kind->forest ? model->kind->forest(model->body) : NULL;
    const size_t n_nodes = forest && forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    scarce_spread *s = scarce__calloc(1, sizeof *s);

    *out = NULL;
    if (s) s->cuts = scarce__malloc_array(n_nodes + 1, sizeof *s->cuts);
    if (!s || !s->cuts) {
        scarce__free(s);
        return scarce__fail_memory(err, "the cut points of a model", n_nodes * sizeof *s->cuts);
    }
    if (n_nodes) fill(s, model, forest, n_nodes);
    *out = s;
    return SCARCE_OK;
}

/* The first cut that is not below (feature, value). */
static size_t lower(const scarce_spread *s, int32_t feature, float value)
{
    const cut wanted = {feature, value};
    size_t low = 0, high = s->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_place(&s->cuts[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

double scarce_spread_below(const scarce_spread *s, size_t feature, float value)
{
    if (isnan(value) || feature >= INT32_MAX) return (double)NAN;
    const size_t first = lower(s, (int32_t)feature, -INFINITY),
                 end = lower(s, (int32_t)feature + 1, -INFINITY);
    if (first == end) return (double)NAN;
    return (double)(lower(s, (int32_t)feature, value) - first) / (double)(end - first);
}
