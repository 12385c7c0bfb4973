/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a caller's scarce_error. */
#ifndef SCARCE_CORE_FAIL_H
#define SCARCE_CORE_FAIL_H

#include <scarce/base.h>

#if defined(__GNUC__)
#define SCARCE__PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define SCARCE__PRINTF(a, b)
#endif

/* Writes the one-line text (control characters become '?') and returns `code`. err may be NULL. */
scarce_status scarce__fail(scarce_error *err, scarce_status code, const char *format, ...)
    SCARCE__PRINTF(3, 4);

/* "out of memory for WHAT (N bytes)" or without the size when bytes is 0. */
scarce_status scarce__fail_memory(scarce_error *err, const char *what, size_t bytes);

/* no WHAT "NAME", did you mean "NEAREST"? EINVAL; nearest may be NULL, `else_` (nullable) then says what to
 * do. */
scarce_status scarce__fail_unknown(scarce_error *err, const char *what, const char *name, const char *nearest,
                                   const char *else_);

/* Puts text in front of what a lower level said. */
void scarce__fail_prefix(scarce_error *err, const char *format, ...) SCARCE__PRINTF(2, 3);

/* Returns early on failure; only in functions that own nothing yet. */
#define SCARCE__TRY(expr)                                                                                    \
    do {                                                                                                     \
        const scarce_status try_status_ = (expr);                                                            \
        if (try_status_ != SCARCE_OK) return try_status_;                                                    \
    } while (0)

#endif
