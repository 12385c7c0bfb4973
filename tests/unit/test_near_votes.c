/* SPDX-License-Identifier: Apache-2.0 */
/* Remembered rows against what the definitions say, one by one: the index against all pairs, votes by counting
 * with copies for weights, gamma by trying all of them, rows that are left out against a memory without them. */
#include "near/nearby.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "lcg.h"
#include "method/near_gamma.h"
#include "near/index.h"
#include "near/nearby_inside.h"
#include "tables.h"
#include "test.h"

enum { NUMBERS = 0, TIES = 1, GAPS = 2, CATEGORIES = 4, SPARSE = 8 };

static scarce_table *make(size_t n, size_t d, int how, size_t one_in, uint64_t seed)
{
    lcg r = lcg_start(seed);
    float *x = malloc(n * d * sizeof *x);
    uint8_t *label = calloc(n, 1);
    scarce_table *t = NULL;
    for (size_t i = 0; i < n * d; ++i) {
        const size_t f = i % d;
        x[i] = how & TIES ? (float)lcg_below(&r, 3) : (float)lcg_draw(&r) / 1e8f;
        if (how & CATEGORIES && f % 3 == 1) x[i] = (float)lcg_below(&r, 4);
        if (how & SPARSE && lcg_below(&r, 8)) x[i] = 0;
        if (how & GAPS && lcg_below(&r, 6) == 0) x[i] = NAN;
    }
    for (size_t i = 0; i < n; ++i) label[i] = i < 2 ? (uint8_t)i : lcg_below(&r, one_in) == 0;
    CHECK(scarce_table_from_floats(&t, x, n, d, NULL, label, NULL) == SCARCE_OK);
    for (size_t f = 0; f < d; ++f) {
        if (how & CATEGORIES && f % 3 == 1) to_category(t, f, 4);
        else if (how & SPARSE) to_sparse(t, f);
    }
    free(x), free(label);
    return t;
}

/* ---- the index */

static void check_index(size_t n, size_t d, int how, size_t k)
{
    scarce_table *t = make(n, d, how, 5, n + d), *queries = make(60, d, how | GAPS, 5, 77);
    scarce__space space;
    scarce__index x;
    uint32_t *some = malloc(n * sizeof *some), *want = malloc(60 * k * sizeof *want),
             *got = malloc(k * sizeof *got), *weight = malloc(n * sizeof *weight);
    double *square = malloc(60 * k * sizeof *square), *own = malloc(k * sizeof *own), bound[60];
    float *row = malloc(d * sizeof *row);
    uint64_t sum[60];
    size_t n_some = 0, wrong = 0;
    for (size_t i = 0; i < n; ++i) weight[i] = (uint32_t)(i % 7);
    for (size_t i = 0; i < n; ++i)
        if (i % 3) some[n_some++] = (uint32_t)i;
    CHECK(scarce__space_init(&space, t, SCARCE__SCALE_AUTO, NULL, NULL) == SCARCE_OK);
    const scarce__near ask = {&space, {queries, NULL, 60}, {t, some, n_some}, k, 0};
    CHECK(scarce__index_init(&x, &space, &ask.among, NULL) == SCARCE_OK);
    CHECK(scarce__index_memory(&space, (double)n_some) > 0);
    CHECK(scarce__near_find(want, square, &ask, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < 60; ++i) bound[i] = isnan(square[i * k + k - 1]) ? 1e9 : square[i * k + k - 1];
    CHECK(scarce__near_within(sum, &ask, bound, weight, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < 60; ++i) {
        uint64_t slow = 0;
        scarce_table_row(queries, i, row);
        scarce__index_nearest(&x, row, k, got, own);
        for (size_t j = 0; j < k; ++j)
            wrong += got[j] != want[i * k + j] ||
                     (memcmp(&own[j], &square[i * k + j], sizeof *own) != 0 && !isnan(own[j]));
        for (size_t j = 0; j < n_some; ++j)
            if (scarce__space_square(&space, queries, i, t, some[j]) <= bound[i]) slow += weight[some[j]];
        wrong += slow != sum[i] || scarce__index_within(&x, row, bound[i], weight) != slow;
    }
    CHECK(wrong == 0);
    if (wrong) fprintf(stderr, "index of %zu x %zu, kind %d, k %zu\n", n, d, how, k);
    scarce__index_deinit(&x);
    scarce__space_deinit(&space);
    free(some), free(want), free(got), free(weight), free(square), free(own), free(row);
    scarce_table_free(t), scarce_table_free(queries);
}

static void test_index(void)
{
    static const int kinds[] = {NUMBERS, TIES,         GAPS, CATEGORIES, TIES | GAPS | CATEGORIES,
                                SPARSE,  SPARSE | GAPS};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        check_index(300, 7, kinds[i], 5);
        check_index(33, 3, kinds[i], 40);
    }
    check_index(200, 300, SPARSE, 5); /* entries instead of panels */
    check_index(100, 300, SPARSE | GAPS, 3);
    check_index(50, 1500, NUMBERS, 3);       /* wider than the stack */
    check_index(40, 1500, SPARSE | GAPS, 3); /* more entries than are listed on the stack */
}

/* ---- votes, by counting */

/* All rows of a class as often as they weigh, by distance. */
static size_t all_distances(double *out, const scarce__nearby *m, const scarce_table *t, size_t row,
                            int positive)
{
    size_t n = 0;
    for (size_t i = 0; i < m->rows->n_rows; ++i) {
        const size_t copies = m->rows->weight ? (size_t)m->rows->weight[i] : 1;
        if (m->side[i] == SCARCE__SIDE_NONE || (m->side[i] != SCARCE__SIDE_NEGATIVE) != positive) continue;
        const double d = sqrt(scarce__space_square(&m->space, t, row, m->rows, i));
        for (size_t c = 0; c < copies; ++c) {
            size_t at = n++;
            for (; at > 0 && out[at - 1] > d; --at) out[at] = out[at - 1];
            out[at] = d;
        }
    }
    return n;
}

/* METHODS: c = number of j with j + #{DN_i < gamma DP_j} < k; positive if 2 c >= k. */
static int counted(const double *dp, size_t p, const double *dn, size_t n, double gamma, size_t k)
{
    size_t c = 0;
    for (size_t j = 0; j < p; ++j) {
        size_t nearer = 0;
        for (size_t i = 0; i < n; ++i) nearer += dn[i] < gamma * dp[j];
        c += j + nearer < k;
    }
    return 2 * c >= k;
}

static void check_votes(int how, int weights, size_t k)
{
    static const double gammas[] = {1, 0.75, 0.5, 0.25, 0.1};
    scarce_table *t = make(90, 3, how, 4, 3 + k), *queries = make(70, 3, how, 4, 9);
    double weight[90], dp[400], dn[400];
    scarce__nearby *m = NULL;
    scarce__nearby_ready *ready = NULL;
    float row[3];
    size_t wrong = 0;
    for (size_t i = 0; i < 90; ++i) weight[i] = (double)(i % 4);
    if (weights) CHECK(scarce_table_set_weight(t, weight, NULL) == SCARCE_OK);
    CHECK(scarce__nearby_new(&m, t, NULL, SCARCE__SCALE_NONE, NULL, NULL) == SCARCE_OK);
    m->k = k;
    CHECK(scarce__nearby_prepare(&ready, m, NULL) == SCARCE_OK);
    for (size_t i = 0; i < 70; ++i) {
        const size_t p = all_distances(dp, m, queries, i, 1), n = all_distances(dn, m, queries, i, 0);
        scarce_table_row(queries, i, row);
        const double score = scarce__nearby_score(ready, row);
        CHECK(score >= 0 && score <= 1);
        for (size_t g = 0; g < 5 && 2 * p >= k; ++g)
            wrong += (score >= scarce__gamma_threshold(gammas[g])) != counted(dp, p, dn, n, gammas[g], k);
    }
    CHECK(wrong == 0);
    if (wrong) fprintf(stderr, "%zu wrong: kind %d, weights %d, k %zu\n", wrong, how, weights, k);
    scarce__nearby_unprepare(ready);
    scarce__nearby_free(m);
    scarce_table_free(t), scarce_table_free(queries);
}

static void test_votes(void)
{
    for (size_t k = 1; k <= 6; ++k)
        for (int weights = 0; weights < 2; ++weights) {
            check_votes(NUMBERS, weights, k);
            check_votes(TIES, weights, k);
            check_votes(TIES | CATEGORIES | GAPS, weights, k);
        }
    check_votes(TIES, 0, 200); /* more than there are */
}

/* share, inverse and reverse, against the sums themselves */
static void test_shares(void)
{
    scarce_table *t = make(80, 3, TIES, 4, 5), *queries = make(50, 3, TIES, 4, 6);
    scarce__nearby *m = NULL;
    CHECK(scarce__nearby_new(&m, t, NULL, SCARCE__SCALE_NONE, NULL, NULL) == SCARCE_OK);
    for (int vote = SCARCE__VOTE_SHARE; vote <= SCARCE__VOTE_REVERSE; ++vote) {
        scarce__nearby_ready *ready = NULL;
        m->vote = (scarce__vote)vote;
        m->k = 5;
        CHECK(scarce__nearby_prepare(&ready, m, NULL) == SCARCE_OK);
        for (size_t i = 0; i < 50; ++i) {
            double dp[100], dn[100], sum[2] = {0, 0}, want;
            float row[3];
            const size_t p = all_distances(dp, m, queries, i, 1), n = all_distances(dn, m, queries, i, 0);
            size_t a = 0, b = 0;
            for (size_t left = 5; left > 0; --left) { /* ties to the positive */
                const int positive = a < p && (b >= n || dp[a] <= dn[b]);
                const double d = positive ? dp[a++] : dn[b++];
                sum[positive] += vote == SCARCE__VOTE_SHARE ? 1 : d > 0 ? 1 / d : 1e12;
            }
            want = sum[1] / (sum[1] + sum[0]);
            if (vote == SCARCE__VOTE_REVERSE) {
                double nearer = 0;
                for (size_t j = 0; j < n; ++j) nearer += dn[j] <= dp[4];
                want = 5 / (5 + nearer); /* or more, where the share is above chance */
            }
            scarce_table_row(queries, i, row);
            const double got = scarce__nearby_score(ready, row);
            if (vote == SCARCE__VOTE_REVERSE) CHECK(got >= want - 1e-12 && got <= 1);
            else CHECK_NEAR(got, want, 1e-12);
        }
        scarce__nearby_unprepare(ready);
    }
    scarce__nearby_free(m);
    scarce_table_free(t), scarce_table_free(queries);
}

/* ---- gamma */

static double measured(const double *score, const uint8_t *label, size_t n, double at,
                       scarce__measure measure)
{
    double c[2][2] = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < n; ++i) ++c[label[i]][score[i] >= at];
    return scarce__measure_of(measure, c[1][1], c[0][1], c[1][0], c[0][0]);
}

static void test_gamma(void)
{
    enum { N = 60 };
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        lcg r = lcg_start(seed);
        double score[N];
        uint8_t label[N];
        for (size_t i = 0; i < N; ++i) {
            label[i] = lcg_below(&r, 5) == 0;
            score[i] = (double)(lcg_below(&r, 30) + 5 * label[i]) / 40;
        }
        const scarce__gamma_rows rows = {score, label, NULL, NULL, N};
        for (int measure = 0; measure <= SCARCE__MEASURE_MCC; ++measure) {
            double threshold, value, best = measured(score, label, N, 0.5, (scarce__measure)measure);
            CHECK(scarce__gamma_choose(&threshold, &value, &rows, (scarce__measure)measure, NULL) ==
                  SCARCE_OK);
            for (size_t g = 1; g <= 1000; ++g)
                best = fmax(best, measured(score, label, N, (double)g / 2000, (scarce__measure)measure));
            CHECK_NEAR(value, best, 1e-12);
            CHECK_NEAR(measured(score, label, N, threshold, (scarce__measure)measure), best, 1e-12);
            for (size_t g = 1; g <= 1000; ++g) /* the largest of those that are as good */
                if ((double)g / 2000 > threshold)
                    CHECK(measured(score, label, N, (double)g / 2000, (scarce__measure)measure) < best);
        }
    }
}

/* ---- left out */

static void test_held(void)
{
    scarce_table *t = make(120, 4, TIES, 4, 8), *part = NULL;
    uint8_t fold[120];
    uint32_t rows[120];
    scarce__nearby *m = NULL, *other = NULL;
    scarce__nearby_ready *ready = NULL, *without = NULL;
    scarce__nearby_lists l;
    for (size_t i = 0; i < 120; ++i) fold[i] = (uint8_t)(i % 3);
    CHECK(scarce__nearby_new(&m, t, NULL, SCARCE__SCALE_NONE, NULL, NULL) == SCARCE_OK);
    m->k = 3;
    CHECK(scarce__nearby_prepare(&ready, m, NULL) == SCARCE_OK);
    CHECK(scarce__nearby_held(&l, ready, fold, 3, NULL, NULL) == SCARCE_OK);
    for (uint8_t f = 0; f < 3; ++f) {
        size_t n = 0;
        for (uint32_t i = 0; i < 120; ++i)
            if (fold[i] != f) rows[n++] = i;
        CHECK(scarce_table_rows_of(&part, t, rows, n, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__nearby_new(&other, part, NULL, SCARCE__SCALE_NONE, NULL, NULL) == SCARCE_OK);
        other->k = 3;
        CHECK(scarce__nearby_prepare(&without, other, NULL) == SCARCE_OK);
        for (size_t i = f; i < 120; i += 3) {
            float row[4];
            scarce_table_row(t, i, row);
            CHECK(scarce__nearby_score(without, row) == scarce__nearby_vote(m, &l, i, 1));
        }
        scarce__nearby_unprepare(without);
        scarce__nearby_free(other);
        scarce_table_free(part);
        part = NULL;
    }
    scarce__nearby_lists_deinit(&l);
    scarce__nearby_unprepare(ready);
    scarce__nearby_free(m);
    scarce_table_free(t);
}

/* What made a row near sums up to distances. */
static void test_alike(void)
{
    scarce_table *t = make(100, 5, GAPS | CATEGORIES, 4, 4);
    scarce__nearby *m = NULL;
    scarce__nearby_ready *ready = NULL;
    scarce__nearby_one one[3];
    float row[5];
    double alike[5], sum = 0, mean = 0;
    CHECK(scarce__nearby_new(&m, t, NULL, SCARCE__SCALE_AUTO, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__nearby_prepare(&ready, m, NULL) == SCARCE_OK);
    scarce_table_row(t, 7, row);
    CHECK(scarce__nearby_nearest(ready, row, 1, 3, one) == 3 && one[0].distance <= one[1].distance);
    CHECK(scarce__nearby_alike(ready, row, one[1].row, alike, NULL) == SCARCE_OK);
    for (size_t f = 0; f < 5; ++f) sum += alike[f];
    for (size_t i = 0; i < 100; ++i) mean += scarce__space_square(&m->space, t, 7, t, i) / 100;
    CHECK_NEAR(sum, mean - one[1].distance * one[1].distance, 1e-9);
    scarce__nearby_unprepare(ready);
    scarce__nearby_free(m);
    scarce_table_free(t);
}

static const test_case tests[] = {{"index", test_index}, {"votes", test_votes}, {"shares", test_shares},
                                  {"gamma", test_gamma}, {"held", test_held},   {"alike", test_alike}};

TEST_MAIN(tests)
