/* SPDX-License-Identifier: Apache-2.0 */
/* Which differences of a comparison are real: Friedman's test over all, Wilcoxon's for each pair with Holm's
 * correction, and beside it a t test that allows for folds that share rows (docs/comparing.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"

void forget_verdicts(verdicts *v)
{
    free(v->rank);
    free(v->pairs);
    memset(v, 0, sizeof *v);
}

double mean_seconds(const scarce_compare *c, size_t method)
{
    double sum = 0;
    size_t n = 0;
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) {
        const double seconds = scarce_compare_seconds(c, method, f);
        if (isnan(seconds)) continue;
        sum += seconds;
        ++n;
    }
    return n ? sum / (double)n : (double)NAN;
}

static scarce_status rank_all(verdicts *v, const scarce_compare *c, scarce_error *err)
{
    const size_t methods = scarce_compare_methods(c), folds = scarce_compare_folds(c);
    const int direction = scarce_metric_direction(v->metric) < 0 ? -1 : 1;
    double *value = malloc(methods * folds * sizeof *value);
    scarce_status st;

    if (!value) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    for (size_t f = 0; f < folds; ++f)
        for (size_t m = 0; m < methods; ++m)
            value[f * methods + m] = scarce_metric_value(scarce_compare_metrics(c, m, f), v->metric);
    st = scarce_friedman(&v->friedman, v->rank, value, folds, methods, direction, err);
    free(value);
    return st;
}

static scarce_status correct(verdicts *v, scarce_error *err)
{
    double *p = malloc(2 * v->n_pairs * sizeof *p), *corrected;
    scarce_status st;

    if (!p) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    corrected = p + v->n_pairs;
    for (size_t i = 0; i < v->n_pairs; ++i) {
        p[i] = v->pairs[i].pair.wilcoxon.p;
        corrected[i] = v->pairs[i].pair.p_corrected;
    }
    st = scarce_holm(p, p, v->n_pairs, err);
    if (st == SCARCE_OK) st = scarce_holm(corrected, corrected, v->n_pairs, err);
    for (size_t i = 0; i < v->n_pairs; ++i) {
        v->pairs[i].holm = p[i];
        v->pairs[i].least = (double)v->n_pairs * pow(2, 1 - (double)v->pairs[i].pair.n);
        v->pairs[i].holm_corrected = corrected[i];
    }
    free(p);
    return st;
}

scarce_status make_verdicts(verdicts *v, const scarce_compare *c, size_t metric, const scarce_context *ctx,
                            scarce_error *err)
{
    const size_t methods = scarce_compare_methods(c);
    scarce_status st;

    memset(v, 0, sizeof *v);
    v->metric = metric;
    v->rank = calloc(methods, sizeof *v->rank);
    v->pairs = calloc(methods * methods, sizeof *v->pairs);
    if (!v->rank || !v->pairs) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    v->rank[0] = 1;
    if (methods < 2) return SCARCE_OK;
    st = rank_all(v, c, err);
    for (size_t a = 0; st == SCARCE_OK && a < methods; ++a)
        for (size_t b = a + 1; st == SCARCE_OK && b < methods; ++b) {
            verdict *p = &v->pairs[v->n_pairs++];
            p->pair.struct_size = sizeof p->pair;
            p->a = a;
            p->b = b;
            st = scarce_compare_test(&p->pair, c, a, b, metric, ctx, err);
        }
    return st == SCARCE_OK ? correct(v, err) : st;
}

/* Two digits are all that an estimate of a variance deserves. */
static double two_digits(double x)
{
    const double scale = pow(10, floor(log10(x)) - 1);
    return scale > 1 ? scale * floor(x / scale + 0.5) : floor(x + 0.5);
}

void tell_verdict(char *text, size_t size, const verdict *v)
{
    const scarce_compare_pair *p = &v->pair;
    const double more = p->positives_needed - (double)p->positives;
    const char *why = "not proved";

    if (p->n == 0) snprintf(text, size, "no fold to compare on");
    else if (p->sd == 0 && p->difference == 0) snprintf(text, size, "the same");
    else if (v->holm < 0.05 && v->holm_corrected < 0.05) snprintf(text, size, "real");
    else {
        if (v->holm < 0.05) why = "not proved, for the folds share rows";
        else if (v->least >= 0.05) why = "too few folds to prove it";
        if (more >= 1 && more < 1e7)
            snprintf(text, size, "%s; about %.0f more positives would be needed to tell", why,
                     two_digits(more));
        else snprintf(text, size, "%s", why);
    }
}
