/* SPDX-License-Identifier: Apache-2.0 */
/* Models of XGBoost and LightGBM as ours, and ours as XGBoost's. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/outfile.h"
#include "model/model.h"
#include "tree/import.h"

/* The names move from the import into the schema. */
static scarce_status take_schema(scarce_schema *s, scarce__imported *in, scarce_error *err)
{
    s->n_features = in->forest.n_features;
    s->features = scarce__calloc(s->n_features, sizeof *s->features);
    if (!s->features) {
        s->n_features = 0;
        return scarce__fail_memory(err, "features", 0);
    }
    for (size_t f = 0; f < s->n_features; ++f) {
        s->features[f].kind = SCARCE_COLUMN_NUMERIC;
        s->features[f].name = in->names[f];
        in->names[f] = NULL;
    }
    return SCARCE_OK;
}

static scarce_status make_model(scarce_model **out, scarce__imported *in, scarce_error *err)
{
    scarce_model *m = scarce__calloc(1, sizeof *m);
    scarce__forest *forest = scarce__malloc(sizeof *forest);
    scarce_status st = SCARCE_OK;

    if (!m || !forest) {
        scarce__free(m);
        scarce__free(forest);
        return scarce__fail_memory(err, "a model", 0);
    }
    *forest = in->forest; /* the model owns it from here on */
    memset(&in->forest, 0, sizeof in->forest);
    in->forest.n_features = forest->n_features; /* still counts the names */
    m->kind = &scarce__kind_trees;
    m->body = forest;
    m->method = scarce__strdup("imported");
    if (!m->method) st = scarce__fail_memory(err, "a model", 0);
    if (st == SCARCE_OK) st = take_schema(&m->schema, in, err);
    if (st == SCARCE_OK) st = scarce__model_add_note(m, "library", SCARCE_VERSION_TEXT, err);
    if (st == SCARCE_OK) st = scarce__model_add_note(m, "objective", in->objective, err);
    if (in->link == SCARCE__LINK_LOGISTIC) {
        m->has_probability = 1;
        m->calibrator.kind = SCARCE__CALIBRATOR_SIGMOID;
        m->calibrator.a = in->slope;
    }
    if (st != SCARCE_OK) {
        scarce_model_free(m);
        return st;
    }
    *out = m;
    return SCARCE_OK;
}

/* As scarce__import_any tells formats apart; what is none of them it refuses with its own words. */
static scarce_status check_start(const void *first, size_t n, const char *path, scarce_error *err)
{
    const char *p = first;
    size_t at = 0;
    scarce__imported none;
    scarce_status st;

    while (at < n && strchr(" \n\r\t", p[at]) && p[at]) ++at;
    if (at < n && (p[at] == '{' || p[at] == 't')) return SCARCE_OK;
    st = scarce__import_any(&none, p + at, 0, err);
    scarce__fail_prefix(err, "%s: ", path);
    return st;
}

scarce_status scarce_model_import(scarce_model **out, const char *path, scarce_error *err)
{
    scarce__writer all = {0};
    scarce__imported in;
    scarce_status st = scarce__read_file(&all, path, check_start, err);

    *out = NULL;
    memset(&in, 0, sizeof in);
    if (st == SCARCE_OK) {
        st = scarce__import_any(&in, all.bytes ? (const char *)all.bytes : "", all.n, err);
        if (st != SCARCE_OK) scarce__fail_prefix(err, "%s: ", path);
    }
    if (st == SCARCE_OK) {
        st = make_model(out, &in, err);
        scarce__imported_deinit(&in);
    }
    scarce__writer_deinit(&all);
    return st;
}

static const char *feature_name(void *payload, size_t f)
{
    return ((const scarce_model *)payload)->schema.features[f].name;
}

scarce_status scarce_model_export_xgboost(const scarce_model *model, const char *path, scarce_error *err)
{
    const int logistic = model->has_probability && model->calibrator.kind == SCARCE__CALIBRATOR_SIGMOID &&
                         model->calibrator.b == 0;
    scarce__text text = SCARCE__TEXT_INIT;
    scarce__outfile *file = NULL;
    scarce_status st;

    const scarce__forest *forest = model->kind->forest ? model->kind->forest(model->body) : NULL;
    if (!forest)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "a %s model can't be written as XGBoost's",
                            model->kind->name);
    if (model->kind->no_sum)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a %s model %s, which XGBoost's format can't hold (gb gives a sum of trees)",
                            model->kind->name, model->kind->no_sum);
    if (model->kind->source)
        return scarce__fail(
            err, SCARCE_EUNSUPPORTED,
            "the model turns categories into numbers first, which XGBoost's format can't hold "
            "(train with categories=sets)");
    st = scarce__export_xgboost(&text, forest, logistic ? SCARCE__LINK_LOGISTIC : SCARCE__LINK_IDENTITY,
                                logistic ? model->calibrator.a : 1, feature_name, (void *)(uintptr_t)model,
                                err);
    if (st == SCARCE_OK && text.failed) st = scarce__fail_memory(err, "a model as JSON", 0);
    if (st == SCARCE_OK) st = scarce__outfile_open(&file, path, err);
    if (st == SCARCE_OK) {
        st = scarce__outfile_write(file, text.bytes, text.n, err);
        if (st == SCARCE_OK) st = scarce__outfile_commit(file, err);
        else scarce__outfile_abort(file);
    }
    scarce__text_deinit(&text);
    return st;
}
