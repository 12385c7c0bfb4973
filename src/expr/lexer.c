/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/lexer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/utf8.h"
#include "expr/value.h"

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_name_char(char c)
{
    return is_letter(c) || is_digit(c);
}

static int hex_digit(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

scarce__lexer scarce__lexer_of(const char *text, size_t length, int line, int column)
{
    const scarce__lexer l = {text, text + length, line > 0 ? line : 1, column > 0 ? column : 1, 1};
    return l;
}

/* Goes on to `to`, counting lines and characters. */
static void advance(scarce__lexer *l, const char *to)
{
    for (; l->at < to; ++l->at) {
        if (*l->at == '\n') {
            ++l->line;
            l->column = 1;
            l->begins_line = 1;
        } else if (((unsigned char)*l->at & 0xc0) != 0x80) {
            ++l->column;
        }
    }
}

/* Past blanks and comments. */
static void skip(scarce__lexer *l)
{
    while (l->at < l->end) {
        const char c = *l->at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            advance(l, l->at + 1);
        } else if (c == '#' || (c == '/' && l->end - l->at > 1 && l->at[1] == '/')) {
            const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
            advance(l, stop ? stop : l->end);
        } else {
            return;
        }
    }
}

static scarce__token bad(scarce__token t, size_t length, const char *what)
{
    t.kind = SCARCE__TOKEN_BAD;
    t.length = length;
    t.what = what;
    return t;
}

/* ---- Texts */

/* How many hexadecimal digits stand behind the letter of an escape. */
static int escape_digits(char c)
{
    return c == 'x' ? 2 : c == 'u' ? 4 : 0;
}

/* The escape at p, which is a backslash: its bytes (0: wrong) and the character it means. */
static size_t escape_of(const char *p, const char *end, uint32_t *c)
{
    static const char letters[] = "\"'`\\ntr", meant[] = "\"'`\\\n\t\r";
    const char *which;
    int n;

    if (end - p < 2) return 0;
    which = p[1] ? strchr(letters, p[1]) : NULL;
    if (which) {
        *c = (uint32_t)meant[which - letters];
        return 2;
    }
    n = escape_digits(p[1]);
    if (n == 0 || end - p < 2 + n) return 0;
    *c = 0;
    for (int i = 0; i < n; ++i) {
        const int d = hex_digit(p[2 + i]);
        if (d < 0) return 0;
        *c = 16 * *c + (uint32_t)d;
    }
    if (*c == 0 || (*c >= 0xd800 && *c < 0xe000)) return 0;
    return 2 + (size_t)n;
}

static scarce__token quoted(scarce__lexer *l, scarce__token t)
{
    const char quote = *l->at, *p = l->at + 1;
    uint32_t c;

    t.kind = quote == '`' ? SCARCE__TOKEN_NAME : SCARCE__TOKEN_TEXT;
    while (p < l->end && *p != quote) {
        const size_t n = *p == '\\' ? escape_of(p, l->end, &c) : scarce__utf8_length(p, (size_t)(l->end - p));
        if (n == 0 && *p == '\\')
            return bad(t, 1, "an escape in this text is none of \\\" \\' \\` \\\\ \\n \\t \\r \\xHH \\uHHHH");
        if (n == 0) return bad(t, 1, "this text is not UTF-8");
        if ((unsigned char)*p < 32 && *p != '\t' && *p != '\n' && *p != '\r')
            return bad(t, 1, "this text has a control character in it; write it as \\xHH");
        if (quote == '`' && *p == '\n') break;
        p += n;
    }
    if (p >= l->end || *p != quote)
        return bad(t, 1,
                   quote == '`' ? "the name that begins here has no end (`)"
                                : "the text that begins here has no end");
    t.length = (size_t)(p + 1 - l->at);
    if (quote == '`' && t.length == 2) return bad(t, 2, "a name is empty");
    return t;
}

static void add_utf8(scarce__text *out, uint32_t c)
{
    if (c < 0x80) {
        scarce__text_add_char(out, (char)c);
    } else if (c < 0x800) {
        scarce__text_add_char(out, (char)(0xc0 | c >> 6));
        scarce__text_add_char(out, (char)(0x80 | (c & 0x3f)));
    } else {
        scarce__text_add_char(out, (char)(0xe0 | c >> 12));
        scarce__text_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        scarce__text_add_char(out, (char)(0x80 | (c & 0x3f)));
    }
}

void scarce__token_value(const scarce__token *t, scarce__text *out)
{
    const char *p = t->at, *end = t->at + t->length;

    if (t->length == 0 || !strchr("\"'`", *p)) {
        scarce__text_add_bytes(out, p, t->length);
        return;
    }
    for (++p, --end; p < end;) {
        uint32_t c = 0;
        const char *stop = memchr(p, '\\', (size_t)(end - p));
        if (!stop) stop = end;
        scarce__text_add_bytes(out, p, (size_t)(stop - p));
        p = stop;
        if (p == end) break;
        p += escape_of(p, end, &c);
        add_utf8(out, c);
    }
}

int scarce__token_is(const scarce__token *t, const char *word)
{
    return t->kind == SCARCE__TOKEN_NAME && strlen(word) == t->length && memcmp(t->at, word, t->length) == 0;
}

/* ---- Numbers */

static const char *digits(const char *p, const char *end)
{
    while (p < end && is_digit(*p)) ++p;
    return p;
}

static scarce__token number(scarce__lexer *l, scarce__token t)
{
    const char *p = digits(l->at, l->end), *end = l->end;

    if (end - p > 1 && *p == '.' && is_digit(p[1])) p = digits(p + 1, end);
    if (end - p > 1 && (*p | 32) == 'e' &&
        (is_digit(p[1]) || (end - p > 2 && (p[1] == '+' || p[1] == '-') && is_digit(p[2]))))
        p = digits(p + 2, end);
    t.length = (size_t)(p - l->at);
    t.kind = SCARCE__TOKEN_NUMBER;
    if (scarce__parse_double(l->at, t.length, &t.number) != 1)
        return bad(t, t.length, "this number is too large");
    if (p == end || !is_name_char(*p)) return t;
    const char *stop = p;
    while (stop < end && is_name_char(*stop)) ++stop;
    t.length = (size_t)(stop - l->at);
    if (stop - p > 1 || !strchr("smhdw", *p) || !scarce__parse_span(l->at, t.length, &t.number))
        return bad(t, t.length, "letters follow a number; a span of time is written 30s, 15m, 6h, 7d or 2w");
    t.kind = SCARCE__TOKEN_SPAN;
    return t;
}

/* ---- Signs */

static scarce__token sign(scarce__lexer *l, scarce__token t)
{
    static const char pairs[][3] = {"==", "!=", "<=", ">=", "&&", "||", "<>"};
    const char c = *l->at;

    t.kind = SCARCE__TOKEN_SIGN;
    if (l->end - l->at > 1)
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i)
            if (c == pairs[i][0] && l->at[1] == pairs[i][1]) {
                t.sign = SCARCE__SIGN(pairs[i][0], pairs[i][1]);
                t.length = 2;
                return t;
            }
    t.sign = c;
    t.length = 1;
    if (c && strchr("+-*/%()[]{},:?.!<>=&|;", c)) return t;
    t.length = (unsigned char)c < 0x80 ? 1 : scarce__utf8_length(l->at, (size_t)(l->end - l->at));
    if (t.length == 0) return bad(t, 1, "this is not UTF-8");
    if ((unsigned char)c < 32 || c == 127) return bad(t, 1, "a control character stands here");
    return bad(t, t.length,
               "this character means nothing here; a name that has it is written in backticks: `...`");
}

scarce__token scarce__lexer_next(scarce__lexer *l)
{
    scarce__token t;

    skip(l);
    memset(&t, 0, sizeof t);
    t.at = l->at;
    t.line = l->line;
    t.column = l->column;
    t.begins_line = l->begins_line;
    l->begins_line = 0;
    if (l->at == l->end) return t;
    const char c = *l->at;
    if (is_letter(c)) {
        t.kind = SCARCE__TOKEN_NAME;
        while (t.length < (size_t)(l->end - l->at) && is_name_char(l->at[t.length])) ++t.length;
    } else if (is_digit(c) || (c == '.' && l->end - l->at > 1 && is_digit(l->at[1]))) {
        t = number(l, t);
    } else if (c == '"' || c == '\'' || c == '`') {
        t = quoted(l, t);
    } else {
        t = sign(l, t);
    }
    advance(l, t.at + t.length);
    l->begins_line = 0; /* a text may have gone over lines */
    return t;
}

/* ---- Writing */

int scarce__is_plain_name(const char *name)
{
    static const char *const words[] = {"true", "false", "null", "in"};

    if (!is_letter(*name)) return 0;
    for (const char *p = name; *p; ++p)
        if (!is_name_char(*p)) return 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (strcmp(words[i], name) == 0) return 0;
    return 1;
}

static void add_escaped(scarce__text *out, const char *text, size_t length, char quote)
{
    scarce__text_add_char(out, quote);
    for (size_t i = 0; i < length; ++i) {
        const char c = text[i];
        if (c == quote || c == '\\') scarce__text_add_char(out, '\\');
        if (c == '\n') scarce__text_add(out, "\\n");
        else if ((unsigned char)c < 32 && c != '\t')
            scarce__text_addf(out, "\\x%02x", (unsigned)(unsigned char)c);
        else scarce__text_add_char(out, c);
    }
    scarce__text_add_char(out, quote);
}

void scarce__add_name(scarce__text *out, const char *name)
{
    if (scarce__is_plain_name(name)) scarce__text_add(out, name);
    else add_escaped(out, name, strlen(name), '`');
}

void scarce__add_quoted(scarce__text *out, const char *text, size_t length)
{
    add_escaped(out, text, length, '"');
}

scarce_status scarce__fail_at(scarce_error *err, const char *file, int line, int column, const char *format,
                              ...)
{
    char text[sizeof err->text];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return scarce__fail(err, SCARCE_EPARSE, "%.200s%s%d:%d: %s", file ? file : "", file ? ":" : "", line,
                        column, text);
}
