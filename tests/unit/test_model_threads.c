/* SPDX-License-Identifier: Apache-2.0 */
/* One scorer, many threads: each thread gets the bits that one thread alone gets, without a lock or an
 * allocation. The thread sanitizer's build looks for races here. */
#include <pthread.h>

#include <scarce/model.h>

#include "test.h"
#include "unit/models.h"

enum { ROWS = 256, THREADS = 4, ROUNDS = 200 };

typedef struct shared {
    const scarce_scorer *scorer;
    const float *rows;
    const double *score, *probability;
} shared;

typedef struct job {
    const shared *all;
    size_t first;
    size_t differences, alerts;
} job;

static void *score_rows(void *arg)
{
    job *j = arg;
    for (size_t k = 0; k < (size_t)ROUNDS * ROWS; ++k) {
        const size_t i = (j->first + k) % ROWS;
        const double s = scarce_scorer_score(j->all->scorer, j->all->rows + i * MODEL_FEATURES);
        const double p = scarce_scorer_probability(j->all->scorer, s);
        j->differences += memcmp(&s, &j->all->score[i], sizeof s) != 0;
        j->differences += memcmp(&p, &j->all->probability[i], sizeof p) != 0;
        j->alerts += scarce_scorer_alert(j->all->scorer, s, p, (double)i) != 0;
    }
    return NULL;
}

static void run_threads(const shared *all)
{
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (size_t t = 0; t < THREADS; ++t) {
        jobs[t] = (job){all, t * ROWS / THREADS, 0, 0};
        CHECK(pthread_create(&threads[t], NULL, score_rows, &jobs[t]) == 0);
    }
    for (size_t t = 0; t < THREADS; ++t) {
        CHECK(pthread_join(threads[t], NULL) == 0);
        CHECK(jobs[t].differences == 0);
        CHECK(jobs[t].alerts == jobs[0].alerts); /* all rows the same number of times */
    }
}

static void check_model(scarce_model *m)
{
    static float rows[ROWS * MODEL_FEATURES];
    static double score[ROWS], probability[ROWS], of_table[ROWS];
    scarce_scorer *scorer = NULL;
    scarce_table *table = model_table(m, ROWS);

    CHECK(scarce_scorer_new(&scorer, m, NULL) == SCARCE_OK);
    for (size_t i = 0; i < ROWS; ++i) {
        model_row(rows + i * MODEL_FEATURES, i);
        score[i] = scarce_scorer_score(scorer, rows + i * MODEL_FEATURES);
        probability[i] = scarce_scorer_probability(scorer, score[i]);
        CHECK(probability[i] >= 0 && probability[i] <= 1);
    }
    CHECK(scarce_scorer_table(scorer, table, of_table, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(memcmp(of_table, score, sizeof score) == 0);
    const shared all = {scorer, rows, score, probability};
#ifdef SCARCE_FAULTS
    scarce__alloc_fail_from(1); /* were there one, it would fail and be counted */
#endif
    run_threads(&all);
#ifdef SCARCE_FAULTS
    CHECK(scarce__alloc_count() == 0);
    scarce__alloc_fail_from(0);
#endif
    scarce_scorer_free(scorer);
    scarce_table_free(table);
    scarce_model_free(m);
}

static void test_linear(void)
{
    check_model(linear_model());
}

static void test_trees(void)
{
    check_model(tree_model(30, 4)); /* leaves fit a mask */
    check_model(tree_model(5, 8));  /* they don't */
    check_model(tree_model(0, 0));
}

/* Scorers and tables of different threads never meet. */
static void *own_scorer(void *arg)
{
    const scarce_model *m = arg;
    for (int k = 0; k < 20; ++k) {
        scarce_scorer *scorer = NULL;
        double score[32], again[32];
        scarce_table *table = model_table(m, 32);
        if (scarce_scorer_new(&scorer, m, NULL) != SCARCE_OK) return arg;
        if (scarce_scorer_table(scorer, table, score, NULL, NULL, NULL) != SCARCE_OK) return arg;
        for (size_t i = 0; i < 32; ++i) {
            float row[MODEL_FEATURES];
            model_row(row, i);
            again[i] = scarce_scorer_score(scorer, row);
        }
        scarce_scorer_free(scorer);
        scarce_table_free(table);
        if (memcmp(score, again, sizeof score) != 0) return arg;
    }
    return NULL;
}

static void test_own_scorers(void)
{
    scarce_model *models[2] = {linear_model(), tree_model(10, 3)};
    pthread_t threads[THREADS];
    for (size_t t = 0; t < THREADS; ++t)
        CHECK(pthread_create(&threads[t], NULL, own_scorer, models[t % 2]) == 0);
    for (size_t t = 0; t < THREADS; ++t) {
        void *failed = NULL;
        CHECK(pthread_join(threads[t], &failed) == 0 && failed == NULL);
    }
    scarce_model_free(models[0]);
    scarce_model_free(models[1]);
}

static const test_case tests[] = {
    {"linear", test_linear}, {"trees", test_trees}, {"own_scorers", test_own_scorers}};
TEST_MAIN(tests)
