/* SPDX-License-Identifier: Apache-2.0 */
/* What changes with time: the share of positives, the features, and labels that have not arrived yet.
 *
 * Positives come in bursts (a stolen list of cards), so counts scatter more than chance alone: every test
 * here divides by the scatter that the periods show, phi = sum of (n_k - e_k)^2 / e_k over its degrees of
 * freedom, where that is above 1.
 *   trend   straight line through the shares of the periods, weighted by expected positives; Student's t
 *   delay   positives of the last m periods against what the earlier share would give
 * and nothing is said of a change that is significant but small. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "eval/special.h"
#include "study/doctor.h"

enum { MOST_PERIODS = 10000, DAY = 86400 };
static const double chance = 1e-3;

/* ---- periods */

static double choose_length(scarce_doctor *d, double first, double last)
{
    const double span = last - first, month = 30.4375 * DAY;
    if (span >= 500.0 * DAY) return d->period_unit = "month", month;
    if (span >= 45.0 * DAY) return d->period_unit = "week", 7.0 * DAY;
    if (span >= 6.0 * DAY) return d->period_unit = "day", DAY;
    return span > 0 ? span / 12 * (1 + 1e-9) : 1;
}

static scarce_status make_periods(scarce_doctor *d, double length, scarce_error *err)
{
    const scarce_table *t = d->table;
    double first = (double)INFINITY, last = (double)-INFINITY, begin;

    for (size_t i = 0; i < t->n_rows; ++i) {
        if (!isfinite(t->time[i])) continue;
        first = t->time[i] < first ? t->time[i] : first;
        last = t->time[i] > last ? t->time[i] : last;
    }
    if (!(first <= last)) return SCARCE_OK;
    if (length == 0) length = choose_length(d, first, last);
    begin = length >= DAY ? floor(first / DAY) * DAY : first;
    const double count = floor((last - begin) / length) + 1;
    if (count > MOST_PERIODS)
        return scarce__fail(err, SCARCE_EINVAL,
                            "periods of %g over a time of %g are too many; the longest list has %d", length,
                            last - begin, (int)MOST_PERIODS);
    d->periods = scarce__calloc((size_t)count, sizeof *d->periods);
    if (!d->periods) return scarce__fail_memory(err, "the periods", 0);
    d->n_periods = (size_t)count;
    for (size_t k = 0; k < d->n_periods; ++k) {
        d->periods[k].begin = begin + (double)k * length;
        d->periods[k].end = begin + (double)(k + 1) * length;
    }
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (!isfinite(t->time[i])) continue;
        size_t k = (size_t)((t->time[i] - begin) / length);
        if (k >= d->n_periods) k = d->n_periods - 1;
        ++d->periods[k].rows;
        d->periods[k].positives += t->label && t->label[i];
    }
    return SCARCE_OK;
}

/* ---- shares of positives in the first k periods */

static double share_of(const scarce_doctor_period *p, size_t k)
{
    double rows = 0, positives = 0;
    for (size_t i = 0; i < k; ++i) {
        rows += (double)p[i].rows;
        positives += (double)p[i].positives;
    }
    return rows > 0 ? positives / rows : 0;
}

/* phi around one share; at least 1 */
static double scatter(const scarce_doctor_period *p, size_t k)
{
    const double share = share_of(p, k);
    double sum = 0, used = 0;
    for (size_t i = 0; i < k; ++i) {
        const double expected = share * (double)p[i].rows, diff = (double)p[i].positives - expected;
        if (expected <= 0) continue;
        sum += diff * diff / (expected * (1 - share));
        ++used;
    }
    return used > 1 && sum > used - 1 ? sum / (used - 1) : 1;
}

typedef struct trend {
    double start, end; /* fitted shares */
    double p;
} trend;

static trend fit_trend(const scarce_doctor_period *p, size_t k)
{
    const double share = share_of(p, k), variance = share * (1 - share);
    double w = 0, wx = 0, wxx = 0, wxy = 0, wy = 0, rest = 0, used = 0;
    /* Degrees of freedom that speak for plain chance: few periods tell little of scatter. */
    const double prior = 4;
    trend out = {share, share, 1};

    for (size_t i = 0; i < k; ++i) {
        const double x = (double)i, n = (double)p[i].rows;
        used += p[i].rows > 0;
        w += n;
        wx += n * x;
        wy += (double)p[i].positives;
        wxx += n * x * x;
        wxy += x * (double)p[i].positives;
    }
    const double sxx = wxx - wx * wx / w;
    if (used < 4 || variance <= 0 || !(sxx > 0)) return out;
    const double slope = (wxy - wx * wy / w) / sxx, at0 = (wy - slope * wx) / w;
    for (size_t i = 0; i < k; ++i) {
        const double n = (double)p[i].rows;
        const double diff = n > 0 ? (double)p[i].positives / n - at0 - slope * (double)i : 0;
        rest += n * diff * diff / variance;
    }
    const double df = used - 2 + prior, phi = rest + prior > df ? (rest + prior) / df : 1;
    const double t2 = slope * slope * sxx / (variance * phi);
    out.start = at0 > 0 ? at0 : 0;
    out.end = at0 + slope * (double)(k - 1) > 0 ? at0 + slope * (double)(k - 1) : 0;
    out.p = scarce__beta_i(df / 2, 0.5, df / (df + t2));
    return out;
}

static scarce_status judge_trend(scarce_doctor *d, size_t k, scarce_error *err)
{
    const trend r = fit_trend(d->periods, k);
    const double low = r.start < r.end ? r.start : r.end, high = r.start < r.end ? r.end : r.start;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (r.p >= 3 * chance || high < 1.5 * low) return SCARCE_OK;
    finding =
        scarce__doctor_add(d, "base-rate", high >= 2 * low ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE,
                           SIZE_MAX, d->table->schema.label ? d->table->schema.label : "label", err);
    scarce__doctor_figure(finding, "first", r.start);
    scarce__doctor_figure(finding, "last", r.end);
    scarce__doctor_figure(finding, "p", r.p);
    scarce__doctor_textf(&t, "the share of positives %s from %p to %p over %z %ss",
                         r.end > r.start ? "grows" : "falls", r.start, r.end, k, d->period_unit);
    return scarce__doctor_say(
        finding, &t,
        "test on later rows than are learnt from (--protocol temporal:...), and calibrate on the latest",
        err);
}

/* Largest deviate of the last m periods, m up to a quarter of all; 0 when none lacks half its positives. */
static size_t missing_tail(const scarce_doctor *d, double *was, double *is)
{
    const size_t k = d->n_periods;
    size_t best = 0;
    double best_z = 3.5;

    for (size_t m = 1; m <= k / 4; ++m) {
        const double share = share_of(d->periods, k - m), phi = scatter(d->periods, k - m);
        double rows = 0, positives = 0;
        for (size_t i = k - m; i < k; ++i) {
            rows += (double)d->periods[i].rows;
            positives += (double)d->periods[i].positives;
        }
        const double expected = share * rows, z = (expected - positives) / sqrt(expected * phi);
        if (!(expected >= 10) || positives >= 0.5 * expected || !(z > best_z)) continue;
        best = m;
        best_z = z;
        *was = share;
        *is = positives / rows;
    }
    return best;
}

static scarce_status judge_delay(scarce_doctor *d, size_t *kept, scarce_error *err)
{
    double was = 0, is = 0;
    const size_t m = missing_tail(d, &was, &is);
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    *kept = d->n_periods - m;
    if (m == 0) return SCARCE_OK;
    finding = scarce__doctor_add(d, "label-delay", SCARCE_SEVERITY_WARN, SIZE_MAX,
                                 d->table->schema.label ? d->table->schema.label : "label", err);
    scarce__doctor_figure(finding, "periods", (double)m);
    scarce__doctor_figure(finding, "share", is);
    scarce__doctor_figure(finding, "share_before", was);
    scarce__doctor_textf(&t, "positives fall off in the last %z %s%S: %p, against %p before", m,
                         d->period_unit, is, was);
    return scarce__doctor_say(
        finding, &t,
        "labels that arrive late look like negatives: leave these rows out, and leave a gap that long "
        "between training and test (gap=...)",
        err);
}

static scarce_status judge_empty_periods(scarce_doctor *d, size_t kept, scarce_error *err)
{
    size_t without = 0, used = 0;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    for (size_t k = 0; k < kept; ++k) {
        used += d->periods[k].rows > 0;
        without += d->periods[k].rows > 0 && d->periods[k].positives == 0;
    }
    if (without == 0) return SCARCE_OK;
    finding = scarce__doctor_add(d, "empty-periods", SCARCE_SEVERITY_NOTE, SIZE_MAX, d->period_unit, err);
    scarce__doctor_figure(finding, "without_positives", (double)without);
    scarce__doctor_figure(finding, "periods", (double)used);
    scarce__doctor_textf(&t, "no positive in %z of the %z %ss that have rows", without, used, d->period_unit);
    return scarce__doctor_say(finding, &t, "choose test spans long enough to hold some positives each", err);
}

/* ---- features */

static scarce_status judge_psi(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const double noise = 1 / (double)d->early + 1 / (double)d->late, bins = (double)x->psi_bins;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (!(x->psi >= 0.1) || bins < 2) return SCARCE_OK;
    if (scarce__chi2_upper(x->psi / noise + bins - 1, bins - 1) * (double)d->n_columns >= chance)
        return SCARCE_OK;
    finding = scarce__doctor_add(d, "drift", x->psi >= 0.25 ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE, f,
                                 NULL, err);
    scarce__doctor_figure(finding, "psi", x->psi);
    scarce__doctor_textf(&t, "%s changes between the first and the last quarter of the time (PSI %n)",
                         scarce__doctor_name(d, f), x->psi);
    return scarce__doctor_say(
        finding, &t,
        "see whether its meaning or its source changed; counts over the past begin empty, so "
        "leave out the first rows; retrain often, and test by time",
        err);
}

static scarce_status judge_unseen(scarce_doctor *d, size_t f, scarce_error *err)
{
    const double unseen = d->facts[f].unseen, more = unseen - d->facts[f].unseen_by_chance;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (!(more >= 0.05) || more < 4 * sqrt(unseen / (double)d->late)) return SCARCE_OK;
    finding = scarce__doctor_add(d, "new-categories",
                                 unseen >= 0.2 ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE, f, NULL, err);
    scarce__doctor_figure(finding, "share", unseen);
    scarce__doctor_textf(&t, "%p of the values of %s in the last quarter of the time never came up before",
                         unseen, scarce__doctor_name(d, f));
    return scarce__doctor_say(finding, &t,
                              "a model knows nothing of them: add columns that say what kind they are of, or "
                              "counts over their past",
                              err);
}

scarce_status scarce__doctor_drift(scarce_doctor *d, double period, scarce_error *err)
{
    size_t kept;
    if (!d->table->time) return SCARCE_OK;
    SCARCE__TRY(make_periods(d, period, err));
    if (d->table->label && d->table->n_positives > 0 && d->n_periods > 0) {
        SCARCE__TRY(judge_delay(d, &kept, err));
        SCARCE__TRY(judge_trend(d, kept, err));
        SCARCE__TRY(judge_empty_periods(d, kept, err));
    }
    if (d->early == 0 || d->late == 0) return SCARCE_OK;
    for (size_t f = 0; f < d->n_columns; ++f) {
        if (scarce__doctor_has(d, f, "identifier") || scarce__doctor_has(d, f, "leak-id") ||
            scarce__doctor_has(d, f, "clock"))
            continue;
        SCARCE__TRY(judge_psi(d, f, err));
        SCARCE__TRY(judge_unseen(d, f, err));
    }
    return SCARCE_OK;
}
