/* SPDX-License-Identifier: Apache-2.0 */
/* What a whole model relies on, from the model itself (gain and number of its splits) and from its
 * contributions.
 *
 * Errors are those of a bootstrap in closed form: drawing n items again with replacement gives the mean of
 * them a standard error of s / sqrt(n), their sum one of s sqrt(n). The items are rows for contributions,
 * trees for splits. */
#include <scarce/explain.h>

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "model/model.h"
#include "tree/forest.h"

typedef struct sums {
    size_t width, n;
    double *mean, *square; /* running mean, and sum of squares about it (Welford) */
} sums;

static scarce_status sums_new(sums *s, size_t width, scarce_error *err)
{
    s->width = width;
    s->n = 0;
    s->mean = scarce__calloc(width, sizeof *s->mean);
    s->square = scarce__calloc(width, sizeof *s->square);
    return s->mean && s->square ? SCARCE_OK : scarce__fail_memory(err, "importances", 0);
}

static void sums_free(sums *s)
{
    scarce__free(s->mean);
    scarce__free(s->square);
}

static void add(sums *s, size_t f, double x)
{
    const double before = x - s->mean[f];
    s->mean[f] += before / (double)s->n;
    s->square[f] += before * (x - s->mean[f]);
}

/* ---- mean |contribution| */

static int add_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    sums *s = payload;

    (void)first;
    (void)value;
    for (size_t r = 0; r < n; ++r) {
        ++s->n;
        for (size_t f = 0; f < s->width; ++f) add(s, f, fabs(contribution[r * s->width + f]));
    }
    return 0;
}

scarce_status scarce_importance_shap(scarce_importance *out, const scarce_explainer *e,
                                     const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const size_t width = table->schema.n_features;
    sums s;
    scarce_status st = sums_new(&s, width, err);

    if (st == SCARCE_OK) st = scarce_explainer_table(e, table, add_rows, &s, ctx, err);
    for (size_t f = 0; st == SCARCE_OK && f < width; ++f) {
        const double n = (double)s.n;
        out[f].value = s.mean[f];
        out[f].error = s.n > 1 ? sqrt(s.square[f] / (n - 1) / n) : (double)NAN;
    }
    sums_free(&s);
    return st;
}

/* ---- splits */

/* Where a feature of the forest is made of two of the model, each gets half. */
static void add_split(double *tree, const scarce_model *model, size_t feature, double worth)
{
    size_t second = SIZE_MAX;
    if (model->kind->source) feature = model->kind->source(model->body, feature, &second);
    tree[feature] += second == SIZE_MAX ? worth : worth / 2;
    if (second != SIZE_MAX) tree[second] += worth / 2;
}

scarce_status scarce_importance_splits(scarce_importance *out, const scarce_model *model,
                                       scarce_split_importance kind, scarce_error *err)
{
    const scarce__forest *forest = model->kind->forest ? model->kind->forest(model->body) : NULL;
    const size_t width = model->schema.n_features;
    double *tree;
    sums s;
    scarce_status st;

    if (!forest)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a %s model (%.60s) has no splits; ask for shap or permutation with data",
                            model->kind->name, model->method);
    tree = scarce__malloc_array(width, sizeof *tree);
    st = sums_new(&s, width, err);
    if (st == SCARCE_OK && !tree) st = scarce__fail_memory(err, "importances", width * sizeof *tree);
    for (size_t t = 0; st == SCARCE_OK && t < forest->n_trees; ++t) {
        for (size_t f = 0; f < width; ++f) tree[f] = 0;
        for (size_t i = forest->tree_begin[t]; i < forest->tree_begin[t + 1]; ++i)
            if (forest->nodes[i].feature >= 0)
                add_split(tree, model, (size_t)forest->nodes[i].feature,
                          kind == SCARCE_SPLITS_GAIN ? (double)forest->nodes[i].gain : 1.0);
        ++s.n;
        for (size_t f = 0; f < width; ++f) add(&s, f, tree[f]);
    }
    for (size_t f = 0; st == SCARCE_OK && f < width; ++f) {
        const double n = (double)s.n;
        out[f].value = s.mean[f] * n;
        out[f].error = s.n > 1 ? sqrt(s.square[f] / (n - 1) * n) : (double)NAN;
    }
    sums_free(&s);
    scarce__free(tree);
    return st;
}
