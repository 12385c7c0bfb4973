/* SPDX-License-Identifier: Apache-2.0 */
/* The features that a record sees in the history of its key.
 *
 * Windows of one delay begin at the same moment t - delay and reach back ever further, so one walk serves them all:
 * totals grow, and each window's features are read off where it ends. `last n` windows are walks of their own.
 *
 *     mean  = sum / (n scale)               one rounding, as sum and n are exact
 *     sd    = sqrt((n Q - S^2) / (n (n - 1))) / scale, of a sample; to one unit in the last place; missing below two records
 *     decay = sum of x 2^-(age / half-life), newest first, then tiles, newest first */
#include <math.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "feature/kind.h"

typedef struct query {
    scarce__kind_state *k;
    const scarce__shape *s;
    const scarce__history *h; /* NULL: nothing is known */
    const scarce__kind_record *r;
    double *out;
    int64_t near; /* t - delay */
    size_t end;   /* records before it are visible in windows of this delay */
    size_t begin; /* the walk has come so far back */
    int64_t far;  /* the same in time: for tiles */
    int set_mark; /* whose values the set holds; -1: none */
    size_t set_end, set_begin;
} query;

/* ---- different values */

static int set_clear(scarce__kind_state *k, size_t most)
{
    size_t slots = 64;
    while (slots < 2 * (most + 1)) slots *= 2;
    if (slots > k->set_slots) {
        uint64_t *set = scarce__malloc_array(slots, sizeof *set);
        if (!set) return 0;
        scarce__free(k->set);
        k->set = set;
        k->set_slots = slots;
    }
    memset(k->set, 0, slots * sizeof *k->set);
    k->set_used = 0;
    return 1;
}

/* 1 when it is new. `mask` is that of set_clear. */
static int set_add(scarce__kind_state *k, size_t mask, uint64_t hash, int only_look)
{
    size_t i = (size_t)(hash * 0x9e3779b97f4a7c15u >> 20) & mask;
    for (; k->set[i]; i = (i + 1) & mask)
        if (k->set[i] == hash) return 0;
    if (!only_look) {
        k->set[i] = hash;
        ++k->set_used;
    }
    return 1;
}

static int mark_of(const scarce__shape *s, int filter, int counted)
{
    int m = 0;
    while (s->marks[m].filter != filter || s->marks[m].counted != counted) ++m;
    return m;
}

/* Different values of the records of [begin, end), and of the record itself where `current`. -1: no memory. */
static double count_different(query *q, const scarce__feature_aggregate *a, size_t begin, size_t end,
                              int current)
{
    const scarce__shape *s = q->s;
    const scarce__history *h = q->h;
    const uint64_t own = current ? q->r->hashes[s->kind->counted[a->distinct]] : 0;

    if (!h || begin == end) return own != 0;
    if (h->summary && h->summary->active && end == h->tail) {
        const int m = mark_of(s, a->filter, a->distinct);
        const size_t n = scarce__summary_marks(h, m, begin, end);
        if (!own) return (double)n;
        const size_t at = scarce__summary_find(h, m, own);
        return (double)(n + (at == SIZE_MAX || at < begin));
    }
    const int mark = mark_of(s, a->filter, a->distinct);
    const uint64_t *column = scarce__counted(h, a->distinct);
    size_t mask = 64;
    while (mask < 2 * (end - h->head + 1)) mask *= 2;
    --mask;
    if (q->set_mark != mark || q->set_end != end || q->set_begin < begin) { /* not the window that grew */
        if (!set_clear(q->k, end - h->head)) return -1;
        q->set_mark = mark;
        q->set_end = q->set_begin = end;
    }
    for (size_t i = q->set_begin; i > begin; --i) {
        const uint64_t hash = column[i - 1];
        if (hash && scarce__passes(scarce__flags_at(s, h, i - 1), a->filter)) set_add(q->k, mask, hash, 0);
    }
    q->set_begin = begin;
    return (double)(q->k->set_used + (own && set_add(q->k, mask, own, 1)));
}

/* ---- since, first_seen, decay */

static double since(const query *q, int filter)
{
    int64_t last = INT64_MIN;
    if (!q->h) return NAN;
    for (size_t i = q->end; i > q->h->head; --i) {
        if (!scarce__passes(scarce__flags_at(q->s, q->h, i - 1), filter)) continue;
        last = scarce__times(q->s, q->h)[i - 1];
        break;
    }
    for (size_t i = 0; q->h->summary && i < q->h->summary->n_tiles; ++i) {
        scarce__tile *t = scarce__tile_at(q->s, q->h, i);
        if (t->time > last && t->time <= q->near &&
            scarce__totals_counts(&q->s->totals, scarce__tile_totals(t))[2 * filter])
            last = t->time;
    }
    return last == INT64_MIN ? NAN : (double)(q->r->t - last);
}

static double first_seen(const query *q, int filter)
{
    int64_t first = INT64_MAX;
    if (!q->h) return NAN;
    for (size_t i = q->h->head; i < q->end; ++i) {
        if (!scarce__passes(scarce__flags_at(q->s, q->h, i), filter)) continue;
        first = scarce__times(q->s, q->h)[i];
        break;
    }
    for (size_t i = 0; q->h->summary && i < q->h->summary->n_tiles; ++i) {
        scarce__tile *t = scarce__tile_at(q->s, q->h, i);
        if (t->time < first && t->time <= q->near &&
            scarce__totals_counts(&q->s->totals, scarce__tile_totals(t))[2 * filter])
            first = t->time;
    }
    return first == INT64_MAX ? NAN : (double)(q->r->t - first);
}

/* 2^-(age / half): whole halvings are exact, so that one half-life gives one half on every machine. */
static double weight(int64_t age, int64_t half)
{
    const int64_t whole = age / half;
    const double rest = (double)(age % half) / (double)half;
    return ldexp(scarce__exp(-rest * 0x1.62e42fefa39efp-1), -(int)whole);
}

static double decay(const query *q, const scarce__feature_aggregate *a, int current)
{
    const scarce__feature_measure *m = &q->s->kind->measures[a->measure];
    const double scale = a->scale;
    const int64_t far = q->near - SCARCE__FEATURE_REACH * a->half_life;
    const int64_t own = current ? q->r->numbers[q->s->kind->values[m->value]] : SCARCE__NO_VALUE;
    double sum = own == SCARCE__NO_VALUE ? 0 : (double)own / scale;
    int any = own != SCARCE__NO_VALUE;

    for (size_t i = q->end; q->h && i > q->h->head; --i) {
        const int64_t t = scarce__times(q->s, q->h)[i - 1];
        if (t <= far) break;
        const int64_t v = scarce__value_at(q->s, q->h, m->value, i - 1);
        if (v == SCARCE__NO_VALUE || !scarce__passes(scarce__flags_at(q->s, q->h, i - 1), a->filter))
            continue;
        sum += (double)v / scale * weight(q->r->t - t, a->half_life);
        any = 1;
    }
    for (size_t i = q->h && q->h->summary ? q->h->summary->n_tiles : 0; i > 0; --i) {
        scarce__tile *t = scarce__tile_at(q->s, q->h, i - 1);
        const scarce__sum *s = (const scarce__sum *)scarce__tile_totals(t) + a->measure;
        if (t->time <= far || t->time > q->near || s->known == 0) continue;
        sum += scarce__wide_double(s->sum) / scale * weight(q->r->t - t->time, a->half_life);
        any = 1;
    }
    return any ? sum : NAN;
}

/* ---- reading totals */

static double of_sum(const scarce__feature_aggregate *a, const scarce__sum *s)
{
    const double scale = a->scale;
    if (a->op == SCARCE__AGG_SUM)
        return s->known ? scarce__wide_double(s->sum) / scale : isnan(a->empty) ? 0 : a->empty;
    if (s->known == 0) return NAN;
    if (a->op == SCARCE__AGG_MIN) return (double)s->min / scale;
    if (a->op == SCARCE__AGG_MAX) return (double)s->max / scale;
    if (a->op == SCARCE__AGG_MEAN) return scarce__wide_double(s->sum) / ((double)s->known * scale);
    return s->known < 2 ? NAN : scarce__sum_sd(s, s->known, scale);
}

double scarce__read_sum(const scarce__feature_aggregate *a, const scarce__sum *s, uint64_t n)
{
    if (a->op == SCARCE__AGG_COUNT) return n == 0 && !isnan(a->empty) ? a->empty : (double)n;
    const double x = of_sum(a, s);
    return isnan(x) ? a->empty : x;
}

/* 0: out of memory. */
static int read_off(query *q, const scarce__feature_aggregate *a, const scarce__feature_window *w,
                    size_t begin)
{
    const scarce__shape *s = q->s;
    const int current = w->current && (q->r->filters >> a->filter & 1) && q->r->has_key;
    const uint64_t *counts = scarce__totals_counts(&s->totals, q->k->totals);
    const uint64_t n = counts[2 * a->filter] + (uint64_t)current, frauds = counts[2 * a->filter + 1];
    double x;

    switch (a->op) {
    case SCARCE__AGG_COUNT: x = scarce__read_sum(a, NULL, n); break;
    case SCARCE__AGG_FRAUDS: x = n == 0 && !isnan(a->empty) ? a->empty : (double)frauds; break;
    case SCARCE__AGG_SHARE: x = n == 0 ? NAN : (double)frauds / (double)n; break;
    case SCARCE__AGG_DISTINCT:
        x = count_different(q, a, begin, q->end, current);
        if (x < 0) return 0;
        break;
    case SCARCE__AGG_SINCE: x = since(q, a->filter); break;
    case SCARCE__AGG_FIRST: x = first_seen(q, a->filter); break;
    case SCARCE__AGG_DECAY: x = decay(q, a, current); break;
    default: {
        scarce__sum sum = ((const scarce__sum *)q->k->totals)[a->measure];
        const scarce__feature_measure *m = &s->kind->measures[a->measure];
        const int64_t own = q->r->numbers[s->kind->values[m->value]];
        if (current && own != SCARCE__NO_VALUE) scarce__sum_add(&sum, own, m);
        x = of_sum(a, &sum);
    }
    }
    q->out[a->out] = isnan(x) ? a->empty : x;
    return 1;
}

/* ---- walking */

/* Back to where the window ends; adds what is passed. */
static void walk_back(query *q, int64_t far)
{
    const scarce__history *h = q->h;
    if (!h) return;
    if (h->summary && h->summary->active) {
        const size_t begin =
            far == INT64_MIN ? h->head : scarce__history_after(q->s, h, h->head, q->begin, far);
        scarce__add_range(q->s, h, begin, q->begin, q->k->totals);
        q->begin = begin;
    } else if (h->head < q->begin) {
        const int32_t *times = scarce__times(q->s, h);
        size_t begin = q->begin;
        while (begin > h->head && times[begin - 1] > far) --begin;
        scarce__add_range(q->s, h, begin, q->begin, q->k->totals);
        q->begin = begin;
    }
    for (size_t i = 0; h->summary && i < h->summary->n_tiles; ++i) {
        scarce__tile *t = scarce__tile_at(q->s, h, i);
        if (t->time > far && t->time <= q->far)
            scarce__totals_merge(&q->s->totals, q->k->totals, scarce__tile_totals(t));
    }
    q->far = far;
}

/* The n newest records before `end` that pass the filter. */
static size_t last_begin(const query *q, const scarce__feature_window *w)
{
    uint32_t left = w->last - (uint32_t)(w->current && (q->r->filters >> w->filter & 1));
    size_t i = q->end;
    if (!q->h) return 0;
    if (w->filter == 0) return q->end - q->h->head < left ? q->h->head : q->end - left;
    while (left > 0 && i > q->h->head)
        left -= (uint32_t)scarce__passes(scarce__flags_at(q->s, q->h, --i), w->filter);
    return i;
}

static void start_delay(query *q, int64_t delay)
{
    q->near = q->r->t - delay;
    q->end = q->begin = q->h ? scarce__history_after(q->s, q->h, q->h->head, q->h->tail, q->near) : 0;
    q->far = q->near;
    q->set_mark = -1;
    scarce__totals_clear(&q->s->totals, q->k->totals);
}

int scarce__history_ask(scarce__kind_state *k, const scarce__history *h, const scarce__kind_record *r,
                        double *out)
{
    const scarce__feature_kind *kind = k->shape.kind;
    query q;
    size_t a = 0;

    memset(&q, 0, sizeof q);
    q.k = k;
    q.s = &k->shape;
    q.h = h && h->head < h->tail ? h : h && h->summary && h->summary->n_tiles ? h : NULL;
    q.r = r;
    q.out = out;
    if (!r->has_key) { /* no key, no past and no present: all is missing */
        for (; a < kind->n_aggregates; ++a) out[kind->aggregates[a].out] = NAN;
        return 1;
    }
    for (size_t i = 0; i < kind->n_windows; ++i) {
        const scarce__feature_window *w = &kind->windows[i];
        size_t begin;
        if (i == 0 || w->delay != kind->windows[i - 1].delay) start_delay(&q, w->delay);
        if (w->last) {
            begin = last_begin(&q, w);
            scarce__totals_clear(&q.s->totals, k->totals);
            if (q.h) scarce__add_range(q.s, q.h, begin, q.end, k->totals);
            q.set_mark = -1;
        } else {
            if (!w->light) walk_back(&q, w->span ? q.near - w->span : INT64_MIN);
            begin = q.begin;
        }
        for (; a < kind->n_aggregates && kind->aggregates[a].window == (int)i; ++a)
            if (!read_off(&q, &kind->aggregates[a], w, begin)) return 0;
    }
    return 1;
}
