/* SPDX-License-Identifier: Apache-2.0 */
/* ARFF and KEEL files nobody vouches for; how they are read and what must hold: fuzz_table.h. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_table(data, size, SCARCE_FORMAT_ARFF, SCARCE_FORMAT_KEEL);
    return 0;
}
