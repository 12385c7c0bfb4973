/* SPDX-License-Identifier: Apache-2.0 */
/* Reading with the 1st, 2nd, 3rd ... allocation failing: ENOMEM, nothing leaked (the sanitizer looks),
 * nothing returned; and the whole table as soon as nothing fails. */
#include "core/alloc.h"
#include "data/read.h"
#include "test.h"

static const char csv_text[] =
    "\"a\",b,w,g,t,m,label\n1,x,1,k,2020-01-05,2,0\n2,\"y \"\"q\"\"\n\",1,k,2020-01-01,3,1\n"
    "3,z,0.5,j,2020-01-07,4,1\n1e999,x,1,k,2020-01-05,2,0\n\nlate,y,1,l,2020-01-05,2,0\n"
    "4,\"w\",2,l,2020-01-05,9,0\n";
static const char arff_text[] =
    "@relation r\n@attribute a real\n@attribute b {x,'y z'}\n@attribute s string\n"
    "@attribute class {0,1}\n@data\n1,x,q,0\n?,'y z',\"r\",1\n3,x,?,0\n";

static scarce_status read_once(scarce_table **out, const char *text, scarce_format format, int threads,
                               scarce_error *err)
{
    static const scarce__read_tuning tiny = {40, 50, 30, 0, 0};
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__source *source = NULL;
    scarce_status st;

    *out = NULL;
    co.threads = threads;
    o.format = format;
    if (format == SCARCE_FORMAT_CSV) {
        static const char *const kept[] = {"b", "a"};
        o.keep = (scarce_names){kept, 2};
        o.keep_lines = 1;
        o.weight = "w";
        o.group = "g";
        o.time = "t";
        o.amount = "m";
    }
    st = scarce_context_new(&ctx, &co, err);
    if (st == SCARCE_OK) st = scarce__source_memory(&source, text, strlen(text), "t", err);
    if (st == SCARCE_OK) st = scarce__read_sources(out, &source, 1, &o, &tiny, ctx, err);
    scarce__source_close(source);
    scarce_context_free(ctx);
    return st;
}

static void walk(const char *text, scarce_format format, int threads, size_t rows)
{
    for (size_t n = 1; n < 5000; ++n) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_table *t = NULL;
        scarce__alloc_fail_from(n);
        const scarce_status st = read_once(&t, text, format, threads, &err);
        scarce__alloc_fail_from(0);
        if (st == SCARCE_OK) {
            CHECK(t && scarce_table_rows(t) == rows && n > 20);
            scarce_table_free(t);
            return;
        }
        CHECK(st == SCARCE_ENOMEM && t == NULL && err.code == SCARCE_ENOMEM &&
              strstr(err.text, "out of memory"));
        if (test_failures) {
            fprintf(stderr, "allocation %zu: %d %s\n", n, (int)st, err.text);
            return;
        }
    }
    CHECK(0);
}

static void test_csv(void)
{
    walk(csv_text, SCARCE_FORMAT_CSV, 1, 6);
    walk(csv_text, SCARCE_FORMAT_CSV, 2, 6);
}

static void test_arff(void)
{
    walk(arff_text, SCARCE_FORMAT_ARFF, 1, 3);
}

static const test_case tests[] = {{"csv", test_csv}, {"arff", test_arff}};
TEST_MAIN(tests)
