/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of Universal Binary JSON: a marker byte, then the value big-endian.
 *
 *     Z null  T F booleans  i U I l L integers (int8, uint8, 16, 32, 64 bit)  d D floats  S string
 *     C a character  [ array ]  { object }  N no-op
 *
 * An array or object may begin with $TYPE (all items are of it, without markers) and #COUNT (then no
 * closing bracket). A key is a string without its S. Counts come from the file: an item takes at least
 * one byte of it, except for typed items without payload (Z T F), which are refused as a bomb. */
#include <string.h>

#include "core/json_build.h"
#include "core/utf8.h"

typedef struct ubj {
    const unsigned char *bytes;
    size_t n, at;
    scarce__json *json;
    scarce__json_stack stack;
    struct {
        int64_t left; /* items to come; -1: until the bracket closes */
        int type;     /* marker of all items, 0: each has its own */
    } open[SCARCE__JSON_DEPTH];
    scarce_error *err;
} ubj;

static scarce_status fail_at(const ubj *u, const char *what)
{
    return scarce__fail(u->err, SCARCE_EPARSE, "ubj: %s at byte %zu", what, u->at);
}

static size_t number_size(int marker)
{
    switch (marker) {
    case 'i':
    case 'U':
    case 'C': return 1;
    case 'I': return 2;
    case 'l':
    case 'd': return 4;
    case 'L':
    case 'D': return 8;
    default: return 0;
    }
}

static int is_integer(int marker)
{
    return marker == 'i' || marker == 'U' || marker == 'I' || marker == 'l' || marker == 'L';
}

/* The size was checked by the caller. */
static uint64_t take_bits(ubj *u, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) bits = bits << 8 | u->bytes[u->at++];
    return bits;
}

static int64_t as_integer(int marker, uint64_t bits)
{
    switch (marker) {
    case 'i': return (int8_t)bits;
    case 'I': return (int16_t)bits;
    case 'l': return (int32_t)bits;
    case 'L': return (int64_t)bits;
    default: return (int64_t)bits;
    }
}

static double as_number(int marker, uint64_t bits)
{
    if (marker == 'd') {
        const uint32_t half = (uint32_t)bits;
        float f;
        memcpy(&f, &half, sizeof f);
        return (double)f;
    }
    if (marker == 'D') {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    return (double)as_integer(marker, bits);
}

/* A length or count: an integer with its marker, not negative. */
static scarce_status take_count(ubj *u, int64_t *count)
{
    int marker;

    if (u->at >= u->n) return fail_at(u, "the bytes end too early");
    marker = u->bytes[u->at++];
    if (!is_integer(marker)) return fail_at(u, "a count expected");
    if (u->n - u->at < number_size(marker)) return fail_at(u, "the bytes end too early");
    *count = as_integer(marker, take_bits(u, number_size(marker)));
    return *count < 0 ? fail_at(u, "a negative count") : SCARCE_OK;
}

static scarce_status take_string(ubj *u, int key)
{
    scarce__json_value *v;
    char *out = u->json->strings + u->json->n_strings;
    int64_t length;

    SCARCE__TRY(take_count(u, &length));
    if ((uint64_t)length > u->n - u->at || length > INT32_MAX)
        return fail_at(u, "a string longer than the file");
    for (size_t i = 0; i < (size_t)length;) {
        const char *s = (const char *)u->bytes + u->at + i;
        const size_t step = scarce__utf8_length(s, (size_t)length - i);
        if (!step || *s == '\0') return fail_at(u, "a string that is not UTF-8 without NUL");
        i += step;
    }
    v = scarce__json_append(u->json, &u->stack, SCARCE__JSON_STRING, key);
    if (!v) return scarce__fail_memory(u->err, "a json document", 0);
    memcpy(out, u->bytes + u->at, (size_t)length);
    out[length] = '\0';
    v->as.string = out;
    v->count = (uint32_t)length;
    u->json->n_strings += (size_t)length + 1; /* its length took two bytes in the file: there is room */
    u->at += (size_t)length;
    return SCARCE_OK;
}

static scarce_status take_scalar(ubj *u, int marker)
{
    const size_t size = number_size(marker);
    scarce__json_type type = SCARCE__JSON_NUMBER;
    scarce__json_value *v;
    double number = 0;

    if (marker == 'S') return take_string(u, 0);
    if (marker == 'C') return fail_at(u, "a character value, which no model file has");
    if (size) {
        if (u->n - u->at < size) return fail_at(u, "the bytes end too early");
        number = as_number(marker, take_bits(u, size));
    } else if (marker == 'Z') {
        type = SCARCE__JSON_NULL;
    } else if (marker == 'T') {
        type = SCARCE__JSON_TRUE;
    } else if (marker == 'F') {
        type = SCARCE__JSON_FALSE;
    } else {
        return fail_at(u, "an unknown marker");
    }
    v = scarce__json_append(u->json, &u->stack, type, 0);
    if (!v) return scarce__fail_memory(u->err, "a json document", 0);
    if (type == SCARCE__JSON_NUMBER) v->as.number = number;
    return SCARCE_OK;
}

static scarce_status open_bracket(ubj *u, int object)
{
    scarce__json_value *v;
    const size_t depth = u->stack.depth;

    if (depth == SCARCE__JSON_DEPTH) return fail_at(u, "nested too deeply");
    v = scarce__json_append(u->json, &u->stack, object ? SCARCE__JSON_OBJECT : SCARCE__JSON_ARRAY, 0);
    if (!v) return scarce__fail_memory(u->err, "a json document", 0);
    u->stack.at[u->stack.depth++] = (uint32_t)(v - u->json->values);
    u->open[depth].left = -1;
    u->open[depth].type = 0;
    if (u->at < u->n && u->bytes[u->at] == '$') {
        if (u->n - u->at < 3 || u->bytes[u->at + 2] != '#') return fail_at(u, "a type without count");
        u->open[depth].type = u->bytes[u->at + 1];
        if (!number_size(u->open[depth].type) && !strchr("S[{", u->open[depth].type))
            return fail_at(u, "a type that can't be one of an array");
        u->at += 2;
    }
    if (u->at < u->n && u->bytes[u->at] == '#') {
        ++u->at;
        SCARCE__TRY(take_count(u, &u->open[depth].left));
        if ((uint64_t)u->open[depth].left > u->n - u->at)
            return fail_at(u, "more items than the file has bytes");
    }
    return SCARCE_OK;
}

/* Closes what is complete. */
static scarce_status close_complete(ubj *u)
{
    while (u->stack.depth) {
        const size_t top = u->stack.depth - 1;
        const int object = u->json->values[u->stack.at[top]].type == SCARCE__JSON_OBJECT;
        if (u->open[top].left < 0) {
            while (u->at < u->n && u->bytes[u->at] == 'N') ++u->at;
            if (u->at >= u->n) return fail_at(u, "the bytes end too early");
            if (u->bytes[u->at] != (object ? '}' : ']')) return SCARCE_OK;
            ++u->at;
        } else if (u->open[top].left > 0) {
            --u->open[top].left;
            return SCARCE_OK;
        }
        scarce__json_close(u->json, &u->stack);
    }
    return SCARCE_OK;
}

scarce_status scarce__json_read_ubj(scarce__json *json, const char *bytes, size_t n, scarce_error *err)
{
    ubj u;

    memset(&u, 0, sizeof u);
    u.bytes = (const unsigned char *)bytes;
    u.n = n;
    u.json = json;
    u.err = err;
    do {
        const size_t depth = u.stack.depth;
        int marker = 0;
        if (depth) {
            if (json->values[u.stack.at[depth - 1]].type == SCARCE__JSON_OBJECT)
                SCARCE__TRY(take_string(&u, 1));
            marker = u.open[depth - 1].type;
        }
        if (!marker) {
            if (u.at >= n) return fail_at(&u, "the bytes end too early");
            marker = u.bytes[u.at++];
        }
        if (marker == '[' || marker == '{') SCARCE__TRY(open_bracket(&u, marker == '{'));
        else SCARCE__TRY(take_scalar(&u, marker));
        SCARCE__TRY(close_complete(&u));
    } while (u.stack.depth);
    return u.at < n ? fail_at(&u, "more bytes after the value") : SCARCE_OK;
}
