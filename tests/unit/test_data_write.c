/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "test.h"

static char path[] = "/tmp/scarce-write-XXXXXX";

static void remove_file(void)
{
    (void)unlink(path);
}

static void make_path(void)
{
    static int made;
    if (made) return;
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0 && atexit(remove_file) == 0);
    made = 1;
}

/* The file's text; the caller frees it. */
static char *content(void)
{
    FILE *f = fopen(path, "rb");
    struct stat info;
    char *text = NULL;
    if (!f || fstat(fileno(f), &info) != 0) abort();
    text = malloc((size_t)info.st_size + 1);
    if (!text) abort();
    text[fread(text, 1, (size_t)info.st_size, f)] = '\0';
    (void)fclose(f);
    return text;
}

static void check_written(const scarce_table *t, const scarce_write_options *o, const char *want)
{
    scarce_error err = SCARCE_ERROR_INIT;
    make_path();
    CHECK(scarce_table_write(t, path, o, NULL, &err) == SCARCE_OK);
    char *text = content();
    CHECK_TEXT(text, want);
    free(text);
}

static void test_numbers(void)
{
    const float values[] = {1,        0.1f,     (float)NAN,    -0.5f,
                            1e-30f,   16777216, 3.4028235e38f, (float)INFINITY,
                            -149.62f, 0,        -0.0f,         0.0001f};
    const uint8_t label[] = {0, 1, 0};
    const char *names[] = {"a", "b,c", " d", "e\"f"};
    scarce_table *t = NULL;
    CHECK(scarce_table_from_floats(&t, values, 3, 4, names, label, NULL) == SCARCE_OK);
    check_written(t, NULL,
                  "a,\"b,c\",\" d\",\"e\"\"f\",label\n"
                  "1,0.1,,-0.5,0\n"
                  "1e-30,16777216,3.4028235e38,inf,1\n"
                  "-149.62,0,-0,0.0001,0\n");
    scarce_write_options o = SCARCE_WRITE_OPTIONS_INIT;
    const uint8_t synthetic[] = {0, 0, 1};
    o.separator = '\t';
    o.origin = "origin";
    o.synthetic = synthetic;
    check_written(t, &o,
                  "a\tb,c\t\" d\"\t\"e\"\"f\"\torigin\tlabel\n"
                  "1\t0.1\t\t-0.5\toriginal\t0\n"
                  "1e-30\t16777216\t3.4028235e38\tinf\toriginal\t1\n"
                  "-149.62\t0\t-0\t0.0001\tsynthetic\t0\n");
    scarce_table_free(t);
    CHECK(scarce_table_from_floats(&t, values + 2, 1, 1, NULL, NULL, NULL) == SCARCE_OK);
    check_written(t, NULL, "1\nNA\n"); /* an empty line would be no row */
    scarce_table_free(t);
}

static void test_roles_and_kinds(void)
{
    const float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint8_t label[] = {1, 0, 0};
    const char *names[] = {"weight", "color", "sparse"};
    scarce_table *t = NULL;
    CHECK(scarce_table_from_floats(&t, values, 3, 3, names, label, NULL) == SCARCE_OK);
    scarce_schema *s = &t->schema;
    s->features[1].kind = SCARCE_COLUMN_CATEGORY; /* the numbers' memory serves for the codes */
    t->columns[1].code[0] = 1;
    t->columns[1].code[1] = -1;
    t->columns[1].code[2] = 2; /* unknown */
    (void)scarce__dictionary_add(&s->features[1].categories, "red", 3);
    (void)scarce__dictionary_add(&s->features[1].categories, "dark\n\"blue\"", 11);
    scarce__free(t->columns[2].number);
    memset(&t->columns[2], 0, sizeof t->columns[2]);
    s->features[2].kind = SCARCE_COLUMN_SPARSE;
    t->columns[2].sparse.row = scarce__calloc(1, sizeof(uint32_t));
    t->columns[2].sparse.value = scarce__calloc(1, sizeof(float));
    t->columns[2].sparse.count = 1;
    t->columns[2].sparse.row[0] = 1;
    t->columns[2].sparse.value[0] = 2.25f;
    const double weight[] = {0.1, 1, 1e-9};
    CHECK(scarce_table_set_weight(t, weight, NULL) == SCARCE_OK);
    t->time = scarce__calloc(3, sizeof(double));
    t->time[0] = 1546300800.25;
    t->time[1] = (double)NAN;
    t->time[2] = -86400;
    s->time_name = scarce__strdup("when");
    t->group = scarce__calloc(3, sizeof(int32_t));
    t->group[1] = 1;
    (void)scarce__dictionary_add(&t->groups, "ann", 3);
    (void)scarce__dictionary_add(&t->groups, "bob, jr", 7);
    t->amount = scarce__calloc(3, sizeof(double));
    s->amount_name = scarce__strdup("weight"); /* an amount that is a feature isn't written twice */
    scarce__free(s->negative);
    scarce__free(s->positive);
    s->negative = NULL;
    s->positive = scarce__strdup("fraud");
    check_written(t, NULL,
                  "weight,color,sparse,weight_,when,group,label\n"
                  "1,\"dark\n\"\"blue\"\"\",0,0.1,1546300800.25,ann,fraud\n"
                  "4,,2.25,1,,\"bob, jr\",0\n"
                  "7,(unknown),0,1e-9,-86400,ann,0\n");
    scarce_table_free(t);
}

/* Floats of all sizes and of few decimals: each text reads back the same, and no shorter %.g does. */
static void test_floats_round_trip(void)
{
    enum { N = 60000 };
    float *values = malloc(N * sizeof *values);
    double *weight = malloc(N * sizeof *weight);
    scarce__random random = scarce__random_start(1, SCARCE__FOR_TEST, 8);
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_table *t = NULL;
    size_t wrong = 0, longer = 0;

    if (!values || !weight) abort();
    for (size_t i = 0; i < N; ++i) {
        const uint32_t bits = (uint32_t)scarce__random_u64(&random);
        if (i % 3 == 0) memcpy(&values[i], &bits, 4);
        else if (i % 3 == 1) values[i] = (float)((double)(int32_t)bits / 1e4 / (double)(1 + bits % 1000));
        else values[i] = (float)((double)(bits % 1000000) / 100);
        if (!(values[i] - values[i] == 0)) values[i] = 1;
        weight[i] = i % 2 ? scarce__random_unit(&random) * exp(20 * scarce__random_normal(&random))
                          : (double)(bits % 10000000) / 100 + 0.01;
        if (weight[i] > 1e30) weight[i] = 1e30;
    }
    co.threads = 3;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce_table_from_floats(&t, values, N, 1, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_set_weight(t, weight, NULL) == SCARCE_OK);
    make_path();
    CHECK(scarce_table_write(t, path, NULL, ctx, NULL) == SCARCE_OK);
    char *text = content(), *p = strchr(text, '\n') + 1;
    for (size_t i = 0; i < N; ++i) {
        char *end, *first;
        char shorter[64];
        size_t digits = 0;
        int least = 1;
        wrong += strtof(p, &end) != values[i] || *end != ',';
        for (first = p; first < end && *first != 'e'; ++first)
            digits += (*first >= '1' && *first <= '9') || (digits && *first == '0');
        for (; least < 9; ++least) {
            (void)snprintf(shorter, sizeof shorter, "%.*g", least, (double)values[i]);
            if (strtof(shorter, NULL) == values[i]) break;
        }
        if (fabsf(values[i]) < 1e6f)
            longer += digits > (size_t)least + (values[i] == floorf(values[i]) ? 6 : 0);
        p = end + 1;
        wrong += strtod(p, &end) != weight[i] || *end != '\n';
        p = end + 1;
    }
    CHECK(wrong == 0 && *p == '\0');
    CHECK(longer == 0);
    free(text);
    free(values);
    free(weight);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

/* A first name that begins like a file of another format, a comment or the mark of UTF-8 is no obstacle. */
static void test_first_name(void)
{
    static const char *const odd[] = {"PK\x03\x04x", "PAR1", "ARROW1",        "BZh",   "%PDF-",  "<html",
                                      "@relation",   "#a",   "\xEF\xBB\xBFx", "<?xml", "{\\rtf", "-"};
    static const float values[] = {1, 2, 3, 4};
    static const uint8_t label[] = {0, 1};

    make_path();
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; ++k) {
        const char *names[] = {odd[k], "y"}, *paths[] = {path};
        scarce_table *t = NULL, *back = NULL;
        scarce_error err = SCARCE_ERROR_INIT;

        CHECK(scarce_table_from_floats(&t, values, 2, 2, names, label, NULL) == SCARCE_OK);
        CHECK(scarce_table_write(t, path, NULL, NULL, &err) == SCARCE_OK);
        CHECK(scarce_table_read(&back, paths, 1, NULL, NULL, &err) == SCARCE_OK);
        CHECK_TEXT(err.text, "");
        if (back) CHECK_TEXT(scarce_schema_name(scarce_table_schema(back), 0), odd[k]);
        scarce_table_free(back);
        scarce_table_free(t);
    }
}

/* What is read back is the same table, of several blocks and every kind of column. */
static void test_reads_back(void)
{
    enum { N = 9000 };
    static float values[N][3];
    static uint8_t label[N];
    const char *names[] = {"x", "kind", "y"};
    static const char *const kinds[] = {"plain", "with,comma", "with \"quote\"", " blank", "two\nlines"};
    scarce__random random = scarce__random_start(2, SCARCE__FOR_TEST, 8);
    scarce_table *t = NULL, *back = NULL;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    const char *paths[1] = {path};
    size_t wrong = 0;

    for (size_t i = 0; i < N; ++i) {
        for (size_t f = 0; f < 3; ++f) values[i][f] = (float)scarce__random_normal(&random);
        if (i % 11 == 0) values[i][2] = (float)NAN;
        label[i] = i % 7 == 0;
    }
    CHECK(scarce_table_from_floats(&t, &values[0][0], N, 3, names, label, NULL) == SCARCE_OK);
    t->schema.features[1].kind = SCARCE_COLUMN_CATEGORY;
    for (size_t i = 0; i < N; ++i) t->columns[1].code[i] = (int32_t)(i % 6) - 1;
    for (size_t k = 0; k < 5; ++k)
        (void)scarce__dictionary_add(&t->schema.features[1].categories, kinds[k], strlen(kinds[k]));
    make_path();
    CHECK(scarce_table_write(t, path, NULL, NULL, &err) == SCARCE_OK);
    CHECK(scarce_table_read(&back, paths, 1, &ro, NULL, &err) == SCARCE_OK);
    if (back) {
        CHECK(scarce_table_rows(back) == N && scarce_table_features(back) == 3);
        CHECK(memcmp(scarce_table_label(back), label, N) == 0);
        CHECK(memcmp(scarce_table_numbers(back, 0), t->columns[0].number, N * sizeof(float)) == 0);
        for (size_t i = 0; i < N; ++i) {
            const float y = scarce_table_numbers(back, 2)[i];
            const int32_t code = scarce_table_codes(back, 1)[i];
            wrong += isnan(values[i][2]) ? isnan(y) == 0 : y != values[i][2];
            if (i % 6 == 0) wrong += code != -1;
            else if (code < 0) ++wrong;
            else
                wrong +=
                    strcmp(scarce_schema_category(&back->schema, 1, (size_t)code), kinds[i % 6 - 1]) != 0;
        }
        CHECK(wrong == 0);
    } else {
        CHECK_TEXT(err.text, "");
    }
    scarce_table_free(t);
    scarce_table_free(back);
}

static void test_refuses(void)
{
    const float values[] = {1, 2};
    scarce_write_options o = SCARCE_WRITE_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    CHECK(scarce_table_from_floats(&t, values, 2, 1, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_write(t, "/nowhere/x.csv", NULL, NULL, &err) == SCARCE_EIO &&
          strstr(err.text, "/nowhere/x.csv"));
    CHECK(scarce_table_write(t, "x.csv.gz", NULL, NULL, &err) == SCARCE_EUNSUPPORTED &&
          access("x.csv.gz", F_OK) != 0);
    o.origin = "origin";
    CHECK(scarce_table_write(t, "x.csv", &o, NULL, &err) == SCARCE_EINVAL);
    o.origin = NULL;
    o.separator = '1';
    CHECK(scarce_table_write(t, "x.csv", &o, NULL, &err) == SCARCE_EINVAL && access("x.csv", F_OK) != 0);
    if (access("/dev/full", W_OK) == 0) {
        CHECK(scarce_table_write(t, "/dev/full", NULL, NULL, &err) == SCARCE_EIO);
        CHECK(strstr(err.text, "No space left") != NULL);
    }
    scarce_table_free(t);
}

/* Texts of numbers: kept when the table was read so, through chosen rows, and only as long as they fit. */
static void test_kept_texts(void)
{
    static const char csv[] = "id,m,w,t,y\n16777217,1.50,2.0,2018-04-01,0\n9007199254740993,99999999.99,1,"
                              "2018-04-02 00:00:01,1\n007,,1e0,2018-04-03,0\n";
    static const char want[] = "id,m,w,t,y\n007,,1e0,2018-04-03,0\n16777217,1.50,2.0,2018-04-01,0\n42,"
                               "99999999.99,1,2018-04-02 00:00:01,1\n";
    const uint32_t rows[] = {2, 0, 1};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL, *chosen = NULL;
    o.label = "y";
    o.weight = "w";
    o.time = "t";
    o.amount = "m";
    o.keep_lines = 1;
    CHECK(scarce_table_read_bytes(&t, csv, sizeof csv - 1, NULL, &o, NULL, NULL) == SCARCE_EDATA);
    o.amount = NULL; /* one is missing */
    CHECK(scarce_table_read_bytes(&t, csv, sizeof csv - 1, NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_inexact(t, 0) == 2 && scarce_table_inexact(t, 1) == 1);
    CHECK(scarce_table_rows_of(&chosen, t, rows, 3, NULL, NULL) == SCARCE_OK);
    chosen->columns[0].number[2] = 42; /* changed: its text no longer counts */
    make_path();
    CHECK(scarce_table_write(chosen, path, NULL, NULL, NULL) == SCARCE_OK);
    char *text = content();
    CHECK_TEXT(text, want);
    free(text);
    scarce_table_free(chosen);
    scarce_table_free(t);
    CHECK(remove(path) == 0);
}

static const test_case tests[] = {
    {"numbers", test_numbers},
    {"roles_and_kinds", test_roles_and_kinds},
    {"floats_round_trip", test_floats_round_trip},
    {"first_name", test_first_name},
    {"reads_back", test_reads_back},
    {"refuses", test_refuses},
    {"kept_texts", test_kept_texts},
};
TEST_MAIN(tests)
