/* SPDX-License-Identifier: Apache-2.0 */
/* Values of records: what rules are asked about, one value for each field.
 *
 *     static const scarce_record_field fields[] = {{"amount", SCARCE_VALUE_NUMBER}, {"country", SCARCE_VALUE_TEXT}};
 *     scarce_value record[2] = {scarce_value_number(12.5), scarce_value_text("DE", 2)}; */
#ifndef SCARCE_VALUE_H
#define SCARCE_VALUE_H

#include <scarce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scarce_value_type {
    SCARCE_VALUE_ANY = 0, /* not a type */
    SCARCE_VALUE_BOOL = 1,
    SCARCE_VALUE_NUMBER = 2,
    SCARCE_VALUE_TEXT = 3, /* compared by bytes; UTF-8 */
    SCARCE_VALUE_TIME = 4, /* seconds since 1970-01-01 UTC */
    SCARCE_VALUE_SPAN = 5, /* a length of time in seconds */
    SCARCE_VALUE_FLAG = 6  /* a number that is 0 or 1, which may also stand where true or false is wanted */
} scarce_value_type;

/* "bool", "number", "text", "time", "span", "flag"; "any". */
SCARCE_API const char *scarce_value_type_name(scarce_value_type type);

/* The type isn't in the value: it is that of the field. */
typedef struct scarce_value {
    union {
        double number;    /* bool and flag (0 or 1), number, time, span; finite */
        const char *text; /* `size` bytes, not ended by a NUL; borrowed */
    } as;
    uint32_t size;
    uint8_t known;     /* 0: missing, and the rest says nothing */
    uint8_t folded;    /* of a text: A to Z are to be read as a to z; 0 unless lower() made it */
    uint8_t unused[2]; /* 0 */
} scarce_value;

/* A field of records: value i of a record is field i. */
typedef struct scarce_record_field {
    const char *name;
    scarce_value_type type;
} scarce_record_field;

static inline scarce_value scarce_value_missing(void)
{
    const scarce_value v = {{0}, 0, 0, 0, {0, 0}};
    return v;
}

/* Also of times and spans, and of 0 and 1 for bool. NaN and infinities are missing. */
static inline scarce_value scarce_value_number(double number)
{
    scarce_value v = {{0}, 0, 0, 0, {0, 0}};
    v.as.number = number;
    v.known = number - number == 0;
    return v;
}

/* NULL is missing. */
static inline scarce_value scarce_value_text(const char *text, size_t size)
{
    scarce_value v = {{0}, 0, 0, 0, {0, 0}};
    v.as.text = text;
    v.size = (uint32_t)size;
    v.known = text != NULL;
    return v;
}

#ifdef __cplusplus
}
#endif
#endif
