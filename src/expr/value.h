/* SPDX-License-Identifier: Apache-2.0 */
/* The values of expressions: 16 bytes, missing or one of five types. The type isn't in the value: programs are typed. */
#ifndef SCARCE_EXPR_VALUE_H
#define SCARCE_EXPR_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/text.h"

typedef enum scarce__type {
    SCARCE__ANY = 0, /* not a type: whatever it is */
    SCARCE__BOOLEAN,
    SCARCE__NUMBER,
    SCARCE__WORD, /* text */
    SCARCE__TIME, /* seconds since 1970-01-01 UTC */
    SCARCE__SPAN, /* seconds */
    SCARCE__FLAG  /* of a symbol: a number that is 0 or 1, and may stand where true or false is wanted */
} scarce__type;

/* "bool", "number", "text", "time", "span". */
const char *scarce__type_name(scarce__type type);
/* The type of that name, or ANY. */
scarce__type scarce__type_of(const char *name, size_t length);

typedef struct scarce__value {
    union {
        double number;    /* bool (0 or 1), number, time, span; finite */
        const char *text; /* `size` bytes, not ended by a NUL */
    } as;
    uint32_t size;
    uint8_t known;  /* 0: missing, and the rest says nothing */
    uint8_t folded; /* of a text: A to Z are to be read as a to z */
    uint8_t unused[2];
} scarce__value;

static inline scarce__value scarce__value_missing(void)
{
    const scarce__value v = {{0}, 0, 0, 0, {0, 0}};
    return v;
}
/* Also of times, spans, and of 0 and 1 for bool. NaN and infinities are missing. */
static inline scarce__value scarce__value_number(double number)
{
    scarce__value v = {{0}, 0, 0, 0, {0, 0}};
    v.as.number = number;
    v.known = number - number == 0;
    return v;
}
/* NULL is missing. The bytes are borrowed. */
static inline scarce__value scarce__value_text(const char *text, size_t size)
{
    scarce__value v = {{0}, 0, 0, 0, {0, 0}};
    v.as.text = text;
    v.size = (uint32_t)size;
    v.known = text != NULL;
    return v;
}

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
