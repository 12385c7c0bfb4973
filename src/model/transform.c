/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the space that a model learnt. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "model/model.h"

static char *copy(const char *text)
{
    return text ? scarce__strdup(text) : NULL;
}

/* Names, and the label of the rows. */
static scarce_status finish(scarce_table *t, const scarce_table *from, scarce_error *err)
{
    char name[24];

    for (size_t f = 0; f < t->schema.n_features; ++f) {
        snprintf(name, sizeof name, "z%zu", f + 1);
        scarce__free(t->schema.features[f].name);
        t->schema.features[f].name = scarce__strdup(name);
        if (!t->schema.features[f].name) return scarce__fail_memory(err, "names", 0);
    }
    if (!from->label) return SCARCE_OK;
    t->label = scarce__malloc_array(from->n_rows, 1);
    t->schema.label = copy(from->schema.label ? from->schema.label : "label");
    t->schema.positive = copy(from->schema.positive ? from->schema.positive : "1");
    t->schema.negative = copy(from->schema.negative);
    if (!t->label || !t->schema.label || !t->schema.positive) return scarce__fail_memory(err, "labels", 0);
    memcpy(t->label, from->label, from->n_rows);
    t->n_positives = from->n_positives;
    return SCARCE_OK;
}

scarce_status scarce_model_transform(scarce_table **out, const scarce_model *model, const scarce_table *table,
                                     scarce_context *ctx, scarce_error *err)
{
    scarce_status st;

    *out = NULL;
    if (!model->kind->transform)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a %s model (%.60s) has learnt no space (mlfp, gmml, itml, lmnn and imbml do)",
                            model->kind->name, model->method);
    SCARCE__TRY(scarce__check_same_features(&model->schema, &table->schema, err));
    SCARCE__TRY(model->kind->transform(out, model->body, table, ctx, err));
    st = finish(*out, table, err);
    if (st == SCARCE_OK) return SCARCE_OK;
    scarce_table_free(*out);
    *out = NULL;
    return st;
}
