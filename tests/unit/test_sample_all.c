/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of every resampler in the table: it works or says in one line why not; originals stay as they are, in
 * their order, with their roles; made-up rows are positive and have the roles of their base row; any number of
 * threads, and in place, gives the same; a method can be trained on the result. And what the families promise. */
#include <scarce/model.h>
#include <scarce/resample.h>

#include <stdlib.h>

#include "data/table.h"
#include "resample_tables.h"
#include "test.h"

static scarce_context *context(int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    o.seed = 11;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static double cell(const scarce_table *t, size_t f, size_t i)
{
    const scarce__column *c = &t->columns[f];
    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC: return (double)c->number[i];
    case SCARCE_COLUMN_CATEGORY: return (double)c->code[i];
    default: {
        const size_t at = scarce__first_row(c->sparse.row, c->sparse.count, i);
        return at < c->sparse.count && c->sparse.row[at] == i ? (double)c->sparse.value[at] : 0;
    }
    }
}

static size_t row_of(const scarce_table *r, size_t i)
{
    return (size_t)r->weight[i] - 1;
}

static int cleans_both(const char *name)
{
    return strcmp(name, "smote-enn") == 0 || strcmp(name, "smote-tomek") == 0;
}

static void check_rows(const char *name, const scarce_table *t, const scarce_table *r,
                       const uint8_t *synthetic)
{
    size_t wrong = 0, positives = 0;
    for (size_t i = 0; i < r->n_rows; ++i) {
        const size_t row = row_of(r, i);
        wrong += i && synthetic[i] < synthetic[i - 1];
        wrong += i && !synthetic[i] && row <= row_of(r, i - 1);
        wrong += r->label[i] != t->label[row] || r->time[i] != t->time[row] || r->group[i] != t->group[row];
        wrong += synthetic[i] && !r->label[i];
        positives += r->label[i];
        for (size_t f = 0; f < t->schema.n_features; ++f) {
            const double a = cell(t, f, row), b = cell(r, f, i);
            wrong += !synthetic[i] && a != b && !(isnan(a) && isnan(b));
            if (t->schema.features[f].kind == SCARCE_COLUMN_CATEGORY)
                wrong += b < -1 || b >= (double)t->schema.features[f].categories.count;
        }
    }
    if (!cleans_both(name)) CHECK(positives >= t->n_positives); /* only negatives are removed */
    CHECK(wrong == 0 && positives == r->n_positives);
}

static void check_trains(const char *name, const scarce_table *t, scarce_context *ctx)
{
    static const char *const learners[] = {"logistic", "gb:n_trees=5:sample=all"};
    for (size_t l = 0; l < 2; ++l) {
        scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_params *p = NULL;
        scarce_model *m = NULL;
        char spec[128];
        snprintf(spec, sizeof spec, "%s+%s", name, learners[l]);
        CHECK(scarce_params_of_spec(&p, spec, &err) == SCARCE_OK);
        const scarce_status st = scarce_train(&m, t, p, &o, NULL, ctx, &err);
        CHECK((st == SCARCE_OK && m) || (st == SCARCE_EDATA && err.text[0] && !strchr(err.text, '\n')));
        if (st != SCARCE_OK && st != SCARCE_EDATA) fprintf(stderr, "%s: %s\n", spec, err.text);
        scarce_model_free(m);
        scarce_params_free(p);
    }
}

/* In place, on a table whose arrays are its own: they grow, shrink or move up. */
static void check_own(const scarce_table *t, const scarce_table *want, const char *name, scarce_context *ctx)
{
    scarce_table *own = NULL;
    uint32_t rows[512];
    for (uint32_t i = 0; i < t->n_rows; ++i) rows[i] = i;
    CHECK(t->n_rows <= 512 && scarce_table_rows_of(&own, t, rows, t->n_rows, ctx, NULL) == SCARCE_OK);
    CHECK(scarce_resample_take(&own, NULL, NULL, name, ctx, NULL) == SCARCE_OK);
    CHECK(own && scarce_table_fingerprint(own) == scarce_table_fingerprint(want));
    scarce_table_free(own);
}

static void check_method(const char *name, int kind)
{
    scarce_table *t = resample_table(kind, 160, 3 + (uint64_t)kind), *first = NULL;
    const uint64_t before = scarce_table_fingerprint(t);
    const int failures = test_failures;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status answer = SCARCE_OK;
    for (int threads = 1; threads <= 4; threads *= 2) {
        scarce_context *ctx = context(threads);
        scarce_view_options all = SCARCE_VIEW_OPTIONS_INIT;
        scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
        scarce_table *r = NULL, *view = NULL;
        uint8_t *synthetic = NULL;
        const scarce_status st = scarce_resample(&r, &synthetic, &info, t, name, ctx, &err);
        if (threads == 1) answer = st;
        CHECK(st == answer && scarce_table_fingerprint(t) == before);
        CHECK(st == SCARCE_OK ? r && info.odds_factor > 0 && isfinite(info.odds_factor)
                              : st == SCARCE_EDATA && !r && err.text[0] && !strchr(err.text, '\n'));
        CHECK(info.factor_holds == (strncmp(name, "random-", 7) == 0) || st != SCARCE_OK ||
              info.odds_factor == 1);
        if (r) check_rows(name, t, r, synthetic);
        CHECK(scarce_table_view(&view, t, &all, NULL) == SCARCE_OK);
        CHECK(scarce_resample_take(&view, NULL, NULL, name, ctx, NULL) == st);
        if (r) CHECK(view && scarce_table_fingerprint(view) == scarce_table_fingerprint(r));
        if (r && threads == 1) check_own(t, r, name, ctx);
        if (first && r) CHECK(scarce_table_fingerprint(first) == scarce_table_fingerprint(r));
        if (threads == 2) check_trains(name, t, ctx);
        scarce_table_free(view);
        scarce_resample_flags_free(synthetic);
        if (first) scarce_table_free(r);
        else first = r;
        scarce_context_free(ctx);
    }
    if (kind == PLAIN || kind == MIXED || kind == LISTED) CHECK(answer == SCARCE_OK);
    if (test_failures != failures) fprintf(stderr, "in %s, table %d: %s\n", name, kind, err.text);
    scarce_table_free(first);
    scarce_table_free(t);
}

static void test_every_method(void)
{
    CHECK(scarce_resample_count() == 20);
    for (size_t i = 0; i < scarce_resample_count(); ++i)
        for (int kind = 0; kind < N_TABLES; ++kind) check_method(scarce_resample_get(i).name, kind);
}

static scarce_table *resampled(const scarce_table *t, const char *spec)
{
    scarce_table *r = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_resample(&r, NULL, NULL, t, spec, NULL, &err) == SCARCE_OK);
    if (!r) fprintf(stderr, "%s: %s\n", spec, err.text);
    return r;
}

/* Ratios are met. */
static void test_ratios(void)
{
    static const char *const over[] = {"random-over",        "smote",  "smote-nc", "borderline-smote-1",
                                       "borderline-smote-2", "adasyn", "svm-smote"};
    static const char *const under[] = {"random-under", "nearmiss-1", "nearmiss-2"};
    scarce_table *t = resample_table(PLAIN, 300, 5);
    const size_t positives = scarce_table_positives(t), negatives = 300 - positives;
    char spec[64];
    for (size_t i = 0; i < sizeof over / sizeof *over; ++i) {
        snprintf(spec, sizeof spec, "%s:ratio=0.7", over[i]);
        scarce_table *r = resampled(t, spec);
        CHECK(r && scarce_table_positives(r) == (size_t)floor(0.7 * (double)negatives + 0.5));
        CHECK(r && scarce_table_rows(r) - scarce_table_positives(r) == negatives);
        scarce_table_free(r);
    }
    for (size_t i = 0; i < sizeof under / sizeof *under; ++i) {
        snprintf(spec, sizeof spec, "%s:ratio=0.5", under[i]);
        scarce_table *r = resampled(t, spec);
        CHECK(r && scarce_table_rows(r) == 3 * positives && scarce_table_positives(r) == positives);
        scarce_table_free(r);
    }
    scarce_table_free(t);
}

/* Is `row` of r on the line from its base row through another row of t, step in [lo, hi]? */
static int on_segment(const scarce_table *r, size_t i, const scarce_table *t, int positives_only, double lo,
                      double hi)
{
    const size_t base = row_of(r, i);
    for (size_t other = 0; other < t->n_rows; ++other) {
        double step = 0, widest = 0;
        size_t f = 0;
        if (other == base || (positives_only && !t->label[other])) continue;
        for (; f < t->schema.n_features; ++f) { /* the step as the widest feature tells it */
            const double a = cell(t, f, base), d = cell(t, f, other) - a;
            if (fabs(d) > widest) widest = fabs(d), step = (cell(r, f, i) - a) / d;
        }
        for (f = 0; f < t->schema.n_features; ++f) {
            const double a = cell(t, f, base), d = cell(t, f, other) - a;
            if (fabs(a + step * d - cell(r, f, i)) > 1e-5) break;
        }
        if (f == t->schema.n_features && step >= lo - 1e-3 && step <= hi + 1e-3) return 1;
    }
    return 0;
}

static void check_segments(const char *spec, int positives_only, double lo, double hi)
{
    scarce_table *t = resample_table(PLAIN, 200, 8), *r = resampled(t, spec);
    size_t outside = 0;
    for (size_t i = 200; r && i < r->n_rows; ++i) outside += !on_segment(r, i, t, positives_only, lo, hi);
    CHECK(r && r->n_rows > 250 && outside == 0);
    if (outside) fprintf(stderr, "%s: %zu\n", spec, outside);
    scarce_table_free(r);
    scarce_table_free(t);
}

static void test_segments(void)
{
    check_segments("smote", 1, 0, 1);
    check_segments("smote:k=1", 1, 0, 1);
    check_segments("smote-nc", 1, 0, 1);
    check_segments("adasyn", 1, 0, 1);
    check_segments("borderline-smote-1", 1, 0, 1);
    check_segments("borderline-smote-2", 0, 0, 1);
    check_segments("svm-smote", 1, -0.5, 1);
}

/* per_feature: within the box of base and neighbour, and not on the line between them. */
static void test_per_feature(void)
{
    scarce_table *t = resample_table(PLAIN, 200, 8), *r = resampled(t, "smote:per_feature=true");
    size_t outside = 0, on_line = 0;
    for (size_t i = 200; r && i < r->n_rows; ++i) {
        int found = 0;
        for (size_t other = 0; other < 200 && !found; ++other) {
            size_t f = 0;
            for (; f < 4; ++f) {
                const double a = cell(t, f, row_of(r, i)), b = cell(t, f, other), x = cell(r, f, i);
                if (x < fmin(a, b) || x > fmax(a, b)) break;
            }
            found = f == 4 && t->label[other];
        }
        outside += !found;
        on_line += (size_t)on_segment(r, i, t, 1, 0, 1);
    }
    CHECK(r && outside == 0 && on_line < (r->n_rows - 200) / 10);
    scarce_table_free(r);
    scarce_table_free(t);
}

/* Every positive is the base of equally many; with k = 1 always towards the nearest positive. */
static void test_smote_is_even(void)
{
    scarce_table *t = resample_table(PLAIN, 200, 9), *r = resampled(t, "smote:ratio=0.9:scale=none");
    size_t times[200] = {0}, least = SIZE_MAX, most = 0;
    for (size_t i = 200; r && i < r->n_rows; ++i) ++times[row_of(r, i)];
    for (size_t i = 0; i < 200; ++i) {
        CHECK(t->label[i] || times[i] == 0);
        if (!t->label[i]) continue;
        least = times[i] < least ? times[i] : least;
        most = times[i] > most ? times[i] : most;
    }
    CHECK(least > 0 && most <= least + 1);
    scarce_table_free(r);
    scarce_table_free(t);
}

/* Another seed makes other rows, the originals stay. */
static void test_seed(void)
{
    scarce_table *t = resample_table(PLAIN, 100, 4), *a = NULL, *b = NULL;
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.seed = 77;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    a = resampled(t, "smote");
    CHECK(scarce_resample(&b, NULL, NULL, t, "smote", ctx, NULL) == SCARCE_OK);
    CHECK(a->n_rows == b->n_rows && scarce_table_fingerprint(a) != scarce_table_fingerprint(b));
    CHECK(memcmp(a->columns[0].number, b->columns[0].number, 100 * sizeof(float)) == 0);
    scarce_table_free(a);
    scarce_table_free(b);
    scarce_table_free(t);
    scarce_context_free(ctx);
}

/* A vote: with every neighbour in one category new rows have it, whatever the base row has. */
static void test_votes(void)
{
    scarce_table *t = resample_table(MIXED, 120, 6), *r;
    const size_t c = 4;
    size_t base = SIZE_MAX, wrong = 0, made = 0;
    for (size_t i = 0; i < 120; ++i) {
        if (!t->label[i]) continue;
        if (base == SIZE_MAX) base = i;
        t->columns[c].code[i] = i == base ? 2 : 1;
    }
    r = resampled(t, "smote-nc:ratio=1");
    for (size_t i = 120; r && i < r->n_rows; ++i, ++made) wrong += r->columns[c].code[i] != 1;
    CHECK(made > 20 && wrong == 0);
    scarce_table_free(r);
    r = resampled(t, "smote:ratio=1"); /* here of the nearer end: both occur */
    for (size_t i = 120, twos = 0; r && i < r->n_rows; ++i) {
        twos += r->columns[c].code[i] == 2;
        if (i + 1 == r->n_rows) CHECK(twos > 0 && twos < made / 4);
    }
    scarce_table_free(r);
    scarce_table_free(t);
}

/* renn ends where it changes nothing more; enn of it removes nothing either. */
static void test_fixed_point(void)
{
    for (int kind = PLAIN; kind <= LISTED; ++kind) {
        scarce_table *t = resample_table(kind, 400, 12), *r = resampled(t, "renn");
        scarce_table *again = resampled(r, "renn:scale=none"), *plain = resampled(t, "renn:scale=none");
        scarce_table *twice = resampled(plain, "renn:scale=none"), *enn = resampled(plain, "enn:scale=none");
        CHECK(r->n_rows < 400 && again);
        CHECK(plain->n_rows < 400 && scarce_table_fingerprint(twice) == scarce_table_fingerprint(plain));
        CHECK(scarce_table_fingerprint(enn) == scarce_table_fingerprint(plain));
        scarce_table_free(r), scarce_table_free(again), scarce_table_free(plain), scarce_table_free(twice);
        scarce_table_free(enn), scarce_table_free(t);
    }
}

/* tomek again and again ends where it removes nothing more, and then it stays so. */
static void test_tomek_ends(void)
{
    scarce_table *t = resample_table(PLAIN, 400, 12);
    size_t rounds = 0, before;
    do {
        scarce_table *r = resampled(t, "tomek:scale=none");
        before = t->n_rows;
        CHECK(r && r->n_rows <= before && r->n_positives == t->n_positives);
        scarce_table_free(t);
        t = r;
    } while (t && t->n_rows < before && ++rounds < 400);
    CHECK(rounds > 0 && rounds < 400);
    scarce_table_free(t);
}

static void ask_million(const scarce_table *t, const char *name, scarce_context *ctx)
{
    scarce_view_options alone = SCARCE_VIEW_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *r = NULL, *view = NULL;
    uint8_t *none = calloc(t->n_rows, 1);
    char spec[64]; /* cleaning a million made-up rows as well takes its time and shows nothing more */
    snprintf(spec, sizeof spec, "%s%s", name, cleans_both(name) ? ":ratio=0.02" : "");
    scarce_status st = scarce_resample(&r, NULL, NULL, t, spec, ctx, &err);
    CHECK(st == SCARCE_OK ? r && (cleans_both(name) || r->n_positives >= 12)
                          : st == SCARCE_EDATA && !r && err.text[0] && !strchr(err.text, '\n'));
    scarce_table_free(r);
    alone.label = none;
    CHECK(scarce_table_view(&view, t, &alone, NULL) == SCARCE_OK);
    CHECK(scarce_resample(&r, NULL, NULL, view, name, ctx, &err) == SCARCE_EDATA && !r);
    CHECK(strstr(err.text, "resampling needs both") != NULL && !strchr(err.text, '\n'));
    scarce_table_free(view);
    free(none);
}

/* A million negatives: alone, which no resampler can work on, and with a dozen positives, where each works or
 * says in one line why not. */
static void test_million(void)
{
    enum {
        N = TEST_OF_THREADS ? 200000 : 1000000,
        FEATURES = 3
    }; /* fewer are as many blocks for the threads */
    static const char *const names[] = {"a", "b", "c", "y"};
    lcg random = lcg_start(5);
    float *x = malloc(FEATURES * (size_t)N * sizeof *x);
    uint8_t *label = calloc(N, 1);
    scarce_context *ctx = context(2);
    scarce_column c[FEATURES + 1];
    for (size_t i = 0; i < FEATURES * (size_t)N; ++i) x[i] = some_number(&random, 0);
    for (size_t f = 0; f <= FEATURES; ++f) {
        c[f] = (scarce_column)SCARCE_COLUMN_INIT;
        c[f].name = names[f];
        c[f].items = f < FEATURES ? (const void *)(x + f * N) : label;
    }
    c[FEATURES].type = SCARCE_TYPE_U8;
    c[FEATURES].role = SCARCE_ROLE_LABEL;
    for (size_t i = 0; i < 12; ++i) label[1000 + N / 25 * 2 * i] = 1;
    scarce_table *t = NULL;
    CHECK(scarce_table_from_columns(&t, c, FEATURES + 1, N, NULL, ctx, NULL) == SCARCE_OK);
    for (size_t i = 0; t && i < scarce_resample_count(); ++i)
        ask_million(t, scarce_resample_get(i).name, ctx);
    scarce_table_free(t);
    scarce_context_free(ctx);
    free(x), free(label);
}

/* smote-enn is smote, then enn on both classes. */
static void test_chains(void)
{
    static const char *const chains[][3] = {
        {"smote-enn:scale=none", "smote:scale=none", "enn:clean=both:scale=none"},
        {"smote-tomek:ratio=0.5:scale=none", "smote:ratio=0.5:scale=none", "tomek:clean=both:scale=none"},
        {"smote-enn:enn_k=5:kind=mode:clean=negatives:scale=range", "smote:scale=range",
         "enn:k=5:kind=mode:scale=range"},
    };
    for (size_t i = 0; i < 3; ++i) {
        scarce_table *t = resample_table(PLAIN, 300, 14), *whole = resampled(t, chains[i][0]),
                     *first = resampled(t, chains[i][1]),
                     *second = first ? resampled(first, chains[i][2]) : NULL;
        CHECK(whole && second && scarce_table_fingerprint(whole) == scarce_table_fingerprint(second));
        CHECK(whole && whole->n_rows < first->n_rows);
        scarce_table_free(t), scarce_table_free(whole), scarce_table_free(first), scarce_table_free(second);
    }
}

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* So many rows that most are passed over without being measured, against measuring all. */
static void test_many_near_misses(void)
{
    enum { N = 9500 };
    scarce_table *t = resample_table(PLAIN, N, 30);
    static double sum[N], sorted[N], distance[N];
    for (int version = 1; version <= 2; ++version) {
        char spec[64];
        snprintf(spec, sizeof spec, "nearmiss-%d:ratio=8:scale=none", version);
        scarce_table *r = resampled(t, spec);
        const size_t wanted = (size_t)floor((double)t->n_positives / 8 + 0.5);
        size_t n = 0, wrong = 0;
        for (size_t i = 0; i < N; ++i) {
            size_t m = 0;
            if (t->label[i]) continue;
            for (size_t j = 0; j < N; ++j) {
                double square = 0;
                if (!t->label[j]) continue;
                for (size_t f = 0; f < 4; ++f) {
                    const double d = (double)t->columns[f].number[i] - (double)t->columns[f].number[j];
                    square += d * d;
                }
                distance[m++] = sqrt(square);
            }
            double best[3] = {INFINITY, INFINITY, INFINITY}; /* of the distances, or of minus them */
            for (size_t j = 0; j < m; ++j) {
                double d = version == 1 ? distance[j] : -distance[j];
                for (size_t b = 0; b < 3; ++b)
                    if (d < best[b]) {
                        const double swap = best[b];
                        best[b] = d, d = swap;
                    }
            }
            sum[i] = fabs(best[0] + best[1] + best[2]);
            sorted[n++] = sum[i];
        }
        qsort(sorted, n, sizeof *sorted, by_double);
        CHECK(r && r->n_rows - r->n_positives == wanted);
        for (size_t i = 0; r && i < r->n_rows; ++i)
            wrong += !r->label[i] && sum[row_of(r, i)] > sorted[wanted - 1] * (1 + 1e-9);
        CHECK(wrong == 0);
        scarce_table_free(r);
    }
    scarce_table_free(t);
}

static void refuses(const scarce_table *t, const char *spec, const char *part)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *r = NULL;
    CHECK(scarce_resample(&r, NULL, NULL, t, spec, NULL, &err) != SCARCE_OK && !r);
    CHECK(strstr(err.text, part) != NULL);
    if (!strstr(err.text, part)) fprintf(stderr, "%s: %s\n", spec, err.text);
}

/* Positives far from all negatives: nothing is in danger, and nothing to go by. */
static void test_refuses(void)
{
    scarce_table *t = resample_table(PLAIN, 100, 4), *one = resample_table(ONE, 100, 4);
    refuses(one, "smote", "1 positive");
    refuses(one, "svm-smote", "1 positive");
    refuses(t, "cnn:start=100", "beyond the last row");
    refuses(t, "oss:start=7", "a positive row");
    refuses(t, "smote:k=0", "k");
    refuses(t, "smote:ratio=1e9", "more than a table holds");
    for (size_t i = 0; i < 100; ++i)
        for (size_t f = 0; t->label[i] && f < 4; ++f) t->columns[f].number[i] += 1000;
    refuses(t, "borderline-smote-1", "no positive is in danger");
    refuses(t, "adasyn", "use smote");
    scarce_table_free(t);
    t = resample_table(EQUAL, 100, 4);
    refuses(t, "enn:k=50", "try another method");
    scarce_table_free(t);
    scarce_table_free(one);
}

static const test_case tests[] = {
    {"every_method", test_every_method},
    {"ratios", test_ratios},
    {"segments", test_segments},
    {"per_feature", test_per_feature},
    {"even", test_smote_is_even},
    {"seed", test_seed},
    {"votes", test_votes},
    {"fixed_point", test_fixed_point},
    {"tomek_ends", test_tomek_ends},
    {"million", test_million},
    {"chains", test_chains},
    {"refuses", test_refuses},
    {"many_near_misses", test_many_near_misses},
};
TEST_MAIN(tests)
