/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the language that is CEL, against cel-python: tests/golden/make_expr.py tells what the lines are. */
#include <stdlib.h>

#include "data/csv.h"
#include "expr/expr.h"
#include "test.h"

static const scarce__expr_symbol fields[] = {{"amount", SCARCE__NUMBER}, {"mean", SCARCE__NUMBER},
                                             {"count", SCARCE__NUMBER},  {"country", SCARCE__WORD},
                                             {"home", SCARCE__WORD},     {"is_ecom", SCARCE__BOOLEAN},
                                             {"pin", SCARCE__BOOLEAN},   {"time", SCARCE__TIME},
                                             {"last", SCARCE__TIME},     {"wait", SCARCE__SPAN}};
enum { N = sizeof fields / sizeof fields[0], LINE = 8192 };

static int line_of(FILE *f, char line[LINE])
{
    if (!fgets(line, LINE, f)) return 0;
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

static scarce__value value_of(scarce__type type, const char *text)
{
    double x = 0;
    if (type == SCARCE__WORD) return scarce__value_text(text, strlen(text));
    if (type == SCARCE__BOOLEAN) return scarce__value_number(strcmp(text, "true") == 0);
    if (type == SCARCE__TIME) CHECK(scarce__parse_date(text, strlen(text), &x));
    else if (type == SCARCE__SPAN) CHECK(scarce__parse_span(text, strlen(text), &x));
    else x = strtod(text, NULL);
    return scarce__value_number(x);
}

static void read_record(char *line, scarce__value *record)
{
    for (size_t i = 0; i < N; ++i) record[i] = scarce__value_missing();
    for (char *item = strtok(line, "\t"); item; item = strtok(NULL, "\t")) {
        char *value = strchr(item, '=');
        size_t i = 0;
        *value++ = '\0';
        while (i < N && strcmp(fields[i].name, item) != 0) ++i;
        CHECK(i < N);
        if (i < N) record[i] = value_of(fields[i].type, value);
    }
}

static int equal(const scarce__value *v, scarce__type type, const char *want)
{
    scarce__text t = SCARCE__TEXT_INIT;
    int same;

    if (!v->known || strcmp(want, "unknown") == 0) return !v->known && strcmp(want, "unknown") == 0;
    if (type == SCARCE__NUMBER) return v->as.number == strtod(want, NULL);
    if (type == SCARCE__WORD) scarce__text_add(&t, "\"");
    scarce__value_add(&t, v, type, -1);
    if (type == SCARCE__WORD) scarce__text_add(&t, "\"");
    same = strcmp(t.bytes, want) == 0;
    scarce__text_deinit(&t);
    return same;
}

static void test_cel(void)
{
    static char text[LINE], line[LINE], want[LINE];
    FILE *f = fopen("golden/expr.txt", "r");
    size_t cases = 0;

    CHECK(f != NULL);
    while (f && line_of(f, text) && line_of(f, line) && line_of(f, want)) {
        scarce__value record[N];
        scarce__expr_source s;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__expr *e = NULL;
        memset(&s, 0, sizeof s);
        s.text = text;
        s.length = strlen(text);
        s.symbols = fields;
        s.n_symbols = N;
        read_record(line, record);
        CHECK(scarce__expr_compile(&e, &s, &err) == SCARCE_OK);
        if (!e) {
            fprintf(stderr, "%s\n  %s\n", text, err.text);
            continue;
        }
        const scarce__value v = scarce__expr_run(e, record);
        const int same = equal(&v, scarce__expr_type(e), want);
        if (!same) fprintf(stderr, "%s\n  got %d %.17g, want %s\n", text, v.known, v.as.number, want);
        CHECK(same);
        scarce__expr_free(e);
        ++cases;
    }
    if (f) fclose(f);
    CHECK(cases == 1500);
}

static const test_case tests[] = {{"cel", test_cel}};
TEST_MAIN(tests)
