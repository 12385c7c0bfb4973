/* SPDX-License-Identifier: Apache-2.0 */
/* JSON and tables of metrics to stdout. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static int need_comma;

static void separate(void)
{
    if (need_comma) putchar(',');
    need_comma = 0;
}

void json_open(char bracket)
{
    separate();
    putchar(bracket);
}

void json_close(char bracket)
{
    putchar(bracket);
    need_comma = 1;
}

/* Bytes of the UTF-8 character at `text` (which is not ASCII); 0 when it is none. */
static size_t utf8_length(const unsigned char *text)
{
    const unsigned char c = text[0];
    const size_t n = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;

    if (n == 0 || c > 0xf4) return 0;
    for (size_t i = 1; i < n; ++i)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90)) return 0; /* longer than need be */
    if ((c == 0xed && text[1] > 0x9f) || (c == 0xf4 && text[1] > 0x8f))
        return 0; /* surrogates, beyond the last */
    return n;
}

/* A file's name may hold any bytes, a JSON document only UTF-8: what isn't becomes U+FFFD. */
static void put_string(const char *text)
{
    putchar('"');
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const size_t n = c < 128 ? 1 : utf8_length((const unsigned char *)text);
        if (n == 0) fputs("\\ufffd", stdout);
        else if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c < 32 || c == 127) printf("\\u%04x", c);
        else if (c == 0xc2 && (unsigned char)text[1] < 0xa0) /* terminals obey these too */
            printf("\\u%04x", (unsigned char)text[1]);
        else fwrite(text, 1, n, stdout);
        text += n ? n : 1;
    }
    putchar('"');
}

void json_key(const char *key)
{
    separate();
    put_string(key);
    putchar(':');
}

void json_text(const char *value)
{
    separate();
    if (value) put_string(value);
    else fputs("null", stdout);
    need_comma = 1;
}

size_t format_number(char *text, double value)
{
    static const int digits[] = {6, 15, 16, 17};
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        n = snprintf(text, 32, "%.*g", digits[i], value);
        if (strtod(text, NULL) == value) break;
    }
    return (size_t)n;
}

void json_number(double value)
{
    char text[32];
    separate();
    if (isfinite(value)) {
        format_number(text, value);
        fputs(text, stdout);
    } else fputs("null", stdout);
    need_comma = 1;
}

void json_count(size_t value)
{
    separate();
    printf("%zu", value);
    need_comma = 1;
}

void json_bool(int value)
{
    separate();
    fputs(value ? "true" : "false", stdout);
    need_comma = 1;
}

void json_end(void)
{
    putchar('\n');
    need_comma = 0;
}

void print_metrics_json(const scarce_metrics *m)
{
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        json_key(scarce_metric_name(i));
        json_number(scarce_metric_value(m, i));
    }
}

void print_metrics_table(const scarce_metrics *m)
{
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        const double v = scarce_metric_value(m, i);
        if (isnan(v)) printf("%-24s %12s\n", scarce_metric_name(i), "n/a");
        else if (scarce_metric_is_count(i) && v == floor(v))
            printf("%-24s %12.0f\n", scarce_metric_name(i), v);
        else printf("%-24s %12.6g\n", scarce_metric_name(i), v);
    }
}
