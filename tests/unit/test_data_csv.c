/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV reader against a slow one that splits character by character and uses strtod, with
 * pieces so small that every row, quote and type change falls on a border. */
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/random.h"
#include "data/csv.h"
#include "test.h"

/* ---- A text that grows, and the slow reader */

typedef struct buffer {
    char *bytes;
    size_t n, capacity;
} buffer;

static void put(buffer *b, const char *text, size_t n)
{
    if (b->n + n + 1 > b->capacity) {
        b->capacity = 2 * (b->n + n + 1);
        b->bytes = realloc(b->bytes, b->capacity);
    }
    memcpy(b->bytes + b->n, text, n);
    b->n += n;
    b->bytes[b->n] = '\0';
}

__attribute__((format(printf, 2, 3))) static void say(buffer *b, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(b, text, (size_t)n);
}

typedef struct grid {
    size_t n_fields, capacity, n_columns, n_rows;
    char **fields; /* the header first */
} grid;

static void add_field(grid *g, buffer *b)
{
    if (g->n_fields == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 64;
        g->fields = realloc(g->fields, g->capacity * sizeof *g->fields);
    }
    g->fields[g->n_fields++] = strndup(b->bytes ? b->bytes : "", b->n);
    b->n = 0;
}

/* One state machine over characters. */
static grid split_slowly(const char *text, size_t n, char separator)
{
    grid g = {0, 0, 0, 0, NULL};
    buffer field = {NULL, 0, 0};
    int quoted = 0, fresh = 1;
    size_t row_begin = 0;
    for (size_t i = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; i <= n; ++i) {
        const char c = i < n ? text[i] : '\n';
        if (quoted) {
            if (c == '"' && i + 1 < n && text[i + 1] == '"') put(&field, text + i++, 1);
            else if (c == '"') quoted = 0;
            else put(&field, &c, 1);
            continue;
        }
        if (c == '"' && fresh) quoted = 1;
        else if (c == separator || c == '\n') {
            if (c == '\n' && i > 0 && text[i - 1] == '\r' && field.n > 0 && field.bytes[field.n - 1] == '\r')
                field.n -= 1;
            fresh = 1;
            if (c == '\n' && g.n_fields == row_begin && field.n == 0 && (i == 0 || text[i - 1] != '"'))
                continue; /* blank */
            add_field(&g, &field);
            if (c == '\n') {
                if (g.n_columns == 0) g.n_columns = g.n_fields;
                row_begin = g.n_fields;
                g.n_rows += 1;
            }
            continue;
        } else put(&field, &c, 1);
        fresh = 0;
    }
    g.n_rows -= 1;
    free(field.bytes);
    return g;
}

static void free_grid(grid *g)
{
    for (size_t i = 0; i < g->n_fields; ++i) free(g->fields[i]);
    free(g->fields);
}

static const char *trimmed(const char *text, char *to)
{
    size_t n;
    while (*text == ' ' || *text == '\t') ++text;
    n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) --n;
    memcpy(to, text, n);
    to[n] = '\0';
    return to;
}

static int slow_missing(const char *text)
{
    static const char *const list[] = {"",     "NA",   "N/A",  "n/a", "#N/A", "<NA>", "NULL",
                                       "null", "Null", "None", "\\N", "NaT",  "-",    "?"};
    char t[4096];
    trimmed(text, t);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i)
        if (strcmp(t, list[i]) == 0) return 1;
    return strcasecmp(t, "nan") == 0;
}

static int slow_number(const char *text, float *value)
{
    char t[4096], *end;
    trimmed(text, t);
    if (strspn(t, "0123456789+-.eE") != strlen(t)) return 0;
    *value = strtof(t, &end);
    return *end == '\0' && end != t;
}

/* ---- Reading with given pieces and threads */

static scarce_status read_text(scarce_table **out, const char *text, size_t n,
                               const scarce_read_options *options, const scarce__read_tuning *tuning,
                               int threads, scarce_error *err)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_read_options o = *options;
    scarce_context *ctx = NULL;
    scarce__source *source = NULL;
    scarce_status st;

    co.threads = threads;
    if (o.format == SCARCE_FORMAT_AUTO) o.format = SCARCE_FORMAT_CSV;
    *out = NULL;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__source_memory(&source, text, n, "t.csv", NULL) == SCARCE_OK);
    st = scarce__read_sources(out, &source, 1, &o, tuning, ctx, err);
    scarce__source_close(source);
    scarce_context_free(ctx);
    return st;
}

/* Column c of the grid as the table should have it. The last column is the label. */
static void check_column(const scarce_table *t, const grid *g, size_t c)
{
    char *const *cells = g->fields + g->n_columns + c;
    int numeric = 1;
    float want;

    for (size_t r = 0; r < g->n_rows && numeric; ++r)
        numeric = slow_missing(cells[r * g->n_columns]) || slow_number(cells[r * g->n_columns], &want);
    CHECK(scarce_schema_kind(scarce_table_schema(t), c) ==
          (numeric ? SCARCE_COLUMN_NUMERIC : SCARCE_COLUMN_CATEGORY));
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), c), g->fields[c]);
    const float *numbers = scarce_table_numbers(t, c);
    const int32_t *codes = scarce_table_codes(t, c);
    CHECK((numbers != NULL) == numeric && (codes != NULL) == !numeric);
    int32_t next = 0;
    int wrong = 0;
    for (size_t r = 0; r < g->n_rows && !wrong; ++r) {
        const char *text = cells[r * g->n_columns];
        if (numeric && numbers) {
            want = NAN;
            if (slow_missing(text)) wrong = !isnan(numbers[r]);
            else wrong = !slow_number(text, &want) || memcmp(&want, &numbers[r], sizeof want) != 0;
        } else if (codes) {
            if (slow_missing(text)) wrong = codes[r] != -1;
            else {
                wrong =
                    codes[r] < 0 || codes[r] > next ||
                    strcmp(scarce_schema_category(scarce_table_schema(t), c, (size_t)codes[r]), text) != 0;
                next += codes[r] == next;
            }
        }
        if (wrong) fprintf(stderr, "row %zu column %zu: \"%s\"\n", r, c, text);
    }
    CHECK(!wrong);
    if (!numeric) CHECK(scarce_schema_categories(scarce_table_schema(t), c) == (size_t)next);
}

static void check_against_slow(const buffer *text, char separator, const scarce__read_tuning *tuning,
                               int threads)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    grid g = split_slowly(text->bytes, text->n, separator);

    if (separator == '\t') o.format = SCARCE_FORMAT_TSV;
    if (read_text(&t, text->bytes, text->n, &o, tuning, threads, &err) != SCARCE_OK) {
        fprintf(stderr, "%s\n", err.text);
        ++test_failures;
    } else {
        CHECK(scarce_table_rows(t) == g.n_rows);
        CHECK(scarce_table_features(t) == g.n_columns - 1);
        if (scarce_table_rows(t) == g.n_rows) {
            size_t positives = 0, wrong = 0;
            for (size_t c = 0; c + 1 < g.n_columns; ++c) check_column(t, &g, c);
            for (size_t r = 0; r < g.n_rows; ++r) {
                const int want = strcmp(g.fields[(r + 2) * g.n_columns - 1], "1") == 0;
                positives += (size_t)want;
                wrong += scarce_table_label(t)[r] != want;
            }
            CHECK(wrong == 0);
            CHECK(scarce_table_positives(t) == positives);
        }
    }
    scarce_table_free(t);
    free_grid(&g);
}

/* ---- Random tables */

typedef struct recipe {
    size_t rows, columns;
    int quotes, crlf, blanks;
    char separator;
    size_t flip_row; /* from here on column 1 may hold text */
} recipe;

static void put_number(buffer *b, scarce__random *r)
{
    switch (scarce__random_below(r, 12)) {
    case 0: say(b, "%d", (int)scarce__random_below(r, 100)); break;
    case 1: say(b, "-%d", (int)scarce__random_below(r, 100000000)); break;
    case 2: say(b, "%.17g", scarce__random_unit(r)); break;
    case 3: say(b, "%.9g", scarce__random_normal(r) * 1e10); break;
    case 4: say(b, "%e", scarce__random_normal(r)); break;
    case 5: say(b, " %.3f ", scarce__random_normal(r)); break;
    case 6: say(b, "+%.3f", scarce__random_unit(r)); break;
    case 7: say(b, "%llu", (unsigned long long)scarce__random_u64(r)); break;
    case 8: say(b, "-0.0"); break;
    case 9: say(b, "%d.", (int)scarce__random_below(r, 1000)); break;
    case 10: say(b, ".%d", (int)scarce__random_below(r, 1000)); break;
    default: say(b, "%.5f", scarce__random_normal(r)); break;
    }
}

static void put_text(buffer *b, scarce__random *r, const recipe *k)
{
    static const char *const plain[] = {
        "red", "green", "a b", "5\" pipe", "0x1F", " lead", "trail ", "1-2", "\xc3\xa9t\xc3\xa9", "-", "."};
    if (k->quotes && scarce__random_below(r, 2)) {
        put(b, "\"", 1);
        for (uint64_t i = scarce__random_below(r, 6); i > 0; --i) {
            static const char *const parts[] = {"x", "\n", "\"\"", ",", ";", "\t", "\r\n", "long words"};
            const char *part = parts[scarce__random_below(r, 8)];
            put(b, part, strlen(part));
        }
        put(b, "z\"", 2);
    } else if (scarce__random_below(r, 3) == 0) {
        say(b, "id%d", (int)scarce__random_below(r, 1000));
    } else {
        const char *text = plain[scarce__random_below(r, 11)];
        put(b, text, strlen(text));
    }
}

static void put_missing(buffer *b, scarce__random *r)
{
    static const char *const texts[] = {"", "NA", "NaN", "?", " ", "null"};
    const char *text = texts[scarce__random_below(r, 6)];
    put(b, text, strlen(text));
}

static buffer make_table(const recipe *k, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 1);
    buffer b = {NULL, 0, 0};
    const char *end = "\n";

    if (k->crlf) put(&b, "\xEF\xBB\xBF", 3);
    for (size_t c = 0; c + 1 < k->columns; ++c) say(&b, "c%zu%c", c, k->separator);
    say(&b, "label%s", k->crlf ? "\r\n" : "\n");
    for (size_t row = 0; row < k->rows; ++row) {
        for (size_t c = 0; c + 1 < k->columns; ++c) {
            if (scarce__random_below(&r, 12) == 0) put_missing(&b, &r);
            else if (c == 1 && row >= k->flip_row && scarce__random_below(&r, 3) == 0) put_text(&b, &r, k);
            else if (c % 4 == 2) put_text(&b, &r, k);
            else if (k->quotes && scarce__random_below(&r, 9) == 0) {
                put(&b, "\"", 1);
                put_number(&b, &r);
                put(&b, "\"", 1);
            } else put_number(&b, &r);
            put(&b, &k->separator, 1);
        }
        end = k->crlf && scarce__random_below(&r, 3) ? "\r\n" : "\n";
        say(&b, "%d", row == 0 ? 1 : row == 1 ? 0 : (int)scarce__random_below(&r, 10) == 0);
        if (row + 1 < k->rows || scarce__random_below(&r, 2)) put(&b, end, strlen(end));
        if (k->blanks && row + 1 < k->rows && scarce__random_below(&r, 7) == 0) put(&b, end, strlen(end));
    }
    return b;
}

static void test_random(void)
{
    static const scarce__read_tuning tunings[] = {{0, 0, 0, 0, 0},        {64, 64, 64, 0, 0},
                                                  {1, 100, 7, 0, 0},      {300, 1000, 64, 0, 1},
                                                  {100, 5000, 333, 0, 0}, {0, 0, 0, 0, 1}};
    static const int threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 240; ++i) {
        recipe k = {2 + (size_t)(i * 37 % 150),
                    2 + (size_t)(i % 9),
                    i % 2,
                    i % 3 == 0,
                    i % 5 == 0,
                    i % 4 == 3 ? '\t' : ',',
                    SIZE_MAX};
        if (i % 3 == 1) k.flip_row = k.rows / 2;
        if (i % 7 == 1) k.flip_row = k.rows - 1;
        buffer b = make_table(&k, (uint64_t)i);
        for (size_t t = 0; t < 6; ++t)
            check_against_slow(&b, k.separator, &tunings[t], threads[(i + (int)t) % 4]);
        free(b.bytes);
        if (test_failures > 20) return;
    }
}

/* Larger than a superblock, with a type that changes in the last rows, and many categories. */
static void test_large(void)
{
    const recipe k = {60000, 40, 0, 0, 0, ',', 59990};
    buffer b = make_table(&k, 77);
    check_against_slow(&b, ',', NULL, 3);
    free(b.bytes);
}

/* Decimals on and beside the middle between two floats, cut to every length, through the fast path. */
static void test_hard_numbers(void)
{
    scarce__random r = scarce__random_start(9, SCARCE__FOR_TEST, 2);
    buffer b = {NULL, 0, 0};
    say(&b, "c0,c1,label\n");
    for (int i = 0; i < 30000; ++i) {
        const double scale = pow(10, (double)scarce__random_below(&r, 9) - 6);
        const float f = (float)((scarce__random_unit(&r) - 0.5) * scale), g = nextafterf(f, 100);
        char text[400];
        (void)snprintf(text, sizeof text, "%.60f", ((double)f + (double)g) / 2);
        size_t n = 3 + (size_t)scarce__random_below(&r, 34);
        if (text[n - 1] >= '1' && text[n - 1] < '9' && i % 2)
            text[n - 1] = (char)(text[n - 1] + (i % 4 == 1 ? 1 : -1));
        text[n] = '\0';
        say(&b, "%s,0.%0*llu,%d\n", text, 12 + i % 12, (unsigned long long)scarce__random_u64(&r) >> (i % 60),
            i % 2);
    }
    for (int portable = 0; portable < 2; ++portable) {
        const scarce__read_tuning tuning = {0, 0, 0, 0, portable};
        check_against_slow(&b, ',', &tuning, 2);
    }
    free(b.bytes);
}

/* ---- Errors */

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
         "t.csv:3: the quote that opens here is not closed"},
        {"a,b,label\n1,\"2\"x,0\n1,2,1\n", 0, SCARCE_EPARSE,
         "t.csv:2: column 2 \"b\": text after the closing quote (a quote inside quotes is doubled)"},
        {"a,b,label\n1,2,0\n1,\0,1\n", 20, SCARCE_EPARSE, "t.csv:3: a zero byte (is this a text file?)"},
        {"a,\0,label\n", 10, SCARCE_EPARSE, "t.csv:1: a zero byte (is this a text file?)"},
        {"a,,label\n1,2,0\n", 0, SCARCE_EPARSE, "t.csv:1: column 2 has no name"},
        {"a,b,\n1,2,0\n", 0, SCARCE_EPARSE, "t.csv:1: column 3 has no name"},
        {"a,b,a,label\n1,2,0,1\n", 0, SCARCE_EPARSE, "t.csv:1: columns 1 and 3 are both named \"a\""},
        {"a,\"b,label\n1,2,0\n", 0, SCARCE_EPARSE, "t.csv:1: a quote in the header is not closed"},
        {"a,label\n1,0\n2,1\n3,2\n", 0, SCARCE_EDATA,
         "t.csv:4: label column \"label\" holds a third value \"2\" beside \"0\" and \"1\" (say which one is "
         "positive with --positive, or choose the label with --label)"},
        {"a,label\n1,0\n2,0.0\n", 0, SCARCE_EDATA,
         "t.csv: label column \"label\" holds only \"0\"; two values are needed (is it the right column? "
         "--label COL)"},
        {"a,label\n1,0\n2,\n3,1\n4,\n", 0, SCARCE_EDATA, "t.csv:3: the label (column \"label\") is missing"},
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
    check_error(text, 0, &o, SCARCE_EPARSE, "t.csv:4: column 1 \"amount\": \"12,5x\" is not a number");
    check_error("w,x,label\n-1,2,0\n1,2,1\n", 0, &(scarce_read_options){.weight = "w"}, SCARCE_EDATA,
                "t.csv:2: column 1 \"w\": \"-1\" is a negative weight");
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
    check_error("a,label\n1,0\n2,1\n3,2\n", 0, &(scarce_read_options){.positive = "4"}, SCARCE_EDATA,
                "t.csv: label column \"label\" never holds the positive value \"4\"");
    static const scarce__read_tuning short_lines = {16, 16, 8, 20, 0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    static const char line[] =
        "a,label\n1,0\n2222222222222222222222222222222222222222222222222222222222222222222,1\n";
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    CHECK(read_text(&t, line, strlen(line), &o, &short_lines, 1, &err) == SCARCE_EPARSE);
    CHECK_TEXT(err.text, "t.csv:3: the line is longer than 20 bytes");
}

/* ---- Roles, labels, schemas */

static scarce_table *must_read(const char *text, const scarce_read_options *o)
{
    static const scarce__read_tuning tiny = {16, 16, 8, 0, 0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    if (read_text(&t, text, strlen(text), o, &tiny, 2, &err) != SCARCE_OK) {
        fprintf(stderr, "%s\n", err.text);
        ++test_failures;
    }
    return t;
}

static void test_roles(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.weight = "w";
    o.time = "t";
    o.group = "g";
    o.amount = "m";
    scarce_table *t =
        must_read("w,t,g,m,y,z\n1,1970-01-02,k1,2.5,no,7\n0.5,1969-12-31T23:59:30.5Z,k2,1e3,yes,8\n"
                  "0, 2024-03-01 02:00+02:00 ,k1,-1,no,9\n",
                  &o);
    if (!t) return;
    CHECK(scarce_table_rows(t) == 3 && scarce_table_features(t) == 2 && scarce_table_positives(t) == 1);
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 0), "m");
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 1), "z");
    CHECK(scarce_table_weight(t)[1] == 0.5 && scarce_table_amount(t)[1] == 1000 &&
          scarce_table_numbers(t, 0)[1] == 1000);
    CHECK(scarce_table_time(t)[0] == 86400 && scarce_table_time(t)[1] == -29.5 &&
          scarce_table_time(t)[2] == 1709251200);
    CHECK(scarce_table_group(t)[0] == 0 && scarce_table_group(t)[1] == 1 && scarce_table_group(t)[2] == 0);
    CHECK_TEXT(scarce_table_group_name(t, 1), "k2");
    CHECK(scarce_table_label(t)[1] == 1); /* the rarer value */
    CHECK_TEXT(scarce_schema_positive(scarce_table_schema(t)), "yes");
    CHECK_TEXT(scarce_schema_label(scarce_table_schema(t)), "y");
    scarce_table_free(t);
}

static void test_labels(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = must_read("a,class\n1,1.0\n2,0\n3,+1\n4, 1 \n5,0.0\n", &o);
    CHECK(t && scarce_table_positives(t) == 3 && scarce_table_label(t)[4] == 0);
    scarce_table_free(t);
    t = must_read("a;b\n1;TRUE\n2;FALSE\n3;TRUE\n", &o); /* semicolons; the last column; not the rarer one */
    CHECK(t && scarce_table_positives(t) == 2);
    scarce_table_free(t);
    o.positive = "c";
    t = must_read("a,y\n1,a\n2,b\n3,c\n", &o);
    CHECK(t && scarce_table_positives(t) == 1 && scarce_table_label(t)[2] == 1);
    scarce_table_free(t);
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    o.label_optional = 1;
    t = must_read("a,b\n1,2\n", &o);
    CHECK(t && scarce_table_features(t) == 2 && scarce_table_label(t) == NULL);
    scarce_table_free(t);
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    o.no_header = 1;
    o.label = "1";
    t = must_read("1,2,x\n0,3,y\n", &o);
    CHECK(t && scarce_table_features(t) == 2 && scarce_table_rows(t) == 2 &&
          scarce_table_numbers(t, 0)[1] == 3);
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 1), "3");
    scarce_table_free(t);
}

static void test_choices(void)
{
    static const char *const ignored[] = {"a"}, *const category[] = {"b"}, *const missing[] = {"-1", "none"};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.ignore = (scarce_names){ignored, 1};
    o.categorical = (scarce_names){category, 1};
    o.missing = (scarce_names){missing, 2};
    scarce_table *t = must_read("a,b,c,label\n\"x\n,\",7,-1,0\ny,8,5,1\nz,none,,0\nz,7,none,0\n", &o);
    if (!t) return;
    CHECK(scarce_table_features(t) == 2 && scarce_schema_categories(scarce_table_schema(t), 0) == 2);
    CHECK(scarce_table_codes(t, 0)[0] == 0 && scarce_table_codes(t, 0)[2] == -1 &&
          scarce_table_codes(t, 0)[3] == 0);
    const float *c = scarce_table_numbers(t, 1);
    CHECK(isnan(c[0]) && c[1] == 5 && isnan(c[2]) && isnan(c[3]));
    scarce_table_free(t);
    /* out of range only matters in a column that stays numeric */
    o = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    t = must_read("a,label\n1e400,0\n2,1\n3,1\nx,0\n", &o);
    CHECK(t && scarce_schema_kind(scarce_table_schema(t), 0) == SCARCE_COLUMN_CATEGORY);
    CHECK_TEXT(scarce_schema_category(scarce_table_schema(t), 0, 0), "1e400");
    scarce_table_free(t);
    t = must_read("a,label\ninf,0\n-Infinity,1\n", &o);
    CHECK(t && scarce_table_numbers(t, 0)[0] == INFINITY && scarce_table_numbers(t, 0)[1] == -INFINITY);
    scarce_table_free(t);
}

static void test_schema(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *train = must_read("num,cat,fraud\n1,a,y\n2,b,n\n3,a,n\n", &o), *t;
    if (!train) return;
    o.schema = scarce_table_schema(train);
    t = must_read("extra,cat,num\nq,b,7\nq,zz,\nq,?,9\n", &o);
    CHECK(t && scarce_table_features(t) == 2 && scarce_table_label(t) == NULL);
    if (t) {
        CHECK(scarce_table_numbers(t, 0)[0] == 7 && isnan(scarce_table_numbers(t, 0)[1]));
        CHECK(scarce_table_codes(t, 1)[0] == 1 && scarce_table_codes(t, 1)[1] == 2 &&
              scarce_table_codes(t, 1)[2] == -1);
    }
    scarce_table_free(t);
    t = must_read("fraud,cat,num\nn,b,7\nn,a,1\n", &o); /* one class is fine when scoring */
    CHECK(t && scarce_table_label(t) && scarce_table_positives(t) == 0);
    scarce_table_free(t);
    t = must_read("fraud,cat,num\n,b,7\n,a,1\n", &o);
    CHECK(t && scarce_table_label(t) == NULL);
    scarce_table_free(t);
    t = NULL;
    CHECK(read_text(&t, "nun,cat\n1,a\n", 12, &o, NULL, 1, &err) == SCARCE_EDATA && t == NULL);
    CHECK_TEXT(err.text, "t.csv: there is no feature column \"num\" (the nearest name is \"nun\")");
    CHECK(read_text(&t, "num,cat\nx,a\n", 12, &o, NULL, 1, &err) == SCARCE_EPARSE && t == NULL);
    CHECK_TEXT(err.text, "t.csv:2: column 1 \"num\": \"x\" is not a number");
    scarce_table_free(train);
}

/* ---- Wide, long, many */

static void test_wide(void)
{
    enum { WIDE = 100000 };
    buffer b = {NULL, 0, 0};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    for (int row = -1; row < 5; ++row)
        for (int c = 0; c < WIDE; ++c) {
            if (row < 0) say(&b, "v%d", c);
            else if (c == 7) say(&b, "t%d", row);
            else say(&b, "%d", c == WIDE - 1 ? row == 2 : (c + row) % 10);
            put(&b, c == WIDE - 1 ? "\n" : ",", 1);
        }
    CHECK(read_text(&t, b.bytes, b.n, &o, NULL, 2, NULL) == SCARCE_OK);
    if (t) {
        CHECK(scarce_table_rows(t) == 5 && scarce_table_features(t) == WIDE - 1 &&
              scarce_table_positives(t) == 1);
        CHECK(scarce_table_numbers(t, 99998)[4] == 2 && scarce_table_codes(t, 7)[3] == 3);
    }
    scarce_table_free(t);
    free(b.bytes);
}

static void test_long_line(void)
{
    const size_t n = 30u << 20;
    buffer b = {NULL, 0, 0};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    char *text = malloc(n);
    memset(text, 'x', n);
    say(&b, "a,label\nshort,1\n");
    put(&b, text, n);
    say(&b, ",0\n");
    CHECK(read_text(&t, b.bytes, b.n, &o, NULL, 2, NULL) == SCARCE_OK);
    CHECK(t && scarce_table_rows(t) == 2 &&
          strlen(scarce_schema_category(scarce_table_schema(t), 0, 1)) == n);
    scarce_table_free(t);
    free(text);
    free(b.bytes);
}

static void test_many_categories(void)
{
    enum { MANY = 300000 };
    buffer b = {NULL, 0, 0};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    say(&b, "a,label\n");
    for (int i = 0; i < MANY; ++i) say(&b, "k%x,%d\n", (unsigned)i * 2654435761u, i % 2);
    CHECK(read_text(&t, b.bytes, b.n, &o, NULL, 3, NULL) == SCARCE_OK);
    if (t) {
        int good = scarce_schema_categories(scarce_table_schema(t), 0) == MANY;
        for (int i = 0; i < MANY; ++i) good &= scarce_table_codes(t, 0)[i] == i;
        CHECK(good);
    }
    scarce_table_free(t);
    free(b.bytes);
}

/* ---- Files */

static const unsigned char gzip_bytes[] = {
    /* two members */
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0xd4, 0x49, 0xd2, 0xc9, 0x49, 0x4c,
    0x4a, 0xcd, 0xe1, 0x32, 0xd4, 0xa9, 0xd0, 0x31, 0x00, 0x00, 0x94, 0x07, 0x44, 0xe8, 0x0f, 0x00, 0x00,
    0x00, 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xe3, 0x32, 0xd2, 0xa9, 0xd4, 0x31,
    0xe4, 0x32, 0xd6, 0xa9, 0xd0, 0x31, 0xe0, 0x02, 0x00, 0x7b, 0x19, 0xa1, 0xe4, 0x0d, 0x00, 0x00, 0x00,
};
static const unsigned char zstd_bytes[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x1c, 0xe1, 0x00, 0x00, 0x61, 0x2c, 0x62, 0x2c, 0x6c,
    0x61, 0x62, 0x65, 0x6c, 0x0a, 0x31, 0x2c, 0x78, 0x2c, 0x30, 0x0a, 0x32, 0x2c, 0x79,
    0x2c, 0x31, 0x0a, 0x33, 0x2c, 0x78, 0x2c, 0x30, 0x0a, 0x51, 0x59, 0x27, 0x59,
};

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (!f) return;
    CHECK(fwrite(bytes, 1, n, f) == n);
    CHECK(fclose(f) == 0);
}

static scarce_status read_paths(scarce_table **out, const char *a, const char *b, scarce_error *err)
{
    const char *paths[2] = {a, b};
    return scarce_table_read(out, paths, b ? 2 : 1, NULL, NULL, err);
}

static void check_small(const char *path)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    if (read_paths(&t, path, NULL, &err) == SCARCE_EUNSUPPORTED) return; /* a build without this packing */
    CHECK_TEXT(err.text, "");
    CHECK(t && scarce_table_rows(t) == 3 && scarce_table_features(t) == 2 && scarce_table_label(t)[1] == 1);
    CHECK(t && scarce_table_numbers(t, 0)[2] == 3 && scarce_table_codes(t, 1)[1] == 1);
    scarce_table_free(t);
}

static void test_files(void)
{
    static const char small[] = "a,b,label\n1,x,0\n2,y,1\n3,x,0\n";
    char folder[] = "/tmp/scarce-test-XXXXXX", path[4][64], want[256];
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;

    CHECK(mkdtemp(folder) != NULL);
    for (int i = 0; i < 4; ++i) (void)snprintf(path[i], sizeof path[i], "%s/%d.csv", folder, i);
    write_file(path[0], small, strlen(small));
    check_small(path[0]);
    write_file(path[1], gzip_bytes, sizeof gzip_bytes);
    check_small(path[1]);
    write_file(path[2], zstd_bytes, sizeof zstd_bytes);
    check_small(path[2]);
    write_file(path[1], gzip_bytes, sizeof gzip_bytes - 9);
    if (read_paths(&t, path[1], NULL, &err) != SCARCE_EUNSUPPORTED) {
        CHECK(err.code == SCARCE_EPARSE);
        (void)snprintf(want, sizeof want, "%s: the packed file is cut off (copy it again)", path[1]);
        CHECK_TEXT(err.text, want);
    }
    write_file(path[2], zstd_bytes, sizeof zstd_bytes - 5);
    if (read_paths(&t, path[2], NULL, &err) != SCARCE_EUNSUPPORTED) CHECK(err.code == SCARCE_EPARSE);

    static const char more[] =
        "a,b,label\n4,z,1\n5,x,0"; /* a later file makes column a text: both are read again */
    write_file(path[1], more, strlen(more));
    CHECK(read_paths(&t, path[0], path[1], &err) == SCARCE_OK);
    CHECK(t && scarce_table_rows(t) == 5 && scarce_table_numbers(t, 0)[4] == 5 &&
          scarce_table_codes(t, 1)[3] == 2);
    scarce_table_free(t);
    static const char text[] = "a,b,label\nfour,z,1\n";
    write_file(path[1], text, strlen(text));
    CHECK(read_paths(&t, path[0], path[1], &err) == SCARCE_OK);
    CHECK(t && scarce_table_codes(t, 0) && scarce_table_codes(t, 0)[3] == 3);
    scarce_table_free(t);
    static const char other[] = "a,c,label\n4,z,1\n";
    write_file(path[1], other, strlen(other));
    CHECK(read_paths(&t, path[0], path[1], &err) == SCARCE_EDATA && t == NULL);
    (void)snprintf(want, sizeof want, "%s:1: column 2 is \"c\", in %s it is \"b\"", path[1], path[0]);
    CHECK_TEXT(err.text, want);
    CHECK(read_paths(&t, folder, NULL, &err) == SCARCE_EIO && t == NULL);
    CHECK(read_paths(&t, path[3], NULL, &err) == SCARCE_EIO && t == NULL);
    (void)snprintf(want, sizeof want, "%s: can't be opened: no such file", path[3]);
    CHECK_TEXT(err.text, want);
    for (int i = 0; i < 3; ++i) (void)unlink(path[i]);
    (void)rmdir(folder);
}

/* A pipe can be read twice: the type changes after what a pipe holds at once. */
static void test_pipe(void)
{
    const recipe k = {3000, 6, 1, 0, 0, ',', 2990};
    buffer b = make_table(&k, 5);
    char folder[] = "/tmp/scarce-test-XXXXXX", path[64];
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/pipe", folder);
    CHECK(mkfifo(path, 0600) == 0);
    const pid_t child = fork();
    if (child == 0) {
        FILE *f = fopen(path, "wb");
        if (f) (void)fwrite(b.bytes, 1, b.n, f);
        _exit(f && fclose(f) == 0 ? 0 : 1);
    }
    CHECK(read_paths(&t, path, NULL, &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    CHECK(t && scarce_table_rows(t) == 3000 && scarce_table_codes(t, 1) != NULL);
    scarce_table_free(t);
    (void)unlink(path);
    (void)rmdir(folder);
    free(b.bytes);
}

static int stop_now(void *payload, const scarce_progress *p)
{
    *(double *)payload += p->done > 0 && p->total > 0;
    return 1;
}

static void test_cancel(void)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__source *source = NULL;
    scarce_table *t = NULL;
    double calls = 0;
    co.progress = stop_now;
    co.payload = &calls;
    o.format = SCARCE_FORMAT_CSV;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__source_memory(&source, "a,label\n1,0\n2,1\n", 16, "t", NULL) == SCARCE_OK);
    CHECK(scarce__read_sources(&t, &source, 1, &o, NULL, ctx, NULL) == SCARCE_ECANCEL && t == NULL &&
          calls == 1);
    scarce__source_close(source);
    scarce_context_free(ctx);
}

static const test_case tests[] = {
    {"random", test_random},
    {"large", test_large},
    {"hard_numbers", test_hard_numbers},
    {"errors", test_errors},
    {"option_errors", test_option_errors},
    {"roles", test_roles},
    {"labels", test_labels},
    {"choices", test_choices},
    {"schema", test_schema},
    {"wide", test_wide},
    {"long_line", test_long_line},
    {"many_categories", test_many_categories},
    {"files", test_files},
    {"pipe", test_pipe},
    {"cancel", test_cancel},
};
TEST_MAIN(tests)
