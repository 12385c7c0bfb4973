/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be refused before the work begins: here what concerns all methods, then what the engine
 * has against its parameters. With a table, its rows too. */
#include <math.h>
#include <string.h>

#include <scarce/decide.h>

#include "core/fail.h"
#include "method/method.h"

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

static scarce_status check_options(const scarce_train_options *o, scarce_error *err)
{
    static const char *const ways[] = {"prior", "shift", "platt", "isotonic", "beta", "none", "own"};
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    const size_t metric = o->metric ? scarce_metric_find(o->metric) : 0;

    if (o->calibrate && !is_one_of(o->calibrate, ways, 7))
        return scarce__fail(err, SCARCE_EINVAL,
                            "calibrate=%.40s is none of prior, shift, platt, isotonic, beta, none, own",
                            o->calibrate);
    if (o->calibrate && is_one_of(o->calibrate, ways + 1, 4) && !o->valid && !o->expects_valid)
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
                            nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                            nearest ? "\"?" : " (scarce eval prints them all)");
    }
    if (o->metric && scarce_metric_direction(metric) == 0)
        return scarce__fail(
            err, SCARCE_EINVAL,
            "metric %.40s is a description, neither better nor worse; watch ap, auc_roc or another measure",
            o->metric);
    if (o->early_stop < 0 || o->checkpoint_every < 0)
        return scarce__fail(err, SCARCE_EINVAL, "a number of iterations can't be negative");
    return SCARCE_OK;
}

static scarce_status check_abilities(const scarce__job *job, scarce_error *err)
{
    const unsigned can = scarce__method_can(job->method);
    if (job->options->loss && !(can & SCARCE__CAN_LOSS))
        return scarce__fail(err, SCARCE_EINVAL, "method %s takes no loss of the caller", job->method->name);
    if (job->options->resume && !(can & SCARCE__CAN_RESUME))
        return scarce__fail(err, SCARCE_EINVAL, "method %s leaves no checkpoints to go on from",
                            job->method->name);
    return SCARCE_OK;
}

/* Rules that look at a column need it; found out now, not after an hour of training. */
static scarce_status check_roles(const scarce_train_options *o, const scarce_table *judged, scarce_error *err)
{
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;

    if (!o->threshold) return SCARCE_OK;
    SCARCE__TRY(scarce_threshold_parse(&rule, o->threshold, err));
    if (rule.kind == SCARCE_THRESHOLD_BUDGET && rule.unit == SCARCE_BUDGET_PER_SPAN && !judged->time)
        return scarce__fail(err, SCARCE_EINVAL, "threshold %.60s needs the time of the rows (--time COL)",
                            o->threshold);
    if (rule.kind == SCARCE_THRESHOLD_COST && isnan(rule.miss) && !judged->amount)
        return scarce__fail(err, SCARCE_EINVAL,
                            "threshold %.60s needs what a miss costs (--amount COL, or cost:ALARM/MISS)",
                            o->threshold);
    return SCARCE_OK;
}

static scarce_status check_table(const scarce_table *table, const char *what, scarce_error *err)
{
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "%s have no label", what);
    if (table->n_positives == 0) return scarce__fail(err, SCARCE_EDATA, "%s hold no positive", what);
    if (table->n_positives == table->n_rows)
        return scarce__fail(err, SCARCE_EDATA, "%s hold no negative", what);
    return SCARCE_OK;
}

scarce_status scarce__train_check_options(const scarce__job *job, scarce_error *err)
{
    const scarce_train_options *o = job->options;

    SCARCE__TRY(check_options(o, err));
    SCARCE__TRY(check_abilities(job, err));
    SCARCE__TRY(scarce__params_check(job->asked, err));
    SCARCE__TRY(scarce__check_resume(job, err));
    if (job->method->engine->check) SCARCE__TRY(job->method->engine->check(job, err));
    if (!job->table) return SCARCE_OK;
    SCARCE__TRY(check_table(job->table, "the training rows", err));
    if (job->valid) SCARCE__TRY(check_table(job->valid, "the validation rows", err));
    return check_roles(o, job->valid ? job->valid : job->table, err);
}
