/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons: results depend neither on threads nor on memory, an interrupted one goes on from its file,
 * scores of other tools are judged like models, folds that lack a class are told, and the number of positives
 * needed is the one at which a difference is found four times out of five. */
#include "study/compare.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "unit/studies.h"

static const char *const contestants[] = {"logistic", "gb:n_trees=10", "gb:n_trees=5:max_depth=2"};
enum { N = 3, FOLDS = 4 };

static scarce_context *context_of(int threads, scarce_progress_fn progress, void *payload)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    co.threads = threads;
    co.progress = progress;
    co.payload = payload;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    return ctx;
}

static scarce_compare *compare(const scarce_table *t, int threads, const char *results, size_t tune,
                               double memory)
{
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_context *ctx = context_of(threads, NULL, NULL);
    scarce_compare *c = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    o.repeats = FOLDS;
    o.results = results;
    o.tune = tune;
    o.memory = memory;
    if (scarce_compare_run(&c, t, contestants, N, &o, ctx, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    CHECK(c != NULL);
    scarce_context_free(ctx);
    return c;
}

static int same_number(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static void check_same(const scarce_compare *a, const scarce_compare *b)
{
    for (size_t m = 0; m < N; ++m)
        for (size_t f = 0; f < FOLDS; ++f)
            for (size_t k = 0; k < scarce_metric_count(); ++k)
                CHECK(same_number(scarce_metric_value(scarce_compare_metrics(a, m, f), k),
                                  scarce_metric_value(scarce_compare_metrics(b, m, f), k)));
}

static void test_any_threads(void)
{
    scarce_table *t = study_table(0, 0);
    scarce_compare *one = compare(t, 1, NULL, 0, 0), *three = compare(t, 3, NULL, 0, 0),
                   *tight = compare(t, 3, NULL, 0, 1); /* memory for one fit at a time: three threads in it */
    scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
    check_same(one, three);
    check_same(one, tight);
    CHECK(scarce_compare_summarize(&s, one, 0, scarce_metric_find("ap"), NULL, NULL) == SCARCE_OK);
    CHECK(s.n == FOLDS && s.undefined == 0 && s.lo <= s.mean && s.mean <= s.hi && s.mean > 0.3);
    scarce_compare_free(one);
    scarce_compare_free(three);
    scarce_compare_free(tight);
    one = compare(t, 1, NULL, 4, 0);
    three = compare(t, 4, NULL, 4, 0);
    check_same(one, three);
    scarce_compare_free(one);
    scarce_compare_free(three);
    scarce_table_free(t);
}

/* ---- going on */

static void make_path(char *path)
{
    strcpy(path, "/tmp/scarce_results_XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
}

static size_t lines_in(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t n = 0;
    int c;
    while (file && (c = fgetc(file)) != EOF) n += c == '\n';
    if (file) fclose(file);
    return n;
}

/* The first finished fit, then half a line: what an interruption may leave. */
static void cut_after(const char *path, long lines)
{
    char text[1 << 16];
    FILE *file = fopen(path, "rb");
    const size_t n = fread(text, 1, sizeof text - 1, file);
    char *end = text;
    fclose(file);
    text[n] = '\0';
    for (; lines > 0; --lines) end = strchr(end, '\n') + 1;
    file = fopen(path, "wb");
    CHECK(fwrite(text, 1, (size_t)(end + 25 - text), file) > 25);
    fclose(file);
}

static void test_goes_on(void)
{
    scarce_table *t = study_table(0, 0);
    char path[40];
    scarce_compare *first, *again;
    make_path(path);
    first = compare(t, 2, path, 0, 0);
    CHECK(lines_in(path) == 1 + N * FOLDS);
    again = compare(t, 2, path, 0, 0);
    check_same(first, again);
    for (size_t m = 0; m < N; ++m) /* taken from the file: the very same times */
        for (size_t f = 0; f < FOLDS; ++f)
            CHECK(scarce_compare_seconds(first, m, f) == scarce_compare_seconds(again, m, f));
    scarce_compare_free(again);
    cut_after(path, 4);
    again = compare(t, 2, path, 0, 0);
    check_same(first, again);
    CHECK(lines_in(path) == 1 + N * FOLDS); /* the half line is gone */
    scarce_compare_free(again);
    t->columns[0].number[7] += 1; /* other data: nothing in the file is about them */
    again = compare(t, 2, path, 0, 0);
    CHECK(lines_in(path) == 1 + 2 * N * FOLDS);
    scarce_compare_free(again);
    scarce_compare_free(first);
    CHECK(remove(path) == 0);
    scarce_table_free(t);
}

/* The last line cut anywhere (a full disk), or with a digit changed: the fit is made again, in this run and in
 * the next, and no file is left with anything but whole lines. */
static void test_damaged_lines(void)
{
    scarce_table *t = study_table(0, 0);
    scarce_compare *first, *again;
    char path[40];
    struct stat info;
    make_path(path);
    first = compare(t, 2, path, 0, 0);
    for (off_t cut = 1; cut < 40; cut += cut < 12 ? 1 : 9) {
        CHECK(stat(path, &info) == 0 && truncate(path, info.st_size - cut) == 0);
        for (int run = 0; run < 2; ++run) {
            again = compare(t, 2, path, 0, 0);
            check_same(first, again);
            CHECK(lines_in(path) == 1 + N * FOLDS);
            scarce_compare_free(again);
        }
    }
    FILE *file = fopen(path, "r+b");
    CHECK(file && fseek(file, -20, SEEK_END) == 0);
    const int was = file ? fgetc(file) : EOF,
              other = was == '7' ? '8' : '7'; /* another one, whatever it was */
    CHECK(file && fseek(file, -20, SEEK_END) == 0 && fputc(other, file) == other && fclose(file) == 0);
    again = compare(t, 2, path, 0, 0);
    check_same(first, again);
    CHECK(lines_in(path) == 1 + N * FOLDS + 1);
    scarce_compare_free(again);
    scarce_compare_free(first);
    CHECK(remove(path) == 0);
    scarce_table_free(t);
}

/* A disk that is full in the middle of a line: the line is taken back. */
static void test_short_write(void)
{
    scarce_table *t = study_table(0, 0);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_context *ctx = context_of(1, NULL, NULL);
    scarce_compare *c = NULL, *again;
    scarce_error err = SCARCE_ERROR_INIT;
    struct rlimit before, small;
    struct stat info;
    char path[40];
    make_path(path);
    again = compare(t, 1, path, 0, 0);
    scarce_compare_free(again);
    CHECK(stat(path, &info) == 0);
    for (rlim_t more = 0; more < 200; more += 61) { /* somewhere in the middle: times have any length */
        CHECK(truncate(path, 0) == 0);
        (void)signal(SIGXFSZ, SIG_IGN);
        CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
        small = before;
        small.rlim_cur = (rlim_t)info.st_size / 2 + more;
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        o.repeats = FOLDS;
        o.results = path;
        CHECK(scarce_compare_run(&c, t, contestants, N, &o, ctx, &err) == SCARCE_EIO && c == NULL);
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
        CHECK(strstr(err.text, path) != NULL);
        CHECK(lines_in(path) < 1 + N * FOLDS && lines_in(path) > 1);
        FILE *file = fopen(path, "rb");
        CHECK(file && fseek(file, -1, SEEK_END) == 0 && fgetc(file) == '\n' && fclose(file) == 0);
    }
    scarce_context_free(ctx);
    CHECK(remove(path) == 0);
    scarce_table_free(t);
}

/* What isn't a file of results is refused before the first fit, and not touched. */
static void test_other_files(void)
{
    static const char mine[] = "a,b\n1,2\n";
    scarce_table *t = study_table(0, 0);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare *c = NULL;
    char path[40], text[64] = "";
    o.results = "/dev/full"; /* zeros without end */
    CHECK(scarce_compare_run(&c, t, contestants, N, &o, NULL, &err) == SCARCE_EINVAL && c == NULL);
    CHECK(strstr(err.text, "regular file") != NULL);
    o.results = "/nowhere/results.csv";
    CHECK(scarce_compare_run(&c, t, contestants, N, &o, NULL, &err) == SCARCE_EIO && c == NULL);
    make_path(path);
    o.results = path;
    FILE *file = fopen(path, "wb");
    CHECK(file && fputs(mine, file) >= 0 && fclose(file) == 0);
    CHECK(scarce_compare_run(&c, t, contestants, N, &o, NULL, &err) == SCARCE_EDATA && c == NULL);
    CHECK(strstr(err.text, "holds no results") != NULL);
    file = fopen(path, "rb");
    CHECK(file && fread(text, 1, sizeof text - 1, file) == sizeof mine - 1 && fclose(file) == 0);
    CHECK_TEXT(text, mine);
    CHECK(remove(path) == 0);
    scarce_table_free(t);
}

static int stop_at(void *payload, const scarce_progress *p)
{
    return strcmp(p->stage, "compare") == 0 && p->done >= *(const double *)payload;
}

static void test_stops(void)
{
    scarce_table *t = study_table(0, 0);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    double limit = 2;
    scarce_context *ctx = context_of(1, stop_at, &limit);
    scarce_compare *c = NULL;
    char path[40];
    make_path(path);
    o.repeats = FOLDS;
    o.results = path;
    CHECK(scarce_compare_run(&c, t, contestants, N, &o, ctx, NULL) == SCARCE_ECANCEL && c == NULL);
    CHECK(lines_in(path) == 1 + 2);
    limit = 4; /* one fold is whole, one method has more: that isn't counted */
    CHECK(scarce_compare_run(&c, t, contestants, N, &o, ctx, NULL) == SCARCE_OK && c);
    CHECK(lines_in(path) == 1 + 4 && scarce_compare_unfinished(c) == N * FOLDS - 4);
    for (size_t m = 0; m < N; ++m) {
        scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
        CHECK(scarce_compare_summarize(&s, c, m, scarce_metric_find("ap"), ctx, NULL) == SCARCE_OK);
        CHECK(s.n == 1 && s.undefined == FOLDS - 1);
    }
    CHECK(scarce_compare_problem(c, 0) == NULL);
    CHECK_TEXT(scarce_compare_problem(c, 1), "not finished");
    scarce_compare_free(c);
    limit = 1e9;
    CHECK(scarce_compare_run(&c, t, contestants, N, &o, ctx, NULL) == SCARCE_OK);
    CHECK(scarce_compare_unfinished(c) == 0);
    CHECK(lines_in(path) == 1 + N * FOLDS);
    scarce_compare_free(c);
    scarce_context_free(ctx);
    CHECK(remove(path) == 0);
    scarce_table_free(t);
}

/* ---- scores of other tools */

static void test_rankings(void)
{
    scarce_table *t = study_table(0, 0);
    static double score[STUDY_ROWS], several[STUDY_ROWS * FOLDS];
    scarce_compare_ranking rankings[] = {{"elsewhere", score, NULL, 1}, {"by fold", several, NULL, FOLDS}};
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare *c = NULL;
    scarce__fold fold;
    for (int i = 0; i < STUDY_ROWS; ++i) {
        score[i] = (double)t->columns[0].number[i];
        for (int f = 0; f < FOLDS; ++f) several[f * STUDY_ROWS + i] = f == 2 ? -score[i] : score[i];
    }
    o.repeats = FOLDS;
    o.rankings = rankings;
    o.n_rankings = 2;
    CHECK(scarce_compare_run(&c, t, contestants, 1, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_compare_methods(c) == 3 && strcmp(scarce_compare_name(c, 1), "elsewhere") == 0);
    CHECK(isnan(scarce_compare_seconds(c, 1, 0)) && !isnan(scarce_compare_seconds(c, 0, 0)));
    for (size_t f = 0; f < FOLDS; ++f) { /* by hand on the same rows */
        double s[STUDY_ROWS], ap = 0;
        uint8_t y[STUDY_ROWS];
        CHECK(scarce__fold_rows(&fold, &c->folds, t, f, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < fold.n_test; ++i) {
            s[i] = score[fold.test[i]];
            y[i] = t->label[fold.test[i]];
        }
        CHECK(scarce_average_precision(&ap, s, y, NULL, fold.n_test, NULL, NULL) == SCARCE_OK);
        CHECK_NEAR(scarce_compare_metrics(c, 1, f)->ap, ap, 1e-12);
        if (f == 2) CHECK(scarce_compare_metrics(c, 2, f)->ap < 0.5 * ap);
        else CHECK_NEAR(scarce_compare_metrics(c, 2, f)->ap, ap, 1e-12);
        scarce__fold_deinit(&fold);
    }
    CHECK(scarce__fold_rows(&fold, &c->folds, t, 1, NULL, NULL) == SCARCE_OK);
    scarce_compare_free(c);
    score[fold.test[5]] = (double)NAN;
    CHECK(scarce_compare_run(&c, t, contestants, 1, &o, NULL, &err) == SCARCE_EDATA && c == NULL);
    CHECK(strstr(err.text, "elsewhere") && strstr(err.text, "no score for row"));
    score[fold.test[5]] = 0;
    scarce__fold_deinit(&fold);
    rankings[1].n_folds = FOLDS - 1;
    CHECK(scarce_compare_run(&c, t, contestants, 1, &o, NULL, &err) == SCARCE_EDATA);
    CHECK(strstr(err.text, "for 3 folds, the protocol makes 4"));
    rankings[1].n_folds = 1;
    rankings[1].name = "elsewhere";
    CHECK(scarce_compare_run(&c, t, contestants, 1, &o, NULL, &err) == SCARCE_EINVAL);
    o.n_rankings = 1;
    CHECK(scarce_compare_run(&c, t, NULL, 0, &o, NULL, NULL) == SCARCE_OK); /* a ranking alone is fine */
    scarce_compare_free(c);
    scarce_table_free(t);
}

/* ---- folds that lack a class */

static void test_empty_folds(void)
{
    scarce_table *t = study_table(1, 0);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_compare *c = NULL;
    scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
    scarce_compare_pair p = SCARCE_COMPARE_PAIR_INIT;
    const size_t ap = scarce_metric_find("ap");
    for (int i = 0; i < STUDY_ROWS; ++i) /* days 0-9 and 50-59 without fraud */
        if (i < 200 || i >= 1000) t->label[i] = 0;
    t->n_positives = 0;
    for (int i = 0; i < STUDY_ROWS; ++i) t->n_positives += t->label[i];
    o.protocol = "temporal:train=10d,gap=0d,test=10d";
    CHECK(scarce_compare_run(&c, t, contestants, 2, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_compare_folds(c) == 5);
    CHECK_TEXT(scarce_compare_problem(c, 0), "no positive to train on");
    CHECK(scarce_compare_problem(c, 1) == NULL);
    CHECK_TEXT(scarce_compare_problem(c, 4), "no positive to find in the test part");
    CHECK(isnan(scarce_compare_metrics(c, 0, 0)->ap) && isnan(scarce_compare_metrics(c, 0, 4)->ap));
    CHECK(scarce_compare_metrics(c, 0, 0)->rows == 200);
    CHECK(scarce_compare_summarize(&s, c, 0, ap, NULL, NULL) == SCARCE_OK && s.n == 3 && s.undefined == 2);
    CHECK(scarce_compare_test(&p, c, 0, 1, ap, NULL, NULL) == SCARCE_OK && p.n == 3 && p.wilcoxon.n == 3);
    scarce_compare_free(c);
    scarce_table_free(t);
}

/* ---- pairs */

static void test_pair(void)
{
    scarce_table *t = study_table(0, 0);
    scarce_compare *c = compare(t, 1, NULL, 0, 0);
    const size_t ap = scarce_metric_find("ap");
    double mean = 0, squares = 0, d[FOLDS], test = 0, train = 0;
    scarce_compare_pair p = SCARCE_COMPARE_PAIR_INIT, reverse = SCARCE_COMPARE_PAIR_INIT;
    for (size_t f = 0; f < FOLDS; ++f) {
        d[f] = scarce_compare_metrics(c, 0, f)->ap - scarce_compare_metrics(c, 1, f)->ap;
        mean += d[f] / FOLDS;
        test += (double)c->size[f].test_rows;
        train += (double)c->size[f].train_rows;
    }
    for (size_t f = 0; f < FOLDS; ++f) squares += (d[f] - mean) * (d[f] - mean);
    CHECK(scarce_compare_test(&p, c, 0, 1, ap, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_compare_test(&reverse, c, 1, 0, ap, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(p.difference, mean, 1e-12);
    CHECK_NEAR(p.sd, sqrt(squares / (FOLDS - 1)), 1e-12);
    CHECK(p.lo <= p.difference && p.difference <= p.hi);
    CHECK_NEAR(reverse.difference, -mean, 1e-12);
    CHECK_NEAR(reverse.p_corrected, p.p_corrected, 1e-12);
    CHECK_NEAR(reverse.positives_needed, p.positives_needed, 1e-9 * p.positives_needed);
    /* Student's t with 3 degrees of freedom: P(|T| > t) = 1 - 2/pi (atan(x) + x / (1 + x^2)),
     * x = t / sqrt 3 */
    const double x = fabs(mean) / (p.sd * sqrt(1.0 / FOLDS + test / train)) / sqrt(3);
    CHECK_NEAR(p.p_corrected, 1 - 2 / 3.14159265358979324 * (atan(x) + x / (1 + x * x)), 1e-12);
    CHECK(p.positives <= t->n_positives && p.positives > t->n_positives / 3);
    CHECK(scarce_compare_test(&p, c, 0, 0, ap, NULL, NULL) == SCARCE_OK);
    CHECK(p.difference == 0 && p.p_corrected == 1 && isnan(p.positives_needed) && p.wilcoxon.p == 1);
    scarce_compare_free(c);
    scarce_table_free(t);
}

/* AP of two rankings of `positives` and ten times as many negatives, the second one noisier. */
static double one_difference(scarce__random *r, size_t positives)
{
    static double a[20000], b[20000];
    static uint8_t y[20000];
    const size_t n = 11 * positives;
    double x = 0, z = 0;
    CHECK(n <= 20000);
    for (size_t i = 0; i < n; ++i) {
        y[i] = i < positives;
        const double signal = scarce__random_normal(r) + (y[i] ? 1.8 : 0);
        a[i] = signal + 0.5 * scarce__random_normal(r);
        b[i] = signal + 0.65 * scarce__random_normal(r);
    }
    CHECK(scarce_average_precision(&x, a, y, NULL, n, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_average_precision(&z, b, y, NULL, n, NULL, NULL) == SCARCE_OK);
    return x - z;
}

/* The formula against what really happens: from many small studies it says how many positives are needed;
 * studies with that many must find the difference about four times out of five. */
static void test_positives_needed(void)
{
    enum { SMALL = 5000, STUDIES = 300, PARTS = 24 };
    static double d[SMALL], positives[SMALL];
    scarce__random r = scarce__random_start(11, SCARCE__FOR_TEST, 3);
    int found = 0;
    for (size_t i = 0; i < SMALL; ++i) {
        positives[i] = (double)(20 + 20 * (i % 3));
        d[i] = one_difference(&r, (size_t)positives[i]);
    }
    const double needed = scarce__positives_needed(d, positives, SMALL);
    const size_t each = (size_t)(needed / PARTS + 0.5);
    CHECK(needed > 100 && needed < 10000);
    for (size_t s = 0; s < STUDIES; ++s) { /* t test over the parts of a study, 23 degrees of freedom */
        double part[PARTS], mean = 0, squares = 0;
        for (size_t i = 0; i < PARTS; ++i) mean += (part[i] = one_difference(&r, each)) / PARTS;
        for (size_t i = 0; i < PARTS; ++i) squares += (part[i] - mean) * (part[i] - mean);
        found += fabs(mean) / sqrt(squares / (PARTS - 1) / PARTS) > 2.069;
    }
    if (!(found > 0.65 * STUDIES && found < 0.9 * STUDIES))
        fprintf(stderr, "%g positives: %d of %d\n", needed, found, STUDIES);
    CHECK(found > 0.65 * STUDIES && found < 0.9 * STUDIES);
    /* by hand: D = 2, sum of P (d - D)^2 = 10 + 10, v = 20 / 2 */
    const double by_hand[] = {1, 3, 2}, ten[] = {10, 10, 10};
    CHECK_NEAR(scarce__positives_needed(by_hand, ten, 3), 7.848879734 * 10 / 4, 1e-6);
    CHECK(isnan(scarce__positives_needed(by_hand, ten, 2)));
}

/* Twice the rows take about twice the memory, and there is some. */
static void test_memory(void)
{
    scarce_table *t = study_table(0, 0);
    const scarce__fold_size small = {100000, 100, 0, 50000, 50}, large = {200000, 100, 0, 100000, 50};
    const double a = scarce__memory_of_fit("gb", t, &small, 0), b = scarce__memory_of_fit("gb", t, &large, 0);
    CHECK(b > 1.3 * a && b < 2 * a && scarce__memory_of_fit("gb", t, &small, 1) > a);
    CHECK(scarce__memory_available() > 1e6);
    scarce_table_free(t);
}

static const test_case tests[] = {
    {"any_threads", test_any_threads},
    {"goes_on", test_goes_on},
    {"damaged_lines", test_damaged_lines},
    {"short_write", test_short_write},
    {"other_files", test_other_files},
    {"stops", test_stops},
    {"rankings", test_rankings},
    {"empty_folds", test_empty_folds},
    {"pair", test_pair},
    {"positives_needed", test_positives_needed},
    {"memory", test_memory},
};
TEST_MAIN(tests)
