/* SPDX-License-Identifier: Apache-2.0 */
/* Samples for members: the bootstrap (Breiman: Bagging predictors, Machine Learning 24, 1996), the bootstrap of each
 * class (Chen, Liaw and Breiman: Using random forest to learn imbalanced data, 2004), and all rows of the rarer class
 * with as many of the other (Liu, Wu and Zhou: Exploratory undersampling, 2009).
 *
 * A class whose rows are all wanted is taken as it is. Costs follow the rows drawn, not those there are, where a class
 * is sampled: a thousand members on few positives never go over the negatives. */
#include "ensemble/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

scarce_status scarce__classes_new(scarce__classes *out, const uint8_t *label, const uint32_t *rows, size_t n,
                                  scarce_error *err)
{
    size_t at = 0;

    *out = (scarce__classes){.n = n, .row = scarce__malloc_array(n, sizeof *out->row)};
    if (!out->row) return scarce__fail_memory(err, "the rows of classes", n * sizeof *out->row);
    for (int positive = 0; positive < 2; ++positive)
        for (size_t i = 0; i < n; ++i) {
            const uint32_t row = rows ? rows[i] : (uint32_t)i;
            if ((label[row] != 0) == positive) out->row[at++] = row;
            out->n_positives += positive == 0 && label[row] != 0;
        }
    return SCARCE_OK;
}

void scarce__classes_deinit(scarce__classes *c)
{
    scarce__free(c->row);
    memset(c, 0, sizeof *c);
}

void scarce__drawn_deinit(scarce__drawn *d)
{
    scarce__free(d->row);
    scarce__free(d->times);
    memset(d, 0, sizeof *d);
}

static size_t share_of(double share, size_t n)
{
    const double m = floor(share * (double)n + 0.5);
    return m < 1 ? (n > 0) : (size_t)m;
}

static size_t rarer(size_t n, size_t n_positives)
{
    return n_positives < n - n_positives ? n_positives : n - n_positives;
}

size_t scarce__draw_most(size_t n, size_t n_positives, scarce__member_rows how, double share)
{
    switch (how) {
    case SCARCE__MEMBER_BOOTSTRAP: return share_of(share, n) < n ? share_of(share, n) : n;
    case SCARCE__MEMBER_BOOTSTRAP_BALANCED:
    case SCARCE__MEMBER_BALANCED: {
        const size_t m = 2 * share_of(share, rarer(n, n_positives));
        return m < n ? m : n;
    }
    case SCARCE__MEMBER_ALL: break;
    }
    return n;
}

double scarce__draw_odds(const scarce__classes *c, scarce__member_rows how, double share)
{
    (void)share; /* the same of both classes */
    if (how != SCARCE__MEMBER_BOOTSTRAP_BALANCED && how != SCARCE__MEMBER_BALANCED) return 1;
    return (double)(c->n - c->n_positives) / (double)c->n_positives;
}

static scarce_status reserve(scarce__drawn *d, size_t n, scarce_error *err)
{
    d->n = 0;
    if (n <= d->room) return SCARCE_OK;
    scarce__drawn_deinit(d);
    d->row = scarce__malloc_array(n, sizeof *d->row);
    d->times = scarce__malloc_array(n, sizeof *d->times);
    if (!d->row || !d->times) {
        scarce__drawn_deinit(d);
        return scarce__fail_memory(err, "drawing rows", n * 2 * sizeof *d->row);
    }
    d->room = n;
    return SCARCE_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Rows `begin` .. d->n - 1 become ascending, each once. */
static void count_repeats(scarce__drawn *d, size_t begin)
{
    size_t to = begin;

    qsort(d->row + begin, d->n - begin, sizeof *d->row, by_number);
    for (size_t k = begin; k < d->n; ++k) {
        if (to > begin && d->row[to - 1] == d->row[k]) ++d->times[to - 1];
        else {
            d->row[to] = d->row[k];
            d->times[to++] = 1;
        }
    }
    d->n = to;
}

/* m draws with replacement from the rows listed, in proportion to few of them: by their numbers. */
static void draw_few(scarce__drawn *d, const uint32_t *row, size_t n, size_t m, scarce__random *r)
{
    const size_t begin = d->n;
    for (size_t k = 0; k < m; ++k) d->row[d->n++] = row[scarce__random_below(r, n)];
    count_repeats(d, begin);
}

/* The same where that is about all rows: by counts per row; `count` has n items, zero before and after. */
static void draw_many(scarce__drawn *d, const uint32_t *row, size_t n, size_t m, scarce__random *r,
                      uint32_t *count)
{
    for (size_t k = 0; k < m; ++k) ++count[scarce__random_below(r, n)];
    for (size_t i = 0; i < n; ++i) {
        if (count[i] == 0) continue;
        d->row[d->n] = row[i];
        d->times[d->n++] = count[i];
    }
}

/* m of the rows listed, without replacement (Floyd; `taken` has a bit per row, all 0), or all. */
static void draw_without(scarce__drawn *d, const uint32_t *row, size_t n, size_t m, scarce__random *r,
                         uint32_t *taken)
{
    if (m >= n) {
        for (size_t i = 0; i < n; ++i) {
            d->row[d->n] = row[i];
            d->times[d->n++] = 1;
        }
        return;
    }
    for (size_t j = n - m; j < n; ++j) {
        size_t k = (size_t)scarce__random_below(r, j + 1);
        if (taken[k / 32] >> (k & 31) & 1) k = j;
        taken[k / 32] |= (uint32_t)1 << (k & 31);
        d->row[d->n] = row[k];
        d->times[d->n++] = 1;
    }
    qsort(d->row + (d->n - m), m, sizeof *d->row, by_number);
}

/* Both classes in one ascending list. */
static scarce_status merge(scarce__drawn *d, size_t negatives, scarce_error *err)
{
    const size_t n = d->n;
    uint32_t *row = scarce__malloc_array(n, sizeof *row), *times = scarce__malloc_array(n, sizeof *times);
    size_t i = 0, j = negatives;

    if (!row || !times) {
        scarce__free(row);
        scarce__free(times);
        return scarce__fail_memory(err, "drawing rows", n * 2 * sizeof *row);
    }
    for (size_t k = 0; k < n; ++k) {
        const size_t from = j == n || (i < negatives && d->row[i] < d->row[j]) ? i++ : j++;
        row[k] = d->row[from];
        times[k] = d->times[from];
    }
    scarce__free(d->row);
    scarce__free(d->times);
    d->row = row;
    d->times = times;
    d->room = n;
    return SCARCE_OK;
}

static scarce_status draw_class(scarce__drawn *d, const uint32_t *row, size_t n, size_t m, int replace,
                                scarce__random *r, scarce_error *err)
{
    if (replace && m < n / 8) {
        draw_few(d, row, n, m, r);
        return SCARCE_OK;
    }
    uint32_t *room = replace ? scarce__calloc(n, sizeof *room) : scarce__calloc(n / 32 + 1, sizeof *room);
    if (!room) return scarce__fail_memory(err, "drawing rows", n * sizeof *room);
    if (replace) draw_many(d, row, n, m, r, room);
    else draw_without(d, row, n, m, r, room);
    scarce__free(room);
    return SCARCE_OK;
}

static scarce__random stream(uint64_t seed, uint64_t member, int class_of)
{
    return scarce__random_start(seed, SCARCE__FOR_ROWS, 2 * member + 1 + ((uint64_t)class_of << 40));
}

static scarce_status draw_classes(scarce__drawn *d, const scarce__classes *c, int replace, double share,
                                  uint64_t seed, uint64_t member, scarce_error *err)
{
    const size_t negatives = c->n - c->n_positives, m = share_of(share, rarer(c->n, c->n_positives));
    scarce__random r = stream(seed, member, 0);

    SCARCE__TRY(draw_class(d, c->row, negatives, m, replace, &r, err));
    const size_t cut = d->n;
    r = stream(seed, member, 1);
    SCARCE__TRY(draw_class(d, c->row + negatives, c->n_positives, m, replace, &r, err));
    return merge(d, cut, err);
}

/* A bootstrap that misses a class could teach nothing: its last draw is made anew among the rows of that class. `last`
 * is then of the other one. */
static void mend_class(uint32_t *count, const scarce__classes *c, size_t m, size_t last, scarce__random *r)
{
    const size_t begin[3] = {0, c->n - c->n_positives, c->n};

    for (int k = 0; m > 1 && k < 2; ++k) {
        size_t drawn = 0;
        for (size_t i = begin[k]; i < begin[k + 1]; ++i) drawn += count[i];
        if (drawn > 0 || begin[k] == begin[k + 1]) continue;
        --count[last];
        ++count[begin[k] + scarce__random_below(r, begin[k + 1] - begin[k])];
        return;
    }
}

/* All draws are from ascending lists, but negatives and positives stand apart: counts go by place, then in order. */
static scarce_status draw_all(scarce__drawn *d, const scarce__classes *c, size_t m, uint64_t seed,
                              uint64_t member, scarce_error *err)
{
    const size_t negatives = c->n - c->n_positives;
    scarce__random r = stream(seed, member, 0);
    size_t last = 0;
    uint32_t *count = scarce__calloc(c->n, sizeof *count);

    if (!count) return scarce__fail_memory(err, "drawing rows", c->n * sizeof *count);
    for (size_t k = 0; k < m; ++k) ++count[last = (size_t)scarce__random_below(&r, c->n)];
    mend_class(count, c, m, last, &r);
    for (size_t i = 0, j = negatives; i < negatives || j < c->n;) {
        const size_t from = j == c->n || (i < negatives && c->row[i] < c->row[j]) ? i++ : j++;
        if (count[from] == 0) continue;
        d->row[d->n] = c->row[from];
        d->times[d->n++] = count[from];
    }
    scarce__free(count);
    return SCARCE_OK;
}

scarce_status scarce__draw_member(scarce__drawn *out, const scarce__classes *c, scarce__member_rows how,
                                  double share, uint64_t seed, uint64_t member, scarce_error *err)
{
    const size_t m = how == SCARCE__MEMBER_BOOTSTRAP ? share_of(share, c->n)
                     : how == SCARCE__MEMBER_ALL     ? c->n
                                                     : 2 * share_of(share, rarer(c->n, c->n_positives));
    SCARCE__TRY(reserve(out, m, err));
    switch (how) {
    case SCARCE__MEMBER_BOOTSTRAP: return draw_all(out, c, m, seed, member, err);
    case SCARCE__MEMBER_BOOTSTRAP_BALANCED: return draw_classes(out, c, 1, share, seed, member, err);
    case SCARCE__MEMBER_BALANCED: return draw_classes(out, c, 0, share, seed, member, err);
    case SCARCE__MEMBER_ALL: break;
    }
    for (size_t i = 0, j = c->n - c->n_positives; i < c->n - c->n_positives || j < c->n;) {
        out->row[out->n] =
            j == c->n || (i < c->n - c->n_positives && c->row[i] < c->row[j]) ? c->row[i++] : c->row[j++];
        out->times[out->n++] = 1;
    }
    return SCARCE_OK;
}
