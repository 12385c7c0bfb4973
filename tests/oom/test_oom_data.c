/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of loading, choosing rows, splitting, resampling and writing fails once, with all later
 * ones. Each time the call must say ENOMEM and give back nothing; the address sanitizer sees what leaks.
 *
 * Where the work is spread over threads the number of allocations is the same from run to run, only their
 * order is not, so counting to the end meets them all. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/resample.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/read.h"
#include "test.h"

#ifdef SCARCE_FAULTS

static scarce_context *ctx;
static scarce_table *dense, *sparse, *odd;
static uint32_t rows[300];
static char csv_path[] = "/tmp/scarce-oom-XXXXXX", svm_path[] = "/tmp/scarce-oom-XXXXXX",
            out_path[] = "/tmp/scarce-oom-XXXXXX";

static void put(char *path, const char *text)
{
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd) != 0) abort();
}

static void prepare(void)
{
    static char csv[40000], svm[40000];
    size_t n = 0, m = 0;
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    const char *paths[1];

    o.threads = 2;
    if (scarce_context_new(&ctx, &o, NULL)) abort();
    n += (size_t)snprintf(csv, sizeof csv, "x,color,when,who,label\n");
    for (int i = 0; i < 300; ++i) {
        n += (size_t)snprintf(csv + n, sizeof csv - n, "%d.5,c%d,%d,g%d,%d\n", i, i % 40, i, i % 25,
                              i % 10 == 0);
        m += (size_t)snprintf(svm + m, sizeof svm - m, "%d qid:%d 1:%d 3:%d.5\n", i % 10 == 0, i % 7, i + 1,
                              i);
        rows[i] = (uint32_t)(i * 7 % 300);
    }
    put(csv_path, csv);
    put(svm_path, svm);
    put(out_path, "");
    ro.time = "when";
    ro.group = "who";
    paths[0] = csv_path;
    if (scarce_table_read(&dense, paths, 1, &ro, ctx, NULL)) abort();
    ro = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    ro.format = SCARCE_FORMAT_LIBSVM;
    paths[0] = svm_path;
    if (scarce_table_read(&sparse, paths, 1, &ro, ctx, NULL)) abort();
    static const char text[] = "odd,label\n1.0,0\n2.0,1\nx,0\n+3,0\n";
    if (scarce_table_read_bytes(&odd, text, sizeof text - 1, NULL, NULL, ctx, NULL)) abort();
}

static void finish(void)
{
    scarce_table_free(dense);
    scarce_table_free(sparse);
    scarce_table_free(odd);
    scarce_context_free(ctx);
    CHECK(unlink(csv_path) == 0 && unlink(svm_path) == 0 && unlink(out_path) == 0);
}

/* ---- scenarios: run once, free everything */

static scarce_status from_floats(scarce_error *err)
{
    const float values[6] = {0};
    const uint8_t label[3] = {0, 1, 0};
    scarce_table *t = NULL;
    const scarce_status st = scarce_table_from_floats(&t, values, 3, 2, NULL, label, err);
    CHECK(!st == (t != NULL));
    scarce_table_free(t);
    return st;
}

static scarce_status set_weight(scarce_error *err)
{
    double weight[300];
    for (size_t i = 0; i < 300; ++i) weight[i] = 1;
    return scarce_table_set_weight(dense, weight, err);
}

static int releases;

static void count_release(void *payload)
{
    ++*(int *)payload;
}

/* Something of every kind and role. Whatever fails, the caller's columns are released once. */
static scarce_status columns(const scarce_schema *schema, int borrow, scarce_error *err)
{
    static float x[300], sparse_value[3] = {1, 0, 2};
    static double wide[300];
    static int32_t code[300], ordered[300];
    static uint8_t label[300];
    static const uint32_t sparse_row[3] = {0, 5, 299};
    static const char *const names[] = {"b", "a"}, *texts[300];
    scarce_column c[9];
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_table *t = dense;

    for (int i = 0; i < 300; ++i) {
        x[i] = (float)i;
        wide[i] = i + 1;
        code[i] = i % 2 ? 0 : 1;
        ordered[i] = i % 2;
        texts[i] = i % 3 ? "p" : "q";
        label[i] = i % 10 == 0;
    }
    for (size_t i = 0; i < 9; ++i) c[i] = (scarce_column)SCARCE_COLUMN_INIT;
    c[0].name = "x", c[0].items = x;
    c[1].name = "color", c[1].items = texts, c[1].type = SCARCE_TYPE_TEXT;
    c[2].name = "when", c[2].items = wide, c[2].type = SCARCE_TYPE_F64, c[2].role = SCARCE_ROLE_TIME;
    c[3].name = "who", c[3].items = code, c[3].type = SCARCE_TYPE_I32, c[3].role = SCARCE_ROLE_GROUP;
    c[4].name = "label", c[4].items = label, c[4].type = SCARCE_TYPE_U8, c[4].role = SCARCE_ROLE_LABEL;
    c[5].name = "code", c[5].items = code, c[5].type = SCARCE_TYPE_I32, c[5].kind = SCARCE_COLUMN_CATEGORY;
    c[5].categories = names, c[5].n_categories = 2;
    c[6] = c[5], c[6].name = "ordered", c[6].items = ordered;
    c[7].name = "spare", c[7].items = sparse_value, c[7].kind = SCARCE_COLUMN_SPARSE;
    c[7].sparse_row = sparse_row, c[7].sparse_count = 3;
    c[8].name = "odd", c[8].items = wide, c[8].type = SCARCE_TYPE_F64, c[8].kind = SCARCE_COLUMN_CATEGORY;
    o.schema = schema;
    releases = 0;
    if (borrow) o.release = count_release, o.payload = &releases;
    const scarce_status st = scarce_table_from_columns(&t, c, 9, 300, &o, ctx, err);
    CHECK(!st == (t != NULL));
    scarce_table_free(t);
    CHECK(releases == borrow);
    return st;
}

static scarce_status columns_copied(scarce_error *err)
{
    return columns(NULL, 0, err);
}

static scarce_status columns_borrowed(scarce_error *err)
{
    return columns(NULL, 1, err);
}

static scarce_status columns_schema(scarce_error *err)
{
    return columns(scarce_table_schema(dense), 1, err);
}

/* The model's categories are numbers written in another way, so that these are looked for. */
static scarce_status columns_odd_schema(scarce_error *err)
{
    return columns(scarce_table_schema(odd), 1, err);
}

static scarce_status view(scarce_error *err)
{
    static const uint8_t label[100];
    scarce_view_options o = SCARCE_VIEW_OPTIONS_INIT;
    scarce_table *t[2] = {dense, dense};
    scarce_status st;
    o.first = 10;
    o.rows = 100;
    st = scarce_table_view(&t[0], sparse, &o, err);
    o.label = label;
    t[1] = NULL;
    if (!st) st = scarce_table_view(&t[1], dense, &o, err);
    CHECK(!st == (t[1] != NULL));
    for (int i = 0; i < 2; ++i) scarce_table_free(t[i]);
    return st;
}

static scarce_status read_bytes(scarce_error *err)
{
    static const char text[] = "a,b,label\n1,x,0\n2,y,1\n3,x,0\n";
    scarce_table *t = dense;
    const scarce_status st = scarce_table_read_bytes(&t, text, sizeof text - 1, NULL, NULL, ctx, err);
    CHECK(!st == (t != NULL));
    scarce_table_free(t);
    return st;
}

static scarce_status read_one(const char *path, const scarce_read_options *ro, scarce_error *err)
{
    scarce_table *t = NULL;
    const scarce_status st = scarce_table_read(&t, &path, 1, ro, ctx, err);
    CHECK(!st == (t != NULL));
    scarce_table_free(t);
    return st;
}

static scarce_status read_csv(scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    ro.time = "when";
    ro.group = "who";
    return read_one(csv_path, &ro, err);
}

static scarce_status read_csv_schema(scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    ro.schema = scarce_table_schema(dense);
    return read_one(csv_path, &ro, err);
}

static scarce_status read_libsvm(scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    ro.format = SCARCE_FORMAT_LIBSVM;
    return read_one(svm_path, &ro, err);
}

static scarce_status read_libsvm_schema(scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    ro.format = SCARCE_FORMAT_LIBSVM;
    ro.schema = scarce_table_schema(sparse);
    return read_one(svm_path, &ro, err);
}

static scarce_status rows_of(const scarce_table *from, scarce_error *err)
{
    scarce_table *t = NULL;
    const scarce_status st = scarce_table_rows_of(&t, from, rows, 300, ctx, err);
    CHECK(!st == (t != NULL));
    scarce_table_free(t);
    return st;
}

static scarce_status rows_of_dense(scarce_error *err)
{
    return rows_of(dense, err);
}

static scarce_status rows_of_sparse(scarce_error *err)
{
    return rows_of(sparse, err);
}

static scarce_status check_split(scarce_status st, scarce_split *s)
{
    CHECK(!st == (s->train != NULL) && !st == (s->test != NULL));
    scarce_split_deinit(s);
    return st;
}

static scarce_status split_groups(scarce_error *err)
{
    scarce_split s;
    return check_split(scarce_split_holdout(&s, dense, 0.3, 0, ctx, err), &s);
}

static scarce_status split_group_folds(scarce_error *err)
{
    scarce_split s;
    return check_split(scarce_split_fold(&s, dense, 5, 1, 0, ctx, err), &s);
}

static scarce_status split_rows(scarce_error *err)
{
    scarce_split s;
    int32_t *group = sparse->group;
    sparse->group = NULL;
    const scarce_status st = check_split(scarce_split_fold(&s, sparse, 5, 1, 0, ctx, err), &s);
    sparse->group = group;
    return st;
}

static scarce_status split_times(scarce_error *err)
{
    scarce_split s;
    scarce_temporal p = SCARCE_TEMPORAL_INIT;
    p.train = 105; /* later than every group's first positive would leave nothing to test */
    p.test = 150;
    p.purge_known = 1;
    return check_split(scarce_split_temporal(&s, dense, &p, err), &s);
}

static scarce_status resample(const char *spec, scarce_error *err)
{
    scarce_table *t = NULL;
    uint8_t *flags = NULL;
    const scarce_status st = scarce_resample(&t, &flags, NULL, dense, spec, ctx, err);
    CHECK(!st == (t != NULL) && !st == (flags != NULL));
    scarce_table_free(t);
    scarce_resample_flags_free(flags);
    return st;
}

static scarce_status resample_in_place(scarce_error *err)
{
    uint32_t first[20];
    scarce_table *t = NULL;
    scarce_status st;
    for (uint32_t i = 0; i < 20; ++i) first[i] = i;
    st = scarce_table_rows_of(&t, dense, first, 20, ctx, err);
    if (st == SCARCE_OK) st = scarce_resample_take(&t, NULL, NULL, "random-over:ratio=2", ctx, err);
    if (st == SCARCE_ENOMEM) CHECK(!t);
    scarce_table_free(t);
    return st;
}

static scarce_status resample_under(scarce_error *err)
{
    return resample("random-under:ratio=0.5", err);
}

static scarce_status resample_under_again(scarce_error *err)
{
    return resample("random-under:replacement=true", err);
}

static scarce_status resample_over(scarce_error *err)
{
    return resample("random-over", err);
}

static scarce_status write_table(scarce_error *err)
{
    return scarce_table_write(dense, out_path, NULL, ctx, err);
}

/* ---- the walk */

static void walk(const char *name, scarce_status (*scenario)(scarce_error *err))
{
    scarce_error err = SCARCE_ERROR_INIT;
    size_t count, last = 0;

    scarce__alloc_fail_from(0);
    CHECK(scenario(&err) == SCARCE_OK);
    scarce__alloc_fail_from(0);
    (void)scenario(&err);
    count = scarce__alloc_count();
    CHECK(count > 0);
    for (size_t n = 1; n <= count; ++n) {
        err.code = SCARCE_OK;
        err.text[0] = '\0';
        scarce__alloc_fail_from(n);
        const scarce_status st = scenario(&err);
        scarce__alloc_fail_from(0);
        if (st == SCARCE_OK) continue; /* some allocations are not needed (syncing a directory) */
        last = n;
        if (st == SCARCE_ENOMEM && err.code == SCARCE_ENOMEM && strstr(err.text, "out of memory")) continue;
        fprintf(stderr, "%s, allocation %zu of %zu: status %d, \"%s\"\n", name, n, count, (int)st, err.text);
        ++test_failures;
    }
    CHECK(last + 3 >= count);
    CHECK(scenario(&err) == SCARCE_OK); /* and nothing was spoilt */
}

static void test_all(void)
{
    static const struct {
        const char *name;
        scarce_status (*run)(scarce_error *err);
    } scenarios[] = {
        {"from_floats", from_floats},
        {"set_weight", set_weight},
        {"columns_copied", columns_copied},
        {"columns_borrowed", columns_borrowed},
        {"columns_schema", columns_schema},
        {"columns_odd_schema", columns_odd_schema},
        {"view", view},
        {"read_bytes", read_bytes},
        {"read_csv", read_csv},
        {"read_csv_schema", read_csv_schema},
        {"read_libsvm", read_libsvm},
        {"read_libsvm_schema", read_libsvm_schema},
        {"rows_of_dense", rows_of_dense},
        {"rows_of_sparse", rows_of_sparse},
        {"split_groups", split_groups},
        {"split_group_folds", split_group_folds},
        {"split_rows", split_rows},
        {"split_times", split_times},
        {"resample_under", resample_under},
        {"resample_under_again", resample_under_again},
        {"resample_over", resample_over},
        {"resample_in_place", resample_in_place},
        {"write", write_table},
    };
    prepare();
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
        const int before = test_failures;
        walk(scenarios[i].name, scenarios[i].run);
        if (test_failures != before) fprintf(stderr, "in scenario %s\n", scenarios[i].name);
    }
    finish();
}

#else

static void test_all(void)
{
    /* only a build with SCARCE_FAULTS can make allocations fail */
}

#endif

static const test_case tests[] = {{"all", test_all}};
TEST_MAIN(tests)
