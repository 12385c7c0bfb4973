/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign texts and numbers on their way into a page. */
#include <stdlib.h>

#include "report/html.h"
#include "test.h"

static char buffer[4000];

static const char *escaped(const char *text, size_t max)
{
    scarce__text t = SCARCE__TEXT_INIT;
    if (max) scarce__html_escape_short(&t, text, max);
    else scarce__html_escape(&t, text);
    CHECK(!t.failed && t.n < sizeof buffer);
    snprintf(buffer, sizeof buffer, "%s", t.n ? t.bytes : "");
    scarce__text_deinit(&t);
    return buffer;
}

static const char *number(double value, int digits)
{
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__html_number(&t, value, digits);
    snprintf(buffer, sizeof buffer, "%s", t.bytes);
    scarce__text_deinit(&t);
    return buffer;
}

#define FFFD "\xef\xbf\xbd"

static void test_escape(void)
{
    CHECK_TEXT(escaped("a<b & \"c\" 'd'>", 0), "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;");
    CHECK_TEXT(escaped("</script><script>", 0), "&lt;/script&gt;&lt;script&gt;");
    CHECK_TEXT(escaped(NULL, 0), "");
    CHECK_TEXT(escaped("a\nb\tc\r", 0), "a b c ");
    CHECK_TEXT(escaped("\x01\x7f", 0), FFFD FFFD);
    CHECK_TEXT(escaped("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x92\xb3", 0),
               "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x92\xb3");
    CHECK_TEXT(escaped("\xff\xc3(\xe2\x82", 0), FFFD FFFD "(" FFFD FFFD); /* no UTF-8, and cut off */
    CHECK_TEXT(escaped("\xc0\xbc\xed\xa0\x80", 0), FFFD FFFD FFFD FFFD FFFD);
    CHECK_TEXT(escaped("a\xe2\x80\xae"
                       "b\xe2\x81\xa6"
                       "c\xef\xbb\xbf",
                       0),
               "a" FFFD "b" FFFD "c" FFFD);
    CHECK_TEXT(escaped("\xc2\x85\xc2\xa0", 0), FFFD "\xc2\xa0");
}

/* Whatever the bytes, what comes out is harmless UTF-8. */
static void test_any_bytes(void)
{
    unsigned state = 1;
    for (int round = 0; round < 20000; ++round) {
        char text[24];
        size_t n = 0;
        for (; n < 20; ++n) {
            state = state * 1664525u + 1013904223u;
            text[n] = (char)(state >> 24);
            if (text[n] == '\0' || (round % 2 && state >> 23 & 1))
                text[n] = "<>&\"'/\xe2\x80"[state >> 20 & 7];
        }
        text[n] = '\0';
        escaped(text, round % 3 ? 0 : 7);
        for (const char *p = buffer; *p; ++p) {
            CHECK(*p != '<' && *p != '>' && *p != '"' && *p != '\'' && (unsigned char)*p >= 0x20);
            if (*p == '&') CHECK(strchr(p, ';') && strchr(p, ';') - p < 6);
        }
        CHECK(scarce__html_length(text) <= 20);
    }
}

static void test_short(void)
{
    CHECK_TEXT(escaped("abcdef", 6), "abcdef");
    CHECK_TEXT(escaped("abcdefg", 6), "abcd\xe2\x80\xa6g");
    CHECK_TEXT(escaped("<<<<<<<<<<", 7), "&lt;&lt;&lt;&lt;\xe2\x80\xa6&lt;&lt;");
    CHECK(scarce__html_length("\xc3\xbc<\xff") == 3 && scarce__html_length(NULL) == 0);
}

#define GAP "\xe2\x80\xaf"

static void test_numbers(void)
{
    CHECK_TEXT(number((double)NAN, 4), "n/a");
    CHECK_TEXT(number(0, 4), "0");
    CHECK_TEXT(number(-0.0, 4), "0");
    CHECK_TEXT(number(1234, 4), "1234");
    CHECK_TEXT(number(1234567, 4), "1" GAP "234" GAP "567");
    CHECK_TEXT(number(-12345, 2), "-12" GAP "345");
    CHECK_TEXT(number(12345.6, 4), "12" GAP "346");
    CHECK_TEXT(number(0.123456, 4), "0.1235");
    CHECK_TEXT(number(12.3456, 4), "12.35");
    CHECK_TEXT(number(1e-9, 4), "1e-9");
    CHECK_TEXT(number(1e20, 4), "1e20");
    CHECK_TEXT(number((double)INFINITY, 4), "inf");
}

static const test_case tests[] = {
    {"escape", test_escape}, {"any_bytes", test_any_bytes}, {"short", test_short}, {"numbers", test_numbers}};
TEST_MAIN(tests)
