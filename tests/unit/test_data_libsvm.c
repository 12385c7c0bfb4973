/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/read.h"
#include "test.h"

/* Reads the texts as one table, each from a temporary file. */
static scarce_status read_texts(scarce_table **out, const char *const *texts, size_t n,
                                const scarce_read_options *o, int threads, scarce_error *err)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__source *sources[3] = {NULL, NULL, NULL};
    scarce_status st = SCARCE_OK;

    *out = scarce__calloc(1, sizeof **out);
    co.threads = threads;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    for (size_t k = 0; k < n && st == SCARCE_OK; ++k) {
        char path[] = "/tmp/scarce-libsvm-XXXXXX";
        const int fd = mkstemp(path);
        const size_t length = strlen(texts[k]);
        CHECK(fd >= 0 && write(fd, texts[k], length) == (ssize_t)length && close(fd) == 0);
        st = scarce__source_open(&sources[k], path, NULL, err);
        CHECK(unlink(path) == 0);
    }
    if (st == SCARCE_OK) st = scarce__read_libsvm(*out, sources, n, o, NULL, ctx, err);
    for (size_t k = 0; k < n; ++k) scarce__source_close(sources[k]);
    if (st) {
        scarce_table_free(*out);
        *out = NULL;
    }
    scarce_context_free(ctx);
    return st;
}

static scarce_status read_text(scarce_table **out, const char *text, const scarce_read_options *o,
                               scarce_error *err)
{
    const scarce_read_options usual = SCARCE_READ_OPTIONS_INIT;
    return read_texts(out, &text, 1, o ? o : &usual, 1, err);
}

static float value_at(const scarce_table *t, size_t row, size_t f)
{
    const scarce__sparse *s = &t->columns[f].sparse;
    for (size_t i = 0; i < s->count; ++i)
        if (s->row[i] == row) return s->value[i];
    return 0;
}

static void test_small(void)
{
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status st = read_text(&t,
                                       "# a comment: with 1:2\n"
                                       "+1 1:0.5 4:-2e-3   # another 9:9\n"
                                       "\n"
                                       "  -1\t2:7\t5:0\r\n"
                                       "-1 \n"
                                       "-1 3:nan 4:inf",
                                       NULL, &err);
    CHECK(st == SCARCE_OK);
    if (!t) return;
    CHECK(scarce_table_rows(t) == 4 && scarce_table_features(t) == 5 && scarce_table_positives(t) == 1);
    CHECK(scarce_table_label(t)[0] == 1 && scarce_table_label(t)[3] == 0);
    CHECK_TEXT(scarce_schema_positive(scarce_table_schema(t)), "+1");
    CHECK_TEXT(scarce_schema_label(scarce_table_schema(t)), "label");
    CHECK_TEXT(scarce_schema_name(scarce_table_schema(t), 4), "5");
    CHECK(scarce_schema_kind(scarce_table_schema(t), 0) == SCARCE_COLUMN_SPARSE);
    CHECK(t->columns[0].sparse.count == 1 && value_at(t, 0, 0) == 0.5f);
    CHECK(value_at(t, 1, 1) == 7 && isnan(value_at(t, 3, 2)));
    CHECK(value_at(t, 0, 3) == -2e-3f && isinf(value_at(t, 3, 3)));
    CHECK(t->columns[4].sparse.count == 0); /* an explicit 0 is not kept, but the index counts */
    CHECK(!scarce_table_group(t) && !scarce_table_numbers(t, 0) && !scarce_table_codes(t, 0));
    scarce_table_free(t);
}

static void test_query_is_group(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    o.group = "qid";
    CHECK(read_text(&t, "1 qid:7 1:1\n0 qid:3 1:1\n0 qid:7\n", &o, &err) == SCARCE_OK);
    if (t) {
        CHECK(scarce_table_group(t)[0] == 0 && scarce_table_group(t)[1] == 1 &&
              scarce_table_group(t)[2] == 0);
        CHECK_TEXT(scarce_table_group_name(t, 1), "3");
        CHECK_TEXT(t->schema.group_name, "qid");
    }
    scarce_table_free(t);
    CHECK(read_text(&t, "1 qid:7 1:1\n0 1:1\n", NULL, &err) == SCARCE_EPARSE && !t);
    CHECK(strstr(err.text, ":2: this row has no qid, unlike the rows before") != NULL);
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_EDATA && strstr(err.text, "qid"));
}

static void test_errors_name_the_line(void)
{
    static const struct {
        const char *text, *want;
        scarce_status status;
    } cases[] = {
        {"1 1:1\n0 0:1\n", ":2: index 0 in \"0:1\"; indices count from 1", SCARCE_EPARSE},
        {"1 3:1 2:1\n", ":1: index 2 after 3; indices must ascend", SCARCE_EPARSE},
        {"1 3:1 3:1\n", ":1: index 3 after 3; indices must ascend", SCARCE_EPARSE},
        {"1 1:1\n\n# x\n0 1:x\n", ":4: the value of \"1:x\" is not a number", SCARCE_EPARSE},
        {"1 1:1\n\xbf-1 1:1\n", "is not UTF-8, as LIBSVM files have to be", SCARCE_EPARSE},
        {"1 1:\n", ":1: the value of \"1:\" is not a number", SCARCE_EPARSE},
        {"1 1:1e99\n", ":1: the value of \"1:1e99\" is too large", SCARCE_EPARSE},
        {"1 5\n", ":1: \"5\" is not of the form index:value", SCARCE_EPARSE},
        {"1 -5:1\n", ":1: \"-5:1\" is not of the form index:value", SCARCE_EPARSE},
        {"1 1:1 qid:3\n", ":1: \"qid:3\" is not of the form index:value", SCARCE_EPARSE},
        {"1 99999999:1\n", ":1: index of \"99999999:1\" is beyond 16777216", SCARCE_EPARSE},
        {"1 184467440737095516170001:1\n", "is beyond 16777216", SCARCE_EPARSE},
        {"1 1:1\n2 1:1\n3 1:1\n", ":3: label column \"label\" holds a third value", SCARCE_EDATA},
        {"1 1:1\n1:1\n", ":2: the label (column \"label\") is missing", SCARCE_EDATA},
        {"1 1:1\n- 1:1\n", ":2: the label (column \"label\") is missing", SCARCE_EDATA}, /* as in CSV */
        {"1 1:1\n0 1:1\nNA 1:1\nNA 1:2\n", ":3: the label (column \"label\") is missing", SCARCE_EDATA},
        {"1 qid:1 1:1\n0 qid:? 1:1\n", ":2: this row has no qid", SCARCE_EPARSE},
        {"", ": no rows", SCARCE_EDATA},
        {"# nothing\n\n", ": no rows", SCARCE_EDATA},
        {"1\n0\n", ": no row has an entry index:value", SCARCE_EDATA},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        scarce_table *t = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(read_text(&t, cases[c].text, NULL, &err) == cases[c].status && !t);
        if (!strstr(err.text, cases[c].want)) {
            CHECK_TEXT(err.text, cases[c].want);
        }
    }
}

static void test_options(void)
{
    const char *name = "1";
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    const scarce_read_options usual = o;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    o.weight = "w";
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_EINVAL && strstr(err.text, "weight"));
    o = usual;
    o.time = "w";
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_EINVAL && strstr(err.text, "time"));
    o = usual;
    o.amount = "w";
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_EINVAL && strstr(err.text, "amount"));
    o = usual;
    o.group = "customer";
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_EINVAL && strstr(err.text, "customer"));
    o = usual;
    o.label = "y";
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_EINVAL);
    o = usual;
    o.ignore.items = &name;
    o.ignore.count = 1;
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_EINVAL);
    o = usual;
    o.positive = "0";
    CHECK(read_text(&t, "1 1:1\n0 1:1\n", &o, &err) == SCARCE_OK && t->label[1] == 1 && t->label[0] == 0);
    scarce_table_free(t);
    o = usual;
    o.label_optional = 1;
    CHECK(read_text(&t, "1:1\n2:1\n", &o, &err) == SCARCE_OK && !t->label && t->n_rows == 2);
    scarce_table_free(t);
}

static void test_schema(void)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *model = NULL, *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    CHECK(read_text(&model, "1 3:1\n0 1:1\n", NULL, &err) == SCARCE_OK);
    o.schema = scarce_table_schema(model);
    /* index 7 is unknown to the model; labels are optional */
    CHECK(read_text(&t, "1 2:5 7:1\n1 3:4\n", &o, &err) == SCARCE_OK);
    if (t) {
        CHECK(scarce_table_features(t) == 3 && t->n_rows == 2 && t->n_positives == 2);
        CHECK(value_at(t, 0, 1) == 5 && value_at(t, 1, 2) == 4);
        CHECK(t->columns[0].sparse.count == 0 && t->columns[1].sparse.count == 1);
    }
    scarce_table_free(t);
    CHECK(read_text(&t, "2:5\n3:4\n", &o, &err) == SCARCE_OK && !t->label);
    scarce_table_free(t);

    /* features of a model that was trained on a table of numbers, in another order */
    model->schema.features[0].kind = SCARCE_COLUMN_NUMERIC;
    model->schema.features[0].name[0] = '3';
    model->schema.features[2].name[0] = '1';
    scarce_table wanted = *model;
    o.schema = &wanted.schema;
    CHECK(read_text(&t, "1 1:9 3:8\n0 2:7\n", &o, &err) == SCARCE_OK);
    if (t) {
        CHECK(scarce_table_numbers(t, 0) && scarce_table_numbers(t, 0)[0] == 8 &&
              scarce_table_numbers(t, 0)[1] == 0);
        CHECK(value_at(t, 0, 2) == 9 && value_at(t, 1, 1) == 7);
    }
    scarce_table_free(t);
    model->schema.features[0].kind = SCARCE_COLUMN_CATEGORY;
    CHECK(read_text(&t, "1 1:9 3:8\n0 2:7\n", &o, &err) == SCARCE_EDATA && strstr(err.text, "is a category"));
    model->schema.features[0].kind = SCARCE_COLUMN_SPARSE;
    model->schema.features[0].name[0] = 'x';
    CHECK(read_text(&t, "1 1:9 3:8\n0 2:7\n", &o, &err) == SCARCE_EDATA && strstr(err.text, "\"x\""));
    scarce_table_free(model);
}

/* The number of features goes by what is in the file, not by the largest number there. */
static void test_huge_index(void)
{
    static const char text[] = "1 7:2 16777216:1\n0 1:1\n0 16777215:0 16777216:4\n";
    static const char other[] = "0 2:5 16777216:8 16777215:1\n",
                      ascending[] = "0 2:5 16777215:1 16777216:8\n";
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL, *scored = NULL;
    o.format = SCARCE_FORMAT_LIBSVM;
    CHECK(scarce_table_read_bytes(&t, text, sizeof text - 1, NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_features(t) == 3 && scarce_table_bytes(t) < 10000);
    CHECK_TEXT(scarce_schema_name(&t->schema, 0), "1");
    CHECK_TEXT(scarce_schema_name(&t->schema, 1), "7");
    CHECK_TEXT(scarce_schema_name(&t->schema, 2), "16777216");
    CHECK(t->columns[0].sparse.count == 1 && t->columns[0].sparse.row[0] == 1);
    CHECK(t->columns[1].sparse.count == 1 && t->columns[1].sparse.value[0] == 2);
    CHECK(t->columns[2].sparse.count == 2 && t->columns[2].sparse.row[1] == 2);
    CHECK(t->columns[2].sparse.value[1] == 4);
    o.schema = &t->schema; /* what the model doesn't know is left out */
    CHECK(scarce_table_read_bytes(&scored, other, sizeof other - 1, NULL, &o, NULL, NULL) == SCARCE_EPARSE);
    CHECK(scarce_table_read_bytes(&scored, ascending, sizeof ascending - 1, NULL, &o, NULL, NULL) ==
          SCARCE_OK);
    CHECK(scored->columns[0].sparse.count == 0 && scored->columns[1].sparse.count == 0);
    CHECK(scored->columns[2].sparse.count == 1 && scored->columns[2].sparse.value[0] == 8);
    scarce_table_free(scored);
    scarce_table_free(t);
}

/* Text of several blocks in two files, against the values it was made from; with 1 and 3 threads. */
static void test_many_blocks(void)
{
    enum { ROWS = 30000, FEATURES = 40 };
    const size_t room = (size_t)ROWS * FEATURES * 16;
    static float values[ROWS][FEATURES];
    scarce__random random = scarce__random_start(1, SCARCE__FOR_TEST, 5);
    char *text = malloc(room), *second = NULL;
    size_t n = 0;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    if (!text) abort();
    for (size_t i = 0; i < ROWS; ++i) {
        if (i == ROWS / 3) {
            text[n++] = '\0';
            second = text + n;
        }
        n += (size_t)snprintf(text + n, room - n, "%d", i % 50 == 0);
        for (size_t f = 0; f < FEATURES; ++f) {
            if (scarce__random_below(&random, 4)) continue;
            values[i][f] = (float)scarce__random_below(&random, 100000) / 256;
            n += (size_t)snprintf(text + n, room - n, " %zu:%.9g", f + 1, (double)values[i][f]);
        }
        text[n++] = '\n';
    }
    text[n] = '\0';
    CHECK(strlen(second) > 2000000); /* so there are several blocks */
    for (int threads = 1; threads <= 3; threads += 2) {
        const char *texts[2] = {text, second};
        scarce_table *t = NULL;
        size_t wrong = 0;
        CHECK(read_texts(&t, texts, 2, &o, threads, &err) == SCARCE_OK);
        if (!t) break;
        CHECK(t->n_rows == ROWS && t->schema.n_features == FEATURES && t->n_positives == ROWS / 50);
        for (size_t f = 0; f < FEATURES; ++f) {
            const scarce__sparse *s = &t->columns[f].sparse;
            size_t k = 0;
            for (size_t i = 0; i < ROWS; ++i) {
                if (values[i][f] == 0) continue;
                wrong += k >= s->count || s->row[k] != i || s->value[k] != values[i][f];
                ++k;
            }
            wrong += k != s->count;
        }
        for (size_t i = 0; i < ROWS; ++i) wrong += t->label[i] != (i % 50 == 0);
        CHECK(wrong == 0);
        scarce_table_free(t);
    }
    /* an error far inside names its line, the first of several */
    char *at = strchr(second + 1500000, ':');
    size_t line = 1;
    for (const char *p = second; p < at; ++p) line += *p == '\n';
    *at = ';';
    *strchr(at + 200000, ':') = ';';
    const char *texts[2] = {text, second};
    scarce_table *t = NULL;
    char want[64];
    CHECK(read_texts(&t, texts, 2, &o, 3, &err) == SCARCE_EPARSE);
    (void)snprintf(want, sizeof want, ":%zu: ", line);
    CHECK(strstr(err.text, want) != NULL);
    free(text);
}

/* Pieces so small that every line, number and blank falls on a border; a line that is too
 * long is an error. */
static void test_small_pieces(void)
{
    static const char text[] =
        "+1 qid:10 1:0.5 3:2e1 # x\r\n\n-1 qid:2 2:-1\n# only\n-1 qid:10\n+1 qid:3 1:1 7:nan";
    const scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *want = NULL;
    CHECK(read_text(&want, text, NULL, &err) == SCARCE_OK && want->n_rows == 4 &&
          want->schema.n_features == 7);
    for (size_t size = 1; want && size < 80; ++size) {
        const scarce__read_tuning tuning = {0, size, 1 + size / 3, 0, 0}, short_lines = {0, 4, 4, 16, 0};
        scarce__source *source = NULL;
        scarce_table *t = scarce__calloc(1, sizeof *t);
        CHECK(scarce__source_memory(&source, text, sizeof text - 1, "t", NULL) == SCARCE_OK);
        CHECK(scarce__read_libsvm(t, &source, 1, &o, &tuning, NULL, &err) == SCARCE_OK);
        CHECK(t->n_rows == 4 && t->schema.n_features == 7 && t->n_positives == 2 && t->groups.count == 3);
        for (size_t r = 0; r < t->n_rows; ++r) {
            CHECK(t->label[r] == want->label[r] && t->group[r] == want->group[r]);
            for (size_t f = 0; f < 7; ++f) {
                const float a = value_at(t, r, f), b = value_at(want, r, f);
                CHECK(a == b || (isnan(a) && isnan(b)));
            }
        }
        scarce_table_free(t);
        t = scarce__calloc(1, sizeof *t);
        CHECK(scarce__source_rewind(source, NULL) == SCARCE_OK);
        CHECK(scarce__read_libsvm(t, &source, 1, &o, &short_lines, NULL, &err) == SCARCE_EPARSE);
        CHECK(strstr(err.text, "t:1: a line of more than 16 bytes"));
        scarce_table_free(t);
        scarce__source_close(source);
    }
    scarce_table_free(want);
}

static const test_case tests[] = {
    {"small", test_small},
    {"small_pieces", test_small_pieces},
    {"query_is_group", test_query_is_group},
    {"errors_name_the_line", test_errors_name_the_line},
    {"options", test_options},
    {"schema", test_schema},
    {"many_blocks", test_many_blocks},
    {"huge_index", test_huge_index},
};
TEST_MAIN(tests)
