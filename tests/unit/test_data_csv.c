/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV reader against a slow one that splits character by character and uses strtod, with
 * pieces so small that every row, quote and type change falls on a border. */
#include "unit/csv_texts.h"

/* ---- The slow reader */

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

static const test_case tests[] = {
    {"random", test_random},
    {"large", test_large},
    {"hard_numbers", test_hard_numbers},
};
TEST_MAIN(tests)
