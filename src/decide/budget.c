/* SPDX-License-Identifier: Apache-2.0 */
/* A budget of K alerts per span of time (call it a day), kept by deciding each row when it comes.
 *
 *     alert  <=>  rows better than this one that are still to be expected today  <  budget left
 *
 * ("Budget-ratio" or certainty-equivalent control: with the distribution known, what it loses against
 * choosing with hindsight stays bounded however many rows there are.) What is to be expected comes from the
 * last D days that had rows. Day d had c_d rows that lay later in the day and scored higher; then, with
 * medians over those days, which a day of attacks among them doesn't move,
 *
 *     expected = rho median(c_d),   rho = v (seen + a) / (v foreseen + a),   v = (n + a) / (m + a),   a = 10
 *
 * v compares how many rows there were up to this time of the day: n today, m the median. The other factor
 * compares how many of them reached the level that fills a usual day (the median of the K-th best scores):
 * seen today, foreseen the median. On a day of attacks rho grows, and the level rises before the budget is
 * gone. rho is at least 1/4. On the first day nothing is remembered: with u of the day gone and b better rows
 * seen, b (1 - u) / u are to be expected.
 *
 * Of a day that ends only rows are kept that can matter: those among the 8 K highest of the rows after them,
 * sorted once; a Fenwick tree counts those still to come. A row costs O(D log rows). */
#include "decide/budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"

enum { PRIOR = 10, TOP = 8192, MOST_SPANS = 31, SLOTS = 96 };

static const double LEAST_RHO = 0.25;

typedef struct seen_row {
    double at, score; /* seconds into the span */
} seen_row;

/* A span that is over. */
typedef struct memory {
    size_t n;                 /* rows that are kept */
    double *level;            /* their scores, highest first */
    double *at;               /* when they came, earliest first */
    uint32_t *which;          /* which of `level` that is */
    uint32_t *tree;           /* Fenwick: how many of the levels are still to come; items 1 to n */
    size_t next;              /* of `at`: the first that is still to come */
    size_t usual;             /* levels at or above the usual one, */
    size_t gone;              /* and how many of them are over */
    double before[SLOTS + 1]; /* all rows of the span, before each slot of time */
} memory;

struct scarce_budget {
    scarce_budget_options o;
    size_t budget, left;
    int begun;
    double number, now; /* of the span, and the latest time in it */
    seen_row *today;
    size_t n_today, capacity;
    size_t slot[SLOTS], n_all; /* rows of today by time, and in all */
    double *top;               /* highest of every `each`-th row of today, falling */
    size_t n_top, each;
    memory *past; /* oldest first */
    size_t n_past;
    double usual, seen; /* the level that fills a usual span; rows of today that reached it */
};

static void memory_deinit(memory *m)
{
    scarce__free(m->level);
    scarce__free(m->at);
    scarce__free(m->which);
    scarce__free(m->tree);
    memset(m, 0, sizeof *m);
}

void scarce_budget_free(scarce_budget *b)
{
    if (!b) return;
    for (size_t i = 0; b->past && i < b->n_past; ++i) memory_deinit(&b->past[i]);
    scarce__free(b->past);
    scarce__free(b->today);
    scarce__free(b->top);
    scarce__free(b);
}

scarce_status scarce__budget_options(scarce_budget_options *out, const scarce_budget_options *given,
                                     scarce_error *err)
{
    const scarce_budget_options defaults = SCARCE_BUDGET_OPTIONS_INIT;

    *out = defaults;
    SCARCE__TRY(SCARCE__OPTIONS(out, given, SCARCE_BUDGET_OPTIONS_INIT, err));
    if (!(out->budget >= 0 && out->budget <= 1e9))
        return scarce__fail(err, SCARCE_EINVAL, "budget is %g alerts, allowed are 0 to 1e9", out->budget);
    if (!(out->span > 0) || isinf(out->span))
        return scarce__fail(err, SCARCE_EINVAL, "length of the budget's time span is %g, must be > 0",
                            out->span);
    if (out->spans < 1 || out->spans > MOST_SPANS)
        return scarce__fail(err, SCARCE_EINVAL, "%d spans to remember, allowed are 1 to %d", out->spans,
                            (int)MOST_SPANS);
    return SCARCE_OK;
}

scarce_status scarce_budget_new(scarce_budget **out, const scarce_budget_options *options, scarce_error *err)
{
    scarce_budget_options o;
    scarce_budget *b;

    *out = NULL;
    SCARCE__TRY(scarce__budget_options(&o, options, err));
    b = scarce__calloc(1, sizeof *b);
    if (b) {
        b->past = scarce__calloc((size_t)o.spans, sizeof *b->past);
        b->top = scarce__malloc_array(TOP, sizeof *b->top);
    }
    if (!b || !b->past || !b->top) {
        scarce_budget_free(b);
        return scarce__fail_memory(err, "a budget", 0);
    }
    b->o = o;
    b->budget = (size_t)o.budget;
    b->each = 1 + b->budget / (TOP / 8);
    *out = b;
    return SCARCE_OK;
}

/* ---- what a span leaves behind */

static void sink(double *heap, size_t n, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t kid = 2 * at + 1; kid <= 2 * at + 2 && kid < n; ++kid)
            if (heap[kid] < heap[least]) least = kid;
        if (least == at) return;
        const double swap = heap[at];
        heap[at] = heap[least];
        heap[least] = swap;
        at = least;
    }
}

/* Ties by the score: qsort may leave equals in any order, and C libraries differ in it. */
static int by_time(const void *a, const void *b)
{
    const seen_row *x = a, *y = b;
    if (x->at == y->at) return (x->score > y->score) - (x->score < y->score);
    return (x->at > y->at) - (x->at < y->at);
}

/* Rows, put in the order of time, shrink to those among the `most` highest of what follows them. */
static scarce_status prune(seen_row *rows, size_t *n, size_t most, scarce_error *err)
{
    double *heap;
    size_t held = 0, kept = *n;

    if (*n <= most) return SCARCE_OK;
    heap = scarce__malloc_array(most, sizeof *heap); /* the lowest of the highest on top */
    if (!heap) return scarce__fail_memory(err, "a budget", most * sizeof *heap);
    qsort(rows, *n, sizeof *rows, by_time);
    for (size_t i = *n; i-- > 0;) {
        const seen_row row = rows[i];
        if (held < most) {
            heap[held++] = row.score;
            for (size_t k = held == most ? most / 2 : 0; k-- > 0;) sink(heap, most, k);
        } else if (row.score > heap[0]) {
            heap[0] = row.score;
            sink(heap, most, 0);
        } else continue;
        rows[--kept] = row;
    }
    memmove(rows, rows + kept, (*n - kept) * sizeof *rows);
    *n -= kept;
    scarce__free(heap);
    return SCARCE_OK;
}

static int by_score(const void *a, const void *b)
{
    const seen_row *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

typedef struct due {
    double at;
    uint32_t which;
} due;

static int by_due(const void *a, const void *b)
{
    const due *x = a, *y = b;
    if (x->at != y->at) return x->at > y->at ? 1 : -1;
    return x->which < y->which ? -1 : x->which > y->which;
}

/* Sorts the rows by their score. */
static scarce_status memory_new(memory *out, seen_row *rows, size_t n, const size_t *slot, scarce_error *err)
{
    memory m = {0};
    due *order = scarce__malloc_array(n, sizeof *order);

    m.n = n;
    m.level = scarce__malloc_array(n, sizeof *m.level);
    m.at = scarce__malloc_array(n, sizeof *m.at);
    m.which = scarce__malloc_array(n, sizeof *m.which);
    m.tree = scarce__malloc_array(n + 1, sizeof *m.tree);
    if (!order || !m.level || !m.at || !m.which || !m.tree) {
        memory_deinit(&m);
        scarce__free(order);
        return scarce__fail_memory(err, "a budget", n * 40);
    }
    qsort(rows, n, sizeof *rows, by_score);
    for (size_t i = 0; i < n; ++i) {
        m.level[i] = rows[i].score;
        order[i] = (due){rows[i].at, (uint32_t)i};
    }
    qsort(order, n, sizeof *order, by_due);
    for (size_t i = 0; i < n; ++i) {
        m.at[i] = order[i].at;
        m.which[i] = order[i].which;
    }
    for (size_t s = 0; s < SLOTS; ++s) m.before[s + 1] = m.before[s] + (double)slot[s];
    scarce__free(order);
    *out = m;
    return SCARCE_OK;
}

/* Levels above the score, or also those at it. */
static size_t levels_above(const double *level, size_t n, double score, int at_too)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (level[middle] > score || (at_too && level[middle] == score)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A new day: all is still to come. */
static void memory_rewind(memory *m, double usual)
{
    m->next = m->gone = 0;
    m->usual = levels_above(m->level, m->n, usual, 1);
    for (size_t i = 0; i < m->n; ++i) m->tree[i + 1] = (uint32_t)((i + 1) & ~i); /* the lowest bit of i + 1 */
}

static void memory_advance(memory *m, double now)
{
    for (; m->next < m->n && m->at[m->next] <= now; ++m->next) {
        m->gone += m->which[m->next] < m->usual;
        for (size_t i = (size_t)m->which[m->next] + 1; i <= m->n; i += i & (~i + 1)) --m->tree[i];
    }
}

/* Rows still to come with a score above this one. */
static double memory_better(const memory *m, double score)
{
    size_t count = 0;
    for (size_t i = levels_above(m->level, m->n, score, 0); i > 0; i &= i - 1) count += m->tree[i];
    return (double)count;
}

/* All rows up to this time, even within a slot. */
static double memory_rows(const memory *m, double slots)
{
    const size_t slot = slots < SLOTS ? (size_t)slots : SLOTS - 1;
    return m->before[slot] + (slots - (double)slot) * (m->before[slot + 1] - m->before[slot]);
}

/* Sorts. */
static double median(double *x, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        const double value = x[i];
        size_t k = i;
        for (; k > 0 && x[k - 1] > value; --k) x[k] = x[k - 1];
        x[k] = value;
    }
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* ---- one row after another */

/* Today becomes the youngest of the past. */
static scarce_status remember(scarce_budget *b, scarce_error *err)
{
    memory today;

    if (b->n_today == 0) return SCARCE_OK;
    SCARCE__TRY(prune(b->today, &b->n_today, 8 * (b->budget ? b->budget : 1), err));
    if (b->n_today >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EDATA, "%zu rows are too many to remember", b->n_today);
    SCARCE__TRY(memory_new(&today, b->today, b->n_today, b->slot, err));
    if (b->n_past == (size_t)b->o.spans) {
        memory_deinit(&b->past[0]);
        memmove(b->past, b->past + 1, --b->n_past * sizeof *b->past);
    }
    b->past[b->n_past++] = today;
    b->n_today = 0;
    return SCARCE_OK;
}

static scarce_status begin_span(scarce_budget *b, double number, scarce_error *err)
{
    double level[MOST_SPANS];

    SCARCE__TRY(remember(b, err));
    for (size_t i = 0; i < b->n_past; ++i) {
        const memory *m = &b->past[i];
        level[i] = m->level[(b->budget < m->n ? b->budget : m->n) - (b->budget > 0)];
    }
    if (b->n_past) b->usual = median(level, b->n_past);
    for (size_t i = 0; i < b->n_past; ++i) memory_rewind(&b->past[i], b->usual);
    b->number = number;
    b->begun = 1;
    b->left = b->budget;
    b->now = b->seen = 0;
    b->n_top = b->n_all = 0;
    memset(b->slot, 0, sizeof b->slot);
    return SCARCE_OK;
}

static void top_add(scarce_budget *b, double score)
{
    const size_t at = levels_above(b->top, b->n_top, score, 0);

    if (at == TOP) return;
    if (b->n_top < TOP) ++b->n_top;
    memmove(b->top + at + 1, b->top + at, (b->n_top - 1 - at) * sizeof *b->top);
    b->top[at] = score;
}

static double first_day(const scarce_budget *b, double score)
{
    const double u = b->now / b->o.span;
    return u > 0 ? (double)(b->each * levels_above(b->top, b->n_top, score, 0)) * (1 - u) / u : 0;
}

static double expected_better(const scarce_budget *b, double score)
{
    double better[MOST_SPANS], gone[MOST_SPANS], rows[MOST_SPANS];

    if (b->n_past == 0) return first_day(b, score);
    for (size_t i = 0; i < b->n_past; ++i) {
        better[i] = memory_better(&b->past[i], score);
        gone[i] = (double)b->past[i].gone;
        rows[i] = memory_rows(&b->past[i], b->now / b->o.span * SLOTS);
    }
    const double v = ((double)b->n_all + PRIOR) / (median(rows, b->n_past) + PRIOR);
    const double rho = v * (b->seen + PRIOR) / (v * median(gone, b->n_past) + PRIOR);
    return (rho > LEAST_RHO ? rho : LEAST_RHO) * median(better, b->n_past);
}

static int decide(scarce_budget *b, double score)
{
    int alert;

    if (b->left == 0) return 0;
    if (b->n_past == 0 && !isnan(b->o.start)) alert = score >= b->o.start;
    else alert = expected_better(b, score) < (double)b->left;
    if (alert) --b->left;
    return alert;
}

static void note_row(scarce_budget *b, double at, double score)
{
    const double slot = at / b->o.span * SLOTS;

    b->seen += b->n_past && score >= b->usual;
    if (b->n_past == 0 && b->n_today % b->each == 0) top_add(b, score);
    b->today[b->n_today++] = (seen_row){at, score};
    ++b->slot[slot < SLOTS ? (size_t)slot : SLOTS - 1];
    ++b->n_all;
}

scarce_status scarce_budget_offer(scarce_budget *b, double time, double score, int *alert, scarce_error *err)
{
    const double number = floor(time / b->o.span);

    *alert = 0;
    if (!isfinite(number)) return scarce__fail(err, SCARCE_EDATA, "time is %g", time);
    if (isnan(score)) return scarce__fail(err, SCARCE_EDATA, "score is %g", score);
    if (b->begun && number < b->number)
        return scarce__fail(err, SCARCE_EDATA, "time %.17g lies before the span that has begun", time);
    if (!b->begun || number > b->number) SCARCE__TRY(begin_span(b, number, err));
    if (b->n_today == b->capacity) {
        const size_t capacity = 2 * b->capacity + 1024;
        seen_row *grown = scarce__realloc_array(b->today, capacity, sizeof *grown);
        if (!grown) return scarce__fail_memory(err, "a budget", capacity * sizeof *grown);
        b->today = grown;
        b->capacity = capacity;
    }
    const double at = fmax(0, time - number * b->o.span);
    if (at > b->now) b->now = at;
    for (size_t i = 0; i < b->n_past; ++i) memory_advance(&b->past[i], b->now);
    *alert = decide(b, score);
    note_row(b, at, score);
    return SCARCE_OK;
}
