/* SPDX-License-Identifier: Apache-2.0 */
/* LogitBoost: gradients against the paper's working responses and, where nothing is cut, against differences of the
 * loss; stumps against weighted least squares by hand, round by round. */
#include <math.h>

#include "boost/boost.h"
#include "data/table.h"
#include "test.h"
#include "unit/lcg.h"

enum { ROWS = 150, COLUMNS = 2, VALUES = 12, ROUNDS = 15 };

static float x[ROWS * COLUMNS];
static uint8_t y[ROWS];

static scarce_table *small_table(uint64_t seed)
{
    lcg r = lcg_start(seed);
    scarce_table *t = NULL;
    for (size_t i = 0; i < ROWS; ++i) {
        for (size_t k = 0; k < COLUMNS; ++k) x[i * COLUMNS + k] = (float)lcg_below(&r, VALUES);
        y[i] = x[i * COLUMNS] + x[i * COLUMNS + 1] + (float)lcg_below(&r, 8) > 20;
    }
    y[0] = 1;
    CHECK(scarce_table_from_floats(&t, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    return t;
}

/* z and w of the paper. */
static void response(double f, int label, double most, double *z, double *w)
{
    const double p = 1 / (1 + exp(-2 * f));
    *w = fmax(p * (1 - p), 1e-7);
    *z = label ? 1 / p : -1 / (1 - p);
    if (most > 0) *z = fmax(-most, fmin(most, *z));
}

static scarce__loss loss_of(double most)
{
    scarce__loss_params params = SCARCE__LOSS_PARAMS_INIT;
    scarce__loss loss;
    params.most = most;
    CHECK(scarce__loss_make(&loss, "logitboost", &params, NULL) == SCARCE_OK);
    return loss;
}

static void test_gradients(void)
{
    float score[41], g[41], h[41];
    uint8_t label[41];
    for (size_t i = 0; i < 41; ++i) {
        score[i] = -5 + 0.25f * (float)i;
        label[i] = i % 3 == 0;
    }
    for (int portable = 0; portable < 2; ++portable)
        for (double most = 0; most <= 8; most += 4) {
            const scarce__loss_rows rows = {.n = 41, .score = score, .label = label};
            scarce__loss loss = loss_of(most);
            loss.portable = portable;
            CHECK((loss.gamma > 0) == (most == 0));
            CHECK(loss.gradients(&loss, &rows, g, h, NULL, NULL) == SCARCE_OK);
            for (size_t i = 0; i < 41; ++i) {
                double z, w;
                response((double)score[i], label[i], most, &z, &w);
                CHECK_NEAR(g[i], -2 * w * z, 1e-5 * (1 + fabs(2 * w * z)));
                CHECK_NEAR(h[i], 4 * w, 1e-5);
                if (most > 0) continue;
                const scarce__loss_rows one = {.n = 1, .score = score + i, .label = label + i};
                const float kept = score[i], step = 1 / 64.0f;
                score[i] = kept + step;
                const double up = loss.value(&loss, &one);
                score[i] = kept - step;
                const double down = loss.value(&loss, &one);
                score[i] = kept;
                const double mid = loss.value(&loss, &one);
                CHECK_NEAR(g[i], (up - down) / (2 * (double)step), 1e-3);
                CHECK_NEAR(h[i], (up - 2 * mid + down) / ((double)step * (double)step), 2e-3);
            }
        }
}

/* What the squares sum w (z - leaf)^2 fall by with "column k is at most c". */
static double gain_of(const double *z, const double *w, size_t k, double c)
{
    double wz[2] = {0, 0}, ww[2] = {0, 0};
    for (size_t i = 0; i < ROWS; ++i) {
        const int right = (double)x[i * COLUMNS + k] > c;
        wz[right] += w[i] * z[i];
        ww[right] += w[i];
    }
    if (!(ww[0] > 0) || !(ww[1] > 0)) return 0;
    return wz[0] * wz[0] / ww[0] + wz[1] * wz[1] / ww[1];
}

static void test_by_hand(void)
{
    for (uint64_t seed = 1; seed <= 4; ++seed)
        for (double most = 0; most <= 4; most += 4) {
            scarce_table *t = small_table(seed);
            const scarce__boost_data train = {.table = t};
            const double rate = 0.5;
            scarce__boost_options o;
            scarce__boost_result result;
            scarce__forest forest;
            double f[ROWS] = {0}, z[ROWS], w[ROWS];
            scarce__boost_options_init(&o);
            o.n_trees = ROUNDS;
            o.grow.max_leaves = 2;
            o.grow.learning_rate = rate;
            o.grow.rules.lambda = o.grow.rules.min_child_weight = o.grow.rules.max_delta_step = 0;
            o.loss = loss_of(most);
            CHECK(scarce__boost_train(&forest, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
            CHECK(forest.n_trees == ROUNDS && forest.base == 0);
            for (size_t tree = 0; tree < forest.n_trees; ++tree) {
                const scarce__node *n = forest.nodes + forest.tree_begin[tree];
                double wz[2] = {0, 0}, ww[2] = {0, 0}, best = 0;
                for (size_t i = 0; i < ROWS; ++i) response(f[i], y[i], most, &z[i], &w[i]);
                for (size_t k = 0; k < COLUMNS; ++k)
                    for (int v = 0; v < VALUES; ++v) best = fmax(best, gain_of(z, w, k, v));
                CHECK(gain_of(z, w, (size_t)n->feature, (double)n->value) > best * (1 - 1e-4));
                for (size_t i = 0; i < ROWS; ++i) {
                    const int right = x[i * COLUMNS + (size_t)n->feature] > n->value;
                    wz[right] += w[i] * z[i];
                    ww[right] += w[i];
                }
                CHECK_NEAR(n[n->left].value, rate / 2 * wz[0] / ww[0], 1e-3);
                CHECK_NEAR(n[n->right].value, rate / 2 * wz[1] / ww[1], 1e-3);
                for (size_t i = 0; i < ROWS; ++i)
                    f[i] += (double)(x[i * COLUMNS + (size_t)n->feature] > n->value ? n[n->right].value
                                                                                    : n[n->left].value);
            }
            scarce__forest_deinit(&forest);
            scarce_table_free(t);
        }
}

static const test_case tests[] = {{"gradients", test_gradients}, {"by_hand", test_by_hand}};
TEST_MAIN(tests)
