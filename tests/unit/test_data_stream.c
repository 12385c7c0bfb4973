/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: all rows once and in order, however long the file is and whatever the quotes; several files; rows that can't
 * be read are left out and counted; what the first block settles holds; LIBSVM. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/scarce.h>

#include "test.h"
#include "unit/lcg.h"

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* All rows of column 0 and the label, one after the other. */
static size_t read_stream(const char *const *paths, size_t n_paths, const scarce_read_options *o, double *x,
                          uint8_t *y, size_t room, size_t *left_out, size_t *blocks)
{
    scarce_stream *s = NULL;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    size_t n = 0;

    *blocks = 0;
    if (scarce_stream_open(&s, paths, n_paths, o, NULL, &err)) fprintf(stderr, "%s\n", err.text);
    CHECK(s != NULL);
    while (s && scarce_stream_next(s, &t, &err) == SCARCE_OK && t) {
        const float *number = scarce_table_numbers(t, 0);
        CHECK(scarce_stream_schema(s) != NULL);
        for (size_t i = 0; number && i < scarce_table_rows(t) && n < room; ++i) {
            x[n] = (double)number[i];
            y[n++] = scarce_table_label(t) ? scarce_table_label(t)[i] : 9;
        }
        *blocks += 1;
        scarce_table_free(t);
    }
    if (err.code) fprintf(stderr, "%s\n", err.text);
    *left_out = scarce_stream_left_out(s, NULL);
    scarce_stream_close(s);
    return n;
}

enum { MANY = 300000 };
static double x[MANY + 10];
static uint8_t y[MANY + 10];

static void test_long(void)
{
    char path[] = "/tmp/scarce_stream_XXXXXX";
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    const char *name = path;
    size_t left, blocks;
    lcg r = lcg_start(1);

    fprintf(f, "x,text,label\n");
    for (size_t i = 0; i < MANY; ++i) {
        if (i % 1000 == 999) fprintf(f, "%zu,\"a \"\"quoted\"\"\ntext, with a comma\",%d\n", i, i % 7 == 0);
        else fprintf(f, "%zu,t%zu 5\" wide,%d\n", i, lcg_below(&r, 50), i % 7 == 0);
    }
    fclose(f);
    CHECK(read_stream(&name, 1, NULL, x, y, MANY + 10, &left, &blocks) == MANY);
    CHECK(left == 0 && blocks > 3);
    for (size_t i = 0; i < MANY; ++i) CHECK(x[i] == (double)i && y[i] == (i % 7 == 0));
    remove(path);
}

static void test_files(void)
{
    char a[] = "/tmp/scarce_stream_XXXXXX", b[] = "/tmp/scarce_stream_XXXXXX";
    CHECK(close(mkstemp(a)) == 0 && close(mkstemp(b)) == 0);
    const char *paths[] = {a, b};
    size_t left, blocks;

    write_file(a, "x,k,label\n1,u,0\n2,v,0\n"); /* one class alone: 1 is the other */
    write_file(
        b,
        "label,k,x\n1,w,3\n0,u,oops\n0,u\n1,z,4"); /* other order; two rows that can't be read; no newline */
    CHECK(read_stream(paths, 2, NULL, x, y, 10, &left, &blocks) == 4);
    CHECK(left == 2 && blocks >= 2);
    for (int i = 0; i < 4; ++i) CHECK(x[i] == i + 1 && y[i] == (i > 1));
    { /* what was wrong is told with the line of the file */
        scarce_stream *s = NULL;
        scarce_table *t = NULL;
        const char *why = NULL;
        char place[64];
        CHECK(scarce_stream_open(&s, paths, 2, NULL, NULL, NULL) == SCARCE_OK);
        while (scarce_stream_next(s, &t, NULL) == SCARCE_OK && t) scarce_table_free(t);
        CHECK(scarce_stream_left_out(s, &why) == 2);
        snprintf(place, sizeof place, "%s:4: ", b);
        CHECK(why && strncmp(why, place, strlen(place)) == 0 && !strstr(why + 1, b));
        scarce_stream_close(s);
    }
    write_file(b, "x,label\n3,1\n"); /* a feature is not there */
    {
        scarce_stream *s = NULL;
        scarce_table *t = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(scarce_stream_open(&s, paths, 2, NULL, NULL, &err) == SCARCE_OK);
        CHECK(scarce_stream_next(s, &t, &err) == SCARCE_OK && t);
        scarce_table_free(t);
        CHECK(scarce_stream_next(s, &t, &err) == SCARCE_OK && !t); /* all its rows are left out */
        CHECK(scarce_stream_left_out(s, NULL) == 1);
        scarce_stream_close(s);
    }
    remove(a);
    remove(b);
}

/* Columns that come later, or that a schema doesn't know, are counted once each; what the first file left out isn't. */
static void test_unknown_columns(void)
{
    const char *const paths[] = {"stream_u1.csv", "stream_u2.csv", "stream_u3.csv"};
    const char *const ignored[] = {"note"};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT, with = SCARCE_READ_OPTIONS_INIT;
    scarce_stream *s = NULL, *other = NULL;
    scarce_table *t = NULL;
    const char *latest = NULL;

    write_file(paths[0], "a,note,b,label\n1,x,2,0\n2,y,3,1\n3,z,4,0\n");
    write_file(paths[1], "b,a,c,note,label\n2,1,7,x,0\n3,2,8,y,1\n");
    write_file(paths[2], "b,a,c,d,label,e\n2,1,7,1,0,5\n3,2,8,1,1,5\n");
    o.label = "label";
    o.ignore = (scarce_names){ignored, 1};
    CHECK(scarce_stream_open(&s, paths, 3, &o, NULL, NULL) == SCARCE_OK);
    for (size_t block = 0; block < 3 && s; ++block) {
        const size_t want[] = {0, 1, 3};
        CHECK(scarce_stream_next(s, &t, NULL) == SCARCE_OK && t);
        CHECK(scarce_table_features(t) == 2);
        CHECK(scarce_stream_unknown(s, &latest) == want[block]);
        if (block == 0) CHECK(latest == NULL);
        if (block == 1) CHECK_TEXT(latest, "c");
        if (block == 2) CHECK_TEXT(latest, "e");
        scarce_table_free(t);
        t = NULL;
    }
    with.schema = scarce_stream_schema(s);
    with.label = "label";
    CHECK(scarce_stream_open(&other, paths + 1, 1, &with, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_stream_next(other, &t, NULL) == SCARCE_OK && t);
    CHECK(scarce_stream_unknown(other, NULL) == 2); /* c, note */
    scarce_table_free(t);
    scarce_stream_close(other);
    scarce_stream_close(s);
    for (int i = 0; i < 3; ++i) unlink(paths[i]);
}

static void test_libsvm(void)
{
    char path[] = "/tmp/scarce_stream_XXXXXX";
    CHECK(close(mkstemp(path)) == 0);
    const char *name = path;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_stream *s = NULL;
    scarce_table *t = NULL;
    o.format = SCARCE_FORMAT_LIBSVM;
    write_file(path, "+1 1:2 3:4\n-1 2:1\n-1 3:1\n");
    CHECK(scarce_stream_open(&s, &name, 1, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_stream_next(s, &t, NULL) == SCARCE_OK && t && scarce_table_rows(t) == 3 &&
          scarce_table_features(t) == 3);
    CHECK(scarce_table_positives(t) == 1);
    scarce_table_free(t);
    CHECK(scarce_stream_next(s, &t, NULL) == SCARCE_OK && !t);
    CHECK(scarce_stream_next(s, &t, NULL) == SCARCE_OK && !t);
    scarce_stream_close(s);
    remove(path);
}

static void test_wrong(void)
{
    const char *none = "/nowhere/at all.csv", *arff = "x.arff";
    scarce_stream *s = NULL;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_stream_open(&s, &none, 0, NULL, NULL, &err) == SCARCE_EINVAL && !s);
    CHECK(scarce_stream_open(&s, &arff, 1, NULL, NULL, &err) == SCARCE_EUNSUPPORTED && !s);
    CHECK(scarce_stream_open(&s, &none, 1, NULL, NULL, &err) == SCARCE_OK);
    CHECK(scarce_stream_next(s, &t, &err) == SCARCE_EIO && !t);
    scarce_stream_close(s);
    scarce_stream_close(NULL);
}

static const test_case tests[] = {{"long", test_long},
                                  {"files", test_files},
                                  {"unknown", test_unknown_columns},
                                  {"libsvm", test_libsvm},
                                  {"wrong", test_wrong}};

TEST_MAIN(tests)
