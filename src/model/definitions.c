/* SPDX-License-Identifier: Apache-2.0 */
/* A model and the definitions that made its features: scores of rows that were made otherwise would be wrong without a
 * sign of it, so they are refused, with the lines that differ. */
#include <string.h>

#include <scarce/features.h>

#include "core/alloc.h"
#include "model/model.h"

static const char text_key[] = "features", digest_key[] = "features.digest";

static scarce_status put_note(scarce_model *model, const char *key, const char *value, scarce_error *err)
{
    for (size_t i = 0; i < model->n_notes; ++i) {
        if (strcmp(model->notes[i].key, key) != 0) continue;
        char *copy = scarce__strdup(value);
        if (!copy) return scarce__fail_memory(err, "a model's notes", 0);
        scarce__free(model->notes[i].value);
        model->notes[i].value = copy;
        return SCARCE_OK;
    }
    return scarce__model_add_note(model, key, value, err);
}

scarce_status scarce_model_set_definitions(scarce_model *model, const scarce_definitions *definitions,
                                           scarce_error *err)
{
    size_t known = 0;
    for (size_t i = 0; i < scarce_definitions_count(definitions); ++i)
        known += scarce_schema_find(&model->schema, scarce_definitions_name(definitions, i)) != SIZE_MAX;
    if (known == 0)
        return scarce__fail(
            err, SCARCE_EDATA,
            "none of the model's features is defined there (train on what `scarce features` wrote)");
    SCARCE__TRY(put_note(model, text_key, scarce_definitions_text(definitions), err));
    return put_note(model, digest_key, scarce_definitions_digest(definitions), err);
}

scarce_status scarce_model_check_definitions(const scarce_model *model, const scarce_definitions *definitions,
                                             char **differences, scarce_error *err)
{
    const char *text = scarce_model_note(model, text_key);
    if (differences) *differences = NULL;
    if (!text)
        return scarce__fail(err, SCARCE_EDATA,
                            "the model doesn't know how its features were made; train it with --define");
    return scarce_definitions_check(definitions, text, differences, err);
}
