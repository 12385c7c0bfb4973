/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: one pass, one loop, an explicit stack of at most SCARCE__JSON_DEPTH open brackets. */
#include "core/json.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/json_build.h"
#include "core/number.h"
#include "core/utf8.h"

typedef struct reader {
    const char *bytes;
    size_t n, at;
    int flags;
    scarce__json *json;
    scarce__json_stack stack;
    scarce_error *err;
} reader;

void scarce__json_free(scarce__json *json)
{
    if (!json) return;
    scarce__free(json->values);
    scarce__free(json->strings);
    scarce__free(json);
}

const scarce__json_value *scarce__json_root(const scarce__json *json)
{
    return json->values;
}

const scarce__json_value *scarce__json_get(const scarce__json_value *v, const char *name)
{
    const size_t length = strlen(name);
    const scarce__json_value *key;

    if (!v || v->type != SCARCE__JSON_OBJECT) return NULL;
    key = scarce__json_first(v);
    for (uint32_t i = 0; i < v->count; ++i, key = scarce__json_next(key + 1))
        if (key->count == length && memcmp(key->as.string, name, length) == 0) return key + 1;
    return NULL;
}

const scarce__json_value *scarce__json_get_type(const scarce__json_value *v, const char *name,
                                                scarce__json_type type)
{
    const scarce__json_value *member = scarce__json_get(v, name);
    return member && member->type == type ? member : NULL;
}

const char *scarce__json_get_string(const scarce__json_value *v, const char *name, const char *otherwise)
{
    const scarce__json_value *member = scarce__json_get_type(v, name, SCARCE__JSON_STRING);
    return member ? member->as.string : otherwise;
}

double scarce__json_get_number(const scarce__json_value *v, const char *name, double otherwise)
{
    const scarce__json_value *member = scarce__json_get_type(v, name, SCARCE__JSON_NUMBER);
    return member ? member->as.number : otherwise;
}

scarce__json_value *scarce__json_append(scarce__json *json, scarce__json_stack *stack, scarce__json_type type,
                                        int key)
{
    scarce__json_value *v;

    if (json->n == json->capacity) {
        const size_t capacity = json->capacity ? json->capacity * 2 : 64;
        if (capacity > (size_t)1 << 31) return NULL;
        v = scarce__realloc_array(json->values, capacity, sizeof *v);
        if (!v) return NULL;
        json->values = v;
        json->capacity = capacity;
    }
    if (stack->depth && !key) ++json->values[stack->at[stack->depth - 1]].count;
    v = json->values + json->n++;
    memset(v, 0, sizeof *v);
    v->type = type;
    v->span = 1;
    return v;
}

void scarce__json_close(scarce__json *json, scarce__json_stack *stack)
{
    const uint32_t at = stack->at[--stack->depth];
    json->values[at].span = (uint32_t)(json->n - at);
}

static scarce_status fail_at(const reader *r, const char *what)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < r->at && i < r->n; ++i) {
        ++column;
        if (r->bytes[i] == '\n') {
            ++line;
            column = 1;
        }
    }
    return scarce__fail(r->err, SCARCE_EPARSE, "json: %s at line %zu, column %zu", what, line, column);
}

static void skip_blanks(reader *r)
{
    while (r->at < r->n) {
        const char c = r->bytes[r->at];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
        ++r->at;
    }
}

static int hex4(const reader *r, size_t at, unsigned *code)
{
    *code = 0;
    if (r->n - at < 4) return 0;
    for (size_t i = 0; i < 4; ++i) {
        const char c = r->bytes[at + i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return 0;
        *code = *code * 16 + (unsigned)digit;
    }
    return 1;
}

static char *put_utf8(char *out, unsigned c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *out++ = (char)(0xe0 | c >> 12);
        } else {
            *out++ = (char)(0xf0 | c >> 18);
            *out++ = (char)(0x80 | (c >> 12 & 63));
        }
        *out++ = (char)(0x80 | (c >> 6 & 63));
    }
    *out++ = (char)(0x80 | (c & 63));
    return out;
}

/* r->at stands on the letter after the backslash; an escape of 6 bytes gives at most 3, so the text
 * never outgrows its source. */
static scarce_status read_escape(reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char c = r->at < r->n ? r->bytes[r->at] : '\0';
    const char *found = c ? strchr(from, c) : NULL;
    unsigned code, low;

    if (found) {
        *(*out)++ = to[found - from];
        ++r->at;
        return SCARCE_OK;
    }
    if (c != 'u' || !hex4(r, r->at + 1, &code)) return fail_at(r, "wrong escape");
    r->at += 5;
    if (code == 0) return fail_at(r, "the character U+0000 is not allowed");
    if (code >= 0xdc00 && code < 0xe000) return fail_at(r, "half of a surrogate pair");
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->n - r->at < 6 || r->bytes[r->at] != '\\' || r->bytes[r->at + 1] != 'u' ||
            !hex4(r, r->at + 2, &low) || low < 0xdc00 || low >= 0xe000)
            return fail_at(r, "half of a surrogate pair");
        r->at += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *out = put_utf8(*out, code);
    return SCARCE_OK;
}

static scarce_status read_string(reader *r, int key)
{
    scarce__json_value *v = scarce__json_append(r->json, &r->stack, SCARCE__JSON_STRING, key);
    char *const begin = r->json->strings + r->json->n_strings, *out = begin;

    if (!v) return scarce__fail_memory(r->err, "a json document", 0);
    for (++r->at; r->at < r->n;) {
        const unsigned char c = (unsigned char)r->bytes[r->at];
        if (c == '"') {
            ++r->at;
            *out++ = '\0';
            v->as.string = begin;
            if ((size_t)(out - begin) - 1 > UINT32_MAX / 2) return fail_at(r, "a string too long");
            v->count = (uint32_t)(out - begin - 1);
            r->json->n_strings += (size_t)(out - begin);
            return SCARCE_OK;
        }
        if (c < 32) return fail_at(r, "a control character inside a string");
        if (c == '\\') {
            ++r->at;
            SCARCE__TRY(read_escape(r, &out));
        } else {
            const size_t length = scarce__utf8_length(r->bytes + r->at, r->n - r->at);
            if (!length) return fail_at(r, "bytes that are not UTF-8");
            memcpy(out, r->bytes + r->at, length);
            out += length;
            r->at += length;
        }
    }
    return fail_at(r, "a string without end");
}

static size_t count_digits(const reader *r, size_t at)
{
    const size_t from = at;
    while (at < r->n && r->bytes[at] >= '0' && r->bytes[at] <= '9') ++at;
    return at - from;
}

/* JSON's grammar is narrower than what the conversion takes: no plus, no leading zeros, no bare point. */
static scarce_status read_number(reader *r)
{
    size_t at = r->at, digits;
    scarce__json_value *v;
    double number = 0;

    if (r->bytes[at] == '-') ++at;
    digits = count_digits(r, at);
    if (digits == 0 || (digits > 1 && r->bytes[at] == '0')) return fail_at(r, "not a json value");
    at += digits;
    if (at < r->n && r->bytes[at] == '.') {
        digits = count_digits(r, ++at);
        if (digits == 0) return fail_at(r, "a number without digits after its point");
        at += digits;
    }
    if (at < r->n && (r->bytes[at] == 'e' || r->bytes[at] == 'E')) {
        ++at;
        if (at < r->n && (r->bytes[at] == '-' || r->bytes[at] == '+')) ++at;
        digits = count_digits(r, at);
        if (digits == 0) return fail_at(r, "a number without exponent");
        at += digits;
    }
    if (scarce__parse_double(r->bytes + r->at, at - r->at, &number) != 1)
        return fail_at(r, "a number beyond the range of double");
    v = scarce__json_append(r->json, &r->stack, SCARCE__JSON_NUMBER, 0);
    if (!v) return scarce__fail_memory(r->err, "a json document", 0);
    v->as.number = number;
    r->at = at;
    return SCARCE_OK;
}

static const struct word {
    const char *text;
    scarce__json_type type;
    double number;
    int nonfinite;
} words[] = {
    {"null", SCARCE__JSON_NULL, 0, 0},
    {"true", SCARCE__JSON_TRUE, 0, 0},
    {"false", SCARCE__JSON_FALSE, 0, 0},
    {"NaN", SCARCE__JSON_NUMBER, (double)NAN, 1},
    {"Infinity", SCARCE__JSON_NUMBER, (double)INFINITY, 1},
    {"-Infinity", SCARCE__JSON_NUMBER, -(double)INFINITY, 1},
};

static scarce_status read_scalar(reader *r)
{
    const size_t left = r->n - r->at;

    if (r->bytes[r->at] == '"') return read_string(r, 0);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        const size_t length = strlen(words[i].text);
        scarce__json_value *v;
        if (words[i].nonfinite && !(r->flags & SCARCE__JSON_NONFINITE)) continue;
        if (left < length || memcmp(r->bytes + r->at, words[i].text, length) != 0) continue;
        v = scarce__json_append(r->json, &r->stack, words[i].type, 0);
        if (!v) return scarce__fail_memory(r->err, "a json document", 0);
        if (words[i].nonfinite) v->as.number = words[i].number;
        r->at += length;
        return SCARCE_OK;
    }
    return read_number(r);
}

static scarce_status open_bracket(reader *r, int object)
{
    scarce__json_value *v;

    if (r->stack.depth == SCARCE__JSON_DEPTH) return fail_at(r, "nested too deeply");
    v = scarce__json_append(r->json, &r->stack, object ? SCARCE__JSON_OBJECT : SCARCE__JSON_ARRAY, 0);
    if (!v) return scarce__fail_memory(r->err, "a json document", 0);
    r->stack.at[r->stack.depth++] = (uint32_t)(v - r->json->values);
    ++r->at;
    return SCARCE_OK;
}

static scarce_status read_key(reader *r)
{
    if (r->at >= r->n || r->bytes[r->at] != '"') return fail_at(r, "a key expected");
    SCARCE__TRY(read_string(r, 1));
    skip_blanks(r);
    if (r->at >= r->n || r->bytes[r->at] != ':') return fail_at(r, "a colon expected");
    ++r->at;
    skip_blanks(r);
    return SCARCE_OK;
}

/* After a value: closes what ends here, takes the comma. *more: another value follows. */
static scarce_status after_value(reader *r, int *more)
{
    *more = 0;
    while (r->stack.depth) {
        const int object = r->json->values[r->stack.at[r->stack.depth - 1]].type == SCARCE__JSON_OBJECT;
        skip_blanks(r);
        if (r->at >= r->n) return fail_at(r, "the text ends too early");
        if (r->bytes[r->at] == (object ? '}' : ']')) {
            ++r->at;
            scarce__json_close(r->json, &r->stack);
            continue;
        }
        if (r->bytes[r->at] != ',') return fail_at(r, "a comma or closing bracket expected");
        ++r->at;
        skip_blanks(r);
        *more = 1;
        return object ? read_key(r) : SCARCE_OK;
    }
    return SCARCE_OK;
}

static scarce_status read_document(reader *r)
{
    int more = 1;

    skip_blanks(r);
    while (more) {
        if (r->at >= r->n) return fail_at(r, "the text ends too early");
        if (r->bytes[r->at] == '[' || r->bytes[r->at] == '{') {
            const int object = r->bytes[r->at] == '{';
            SCARCE__TRY(open_bracket(r, object));
            skip_blanks(r);
            if (r->at < r->n && r->bytes[r->at] == (object ? '}' : ']')) {
                ++r->at;
                scarce__json_close(r->json, &r->stack);
            } else {
                if (object) SCARCE__TRY(read_key(r));
                continue;
            }
        } else {
            SCARCE__TRY(read_scalar(r));
        }
        SCARCE__TRY(after_value(r, &more));
    }
    skip_blanks(r);
    return r->at < r->n ? fail_at(r, "more text after the value") : SCARCE_OK;
}

scarce_status scarce__json_read(scarce__json **out, const char *bytes, size_t n, int flags, scarce_error *err)
{
    scarce__json *json = scarce__calloc(1, sizeof *json);
    scarce_status st;

    *out = NULL;
    if (json) json->strings = scarce__malloc(n + 1);
    if (!json || !json->strings) {
        scarce__json_free(json);
        return scarce__fail_memory(err, "a json document", n);
    }
    if (flags & SCARCE__JSON_UBJ) {
        st = scarce__json_read_ubj(json, bytes, n, err);
    } else {
        reader r = {bytes, n, 0, flags, json, {{0}, 0}, err};
        st = read_document(&r);
    }
    if (st != SCARCE_OK) {
        scarce__json_free(json);
        return st;
    }
    *out = json;
    return SCARCE_OK;
}
