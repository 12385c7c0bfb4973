/* SPDX-License-Identifier: Apache-2.0 */
#include "study/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/random.h"
#include "decide/calibrate.h"

int scarce__staged(const scarce__method *method)
{
    return method->engine->stages != NULL;
}

void scarce__plan_points(scarce__fit_plan *plan, size_t trees)
{
    plan->trees = trees;
    plan->n_points = 0;
    for (size_t i = 1; i <= SCARCE__POINTS; ++i) {
        const double share = (double)i / SCARCE__POINTS;
        const size_t k = (size_t)ceil((double)trees * share * sqrt(share) - 1e-9);
        if (plan->n_points == 0 || k > plan->points[plan->n_points - 1]) plan->points[plan->n_points++] = k;
    }
}

/* ---- rows */

/* All positives and a share of the negatives: a smaller problem of the same kind. */
static scarce_status thin_out(scarce_table **out, const scarce_table *from, const scarce__fit_plan *plan,
                              scarce_context *ctx, scarce_error *err)
{
    const uint64_t key = scarce__key(plan->seed, SCARCE__FOR_SEARCH, UINT64_MAX);
    uint32_t *rows = scarce__malloc_array(from->n_rows, sizeof *rows);
    size_t n = 0;
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "a split", 0);
    for (size_t i = 0; i < from->n_rows; ++i)
        if (from->label[i] || scarce__to_unit(scarce__hash(key, i)) < plan->negatives)
            rows[n++] = (uint32_t)i;
    st = scarce_table_rows_of(out, from, rows, n, ctx, err);
    scarce__free(rows);
    return st;
}

typedef struct tables {
    const scarce_table *train, *test;
    scarce_table *own_train, *own_test;
    const void *shared;
} tables;

static scarce_status get_tables(tables *t, const scarce__fit_plan *plan, const scarce__inner *inner, size_t k,
                                scarce_context *ctx, scarce_error *err)
{
    const scarce__inner_split *s = &inner->splits[k];
    scarce_status st = SCARCE_OK;

    memset(t, 0, sizeof *t);
    t->train = s->given ? inner->table : s->train;
    t->test = s->given ? s->given : s->test;
    t->shared = s->shared;
    if (!t->train) {
        st = scarce_table_rows_of(&t->own_train, inner->table, s->rows.train, s->n_train, ctx, err);
        if (st == SCARCE_OK)
            st = scarce_table_rows_of(&t->own_test, inner->table, s->rows.test, s->n_test, ctx, err);
        t->train = t->own_train;
        t->test = t->own_test;
    }
    if (st == SCARCE_OK && plan->negatives < 1) {
        scarce_table *thin = NULL;
        st = thin_out(&thin, t->train, plan, ctx, err);
        scarce_table_free(t->own_train);
        t->own_train = thin;
        t->train = thin;
    }
    return st;
}

/* ---- the learning curve of one model */

typedef struct curve {
    double *value; /* 1 + blocks of each point */
    const scarce__fit_plan *plan;
    const scarce_model *model;
    const scarce__inner *inner;
    size_t split;
    const scarce_table *test;
    double *probability;
    scarce_context *ctx;
    int average; /* the score is a mean over stages */
} curve;

static scarce_status judge_stage(void *payload, size_t at, const double *score, scarce_error *err)
{
    const curve *c = payload;
    const int has = c->model->has_probability && scarce__wants_probabilities(c->plan->metric);
    const scarce__judging how = {c->plan->metric, (double)NAN, c->plan->roughly};
    const double part = c->average ? (double)c->plan->points[at] / (double)c->plan->trees : 1;
    for (size_t i = 0; has && i < c->test->n_rows; ++i)
        c->probability[i] = scarce__calibrator_apply(&c->model->calibrator, score[i] / part);
    return scarce__inner_judge(c->value + at * (1 + c->inner->blocks), c->inner, c->split, c->test, score,
                               has ? c->probability : NULL, &how, c->ctx, err);
}

/* Where nothing was left to split there are fewer stages than asked for: the last one counts for all. */
static scarce_status judge_stages(double *value, const scarce__fit_plan *plan, const scarce_model *model,
                                  const scarce__inner *inner, size_t split, const scarce_table *test,
                                  scarce_context *ctx, scarce_error *err)
{
    const scarce__engine *engine = scarce__method_at(scarce_method_find(model->method))->engine;
    curve c = {value, plan, model, inner, split, test, NULL, ctx, engine->stages_average};
    scarce_status st;

    if (!model->kind->score_stages)
        return scarce__fail(err, SCARCE_EBUG, "a %s model has no stages", model->kind->name);
    c.probability = scarce__malloc_array(test->n_rows, sizeof *c.probability);
    if (!c.probability) return scarce__fail_memory(err, "scores", 0);
    st =
        model->kind->score_stages(model->body, test, plan->points, plan->n_points, judge_stage, &c, ctx, err);
    scarce__free(c.probability);
    return st;
}

static scarce_status judge_whole(double *value, const scarce__fit_plan *plan, const scarce_model *model,
                                 const scarce__inner *inner, size_t split, const scarce_table *test,
                                 scarce_context *ctx, scarce_error *err)
{
    double *score = scarce__malloc_array(test->n_rows, 2 * sizeof *score), *p;
    scarce_scorer *scorer = NULL;
    scarce_status st;

    if (!score) return scarce__fail_memory(err, "scores", 0);
    p = score + test->n_rows;
    st = scarce_scorer_new(&scorer, model, err);
    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, test, score, p, ctx, err);
    if (st == SCARCE_OK) {
        const scarce__judging how = {plan->metric,
                                     scarce__staged(scarce__method_at(scarce_method_find(model->method)))
                                         ? (double)NAN
                                         : scarce_model_threshold(model),
                                     plan->roughly};
        st = scarce__inner_judge(value, inner, split, test, score,
                                 scarce_model_has_probability(model) ? p : NULL, &how, ctx, err);
    }
    scarce_scorer_free(scorer);
    scarce__free(score);
    return st;
}

/* ---- a fit */

static scarce_status params_of(scarce_params **out, const scarce__fit_plan *plan, scarce_error *err)
{
    char trees[32];
    scarce_status st = scarce_params_of_spec(out, plan->spec, err);
    if (st == SCARCE_OK) st = scarce_params_set_list(*out, plan->settings, ' ', err);
    snprintf(trees, sizeof trees, "%zu", plan->trees);
    if (st == SCARCE_OK && plan->trees)
        st = scarce_params_set(*out, (*out)->method->engine->stages, trees, err);
    return st;
}

scarce_status scarce__fit_and_judge(double *value, const scarce__fit_plan *plan, const scarce__inner *inner,
                                    size_t split, scarce_context *ctx, scarce_error *err)
{
    scarce_train_options to = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    tables t;
    scarce_status st = get_tables(&t, plan, inner, split, ctx, err);

    to.calibrate = "own";                      /* the rows that judge must not calibrate */
    if (plan->trees) to.threshold = "value:0"; /* curves are judged without one, so it needn't be found */
    if (st == SCARCE_OK) st = params_of(&params, plan, err);
    if (st == SCARCE_OK) st = scarce__train_to_judge(&model, t.train, params, &to, t.shared, ctx, err);
    if (st == SCARCE_OK)
        st = plan->trees ? judge_stages(value, plan, model, inner, split, t.test, ctx, err)
                         : judge_whole(value, plan, model, inner, split, t.test, ctx, err);
    /* values that don't go together, or that leave the numbers, are no setting: not the end of the search */
    if (st == SCARCE_ENUMERIC || (st == SCARCE_EINVAL && plan->settings[0])) {
        for (size_t i = 0; i < plan->n_points * (1 + inner->blocks); ++i) value[i] = (double)NAN;
        st = SCARCE_OK;
    }
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(t.own_train);
    scarce_table_free(t.own_test);
    return st;
}
