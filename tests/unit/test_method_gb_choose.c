/* SPDX-License-Identifier: Apache-2.0 */
/* What gb chooses by held-out rows: many trees where labels follow a rule, few where they are noise, not fooled by
 * copies when these share a group; another setting only where it is clearly better; scores as sure as they may be; the
 * same for any threads, nothing lost by an interruption. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "method/gb_choose.h"
#include "test.h"

enum { ROWS = 1200, COLUMNS = 4 };

/* A chessboard of two columns (no noise), or labels by chance with this share of positives. */
static scarce_table *make_rows(int rule, double share, size_t copies, uint64_t seed)
{
    static float x[ROWS * COLUMNS];
    static uint8_t y[ROWS];
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 0);
    scarce_table *table = NULL;
    for (size_t i = 0; i < ROWS; ++i) {
        float *row = x + i * COLUMNS;
        if (i % copies) {
            memcpy(row, row - COLUMNS, COLUMNS * sizeof *row);
            y[i] = y[i - 1];
            continue;
        }
        for (int k = 0; k < COLUMNS; ++k) row[k] = (float)scarce__random_unit(&r);
        y[i] = rule ? ((int)(4 * row[0]) + (int)(4 * row[1])) % 2 == 1 : scarce__random_unit(&r) < share;
    }
    CHECK(scarce_table_from_floats(&table, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    return table;
}

static scarce_table *make_table(int rule, double share, size_t copies)
{
    return make_rows(rule, share, copies, 5);
}

typedef struct outcome {
    size_t which;
    int n_trees;
    double scale, shift;
} outcome;

static outcome choose(const scarce_table *table, int n_trees, int least, int leaves, int other_leaves)
{
    scarce__gb_candidates c = {.n = other_leaves ? 2 : 1, .calibrate = 1, .shift = (double)NAN, .parts = 5};
    scarce__gb_choice choice;
    int cancelled = 1;
    scarce__boost_options_init(&c.one[0].o);
    c.one[0].o.n_trees = n_trees;
    c.one[0].o.seed = 3;
    c.one[0].o.grow.max_leaves = leaves;
    c.one[0].haste = 1;
    c.one[0].least = least;
    c.one[1] = c.one[0];
    c.one[1].o.grow.max_leaves = other_leaves;
    CHECK(scarce__gb_choose(&choice, &cancelled, table, &c, NULL, NULL) == SCARCE_OK && !cancelled);
    const scarce__gb_share *taken = &choice.of[choice.which];
    CHECK(taken->weight == 1 && (!other_leaves || choice.of[!choice.which].weight == 0));
    return (outcome){choice.which, taken->n_trees, taken->scale, taken->shift};
}

static int chosen(const scarce_table *table, int n_trees, int least)
{
    return choose(table, n_trees, least, 8, 0).n_trees;
}

static void test_rule_and_noise(void)
{
    scarce_table *rule = make_table(1, 0, 1), *noise = make_table(0, 0.5, 1), *few = make_table(0, 0.004, 1);
    CHECK(chosen(rule, 100, 20) > 60);
    CHECK(chosen(noise, 100, 1) < 20);
    CHECK(chosen(noise, 100, 77) == 77);
    CHECK(few->n_positives < 10 && chosen(few, 123, 1) == 123); /* too few to tell: as it was */
    scarce_table_free(rule);
    scarce_table_free(noise);
    scarce_table_free(few);
}

/* Noise, but every row three times: rows held out are known from their copies, unless a group keeps these
 * together. */
static void test_copies(void)
{
    scarce_table *table = make_table(0, 0.5, 3);
    CHECK(chosen(table, 100, 1) > 100);
    table->group = scarce__malloc_array(ROWS, sizeof *table->group);
    CHECK(table->group != NULL);
    for (int32_t i = 0; table->group && i < ROWS; ++i) table->group[i] = i / 3;
    CHECK(chosen(table, 100, 1) < 20);
    scarce_table_free(table);
}

/* A chessboard: the two columns tell only together, so stumps learn nothing; noise: nothing
 * is to be gained. */
static void test_larger(void)
{
    scarce_table *rule = make_table(1, 0, 1), *noise = make_table(0, 0.5, 1);
    CHECK(choose(rule, 100, 1, 2, 32).which == 1);
    CHECK(choose(noise, 100, 1, 2, 32).which == 0);
    scarce_table_free(rule);
    scarce_table_free(noise);
}

/* Labels that hold for thirty rows in a row, which a column numbers: rows held out at random are known from their
 * neighbours, those of another time are not. */
static void test_times(void)
{
    scarce_table *table = make_table(0, 0.5, 1);
    scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, 1);
    int label = 0;
    for (size_t i = 0; i < ROWS; ++i) {
        table->columns[0].number[i] = (float)i;
        if (i % 30 == 0) label = scarce__random_unit(&r) < 0.5;
        table->n_positives += (size_t)label - (size_t)table->label[i];
        table->label[i] = (uint8_t)label;
    }
    CHECK(choose(table, 100, 1, 2, 32).which == 1);
    table->time = scarce__malloc_array(ROWS, sizeof *table->time);
    CHECK(table->time != NULL);
    for (size_t i = 0; table->time && i < ROWS; ++i) table->time[i] = (double)i;
    const outcome one = choose(table, 100, 1, 2, 32);
    CHECK(one.which == 0 && one.n_trees < 40);
    for (size_t i = 0; table->time && i < ROWS; ++i)
        table->time[i] = 7; /* all at once: one span, nothing breaks */
    CHECK(choose(table, 100, 1, 2, 32).n_trees > 0);
    scarce_table_free(table);
}

/* 100 trees on noise are surer than they may be; on a rule they are not sure enough. Rare positives that were
 * not seen are surer than they look: the shift is upwards. */
static void test_sureness(void)
{
    scarce_table *rule = make_table(1, 0, 1), *noise = make_table(0, 0.5, 1), *few = make_table(0, 0.02, 1);
    const outcome sure = choose(rule, 100, 1, 8, 0), unsure = choose(noise, 100, 100, 8, 0),
                  little = choose(few, 100, 100, 8, 0), none = choose(few, 100, 1, 8, 0);
    CHECK(sure.scale > 1 && unsure.scale < 0.6 && unsure.scale > 0.1);
    CHECK(little.scale < 0.6 && little.scale > 0.1 && little.shift > 0);
    CHECK(none.scale > 0.5 && none.scale < 2);
    scarce_table_free(rule);
    scarce_table_free(noise);
    scarce_table_free(few);
}

static double loss_of_noise(const scarce_table *train, const scarce_table *test, const char *scale)
{
    scarce_params *p = NULL;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    static double score[ROWS], probability[ROWS];
    double sum = 0;
    CHECK(scarce_params_new(&p, "gb", NULL) == SCARCE_OK);
    if (scale) {
        CHECK(scarce_params_set(p, "scale", scale, NULL) == SCARCE_OK);
        CHECK(scarce_params_set(p, "shift", "0", NULL) == SCARCE_OK);
    }
    CHECK(scarce_train(&model, train, p, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, test, score, probability, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < ROWS; ++i) sum -= log(test->label[i] ? probability[i] : 1 - probability[i]);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(p);
    return sum / ROWS;
}

/* On rows that nobody saw: nearer to the truth than without, and scale and shift given are taken. */
static void test_new_rows(void)
{
    scarce_table *train = make_rows(0, 0.05, 1, 5), *test = make_rows(0, 0.05, 1, 6);
    const double own = loss_of_noise(train, test, NULL), raw = loss_of_noise(train, test, "1"),
                 twice = loss_of_noise(train, test, "2");
    CHECK(own < raw && raw < twice);
    scarce_table_free(train);
    scarce_table_free(test);
}

/* Weights of zero take rows out: what is left of the rule's table is noise of one class at most. */
static void test_weights(void)
{
    scarce_table *table = make_table(1, 0, 1);
    table->weight = scarce__malloc_array(ROWS, sizeof *table->weight);
    CHECK(table->weight != NULL);
    for (size_t i = 0; table->weight && i < ROWS; ++i) table->weight[i] = 1;
    const int ones = chosen(table, 100, 1);
    for (size_t i = 0; table->weight && i < ROWS; ++i) table->weight[i] = table->label[i] ? 0 : 1;
    CHECK(ones > 60 && chosen(table, 55, 1) <= 55); /* can't train, or nothing to learn: no harm */
    scarce_table_free(table);
}

static int stop_once(void *payload, const scarce_progress *p)
{
    int *calls = payload;
    (void)p;
    return ++*calls == 7;
}

static scarce_context *make_context(int threads, scarce_progress_fn progress, void *payload)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    o.progress = progress;
    o.payload = payload;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static int same_bytes(const scarce_model *a, const scarce_model *b)
{
    void *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    CHECK(scarce_model_bytes(&x, &n, a, NULL) == SCARCE_OK &&
          scarce_model_bytes(&y, &m, b, NULL) == SCARCE_OK);
    const int same = n == m && memcmp(x, y, n) == 0;
    scarce_bytes_free(x);
    scarce_bytes_free(y);
    return same;
}

/* By scarce_train: threads don't matter; interrupted while the trees are being counted, what is left
 * can be gone on from. */
static void test_train(void)
{
    scarce_table *table = make_table(1, 0, 1);
    scarce_params *p = NULL;
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_model *one = NULL, *three = NULL, *part = NULL, *rest = NULL;
    int calls = 0;
    scarce_context *ctx = make_context(3, NULL, NULL), *stopping = make_context(1, stop_once, &calls);

    CHECK(scarce_params_new(&p, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_train(&one, table, p, &o, &summary, NULL, NULL) == SCARCE_OK);
    CHECK(summary.iterations > 75 && !summary.cancelled); /* what a voice gets here without looking */
    CHECK(scarce_train(&three, table, p, &o, NULL, ctx, NULL) == SCARCE_OK && same_bytes(one, three));
    CHECK(scarce_train(&part, table, p, &o, &summary, stopping, NULL) == SCARCE_OK);
    CHECK(summary.cancelled && summary.iterations == 1);
    o.resume = part;
    CHECK(scarce_train(&rest, table, p, &o, &summary, NULL, NULL) == SCARCE_OK && same_bytes(one, rest));
    scarce_model_free(one);
    scarce_model_free(three);
    scarce_model_free(part);
    scarce_model_free(rest);
    scarce_params_free(p);
    scarce_context_free(ctx);
    scarce_context_free(stopping);
    scarce_table_free(table);
}

static const test_case tests[] = {{"rule_and_noise", test_rule_and_noise},
                                  {"copies", test_copies},
                                  {"larger", test_larger},
                                  {"times", test_times},
                                  {"sureness", test_sureness},
                                  {"new_rows", test_new_rows},
                                  {"weights", test_weights},
                                  {"train", test_train}};
TEST_MAIN(tests)
