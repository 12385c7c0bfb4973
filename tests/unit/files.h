/* SPDX-License-Identifier: Apache-2.0 */
/* What a call has written. */
#ifndef SCARCE_TEST_FILES_H
#define SCARCE_TEST_FILES_H

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* All bytes of a file and a NUL, to be freed; NULL when it is not there. */
static inline char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    *n = 0;
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    bytes = calloc(*n + 1, 1);
    CHECK(fread(bytes, 1, *n, f) == *n);
    fclose(f);
    return bytes;
}

#endif
