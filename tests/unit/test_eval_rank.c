/* SPDX-License-Identifier: Apache-2.0 */
/* The ranking against qsort, and the fast average precision against its definition. */
#include <stdlib.h>

#include <scarce/metrics.h>

#include "core/random.h"
#include "eval/ap.h"
#include "eval/rank.h"
#include "test.h"

enum { KINDS = 9 };

/* Scores of many shapes; each stresses another path of the sort. */
static double score_of(int kind, scarce__random *r)
{
    const double u = scarce__random_unit(r);
    switch (kind) {
    case 0: return u;                                                  /* few equal leading bits */
    case 1: return floor(u * 7) - 3;                                   /* heavy ties, both signs */
    case 2: return (double)(float)scarce__random_normal(r);            /* floats */
    case 3: return scarce__random_normal(r) * pow(10, 600 * (u - .5)); /* the whole range of exponents */
    case 4: return 0.5 + u * 1e-12;                                    /* differ in the last bits only */
    case 5: return u < .01 ? -1e300 : 0.5 + floor(u * 1e5) * 0x1p-53;  /* long runs of equal keys */
    case 6: return u < .1 ? INFINITY : u < .2 ? -INFINITY : u < .3 ? -0.0 : u < .4 ? 0.0 : u - .5;
    case 7: return 3;
    default: return 1 / (1 + exp(8 - 2 * scarce__random_normal(r))); /* probabilities of rare events */
    }
}

static const double *scores;

static int higher_first(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (scores[a] != scores[b]) return scores[a] > scores[b] ? -1 : 1;
    return a < b ? -1 : 1;
}

static void check_ranking(const double *score, size_t n, scarce__pool *pool)
{
    uint32_t *want = malloc((n + 1) * sizeof *want);
    scarce__ranking r;
    size_t g = 0, wrong = 0;
    CHECK(scarce__rank(&r, score, n, "score", pool, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) want[i] = (uint32_t)i;
    scores = score;
    qsort(want, n, sizeof *want, higher_first);
    for (size_t i = 0; i < n; ++i) {
        const int last = i + 1 == n || score[want[i]] != score[want[i + 1]];
        wrong += r.order[i] != want[i];
        if (last) wrong += g >= r.n_groups || r.group_end[g++] != i + 1;
    }
    CHECK(wrong == 0);
    CHECK(g == r.n_groups && r.n == n);
    scarce__ranking_deinit(&r);
    free(want);
}

static void test_ranking(void)
{
    static const size_t sizes[] = {0, 1, 2, 5, 48, 49, 1000, 150000};
    scarce__pool *pool = NULL;
    CHECK(scarce__pool_new(&pool, 3, NULL) == SCARCE_OK);
    for (int kind = 0; kind < KINDS; ++kind)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            double *score = malloc((sizes[s] + 1) * sizeof *score);
            scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, (uint64_t)kind);
            for (size_t i = 0; i < sizes[s]; ++i) score[i] = score_of(kind, &r);
            check_ranking(score, sizes[s], NULL);
            check_ranking(score, sizes[s], pool);
            free(score);
        }
    scarce__pool_free(pool);
}

static void test_sort_keys(void)
{
    enum { N = 100000 };
    static uint64_t key[N], tmp[N];
    uint32_t *counts = malloc(scarce__sort_counts(NULL, N) * sizeof *counts);
    for (int kind = 0; kind < KINDS; ++kind) {
        scarce__random r = scarce__random_start(2, SCARCE__FOR_TEST, (uint64_t)kind);
        uint64_t sum = 0, after = 0;
        size_t wrong = 0;
        for (size_t i = 0; i < N; ++i)
            sum += scarce__mix64(key[i] = scarce__ordered_bits(score_of(kind, &r)));
        scarce__sort_keys(key, tmp, N, counts, NULL);
        for (size_t i = 0; i < N; ++i) {
            after += scarce__mix64(key[i]);
            wrong += i > 0 && key[i - 1] > key[i];
        }
        CHECK(wrong == 0 && sum == after);
    }
    free(counts);
}

static void test_nan(void)
{
    double score[] = {1, 2, NAN, 3}, ap;
    float single[] = {1, 2, 3, NAN};
    const uint8_t label[] = {0, 1, 0, 1}, none[4] = {0};
    scarce__ranking r;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce__rank(&r, score, 4, "score", NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "row 3: the score is NaN");
    CHECK(r.order == NULL);
    err.text[0] = 0;
    CHECK(scarce__ap_fast(&ap, score, label, NULL, 4, NULL, &err) == SCARCE_EDATA && isnan(ap));
    CHECK_TEXT(err.text, "row 3: the score is NaN");
    CHECK(scarce__ap_fast(&ap, score, label, score, 4, NULL, NULL) == SCARCE_EDATA);
    CHECK(scarce__ap_fast(&ap, score, none, NULL, 4, NULL, NULL) == SCARCE_EDATA);
    CHECK(scarce__ap_fast_f32(&ap, single, label, NULL, 4, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "row 4: the score is NaN");
}

/* AP by its definition: for every positive, the precision of all rows at or above it. */
static double slow_ap(const double *score, const uint8_t *label, const double *weight, size_t n)
{
    double sum = 0, all = 0, neg = 0;
    for (size_t i = 0; i < n; ++i) {
        double tp = 0, fp = 0;
        const double w = weight ? weight[i] : 1;
        *(label[i] ? &all : &neg) += w;
        if (!label[i] || w == 0) continue;
        for (size_t j = 0; j < n; ++j)
            if (score[j] >= score[i]) *(label[j] ? &tp : &fp) += weight ? weight[j] : 1;
        sum += w * tp / (tp + fp);
    }
    return all > 0 && neg > 0 ? sum / all : (double)NAN;
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12;
}

static void test_ap(void)
{
    enum { N = 4500 }; /* enough for the way of many positives */
    static double score[N], weight[N];
    static float single[N];
    static uint8_t label[N];
    scarce__pool *pool = NULL;
    CHECK(scarce__pool_new(&pool, 3, NULL) == SCARCE_OK);
    for (int round = 0; round < 200; ++round) {
        scarce__random r = scarce__random_start(3, SCARCE__FOR_TEST, (uint64_t)round);
        const double share = round % 100 == 0 ? .6 : pow(scarce__random_unit(&r), 4);
        const size_t n = round % 50 == 0 ? N : 1 + (size_t)(scarce__random_unit(&r) * 300);
        double got = 0;
        for (size_t i = 0; i < n; ++i) {
            score[i] = score_of(round % KINDS, &r);
            label[i] = scarce__random_unit(&r) < share || i == n / 2;
            weight[i] = floor(scarce__random_unit(&r) * 4) / 3;
        }
        CHECK(scarce__ap_fast(&got, score, label, NULL, n, pool, NULL) == SCARCE_OK);
        CHECK(same(got, slow_ap(score, label, NULL, n)));
        CHECK(scarce__ap_fast(&got, score, label, weight, n, pool, NULL) == SCARCE_OK);
        CHECK(same(got, slow_ap(score, label, weight, n)));
        for (size_t i = 0; i < n; ++i) score[i] = single[i] = (float)score[i];
        CHECK(scarce__ap_fast_f32(&got, single, label, NULL, n, pool, NULL) == SCARCE_OK);
        CHECK(same(got, slow_ap(score, label, NULL, n)));
        CHECK(scarce__ap_fast_f32(&got, single, label, weight, n, pool, NULL) == SCARCE_OK);
        CHECK(same(got, slow_ap(score, label, weight, n)));
    }
    scarce__pool_free(pool);
}

/* Large enough for several parts and chunks: the same bits with any number of threads, and the AP of the
 * metrics. */
static void test_ap_threads(void)
{
    enum { N = 100000 };
    static const double shares[] = {1e-5, .01, .5, .97};
    double *score = malloc(N * sizeof *score), *weight = malloc(N * sizeof *weight);
    uint8_t *label = malloc(N);
    for (int kind = 0; kind < KINDS; ++kind)
        for (size_t s = 0; s < 4; ++s) {
            scarce__random r = scarce__random_start(4, SCARCE__FOR_TEST, (uint64_t)kind * 4 + s);
            double got[4][2];
            scarce_metrics m = SCARCE_METRICS_INIT;
            for (size_t i = 0; i < N; ++i) {
                score[i] = score_of(kind, &r);
                label[i] = i < 2 || scarce__random_unit(&r) < shares[s];
                weight[i] = scarce__random_unit(&r);
            }
            for (int threads = 1; threads < 4; ++threads) {
                scarce__pool *pool = NULL;
                CHECK(scarce__pool_new(&pool, threads, NULL) == SCARCE_OK);
                CHECK(scarce__ap_fast(&got[threads][0], score, label, NULL, N, pool, NULL) == SCARCE_OK);
                CHECK(scarce__ap_fast(&got[threads][1], score, label, weight, N, pool, NULL) == SCARCE_OK);
                scarce__pool_free(pool);
                CHECK(got[threads][0] == got[1][0] && got[threads][1] == got[1][1]);
            }
            scarce_scored in = {N, score, label, NULL, NULL, NULL, NULL, NULL};
            CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, NULL) == SCARCE_OK);
            CHECK_NEAR(got[1][0], m.ap, 1e-12);
            in.weight = weight;
            CHECK(scarce_metrics_compute(&m, &in, NULL, NULL, NULL) == SCARCE_OK);
            CHECK_NEAR(got[1][1], m.ap, 1e-12);
        }
    free(score);
    free(weight);
    free(label);
}

static const test_case tests[] = {
    {"ranking", test_ranking}, {"sort_keys", test_sort_keys},   {"nan", test_nan},
    {"ap", test_ap},           {"ap_threads", test_ap_threads},
};
TEST_MAIN(tests)
