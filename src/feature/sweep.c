/* SPDX-License-Identifier: Apache-2.0 */
/* Tables are mostly in order of time, and most features are counts and sums. Then a window of a key is two positions that
 * only go forward, and a sum over it is the difference of two sums from the key's first record on, in integers, so that
 * it is that of the engine to the last bit (tests compare both with the contract).
 *
 *     window of i:  begin[i] = first j with t_j > t_i - delay - span,   end[i] = first j with t_j > t_i - delay
 *     sum over it:  S[end] - S[begin],   S[j] = x_0 + ... + x_(j-1)
 *
 * The largest of a window comes from two parts that meet at a cut: of the part before the cut the largest from each
 * position on is known, of the part behind it the largest so far is. When the window's begin passes the cut, the cut
 * moves to its end: each record is looked at twice, whatever the windows are, and nothing is compared that a processor
 * could guess wrongly. */
#include "feature/sweep.h"

#include <math.h>

#include "core/alloc.h"
#include "feature/group.h"
#include "feature/kind.h"

/* Positions are found from the one before, so one chain of loads would bind the whole: LANES stretches of the records
 * are walked side by side. A step looks at STEP times at once, which is enough in most cases, so that there is hardly a
 * branch to guess wrongly. */
enum { LANES = 4, STEP = 4 };

int scarce__sweep_can(const scarce__feature_kind *kind)
{
    if (kind->labels || kind->n_filters > 1 || kind->n_counted > 0) return 0;
    for (size_t i = 0; i < kind->n_windows; ++i)
        if (kind->windows[i].span == 0) return 0;
    for (size_t i = 0; i < kind->n_aggregates; ++i)
        if (kind->aggregates[i].op > SCARCE__AGG_SD) return 0;
    return 1;
}

scarce__sweep_part scarce__sweep_part_at(const scarce__feature_kind *k, size_t from)
{
    scarce__sweep_part p = {NULL, &k->aggregates[from], 0, -1, 0};
    int measure = -1;
    p.window = &k->windows[p.first->window];
    for (size_t a = from; a < k->n_aggregates && k->aggregates[a].window == p.first->window; ++a, ++p.n) {
        const scarce__feature_aggregate *g = &k->aggregates[a];
        if (g->op == SCARCE__AGG_COUNT) continue; /* counts go with whatever measure comes next to them */
        if (measure >= 0 && g->measure != measure) break;
        measure = g->measure;
        p.value = k->measures[measure].value;
        p.squares |= g->op == SCARCE__AGG_SD;
    }
    return p;
}

int scarce__sweep_reserve(scarce__sweep *s, size_t n)
{
    if (n <= s->capacity) return 1;
    scarce__sweep_deinit(s);
    s->time = scarce__malloc_array(n + STEP, sizeof *s->time);
    s->begin = scarce__malloc_array(n, sizeof *s->begin);
    s->end = scarce__malloc_array(n, sizeof *s->end);
    s->known = scarce__malloc_array(n + 1, sizeof *s->known);
    s->sum = scarce__malloc_array(n + 1, sizeof *s->sum);
    s->squares = scarce__malloc_array(n + 1, sizeof *s->squares);
    s->extreme = scarce__malloc_array(n, sizeof *s->extreme);
    if (!s->time || !s->begin || !s->end || !s->known || !s->sum || !s->squares || !s->extreme) {
        scarce__sweep_deinit(s);
        return 0;
    }
    s->capacity = n;
    return 1;
}

void scarce__sweep_deinit(scarce__sweep *s)
{
    scarce__free(s->time);
    scarce__free(s->begin);
    scarce__free(s->end);
    scarce__free(s->known);
    scarce__free(s->sum);
    scarce__free(s->squares);
    scarce__free(s->extreme);
    memset(s, 0, sizeof *s);
}

/* ---- windows */

/* The first at or behind `at` whose time is above the limit; STEP times behind the last are there, and above all. */
static inline uint32_t advance(const int32_t *time, uint32_t at, int32_t limit)
{
    for (;;) {
        const int32_t *t = time + at;
        const int past = (t[0] <= limit) + (t[1] <= limit) + (t[2] <= limit) + (t[3] <= limit);
        at += (uint32_t)past;
        if (past < STEP) return at;
    }
}

static inline int32_t limit_of(int32_t time, int64_t back)
{
    const int64_t limit = time - back;
    return limit < INT32_MIN ? INT32_MIN : (int32_t)limit; /* no time is so early */
}

/* How many records are at or before `back` seconds before each. */
static void positions(uint32_t *out, const int32_t *time, size_t n, int64_t back)
{
    const size_t part = n / LANES;
    uint32_t at[LANES] = {0};
    for (int k = 1; k < LANES && part > 0; ++k) { /* the first of each lane by halving */
        const int32_t limit = limit_of(time[(size_t)k * part], back);
        size_t from = at[k - 1], to = n;
        while (from < to) {
            const size_t middle = from + (to - from) / 2;
            if (time[middle] > limit) to = middle;
            else from = middle + 1;
        }
        at[k] = (uint32_t)from;
    }
    for (size_t i = 0; i < part; ++i)
        for (int k = 0; k < LANES; ++k) {
            const size_t r = (size_t)k * part + i;
            out[r] = at[k] = advance(time, at[k], limit_of(time[r], back));
        }
    for (size_t i = LANES * part; i < n; ++i)
        out[i] = at[LANES - 1] = advance(time, at[LANES - 1], limit_of(time[i], back));
}

static void find_windows(scarce__sweep *s, const scarce__feature_window *w, const int32_t *time, size_t n)
{
    memcpy(s->time, time, n * sizeof *time);
    for (int i = 0; i < STEP; ++i) s->time[n + (size_t)i] = INT32_MAX;
    positions(s->begin, s->time, n, w->delay + w->span);
    if (w->delay) positions(s->end, s->time, n, w->delay);
    else /* all before it, of the same second too */
        for (size_t i = 0; i < n; ++i) s->end[i] = (uint32_t)(i + (size_t)w->current);
}

/* ---- sums */

static void add_up(scarce__sweep *s, const scarce__sweep_part *part, const int32_t *x, int missing, size_t n)
{
    int64_t sum = 0;
    uint32_t known = 0;
    s->sum[0] = 0;
    s->known[0] = 0;
    for (size_t i = 0; i < n; ++i) {
        const int there = x[i] != SCARCE__SMALL_MISSING;
        sum += there ? x[i] : 0;
        s->sum[i + 1] = sum;
        known += (uint32_t)there;
        if (missing) s->known[i + 1] = known;
    }
    if (!part->squares) return;
    s->squares[0] = 0;
    for (size_t i = 0; i < n; ++i) {
        const int64_t v = x[i] == SCARCE__SMALL_MISSING ? 0 : x[i];
        s->squares[i + 1] = s->squares[i] + (uint64_t)(v * v);
    }
}

static inline uint32_t known_in(const scarce__sweep *s, int missing, size_t i)
{
    return missing ? s->known[s->end[i]] - s->known[s->begin[i]] : s->end[i] - s->begin[i];
}

static inline int64_t sum_in(const scarce__sweep *s, size_t i)
{
    return s->sum[s->end[i]] - s->sum[s->begin[i]];
}

/* ---- features, each a column of `out` */

typedef struct column {
    const scarce__feature_aggregate *a;
    double *out;
    size_t step, n;
    int missing;
} column;

static void write_counts(const scarce__sweep *s, const column *c)
{
    const double none = isnan(c->a->empty) ? 0 : c->a->empty;
    for (size_t i = 0; i < c->n; ++i) {
        const uint32_t in = s->end[i] - s->begin[i];
        c->out[i * c->step] = in ? (double)in : none;
    }
}

static void write_sums(const scarce__sweep *s, const column *c)
{
    const double none = isnan(c->a->empty) ? 0 : c->a->empty, scale = c->a->scale;
    for (size_t i = 0; i < c->n; ++i)
        c->out[i * c->step] = known_in(s, c->missing, i) ? (double)sum_in(s, i) / scale : none;
}

static void write_means(const scarce__sweep *s, const column *c)
{
    const double none = c->a->empty, scale = c->a->scale;
    for (size_t i = 0; i < c->n; ++i) {
        const uint32_t known = known_in(s, c->missing, i);
        c->out[i * c->step] = known ? (double)sum_in(s, i) / ((double)known * scale) : none;
    }
}

static void write_deviations(const scarce__sweep *s, const column *c)
{
    for (size_t i = 0; i < c->n; ++i) {
        const scarce__u128 q = s->squares[s->end[i]] - s->squares[s->begin[i]];
        const scarce__sum total = {
            sum_in(s, i), {(uint64_t)q, (uint64_t)(q >> 64), 0}, 0, 0, known_in(s, c->missing, i)};
        c->out[i * c->step] = scarce__read_sum(c->a, &total, 0);
    }
}

/* What is missing is below everything, with either sign. */
static inline int32_t signed_value(int32_t x, int sign)
{
    return x == SCARCE__SMALL_MISSING ? x : sign * x;
}

/* The largest with sign 1, the smallest with sign -1. */
static void write_extremes(const scarce__sweep *s, const column *c, const int32_t *x, int sign)
{
    const double none = c->a->empty, scale = c->a->scale;
    int32_t behind = SCARCE__SMALL_MISSING; /* the largest from the cut on */
    int32_t *from = s->extreme;             /* [j], j < cut: the largest of j, ..., cut - 1 */
    size_t cut = 0, next = 0;
    for (size_t i = 0; i < c->n; ++i) {
        const size_t begin = s->begin[i];
        for (; next < s->end[i]; ++next) {
            const int32_t v = signed_value(x[next], sign);
            behind = v > behind ? v : behind;
        }
        if (begin >= cut) {
            int32_t most = SCARCE__SMALL_MISSING;
            for (size_t j = cut = next; j > begin; --j) {
                const int32_t v = signed_value(x[j - 1], sign);
                from[j - 1] = most = v > most ? v : most;
            }
            behind = SCARCE__SMALL_MISSING;
        }
        const int32_t before = begin < cut ? from[begin] : SCARCE__SMALL_MISSING;
        const int32_t most = before > behind ? before : behind;
        c->out[i * c->step] = most == SCARCE__SMALL_MISSING ? none : (double)(sign * most) / scale;
    }
}

void scarce__sweep_run(scarce__sweep *s, const scarce__sweep_part *part, const int32_t *time,
                       const int32_t *values, int missing, size_t n, double *out)
{
    find_windows(s, part->window, time, n);
    if (part->value >= 0) add_up(s, part, values, missing, n);
    for (size_t i = 0; i < part->n; ++i) {
        const column c = {&part->first[i], out + i, part->n, n, missing};
        switch (c.a->op) {
        case SCARCE__AGG_COUNT: write_counts(s, &c); break;
        case SCARCE__AGG_SUM: write_sums(s, &c); break;
        case SCARCE__AGG_MEAN: write_means(s, &c); break;
        case SCARCE__AGG_SD: write_deviations(s, &c); break;
        default: write_extremes(s, &c, values, c.a->op == SCARCE__AGG_MAX ? 1 : -1); break;
        }
    }
}
