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
static scarce_table *dense, *sparse;
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
}

static void finish(void)
{
    scarce_table_free(dense);
    scarce_table_free(sparse);
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
