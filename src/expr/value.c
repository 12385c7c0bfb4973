/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/value.h"

#include <math.h>

#include "core/number.h"
#include "data/times.h"

static const char *const names[] = {"any", "bool", "number", "text", "time", "span", "number", "any"};

const char *scarce__type_name(scarce__type type)
{
    return names[type];
}

const char *scarce_value_type_name(scarce_value_type type)
{
    return type == SCARCE_VALUE_FLAG                    ? "flag"
           : (int)type >= 0 && type < SCARCE_VALUE_FLAG ? names[type]
                                                        : "any";
}

scarce__type scarce__type_of(const char *name, size_t length)
{
    for (int t = SCARCE__BOOLEAN; t <= SCARCE__SPAN; ++t)
        if (strlen(names[t]) == length && memcmp(names[t], name, length) == 0) return (scarce__type)t;
    return SCARCE__ANY;
}

static unsigned char lower(char c, int folded)
{
    return (unsigned char)(folded && c >= 'A' && c <= 'Z' ? c + 32 : c);
}

int scarce__value_compare_text(const scarce__value *a, const scarce__value *b)
{
    const size_t n = a->size < b->size ? a->size : b->size;

    if (!a->folded && !b->folded) {
        const int c = memcmp(a->as.text, b->as.text, n);
        if (c) return c;
    } else {
        for (size_t i = 0; i < n; ++i) {
            const int c = lower(a->as.text[i], a->folded) - lower(b->as.text[i], b->folded);
            if (c) return c;
        }
    }
    return (a->size > b->size) - (a->size < b->size);
}

/* ---- Spans */

static const struct {
    const char *name;
    double seconds;
} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
             {"m", 60},    {"h", 3600},  {"d", 86400}, {"w", 604800}};

int scarce__parse_span(const char *text, size_t length, double *seconds)
{
    const char *p = text, *end = text + length;
    double sum = 0;
    int parts = 0;
    const int negative = p < end && *p == '-';

    if (p < end && (*p == '-' || *p == '+')) ++p;
    while (p < end) {
        const char *from = p;
        double x, unit = 0;
        while (p < end && ((*p >= '0' && *p <= '9') || *p == '.')) ++p;
        if (p == from || scarce__parse_double(from, (size_t)(p - from), &x) != 1) return 0;
        from = p;
        while (p < end && *p >= 'a' && *p <= 'z') ++p;
        for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
            if (strlen(units[i].name) == (size_t)(p - from) &&
                memcmp(units[i].name, from, (size_t)(p - from)) == 0)
                unit = units[i].seconds;
        if (unit == 0) return 0;
        sum += x * unit;
        ++parts;
    }
    *seconds = negative ? -sum : sum;
    return parts > 0 && isfinite(sum);
}

/* "2 d 3 h", the two largest parts; below a minute in seconds. */
static void add_span(scarce__text *out, double seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } parts[] = {{"d", 86400}, {"h", 3600}, {"m", 60}};
    double left = fabs(seconds);

    if (seconds < 0) scarce__text_add_char(out, '-');
    for (size_t i = 0; i < 3; ++i) {
        if (left < parts[i].seconds) continue;
        const double n = floor(left / parts[i].seconds);
        const double rest = left - n * parts[i].seconds, next = i < 2 ? parts[i + 1].seconds : 1;
        scarce__text_digits(out, n, 15);
        scarce__text_addf(out, " %s", parts[i].name);
        if (rest >= next) {
            scarce__text_addf(out, " %d %s", (int)floor(rest / next), i < 2 ? parts[i + 1].name : "s");
        }
        return;
    }
    scarce__text_digits(out, left, 3);
    scarce__text_add(out, " s");
}

/* ---- For people */

void scarce__add_decimals(scarce__text *out, double number, int digits)
{
    char text[400];

    if (digits < 0) {
        scarce__text_digits(out, number, fabs(number) >= 1e6 && fabs(number) < 1e15 ? 15 : 6);
        return;
    }
    static const char formats[10][5] = {"%.0f", "%.1f", "%.2f", "%.3f", "%.4f",
                                        "%.5f", "%.6f", "%.7f", "%.8f", "%.9f"};
    (void)scarce__print(text, sizeof text, formats[digits < 9 ? digits : 9], number);
    scarce__text_add(out, text);
}

void scarce__value_add(scarce__text *out, const scarce__value *v, scarce__type type, int digits)
{
    char text[32];

    if (!v->known) {
        scarce__text_add(out, "(missing)");
        return;
    }
    switch (type) {
    case SCARCE__BOOLEAN: scarce__text_add(out, v->as.number != 0 ? "true" : "false"); return;
    case SCARCE__WORD:
        for (uint32_t i = 0; i < v->size; ++i)
            scarce__text_add_char(out, (char)lower(v->as.text[i], v->folded));
        return;
    case SCARCE__TIME:
        scarce__format_time(text, v->as.number, fmod(v->as.number, 86400) != 0);
        scarce__text_add(out, text);
        return;
    case SCARCE__SPAN: add_span(out, v->as.number); return;
    default: scarce__add_decimals(out, v->as.number, digits); return;
    }
}

/* ---- Floats of tables */

/* d(f) is the decimal of the fewest places behind the point that rounds to f, nearest to f among them: the text that
 * scarce__text_float writes, which tries the same. A whole number k of up to 2^24 divided by 10, ..., 10^6 is rounded
 * once, so it is the double of that decimal. */
double scarce__decimal_of_float(float value)
{
    static const double powers[] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    const double x = (double)value, size = fabs(x);
    scarce__text t = SCARCE__TEXT_INIT;
    double exact = x;

    if (!(size < 16777216)) {
        if (!isfinite(x)) return x;
    } else if (x == floor(x)) {
        return x;
    } else if (size >= 1e-3) {
        for (size_t i = 0; i < sizeof powers / sizeof powers[0]; ++i) {
            const double k = nearbyint(x * powers[i]);
            if (fabs(k) >= 9007199254740992.0) break;
            if ((float)(k / powers[i]) == value) return k / powers[i];
        }
    }
    scarce__text_float(&t, value);
    if (!t.failed) (void)scarce__parse_double(t.bytes, t.n, &exact);
    scarce__text_deinit(&t);
    return exact;
}
