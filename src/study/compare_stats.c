/* SPDX-License-Identifier: Apache-2.0 */
/* What the figures of the folds are worth.
 *
 * Interval: the folds are drawn with replacement; 2.5 % and 97.5 % of the means.
 *
 * Random splits share rows, so the folds' differences d_f are no independent draws, and a test that takes
 * them as such proves too much. Nadeau and Bengio (Machine Learning 52, 2003) widen the variance of the mean:
 *     t = mean d / sqrt((1/n + test/train) var d),  n - 1 degrees of freedom.
 * Windows in time that do not overlap have test/train = 0 there.
 *
 * Positives needed: where positives are rare the noise of a metric on a fold comes from its positives, so
 * let d_f have the mean D and the variance v / P_f, with P_f positives in the test part. With weights P_f
 *     D^ = sum P_f d_f / sum P_f,   v^ = sum P_f (d_f - D^)^2 / (n - 1)      (unbiased under this model)
 * and P positives in all give D^ the variance v / P. A two-sided test at 5 % sees D with 80 % when
 *     P = (1.960 + 0.842)^2 v / D^2.
 * Repeats test the same positives again: what there is are the *distinct* positives. */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/random.h"
#include "eval/special.h"
#include "study/compare.h"

enum { REPLICATES = 2000 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean, sd and interval of n values. */
static scarce_status describe(scarce_compare_summary *out, const double *value, size_t n, uint64_t stream,
                              const scarce_context *ctx, scarce_error *err)
{
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_BOOTSTRAP, stream);
    double sum = 0, squares = 0, *means;

    out->n = n;
    out->mean = out->sd = out->lo = out->hi = (double)NAN;
    for (size_t i = 0; i < n; ++i) sum += value[i];
    if (n) out->mean = sum / (double)n;
    if (n < 2) return SCARCE_OK;
    means = scarce__malloc_array(REPLICATES, sizeof *means);
    if (!means) return scarce__fail_memory(err, "a summary", 0);
    for (size_t i = 0; i < n; ++i) squares += (value[i] - out->mean) * (value[i] - out->mean);
    out->sd = sqrt(squares / (double)(n - 1));
    for (size_t b = 0; b < REPLICATES; ++b) {
        means[b] = 0;
        for (size_t i = 0; i < n; ++i) means[b] += value[scarce__random_below(&random, n)];
        means[b] /= (double)n;
    }
    qsort(means, REPLICATES, sizeof *means, by_value);
    out->lo = means[REPLICATES / 40];
    out->hi = means[REPLICATES - 1 - REPLICATES / 40];
    scarce__free(means);
    return SCARCE_OK;
}

static double value_of(const scarce_compare *c, size_t contestant, size_t fold, size_t metric)
{
    return scarce_metric_value(scarce_compare_metrics(c, contestant, fold), metric);
}

scarce_status scarce_compare_summarize(scarce_compare_summary *out, const scarce_compare *c, size_t method,
                                       size_t metric, const scarce_context *ctx, scarce_error *err)
{
    scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
    double *value;
    size_t n = 0;
    scarce_status st;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_COMPARE_SUMMARY_INIT, err));
    SCARCE__FILL(out, &s);
    value = scarce__malloc_array(c->folds.count, sizeof *value);
    if (!value) return scarce__fail_memory(err, "a summary", 0);
    for (size_t f = 0; f < c->folds.count; ++f) {
        const double v = value_of(c, method, f, metric);
        if (!isnan(v)) value[n++] = v;
    }
    st = describe(&s, value, n, metric, ctx, err);
    s.undefined = c->folds.count - n;
    scarce__free(value);
    SCARCE__FILL(out, &s);
    return st;
}

double scarce__positives_needed(const double *difference, const double *positives, size_t n)
{
    static const double both = 1.959963984540054 + 0.8416212335729143; /* z of 97.5 % and of 80 % */
    double sum = 0, weight = 0, squares = 0, mean;

    for (size_t i = 0; i < n; ++i) {
        sum += positives[i] * difference[i];
        weight += positives[i];
    }
    mean = sum / weight;
    if (n < 3 || !(weight > 0) || mean == 0) return (double)NAN;
    for (size_t i = 0; i < n; ++i) squares += positives[i] * (difference[i] - mean) * (difference[i] - mean);
    return both * both * squares / (double)(n - 1) / (mean * mean);
}

/* Test rows for one training row, where the folds share rows. */
static double sharing(const scarce_compare *c)
{
    double train = 0, test = 0;
    if (c->folds.kind == SCARCE__PROTOCOL_WINDOWS) return 0;
    for (size_t f = 0; f < c->folds.count; ++f) {
        train += (double)c->size[f].train_rows;
        test += (double)c->size[f].test_rows;
    }
    return test / train;
}

static double corrected_p(const scarce_compare *c, const scarce_compare_summary *s)
{
    const double n = (double)s->n;
    double t;
    if (s->n < 2) return (double)NAN;
    if (s->sd == 0) return s->mean == 0 ? 1 : 0;
    t = s->mean / (s->sd * sqrt(1 / n + sharing(c)));
    return scarce__f_upper(t * t, 1, n - 1);
}

scarce_status scarce_compare_test(scarce_compare_pair *out, const scarce_compare *c, size_t a, size_t b,
                                  size_t metric, const scarce_context *ctx, scarce_error *err)
{
    const size_t folds = c->folds.count;
    scarce_compare_pair pair = SCARCE_COMPARE_PAIR_INIT;
    double *room, *x, *y, *d, *positives;
    scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
    size_t n = 0;
    scarce_status st;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_COMPARE_PAIR_INIT, err));
    SCARCE__FILL(out, &pair);
    room = scarce__malloc_array(folds, 4 * sizeof *room);
    if (!room) return scarce__fail_memory(err, "a comparison", 0);
    x = room;
    y = room + folds;
    d = room + 2 * folds;
    positives = room + 3 * folds;
    for (size_t f = 0; f < folds; ++f) {
        x[n] = value_of(c, a, f, metric);
        y[n] = value_of(c, b, f, metric);
        if (isnan(x[n]) || isnan(y[n])) continue;
        d[n] = x[n] - y[n];
        positives[n++] = (double)c->size[f].test_positives;
    }
    st = describe(&s, d, n, scarce_metric_count() + metric, ctx, err);
    if (st == SCARCE_OK) st = scarce_wilcoxon(&pair.wilcoxon, x, y, n, err);
    pair.n = n;
    pair.difference = s.mean;
    pair.sd = s.sd;
    pair.lo = s.lo;
    pair.hi = s.hi;
    pair.p_corrected = st == SCARCE_OK ? corrected_p(c, &s) : (double)NAN;
    pair.positives = c->distinct;
    pair.positives_needed = st == SCARCE_OK ? scarce__positives_needed(d, positives, n) : (double)NAN;
    scarce__free(room);
    SCARCE__FILL(out, &pair);
    return st;
}
