/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as a table for people. */
#include <math.h>
#include <string.h>

#include "comparison.h"

static int name_width(const scarce_compare *c)
{
    size_t width = 6;
    for (size_t m = 0; m < scarce_compare_methods(c); ++m) {
        const size_t n = strlen(scarce_compare_name(c, m));
        width = n > width ? n : width;
    }
    return (int)(width < 60 ? width : 60);
}

static scarce_status print_row(const scarce_compare *c, const scarce_verdicts *v, size_t m,
                               const size_t *metrics, size_t n, const scarce_context *ctx, scarce_error *err)
{
    const double seconds = scarce_compare_mean_seconds(c, m);
    scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
    scarce_status st;
    char text[48];

    for (size_t i = 0; i < n; ++i) {
        st = scarce_compare_summarize(&s, c, m, metrics[i], ctx, err);
        if (st != SCARCE_OK) return st;
        strcpy(text, "n/a");
        if (s.n > 1) snprintf(text, sizeof text, "%.4f +- %.4f", s.mean, s.sd);
        else if (s.n == 1) snprintf(text, sizeof text, "%.4f", s.mean);
        printf("  %-17s", text);
    }
    st = scarce_compare_summarize(&s, c, m, v->metric, ctx, err);
    if (st != SCARCE_OK) return st;
    strcpy(text, "n/a");
    if (s.n > 1) snprintf(text, sizeof text, "%.4f to %.4f", s.lo, s.hi);
    printf("  %-17s", text);
    strcpy(text, "n/a");
    if (!isnan(v->rank[m])) snprintf(text, sizeof text, "%.2f", v->rank[m]);
    printf("  %5s", text);
    strcpy(text, "-");
    if (!isnan(seconds)) snprintf(text, sizeof text, "%.3f", seconds);
    printf("  %9s\n", text);
    return SCARCE_OK;
}

/* Folds that count for nothing, each with its reason; long lists are cut. */
static void print_problems(const scarce_compare *c)
{
    enum { MOST = 10 };
    size_t n = 0;

    if (scarce_compare_skipped(c))
        printf("\n%zu windows of time have no rows to train on or to test\n", scarce_compare_skipped(c));
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) n += scarce_compare_problem(c, f) != NULL;
    if (n == 0) return;
    printf("\n%zu of %zu folds are left out of the means:\n", n, scarce_compare_folds(c));
    n = 0;
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) {
        size_t train, train_positives, test, test_positives;
        if (!scarce_compare_problem(c, f)) continue;
        if (++n > MOST) {
            printf("  ...\n");
            return;
        }
        scarce_compare_fold(c, f, &train, &train_positives, &test, &test_positives);
        printf("  fold %zu: %s (%zu of %zu rows to train on are positive, %zu of %zu to test)\n", f + 1,
               scarce_compare_problem(c, f), train_positives, train, test_positives, test);
    }
}

/* When the folds of a protocol by time train and test; long lists are cut in the middle. */
static void print_dates(const scarce_compare *c)
{
    enum { MOST = 6 };
    const size_t n = scarce_compare_folds(c);

    for (size_t f = 0; f < n; ++f) {
        const scarce_fold_times t = scarce_compare_times(c, f);
        char train[80], test[80];
        if (isnan(t.train_from)) return;
        if (f == 0) putchar('\n');
        if (n > MOST && f == MOST / 2) {
            printf("...\n");
            f = n - MOST / 2 - 1;
            continue;
        }
        scarce_time_span(train, sizeof train, t.train_from, t.train_end);
        scarce_time_span(test, sizeof test, t.test_from, t.test_end);
        printf("fold %zu: trains %s, tests %s\n", f + 1, train, test);
    }
}

static size_t best_rank(const scarce_compare *c, const scarce_verdicts *v)
{
    size_t best = 0;
    for (size_t m = 1; m < scarce_compare_methods(c); ++m)
        if (v->rank[m] < v->rank[best]) best = m;
    return best;
}

static void print_pairs(const scarce_compare *c, const scarce_verdicts *v)
{
    enum { MANY = 15 }; /* pairs: more are only shown against the best, --json has them all */
    const char *name = scarce_metric_name(v->metric);
    const size_t best = best_rank(c, v);
    if (v->n_pairs == 0) return;
    if (scarce_compare_methods(c) > 2 && !isnan(v->friedman.p))
        printf("\nFriedman test of %s: chi2 %.3f, p %.4g\n", name, v->friedman.chi2, v->friedman.p);
    printf("\ndifferences in %s, fold by fold: mean, 95 %% interval, p of Wilcoxon's signed-rank test after "
           "Holm,\np of a t test that allows for shared rows after Holm (%zu positives tested)\n",
           name, v->pairs[0]->pair.positives);
    for (size_t i = 0; i < v->n_pairs; ++i) {
        const scarce_verdict *p = v->pairs[i];
        char text[160];
        if (v->n_pairs > MANY && p->a != best && p->b != best) continue;
        scarce_verdict_text(text, sizeof text, p);
        printf("  %s - %s: %+.4f", shown(scarce_compare_name(c, p->a)), shown(scarce_compare_name(c, p->b)),
               p->pair.difference);
        if (!isnan(p->pair.lo)) printf(" [%+.4f, %+.4f]", p->pair.lo, p->pair.hi);
        if (!isnan(p->holm)) printf(", p %.4g", p->holm);
        if (!isnan(p->holm_corrected)) printf(" / %.4g", p->holm_corrected);
        printf(": %s\n", text);
    }
    if (v->n_pairs > MANY)
        printf(
            "(against the best only; --json has all %zu pairs, and Holm's correction is for all of them)\n",
            v->n_pairs);
}

scarce_status print_comparison(const scarce_compare *c, const scarce_verdicts *v, const size_t *metrics,
                               size_t n, const scarce_context *ctx, scarce_error *err)
{
    const int width = name_width(c);
    char interval[40];

    printf("%-*s", width, "method");
    for (size_t i = 0; i < n; ++i) printf("  %-17s", scarce_metric_name(metrics[i]));
    snprintf(interval, sizeof interval, "95 %% of %.20s", scarce_metric_name(v->metric));
    printf("  %-17s  %5s  %9s\n", interval, "rank", "seconds");
    for (size_t m = 0; m < scarce_compare_methods(c); ++m) {
        printf("%-*s", width, shown(scarce_compare_name(c, m)));
        const scarce_status st = print_row(c, v, m, metrics, n, ctx, err);
        if (st != SCARCE_OK) return st;
    }
    print_dates(c);
    print_problems(c);
    print_pairs(c, v);
    return SCARCE_OK;
}
