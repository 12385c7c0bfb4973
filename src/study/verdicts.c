/* SPDX-License-Identifier: Apache-2.0 */
/* Which differences of a comparison are real: Friedman's test over all, Wilcoxon's for each pair with Holm's
 * correction, and beside it a t test that allows for folds that share rows (docs/comparing.md). */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/text.h"
#include "study/compare.h"

void scarce_verdicts_free(scarce_verdicts *v)
{
    if (!v) return;
    for (size_t i = 0; v->pairs && i < v->n_pairs; ++i) scarce__free(v->pairs[i]);
    scarce__free(v->rank);
    scarce__free((void *)v->pairs);
    scarce__free(v);
}

double scarce_compare_mean_seconds(const scarce_compare *c, size_t method)
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

static scarce_status rank_all(scarce_verdicts *v, const scarce_compare *c, scarce_error *err)
{
    const size_t methods = scarce_compare_methods(c), folds = scarce_compare_folds(c);
    const int direction = scarce_metric_direction(v->metric) < 0 ? -1 : 1;
    double *value = scarce__malloc_array(methods * folds, sizeof *value);
    scarce_status st;

    if (!value) return scarce__fail_memory(err, "the verdicts", 0);
    for (size_t f = 0; f < folds; ++f)
        for (size_t m = 0; m < methods; ++m)
            value[f * methods + m] = scarce_metric_value(scarce_compare_metrics(c, m, f), v->metric);
    st = scarce_friedman(&v->friedman, v->rank, value, folds, methods, direction, err);
    scarce__free(value);
    return st;
}

static scarce_status correct(scarce_verdicts *v, scarce_error *err)
{
    double *p = scarce__malloc_array(2 * v->n_pairs, sizeof *p), *corrected;
    scarce_status st;

    if (!p) return scarce__fail_memory(err, "the verdicts", 0);
    corrected = p + v->n_pairs;
    for (size_t i = 0; i < v->n_pairs; ++i) {
        p[i] = v->pairs[i]->pair.wilcoxon.p;
        corrected[i] = v->pairs[i]->pair.p_corrected;
    }
    st = scarce_holm(p, p, v->n_pairs, err);
    if (st == SCARCE_OK) st = scarce_holm(corrected, corrected, v->n_pairs, err);
    for (size_t i = 0; i < v->n_pairs; ++i) {
        v->pairs[i]->holm = p[i];
        v->pairs[i]->least = (double)v->n_pairs * scarce__pow(2, 1 - (double)v->pairs[i]->pair.n);
        v->pairs[i]->holm_corrected = corrected[i];
    }
    scarce__free(p);
    return st;
}

static scarce_status test_pairs(scarce_verdicts *v, const scarce_compare *c, const scarce_context *ctx,
                                scarce_error *err)
{
    const size_t methods = scarce_compare_methods(c);

    for (size_t a = 0; a < methods; ++a)
        for (size_t b = a + 1; b < methods; ++b) {
            scarce_verdict *p = scarce__calloc(1, sizeof *p);
            scarce_status st;
            if (!p) return scarce__fail_memory(err, "the verdicts", sizeof *p);
            v->pairs[v->n_pairs++] = p;
            p->pair.struct_size = sizeof p->pair;
            p->a = a;
            p->b = b;
            st = scarce_compare_test(&p->pair, c, a, b, v->metric, ctx, err);
            if (st != SCARCE_OK) return st;
        }
    return correct(v, err);
}

scarce_status scarce_verdicts_new(scarce_verdicts **out, const scarce_compare *c, size_t metric,
                                  const scarce_context *ctx, scarce_error *err)
{
    const size_t methods = scarce_compare_methods(c);
    scarce_verdicts *v = scarce__calloc(1, sizeof *v);
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (!v) return scarce__fail_memory(err, "the verdicts", sizeof *v);
    v->metric = metric;
    v->rank = scarce__calloc(methods + 1, sizeof *v->rank);
    v->pairs = scarce__calloc(methods * methods + 1, sizeof *v->pairs);
    if (!v->rank || !v->pairs) st = scarce__fail_memory(err, "the verdicts", 0);
    else v->rank[0] = 1;
    if (st == SCARCE_OK && methods > 1) {
        st = rank_all(v, c, err);
        if (st == SCARCE_OK) st = test_pairs(v, c, ctx, err);
    }
    if (st == SCARCE_OK) *out = v;
    else scarce_verdicts_free(v);
    return st;
}

/* Two digits are all that an estimate of a variance deserves. */
static double two_digits(double x)
{
    const double scale = scarce__pow(10, floor(scarce__log10(x)) - 1);
    return scale > 1 ? scale * floor(x / scale + 0.5) : floor(x + 0.5);
}

void scarce_verdict_text(char *text, size_t size, const scarce_verdict *v)
{
    const scarce_compare_pair *p = &v->pair;
    const double more = p->positives_needed - (double)p->positives;
    const char *why = "not proved";

    if (p->n == 0) scarce__print(text, size, "no fold to compare on");
    else if (p->sd == 0 && p->difference == 0) scarce__print(text, size, "the same");
    else if (v->holm < 0.05 && v->holm_corrected < 0.05) scarce__print(text, size, "real");
    else {
        if (v->holm < 0.05) why = "not proved, for the folds share rows";
        else if (v->least >= 0.05) why = "too few folds to prove it";
        if (more >= 1 && more < 1e7)
            scarce__print(text, size, "%s; about %.0f more positives would be needed to tell", why,
                          two_digits(more));
        else scarce__print(text, size, "%s", why);
    }
}
