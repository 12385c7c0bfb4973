/* SPDX-License-Identifier: Apache-2.0 */
/* Files as the world writes them: separators, decimal signs, dates, times, encodings, and what is said of
 * what was understood. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/decimal.h"
#include "data/times.h"
#include "test.h"
#include <scarce/table.h>

static scarce_table *read_with(const char *text, size_t n, const scarce_read_options *o, scarce_error *err)
{
    scarce_table *t = NULL;
    (void)scarce_table_read_bytes(&t, text, n, "t.csv", o, NULL, err);
    return t;
}

static scarce_table *read_ok(const char *text, const scarce_read_options *o)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = read_with(text, strlen(text), o, &err);
    CHECK(t != NULL);
    if (!t) fprintf(stderr, "%s\n", err.text);
    return t;
}

static void check_refused(const char *text, const scarce_read_options *o, const char *part)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = read_with(text, strlen(text), o, &err);
    CHECK(t == NULL && strstr(err.text, part) != NULL);
    if (!t && !strstr(err.text, part)) fprintf(stderr, "\"%s\" lacks \"%s\"\n", err.text, part);
    scarce_table_free(t);
}

static const scarce_note *find_note(const scarce_table *t, scarce_note_code code, const char *column)
{
    const scarce_reading *r = scarce_table_reading(t);
    for (size_t i = 0; i < r->n_notes; ++i)
        if (r->notes[i].code == code && (!column || strcmp(r->notes[i].column, column) == 0))
            return &r->notes[i];
    return NULL;
}

/* ---- numbers */

static void decimals(void)
{
    static const struct {
        const char *text;
        char decimal;
        int sure;
        const char *plain; /* NULL: no number */
    } cases[] = {{"12,5", ',', 1, "12.5"},
                 {"12,5", '.', 1, NULL},
                 {"1.234,56", ',', 0, "1234.56"},
                 {"1,234.56", '.', 0, "1234.56"},
                 {"-1'234.50", '.', 0, "-1234.50"},
                 {"1\xC2\xA0"
                  "234,5",
                  ',', 0, "1234.5"},
                 {"12 345,6", ',', 0, "12345.6"},
                 {"1.234", ',', 1, "1234"},
                 {"1.234", ',', 0, NULL},
                 {"1,234,567", '.', 0, "1234567"},
                 {"0,125", ',', 0, "0.125"},
                 {"0.125,5", ',', 1, NULL},
                 {"1.23,5", ',', 1, NULL},
                 {"1.234'567,8", ',', 1, NULL},
                 {"1,5e-03", ',', 1, "1.5e-03"},
                 {",5", ',', 1, ".5"},
                 {",", ',', 1, NULL},
                 {"1,2,3", ',', 1, NULL},
                 {"01.04.2018", ',', 1, NULL},
                 {"", ',', 1, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char plain[SCARCE__DECIMAL_ROOM];
        const size_t n = scarce__decimal_plain(plain, cases[i].text, strlen(cases[i].text), cases[i].decimal,
                                               cases[i].sure);
        const char *want = cases[i].plain ? cases[i].plain : "";
        CHECK(n == strlen(want) && memcmp(plain, want, n) == 0);
    }
    CHECK(scarce__decimal_evidence("12,5", 4) == ',');
    CHECK(scarce__decimal_evidence("12.5", 4) == '.');
    CHECK(scarce__decimal_evidence("1,234", 5) == 0);
    CHECK(scarce__decimal_evidence("0,234", 5) == ',');
    CHECK(scarce__decimal_evidence("1.234,5", 7) == ',');
    CHECK(scarce__decimal_evidence("1.234.567", 9) == 0);
}

/* Any file with points, written with commas, is the same table: through the fast path and the slow one. */
static void same_with_commas(void)
{
    char point[8192] = "a;b;label\n", comma[8192] = "a;b;label\n";
    size_t n = strlen(point);
    for (unsigned i = 0; i < 200; ++i) {
        const unsigned x = i * 2654435761u;
        char row[64];
        snprintf(row, sizeof row, "%s%u.%u;%u.%03u1e%d;%u\n", x & 4 ? "-" : "", x % 100000, x % 977, x % 7,
                 x % 1000, (int)(x % 5) - 2, i % 7 == 0);
        strcpy(point + n, row);
        strcpy(comma + n, row);
        n += strlen(row);
    }
    for (char *p = strchr(comma, '\n'); *p; ++p)
        if (*p == '.') *p = ',';
    scarce_table *a = read_ok(point, NULL), *b = read_ok(comma, NULL);
    if (a && b) {
        CHECK(scarce_table_fingerprint(a) == scarce_table_fingerprint(b));
        CHECK(scarce_table_reading(b)->decimal == ',' && scarce_table_reading(b)->separator == ';');
        CHECK(scarce_table_reading(a)->decimal == '.');
    }
    scarce_table_free(a);
    scarce_table_free(b);
}

/* A comma that shows after the first 64 KB. */
static void late_comma(void)
{
    static char text[400000];
    size_t n = (size_t)snprintf(text, sizeof text, "a;label\n");
    for (int i = 0; i < 40000; ++i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d;%d\n", i % 100, i % 2);
    snprintf(text + n, sizeof text - n, "7,25;1\n");
    scarce_table *t = read_ok(text, NULL);
    if (t) CHECK(scarce_table_numbers(t, 0) && scarce_table_numbers(t, 0)[40000] == 7.25f);
    scarce_table_free(t);
}

static void separators(void)
{
    static const char *const texts[] = {"a,b,label\n1,x,0\n2,y,1\n",       "a;b;label\n1;x;0\n2;y;1\n",
                                        "a\tb\tlabel\n1\tx\t0\n2\ty\t1\n", "a|b|label\n1|x|0\n2|y|1\n",
                                        "a|b|label\n1|\"x\"|0\n2|y|1\n",   "a,b,label\r1,x,0\r2,y,1\r"};
    scarce_table *first = read_ok(texts[0], NULL);
    for (size_t i = 1; i < 6; ++i) {
        scarce_table *t = read_ok(texts[i], NULL);
        if (t) CHECK(scarce_table_fingerprint(t) == scarce_table_fingerprint(first));
        scarce_table_free(t);
    }
    scarce_table_free(first);
    /* other separators inside fields, and fewer rows that fit them */
    scarce_table *t = read_ok("a,b;c,label\n1,2;3,0\n4,5;6,1\n", NULL);
    if (t) CHECK(scarce_table_features(t) == 2);
    scarce_table_free(t);
}

static void encodings(void)
{
    static const char text[] = "a,b,label\n1,x,0\n2,\xC3\xA9,1\n3,\xF0\x9F\x98\x80,0\n";
    static const unsigned points[] = {0xE9, 0x1F600};
    scarce_table *plain = read_ok(text, NULL);
    for (int big = 0; big < 2; ++big) {
        char wide[256];
        size_t n = 0, k = 0;
        const char *p = text;
        wide[n++] = (char)(big ? 0xFE : 0xFF);
        wide[n++] = (char)(big ? 0xFF : 0xFE);
        while (*p) {
            unsigned units[2] = {(unsigned char)*p, 0};
            if (*p & 0x80) {
                const unsigned c = points[k++];
                p += c > 0xFFFF ? 4 : 2;
                units[0] = c > 0xFFFF ? 0xD800 + ((c - 0x10000) >> 10) : c;
                units[1] = c > 0xFFFF ? 0xDC00 + ((c - 0x10000) & 0x3FF) : 0;
            } else {
                ++p;
            }
            for (int u = 0; u < 2 && (u == 0 || units[u]); ++u) {
                wide[n++] = (char)(big ? units[u] >> 8 : units[u]);
                wide[n++] = (char)(big ? units[u] : units[u] >> 8);
            }
        }
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_table *t = read_with(wide, n, NULL, &err);
        CHECK(t && scarce_table_fingerprint(t) == scarce_table_fingerprint(plain));
        if (t) CHECK_TEXT(scarce_table_reading(t)->encoding, "UTF-16");
        scarce_table_free(t);
    }
    scarce_table_free(plain);
    check_refused("PK\x03\x04 xl/workbook", NULL, "Excel");
    check_refused("PAR1", NULL, "Parquet");
    check_refused("<!DOCTYPE html><html>", NULL, "HTML");
}

static void missing_texts(void)
{
    scarce_table *t =
        read_ok("a,label\n1,0\nNULL,1\nNone,0\nN/A,0\nn/a,0\n#N/A,0\n\\N,0\nNAN,0\n-,0\n,0\nNA,0\n?,0\n"
                "null,0\n-2,1\n",
                NULL);
    if (t) {
        const float *x = scarce_table_numbers(t, 0);
        CHECK(x && x[0] == 1 && x[13] == -2);
        for (size_t i = 1; x && i < 13; ++i) CHECK(isnan(x[i]));
    }
    scarce_table_free(t);
}

/* ---- times */

static void dates(void)
{
    static const struct {
        const char *text;
        scarce_date_order order;
        const char *iso; /* NULL: no date */
    } cases[] = {{"01.04.2018", SCARCE_DATE_AUTO, "2018-04-01"},
                 {"1/4/2018", SCARCE_DATE_DMY, "2018-04-01"},
                 {"1/4/2018", SCARCE_DATE_MDY, "2018-01-04"},
                 {"04/13/2018", SCARCE_DATE_AUTO, "2018-04-13"},
                 {"04/13/2018", SCARCE_DATE_DMY, NULL},
                 {"01-Apr-18", SCARCE_DATE_AUTO, "2018-04-01"},
                 {"1 april 1998", SCARCE_DATE_AUTO, "1998-04-01"},
                 {"Apr 1, 2018 12:30 AM", SCARCE_DATE_AUTO, "2018-04-01 00:30"},
                 {"4/1/2018 1:05:09 PM", SCARCE_DATE_MDY, "2018-04-01 13:05:09"},
                 {"2018/04/01T05:06:07Z", SCARCE_DATE_AUTO, "2018-04-01 05:06:07"},
                 {"18-04-01", SCARCE_DATE_YMD, "2018-04-01"},
                 {"29.02.2019", SCARCE_DATE_AUTO, NULL},
                 {"01.04-2018", SCARCE_DATE_AUTO, NULL},
                 {"01-Apri-18", SCARCE_DATE_AUTO, NULL},
                 {"12.5", SCARCE_DATE_AUTO, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double a = -1, b = -2;
        const int ok =
            scarce__parse_date_order(cases[i].text, strlen(cases[i].text), cases[i].order, &a, NULL);
        CHECK(ok == (cases[i].iso != NULL));
        if (!ok || !cases[i].iso) continue;
        CHECK(scarce__parse_date_order(cases[i].iso, strlen(cases[i].iso), SCARCE_DATE_AUTO, &b, NULL));
        CHECK(a == b);
    }
}

static double first_time(const char *text, scarce_time_format format, scarce_date_order order)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.time = "t";
    o.time_format = format;
    o.date_order = order;
    scarce_table *t = read_ok(text, &o);
    const double x = t ? scarce_table_time(t)[0] : NAN;
    scarce_table_free(t);
    return x;
}

static void time_columns(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    const double april = 1522540800, january = 1515024000; /* 2018-04-01, 2018-01-04 */
    o.time = "t";
    CHECK(first_time("t,a,label\n1522540800000,1,0\n1522540900000,2,1\n", SCARCE_TIME_AUTO,
                     SCARCE_DATE_AUTO) == april);
    CHECK(first_time("t,a,label\n20180401,1,0\n20180430,2,1\n", SCARCE_TIME_AUTO, SCARCE_DATE_AUTO) == april);
    CHECK(first_time("t,a,label\n20180401000000,1,0\n20180430235959,2,1\n", SCARCE_TIME_AUTO,
                     SCARCE_DATE_AUTO) == april);
    CHECK(first_time("t,a,label\n1522540800,1,0\n1522540900,2,1\n", SCARCE_TIME_AUTO, SCARCE_DATE_AUTO) ==
          april);
    CHECK(first_time("t,a,label\n20180401,1,0\n20180499,2,1\n", SCARCE_TIME_AUTO, SCARCE_DATE_AUTO) ==
          20180401);
    CHECK(first_time("t,a,label\n2,1,0\n3,2,1\n", SCARCE_TIME_DAYS, SCARCE_DATE_AUTO) == 172800);
    CHECK(first_time("t,a,label\n1522540800000,1,0\n1522540900000,2,1\n", SCARCE_TIME_NUMBER,
                     SCARCE_DATE_AUTO) == 1522540800000.0);
    CHECK(first_time("t,a,label\n01/04/2018,1,0\n13/04/2018,2,1\n", SCARCE_TIME_AUTO, SCARCE_DATE_AUTO) ==
          april);
    CHECK(first_time("t,a,label\n01/04/2018,1,0\n04/13/2018,2,1\n", SCARCE_TIME_AUTO, SCARCE_DATE_AUTO) ==
          january); /* months first */
    CHECK(first_time("t,a,label\n01.04.2018,1,0\n02.04.2018,2,1\n", SCARCE_TIME_AUTO, SCARCE_DATE_AUTO) ==
          april);
    CHECK(first_time("t,a,label\n01/04/2018,1,0\n02/04/2018,2,1\n", SCARCE_TIME_AUTO, SCARCE_DATE_MDY) ==
          january);
    check_refused("t,a,label\n01/04/2018,1,0\n02/04/2018,2,1\n", &o, "--date-order");
    check_refused("t,a,label\n13/04/2018,1,0\n04/13/2018,2,1\n", &o,
                  "t.csv:3: column 1 \"t\": \"04/13/2018\"");
    check_refused("t,a,label\n13/04/2018,1,0\n17,2,1\n", &o, "does not go with");
    check_refused("t,a,label\nsoon,1,0\n17,2,1\n", &o, "01-Apr-18");
}

/* ---- what is said */

static void told(void)
{
    static char text[100000];
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    size_t n = (size_t)snprintf(text, sizeof text, "tx_id,t,pan,amount,known,isFraud,flag\n");
    for (int i = 0; i < 300; ++i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,%d,%llu,%s,%d,%d,%d\n", 1000 + i,
                              86400 * (i / 3), 4000000000000000001ull + (unsigned long long)(i % 60),
                              i == 210 ? "oops" : "12.5", 86400 * (i / 3) + 40000 * (i % 5), i % 9 == 0,
                              i % 3 != 0);
    o.time = "t";
    o.leave_out = 1;
    scarce_table *t = read_ok(text, &o);
    if (!t) return;
    const scarce_reading *r = scarce_table_reading(t);
    const scarce_note *stray = find_note(t, SCARCE_NOTE_STRAY_TEXT, "amount");
    CHECK(r->label_by == SCARCE_CHOICE_POSITION && r->positive_by == SCARCE_CHOICE_NAME);
    CHECK(find_note(t, SCARCE_NOTE_MOST_POSITIVE, "flag") &&
          find_note(t, SCARCE_NOTE_LABEL_DOUBTFUL, "isFraud"));
    CHECK(stray && stray->line == 212 && strcmp(stray->value, "oops") == 0);
    CHECK(find_note(t, SCARCE_NOTE_ID, "tx_id") && find_note(t, SCARCE_NOTE_ID, "tx_id")->left_out);
    CHECK(find_note(t, SCARCE_NOTE_LATER_TIME, "known") &&
          find_note(t, SCARCE_NOTE_LATER_TIME, "known")->left_out);
    CHECK(find_note(t, SCARCE_NOTE_LONG_NUMBERS, "pan"));
    CHECK(scarce_table_features(t) == 3); /* pan, amount, isFraud */
    CHECK(scarce_schema_categories(scarce_table_schema(t), 0) == 60);
    char words[4096];
    const size_t length = scarce_table_describe(t, words, sizeof words);
    CHECK(length == strlen(words) && scarce_table_describe(t, NULL, 0) == length);
    CHECK(strstr(words, "label flag = 1, the last column (200 of 300, 67 %)") == words);
    CHECK(strstr(words, "\nleft out: tx_id ") != NULL && strstr(words, "--use known keeps it") != NULL);
    scarce_table_free(t);

    static const char *const used[] = {"tx_id", "5"};
    o.use = (scarce_names){used, 2};
    t = read_ok(text, &o);
    if (t) CHECK(scarce_table_features(t) == 5);
    scarce_table_free(t);
    o.leave_out = 0;
    o.use = (scarce_names){NULL, 0};
    t = read_ok(text, &o);
    if (t) CHECK(scarce_table_features(t) == 5 && find_note(t, SCARCE_NOTE_ID, "tx_id")->certain);
    scarce_table_free(t);
}

/* The k-th day from the first of this month on, like 20180401, of months of 28 days. */
static double day_after(int first, int k)
{
    return first + k / 28 * 100 + k % 28;
}

/* Rows of a column t that begins at `from` and rises by `step` at every second row (by days at every fourth, where step is
 * -1), but at row `falls`; and before and behind it columns of what is known later. */
static int is_time_order(double from, double step, int rows, int falls, const char *time)
{
    static char text[100000];
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    size_t n = (size_t)snprintf(text, sizeof text, "a,v,t,u,label\n");
    for (int i = 0; i < rows; ++i) {
        const double t = step < 0 ? day_after((int)from, i / 4) : from + step * (i == falls ? -1 : i / 2);
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,%.0f,%.0f,%.0f,%d\n", i * 7919 % 101,
                              t + 3 * fabs(step), t, t + 9 * fabs(step), i % 3 == 0);
    }
    o.time = time;
    scarce_table *t = read_ok(text, &o);
    if (!t) return 0;
    const int found = find_note(t, SCARCE_NOTE_TIME_ORDER, "t") != NULL;
    CHECK(find_note(t, SCARCE_NOTE_TIME_ORDER, "a") == NULL);
    CHECK(!found ||
          (!find_note(t, SCARCE_NOTE_TIME_ORDER, "v") && !find_note(t, SCARCE_NOTE_TIME_ORDER, "u")));
    scarce_table_free(t);
    return found;
}

static void time_order(void)
{
    CHECK(is_time_order(1522540800, 3600, 400, -1, NULL));
    CHECK(is_time_order(1522540800000, 3600000, 400, -1, NULL));
    CHECK(is_time_order(20180401, -1, 400, -1, NULL));
    CHECK(!is_time_order(20182401, -1, 400, -1, NULL));      /* there is no 24th month */
    CHECK(!is_time_order(1522540800, 3600, 90, -1, NULL));   /* too few rows */
    CHECK(!is_time_order(1522540800, 3600, 400, 250, NULL)); /* one falls */
    CHECK(!is_time_order(1522540800, 0, 400, -1, NULL));     /* all at once */
    CHECK(!is_time_order(1522540800, 3600, 400, -1, "t"));
    CHECK(!is_time_order(5, 3600, 400, -1, NULL)); /* amounts, in order */
}

/* The good positive comes after the odd value: the odd one is named, with its own line. */
static void odd_label(void)
{
    check_refused("a,label\n1,0\n2,0\n3,2\n4,0\n5,1\n6,1\n", NULL,
                  "t.csv:4: label column \"label\" holds a third value \"2\"");
    check_refused("a,label\n1,ok\n2,okk\n3,bad\n4,ok\n5,bad\n", NULL,
                  "t.csv:3: label column \"label\" holds a third value \"okk\"");
}

static void blank_lines(void)
{
    static const char *const score[] = {"score"};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.label_optional = 1;
    o.exact = (scarce_names){score, 1};
    scarce_table *t = read_ok("score\n1\n\n3\n", &o);
    if (t) {
        CHECK(scarce_table_rows(t) == 3 && isnan(scarce_table_exact(t, 0)[1]));
        CHECK(scarce_table_exact(t, 0)[2] == 3);
    }
    scarce_table_free(t);
}

/* Latin-1 is known by its letters whether the last line has its newline or not: a letter at the very end once looked
 * like the beginning of a character. */
static void letter_at_the_end(void)
{
    scarce_table *ended = read_ok("a,b\n1,x\n2,\xCF\xF2\n", NULL);
    scarce_table *open = read_ok("a,b\n1,x\n2,\xCF\xF2", NULL);
    if (ended && open) {
        CHECK_TEXT(scarce_schema_positive(scarce_table_schema(ended)),
                   scarce_schema_positive(scarce_table_schema(open)));
        CHECK(scarce_table_fingerprint(ended) == scarce_table_fingerprint(open));
    }
    scarce_table_free(ended);
    scarce_table_free(open);
}

/* A mark of UTF-8 before letters of Latin-1 is wrong, and no part of the first name. */
static void wrong_mark(void)
{
    scarce_table *plain = read_ok("\xE9,b\n1,x\n2,\xCF\n", NULL);
    scarce_table *marked = read_ok("\xEF\xBB\xBF\xE9,b\n1,x\n2,\xCF\n", NULL);
    if (plain && marked) {
        CHECK_TEXT(scarce_schema_name(scarce_table_schema(marked), 0), "\xC3\xA9");
        CHECK(scarce_table_fingerprint(plain) == scarce_table_fingerprint(marked));
    }
    scarce_table_free(plain);
    scarce_table_free(marked);
}

/* Rows of two systems in one file: every letter becomes what it is, and the same text is the same category. The file is
 * longer than what is read at once, so that characters are cut somewhere. */
static void both_encodings(void)
{
    enum { ROWS = 30000 };
    static char text[64 + ROWS * 24];
    char *to = text + sprintf(text, "ort,x,y\n");
    size_t wrong = 0;

    for (int i = 0; i < ROWS; ++i)
        to += sprintf(to, "%s,%d,%d\n", i % 50 ? "Z\xC3\xBCrich" : "Z\xFCrich", i, i % 7 == 0);
    scarce_table *t = read_ok(text, NULL);
    if (t) {
        const scarce_schema *s = scarce_table_schema(t);
        CHECK(scarce_schema_categories(s, 0) == 1 && scarce_table_rows(t) == ROWS);
        CHECK_TEXT(scarce_schema_category(s, 0, 0), "Z\xC3\xBCrich");
        for (size_t i = 0; i < ROWS; ++i) wrong += scarce_table_codes(t, 0)[i] != 0;
        CHECK(wrong == 0);
    }
    scarce_table_free(t);
}

static const test_case tests[] = {{"both_encodings", both_encodings},
                                  {"time_order", time_order},
                                  {"decimals", decimals},
                                  {"same_with_commas", same_with_commas},
                                  {"late_comma", late_comma},
                                  {"separators", separators},
                                  {"encodings", encodings},
                                  {"missing_texts", missing_texts},
                                  {"dates", dates},
                                  {"time_columns", time_columns},
                                  {"told", told},
                                  {"odd_label", odd_label},
                                  {"blank_lines", blank_lines},
                                  {"letter_at_the_end", letter_at_the_end},
                                  {"wrong_mark", wrong_mark}};
TEST_MAIN(tests)
