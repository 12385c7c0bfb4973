/* SPDX-License-Identifier: Apache-2.0 */
/* Explaining scores of a model: its kind prepares, the rest is src/explain. */
#include <scarce/explain.h>

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "explain/explain.h"
#include "model/model.h"

struct scarce_explainer {
    const scarce_model *model;
    scarce__explain *explain;
};

enum { FEW_FEATURES = 512 };

scarce_status scarce_explainer_new(scarce_explainer **out, const scarce_model *model,
                                   const scarce_explain_options *options, scarce_error *err)
{
    scarce_explain_options o = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_explainer *e;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_EXPLAIN_OPTIONS_INIT, err));
    if (model->kind->neighbours)
        return scarce__fail(
            err, SCARCE_EUNSUPPORTED,
            "scores of %.60s are no sum over features: its reasons are the nearest training rows "
            "(score --explain N; scarce_scorer_neighbours)",
            model->method);
    if (model->kind->reasons != SCARCE__REASONS_ADDITIVE || !model->kind->explain)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "scores of a %s model (%.60s) are no sum over features and can't be explained",
                            model->kind->name, model->method);
    if (o.background) SCARCE__TRY(scarce__check_same_features(&model->schema, &o.background->schema, err));
    e = scarce__calloc(1, sizeof *e);
    if (!e) return scarce__fail_memory(err, "an explainer", sizeof *e);
    e->model = model;
    st = model->kind->explain(&e->explain, model->body, o.background, err);
    if (st != SCARCE_OK) {
        scarce__free(e);
        return st;
    }
    *out = e;
    return SCARCE_OK;
}

void scarce_explainer_free(scarce_explainer *e)
{
    if (!e) return;
    scarce__explain_free(e->explain);
    scarce__free(e);
}

double scarce_explainer_base(const scarce_explainer *e)
{
    return scarce__explain_base(e->explain);
}

scarce_status scarce_explainer_row(const scarce_explainer *e, const float *row, double *contribution,
                                   scarce_error *err)
{
    return scarce__explain_row(e->explain, row, contribution, err);
}

static int stronger(const scarce_reason *a, const scarce_reason *b)
{
    const double x = fabs(a->contribution), y = fabs(b->contribution);
    return x > y || (x == y && a->feature < b->feature);
}

/* out is a heap with the weakest reason on top. */
static void sink(scarce_reason *out, size_t n, size_t at)
{
    for (;;) {
        size_t weakest = at;
        for (size_t kid = 2 * at + 1; kid <= 2 * at + 2 && kid < n; ++kid)
            if (stronger(&out[weakest], &out[kid])) weakest = kid;
        if (weakest == at) return;
        const scarce_reason swap = out[at];
        out[at] = out[weakest];
        out[weakest] = swap;
        at = weakest;
    }
}

size_t scarce_reasons_strongest(const double *contribution, size_t n_features, size_t n, scarce_reason *out)
{
    size_t count = 0;

    for (size_t f = 0; f < n_features; ++f) {
        const scarce_reason reason = {f, contribution[f]};
        if (n == 0 || contribution[f] == 0) continue;
        if (count < n) {
            out[count++] = reason;
            if (count == n)
                for (size_t i = n / 2; i-- > 0;) sink(out, n, i);
        } else if (stronger(&reason, &out[0])) {
            out[0] = reason;
            sink(out, n, 0);
        }
    }
    if (count < n)
        for (size_t i = count / 2; i-- > 0;) sink(out, count, i);
    for (size_t left = count; left > 1;) { /* the weakest goes to the end */
        const scarce_reason swap = out[0];
        out[0] = out[--left];
        out[left] = swap;
        sink(out, left, 0);
    }
    return count;
}

scarce_status scarce_explainer_top(const scarce_explainer *e, const float *row, size_t n, scarce_reason *out,
                                   size_t *found, double *base, scarce_error *err)
{
    const size_t width = scarce__explain_features(e->explain);
    double few[FEW_FEATURES], *contribution = few;
    scarce_status st;

    *found = 0;
    if (base) *base = scarce__explain_base(e->explain);
    if (width > FEW_FEATURES) {
        contribution = scarce__malloc_array(width, sizeof *contribution);
        if (!contribution) return scarce__fail_memory(err, "an explanation", width * sizeof *contribution);
    }
    st = scarce__explain_row(e->explain, row, contribution, err);
    if (st == SCARCE_OK) *found = scarce_reasons_strongest(contribution, width, n, out);
    if (contribution != few) scarce__free(contribution);
    return st;
}

scarce_status scarce_explainer_table(const scarce_explainer *e, const scarce_table *table,
                                     scarce_explain_fn fn, void *payload, scarce_context *ctx,
                                     scarce_error *err)
{
    SCARCE__TRY(scarce__check_same_features(&e->model->schema, &table->schema, err));
    return scarce__explain_table(e->explain, table, fn, payload, ctx, err);
}

/* ---- neighbours */

static scarce_status fail_no_neighbours(const scarce_model *model, scarce_error *err)
{
    return scarce__fail(err, SCARCE_EUNSUPPORTED, "a %s model (%.60s) remembers no rows", model->kind->name,
                        model->method);
}

scarce_status scarce_scorer_neighbours(const scarce_scorer *scorer, const float *row, int positive, size_t n,
                                       scarce_neighbour *out, size_t *found, scarce_error *err)
{
    const scarce_model *model = scarce__scorer_model(scorer);

    *found = 0;
    if (!model->kind->neighbours) return fail_no_neighbours(model, err);
    return model->kind->neighbours(scarce__scorer_prepared(scorer), row, positive, n, out, found, err);
}

scarce_status scarce_scorer_alike(const scarce_scorer *scorer, const float *row, size_t neighbour,
                                  double *alike, scarce_error *err)
{
    const scarce_model *model = scarce__scorer_model(scorer);

    if (!model->kind->alike) return fail_no_neighbours(model, err);
    if (neighbour >= model->kind->remembered(model->body, 0, NULL))
        return scarce__fail(err, SCARCE_EINVAL, "there is no training row %zu", neighbour);
    return model->kind->alike(scarce__scorer_prepared(scorer), row, neighbour, alike, err);
}

scarce_status scarce_model_remembered(const scarce_model *model, size_t row, float *values, scarce_error *err)
{
    if (!model->kind->remembered) return fail_no_neighbours(model, err);
    if (row >= model->kind->remembered(model->body, row, values))
        return scarce__fail(err, SCARCE_EINVAL, "there is no training row %zu", row);
    return SCARCE_OK;
}
