/* SPDX-License-Identifier: Apache-2.0 */
/* Training, saving, loading and scoring.
 *
 *     scarce_train(&model, table, params, NULL, NULL, ctx, &err);
 *     scarce_model_save(model, "fraud.scarce", &err);
 *     ...
 *     scarce_model_load(&model, "fraud.scarce", &err);
 *     scarce_scorer_new(&scorer, model, &err);            once
 *     s = scarce_scorer_score(scorer, row);               for each row: no allocation, no lock
 *     p = scarce_scorer_probability(scorer, s);           NaN when the model has none
 *     if (scarce_scorer_alert(scorer, s, p, amount)) ...
 *
 * A score ranks: higher is more suspicious. A probability is given only where it means something:
 * by the method's own link, corrected for what class weights and sampling did to the class ratio, or
 * by a calibrator fitted on validation rows. */
#ifndef SCARCE_MODEL_H
#define SCARCE_MODEL_H

#include <scarce/base.h>
#include <scarce/features.h>
#include <scarce/loss.h>
#include <scarce/method.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_model scarce_model;
typedef struct scarce_scorer scarce_scorer;

typedef struct scarce_train_options {
    size_t struct_size;
    const scarce_table *valid; /* validation rows, read with the schema of the training table; NULL: none */
    int early_stop;        /* stop after this many iterations without a better metric on `valid`, or without
                              `valid` by the loss of rows outside the bags, where the method draws bags;
                              0: never */
    const char *metric;    /* of `valid`, by name; NULL: "ap" */
    const char *calibrate; /* "prior", "shift", "platt", "isotonic", "beta", "none", "own"; NULL: on
                              `valid` "platt", or with fewer than 30 positives there "shift"; without `valid` "own",
                              which is "prior" where the method has a probability, else none */
    const char *threshold; /* "f1", "gmean", "cost:C", "budget:K", "value:X", ...; NULL: "f1" on `valid`;
                              without `valid` as many alerts on the training rows as they have positives */
    double odds_factor;    /* what was done to the class odds before (resampling); 1: nothing, NaN: not known
                              (synthetic rows), so that a probability needs a calibrator */
    /* Go on from this checkpoint; NULL: from the start. EINVAL unless method, seed, rows and parameters are the
     * same; only the number of trees may differ. */
    const scarce_model *resume;
    const char *checkpoint;  /* where to save a checkpoint; NULL: nowhere */
    int checkpoint_every;    /* iterations; 0: only when interrupted */
    const scarce_loss *loss; /* a loss of the caller's own (loss.h), for methods that boost trees; NULL: that
                                of the parameters */
    scarce_table **take; /* NULL, or where the caller keeps the training table: resampling then changes it in
                                place, and memory holds one table (on ENOMEM it is freed, and NULL) */
    int expects_valid;   /* scarce_train_check alone: there will be validation rows */
} scarce_train_options;

#define SCARCE_TRAIN_OPTIONS_INIT                                                                            \
    SCARCE_INIT(sizeof(scarce_train_options), NULL, 0, NULL, NULL, NULL, 1.0, NULL, NULL, 0, NULL, NULL, 0)

/* Filled by scarce_train; begin with its INIT. May be used again; deinit at the end. */
typedef struct scarce_train_summary {
    size_t struct_size;
    size_t rows, features, positives; /* learnt from, so after resampling */
    size_t iterations;                /* 0 where the method has none */
    size_t best_iteration;            /* what the model keeps */
    double valid_metric;              /* at the best iteration; NaN without validation */
    double seconds_prepare;           /* binning, encoding */
    double seconds_train;
    int cancelled; /* stopped by the progress callback; the model holds what was done */
    double *curve; /* n_curve items: the metric after each iteration, NaN where nobody looked (eval_every);
                      NULL: nothing was watched. Freed by scarce_train_summary_deinit */
    size_t n_curve;
    size_t members, idle_members; /* of ensembles, and those among them that learnt nothing */
} scarce_train_summary;

#define SCARCE_TRAIN_SUMMARY_INIT                                                                            \
    SCARCE_INIT(sizeof(scarce_train_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0)

SCARCE_API void scarce_train_summary_deinit(scarce_train_summary *summary);

/* The table needs a label with both classes. Bits of the model depend on the data, the parameters and
 * the seed of the context only. `summary` may be NULL. */
SCARCE_API scarce_status scarce_train(scarce_model **out, const scarce_table *table,
                                      const scarce_params *params, const scarce_train_options *options,
                                      scarce_train_summary *summary, scarce_context *ctx, scarce_error *err);
SCARCE_API void scarce_model_free(scarce_model *model);

/* Everything that scarce_train would refuse without looking at rows: parameters that can't be meant together,
 * options that the method has no use for, unknown metrics and rules. For programs that read large files
 * first. */
SCARCE_API scarce_status scarce_train_check(const scarce_params *params, const scarce_train_options *options,
                                            scarce_error *err);

/* How large a table will be. */
typedef struct scarce_train_size {
    size_t struct_size;
    size_t rows, positives, features, valid_rows;
} scarce_train_size;

#define SCARCE_TRAIN_SIZE_INIT SCARCE_INIT(sizeof(scarce_train_size), 0, 0, 0, 0)

/* Bytes that the training of such a table takes at most, beside the tables themselves. The number of threads
 * is that of the context. */
SCARCE_API scarce_status scarce_train_memory(double *bytes, const scarce_params *params,
                                             const scarce_train_options *options,
                                             const scarce_train_size *size, scarce_context *ctx,
                                             scarce_error *err);

/* The file appears whole or not at all. Its format: docs/model-format.md. */
SCARCE_API scarce_status scarce_model_save(const scarce_model *model, const char *path, scarce_error *err);
/* EPARSE for a damaged file, EVERSION for one of a newer release. Never trusts a byte of it. */
SCARCE_API scarce_status scarce_model_load(scarce_model **out, const char *path, scarce_error *err);
/* The same from memory; `name` is for messages. */
SCARCE_API scarce_status scarce_model_read(scarce_model **out, const void *bytes, size_t n, const char *name,
                                           scarce_error *err);
/* The bytes that scarce_model_save writes; freed by scarce_bytes_free. */
SCARCE_API scarce_status scarce_model_bytes(void **out, size_t *n, const scarce_model *model,
                                            scarce_error *err);
SCARCE_API void scarce_bytes_free(void *bytes);

/* A model of XGBoost (JSON or UBJ of save_model; gbtree and dart, one class) or LightGBM (text) as one of
 * ours: the same scores (to float sums), and from then on all that our models can. Alerts from probability
 * 1/2 on. Categories are expected as the integers the other library was given. EUNSUPPORTED names what can't
 * be taken. */
SCARCE_API scarce_status scarce_model_import(scarce_model **out, const char *path, scarce_error *err);
/* A model of trees as XGBoost's JSON. EUNSUPPORTED for other kinds. */
SCARCE_API scarce_status scarce_model_export_xgboost(const scarce_model *model, const char *path,
                                                     scarce_error *err);

SCARCE_API const scarce_schema *scarce_model_schema(const scarce_model *model);
/* Share of the training rows that had no value of feature `f`; NaN: not known (models of other tools, or of releases
 * that didn't store it). */
SCARCE_API double scarce_model_missing(const scarce_model *model, size_t f);
SCARCE_API const char *scarce_model_method(const scarce_model *model);
SCARCE_API int scarce_model_has_probability(const scarce_model *model);
/* Score from which on a row is an alert; NaN when alerts depend on each row's amount. */
SCARCE_API double scarce_model_threshold(const scarce_model *model);
/* What was stored: "seed", "rows", "positives", "param.n_trees", ... NULL when absent. */
SCARCE_API const char *scarce_model_note(const scarce_model *model, const char *key);

/* Of non-linear boosting (nlb): how many combinations of its trees the score is made of; 0 for other models. What each
 * weighs, how much it matters (the mean of its share of the score over validation rows, else training rows), and the
 * correlation of their weights (n x n, row by row) are written where the pointers aren't NULL. */
SCARCE_API size_t scarce_model_representations(const scarce_model *model, double *weight, double *importance,
                                               double *correlation);

/* How the features of its rows were made (features.h): remembered with the model as the notes "features" (the text of
 * the definitions) and "features.digest". EDATA
 * when no feature of the model is defined there. Asking again replaces what was remembered. */
SCARCE_API scarce_status scarce_model_set_definitions(scarce_model *model,
                                                      const scarce_definitions *definitions,
                                                      scarce_error *err);
/* Are rows made by these definitions what the model learnt from? EDATA with the first line that differs, all of them in
 * *differences (nullable; freed by scarce_features_text_free), and where the model remembers no definitions. */
SCARCE_API scarce_status scarce_model_check_definitions(const scarce_model *model,
                                                        const scarce_definitions *definitions,
                                                        char **differences, scarce_error *err);

/* About which share of a table's rows the model was trained on, by a small draw of its training rows that it
 * remembers: 0 for new rows, 1 for the training file, also in another order. NaN when the model remembers none
 * (older releases, models of other tools). Rows with the same values as a training row count. One pass. */
SCARCE_API scarce_status scarce_model_seen(double *share, const scarce_model *model,
                                           const scarce_table *table, scarce_error *err);

/* How much the features of a table are spread otherwise than in training: psi[f] is the population stability index of
 * feature f over ten ranges (categories: the twenty most frequent), less what chance alone gives; NaN where there is no value. Below 0.1 is
 * little, above 0.25 much. At most 20,000 rows are looked at. EUNSUPPORTED for models that do not know it: of older releases, of
 * streams, of more than 2,000 features. */
SCARCE_API scarce_status scarce_model_drift(double *psi, const scarce_model *model, const scarce_table *table,
                                            scarce_error *err);

/* The rows of a table (with the model's features) in the space a metric learner learnt: a table with the features z1, z2,
 * ..., in which Euclidean distances are those of the metric (towards positives, where it differs), and the label of the rows if
 * they have one. EUNSUPPORTED for models that learnt none. */
SCARCE_API scarce_status scarce_model_transform(scarce_table **out, const scarce_model *model,
                                                const scarce_table *table, scarce_context *ctx,
                                                scarce_error *err);

/* What is in it: format "text" (parameters that were set or decided by the data; "full": all of them),
 * "summary" (the same with a table of the features, and without trees), "json" or "dot" (trees). Freed by
 * scarce_bytes_free. EUNSUPPORTED when the kind of model has no such form. */
SCARCE_API scarce_status scarce_model_show(char **out, const scarce_model *model, const char *format,
                                           scarce_error *err);

/* Prepares once; the model must outlive the scorer. Any number of threads may use one scorer. */
SCARCE_API scarce_status scarce_scorer_new(scarce_scorer **out, const scarce_model *model, scarce_error *err);
SCARCE_API void scarce_scorer_free(scarce_scorer *scorer);

/* The share of positives that the model's probabilities are made for: that of the validation rows they were
 * calibrated on, else of the training rows as they were; NaN when it isn't known. */
SCARCE_API double scarce_model_prevalence(const scarce_model *model);
/* From now on probabilities are for another share of positives (prior shift: the odds are multiplied). Scores, and
 * thresholds on them, stay. EUNSUPPORTED without probabilities. Not while other threads use the scorer. */
SCARCE_API scarce_status scarce_scorer_set_prevalence(scarce_scorer *scorer, double prevalence,
                                                      scarce_error *err);

/* `row` has one float per feature of the schema: the number, or the code of the category
 * (scarce_schema_code) as a float; NaN: missing. */
SCARCE_API double scarce_scorer_score(const scarce_scorer *scorer, const float *row);
SCARCE_API double scarce_scorer_probability(const scarce_scorer *scorer, double score);
/* amount: what is at stake in this row. It matters to models whose threshold is NaN: they alert when
 * probability * amount is above the cost of a look; with an unknown amount (NaN) when the probability is above
 * 1/2, as scarce_amount_threshold (decide.h) says. */
SCARCE_API int scarce_scorer_alert(const scarce_scorer *scorer, double score, double probability,
                                   double amount);

/* Scores of all rows of a table that was read with the model's schema (or has the same features), in
 * parallel. `probability` may be NULL. Same bits as row by row. */
SCARCE_API scarce_status scarce_scorer_table(const scarce_scorer *scorer, const scarce_table *table,
                                             double *score, double *probability, scarce_context *ctx,
                                             scarce_error *err);
/* Classes that the model tells apart: 2, or more where a stream of such rows was learnt (learn.h). Their texts, where they
 * have any: scarce_schema_class of the model's schema. */
SCARCE_API size_t scarce_model_n_classes(const scarce_model *model);
/* With more than 2: the probability of every class, n_classes of each row, row by row. EUNSUPPORTED with 2. */
SCARCE_API scarce_status scarce_scorer_classes(const scarce_scorer *scorer, const scarce_table *table,
                                               double *probability, scarce_context *ctx, scarce_error *err);

/* Scores of n rows of floats, each as scarce_scorer_score takes it, the next one `stride` floats after the
 * one before (0: packed; more than the features: the rest of each row is left alone), on the threads of ctx.
 * `probability` may be NULL. Same bits as row by row, several times as fast from 8 rows on with trees. */
SCARCE_API scarce_status scarce_scorer_rows(const scarce_scorer *scorer, const float *rows, size_t n,
                                            size_t stride, double *score, double *probability,
                                            scarce_context *ctx, scarce_error *err);

/* Scores of a matrix as it lies in the caller's memory: item (i, f) is at items + i * row_stride + f *
 * column_stride bytes, of any type but TEXT, in the order of the model's features. A number given for a category is
 * the category with its text ("5", or "5.0" if the model has that). Nothing is copied but blocks of rows that
 * stay in the cache. Same bits as the rows one by one. `probability` may be NULL. */
SCARCE_API scarce_status scarce_scorer_matrix(const scarce_scorer *scorer, const void *items,
                                              scarce_type type, size_t n_rows, ptrdiff_t row_stride,
                                              ptrdiff_t column_stride, double *score, double *probability,
                                              scarce_context *ctx, scarce_error *err);

/* ---- A row by names: what comes as a JSON object or a dictionary.
 *
 *     scarce_row_new(&row, model, &err);                         once; names are hashed here
 *     scarce_row_clear(row);                                     for each row: no allocation, no lock
 *     scarce_row_number(row, "amount", 12.5, &err);
 *     scarce_row_text(row, "country", "FR", &err);
 *     s = scarce_scorer_score(scorer, scarce_row_values(row));
 *
 * One row handle serves one thread at a time; make as many as there are threads. */
typedef struct scarce_row scarce_row;

/* The model must outlive the row, which begins cleared. */
SCARCE_API scarce_status scarce_row_new(scarce_row **out, const scarce_model *model, scarce_error *err);
SCARCE_API void scarce_row_free(scarce_row *row);

/* No feature is set: all are missing, sparse ones 0, as they are where a file doesn't list them. */
SCARCE_API void scarce_row_clear(scarce_row *row);

/* Sets a feature; NaN, NULL and "" say that it is missing. A number given to a category is the category with
 * its text ("5", or "5.0" if the model has that), a text given to a numeric feature is read as a number; a
 * category the model doesn't know is "unknown". EDATA when no feature has that name (the message names the
 * nearest; with err NULL it costs a look-up only) or a text is no number: the row stays as it is. */
SCARCE_API scarce_status scarce_row_number(scarce_row *row, const char *name, double value,
                                           scarce_error *err);
SCARCE_API scarce_status scarce_row_text(scarce_row *row, const char *name, const char *text,
                                         scarce_error *err);

/* A name and its value: the text, or where that is NULL the number. (It will stay these three.) */
typedef struct scarce_field {
    const char *name;
    const char *text;
    double number;
} scarce_field;

/* Clears the row and sets all of these. Names the model doesn't know are passed over and counted, since
 * records often have more fields than a model reads. */
SCARCE_API scarce_status scarce_row_set(scarce_row *row, const scarce_field *fields, size_t n,
                                        scarce_error *err);

/* One float per feature, for the scorer and the explainer; always the same address. */
SCARCE_API const float *scarce_row_values(const scarce_row *row);
/* How many names were not known since the row was cleared; *first (may be NULL) is the first of them (cut off
 * after 79 bytes), NULL when there was none. */
SCARCE_API size_t scarce_row_unknown(const scarce_row *row, const char **first);
/* How many features were not set since then (sparse ones aside); the numbers of the first `room` of them go
 * to `features`. */
SCARCE_API size_t scarce_row_unset(const scarce_row *row, size_t *features, size_t room);

#ifdef __cplusplus
}
#endif
#endif
