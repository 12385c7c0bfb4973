/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring: prepare once, then rows one at a time or whole tables. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/number.h"
#include "decide/calibrate.h"
#include "model/model.h"

struct scarce_scorer {
    const scarce_model *model;
    const void *prepared;
    void *owned; /* what prepare made; NULL: the body itself is used */
    double q_model,
        q_now; /* share of positives the probabilities are of, and where they are used; 0: the same */
};

enum { BLOCK_ROWS = 8192, ROWS_BLOCK = 2048 };

scarce_status scarce_scorer_new(scarce_scorer **out, const scarce_model *model, scarce_error *err)
{
    scarce_scorer *s = scarce__calloc(1, sizeof *s);

    *out = NULL;
    if (!s) return scarce__fail_memory(err, "a scorer", 0);
    s->model = model;
    s->prepared = model->body;
    if (model->kind->prepare) {
        const scarce_status st = model->kind->prepare(&s->owned, model->body, err);
        if (st != SCARCE_OK) {
            scarce__free(s);
            return st;
        }
        s->prepared = s->owned;
    }
    *out = s;
    return SCARCE_OK;
}

void scarce_scorer_free(scarce_scorer *s)
{
    if (!s) return;
    if (s->owned) s->model->kind->unprepare(s->owned);
    scarce__free(s);
}

const scarce_model *scarce__scorer_model(const scarce_scorer *s)
{
    return s->model;
}

const void *scarce__scorer_prepared(const scarce_scorer *s)
{
    return s->prepared;
}

double scarce_scorer_score(const scarce_scorer *s, const float *row)
{
    return s->model->kind->score_row(s->prepared, row);
}

double scarce_model_prevalence(const scarce_model *model)
{
    const char *note = scarce_model_note(model, "prevalence");
    double q;
    if (!note || scarce__parse_double(note, strlen(note), &q) != 1 || !(q > 0 && q < 1)) return (double)NAN;
    return q;
}

scarce_status scarce_scorer_set_prevalence(scarce_scorer *s, double prevalence, scarce_error *err)
{
    const double q = scarce_model_prevalence(s->model);
    if (!(prevalence > 0 && prevalence < 1))
        return scarce__fail(err, SCARCE_EINVAL,
                            "a prevalence of %g: the share of positives is between 0 and 1", prevalence);
    if (!s->model->has_probability || isnan(q))
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "the model has no probability, or doesn't say for which share of positives");
    s->q_model = q;
    s->q_now = prevalence;
    return SCARCE_OK;
}

static double probability_of(const scarce_scorer *s, double score)
{
    const double p = scarce__calibrator_apply(&s->model->calibrator, score);
    return s->q_now > 0 ? scarce_prior_correct(p, s->q_model, s->q_now) : p;
}

double scarce_scorer_probability(const scarce_scorer *s, double score)
{
    return s->model->has_probability ? probability_of(s, score) : (double)NAN;
}

int scarce_scorer_alert(const scarce_scorer *s, double score, double probability, double amount)
{
    if (s->model->alert_rule == SCARCE__ALERT_SCORE) return score >= s->model->alert_value;
    return scarce__amount_pays(probability, s->model->alert_value, amount);
}

static int same_categories(const scarce__dictionary *a, const scarce__dictionary *b)
{
    if (a->count != b->count) return 0;
    for (size_t i = 0; i < a->count; ++i)
        if (a->hashes[i] != b->hashes[i] ||
            strcmp(scarce__dictionary_text(a, i), scarce__dictionary_text(b, i)) != 0)
            return 0;
    return 1;
}

static scarce_status check_feature(const scarce__feature *want, const scarce__feature *have, size_t number,
                                   scarce_error *err)
{
    const int wants = want->kind == SCARCE_COLUMN_CATEGORY, has = have->kind == SCARCE_COLUMN_CATEGORY;

    if (strcmp(want->name, have->name) != 0)
        return scarce__fail(err, SCARCE_EDATA, "feature %zu is \"%.80s\", the model expects \"%.80s\"",
                            number, have->name, want->name);
    if (wants != has)
        return scarce__fail(err, SCARCE_EDATA, "feature \"%.80s\" holds %s, the model was trained on %s",
                            want->name, has ? "categories" : "numbers", wants ? "categories" : "numbers");
    if (!same_categories(&want->categories, &have->categories))
        return scarce__fail(
            err, SCARCE_EDATA,
            "feature \"%.80s\" numbers its categories in another way than the model (read the table with the "
            "model's schema)",
            want->name);
    return SCARCE_OK;
}

scarce_status scarce__check_same_features(const scarce_schema *want, const scarce_schema *have,
                                          scarce_error *err)
{
    if (want->n_features != have->n_features)
        return scarce__fail(err, SCARCE_EDATA,
                            "the table has %zu features, the model %zu (read it with the model's schema)",
                            have->n_features, want->n_features);
    for (size_t f = 0; f < want->n_features; ++f)
        SCARCE__TRY(check_feature(&want->features[f], &have->features[f], f + 1, err));
    return SCARCE_OK;
}

typedef struct probability_job {
    const scarce_scorer *scorer;
    const double *score;
    double *probability;
    size_t n;
} probability_job;

static void calibrate_block(void *arg, size_t index, int worker)
{
    const probability_job *job = arg;
    const size_t begin = index * BLOCK_ROWS, end = begin + BLOCK_ROWS < job->n ? begin + BLOCK_ROWS : job->n;
    (void)worker;
    scarce__calibrator_apply_all(&job->scorer->model->calibrator, job->score + begin, end - begin,
                                 job->probability + begin);
    for (size_t i = begin; job->scorer->q_now > 0 && i < end; ++i)
        job->probability[i] =
            scarce_prior_correct(job->probability[i], job->scorer->q_model, job->scorer->q_now);
}

/* Probabilities of n scores, where there are any; `probability` may be NULL. */
static void add_probabilities(const scarce_scorer *s, const double *score, double *probability, size_t n,
                              scarce_context *ctx)
{
    probability_job job = {s, score, probability, n};

    if (!probability) return;
    if (s->model->has_probability)
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(n, BLOCK_ROWS), calibrate_block, &job);
    else
        for (size_t i = 0; i < n; ++i) probability[i] = (double)NAN;
}

scarce_status scarce_scorer_table(const scarce_scorer *s, const scarce_table *table, double *score,
                                  double *probability, scarce_context *ctx, scarce_error *err)
{
    SCARCE__TRY(scarce__check_same_features(&s->model->schema, &table->schema, err));
    SCARCE__TRY(s->model->kind->score_table(s->prepared, table, score, ctx, err));
    add_probabilities(s, score, probability, table->n_rows, ctx);
    return SCARCE_OK;
}

size_t scarce_model_n_classes(const scarce_model *model)
{
    return model->kind->n_classes ? model->kind->n_classes(model->body) : 2;
}

scarce_status scarce_scorer_classes(const scarce_scorer *s, const scarce_table *table, double *probability,
                                    scarce_context *ctx, scarce_error *err)
{
    if (scarce_model_n_classes(s->model) == 2)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "the model knows two classes: rows are positive or not");
    SCARCE__TRY(scarce__check_same_features(&s->model->schema, &table->schema, err));
    return s->model->kind->classes_table(s->prepared, table, probability, ctx, err);
}

typedef struct rows_job {
    const scarce_scorer *s;
    const float *rows;
    size_t n, stride;
    double *score;
} rows_job;

static void score_rows_block(void *arg, size_t index, int worker)
{
    const rows_job *job = arg;
    const scarce__kind *kind = job->s->model->kind;
    const size_t begin = index * ROWS_BLOCK, left = job->n - begin, n = left < ROWS_BLOCK ? left : ROWS_BLOCK;
    const float *rows = job->rows + begin * job->stride;

    (void)worker;
    if (kind->score_rows) {
        kind->score_rows(job->s->prepared, rows, n, job->stride, job->score + begin);
        return;
    }
    for (size_t i = 0; i < n; ++i)
        job->score[begin + i] = kind->score_row(job->s->prepared, rows + i * job->stride);
}

scarce_status scarce_scorer_rows(const scarce_scorer *s, const float *rows, size_t n, size_t stride,
                                 double *score, double *probability, scarce_context *ctx, scarce_error *err)
{
    const size_t width = s->model->schema.n_features;
    rows_job job = {s, rows, n, stride ? stride : width, score};

    if (n == 0) return SCARCE_OK;
    if (!score || (!rows && width)) return scarce__fail(err, SCARCE_EINVAL, "no rows or no place for scores");
    if (job.stride < width)
        return scarce__fail(err, SCARCE_EINVAL, "rows %zu floats apart; the model has %zu features", stride,
                            width);
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(n, ROWS_BLOCK), score_rows_block, &job);
    add_probabilities(s, score, probability, n, ctx);
    return SCARCE_OK;
}
