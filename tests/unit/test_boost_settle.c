/* SPDX-License-Identifier: Apache-2.0 */
/* Losses with rounds: the worked example of tests/example against AdaBoost by hand, what `settle` sees, and
 * the table of losses. */
#include "example/loss_discrete.c"

#include "boost/boost.h"
#include "test.h"
#include "tree_data.h"

static int same_trees(const scarce__forest *a, const scarce__forest *b)
{
    return a->n_trees == b->n_trees && a->base == b->base && a->n_trees > 0 &&
           memcmp(a->tree_begin, b->tree_begin, (a->n_trees + 1) * sizeof *a->tree_begin) == 0 &&
           memcmp(a->nodes, b->nodes, a->tree_begin[a->n_trees] * sizeof *a->nodes) == 0;
}

static scarce__boost_options stumps(size_t rows)
{
    const scarce__loss_params params = {.scale = (double)rows};
    scarce__boost_options o;
    scarce__boost_options_init(&o);
    o.grow.max_leaves = 2;
    o.grow.learning_rate = 1;
    o.grow.histogram_double = 1;
    o.grow.rules.lambda = o.grow.rules.min_child_weight = o.grow.rules.max_delta_step = 0;
    o.loss = scarce__loss_kind_discrete.make(&params);
    return o;
}

/* ---- By hand */

enum { ROWS = 60, COLUMNS = 3, VALUES = 9, ROUNDS = 12 };

static float x[ROWS * COLUMNS];
static uint8_t y[ROWS];

static scarce_table *small_table(uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 5);
    scarce_table *t = NULL;
    for (size_t i = 0; i < ROWS; ++i) {
        for (size_t k = 0; k < COLUMNS; ++k) x[i * COLUMNS + k] = (float)scarce__random_below(&r, VALUES);
        y[i] = x[i * COLUMNS] + x[i * COLUMNS + 1] > 9 || scarce__random_below(&r, 10) == 0;
    }
    y[0] = 1;
    y[1] = 0;
    CHECK(scarce_table_from_floats(&t, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    return t;
}

/* (D+ - D-)^2 / (D+ + D-) on either side of "column k is at most c". */
static double gain_of(const double *d, size_t k, float c)
{
    double diff[2] = {0, 0}, sum[2] = {0, 0};
    for (size_t i = 0; i < ROWS; ++i) {
        const int right = x[i * COLUMNS + k] > c;
        diff[right] += y[i] ? d[i] : -d[i];
        sum[right] += d[i];
    }
    if (!(sum[0] > 0) || !(sum[1] > 0)) return 0;
    return diff[0] * diff[0] / sum[0] + diff[1] * diff[1] / sum[1];
}

static void test_by_hand(void)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        scarce_table *t = small_table(seed);
        const scarce__boost_data train = {.table = t};
        scarce__boost_options o = stumps(ROWS);
        scarce__boost_result result;
        scarce__forest f;
        double d[ROWS];
        o.n_trees = ROUNDS;
        CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
        CHECK(f.n_trees == ROUNDS && f.base == 0);
        for (size_t i = 0; i < ROWS; ++i) d[i] = 1.0 / ROWS;
        for (size_t tree = 0; tree < f.n_trees; ++tree) {
            const scarce__node *n = f.nodes + f.tree_begin[tree];
            double diff[2] = {0, 0}, wrong = 0, sum = 0, best = 0;
            CHECK(f.tree_begin[tree + 1] - f.tree_begin[tree] == 3);
            for (size_t k = 0; k < COLUMNS; ++k)
                for (int c = 0; c < VALUES; ++c) best = fmax(best, gain_of(d, k, (float)c));
            CHECK(gain_of(d, (size_t)n->feature, n->value) > best - 1e-6);
            for (size_t i = 0; i < ROWS; ++i)
                diff[x[i * COLUMNS + (size_t)n->feature] > n->value] += y[i] ? d[i] : -d[i];
            for (size_t i = 0; i < ROWS; ++i)
                if ((diff[x[i * COLUMNS + (size_t)n->feature] > n->value] > 0) != y[i]) wrong += d[i];
            const double alpha = 0.5 * log((1 - wrong) / wrong);
            CHECK(alpha > 0.05);
            CHECK_NEAR(n[n->left].value, diff[0] > 0 ? alpha : -alpha, 1e-5);
            CHECK_NEAR(n[n->right].value, diff[1] > 0 ? alpha : -alpha, 1e-5);
            for (size_t i = 0; i < ROWS; ++i) {
                const int right = x[i * COLUMNS + (size_t)n->feature] > n->value;
                d[i] *= exp(-(y[i] ? 1 : -1) * (diff[right] > 0 ? alpha : -alpha));
                sum += d[i];
            }
            for (size_t i = 0; i < ROWS; ++i) d[i] /= sum;
        }
        scarce__forest_deinit(&f);
        scarce_table_free(t);
    }
}

/* ---- Going on gives the same bits: state of rows is replayed, also where trees see bags */

static void test_resume(void)
{
    static const scarce__sampling_kind kinds[] = {SCARCE__ROWS_ALL, SCARCE__ROWS_STRATIFIED,
                                                  SCARCE__ROWS_BALANCED};
    scarce_table *t = data_table(700, 9, NULL, 2);
    const scarce__boost_data train = {.table = t};
    for (size_t k = 0; k < 3; ++k)
        for (size_t cut = 1; cut < 8; cut += 3)
            for (int threads = 1; threads <= 2; ++threads) {
                scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
                scarce_context *ctx = NULL;
                scarce__boost_options o = stumps(700);
                scarce__boost_result result;
                scarce__forest whole, part, rest;
                co.threads = threads;
                CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
                o.n_trees = 8;
                o.grow.max_leaves = 4;
                o.sampling.kind = kinds[k];
                o.sampling.keep = k == 1 ? 3 : 1;
                CHECK(scarce__boost_train(&whole, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
                CHECK(whole.n_trees == 8);
                o.n_trees = (int)cut;
                CHECK(scarce__boost_train(&part, &train, NULL, &o, &result, ctx, NULL) == SCARCE_OK);
                o.n_trees = 8;
                o.resume = &part;
                CHECK(scarce__boost_train(&rest, &train, NULL, &o, &result, ctx, NULL) == SCARCE_OK);
                CHECK(same_trees(&whole, &rest));
                scarce__forest_deinit(&whole);
                scarce__forest_deinit(&part);
                scarce__forest_deinit(&rest);
                scarce_context_free(ctx);
            }
    scarce_table_free(t);
}

/* ---- It ends when a tree is right everywhere, and when one is no better than a coin */

static void test_verdicts(void)
{
    scarce__boost_options o = stumps(ROWS);
    scarce__boost_result result;
    scarce__forest f;
    scarce_table *t = small_table(1);
    const scarce__boost_data train = {.table = t};
    for (size_t i = 0; i < ROWS; ++i) t->label[i] = x[i * COLUMNS + 2] > 4;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(f.n_trees == 1 && result.n_grown == 1 && result.exhausted && f.nodes[1].value < -5);
    scarce__forest_deinit(&f);

    for (size_t i = 0; i < ROWS; ++i) { /* one column of two values: after a round it has nothing to say */
        for (size_t k = 0; k < COLUMNS; ++k) t->columns[k].number[i] = (float)(i % 2);
        t->label[i] = i % 2 == (i % 5 == 0);
    }
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(f.n_trees == 1 && result.n_grown == 1 && result.n_trees == 1 && result.exhausted);
    CHECK_NEAR(fabsf(f.nodes[1].value), 0.5 * log(0.8 / 0.2), 1e-5);
    scarce__forest_deinit(&f);
    scarce_table_free(t);
}

/* ---- What settle sees */

enum { SEEN = 12000 };
static size_t settled, rows_seen, began, ended;

static scarce_status look(scarce__loss *loss, scarce__round *round, scarce_context *ctx, scarce_error *err)
{
    static uint32_t count[2000];
    (void)ctx;
    (void)err;
    CHECK(round->index == settled++ && !round->taken && loss->state == &began);
    rows_seen = round->rows.n;
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < round->rows.n; ++i) {
        CHECK(round->tree->nodes[round->leaf[i]].feature == -1);
        ++count[round->leaf[i]];
    }
    for (size_t i = 0; i < round->tree->n_nodes; ++i) {
        const scarce__node *n = &round->tree->nodes[i];
        if (n->feature >= 0) continue;
        if (loss->leaves == SCARCE__LEAVES_OF_BAG) CHECK(count[i] == n->rows);
        else CHECK(count[i] >= n->rows);
    }
    return SCARCE_OK;
}

static scarce_status count_begin(scarce__loss *loss, const scarce__loss_rows *all, scarce_error *err)
{
    (void)err;
    CHECK(all->n == SEEN && all->score && all->label && !all->row);
    loss->state = &began;
    ++began;
    return SCARCE_OK;
}

static void count_end(scarce__loss *loss)
{
    CHECK(loss->state == &began);
    ++ended;
}

static void test_leaves(void)
{
    scarce_table *t = data_table(SEEN, 12, NULL, 1);
    const scarce__boost_data train = {.table = t};
    for (int leaves = SCARCE__LEAVES_OF_BAG; leaves <= SCARCE__LEAVES_OF_ALL; ++leaves)
        for (int many = 0; many < 2; ++many)
            for (int bag = 0; bag < 2; ++bag) {
                scarce__boost_options o;
                scarce__boost_result result;
                scarce__forest f;
                scarce__boost_options_init(&o);
                o.n_trees = 4;
                o.grow.max_leaves = many ? 400 : 12; /* more than the tiles number */
                o.grow.rules.min_child_weight = 0;
                o.grow.rules.min_child_rows = 2; /* rows are counted */
                o.sampling.kind = bag ? SCARCE__ROWS_STRATIFIED : SCARCE__ROWS_ALL;
                o.loss.leaves = (scarce__round_leaves)leaves;
                o.loss.settle = look;
                o.loss.begin = count_begin;
                o.loss.end = count_end;
                settled = began = ended = 0;
                CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
                CHECK(settled == 4 && began == 1 && ended == 1);
                const size_t want = bag && leaves == SCARCE__LEAVES_OF_BAG ? SEEN / 2 : SEEN;
                CHECK(rows_seen + 1 >= want && rows_seen <= want + 1); /* a class may be odd */
                CHECK(!many || f.tree_begin[1] > 512);
                scarce__forest_deinit(&f);
            }
    scarce_table_free(t);
}

/* ---- The table */

static void test_table(void)
{
    scarce__loss_params p = SCARCE__LOSS_PARAMS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__loss loss;
    for (size_t i = 0; i < scarce__n_losses; ++i) {
        const scarce__loss_kind *kind = scarce__losses[i];
        CHECK(scarce__loss_find(kind->name) == kind);
        CHECK(scarce__loss_make(&loss, kind->name, &p, NULL) == SCARCE_OK);
        CHECK_TEXT(loss.name, kind->name);
        CHECK((loss.gamma > 0) == kind->has_link && kind->summary[0]);
        CHECK(loss.gradients && loss.base && loss.value && loss.interest);
    }
    p.scale = 0;
    CHECK(scarce__loss_make(&loss, "sgbap-sig", &p, NULL) == SCARCE_OK && loss.params.scale == 3);
    p.scale = 2;
    CHECK(scarce__loss_make(&loss, "sgbap-sig", &p, NULL) == SCARCE_OK && loss.params.scale == 2);
    CHECK(scarce__loss_make(&loss, "logistik", &p, &err) == SCARCE_EINVAL);
    CHECK(strstr(err.text, "no loss \"logistik\" (there are logistic, "));
}

static const test_case tests[] = {{"by_hand", test_by_hand},
                                  {"resume", test_resume},
                                  {"verdicts", test_verdicts},
                                  {"leaves", test_leaves},
                                  {"table", test_table}};
TEST_MAIN(tests)
