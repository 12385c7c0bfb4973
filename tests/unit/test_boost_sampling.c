/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over bags are unbiased, minimal variance sampling finds its threshold, and probabilities stay right
 * under sampling. All seeds are fixed: what passes once passes always. */
#include "core/alloc.h"
#include "test.h"

#include "boost/boost.h"
#include "core/random.h"
#include "data/table.h"
#include "tree/fast.h"

enum { N = 4000, DRAWS = 250 };

typedef struct rows {
    float score[N], g[N], h[N], case_weight[N];
    uint8_t label[N];
} rows;

static void make(rows *r, const scarce__loss *loss)
{
    scarce__random random = scarce__random_start(3, SCARCE__FOR_TEST, 1);
    for (size_t i = 0; i < N; ++i) {
        r->score[i] = (float)(1.5 * scarce__random_normal(&random) - 3);
        r->label[i] = scarce__random_unit(&random) < 1 / (1 + exp(-(double)r->score[i]));
        r->case_weight[i] = (float)(1 + i % 3);
    }
    const scarce__loss_rows all = {N, r->score, r->label, NULL, r->case_weight, NULL, NULL};
    CHECK(loss->gradients(loss, &all, r->g, r->h, NULL, NULL) == SCARCE_OK);
}

static scarce__population population_of(const rows *r, const scarce__loss *loss)
{
    const scarce__population from = {.n = N,
                                     .label = r->label,
                                     .score = r->score,
                                     .case_weight = r->case_weight,
                                     .n_all = N,
                                     .loss = loss};
    return from;
}

static size_t positives_of(const rows *r)
{
    size_t n = 0;
    for (size_t i = 0; i < N; ++i) n += r->label[i];
    return n;
}

/* The sum of g over a third of the rows, by one bag (two steps with a pool). */
static double estimate(const rows *r, scarce__sampling *s, const scarce__loss *loss, size_t tree,
                       double *sum_h)
{
    static uint32_t id[N];
    static uint8_t label[N];
    static float score[N], weight[N], bag_weight[N];
    scarce__population from = population_of(r, loss);
    const scarce__draw of_pool = {9, tree, 1}, of_bag = {9, tree, 0};
    scarce__bag bag, pool;
    double sum = 0;

    memset(&bag, 0, sizeof bag);
    memset(&pool, 0, sizeof pool);
    *sum_h = 0;
    if (s->o.pool > 0 && s->is->pool_due) {
        CHECK(scarce__sampling_draw(s, &pool, &from, &of_pool, NULL, NULL) == SCARCE_OK);
        CHECK(pool.n > N / 4 && pool.n < N * 3 / 4);
        for (size_t k = 0; k < pool.n; ++k) {
            id[k] = pool.row[k];
            label[k] = r->label[id[k]];
            score[k] = r->score[id[k]];
            weight[k] = r->case_weight[id[k]];
            bag_weight[k] = pool.weight[k];
        }
        from.n = pool.n;
        from.id = id;
        from.label = label;
        from.score = score;
        from.case_weight = weight;
        from.bag_weight = bag_weight;
    }
    CHECK(scarce__sampling_draw(s, &bag, &from, &of_bag, NULL, NULL) == SCARCE_OK);
    for (size_t k = 0; k < bag.n; ++k) {
        const size_t i = from.id ? from.id[bag.row[k]] : bag.row[k];
        const double w = (bag.weight ? (double)bag.weight[k] : 1 / s->o.fraction) *
                         (from.bag_weight ? (double)from.bag_weight[bag.row[k]] : 1);
        if (i % 3 != 1) continue;
        sum += w * (double)r->g[i];
        *sum_h += w * (double)r->h[i];
    }
    scarce__bag_deinit(&bag);
    scarce__bag_deinit(&pool);
    return sum;
}

/* Mean of the estimates within 4 of its own standard errors of the sum over all rows; the spread is told, and
 * must be a small part of sum |g|, so that the test says something. */
static void check_unbiased(const scarce__loss *loss, scarce__sampling_options o)
{
    static rows r;
    double want = 0, want_h = 0, size = 0, mean[2] = {0, 0}, square[2] = {0, 0};
    scarce__sampling s;
    make(&r, loss);
    for (size_t i = 0; i < N; ++i) {
        if (i % 3 != 1) continue;
        want += (double)r.g[i];
        want_h += (double)r.h[i];
        size += fabs((double)r.g[i]);
    }
    CHECK(scarce__sampling_choose(&s, &o, positives_of(&r), N - positives_of(&r), loss, NULL) == SCARCE_OK);
    for (size_t t = 0; t < DRAWS; ++t) {
        double x[2];
        x[0] = estimate(&r, &s, loss, t, &x[1]);
        for (int k = 0; k < 2; ++k) {
            mean[k] += x[k] / DRAWS;
            square[k] += x[k] * x[k] / DRAWS;
        }
    }
    const double error = sqrt((square[0] - mean[0] * mean[0]) / DRAWS);
    const double error_h = sqrt((square[1] - mean[1] * mean[1]) / DRAWS);
    CHECK(fabs(mean[0] - want) < 4 * error);
    CHECK(fabs(mean[1] - want_h) < 4 * error_h);
    CHECK(error > 0 && error < 0.04 * size);
}

static void test_unbiased(void)
{
    const scarce__sampling_kind kinds[] = {SCARCE__ROWS_UNIFORM, SCARCE__ROWS_STRATIFIED, SCARCE__ROWS_GOSS,
                                           SCARCE__ROWS_MVS, SCARCE__ROWS_IMPORTANCE};
    const scarce__loss losses[] = {scarce__loss_logistic(1), scarce__loss_exponential(),
                                   scarce__loss_squared(),   scarce__loss_focal(2),
                                   scarce__loss_ap_lb(1),    scarce__loss_rankboost(0)};
    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; ++l)
        for (size_t k = 0; k < 5; ++k)
            for (int pool = 0; pool < 2; ++pool) {
                scarce__sampling_options o = SCARCE__SAMPLING_OPTIONS_INIT;
                if (pool && kinds[k] != SCARCE__ROWS_IMPORTANCE) continue;
                o.kind = kinds[k];
                o.fraction = 0.2;
                o.per_positive = 2;
                o.max_probability = 0.5;
                o.pool = pool ? 4 : 0;
                o.pool_least = 0;
                check_unbiased(&losses[l], o);
            }
}

/* The weights of a bag are 1 / min(1, v / mu) with the mu of a bisection, sum p = share x rows. */
static void test_mvs_threshold(void)
{
    static rows r;
    static double v[N];
    const scarce__loss loss = scarce__loss_logistic(1);
    static const double shares[] = {0.003, 0.05, 0.3, 0.9, 1};
    make(&r, &loss);
    for (size_t s = 0; s < 5; ++s) {
        scarce__sampling_options o = SCARCE__SAMPLING_OPTIONS_INIT;
        const scarce__population from = population_of(&r, &loss);
        scarce__sampling chosen;
        double low = 1e-12, high = 1e12;
        scarce__bag bag;
        memset(&bag, 0, sizeof bag);
        o.kind = SCARCE__ROWS_MVS;
        o.fraction = shares[s];
        o.mvs_lambda = 0.5;
        for (size_t i = 0; i < N; ++i)
            v[i] = sqrt((double)r.g[i] * (double)r.g[i] + 0.5 * (double)r.h[i] * (double)r.h[i]);
        for (int step = 0; step < 200; ++step) {
            const double mu = sqrt(low * high);
            double sum = 0;
            for (size_t i = 0; i < N; ++i) sum += v[i] < mu ? v[i] / mu : 1;
            if (sum > shares[s] * N) low = mu;
            else high = mu;
        }
        size_t certain = 0;
        CHECK(scarce__sampling_choose(&chosen, &o, 1, 1, &loss, NULL) == SCARCE_OK);
        for (size_t t = 0; t < 3; ++t) {
            const scarce__draw at = {1, t, 0};
            CHECK(scarce__sampling_draw(&chosen, &bag, &from, &at, NULL, NULL) == SCARCE_OK);
            for (size_t k = 0; k < bag.n; ++k) {
                const double x = v[bag.row[k]] / low, p = x < 1 ? x : 1;
                CHECK_NEAR((double)bag.weight[k] * p, 1, 1e-5);
                certain += x >= 1;
            }
            CHECK_NEAR((double)bag.n, shares[s] * N, 4 * sqrt(shares[s] * N) + 1);
        }
        CHECK(certain > 0 || s < 2);
        scarce__bag_deinit(&bag);
    }
    /* nothing to choose by */
    memset(r.case_weight, 0, sizeof r.case_weight);
    scarce__sampling_options o = SCARCE__SAMPLING_OPTIONS_INIT;
    const scarce__population from = population_of(&r, &loss);
    const scarce__draw at = {1, 0, 0};
    scarce__sampling chosen;
    scarce__bag bag;
    memset(&bag, 0, sizeof bag);
    o.kind = SCARCE__ROWS_MVS;
    o.fraction = 0.25;
    CHECK(scarce__sampling_choose(&chosen, &o, 1, 1, &loss, NULL) == SCARCE_OK);
    CHECK(scarce__sampling_draw(&chosen, &bag, &from, &at, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR((double)bag.n, 0.25 * N, 150);
    scarce__bag_deinit(&bag);
}

/* ---- Probabilities at 0.2 % */

enum { TRAIN = 60000, TEST = 60000, FEATURES = 5 };

static double chance(const float *x)
{
    return 1 / (1 + exp(8.2 - 1.2 * (double)x[0] - (double)x[1] * (double)x[1] * 0.5 - (x[2] > 1 ? 1.5 : 0)));
}

static void fill(float *x, uint8_t *y, size_t n, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 2);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < FEATURES; ++k) x[i * FEATURES + k] = (float)scarce__random_normal(&r);
        y[i] = scarce__random_unit(&r) < chance(x + i * FEATURES);
    }
}

static void test_probabilities(void)
{
    const scarce__sampling_kind kinds[] = {SCARCE__ROWS_ALL, SCARCE__ROWS_STRATIFIED, SCARCE__ROWS_GOSS,
                                           SCARCE__ROWS_MVS, SCARCE__ROWS_IMPORTANCE};
    float *x = scarce__malloc_array((size_t)TRAIN * FEATURES, sizeof *x);
    float *z = scarce__malloc_array((size_t)TEST * FEATURES, sizeof *z);
    uint8_t *y = scarce__malloc(TRAIN), *unused = scarce__malloc(TEST);
    double *score = scarce__malloc_array(TEST, sizeof *score), truth = 0;
    scarce_table *table = NULL;
    scarce__binned *binned = NULL;

    fill(x, y, TRAIN, 1);
    fill(z, unused, TEST, 2);
    for (size_t i = 0; i < TEST; ++i) truth += chance(z + i * FEATURES) / TEST;
    CHECK(truth > 0.0015 && truth < 0.003);
    CHECK(scarce_table_from_floats(&table, x, TRAIN, FEATURES, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce__binned_new(&binned, table, NULL, 0, NULL, NULL, NULL, NULL) == SCARCE_OK);
    for (size_t k = 0; k < 5; ++k) {
        const scarce__boost_data train = {.table = table, .binned = binned};
        scarce__boost_options o;
        scarce__boost_result result;
        scarce__forest forest;
        scarce__fast *fast = NULL;
        double mean = 0;
        scarce__boost_options_init(&o);
        o.n_trees = 40;
        o.sampling.kind = kinds[k];
        o.sampling.fraction = 0.2;
        CHECK(scarce__boost_train(&forest, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
        scarce__fast_batch(fast, z, TEST, FEATURES, score);
        for (size_t i = 0; i < TEST; ++i) mean += 1 / (1 + exp(-score[i])) / TEST;
        CHECK(fabs(mean - truth) < 0.0005);
        scarce__fast_free(fast);
        scarce__forest_deinit(&forest);
    }
    scarce__binned_free(binned);
    scarce_table_free(table);
    scarce__free(x);
    scarce__free(z);
    scarce__free(y);
    scarce__free(unused);
    scarce__free(score);
}

/* Every way of sampling with every loss: a model, and better than chance on its own rows. */
static void test_every_pair(void)
{
    static float x[N * 3], score[N];
    static uint8_t y[N];
    const scarce__loss losses[] = {scarce__loss_logistic(1),    scarce__loss_exponential(),
                                   scarce__loss_squared(),      scarce__loss_focal(2),
                                   scarce__loss_ap_lb(1),       scarce__loss_sgbap(1, 0.5, 0),
                                   scarce__loss_sgbap(1, 1, 1), scarce__loss_sgbap_sig(3, 0),
                                   scarce__loss_lambdamart(0),  scarce__loss_rankboost(0)};
    scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, 3);
    scarce_table *table = NULL;
    for (size_t i = 0; i < N; ++i) {
        for (size_t k = 0; k < 3; ++k) x[3 * i + k] = (float)scarce__random_normal(&r);
        y[i] = x[3 * i] + 0.5f * x[3 * i + 1] + 0.3f * (float)scarce__random_normal(&r) > 2.2f;
    }
    CHECK(scarce_table_from_floats(&table, x, N, 3, NULL, y, NULL) == SCARCE_OK);
    for (int kind = SCARCE__ROWS_ALL; kind < (int)scarce__n_samplers; ++kind)
        for (size_t l = 0; l < sizeof losses / sizeof losses[0]; ++l) {
            const scarce__boost_data train = {.table = table};
            scarce__boost_options o;
            scarce__boost_result result;
            scarce__forest forest;
            double sum[2] = {0, 0}, count[2] = {0, 0};
            scarce__boost_options_init(&o);
            o.n_trees = 12;
            o.loss = losses[l];
            o.sampling.kind = (scarce__sampling_kind)kind;
            o.sampling.fraction = 0.5;
            o.sampling.ratio = 0.3;
            o.sampling.per_positive = 3;
            o.sampling.pool_again = 5;
            o.sampling.pool = 4;
            o.sampling.pool_least = 0;
            o.grow.rules.min_child_weight = 0.1;
            o.train_score = score;
            CHECK(scarce__boost_train(&forest, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
            for (size_t i = 0; i < N; ++i) {
                sum[y[i]] += (double)score[i];
                count[y[i]] += 1;
            }
            CHECK(sum[1] / count[1] > sum[0] / count[0]);
            scarce__forest_deinit(&forest);
        }
    scarce_table_free(table);
}

/* ---- With replacement: counts, and how they are spread */

static void test_bootstrap(void)
{
    static rows r;
    static double mean[N];
    const scarce__loss loss = scarce__loss_logistic(1);
    make(&r, &loss);
    const scarce__population from = population_of(&r, &loss);
    const size_t p = positives_of(&r);
    for (int balanced = 0; balanced < 2; ++balanced) {
        scarce__sampling_options o = SCARCE__SAMPLING_OPTIONS_INIT;
        scarce__sampling s;
        scarce__bag bag, again;
        double outside = 0, variance = 0;
        memset(&bag, 0, sizeof bag);
        memset(&again, 0, sizeof again);
        memset(mean, 0, sizeof mean);
        o.kind = balanced ? SCARCE__ROWS_BOOTSTRAP_BALANCED : SCARCE__ROWS_BOOTSTRAP;
        o.fraction = 1;
        CHECK(scarce__sampling_choose(&s, &o, p, N - p, &loss, NULL) == SCARCE_OK);
        for (size_t t = 0; t < DRAWS; ++t) {
            const scarce__draw at = {4, t, 0};
            double drawn[2] = {0, 0};
            CHECK(scarce__sampling_draw(&s, &bag, &from, &at, NULL, NULL) == SCARCE_OK);
            CHECK(scarce__sampling_draw(&s, &again, &from, &at, NULL, NULL) == SCARCE_OK);
            CHECK(bag.n == again.n && memcmp(bag.row, again.row, bag.n * sizeof *bag.row) == 0 &&
                  memcmp(bag.weight, again.weight, bag.n * sizeof *bag.weight) == 0);
            for (size_t k = 0; k < bag.n; ++k) {
                const double c = (double)bag.weight[k];
                CHECK(c >= 1 && c == floor(c) && (k == 0 || bag.row[k] > bag.row[k - 1]));
                drawn[r.label[bag.row[k]]] += c;
                mean[bag.row[k]] += c / DRAWS;
            }
            if (balanced) CHECK(drawn[0] == (double)p && drawn[1] == (double)p);
            else CHECK(drawn[0] + drawn[1] == N);
            outside += (double)(N - bag.n) / N / DRAWS;
        }
        if (!balanced) CHECK_NEAR(outside, exp(-1.0), 0.002);
        for (size_t i = 0; i < N; ++i) { /* a count is Poisson but for 1/n: mean = variance */
            const double want = !balanced || r.label[i] ? 1 : (double)p / (double)(N - p);
            variance += (mean[i] - want) * (mean[i] - want) * DRAWS / want / N;
        }
        CHECK_NEAR(variance, 1, 0.1);
        scarce__bag_deinit(&bag);
        scarce__bag_deinit(&again);
    }
}

static const test_case tests[] = {{"unbiased", test_unbiased},
                                  {"mvs_threshold", test_mvs_threshold},
                                  {"probabilities", test_probabilities},
                                  {"every_pair", test_every_pair},
                                  {"bootstrap", test_bootstrap}};
TEST_MAIN(tests)
