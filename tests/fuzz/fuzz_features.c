/* SPDX-License-Identifier: Apache-2.0 */
/* Definition files of any bytes: either refused with a place, or a plan whose canonical text is what a second reading
 * gives, and an engine that takes records. */
#include <string.h>

#include <scarce/features.h>

#include "fuzz.h"

static void feed(const scarce_definitions *d)
{
    static const char *const texts[] = {"1", "2", "17.25", "true", "2026-11-16 08:30:00", "", "-3", "x"};
    const size_t n = scarce_definitions_fields(d);
    const char **fields = calloc(n + 1, sizeof *fields);
    double *values = calloc(scarce_definitions_count(d), sizeof *values);
    scarce_features *f = NULL;

    MUST(fields && values);
    if (scarce_features_new(&f, d, NULL) == SCARCE_OK)
        for (size_t i = 0; i < 40; ++i) {
            for (size_t k = 0; k < n; ++k) {
                const char *type = scarce_definitions_get_field(d, k).type;
                fields[k] = strcmp(type, "time") == 0    ? i % 9 ? "1700000000" : "1699990000"
                            : strcmp(type, "label") == 0 ? "0"
                            : strcmp(type, "bool") == 0  ? "1"
                                                         : texts[(i * 7 + k) % 8];
            }
            (void)scarce_features_put(f, fields, SCARCE_FEATURES_NOW, values, NULL, NULL);
            (void)scarce_features_label(f, texts[i % 8], (int)(i & 1), SCARCE_FEATURES_NOW, NULL, NULL);
        }
    scarce_features_free(f);
    free(values);
    free(fields);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scarce_definitions *d = NULL, *again = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    if (scarce_definitions_read(&d, (const char *)data, size, "fuzz", &err) != SCARCE_OK) {
        MUST(d == NULL && err.text[0] != '\0' && !strchr(err.text, '\n'));
        return 0;
    }
    MUST(scarce_definitions_read(&again, (const char *)data, size, "fuzz", &err) == SCARCE_OK);
    MUST(strcmp(scarce_definitions_digest(d), scarce_definitions_digest(again)) == 0);
    MUST(scarce_definitions_check(d, scarce_definitions_text(again), NULL, NULL) == SCARCE_OK);
    feed(d);
    scarce_definitions_free(again);
    scarce_definitions_free(d);
    return 0;
}
