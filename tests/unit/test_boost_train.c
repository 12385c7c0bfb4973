/* SPDX-License-Identifier: Apache-2.0 */
/* Boosting: gradients, sampling, threads, going on, early stopping, odd input. */
#include "test.h"

#include "boost/boost.h"
#include "boost/exp.h"
#include "tree_data.h"

static void test_exp(void)
{
    double worst = 0;
    for (int i = -8700; i <= 8800; ++i) {
        const float x = (float)i * 0.01f;
        const double e = fabs((double)scarce__expf(x) / exp((double)x) - 1);
        if (e > worst) worst = e;
    }
    CHECK(worst < 2e-7);
    CHECK(scarce__expf(-1e30f) > 0 && isfinite(scarce__expf(1e30f)));
}

/* g and h against differences of the value; both instances of the loop give the same bits. */
static void check_gradients(scarce__loss loss, int regression)
{
    enum { N = 67 };
    float score[N], g[N], h[N], g2[N], h2[N], weight[N], target[N];
    uint8_t label[N];
    scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, 0);
    for (int i = 0; i < N; ++i) {
        score[i] = (float)(2 * scarce__random_normal(&r));
        label[i] = (uint8_t)(i % 3 == 0);
        target[i] = (float)scarce__random_normal(&r);
        weight[i] = (float)(i % 5);
    }
    const scarce__loss_rows rows = {N, score, label, regression ? target : NULL, weight, NULL, NULL};
    CHECK(loss.gradients(&loss, &rows, g, h, NULL, NULL) == SCARCE_OK);
    loss.portable = 1;
    CHECK(loss.gradients(&loss, &rows, g2, h2, NULL, NULL) == SCARCE_OK);
    CHECK(memcmp(g, g2, sizeof g) == 0 && memcmp(h, h2, sizeof h) == 0);
    for (int i = 0; i < N; ++i) {
        const double step = 1e-2;
        double v[3];
        for (int k = -1; k <= 1; ++k) {
            float x = (float)((double)score[i] + k * step);
            const float one = 1;
            const scarce__loss_rows row = {1,    &x,   label + i, regression ? target + i : NULL,
                                           &one, NULL, NULL};
            v[k + 1] = loss.value(&loss, &row);
        }
        const double w = (double)weight[i];
        CHECK_NEAR(g[i], w * (v[2] - v[0]) / (2 * step), w * 1e-3 * (1 + fabs((double)g[i])));
        CHECK_NEAR(h[i], w * (v[2] - 2 * v[1] + v[0]) / (step * step), w * 1e-2 * (1 + (double)h[i]));
    }
    /* the base is where the gradients sum to nothing */
    const double base = loss.base(&loss, &rows);
    double sum = 0, size = 0;
    for (int i = 0; i < N; ++i) score[i] = (float)base;
    CHECK(loss.gradients(&loss, &rows, g, h, NULL, NULL) == SCARCE_OK);
    for (int i = 0; i < N; ++i) {
        sum += (double)g[i];
        size += fabs((double)g[i]);
    }
    CHECK(fabs(sum) < 1e-5 * size);
}

static void test_gradients(void)
{
    check_gradients(scarce__loss_logistic(1), 0);
    check_gradients(scarce__loss_logistic(2), 0);
    check_gradients(scarce__loss_exponential(), 0);
    check_gradients(scarce__loss_squared(), 1);
}

static int same_forest(const scarce__forest *a, const scarce__forest *b)
{
    return a->n_trees == b->n_trees && a->base == b->base && a->n_set_words == b->n_set_words &&
           memcmp(a->tree_begin, b->tree_begin, (a->n_trees + 1) * sizeof *a->tree_begin) == 0 &&
           memcmp(a->nodes, b->nodes, a->tree_begin[a->n_trees] * sizeof *a->nodes) == 0 &&
           (a->n_set_words == 0 || memcmp(a->sets, b->sets, a->n_set_words * sizeof *a->sets) == 0);
}

/* Kinds of sampling, each with its own quirk. */
static void variant(scarce__boost_options *o, int k)
{
    scarce__boost_options_init(o);
    o->n_trees = 30;
    o->grow.max_leaves = 8;
    o->grow.rules.min_child_weight = 0.1;
    switch (k) {
    case 1: o->sampling.kind = SCARCE__ROWS_UNIFORM; break;
    case 2:
        o->sampling.kind = SCARCE__ROWS_STRATIFIED;
        o->sampling.keep = 4;
        break;
    case 3: o->sampling.kind = SCARCE__ROWS_BALANCED; break;
    case 4:
        o->sampling.kind = SCARCE__ROWS_RATIO;
        o->sampling.ratio = 0.3;
        o->sampling.reweigh = 1;
        break;
    case 5: o->sampling.kind = SCARCE__ROWS_GOSS; break;
    case 6:
        o->sampling.kind = SCARCE__ROWS_IMPORTANCE;
        o->sampling.per_positive = 2;
        o->sampling.pool_again = 7;
        o->sampling.pool = 4;
        o->sampling.pool_least = 0;
        break;
    case 7:
        o->sampling.kind = SCARCE__ROWS_STRATIFIED;
        o->sampling.independent = 1;
        o->loss = scarce__loss_exponential();
        break;
    case 8:
        o->grow.histogram_double = 1;
        o->grow.colsample_tree = 0.6;
        break;
    case 9:
        o->grow.rules.random = 1;
        o->loss = scarce__loss_logistic(2);
        break;
    case 10:
        o->sampling.kind = SCARCE__ROWS_MVS;
        o->sampling.fraction = 0.3;
        break;
    case 11:
        o->loss = scarce__loss_ap_lb(1);
        o->sampling.kind = SCARCE__ROWS_MVS;
        o->sampling.keep = 3;
        break;
    default: break;
    }
}
enum { VARIANTS = 12 };

static double accuracy(const float *score, const uint8_t *label, size_t n)
{
    double right = 0, pairs = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            if (label[i] && !label[j]) {
                right += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
                pairs += 1;
            }
    return right / pairs;
}

/* Same bits for any number of threads, both instances, and when taken up after 13 trees; scores are the
 * forest's. */
static void test_same_bits(void)
{
    enum { N = 2500 };
    float *dense, *score = scarce__malloc_array(N, sizeof *score),
                  *again = scarce__malloc_array(N, sizeof *again);
    scarce_table *t = data_table(N, 21, &dense, 2.5);
    const scarce__boost_data train = {.table = t};
    for (int k = 0; k < VARIANTS; ++k) {
        scarce__boost_options o;
        scarce__forest first, other, part;
        scarce__boost_result result;
        scarce_error err = SCARCE_ERROR_INIT;
        variant(&o, k);
        o.train_score = score;
        CHECK(scarce__boost_train(&first, &train, NULL, &o, &result, NULL, &err) == SCARCE_OK);
        CHECK(result.n_trees == 30 && !result.cancelled);
        CHECK(scarce__forest_check(&first, &err) == SCARCE_OK);
        CHECK(accuracy(score, t->label, N) > 0.85);
        double off = 0;
        for (size_t i = 0; i < N; ++i)
            off = fmax(off, fabs(scarce__forest_walk(&first, dense + i * DATA_FEATURES) - (double)score[i]));
        CHECK(off < 1e-4);
        o.train_score = again;
        for (int run = 0; run < 4; ++run) {
            static const int threads[] = {2, 3, 8, 1};
            scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
            scarce_context *ctx = NULL;
            co.threads = threads[run];
            o.portable = run == 3;
            CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
            CHECK(scarce__boost_train(&other, &train, NULL, &o, &result, ctx, &err) == SCARCE_OK);
            CHECK(same_forest(&first, &other) && memcmp(score, again, N * sizeof *score) == 0);
            scarce__forest_deinit(&other);
            scarce_context_free(ctx);
        }
        o.portable = 0;
        o.n_trees = 13;
        CHECK(scarce__boost_train(&part, &train, NULL, &o, &result, NULL, &err) == SCARCE_OK);
        o.n_trees = 30;
        o.resume = &part;
        CHECK(scarce__boost_train(&other, &train, NULL, &o, &result, NULL, &err) == SCARCE_OK);
        CHECK(same_forest(&first, &other) && memcmp(score, again, N * sizeof *score) == 0);
        scarce__forest_deinit(&other);
        scarce__forest_deinit(&part);
        scarce__forest_deinit(&first);
    }
    scarce__free(score);
    scarce__free(again);
    scarce__free(dense);
    scarce_table_free(t);
}

/* ---- Validation */

typedef struct judge {
    const scarce_table *table;
    int calls;
} judge;

static scarce_status auc(void *payload, const float *score, double *value, scarce_error *err)
{
    judge *j = payload;
    ++j->calls;
    (void)err;
    *value = accuracy(score, j->table->label, j->table->n_rows);
    return SCARCE_OK;
}

static scarce_status falls(void *payload, const float *score, double *value, scarce_error *err)
{
    judge *j = payload;
    (void)score;
    ++j->calls;
    (void)err;
    *value = j->calls <= 5 ? j->calls : 10 - j->calls;
    return SCARCE_OK;
}

static scarce_status no_memory(void *payload, const float *score, double *value, scarce_error *err)
{
    judge *j = payload;
    *value = (double)score[0];
    return ++j->calls < 3 ? SCARCE_OK : scarce__fail_memory(err, "a metric", 0);
}

static int stop_at_7(void *payload, const scarce_progress *p)
{
    (void)payload;
    return p->done >= 7;
}

static void test_validation(void)
{
    float *dense, score[400], walked[400];
    scarce_table *t = data_table(1200, 22, NULL, 1), *v = data_table(400, 23, &dense, 1);
    const scarce__boost_data train = {.table = t}, valid = {.table = v};
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__forest f, g;
    judge j = {v, 0};
    double history[200];

    scarce__boost_options_init(&o);
    o.n_trees = 20;
    o.valid_score = score;
    o.metric = auc;
    o.metric_payload = &j;
    o.history = history;
    CHECK(scarce__boost_train(&f, &train, &valid, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(j.calls == 20 && result.n_trees == 20);
    for (size_t i = 0; i < 400; ++i) walked[i] = (float)scarce__forest_walk(&f, dense + i * DATA_FEATURES);
    for (size_t i = 0; i < 400; ++i) CHECK_NEAR(walked[i], score[i], 1e-5);
    CHECK(history[19] > 0.7);
    scarce__forest_deinit(&f);

    o.metric = falls;
    o.stop_after = 3;
    o.n_trees = 200;
    j.calls = 0;
    CHECK(scarce__boost_train(&f, &train, &valid, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(result.stopped_early && result.n_trees == 5 && result.n_grown == 8 && result.best_metric == 5);
    scarce__forest_deinit(&f);

    scarce_error err = SCARCE_ERROR_INIT;
    o.metric = no_memory;
    j.calls = 0;
    CHECK(scarce__boost_train(&f, &train, &valid, &o, &result, NULL, &err) == SCARCE_ENOMEM);
    CHECK(err.code == SCARCE_ENOMEM && j.calls == 3 && f.n_trees == 0 && !f.nodes);
    o.metric = falls;

    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    co.progress = stop_at_7;
    co.threads = 2;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    scarce__boost_options_init(&o);
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, ctx, NULL) == SCARCE_OK);
    CHECK(result.cancelled && f.n_trees == 7);
    o.n_trees = 7;
    CHECK(scarce__boost_train(&g, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(same_forest(&f, &g));
    scarce__forest_deinit(&f);
    scarce__forest_deinit(&g);
    scarce_context_free(ctx);
    scarce__free(dense);
    scarce_table_free(t);
    scarce_table_free(v);
}

/* ---- Weights: a row of weight 2 is the row twice; a weight of 0 is no row; pos_weight is a weight. */
static void test_weights(void)
{
    enum { N = 300 };
    float *x = scarce__malloc_array(3 * N * 2, sizeof *x);
    uint8_t y[3 * N];
    double w[N];
    uint32_t rows[2 * N];
    size_t m = 0;
    scarce__random r = scarce__random_start(31, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < N; ++i) {
        x[2 * i] = (float)scarce__random_below(&r, 40);
        x[2 * i + 1] = (float)scarce__random_normal(&r);
        y[i] = x[2 * i] + 10 * x[2 * i + 1] + 10 * (float)scarce__random_normal(&r) > 28;
        w[i] = (double)scarce__random_below(&r, 3);
        for (int k = 0; k < (int)w[i]; ++k) rows[m++] = (uint32_t)i;
    }
    scarce_table *t = NULL;
    scarce__binned *full = NULL;
    CHECK(scarce_table_from_floats(&t, x, N, 2, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce__binned_new(&full, t, NULL, 0, NULL, NULL, NULL, NULL) == SCARCE_OK);
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__forest a, b;
    scarce__boost_options_init(&o);
    o.n_trees = 5;
    o.grow.max_leaves = 6;
    const scarce__boost_data weighted = {.table = t, .weight = w};
    const scarce__boost_data repeated = {.table = t, .rows = rows, .n_rows = m};
    CHECK(scarce__boost_train(&a, &weighted, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__boost_train(&b, &repeated, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < N; ++i)
        if (w[i] > 0)
            CHECK_NEAR(scarce__forest_walk(&a, x + 2 * i), scarce__forest_walk(&b, x + 2 * i), 1e-5);
    scarce__forest_deinit(&a);
    scarce__forest_deinit(&b);
    for (size_t i = 0; i < N; ++i) w[i] = y[i] ? 3 : 1;
    const scarce__boost_data plain = {.table = t, .binned = full};
    CHECK(scarce__boost_train(&a, &weighted, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    o.pos_weight = 3;
    CHECK(scarce__boost_train(&b, &plain, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(a.base, b.base, 1e-9);
    for (size_t i = 0; i < N; ++i)
        CHECK_NEAR(scarce__forest_walk(&a, x + 2 * i), scarce__forest_walk(&b, x + 2 * i), 1e-5);
    scarce__forest_deinit(&a);
    scarce__forest_deinit(&b);
    scarce__binned_free(full);
    scarce_table_free(t);
    scarce__free(x);
}

/* ---- Sampling */

static void test_sampling(void)
{
    enum { N = 20000, P = 100 };
    uint8_t *y = scarce__calloc(N, 1);
    float *score = scarce__malloc_array(N, sizeof *score);
    for (size_t i = 0; i < N; ++i) {
        y[i] = i % (N / P) == 7;
        score[i] = (float)(-7 + 5 * (double)(i % 1000) / 1000);
    }
    const scarce__loss loss = scarce__loss_logistic(1);
    const scarce__population all = {.n = N, .label = y, .score = score, .n_all = N, .loss = &loss};
    scarce__sampling_options o = SCARCE__SAMPLING_OPTIONS_INIT;
    scarce__sampling s;
    scarce__bag bag, twin;
    memset(&bag, 0, sizeof bag);
    memset(&twin, 0, sizeof twin);
    for (int kind = SCARCE__ROWS_UNIFORM; kind <= SCARCE__ROWS_IMPORTANCE; ++kind) {
        size_t positives = 0;
        scarce_error err = SCARCE_ERROR_INIT;
        const scarce__sampling_options fresh = SCARCE__SAMPLING_OPTIONS_INIT;
        o = fresh;
        o.kind = (scarce__sampling_kind)kind;
        o.fraction = 0.25;
        o.ratio = 0.2;
        o.reweigh = 1;
        CHECK(scarce__sampling_choose(&s, &o, P, N - P, &loss, &err) == SCARCE_OK);
        double want = 0, got = 0;
        scarce__draw at = {5, 0, 0};
        for (at.tree = 0; at.tree < 20;
             ++at.tree) { /* the weighted sum of p over bags is that over all rows */
            CHECK(scarce__sampling_draw(&s, &bag, &all, &at, NULL, &err) == SCARCE_OK);
            for (size_t k = 0; k < bag.n; ++k) {
                if (k > 0) CHECK(bag.row[k] > bag.row[k - 1]);
                positives += y[bag.row[k]];
                if (!y[bag.row[k]])
                    got += (bag.weight ? (double)bag.weight[k] : 1) / (1 + exp(-(double)score[bag.row[k]]));
            }
            for (size_t i = 0; i < N; ++i)
                if (!y[i]) want += 1 / (1 + exp(-(double)score[i]));
        }
        at.tree = 19;
        CHECK(scarce__sampling_draw(&s, &twin, &all, &at, NULL, &err) == SCARCE_OK);
        CHECK(twin.n == bag.n && memcmp(twin.row, bag.row, bag.n * sizeof *bag.row) == 0);
        switch (kind) {
        case SCARCE__ROWS_UNIFORM: CHECK(bag.n == N / 4); break;
        case SCARCE__ROWS_STRATIFIED: CHECK(bag.n == N / 4 && positives == 20 * P / 4); break;
        case SCARCE__ROWS_CLASSES:
            CHECK(positives == 20 * P && bag.n == P + (N - P) / 10);
            CHECK_NEAR(got / want, 1, 0.05);
            break;
        case SCARCE__ROWS_BALANCED:
            CHECK(positives == 20 * P && bag.n == 2 * P);
            CHECK_NEAR(got / want, 1, 0.1);
            break;
        case SCARCE__ROWS_RATIO:
            CHECK(positives == 20 * P && bag.n == 5 * P);
            CHECK_NEAR(got / want, 1, 0.1);
            break;
        case SCARCE__ROWS_GOSS:
            CHECK_NEAR((double)bag.n / N, 0.3, 0.02);
            CHECK_NEAR(got / want, 1, 0.02);
            break;
        case SCARCE__ROWS_MVS:
            CHECK_NEAR((double)bag.n / N, 0.25, 0.02);
            CHECK_NEAR(got / want, 1, 0.02);
            break;
        default:
            CHECK(positives == 20 * P);
            CHECK(bag.n > 5 * P && bag.n < 7 * P); /* themselves and 5 negatives each */
            CHECK_NEAR(got / want, 1, 0.02);
        }
    }
    /* importance sampling that would take most rows is no sampling */
    CHECK(scarce__sampling_choose(&s, &o, 2000, 8000, &loss, NULL) == SCARCE_OK && scarce__sampling_all(&s));
    o.kind = SCARCE__ROWS_UNIFORM;
    o.fraction = 0;
    CHECK(scarce__sampling_choose(&s, &o, P, N - P, &loss, NULL) == SCARCE_EINVAL);
    scarce__bag_deinit(&bag);
    scarce__bag_deinit(&twin);
    scarce__free(y);
    scarce__free(score);
}

/* ---- Odd input */

static void test_odd_input(void)
{
    const float x[12] = {1, NAN, 2, NAN, 3, NAN, 4, NAN, INFINITY, NAN, -INFINITY, NAN};
    const uint8_t y[6] = {0, 0, 0, 1, 1, 0}, same[6] = {1, 1, 1, 1, 1, 1};
    scarce_table *t = NULL;
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__forest f;
    scarce_error err = SCARCE_ERROR_INIT;
    double w[6] = {1, 1, 1, 0, 0, 1};

    scarce__boost_options_init(&o);
    o.grow.rules.min_child_weight = 0;
    CHECK(scarce_table_from_floats(&t, x, 6, 2, NULL, y, NULL) == SCARCE_OK);
    scarce__boost_data train = {.table = t};
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, &err) == SCARCE_OK);
    CHECK(scarce__forest_walk(&f, (const float[]){4, NAN}) >
          scarce__forest_walk(&f, (const float[]){2, NAN}));
    CHECK(scarce__forest_walk(&f, (const float[]){INFINITY, NAN}) >
          scarce__forest_walk(&f, (const float[]){-INFINITY, NAN}));
    scarce__forest_deinit(&f);
    train.label = same;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, &err) == SCARCE_EDATA && f.n_trees == 0);
    CHECK_TEXT(err.text, "all 6 training rows are positive; both classes are needed");
    train.label = NULL;
    train.weight = w;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "the positives of the training rows weigh nothing (weights below 1e-38 count as 0)");
    w[3] = -1;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, &err) == SCARCE_EDATA);
    train.weight = NULL;
    o.bins.max_bins = 300;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, &err) == SCARCE_EINVAL);
    o.bins.max_bins = 255;
    o.grow.learning_rate = 0;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, &err) == SCARCE_EINVAL);
    scarce_table_free(t);

    const float constant[6] = {5, 5, 5, 5, 5, 5};
    o.grow.learning_rate = 0.1;
    CHECK(scarce_table_from_floats(&t, constant, 6, 1, NULL, y, NULL) == SCARCE_OK);
    train.table = t;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, &err) == SCARCE_OK);
    CHECK(f.n_trees == 0 && result.exhausted);
    CHECK_NEAR(f.base, log(2.0 / 4.0), 1e-12);
    scarce__forest_deinit(&f);
    scarce_table_free(t);
}

/* Few rows, many columns. */
static void test_wide(void)
{
    enum { N = 60, M = 3000 };
    float *x = scarce__malloc_array((size_t)N * M, sizeof *x);
    uint8_t y[N];
    scarce__random r = scarce__random_start(41, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < (size_t)N * M; ++i) x[i] = (float)scarce__random_normal(&r);
    for (size_t i = 0; i < N; ++i) y[i] = x[i * M + 1234] > 0.3f;
    scarce_table *t = NULL;
    scarce__boost_options o;
    scarce__boost_result result;
    scarce__forest f;
    CHECK(scarce_table_from_floats(&t, x, N, M, NULL, y, NULL) == SCARCE_OK);
    const scarce__boost_data train = {.table = t};
    scarce__boost_options_init(&o);
    o.n_trees = 5;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(f.nodes[0].feature == 1234);
    scarce__forest_deinit(&f);
    scarce_table_free(t);
    scarce__free(x);
}

static const test_case tests[] = {
    {"exp", test_exp},
    {"gradients", test_gradients},
    {"same_bits", test_same_bits},
    {"validation", test_validation},
    {"weights", test_weights},
    {"sampling", test_sampling},
    {"odd_input", test_odd_input},
    {"wide", test_wide},
};
TEST_MAIN(tests)
