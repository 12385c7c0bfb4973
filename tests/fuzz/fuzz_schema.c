/* SPDX-License-Identifier: Apache-2.0 */
/* A file read with the schema of another: first byte: flags (1 LIBSVM instead of CSV, 2 roles are named, 4 the
 * first feature is the amount); then the file that makes the schema as a part; the rest is read with it. The
 * result has the schema's features, or there is an error; any number of threads gives the same. */
#include "fuzz_parts.h"
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    fuzz_part one = fuzz_next_part(&data, &size, 0), two = fuzz_copy(data, size, 0);
    const fuzz_file first = {one.bytes, one.n, 1}, second = {two.bytes, two.n, 1};
    static const scarce__read_tuning tuning = {64, 48, 48, 0, 0}, large = {4096, 8192, 4096, 0, 0};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT, err2 = SCARCE_ERROR_INIT;
    scarce_table *model = NULL, *t = NULL, *again = NULL;

    fuzz_format_and_roles(&o, flags);
    o.label_optional = 1;
    if (fuzz_read(&model, &first, &o, &large, 1, &err) == SCARCE_OK && model->schema.n_features) {
        o.schema = &model->schema;
        if (flags & 4) o.amount = model->schema.features[0].name;
        const scarce_status st = fuzz_read(&t, &second, &o, &tuning, 1, &err);
        MUST(fuzz_read(&again, &second, &o, &tuning, 3, &err2) == st && strcmp(err.text, err2.text) == 0);
        if (t) {
            MUST(t->schema.n_features == model->schema.n_features);
            for (size_t f = 0; f < t->schema.n_features; ++f) {
                const scarce__feature *a = &t->schema.features[f], *b = &model->schema.features[f];
                MUST(a->name && strcmp(a->name, b->name) == 0);
                MUST(fuzz_same_dictionary(&a->categories, &b->categories));
            }
            fuzz_same_table(t, again);
        }
    }
    scarce_table_free(again);
    scarce_table_free(t);
    scarce_table_free(model);
    free(one.bytes);
    free(two.bytes);
    return 0;
}
