/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string, and numbers to text without the locale (core/number.h reads them).
 *
 *     scarce__text t = SCARCE__TEXT_INIT;
 *     scarce__text_add(&t, "ap ");
 *     scarce__text_double(&t, 0.325);
 *     if (t.failed) ... out of memory; else use t.bytes (NUL-terminated, t.n bytes)
 *     scarce__text_deinit(&t);
 *
 * Appending never fails at once: after memory ran out `failed` stays 1, later calls do nothing, and
 * what was there before stays valid. So a writer checks once, at its end. */
#ifndef SCARCE_CORE_TEXT_H
#define SCARCE_CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "core/fail.h"

typedef struct scarce__text {
    char *bytes; /* NUL-terminated; NULL as long as nothing was added */
    size_t n, capacity;
    int failed;
} scarce__text;

#define SCARCE__TEXT_INIT SCARCE_INIT(NULL, 0, 0, 0)

void scarce__text_deinit(scarce__text *text);
void scarce__text_add(scarce__text *text, const char *string);
void scarce__text_add_bytes(scarce__text *text, const char *bytes, size_t n);
void scarce__text_add_char(scarce__text *text, char c);
/* As scarce_printable says, of all that is there, line by line. */
void scarce__text_clean(scarce__text *text);

/* printf; for texts and whole numbers only, because %g and %f follow the locale's decimal point. */
void scarce__text_addf(scarce__text *text, const char *format, ...) SCARCE__PRINTF(2, 3);

/* The shortest decimal text that reads back as the same number ("0.1", "1e-30", "inf", "-inf", "nan"). */
void scarce__text_double(scarce__text *text, double value);
void scarce__text_float(scarce__text *text, float value);

/* With `digits` (1..17) significant digits and no trailing zeros: for people. */
void scarce__text_digits(scarce__text *text, double value, int digits);

/* snprintf whose numbers have a point whatever the locale says: for sentences with %g and %f in them. Conversions
 * are s d u x c g f e with flags, width, precision and l, ll, z; no '*'. */
int scarce__print(char *out, size_t size, const char *format, ...) SCARCE__PRINTF(3, 4);

/* Whether a text of n bytes ends so, in capitals or not: for the names of files. */
int scarce__ends_with(const char *text, size_t n, const char *end);

#endif
