/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/profile.h"
#include "model/bag.h"
#include "model/latent_body.h"

const scarce__kind *scarce__kind_of_tag(const uint8_t *tag)
{
    static const scarce__kind *const kinds[] = {
        &scarce__kind_linear, &scarce__kind_trees, &scarce__kind_encoded, &scarce__kind_rank,
        &scarce__kind_bag,    &scarce__kind_near,  &scarce__kind_latent,  &scarce__kind_online};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (memcmp(kinds[i]->tag, tag, 4) == 0) return kinds[i];
    return NULL;
}

void scarce_model_free(scarce_model *model)
{
    if (!model) return;
    for (size_t i = 0; i < model->n_notes; ++i) {
        scarce__free(model->notes[i].key);
        scarce__free(model->notes[i].value);
    }
    scarce__free(model->notes);
    scarce__free(model->method);
    scarce__schema_deinit(&model->schema);
    if (model->kind && model->body) model->kind->free(model->body);
    scarce__calibrator_deinit(&model->calibrator);
    scarce__free(model->missing);
    scarce__profile_free(model->profile);
    scarce__free(model->state);
    scarce__free(model);
}

scarce_status scarce__model_add_note(scarce_model *model, const char *key, const char *value,
                                     scarce_error *err)
{
    scarce__note note = {scarce__strdup(key), scarce__strdup(value)};
    scarce__note *grown = scarce__realloc_array(model->notes, model->n_notes + 1, sizeof *grown);

    if (grown) model->notes = grown;
    if (!grown || !note.key || !note.value) {
        scarce__free(note.key);
        scarce__free(note.value);
        return scarce__fail_memory(err, "a model's notes", 0);
    }
    model->notes[model->n_notes++] = note;
    return SCARCE_OK;
}

scarce_status scarce__model_add_note_number(scarce_model *model, const char *key, double value,
                                            scarce_error *err)
{
    scarce__text text = SCARCE__TEXT_INIT;
    scarce_status st;
    scarce__text_double(&text, value);
    st = text.failed ? scarce__fail_memory(err, "a model's notes", 0)
                     : scarce__model_add_note(model, key, text.bytes, err);
    scarce__text_deinit(&text);
    return st;
}

const scarce_schema *scarce_model_schema(const scarce_model *model)
{
    return &model->schema;
}

double scarce_model_missing(const scarce_model *model, size_t f)
{
    return model->missing ? (double)model->missing[f] : (double)NAN;
}

const char *scarce_model_method(const scarce_model *model)
{
    return model->method;
}

int scarce_model_has_probability(const scarce_model *model)
{
    return model->has_probability;
}

double scarce_model_threshold(const scarce_model *model)
{
    return model->alert_rule == SCARCE__ALERT_SCORE ? model->alert_value : (double)NAN;
}

size_t scarce_model_representations(const scarce_model *model, double *weight, double *importance,
                                    double *correlation)
{
    return model->kind->representations
               ? model->kind->representations(model->body, weight, importance, correlation)
               : 0;
}

const char *scarce_model_note(const scarce_model *model, const char *key)
{
    for (size_t i = 0; i < model->n_notes; ++i)
        if (strcmp(model->notes[i].key, key) == 0) return model->notes[i].value;
    return NULL;
}

void scarce_bytes_free(void *bytes)
{
    scarce__free(bytes);
}

scarce_status scarce_model_drift(double *psi, const scarce_model *model, const scarce_table *table,
                                 scarce_error *err)
{
    if (!model->profile)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "the model does not know how its training rows were spread (it is of an older "
                            "release, of another "
                            "tool, of a stream, or of more than %d features)",
                            (int)SCARCE__PROFILE_FEATURES);
    SCARCE__TRY(scarce__check_same_features(&model->schema, &table->schema, err));
    return scarce__profile_drift(psi, model->profile, table, err);
}
