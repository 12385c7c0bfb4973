/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics: everything that is known of a metric apart from its formula. A new metric is a field
 * in scarce_metrics, its computation in metrics.c, and one line here at the same place. */
#include <math.h>
#include <stddef.h>

#include "eval/names.h"

typedef struct entry {
    const char *name;
    size_t offset;
    int direction, is_count;
    const char *aliases; /* separated by spaces */
    const char *help;
} entry;

#define M(field, direction, is_count, aliases, help)                                                         \
    {                                                                                                        \
#field, offsetof(scarce_metrics, field), direction, is_count, aliases, help                          \
    }

static const entry table[] = {
    M(rows, 0, 1, "n", "rows evaluated"),
    M(positives, 0, 1, "p", "rows with a positive label"),
    M(ap, 1, 0, "average_precision pr_auc auprc map", "average precision"),
    M(aucpr, 1, 0, "auc_pr", "area under the interpolated precision-recall curve"),
    M(auc_roc, 1, 0, "auc roc_auc roc auroc", "area under the ROC curve"),
    M(pos_at_top, 1, 0, "pos@top", "share of positives above every negative"),
    M(k, 0, 1, "", "rows investigated for the metrics at k"),
    M(precision_at_k, 1, 0, "p@k precision@k", "share of positives in the top k rows"),
    M(recall_at_k, 1, 0, "r@k recall@k", "share of the positives found in the top k rows"),
    M(amount_recovered_at_k, 1, 0, "amount@k", "money at stake in the positives of the top k rows"),
    M(f1_best, 1, 0, "best_f1 max_f1", "highest F1 over all thresholds"),
    M(f1_best_threshold, 0, 0, "", "where F1 is highest"),
    M(g_mean_best, 1, 0, "best_g_mean", "highest G-mean over all thresholds"),
    M(g_mean_best_threshold, 0, 0, "", "where the G-mean is highest"),
    M(threshold, 0, 0, "", "a row at or above it is an alert"),
    M(tp, 1, 1, "", "positives among the alerts"),
    M(fp, -1, 1, "", "negatives among the alerts"),
    M(tn, 1, 1, "", "negatives without alert"),
    M(fn, -1, 1, "", "positives without alert"),
    M(precision, 1, 0, "ppv", "share of the alerts that are positive"),
    M(recall, 1, 0, "tpr sensitivity", "share of the positives that are alerts"),
    M(tnr, 1, 0, "specificity", "share of the negatives without alert"),
    M(fpr, -1, 0, "", "share of the negatives that are alerts"),
    M(fnr, -1, 0, "", "share of the positives without alert"),
    M(f1, 1, 0, "f_1 f1_score f", "harmonic mean of precision and recall"),
    M(f_beta, 1, 0, "fbeta", "F measure in which recall counts beta times as much"),
    M(g_mean, 1, 0, "gmean", "geometric mean of recall and tnr"),
    M(g_measure, 1, 0, "gmeasure", "geometric mean of precision and recall"),
    M(balanced_accuracy, 1, 0, "ba bacc", "mean of recall and tnr"),
    M(mcc, 1, 0, "matthews_corrcoef", "Matthews' correlation"),
    M(accuracy, 1, 0, "acc", "share of rows on the right side of the threshold"),
    M(cost, -1, 0, "", "amounts of missed positives plus the cost of the alerts"),
    M(brier, -1, 0, "brier_score", "mean square of p - y"),
    M(brier_pos, -1, 0, "", "mean square of p - 1 over the positives"),
    M(brier_neg, -1, 0, "", "mean square of p over the negatives"),
    M(bias, 0, 0, "", "mean of p - y"),
    M(bias_pos, 0, 0, "", "mean of p - 1 over the positives"),
    M(bias_neg, 0, 0, "", "mean of p over the negatives"),
    M(log_loss, -1, 0, "logloss binary_logloss cross_entropy", "mean negative log-likelihood"),
    M(ece, -1, 0, "", "expected calibration error"),
    M(card_precision_at_k, 1, 0, "cp@k card_precision@k card_precision",
      "share of the k cards looked at each day that are fraudulent"),
};

enum { N_METRICS = sizeof table / sizeof table[0] };
_Static_assert(sizeof(scarce_metrics) == offsetof(scarce_metrics, rows) + N_METRICS * sizeof(double),
               "one line per field of scarce_metrics");

size_t scarce_metric_count(void)
{
    return N_METRICS;
}

const char *scarce_metric_name(size_t metric)
{
    return metric < N_METRICS ? table[metric].name : NULL;
}

const char *scarce_metric_help(size_t metric)
{
    return metric < N_METRICS ? table[metric].help : NULL;
}

double scarce_metric_value(const scarce_metrics *m, size_t metric)
{
    /* of an older caller: the struct ends before the newest metrics */
    if (metric >= N_METRICS || m->struct_size < table[metric].offset + sizeof(double)) return NAN;
    return *(const double *)((const char *)m + table[metric].offset);
}

void scarce__metric_set(scarce_metrics *m, size_t metric, double value)
{
    if (metric < N_METRICS) *(double *)((char *)m + table[metric].offset) = value;
}

int scarce_metric_is_count(size_t metric)
{
    return metric < N_METRICS && table[metric].is_count;
}

int scarce_metric_direction(size_t metric)
{
    return metric < N_METRICS ? table[metric].direction : 0;
}

static int plain(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A' + 'a'; /* tolower asks the locale */
    return c == '-' ? '_' : c;
}

/* Is `word` (to its end or a space) the same as name? */
static int same(const char *word, const char *name)
{
    for (; *word && *word != ' '; ++word, ++name)
        if (plain(*word) != plain(*name)) return 0;
    return *name == '\0';
}

static int among(const char *words, const char *name)
{
    while (*words) {
        if (same(words, name)) return 1;
        while (*words && *words != ' ') ++words;
        while (*words == ' ') ++words;
    }
    return 0;
}

size_t scarce_metric_find(const char *name)
{
    if (!name || !*name) return SIZE_MAX;
    for (size_t i = 0; i < N_METRICS; ++i)
        if (same(table[i].name, name)) return i;
    for (size_t i = 0; i < N_METRICS; ++i)
        if (among(table[i].aliases, name)) return i;
    return SIZE_MAX;
}
