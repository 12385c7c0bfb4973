/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters: every rule of core/param.h on a table of our own, configuration lines, and the tables of all
 * methods as they are (defaults that are allowed, names that are unique, values that come back
 * as they were). */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/method.h>
#include <scarce/model.h>

#include "core/param.h"
#include "method/method.h"
#include "test.h"

typedef struct options {
    int64_t count, size;
    double rate, limit;
    int flag, kind;
    const char *text;
} options;

#define AT(f) offsetof(options, f)
static const scarce__param list[] = {
    {"count", "n,number", SCARCE__INT, AT(count), "3", -5, 100, NULL, "how many", "int:1:9", NULL},
    {"size", "", SCARCE__INT, AT(size), "auto", 1, 1e15, NULL, "how large", NULL, NULL},
    {"rate", "eta", SCARCE__REAL, AT(rate), "0.1", 0, 1, NULL, "how fast", "log:0.01:1", NULL},
    {"limit", "", SCARCE__REAL, AT(limit), "auto", 0, INFINITY, NULL, "how far", NULL, NULL},
    {"flag", "", SCARCE__BOOL, AT(flag), "true", 0, 0, NULL, "or not", NULL, NULL},
    {"kind", "", SCARCE__CHOICE, AT(kind), "two", 0, 0, "one|two|three", "which", NULL, NULL},
    {"text", "", SCARCE__TEXT, AT(text), "some text", 0, 0, NULL, "what", NULL, NULL},
};
static const scarce__param_part parts[] = {SCARCE__PART(list, 0)};
static const scarce__param_table table = {parts, 1, sizeof(options)};
enum { N_PARAMS = sizeof list / sizeof *list };

static scarce__params *fresh(void)
{
    scarce__params *p = NULL;
    if (scarce__params_new(&p, "", "the test", &table, NULL, NULL) != SCARCE_OK) abort();
    return p;
}

static const options *of(const scarce__params *p)
{
    return scarce__params_options(p);
}

static void check_value(const scarce__params *p, size_t i, const char *want)
{
    scarce__text text = SCARCE__TEXT_INIT;
    CHECK(scarce__params_value(p, i, &text) == SCARCE_OK);
    CHECK_TEXT(text.bytes ? text.bytes : "", want);
    scarce__text_deinit(&text);
}

static void test_defaults(void)
{
    static const char *const want[] = {"3", "auto", "0.1", "auto", "true", "two", "some text"};
    scarce__params *p = fresh();
    CHECK(of(p)->count == 3 && of(p)->size == SCARCE__AUTO_INT && of(p)->rate == 0.1 && isnan(of(p)->limit));
    CHECK(of(p)->flag == 1 && of(p)->kind == 1);
    CHECK_TEXT(of(p)->text, "some text");
    for (size_t i = 0; i < N_PARAMS; ++i) {
        CHECK(!scarce__params_given(p, i));
        check_value(p, i, want[i]);
    }
    scarce__params_free(p);
    scarce__params_free(NULL);
}

/* Sets one value in a fresh set; the status, and the value as text when it was taken. */
static scarce_status set_one(const char *name, const char *value, const char *want, scarce_error *err)
{
    scarce__params *p = fresh();
    const size_t i = scarce__param_find(&table, name);
    const scarce_status st = scarce__params_set(p, name, value, err);
    if (st == SCARCE_OK && want) check_value(p, i, want);
    if (i != SIZE_MAX) CHECK(scarce__params_given(p, i) == (st == SCARCE_OK));
    scarce__params_free(p);
    return st;
}

static void test_numbers(void)
{
    static const char *const good[][3] = {{"count", "100", "100"},
                                          {"count", "-5", "-5"},
                                          {"count", "1e1", "10"},
                                          {"count", "7.0", "7"},
                                          {"count", "+4", "4"},
                                          {"size", "auto", "auto"},
                                          {"size", "1000000000000000", "1000000000000000"},
                                          {"rate", "0", "0"},
                                          {"rate", "1", "1"},
                                          {"rate", "1e-3", "0.001"},
                                          {"rate", ".5", "0.5"},
                                          {"limit", "inf", "inf"},
                                          {"limit", "auto", "auto"},
                                          {"limit", "2.5", "2.5"}};
    static const char *const bad[][2] = {{"count", "101"},
                                         {"count", "-6"},
                                         {"count", "1.5"},
                                         {"count", ""},
                                         {"count", "ten"},
                                         {"count", "1 "},
                                         {"count", " 1"},
                                         {"count", "0x1"},
                                         {"count", "auto"},
                                         {"count", "nan"},
                                         {"count", "inf"},
                                         {"count", "1e400"},
                                         {"count", "1,5"},
                                         {"rate", "1.0000001"},
                                         {"rate", "-1e-9"},
                                         {"rate", "nan"},
                                         {"rate", "auto"},
                                         {"rate", "-inf"},
                                         {"limit", "-1"},
                                         {"limit", "1e999"},
                                         {"size", "0"},
                                         {"size", "Auto"},
                                         {"size", "9223372036854775808"}};
    scarce_error err = SCARCE_ERROR_INIT;
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i)
        if (set_one(good[i][0], good[i][1], good[i][2], &err) != SCARCE_OK) {
            fprintf(stderr, "%s=%s: %s\n", good[i][0], good[i][1], err.text);
            CHECK(0);
        }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const scarce_status st = set_one(bad[i][0], bad[i][1], NULL, &err);
        if (st != SCARCE_EINVAL || !strstr(err.text, bad[i][0])) {
            fprintf(stderr, "%s=%s was taken, or: %s\n", bad[i][0], bad[i][1], err.text);
            CHECK(0);
        }
    }
    CHECK(set_one("count", "101", NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "count=101 is out of range (allowed: -5 to 100)");
    CHECK(set_one("count", "1.5", NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "count=\"1.5\" is not a whole number");
    CHECK(set_one("limit", "far", NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "limit=\"far\" is not a number or auto");
}

static void test_words(void)
{
    static const char *const yes[] = {"true", "1", "yes", "on"}, *const no[] = {"false", "0", "no", "off"};
    static const char *const not_choices[] = {"", "on", "one|two", "four", "One", "thre", "threee", "|"};
    scarce_error err = SCARCE_ERROR_INIT;
    for (int i = 0; i < 4; ++i) {
        CHECK(set_one("flag", yes[i], "true", NULL) == SCARCE_OK);
        CHECK(set_one("flag", no[i], "false", NULL) == SCARCE_OK);
    }
    CHECK(set_one("flag", "maybe", NULL, &err) == SCARCE_EINVAL &&
          strstr(err.text, "neither true nor false"));
    CHECK(set_one("flag", "", NULL, &err) == SCARCE_EINVAL &&
          set_one("flag", "TRUE", NULL, &err) == SCARCE_EINVAL);
    CHECK(set_one("kind", "one", "one", NULL) == SCARCE_OK &&
          set_one("kind", "three", "three", NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof not_choices / sizeof *not_choices; ++i)
        CHECK(set_one("kind", not_choices[i], NULL, &err) == SCARCE_EINVAL &&
              strstr(err.text, "one|two|three"));
    CHECK(set_one("text", "", "", NULL) == SCARCE_OK && set_one("text", "a=b c", "a=b c", NULL) == SCARCE_OK);
}

static void test_names(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce__param_find(&table, "n") == 0 && scarce__param_find(&table, "number") == 0);
    CHECK(scarce__param_find(&table, "eta") == 2 && scarce__param_find(&table, "") == SIZE_MAX);
    CHECK(scarce__param_find(&table, "n,number") == SIZE_MAX &&
          scarce__param_find(&table, "numbe") == SIZE_MAX);
    CHECK(set_one("eta", "0.5", "0.5", NULL) == SCARCE_OK);
    CHECK(set_one("conut", "1", NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "the test has no parameter \"conut\" (did you mean \"count\"?)");
    CHECK(set_one("RATE", "1", NULL, &err) == SCARCE_EINVAL && strstr(err.text, "did you mean \"rate\"?"));
    CHECK(set_one("kinds", "one", NULL, &err) == SCARCE_EINVAL && strstr(err.text, "did you mean \"kind\"?"));
    CHECK(set_one("zzzzzz", "1", NULL, &err) == SCARCE_EINVAL && !strstr(err.text, "did you mean"));
    char longest[3000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    CHECK(set_one(longest, "1", NULL, &err) == SCARCE_EINVAL &&
          set_one("count", longest, NULL, &err) == SCARCE_EINVAL);
    CHECK(strlen(err.text) < 200);
    CHECK(set_one("coun\nt", "1", NULL, &err) == SCARCE_EINVAL && !strchr(err.text, '\n'));
}

static void test_twice(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__params *p = fresh();
    CHECK(scarce__params_set(p, "count", "5", &err) == SCARCE_OK);
    CHECK(scarce__params_set(p, "count", "6", &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "parameter count is given twice");
    CHECK(scarce__params_set(p, "n", "5", &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "parameter count is given twice (n is another name of it)");
    CHECK(of(p)->count == 5);
    CHECK(scarce__params_set(p, "rate", "2", &err) == SCARCE_EINVAL); /* a refused value was not given */
    CHECK(scarce__params_set(p, "rate", "0.2", &err) == SCARCE_OK && of(p)->rate == 0.2);
    scarce__params_free(p);
}

static void test_presets(void)
{
    static const scarce__preset presets[] = {
        {"count", "9", 0}, {"text", "other", 0}, {"rate", "0.5", 1}, {"kind", "three", 1}, {NULL, NULL, 0}};
    static const scarce__preset wrong[] = {{"size", "0", 0}, {NULL, NULL, 0}},
                                none[] = {{"no", "0", 0}, {NULL, NULL, 0}};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__params *p = NULL;

    CHECK(scarce__params_new(&p, "the ", "test", &table, presets, &err) == SCARCE_OK);
    CHECK(of(p)->count == 9 && !scarce__params_given(p, 0) && of(p)->rate == 0.5 && of(p)->kind == 2);
    CHECK_TEXT(of(p)->text, "other");
    CHECK(scarce__params_set(p, "count", "8", &err) == SCARCE_OK && of(p)->count == 8);
    /* what it is can't be set, not even to what it is */
    CHECK(scarce__params_set(p, "eta", "0.5", &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "rate can't be set for the test: it is always 0.5");
    CHECK(!scarce__params_listed(p, 2) && !scarce__params_listed(p, 5) && scarce__params_listed(p, 0));
    CHECK(scarce__param_kth_listed(&table, presets, 2) == 3 &&
          scarce__param_kth_listed(&table, presets, 4) == 6 &&
          scarce__param_kth_listed(&table, presets, 5) == SIZE_MAX);
    CHECK_TEXT(scarce__param_info(&table, presets, 0).def, "9");
    CHECK_TEXT(scarce__param_info(&table, NULL, 0).def, "3");
    /* a name near one that is not listed is no advice */
    CHECK(scarce__params_set(p, "ratee", "1", &err) == SCARCE_EINVAL && !strstr(err.text, "\"rate\""));
    scarce__params_free(p);
    CHECK(scarce__params_new(&p, "", "test", &table, wrong, &err) == SCARCE_EINVAL && !p);
    CHECK(scarce__params_new(&p, "", "test", &table, none, &err) == SCARCE_EBUG && !p);
}

/* Two structs in one, the second with parameters that depend on a choice of the first. */
typedef struct inner {
    double depth;
    int64_t width;
} inner;
typedef struct outer {
    options first;
    inner second;
} outer;

static const scarce__param inner_list[] = {
    {"depth", "", SCARCE__REAL, offsetof(inner, depth), "auto", 0, 9, NULL, "how deep", NULL,
     "kind=one|three"},
    {"width", "w", SCARCE__INT, offsetof(inner, width), "4", 0, 9, NULL, "how wide", NULL, "kind=two"},
};

static void test_parts(void)
{
    static const scarce__param_part two[] = {SCARCE__PART(list, offsetof(outer, first)),
                                             SCARCE__PART(inner_list, offsetof(outer, second))};
    static const scarce__param_table both = {two, 2, sizeof(outer)};
    static const scarce__preset as_three[] = {{"kind", "three", 1}, {NULL, NULL, 0}};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__params *p = NULL, *copy = NULL;
    const size_t depth = N_PARAMS, width = N_PARAMS + 1;

    CHECK(scarce__param_count(&both) == N_PARAMS + 2 && scarce__param_find(&both, "w") == width);
    CHECK(scarce__params_new(&p, "", "both", &both, NULL, &err) == SCARCE_OK);
    const outer *o = scarce__params_options(p);
    CHECK(o->first.count == 3 && isnan(o->second.depth) && o->second.width == 4);
    CHECK(scarce__params_is_auto(p, depth) && !scarce__params_is_auto(p, width) &&
          scarce__params_is_auto(p, 1));
    CHECK(!scarce__params_applies(p, depth) && scarce__params_applies(p, width) &&
          scarce__params_applies(p, 0));
    CHECK(scarce__params_set(p, "depth", "2", &err) == SCARCE_OK && o->second.depth == 2);
    CHECK(scarce__params_check(p, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "depth is only for kind=one|three, and kind is two");
    CHECK(scarce__params_set(p, "kind", "one", &err) == SCARCE_OK &&
          scarce__params_check(p, &err) == SCARCE_OK);
    CHECK(scarce__params_set(p, "text", "mine", &err) == SCARCE_OK);

    CHECK(scarce__params_copy(&copy, p, &err) == SCARCE_OK);
    scarce__params_free(p); /* the copy owns its texts */
    const outer *c = scarce__params_options(copy);
    CHECK(c->second.depth == 2 && c->first.kind == 0 && scarce__params_given(copy, depth) &&
          !scarce__params_given(copy, width));
    CHECK_TEXT(c->first.text, "mine");
    scarce__params_free(copy);

    CHECK(scarce__params_new(&p, "", "both", &both, as_three, &err) == SCARCE_OK);
    CHECK(scarce__params_listed(p, depth) && !scarce__params_listed(p, width));
    CHECK(scarce__params_set(p, "w", "2", &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "both has no parameter width, which is only for kind=two");
    scarce__params_free(p);
}

static scarce_status set_list(const char *text, char separator, scarce_error *err)
{
    scarce__params *p = fresh();
    const scarce_status st = scarce__params_set_list(p, text, separator, err);
    scarce__params_free(p);
    return st;
}

static void test_lists(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__params *p = fresh();
    CHECK(scarce__params_set_list(p, "n=4:eta=0.25:text=a=b", ':', &err) == SCARCE_OK);
    CHECK(of(p)->count == 4 && of(p)->rate == 0.25);
    CHECK_TEXT(of(p)->text, "a=b");
    scarce__params_free(p);
    CHECK(set_list(NULL, ',', &err) == SCARCE_OK && set_list("", ',', &err) == SCARCE_OK);
    CHECK(set_list("text=a,b:c", '\0', &err) == SCARCE_OK);
    CHECK(set_list("count", ',', &err) == SCARCE_EINVAL && strstr(err.text, "key=value"));
    CHECK(set_list("count=1,", ',', &err) == SCARCE_EINVAL && set_list(",", ',', &err) == SCARCE_EINVAL);
    CHECK(set_list("=1", ',', &err) == SCARCE_EINVAL &&
          set_list("count=1,number=2", ',', &err) == SCARCE_EINVAL);
}

static const char *word_at(const void *arg, size_t i)
{
    return ((const char *const *)arg)[i];
}

static void test_nearest(void)
{
    static const char *const words[] = {"alpha", "beta", "gamma", NULL, "delta"};
    CHECK_TEXT(scarce__nearest_name("aplha", word_at, words, 5), "alpha"); /* a swap counts once */
    CHECK_TEXT(scarce__nearest_name("bet", word_at, words, 5), "beta");
    CHECK_TEXT(scarce__nearest_name("GAMMA", word_at, words, 5), "gamma");
    CHECK(scarce__nearest_name("omega12345", word_at, words, 5) == NULL);
    CHECK(scarce__nearest_name("", word_at, words, 5) == NULL &&
          scarce__nearest_name("x", word_at, words, 0) == NULL);
    static const char *const names[] = {"one", "three"};
    CHECK_TEXT(scarce_nearest_name("thre", names, 2), "three");
}

/* ---- configuration */

typedef struct seen {
    char text[256];
    int fail_at;
} seen;

static scarce_status take(void *arg, const char *key, const char *value, int line, scarce_error *err)
{
    seen *s = arg;
    const size_t n = strlen(s->text);
    (void)snprintf(s->text + n, sizeof s->text - n, "%d[%s][%s]", line, key, value);
    if (line == s->fail_at) {
        if (err) {
            err->code = SCARCE_EINVAL;
            strcpy(err->text, "no good");
        }
        return SCARCE_EINVAL;
    }
    return SCARCE_OK;
}

static scarce_status parse(const char *text, seen *s, int fail_at, scarce_error *err)
{
    char *copy = strdup(text);
    memset(s, 0, sizeof *s);
    s->fail_at = fail_at;
    const scarce_status st = scarce__config_parse(copy, "f.conf", take, s, err);
    free(copy);
    return st;
}

static void test_config(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    seen s;
    CHECK(parse("", &s, 0, &err) == SCARCE_OK && s.text[0] == '\0');
    CHECK(parse("a=1\n", &s, 0, &err) == SCARCE_OK);
    CHECK_TEXT(s.text, "1[a][1]");
    CHECK(parse("# c\n\n  a b \t=\t x y # tail\r\nk=\n\t\r\nz = p=q", &s, 0, &err) == SCARCE_OK);
    CHECK_TEXT(s.text, "3[a b][x y]4[k][]6[z][p=q]");
    CHECK(parse("a=1\nb\n", &s, 0, &err) == SCARCE_EPARSE);
    CHECK_TEXT(err.text, "f.conf:2: \"b\" is not of the form key = value");
    CHECK(parse("\n = 1", &s, 0, &err) == SCARCE_EPARSE && strstr(err.text, "f.conf:2: no key"));
    CHECK(parse("a=1\n\nb=2\nc=3", &s, 3, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "f.conf:3: no good");
    CHECK_TEXT(s.text, "1[a][1]3[b][2]");
}

static scarce_status read_file(const char *method, const char *bytes, size_t n, scarce_error *err)
{
    char path[] = "/tmp/scarce-params-XXXXXX";
    const int fd = mkstemp(path);
    scarce_params *p = NULL;
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd) != 0) abort();
    CHECK(scarce_params_new(&p, method, NULL) == SCARCE_OK);
    const scarce_status st = scarce_params_read(p, path, err);
    scarce_params_free(p);
    CHECK(unlink(path) == 0);
    return st;
}

static void test_files(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *p = NULL;
    char *large = malloc(2 << 20);
    CHECK(read_file("logistic", "method = logistic\nc = 2\n", 24, &err) == SCARCE_OK);
    CHECK(read_file("logistic", "", 0, &err) == SCARCE_OK);
    CHECK(read_file("logistic", "method = linear-svm\n", 20, &err) == SCARCE_EINVAL &&
          strstr(err.text, ":1: "));
    CHECK(read_file("logistic", "c = 1\ncost = 2\n", 15, &err) == SCARCE_EINVAL &&
          strstr(err.text, ":2: parameter c is given twice"));
    CHECK(read_file("logistic", "c = 1\n\0", 7, &err) == SCARCE_EPARSE && strstr(err.text, "NUL"));
    memset(large, '\n', 2 << 20);
    CHECK(read_file("logistic", large, 1 << 20, &err) == SCARCE_OK);
    CHECK(read_file("logistic", large, (1 << 20) + 1, &err) == SCARCE_EPARSE);
    free(large);
    CHECK(scarce_params_new(&p, "logistic", NULL) == SCARCE_OK);
    CHECK(scarce_params_read(p, "/nonexistent/file", &err) == SCARCE_EIO &&
          strstr(err.text, "/nonexistent/file"));
    CHECK(scarce_params_read(p, "/tmp", &err) == SCARCE_EIO);
    scarce_params_free(p);
    p = NULL;
    CHECK(scarce_params_new(&p, "logistik", &err) == SCARCE_EINVAL && !p &&
          strstr(err.text, "did you mean \"logistic\""));
}

/* ---- the methods' own tables */

static void test_methods(void)
{
    for (size_t k = 0; k < scarce_method_count(); ++k) {
        const scarce_method_info info = scarce_method_get(k);
        const scarce__method *method = scarce__method_at(k);
        const scarce__param_table *t = method->engine->params;
        scarce_params *p = NULL, *again = NULL;
        CHECK(scarce_method_find(info.name) == k && *info.summary && *info.paper && *info.family);
        CHECK(scarce_params_new(&p, info.name, NULL) == SCARCE_OK &&
              scarce_params_new(&again, info.name, NULL) == SCARCE_OK);
        CHECK_TEXT(scarce_params_method(p), info.name);
        for (size_t j = 0; p && again && j < info.n_params; ++j) {
            const scarce_param_info param = scarce_method_param(k, j);
            const size_t i = scarce__param_kth_listed(t, method->presets, j);
            scarce__text value = SCARCE__TEXT_INIT, back = SCARCE__TEXT_INIT;
            char names[512], *save = NULL;
            (void)snprintf(names, sizeof names, "%s,%s", param.name, param.aliases);
            for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
                if (scarce__param_find(t, name) != i) {
                    fprintf(stderr, "%s: name %s belongs to two parameters\n", info.name, name);
                    CHECK(0);
                }
            CHECK(param.help && *param.help && param.type && *param.type && param.def);
            /* default, or the method's preset: allowed when typed, and the same again */
            CHECK(scarce__params_value(p->values, i, &value) == SCARCE_OK);
            CHECK(scarce_params_set(again, param.name, value.bytes ? value.bytes : "", NULL) == SCARCE_OK);
            CHECK(scarce__params_value(again->values, i, &back) == SCARCE_OK);
            CHECK_TEXT(back.bytes ? back.bytes : "", value.bytes ? value.bytes : "");
            scarce__text_deinit(&value);
            scarce__text_deinit(&back);
        }
        CHECK(!scarce_method_param(k, info.n_params).name);
        /* every condition names a choice and words of it */
        for (size_t i = 0; i < scarce__param_count(t); ++i) {
            const char *when = scarce__param_at(t, i)->when;
            char copy[128], *save = NULL;
            if (!when) continue;
            (void)snprintf(copy, sizeof copy, "%s", when);
            const char *other = strtok_r(copy, "=", &save);
            const size_t o = scarce__param_find(t, other);
            CHECK(o != SIZE_MAX && scarce__param_at(t, o)->type == SCARCE__CHOICE);
            for (char *word = strtok_r(NULL, "|", &save); word; word = strtok_r(NULL, "|", &save))
                CHECK(scarce__is_word_of(scarce__param_at(t, o)->choices, '|', word, strlen(word)));
        }
        scarce_params_free(p);
        scarce_params_free(again);
    }
    CHECK(!scarce_method_get(scarce_method_count()).name);
    CHECK(scarce_method_find("no such method") == SIZE_MAX);
    CHECK(scarce_method_find("") == SIZE_MAX);
}

/* "resampler+method:key=value": the grammar of compare, tune and bindings. */
static void test_specs(void)
{
    static const char *const bad[] = {
        "",    "gb+gb", "no+gb", "random-under+", "gb:n_trees", "random-under:ratio=x+gb", "random-under",
        "+gb", "gb:"};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *p = NULL;
    char *value = NULL;

    CHECK(scarce_params_of_spec(&p, "random-under:ratio=0.5:replacement=true+gb:n_trees=50:max_depth=2",
                                &err) == SCARCE_OK);
    CHECK_TEXT(scarce_params_method(p), "gb");
    CHECK_TEXT(scarce_params_resample(p), "random-under:ratio=0.5:replacement=true");
    CHECK(scarce_params_get(&value, p, "num_trees", &err) == SCARCE_OK);
    CHECK_TEXT(value, "50");
    scarce_bytes_free(value);
    CHECK(scarce_params_get(&value, p, "monotone", &err) == SCARCE_OK);
    CHECK_TEXT(value, "");
    scarce_bytes_free(value);
    CHECK(scarce_params_get(&value, p, "nothing", &err) == SCARCE_EINVAL && !value);
    CHECK(scarce_params_set_resample(p, NULL, &err) == SCARCE_OK && !scarce_params_resample(p));
    scarce_params_free(p);
    /* a plus in a value */
    CHECK(scarce_params_of_spec(&p, "gb:interactions=a+b", &err) == SCARCE_OK && !scarce_params_resample(p));
    scarce_params_free(p);
    CHECK(scarce_params_of_spec(&p, "ap-lb", &err) == SCARCE_OK);
    CHECK(scarce_params_get(&value, p, "loss", &err) == SCARCE_EINVAL);
    scarce_params_free(p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        p = NULL;
        CHECK(scarce_params_of_spec(&p, bad[i], &err) == SCARCE_EINVAL && !p && err.text[0]);
    }
}

static const test_case tests[] = {
    {"defaults", test_defaults}, {"numbers", test_numbers}, {"words", test_words},
    {"names", test_names},       {"twice", test_twice},     {"presets", test_presets},
    {"lists", test_lists},       {"nearest", test_nearest}, {"config", test_config},
    {"files", test_files},       {"methods", test_methods}, {"parts", test_parts},
    {"specs", test_specs}};
TEST_MAIN(tests)
