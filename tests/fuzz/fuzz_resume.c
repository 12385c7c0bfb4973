/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile checkpoint and hostile rows: the training goes on for a few trees, or there is an error. First
 * byte: flags, of which 1 hides what the checkpoint says of its data, seed and parameters, as a hostile one
 * would; then the checkpoint as a part; the rest is the CSV (none: that of fuzz_small.h). */
#include "fuzz_parts.h"
#include "fuzz_small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    fuzz_part bytes = fuzz_next_part(&data, &size, 0);
    const char *csv = size ? (const char *)data : fuzz_small_csv;
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *p = NULL;
    scarce_model *checkpoint = NULL, *m = NULL;
    scarce_table *t = NULL;

    if (!(flags & 128)) fuzz_right_checksum(bytes.bytes, bytes.n);
    if (scarce_model_read(&checkpoint, bytes.bytes, bytes.n, "file", &err) == SCARCE_OK &&
        scarce_params_new(&p, checkpoint->method, &err) == SCARCE_OK)
        t = fuzz_small_table(csv, size ? size : sizeof fuzz_small_csv - 1, (flags >> 1) & 15);
    if (t && t->n_rows < 200 && t->schema.n_features < 50) {
        for (size_t i = 0; (flags & 1) && i < checkpoint->n_notes; ++i) checkpoint->notes[i].key[0] = '-';
        (void)scarce_params_set_list(p, "n_trees=8:max_leaves=4", ':', NULL);
        o.resume = checkpoint;
        if (flags & 32) o.valid = t;
        if (flags & 64) o.early_stop = 2;
        (void)fuzz_small_train(&m, t, p, &o, &err);
    }
    scarce_model_free(m);
    scarce_model_free(checkpoint);
    scarce_params_free(p);
    scarce_table_free(t);
    free(bytes.bytes);
    return 0;
}
