/* SPDX-License-Identifier: Apache-2.0 */
/* What is on each page: a training, an evaluation, a comparison, a search, a check of data. The program, notebooks and a
 * service that call these show the same page.
 *
 *     scarce_report *r = NULL;
 *     scarce_evaluation_view v = SCARCE_EVALUATION_VIEW_INIT;
 *     v.rows = &rows, v.metrics = &metrics, v.options = &options, v.model = model, v.table = table;
 *     if (scarce_report_new(&r, "Evaluation", "fraud.scarce on may.csv", &err) ||
 *         scarce_page_evaluation(r, &v, ctx, &err) || scarce_report_write(r, "eval.html", &err)) ...
 *     scarce_report_free(r);
 *
 * Each adds sections to a report (report.h) that the caller made and will write; with an error the report holds what was
 * there before it, and is of no use. Views borrow everything and change nothing. Fields that may be NULL say so: what
 * needs them is left out. Progress is told through the context; ECANCEL when its callback says so. The same inputs
 * give the same bytes with any number of threads. */
#ifndef SCARCE_PAGES_H
#define SCARCE_PAGES_H

#include <scarce/doctor.h>
#include <scarce/metrics.h>
#include <scarce/model.h>
#include <scarce/report.h>
#include <scarce/rule.h>
#include <scarce/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A training */

typedef struct scarce_training_view {
    size_t struct_size;
    const scarce_model *model;
    const scarce_train_summary *summary; /* NULL: a model that was read; without learning curve and seconds */
    const char *metric;                  /* that was watched; NULL: "ap" */
    const scarce_table *table;           /* training rows; NULL: importances are the gains of the splits */
    const scarce_table *valid;           /* validation rows; NULL: none */
    const scarce_metrics *metrics;       /* of valid; NULL: computed, at the threshold of the model */
    double seconds_load, seconds_total;  /* of reading, of everything; NAN: not known */
} scarce_training_view;

#define SCARCE_TRAINING_VIEW_INIT                                                                            \
    SCARCE_INIT(sizeof(scarce_training_view), NULL, NULL, NULL, NULL, NULL, NULL, NAN, NAN)

/* The learning curve, what the model relies on, how it does on the validation rows, settings. */
SCARCE_API scarce_status scarce_page_training(scarce_report *report, const scarce_training_view *view,
                                              scarce_context *ctx, scarce_error *err);

/* ---- An evaluation */

typedef struct scarce_evaluation_view {
    size_t struct_size;
    const scarce_scored *rows;             /* with labels */
    const scarce_metrics *metrics;         /* of these rows and options */
    const scarce_metrics_options *options; /* NULL: the defaults */
    size_t replicates;                     /* of the bootstrap; 0: as many as are cheap */
    const scarce_model *model;             /* that gave the scores; NULL: no importances and reasons */
    const scarce_table
        *table; /* with the model's features, and the rows in the same order; NULL: as without model */
    const char *const *keep; /* names of the table's kept texts (scarce_table_kept), shown in the list */
    size_t n_keep;
    const char *model_name, *scores_name; /* where the scores come from, told among the settings; NULL: not */
} scarce_evaluation_view;

#define SCARCE_EVALUATION_VIEW_INIT                                                                          \
    SCARCE_INIT(sizeof(scarce_evaluation_view), NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL)

/* Figures with intervals, what is suspicious about them, curves with bands, calibration, days, money, importances, the
 * head of the list with reasons, all metrics. The bootstrap is what takes time: about 40 million rows altogether. */
SCARCE_API scarce_status scarce_page_evaluation(scarce_report *report, const scarce_evaluation_view *view,
                                                scarce_context *ctx, scarce_error *err);

/* ---- A comparison */

typedef struct scarce_comparison_view {
    size_t struct_size;
    const scarce_compare *compare;
    const scarce_verdicts *verdicts; /* of the metric that judges */
    const size_t *metrics;           /* a chart each; NULL: of the one that judges */
    size_t n_metrics;
    const scarce_table *table;             /* NULL: not described */
    const scarce_compare_options *options; /* NULL: not told */
} scarce_comparison_view;

#define SCARCE_COMPARISON_VIEW_INIT                                                                          \
    SCARCE_INIT(sizeof(scarce_comparison_view), NULL, NULL, NULL, 0, NULL, NULL)

/* Who is better, by how much, and is it real. */
SCARCE_API scarce_status scarce_page_comparison(scarce_report *report, const scarce_comparison_view *view,
                                                scarce_context *ctx, scarce_error *err);

/* ---- A search for parameters */

/* What to take, how sure that is, every setting that was tried. `metric` NULL: "ap". */
SCARCE_API scarce_status scarce_page_tuning(scarce_report *report, const scarce_tune_result *result,
                                            const char *method, const char *metric, scarce_error *err);

/* ---- A check of data */

/* Findings first, then positives by period and fold, and the columns. `table` NULL: not described. */
SCARCE_API scarce_status scarce_page_doctor(scarce_report *report, const scarce_doctor *doctor,
                                            const scarce_table *table, scarce_error *err);

/* ---- A back-test of rules */

/* What each rule did, together and beside the model, their limits, week by week, and the first rows they fired on. */
SCARCE_API scarce_status scarce_page_backtest(scarce_report *report, const scarce_backtest *backtest,
                                              const scarce_ruleset *set, const scarce_records *records,
                                              scarce_error *err);

#ifdef __cplusplus
}
#endif
#endif
