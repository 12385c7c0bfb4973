/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target tests/fuzz/fuzz_<name>.c defines: it takes any bytes, returns 0, leaks nothing.
 * With clang's libFuzzer it runs by `make fuzz`; tests/fuzz/replay.c feeds it tests/fuzz/corpus/<name>/
 * in every `make test`. */
#ifndef SCARCE_FUZZ_H
#define SCARCE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What has to hold whatever the input; the abort is what libFuzzer and ctest see. */
#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                          \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* The next byte of the input, which decides something; 0 when there is none. */
static inline uint8_t fuzz_take(const uint8_t **data, size_t *size)
{
    if (*size == 0) return 0;
    *size -= 1;
    return *(*data)++;
}

#endif
