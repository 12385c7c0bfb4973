/* SPDX-License-Identifier: Apache-2.0 */
/* Tables are mostly in order of time, and most features are counts and sums. Then a window of a key is two positions that
 * only go forward, and a sum over it is the difference of two sums from the key's first record on, in integers, so that
 * it is that of the engine to the last bit (tests compare both with the contract).
 *
 *     window of i:  begin[i] = first j with t_j > t_i - delay - span,   end[i] = first j with t_j > t_i - delay
 *     sum over it:  S[end] - S[begin],   S[j] = x_0 + ... + x_(j-1)
 *
 * Values are below 2^31 and a key has at most 2^21 records, so the difference is exact as a double too.
 *
 * The largest of a window of m records is that of two stretches of 2^k that cover it, 2^k <= m < 2^(k+1):
 *     T_0[j] = x_j,   T_(k+1)[j] = max(T_k[j], T_k[j + 2^k]),   largest = max(T_k[begin], T_k[end - 2^k])
 * which nothing has to guess; a table of a few kilobytes. For a key with thousands of records it would be large. Then the
 * largest comes from two parts that meet at a cut: of the part before the cut the largest from each position on is known,
 * of the part behind it the largest so far is. When the window's begin passes the cut, the cut moves to its end: each
 * record is looked at twice, whatever the windows are. */
#include "feature/sweep.h"

#include <math.h>

#include "core/alloc.h"
#include "core/simd.h"
#include "feature/group.h"
#include "feature/kind.h"

/* Positions are found from the one before, so one chain of loads would bind the whole: LANES stretches of the records
 * are walked side by side. A step looks at several times at once, which is enough in most cases, so that there is hardly
 * a branch to guess wrongly. */
enum { LANES = 4, STEP = SCARCE__SWEEP_STEP, LEVELS = 13 }; /* 2^12 = SCARCE__SWEEP_SHORT */

int scarce__sweep_can(const scarce__feature_kind *kind)
{
    if (kind->labels || kind->n_filters > 1 || kind->n_counted > 0) return 0;
    for (size_t i = 0; i < kind->n_windows; ++i)
        if (kind->windows[i].span == 0) return 0;
    for (size_t i = 0; i < kind->n_aggregates; ++i)
        if (kind->aggregates[i].op > SCARCE__AGG_SD) return 0;
    return 1;
}

static int take_words(scarce__sweep_part *p, int n)
{
    const int at = (int)p->words;
    p->words += (size_t)n;
    return at;
}

/* Numbers of two words first, so that they are aligned. */
static void lay_out(scarce__sweep_part *p)
{
    int sum = 0, sd = 0, most = 0, least = 0;
    for (size_t i = 0; i < p->n; ++i) {
        const scarce__feature_op op = p->first[i].op;
        sum |= op == SCARCE__AGG_SUM || op == SCARCE__AGG_MEAN;
        sd |= op == SCARCE__AGG_SD;
        most |= op == SCARCE__AGG_MAX;
        least |= op == SCARCE__AGG_MIN;
    }
    p->sum = sum ? take_words(p, 2) : -1;
    p->sd = sd ? take_words(p, 2) : -1;
    p->count = take_words(p, 1);
    p->known = p->missing ? take_words(p, 1) : p->count;
    p->most = most ? take_words(p, 1) : -1;
    p->least = least ? take_words(p, 1) : -1;
    p->words += p->words & 1;
}

scarce__sweep_part scarce__sweep_part_at(const scarce__feature_kind *k, size_t from, const uint8_t *missing)
{
    scarce__sweep_part p;
    int measure = -1;

    memset(&p, 0, sizeof p);
    p.first = &k->aggregates[from];
    p.window = &k->windows[p.first->window];
    p.value = -1;
    for (size_t a = from; a < k->n_aggregates && k->aggregates[a].window == p.first->window; ++a, ++p.n) {
        const scarce__feature_aggregate *g = &k->aggregates[a];
        if (g->op == SCARCE__AGG_COUNT) continue; /* counts go with whatever measure comes next to them */
        if (measure >= 0 && g->measure != measure) break;
        measure = g->measure;
        p.value = k->measures[measure].value;
    }
    p.missing = p.value >= 0 && missing[p.value];
    lay_out(&p);
    return p;
}

int scarce__sweep_reserve(scarce__sweep *s, size_t n)
{
    const size_t few = n < SCARCE__SWEEP_SHORT ? n : SCARCE__SWEEP_SHORT;
    if (n <= s->capacity) return 1;
    scarce__sweep_deinit(s);
    s->begin = scarce__malloc_array(n, sizeof *s->begin);
    s->end = scarce__malloc_array(n, sizeof *s->end);
    s->known = scarce__malloc_array(n + 1, sizeof *s->known);
    s->sum = scarce__malloc_array(n + 1, sizeof *s->sum);
    s->squares = scarce__malloc_array(n + 1, sizeof *s->squares);
    s->extreme = scarce__malloc_array(1 + (few * LEVELS > n ? few * LEVELS : n), sizeof *s->extreme);
    if (!s->begin || !s->end || !s->known || !s->sum || !s->squares || !s->extreme) {
        scarce__sweep_deinit(s);
        return 0;
    }
    for (size_t m = 2; m <= SCARCE__SWEEP_SHORT; ++m) s->level[m] = (uint8_t)(s->level[m / 2] + 1);
    s->capacity = n;
    return 1;
}

void scarce__sweep_deinit(scarce__sweep *s)
{
    scarce__free(s->begin);
    scarce__free(s->end);
    scarce__free(s->known);
    scarce__free(s->sum);
    scarce__free(s->squares);
    scarce__free(s->extreme);
    memset(s, 0, sizeof *s);
}

/* ---- windows */

/* The first at or behind `at` whose time is above the limit: there is one. What stands behind it doesn't matter. */
static inline uint32_t advance(const int32_t *time, uint32_t at, int32_t limit)
{
    for (;;) {
        const int32_t *t = time + at;
#if SCARCE__HAVE_AVX2 /* and SSE2, which every x86-64 has */
        const __m128i above =
            _mm_cmpgt_epi32(_mm_loadu_si128((const __m128i *)(const void *)t), _mm_set1_epi32(limit));
        const int passed = __builtin_ctz((unsigned)_mm_movemask_ps(_mm_castsi128_ps(above)) | 1u << STEP);
#else
        const int a = t[0] <= limit, b = a & (t[1] <= limit), c = b & (t[2] <= limit),
                  d = c & (t[3] <= limit), passed = a + b + c + d;
#endif
        at += (uint32_t)passed;
        if (passed < STEP) return at;
    }
}

static inline int32_t limit_of(int32_t time, int64_t back)
{
    const int64_t limit = time - back;
    return limit < INT32_MIN ? INT32_MIN : (int32_t)limit; /* no time is so early */
}

/* The first position of each lane by halving. */
static void first_positions(uint32_t at[LANES], const int32_t *time, size_t n, int64_t back)
{
    const size_t part = n / LANES;
    at[0] = 0;
    for (int k = 1; k < LANES; ++k) {
        const int32_t limit = limit_of(time[(size_t)k * part], back);
        size_t from = at[k - 1], to = n;
        while (from < to) {
            const size_t middle = from + (to - from) / 2;
            if (time[middle] > limit) to = middle;
            else from = middle + 1;
        }
        at[k] = (uint32_t)from;
    }
}

/* How many records are at or before `back` seconds before each. */
static void positions(uint32_t *out, const int32_t *time, size_t n, int64_t back)
{
    const size_t part = n / LANES;
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (part > 0) {
        uint32_t at[LANES];
        first_positions(at, time, n, back);
        a = at[0];
        b = at[1];
        c = at[2];
        d = at[3];
    }
    for (size_t i = 0; i < part; ++i) {
        const int32_t *t = time + i;
        uint32_t *to = out + i;
        to[0] = a = advance(time, a, limit_of(t[0], back));
        to[part] = b = advance(time, b, limit_of(t[part], back));
        to[2 * part] = c = advance(time, c, limit_of(t[2 * part], back));
        to[3 * part] = d = advance(time, d, limit_of(t[3 * part], back));
    }
    for (size_t i = LANES * part; i < n; ++i) out[i] = d = advance(time, d, limit_of(time[i], back));
}

static void find_windows(const scarce__sweep *s, const scarce__feature_window *w, const int32_t *time,
                         size_t n)
{
    positions(s->begin, time, n, w->delay + w->span);
    if (w->delay) positions(s->end, time, n, w->delay);
}

/* ---- counts and sums */

static void add_up(const scarce__sweep *s, const scarce__sweep_part *part, const int32_t *x, size_t n)
{
    int64_t sum = 0;
    uint32_t known = 0;
    s->sum[0] = 0;
    s->known[0] = 0;
    if (!part->missing) {
        for (size_t i = 0; i < n; ++i) s->sum[i + 1] = sum += x[i];
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        const int there = x[i] != SCARCE__SMALL_MISSING;
        s->sum[i + 1] = sum += there ? x[i] : 0;
        s->known[i + 1] = known += (uint32_t)there;
    }
}

/* Where the window of a record ends: without a delay behind all before it, of the same second too. */
static inline size_t end_of(const scarce__sweep *s, const scarce__feature_window *w, size_t i)
{
    return w->delay ? s->end[i] : i + (size_t)w->current;
}

static void write_counts(const scarce__sweep *s, const scarce__sweep_part *part, size_t n, uint32_t *out)
{
    const scarce__feature_window w = *part->window;
    for (size_t i = 0; i < n; ++i, out += part->words) {
        const size_t end = end_of(s, &w, i), begin = s->begin[i];
        out[part->count] = (uint32_t)(end - begin);
        if (part->missing) out[part->known] = s->known[end] - s->known[begin];
        if (part->sum >= 0) {
            const double sum = (double)(s->sum[end] - s->sum[begin]);
            memcpy(out + part->sum, &sum, sizeof sum);
        }
    }
}

/* The deviation of the part, missing where there is none: each feature has its own idea of what to say then. */
static scarce__feature_aggregate deviation_of(const scarce__sweep_part *part)
{
    scarce__feature_aggregate a = part->first[0];
    for (size_t i = 0; a.op != SCARCE__AGG_SD; ++i) a = part->first[i];
    a.empty = NAN;
    return a;
}

static void write_deviations(const scarce__sweep *s, const scarce__sweep_part *part, const int32_t *x,
                             size_t n, uint32_t *out)
{
    const scarce__feature_aggregate a = deviation_of(part);
    s->squares[0] = 0;
    for (size_t i = 0; i < n; ++i) {
        const int64_t v = x[i] == SCARCE__SMALL_MISSING ? 0 : x[i];
        s->squares[i + 1] = s->squares[i] + (uint64_t)(v * v);
    }
    for (size_t i = 0; i < n; ++i) {
        const size_t end = end_of(s, part->window, i), begin = s->begin[i];
        const scarce__u128 q = s->squares[end] - s->squares[begin];
        const uint64_t known = part->missing ? s->known[end] - s->known[begin] : end - begin;
        const scarce__sum total = {
            s->sum[end] - s->sum[begin], {(uint64_t)q, (uint64_t)(q >> 64), 0}, 0, 0, known};
        const double sd = scarce__read_sum(&a, &total, 0);
        memcpy(out + i * part->words + part->sd, &sd, sizeof sd);
    }
}

/* ---- the largest with sign 1, the smallest with sign -1 */

/* What is missing is below everything, with either sign. */
static inline int32_t signed_value(int32_t x, int sign)
{
    return x == SCARCE__SMALL_MISSING ? x : sign * x;
}

SCARCE__BODY void larger_body(int32_t *restrict to, const int32_t *a, const int32_t *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] = a[i] > b[i] ? a[i] : b[i];
}

static void larger_plain(int32_t *restrict to, const int32_t *a, const int32_t *b, size_t n)
{
    larger_body(to, a, b, n);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void larger_avx2(int32_t *restrict to, const int32_t *a, const int32_t *b, size_t n)
{
    larger_body(to, a, b, n);
}
#else
#define larger_avx2 larger_plain
#endif

/* As many levels of the table as the longest window asks for. */
static void make_table(int32_t *table, const scarce__sweep *s, const int32_t *x, int sign, size_t n,
                       size_t longest)
{
    const int avx2 = scarce__cpu_avx2();
    for (size_t i = 0; i < n; ++i) table[i] = signed_value(x[i], sign);
    for (int k = 0; k < s->level[longest]; ++k) {
        const size_t half = (size_t)1 << k;
        const int32_t *from = table + (size_t)k * n;
        (avx2 ? larger_avx2 : larger_plain)(table + (size_t)(k + 1) * n, from, from + half, n + 1 - 2 * half);
    }
}

/* The sign of what is missing is its own: -2^31 in 32 bits. An empty window looks at the place before its end, which is
 * there for the first one too, and forgets what it saw. */
static void write_from_table(const scarce__sweep *s, const scarce__sweep_part *part, const int32_t *x,
                             int sign, size_t n, uint32_t *out)
{
    const scarce__feature_window w = *part->window;
    int32_t *table = s->extreme + 1;
    size_t longest = 1;

    for (size_t i = 0; i < n; ++i) {
        const size_t m = end_of(s, &w, i) - s->begin[i];
        longest = m > longest ? m : longest;
    }
    make_table(table, s, x, sign, n, longest);
    table[-1] = SCARCE__SMALL_MISSING;
    for (size_t i = 0; i < n; ++i) {
        const size_t begin = s->begin[i], end = end_of(s, &w, i), level = s->level[end - begin];
        const int32_t *row = table + level * n;
        const int32_t a = row[begin], b = row[(ptrdiff_t)end - ((ptrdiff_t)1 << level)];
        const uint32_t some = 0u - (uint32_t)(end > begin), most = (uint32_t)(a > b ? a : b);
        out[i * part->words] = (uint32_t)sign * ((most & some) | ((uint32_t)SCARCE__SMALL_MISSING & ~some));
    }
}

static void write_extremes(const scarce__sweep *s, const scarce__sweep_part *part, const int32_t *x, int sign,
                           size_t n, uint32_t *out)
{
    int32_t behind = SCARCE__SMALL_MISSING; /* the largest from the cut on */
    int32_t *from = s->extreme;             /* [j], j < cut: the largest of j, ..., cut - 1 */
    size_t cut = 0, next = 0;
    if (n <= SCARCE__SWEEP_SHORT) {
        write_from_table(s, part, x, sign, n, out);
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        const size_t begin = s->begin[i];
        for (const size_t end = end_of(s, part->window, i); next < end; ++next) {
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
        out[i * part->words] = (uint32_t)(most == SCARCE__SMALL_MISSING ? most : sign * most);
    }
}

void scarce__sweep_run(scarce__sweep *s, const scarce__sweep_part *part, const int32_t *time,
                       const int32_t *values, size_t n, uint32_t *out)
{
    find_windows(s, part->window, time, n);
    if (part->value >= 0) add_up(s, part, values, n);
    write_counts(s, part, n, out);
    if (part->sd >= 0) write_deviations(s, part, values, n, out);
    if (part->most >= 0) write_extremes(s, part, values, 1, n, out + part->most);
    if (part->least >= 0) write_extremes(s, part, values, -1, n, out + part->least);
}
