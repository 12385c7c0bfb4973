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
 *     cv:K                    K folds (default 5), `repeats` times
 *     temporal:train=SPAN,gap=SPAN,test=SPAN[,valid=SPAN][,step=SPAN]
 *                             train | valid | gap | test in time order, rolling by `step` (default: test)
 *                             over the data; the gap is as long as labels take to arrive. Needs the time role
 *     latest:test=SPAN[,gap=SPAN][,train=SPAN][,valid=SPAN]
 *                             one fold: the last `test` of the data tests, what is older than the gap trains
 *                             (of it the last `train`). Needs the time role
 *     prequential:delay=SPAN[,train=SPAN][,test=SPAN]
 *                             at time t learn from all that is older than t - delay (from `train` on, default
 *                             30d), score [t, t + test) (default 1d), go on by `test`. Needs the time role
 * A SPAN is a number with s, m, h, d or w behind it, or without unit in the units of the time role. cv and
 * holdout are stratified by class, with whole groups on one side when there is a group role; all splits come
 * from the seed alone. docs/comparing.md has pictures. */
#ifndef SCARCE_STUDY_H
#define SCARCE_STUDY_H

#include <scarce/metrics.h>
#include <scarce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCARCE_DEFAULT_PROTOCOL "holdout:0.3333"

/* ---- One fold of a protocol, for whoever trains and tests himself */

/* When the parts of a fold begin and end, in the units of the time role: an end is the first moment that isn't
 * in it. All NaN for protocols that don't go by time. */
typedef struct scarce_fold_times {
    double train_from, train_end, test_from, test_end;
} scarce_fold_times;

typedef struct scarce_fold {
    uint32_t *train, *valid, *test; /* ascending rows; valid is empty where the protocol has no such part */
    size_t n_train, n_valid, n_test;
    size_t n_folds; /* that the protocol has: without end (SIZE_MAX) for holdout and cv, which repeat */
    scarce_fold_times times;
} scarce_fold;

/* Fold `fold` (from 0), the same rows as scarce_compare_run takes with that table, protocol and seed. Frees with
 * scarce_fold_deinit. EINVAL for a protocol that is none, or when it has no such fold; EDATA when the table
 * lacks what it needs. */
SCARCE_API scarce_status scarce_fold_make(scarce_fold *out, const scarce_table *table, const char *protocol,
                                          size_t fold, int purge_known, const scarce_context *ctx,
                                          scarce_error *err);
SCARCE_API void scarce_fold_deinit(scarce_fold *fold); /* takes NULL */

/* Scores that some other tool gave the rows of the table, as a further contestant: judged on the same test
 * rows as the methods. It is up to the caller that no score knew the label of its row: with one score per row
 * (n_folds 1) the test parts should not overlap, or the model behind it was made of other data altogether;
 * else give one for each fold and row (scarce_compare_write_folds tells other tools the folds). */
typedef struct scarce_compare_ranking {
    const char *name;
    const double *score;       /* [row], or [fold * rows + row]; NaN: none, which no test row may have */
    const double *probability; /* the same, 0 to 1; NULL: none */
    size_t n_folds;            /* 1, or as many as the protocol makes */
} scarce_compare_ranking;

typedef struct scarce_compare_options {
    size_t struct_size;
    const char *protocol; /* NULL: SCARCE_DEFAULT_PROTOCOL */
    size_t repeats;       /* of holdout and cv */
    const char *metric;   /* that tuning and early stopping look at; NULL: "ap" */
    size_t tune;          /* trials of a search inside each training part (on the valid part where the
                             protocol has one); 0: the parameters as given */
    int purge_known;      /* by time: leave out test rows of groups that had a positive before the row's time
                             less the gap, when it was known */
    const char *results;  /* a CSV that every finished (method, fold) is appended to, and that is not computed
                             again when it is there already; NULL: none */
    const scarce_metrics_options *metrics;  /* k, cost, card_k, ...; NULL: the defaults */
    const scarce_compare_ranking *rankings; /* further contestants, behind the methods */
    size_t n_rankings;
    double memory; /* bytes that fits may take together, 0: most of what is free. Fewer fits then go on at a
                      time, with more threads each */
} scarce_compare_options;

#define SCARCE_COMPARE_OPTIONS_INIT                                                                          \
    SCARCE_INIT(sizeof(scarce_compare_options), NULL, 10, NULL, 0, 0, NULL, NULL, NULL, 0, 0)

typedef struct scarce_compare scarce_compare;

/* Methods are specifications (scarce_params_of_spec): "gb:n_trees=50", "random-under:ratio=0.1+gb", which
 * resamples the training part of each fold only. One given twice is EINVAL. Fits run in parallel, as many at a
 * time as there are threads and as memory holds; the result depends on neither. A fold that lacks a class has
 * NaN metrics (scarce_compare_problem says so). When the progress callback asks to stop, the comparison is over
 * the folds that all methods have finished (scarce_compare_unfinished is not 0 then); ECANCEL when there is no
 * such fold. Every fit that was finished is in the results file. */
SCARCE_API scarce_status scarce_compare_run(scarce_compare **out, const scarce_table *table,
                                            const char *const *methods, size_t n_methods,
                                            const scarce_compare_options *options, scarce_context *ctx,
                                            scarce_error *err);
SCARCE_API void scarce_compare_free(scarce_compare *compare);

/* Contestants: the methods, then the rankings. */
SCARCE_API size_t scarce_compare_methods(const scarce_compare *compare);
SCARCE_API size_t scarce_compare_folds(const scarce_compare *compare);
SCARCE_API const char *scarce_compare_name(const scarce_compare *compare, size_t method);
SCARCE_API const scarce_metrics *scarce_compare_metrics(const scarce_compare *compare, size_t method,
                                                        size_t fold);
/* Of tuning and training, on the clock; NaN for a ranking. */
SCARCE_API double scarce_compare_seconds(const scarce_compare *compare, size_t method, size_t fold);
/* Rows and positives of the parts of a fold. */
SCARCE_API void scarce_compare_fold(const scarce_compare *compare, size_t fold, size_t *train_rows,
                                    size_t *train_positives, size_t *test_rows, size_t *test_positives);
/* When its parts begin and end. */
SCARCE_API scarce_fold_times scarce_compare_times(const scarce_compare *compare, size_t fold);
/* Why a fold has no figures ("no positive to find in the test part", ...); NULL when all is well. */
SCARCE_API const char *scarce_compare_problem(const scarce_compare *compare, size_t fold);
/* Windows of time without any row to train on or to test: they are no folds. */
SCARCE_API size_t scarce_compare_skipped(const scarce_compare *compare);
/* Fits that were left when the progress callback stopped it; 0: it is complete. */
SCARCE_API size_t scarce_compare_unfinished(const scarce_compare *compare);

/* The folds that a comparison with these options goes over, as CSV "fold,row,part" with fold and row counted
 * from 1 and part train, valid or test. "-": standard output. */
SCARCE_API scarce_status scarce_compare_write_folds(const char *path, const scarce_table *table,
                                                    const scarce_compare_options *options,
                                                    const scarce_context *ctx, scarce_error *err);

/* One metric of one method over the folds. */
typedef struct scarce_compare_summary {
    size_t struct_size;
    size_t n, undefined; /* folds with a value, folds without */
    double mean, sd;
    double lo, hi; /* 95 % interval of the mean, by bootstrap over the folds */
} scarce_compare_summary;

#define SCARCE_COMPARE_SUMMARY_INIT SCARCE_INIT(sizeof(scarce_compare_summary), 0, 0, 0, 0, 0, 0)

SCARCE_API scarce_status scarce_compare_summarize(scarce_compare_summary *out, const scarce_compare *compare,
                                                  size_t method, size_t metric, const scarce_context *ctx,
                                                  scarce_error *err);

/* Contestant a against b in one metric, fold by fold. */
typedef struct scarce_compare_pair {
    size_t struct_size;
    size_t n;                      /* folds where both have a value */
    double difference, sd, lo, hi; /* mean of a - b, with its 95 % interval by bootstrap over the folds */
    double p_corrected; /* t test that allows for shared rows (Nadeau and Bengio); NaN below 2 folds */
    size_t positives;   /* tested in all, each counted once */
    /* As many, in all, a test at 5 % would need to see this difference with 80 %, if it is the true one: see
     * docs/comparing.md. NaN below 3 folds or at no difference. */
    double positives_needed;
    scarce_wilcoxon_result wilcoxon; /* takes the folds as independent: too sure where they share rows */
} scarce_compare_pair;

#define SCARCE_COMPARE_PAIR_INIT                                                                             \
    SCARCE_INIT(sizeof(scarce_compare_pair), 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0, 0})

SCARCE_API scarce_status scarce_compare_test(scarce_compare_pair *out, const scarce_compare *compare,
                                             size_t a, size_t b, size_t metric, const scarce_context *ctx,
                                             scarce_error *err);

/* Seconds of tuning and training of one contestant, the mean over the folds that were timed; NaN: none was. */
SCARCE_API double scarce_compare_mean_seconds(const scarce_compare *compare, size_t method);

/* What a difference is worth: a pair, with p values after Holm's correction over all pairs. */
typedef struct scarce_verdict {
    size_t a, b;                 /* contestants, a < b */
    double holm, holm_corrected; /* p of Wilcoxon's and of the corrected t test */
    double least;                /* the smallest p that so many folds could give, after Holm */
    scarce_compare_pair pair;
} scarce_verdict;

typedef struct scarce_verdicts {
    size_t metric;
    double *rank; /* per contestant: 1 is best, NaN where no fold counts */
    scarce_friedman_result friedman;
    scarce_verdict **pairs; /* (0, 1), (0, 2), ... */
    size_t n_pairs;
} scarce_verdicts;

/* All contestants in one metric: ranks, Friedman's test, every pair. The comparison may go afterwards. */
SCARCE_API scarce_status scarce_verdicts_new(scarce_verdicts **out, const scarce_compare *compare,
                                             size_t metric, const scarce_context *ctx, scarce_error *err);
SCARCE_API void scarce_verdicts_free(scarce_verdicts *verdicts); /* takes NULL */
/* "real", "the same", "not proved; about 120 more positives would be needed to tell": both tests below 5 % make a
 * difference real. 160 bytes hold it. */
SCARCE_API void scarce_verdict_text(char *text, size_t size, const scarce_verdict *verdict);

/* ---- Tuning */

typedef struct scarce_tune_options {
    size_t struct_size;
    const char *metric;    /* NULL: "ap" */
    size_t trials;         /* settings tried; the first is the default; 0: as many as `seconds` allow */
    double seconds;        /* stop trying after so long (the default is judged in any case); 0: no limit */
    double valid_fraction; /* share of the rows that judges in a split: the latest with a time role, else a
                              fold of a stratified cross-validation (whole groups, where there are groups) */
    size_t repeats; /* splits a setting is judged on; 0: as many as give 100 positives to judge on, up to two
                       rounds of cross-validation, or 3 origins in time */
    const scarce_table *valid; /* rows that judge instead; NULL: see valid_fraction */
    /* A file that every finished fit is appended to, and from which an interrupted search goes on, to the same bits;
     * NULL: none. A file of that name that holds something else is refused (EDATA) and stays as it is; one that can't
     * be written is told by the log, and the search goes on. */
    const char *results;
} scarce_tune_options;

#define SCARCE_TUNE_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_tune_options), NULL, 30, 0, 0.25, 0, NULL, NULL)

typedef struct scarce_tune_trial {
    char *settings;    /* "key=value key=value", with the number of trees that was best */
    double value;      /* of the metric, the mean over the splits; NaN: undefined, or cut off by the limit
                          in seconds */
    double seconds;    /* of all its fits */
    size_t iterations; /* trees, where they come out of the learning curve; else 0 */
    double share;      /* of the full effort it was judged at last; only those with 1 can win */
    double finished;   /* seconds after the beginning */
} scarce_tune_trial;

typedef struct scarce_tune_result {
    size_t struct_size;
    scarce_tune_trial **trials; /* in the order they were drawn; 0 is the default as it is */
    size_t n_trials;
    size_t best;       /* the one to take: `highest`, or the default where that is not clearly worse */
    size_t highest;    /* the best value */
    double difference; /* of the highest to the default; NaN: not known */
    double error;      /* the standard error of that; NaN: not known */
    size_t splits;
    int cancelled; /* stopped by the progress callback: `best` is the best so far */
} scarce_tune_result;

#define SCARCE_TUNE_RESULT_INIT SCARCE_INIT(sizeof(scarce_tune_result), NULL, 0, 0, 0, 0, 0, 0, 0)

/* Random search over the places that the method's table of parameters names, with successive halving: many
 * settings at a ninth of the effort (trees, or rows), the best third of them at a third, the best of those in
 * full; then the same near the best so far. The learning curve of one boosted model serves all smaller
 * numbers of trees, so n_trees is not drawn but found. The highest value wins only if it beats the default by
 * more than twice the standard error of their difference: with few positives the best of many is mostly luck.
 * `method` may fix parameters: "gb:max_depth=3". The value of the winner is the best of many, so it promises
 * too much: judge the result on rows that the search did not see. EDATA when there are too few positives to
 * judge. When the progress callback asks to stop, the result is the best so far; ECANCEL before the default was
 * judged. */
SCARCE_API scarce_status scarce_tune_run(scarce_tune_result *out, const scarce_table *table,
                                         const char *method, const scarce_tune_options *options,
                                         scarce_context *ctx, scarce_error *err);
SCARCE_API void scarce_tune_result_deinit(scarce_tune_result *tuned);

#ifdef __cplusplus
}
#endif
#endif
