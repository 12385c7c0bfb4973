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

/* A feature appears in few trees: the trees without it, k of them with the value 0, are made up for when it appears
 * again, so that the work follows the nodes, not trees times features. */
typedef struct split_sums {
    sums all;
    double *tree;   /* of the tree at hand */
    size_t *behind; /* per feature: trees that are counted */
    uint32_t *touched, n_touched;
} split_sums;

static scarce_status split_sums_new(split_sums *s, size_t width, scarce_error *err)
{
    SCARCE__TRY(sums_new(&s->all, width, err));
    s->tree = scarce__calloc(width, sizeof *s->tree);
    s->behind = scarce__calloc(width, sizeof *s->behind);
    s->touched = scarce__malloc_array(width, sizeof *s->touched);
    return s->tree && s->behind && s->touched ? SCARCE_OK : scarce__fail_memory(err, "importances", 0);
}

static void split_sums_free(split_sums *s)
{
    sums_free(&s->all);
    scarce__free(s->tree);
    scarce__free(s->behind);
    scarce__free(s->touched);
}

/* n values with this mean, then zeros up to `upto` values. */
static void add_zeros(split_sums *s, size_t f, size_t upto)
{
    const double n = (double)s->behind[f], k = (double)(upto - s->behind[f]), mean = s->all.mean[f];
    if (k == 0) return;
    s->all.square[f] += mean * mean * n * k / (n + k);
    s->all.mean[f] = mean * n / (n + k);
    s->behind[f] = upto;
}

static void add_worth(split_sums *s, size_t f, double worth)
{
    if (s->behind[f] <= s->all.n) { /* the first time in this tree */
        add_zeros(s, f, s->all.n);
        s->behind[f] = s->all.n + 1;
        s->touched[s->n_touched++] = (uint32_t)f;
        s->tree[f] = 0;
    }
    s->tree[f] += worth;
}

/* Where a feature of the forest is made of two of the model, each gets half. */
static void add_split(split_sums *s, const scarce_model *model, size_t feature, double worth)
{
    size_t second = SIZE_MAX;
    if (model->kind->source) feature = model->kind->source(model->body, feature, &second);
    add_worth(s, feature, second == SIZE_MAX ? worth : worth / 2);
    if (second != SIZE_MAX) add_worth(s, second, worth / 2);
}

static void add_tree(split_sums *s, const scarce_model *model, const scarce__forest *forest, size_t t,
                     scarce_split_importance kind)
{
    s->n_touched = 0;
    for (size_t i = forest->tree_begin[t]; i < forest->tree_begin[t + 1]; ++i)
        if (forest->nodes[i].feature >= 0)
            add_split(s, model, (size_t)forest->nodes[i].feature,
                      kind == SCARCE_SPLITS_GAIN ? (double)forest->nodes[i].gain : 1.0);
    ++s->all.n;
    for (uint32_t k = 0; k < s->n_touched; ++k) add(&s->all, s->touched[k], s->tree[s->touched[k]]);
}

scarce_status scarce_importance_splits(scarce_importance *out, const scarce_model *model,
                                       scarce_split_importance kind, scarce_error *err)
{
    const scarce__forest *forest = model->kind->forest ? model->kind->forest(model->body) : NULL;
    const size_t width = model->schema.n_features;
    split_sums s = {{0, 0, NULL, NULL}, NULL, NULL, NULL, 0};
    scarce_status st;

    if (!forest)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a %s model (%.60s) has no splits; ask for shap or permutation with data",
                            model->kind->name, model->method);
    st = split_sums_new(&s, width, err);
    for (size_t t = 0; st == SCARCE_OK && t < forest->n_trees; ++t) add_tree(&s, model, forest, t, kind);
    for (size_t f = 0; st == SCARCE_OK && f < width; ++f) {
        const double n = (double)s.all.n;
        add_zeros(&s, f, s.all.n);
        out[f].value = s.all.mean[f] * n;
        out[f].error = s.all.n > 1 ? sqrt(s.all.square[f] / (n - 1) * n) : (double)NAN;
    }
    split_sums_free(&s);
    return st;
}
