/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"

void scarce__text_deinit(scarce__text *text)
{
    scarce__free(text->bytes);
    memset(text, 0, sizeof *text);
}

/* Room for n more bytes and the NUL; 0 when there is none. */
static int reserve(scarce__text *text, size_t n)
{
    size_t capacity = text->capacity ? text->capacity : 64;
    char *bytes;

    if (text->failed) return 0;
    if (n < text->capacity - text->n && text->capacity) return 1;
    while (capacity - text->n <= n) {
        if (capacity > SIZE_MAX / 4) {
            text->failed = 1;
            return 0;
        }
        capacity *= 2;
    }
    bytes = scarce__realloc_array(text->bytes, capacity, 1);
    if (!bytes) {
        text->failed = 1;
        return 0;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return 1;
}

void scarce__text_add_bytes(scarce__text *text, const char *bytes, size_t n)
{
    if (!reserve(text, n)) return;
    if (n) memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
    text->bytes[text->n] = '\0';
}

void scarce__text_add(scarce__text *text, const char *string)
{
    scarce__text_add_bytes(text, string, strlen(string));
}

void scarce__text_add_char(scarce__text *text, char c)
{
    scarce__text_add_bytes(text, &c, 1);
}

void scarce__text_clean(scarce__text *text)
{
    char *line = text->bytes, *end;
    if (text->failed || !line) return;
    for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        scarce_printable(line);
        *end = '\n';
    }
    scarce_printable(line);
}

void scarce__text_addf(scarce__text *text, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) {
        text->failed = 1;
        return;
    }
    if (!reserve(text, (size_t)n)) return;
    va_start(args, format);
    (void)vsnprintf(text->bytes + text->n, (size_t)n + 1, format, args);
    va_end(args);
    text->n += (size_t)n;
}

/* ---- Numbers to text. printf and strtod round correctly but write and expect the locale's point; a
 * number written as DIGITSeEXPONENT has no point, and so means the same everywhere. */

typedef struct decimal {
    char digits[24]; /* without sign and trailing zeros; at least one */
    int n;
    int exponent; /* value = 0.d1d2d3... * 10^exponent */
} decimal;

static decimal to_decimal(double magnitude, int n_digits)
{
    char buffer[64];
    decimal d = {{0}, 0, 0};
    const char *p = buffer;

    (void)snprintf(buffer, sizeof buffer, "%.*e", n_digits - 1, magnitude);
    for (; *p && *p != 'e'; ++p) /* skips the point, whatever its bytes */
        if (*p >= '0' && *p <= '9' && d.n < 20) d.digits[d.n++] = *p;
    d.exponent = (*p == 'e' ? atoi(p + 1) : 0) + 1;
    while (d.n > 1 && d.digits[d.n - 1] == '0') --d.n;
    return d;
}

static double from_decimal(const decimal *d, int is_float)
{
    char buffer[48];
    (void)snprintf(buffer, sizeof buffer, "%.*se%d", d->n, d->digits, d->exponent - d->n);
    return is_float ? (double)strtof(buffer, NULL) : strtod(buffer, NULL);
}

static void add_decimal(scarce__text *text, const decimal *d, int negative)
{
    char out[64];
    int n = 0;

    if (negative) out[n++] = '-';
    if (d->exponent > 0 && d->exponent <= 17) { /* 123, 1200, 1.5 */
        for (int i = 0; i < d->exponent; ++i) out[n++] = i < d->n ? d->digits[i] : '0';
        if (d->n > d->exponent) out[n++] = '.';
        for (int i = d->exponent; i < d->n; ++i) out[n++] = d->digits[i];
    } else if (d->exponent <= 0 && d->exponent > -5) { /* 0.00012 */
        out[n++] = '0';
        out[n++] = '.';
        for (int i = d->exponent; i < 0; ++i) out[n++] = '0';
        for (int i = 0; i < d->n; ++i) out[n++] = d->digits[i];
    } else {
        out[n++] = d->digits[0];
        if (d->n > 1) out[n++] = '.';
        for (int i = 1; i < d->n; ++i) out[n++] = d->digits[i];
        n += snprintf(out + n, sizeof out - (size_t)n, "e%d", d->exponent - 1);
    }
    scarce__text_add_bytes(text, out, (size_t)n);
}

/* What isn't a nonzero finite number; 0 when it is one. */
static int add_special(scarce__text *text, double value)
{
    if (isnan(value)) scarce__text_add(text, "nan");
    else if (isinf(value)) scarce__text_add(text, value < 0 ? "-inf" : "inf");
    else if (value == 0) scarce__text_add(text, signbit(value) ? "-0" : "0");
    else return 0;
    return 1;
}

/* Any decimal of `safe` digits survives the way to binary and back, so when a number has a text that
 * short, printing `safe` digits finds it (followed by zeros). Subnormals have fewer bits: from 1 on. */
static void add_shortest(scarce__text *text, double value, int is_float)
{
    const double magnitude = fabs(value);
    const int subnormal = magnitude < (is_float ? (double)FLT_MIN : DBL_MIN);
    const int most = is_float ? 9 : 17;
    decimal d;

    if (add_special(text, value)) return;
    for (int digits = subnormal ? 1 : is_float ? 6 : 15;; ++digits) {
        d = to_decimal(magnitude, digits);
        if (digits >= most || from_decimal(&d, is_float) == magnitude) break;
    }
    add_decimal(text, &d, value < 0);
}

void scarce__text_double(scarce__text *text, double value)
{
    add_shortest(text, value, 0);
}

void scarce__text_float(scarce__text *text, float value)
{
    add_shortest(text, (double)value, 1);
}

void scarce__text_digits(scarce__text *text, double value, int digits)
{
    decimal d;

    if (add_special(text, value)) return;
    d = to_decimal(fabs(value), digits < 1 ? 1 : digits > 17 ? 17 : digits);
    add_decimal(text, &d, value < 0);
}

int scarce__ends_with(const char *text, size_t n, const char *end)
{
    const size_t k = strlen(end);
    return n >= k && strncasecmp(text + n - k, end, k) == 0;
}

/* ---- sentences */

/* One conversion such as "%+.4g" at *format, into out; *format goes behind it. */
static int print_one(char *out, size_t size, const char **format, va_list *args)
{
    char spec[24];
    const char *c = *format + 1;
    size_t n, longs = 0;
    int made;

    c += strspn(c, "-+ #0");
    c += strspn(c, "0123456789.");
    for (; *c == 'l' || *c == 'z'; ++c) ++longs;
    n = *c ? (size_t)(c + 1 - *format) : (size_t)(c - *format);
    if (!*c || n >= sizeof spec) return -1;
    memcpy(spec, *format, n);
    spec[n] = '\0';
    *format = c + 1;
    if (strchr("gfe", *c)) {
        const double value = va_arg(*args, double);
        made = snprintf(out, size, spec, value);
        for (size_t i = 0; out && i < size && out[i]; ++i)
            if (!strchr("+-0123456789einfa ", out[i])) out[i] = '.';
        return made;
    }
    if (*c == 's') return snprintf(out, size, spec, va_arg(*args, const char *));
    if (longs > 1) return snprintf(out, size, spec, va_arg(*args, long long));
    if (longs == 1) return snprintf(out, size, spec, va_arg(*args, size_t));
    return snprintf(out, size, spec, va_arg(*args, int));
}

int scarce__print(char *out, size_t size, const char *format, ...)
{
    size_t used = 0;
    va_list args;

    va_start(args, format);
    while (*format) {
        char *at = used < size ? out + used : NULL;
        const size_t room = at ? size - used : 0;
        int n = 1;
        if (*format != '%' || format[1] == '%') {
            if (room > 1) at[0] = *format, at[1] = '\0';
            format += *format == '%' ? 2 : 1;
        } else n = print_one(at, room, &format, &args);
        if (n < 0) break;
        used += (size_t)n;
    }
    va_end(args);
    if (size && used == 0) out[0] = '\0';
    return (int)used;
}
