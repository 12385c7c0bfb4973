/* SPDX-License-Identifier: Apache-2.0 */
/* Ensembles against members that are trained one by one: the sum and the mean of these are the ensemble's, bit for
 * bit; balance-cascade against its rule by hand; what a score means, on simulated rows whose truth is known; members
 * that learn nothing; and what is refused. (Threads, checkpoints, files: test_method_all.c.) */
#include <stdlib.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "data/row_hash.h"
#include "ensemble/draw.h"
#include "method/members.h"
#include "model/bag.h"
#include "tree/forest.h"
#include "unit/method_tables.h"

enum { ROWS = 900 };

static scarce_context *context_of(uint64_t seed)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = 2;
    o.seed = seed;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static scarce_model *train_with(const char *spec, const scarce_table *table, const scarce_train_options *o,
                                uint64_t seed, scarce_train_summary *summary)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = context_of(seed);
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_status st = scarce_params_of_spec(&params, spec, &err);
    if (!st) st = scarce_train(&model, table, params, o, summary, ctx, &err);
    if (st) fprintf(stderr, "%s: %s\n", spec, err.text);
    CHECK(st == SCARCE_OK);
    scarce_params_free(params);
    scarce_context_free(ctx);
    return model;
}

static scarce_model *train(const char *spec, const scarce_table *table, uint64_t seed)
{
    return train_with(spec, table, NULL, seed, NULL);
}

static double *scores_of(const scarce_model *model, const scarce_table *table, int probability)
{
    double *score = calloc(scarce_table_rows(table), sizeof *score),
           *p = calloc(scarce_table_rows(table), sizeof *p);
    scarce_scorer *scorer = NULL;
    CHECK(model && scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    if (scorer) CHECK(scarce_scorer_table(scorer, table, score, p, NULL, NULL) == SCARCE_OK);
    scarce_scorer_free(scorer);
    free(probability ? score : p);
    return probability ? p : score;
}

/* The sample of a member as a table. */
static scarce_table *sample_of(const scarce_table *table, const uint32_t *among, size_t n,
                               scarce__member_rows how, uint64_t seed, size_t member)
{
    scarce__classes c;
    scarce__drawn d = {0};
    scarce_table *sample = NULL;
    uint32_t *rows;
    size_t k = 0;
    uint64_t *hash = scarce__row_hashes(table);
    const scarce__classes_from from = {.label = table->label,
                                       .weight = table->weight,
                                       .hash = hash,
                                       .rows = among,
                                       .n = n,
                                       .n_rows = table->n_rows};
    CHECK(scarce__classes_of(&c, &from, NULL) == SCARCE_OK);
    scarce__free(hash);
    CHECK(scarce__draw_member(&d, &c, how, 1, seed, member, NULL) == SCARCE_OK);
    rows = scarce__drawn_rows(&d, &c, &k);
    CHECK(scarce_table_rows_of(&sample, table, rows, k, NULL, NULL) == SCARCE_OK);
    scarce__drawn_deinit(&d);
    scarce__classes_deinit(&c);
    scarce__free(rows);
    return sample;
}

/* ---- sums of trees */

static int same_forests(const scarce__forest *a, const scarce__forest *b)
{
    const size_t n = a->n_trees ? a->tree_begin[a->n_trees] : 0;
    if (a->base != b->base || a->n_trees != b->n_trees || n != b->tree_begin[b->n_trees]) return 0;
    for (size_t i = 0; i < n; ++i)
        if (a->nodes[i].value != b->nodes[i].value || a->nodes[i].feature != b->nodes[i].feature ||
            a->nodes[i].left != b->nodes[i].left || a->nodes[i].flags != b->nodes[i].flags)
            return 0;
    return 1;
}

/* ensemble: trained as a whole; inner: the same method alone. */
static void check_trees(const char *ensemble, const char *inner, scarce__member_rows how, double scale)
{
    enum { MEMBERS = 4, SEED = 6 };
    scarce_table *table = make_table_of(TABLE_PAYMENTS, ROWS, 1, NULL);
    scarce_model *whole = train(ensemble, table, SEED), *member[MEMBERS];
    const scarce__forest *forests[MEMBERS];
    scarce__forest sum = {0};

    for (size_t m = 0; m < MEMBERS; ++m) {
        scarce_table *sample = sample_of(table, NULL, ROWS, how, SEED, m);
        member[m] = train(inner, sample, scarce__member_seed(SEED, m));
        forests[m] = member[m]->body;
        CHECK(member[m]->kind == &scarce__kind_trees);
        scarce_table_free(sample);
    }
    CHECK(scarce__forest_join(&sum, forests, MEMBERS, scale, NULL) == SCARCE_OK);
    CHECK(whole && whole->kind == &scarce__kind_trees && same_forests(whole->body, &sum));
    CHECK(whole && ((const scarce__forest *)whole->body)->n_members == MEMBERS);
    scarce__forest_deinit(&sum);
    for (size_t m = 0; m < MEMBERS; ++m) scarce_model_free(member[m]);
    scarce_model_free(whole);
    scarce_table_free(table);
}

static void test_trees(void)
{
    check_trees("st-ensemble:members=4:n_trees=12", "st-grboost:n_trees=12", SCARCE__MEMBER_BALANCED, 1);
    check_trees("st-ensemble:members=4:n_trees=12:aggregate=avg", "st-grboost:n_trees=12",
                SCARCE__MEMBER_BALANCED, 0.25);
    check_trees("easy-ensemble:inner=gb:inner.n_trees=9:members=4", "gb:n_trees=9", SCARCE__MEMBER_BALANCED,
                1);
    check_trees("bag:inner=gb:inner.n_trees=9:inner.subsample=0.5:members=4", "gb:n_trees=9:subsample=0.5",
                SCARCE__MEMBER_BOOTSTRAP, 0.25);
    check_trees("bag:inner=random-forest:inner_settings=n_trees=3:members=4", "random-forest:n_trees=3",
                SCARCE__MEMBER_BOOTSTRAP, 0.25);
    check_trees("bag:inner=rankboost:inner.n_trees=5:balanced=true:members=4", "rankboost:n_trees=5",
                SCARCE__MEMBER_BOOTSTRAP_BALANCED, 0.25);
}

/* ---- other kinds: the mean of the members' scores */

static void check_mean(const char *ensemble, const char *inner, const scarce_table *table,
                       const scarce__kind *kind)
{
    enum { MEMBERS = 3, SEED = 2 };
    const size_t n = scarce_table_rows(table);
    scarce_model *whole = train(ensemble, table, SEED);
    double *got = scores_of(whole, table, 0), *want = calloc(n, sizeof *want);

    CHECK(whole && whole->kind == kind);
    for (size_t m = 0; m < MEMBERS; ++m) {
        scarce_table *sample = sample_of(table, NULL, n, SCARCE__MEMBER_BOOTSTRAP, SEED, m);
        scarce_model *member = train(inner, sample, scarce__member_seed(SEED, m));
        double *score = scores_of(member, table, 0);
        for (size_t i = 0; i < n; ++i) want[i] += score[i] / MEMBERS;
        free(score);
        scarce_model_free(member);
        scarce_table_free(sample);
    }
    for (size_t i = 0; i < n; ++i) CHECK_NEAR(got[i], want[i], 1e-9 * (1 + fabs(want[i])));
    free(got);
    free(want);
    scarce_model_free(whole);
}

static void test_other_kinds(void)
{
    scarce_table *payments = make_table_of(TABLE_PAYMENTS, ROWS, 1, NULL);
    scarce_table *merchants = make_table_of(TABLE_MERCHANTS, ROWS, 1, NULL);
    check_mean("bag:inner=logistic:inner.c=0.5:members=3", "logistic:c=0.5", payments, &scarce__kind_linear);
    check_mean("bag:inner=gb:inner.n_trees=8:inner.categories=pairs:members=3",
               "gb:n_trees=8:categories=pairs", merchants, &scarce__kind_bag);
    scarce_table_free(payments);
    scarce_table_free(merchants);
}

/* A bag in a bag, one of them of the new kind: files, reasons, nothing nested. */
static void test_bag_of_bags(void)
{
    scarce_table *table = make_table_of(TABLE_MERCHANTS, ROWS, 1, NULL);
    scarce_params *params = NULL;
    scarce_model *model = NULL, *read = NULL;
    scarce_context *ctx = context_of(1);
    void *bytes = NULL;
    size_t n = 0;

    CHECK(scarce_params_new(&params, "bag", NULL) == SCARCE_OK);
    CHECK(scarce_params_set(params, "inner", "bag:members=2:inner.categories=pairs", NULL) == SCARCE_OK);
    CHECK(scarce_params_set(params, "inner.inner.n_trees", "4", NULL) == SCARCE_OK);
    CHECK(scarce_params_set(params, "members", "2", NULL) == SCARCE_OK);
    CHECK(scarce_train(&model, table, params, NULL, NULL, ctx, NULL) == SCARCE_OK);
    CHECK(model && model->kind == &scarce__kind_bag && ((const scarce__bag_body *)model->body)->n == 4);
    CHECK(model && scarce_model_bytes(&bytes, &n, model, NULL) == SCARCE_OK);
    CHECK(scarce_model_read(&read, bytes, n, "bytes", NULL) == SCARCE_OK);
    if (read) {
        double *a = scores_of(model, table, 0), *b = scores_of(read, table, 0);
        CHECK(memcmp(a, b, ROWS * sizeof *a) == 0);
        free(a);
        free(b);
    }
    scarce_bytes_free(bytes);
    scarce_model_free(model);
    scarce_model_free(read);
    scarce_params_free(params);
    scarce_context_free(ctx);
    scarce_table_free(table);
}

/* ---- the cascade by hand */

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void test_cascade(void)
{
    enum { MEMBERS = 4, SEED = 3 };
    scarce_table *table = make_table_of(TABLE_RARE, ROWS, 1, NULL);
    scarce_model *whole = train("balance-cascade:inner=gb:inner.n_trees=6:members=4", table, SEED);
    double *got = scores_of(whole, table, 0), *want = calloc(ROWS, sizeof *want),
           *sorted = calloc(ROWS, sizeof *sorted);
    uint32_t among[ROWS];
    size_t n = ROWS;
    const double p = (double)table->n_positives, f = pow(p / (ROWS - p), 1.0 / (MEMBERS - 1));

    for (uint32_t i = 0; i < ROWS; ++i) among[i] = i;
    for (size_t m = 0; m < MEMBERS; ++m) {
        scarce_table *sample = sample_of(table, among, n, SCARCE__MEMBER_BALANCED, SEED, m);
        scarce_model *member = train("gb:n_trees=6", sample, scarce__member_seed(SEED, m));
        double *score = scores_of(member, table, 0);
        size_t left = 0, k = 0;
        for (size_t i = 0; i < n; ++i)
            if (!table->label[among[i]]) sorted[left++] = score[among[i]];
        qsort(sorted, left, sizeof *sorted, descending);
        const size_t keep = (size_t)floor(f * (double)left + 0.5);
        const double theta = sorted[(keep ? keep : 1) - 1];
        for (size_t i = 0; i < ROWS; ++i) want[i] += score[i] - theta;
        for (size_t i = 0; i < n; ++i)
            if (table->label[among[i]] || score[among[i]] >= theta) among[k++] = among[i];
        CHECK(k < n);
        n = k;
        free(score);
        scarce_model_free(member);
        scarce_table_free(sample);
    }
    CHECK((double)n < 4 * p); /* with ties, more than twice as many as positives may be left */
    for (size_t i = 0; i < ROWS; ++i) CHECK_NEAR(got[i], want[i], 1e-6);
    free(got);
    free(want);
    free(sorted);
    scarce_model_free(whole);
    scarce_table_free(table);
}

/* ---- what scores mean */

/* Three numbers and a truth: p = 1 / (1 + exp(4 - 1.5 x0 - x1)), about 4 % positives. */
static scarce_table *simulated(size_t n, uint64_t seed, double *truth)
{
    float *x = calloc(3 * n, sizeof *x);
    uint8_t *y = calloc(n, 1);
    scarce_table *t = NULL;
    lcg r = lcg_start(seed);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            double sum = 0;
            for (int j = 0; j < 6; ++j) sum += (double)lcg_below(&r, 1000) / 1000 - 0.5;
            x[3 * i + k] = (float)(sum * sqrt(2));
        }
        const double p = 1 / (1 + exp(4 - 1.5 * (double)x[3 * i] - (double)x[3 * i + 1]));
        if (truth) truth[i] = p;
        y[i] = (double)lcg_below(&r, 1000000) / 1e6 < p;
    }
    CHECK(scarce_table_from_floats(&t, x, n, 3, NULL, y, NULL) == SCARCE_OK);
    free(x);
    free(y);
    return t;
}

typedef struct meaning_case {
    const char *spec;
    double before; /* least bias without the correction */
    double after;  /* largest one with it */
} meaning_case;

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += x[i];
    return sum / (double)n;
}

/* Trained on balanced samples, probabilities are near 1/2 on average; the factor brings them back. */
static void test_bias(void)
{
    enum { TRAIN = 20000, TEST = 20000 };
    static const meaning_case cases[] = {
        {"ds-st-grboost:n_trees=150", 0.15, 0.01},
        {"st-ensemble:n_trees=150:members=5:aggregate=avg", 0.15, 0.01},
        {"balanced-random-forest:n_trees=60:min_child_rows=5", 0.15, 0.015},
        {"bag:inner=logistic:balanced=true:members=5", 0.15, 0.01},
        {"bag:inner=gb:inner.n_trees=40:balanced=true:members=5", 0.15, 0.015},
        {"bag:inner=random-forest:inner.n_trees=20:inner.min_child_rows=5:balanced=true:members=3", 0.15,
         0.015},
        {"random-forest:n_trees=60:min_child_rows=5", 0, 0.01}, /* nothing to correct */
        {"random-forest:n_trees=60:min_child_rows=20:pos_weight=10", 0,
         0.01}, /* leaves hold shares as they are */
        {"bag:inner=gb:inner.n_trees=40:members=5", 0, 0.01},
    };
    double *truth = calloc(TEST, sizeof *truth);
    scarce_table *table = simulated(TRAIN, 1, NULL), *test = simulated(TEST, 2, truth);
    const double q = mean(truth, TEST);

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
        scarce_model *right = train(cases[k].spec, table, 1);
        o.calibrate = "none";
        scarce_model *raw = train_with(cases[k].spec, table, &o, 1, NULL);
        double *p = scores_of(right, test, 1), *without = scores_of(raw, test, 1);
        const double after = mean(p, TEST) - q, before = mean(without, TEST) - q;
        CHECK(right && scarce_model_has_probability(right));
        if (!(fabs(after) <= cases[k].after && fabs(before) >= cases[k].before)) {
            fprintf(stderr, "%s: bias %+.4f, without correction %+.4f\n", cases[k].spec, after, before);
            ++test_failures;
        }
        free(p);
        free(without);
        scarce_model_free(right);
        scarce_model_free(raw);
    }
    scarce_table_free(table);
    scarce_table_free(test);
    free(truth);
}

/* Where no factor is right there is no probability, and it is said why; and the factor would indeed not do. */
static void test_no_probability(void)
{
    enum { N = 20000 };
    static const struct {
        const char *spec, *why;
        double slope;
    } cases[] = {{"st-ensemble:n_trees=150:members=5", "sum of members", 2},
                 {"easy-ensemble:inner=gb:inner.n_trees=40:members=5", "vote", 1},
                 {"balance-cascade:inner=gb:inner.n_trees=40:members=5", "no known factor", 1},
                 {"bag:inner=gb:inner.n_trees=40:members=5:aggregate=sum", "sum of members", 1},
                 {"bag:inner=linear-svm:members=3", "only rank", 1}};
    double *truth = calloc(N, sizeof *truth);
    scarce_table *table = simulated(N, 1, NULL), *test = simulated(N, 2, truth);

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
        scarce_model *model = train(cases[k].spec, table, 1), *none = NULL;
        scarce_params *params = NULL;
        const char *why = model ? scarce_model_note(model, "no_probability") : NULL;
        CHECK(model && !scarce_model_has_probability(model));
        CHECK(why && strstr(why, cases[k].why));
        double *score = scores_of(model, test, 0), worst = 0, odds = 0;
        if (k < 3) { /* what the factor would say of the rows above the 95th percentile */
            odds = log((double)(N - table->n_positives) / (double)table->n_positives);
            double said = 0, is = 0;
            size_t n = 0;
            double *sorted = malloc(N * sizeof *sorted);
            memcpy(sorted, score, N * sizeof *sorted);
            qsort(sorted, N, sizeof *sorted, descending);
            for (size_t i = 0; i < N; ++i) {
                if (score[i] < sorted[N / 20]) continue;
                said += 1 / (1 + exp(-(cases[k].slope * score[i] - odds)));
                is += truth[i];
                ++n;
            }
            worst = fabs(said - is) / (double)n;
            free(sorted);
            CHECK(worst > 0.1);
        }
        o.calibrate = "prior";
        CHECK(scarce_params_of_spec(&params, cases[k].spec, NULL) == SCARCE_OK);
        CHECK(scarce_train(&none, table, params, &o, NULL, NULL, &err) == SCARCE_EINVAL &&
              strstr(err.text, "prior"));
        scarce_params_free(params);
        scarce_model_free(model);
        free(score);
    }
    scarce_table_free(table);
    scarce_table_free(test);
    free(truth);
}

/* ---- members that learn nothing */

static void test_idle(void)
{
    float x[200];
    uint8_t y[100];
    scarce_table *t = NULL;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    lcg r = lcg_start(4);
    for (size_t i = 0; i < 100; ++i) {
        x[2 * i] = (float)lcg_below(&r, 100);
        x[2 * i + 1] = (float)lcg_below(&r, 100);
        y[i] = i < 4;
    }
    CHECK(scarce_table_from_floats(&t, x, 100, 2, NULL, y, NULL) == SCARCE_OK);
    scarce_model *m = train_with("st-ensemble:n_trees=3", t, NULL, 1, &summary);
    CHECK(summary.members == 10 && summary.idle_members < 10);
    scarce_model_free(m);
    /* from the log-odds of all rows no leaf of a balanced sample of 8 has the weight to be split off for a while */
    m = train_with("st-ensemble:n_trees=3:f0=full", t, NULL, 1, &summary);
    CHECK(summary.members == 10 && summary.idle_members > 5);
    CHECK(m && scarce_model_note(m, "idle_members") && atoi(scarce_model_note(m, "idle_members")) > 5);
    scarce_model_free(m);
    scarce_train_summary_deinit(&summary);
    scarce_table_free(t);
}

/* ---- hard inputs */

static const char *const all_ensembles[] = {"random-forest:n_trees=5",
                                            "balanced-random-forest:n_trees=5",
                                            "ds-st-grboost:n_trees=5",
                                            "st-ensemble:n_trees=5:members=3",
                                            "easy-ensemble:inner=gb:inner.n_trees=5:members=3",
                                            "easy-ensemble:inner=random-forest:inner.n_trees=3:members=3",
                                            "balance-cascade:inner=gb:inner.n_trees=5:members=3",
                                            "bag:inner=gb:inner.n_trees=5:members=3",
                                            "bag:inner=logistic:members=3:balanced=true"};
enum { N_ENSEMBLES = sizeof all_ensembles / sizeof all_ensembles[0] };

/* Each trains, or says in one line why not. */
static void try_all(const scarce_table *t, const char *what)
{
    for (size_t k = 0; k < N_ENSEMBLES; ++k) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_params *params = NULL;
        scarce_model *model = NULL;
        CHECK(scarce_params_of_spec(&params, all_ensembles[k], &err) == SCARCE_OK);
        const scarce_status st = scarce_train(&model, t, params, NULL, NULL, NULL, &err);
        if (st == SCARCE_OK) {
            double *score = scores_of(model, t, 0);
            for (size_t i = 0; i < scarce_table_rows(t); ++i) CHECK(isfinite(score[i]));
            free(score);
        } else {
            CHECK(st == SCARCE_EDATA && err.text[0] && !strchr(err.text, '\n'));
            if (st != SCARCE_EDATA) fprintf(stderr, "%s, %s: %s\n", what, all_ensembles[k], err.text);
        }
        scarce_model_free(model);
        scarce_params_free(params);
    }
}

static void test_hard_inputs(void)
{
    enum { N = 60 };
    float x[3 * N];
    uint8_t y[N];
    scarce_table *t = NULL;

    for (int what = 0; what < 6; ++what) {
        static const char *const names[] = {"missing",      "constant",       "one positive",
                                            "one negative", "all rows equal", "two rows"};
        const size_t n = what == 5 ? 2 : N;
        for (size_t i = 0; i < n; ++i) {
            x[3 * i] = what == 4 ? 1 : (float)(i * 7 % 31);
            x[3 * i + 1] = what == 0 && i % 3 ? NAN : what == 4 ? 2 : (float)(i % 5);
            x[3 * i + 2] = what == 1 || what == 4 ? 3 : what == 0 ? NAN : (float)i;
            y[i] = what == 2 ? i == 7 : what == 3 ? i != 7 : i % 4 == 0;
        }
        CHECK(scarce_table_from_floats(&t, x, n, 3, NULL, y, NULL) == SCARCE_OK);
        try_all(t, names[what]);
        scarce_table_free(t);
    }
    for (size_t i = 0; i < N; ++i) y[i] = 0; /* one class: refused in one line by all */
    CHECK(scarce_table_from_floats(&t, x, N, 3, NULL, y, NULL) == SCARCE_OK);
    try_all(t, "no positive");
    scarce_table_free(t);
}

static void refuse(const char *spec, const char *text)
{
    scarce_table *t = simulated(300, 1, NULL);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_status st = scarce_params_of_spec(&params, spec, &err);
    if (!st) st = scarce_train(&model, t, params, NULL, NULL, NULL, &err);
    CHECK(st == SCARCE_EINVAL && strstr(err.text, text));
    if (!strstr(err.text, text)) fprintf(stderr, "%s: %s\n", spec, err.text);
    scarce_params_free(params);
    scarce_model_free(model);
    scarce_table_free(t);
}

static void test_refusals(void)
{
    refuse("bag:inner=gbb", "inner: no method \"gbb\", did you mean \"gb\"?");
    refuse("bag:inner.n_treees=5", "did you mean \"n_trees\"?");
    refuse("bag:inner.n_trees=5:inner.n_trees=6", "n_trees is given twice");
    refuse("bag:inner.n_trees=0", "inner: n_trees=0 is out of range");
    refuse("bag:inner=logistic:inner.n_trees=5", "no parameter \"n_trees\"");
    refuse("bag:inner.max_leaves=1", "inner: max_leaves=1 leaves nothing");
    refuse("bag:replace=false", "balanced=true");
    refuse("bag:members=0", "members=0 is out of range");
    refuse("gb:inner.n_trees=5", "no parameter \"inner.n_trees\"");
    refuse("st-ensemble:sample=all", "it is always uniform");
    refuse("ds-st-grboost:members=3", "it is always 1");
    refuse("random-forest:balanced=true", "it is always false");
    refuse("random-forest:bootstrap=false:max_samples=0.5", "max_samples");
    refuse("easy-ensemble:aggregate=avg", "it is always sum");
}

static const test_case tests[] = {{"trees", test_trees},
                                  {"other_kinds", test_other_kinds},
                                  {"bag_of_bags", test_bag_of_bags},
                                  {"cascade", test_cascade},
                                  {"bias", test_bias},
                                  {"no_probability", test_no_probability},
                                  {"idle", test_idle},
                                  {"hard_inputs", test_hard_inputs},
                                  {"refusals", test_refusals}};

TEST_MAIN(tests)
