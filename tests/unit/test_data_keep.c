/* SPDX-License-Identifier: Apache-2.0 */
/* Kept texts against the fields from which the file was written: in tiny pieces, with quotes, line ends of both
 * kinds, blank lines, a column that turns into a category late, and any number of threads. */
#include <stdlib.h>

#include "core/random.h"
#include "data/read.h"
#include "test.h"

enum { ROWS = 300, COLUMNS = 4 };

static const char *const cells[] = {"7",   "0012",       "9007199254740993", "a b", " x ", "it's",
                                    "a,b", "say \"hi\"", "two\nlines",       "NA",  ""};
enum { CELLS = sizeof cells / sizeof cells[0] };

typedef struct file {
    char *bytes;
    size_t n;
    size_t cell[ROWS][COLUMNS];
    size_t begin[ROWS], length[ROWS]; /* of the lines */
} file;

static void put(file *f, const char *text)
{
    memcpy(f->bytes + f->n, text, strlen(text));
    f->n += strlen(text);
}

static void put_quoted(file *f, const char *text)
{
    put(f, "\"");
    for (; *text; ++text) {
        if (*text == '"') put(f, "\"");
        f->bytes[f->n++] = *text;
    }
    put(f, "\"");
}

/* Columns: two of any text, a number, the label. */
static file make_file(scarce__random *rng)
{
    file f;
    const char *end = scarce__random_below(rng, 2) ? "\r\n" : "\n";
    const int blank_lines = (int)scarce__random_below(rng, 2);

    memset(&f, 0, sizeof f);
    f.bytes = malloc(ROWS * COLUMNS * 40);
    put(&f, "id,who,a,label");
    put(&f, end);
    for (size_t r = 0; r < ROWS; ++r) {
        f.begin[r] = f.n;
        for (size_t c = 0; c < 2; ++c) {
            const size_t k = r < 20 ? scarce__random_below(rng, 3) : scarce__random_below(rng, CELLS);
            f.cell[r][c] = k;
            if (strpbrk(cells[k], ",\"\n") || scarce__random_below(rng, 5) == 0) put_quoted(&f, cells[k]);
            else put(&f, cells[k]);
            put(&f, ",");
        }
        put(&f, r % 3 ? "1.5," : "2,");
        put(&f, r % 7 ? "0" : "1");
        f.length[r] = f.n - f.begin[r];
        if (r + 1 < ROWS) put(&f, end);
        if (blank_lines && r % 11 == 0) put(&f, end);
    }
    return f;
}

static scarce_table *read_file(const file *f, int threads, const scarce__read_tuning *tuning)
{
    static const char *const names[] = {"who", "4", "id"}; /* by number too, and not in their order */
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = NULL;
    scarce__source *source = NULL;
    scarce_table *t = NULL;

    co.threads = threads;
    o.format = SCARCE_FORMAT_CSV;
    o.keep = (scarce_names){names, 3};
    o.keep_lines = 1;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__source_memory(&source, f->bytes, f->n, "t.csv", NULL) == SCARCE_OK);
    CHECK(scarce__read_sources(&t, &source, 1, &o, tuning, ctx, &err) == SCARCE_OK);
    if (!t) fprintf(stderr, "%s\n", err.text);
    scarce__source_close(source);
    scarce_context_free(ctx);
    return t;
}

static void check_table(const scarce_table *t, const file *f)
{
    size_t n = 0;

    CHECK(scarce_table_rows(t) == ROWS);
    CHECK(strncmp(scarce_table_header(t, &n), "id,who,a,label", 14) == 0 && n >= 15 && n <= 16);
    for (size_t r = 0; r < ROWS && !test_failures; ++r) {
        CHECK_TEXT(scarce_table_kept(t, 0, r, &n), cells[f->cell[r][1]]);
        CHECK(n == strlen(cells[f->cell[r][1]]));
        CHECK_TEXT(scarce_table_kept(t, 1, r, NULL), r % 7 ? "0" : "1");
        CHECK_TEXT(scarce_table_kept(t, 2, r, NULL), cells[f->cell[r][0]]);
        const char *line = scarce_table_line(t, r, &n);
        CHECK(n == f->length[r] && memcmp(line, f->bytes + f->begin[r], n) == 0);
    }
    CHECK(scarce_table_kept(t, 4, 0, NULL) == NULL && scarce_table_kept(t, 0, ROWS, NULL) == NULL);
}

static void test_random(void)
{
    for (uint64_t round = 0; round < 40 && !test_failures; ++round) {
        scarce__random rng = scarce__random_start(round, SCARCE__FOR_TEST, 0);
        file f = make_file(&rng);
        const scarce__read_tuning tiny = {30 + scarce__random_below(&rng, 200),
                                          60 + scarce__random_below(&rng, 900),
                                          20 + scarce__random_below(&rng, 200), 0, (int)(round % 2)};
        scarce_table *t = read_file(&f, 1 + (int)(round % 4), round % 5 ? &tiny : NULL);
        if (t) check_table(t, &f);
        scarce_table_free(t);
        free(f.bytes);
    }
}

/* No rows: fine when that was said; a table without kept texts says so. */
static void test_none(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = NULL;
    scarce_table *t = NULL;
    const char *name = "nobody";

    CHECK(scarce_context_new(&ctx, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_read_bytes(&t, "a,label\n", 8, "t", &o, ctx, &err) == SCARCE_EDATA && !t);
    o.may_be_empty = 1;
    CHECK(scarce_table_read_bytes(&t, "a,label\n", 8, "t", &o, ctx, &err) == SCARCE_OK && !t);
    CHECK(scarce_table_read_bytes(&t, "a,label\n1,0\n2,1\n", 16, "t", &o, ctx, &err) == SCARCE_OK && t);
    CHECK(!scarce_table_kept(t, 0, 0, NULL) && !scarce_table_line(t, 0, NULL) &&
          !scarce_table_header(t, NULL));
    scarce_table_free(t);
    o.keep = (scarce_names){&name, 1};
    CHECK(scarce_table_read_bytes(&t, "a,label\n1,0\n2,1\n", 16, "t", &o, ctx, &err) == SCARCE_EDATA && !t &&
          strstr(err.text, "no column \"nobody\""));
    CHECK(scarce_table_read_bytes(&t, "1 1:3\n0 1:4\n", 12, "t.svm", &o, ctx, &err) == SCARCE_EUNSUPPORTED &&
          !t);
    scarce_context_free(ctx);
}

static const test_case tests[] = {
    {"random", test_random},
    {"none", test_none},
};
TEST_MAIN(tests)
