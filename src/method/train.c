/* SPDX-License-Identifier: Apache-2.0 */
/* scarce_train: what all methods share around their learning.
 *
 *     check the tables -> the method learns -> notes -> probability -> threshold -> model
 *
 * Probability: a method with a link gives p = 1/(1+exp(-(slope s + shift))), where the shift undoes what
 * class weights and sampling did to the odds; a calibrator is fitted on validation rows only.
 * Threshold: chosen on validation rows; without them, the score that alerts as many training rows as
 * there are positives. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <scarce/decide.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "method/method.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scarce_status check_table(const scarce_table *table, const char *what, scarce_error *err)
{
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "%s have no label", what);
    if (table->n_positives == 0) return scarce__fail(err, SCARCE_EDATA, "%s hold no positive", what);
    if (table->n_positives == table->n_rows)
        return scarce__fail(err, SCARCE_EDATA, "%s hold no negative", what);
    return SCARCE_OK;
}

static int is_one_of(const char *text, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (strcmp(text, names[i]) == 0) return 1;
    return 0;
}

static const char *metric_name(const void *arg, size_t i)
{
    (void)arg;
    return scarce_metric_name(i);
}

/* Everything that can be refused before the work begins. */
static scarce_status check_options(const scarce_train_options *o, scarce_error *err)
{
    static const char *const ways[] = {"prior", "platt", "isotonic", "beta", "none"};
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    const size_t metric = o->metric ? scarce_metric_find(o->metric) : 0;

    if (o->calibrate && !is_one_of(o->calibrate, ways, 5))
        return scarce__fail(err, SCARCE_EINVAL,
                            "calibrate=%.40s is none of prior, platt, isotonic, beta, none", o->calibrate);
    if (o->calibrate && is_one_of(o->calibrate, ways + 1, 3) && !o->valid)
        return scarce__fail(err, SCARCE_EINVAL,
                            "calibration by %s needs validation rows (--valid or --valid-fraction)",
                            o->calibrate);
    if (o->calibrate && strcmp(o->calibrate, "prior") == 0 && isnan(o->odds_factor))
        return scarce__fail(
            err, SCARCE_EINVAL,
            "calibrate=prior does not hold after synthetic or cleaned rows: fit a calibrator on "
            "validation rows (--calibrate platt --valid-fraction 0.2)");
    if (o->threshold) SCARCE__TRY(scarce_threshold_parse(&rule, o->threshold, err));
    if (metric == SIZE_MAX) {
        const char *nearest = scarce__nearest_name(o->metric, metric_name, NULL, scarce_metric_count());
        return scarce__fail(err, SCARCE_EINVAL, "no metric \"%.40s\"%s%s%s", o->metric,
                            nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    }
    if (o->metric && scarce_metric_direction(metric) == 0)
        return scarce__fail(err, SCARCE_EINVAL, "metric %.40s is a description, neither better nor worse",
                            o->metric);
    if (o->early_stop < 0 || o->checkpoint_every < 0)
        return scarce__fail(err, SCARCE_EINVAL, "a number of iterations can't be negative");
    return SCARCE_OK;
}

static scarce_status check_resume(const scarce_model *resume, const scarce_params *params, scarce_error *err)
{
    if (!resume->state)
        return scarce__fail(err, SCARCE_EINVAL, "the model to resume from is finished: it is no checkpoint");
    if (strcmp(resume->method, params->method->name) != 0)
        return scarce__fail(err, SCARCE_EINVAL, "the checkpoint is of method %.60s, not %s", resume->method,
                            params->method->name);
    return SCARCE_OK;
}

/* ---- notes */

/* The parameter `loss` gives way to a loss of the caller. */
static scarce_status add_user_loss(scarce_model *m, const scarce_loss *loss, scarce_error *err)
{
    char text[80];
    if (!loss) return SCARCE_OK;
    snprintf(text, sizeof text, "user:%.60s", loss->name ? loss->name : "own");
    SCARCE__TRY(scarce__model_add_note(m, "loss", text, err));
    if (loss->link > 0) return scarce__model_add_note_number(m, "link", loss->link, err);
    return scarce__model_add_note(m, "link", "unknown", err);
}

static scarce_status add_params(scarce_model *m, const scarce_params *params, int own_loss, scarce_error *err)
{
    const scarce__param_table *names = scarce__params_table(params->values);
    char key[80];

    for (size_t i = 0; i < names->count; ++i) {
        scarce__text value = SCARCE__TEXT_INIT;
        if (own_loss && strcmp(names->params[i].name, "loss") == 0) continue;
        scarce_status st = scarce__params_value(params->values, i, &value);
        snprintf(key, sizeof key, "param.%s", names->params[i].name);
        if (st == SCARCE_OK) st = scarce__model_add_note(m, key, value.bytes ? value.bytes : "", err);
        else scarce__fail_memory(err, "a model's notes", 0);
        scarce__text_deinit(&value);
        SCARCE__TRY(st);
    }
    return SCARCE_OK;
}

static scarce_status add_notes(scarce_model *m, const scarce_table *table, const scarce_params *params,
                               const scarce__learned *learned, const scarce_loss *loss,
                               const scarce_context *ctx, scarce_error *err)
{
    SCARCE__TRY(scarce__model_add_note(m, "library", SCARCE_VERSION_TEXT, err));
    SCARCE__TRY(scarce__model_add_note_number(m, "seed", (double)scarce_context_seed(ctx), err));
    SCARCE__TRY(scarce__model_add_note_number(m, "rows", (double)table->n_rows, err));
    SCARCE__TRY(scarce__model_add_note_number(m, "positives", (double)table->n_positives, err));
    if (learned->iterations) {
        SCARCE__TRY(scarce__model_add_note_number(m, "iterations", (double)learned->iterations, err));
        SCARCE__TRY(scarce__model_add_note_number(m, "best_iteration", (double)learned->best_iteration, err));
    }
    if (!isnan(learned->valid_metric))
        SCARCE__TRY(scarce__model_add_note_number(m, "valid_metric", learned->valid_metric, err));
    SCARCE__TRY(add_user_loss(m, loss, err));
    return add_params(m, params, loss != NULL, err);
}

/* ---- probability and threshold */

static scarce_scored scored_rows(const scarce_table *table, const double *score)
{
    scarce_scored rows = SCARCE_SCORED_INIT;
    rows.n = table->n_rows;
    rows.score = score;
    rows.label = table->label;
    rows.weight = table->weight;
    rows.amount = table->amount;
    rows.time = table->time;
    return rows;
}

/* Why there is no probability without a calibrator. */
static const char *why_none(const scarce__learned *learned, const scarce_train_options *o)
{
    if (!learned->has_link) return "the scores of this method and loss only rank";
    if (isnan(o->odds_factor))
        return "synthetic or cleaned rows change the odds in a way that no formula undoes";
    return "a fresh sample of other class shares for each step changes the odds by no known factor "
           "(reweigh=true keeps them)";
}

static scarce_status set_no_probability(scarce_model *m, const scarce__learned *learned,
                                        const scarce_train_options *o, scarce_error *err)
{
    const char *why = why_none(learned, o);
    m->has_probability = 0;
    if (o->calibrate && strcmp(o->calibrate, "prior") == 0)
        return scarce__fail(
            err, SCARCE_EINVAL,
            "calibrate=prior does not hold for this %s: %s; fit a calibrator on validation rows "
            "(--calibrate platt --valid-fraction 0.2)",
            m->method, why);
    return scarce__model_add_note(m, "no_probability", why, err);
}

static scarce_status set_probability(scarce_model *m, const scarce__learned *learned,
                                     const scarce_train_options *o, const scarce_scored *valid,
                                     scarce_error *err)
{
    const double factor = learned->odds_factor * o->odds_factor;
    const int correct = !o->calibrate || strcmp(o->calibrate, "prior") == 0;

    if (correct || strcmp(o->calibrate, "none") == 0) {
        m->has_probability = learned->has_link && (!correct || !isnan(factor));
        if (!m->has_probability) return set_no_probability(m, learned, o, err);
        m->calibrator.kind = SCARCE__CALIBRATOR_SIGMOID;
        m->calibrator.a = learned->slope;
        m->calibrator.b = correct ? scarce__odds_shift(factor) : 0;
        return SCARCE_OK;
    }
    m->has_probability = 1;
    if (strcmp(o->calibrate, "platt") == 0)
        return scarce__calibrate_platt(&m->calibrator, valid->score, valid->label, valid->weight, valid->n,
                                       err);
    if (strcmp(o->calibrate, "isotonic") == 0)
        return scarce__calibrate_isotonic(&m->calibrator, valid->score, valid->label, valid->weight, valid->n,
                                          err);
    return scarce__calibrate_beta(&m->calibrator, valid->score, valid->label, valid->weight, valid->n, err);
}

/* Training rows whose class shares were changed stand for those there were: a negative counts as many times
 * as the odds were multiplied. NULL when nothing has to be changed. */
static scarce_status undo_shares(double **weight, scarce_scored *rows, const scarce_train_options *o,
                                 scarce_error *err)
{
    *weight = NULL;
    if (o->valid || isnan(o->odds_factor) || o->odds_factor == 1) return SCARCE_OK;
    *weight = scarce__malloc_array(rows->n, sizeof **weight);
    if (!*weight) return scarce__fail_memory(err, "weights", rows->n * sizeof **weight);
    for (size_t i = 0; i < rows->n; ++i)
        (*weight)[i] = (rows->weight ? rows->weight[i] : 1) * (rows->label[i] ? 1 : o->odds_factor);
    rows->weight = *weight;
    return SCARCE_OK;
}

static scarce_status set_threshold(scarce_model *m, const scarce_train_options *o, const scarce_table *table,
                                   const scarce_scored *rows, scarce_error *err)
{
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    scarce_threshold_choice choice;

    if (o->threshold) SCARCE__TRY(scarce_threshold_parse(&rule, o->threshold, err));
    else if (!o->valid) {
        rule.kind = SCARCE_THRESHOLD_BUDGET;
        rule.unit = SCARCE_BUDGET_RATE;
        const double p = (double)table->n_positives, n = (double)(table->n_rows - table->n_positives);
        rule.budget = p / (p + n * (isnan(o->odds_factor) ? 1 : o->odds_factor));
    }
    SCARCE__TRY(scarce__model_add_note(m, "threshold_rule",
                                       o->threshold ? o->threshold
                                       : o->valid   ? "f1"
                                                    : "as many alerts as positives",
                                       err));
    if (rule.kind == SCARCE_THRESHOLD_COST && isnan(rule.miss) && m->has_probability && rows->amount) {
        m->alert_rule = SCARCE__ALERT_AMOUNT; /* each row has a threshold of its own: cost / amount */
        m->alert_value = rule.alarm;
        return SCARCE_OK;
    }
    SCARCE__TRY(scarce_threshold_choose(&choice, &rule, rows, err));
    m->alert_rule = SCARCE__ALERT_SCORE;
    m->alert_value = choice.threshold;
    return SCARCE_OK;
}

static scarce_status decide(scarce_model *m, const scarce__learned *learned, const scarce_train_options *o,
                            const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *judged = o->valid ? o->valid : table;
    double *score = scarce__malloc_array(judged->n_rows, sizeof *score);
    scarce_scorer *scorer = NULL;
    scarce_scored rows = scored_rows(judged, score);
    double *weight = NULL;
    scarce_status st;

    if (!score) return scarce__fail_memory(err, "scores", judged->n_rows * sizeof *score);
    st = scarce_scorer_new(&scorer, m, err);
    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, judged, score, NULL, ctx, err);
    if (st == SCARCE_OK) st = set_probability(m, learned, o, &rows, err);
    if (st == SCARCE_OK) st = undo_shares(&weight, &rows, o, err);
    if (st == SCARCE_OK) st = set_threshold(m, o, table, &rows, err);
    scarce_scorer_free(scorer);
    scarce__free(weight);
    scarce__free(score);
    return st;
}

/* ---- all of it */

static scarce_status make_model(scarce_model **out, scarce__learned *learned, const scarce_table *table,
                                const scarce_params *params, const scarce_train_options *o,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_model *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    if (!m) return scarce__fail_memory(err, "a model", 0);
    m->kind = learned->kind; /* the model owns body and state from here on */
    m->body = learned->body;
    m->state = learned->state;
    m->n_state = learned->n_state;
    learned->body = NULL;
    learned->state = NULL;
    m->method = scarce__strdup(params->method->name);
    st = m->method ? scarce__schema_copy(&m->schema, &table->schema, err)
                   : scarce__fail_memory(err, "a model", 0);
    if (st == SCARCE_OK) st = add_notes(m, table, params, learned, o->loss, ctx, err);
    if (st == SCARCE_OK) st = decide(m, learned, o, table, ctx, err);
    if (st == SCARCE_OK && learned->cancelled && o->checkpoint && m->state)
        st = scarce_model_save(m, o->checkpoint, err);
    if (st != SCARCE_OK) {
        scarce_model_free(m);
        return st;
    }
    *out = m;
    return SCARCE_OK;
}

static scarce_status check_all(const scarce_table *table, const scarce_params *params,
                               const scarce_train_options *o, scarce_error *err)
{
    SCARCE__TRY(check_options(o, err));
    if (o->loss && params->method->train != scarce__train_gb)
        return scarce__fail(err, SCARCE_EINVAL, "method %s boosts no trees: it takes no loss of the caller",
                            params->method->name);
    if (o->resume) SCARCE__TRY(check_resume(o->resume, params, err));
    SCARCE__TRY(check_table(table, "the training rows", err));
    return o->valid ? check_table(o->valid, "the validation rows", err) : SCARCE_OK;
}

scarce_status scarce_train(scarce_model **out, const scarce_table *table, const scarce_params *params,
                           const scarce_train_options *options, scarce_train_summary *summary,
                           scarce_context *ctx, scarce_error *err)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_loss loss = SCARCE_LOSS_INIT;
    scarce__learned learned;
    scarce__job job;
    const double begun = now();
    scarce_status st;

    *out = NULL;
    if (options) memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    if (o.loss) {
        memcpy(&loss, o.loss, o.loss->struct_size < sizeof loss ? o.loss->struct_size : sizeof loss);
        o.loss = &loss;
    }
    memset(&learned, 0, sizeof learned);
    learned.slope = learned.odds_factor = 1;
    learned.valid_metric = (double)NAN;
    job = (scarce__job){table, o.valid, params->values, &o, ctx};
    st = check_all(table, params, &o, err);
    if (st == SCARCE_OK) st = params->method->train(&learned, &job, err);
    if (o.loss && o.loss->finish) o.loss->finish(o.loss->payload);
    if (st == SCARCE_OK) st = make_model(out, &learned, table, params, &o, ctx, err);
    if (st == SCARCE_OK && summary) {
        summary->rows = table->n_rows;
        summary->features = table->schema.n_features;
        summary->positives = table->n_positives;
        summary->iterations = learned.iterations;
        summary->best_iteration = learned.best_iteration;
        summary->valid_metric = learned.valid_metric;
        summary->seconds_prepare = learned.seconds_prepare;
        summary->seconds_train = now() - begun - learned.seconds_prepare;
        summary->cancelled = learned.cancelled;
    }
    if (learned.kind && learned.body) learned.kind->free(learned.body);
    scarce__free(learned.state);
    return st;
}
