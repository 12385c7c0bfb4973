/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a threshold: rows are sorted by score, groups of equal scores are added from the top, and after
 * each group (a possible threshold) the rule's objective is looked at. All rules but the fixed value are
 * this one walk with different bookkeeping:
 *
 *     F_beta = (1+b^2) TP / ((1+b^2) TP + b^2 FN + FP)         highest
 *     G-mean = sqrt(TP/P * TN/N)                                 highest
 *     cost   = alarm FP + miss FN, or alarm (TP+FP) + sum of the amounts of silent positives    lowest
 *     budget: the last group that still fits
 *
 * Only a strict improvement moves the threshold down, so of equally good ones the highest stays. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "decide/calibrate.h"
#include "eval/rank.h"

typedef struct walk {
    const scarce_threshold_rule *rule;
    const scarce_scored *rows;
    double negatives, positives; /* weighted */
    double tp, fp;               /* alerted so far */
    double loss;                 /* amounts of the positives not alerted so far */
    double limit;                /* BUDGET: alerts that are allowed, in all or per span */
    double *per_span;            /* BUDGET on every span: alerts so far */
    uint32_t *span_of;           /* ... and which span a row is in */
} walk;

static scarce_status check_rule(const scarce_threshold_rule *r, scarce_error *err)
{
    switch (r->kind) {
    case SCARCE_THRESHOLD_F:
        if (!(r->beta > 0 && r->beta <= 1e6))
            return scarce__fail(err, SCARCE_EINVAL, "beta of f-beta is %g, allowed are numbers > 0 up to 1e6",
                                r->beta);
        return SCARCE_OK;
    case SCARCE_THRESHOLD_COST:
        if (!(r->alarm >= 0 && r->alarm <= DBL_MAX) || r->miss < 0 || isinf(r->miss))
            return scarce__fail(err, SCARCE_EINVAL, "costs are %g and %g, allowed are numbers >= 0", r->alarm,
                                r->miss);
        return SCARCE_OK;
    case SCARCE_THRESHOLD_BUDGET:
        if (!(r->budget >= 0) || (r->unit == SCARCE_BUDGET_RATE && r->budget > 1))
            return scarce__fail(err, SCARCE_EINVAL,
                                "budget is %g, allowed are numbers >= 0 (as a share: up to 1)", r->budget);
        if (r->unit == SCARCE_BUDGET_PER_SPAN && !(r->span > 0 && r->span <= DBL_MAX))
            return scarce__fail(err, SCARCE_EINVAL, "length of the budget's time span is %g, must be > 0",
                                r->span);
        return SCARCE_OK;
    case SCARCE_THRESHOLD_GMEAN:
    case SCARCE_THRESHOLD_VALUE: return SCARCE_OK;
    }
    return scarce__fail(err, SCARCE_EINVAL, "unknown kind of threshold %d", (int)r->kind);
}

/* Numbers the spans of the rows from 0; *n_spans may be large when times are far apart. */
static scarce_status span_range(const walk *w, double *first, double *n_spans, scarce_error *err)
{
    const double *time = w->rows->time, span = w->rule->span;
    double lo = HUGE_VAL, hi = -HUGE_VAL;

    if (!time)
        return scarce__fail(err, SCARCE_EDATA,
                            "a budget per day needs the time of the rows; give a time column");
    for (size_t i = 0; i < w->rows->n; ++i) {
        const double k = floor(time[i] / span);
        if (!isfinite(k)) return scarce__fail(err, SCARCE_EDATA, "time of row %zu is %g", i + 1, time[i]);
        if (k < lo) lo = k;
        if (k > hi) hi = k;
    }
    *first = lo;
    *n_spans = hi - lo + 1;
    return SCARCE_OK;
}

static scarce_status prepare_budget(walk *w, scarce_error *err)
{
    const scarce_threshold_rule *r = w->rule;
    const size_t n = w->rows->n;
    double first = 0, n_spans = 0;

    w->limit = r->budget;
    if (r->unit == SCARCE_BUDGET_RATE) w->limit = r->budget * (w->negatives + w->positives);
    if (r->unit == SCARCE_BUDGET_PER_SPAN) {
        SCARCE__TRY(span_range(w, &first, &n_spans, err));
        if (!r->every) w->limit = r->budget * n_spans;
        else if (n_spans > 1e8)
            return scarce__fail(err, SCARCE_EDATA,
                                "the times of the rows cover %.0f spans of %g, at most 1e8", n_spans,
                                r->span);
    }
    w->limit *= 1 + 1e-12; /* 0.29 of 100 rows is 28.999999999999996 of them */
    if (r->unit != SCARCE_BUDGET_PER_SPAN || !r->every) return SCARCE_OK;
    w->per_span = scarce__calloc((size_t)n_spans, sizeof *w->per_span);
    w->span_of = scarce__malloc_array(n, sizeof *w->span_of);
    if (!w->per_span || !w->span_of)
        return scarce__fail_memory(err, "a budget per day", (size_t)n_spans * 8 + n * 4);
    for (size_t i = 0; i < n; ++i) w->span_of[i] = (uint32_t)(floor(w->rows->time[i] / r->span) - first);
    return SCARCE_OK;
}

static scarce_status prepare(walk *w, scarce_error *err)
{
    const scarce_scored *s = w->rows;
    const scarce_threshold_kind kind = w->rule->kind;
    const int amounts = kind == SCARCE_THRESHOLD_COST && isnan(w->rule->miss);
    double count[2];

    if (kind != SCARCE_THRESHOLD_BUDGET && !s->label)
        return scarce__fail(err, SCARCE_EDATA,
                            "the threshold needs labelled rows; use budget:K or value:X without");
    SCARCE__TRY(scarce__check_scored(count, s->score, s->label, s->weight, s->n,
                                     kind == SCARCE_THRESHOLD_GMEAN, err));
    w->negatives = count[0];
    w->positives = count[1];
    if (!(count[0] + count[1] > 0))
        return scarce__fail(err, SCARCE_EDATA, "all %zu scored rows have weight 0", s->n);
    if (kind == SCARCE_THRESHOLD_F && !(count[1] > 0))
        return scarce__fail(err, SCARCE_EDATA, "no positives among %zu scored rows; the best f needs one",
                            s->n);
    if (amounts && !s->amount)
        return scarce__fail(err, SCARCE_EDATA,
                            "the cost of a miss is not known; give an amount column or cost:ALARM/MISS");
    for (size_t i = 0; amounts && i < s->n; ++i) {
        if (!s->label[i]) continue;
        if (!isfinite(s->amount[i]))
            return scarce__fail(err, SCARCE_EDATA, "amount of row %zu, a positive, is %g", i + 1,
                                s->amount[i]);
        w->loss += (s->weight ? s->weight[i] : 1) * s->amount[i];
    }
    return kind == SCARCE_THRESHOLD_BUDGET ? prepare_budget(w, err) : SCARCE_OK;
}

static void add_row(walk *w, size_t i)
{
    const scarce_scored *s = w->rows;
    const double weight = s->weight ? s->weight[i] : 1;

    if (s->label && s->label[i]) {
        w->tp += weight;
        if (s->amount && isnan(w->rule->miss)) w->loss -= weight * s->amount[i];
    } else {
        w->fp += weight;
    }
    if (w->per_span) w->per_span[w->span_of[i]] += weight;
}

/* What the rule wants high, with costs negated. */
static double objective(const walk *w)
{
    const scarce_threshold_rule *r = w->rule;
    const double b2 = r->beta * r->beta, fn = w->positives - w->tp;

    switch (r->kind) {
    case SCARCE_THRESHOLD_F: return (1 + b2) * w->tp / ((1 + b2) * w->tp + b2 * fn + w->fp);
    case SCARCE_THRESHOLD_GMEAN: {
        const double tn = w->negatives - w->fp;
        return sqrt(w->tp / w->positives * (tn > 0 ? tn / w->negatives : 0));
    }
    case SCARCE_THRESHOLD_COST:
        return isnan(r->miss) ? -(r->alarm * (w->tp + w->fp) + w->loss) : -(r->alarm * w->fp + r->miss * fn);
    case SCARCE_THRESHOLD_BUDGET: return w->tp + w->fp;
    case SCARCE_THRESHOLD_VALUE: break;
    }
    return NAN;
}

/* Whether the rows order[from..to-1], just added, stay within the budget. */
static int fits(const walk *w, const uint32_t *order, size_t from, size_t to)
{
    if (w->rule->kind != SCARCE_THRESHOLD_BUDGET) return 1;
    if (!w->per_span) return w->tp + w->fp <= w->limit;
    for (size_t i = from; i < to; ++i)
        if (w->per_span[w->span_of[order[i]]] > w->limit) return 0;
    return 1;
}

static void choose(scarce_threshold_choice *out, walk *w, const scarce__ranking *rank)
{
    const double *score = w->rows->score;
    const uint32_t *order = rank->order;
    const int nothing = w->rule->kind == SCARCE_THRESHOLD_BUDGET && w->rule->budget <= 0;
    double best = objective(w); /* no alert at all */

    out->threshold = nothing ? HUGE_VAL : nextafter(score[order[0]], HUGE_VAL);
    out->alerts = out->hits = 0;
    for (size_t g = 0, from = 0; g < rank->n_groups; from = rank->group_end[g++]) {
        const size_t to = rank->group_end[g];
        for (size_t i = from; i < to; ++i) add_row(w, order[i]);
        if (!fits(w, order, from, to)) break;
        const double now = objective(w);
        if (!(now > best)) continue;
        best = now;
        out->threshold = score[order[from]];
        out->alerts = w->tp + w->fp;
        out->hits = w->tp;
    }
    out->objective = w->rule->kind == SCARCE_THRESHOLD_COST ? 0 - best : best;
    if (!w->rows->label) out->hits = NAN;
}

scarce_status scarce_threshold_choose(scarce_threshold_choice *out, const scarce_threshold_rule *rule,
                                      const scarce_scored *rows, scarce_error *err)
{
    scarce_threshold_rule r = SCARCE_THRESHOLD_RULE_INIT;
    scarce_scored s = SCARCE_SCORED_INIT;
    walk w = {0};
    scarce__ranking rank = {0};
    scarce_status status;

    memset(out, 0, sizeof *out);
    SCARCE__TRY(SCARCE__OPTIONS(&r, rule, SCARCE_THRESHOLD_RULE_INIT, err));
    if (rows) s = *rows;
    SCARCE__TRY(check_rule(&r, err));
    if (r.kind == SCARCE_THRESHOLD_VALUE) {
        if (isnan(r.value)) return scarce__fail(err, SCARCE_EINVAL, "value of the threshold is nan");
        out->threshold = r.value;
        out->objective = out->alerts = out->hits = NAN;
        return SCARCE_OK;
    }
    w.rule = &r;
    w.rows = &s;
    status = prepare(&w, err);
    if (status == SCARCE_OK) status = scarce__rank(&rank, s.score, s.n, "score", NULL, err);
    if (status == SCARCE_OK) choose(out, &w, &rank);
    scarce__ranking_deinit(&rank);
    scarce__free(w.per_span);
    scarce__free(w.span_of);
    return status;
}
