/* SPDX-License-Identifier: Apache-2.0 */
/* Tables are mostly in order of time, and most features are counts and sums. Then a window of a key is two positions that
 * only go forward: each record is added once and taken off once, in integers, so that the sums are those of the engine,
 * to the last bit (tests compare both with the contract). Extremes are the front of a queue of those that nothing later
 * beats. Everything else, and every key with a late record or a large number, goes the general way. */
#include "feature/sweep.h"

#include <math.h>

#include "core/alloc.h"
#include "feature/kind.h"

int scarce__sweep_can(const scarce__feature_kind *kind)
{
    if (kind->labels || kind->n_filters > 1 || kind->n_counted > 0) return 0;
    for (size_t i = 0; i < kind->n_windows; ++i)
        if (kind->windows[i].span == 0) return 0;
    for (size_t i = 0; i < kind->n_aggregates; ++i)
        if (kind->aggregates[i].op > SCARCE__AGG_SD) return 0;
    return 1;
}

int scarce__sweep_reserve(scarce__sweep *s, size_t n)
{
    const size_t values = (size_t)s->kind->n_values;
    if (n <= s->capacity) return 1;
    const scarce__feature_kind *kind = s->kind;
    scarce__sweep_deinit(s);
    s->kind = kind;
    s->time = scarce__malloc_array(n, sizeof *s->time);
    s->values = scarce__malloc_array(n * values, sizeof *s->values);
    s->deque = scarce__malloc_array(n, 2 * sizeof *s->deque);
    s->to = scarce__malloc_array(n, sizeof *s->to);
    if (!s->time || !s->values || !s->deque || !s->to) return 0;
    s->capacity = n;
    return 1;
}

void scarce__sweep_deinit(scarce__sweep *s)
{
    scarce__free(s->time);
    scarce__free(s->values);
    scarce__free(s->deque);
    scarce__free(s->to);
    memset(s, 0, sizeof *s);
}

int scarce__sweep_fits(const scarce__sweep *s, size_t n)
{
    for (int v = 0; v < s->kind->n_values; ++v) {
        const int64_t *x = s->values + (size_t)v * s->capacity;
        for (size_t i = 0; i < n; ++i)
            if (x[i] != SCARCE__NO_VALUE && (x[i] > INT32_MAX || x[i] <= INT32_MIN)) return 0;
    }
    return 1;
}

/* A queue of positions whose values get worse: its front is the extreme of the window. */
typedef struct queue {
    uint32_t *at;
    size_t begin, end;
    int sign; /* 1: the largest, -1: the smallest */
} queue;

static void queue_add(queue *q, const int64_t *x, size_t i)
{
    while (q->end > q->begin && q->sign * x[q->at[q->end - 1]] <= q->sign * x[i]) --q->end;
    q->at[q->end++] = (uint32_t)i;
}

/* As scarce__read_sum, which is for sums of any size and deviations too. */
static inline double read_quickly(const scarce__feature_aggregate *a, int64_t sum, uint64_t known,
                                  int64_t min, int64_t max, uint64_t n)
{
    const int has_empty = !isnan(a->empty);
    if (a->op == SCARCE__AGG_COUNT) return n == 0 && has_empty ? a->empty : (double)n;
    if (a->op == SCARCE__AGG_SUM) return known ? (double)sum / a->scale : has_empty ? a->empty : 0;
    if (known == 0) return a->empty;
    if (a->op == SCARCE__AGG_MEAN) return (double)sum / ((double)known * a->scale);
    return (double)(a->op == SCARCE__AGG_MIN ? min : max) / a->scale;
}

/* What the aggregates of a window need beside counts and sums. */
typedef struct wants {
    int least, most, squares;
} wants;

/* One measure (NULL: counts alone) of one window: the aggregates first..end-1. Inlined with each set of wants. */
static inline void sweep_window(const scarce__sweep *s, size_t n, const scarce__feature_window *w,
                                const scarce__feature_measure *m, const scarce__feature_aggregate *first,
                                size_t n_aggregates, const wants want, double *out)
{
    const int64_t *t = s->time, *x = m ? s->values + (size_t)m->value * s->capacity : NULL;
    queue low = {s->deque, 0, 0, -1}, high = {s->deque + s->capacity, 0, 0, 1};
    size_t lo = 0, hi = 0;
    scarce__u128 squares = 0;
    int64_t sum = 0, min = 0, max = 0;
    uint64_t known = 0;

    for (size_t i = 0; i < n; ++i) {
        const int64_t near = t[i] - w->delay, far = near - w->span;
        for (const size_t end = i + (size_t)w->current; hi < end && t[hi] <= near; ++hi) {
            if (!x || x[hi] == SCARCE__NO_VALUE) continue;
            sum += x[hi];
            ++known;
            if (want.squares) squares += (uint64_t)(x[hi] * x[hi]);
            if (want.least) queue_add(&low, x, hi);
            if (want.most) queue_add(&high, x, hi);
        }
        for (; lo < hi && t[lo] <= far; ++lo) {
            if (!x || x[lo] == SCARCE__NO_VALUE) continue;
            sum -= x[lo];
            --known;
            if (want.squares) squares -= (uint64_t)(x[lo] * x[lo]);
        }
        if (want.least) {
            while (low.begin < low.end && low.at[low.begin] < lo) ++low.begin;
            if (low.begin < low.end) min = x[low.at[low.begin]];
        }
        if (want.most) {
            while (high.begin < high.end && high.at[high.begin] < lo) ++high.begin;
            if (high.begin < high.end) max = x[high.at[high.begin]];
        }
        double *to = out + s->to[i] * s->kind->n_aggregates + (size_t)(first - s->kind->aggregates);
        for (size_t a = 0; a < n_aggregates; ++a) {
            if (want.squares && first[a].op == SCARCE__AGG_SD) {
                const scarce__sum total = {
                    sum, {(uint64_t)squares, (uint64_t)(squares >> 64), 0}, min, max, known};
                to[a] = scarce__read_sum(&first[a], &total, hi - lo);
            } else to[a] = read_quickly(&first[a], sum, known, min, max, hi - lo);
        }
    }
}

static void choose_window(const scarce__sweep *s, size_t n, const scarce__feature_window *w,
                          const scarce__feature_measure *m, const scarce__feature_aggregate *first,
                          size_t n_aggregates, double *out)
{
    wants want = {0, 0, 0};
    for (size_t a = 0; a < n_aggregates; ++a) {
        want.least |= first[a].op == SCARCE__AGG_MIN;
        want.most |= first[a].op == SCARCE__AGG_MAX;
        want.squares |= first[a].op == SCARCE__AGG_SD;
    }
    if (!want.least && !want.most && !want.squares)
        sweep_window(s, n, w, m, first, n_aggregates, (wants){0, 0, 0}, out);
    else if (!want.least && !want.squares)
        sweep_window(s, n, w, m, first, n_aggregates, (wants){0, 1, 0}, out);
    else if (!want.least && !want.most) sweep_window(s, n, w, m, first, n_aggregates, (wants){0, 0, 1}, out);
    else sweep_window(s, n, w, m, first, n_aggregates, want, out);
}

void scarce__sweep_run(const scarce__sweep *s, size_t n, double *out)
{
    const scarce__feature_kind *k = s->kind;
    for (size_t a = 0; a < k->n_aggregates;) { /* counts go with whatever measure comes next to them */
        const scarce__feature_aggregate *first = &k->aggregates[a];
        int measure = -1;
        size_t end = a;
        for (; end < k->n_aggregates && k->aggregates[end].window == first->window; ++end) {
            if (k->aggregates[end].op == SCARCE__AGG_COUNT) continue;
            if (measure >= 0 && k->aggregates[end].measure != measure) break;
            measure = k->aggregates[end].measure;
        }
        choose_window(s, n, &k->windows[first->window], measure < 0 ? NULL : &k->measures[measure], first,
                      end - a, out);
        a = end;
    }
}
