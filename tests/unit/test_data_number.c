/* SPDX-License-Identifier: Apache-2.0 */
/* The parser against strtof and strtod of the C library (in the "C" locale of a test program). */
#include <stdint.h>
#include <stdlib.h>

#include "core/number.h"
#include "core/random.h"
#include "test.h"

static void check_text(const char *text)
{
    const size_t n = strlen(text);
    const float wf = strtof(text, NULL);
    const double wd = strtod(text, NULL);
    const int literal = strpbrk(text, "iI") != NULL;
    float f = -77;
    double d = -77;
    const int cf = scarce__parse_float(text, n, &f), cd = scarce__parse_double(text, n, &d);

    if (memcmp(&f, &wf, sizeof f) != 0 || cf != (isinf(wf) && !literal ? 2 : 1)) {
        fprintf(stderr, "float of %.60s (%zu): %a (code %d), want %a\n", text, n, (double)f, cf, (double)wf);
        ++test_failures;
    }
    if (memcmp(&d, &wd, sizeof d) != 0 || cd != (isinf(wd) && !literal ? 2 : 1)) {
        fprintf(stderr, "double of %.60s (%zu): %a (code %d), want %a\n", text, n, d, cd, wd);
        ++test_failures;
    }
}

static void test_chosen(void)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+0",
                                        "0.0",
                                        "-0.000",
                                        "0e999999999999999999999",
                                        "1",
                                        "-1",
                                        "+1.5",
                                        "00012",
                                        "000.00012e+00003",
                                        "5.",
                                        ".5",
                                        "-.5e1",
                                        "1e5",
                                        "1E+5",
                                        "1e-5",
                                        "inf",
                                        "-INF",
                                        "Infinity",
                                        "+infinity",
                                        "16777217",
                                        "16777219",
                                        "33554434.5",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.00000000000000000000000000000000001",
                                        "123456789012345678901234567890",
                                        "1e22",
                                        "1e23",
                                        "1e38",
                                        "3.4028234e38",
                                        "3.4028235e38",
                                        "3.40282356e38",
                                        "3.4028235677973366e38",
                                        "3.4028235677973367e38",
                                        "-3.5e38",
                                        "1e39",
                                        "1e308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.797693134862315807e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "1e400",
                                        "-1e400",
                                        "1e99999999999999999999999",
                                        "1e-99999999999999999999999",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.47032822920623272e-324",
                                        "2.5e-324",
                                        "2e-324",
                                        "1e-323",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "1.4e-45",
                                        "7.006492321624085e-46",
                                        "7.006492321624086e-46",
                                        "7e-46",
                                        "7.1e-46",
                                        "1.1754943e-38",
                                        "1.17549435e-38",
                                        "1.1754942807573643e-38",
                                        "0.1",
                                        "0.2",
                                        "0.3",
                                        "3.14159265358979323846",
                                        "8.41e21",
                                        "9.5367431640625e-7",
                                        "1.00000005960464477539062500000000000000000000000001",
                                        "1.000000059604644775390625",
                                        "1.00000017881393432617187500",
                                        "1.000000178813934326171874999999999999999999999999999999",
                                        "6.0221407600000000e23",
                                        "1000000000000000000000000000000000000000000000000e-48",
                                        "0.000000000000000000000000000000000000000000000001e48",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999",
                                        "99999999999999999999",
                                        "9223372036854775807.5"};
    static const char *const no[] = {
        "",    "+",   "-",   ".",     "-.",    "e5", "1e",   "1e+",       "1e5x",  "0x1F", "1,5",  " 1", "1 ",
        "nan", "NaN", "--1", "1.2.3", "1e5.5", "in", "infi", "infinityy", "1_000", "1d5",  "\xff", "1-"};
    float f;
    double d;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) check_text(texts[i]);
    for (size_t i = 0; i < sizeof no / sizeof no[0]; ++i) {
        CHECK(scarce__parse_float(no[i], strlen(no[i]), &f) == 0);
        CHECK(scarce__parse_double(no[i], strlen(no[i]), &d) == 0);
    }
    CHECK(scarce__parse_double("12345", 2, &d) == 1 && d == 12); /* the length counts, not a NUL */
}

/* Random bit patterns, printed in the usual ways. */
static void test_patterns(void)
{
    static const char *const formats[] = {"%.9g",  "%.17g", "%.6g",  "%.15g",
                                          "%.16g", "%.19g", "%.25e", "%.7f"};
    scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, 0);
    char text[512];
    for (int i = 0; i < 400000; ++i) {
        const uint64_t bits = scarce__random_u64(&r);
        const uint32_t half = (uint32_t)(bits >> 20);
        double d;
        float f;
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &half, sizeof f);
        const char *format = formats[i % 8];
        if (isfinite(d)) {
            (void)snprintf(text, sizeof text, format, d);
            check_text(text);
        }
        if (isfinite(f)) {
            (void)snprintf(text, sizeof text, format, (double)f);
            check_text(text);
        }
        (void)snprintf(text, sizeof text, format, (scarce__random_unit(&r) - 0.5) * 1000);
        check_text(text);
    }
}

/* The exact middle of two neighbours, and texts just beside it. */
static void check_near(double x, double step)
{
    char text[1300];
    size_t n;
    (void)snprintf(text, sizeof text, "%.1100f", x + step);
    n = strlen(text);
    while (n > 1 && text[n - 1] == '0' && text[n - 2] != '.') --n;
    text[n] = '\0';
    check_text(text);
    strcpy(text + n, "00000000000000000000000000001");
    check_text(text);
    text[n] = '\0';
    if (text[n - 1] > '0') {
        text[n - 1] = (char)(text[n - 1] - 1);
        strcpy(text + n, "99999999999999999999999");
        check_text(text);
    }
}

static void test_middles(void)
{
    scarce__random r = scarce__random_start(2, SCARCE__FOR_TEST, 0);
    for (int i = 0; i < 20000; ++i) {
        const uint32_t bits = (uint32_t)scarce__random_u64(&r) & 0x7fffffffu;
        float f, g;
        memcpy(&f, &bits, sizeof f);
        if (!isfinite(f)) continue;
        g = nextafterf(f, (float)HUGE_VAL);
        if (!isfinite(g)) continue;
        check_near((double)f, ((double)g - (double)f) / 2); /* exact in double */
    }
    for (int i = 0; i < 20000; ++i) { /* doubles: digits of the middle by long double, 64 bits of precision */
        const uint64_t bits = (scarce__random_u64(&r) >> 2) % ((uint64_t)0x7fe << 52);
        double d, e;
        char text[1400];
        memcpy(&d, &bits, sizeof d);
        e = nextafter(d, HUGE_VAL);
        (void)snprintf(text, sizeof text, "%.1150Lf", ((long double)d + (long double)e) / 2);
        check_text(text);
        (void)snprintf(text, sizeof text, "%.780Le", ((long double)d + (long double)e) / 2);
        check_text(text);
    }
}

/* Digits at random: all lengths up to 900, points and exponents anywhere. */
static void test_digits(void)
{
    scarce__random r = scarce__random_start(3, SCARCE__FOR_TEST, 0);
    char text[1100];
    for (int i = 0; i < 200000; ++i) {
        const size_t n = 1 + (size_t)scarce__random_below(&r, i % 100 == 0 ? 900 : i % 10 == 0 ? 40 : 20);
        const size_t point = (size_t)scarce__random_below(&r, 2 * n);
        size_t k = 0;
        if (scarce__random_below(&r, 3) == 0) text[k++] = '-';
        for (size_t j = 0; j < n; ++j) {
            if (j == point) text[k++] = '.';
            text[k++] = (char)('0' + scarce__random_below(&r, i % 3 == 0 ? 2 : 10));
        }
        text[k] = '\0';
        if (scarce__random_below(&r, 2))
            (void)snprintf(text + k, sizeof text - k, "e%d",
                           (int)scarce__random_below(&r, 700) - 350 - (i % 2 ? (int)n : 0));
        check_text(text);
    }
}

static const test_case tests[] = {
    {"chosen", test_chosen},
    {"patterns", test_patterns},
    {"middles", test_middles},
    {"digits", test_digits},
};
TEST_MAIN(tests)
