/* SPDX-License-Identifier: Apache-2.0 */
/* Why a row got its score, and what a model relies on.
 *
 *     scarce_explainer_new(&e, model, NULL, &err);                       once
 *     scarce_explainer_top(e, row, 5, reasons, &n, &base, &err);         for each alert
 *     for (i = 0; i < n; ++i)
 *         printf("%s %+.3f\n", scarce_schema_name(schema, reasons[i].feature), reasons[i].contribution);
 *
 * A score is taken apart: score = base + sum over the features of their contributions (to rounding, some
 * 1e-12). A contribution above 0 made the row more suspicious. All is in units of the score (log-odds for
 * most methods), not of the probability.
 *
 * Trees: exact Shapley values.
 *   - Without background, what isn't known is averaged over the training rows by the cover of the branches
 *     (path-dependent TreeSHAP, as XGBoost's pred_contribs; LightGBM's pred_contrib counts rows instead of
 *     hessians). A row takes some 10 to 40 microseconds for 100 trees of 31 leaves.
 *   - With background rows, what isn't known is taken from them (interventional): "compared with these". The
 *     price is some 15 microseconds for each background row and 100 trees: take about a hundred rows.
 *
 * Linear models: a feature's own term, weight * value (or the weight of its category, or of missing); the
 * base is the bias. With background rows their mean terms move to the base, which gives the Shapley values.
 *
 * One prepared explainer serves any number of threads. Results don't depend on their number. */
#ifndef SCARCE_EXPLAIN_H
#define SCARCE_EXPLAIN_H

#include <scarce/base.h>
#include <scarce/model.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_explainer scarce_explainer;

typedef struct scarce_explain_options {
    size_t struct_size;
    const scarce_table *background; /* rows to compare with, of the model's features; NULL: none. Copied. */
} scarce_explain_options;

#define SCARCE_EXPLAIN_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_explain_options), NULL)

/* The model must outlive the explainer. options may be NULL. EUNSUPPORTED for a kind of model that is no sum,
 * or a tree with more than 2048 different features on one path; EDATA for a background of other features.
 * Takes milliseconds and a megabyte for 100 trees of 31 leaves. */
SCARCE_API scarce_status scarce_explainer_new(scarce_explainer **out, const scarce_model *model,
                                              const scarce_explain_options *options, scarce_error *err);
SCARCE_API void scarce_explainer_free(scarce_explainer *e);

/* What the score is when nothing is known of a row: its expectation (linear without background: the bias). */
SCARCE_API double scarce_explainer_base(const scarce_explainer *e);

/* One contribution per feature of the model's schema, for a row as scarce_scorer_score takes it. No
 * allocation but for extraordinarily deep trees and for backgrounds; ENOMEM only then. */
SCARCE_API scarce_status scarce_explainer_row(const scarce_explainer *e, const float *row,
                                              double *contribution, scarce_error *err);

typedef struct scarce_reason {
    size_t feature; /* of the model's schema */
    double contribution;
} scarce_reason;

/* The n strongest reasons of a row, by the size of their contribution whatever its sign; ties by the order of
 * the features. What contributes nothing is no reason: *found may be less than n. `base` may be NULL. */
SCARCE_API scarce_status scarce_explainer_top(const scarce_explainer *e, const float *row, size_t n,
                                              scarce_reason *out, size_t *found, double *base,
                                              scarce_error *err);

/* The same from contributions that are there already; returns how many reasons there are (at most n). */
SCARCE_API size_t scarce_reasons_strongest(const double *contribution, size_t n_features, size_t n,
                                           scarce_reason *out);

/* Of those only what raises the score, the most first. */
SCARCE_API size_t scarce_reasons_raising(const double *contribution, size_t n_features, size_t n,
                                         scarce_reason *out);

/* Called from the thread that made the call, in row order, for rows first..first+n-1. value and contribution
 * are n rows of one number per feature, valid during the call; values are as scarce_scorer_score takes them
 * (codes of categories, NaN = missing). Nonzero stops. */
typedef int (*scarce_explain_fn)(void *payload, size_t first, size_t n, const float *value,
                                 const double *contribution);

/* All rows of a table with the model's features, some thousands at a time, on all threads: a million rows
 * need no more memory than ten thousand. ECANCEL when fn or the progress callback says so. The same bits as
 * row by row. */
SCARCE_API scarce_status scarce_explainer_table(const scarce_explainer *e, const scarce_table *table,
                                                scarce_explain_fn fn, void *payload, scarce_context *ctx,
                                                scarce_error *err);

/* ---- Rules: ranking trees (cart, treerank, metaap, and what scarce_distil makes)
 *
 *     scarce_rules_new(&rules, model, &err);                             once
 *     k = scarce_rules_fired(rules, row, &way);                          for each alert
 *     printf("rule %zu: %s\n", k + 1, way);
 *
 * Rules are read from the top, the most suspicious first: the first that holds of a row is the one it fires. */

/* What a model can say about why a row has its score. */
typedef enum scarce_reasons {
    SCARCE_REASONS_NONE = 0,
    SCARCE_REASONS_ADDITIVE = 1,  /* scarce_explainer_new: a contribution of every feature */
    SCARCE_REASONS_RULE = 2,      /* scarce_rules_new: the rule that it fires */
    SCARCE_REASONS_NEIGHBOURS = 3 /* scarce_scorer_neighbours: training rows like it */
} scarce_reasons;

SCARCE_API scarce_reasons scarce_model_reasons(const scarce_model *model);

typedef struct scarce_rules scarce_rules;

/* The model must outlive the rules. EUNSUPPORTED for models that are no rules, for means of many trees, and for
 * trees with more paths than anybody reads. Any number of threads may use one. */
SCARCE_API scarce_status scarce_rules_new(scarce_rules **out, const scarce_model *model, scarce_error *err);
SCARCE_API void scarce_rules_free(scarce_rules *rules); /* takes NULL */
SCARCE_API size_t scarce_rules_count(const scarce_rules *rules);

/* Filled by scarce_rules_get; begin with its INIT. Figures are of the training rows that fired it. */
typedef struct scarce_rule {
    size_t struct_size;
    const char *text; /* "amount > 214 and hour <= 5 or country in {XX}"; as long as the rules live */
    size_t ways;      /* how many are joined by "or" */
    double score;     /* what the model gives its rows, but for what tells them apart */
    size_t rows, positives;
    double precision; /* share of positives, by weight */
    double share;     /* of all positives */
    double recall;    /* of all positives with those of the rules above */
} scarce_rule;

#define SCARCE_RULE_INIT SCARCE_INIT(sizeof(scarce_rule), NULL, 0, 0, 0, 0, 0, 0, 0)

/* Rule number `rule`, from 0; EINVAL when there is none. */
SCARCE_API scarce_status scarce_rules_get(const scarce_rules *rules, size_t rule, scarce_rule *out,
                                          scarce_error *err);

/* The rule that a row fires, for a row as scarce_scorer_score takes it; *way (may be NULL) is the part of its text
 * that holds. No allocation. */
SCARCE_API size_t scarce_rules_fired(const scarce_rules *rules, const float *row, const char **way);
/* The same of all rows of a table with the model's features. `way` may be NULL. */
SCARCE_API scarce_status scarce_rules_table(const scarce_rules *rules, const scarce_table *table,
                                            size_t *rule, const char **way, scarce_error *err);

/* ---- Neighbours: what models that remember rows (k-NN, metric learning) have for reasons
 *
 *     scarce_scorer_neighbours(scorer, row, 1, 3, near, &n, &err);        "like these three frauds"
 *     for (i = 0; i < n; ++i) scarce_scorer_alike(scorer, row, near[i].row, alike, &err);
 *
 * Their scores are no sums over features: scarce_explainer_new says so. */

typedef struct scarce_neighbour {
    size_t row; /* of the training rows, from 0 */
    double distance;
    int positive;
} scarce_neighbour;

/* The n (at most 64) nearest training rows of a class, nearest first, ties to the row that comes first; *found may be
 * less. Rows made up by resampling are not among them. EUNSUPPORTED unless the model has neighbours. */
SCARCE_API scarce_status scarce_scorer_neighbours(const scarce_scorer *scorer, const float *row, int positive,
                                                  size_t n, scarce_neighbour *out, size_t *found,
                                                  scarce_error *err);
/* What made a training row near, one number per feature: the mean squared difference of the row to training rows minus that
 * to this one, in the units of the distance. The largest are what the two have in common and others have not. */
SCARCE_API scarce_status scarce_scorer_alike(const scarce_scorer *scorer, const float *row, size_t neighbour,
                                             double *alike, scarce_error *err);
/* The values of a remembered row, as scarce_scorer_score takes them. EINVAL when there is none of that number. */
SCARCE_API scarce_status scarce_model_remembered(const scarce_model *model, size_t row, float *values,
                                                 scarce_error *err);

/* ---- Is a value much? For sentences like "amount 493.41 is high" */

typedef struct scarce_spread scarce_spread;

/* The cut points of a model's trees; other kinds of model have none. The model may go afterwards. */
SCARCE_API scarce_status scarce_spread_new(scarce_spread **out, const scarce_model *model, scarce_error *err);
SCARCE_API void scarce_spread_free(scarce_spread *spread); /* takes NULL */
/* Share of the model's different cut points of a numeric feature that are below the value: near 1 it is high,
 * near 0 low, in the eyes of the model. NaN for a missing value or a feature without cut points. */
SCARCE_API double scarce_spread_below(const scarce_spread *spread, size_t feature, float value);

/* The text of a feature's value: a category (cut to 60 bytes), a number with 6 digits, "missing" or "(unknown)". */
SCARCE_API void scarce_reason_value(char out[64], const scarce_schema *schema, size_t feature, float value);

enum { SCARCE_REASON_TEXT = 512 };

/* A reason in words: "amount 493.41 is high: +2.57", "country BR: +0.80", "age is missing: +0.31". A number is high
 * above three quarters of the model's cut points of that feature, low below three quarters; without a spread (NULL)
 * neither is told. */
SCARCE_API void scarce_reason_text(char out[SCARCE_REASON_TEXT], const scarce_schema *schema,
                                   const scarce_spread *spread, const scarce_reason *why, float value);

/* ---- Of the whole model */

typedef struct scarce_importance {
    double value;
    double error; /* one standard error of it */
} scarce_importance;

/* out[f] = mean of |contribution of f| over the rows of the table, and its standard error over rows (what a
 * bootstrap of the rows would give). No label needed. */
SCARCE_API scarce_status scarce_importance_shap(scarce_importance *out, const scarce_explainer *e,
                                                const scarce_table *table, scarce_context *ctx,
                                                scarce_error *err);

/* out[f] = AP that is lost when the values of f are shuffled among the rows: the mean over `repeats` (1 or
 * more) shuffles from the context's seed. The error is that of a bootstrap of the rows (of whole groups where
 * the table has groups), and of the shuffles when there are two or more. About 0, of either sign, for what
 * doesn't matter. Needs a label with both classes (EDATA); uses weights. Takes features x repeats scorings of
 * the table, and 40 times that many APs; 60 bytes per row. */
SCARCE_API scarce_status scarce_importance_permutation(scarce_importance *out, const scarce_model *model,
                                                       const scarce_table *table, size_t repeats,
                                                       scarce_context *ctx, scarce_error *err);

typedef enum scarce_split_importance {
    SCARCE_SPLITS_GAIN = 0,
    SCARCE_SPLITS_COUNT = 1
} scarce_split_importance;

/* out[f] = sum of the gains, or number, of the splits by f in all trees, and what a bootstrap of the trees
 * gives as its standard error (NaN for a single tree). No data needed; it says what the training used, not
 * what helps on other rows. EUNSUPPORTED for models without trees. */
SCARCE_API scarce_status scarce_importance_splits(scarce_importance *out, const scarce_model *model,
                                                  scarce_split_importance kind, scarce_error *err);

/* Values of a feature to look at, with the share of the table's rows that each stands for. */
typedef struct scarce_grid {
    size_t n;
    float *value;  /* rising; a category: codes, the most frequent first; NaN, for missing, is the last */
    double *share; /* of the rows nearest to it; of that category; without a value */
    int category;
} scarce_grid;

/* Up to `most` (1 or more) values, and NaN where rows have none: all distinct values if they are few, else
 * those in the middle of equal shares of the rows; of categories the most frequent. Frees with
 * scarce_grid_deinit. EINVAL when there is no feature f. */
SCARCE_API scarce_status scarce_grid_of(scarce_grid *out, const scarce_table *table, size_t f, size_t most,
                                        scarce_error *err);
SCARCE_API void scarce_grid_deinit(scarce_grid *grid); /* takes NULL */

/* out[i] = mean score of the table's rows when feature f has the value grid[i] in all of them (a code for a
 * category, NaN for missing). Takes n scorings of the table. EINVAL when there is no feature f. */
SCARCE_API scarce_status scarce_partial_dependence(double *out, const scarce_model *model,
                                                   const scarce_table *table, size_t f, const float *grid,
                                                   size_t n, scarce_context *ctx, scarce_error *err);

/* The same for two different features at once: out[i * grid[1].n + k] for value i of the first and k of the
 * second. share[i * grid[1].n + k] = share of the rows at both points; may be NULL. Takes grid[0].n *
 * grid[1].n scorings. */
SCARCE_API scarce_status scarce_partial_pair(double *out, double *share, const scarce_model *model,
                                             const scarce_table *table, const size_t feature[2],
                                             const scarce_grid grid[2], scarce_context *ctx,
                                             scarce_error *err);

#ifdef __cplusplus
}
#endif
#endif
