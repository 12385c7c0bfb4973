/* SPDX-License-Identifier: Apache-2.0 */
#include "core/options.h"

#include <string.h>

enum { LARGEST = 4096 }; /* bytes: ten times the largest struct of today */

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

scarce_status scarce__options_check(const void *given, const char *init, scarce_error *err)
{
    if (!given) return SCARCE_OK;
    const size_t size = size_of(given);
    if (size > sizeof size && size <= LARGEST) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "struct_size is %zu: begin the struct with %s", size, init);
}

scarce_status scarce__options_copy(void *full, size_t size, const void *given, const char *init,
                                   scarce_error *err)
{
    SCARCE__TRY(scarce__options_check(given, init, err));
    if (!given) return SCARCE_OK;
    memcpy(full, given, size_of(given) < size ? size_of(given) : size);
    memcpy(full, &size, sizeof size);
    return SCARCE_OK;
}

void scarce__options_fill(void *to, const void *full, size_t size)
{
    if (!to) return;
    const size_t room = size_of(to);
    memcpy(to, full, room < size ? room : size);
    memcpy(to, &room, sizeof room);
}
