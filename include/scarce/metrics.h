/* SPDX-License-Identifier: Apache-2.0 */
/* How good is a list of scores? Metrics, curves, intervals and tests for rare positives.
 *
 *     double score[] = {.9, .8, .8, .3, .1};
 *     uint8_t label[] = {1, 0, 1, 0, 0};
 *     scarce_scored in = SCARCE_SCORED_INIT;
 *     in.n = 5, in.score = score, in.label = label;
 *     scarce_metrics m = SCARCE_METRICS_INIT;
 *     scarce_error err = SCARCE_ERROR_INIT;
 *     if (scarce_metrics_compute(&m, &in, NULL, NULL, &err)) { puts(err.text); return 1; }
 *     printf("ap %.4f, precision in the top %g: %.2f\n", m.ap, m.k, m.precision_at_k);
 *
 * Conventions that hold throughout:
 *  - a higher score is more suspicious; rows with equal scores (-0 equals 0) share one rank group, so no
 *    result depends on the order of the rows beyond the last bits of a sum;
 *  - what is undefined is NaN, never 0 or 1: ranking metrics without positives or without negatives,
 *    precision without an alert, metrics of probabilities without probabilities. Print NaN as "n/a" or null;
 *  - a NaN score, a label other than 0 and 1, a negative or infinite weight, a probability outside [0, 1] is
 *    SCARCE_EDATA, and the text names the row (counted from 1). Infinite scores are fine;
 *  - 2^32 - 2 rows at most; the context may be NULL (one thread, seed 1); results never depend on threads. */
#ifndef SCARCE_METRICS_H
#define SCARCE_METRICS_H

#include <math.h>

#include <scarce/base.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What is evaluated: n rows, one item per row in every array. Borrowed by each call. */
typedef struct scarce_scored {
    size_t n;
    const double *score;
    const uint8_t *label;      /* 0 or 1 */
    const double *weight;      /* case weights >= 0; NULL: all 1 */
    const double *probability; /* of being positive; NULL: brier, log_loss, ... are NaN */
    const double *time;        /* seconds (see day_length); NULL: no card_precision_at_k */
    const double *amount;      /* money at stake, >= 0; NULL: cost counts each missed positive as 1 */
    const int32_t *group;      /* the entity (card, firm): codes from 0 on without large gaps; NULL: none */
} scarce_scored;

#define SCARCE_SCORED_INIT SCARCE_INIT(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL)

/* The rows of a table with scores made for them: label, weight, time, amount and group are the table's and
 * live as long as it does. probability may be NULL. */
SCARCE_API scarce_scored scarce_scored_of_table(const scarce_table *table, const double *score,
                                                const double *probability);

/* ---- Every metric, as computed. TP, FP, TN, FN are sums of weights; W is the sum of all weights. */
typedef struct scarce_metrics {
    size_t struct_size;
    double rows, positives; /* counts, without weights */

    /* of the order of the scores */
    double ap;             /* sum over distinct thresholds of (R_t - R_{t-1}) Prec_t, as scikit-learn */
    double aucpr;          /* area under the interpolated curve (Davis & Goadrich, in its continuous form) */
    double auc_roc;        /* chance that a positive is above a negative; a tie counts one half */
    double pos_at_top;     /* share of positives strictly above the highest negative */
    double k;              /* rows investigated: options.k, cut to `rows` */
    double precision_at_k; /* in the top k rows. Where the cut goes through a rank group: the expectation over
                            * random orders of the group. With weights: expected weight of positives in the
                            * top k *rows*, divided by the expected weight of these rows */
    double recall_at_k;    /* the same numerator, divided by the weight of all positives */
    double amount_recovered_at_k;      /* expected weight * amount of the positives in the top k rows */
    double f1_best, f1_best_threshold; /* over all thresholds of the score; the highest one on a draw */
    double g_mean_best, g_mean_best_threshold;

    /* at the threshold: a row is an alert when its score (or probability) >= threshold */
    double threshold;
    double tp, fp, tn, fn;
    double precision, recall; /* TP/(TP+FP); TP/(TP+FN) */
    double tnr, fpr, fnr;     /* TN/(TN+FP); 1 - tnr; 1 - recall */
    double f1, f_beta;        /* (1+b^2) TP / ((1+b^2) TP + b^2 FN + FP): 0 without an alert */
    double g_mean;            /* sqrt(recall * tnr) */
    double g_measure;         /* sqrt(precision * recall): 0 without an alert */
    double balanced_accuracy; /* (recall + tnr) / 2 */
    double mcc;               /* Matthews' correlation; 0 when all or none are alerts */
    double accuracy;
    double cost; /* amounts of the missed positives (1 each without amounts) + options.cost per alert */

    /* of the probabilities p */
    double brier, brier_pos, brier_neg; /* mean (p - y)^2 over all, positives, negatives */
    double bias, bias_pos, bias_neg;    /* mean of p - y over all, positives, negatives */
    double log_loss;                    /* natural log, p kept in [2^-52, 1 - 2^-52] */
    double ece; /* sum over bins of (weight of bin / W) |mean p - share of positives|, bins of equal width */

    /* of cards and days: needs time and group */
    double card_precision_at_k; /* see options.card_k */
} scarce_metrics;

#define SCARCE_METRICS_INIT                                                                                  \
    SCARCE_INIT(sizeof(scarce_metrics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

typedef enum scarce_threshold_on {
    SCARCE_THRESHOLD_ON_AUTO = 0, /* the score when `threshold` is given; else as said there */
    SCARCE_THRESHOLD_ON_SCORE,
    SCARCE_THRESHOLD_ON_PROBABILITY
} scarce_threshold_on;

typedef struct scarce_metrics_options {
    size_t struct_size;
    double k;         /* rows investigated (1 or more, rounded to a whole number); NAN: see k_share */
    double k_share;   /* the same as a share of the rows, 0..1; NAN: k is the number of positives */
    double threshold; /* NAN: 0.5 on the probability if there is one, else the threshold of f1_best */
    scarce_threshold_on threshold_on; /* what the threshold is compared with */
    double beta;                      /* of f_beta, > 0. Above 1 recall counts more */
    double cost;                      /* of one investigation, >= 0; NAN: no `cost` */
    int ece_bins;                     /* bins of equal width, 1..65535 */
    /* card_precision_at_k: every day the groups are ranked by their highest score of that day (equal scores:
     * the smaller code first), the first card_k are looked at, and the day's value is the share of card_k
     * that has a positive row that day. A card found so leaves the list on later days. The mean over all days
     * that have rows; a day is floor(time / day_length). Weights play no part. */
    double card_k;
    double day_length;
    /* Decisions that no single threshold makes (a cost per row, a budget per day): one per row, nonzero for
     * an alert. Borrowed; NULL: by the threshold. With them `threshold` of the metrics is NaN. */
    const uint8_t *alert;
} scarce_metrics_options;

#define SCARCE_METRICS_OPTIONS_INIT                                                                          \
    SCARCE_INIT(sizeof(scarce_metrics_options), NAN, NAN, NAN, SCARCE_THRESHOLD_ON_AUTO, 2.0, NAN, 15,       \
                100.0, 86400.0, NULL)

/* All metrics from one sort. n = 0 is allowed: all NaN but the counts. On failure *out is all NaN.
 * NULL options: the defaults above. About 50 ns per row on one thread (10 million rows), 25 bytes per row. */
SCARCE_API scarce_status scarce_metrics_compute(scarce_metrics *out, const scarce_scored *in,
                                                const scarce_metrics_options *options, scarce_context *ctx,
                                                scarce_error *err);

/* card_precision_at_k of a list that knows the truth: no ranking of these rows can have more. NaN without times or
 * groups. */
SCARCE_API scarce_status scarce_card_ceiling(double *out, const scarce_scored *in,
                                             const scarce_metrics_options *options, scarce_context *ctx,
                                             scarce_error *err);

/* ---- Metrics by name: for tables, JSON and --metric. Numbers run from 0 to scarce_metric_count() - 1 in
 * the order of the struct. */
SCARCE_API size_t scarce_metric_count(void);
SCARCE_API const char *scarce_metric_name(size_t metric); /* NULL beyond the last */
SCARCE_API const char *scarce_metric_help(size_t metric); /* a few words; NULL beyond the last */
SCARCE_API double scarce_metric_value(const scarce_metrics *m, size_t metric); /* NaN beyond the last */
SCARCE_API int scarce_metric_is_count(size_t metric); /* 1: a whole number, when there are no weights */
/* +1: higher is better; -1: lower is better; 0: a description (rows, threshold, bias), not a quality. */
SCARCE_API int scarce_metric_direction(size_t metric);
/* The number of a name or of a usual alias (average_precision, auc, logloss, p@k, ...); SIZE_MAX if unknown.
 * Case and '-' or '_' do not matter. */
SCARCE_API size_t scarce_metric_find(const char *name);

/* ---- Only the AP: no sort of the negatives, so about 5 ns per row on one thread when positives are rare (25
 * when they are not). *out is NaN without positives or negatives. weight may be NULL. */
SCARCE_API scarce_status scarce_average_precision(double *out, const double *score, const uint8_t *label,
                                                  const double *weight, size_t n, scarce_context *ctx,
                                                  scarce_error *err);

/* Precision, recall and amount recovered in the top k[i] rows, for n_k values of k (each 1 or more; beyond n
 * it counts as n), as precision_at_k above. Any of the three result arrays may be NULL. One sort. */
SCARCE_API scarce_status scarce_metrics_at_k(double *precision, double *recall, double *amount_recovered,
                                             const scarce_scored *in, const double *k, size_t n_k,
                                             scarce_context *ctx, scarce_error *err);

/* ---- Curves. `out` receives arrays that scarce_..._deinit frees; on failure it is empty. */
typedef struct scarce_curve {
    size_t n;
    double *x, *y;
    double *threshold; /* alerts are rows with score >= threshold[i] */
} scarce_curve;

/* x = false positive rate, y = true positive rate: from (0, 0) at threshold +inf to (1, 1), thresholds
 * falling. One point per distinct score, without those in the middle of a straight piece. max_points > 1
 * keeps about that many points at even distances along the curve, both ends among them; 0 keeps all. EDATA
 * without positives or negatives. */
SCARCE_API scarce_status scarce_curve_roc(scarce_curve *out, const scarce_scored *in, size_t max_points,
                                          scarce_context *ctx, scarce_error *err);

/* x = recall, y = precision, thresholds falling, one point per distinct score down to recall 1; the first
 * point is the highest score (nothing is invented at recall 0). Otherwise as scarce_curve_roc. */
SCARCE_API scarce_status scarce_curve_pr(scarce_curve *out, const scarce_scored *in, size_t max_points,
                                         scarce_context *ctx, scarce_error *err);

SCARCE_API void scarce_curve_deinit(scarce_curve *curve); /* takes NULL */

/* card_precision_at_k day by day: x = the time at which the day begins, y = its value, threshold = the lowest
 * score looked at that day; one point per day with rows. EINVAL without time and group. */
SCARCE_API scarce_status scarce_curve_cards(scarce_curve *out, const scarce_scored *in,
                                            const scarce_metrics_options *options, scarce_context *ctx,
                                            scarce_error *err);

typedef enum scarce_calibration_bins {
    SCARCE_BINS_EQUAL_WIDTH = 0,
    SCARCE_BINS_EQUAL_COUNT
} scarce_calibration_bins;

typedef struct scarce_calibration_bin {
    double lo, hi; /* equal width: [lo, hi), the last with 1; equal count: lowest and highest p in it */
    double weight; /* of its rows */
    double mean_probability; /* NaN when the bin is empty */
    double share_positive;   /* NaN when the bin is empty */
} scarce_calibration_bin;

/* Fills bins[0..n_bins-1], probabilities rising. Equal count: rows are dealt by rank of probability into bins
 * of the same number of rows (give or take one); equal probabilities are never parted, so with ties some bins
 * are larger, and others empty. EINVAL without probabilities. */
SCARCE_API scarce_status scarce_curve_calibration(scarce_calibration_bin *bins, size_t n_bins,
                                                  scarce_calibration_bins kind, const scarce_scored *in,
                                                  scarce_context *ctx, scarce_error *err);

typedef struct scarce_cost_point {
    double cost;           /* c: of one investigation */
    double none, all;      /* total cost of investigating nothing, everything */
    double at_threshold;   /* at the threshold of the options */
    double best;           /* lowest over all thresholds of the score (and "nothing") */
    double best_threshold; /* +inf: nothing */
    double by_value;       /* investigating where probability * amount >= c; NaN without probability */
} scarce_cost_point;

/* What each policy costs as the price c of an investigation varies: sum (1-D) y G + D c with G = amount or 1.
 * Fills points[0..n_c-1] for c[i] >= 0 in any order. O(n log n + n_c n). options as for the metrics. */
SCARCE_API scarce_status scarce_curve_cost(scarce_cost_point *points, const double *c, size_t n_c,
                                           const scarce_scored *in, const scarce_metrics_options *options,
                                           scarce_context *ctx, scarce_error *err);

/* Gains in money and the cost of every threshold, when looking at a row costs c: point i alerts the rows with
 * score >= threshold[i]. Point 0 is "nothing" (threshold +inf), the last one "everything"; one point per
 * distinct score between them. max_points > 4 keeps about that many, dense at the top (even steps of log(1 +
 * alerts)), with both ends and the best among them; 0 keeps all. Weights count as rows. Without positives
 * nothing is at stake, and the best is "nothing". EINVAL for a negative c. */
typedef struct scarce_gains {
    size_t n;
    double *alerts, *threshold;
    double *recovered; /* amounts of the positives alerted (1 each without amounts) */
    double *cost;      /* at_stake - recovered + c * alerts */
    double at_stake;   /* amounts of all positives: the cost of "nothing" */
    size_t best;       /* the point of the lowest cost; of equal ones that with fewer alerts */
} scarce_gains;

SCARCE_API scarce_status scarce_curve_gains(scarce_gains *out, const scarce_scored *in, double c,
                                            size_t max_points, scarce_context *ctx, scarce_error *err);
SCARCE_API void scarce_gains_deinit(scarce_gains *gains); /* takes NULL */

/* ---- How sure? Bootstrap intervals: rows drawn with replacement, percentiles of the metric. */
typedef enum scarce_bootstrap_by {
    SCARCE_BOOTSTRAP_AUTO = 0, /* by group when there are groups, else by class */
    SCARCE_BOOTSTRAP_BY_CLASS, /* positives and negatives apart, as many of each as there are */
    SCARCE_BOOTSTRAP_BY_GROUP  /* whole groups, as many as there are */
} scarce_bootstrap_by;

typedef struct scarce_bootstrap_options {
    size_t struct_size;
    size_t replicates;
    double level; /* of the interval, 0..1 */
    scarce_bootstrap_by by;
} scarce_bootstrap_options;

#define SCARCE_BOOTSTRAP_OPTIONS_INIT                                                                        \
    SCARCE_INIT(sizeof(scarce_bootstrap_options), 1000, 0.95, SCARCE_BOOTSTRAP_AUTO)

typedef struct scarce_metrics_interval {
    double value;     /* of all rows as they are */
    double lo, hi;    /* percentiles of the replicates */
    double sd;        /* of the replicates: the standard error */
    size_t undefined; /* replicates in which the metric was undefined; they are left out */
} scarce_metrics_interval;

/* Fills out[i] for metrics[i] (numbers as above), i < n_metrics. The threshold stays what it is on all rows;
 * k, when it isn't given, follows the positives of the replicate. card_precision_at_k is left out (all NaN).
 * The seed is the context's; replicate r is the same for any number of threads. Rows are sorted once; then
 * about 12 ns per row and replicate. ECANCEL when the progress callback asks to stop. */
SCARCE_API scarce_status scarce_metrics_bootstrap(scarce_metrics_interval *out, const size_t *metrics,
                                                  size_t n_metrics, const scarce_scored *in,
                                                  const scarce_metrics_options *options,
                                                  const scarce_bootstrap_options *bootstrap,
                                                  scarce_context *ctx, scarce_error *err);

/* The same around curves: for each replicate the curve's y at given x, and of these the percentiles. x rises,
 * from 0 on; lo and hi have n items. The replicates are those of scarce_metrics_bootstrap; all bands of one
 * call share them. NaN where every replicate lacks a class. */
typedef enum scarce_band_of {
    SCARCE_BAND_PR = 0,             /* x recall: precision at the first threshold that has it */
    SCARCE_BAND_ROC = 1,            /* x false positive rate: true positive rate */
    SCARCE_BAND_PRECISION_AT_K = 2, /* x rows looked at, beyond all rows as at all rows */
    SCARCE_BAND_RECALL_AT_K = 3
} scarce_band_of;

enum { SCARCE_BANDS_MAX = 8 };

typedef struct scarce_curve_band {
    scarce_band_of of;
    size_t n;
    const double *x;
    double *lo, *hi; /* filled */
} scarce_curve_band;

SCARCE_API scarce_status scarce_curve_bands(const scarce_curve_band *bands, size_t n_bands,
                                            const scarce_scored *in,
                                            const scarce_bootstrap_options *bootstrap, scarce_context *ctx,
                                            scarce_error *err);

/* ---- Is method a better than b? Paired tests over data sets or folds. Results are numbers, not verdicts. */
typedef struct scarce_wilcoxon_result {
    size_t n;               /* pairs used (both numbers defined), zero differences included */
    size_t zeros, ties;     /* differences of 0; nonzero differences whose size occurs more than once */
    double r_plus, r_minus; /* rank sums of a > b and of a < b */
    double statistic;       /* the smaller */
    double z;               /* NaN when exact */
    double p;               /* two-sided; 1 when all differences are 0; NaN when n is 0 */
    int exact;
} scarce_wilcoxon_result;

/* Wilcoxon signed-rank test of a[i] - b[i], zeros ranked and dropped (Pratt). Exact up to 25 pairs without
 * zeros and ties, else normal with correction for ties and continuity. Pairs with a NaN are left out. */
SCARCE_API scarce_status scarce_wilcoxon(scarce_wilcoxon_result *out, const double *a, const double *b,
                                         size_t n, scarce_error *err);

/* Holm's step-down: adjusted[i] for p[i], n tests. NaN stays NaN and does not count. In place is fine. */
SCARCE_API scarce_status scarce_holm(double *adjusted, const double *p, size_t n, scarce_error *err);

typedef struct scarce_friedman_result {
    size_t blocks;  /* used: data sets without a NaN */
    double chi2, p; /* Friedman, corrected for ties, methods - 1 degrees of freedom */
    double f, p_f;  /* Iman & Davenport's F of it, (methods - 1, (methods - 1)(blocks - 1)) */
} scarce_friedman_result;

/* value[block * n_methods + method]; average_rank[method] gets the mean rank (1 = best; ties share the mean).
 * NaN where fewer than one block is left (ranks) or fewer than two (tests), or where all values of every
 * block are equal. direction as scarce_metric_direction: +1 or -1. 2 methods or more. */
SCARCE_API scarce_status scarce_friedman(scarce_friedman_result *out, double *average_rank,
                                         const double *value, size_t n_blocks, size_t n_methods,
                                         int direction, scarce_error *err);

/* Wilson's interval of a share hits / of at a level of confidence between 0 and 1 (0.95); 0 to 1 where `of` is 0. */
SCARCE_API void scarce_share_interval(double hits, double of, double level, double *lo, double *hi);

/* ---- more than two classes */

/* Of one class. */
typedef struct scarce_class_metrics {
    double rows, guessed, hits; /* that are of it; whose likeliest class it was; both */
    double precision, recall;   /* hits / guessed, hits / rows; NaN for 0 / 0 */
    double log_loss; /* mean of -log p over its rows, p being its probability, kept from 2^-52 on */
    double ap;       /* of its probability, its rows against all others; NaN when there are none of either */
} scarce_class_metrics;

/* n rows with the number of their class (SCARCE_NO_CLASS: the row is passed over) and the probabilities of all classes, row
 * by row: n_classes figures, the share of rows whose likeliest class (of equal ones the first) is not theirs, and the mean
 * log loss. EDATA for the number of a class that is not there. */
SCARCE_API scarce_status scarce_metrics_classes(scarce_class_metrics *figures, double *error,
                                                double *log_loss, const uint8_t *class_of,
                                                const double *probability, size_t n, size_t n_classes,
                                                scarce_context *ctx, scarce_error *err);

#ifdef __cplusplus
}
#endif
#endif
