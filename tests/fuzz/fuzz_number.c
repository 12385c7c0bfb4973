/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to numbers against strtod and strtof (the program runs in the C locale), and numbers to the
 * shortest text and back. The bytes are a text first and then, eight at a time, doubles. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "core/text.h"
#include "fuzz.h"

/* Is it [+-] digits [. digits] [e [+-] digits] or an infinity? The slow obvious way. */
static int is_number(const char *s)
{
    size_t digits = 0;
    s += *s == '+' || *s == '-';
    if (strcasecmp(s, "inf") == 0 || strcasecmp(s, "infinity") == 0) return 1;
    for (; *s >= '0' && *s <= '9'; ++s) ++digits;
    if (*s == '.')
        for (++s; *s >= '0' && *s <= '9'; ++s) ++digits;
    if (digits == 0) return 0;
    if (*s == 'e' || *s == 'E') {
        ++s;
        s += *s == '+' || *s == '-';
        if (*s < '0' || *s > '9') return 0;
        while (*s >= '0' && *s <= '9') ++s;
    }
    return *s == '\0';
}

static void check_text(const char *text, size_t n)
{
    double d = -7;
    float f = -7;
    const int whole = strlen(text) == n && is_number(text);
    const int got = scarce__parse_double(text, n, &d), got_f = scarce__parse_float(text, n, &f);
    MUST((got != 0) == whole && (got_f != 0) == whole);
    if (!whole) return;
    const double want = strtod(text, NULL);
    const float want_f = strtof(text, NULL);
    const int spelled = strpbrk(text, "nN") != NULL; /* "inf" */
    MUST(memcmp(&d, &want, sizeof d) == 0 && memcmp(&f, &want_f, sizeof f) == 0);
    MUST(got == (isinf(d) && !spelled ? 2 : 1) && got_f == (isinf(f) && !spelled ? 2 : 1));
}

static void check_bits(const uint8_t *bytes)
{
    scarce__text t = SCARCE__TEXT_INIT;
    double d, back = -7;
    float f, back_f = -7;
    memcpy(&d, bytes, sizeof d);
    memcpy(&f, bytes, sizeof f);
    if (!isnan(d)) {
        scarce__text_double(&t, d);
        MUST(!t.failed && t.n <= 26 && scarce__parse_double(t.bytes, t.n, &back) == 1);
        MUST(memcmp(&back, &d, sizeof d) == 0);
    }
    scarce__text_deinit(&t);
    if (!isnan(f)) {
        scarce__text_float(&t, f);
        MUST(!t.failed && t.n <= 26 && scarce__parse_float(t.bytes, t.n, &back_f) == 1);
        MUST(memcmp(&back_f, &f, sizeof f) == 0);
    }
    scarce__text_deinit(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *exact = malloc(size ? size : 1);
    MUST(text && exact);
    if (size) memcpy(text, data, size);
    if (size) memcpy(exact, data, size);
    text[size] = '\0';
    check_text(text, size);
    double a = 0, b = 0;
    const int with = scarce__parse_double(text, size, &a), without = scarce__parse_double(exact, size, &b);
    MUST(with == without && memcmp(&a, &b, sizeof a) == 0); /* nothing behind the end matters */
    for (size_t i = 0; i + 8 <= size; i += 8) check_bits(data + i);
    free(text);
    free(exact);
    return 0;
}
