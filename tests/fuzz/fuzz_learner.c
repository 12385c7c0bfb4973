/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile checkpoint of a learning: it goes on with a few rows, learns what waits, and makes a model that is read again; or
 * there is an error. First byte: flags (1: the checksum is left as it is); the rest is the file. */
#include <math.h>

#include <scarce/learn.h>

#include "fuzz_parts.h"
#include "model/model.h"

enum { MOST_FEATURES = 200 };

static void use(scarce_learner *l)
{
    const scarce_schema *schema = scarce_learner_schema(l);
    const size_t n = scarce_schema_features(schema);
    static const float values[] = {0, 1, -2.5f, 3e38f, (float)NAN, (float)INFINITY, 2, 17};
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    scarce_class_metrics figures[64];
    scarce_model *model = NULL, *again = NULL;
    void *bytes = NULL;
    size_t size = 0;
    float row[MOST_FEATURES];

    for (size_t i = 0; i < 12; ++i) {
        for (size_t f = 0; f < n; ++f) row[f] = values[(i * 3 + f) % 8];
        MUST(!isnan(scarce_learner_score(l, row)));
        MUST(scarce_learner_learn(l, row, i % scarce_learner_n_classes(l), 1, NULL) == SCARCE_OK);
    }
    MUST(scarce_learner_flush(l, NULL) == SCARCE_OK);
    MUST(scarce_learner_get_status(&s, l, NULL) == SCARCE_OK && s.pending == 0);
    MUST((scarce_learner_get_classes(figures, NULL, l, NULL) == SCARCE_OK) ==
         (scarce_learner_n_classes(l) > 2));
    if (scarce_learner_model(&model, l, NULL) != SCARCE_OK)
        return; /* weights that ran off to infinity are refused */
    MUST(scarce_model_bytes(&bytes, &size, model, NULL) == SCARCE_OK);
    MUST(scarce_model_read(&again, bytes, size, "again", NULL) == SCARCE_OK);
    scarce_bytes_free(bytes);
    scarce_model_free(model);
    scarce_model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_learner *l = NULL;
    scarce_model *m = NULL;
    uint8_t *bytes = malloc(size + 1);

    if (!bytes) return 0;
    if (size) memcpy(bytes, data, size);
    if (!(flags & 1)) fuzz_right_checksum(bytes, size);
    o.window = 50;
    if (scarce_model_read(&m, bytes, size, "file", &err) == SCARCE_OK &&
        m->schema.n_features <= MOST_FEATURES && scarce_learner_go_on(&l, m, &o, NULL, &err) == SCARCE_OK)
        use(l);
    scarce_learner_free(l);
    scarce_model_free(m);
    free(bytes);
    return 0;
}
