/* SPDX-License-Identifier: Apache-2.0 */
/* The voices of gb on small data: a linear model as trees says what the linear model says; weights are those with the
 * least loss; the whole is the sum of its parts by their weights; there are several where there should be, and they help
 * where the truth is simple. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "linear/linear.h"
#include "method/gb_linear.h"
#include "method/gb_weigh.h"
#include "test.h"
#include "unit/tables.h"

enum { ROWS = 900, COLUMNS = 6, MOST_ROWS = 12000 };
enum { FEW_VALUES, WITH_MISSING, CATEGORY, CONSTANT, WIDE, MISSING_CATEGORY };

/* Few-valued numbers (one with missing values), two categories, a constant, a number of many values with a long tail.
 * The label follows a sum of some of them, with noise. */
static scarce_table *make_table(size_t rows, double share, uint64_t seed)
{
    static float x[MOST_ROWS * COLUMNS];
    static uint8_t y[MOST_ROWS];
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 1);
    scarce_table *table = NULL;

    for (size_t i = 0; i < rows; ++i) {
        float *row = x + i * COLUMNS;
        row[FEW_VALUES] = (float)scarce__random_below(&r, 9);
        row[WITH_MISSING] =
            scarce__random_unit(&r) < 0.2 ? (float)NAN : (float)scarce__random_below(&r, 20) / 4;
        row[CATEGORY] = (float)scarce__random_below(&r, 12);
        row[CONSTANT] = 3;
        row[WIDE] = (float)exp(3 * scarce__random_unit(&r));
        row[MISSING_CATEGORY] =
            scarce__random_unit(&r) < 0.1 ? (float)NAN : (float)scarce__random_below(&r, 3);
        const double z = 0.5 * (double)row[FEW_VALUES] + ((int)row[CATEGORY] % 3) +
                         (isnan(row[WITH_MISSING]) ? 1.5 : 0.4 * (double)row[WITH_MISSING]) +
                         0.1 * (double)row[WIDE] + 3 * (scarce__random_unit(&r) - 0.5);
        y[i] = z > 8.5 - 10 * share;
    }
    CHECK(scarce_table_from_floats(&table, x, rows, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    to_category(table, CATEGORY, 12);
    to_category(table, MISSING_CATEGORY, 3);
    return table;
}

static void row_of(float *row, const scarce_table *table, size_t i)
{
    for (size_t f = 0; f < COLUMNS; ++f)
        if (table->schema.features[f].kind == SCARCE_COLUMN_CATEGORY)
            row[f] = table->columns[f].code[i] < 0 ? (float)NAN : (float)table->columns[f].code[i];
        else row[f] = table->columns[f].number[i];
}

static void linear_model(scarce__linear *out, const scarce_table *table)
{
    scarce__linear_options o = scarce__linear_options_init();
    o.c = 0.3;
    o.min_category_rows = 5;
    o.tolerance = 1e-4;
    CHECK(scarce__linear_train(out, NULL, table, &o, NULL, NULL) == SCARCE_OK);
}

static scarce__forest linear_forest(const scarce_table *table)
{
    scarce__boost_options o;
    scarce__forest forest = {0};
    scarce__boost_options_init(&o);
    CHECK(scarce__gb_linear(&forest, table, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    return forest;
}

/* Values that have a cell of their own are exact; the wide one is off by a part of its cell. */
static void test_as_trees(void)
{
    scarce_table *table = make_table(ROWS, 0.3, 1);
    scarce__linear model;
    scarce__forest forest = linear_forest(table);
    float row[COLUMNS];

    linear_model(&model, table);
    CHECK(forest.n_trees == COLUMNS - 1); /* none of the constant */
    for (size_t i = 0; i < ROWS; ++i) {
        row_of(row, table, i);
        const double wide = fabs(model.weight[WIDE]) * 0.6; /* 1/32 of the range */
        const double off = scarce__forest_walk(&forest, row) - scarce__linear_score(&model, row);
        CHECK(fabs(off) <= wide + 1e-4);
    }
    scarce__linear_deinit(&model);
    scarce__forest_deinit(&forest);
    scarce_table_free(table);
}

/* A feature alone: the difference of two rows is that of the linear model. */
static void test_one_feature(void)
{
    scarce_table *table = make_table(ROWS, 0.3, 2);
    scarce__linear model;
    scarce__forest forest = linear_forest(table);
    float a[COLUMNS], b[COLUMNS];
    const size_t unknown = 12;

    linear_model(&model, table);
    row_of(a, table, 0);
    memcpy(b, a, sizeof a);
    for (size_t f = 0; f < COLUMNS; ++f) {
        if (f == WIDE || f == CONSTANT) continue;
        for (int v = -1; v < (f == CATEGORY ? 12 : f == MISSING_CATEGORY ? 3 : 5); ++v) {
            if (v < 0 && f != WITH_MISSING && f != MISSING_CATEGORY) continue; /* none were seen */
            b[f] = v < 0 ? (float)NAN : (float)v;
            CHECK_NEAR(scarce__forest_walk(&forest, b) - scarce__forest_walk(&forest, a),
                       scarce__linear_score(&model, b) - scarce__linear_score(&model, a), 1e-5);
        }
        memcpy(b, a, sizeof a);
    }
    /* never seen: a number goes where the mean is, an unknown category to the one nearest to its weight */
    b[FEW_VALUES] = (float)NAN;
    const double missing = scarce__forest_walk(&forest, b);
    b[FEW_VALUES] = 4;
    CHECK_NEAR(missing, scarce__forest_walk(&forest, b), 1e-12);
    b[CATEGORY] = (float)unknown;
    CHECK(isfinite(scarce__forest_walk(&forest, b)));
    scarce__linear_deinit(&model);
    scarce__forest_deinit(&forest);
    scarce_table_free(table);
}

/* Far out, and more categories than leaves. */
static void test_extremes(void)
{
    static float x[ROWS * 2];
    static uint8_t y[ROWS];
    scarce_table *table = NULL;
    for (size_t i = 0; i < ROWS; ++i) {
        x[2 * i] = i == 7 ? 1e30F : (float)(i % 50);
        x[2 * i + 1] = (float)(i % 150);
        y[i] = i % 50 > 40;
    }
    CHECK(scarce_table_from_floats(&table, x, ROWS, 2, NULL, y, NULL) == SCARCE_OK);
    to_category(table, 1, 1);
    table->schema.features[1].categories.count = 0;
    for (int c = 0; c < 150; ++c) {
        char name[8];
        const int n = snprintf(name, sizeof name, "c%d", c);
        (void)scarce__dictionary_add(&table->schema.features[1].categories, name, (size_t)n);
    }
    scarce__forest forest = linear_forest(table);
    for (size_t t = 0; t < forest.n_trees; ++t)
        CHECK(forest.tree_begin[t + 1] - forest.tree_begin[t] <= 127); /* 64 leaves */
    for (size_t i = 0; i < ROWS; ++i) CHECK(isfinite(scarce__forest_walk(&forest, x + 2 * i)));
    scarce__forest_deinit(&forest);
    scarce_table_free(table);
}

/* ---- the sum */

static scarce_model *trained(const scarce_table *table, const char *settings, uint64_t seed)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_params *p = NULL;
    scarce_model *model = NULL;
    co.seed = seed;
    co.threads = 1;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce_params_new(&p, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_params_set_list(p, settings, ' ', NULL) == SCARCE_OK);
    CHECK(scarce_train(&model, table, p, NULL, NULL, ctx, NULL) == SCARCE_OK);
    scarce_params_free(p);
    scarce_context_free(ctx);
    return model;
}

static void score(double *out, const scarce_model *model, const scarce_table *table)
{
    scarce_scorer *scorer = NULL;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, table, out, NULL, NULL, NULL) == SCARCE_OK);
    scarce_scorer_free(scorer);
}

/* n_trees is given, so nobody is held out: those voices are heard that need no rows to tell, by what they are worth then. */
static void test_sum(void)
{
    static double all[ROWS], usual[ROWS], large[ROWS];
    scarce_table *table = make_table(ROWS, 0.2, 3);
    const uint64_t other = scarce__key(5, SCARCE__FOR_MEMBERS, 6);
    scarce_model *m = trained(table, "n_trees=30 splits=random voices=several", 5),
                 *a = trained(table, "n_trees=30 splits=random", 5),
                 *b = trained(table,
                              "n_trees=30 splits=random max_leaves=31 colsample_node=1 category_splits=all "
                              "min_child_weight=0.01",
                              other);
    scarce__forest linear = linear_forest(table);
    float row[COLUMNS];

    CHECK(strcmp(scarce_model_note(m, "param.voices"), "several") == 0);
    CHECK(strcmp(scarce_model_note(a, "param.voices"), "one") == 0);
    CHECK(strcmp(scarce_model_note(m, "voices"),
                 "with weights that suit most tables: 40 % from 30 trees of 31 leaves, random thresholds; "
                 "20 % from 30 trees of 31 leaves, random thresholds; 40 % from a linear model") == 0);
    CHECK(scarce_model_note(a, "voices") == NULL);
    score(all, m, table);
    score(usual, a, table);
    score(large, b, table);
    for (size_t i = 0; i < ROWS; ++i) {
        row_of(row, table, i);
        CHECK_NEAR(all[i], 0.4 * (usual[i] + 0.5 * large[i] + scarce__forest_walk(&linear, row)), 1e-5);
    }
    scarce__forest_deinit(&linear);
    scarce_model_free(m);
    scarce_model_free(a);
    scarce_model_free(b);
    scarce_table_free(table);
}

static int several(size_t rows, const char *settings)
{
    scarce_table *table = make_table(rows, 0.03, 4);
    scarce_model *m = trained(table, settings, 1);
    const int is = strcmp(scarce_model_note(m, "param.voices"), "several") == 0;
    scarce_model_free(m);
    scarce_table_free(table);
    return is;
}

static void test_when(void)
{
    CHECK(several(ROWS, ""));
    CHECK(!several(ROWS, "voices=one"));
    CHECK(!several(ROWS, "n_trees=20"));
    CHECK(!several(ROWS, "max_leaves=7"));
    CHECK(several(ROWS, "max_leaves=7 voices=several"));
    CHECK(!several(ROWS, "splits=best"));
    CHECK(!several(ROWS, "monotone=1:1"));
    CHECK(several(MOST_ROWS, ""));
    CHECK(!several(MOST_ROWS, "learning_rate=0.1"));
    CHECK(several(MOST_ROWS, "learning_rate=0.1 voices=several"));
}

/* ---- weights */

enum { BALLOT = 200, VOICES = 3 };

typedef struct drawn {
    double score[BALLOT * VOICES], side[BALLOT], count[BALLOT];
} drawn;

static const double equal[VOICES] = {2, 2, 2}, unlike[VOICES] = {3, 2, 1};

/* Voices that know the truth to some degree. */
static scarce__ballot draw_ballot(drawn *d, const double *knows, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 9);
    for (size_t i = 0; i < BALLOT; ++i) {
        const double truth = 2 * scarce__random_normal(&r);
        d->side[i] = scarce__random_unit(&r) < 1 / (1 + exp(-truth)) ? 1 : -1;
        d->count[i] = (double)scarce__random_below(&r, 3);
        for (size_t k = 0; k < VOICES; ++k)
            d->score[i * VOICES + k] = knows[k] * truth + 2 * (1 - knows[k]) * scarce__random_normal(&r);
    }
    return (scarce__ballot){BALLOT, VOICES, d->score, d->side, d->count, equal};
}

static double value_of(const scarce__ballot *b, const double *w)
{
    double value = 0;
    for (size_t i = 0; i < b->n_rows; ++i) {
        double z = 0;
        for (size_t k = 0; k < b->n_voices; ++k) z += w[k] * b->score[i * b->n_voices + k];
        value += b->count[i] * log(1 + exp(-b->side[i] * z));
    }
    for (size_t k = 0; k < b->n_voices; ++k)
        if (w[k] > 0) value += 5 * w[k] * log(w[k] / b->prior[k]); /* but for a constant */
    return value;
}

/* No point of a grid on the simplex is better. */
static void test_weights_are_least(void)
{
    static drawn d;
    const double knows[VOICES] = {0.7, 0.6, 0.5};
    for (uint64_t seed = 1; seed < 9; ++seed) {
        scarce__ballot b = draw_ballot(&d, knows, seed);
        if (seed % 2) b.prior = unlike;
        double w[VOICES], least = INFINITY;
        scarce__gb_weigh(w, &b);
        CHECK_NEAR(w[0] + w[1] + w[2], 1, 1e-9);
        if (!(w[0] > 0 && w[1] > 0 && w[2] > 0)) continue; /* one was left out */
        for (int i = 1; i < 100; ++i)
            for (int j = 1; i + j < 100; ++j) {
                const double grid[VOICES] = {i / 100.0, j / 100.0, 1 - (i + j) / 100.0};
                const double value = value_of(&b, grid);
                least = value < least ? value : least;
            }
        CHECK(value_of(&b, w) <= least + 1e-9);
    }
}

/* The one who knows is heard most, who knows nothing not at all; alike are alike; nobody to judge: equal. */
static void test_weights_follow(void)
{
    static drawn d;
    const double knows[VOICES] = {0.9, 0.4, 0}, alike[VOICES] = {1, 1, 1};
    double w[VOICES], copies[VOICES], nobody[VOICES], rows[VOICES];
    scarce__ballot b = draw_ballot(&d, knows, 3);

    scarce__gb_weigh(w, &b);
    CHECK(w[0] > 0.6 && w[0] > w[1] && w[2] == 0);
    for (size_t i = 0; i < BALLOT; ++i) /* a count of nothing takes a row out */
        if (i >= 120) d.count[i] = 0;
    scarce__gb_weigh(w, &b);
    b.n_rows = 120;
    scarce__gb_weigh(rows, &b);
    for (size_t k = 0; k < VOICES; ++k) CHECK(w[k] == rows[k]);
    b = draw_ballot(&d, alike, 4);
    scarce__gb_weigh(copies, &b);
    b.n_rows = 0;
    scarce__gb_weigh(nobody, &b);
    b.prior = unlike;
    scarce__gb_weigh(rows, &b);
    for (size_t k = 0; k < VOICES; ++k) {
        CHECK_NEAR(rows[k], unlike[k] / 6, 1e-12);
        CHECK_NEAR(copies[k], 1.0 / VOICES, 1e-9);
        CHECK_NEAR(nobody[k], 1.0 / VOICES, 1e-12);
    }
    b = draw_ballot(&d, knows, 3);
    for (size_t i = 0; i < BALLOT * VOICES; ++i) d.score[i] *= 1e6; /* out of all proportion: still weights */
    scarce__gb_weigh(w, &b);
    CHECK_NEAR(w[0] + w[1] + w[2], 1, 1e-9);
    for (size_t k = 0; k < VOICES; ++k) CHECK(w[k] >= 0 && w[k] <= 1);
}

/* Simple truth, few positives: better on other rows, in the mean of some draws. */
static void test_helps(void)
{
    static double with[4000], without[4000];
    scarce_table *test = make_table(4000, 0.03, 99);
    double gain = 0;
    for (uint64_t seed = 10; seed < 16; ++seed) {
        scarce_table *table = make_table(600, 0.03, seed);
        scarce_model *m = trained(table, "", 1), *alone = trained(table, "voices=one", 1);
        scarce_metrics a = SCARCE_METRICS_INIT, b = SCARCE_METRICS_INIT;
        score(with, m, test);
        score(without, alone, test);
        const scarce_scored x = {.n = 4000, .score = with, .label = test->label},
                            y = {.n = 4000, .score = without, .label = test->label};
        CHECK(scarce_metrics_compute(&a, &x, NULL, NULL, NULL) == SCARCE_OK &&
              scarce_metrics_compute(&b, &y, NULL, NULL, NULL) == SCARCE_OK);
        gain += a.ap - b.ap;
        scarce_model_free(m);
        scarce_model_free(alone);
        scarce_table_free(table);
    }
    CHECK(gain / 6 > 0.02);
    scarce_table_free(test);
}

static const test_case tests[] = {{"as_trees", test_as_trees},
                                  {"one_feature", test_one_feature},
                                  {"extremes", test_extremes},
                                  {"sum", test_sum},
                                  {"when", test_when},
                                  {"weights_are_least", test_weights_are_least},
                                  {"weights_follow", test_weights_follow},
                                  {"helps", test_helps}};
TEST_MAIN(tests)
