/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile model of another library, imported as `convert` does, then used like any model (fuzz_use.h) with a
 * hostile file. First byte: flags; then the other library's file as a part; the rest is the data. */
#include "fuzz_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    fuzz_part other = fuzz_next_part(&data, &size, 0), csv = fuzz_copy(data, size, 0);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *m = NULL;
    char path[128];

    fuzz_write_file(path, "a", other.bytes, other.n);
    const scarce_status st = scarce_model_import(&m, path, &err);
    fuzz_check_status(st, &err);
    MUST((st == SCARCE_OK) == (m != NULL));
    if (m) fuzz_use_model(m, csv.bytes, csv.n, flags);
    scarce_model_free(m);
    free(other.bytes);
    free(csv.bytes);
    return 0;
}
