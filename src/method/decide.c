/* SPDX-License-Identifier: Apache-2.0 */
/* What a score means and from where on a row is an alert.
 *
 * Probability: a method with a link gives p = 1/(1+exp(-(slope s + shift))), or logit p = logit s + shift
 * where its score is a share; the shift undoes what class weights, sampling and resampling did to the odds. A
 * calibrator is fitted on validation rows only.
 * Threshold: chosen on validation rows; without them, the one the method has itself (votes of neighbours), or the
 * score that alerts as many training rows as there are positives. */
#include <math.h>
#include <string.h>

#include <scarce/decide.h>

#include "core/alloc.h"
#include "core/exact.h"
#include "core/fail.h"
#include "method/method.h"

/* What resampling before the method did to the odds counts like what the method did. */
static scarce__meaning with_resampling(const scarce__meaning *method, const scarce_train_options *o)
{
    scarce__meaning m = *method;
    m.odds_factor *= o->odds_factor;
    if (m.link != SCARCE__LINK_NONE && isnan(o->odds_factor))
        m.why = "synthetic or cleaned rows change the odds in a way that no formula undoes";
    return m;
}

void scarce__meaning_costs(scarce__meaning *m, const scarce_table *t)
{
    double cost[2] = {(double)NAN, (double)NAN};
    int alike = 1;

    if (!t->cost || m->link == SCARCE__LINK_NONE) return;
    for (size_t i = 0; alike && i < t->n_rows; ++i) {
        const int y = t->label[i] != 0;
        if (isnan(cost[y])) cost[y] = t->cost[i];
        alike = cost[y] == t->cost[i];
    }
    if (alike && cost[0] > 0 && cost[1] > 0) m->odds_factor *= cost[1] / cost[0];
    else {
        m->odds_factor = (double)NAN;
        m->why = "costs that differ from row to row change the odds by no known factor";
    }
}

static scarce_status set_no_probability(scarce_model *m, const char *why, const scarce_train_options *o,
                                        scarce_error *err)
{
    m->has_probability = 0;
    if (o->calibrate && strcmp(o->calibrate, "prior") == 0)
        return scarce__fail(
            err, SCARCE_EINVAL,
            "calibrate=prior does not hold for this %s: %s; fit a calibrator on validation rows "
            "(--calibrate platt --valid-fraction 0.2)",
            m->method, why);
    return scarce__model_add_note(m, "no_probability", why, err);
}

/* The method's own link, with the odds put right. */
static scarce_status set_link(scarce_model *m, const scarce__meaning *meaning, const scarce_train_options *o,
                              scarce_error *err)
{
    const int correct = !o->calibrate || strcmp(o->calibrate, "none") != 0;
    const double shift = correct ? scarce__odds_shift(meaning->odds_factor) : 0;

    m->has_probability = meaning->link != SCARCE__LINK_NONE && !isnan(shift);
    if (!m->has_probability) return set_no_probability(m, meaning->why, o, err);
    if (meaning->link == SCARCE__LINK_SHARE) {
        m->calibrator = scarce__calibrator_shift(shift);
        return SCARCE_OK;
    }
    m->calibrator.kind = SCARCE__CALIBRATOR_SIGMOID;
    m->calibrator.a = meaning->slope;
    m->calibrator.b = shift;
    return SCARCE_OK;
}

/* The method's own link with its constant found on the validation rows. */
static scarce_status set_shift(scarce_model *m, const scarce__meaning *meaning, const scarce_scored *valid,
                               scarce_error *err)
{
    const double shift = scarce__odds_shift(meaning->odds_factor);
    if (meaning->link != SCARCE__LINK_SIGMOID)
        return scarce__fail(
            err, SCARCE_EINVAL,
            "calibrate=shift needs a score that is a log-odds, and the scores of %s only rank; "
            "calibrate=platt serves any score",
            m->method);
    m->has_probability = 1;
    return scarce__calibrate_shift(&m->calibrator, meaning->slope, isnan(shift) ? 0 : shift, valid->score,
                                   valid->label, valid->weight, valid->n, err);
}

/* How probabilities are made where nobody says: on validation rows by Platt's two numbers from 30 positives on, below
 * that by one (shift), which few positives can carry; docs/research/calibration.md. Without such rows, or where it was
 * asked for, by the method's own link. */
enum { ENOUGH_FOR_TWO = 30 };

static const char *way_of(const scarce__job *job, const scarce__meaning *meaning)
{
    if (job->options->calibrate) return job->options->calibrate;
    if (!job->valid) return "own";
    return meaning->link == SCARCE__LINK_SIGMOID && job->valid->n_positives < ENOUGH_FOR_TWO ? "shift"
                                                                                             : "platt";
}

/* Is it a calibrator that is fitted on validation rows? */
static int is_fitted(const char *calibrate)
{
    return calibrate && strcmp(calibrate, "prior") != 0 && strcmp(calibrate, "none") != 0 &&
           strcmp(calibrate, "own") != 0;
}

static scarce_status set_probability(scarce_model *m, const scarce__meaning *method,
                                     const scarce_train_options *o, const scarce_scored *valid,
                                     scarce_error *err)
{
    const scarce__meaning meaning = with_resampling(method, o);

    if (!is_fitted(o->calibrate)) return set_link(m, &meaning, o, err);
    if (strcmp(o->calibrate, "shift") == 0) return set_shift(m, &meaning, valid, err);
    m->has_probability = 1;
    if (strcmp(o->calibrate, "platt") == 0)
        return scarce__calibrate_platt(&m->calibrator, valid->score, valid->label, valid->weight, valid->n,
                                       err);
    if (strcmp(o->calibrate, "isotonic") == 0)
        return scarce__calibrate_isotonic(&m->calibrator, valid->score, valid->label, valid->weight, valid->n,
                                          err);
    return scarce__calibrate_beta(&m->calibrator, valid->score, valid->label, valid->weight, valid->n, err);
}

/* Sums in any order, so that rows may lie anywhere. */
static double share_of(const scarce_table *t)
{
    scarce__exact sum[2] = {{{0}}, {{0}}};
    double weight[2];
    for (size_t i = 0; i < t->n_rows; ++i)
        scarce__exact_add(&sum[t->label[i] != 0], t->weight ? (float)t->weight[i] : 1);
    for (int y = 0; y < 2; ++y) weight[y] = scarce__exact_value(&sum[y]);
    return weight[1] / (weight[0] + weight[1]);
}

static double share_of_far(const scarce__job_far *far)
{
    const double *w = far->asker.plain_weight;
    return w[1] / (w[0] + w[1]);
}

/* Which share of positives the probabilities are for: that of the rows they were calibrated on, or of the training
 * rows before resampling changed their odds. */
static scarce_status note_prevalence(scarce_model *m, const scarce__job *job, scarce_error *err)
{
    const scarce_train_options *o = job->options;
    const int fitted = is_fitted(o->calibrate);
    double q = job->far && !fitted ? share_of_far(job->far) : share_of(fitted ? job->valid : job->table);

    if (!fitted && !isnan(o->odds_factor)) q = q / (q + (1 - q) * o->odds_factor);
    return scarce__model_add_note_number(m, "prevalence", q, err);
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

static int has_own_threshold(const scarce__learned *learned, const scarce_train_options *o)
{
    return !isnan(learned->threshold) && !o->threshold && !o->valid;
}

static scarce_status set_threshold(scarce_model *m, const scarce_train_options *o, const scarce__job *job,
                                   const scarce__learned *learned, const scarce_scored *rows,
                                   scarce_error *err)
{
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    scarce_threshold_choice choice;

    if (has_own_threshold(learned, o)) {
        m->alert_rule = SCARCE__ALERT_SCORE;
        m->alert_value = learned->threshold;
        return scarce__model_add_note(m, "threshold_rule", learned->threshold_why, err);
    }
    if (o->threshold) SCARCE__TRY(scarce_threshold_parse(&rule, o->threshold, err));
    else if (!o->valid) {
        rule.kind = SCARCE_THRESHOLD_BUDGET;
        rule.unit = SCARCE_BUDGET_RATE;
        const double p = (double)scarce__job_positives(job), n = (double)scarce__job_rows(job) - p;
        rule.budget = p / (p + n * (isnan(o->odds_factor) ? 1 : o->odds_factor));
        if (job->far) { /* only the highest are here */
            const double *w = job->far->asker.plain_weight;
            rule.unit = SCARCE_BUDGET_TOTAL;
            rule.budget *= w[0] + w[1];
        }
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
    if (rule.kind == SCARCE_THRESHOLD_VALUE) choice.threshold = rule.value;
    else SCARCE__TRY(scarce_threshold_choose(&choice, &rule, rows, err));
    m->alert_rule = SCARCE__ALERT_SCORE;
    m->alert_value = choice.threshold;
    return SCARCE_OK;
}

/* A threshold that is given, and no calibrator to fit: then nobody asks for the scores, which can cost as much as the
 * training (many trees on few of the rows). */
static int looks_at_scores(const scarce_train_options *o)
{
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    return is_fitted(o->calibrate) || !o->threshold ||
           scarce_threshold_parse(&rule, o->threshold, NULL) != SCARCE_OK ||
           rule.kind != SCARCE_THRESHOLD_VALUE;
}

int scarce__decides_by_training_rows(const scarce_train_options *o)
{
    return !o->valid && o->threshold && looks_at_scores(o);
}

/* The highest rows of those that lie elsewhere, as many as there are positives and some more; to be freed. */
typedef struct highest {
    double *score, *weight;
    uint8_t *label;
    size_t n;
} highest;

static scarce_status find_highest(highest *out, scarce_scored *rows, const scarce_model *m,
                                  const scarce__job *job, scarce_error *err)
{
    scarce__job_far *far = job->far;
    const double *w = far->asker.plain_weight;
    const double rows_per_weight = (double)scarce__job_rows(job) / (w[0] + w[1]);
    const scarce__forest *trees = m->kind->forest ? m->kind->forest(m->body) : NULL;
    /* with weights below 1, more rows may fit into the budget */
    const double most =
        2 * (double)scarce__job_positives(job) * (rows_per_weight > 1 ? rows_per_weight : 1) + 1000;

    if (!trees) return scarce__fail(err, SCARCE_EBUG, "a model of far rows without trees");
    if (far->rescaled) far->asker.run += 2; /* the rows have the scores of other trees */
    SCARCE__TRY(scarce__asker_top(&out->score, &out->label, &out->weight, &out->n, &far->asker, trees,
                                  &far->loss, most, job->ctx, err));
    memset(rows, 0, sizeof *rows);
    rows->n = out->n;
    rows->score = out->score;
    rows->label = out->label;
    rows->weight = job->table->weight ? out->weight : NULL;
    return SCARCE_OK;
}

static scarce_status check_far_rule(const scarce_train_options *o, scarce_error *err)
{
    if (!looks_at_scores(o) || !o->threshold) return SCARCE_OK;
    return scarce__fail(
        err, SCARCE_EUNSUPPORTED,
        "threshold=%.40s needs validation rows where the training rows do not fit in memory (--valid FILE), "
        "or a score: --threshold value:0.5",
        o->threshold);
}

/* The options say how, in full. */
static scarce_status decide(scarce_model *m, const scarce__job *job, const scarce__learned *learned,
                            scarce_error *err)
{
    const scarce__meaning *meaning = &learned->meaning;
    const scarce_train_options *o = job->options;
    const scarce_table *judged = job->valid ? job->valid : job->table;
    const int far = job->far && !job->valid;
    double *score = scarce__malloc_array(judged->n_rows, sizeof *score);
    scarce_scorer *scorer = NULL;
    highest top = {NULL, NULL, NULL, 0};
    scarce_scored rows = scarce_scored_of_table(judged, score, NULL);
    double *weight = NULL;
    scarce_status st;

    if (!score) return scarce__fail_memory(err, "scores", judged->n_rows * sizeof *score);
    st = far ? check_far_rule(o, err) : SCARCE_OK;
    if (st != SCARCE_OK) {
        scarce__free(score);
        return st;
    }
    if (far && looks_at_scores(o)) st = find_highest(&top, &rows, m, job, err);
    else if (learned->held && !job->valid) memcpy(score, learned->held, judged->n_rows * sizeof *score);
    else if (looks_at_scores(o) && !has_own_threshold(learned, o)) {
        st = scarce_scorer_new(&scorer, m, err);
        if (st == SCARCE_OK) st = scarce_scorer_table(scorer, judged, score, NULL, job->ctx, err);
    }
    if (st == SCARCE_OK) st = set_probability(m, meaning, o, &rows, err);
    if (st == SCARCE_OK && m->has_probability) st = note_prevalence(m, job, err);
    if (st == SCARCE_OK && is_fitted(o->calibrate))
        st = scarce__model_add_note(m, "calibrated", o->calibrate, err);
    if (st == SCARCE_OK) st = undo_shares(&weight, &rows, o, err);
    if (st == SCARCE_OK) st = set_threshold(m, o, job, learned, &rows, err);
    scarce_scorer_free(scorer);
    scarce__free(top.score);
    scarce__free(top.label);
    scarce__free(top.weight);
    scarce__free(weight);
    scarce__free(score);
    return st;
}

scarce_status scarce__decide(scarce_model *m, const scarce__job *job, const scarce__learned *learned,
                             scarce_error *err)
{
    scarce_train_options options = *job->options;
    scarce__job decided = *job;

    options.calibrate = way_of(job, &learned->meaning);
    decided.options = &options;
    return decide(m, &decided, learned, err);
}
