/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of features, written down as slowly as it reads: for each record, all earlier ones are looked at.
 * Nothing is kept but the records themselves. */
#ifndef FEATURE_REFERENCE_H
#define FEATURE_REFERENCE_H

#include <stdlib.h>

#include "core/elementary.h"
#include "feature/totals.h"

enum { REF_KINDS = 4 };

typedef struct ref_record {
    int64_t t, at;
    int64_t numbers[SCARCE__FEATURE_FIELDS];
    uint64_t counted[SCARCE__FEATURE_FIELDS]; /* what distinct tells apart; 0: missing */
    uint64_t key[REF_KINDS];
    int has_key[REF_KINDS];
    unsigned filters[REF_KINDS];
    /* what became of it */
    int taken[REF_KINDS], folded[REF_KINDS], fraud[REF_KINDS];
    int64_t time[REF_KINDS]; /* t, or once folded that of the newest of its tile */
} ref_record;

static int64_t ref_limit(const scarce__feature_kind *kind, int64_t at)
{
    return kind->horizon == SCARCE__NO_HORIZON ? INT64_MIN : at - kind->horizon;
}

/* Is j, an earlier record, in the past of the key of r at moment r->at? */
static int ref_visible(const scarce__feature_kind *kind, int k, const ref_record *j, const ref_record *r)
{
    return j->taken[k] && j->has_key[k] && r->has_key[k] && j->key[k] == r->key[k] &&
           j->time[k] > ref_limit(kind, r->at);
}

static int ref_passes(const ref_record *j, int k, int filter)
{
    return (int)(j->filters[k] >> filter & 1);
}

static int64_t ref_bucket(const scarce__feature_kind *kind, int64_t t)
{
    const int64_t b = t / kind->tile;
    return t % kind->tile < 0 ? b - 1 : b;
}

static double ref_weight(int64_t age, int64_t half)
{
    double w = 1;
    for (; age >= half; age -= half) w /= 2;
    return w * scarce__exp(-((double)age / (double)half) * 0x1.62e42fefa39efp-1);
}

/* Later in time, or as late and later in arrival: the order of a key's records. */
static int ref_newer(const ref_record *all, int k, size_t a, size_t b)
{
    if (all[a].t != all[b].t) return all[a].t > all[b].t;
    (void)k;
    return a > b;
}

static double ref_decay(const ref_record *all, size_t i, const scarce__feature_kind *kind, int k,
                        const scarce__feature_aggregate *a, const scarce__feature_window *w, const size_t *in,
                        size_t n)
{
    const int field = kind->values[kind->measures[a->measure].value];
    const double scale = (double)scarce__feature_scale(a->places);
    double sum = 0;
    int any = 0;
    if (w->current && ref_passes(&all[i], k, a->filter) && all[i].numbers[field] != SCARCE__NO_VALUE) {
        sum = (double)all[i].numbers[field] / scale;
        any = 1;
    }
    for (size_t m = 0; m < n; ++m) { /* newest first */
        const ref_record *j = &all[in[m]];
        if (j->folded[k] || j->numbers[field] == SCARCE__NO_VALUE) continue;
        sum += (double)j->numbers[field] / scale * ref_weight(all[i].t - j->t, a->half_life);
        any = 1;
    }
    int64_t below = INT64_MAX;
    for (;;) { /* tiles, newest first */
        int64_t bucket = INT64_MIN, time = 0;
        scarce__i128 total = 0;
        int known = 0;
        for (size_t m = 0; m < n; ++m)
            if (all[in[m]].folded[k] && all[in[m]].numbers[field] != SCARCE__NO_VALUE) {
                const int64_t b = ref_bucket(kind, all[in[m]].t);
                if (b < below && b > bucket) bucket = b;
            }
        if (bucket == INT64_MIN) break;
        for (size_t m = 0; m < n; ++m) {
            const ref_record *j = &all[in[m]];
            if (!j->folded[k] || ref_bucket(kind, j->t) != bucket || j->numbers[field] == SCARCE__NO_VALUE)
                continue;
            total += j->numbers[field];
            time = j->time[k];
            known = 1;
        }
        below = bucket;
        if (!known) continue;
        sum += (double)total / scale * ref_weight(all[i].t - time, a->half_life);
        any = 1;
    }
    return any ? sum : NAN;
}

/* The bits are the library's, of sums made here; that they are right to a unit in the last place is asked in the widest type there is. */
static double ref_deviation(scarce__i128 sum, scarce__i128 squares, int64_t known, double scale)
{
    const scarce__u128 q = (scarce__u128)squares;
    const scarce__sum s = {sum, {(uint64_t)q, (uint64_t)(q >> 64), 0}, 0, 0, (uint64_t)known};
    const long double variance =
        (long double)(known * squares - sum * sum) / ((long double)known * (long double)(known - 1));
    const double sd = scarce__sum_sd(&s, (uint64_t)known, scale),
                 right = (double)(sqrtl(variance) / (long double)scale);
    CHECK(sd >= nextafter(right, -1) && sd <= nextafter(right, INFINITY));
    return sd;
}

static double ref_numbers(const ref_record *all, size_t i, const scarce__feature_kind *kind, int k,
                          const scarce__feature_aggregate *a, const scarce__feature_window *w,
                          const size_t *in, size_t n)
{
    const int field = kind->values[kind->measures[a->measure].value];
    const double scale = (double)scarce__feature_scale(a->places);
    scarce__i128 sum = 0;
    scarce__i128 squares = 0; /* the tests' amounts are small enough */
    int64_t min = INT64_MAX, max = INT64_MIN;
    int64_t known = 0;
    for (size_t m = 0; m <= n; ++m) {
        const ref_record *j = m < n ? &all[in[m]] : &all[i];
        if (m == n && !(w->current && ref_passes(j, k, a->filter))) continue;
        const int64_t v = j->numbers[field];
        if (v == SCARCE__NO_VALUE) continue;
        sum += v;
        squares += (scarce__i128)v * v;
        if (v < min) min = v;
        if (v > max) max = v;
        ++known;
    }
    if (a->op == SCARCE__AGG_SUM) return known ? (double)sum / scale : isnan(a->empty) ? 0 : a->empty;
    if (known == 0) return NAN;
    if (a->op == SCARCE__AGG_MIN) return (double)min / scale;
    if (a->op == SCARCE__AGG_MAX) return (double)max / scale;
    if (a->op == SCARCE__AGG_MEAN) return (double)sum / ((double)known * scale);
    if (known < 2) return NAN;
    return ref_deviation(sum, squares, known, scale);
}

static double ref_distinct(const ref_record *all, size_t i, int field, int k, int filter, int current,
                           const size_t *in, size_t n)
{
    size_t different = 0;
    for (size_t m = 0; m <= n; ++m) {
        const ref_record *j = m < n ? &all[in[m]] : &all[i];
        int first = 1;
        if (m == n && !(current && ref_passes(j, k, filter))) continue;
        if (m < n && j->folded[k]) continue;
        if (j->counted[field] == 0) continue;
        for (size_t o = 0; o < m; ++o)
            if (!all[in[o]].folded[k] && all[in[o]].counted[field] == j->counted[field]) first = 0;
        different += (size_t)first;
    }
    return (double)different;
}

/* One feature of record i, of a kind. `in` is scratch for i numbers. */
static double ref_feature(const ref_record *all, size_t i, const scarce__feature_kind *kind, int k,
                          const scarce__feature_aggregate *a, size_t *in)
{
    const scarce__feature_window *w = &kind->windows[a->window];
    const ref_record *r = &all[i];
    const int64_t near = r->t - w->delay;
    int64_t far = w->span ? near - w->span : INT64_MIN, last = INT64_MIN, first = INT64_MAX;
    const int current = w->current && ref_passes(r, k, a->filter);
    size_t n = 0, frauds = 0;
    double x = NAN;

    if (!r->has_key[k]) return NAN;
    if (a->op == SCARCE__AGG_DECAY) far = near - SCARCE__FEATURE_REACH * a->half_life;
    for (size_t j = 0; j < i; ++j) {
        if (!ref_visible(kind, k, &all[j], r) || !ref_passes(&all[j], k, a->filter)) continue;
        if (all[j].time[k] > near || all[j].time[k] <= far) continue;
        if (w->last && all[j].folded[k]) continue;
        size_t m = n++;
        for (; m > 0 && ref_newer(all, k, j, in[m - 1]); --m) in[m] = in[m - 1];
        in[m] = j;
    }
    if (w->last && n + (size_t)current > w->last) n = w->last - (size_t)current;
    for (size_t m = 0; m < n; ++m) {
        frauds += (size_t)all[in[m]].fraud[k];
        if (all[in[m]].time[k] > last) last = all[in[m]].time[k];
        if (all[in[m]].time[k] < first) first = all[in[m]].time[k];
    }
    const size_t count = n + (size_t)current;
    switch (a->op) {
    case SCARCE__AGG_COUNT: x = count == 0 && !isnan(a->empty) ? a->empty : (double)count; break;
    case SCARCE__AGG_FRAUDS: x = count == 0 && !isnan(a->empty) ? a->empty : (double)frauds; break;
    case SCARCE__AGG_SHARE: x = count ? (double)frauds / (double)count : NAN; break;
    case SCARCE__AGG_SINCE: x = n ? (double)(r->t - last) : NAN; break;
    case SCARCE__AGG_FIRST: x = n ? (double)(r->t - first) : NAN; break;
    case SCARCE__AGG_DISTINCT:
        x = ref_distinct(all, i, kind->counted[a->distinct], k, a->filter, w->current, in, n);
        break;
    case SCARCE__AGG_DECAY: x = ref_decay(all, i, kind, k, a, w, in, n); break;
    default: x = ref_numbers(all, i, kind, k, a, w, in, n);
    }
    return isnan(x) ? a->empty : x;
}

/* Record i becomes part of the past; before that, a key that has max_events live ones folds the oldest quarter. */
static void ref_take(ref_record *all, size_t i, const scarce__feature_kind *kind, int k, size_t *in)
{
    ref_record *r = &all[i];
    size_t n = 0;
    if (!r->has_key[k] || r->t <= ref_limit(kind, r->at)) return;
    for (size_t j = 0; j < i; ++j) {
        if (!ref_visible(kind, k, &all[j], r) || all[j].folded[k]) continue;
        size_t m = n++;
        for (; m > 0 && ref_newer(all, k, in[m - 1], j); --m) in[m] = in[m - 1]; /* oldest first */
        in[m] = j;
    }
    if (n >= kind->max_events)
        for (size_t m = 0; m < n / 4; ++m) {
            ref_record *f = &all[in[m]];
            const int64_t bucket = ref_bucket(kind, f->t);
            int64_t newest = f->t;
            f->folded[k] = 1;
            for (size_t j = 0; j < i; ++j)
                if (&all[j] != f && ref_visible(kind, k, &all[j], r) && all[j].folded[k] &&
                    ref_bucket(kind, all[j].t) == bucket && all[j].time[k] > newest)
                    newest = all[j].time[k];
            for (size_t j = 0; j < i; ++j)
                if (ref_visible(kind, k, &all[j], r) && all[j].folded[k] &&
                    ref_bucket(kind, all[j].t) == bucket)
                    all[j].time[k] = newest;
        }
    r->taken[k] = 1;
    r->time[k] = r->t;
}

/* A label that arrives at `at`. */
static void ref_label(ref_record *j, const scarce__feature_kind *kind, int k, int fraud, int64_t at)
{
    if (j->taken[k] && !j->folded[k] && j->t > ref_limit(kind, at)) j->fraud[k] = fraud;
}

#endif
