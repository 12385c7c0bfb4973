/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of errors, by class and by row: the role, that a cost is a weight, and what becomes of probabilities. Every line
 * of the table of corrections that boosting and linear models have is held against rows whose probabilities are known:
 * how far the mean probability is off before and after. */
#include <math.h>
#include <unistd.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/random.h"
#include "data/rework.h"
#include "data/table.h"
#include "method/method.h"
#include "test.h"

enum { ROWS = 12000, COLUMNS = 4 };

/* Rows of the log-odds -3.5 + x0 + x1^2/2 + (x2 > 1): about one positive in eleven. p: their probabilities. */
static scarce_table *logistic_rows(uint64_t seed, double *p)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 8);
    float *x = malloc(sizeof *x * ROWS * COLUMNS);
    uint8_t *y = malloc(ROWS);
    scarce_table *t = NULL;
    CHECK(x && y);
    for (size_t i = 0; i < ROWS; ++i) {
        float *v = x + i * COLUMNS;
        /* few values, each a bin of its own whatever the weights are */
        for (size_t k = 0; k < COLUMNS; ++k) v[k] = (float)floor(8 * scarce__random_normal(&r)) / 8;
        p[i] = scarce__sigmoid(-3.5 + (double)v[0] + 0.5 * (double)v[1] * (double)v[1] + (v[2] > 1));
        y[i] = scarce__random_unit(&r) < p[i];
    }
    CHECK(scarce_table_from_floats(&t, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    free(x);
    free(y);
    return t;
}

typedef struct learnt {
    scarce_model *model;
    scarce_scorer *scorer;
} learnt;

static learnt learn(const scarce_table *t, const char *method, const char *settings,
                    const scarce_train_options *options)
{
    learnt l = {NULL, NULL};
    scarce_params *params = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st = scarce_params_new(&params, method, &err);
    if (!st) st = scarce__params_set_list(params->values, settings, ':', &err);
    if (!st) st = scarce_train(&l.model, t, params, options, NULL, NULL, &err);
    if (!st) st = scarce_scorer_new(&l.scorer, l.model, &err);
    if (st) fprintf(stderr, "%s %s: %s\n", method, settings, err.text);
    CHECK(st == SCARCE_OK);
    scarce_params_free(params);
    return l;
}

static void forget(learnt *l)
{
    scarce_scorer_free(l->scorer);
    scarce_model_free(l->model);
}

/* Mean probability less the true one, over rows that were not learnt from; NaN: there are no probabilities. */
static double bias_of(const scarce_table *t, const char *method, const char *settings,
                      const scarce_train_options *options)
{
    static double p[ROWS], score[ROWS], mine[ROWS];
    scarce_table *fresh = logistic_rows(99, p);
    learnt l = learn(t, method, settings, options);
    double sum = 0;
    if (l.scorer) CHECK(scarce_scorer_table(l.scorer, fresh, score, mine, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; l.scorer && i < ROWS; ++i) sum += mine[i] - p[i];
    forget(&l);
    scarce_table_free(fresh);
    return sum / ROWS;
}

/* ---- the table of corrections */

static double true_p[ROWS];

/* off: at least so far when nothing is put right; on: at most so far when it is. */
static void check_line(const scarce_table *t, const char *method, const char *settings, double off, double on)
{
    scarce_train_options raw = SCARCE_TRAIN_OPTIONS_INIT;
    raw.calibrate = "none";
    const double before = bias_of(t, method, settings, &raw), after = bias_of(t, method, settings, NULL);
    if (!(fabs(before) >= off && fabs(after) <= on))
        fprintf(stderr, "%s %s: off by %.4f, then by %.4f\n", method, settings, before, after);
    CHECK(fabs(before) >= off && fabs(after) <= on);
}

static void test_known_factors(void)
{
    scarce_table *t = logistic_rows(1, true_p);
    check_line(t, "gb", "n_trees=150:max_leaves=4:pos_weight=8", 0.15, 0.012);
    check_line(t, "gb", "n_trees=150:max_leaves=4:miss_cost=16:alarm_cost=2", 0.15, 0.012);
    check_line(t, "gb", "n_trees=150:sample=balanced:max_leaves=4", 0,
               0.012); /* weights undo the sample: nothing to put right */
    check_line(t, "st-grboost", "pos_weight=8", 0.15, 0.012);
    check_line(t, "logistic", "pos_weight=8", 0.15, 0.012);
    check_line(t, "logistic", "miss_cost=16:alarm_cost=2", 0.15, 0.012);
    check_line(t, "adaboost", "n_trees=60", 0, 0.02);
    check_line(t, "adaboost", "n_trees=60:pos_weight=8", 0.15, 0.03);
    check_line(t, "gb", "n_trees=60:loss=exponential:pos_weight=8", 0.15, 0.03);
    /* the same as costs of rows, where these are the same for all of a class */
    t->cost = scarce__malloc_array(ROWS, sizeof *t->cost);
    for (size_t i = 0; i < ROWS; ++i) t->cost[i] = t->label[i] ? 24 : 3;
    check_line(t, "gb", "n_trees=150:max_leaves=4", 0.15, 0.012);
    check_line(t, "logistic", "", 0.15, 0.012);
    check_line(t, "adaboost", "n_trees=60", 0.15, 0.03);
    scarce_table_free(t);
}

/* Where no factor is known there is no probability; off: how far the plain link would be off, at least. A calibrator on
 * other rows puts it right. */
static void check_none(const scarce_table *t, const char *method, const char *settings, double slope,
                       double off)
{
    static double p[ROWS], score[ROWS], other[ROWS];
    scarce_table *fresh = logistic_rows(98, p), *valid = logistic_rows(97, other);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    learnt l = learn(t, method, settings, NULL);
    double raw = 0;
    if (l.scorer) {
        CHECK(isnan(scarce_scorer_probability(l.scorer, 0)));
        CHECK(scarce_scorer_table(l.scorer, fresh, score, NULL, NULL, NULL) == SCARCE_OK);
    }
    for (size_t i = 0; i < ROWS; ++i) raw += (scarce__sigmoid(slope * score[i]) - p[i]) / ROWS;
    if (slope > 0 && !(fabs(raw) > off)) fprintf(stderr, "%s %s: off by %.4f\n", method, settings, raw);
    CHECK(!(slope > 0) || fabs(raw) > off);
    o.valid = valid;
    o.calibrate = "isotonic";
    const double after = bias_of(t, method, settings, &o);
    if (!(fabs(after) < 0.012)) fprintf(stderr, "%s %s: calibrated, off by %.4f\n", method, settings, after);
    CHECK(fabs(after) < 0.012);
    forget(&l);
    scarce_table_free(fresh);
    scarce_table_free(valid);
}

static void test_no_factor(void)
{
    scarce_table *t = logistic_rows(1, true_p);
    check_none(t, "bal-st-grboost", "n_trees=300", 2, 0.2);
    check_none(t, "rusboost", "", 2, 0.2);
    check_none(t, "smoteboost", "made_per_pos=8", 2, 0.2);
    check_none(t, "logitboost", "", 2, 0.015);
    check_none(t, "adac1", "", 0, 0);
    check_none(t, "adac2", "", 0, 0);
    check_none(t, "adac3", "", 0, 0);
    check_none(t, "adacost", "", 0, 0);
    t->cost = scarce__malloc_array(ROWS, sizeof *t->cost);
    for (size_t i = 0; i < ROWS; ++i) t->cost[i] = t->label[i] ? 2.0 * (double)(1 + i % 29) : 1;
    check_none(t, "gb", "n_trees=60", 1, 0.2);
    check_none(t, "logistic", "", 1, 0.2);
    check_none(t, "linear-svm", "", 0, 0);
    scarce_table_free(t);
}

/* Of balanced samples drawn anew, starting at the share of all rows: the factor N/P is right only once the trees have
 * brought the scores all the way to the shares of the samples, and nobody knows how far they are. */
static void test_balanced_on_the_way(void)
{
    static double p[ROWS], score[ROWS];
    static const char *const trees[] = {"n_trees=10", "n_trees=300"};
    scarce_table *t = logistic_rows(1, true_p), *fresh = logistic_rows(98, p);
    const double odds = (double)(ROWS - t->n_positives) / (double)t->n_positives;
    for (int k = 0; k < 2; ++k) {
        learnt l = learn(t, "bal-st-grboost", trees[k], NULL);
        double off = 0;
        CHECK(scarce_scorer_table(l.scorer, fresh, score, NULL, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < ROWS; ++i)
            off += (scarce__sigmoid(2 * score[i] - scarce__ln(odds)) - p[i]) / ROWS;
        if (k == 0) CHECK(off < -0.04); /* of 0.089 */
        else CHECK(fabs(off) < 0.012);
        forget(&l);
    }
    scarce_table_free(t);
    scarce_table_free(fresh);
}

/* calibrate=prior is refused where no factor is known, with the reason. */
static void test_refused(void)
{
    scarce_table *t = logistic_rows(1, true_p);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    o.calibrate = "prior";
    CHECK(scarce_params_new(&params, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_params_set(params, "n_trees", "5", NULL) == SCARCE_OK);
    t->cost = scarce__malloc_array(ROWS, sizeof *t->cost);
    for (size_t i = 0; i < ROWS; ++i) t->cost[i] = (double)(1 + i % 3);
    CHECK(scarce_train(&model, t, params, &o, NULL, NULL, &err) == SCARCE_EINVAL);
    CHECK(strstr(err.text, "costs that differ from row to row change the odds by no known factor"));
    scarce_params_free(params);
    scarce_table_free(t);
}

/* ---- a cost is a weight, for everything but the losses that are about costs */

static void test_cost_is_weight(void)
{
    static const char *const methods[][2] = {{"gb", "n_trees=10"},       {"ap-lb", "n_trees=10"},
                                             {"logistic", ""},           {"linear-svm", ""},
                                             {"adaboost", "n_trees=10"}, {"rusboost", "n_trees=10"}};
    static double a[ROWS], b[ROWS];
    scarce_table *t = logistic_rows(2, true_p);
    double *weight = scarce__malloc_array(ROWS, sizeof *weight);
    CHECK(weight != NULL);
    for (size_t i = 0; i < ROWS; ++i) weight[i] = (double)(1 + i % 4);
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; ++k) {
        t->weight = weight;
        t->cost = NULL;
        learnt l = learn(t, methods[k][0], methods[k][1], NULL);
        t->cost = weight;
        t->weight = NULL;
        learnt m = learn(t, methods[k][0], methods[k][1], NULL);
        t->cost = t->weight = NULL;
        learnt none = learn(t, methods[k][0], methods[k][1], NULL);
        double most = 0, other = 0;
        CHECK(scarce_scorer_table(l.scorer, t, a, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_scorer_table(m.scorer, t, b, NULL, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < ROWS; ++i) most = fmax(most, fabs(a[i] - b[i]));
        CHECK(scarce_scorer_table(none.scorer, t, b, NULL, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < ROWS; ++i) other = fmax(other, fabs(a[i] - b[i]));
        /* the scale of columns of linear models knows case weights only */
        const double far = methods[k][0][0] == 'l' ? 0.1 * other : 1e-6;
        if (most > far) fprintf(stderr, "%s: %g, without any %g\n", methods[k][0], most, other);
        CHECK(most <= far && other > 0);
        forget(&l);
        forget(&m);
        forget(&none);
    }
    scarce__free(weight);
    scarce_table_free(t);
}

/* Ensembles hand costs on to their members, and have no probability where these have none. */
static void test_ensembles(void)
{
    static const char *const methods[][2] = {{"st-ensemble", "n_trees=10:members=2:aggregate=avg"},
                                             {"bag", "members=2:inner=gb:inner.n_trees=10"}};
    scarce_table *t = logistic_rows(3, true_p);
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; ++k) {
        learnt plain = learn(t, methods[k][0], methods[k][1], NULL);
        t->cost = scarce__malloc_array(ROWS, sizeof *t->cost);
        for (size_t i = 0; t->cost && i < ROWS; ++i) t->cost[i] = (double)(1 + i % 4);
        learnt costly = learn(t, methods[k][0], methods[k][1], NULL);
        CHECK(scarce_model_has_probability(plain.model) && !scarce_model_has_probability(costly.model));
        scarce__free(t->cost);
        t->cost = NULL;
        forget(&plain);
        forget(&costly);
    }
    scarce_table_free(t);
}

/* Class costs are pos_weight, up to the scale of all weights. */
static void test_class_costs(void)
{
    static double a[ROWS], b[ROWS];
    static const char *const pairs[][3] = {
        {"gb", "n_trees=10:lambda=0:min_child_weight=0:pos_weight=6",
         "n_trees=10:lambda=0:min_child_weight=0:miss_cost=3:alarm_cost=0.5"},
        {"gb", "n_trees=10:pos_weight=6", "n_trees=10:miss_cost=6"},
        {"logistic", "pos_weight=6:c=2", "miss_cost=12:alarm_cost=2:c=1"},
        {"linear-svm", "pos_weight=6:c=2", "miss_cost=12:alarm_cost=2:c=1"},
        {"adaboost", "n_trees=10:pos_weight=6", "n_trees=10:miss_cost=3:alarm_cost=0.5"}};
    scarce_table *t = logistic_rows(3, true_p);
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
        learnt l = learn(t, pairs[k][0], pairs[k][1], NULL), m = learn(t, pairs[k][0], pairs[k][2], NULL);
        double most = 0;
        CHECK(scarce_scorer_table(l.scorer, t, a, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_scorer_table(m.scorer, t, b, NULL, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < ROWS; ++i) most = fmax(most, fabs(a[i] - b[i]));
        if (most > 1e-3) fprintf(stderr, "%s %s: %g\n", pairs[k][0], pairs[k][2], most);
        CHECK(most <= 1e-3);
        forget(&l);
        forget(&m);
    }
    scarce_table_free(t);
}

/* ---- the role */

static scarce_table *read_text(const char *text, const char *amount, const char *cost, scarce_status want,
                               const char *message)
{
    char path[] = "/tmp/scarce_costs_XXXXXX";
    const int fd = mkstemp(path);
    const char *const paths[] = {path};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
    o.format = SCARCE_FORMAT_CSV;
    o.amount = amount;
    o.cost = cost;
    CHECK(scarce_table_read(&t, paths, 1, &o, NULL, &err) == want);
    if (message && !strstr(err.text, message)) fprintf(stderr, "%s\n", err.text);
    CHECK(!message || strstr(err.text, message));
    CHECK(remove(path) == 0);
    return t;
}

static void test_role(void)
{
    static const char text[] = "a,eur,c,label\n1,5,2.5,0\n2,6,0,1\n3,7,1e3,0\n4,8,1,1\n";
    scarce_table *t = read_text(text, NULL, "c", SCARCE_OK, NULL), *u = NULL, *v = NULL;
    CHECK(t && scarce_table_features(t) == 2 && scarce_table_cost(t));
    if (!t) return;
    CHECK(scarce_table_cost(t)[0] == 2.5 && scarce_table_cost(t)[1] == 0 && scarce_table_cost(t)[2] == 1000);
    CHECK_TEXT(scarce_schema_role(scarce_table_schema(t), SCARCE_ROLE_COST), "c");
    const uint32_t rows[] = {2, 0};
    CHECK(scarce_table_rows_of(&u, t, rows, 2, NULL, NULL) == SCARCE_OK);
    CHECK(u && u->cost[0] == 1000 && u->cost[1] == 2.5 && u->schema.cost_name);
    scarce_view_options o = SCARCE_VIEW_OPTIONS_INIT;
    o.first = 1;
    CHECK(scarce_table_view(&v, t, &o, NULL) == SCARCE_OK && v->cost[0] == 0 && v->cost[2] == 1);
    scarce_table_free(v);
    o.without = SCARCE_ROLE_COST;
    CHECK(scarce_table_view(&v, t, &o, NULL) == SCARCE_OK && !v->cost && !v->schema.cost_name);
    scarce_table_free(v);
    const uint64_t with = scarce_table_fingerprint(t);
    t->cost[0] = 3;
    CHECK(scarce_table_fingerprint(t) != with);
    const scarce__rework change = {NULL, 0, rows, 1, NULL}; /* row 2 once more */
    CHECK(scarce__table_rework(t, &change, NULL, NULL) == SCARCE_OK && t->n_rows == 5 && t->cost[4] == 1000);
    scarce_table_free(t);
    scarce_table_free(u);
    /* the amounts themselves: they stay a feature */
    t = read_text(text, "eur", "eur", SCARCE_OK, NULL);
    CHECK(t && scarce_table_features(t) == 3 && t->cost && t->cost[3] == 8 && t->amount[3] == 8);
    scarce_table_free(t);
    CHECK(!read_text("a,c,label\n1,-2,0\n2,1,1\n", NULL, "c", SCARCE_EDATA, "is a negative cost"));
    CHECK(!read_text("a,c,label\n1,,0\n2,1,1\n", NULL, "c", SCARCE_EDATA, "c"));
    CHECK(!read_text("a,c,label\n1,-2,0\n2,1,1\n", "c", "c", SCARCE_EDATA, "cost -2 of row 1"));
    CHECK(!read_text("a,c,label\n1,0,0\n2,0,1\n", "c", "c", SCARCE_EDATA, "all costs are 0"));
    CHECK(!read_text("a,c,label\n1,1,0\n2,1,1\n", NULL, "d", SCARCE_EDATA, "no cost column \"d\""));
}

/* A table of columns, written and read again. */
static void test_columns(void)
{
    static const double x[] = {1, 2, 3, 4}, cost[] = {0.5, 2, 3, 4}, bad[] = {1, -1, 1, 1};
    static const uint8_t y[] = {0, 1, 0, 1};
    scarce_column c[3] = {SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT};
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    c[0].name = "x", c[0].items = x, c[0].type = SCARCE_TYPE_F64;
    c[1].name = "price", c[1].items = cost, c[1].type = SCARCE_TYPE_F64, c[1].role = SCARCE_ROLE_COST;
    c[2].name = "y", c[2].items = y, c[2].type = SCARCE_TYPE_U8, c[2].role = SCARCE_ROLE_LABEL;
    CHECK(scarce_table_from_columns(&t, c, 3, 4, NULL, NULL, &err) == SCARCE_OK);
    CHECK(t && scarce_table_features(t) == 1 && scarce_table_cost(t)[3] == 4);
    if (t) {
        char path[] = "/tmp/scarce_costs_XXXXXX", text[200] = {0};
        const int fd = mkstemp(path);
        CHECK(fd >= 0 && close(fd) == 0);
        CHECK(scarce_table_write(t, path, NULL, NULL, &err) == SCARCE_OK);
        FILE *f = fopen(path, "r");
        CHECK(f && fread(text, 1, sizeof text - 1, f) > 0 && fclose(f) == 0);
        CHECK_TEXT(text, "x,price,y\n1,0.5,0\n2,2,1\n3,3,0\n4,4,1\n");
        CHECK(remove(path) == 0);
    }
    scarce_table_free(t);
    c[1].items = bad;
    CHECK(scarce_table_from_columns(&t, c, 3, 4, NULL, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "column \"price\": cost -1 of row 2, expected a number from 0 to 1e30");
}

static const test_case tests[] = {{"known_factors", test_known_factors},
                                  {"no_factor", test_no_factor},
                                  {"balanced_on_the_way", test_balanced_on_the_way},
                                  {"refused", test_refused},
                                  {"ensembles", test_ensembles},
                                  {"cost_is_weight", test_cost_is_weight},
                                  {"class_costs", test_class_costs},
                                  {"role", test_role},
                                  {"columns", test_columns}};
TEST_MAIN(tests)
