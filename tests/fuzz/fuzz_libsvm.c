/* SPDX-License-Identifier: Apache-2.0 */
/* LIBSVM files nobody vouches for; how they are read and what must hold: fuzz_table.h. */
#include "fuzz_table.h"

/* A feature costs about 150 bytes even when it is empty, so a row of few bytes may ask for 2.5 GB. That is
 * allowed (up to 2^24 features), but nothing to wait for here. */
static int is_wide(const uint8_t *data, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 5; i < size; ++i) { /* behind the bytes that choose options */
        const int digit = data[i] >= '0' && data[i] <= '9';
        if (data[i] == ':' && number > 3000 && number <= 1u << 24) return 1;
        number = !digit ? 0 : number > UINT32_MAX ? number : 10 * number + (uint64_t)(data[i] - '0');
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!is_wide(data, size)) fuzz_table(data, size, SCARCE_FORMAT_LIBSVM, SCARCE_FORMAT_LIBSVM);
    return 0;
}
