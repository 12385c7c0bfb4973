/* SPDX-License-Identifier: Apache-2.0 */
/* Samples for members: how many rows of which class, each as often as any other, the same for the same member. */
#include <stdlib.h>

#include "test.h"

#include "core/random.h"
#include "ensemble/draw.h"
#include "ensemble/random_forest.h"
#include "tree_data.h"

enum { N = 400, P = 30 };

static uint8_t label[N];

static scarce__classes classes_of(void)
{
    scarce__classes c;
    memset(label, 0, sizeof label);
    for (size_t k = 0; k < P; ++k) label[(k * 13 + 5) % N] = 1;
    CHECK(scarce__classes_of(&c, &(scarce__classes_from){.label = label, .n = N, .n_rows = N}, NULL) ==
          SCARCE_OK);
    CHECK(c.n == N && c.n_positives == P && c.coins[0] == N - P && c.coins[1] == P);
    return c;
}

/* Draws in all, of positives, and distinct rows; rows must ascend. */
static void count(size_t out[3], const scarce__drawn *d)
{
    out[0] = out[1] = 0;
    out[2] = d->n;
    for (size_t k = 0; k < d->n; ++k) {
        CHECK(k == 0 || d->row[k] > d->row[k - 1]);
        CHECK(d->row[k] < N && d->times[k] > 0);
        out[0] += d->times[k];
        out[1] += label[d->row[k]] ? d->times[k] : 0;
    }
}

static void test_counts(void)
{
    scarce__classes c = classes_of();
    scarce__drawn d = {0};
    size_t n[3];

    for (uint64_t m = 0; m < 50; ++m) {
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_BOOTSTRAP, 1, 1, m, NULL) == SCARCE_OK);
        count(n, &d);
        CHECK(n[0] == N && n[2] > N / 2 && n[2] < N * 3 / 4); /* 1 - 1/e */
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_BOOTSTRAP, 0.25, 1, m, NULL) == SCARCE_OK);
        count(n, &d);
        CHECK(n[0] == N / 4 && d.n <= scarce__draw_most(N, P, SCARCE__MEMBER_BOOTSTRAP, 0.25));
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_BOOTSTRAP_BALANCED, 1, 1, m, NULL) == SCARCE_OK);
        count(n, &d);
        CHECK(n[0] == 2 * P && n[1] == P && n[2] < 2 * P);
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_BALANCED, 1, 1, m, NULL) == SCARCE_OK);
        count(n, &d);
        CHECK(n[0] == 2 * P && n[1] == P && n[2] == 2 * P); /* all positives, other rows once */
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_BALANCED, 0.5, 1, m, NULL) == SCARCE_OK);
        count(n, &d);
        CHECK(n[0] == P && n[1] == P / 2 && n[2] == P);
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_ALL, 1, 1, m, NULL) == SCARCE_OK);
        count(n, &d);
        CHECK(n[0] == N && n[2] == N);
    }
    CHECK_NEAR(scarce__draw_odds(c.coins, SCARCE__MEMBER_BALANCED), (double)(N - P) / P, 1e-12);
    CHECK(scarce__draw_odds(c.coins, SCARCE__MEMBER_BOOTSTRAP) == 1);
    scarce__drawn_deinit(&d);
    scarce__classes_deinit(&c);
}

/* Over many members every row of a class is drawn as often as any other, and pairs too. */
static void test_evenly(void)
{
    enum { MEMBERS = 4000 };
    static const scarce__member_rows hows[] = {SCARCE__MEMBER_BOOTSTRAP, SCARCE__MEMBER_BOOTSTRAP_BALANCED,
                                               SCARCE__MEMBER_BALANCED};
    scarce__classes c = classes_of();
    scarce__drawn d = {0};

    for (size_t h = 0; h < 3; ++h) {
        size_t times[N] = {0}, pair = 0;
        uint8_t in[N];
        for (uint64_t m = 0; m < MEMBERS; ++m) {
            CHECK(scarce__draw_member(&d, &c, hows[h], 1, 7, m, NULL) == SCARCE_OK);
            memset(in, 0, sizeof in);
            for (size_t k = 0; k < d.n; ++k) {
                times[d.row[k]] += d.times[k];
                in[d.row[k]] = 1;
            }
            pair += in[0] && in[1];
        }
        const double q = hows[h] == SCARCE__MEMBER_BOOTSTRAP ? 1 : (double)P / (N - P);
        for (size_t i = 0; i < N; ++i) {
            const double want = MEMBERS * (label[i] && h > 0 ? 1 : q);
            CHECK_NEAR(times[i], want, 5.5 * sqrt(want) + 1e-9);
        }
        if (hows[h] == SCARCE__MEMBER_BALANCED) {
            const double both = MEMBERS * q * (double)(P - 1) / (N - P - 1);
            CHECK_NEAR(pair, both, 5 * sqrt(both) + 1);
        }
    }
    scarce__drawn_deinit(&d);
    scarce__classes_deinit(&c);
}

static void test_same(void)
{
    scarce__classes c = classes_of();
    scarce__drawn a = {0}, b = {0};
    CHECK(scarce__draw_member(&a, &c, SCARCE__MEMBER_BOOTSTRAP, 1, 1, 3, NULL) == SCARCE_OK);
    CHECK(scarce__draw_member(&b, &c, SCARCE__MEMBER_BALANCED, 1, 1, 9, NULL) ==
          SCARCE_OK); /* room used again */
    CHECK(scarce__draw_member(&b, &c, SCARCE__MEMBER_BOOTSTRAP, 1, 1, 3, NULL) == SCARCE_OK);
    CHECK(a.n == b.n && memcmp(a.row, b.row, a.n * sizeof *a.row) == 0);
    CHECK(scarce__draw_member(&b, &c, SCARCE__MEMBER_BOOTSTRAP, 1, 1, 4, NULL) == SCARCE_OK);
    CHECK(a.n != b.n || memcmp(a.row, b.row, a.n * sizeof *a.row) != 0);
    scarce__drawn_deinit(&a);
    scarce__drawn_deinit(&b);
    scarce__classes_deinit(&c);
}

/* The rarer class may be the negatives, and a class may have one row. */
static void test_few(void)
{
    static const uint8_t y[6] = {1, 1, 0, 1, 1, 1};
    scarce__classes c;
    scarce__drawn d = {0};
    CHECK(scarce__classes_of(&c, &(scarce__classes_from){.label = y, .n = 6, .n_rows = 6}, NULL) ==
          SCARCE_OK);
    for (uint64_t m = 0; m < 20; ++m) {
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_BALANCED, 1, 1, m, NULL) == SCARCE_OK);
        CHECK(d.n == 2 && (d.row[0] == 2 || d.row[1] == 2));
        CHECK(scarce__draw_member(&d, &c, SCARCE__MEMBER_BOOTSTRAP_BALANCED, 1e-6, 1, m, NULL) == SCARCE_OK);
        CHECK(d.n == 2);
    }
    scarce__drawn_deinit(&d);
    scarce__classes_deinit(&c);
}

/* ---- forests: the mean of trees that are grown one by one on these samples */

static void test_forest(void)
{
    float *x = NULL;
    scarce_table *t = data_table(800, 11, &x, 1.5);
    scarce__random_forest_options o = SCARCE__RANDOM_FOREST_OPTIONS_INIT;
    scarce__random_forest_result result;
    scarce__forest forest, by_hand = {0};
    scarce__binned *binned = NULL;
    scarce__classes c;
    scarce__drawn d = {0};
    scarce__deep *w = NULL;
    scarce__deep_options deep = o.tree;

    o.n_trees = 7;
    o.rows = SCARCE__MEMBER_BOOTSTRAP_BALANCED;
    o.seed = deep.seed = 5;
    deep.features = 3; /* of 11 that aren't constant */
    CHECK(scarce__random_forest_train(&forest, t, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(result.n_trees == 7 && forest.n_trees == 7 && !result.cancelled);
    CHECK(scarce__binned_new(&binned, t, NULL, t->n_rows, NULL, &o.bins, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__classes_new(&c, t, NULL) == SCARCE_OK);
    CHECK(scarce__deep_new(&w, &binned->bins, t->n_rows, &deep, NULL) == SCARCE_OK);
    for (uint64_t k = 0; k < 7; ++k) {
        scarce__binned_tree tree = {0};
        CHECK(scarce__draw_member(&d, &c, o.rows, 1, 5, k, NULL) == SCARCE_OK);
        const scarce__deep_rows rows = {
            .codes = &binned->codes, .label = t->label, .row = d.row, .times = d.times, .n = d.n};
        CHECK(scarce__deep_tree(w, &tree, &rows, k, NULL) == SCARCE_OK);
        CHECK(scarce__forest_add(&by_hand, tree.nodes, tree.n_nodes, tree.sets, tree.n_set_words, NULL) ==
              SCARCE_OK);
        scarce__binned_tree_deinit(&tree);
    }
    by_hand.n_features = forest.n_features;
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    for (size_t i = 0; i < t->n_rows; ++i) {
        const double sum = scarce__forest_walk(&forest, x + i * DATA_FEATURES);
        CHECK(sum == scarce__forest_walk(&by_hand, x + i * DATA_FEATURES));
    }
    scarce__random_forest_scale(&forest);
    for (size_t i = 0; i < t->n_rows; ++i) {
        const double share = scarce__forest_walk(&forest, x + i * DATA_FEATURES);
        CHECK_NEAR(share, scarce__forest_walk(&by_hand, x + i * DATA_FEATURES) / 7, 1e-6);
        CHECK(share >= 0 && share <= 1 + 1e-6);
    }
    scarce__forest_deinit(&forest);
    scarce__forest_deinit(&by_hand);
    scarce__deep_free(w);
    scarce__drawn_deinit(&d);
    scarce__classes_deinit(&c);
    scarce__binned_free(binned);
    scarce_table_free(t);
    scarce__free(x);
}

static const test_case tests[] = {{"counts", test_counts},
                                  {"evenly", test_evenly},
                                  {"same", test_same},
                                  {"few", test_few},
                                  {"forest", test_forest}};

TEST_MAIN(tests)
