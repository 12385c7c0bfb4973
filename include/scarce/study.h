/* SPDX-License-Identifier: Apache-2.0 */
/* Proving: several methods on the same splits, and the search for good parameters.
 *
 *     const char *methods[] = {"gb", "gb:n_trees=50:max_depth=2", "logistic"};
 *     scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
 *     o.protocol = "temporal:train=30d,gap=7d,test=7d";
 *     scarce_compare_run(&c, table, methods, 3, &o, ctx, &err);
 *     for (f = 0; f < scarce_compare_folds(c); ++f) ap = scarce_compare_metrics(c, m, f)->ap;
 *
 * Protocols
 *     holdout:FRACTION        FRACTION of the rows tests (default .3333), `repeats` times
 *     cv:K                    K folds, `repeats` times
 *     temporal:train=SPAN,gap=SPAN,test=SPAN[,valid=SPAN][,step=SPAN]
 *                             train | valid | gap | test in time order, rolling by `step` (default: test)
 * over the data; the gap is as long as labels take to arrive. Needs the time role.
 *     prequential:delay=SPAN[,train=SPAN][,test=SPAN]
 *                             at time t learn from all that is older than t - delay (from `train` on, default
 * 30d), score [t, t + test) (default 1d), go on by `test`. Needs the time role. A SPAN is a number with s, m,
 * h, d or w behind it, or without unit in the units of the time role. Splits are stratified by class (cv,
 * holdout), whole groups on one side when there is a group role; all from the seed alone. */
#ifndef SCARCE_STUDY_H
#define SCARCE_STUDY_H

#include <scarce/metrics.h>
#include <scarce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_compare_options {
    size_t struct_size;
    const char *protocol; /* NULL: "holdout:0.3333" */
    size_t repeats;       /* of holdout and cv */
    const char *metric;   /* that tuning and early stopping look at; NULL: "ap" */
    size_t tune;         /* trials of a random search inside each training part; 0: the parameters as given */
    int purge_known;     /* by time: leave out test rows of groups that had a positive before the gap */
    const char *results; /* a CSV that every finished (method, fold) is appended to, and that is not computed
                            again when it is there already; NULL: none */
    scarce_metrics_options metrics; /* k, cost, card_k, ... */
} scarce_compare_options;

#define SCARCE_COMPARE_OPTIONS_INIT                                                                          \
    {                                                                                                        \
        sizeof(scarce_compare_options), NULL, 10, NULL, 0, 0, NULL, SCARCE_METRICS_OPTIONS_INIT              \
    }

typedef struct scarce_compare scarce_compare;

/* Methods are "name:key=value:key=value". Folds run in parallel, one thread each; the result does not depend
 * on how many. A fold whose test part lacks a class has NaN metrics; one that can't be trained on is an
 * error. */
SCARCE_API scarce_status scarce_compare_run(scarce_compare **out, const scarce_table *table,
                                            const char *const *methods, size_t n_methods,
                                            const scarce_compare_options *options, scarce_context *ctx,
                                            scarce_error *err);
SCARCE_API void scarce_compare_free(scarce_compare *compare);

SCARCE_API size_t scarce_compare_methods(const scarce_compare *compare);
SCARCE_API size_t scarce_compare_folds(const scarce_compare *compare);
SCARCE_API const char *scarce_compare_name(const scarce_compare *compare, size_t method);
SCARCE_API const scarce_metrics *scarce_compare_metrics(const scarce_compare *compare, size_t method,
                                                        size_t fold);
SCARCE_API double scarce_compare_seconds(const scarce_compare *compare, size_t method, size_t fold);
/* Rows and positives of the parts of a fold. */
SCARCE_API void scarce_compare_fold(const scarce_compare *compare, size_t fold, size_t *train_rows,
                                    size_t *train_positives, size_t *test_rows, size_t *test_positives);

/* One metric of one method over the folds. */
typedef struct scarce_summary {
    size_t n, undefined; /* folds with a value, folds without */
    double mean, sd;
    double lo, hi; /* 95 % interval of the mean, by bootstrap over the folds */
} scarce_summary;

SCARCE_API scarce_status scarce_compare_summary(scarce_summary *out, const scarce_compare *compare,
                                                size_t method, size_t metric, const scarce_context *ctx,
                                                scarce_error *err);

/* ---- Tuning */

typedef struct scarce_tune_options {
    size_t struct_size;
    const char *metric;    /* NULL: "ap" */
    size_t trials;         /* settings tried; the first is the default */
    double seconds;        /* stop trying after so long; 0: no limit */
    double valid_fraction; /* of the rows: the latest with a time role, else a stratified draw */
    size_t repeats;        /* draws the score of a setting is the mean of; 1 with a time role */
} scarce_tune_options;

#define SCARCE_TUNE_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(scarce_tune_options), NULL, 30, 0, 0.25, 3                                                    \
    }

typedef struct scarce_trial {
    char *settings; /* "key=value key=value" */
    double value;   /* of the metric */
    double seconds;
    size_t iterations; /* kept by early stopping; 0 where there are none */
} scarce_trial;

typedef struct scarce_tuned {
    scarce_trial *trials; /* in the order they were made */
    size_t n_trials, best;
} scarce_tuned;

/* Random search over the places that the method's table of parameters names, the last third near the best so
 * far. Boosted methods stop early on the validation rows, so one run serves all smaller numbers of trees.
 * `method` may fix parameters: "gb:max_depth=3". */
SCARCE_API scarce_status scarce_tune_run(scarce_tuned *out, const scarce_table *table, const char *method,
                                         const scarce_tune_options *options, scarce_context *ctx,
                                         scarce_error *err);
SCARCE_API void scarce_tuned_deinit(scarce_tuned *tuned);

#ifdef __cplusplus
}
#endif
#endif
