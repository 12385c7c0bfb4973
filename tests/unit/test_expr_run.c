/* SPDX-License-Identifier: Apache-2.0 */
/* What expressions are worth: by hand, missing values in every place, and sets against a plain array. */
#include <stdlib.h>

#include "expr/code.h"
#include "expr_fields.h"
#include "lcg.h"
#include "test.h"

/* amount 12.5, mean 2.5, count missing, country "DE", home missing, is_ecom true, pin missing, weekend 1,
 * time 2026-11-16 08:30:00 (a Monday), last 2026-11-15 23:59:59.5, wait 1h30m, `Amount EUR` 0, card.mean 7. */
static void fill(scarce__value *r)
{
    for (int i = 0; i < N_FIELDS; ++i) r[i] = scarce__value_missing();
    r[0] = scarce__value_number(12.5);
    r[1] = scarce__value_number(2.5);
    r[3] = scarce__value_text("DE", 2);
    r[5] = scarce__value_number(1);
    r[7] = scarce__value_number(1);
    r[8] = scarce__value_number(1794817800);
    r[9] = scarce__value_number(1794787199.5);
    r[10] = scarce__value_number(5400);
    r[11] = scarce__value_number(0);
    r[12] = scarce__value_number(7);
}

typedef struct expected {
    const char *text, *value;
} expected;

static const expected values[] = {
    /* numbers */
    {"amount", "12.5"},
    {"1 + 2 * 3", "7"},
    {"(1 + 2) * 3", "9"},
    {"7 - 2 - 1", "4"},
    {"8 / 4 / 2", "1"},
    {"-7 % 4", "-3"},
    {"7 % -4", "3"},
    {"5 % 0", "(missing)"},
    {"amount / `Amount EUR`", "(missing)"},
    {"1e308 * 10", "(missing)"},
    {"--amount", "12.5"},
    {"amount * count", "(missing)"},
    {"card.mean", "7"},
    {"amount / mean", "5"},
    {".5 + 0.25", "0.75"},
    {"weekend + 1", "2"},
    /* comparisons */
    {"amount > 12.5", "false"},
    {"amount >= 12.5", "true"},
    {"12.5 <= amount", "true"},
    {"amount != 3", "true"},
    {"count != 3", "(missing)"},
    {"count == count", "(missing)"},
    {"country == \"DE\"", "true"},
    {"country < \"DEA\"", "true"},
    {"country > 'D'", "true"},
    {"home == country", "(missing)"},
    {"\"a\" <= \"a\"", "true"},
    {"weekend == true", "true"},
    {"is_ecom != false", "true"},
    {"weekend == 1", "true"},
    {"time > last", "true"},
    {"time - last > duration(\"8h30m\")", "true"},
    {"time - last", "8 h 30 m"},
    {"last + wait < time", "true"},
    {"wait + wait", "3 h"},
    {"wait - duration(\"2h\")", "-30 m"},
    {"time == timestamp(\"2026-11-16T08:30:00Z\")", "true"},
    {"time == timestamp(\"2026-11-16T09:30:00+01:00\")", "true"},
    {"timestamp(\"2026-11-16\") + duration(\"1d\")", "2026-11-17"},
    {"time", "2026-11-16 08:30:00"},
    {"-wait < wait", "true"},
    /* unknown logic */
    {"false && pin", "false"},
    {"pin && false", "false"},
    {"true && pin", "(missing)"},
    {"pin && true", "(missing)"},
    {"pin && pin", "(missing)"},
    {"true || pin", "true"},
    {"pin || true", "true"},
    {"false || pin", "(missing)"},
    {"pin || false", "(missing)"},
    {"!pin", "(missing)"},
    {"!is_ecom", "false"},
    {"!!is_ecom", "true"},
    {"count > 5 || amount > 5", "true"},
    {"count > 5 && amount < 5", "false"},
    {"pin ? 1 : 2", "(missing)"},
    {"is_ecom ? 1 : 2", "1"},
    {"is_ecom ? count : 2", "(missing)"},
    {"amount < 5 ? 1 : amount < 10 ? 2 : 3", "3"},
    {"is_ecom ? null : 2", "(missing)"},
    {"!is_ecom ? null : 2", "2"},
    {"(amount < 5 ? 1 : mean) < 5 && is_ecom", "true"},
    {"(is_ecom ? amount : mean) == 12.5", "true"},
    {"is_ecom && weekend", "true"},
    {"true || false && false", "true"},
    /* has, null, coalesce */
    {"has(amount)", "true"},
    {"has(count)", "false"},
    {"has(card.mean) && has(`Amount EUR`)", "true"},
    {"count == null", "true"},
    {"amount / `Amount EUR` == null", "true"},
    {"amount != null", "true"},
    {"null == null", "true"},
    {"pin == null && true", "true"},
    {"coalesce(count, 3)", "3"},
    {"coalesce(count, amount, 3)", "12.5"},
    {"coalesce(home, country)", "DE"},
    {"coalesce(count, 1 / 0)", "(missing)"},
    {"coalesce(pin, false) || is_ecom", "true"},
    /* in */
    {"country in risky_countries", "true"},
    {"\"IT\" in risky_countries", "false"},
    {"home in risky_countries", "(missing)"},
    {"amount in ids", "false"},
    {"mean in ids", "true"},
    {"-0.0 in [0]", "true"},
    {"amount in [1, 12.5, 3]", "true"},
    {"amount in [1, 5 * 2.5]", "true"},
    {"country in [\"IT\", \"DE\"]", "true"},
    {"country in [\"IT\"]", "false"},
    {"!(country in [\"IT\"])", "true"},
    {"country in [home, country]", "true"},
    {"country in [home, lower(country)]", "(missing)"},
    {"country in [lower(country)]", "false"},
    {"amount in [mean, mean + 10]", "true"},
    {"amount in [1, mean, 12.5]", "true"},
    {"amount in [1, mean]", "false"},
    {"amount in [1, count]", "(missing)"},
    {"country in [\"IT\", home, \"DE\"]", "true"},
    {"coalesce(pin, weekend)", "true"},
    {"time in [timestamp(\"2026-11-16T08:30:00Z\")]", "true"},
    {"is_ecom in [true]", "true"},
    {"lower(country) in [\"de\"]", "true"},
    {"lower(country) in risky_countries", "false"},
    /* texts */
    {"size(country)", "2"},
    {"size(\"\")", "0"},
    {"size('\\u00e9t\\u00e9')", "3"},
    {"country.size()", "2"},
    {"size(home)", "(missing)"},
    {"startsWith(country, \"D\")", "true"},
    {"country.startsWith(\"DEU\")", "false"},
    {"country.endsWith(\"E\")", "true"},
    {"country.contains(\"\")", "true"},
    {"\"abcd\".contains(\"bc\")", "true"},
    {"\"abcd\".contains(\"bd\")", "false"},
    {"lower(\"ABCD\").contains(\"bc\")", "true"},
    {"lower(country)", "de"},
    {"lower(country) == \"de\"", "true"},
    {"lower(country) == lower(\"dE\")", "true"},
    {"lower(country).startsWith(\"d\")", "true"},
    {"lower(country).endsWith(\"E\")", "false"},
    {"lower(\"\xc3\x84\")", "\xc3\x84"},
    {"contains(country, home)", "(missing)"},
    {"\"a\\\"b\\\\c\\x41\\n\"", "a\"b\\cA\n"},
    {"\"two\nlines\" == 'two\\nlines'", "true"},
    /* times */
    {"hour(time)", "8"},
    {"hour(last)", "23"},
    {"weekday(time)", "1"},
    {"weekday(last)", "7"},
    {"time.getDayOfWeek()", "1"},
    {"last.getDayOfWeek()", "0"},
    {"day(time)", "16"},
    {"getDate(last)", "15"},
    {"hour(timestamp(\"1969-12-31T23:00:00Z\"))", "23"},
    {"weekday(timestamp(\"1969-12-31\"))", "3"},
    {"day(timestamp(\"1969-12-31\"))", "31"},
    {"day(timestamp(\"2024-02-29\"))", "29"},
    {"seconds(time - last)", "30600.5"},
    {"seconds(wait)", "5400"},
    {"duration(\"1w\") == duration(\"7d\")", "true"},
    {"duration(\"1.5h\") == duration(\"90m\")", "true"},
    {"duration(\"-1h\") < wait", "true"},
    {"seconds(duration(\"250ms\"))", "0.25"},
    /* functions */
    {"abs(-3)", "3"},
    {"abs(-wait) == wait", "true"},
    {"min(3, 1, 2)", "1"},
    {"max(amount, mean, 3)", "12.5"},
    {"max(amount, count)", "(missing)"},
    {"min(time, last) == last", "true"},
    {"log(1)", "0"},
    {"log(0)", "(missing)"},
    {"log(-1)", "(missing)"},
    {"round(log(exp(1)), 9)", "1"},
    {"exp(1000)", "(missing)"},
    {"sqrt(16)", "4"},
    {"sqrt(-1)", "(missing)"},
    {"round(2.5)", "3"},
    {"round(-2.5)", "-3"},
    {"round(2.345, 1)", "2.3"},
    {"round(2.35, 2.5)", "(missing)"},
    {"floor(-2.5)", "-3"},
    {"ceil(-2.5)", "-2"},
    {"haversine(0, 0, 0, 0)", "0"},
    {"round(haversine(52.52, 13.405, 48.1374, 11.5755), 3)", "504.286"},
    {"round(haversine(0, 0, 0, 180))", "20015"},
    {"round(haversine(0, -179.5, 0, 179.5), 3)", "111.195"},
    {"haversine(91, 0, 0, 0)", "(missing)"},
    {"haversine(count, 0, 0, 0)", "(missing)"},
    /* comments */
    {"1 + # one\n 2 // two\n + 3", "6"},
};

static void test_values(void)
{
    scarce__value record[N_FIELDS];
    expr_lists lists;
    fill(record);
    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        const scarce__expr_source s = expr_source_of(values[i].text, &lists);
        scarce__text out = SCARCE__TEXT_INIT;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__expr *e = NULL;
        CHECK(scarce__expr_compile(&e, &s, &err) == SCARCE_OK);
        if (!e) {
            fprintf(stderr, "%s: %s\n", values[i].text, err.text);
            continue;
        }
        const scarce__value v = scarce__expr_run(e, record);
        scarce__value_add(&out, &v, scarce__expr_type(e), -1);
        if (strcmp(out.bytes, values[i].value) != 0) fprintf(stderr, "%s:\n", values[i].text);
        CHECK_TEXT(out.bytes, values[i].value);
        scarce__text_deinit(&out);
        scarce__expr_free(e);
    }
    expr_lists_deinit(&lists);
}

static scarce__expr *compiled(const char *text, const expr_lists *lists)
{
    const scarce__expr_source s = expr_source_of(text, lists);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__expr *e = NULL;
    CHECK(scarce__expr_compile(&e, &s, &err) == SCARCE_OK);
    if (!e) fprintf(stderr, "%s: %s\n", text, err.text);
    return e;
}

/* Constants are worked out, a field with a constant is one step, and what is used is listed. */
static void test_code(void)
{
    static const struct {
        const char *text;
        size_t cost;
        int constant;
    } cases[] = {{"1 + 2 * 3 - size(\"abc\")", 1, 1},
                 {"amount > 5", 1, 0},
                 {"amount > 2 * 3", 1, 0},
                 {"5 < amount", 3, 0},
                 {"country in [\"a\", \"b\"]", 2, 0},
                 {"amount > 5 && is_ecom", 4, 0},
                 {"lower(\"ABC\") == \"abc\"", 1, 1},
                 {"true || false", 4, 1},
                 {"min(1, 2, 3, 4)", 1, 1},
                 {"has(amount)", 2, 0}};
    expr_lists lists;
    size_t n;
    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        scarce__expr *e = compiled(cases[i].text, &lists);
        if (!e) continue;
        if (scarce__expr_cost(e) != cases[i].cost)
            fprintf(stderr, "%s: %zu\n", cases[i].text, scarce__expr_cost(e));
        CHECK(scarce__expr_cost(e) == cases[i].cost);
        CHECK(scarce__expr_constant(e) == cases[i].constant);
        scarce__expr_free(e);
    }
    scarce__expr *e = compiled("has(time) && (country == home || amount > mean) && amount < 5", &lists);
    if (e) {
        const uint32_t *used = scarce__expr_symbols(e, &n);
        CHECK(n == 5 && used[0] == 0 && used[1] == 1 && used[2] == 3 && used[3] == 4 && used[4] == 8);
        scarce__text out = SCARCE__TEXT_INIT;
        scarce__expr_show(e, &out);
        CHECK(out.bytes && strncmp(out.bytes, "0 FIELD 8 0\n1 HAS 0 0\n", 22) == 0);
        scarce__text_deinit(&out);
    }
    scarce__expr_free(e);
    for (size_t i = 0; scarce__expr_function(i); ++i) {
        CHECK(strncmp(scarce__expr_function_use(i), scarce__expr_function(i),
                      strlen(scarce__expr_function(i))) == 0);
        CHECK(scarce__expr_function_help(i)[0]);
        if (i) CHECK(strcmp(scarce__expr_function(i - 1), scarce__expr_function(i)) <= 0);
    }
    expr_lists_deinit(&lists);
}

/* Random additions and removals against an array of flags; a program sees them at once. */
static void test_sets(void)
{
    enum { VALUES = 300 };
    for (int texts = 0; texts < 2; ++texts) {
        scarce__set *set = NULL;
        uint8_t in[VALUES] = {0};
        size_t count = 0;
        lcg r = lcg_start(5);
        CHECK(scarce__set_new(&set, texts ? SCARCE__WORD : SCARCE__NUMBER, NULL) == SCARCE_OK);
        for (int step = 0; step < 20000; ++step) {
            const size_t k = lcg_below(&r, VALUES);
            char text[16];
            const int n = snprintf(text, sizeof text, "key %zu", k);
            const scarce__value v =
                texts ? scarce__value_text(text, (size_t)n) : scarce__value_number((double)k);
            CHECK(scarce__set_has(set, &v) == in[k]);
            if (lcg_below(&r, 2)) {
                CHECK(scarce__set_add(set, v, NULL) == SCARCE_OK);
                count += !in[k];
                in[k] = 1;
            } else {
                CHECK(scarce__set_remove(set, v) == in[k]);
                count -= in[k];
                in[k] = 0;
            }
            CHECK(scarce__set_count(set) == count);
        }
        if (texts) {
            char *long_text = calloc(1, SCARCE__SET_LONGEST + 1);
            scarce_error err = SCARCE_ERROR_INIT;
            CHECK(scarce__set_add(set, scarce__value_text(long_text, SCARCE__SET_LONGEST + 1), &err) ==
                  SCARCE_EINVAL);
            CHECK(scarce__set_add(set, scarce__value_text(long_text, SCARCE__SET_LONGEST), &err) ==
                  SCARCE_OK);
            const scarce__value v = scarce__value_text(long_text, SCARCE__SET_LONGEST);
            CHECK(scarce__set_has(set, &v));
            free(long_text);
        }
        scarce__set_free(set);
    }
}

/* A float of a table is the decimal that was written, and keeps the order of floats. */
static void test_floats(void)
{
    lcg r = lcg_start(9);
    CHECK(scarce__decimal_of_float(0.1f) == 0.1);
    CHECK(scarce__decimal_of_float(12.34f) == 12.34);
    CHECK(scarce__decimal_of_float(-99999.99f) == -99999.99);
    CHECK(scarce__decimal_of_float(1e-10f) == 1e-10);
    CHECK(scarce__decimal_of_float(123456789.0f) == 123456790.0);
    CHECK(scarce__decimal_of_float(16777215.0f) == 16777215.0);
    CHECK(isnan(scarce__decimal_of_float(NAN)));
    CHECK(scarce__decimal_of_float(INFINITY) == (double)INFINITY);
    for (int i = 0; i < 200000; ++i) {
        float f, above;
        scarce__text t = SCARCE__TEXT_INIT;
        const uint32_t bits = (uint32_t)(lcg_draw(&r) << 1 | (lcg_draw(&r) & 1));
        memcpy(&f, &bits, sizeof f);
        if (i % 2) f = (float)lcg_below(&r, 10000000) / (float)(i % 3 == 0 ? 100 : i % 3 == 1 ? 1000 : 7);
        if (!isfinite(f)) continue;
        above = nextafterf(f, INFINITY);
        if (!isfinite(above)) continue;
        scarce__text_float(&t, f);
        CHECK(scarce__decimal_of_float(f) == strtod(t.bytes, NULL));
        scarce__text_deinit(&t);
        CHECK(scarce__decimal_of_float(f) < scarce__decimal_of_float(above));
        CHECK((float)scarce__decimal_of_float(f) == f);
    }
}

static void test_spans(void)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0 s"},           {0.25, "0.25 s"},   {59, "59 s"},
                 {60, "1 m"},          {90, "1 m 30 s"},   {3600, "1 h"},
                 {-5400, "-1 h 30 m"}, {86400 * 3, "3 d"}, {86400 * 3 + 7300, "3 d 2 h"}};
    double x;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const scarce__value v = scarce__value_number(cases[i].seconds);
        scarce__text out = SCARCE__TEXT_INIT;
        scarce__value_add(&out, &v, SCARCE__SPAN, -1);
        CHECK_TEXT(out.bytes, cases[i].text);
        scarce__text_deinit(&out);
    }
    CHECK(scarce__parse_span("2h30m", 5, &x) && x == 9000);
    CHECK(!scarce__parse_span("", 0, &x) && !scarce__parse_span("5", 1, &x) &&
          !scarce__parse_span("h", 1, &x));
    CHECK(!scarce__parse_span("5y", 2, &x) && !scarce__parse_span("1.2.3s", 6, &x) &&
          !scarce__parse_span("-", 1, &x));
}

static void test_decimals(void)
{
    static const struct {
        double number;
        int digits;
        const char *text;
    } cases[] = {{12.345, 1, "12.3"},    {12, 2, "12.00"}, {1234567.5, -1, "1234567.5"},
                 {0.1 + 0.2, -1, "0.3"}, {-0.5, 0, "-0"},  {1e20, -1, "1e20"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        scarce__text out = SCARCE__TEXT_INIT;
        scarce__add_decimals(&out, cases[i].number, cases[i].digits);
        CHECK_TEXT(out.bytes, cases[i].text);
        scarce__text_deinit(&out);
    }
}

static const test_case tests[] = {{"values", test_values}, {"code", test_code},
                                  {"sets", test_sets},     {"floats", test_floats},
                                  {"spans", test_spans},   {"decimals", test_decimals}};
TEST_MAIN(tests)
