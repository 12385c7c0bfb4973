/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to float and double, correctly rounded (to nearest, ties to even), whatever the locale. */
#ifndef SCARCE_CORE_NUMBER_H
#define SCARCE_CORE_NUMBER_H

#include <stddef.h>

/* 1 when the whole text is a number: [+-] digits [. digits] [e [+-] digits], or inf/infinity in any
 * case. Neither hexadecimal nor "nan", no blanks, no thousands separator. A number beyond the range
 * of the type (1e400) returns 2 with an infinite *value, so that the caller can refuse it. */
int scarce__parse_float(const char *text, size_t length, float *value);
int scarce__parse_double(const char *text, size_t length, double *value);

#endif
