/* SPDX-License-Identifier: Apache-2.0 */
/* AdaBoost and its forms with costs: against scikit-learn (golden/make_adaboost.py), and against the formulas of
 * their papers, kept by hand row by row. */
#include "boost/boost.h"
#include "method/method.h"
#include "test.h"
#include "tree_data.h"
#include "unit/lcg.h"

/* ---- scikit-learn's SAMME */

enum { MOST_ROWS = 256 };

typedef struct golden_case {
    float x[MOST_ROWS * 4];
    uint8_t y[MOST_ROWS];
    double w[MOST_ROWS], score[MOST_ROWS];
    size_t n;
} golden_case;

static void golden_data(golden_case *c, uint64_t number, int weighted)
{
    lcg r = lcg_start(number);
    c->n = 80 + lcg_below(&r, 120);
    for (size_t i = 0; i < c->n; ++i) {
        float *x = c->x + 4 * i;
        x[0] = (float)lcg_below(&r, 1000) / 8;
        x[1] = (float)lcg_below(&r, 12);
        x[2] = (float)lcg_below(&r, 5000) / 16;
        x[3] = (float)lcg_below(&r, 3000) / 4;
        c->y[i] = x[0] + 5 * x[1] + x[2] / 8 + (float)lcg_below(&r, 90) > 190;
        c->w[i] = weighted ? 1 + (double)lcg_below(&r, 64) / 64 : 1;
    }
}

/* A model of the method with these settings; scores of its own rows. */
static void scores_of(double *score, const scarce_table *t, const char *settings)
{
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st = scarce_params_new(&params, "adaboost", &err);
    if (!st) st = scarce__params_set_list(params->values, settings, ':', &err);
    if (!st) st = scarce_train(&model, t, params, NULL, NULL, NULL, &err);
    if (!st) st = scarce_scorer_new(&scorer, model, &err);
    if (!st) st = scarce_scorer_table(scorer, t, score, NULL, NULL, &err);
    if (st) fprintf(stderr, "%s: %s\n", settings, err.text);
    CHECK(st == SCARCE_OK);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
}

static void test_golden(void)
{
    FILE *file = fopen("golden/adaboost.txt", "r");
    int cases = 0;
    CHECK(file && fscanf(file, "%d", &cases) == 1 && cases > 20);
    for (int k = 0; file && k < cases; ++k) {
        static golden_case c;
        unsigned number, rows;
        int depth, weighted, trees;
        double rate, step, most = 0;
        char settings[120];
        scarce_table *t = NULL;
        static double mine[MOST_ROWS];
        size_t other = 0;
        CHECK(fscanf(file, "%u %d %lf %d %d %u", &number, &depth, &rate, &weighted, &trees, &rows) == 6);
        golden_data(&c, number, weighted);
        CHECK(c.n == rows);
        for (int i = 0; i < trees; ++i) CHECK(fscanf(file, "%lf", &step) == 1);
        for (size_t i = 0; i < c.n; ++i) CHECK(fscanf(file, "%lf", &c.score[i]) == 1);
        CHECK(scarce_table_from_floats(&t, c.x, c.n, 4, NULL, c.y, NULL) == SCARCE_OK);
        t->weight = scarce__malloc_array(c.n, sizeof *t->weight);
        memcpy(t->weight, c.w, c.n * sizeof *t->weight);
        (void)snprintf(settings, sizeof settings, "n_trees=%d:max_leaves=0:max_depth=%d:learning_rate=%g",
                       trees, depth, rate);
        scores_of(mine, t, settings);
        for (size_t i = 0; i < c.n; ++i) {
            most = fmax(most, fabs(mine[i] - c.score[i]));
            other += fabs(c.score[i]) > 1e-4 && (mine[i] > 0) != (c.score[i] > 0);
        }
        if (most > 1e-4 || other)
            fprintf(stderr, "case %u: off by %g, %zu rows other\n", number, most, other);
        CHECK(most <= 1e-4 && other == 0);
        scarce_table_free(t);
    }
    if (file) CHECK(fclose(file) == 0);
}

/* ---- the papers, row by row */

enum { ROWS = 80, COLUMNS = 3, VALUES = 9, ROUNDS = 14 };

static float x[ROWS * COLUMNS];
static uint8_t y[ROWS];
static double cost[ROWS], case_weight[ROWS];

static scarce_table *small_table(uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 5);
    scarce_table *t = NULL;
    for (size_t i = 0; i < ROWS; ++i) {
        for (size_t k = 0; k < COLUMNS; ++k) x[i * COLUMNS + k] = (float)scarce__random_below(&r, VALUES);
        y[i] = x[i * COLUMNS] + x[i * COLUMNS + 1] > 9 || scarce__random_below(&r, 10) == 0;
        cost[i] = 0.5 + (double)scarce__random_below(&r, 32) / 64;
        case_weight[i] = 1 + (double)scarce__random_below(&r, 4);
    }
    y[0] = 1;
    y[1] = 0;
    CHECK(scarce_table_from_floats(&t, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    return t;
}

static int right_of(size_t i, const scarce__node *n)
{
    return x[i * COLUMNS + (size_t)n->feature] > n->value;
}

/* (U+ - U-)^2 / (U+ + U-) on either side of "column k is at most c". */
static double gain_of(const double *u, size_t k, float c)
{
    double diff[2] = {0, 0}, sum[2] = {0, 0};
    for (size_t i = 0; i < ROWS; ++i) {
        const int right = x[i * COLUMNS + k] > c;
        diff[right] += y[i] ? u[i] : -u[i];
        sum[right] += u[i];
    }
    if (!(sum[0] > 0) || !(sum[1] > 0)) return 0;
    return diff[0] * diff[0] / sum[0] + diff[1] * diff[1] / sum[1];
}

/* The step of the papers, and the weights it leads to. vote: per row, -1 or 1. d sums to 1. */
static double next_round(const char *name, int plain, double *d, const double *c, const int *vote)
{
    double right[3] = {0, 0, 0}, wrong[3] = {0, 0, 0}, all[2] = {0, 0}, r = 0, alpha, sum = 0;
    for (size_t i = 0; i < ROWS; ++i) {
        const int agrees = (y[i] ? 1 : -1) * vote[i];
        double *side = agrees > 0 ? right : wrong;
        side[0] += d[i];
        side[1] += c[i] * d[i];
        side[2] += c[i] * c[i] * d[i];
        all[1] += c[i] * d[i];
        r += d[i] * agrees * (agrees > 0 ? -0.5 * c[i] + 0.5 : 0.5 * c[i] + 0.5);
    }
    if (strcmp(name, "adaboost") == 0 || (strcmp(name, "adacost") == 0 && !plain))
        alpha = 0.5 * log((1 - wrong[0]) / wrong[0]);
    else if (strcmp(name, "adac1") == 0)
        alpha = 0.5 * log((1 + right[1] - wrong[1]) / (1 - right[1] + wrong[1]));
    else if (strcmp(name, "adac2") == 0) alpha = 0.5 * log(right[1] / wrong[1]);
    else if (strcmp(name, "adac3") == 0)
        alpha = 0.5 * log((all[1] + right[2] - wrong[2]) / (all[1] - right[2] + wrong[2]));
    else alpha = 0.5 * log((1 + r) / (1 - r));
    for (size_t i = 0; i < ROWS; ++i) {
        const int agrees = (y[i] ? 1 : -1) * vote[i];
        const int factor = strcmp(name, "adac2") == 0 || strcmp(name, "adac3") == 0;
        const int inside = strcmp(name, "adac1") == 0 || strcmp(name, "adac3") == 0;
        const double beta =
            strcmp(name, "adacost") == 0 ? (agrees > 0 ? 0.5 - 0.5 * c[i] : 0.5 + 0.5 * c[i]) : 1;
        d[i] *= (factor ? c[i] : 1) * exp(-alpha * agrees * (inside ? c[i] : beta));
        sum += d[i];
    }
    for (size_t i = 0; i < ROWS; ++i) d[i] /= sum;
    return alpha;
}

/* What a tree is grown on. */
static void grown_on(const char *name, int plain, const double *d, const double *c, double *u)
{
    const int power = plain || name[3] == 'b' || strcmp(name, "adacost") == 0 ? 0 : name[4] == '3' ? 2 : 1;
    for (size_t i = 0; i < ROWS; ++i) u[i] = d[i] * (power == 0 ? 1 : power == 1 ? c[i] : c[i] * c[i]);
}

/* Every tree of the forest against the loop by hand. c: costs relative to the largest. */
static void check_rounds(const scarce__forest *f, const char *name, int plain, const double *c,
                         const double *weight)
{
    double d[ROWS], u[ROWS], sum = 0;
    for (size_t i = 0; i < ROWS; ++i) sum += d[i] = weight[i] * (strcmp(name, "adacost") == 0 ? c[i] : 1);
    for (size_t i = 0; i < ROWS; ++i) d[i] /= sum;
    for (size_t tree = 0; tree < f->n_trees; ++tree) {
        const scarce__node *n = f->nodes + f->tree_begin[tree];
        double diff[2] = {0, 0}, best = 0;
        int vote[ROWS];
        CHECK(f->tree_begin[tree + 1] - f->tree_begin[tree] == 3);
        grown_on(name, plain, d, c, u);
        for (size_t k = 0; k < COLUMNS; ++k)
            for (int v = 0; v < VALUES; ++v) best = fmax(best, gain_of(u, k, (float)v));
        CHECK(gain_of(u, (size_t)n->feature, n->value) > best * (1 - 1e-5));
        for (size_t i = 0; i < ROWS; ++i) diff[right_of(i, n)] += y[i] ? u[i] : -u[i];
        for (size_t i = 0; i < ROWS; ++i) vote[i] = diff[right_of(i, n)] > 0 ? 1 : -1;
        const double alpha = next_round(name, plain, d, c, vote);
        CHECK(alpha > 0);
        CHECK_NEAR(n[n->left].value, diff[0] > 0 ? alpha : -alpha, 2e-5);
        CHECK_NEAR(n[n->right].value, diff[1] > 0 ? alpha : -alpha, 2e-5);
    }
}

static scarce__boost_options stumps(const char *name, const scarce__loss_params *params)
{
    scarce__boost_options o;
    scarce__boost_options_init(&o);
    o.n_trees = ROUNDS;
    o.grow.max_leaves = 2;
    o.grow.learning_rate = 1;
    o.grow.rules.lambda = o.grow.rules.min_child_weight = o.grow.rules.max_delta_step = 0;
    CHECK(scarce__loss_make(&o.loss, name, params, NULL) == SCARCE_OK);
    return o;
}

static const char *const names[] = {"adaboost", "adac1", "adac2", "adac3", "adacost"};

static void test_by_hand(void)
{
    size_t trees = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed)
        for (size_t k = 0; k < 5; ++k)
            for (int variant = 0; variant < 8; ++variant) {
                const int by_row = variant & 1, plain = variant >> 1 & 1, weighted = variant >> 2;
                scarce_table *t = small_table(seed);
                scarce__loss_params params = SCARCE__LOSS_PARAMS_INIT;
                double c[ROWS], weight[ROWS], most = 0;
                params.miss_cost = 3;
                params.alarm_cost = 2;
                params.classic = plain;
                scarce__boost_options o = stumps(names[k], &params);
                const scarce__boost_data train = {
                    .table = t, .cost = by_row ? cost : NULL, .weight = weighted ? case_weight : NULL};
                scarce__boost_result result;
                scarce__forest f;
                if (!o.loss.takes_costs && by_row) { /* then they are weights, which check_rounds is told */
                    scarce_table_free(t);
                    continue;
                }
                for (size_t i = 0; i < ROWS; ++i) {
                    c[i] = (y[i] ? 3.0 : 2.0) * (by_row ? cost[i] : 1);
                    weight[i] = weighted ? case_weight[i] : 1;
                    most = fmax(most, c[i]);
                }
                for (size_t i = 0; i < ROWS; ++i) c[i] = (double)(float)(c[i] / most);
                CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
                if (k == 0) CHECK(f.n_trees == ROUNDS);
                check_rounds(&f, names[k], plain, c, weight);
                trees += f.n_trees;
                scarce__forest_deinit(&f);
                scarce_table_free(t);
            }
    CHECK(trees > 1000);
}

/* ---- ends */

/* A tree without an error is the last; what is no better than chance is none. */
static void test_ends(void)
{
    float v[40];
    uint8_t label[40];
    scarce_table *t = NULL;
    scarce__loss_params params = SCARCE__LOSS_PARAMS_INIT;
    scarce__boost_options o = stumps("adaboost", &params);
    scarce__boost_result result;
    scarce__forest f;
    for (size_t i = 0; i < 40; ++i) {
        v[i] = (float)i;
        label[i] = i >= 30;
    }
    CHECK(scarce_table_from_floats(&t, v, 40, 1, NULL, label, NULL) == SCARCE_OK);
    scarce__boost_data train = {.table = t};
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(f.n_trees == 1 && result.exhausted && f.nodes[1].value < -5 && f.nodes[2].value > 5);
    scarce__forest_deinit(&f);
    for (size_t i = 0; i < 40; ++i)
        t->label[i] = i % 2 == 0, ((float *)t->columns[0].number)[i] = (float)(i / 2);
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
    CHECK(f.n_trees == 0 && result.exhausted && f.base == 0);
    scarce__forest_deinit(&f);
    for (size_t i = 0; i < 40; ++i) t->label[i] = i % 4 == 0, ((float *)t->columns[0].number)[i] = 3;
    CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) ==
          SCARCE_OK); /* nothing to split by */
    CHECK(f.n_trees == 0);
    CHECK_NEAR(f.base, 0.5 * log(1.0 / 3), 1e-12);
    scarce__forest_deinit(&f);
    scarce_table_free(t);
}

/* ---- weights are copies; a cost is a weight where the loss has no better use for it */

static void test_weights(void)
{
    for (size_t k = 0; k < 5; ++k) {
        scarce_table *t = small_table(3);
        uint32_t twice[2 * ROWS];
        size_t n = 0;
        scarce__loss_params params = SCARCE__LOSS_PARAMS_INIT;
        scarce__boost_result result;
        scarce__forest a, b;
        params.alarm_cost = 0.8;
        scarce__boost_options o = stumps(names[k], &params);
        for (size_t i = 0; i < ROWS; ++i) {
            case_weight[i] = (double)(i % 3);
            for (size_t j = 0; j < i % 3; ++j) twice[n++] = (uint32_t)i;
        }
        scarce__boost_data weighted = {.table = t, .weight = case_weight},
                           copies = {.table = t, .rows = twice, .n_rows = n};
        CHECK(scarce__boost_train(&a, &weighted, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__boost_train(&b, &copies, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
        if (a.n_trees != b.n_trees)
            fprintf(stderr, "%s: %zu and %zu trees\n", names[k], a.n_trees, b.n_trees);
        CHECK(a.n_trees == b.n_trees && a.n_trees > 0);
        for (size_t i = 0; a.n_trees == b.n_trees && i < a.tree_begin[a.n_trees]; ++i) {
            CHECK(a.nodes[i].feature == b.nodes[i].feature);
            CHECK_NEAR(a.nodes[i].value, b.nodes[i].value, 1e-5);
        }
        scarce__forest_deinit(&b);
        scarce__boost_data costs = {.table = t, .cost = case_weight};
        if (!o.loss.takes_costs) {
            CHECK(scarce__boost_train(&b, &costs, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
            CHECK(a.n_trees == b.n_trees &&
                  memcmp(a.nodes, b.nodes, a.tree_begin[a.n_trees] * sizeof *a.nodes) == 0);
            scarce__forest_deinit(&b);
        }
        scarce__forest_deinit(&a);
        scarce_table_free(t);
    }
}

/* ---- shares: AdaBoost.M2 by hand, on bags too */

static void test_shares(void)
{
    for (int balanced = 0; balanced < 2; ++balanced) {
        scarce_table *t = small_table(4);
        scarce__loss_params params = SCARCE__LOSS_PARAMS_INIT;
        scarce__boost_data train = {.table = t};
        scarce__boost_result result;
        scarce__forest f;
        double d[ROWS];
        params.shares = 1;
        scarce__boost_options o = stumps("adaboost", &params);
        if (balanced) o.sampling.kind = SCARCE__ROWS_BALANCED;
        CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK && f.n_trees > 4);
        for (size_t i = 0; i < ROWS; ++i) d[i] = 1.0 / ROWS;
        for (size_t tree = 0; tree < f.n_trees; ++tree) {
            const scarce__node *n = f.nodes + f.tree_begin[tree];
            double loss = 0, sum = 0, share[2] = {0, 0}, weight[2] = {0, 0};
            /* h(x, positive) of a side; on all rows it is the weighted share of positives there */
            for (size_t i = 0; i < ROWS; ++i) {
                weight[right_of(i, n)] += d[i];
                share[right_of(i, n)] += y[i] ? d[i] : 0;
            }
            const double top = fmax(fabs((double)n[n->left].value), fabs((double)n[n->right].value));
            double h[2] = {share[0] / weight[0], share[1] / weight[1]};
            if (balanced) { /* the bag is not known here: the shares are known up to the step, which fits the loss */
                double lo = 1e-6, hi = 1;
                for (int k = 0; k < 60; ++k) { /* find the size of the larger vote */
                    const double mid = 0.5 * (lo + hi);
                    h[0] = 0.5 + 0.5 * mid * (double)n[n->left].value / top;
                    h[1] = 0.5 + 0.5 * mid * (double)n[n->right].value / top;
                    double e = 0;
                    for (size_t i = 0; i < ROWS; ++i) {
                        const double own = y[i] ? h[right_of(i, n)] : 1 - h[right_of(i, n)];
                        e += 0.5 * d[i] * (1 - own + (1 - own));
                    }
                    if (0.5 * log((1 - e) / e) * mid < top) lo = mid;
                    else hi = mid;
                }
            }
            for (size_t i = 0; i < ROWS; ++i) {
                const double own = y[i] ? h[right_of(i, n)] : 1 - h[right_of(i, n)];
                loss += 0.5 * d[i] * (1 - own + (1 - own)); /* pseudo-loss of M2 */
            }
            const double beta = loss / (1 - loss);
            /* log(1/beta) h(x, positive), less half of it: the score of a side */
            if (!balanced) {
                CHECK_NEAR(n[n->left].value, -log(beta) * (h[0] - 0.5), 2e-5);
                CHECK_NEAR(n[n->right].value, -log(beta) * (h[1] - 0.5), 2e-5);
            } else CHECK(beta < 1 && h[0] >= 0 && h[0] <= 1 && h[1] >= 0 && h[1] <= 1);
            for (size_t i = 0; i < ROWS; ++i) {
                const double own = y[i] ? h[right_of(i, n)] : 1 - h[right_of(i, n)];
                d[i] *= pow(beta, 0.5 * (1 + own - (1 - own)));
                sum += d[i];
            }
            for (size_t i = 0; i < ROWS; ++i) d[i] /= sum;
        }
        scarce__forest_deinit(&f);
        scarce_table_free(t);
    }
}

/* ---- the same bits with any threads, with and without AVX2, and when it goes on */

static int same_trees(const scarce__forest *a, const scarce__forest *b)
{
    return a->n_trees == b->n_trees && a->n_trees > 0 &&
           memcmp(a->nodes, b->nodes, a->tree_begin[a->n_trees] * sizeof *a->nodes) == 0;
}

static void test_same_bits(void)
{
    static const scarce__sampling_kind kinds[] = {SCARCE__ROWS_ALL, SCARCE__ROWS_STRATIFIED,
                                                  SCARCE__ROWS_BALANCED};
    scarce_table *t = data_table(20000, 9, NULL, 2);
    double *costs = malloc(20000 * sizeof *costs);
    CHECK(costs != NULL);
    for (size_t i = 0; i < 20000; ++i) costs[i] = 0.7 + 0.3 * (double)(i % 7) / 6;
    for (size_t k = 0; k < 5; ++k)
        for (int variant = 0; variant < 6; ++variant) {
            scarce__loss_params params = SCARCE__LOSS_PARAMS_INIT;
            const scarce__boost_data train = {.table = t, .cost = variant > 2 ? costs : NULL};
            scarce__boost_result result;
            scarce__forest first = {0}, f;
            params.shares = variant == 1;
            params.alarm_cost = 0.95;
            scarce__boost_options o = stumps(names[k], &params);
            o.sampling.kind = kinds[variant % 3];
            o.n_trees = 9;
            o.grow.max_leaves = 6;
            CHECK(scarce__boost_train(&first, &train, NULL, &o, &result, NULL, NULL) == SCARCE_OK);
            CHECK(first.n_trees > 0);
            for (int threads = 1; threads <= 4; threads *= 2) {
                scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
                scarce_context *ctx = NULL;
                co.threads = threads;
                CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
                o.portable = threads == 2;
                CHECK(scarce__boost_train(&f, &train, NULL, &o, &result, ctx, NULL) == SCARCE_OK);
                CHECK(same_trees(&first, &f));
                scarce__forest_truncate(&f, f.n_trees > 4 ? 4 : 1);
                scarce__boost_options on = o;
                scarce__forest rest;
                on.resume = &f;
                CHECK(scarce__boost_train(&rest, &train, NULL, &on, &result, ctx, NULL) == SCARCE_OK);
                CHECK(same_trees(&first, &rest));
                scarce__forest_deinit(&rest);
                scarce__forest_deinit(&f);
                scarce_context_free(ctx);
            }
            scarce__forest_deinit(&first);
        }
    free(costs);
    scarce_table_free(t);
}

static const test_case tests[] = {{"golden", test_golden}, {"by_hand", test_by_hand},
                                  {"ends", test_ends},     {"weights", test_weights},
                                  {"shares", test_shares}, {"same_bits", test_same_bits}};
TEST_MAIN(tests)
