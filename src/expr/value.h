/* SPDX-License-Identifier: Apache-2.0 */
/* The values of expressions: 16 bytes, missing or one of five types. The type isn't in the value: programs are typed. */
#ifndef SCARCE_EXPR_VALUE_H
#define SCARCE_EXPR_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <scarce/value.h>

#include "core/text.h"

/* Inside, the public types go by short names. */
typedef scarce_value_type scarce__type;
typedef scarce_value scarce__value;
#define SCARCE__ANY SCARCE_VALUE_ANY
#define SCARCE__BOOLEAN SCARCE_VALUE_BOOL
#define SCARCE__NUMBER SCARCE_VALUE_NUMBER
#define SCARCE__WORD SCARCE_VALUE_TEXT
#define SCARCE__TIME SCARCE_VALUE_TIME
#define SCARCE__SPAN SCARCE_VALUE_SPAN
#define SCARCE__FLAG SCARCE_VALUE_FLAG
#define scarce__value_missing scarce_value_missing
#define scarce__value_number scarce_value_number
#define scarce__value_text scarce_value_text

/* "bool", "number", "text", "time", "span"; a flag is a number to those who read messages. */
const char *scarce__type_name(scarce__type type);
/* The type of that name, or ANY. */
scarce__type scarce__type_of(const char *name, size_t length);

/* Below, equal to or above 0, by bytes; both are known texts. */
int scarce__value_compare_text(const scarce__value *a, const scarce__value *b);

/* For people: true, 12.5, DE, 2026-11-16 08:30:00, 1 h 30 m; "(missing)". `digits` (0 to 9) decimals of a number, -1:
 * as many as it has, up to 6 digits. */
void scarce__value_add(scarce__text *out, const scarce__value *value, scarce__type type, int digits);
/* A number as scarce__value_add writes it. */
void scarce__add_decimals(scarce__text *out, double number, int digits);

/* "1h30m", "-2.5s", "100ms", "7d": ns us ms s m h d w, as CEL's duration() takes them (which has no d and w). 0: it
 * isn't one. */
int scarce__parse_span(const char *text, size_t length, double *seconds);

/* The shortest decimal that is read as this float, as a double: what stood in the file, where it had up to seven
 * digits. So 0.1 of a table equals the 0.1 of a rule; monotone; NaN stays NaN. Whole numbers below 2^24 and few
 * decimals take nanoseconds, others a print. */
double scarce__decimal_of_float(float value);

#endif
