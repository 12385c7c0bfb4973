/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer. Whether a comma is due follows from the last byte: none at the beginning, after an
 * opening bracket, a colon or a newline. A string can't confuse this, it ends with its quote. */
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/utf8.h"

static void separate(scarce__text *t)
{
    if (t->n == 0) return;
    switch (t->bytes[t->n - 1]) {
    case '{':
    case '[':
    case ':':
    case ',':
    case '\n': return;
    default: scarce__text_add_char(t, ',');
    }
}

void scarce__json_begin_object(scarce__text *t)
{
    separate(t);
    scarce__text_add_char(t, '{');
}

void scarce__json_end_object(scarce__text *t)
{
    scarce__text_add_char(t, '}');
}

void scarce__json_begin_array(scarce__text *t)
{
    separate(t);
    scarce__text_add_char(t, '[');
}

void scarce__json_end_array(scarce__text *t)
{
    scarce__text_add_char(t, ']');
}

static void add_quoted(scarce__text *t, const char *bytes, size_t n)
{
    size_t from = 0;

    scarce__text_add_char(t, '"');
    for (size_t i = 0; i < n;) {
        const unsigned char c = (unsigned char)bytes[i];
        const size_t length = scarce__utf8_length(bytes + i, n - i);
        /* U+0080 to U+009F are control characters too, and terminals obey them */
        const int control = length == 2 && c == 0xc2 && (unsigned char)bytes[i + 1] < 0xa0;
        if (length && c >= 32 && c != '"' && c != '\\' && c != 127 && !control) {
            i += length;
            continue;
        }
        scarce__text_add_bytes(t, bytes + from, i - from);
        if (c == '"' || c == '\\') scarce__text_addf(t, "\\%c", c);
        else if (c == '\n') scarce__text_add(t, "\\n");
        else if (c == '\t') scarce__text_add(t, "\\t");
        else if (c == '\r') scarce__text_add(t, "\\r");
        else if (length == 0) scarce__text_add(t, "\\ufffd");
        else scarce__text_addf(t, "\\u%04x", control ? (unsigned char)bytes[++i] : c);
        from = ++i;
    }
    scarce__text_add_bytes(t, bytes + from, n - from);
    scarce__text_add_char(t, '"');
}

void scarce__json_key(scarce__text *t, const char *name)
{
    separate(t);
    add_quoted(t, name, strlen(name));
    scarce__text_add_char(t, ':');
}

void scarce__json_string_n(scarce__text *t, const char *bytes, size_t n)
{
    separate(t);
    add_quoted(t, bytes, n);
}

void scarce__json_string(scarce__text *t, const char *string)
{
    if (string) scarce__json_string_n(t, string, strlen(string));
    else scarce__json_null(t);
}

void scarce__json_number(scarce__text *t, double value)
{
    separate(t);
    if (isfinite(value)) scarce__text_double(t, value);
    else scarce__text_add(t, "null");
}

void scarce__json_float(scarce__text *t, float value)
{
    separate(t);
    if (isfinite(value)) scarce__text_float(t, value);
    else scarce__text_add(t, "null");
}

void scarce__json_integer(scarce__text *t, int64_t value)
{
    separate(t);
    scarce__text_addf(t, "%lld", (long long)value);
}

void scarce__json_boolean(scarce__text *t, int value)
{
    separate(t);
    scarce__text_add(t, value ? "true" : "false");
}

void scarce__json_null(scarce__text *t)
{
    separate(t);
    scarce__text_add(t, "null");
}

void scarce__json_field_string(scarce__text *t, const char *name, const char *value)
{
    scarce__json_key(t, name);
    scarce__json_string(t, value);
}

void scarce__json_field_number(scarce__text *t, const char *name, double value)
{
    scarce__json_key(t, name);
    scarce__json_number(t, value);
}

void scarce__json_field_integer(scarce__text *t, const char *name, int64_t value)
{
    scarce__json_key(t, name);
    scarce__json_integer(t, value);
}

void scarce__json_field_boolean(scarce__text *t, const char *name, int value)
{
    scarce__json_key(t, name);
    scarce__json_boolean(t, value);
}
