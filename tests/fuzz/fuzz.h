/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target tests/fuzz/fuzz_<name>.c defines: it takes any bytes, returns 0, leaks nothing.
 * With clang's libFuzzer it runs by `make fuzz`; tests/fuzz/replay.c feeds it tests/fuzz/corpus/<name>/
 * in every `make test`. */
#ifndef SCARCE_FUZZ_H
#define SCARCE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
