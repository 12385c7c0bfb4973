/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler of expressions says, word for word: every way in which it can fail. */
#include <stdlib.h>

#include "expr_fields.h"
#include "test.h"

typedef struct mistake {
    const char *text, *message;
} mistake;

static const mistake conditions[] = {
    /* names */
    {"amout > 5", "1:1: no field \"amout\", did you mean \"amount\"?"},
    {"zzzzzzzz > 5", "1:1: no field \"zzzzzzzz\"; known are amount, mean, count, country, home, is_ecom, "
                     "pin, weekend, time, last, wait, "
                     "Amount EUR, and 1 more"},
    {"amount > 5 &&\n  contry == \"DE\"", "2:3: no field \"contry\", did you mean \"country\"?"},
    {"card.men > 5", "1:1: no field \"card.men\", did you mean \"card.mean\"?"},
    {"`Amount EU` > 5", "1:1: no field \"Amount EU\", did you mean \"Amount EUR\"?"},
    {"country in risky_country", "1:12: no list \"risky_country\", did you mean \"risky_countries\"?"},
    {"country in hot", "1:12: no list \"hot\"; known are risky_countries, ids"},
    {"startWith(country, \"D\")", "1:1: no function \"startWith\", did you mean \"startsWith\"?"},
    {"country.startWith(\"D\")", "1:9: no function \"startWith\", did you mean \"startsWith\"?"},
    {"hour > 5", "1:1: hour is a function and needs its brackets: hour(...)"},
    /* types */
    {"amount > \"5\"", "1:8: > compares number (\"amount\") with text"},
    {"country == 5", "1:9: == compares text (\"country\") with number"},
    {"time > 5", "1:6: > compares time (\"time\") with number"},
    {"time - last > 60", "1:13: > compares span with number"},
    {"is_ecom < pin", "1:9: < can't order what is true or false"},
    {"is_ecom == 1", "1:9: == compares bool (\"is_ecom\") with number"},
    {"amount && pin", "1:8: && takes what is true or false, not number (\"amount\")"},
    {"pin || country", "1:5: || takes what is true or false, not text (\"country\")"},
    {"!amount", "1:1: ! takes what is true or false, not number (\"amount\")"},
    {"-country == 5", "1:1: - takes a number or a span, not text (\"country\")"},
    {"country + home == \"DEFR\"", "1:9: there is no text (\"country\") + text (\"home\")"},
    {"time + last > time", "1:6: there is no time (\"time\") + time (\"last\")"},
    {"wait * 2 > wait", "1:6: there is no span (\"wait\") * number"},
    {"amount % country > 1", "1:8: there is no number (\"amount\") % text (\"country\")"},
    {"amount", "1:1: this gives number (\"amount\"), but true or false is wanted"},
    {"amount + 1", "1:1: this gives number, but true or false is wanted"},
    {"null", "1:1: this is always missing"},
    {"pin ? amount : country", "1:5: the two sides of ?: are number (\"amount\") and text (\"country\")"},
    {"amount ? pin : pin", "1:8: ? takes what is true or false, not number (\"amount\")"},
    {"amount in risky_countries", "1:11: in looks for number (\"amount\") among texts"},
    {"amount in [1, \"2\"]", "1:15: in looks for number (\"amount\") among texts"},
    {"null in [1]", "1:1: null can't be looked for in a list; write x == null"},
    {"amount in [1, null]", "1:15: null can't be in a list; write x == null || x in [...]"},
    {"null == amount", "1:6: null stands on the right: x == null"},
    {"amount < null", "1:8: null can be compared by == and != only"},
    /* functions */
    {"size(amount) > 1", "1:6: size(text) can't take number (\"amount\")"},
    {"size() > 1", "1:1: size is written size(text), but has 0 values here"},
    {"size(country, home) > 1", "1:1: size is written size(text), but has 2 values here"},
    {"country.contains() ", "1:9: contains is written contains(text, part), but has 1 value here"},
    {"round(1, \"2\") > 1", "1:10: round(x, places) can't take text"},
    {"round(1, 2, 3) > 1", "1:1: round is written round(x), but has 3 values here"},
    {"min(amount) > 1", "1:1: min is written min(x, y, ...), but has 1 value here"},
    {"min(amount, time) > 1", "1:13: min(x, y, ...) can't take time (\"time\")"},
    {"max(pin, pin)", "1:5: max(x, y, ...) can't take bool (\"pin\")"},
    {"hour(amount) > 1", "1:6: hour(time) can't take number (\"amount\")"},
    {"has(amount + 1)", "1:12: \"+\" stands where a \")\" is missing, for the \"(\" of line 1, column 4"},
    {"has(5)", "1:5: has takes the name of a field; of other values write x != null"},
    {"amount.has()", "1:8: has is written has(field)"},
    {"coalesce(amount, country) > 1",
     "1:18: coalesce takes values of one type, not number and text (\"country\")"},
    {"coalesce(null, amount) > 1", "1:10: coalesce takes values of one type, not null"},
    {"coalesce(amount) > 1", "1:1: coalesce is written coalesce(x, y, ...), with two values at least"},
    {"wait > duration(5)", "1:17: duration takes a text: duration(\"1h30m\")"},
    {"wait > duration(\"5 min\")", "1:17: \"5 min\" is no span of time; write 45s, 30m, 1h30m, 7d or 2w"},
    {"time > timestamp(\"yesterday\")",
     "1:18: \"yesterday\" is no moment; write 2026-11-16, 2026-11-16T08:30:00Z or "
     "2026-11-16T08:30:00+01:00"},
    {"time > timestamp(last)", "1:18: timestamp takes a text: timestamp(\"2026-11-16T00:00:00Z\")"},
    {"wait > 30m", "1:8: a span of time is written duration(\"30m\")"},
    /* syntax */
    {"", "1:1: an expression is missing"},
    {"  # nothing", "1:12: an expression is missing"},
    {"amount >", "1:9: a value is missing before the end"},
    {"> 5", "1:1: a value is missing before \">\""},
    {"amount > 5 )", "1:12: \")\" closes what was never opened"},
    {"(amount > 5", "1:12: the end stands where a \")\" is missing, for the \"(\" of line 1, column 1"},
    {"amount in [1, 2", "1:16: the end stands where a \"]\" is missing, for the \"[\" of line 1, column 11"},
    {"min(amount, mean > 1", "1:13: min(x, y, ...) can't take bool"},
    {"amount in []", "1:11: the list is empty"},
    {"amount in 5", "1:11: in needs a list: the name of one, or [\"a\", \"b\"]"},
    {"amount in (1, 2)", "1:11: a list stands in square brackets: in [\"a\", \"b\"]"},
    {"[1, 2]", "1:1: a list stands only behind in: x in [1, 2]"},
    {"pin ? true", "1:11: a \":\" is missing, for the \"?\" of line 1, column 5"},
    {"1 < amount < 5", "1:12: comparisons can't follow each other: write a < b && b < c"},
    {"pin pin", "1:5: an operator is missing before \"pin\""},
    {"country.5", "1:8: an operator is missing before \".5\""},
    {"country.(5)", "1:9: a function is missing behind the point: x.size()"},
    /* what is written in SQL and spreadsheets */
    {"amount = 5", "1:8: = means nothing here; to compare write =="},
    {"(amount = 5)", "1:9: = means nothing here; to compare write =="},
    {"amount <> 5", "1:8: write != instead of <>"},
    {"pin and is_ecom", "1:5: write && instead of and"},
    {"pin AND is_ecom", "1:5: write && instead of AND"},
    {"pin or is_ecom", "1:5: write || instead of or"},
    {"pin & is_ecom", "1:5: write && instead of &"},
    {"pin | is_ecom", "1:5: write || instead of |"},
    {"not pin", "1:1: write ! instead of not"},
    {"country not in risky_countries", "1:9: write !(x in [...])"},
    {"country IN risky_countries", "1:9: write in in small letters, with square brackets: in [1, 2]"},
    {"amount is null", "1:8: to ask for a missing value write x == null or x != null"},
    {"country like \"D%\"", "1:9: instead of like write startsWith(x, \"..\"), endsWith or contains"},
    {"amount between 1 and 2", "1:8: instead of between write x >= a && x <= b"},
    /* characters */
    {"country == \"DE", "1:12: the text that begins here has no end"},
    {"country == 'DE", "1:12: the text that begins here has no end"},
    {"`Amount EUR > 5", "1:1: the name that begins here has no end (`)"},
    {"`` > 5", "1:1: a name is empty"},
    {"country == \"\\q\"",
     "1:12: an escape in this text is none of \\\" \\' \\` \\\\ \\n \\t \\r \\xHH \\uHHHH"},
    {"country == \"\\x00\"",
     "1:12: an escape in this text is none of \\\" \\' \\` \\\\ \\n \\t \\r \\xHH \\uHHHH"},
    {"country == \"\xff\"", "1:12: this text is not UTF-8"},
    {"country == \"\x01\"", "1:12: this text has a control character in it; write it as \\xHH"},
    {"amount > 5 \xff", "1:12: this is not UTF-8"},
    {"amount > 5 \x02", "1:12: a control character stands here"},
    {"amount > 5 \xe2\x82\xac",
     "1:12: this character means nothing here; a name that has it is written in backticks: `...`"},
    {"amount > 5\xe2\x82\xac",
     "1:11: this character means nothing here; a name that has it is written in backticks: `...`"},
    {"amount > 5kg", "1:10: letters follow a number; a span of time is written 30s, 15m, 6h, 7d or 2w"},
    {"amount > 1e999", "1:10: this number is too large"},
    {"\xc3\xa9 > 5",
     "1:1: this character means nothing here; a name that has it is written in backticks: `...`"},
    {"country == \"\xc3\xa9\xc3\xa9\" && amout > 1", "1:20: no field \"amout\", did you mean \"amount\"?"},
};

static void test_messages(void)
{
    expr_lists lists;
    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; ++i) {
        scarce__expr_source s = expr_source_of(conditions[i].text, &lists);
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__expr *e = NULL;
        scarce__expr_place place;
        int line = 0, column = 0;
        s.wanted = SCARCE__BOOLEAN;
        s.place = &place;
        CHECK(scarce__expr_compile(&e, &s, &err) == SCARCE_EPARSE);
        CHECK(e == NULL);
        scarce__expr_free(e);
        if (strcmp(err.text, conditions[i].message) != 0)
            fprintf(stderr, "of \"%s\":\n  got  %s\n  want %s\n", conditions[i].text, err.text,
                    conditions[i].message);
        CHECK(strcmp(err.text, conditions[i].message) == 0);
        CHECK(sscanf(err.text, "%d:%d:", &line, &column) == 2 && place.line == line &&
              place.column == column);
    }
    expr_lists_deinit(&lists);
}

static scarce_status compile(scarce__expr **e, scarce__expr_source *s, scarce_error *err)
{
    s->wanted = SCARCE__BOOLEAN;
    return scarce__expr_compile(e, s, err);
}

/* Hostile texts: 100,000 of anything give one line, whatever is repeated. */
static void test_hostile(void)
{
    static const char *const parts[] = {"(",
                                        "!",
                                        "-",
                                        "[",
                                        "amount in [",
                                        "min(",
                                        "pin ? ",
                                        "pin ? true : ",
                                        "coalesce(",
                                        "a.",
                                        "country.size().",
                                        "!(",
                                        "1+(",
                                        "has(",
                                        "`",
                                        "\"",
                                        ")",
                                        ",",
                                        "min(1,"};
    expr_lists lists;
    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        const size_t n = strlen(parts[i]), repeats = 100000;
        char *text = malloc(n * repeats + 1);
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__expr *e = NULL;
        CHECK(text != NULL);
        if (!text) return;
        for (size_t k = 0; k < repeats; ++k) memcpy(text + k * n, parts[i], n);
        text[n * repeats] = '\0';
        scarce__expr_source s = expr_source_of(text, &lists);
        CHECK(compile(&e, &s, &err) == SCARCE_EPARSE && e == NULL && err.text[0] && !strchr(err.text, '\n'));
        if (i == 0) CHECK_TEXT(err.text, "1:49: the expression is nested too deeply (48 levels at most)");
        free(text);
    }
    expr_lists_deinit(&lists);
}

/* Long but harmless: as much as fits compiles, one step more is told. */
static void test_long(void)
{
    expr_lists lists;
    const size_t repeats = 40000;
    char *text = malloc(repeats * 8 + 8);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__expr *e = NULL;

    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK && text != NULL);
    if (!text) return;
    text[0] = '\0';
    strcpy(text, "pin");
    for (size_t k = 1, n = 3; k < repeats; ++k, n += 7) memcpy(text + n, " && pin", 8);
    scarce__expr_source s = expr_source_of(text, &lists);
    CHECK(compile(&e, &s, &err) == SCARCE_EPARSE);
    CHECK(strstr(err.text, "the expression is too long (more than 65536 steps)") != NULL);
    text[3 + 7 * 9999] = '\0';
    s = expr_source_of(text, &lists);
    CHECK(compile(&e, &s, &err) == SCARCE_OK && e != NULL);
    if (e) CHECK(scarce__expr_cost(e) == 3 * 10000 - 2);
    scarce__expr_free(e);
    free(text);
    expr_lists_deinit(&lists);
}

/* The place tells the names apart from the sentence; file and first line are those of the caller. */
static void test_place(void)
{
    expr_lists lists;
    scarce__expr_place place;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__expr *e = NULL;
    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK);
    scarce__expr_source s = expr_source_of("pin &&\namout > 5", &lists);
    s.place = &place;
    s.file = "pay.rules";
    s.line = 7;
    s.column = 10;
    CHECK(compile(&e, &s, &err) == SCARCE_EPARSE);
    CHECK_TEXT(err.text, "pay.rules:8:1: no field \"amout\", did you mean \"amount\"?");
    CHECK(place.line == 8 && place.column == 1);
    CHECK_TEXT(place.name, "amout");
    CHECK_TEXT(place.nearest, "amount");
    s = expr_source_of("5 > \"x\" || amount", &lists);
    s.place = &place;
    s.what = "column";
    CHECK(compile(&e, &s, &err) == SCARCE_EPARSE);
    CHECK_TEXT(place.name, "");
    s = expr_source_of("pin || `Amount EUR`", &lists);
    s.place = &place;
    CHECK(compile(&e, &s, &err) == SCARCE_EPARSE);
    CHECK_TEXT(place.name, "Amount EUR");
    s = expr_source_of("amout == 1", &lists);
    s.what = "column";
    CHECK(compile(&e, &s, &err) == SCARCE_EPARSE);
    CHECK_TEXT(err.text, "1:1: no column \"amout\", did you mean \"amount\"?");
    expr_lists_deinit(&lists);
}

/* An expression in front of something else. */
static void test_used(void)
{
    static const struct {
        const char *text;
        size_t used;
    } cases[] = {{"pin say \"x\"", 3},
                 {"pin : count", 3},
                 {"(pin)  \n\n rule x", 5},
                 {"pin ? pin : is_ecom: y", 19},
                 {"pin # comment\nsay", 3},
                 {"pin && !is_ecom with current", 15},
                 {"pin", 3},
                 {"country == \"a\" \"b\"", 14},
                 {"amount > 5 7", 10},
                 {"pin )", 3},
                 {"pin }", 3},
                 {"amount > 5:1", 10}};
    expr_lists lists;
    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        scarce__expr_source s = expr_source_of(cases[i].text, &lists);
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__expr *e = NULL;
        size_t used = 0;
        s.used = &used;
        CHECK(compile(&e, &s, &err) == SCARCE_OK);
        if (err.text[0]) fprintf(stderr, "%s: %s\n", cases[i].text, err.text);
        CHECK(used == cases[i].used);
        scarce__expr_free(e);
    }
    expr_lists_deinit(&lists);
}

static const test_case tests[] = {{"messages", test_messages},
                                  {"hostile", test_hostile},
                                  {"long", test_long},
                                  {"place", test_place},
                                  {"used", test_used}};
TEST_MAIN(tests)
