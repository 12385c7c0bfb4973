/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/elementary.h"
#include "core/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define ELLIPSIS "\xe2\x80\xa6"
#define THIN_BLANK "\xe2\x80\xaf" /* U+202F: narrow, no line break */

/* U+0080..9F, U+200E, 200F, 2028..202E, 2066..2069, FEFF, and noncharacters at the end of the plane. */
static int is_treacherous(const unsigned char *p, size_t length)
{
    uint32_t c;
    if (length == 2) return p[0] == 0xc2 && p[1] < 0xa0;
    if (length != 3) return 0;
    c = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (uint32_t)(p[2] & 0x3f);
    return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
           c == 0xfeff || c >= 0xfffe;
}

/* Adds the character at `text` (if out isn't NULL) and returns how many bytes it took. */
static size_t one_character(scarce__text *out, const char *text)
{
    const size_t left = strnlen(text, 4), length = scarce__utf8_length(text, left);
    const char *escaped = NULL;

    if (length == 0 || is_treacherous((const unsigned char *)text, length)) escaped = REPLACEMENT;
    else if (length == 1) switch (*text) {
        case '&': escaped = "&amp;"; break;
        case '<': escaped = "&lt;"; break;
        case '>': escaped = "&gt;"; break;
        case '"': escaped = "&quot;"; break;
        case '\'': escaped = "&#39;"; break;
        case '\t':
        case '\n':
        case '\r': escaped = " "; break;
        default:
            if ((unsigned char)*text < 0x20 || *text == 0x7f) escaped = REPLACEMENT;
        }
    if (out && escaped) scarce__text_add(out, escaped);
    else if (out) scarce__text_add_bytes(out, text, length);
    return length ? length : 1;
}

size_t scarce__html_length(const char *text)
{
    size_t n = 0;
    for (; text && *text; ++n) text += one_character(NULL, text);
    return n;
}

void scarce__html_escape(scarce__text *out, const char *text)
{
    while (text && *text) text += one_character(out, text);
}

void scarce__html_escape_short(scarce__text *out, const char *text, size_t max)
{
    const size_t n = scarce__html_length(text), tail = (max - 1) / 3, head = max - 1 - tail;

    for (size_t i = 0; text && *text; ++i) {
        const int keep = n <= max || i < head || i >= n - tail;
        if (i == head && n > max) scarce__text_add(out, ELLIPSIS);
        text += one_character(keep ? out : NULL, text);
    }
}

void scarce__html_number(scarce__text *out, double value, int digits)
{
    char plain[32];
    int n;

    if (isnan(value)) scarce__text_add(out, "n/a");
    else if (value == 0) scarce__text_add_char(out, '0');
    else if (fabs(value) >= 1e15 || (value != floor(value) && fabs(value) < scarce__pow(10, digits - 1)))
        scarce__text_digits(out, value, digits < 1 ? 1 : digits > 17 ? 17 : digits);
    else {
        n = snprintf(plain, sizeof plain, "%.0f", fabs(value));
        if (value < 0) scarce__text_add_char(out, '-');
        for (int i = 0; i < n; ++i) {
            if (i && (n - i) % 3 == 0 && n > 4) scarce__text_add(out, THIN_BLANK);
            scarce__text_add_char(out, plain[i]);
        }
    }
}

void scarce__html_raw(scarce__text *out, double value)
{
    scarce__text_double(out, value);
}
