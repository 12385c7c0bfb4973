/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json.h"

#include <locale.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/random.h"
#include "test.h"

static void check_double(double v, const char *text)
{
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__text_double(&t, v);
    CHECK_TEXT(t.bytes, text);
    scarce__text_deinit(&t);
}

static void check_float(float v, const char *text)
{
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__text_float(&t, v);
    CHECK_TEXT(t.bytes, text);
    scarce__text_deinit(&t);
}

static void test_shortest(void)
{
    check_double(0, "0");
    check_double(-0.0, "-0");
    check_double(0.1, "0.1");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(1e22, "1e22");
    check_double(123456789, "123456789");
    check_double(-1.5, "-1.5");
    check_double(1e-4, "0.0001");
    check_double(5e-324, "5e-324");
    check_double(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_double(1.7976931348623157e308, "1.7976931348623157e308");
    check_double(9007199254740993.0, "9007199254740992");
    check_double((double)INFINITY, "inf");
    check_double((double)NAN, "nan");
    check_float(0.1f, "0.1");
    check_float(16777216.0f, "16777216");
    check_float(3.4028235e38f, "3.4028235e38");
    check_float(1e-45f, "1e-45");
    check_float(0.3f, "0.3");
    check_float(1.0f / 3.0f, "0.33333334");
}

/* Any bits survive the way out and back. */
static void test_round_trip(void)
{
    scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, 1);
    for (int i = 0; i < 20000; ++i) {
        const uint64_t bits = scarce__random_u64(&r);
        const uint32_t half = (uint32_t)scarce__random_u64(&r);
        scarce__text t = SCARCE__TEXT_INIT;
        double d, back = 0;
        float f, float_back = 0;
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &half, sizeof f);
        if (isfinite(d)) {
            scarce__text_double(&t, d);
            CHECK(scarce__parse_double(t.bytes, t.n, &back) == 1 && memcmp(&back, &d, sizeof d) == 0);
        }
        t.n = 0;
        if (isfinite(f)) {
            scarce__text_float(&t, f);
            CHECK(scarce__parse_float(t.bytes, t.n, &float_back) == 1 &&
                  memcmp(&float_back, &f, sizeof f) == 0);
        }
        scarce__text_deinit(&t);
    }
}

static void test_writer(void)
{
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__json_begin_object(&t);
    scarce__json_field_string(&t, "a\"b",
                              "x\\y\n\t\x01\x7f"
                              "e\xc3\xa9"
                              "\xff"
                              "z,");
    scarce__json_field_number(&t, "n", 0.325);
    scarce__json_field_number(&t, "nan", (double)NAN);
    scarce__json_key(&t, "list");
    scarce__json_begin_array(&t);
    scarce__json_integer(&t, -7);
    scarce__json_boolean(&t, 1);
    scarce__json_null(&t);
    scarce__json_begin_object(&t);
    scarce__json_end_object(&t);
    scarce__json_begin_array(&t);
    scarce__json_end_array(&t);
    scarce__json_string(&t, NULL);
    scarce__json_end_array(&t);
    scarce__json_field_boolean(&t, "no", 0);
    scarce__json_end_object(&t);
    scarce__text_add(&t, "\n");
    scarce__json_begin_array(&t);
    scarce__json_end_array(&t);
    CHECK_TEXT(t.bytes,
               "{\"a\\\"b\":\"x\\\\y\\n\\t\\u0001\\u007fe\xc3\xa9\\ufffdz,\",\"n\":0.325,\"nan\":null,"
               "\"list\":[-7,true,null,{},[],null],\"no\":false}\n[]");
    scarce__text_deinit(&t);
}

static scarce_status read_text(const char *text, scarce__json **json)
{
    return scarce__json_read(json, text, strlen(text), 0, NULL);
}

static void test_reader(void)
{
    static const char text[] = " {\"a\": [1, -2.5e3, true, false, null, \"x\\u00e9\\ud83d\\ude00\\n\\/\"],\n"
                               "\"b\" : {\"c\":{}, \"d\":[[],[0]]}, \"a\":3}\t";
    scarce__json *json = NULL;
    const scarce__json_value *root, *a, *v;
    CHECK(read_text(text, &json) == SCARCE_OK);
    if (!json) return;
    root = scarce__json_root(json);
    CHECK(root->type == SCARCE__JSON_OBJECT && root->count == 3);
    a = scarce__json_get(root, "a");
    CHECK(a->type == SCARCE__JSON_ARRAY && a->count == 6);
    v = scarce__json_first(a);
    CHECK(v->as.number == 1);
    v = scarce__json_next(v);
    CHECK(v->as.number == -2500);
    v = scarce__json_next(v);
    CHECK(v->type == SCARCE__JSON_TRUE);
    v = scarce__json_next(scarce__json_next(v));
    CHECK(v->type == SCARCE__JSON_NULL);
    v = scarce__json_next(v);
    CHECK_TEXT(v->as.string, "x\xc3\xa9\xf0\x9f\x98\x80\n/");
    v = scarce__json_get(scarce__json_get(root, "b"), "d");
    CHECK(v && v->count == 2 && v->span == 4);
    CHECK(scarce__json_get(scarce__json_get(root, "zz"), "d") == NULL);
    CHECK(scarce__json_get_type(root, "b", SCARCE__JSON_ARRAY) == NULL);
    CHECK_TEXT(scarce__json_get_string(root, "b", "none"), "none");
    scarce__json_free(json);
}

static void test_strict(void)
{
    static const char *const bad[] = {"",
                                      " ",
                                      "{",
                                      "[",
                                      "[1",
                                      "[1,",
                                      "[1,]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{1:2}",
                                      "01",
                                      "+1",
                                      ".5",
                                      "1.",
                                      "1e",
                                      "1e+",
                                      "--1",
                                      "0x1",
                                      "1e999",
                                      "nan",
                                      "NaN",
                                      "Infinity",
                                      "-",
                                      "tru",
                                      "nul",
                                      "true false",
                                      "\"",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\ud800\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\udc00\"",
                                      "\"\\u0000\"",
                                      "\"a\nb\"",
                                      "\"\xff\"",
                                      "\"\xc0\x80\"",
                                      "\"\xed\xa0\x80\"",
                                      "[1}",
                                      "{\"a\":1]",
                                      "'a'",
                                      "[1 2]",
                                      "/* */1",
                                      "1,2"};
    static const char *const good[] = {"0",  "-0",     "1e-400", "\"\"",  "[]",
                                       "{}", "[[[]]]", "1E+5",   " [ ] ", "\"\\u0001\""};
    scarce__json *json;
    scarce_error err = SCARCE_ERROR_INIT;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const scarce_status st = scarce__json_read(&json, bad[i], strlen(bad[i]), 0, &err);
        if (st != SCARCE_EPARSE) fprintf(stderr, "taken: %s\n", bad[i]);
        CHECK(st == SCARCE_EPARSE && json == NULL);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        CHECK(read_text(good[i], &json) == SCARCE_OK);
        scarce__json_free(json);
    }
    CHECK(scarce__json_read(&json, "[NaN,-Infinity]", 15, SCARCE__JSON_NONFINITE, NULL) == SCARCE_OK);
    scarce__json_free(json);
    CHECK(scarce__json_read(&json, "[1,\n 2,x]", 9, 0, &err) == SCARCE_EPARSE);
    CHECK(strstr(err.text, "line 2, column 4") != NULL);
}

static void test_bombs(void)
{
    char *text = malloc(200000);
    scarce__json *json;
    memset(text, '[', 100000);
    memset(text + 100000, ']', 100000);
    CHECK(scarce__json_read(&json, text, 200000, 0, NULL) == SCARCE_EPARSE);
    CHECK(scarce__json_read(&json, text + 100000 - 64, 128, 0, NULL) == SCARCE_OK);
    scarce__json_free(json);
    CHECK(scarce__json_read(&json, text + 100000 - 65, 130, 0, NULL) == SCARCE_EPARSE);
    /* UBJ: counts that the file can't hold, types without payload, endless nesting */
    CHECK(scarce__json_read(&json, "[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff", 13, SCARCE__JSON_UBJ, NULL) ==
          SCARCE_EPARSE);
    CHECK(scarce__json_read(&json, "[$Z#l\x7f\xff\xff\xff", 9, SCARCE__JSON_UBJ, NULL) == SCARCE_EPARSE);
    CHECK(scarce__json_read(&json, "[#L\xff\xff\xff\xff\xff\xff\xff\xff", 11, SCARCE__JSON_UBJ, NULL) ==
          SCARCE_EPARSE);
    CHECK(scarce__json_read(&json, text, 100000, SCARCE__JSON_UBJ, NULL) == SCARCE_EPARSE);
    free(text);
}

static void test_ubj(void)
{
    /* {"a":[1.5f, -2], "b":typed int16 [3, -1], "s":"hi", "t":true, "e":[]} */
    static const char bytes[] = "{i\x01"
                                "a[d\x3f\xc0\x00\x00i\xfe]i\x01"
                                "b[$I#i\x02\x00\x03\xff\xffi\x01"
                                "sSi\x02hii\x01tTi\x01"
                                "e[#i\x00}";
    scarce__json *json = NULL;
    const scarce__json_value *root, *v;
    CHECK(scarce__json_read(&json, bytes, sizeof bytes - 1, SCARCE__JSON_UBJ, NULL) == SCARCE_OK);
    if (!json) return;
    root = scarce__json_root(json);
    CHECK(root->count == 5);
    v = scarce__json_get(root, "a");
    CHECK(v->count == 2 && v[1].as.number == 1.5 && v[2].as.number == -2);
    v = scarce__json_get(root, "b");
    CHECK(v->count == 2 && v[1].as.number == 3 && v[2].as.number == -1);
    CHECK_TEXT(scarce__json_get_string(root, "s", ""), "hi");
    CHECK(scarce__json_get(root, "t")->type == SCARCE__JSON_TRUE);
    CHECK(scarce__json_get(root, "e")->count == 0);
    scarce__json_free(json);
    for (size_t n = 0; n + 1 < sizeof bytes; ++n) /* no prefix is a document */
        CHECK(scarce__json_read(&json, bytes, n, SCARCE__JSON_UBJ, NULL) == SCARCE_EPARSE);
}

/* Where the machine has such a locale, a comma as decimal point must not show. */
static void test_locale(void)
{
    scarce__json *json;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) return;
    check_double(1.5, "1.5");
    check_float(0.1f, "0.1");
    CHECK(read_text("[0.12345678901234567890123]", &json) == SCARCE_OK);
    if (json) CHECK(scarce__json_root(json)[1].as.number == 0.12345678901234568);
    scarce__json_free(json);
    setlocale(LC_ALL, "C");
}

static void test_random_bytes(void)
{
    static const char likely[] = "{}[]\",:0123456789eE+-.truefalsn \\u\niIlLdDSUTFZ$#";
    scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, 2);
    for (int i = 0; i < 50000; ++i) {
        char text[64];
        scarce__json *json;
        const size_t n = (size_t)scarce__random_below(&r, sizeof text);
        for (size_t k = 0; k < n; ++k) text[k] = likely[scarce__random_below(&r, sizeof likely - 1)];
        if (scarce__json_read(&json, text, n, i % 3, NULL) == SCARCE_OK) {
            CHECK(scarce__json_root(json)->span > 0);
            scarce__json_free(json);
        }
    }
}

static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    static const char text[] =
        "{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,"
        "31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,"
        "60,61,62,63,64,65,66,67,68,69,70]}";
    scarce__json *json = NULL;
    size_t fail = 1;
    for (;; ++fail) {
        scarce_status st;
        scarce__alloc_fail_from(fail);
        st = read_text(text, &json);
        scarce__alloc_fail_from(0);
        if (st == SCARCE_OK) break;
        CHECK(st == SCARCE_ENOMEM && json == NULL);
    }
    CHECK(fail > 3);
    scarce__json_free(json);
    {
        scarce__text t = SCARCE__TEXT_INIT;
        scarce__text_add(&t, "kept");
        scarce__alloc_fail_from(1);
        for (int i = 0; i < 100; ++i) scarce__text_addf(&t, "%d %s", i, "more");
        scarce__alloc_fail_from(0);
        CHECK(t.failed && strncmp(t.bytes, "kept", 4) == 0 && strlen(t.bytes) == t.n);
        scarce__text_deinit(&t);
    }
#endif
}

static const test_case tests[] = {
    {"shortest", test_shortest},
    {"round_trip", test_round_trip},
    {"writer", test_writer},
    {"reader", test_reader},
    {"strict", test_strict},
    {"bombs", test_bombs},
    {"ubj", test_ubj},
    {"locale", test_locale},
    {"random_bytes", test_random_bytes},
    {"no_memory", test_no_memory},
};
TEST_MAIN(tests)
