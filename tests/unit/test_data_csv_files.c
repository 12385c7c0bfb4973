/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files that are wide, long, packed, several, or come through a pipe; reading that is stopped. */
#include <sys/stat.h>
#include <unistd.h>

#include "unit/csv_texts.h"

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
    {"wide", test_wide},   {"long_line", test_long_line}, {"many_categories", test_many_categories},
    {"files", test_files}, {"pipe", test_pipe},           {"cancel", test_cancel},
};
TEST_MAIN(tests)
