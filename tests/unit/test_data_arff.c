/* SPDX-License-Identifier: Apache-2.0 */
/* ARFF and KEEL: headers, quotes, comments, and what is refused. */
#include "data/read.h"
#include "test.h"

static scarce_status read_text(scarce_table **out, const char *text, scarce_format format,
                               const scarce_read_options *options, int tiny, scarce_error *err)
{
    static const scarce__read_tuning small = {5, 20, 9, 0, 0};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__source *source = NULL;
    scarce_status st;

    if (options) o = *options;
    o.format = format;
    co.threads = 2;
    *out = NULL;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__source_memory(&source, text, strlen(text), "t.arff", NULL) == SCARCE_OK);
    st = scarce__read_sources(out, &source, 1, &o, tiny ? &small : NULL, ctx, err);
    scarce__source_close(source);
    scarce_context_free(ctx);
    return st;
}

static const char weka[] = "% a comment\r\n"
                           "@RELATION 'some pay'\n"
                           "\n"
                           "@attribute amount NUMERIC\n"
                           "@Attribute 'the kind' {cash, 'on line', \"it's\"}\n"
                           "@attribute\tcount\tinteger\n"
                           "@attribute note string\n"
                           "@attribute seen date \"yyyy-MM-dd\"\n"
                           "@attribute class {no,yes}\n"
                           "@data\n"
                           "1.5,cash,3,'a, b',2020-01-01,no\n"
                           "% between\n"
                           "  \n"
                           " ?, 'on line' ,4,\"x\",2020-01-02, yes \r\n"
                           "-2e3,\"it's\",?,?,2020-01-01,no\n"
                           "7,'it\\'s',5,'a, b','2020-01-01',no";

static void test_weka(void)
{
    for (int tiny = 0; tiny < 2; ++tiny) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_table *t = NULL;
        CHECK(read_text(&t, weka, SCARCE_FORMAT_ARFF, NULL, tiny, &err) == SCARCE_OK);
        CHECK_TEXT(err.text, "");
        if (!t) return;
        const scarce_schema *s = scarce_table_schema(t);
        CHECK(scarce_table_rows(t) == 4 && scarce_table_features(t) == 5 && scarce_table_positives(t) == 1);
        CHECK_TEXT(scarce_schema_name(s, 1), "the kind");
        CHECK_TEXT(scarce_schema_label(s), "class");
        CHECK_TEXT(scarce_schema_positive(s), "yes");
        const float *amount = scarce_table_numbers(t, 0), *count = scarce_table_numbers(t, 2);
        CHECK(amount[0] == 1.5f && isnan(amount[1]) && amount[2] == -2000 && amount[3] == 7);
        CHECK(count[0] == 3 && isnan(count[2]) && count[3] == 5);
        const int32_t *kind = scarce_table_codes(t, 1), *note = scarce_table_codes(t, 3),
                      *seen = scarce_table_codes(t, 4);
        CHECK(kind[0] == 0 && kind[1] == 1 && kind[2] == 2 && kind[3] == 2);
        CHECK_TEXT(scarce_schema_category(s, 1, 1), "on line");
        CHECK(note[0] == 0 && note[1] == 1 && note[2] == -1 && note[3] == 0);
        CHECK_TEXT(scarce_schema_category(s, 3, 0), "a, b");
        CHECK(seen[0] == 0 && seen[1] == 1 && seen[3] == 0);
        scarce_table_free(t);
    }
}

static void test_keel(void)
{
    static const char text[] = "@relation glass\n"
                               "@attribute RI real [1.51115, 1.53393]\n"
                               "@attribute Na integer[0,9]\n"
                               "@attribute Class {positive, negative}\n"
                               "@attribute Kind{a,b}\n"
                               "@inputs RI, Na, Kind\n"
                               "@outputs Class\n"
                               "@data\n"
                               "1.51, 3, negative, a\n1.52, <null>, positive, b\n1.53, 4, positive, a\n";
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    CHECK(read_text(&t, text, SCARCE_FORMAT_KEEL, NULL, 1, &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    if (!t) return;
    CHECK(scarce_table_rows(t) == 3 && scarce_table_features(t) == 3 && scarce_table_positives(t) == 2);
    CHECK_TEXT(scarce_schema_label(scarce_table_schema(t)), "Class");
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 2), "Kind");
    CHECK(scarce_table_numbers(t, 0)[2] == 1.53f && isnan(scarce_table_numbers(t, 1)[1]) &&
          scarce_table_codes(t, 2)[2] == 0);
    scarce_table_free(t);
}

static void check_error(const char *text, scarce_status status, const char *message)
{
    for (int tiny = 0; tiny < 2; ++tiny) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_table *t = NULL;
        CHECK(read_text(&t, text, SCARCE_FORMAT_ARFF, NULL, tiny, &err) == status && t == NULL);
        CHECK_TEXT(err.text, message);
    }
}

#define HEAD "@relation r\n@attribute a real\n@attribute b {x,y}\n@attribute class {0,1}\n@data\n"

static void test_errors(void)
{
    check_error("", SCARCE_EPARSE, "t.arff: the file is empty");
    check_error("@relation r\n@attribute a real\n", SCARCE_EPARSE, "t.arff: there is no @data line");
    check_error("@relation r\n@data\n1\n", SCARCE_EPARSE, "t.arff: no attributes before @data");
    check_error("@relation r\nhello\n@data\n", SCARCE_EPARSE,
                "t.arff:2: \"hello\" before @data (the line @data comes before the rows)");
    check_error("@attribute a real\n@attribute 'a' real\n@data\n", SCARCE_EPARSE,
                "t.arff:2: attributes 1 and 2 are both named \"a\"");
    check_error("@attribute a relational\n@data\n", SCARCE_EPARSE,
                "t.arff:1: attribute \"a\": type \"relational\" is none of numeric, real, integer, string, "
                "date, {...}");
    check_error("@attribute a {x,y\n@data\n", SCARCE_EPARSE,
                "t.arff:1: the list of values is not closed with }");
    check_error("@attribute a {x,,y}\n@data\n", SCARCE_EPARSE,
                "t.arff:1: a nominal value is missing or its quote is not closed");
    check_error("@attribute\n@data\n", SCARCE_EPARSE, "t.arff:1: an attribute without name");
    check_error(HEAD, SCARCE_EDATA, "t.arff: there are no rows");
    check_error(HEAD "1,x,0\n% c\n2,z,1\n", SCARCE_EPARSE,
                "t.arff:8: column 2 \"b\": \"z\" is not among the values of the attribute");
    check_error(
        HEAD "1,x,0\nq,x,1\n", SCARCE_EPARSE,
        "t.arff:7: column 1 \"a\": \"q\" is not a number (declare it with --categorical a, or fix the row)");
    check_error(HEAD "1,x,0\n{0 1, 1 y}\n", SCARCE_EUNSUPPORTED,
                "t.arff:7: sparse ARFF rows are not supported");
    check_error(HEAD "1, 'x,y',0,3\n", SCARCE_EPARSE,
                "t.arff:6: column 2 \"b\": \"x,y\" is not among the values of the attribute");
    check_error(HEAD "1,x,'0,1',3\n", SCARCE_EPARSE,
                "t.arff:6: the row has 4 fields, the header has 3 (a field that holds a , needs quotes)");
    check_error(
        HEAD "1,x\n", SCARCE_EPARSE,
        "t.arff:6: the row has 2 fields, the header has 3 (column 3 \"class\" is the first without a field)");
    check_error(HEAD "1,'x,0\n2,y,1\n", SCARCE_EPARSE, "t.arff:6: the quote in column 2 \"b\" is not closed");
    check_error(HEAD "1,'x' y,0\n2,y,1\n", SCARCE_EPARSE,
                "t.arff:6: column 2 \"b\": text after the closing quote");
}

static const test_case tests[] = {{"weka", test_weka}, {"keel", test_keel}, {"errors", test_errors}};
TEST_MAIN(tests)
