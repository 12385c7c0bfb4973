/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: a writer that appends to a scarce__text, and a strict reader for files nobody vouches for.
 *
 *     scarce__text t = SCARCE__TEXT_INIT;
 *     scarce__json_begin_object(&t);
 *     scarce__json_key(&t, "ap");          commas are set by looking at what stands before
 *     scarce__json_number(&t, 0.325);
 *     scarce__json_field_string(&t, "method", "boost");
 *     scarce__json_end_object(&t);         {"ap":0.325,"method":"boost"}
 *
 * A value after a newline begins a new document (JSON lines). The caller closes what it opens.
 *
 * The reader turns the bytes into one array of values in the order of the text (an object is followed
 * by key, value, key, value, ...; each value knows where its subtree ends), without recursion: depth,
 * number of values and memory are bounded, whatever the file holds. */
#ifndef SCARCE_CORE_JSON_H
#define SCARCE_CORE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>

#include "core/text.h"

/* ---- Writing ---- */

void scarce__json_begin_object(scarce__text *t);
void scarce__json_end_object(scarce__text *t);
void scarce__json_begin_array(scarce__text *t);
void scarce__json_end_array(scarce__text *t);
void scarce__json_key(scarce__text *t, const char *name);
/* NULL becomes null; bytes that are not UTF-8 become U+FFFD, one for each. */
void scarce__json_string(scarce__text *t, const char *string);
void scarce__json_string_n(scarce__text *t, const char *bytes, size_t n);
/* Shortest text that reads back as the same number; what isn't finite becomes null. */
void scarce__json_number(scarce__text *t, double value);
void scarce__json_float(scarce__text *t, float value);
void scarce__json_integer(scarce__text *t, int64_t value);
void scarce__json_boolean(scarce__text *t, int value);
void scarce__json_null(scarce__text *t);

/* Key and value at once. */
void scarce__json_field_string(scarce__text *t, const char *name, const char *value);
void scarce__json_field_number(scarce__text *t, const char *name, double value);
void scarce__json_field_integer(scarce__text *t, const char *name, int64_t value);
void scarce__json_field_boolean(scarce__text *t, const char *name, int value);

/* ---- Reading ---- */

typedef enum scarce__json_type {
    SCARCE__JSON_NULL = 0,
    SCARCE__JSON_FALSE,
    SCARCE__JSON_TRUE,
    SCARCE__JSON_NUMBER,
    SCARCE__JSON_STRING,
    SCARCE__JSON_ARRAY,
    SCARCE__JSON_OBJECT
} scarce__json_type;

typedef struct scarce__json_value {
    scarce__json_type type;
    uint32_t count; /* items of an array, members of an object, bytes of a string */
    uint32_t span;  /* values of this subtree, itself included */
    union {
        double number;
        const char *string; /* unescaped, NUL-terminated, holds no other NUL */
    } as;
} scarce__json_value;

typedef struct scarce__json scarce__json;

enum {
    SCARCE__JSON_DEPTH = 64,    /* deepest nesting that is read */
    SCARCE__JSON_NONFINITE = 1, /* flag: also reads NaN, Infinity, -Infinity (not JSON, but some write it) */
    SCARCE__JSON_UBJ = 2        /* flag: the bytes are Universal Binary JSON (draft 12, with typed arrays) */
};

/* One value with nothing but blanks around it; strings must be UTF-8. EPARSE names line and column
 * (UBJ: the byte). Memory: the strings plus 24 bytes per value. */
scarce_status scarce__json_read(scarce__json **out, const char *bytes, size_t n, int flags,
                                scarce_error *err);
void scarce__json_free(scarce__json *json);

const scarce__json_value *scarce__json_root(const scarce__json *json);

/* The first child of an array or object (for an object its first key), the value after a value. Loop:
 *     const scarce__json_value *v = scarce__json_first(array);
 *     for (uint32_t i = 0; i < array->count; ++i, v = scarce__json_next(v)) ... */
static inline const scarce__json_value *scarce__json_first(const scarce__json_value *v)
{
    return v + 1;
}
static inline const scarce__json_value *scarce__json_next(const scarce__json_value *v)
{
    return v + v->span;
}

/* Member of an object (the first of that name), or NULL; also NULL when v is NULL or no object, so that
 * paths can be chained. */
const scarce__json_value *scarce__json_get(const scarce__json_value *v, const char *name);
/* The same, of the wanted type only. */
const scarce__json_value *scarce__json_get_type(const scarce__json_value *v, const char *name,
                                                scarce__json_type type);
/* The string member, or `otherwise`. */
const char *scarce__json_get_string(const scarce__json_value *v, const char *name, const char *otherwise);
double scarce__json_get_number(const scarce__json_value *v, const char *name, double otherwise);

#endif
