/* SPDX-License-Identifier: Apache-2.0 */
/* From scores to probabilities and from probabilities to decisions.
 *
 *     scarce_calibrator *cal = NULL;
 *     scarce_scored rows = SCARCE_SCORED_INIT;           // held-out rows, never the training rows
 *     rows.score = score; rows.label = label; rows.n = n;
 *     if (scarce_calibrator_fit(&cal, SCARCE_CALIBRATE_PLATT, &rows, &err)) ...
 *     p = scarce_calibrator_apply(cal, new_score);       // no allocation, any thread
 *
 *     scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
 *     scarce_threshold_choice choice;
 *     if (scarce_threshold_parse(&rule, "budget:100/day", &err)) ...
 *     if (scarce_threshold_choose(&choice, &rule, &rows, &err)) ...
 *     alert = new_score >= choice.threshold;
 *
 * Everywhere: a higher score is more suspicious; a row is alerted when score >= threshold. */
#ifndef SCARCE_DECIDE_H
#define SCARCE_DECIDE_H

#include <math.h>

#include <scarce/base.h>
#include <scarce/metrics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows are a scarce_scored (metrics.h). Here a NaN or infinite score, or a negative or not finite weight, is
 * EDATA with the number of the row; a weight counts as that many rows, 0 leaves a row out. */

/* ---- Calibration ---- */

typedef enum scarce_calibration {
    /* p = score. For scores that are probabilities already. */
    SCARCE_CALIBRATE_NONE = 0,
    /* p = 1/(1 + exp(-(a score + b))), fitted with Platt's smoothed targets (n1+1)/(n1+2) and 1/(n0+2)
     * (weighted counts), so that it exists for separable rows too. The same as scikit-learn's
     * "sigmoid"; there a and b have the other sign. Two parameters: right for few positives.
     * a is negative when the scores rank the wrong way round. */
    SCARCE_CALIBRATE_PLATT = 1,
    /* The best non-decreasing function (pool adjacent violators, rows of equal score pooled first),
     * linear between its knots, constant outside them: scikit-learn's IsotonicRegression with
     * out_of_bounds="clip". Many equal probabilities come out; wants some hundred positives. */
    SCARCE_CALIBRATE_ISOTONIC = 2,
    /* Kull et al. 2017: logit p = a ln s - b ln(1 - s) + c with a, b >= 0 for a score s in [0, 1]
     * (moved into [2^-52, 1 - 2^-52]). When any score lies outside [0, 1], all scores, then and
     * later, are taken as log-odds: s = 1/(1 + exp(-score)). Fitted with Platt's smoothed targets,
     * because the paper's plain labels have no finite solution for separable rows. Contains the
     * identity (a = b = 1, c = 0): a calibrated score stays about as it is. */
    SCARCE_CALIBRATE_BETA = 3
} scarce_calibration;

/* Constant after it is made; many threads may use it at once. */
typedef struct scarce__calibrator scarce_calibrator;

/* Needs at least one positive and one negative of weight > 0, else EDATA. SCARCE_CALIBRATE_NONE
 * looks at no rows (rows may be NULL). Time O(n), isotonic with a radix sort; memory O(n). The result
 * depends on nothing but the rows; it is yours to free. */
SCARCE_API scarce_status scarce_calibrator_fit(scarce_calibrator **out, scarce_calibration kind,
                                               const scarce_scored *rows, scarce_error *err);
SCARCE_API void scarce_calibrator_free(scarce_calibrator *calibrator);
SCARCE_API scarce_calibration scarce_calibrator_kind(const scarce_calibrator *calibrator);

/* Probability of one score. No allocation; O(1), isotonic O(log knots). NaN gives NaN; infinite
 * scores give the limits. Never outside [0, 1] (NONE: the score as it is). */
SCARCE_API double scarce_calibrator_apply(const scarce_calibrator *calibrator, double score);
/* The same for n scores; probability may be the array of the scores. */
SCARCE_API void scarce_calibrator_apply_all(const scarce_calibrator *calibrator, const double *score,
                                            size_t n, double *probability);

/* ---- Prior correction ----
 * Undersampling, oversampling by copies and class weights multiply the odds p/(1-p) by a known
 * factor; these functions divide it out again. Monotone: the ranking stays. Not valid after
 * synthesis (SMOTE) or cleaning: there fit a calibrator. */

/* A probability learned where the share of positives was q_train, moved to a share of q_true:
 * odds * [q_true/(1-q_true)] / [q_train/(1-q_train)]. Both shares must lie inside (0, 1), else NaN. */
SCARCE_API double scarce_prior_correct(double probability, double q_train, double q_true);
/* The same from the factor by which training multiplied the odds (> 0, else NaN): positives weighted
 * 5 times have factor 5; negatives kept with chance 0.1 have factor 10. */
SCARCE_API double scarce_prior_undo(double probability, double odds_factor);

/* ---- Costs ---- */

/* Probability from which an alert is cheaper than none, for the cost `alarm` of a false alarm, `miss`
 * of a missed positive, and optional costs of right decisions (quiet: negative without alert; hit:
 * positive alerted): (alarm - quiet) / (alarm - quiet + miss - hit). NaN unless both differences are
 * >= 0 and one is > 0. */
SCARCE_API double scarce_cost_threshold(double alarm, double miss, double quiet, double hit);
/* The same per row when looking at a case costs `check` and a missed positive its amount: check/amount. An
 * alert pays when the probability is above that, so probability * amount > check. Infinite (never alert) for
 * an amount <= 0. For an unknown amount (NaN) it is 1/2, whatever `check` is: what is more likely fraud than
 * not is looked at, so that a field that got lost neither hides every fraud nor floods the team. */
SCARCE_API double scarce_amount_threshold(double check, double amount);

/* ---- Thresholds chosen on held-out rows ---- */

typedef enum scarce_threshold_kind {
    SCARCE_THRESHOLD_F = 0,      /* highest F_beta */
    SCARCE_THRESHOLD_GMEAN = 1,  /* highest sqrt(recall * specificity) */
    SCARCE_THRESHOLD_COST = 2,   /* lowest total cost on the rows */
    SCARCE_THRESHOLD_BUDGET = 3, /* as many alerts as the budget allows */
    SCARCE_THRESHOLD_VALUE = 4   /* a fixed value: needs no rows */
} scarce_threshold_kind;

typedef enum scarce_budget_unit {
    SCARCE_BUDGET_TOTAL = 0,   /* alerts among the given rows */
    SCARCE_BUDGET_RATE = 1,    /* share of the rows, 0 to 1 */
    SCARCE_BUDGET_PER_SPAN = 2 /* alerts per `span` of time (a day), on average over the spans */
} scarce_budget_unit;

typedef struct scarce_threshold_rule {
    size_t struct_size;
    scarce_threshold_kind kind;
    double beta;   /* F: > 0; 1 */
    double value;  /* VALUE; 0.5 */
    double alarm;  /* COST: of a false alarm, or with amounts of looking at any alert; 1 */
    double miss;   /* COST: of a missed positive; NaN: the row's amount */
    double budget; /* BUDGET: alerts, or the share; 100 */
    scarce_budget_unit unit;
    double span; /* BUDGET per span: its length in the unit of the times; 86400 */
    int every;   /* BUDGET per span: nonzero: not in any single span more than the budget */
} scarce_threshold_rule;

#define SCARCE_THRESHOLD_RULE_INIT                                                                           \
    SCARCE_INIT(sizeof(scarce_threshold_rule), SCARCE_THRESHOLD_F, 1, 0.5, 1, NAN, 100, SCARCE_BUDGET_TOTAL, \
                86400, 0)

/* Reads the text of an option:
 *     f1  f2  f0.5          best F_beta
 *     gmean                 best G-mean
 *     value:0.3             this value
 *     cost:1/100            false alarm 1, miss 100
 *     cost:5                looking at an alert costs 5, a miss its amount (rows need amounts)
 *     cost                  the same as cost:1
 *     budget:100            100 alerts among the validation rows
 *     budget:0.5%           that share of the rows; budget:0.005 is the same (below 1: a share)
 *     budget:100/day        per day on average; also /hour, /week, /30m (s, m, h, d, w), or /NUMBER in the
 *                           units of the times
 *     budget:100/day!       on no single day more than 100
 * Fills all fields of *out (struct_size as the caller set it is not looked at). EINVAL with the allowed forms
 * otherwise. */
SCARCE_API scarce_status scarce_threshold_parse(scarce_threshold_rule *out, const char *text,
                                                scarce_error *err);

typedef struct scarce_threshold_choice {
    double threshold; /* alert when score >= threshold */
    double objective; /* what the rule looked at: F, G-mean, cost, or alerts; NaN for VALUE */
    double alerts;    /* rows alerted, weighted */
    double hits;      /* positives among them, weighted; NaN without labels */
} scarce_threshold_choice;

/* The threshold is one of the rows' scores; when no alert at all is best or allowed, the next number
 * above the highest score, or infinity for a budget of 0. Rows of equal score are alerted together or
 * not at all: a budget is never exceeded, it may be missed by a group of ties. Between equally good
 * thresholds the higher one is taken (fewer alerts).
 *
 * F and GMEAN need a positive (GMEAN also a negative), COST needs labels, and finite amounts of all
 * positives when miss is NaN; then cost = sum over rows of miss-amount of silent positives + alarm for
 * every alert. With a number as `miss` only false alarms cost: cost = alarm * FP + miss * FN; of
 * calibrated probabilities scarce_cost_threshold gives the same without looking at rows.
 * BUDGET needs no labels; per span it needs finite times; spans are [k span, (k+1) span) and all of
 * them count, from the first row's to the last row's, also those without rows. A budget in alerts is meant
 * for all rows of their period: give a sample of one row in five the weight 5.
 * EDATA when what is needed is not there. Time O(n), memory 16 to 32 bytes per row. */
SCARCE_API scarce_status scarce_threshold_choose(scarce_threshold_choice *out,
                                                 const scarce_threshold_rule *rule, const scarce_scored *rows,
                                                 scarce_error *err);

/* ---- A budget for each day, on the day's own scores ----
 * A fixed threshold that gives 100 alerts a day on average gives 20 on one day and 400 on another. These
 * functions alert the budget's number of rows in every span [k span, (k+1) span) of time, and never more.
 * Weights and labels play no part. */

typedef struct scarce_budget_options {
    size_t struct_size;
    double budget; /* alerts in each span, 0 to 1e9 (a fraction is cut off); 100 */
    double span;   /* its length in the unit of the times; 86400 */
    double start;  /* live: alert from this score on while no earlier span is known; NaN: the span's own
                      scores so far decide */
    int spans;     /* live: earlier spans with rows that are remembered, 1 to 31; 7 */
} scarce_budget_options;

#define SCARCE_BUDGET_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_budget_options), 100, 86400, NAN, 7)

typedef enum scarce_budget_mode {
    SCARCE_BUDGET_HINDSIGHT = 0, /* the best rows of each span, all of which is known: a nightly list */
    SCARCE_BUDGET_LIVE = 1       /* each row is decided when it comes, as scarce_budget_offer does */
} scarce_budget_mode;

typedef struct scarce_budget_use {
    size_t spans;  /* that have rows */
    size_t alerts; /* in all */
    size_t most;   /* in one span */
    size_t full;   /* spans that used their budget up */
} scarce_budget_use;

/* alert[i] = 1 for an alert, else 0. span[i] = number of the row's span among those with rows, in the order
 * of time from 0; span and use may be NULL. Rows may stand in any order; live they are taken by time (equal
 * times: in the order of the rows). With hindsight, of equal scores at the cut the earlier rows of the array
 * are alerted. A span with fewer rows than the budget is alerted whole (live: nearly). EDATA without times,
 * for a time that isn't finite, or a NaN score. Time O(n log n), memory some 30 bytes per row. */
SCARCE_API scarce_status scarce_budget_alerts(uint8_t *alert, uint32_t *span, scarce_budget_use *use,
                                              const scarce_scored *rows, const scarce_budget_options *options,
                                              scarce_budget_mode mode, scarce_error *err);

/* For a stream: asked row by row, it knows only what came before. A row is alerted when fewer rows with a
 * higher score are still to be expected in its span than the budget has left; what is to be expected are the
 * rows of the last `spans` spans from this time of the span on, times how today compares with them so far. It
 * takes about what hindsight would on days like those before, and adapts within the day on others. Not for
 * several threads at once. Memory: 16 bytes per row of the running span, and some thousand rows of each
 * earlier one. */
typedef struct scarce_budget scarce_budget;
SCARCE_API scarce_status scarce_budget_new(scarce_budget **out, const scarce_budget_options *options,
                                           scarce_error *err);
/* EDATA for a time in a span that is over, or a NaN. Within a span times may be out of order. */
SCARCE_API scarce_status scarce_budget_offer(scarce_budget *budget, double time, double score, int *alert,
                                             scarce_error *err);
SCARCE_API void scarce_budget_free(scarce_budget *budget); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
