/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile model and a hostile file that is read with its schema, then everything a command does with them
 * (fuzz_use.h). First byte: flags, of which 128 leaves the checksum as it is; then the model as a part; the
 * rest is the file. */
#include "fuzz_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    fuzz_part model = fuzz_next_part(&data, &size, 0), csv = fuzz_copy(data, size, 0);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *m = NULL;

    if (!(flags & 128)) fuzz_right_checksum(model.bytes, model.n);
    const scarce_status st = scarce_model_read(&m, model.bytes, model.n, "file", &err);
    fuzz_check_status(st, &err);
    MUST((st == SCARCE_OK) == (m != NULL));
    if (m) fuzz_use_model(m, csv.bytes, csv.n, flags);
    scarce_model_free(m);
    free(model.bytes);
    free(csv.bytes);
    return 0;
}
