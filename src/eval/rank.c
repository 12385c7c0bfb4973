/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by their scores: three passes of 11 bits (core/sort.h), whatever the type.
 *
 * A double has 64 bits, so a plain radix sort takes six passes. But 32 well chosen bits part almost all rows:
 * the leading bits of their place on a scale that is linear near 0 and logarithmic further out (steps.h),
 * from the lowest to the highest score. These are sorted in three passes, least significant digit first, and
 * the few runs that are still equal are settled afterwards: short ones by insertion, long ones by the same
 * passes over the bits of the scores themselves, within the range of the run. Scores that are floats are
 * settled by the three passes alone.
 *
 * A row is one 64-bit element: key in the high half (already reversed: the best score sorts first), row
 * number in the low half. */
#include "eval/rank.h"

#include "core/alloc.h"
#include "eval/steps.h"

enum { SHORT_RUN = 48 }; /* settled by insertion */

typedef struct span {   /* what is known of the scores of a part of the rows */
    double lo, hi, sum; /* sum of sizes */
    int all_floats;
    size_t nan_row; /* SIZE_MAX: none */
} span;

typedef struct rank_job {
    const double *score;
    uint64_t *element;
    size_t n, parts;
    span spans[SCARCE__SORT_PARTS];
    int as_float;  /* else by place: equal keys need not be equal scores */
    uint32_t hi32; /* key of the highest score, as float */
    int64_t hi;    /* its place */
    double inv;
    int shift;
} rank_job;

static span span_of(const double *score, size_t begin, size_t end)
{
    span s = {score[begin], score[begin], 0, 0, SIZE_MAX};
    int rounded = 0, nan = 0;
    for (size_t i = begin; i < end; ++i) {
        const double x = score[i];
        s.lo = x < s.lo ? x : s.lo;
        s.hi = x > s.hi ? x : s.hi;
        s.sum += fabs(x);
        nan |= x != x;
        rounded |= (double)(float)x != x;
    }
    s.all_floats = !rounded;
    for (size_t i = begin; nan && i < end && s.nan_row == SIZE_MAX; ++i)
        if (isnan(score[i])) s.nan_row = i;
    return s;
}

static void find_span(void *arg, size_t part, int worker)
{
    rank_job *j = arg;
    (void)worker;
    j->spans[part] = span_of(j->score, scarce__part_begin(j->n, j->parts, part),
                             scarce__part_begin(j->n, j->parts, part + 1));
}

/* The 32-bit key, reversed so that the highest score has key 0. */
static uint64_t key_of(const rank_job *j, double x)
{
    if (j->as_float) return j->hi32 - scarce__float_key((float)x);
    return (uint64_t)(j->hi - scarce__steps_place(x, j->inv)) >> j->shift;
}

static void make_elements(void *arg, size_t part, int worker)
{
    rank_job *j = arg;
    const size_t end = scarce__part_begin(j->n, j->parts, part + 1);
    (void)worker;
    for (size_t i = scarce__part_begin(j->n, j->parts, part); i < end; ++i)
        j->element[i] = key_of(j, j->score[i]) << 32 | (uint64_t)i;
}

/* Chooses the keys; returns how many bits they have. */
static int choose_keys(rank_job *j)
{
    span all = j->spans[0];
    int width;
    for (size_t p = 1; p < j->parts; ++p) {
        if (j->spans[p].lo < all.lo) all.lo = j->spans[p].lo;
        if (j->spans[p].hi > all.hi) all.hi = j->spans[p].hi;
        all.sum += j->spans[p].sum;
        all.all_floats &= j->spans[p].all_floats;
    }
    j->as_float = all.all_floats;
    if (j->as_float) {
        j->hi32 = scarce__float_key((float)all.hi);
        return scarce__bit_width(j->hi32 - scarce__float_key((float)all.lo));
    }
    j->inv = scarce__steps_inverse(all.sum, j->n);
    j->hi = scarce__steps_place(all.hi, j->inv);
    width = scarce__bit_width((uint64_t)(j->hi - scarce__steps_place(all.lo, j->inv)));
    j->shift = width > 32 ? width - 32 : 0;
    return width - j->shift;
}

static size_t row_of(uint64_t element)
{
    return (size_t)(element & 0xffffffffu);
}

/* A short run: higher score first, equal ones as they stand. */
static void insertion_rows(uint64_t *e, size_t n, const double *score)
{
    double s[SHORT_RUN];
    for (size_t i = 0; i < n; ++i) {
        const uint64_t x = e[i];
        const double v = score[row_of(x)];
        size_t j = i;
        for (; j > 0 && s[j - 1] < v; --j) {
            s[j] = s[j - 1];
            e[j] = e[j - 1];
        }
        s[j] = v;
        e[j] = x;
    }
}

static void settle_runs(uint64_t *e, uint64_t *tmp, size_t n, const double *score, uint32_t *counts);

/* A long run of rows with equal keys: new keys from the bits of their scores, whose range is shorter each
 * time. The rows stand in ascending order, which the stable passes keep for equal scores. */
static void sort_run(uint64_t *e, uint64_t *tmp, size_t n, const double *score, uint32_t *counts)
{
    uint64_t lo = UINT64_MAX, hi = 0;
    uint64_t *at;
    int width, shift;

    for (size_t i = 0; i < n; ++i) {
        const uint64_t u = scarce__ordered_bits(score[row_of(e[i])]);
        if (u < lo) lo = u;
        if (u > hi) hi = u;
    }
    width = scarce__bit_width(hi - lo);
    if (width == 0) return;
    shift = width > 32 ? width - 32 : 0;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t u = scarce__ordered_bits(score[row_of(e[i])]);
        e[i] = (hi - u) >> shift << 32 | (uint64_t)row_of(e[i]);
    }
    at = scarce__radix(e, tmp, n, 0, 32, width - shift, counts, NULL);
    if (at != e) memcpy(e, at, n * sizeof *e);
    if (shift) settle_runs(e, tmp, n, score, counts);
}

static void settle_runs(uint64_t *e, uint64_t *tmp, size_t n, const double *score, uint32_t *counts)
{
    for (size_t i = 0; i < n;) {
        size_t j = i + 1;
        while (j < n && e[j] >> 32 == e[i] >> 32) ++j;
        if (j - i > SHORT_RUN) sort_run(e + i, tmp + i, j - i, score, counts);
        else if (j - i > 1) insertion_rows(e + i, j - i, score);
        i = j;
    }
}

/* Row numbers and group ends from sorted elements; returns the number of groups. Different keys mean
 * different scores; equal ones may hide a difference unless they are floats. */
static size_t write_ranking(scarce__ranking *r, const uint64_t *e, const rank_job *j)
{
    size_t groups = 0;
    for (size_t i = 0; i < r->n; ++i) {
        r->order[i] = (uint32_t)e[i];
        if (i > 0) {
            const int differs = e[i] >> 32 != e[i - 1] >> 32 ||
                                (!j->as_float && j->score[row_of(e[i])] != j->score[row_of(e[i - 1])]);
            r->group_end[groups] = (uint32_t)i;
            groups += (size_t)differs;
        }
    }
    if (r->n > 0) r->group_end[groups++] = (uint32_t)r->n;
    return groups;
}

static scarce_status rank_rows(scarce__ranking *r, rank_job *j, const char *what, scarce__pool *pool,
                               scarce_error *err)
{
    const size_t n = r->n;
    scarce_status st = SCARCE_ENOMEM;
    uint64_t *e = scarce__big_alloc(n, sizeof *e), *tmp = scarce__big_alloc(n, sizeof *tmp), *at;
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(pool, n), sizeof *counts);

    r->order = scarce__big_alloc(n, sizeof *r->order);
    r->group_end = scarce__big_alloc(n, sizeof *r->group_end);
    if (!e || !tmp || !counts || !r->order || !r->group_end) {
        scarce__fail_memory(err, "ranking the rows", n * 24);
        goto done;
    }
    j->element = e;
    at = e;
    if (n > 0) {
        int width;
        scarce__pool_run(pool, j->parts, find_span, j);
        for (size_t p = 0; p < j->parts; ++p) {
            if (j->spans[p].nan_row == SIZE_MAX) continue;
            st = scarce__fail(err, SCARCE_EDATA, "row %zu: the %s is NaN", j->spans[p].nan_row + 1, what);
            goto done;
        }
        width = choose_keys(j);
        scarce__pool_run(pool, j->parts, make_elements, j);
        at = scarce__radix(e, tmp, n, 0, 32, width, counts, pool);
        if (!j->as_float) settle_runs(at, at == e ? tmp : e, n, j->score, counts);
    }
    r->n_groups = write_ranking(r, at, j);
    st = SCARCE_OK;
done:
    scarce__free(e);
    scarce__free(tmp);
    scarce__free(counts);
    return st;
}

scarce_status scarce__rank(scarce__ranking *out, const double *score, size_t n, const char *what,
                           scarce__pool *pool, scarce_error *err)
{
    rank_job j;
    scarce_status st;

    memset(out, 0, sizeof *out);
    if (n >= UINT32_MAX - 1)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many to rank at once", n);
    memset(&j, 0, sizeof j);
    j.score = score;
    j.n = out->n = n;
    j.parts = scarce__sort_parts(pool, n);
    st = rank_rows(out, &j, what, pool, err);
    if (st != SCARCE_OK) scarce__ranking_deinit(out);
    return st;
}

void scarce__ranking_deinit(scarce__ranking *r)
{
    scarce__free(r->order);
    scarce__free(r->group_end);
    memset(r, 0, sizeof *r);
}
