/* SPDX-License-Identifier: Apache-2.0 */
/* Option structs of a caller who may have been compiled against another release.
 *
 *     scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
 *     SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_READ_OPTIONS_INIT, err));
 *
 * The first member of every such struct is its size. A smaller one is of an older caller: what lies behind
 * its end keeps the default. A larger one is of a newer caller: what this library does not know is left
 * alone. A size that no struct has (0: a struct that was zeroed instead of begun with its INIT; or whatever
 * was on the stack) is EINVAL, because ignoring such options would silently do something else than what was
 * asked. */
#ifndef SCARCE_CORE_OPTIONS_H
#define SCARCE_CORE_OPTIONS_H

#include <stddef.h>

#include "core/fail.h"

/* Lays `given` (NULL: nothing) over the defaults in *full, whose struct_size stays that of this library. */
#define SCARCE__OPTIONS(full, given, init, err)                                                              \
    ((void)sizeof((full) == (given)), scarce__options_copy((full), sizeof *(full), (given), #init, (err)))

/* The same for structs that a call fills: looked at before the work, filled after it. */
#define SCARCE__FILLED_CHECK(to, init, err) scarce__options_check((to), #init, (err))
#define SCARCE__FILL(to, full)                                                                               \
    ((void)sizeof((full) == (to)), scarce__options_fill((to), (full), sizeof *(full)))

scarce_status scarce__options_check(const void *given, const char *init, scarce_error *err);
scarce_status scarce__options_copy(void *full, size_t size, const void *given, const char *init,
                                   scarce_error *err);
/* As much of *full as *to has room for; NULL is fine. The struct_size of *to stays. */
void scarce__options_fill(void *to, const void *full, size_t size);

#endif
