/* SPDX-License-Identifier: Apache-2.0 */
/* Samples for members: the bootstrap (Breiman: Bagging predictors, Machine Learning 24, 1996), the bootstrap of each
 * class (Chen, Liaw and Breiman: Using random forest to learn imbalanced data, 2004), and all rows of the rarer class
 * with as many of the other (Liu, Wu and Zhou: Exploratory undersampling, 2009).
 *
 * A class whose rows are all wanted is taken as it is. Costs follow the rows drawn, not those there are, where a class
 * is sampled: a thousand members on few positives never go over the negatives.
 *
 * What is drawn are places in a list of coins: rows in the order of what they hold, each on as many places as it weighs.
 * So neither the order of the rows nor weights written as copies change a sample (classes.c). */
#include "ensemble/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

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

static size_t rarer(const size_t coins[2])
{
    return coins[0] < coins[1] ? coins[0] : coins[1];
}

/* Draws in all. */
static size_t draws_of(const scarce__classes *c, scarce__member_rows how, double share)
{
    switch (how) {
    case SCARCE__MEMBER_BOOTSTRAP: return share_of(share, c->coins[0] + c->coins[1]);
    case SCARCE__MEMBER_BOOTSTRAP_BALANCED:
    case SCARCE__MEMBER_BALANCED: return 2 * share_of(share, rarer(c->coins));
    case SCARCE__MEMBER_ALL: break;
    }
    return c->n;
}

size_t scarce__draw_room(const scarce__classes *c, scarce__member_rows how, double share)
{
    const size_t m = draws_of(c, how, share);
    return m < c->n ? m : c->n;
}

size_t scarce__draw_most(size_t n, size_t n_positives, scarce__member_rows how, double share)
{
    const scarce__classes c = {
        .n = n, .n_positives = n_positives, .coins = {n - n_positives, n_positives}, .n_rows = n};
    return scarce__draw_room(&c, how, share);
}

double scarce__draw_odds(const size_t coins[2], scarce__member_rows how)
{
    if (how != SCARCE__MEMBER_BOOTSTRAP_BALANCED && how != SCARCE__MEMBER_BALANCED) return 1;
    return (double)coins[0] / (double)coins[1];
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

uint32_t *scarce__drawn_rows(const scarce__drawn *d, const scarce__classes *c, size_t *n)
{
    size_t draws = 0, k = 0;
    uint32_t *rows;

    for (size_t i = 0; i < d->n; ++i) draws += d->times[i];
    rows = scarce__malloc_array(draws, sizeof *rows);
    for (size_t i = 0; rows && i < d->n; ++i)
        for (uint32_t t = 0; t < d->times[i]; ++t) rows[k++] = c->place[d->row[i]];
    if (rows) qsort(rows, draws, sizeof *rows, by_number);
    for (size_t i = 0; rows && i < draws; ++i) rows[i] = c->row[rows[i]];
    *n = draws;
    return rows;
}

/* ---- what is drawn, as it comes */

/* Many draws are counted per row of the table, few are listed and sorted: the same result. */
typedef struct tally {
    const scarce__classes *c;
    uint32_t *count; /* per row; NULL: listed */
    uint32_t *row;   /* of each draw */
    size_t n;
} tally;

static uint32_t row_of(const scarce__classes *c, size_t coin)
{
    size_t low = 0, high = c->n;

    if (!c->first) return c->row[coin];
    while (high - low > 1) { /* first[low] <= coin < first[high] */
        const size_t half = (low + high) / 2;
        if (c->first[half] <= coin) low = half;
        else high = half;
    }
    return c->row[low];
}

static void take_row(tally *t, uint32_t row)
{
    if (t->count) ++t->count[row];
    else t->row[t->n++] = row;
}

static void take(tally *t, size_t coin)
{
    take_row(t, row_of(t->c, coin));
}

static scarce_status tally_init(tally *t, const scarce__classes *c, size_t draws, scarce_error *err)
{
    *t = (tally){.c = c};
    if (draws >= c->n_rows / 8) t->count = scarce__calloc(c->n_rows, sizeof *t->count);
    else t->row = scarce__malloc_array(draws, sizeof *t->row);
    return t->count || t->row ? SCARCE_OK : scarce__fail_memory(err, "drawing rows", draws * sizeof *t->row);
}

/* Into rows that ascend, each once. */
static void tally_end(tally *t, scarce__drawn *d)
{
    for (size_t i = 0; t->count && i < t->c->n_rows; ++i) {
        if (t->count[i] == 0) continue;
        d->row[d->n] = (uint32_t)i;
        d->times[d->n++] = t->count[i];
    }
    if (t->row) qsort(t->row, t->n, sizeof *t->row, by_number);
    for (size_t k = 0; t->row && k < t->n; ++k) {
        if (d->n > 0 && d->row[d->n - 1] == t->row[k]) {
            ++d->times[d->n - 1];
            continue;
        }
        d->row[d->n] = t->row[k];
        d->times[d->n++] = 1;
    }
    scarce__free(t->count);
    scarce__free(t->row);
}

/* ---- draws */

static scarce__random stream(uint64_t seed, uint64_t member, int class_of)
{
    return scarce__random_start(seed, SCARCE__FOR_ROWS, 2 * member + 1 + ((uint64_t)class_of << 40));
}

static void draw_with(tally *t, size_t begin, size_t n, size_t m, scarce__random *r)
{
    for (size_t k = 0; k < m; ++k) take(t, begin + (size_t)scarce__random_below(r, n));
}

/* m of n coins (Floyd; a bit for each), or all. */
static scarce_status draw_without(tally *t, size_t begin, size_t n, size_t m, scarce__random *r,
                                  scarce_error *err)
{
    uint32_t *taken;

    for (size_t i = 0; m >= n && i < n; ++i) take(t, begin + i);
    if (m >= n) return SCARCE_OK;
    taken = scarce__calloc(n / 32 + 1, sizeof *taken);
    if (!taken) return scarce__fail_memory(err, "drawing rows", n / 8);
    for (size_t j = n - m; j < n; ++j) {
        size_t k = (size_t)scarce__random_below(r, j + 1);
        if (taken[k / 32] >> (k & 31) & 1) k = j;
        taken[k / 32] |= (uint32_t)1 << (k & 31);
        take(t, begin + k);
    }
    scarce__free(taken);
    return SCARCE_OK;
}

static scarce_status draw_classes(tally *t, int replace, double share, uint64_t seed, uint64_t member,
                                  scarce_error *err)
{
    const scarce__classes *c = t->c;
    const size_t m = share_of(share, rarer(c->coins));

    for (int k = 0; k < 2; ++k) {
        scarce__random r = stream(seed, member, k);
        const size_t begin = k ? c->coins[0] : 0;
        if (replace) draw_with(t, begin, c->coins[k], m, &r);
        else SCARCE__TRY(draw_without(t, begin, c->coins[k], m, &r, err));
    }
    return SCARCE_OK;
}

/* A bootstrap that misses a class could teach nothing: its last draw is made anew among the rows of that class. */
static void draw_all(tally *t, size_t m, uint64_t seed, uint64_t member)
{
    const scarce__classes *c = t->c;
    const size_t n = c->coins[0] + c->coins[1];
    scarce__random r = stream(seed, member, 0);
    size_t drawn[2] = {0, 0};

    for (size_t k = 0; k < m; ++k) {
        size_t coin = (size_t)scarce__random_below(&r, n);
        const int class_of = coin >= c->coins[0];
        if (k > 0 && k + 1 == m && drawn[!class_of] == 0 && c->coins[!class_of] > 0)
            coin = (class_of ? 0 : c->coins[0]) + (size_t)scarce__random_below(&r, c->coins[!class_of]);
        ++drawn[coin >= c->coins[0]];
        take(t, coin);
    }
}

scarce_status scarce__draw_member(scarce__drawn *out, const scarce__classes *c, scarce__member_rows how,
                                  double share, uint64_t seed, uint64_t member, scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    tally t;

    SCARCE__TRY(reserve(out, scarce__draw_room(c, how, share), err));
    SCARCE__TRY(tally_init(&t, c, draws_of(c, how, share), err));
    switch (how) {
    case SCARCE__MEMBER_BOOTSTRAP: draw_all(&t, draws_of(c, how, share), seed, member); break;
    case SCARCE__MEMBER_BOOTSTRAP_BALANCED: st = draw_classes(&t, 1, share, seed, member, err); break;
    case SCARCE__MEMBER_BALANCED: st = draw_classes(&t, 0, share, seed, member, err); break;
    case SCARCE__MEMBER_ALL:
        for (size_t i = 0; i < c->n; ++i) take_row(&t, c->row[i]);
        break;
    }
    tally_end(&t, out);
    return st;
}
