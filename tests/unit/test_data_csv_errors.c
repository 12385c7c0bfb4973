/* SPDX-License-Identifier: Apache-2.0 */
/* What the CSV reader refuses: every complaint names file, line and column, whatever the pieces. */
#include "unit/csv_texts.h"

typedef struct complaint {
    const char *text;
    size_t n; /* 0: strlen */
    scarce_status status;
    const char *message;
} complaint;

static void check_error(const char *text, size_t n, const scarce_read_options *o, scarce_status status,
                        const char *message)
{
    static const scarce__read_tuning tiny = {16, 16, 8, 0, 0};
    for (int pass = 0; pass < 2; ++pass) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_table *t = NULL;
        const scarce_status st = read_text(&t, text, n ? n : strlen(text), o, pass ? &tiny : NULL, 2, &err);
        CHECK(st == status && err.code == status && t == NULL);
        CHECK_TEXT(err.text, message);
        scarce_table_free(t);
    }
}

static void test_errors(void)
{
    static const complaint list[] = {
        {"", 0, SCARCE_EPARSE, "t.csv: the file is empty"},
        {"\n\n", 0, SCARCE_EPARSE, "t.csv: the file is empty"},
        {"a,label\n", 0, SCARCE_EDATA, "t.csv: there are no rows"},
        {"a,label", 0, SCARCE_EDATA, "t.csv: there are no rows"},
        {"a,b,label\n1,2,0\n1,1\n", 0, SCARCE_EPARSE,
         "t.csv:3: the row has 2 fields, the header has 3 (column 3 \"label\" is the first without a field)"},
        {"a,b,label\n1,2,0\n\n1,1,\"x,y\",4\n", 0, SCARCE_EPARSE,
         "t.csv:4: the row has 4 fields, the header has 3 (a field that holds a , needs quotes)"},
        {"a,b,label\n\"x\ny\",2,0\n1\n", 0, SCARCE_EPARSE,
         "t.csv:4: the row has 1 field, the header has 3 (column 2 \"b\" is the first without a field)"},
        {"a,b,label\n1,2,0\n1,\"x\n1,2,1\n", 0, SCARCE_EPARSE,
         "t.csv:3: the quote that opens here is not closed (a quote inside a field is written twice)"},
        {"a,b,label\n1,\"2\"x,0\n1,2,1\n", 0, SCARCE_EPARSE,
         "t.csv:2: column 2 \"b\": text after the closing quote (a quote inside quotes is doubled)"},
        {"a,b,label\n1,2,0\n1,\0,1\n", 20, SCARCE_EPARSE,
         "t.csv:3: a zero byte: this is not a text file (CSV, TSV, LIBSVM, ARFF, KEEL are read)"},
        {"a,\0,label\n", 10, SCARCE_EPARSE,
         "t.csv:1: a zero byte: this is not a text file (CSV, TSV, LIBSVM, ARFF, KEEL are read)"},
        {"a,,label\n1,2,0\n", 0, SCARCE_EPARSE, "t.csv:1: column 2 has no name"},
        {"a,b,\n1,2,0\n", 0, SCARCE_EPARSE, "t.csv:1: column 3 has no name"},
        {"a,b,a,label\n1,2,0,1\n", 0, SCARCE_EPARSE,
         "t.csv:1: columns 1 and 3 are both named \"a\" (rename one)"},
        {"a,\"b,label\n1,2,0\n", 0, SCARCE_EPARSE, "t.csv:1: a quote in the header is not closed"},
        {"a,label\n1,0\n2,1\n3,2\n", 0, SCARCE_EDATA,
         "t.csv:4: label column \"label\" holds a third value \"2\" beside \"0\" and \"1\" (say which one is "
         "positive with --positive, or choose the label with --label)"},
        {"a,label\n1,0\n2,0.0\n", 0, SCARCE_EDATA,
         "t.csv: label column \"label\" holds only \"0\"; two values are needed (is it the right column? "
         "--label COL)"},
        {"a,label\n1,0\n2,\n3,1\n4,\n", 0, SCARCE_EDATA,
         "t.csv:3: the label (column \"label\") is missing (fill it in, or leave the row out)"},
        {"a,label\n1,0\n-1e400,1\n", 0, SCARCE_EPARSE,
         "t.csv:3: column 1 \"a\": \"-1e400\" is beyond the range of a number (fix the row, or leave the "
         "column out with --ignore a)"},
        {"label\n1\n0\n", 0, SCARCE_EDATA,
         "t.csv: no column is left as a feature (there is one column; --separator says what stands between "
         "columns)"},
    };
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i)
        check_error(list[i].text, list[i].n, &o, list[i].status, list[i].message);
}

static void test_option_errors(void)
{
    static const char text[] = "amount,kind,label\n1,a,0\n2,b,1\n\"12,5x\",a,0\n";
    static const char *const amount[] = {"amount"}, *const kind[] = {"2"};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;

    o.numeric = (scarce_names){amount, 1};
    check_error(text, 0, &o, SCARCE_EPARSE,
                "t.csv:4: column 1 \"amount\": \"12,5x\" is not a number (declare it with --categorical "
                "amount, or fix the row)");
    o.numeric = (scarce_names){kind, 1};
    o.categorical = (scarce_names){kind, 1};
    check_error(text, 0, &o, SCARCE_EINVAL, "column \"kind\" can't be both categorical and numeric");
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    o.weight = "amonut";
    check_error(text, 0, &o, SCARCE_EDATA,
                "t.csv: there is no weight column \"amonut\" (the nearest name is \"amount\")");
    o.weight = "amount";
    check_error(text, 0, &o, SCARCE_EPARSE,
                "t.csv:4: column 1 \"amount\": \"12,5x\" is not a number (fix the row)");
    check_error("w,x,label\n-1,2,0\n1,2,1\n", 0, &(scarce_read_options){.weight = "w"}, SCARCE_EDATA,
                "t.csv:2: column 1 \"w\": \"-1\" is a negative weight (weights are 0 or more)");
    check_error("w,x,label\n1,2,0\n,2,1\n", 0, &(scarce_read_options){.amount = "w"}, SCARCE_EDATA,
                "t.csv:3: the amount (column 1 \"w\") is missing (fill it in, or leave the row out)");
    check_error("w,x,label\n1,2,0\n?,2,1\n", 0, &(scarce_read_options){.group = "w"}, SCARCE_EDATA,
                "t.csv:3: the group (column 1 \"w\") is missing (fill it in, or leave the row out)");
    check_error(
        "w,x,label\n2024-02-29,2,0\n2023-02-29,2,1\n", 0, &(scarce_read_options){.time = "w"}, SCARCE_EPARSE,
        "t.csv:3: column 1 \"w\": \"2023-02-29\" is neither a number nor a date; dates are read as "
        "2018-04-01, 01/04/2018, 01.04.2018, 01-Apr-18, Apr 1, 2018, each also with 12:30[:00] behind it");
    check_error("w,x,label\n1,2,0\ninf,2,1\n", 0, &(scarce_read_options){.amount = "w"}, SCARCE_EDATA,
                "t.csv:3: column 1 \"w\": \"inf\" is not finite");
    check_error("w,x,label\n1,2,0\n1,2,1\n", 0, &(scarce_read_options){.amount = "w", .weight = "1"},
                SCARCE_EINVAL, "column \"w\" is given two roles, one of them amount");
    check_error(
        "a,label\n1,0\n2,1\n3,2\n", 0, &(scarce_read_options){.positive = "4"}, SCARCE_EDATA,
        "t.csv: label column \"label\" never holds the positive value \"4\"; it holds \"0\" and others "
        "(--positive says which one is sought)");
    static const scarce__read_tuning short_lines = {16, 16, 8, 20, 0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    static const char line[] =
        "a,label\n1,0\n2222222222222222222222222222222222222222222222222222222222222222222,1\n";
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    CHECK(read_text(&t, line, strlen(line), &o, &short_lines, 1, &err) == SCARCE_EPARSE);
    CHECK_TEXT(err.text, "t.csv:3: the line is longer than 20 bytes");
}

static const test_case tests[] = {
    {"errors", test_errors},
    {"option_errors", test_option_errors},
};
TEST_MAIN(tests)
