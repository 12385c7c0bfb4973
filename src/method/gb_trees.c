/* SPDX-License-Identifier: Apache-2.0 */
/* How many trees, and how large: the rows are dealt into five parts with the same share of positives (whole
 * groups, where rows have a group); a booster is trained without one part until its loss there hasn't fallen
 * for a while, and the number of trees at the least loss is noted; the median over up to five parts counts,
 * and all rows are trained on with it. Where asked, the same is done with larger trees, which are taken when
 * the mean of the least losses is clearly lower. Labels without noise, or rows with copies, want thousands of
 * trees or large ones, noisy labels a hundred small ones, and nothing that can be seen before training tells
 * which is which; docs/research/defaults.md has the measurements.
 *
 * The fewer positives are held out, the more parts are asked. Of large tables a sample is enough to tell. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "data/table.h"
#include "method/gb_held.h"
#include "method/gb_trees.h"

enum {
    PARTS = 5,
    LEAST_ROWS = 50,     /* of the rarer class: with fewer the choice is noise, and loses */
    ENOUGH_JUDGES = 200, /* rows of the rarer class in all parts that are held out */
    MOST_ROWS = 50000,   /* to look at */
    MOST_TREES = 2000
};

typedef struct deal {
    uint8_t *part;        /* of each row of the table; PARTS: not looked at */
    uint32_t *fit, *held; /* room for row numbers */
    scarce__held judge;
} deal;

static void deal_deinit(deal *d)
{
    scarce__free(d->part);
    scarce__free(d->fit);
    scarce__free(d->held);
    scarce__held_deinit(&d->judge);
}

/* Of each five rows of a class in turn, every part gets one, in a rotation drawn at random. */
static void deal_rows(deal *d, const scarce_table *table, uint64_t seed)
{
    const uint64_t keep = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-2),
                   turn = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-3);
    const double share = (double)MOST_ROWS / (double)table->n_rows;
    const uint64_t below = share < 1 ? (uint64_t)(share * 0x1p63) : (uint64_t)1 << 63;
    size_t seen[2] = {0, 0};

    for (size_t i = 0; i < table->n_rows; ++i) {
        const size_t id = table->group ? (size_t)table->group[i] : i;
        const int positive = table->label[i] != 0;
        if (scarce__hash(keep, id) >> 1 >= below) {
            d->part[i] = PARTS;
            continue;
        }
        const size_t k = seen[positive]++;
        const uint64_t place = table->group
                                   ? scarce__hash(turn, id)
                                   : k + scarce__hash(turn, 2 * (k / PARTS) + (size_t)positive) % PARTS;
        d->part[i] = (uint8_t)(place % PARTS);
    }
}

static scarce_status deal_new(deal *d, const scarce_table *table, const scarce__boost_options *o,
                              scarce_error *err)
{
    const size_t n = table->n_rows;

    memset(d, 0, sizeof *d);
    d->part = scarce__malloc(n);
    d->fit = scarce__malloc_array(n, sizeof *d->fit);
    d->held = scarce__malloc_array(n, sizeof *d->held);
    if (!d->part || !d->fit || !d->held) return scarce__fail_memory(err, "held-out rows", n * 9);
    SCARCE__TRY(scarce__held_new(&d->judge, n, table, o, err));
    deal_rows(d, table, o->seed);
    return SCARCE_OK;
}

/* Trees at the least loss on one part, and that loss; 0 trees: it can't be told. */
static scarce_status trees_without(size_t *trees, double *loss, deal *d, size_t part,
                                   const scarce_table *table, const scarce__boost_options *o, int *cancelled,
                                   scarce_context *ctx, scarce_error *err)
{
    scarce__boost_data fit = {.table = table, .rows = d->fit}, held = {.table = table, .rows = d->held};

    *trees = 0;
    d->judge.n = 0;
    for (size_t i = 0; i < table->n_rows; ++i) {
        if (d->part[i] == PARTS) continue;
        if (d->part[i] != part) {
            d->fit[fit.n_rows++] = (uint32_t)i;
            continue;
        }
        d->held[held.n_rows++] = (uint32_t)i;
        scarce__held_add(&d->judge, table, i, o);
    }
    if (fit.n_rows == 0 || held.n_rows == 0) return SCARCE_OK;
    return scarce__held_try(trees, loss, &fit, &held, &d->judge, o, MOST_TREES, cancelled, ctx, err);
}

static size_t median(size_t *x, size_t n)
{
    for (size_t i = 1; i < n; ++i)
        for (size_t k = i; k > 0 && x[k - 1] > x[k]; --k) {
            const size_t t = x[k];
            x[k] = x[k - 1];
            x[k - 1] = t;
        }
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* The rarer class among the rows that are looked at. */
static size_t rarer(const deal *d, const scarce_table *table)
{
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < table->n_rows; ++i)
        if (d->part[i] != PARTS) ++count[table->label[i] != 0];
    return count[0] < count[1] ? count[0] : count[1];
}

/* The median number of trees over the parts, and the mean of their least losses. */
static scarce_status count_trees(size_t *trees, double *loss, deal *d, const scarce_table *table,
                                 const scarce__boost_options *o, int *cancelled, scarce_context *ctx,
                                 scarce_error *err)
{
    const size_t few = rarer(d, table);
    size_t found[PARTS], n = 0;
    double sum = 0, least = 0;

    *trees = 0;
    for (size_t part = 0; few >= LEAST_ROWS && part < PARTS; ++part) {
        if (part > 0 && part * few >= ENOUGH_JUDGES * PARTS) break;
        SCARCE__TRY(trees_without(&found[n], &least, d, part, table, o, cancelled, ctx, err));
        if (*cancelled) return SCARCE_OK;
        if (found[n] == 0) continue;
        sum += least;
        ++n;
    }
    if (n == 0) return SCARCE_OK;
    *trees = median(found, n);
    *loss = sum / (double)n;
    return SCARCE_OK;
}

scarce_status scarce__gb_choose_trees(scarce__boost_options *o, int *cancelled, const scarce_table *table,
                                      const scarce__trees_wanted *wanted, scarce_context *ctx,
                                      scarce_error *err)
{
    const size_t negatives = table->n_rows - table->n_positives;
    scarce__boost_options larger = *o;
    size_t trees = 0, other = 0;
    double loss = 0, other_loss = 0;
    deal d;

    *cancelled = 0;
    if (table->n_positives < LEAST_ROWS || negatives < LEAST_ROWS || !o->loss.value) return SCARCE_OK;
    scarce_status st = deal_new(&d, table, o, err);
    if (st == SCARCE_OK) st = count_trees(&trees, &loss, &d, table, o, cancelled, ctx, err);
    larger.grow.max_leaves = wanted->larger;
    if (st == SCARCE_OK && trees > 0 && wanted->larger > 0)
        st = count_trees(&other, &other_loss, &d, table, &larger, cancelled, ctx, err);
    deal_deinit(&d);
    if (st != SCARCE_OK || *cancelled || trees == 0) return st;
    if (other > 0 && other_loss < SCARCE__CLEARLY_LOWER * loss) {
        o->grow.max_leaves = wanted->larger;
        trees = other;
    }
    o->n_trees = trees > (size_t)wanted->least ? (int)trees : wanted->least;
    scarce__log(ctx, SCARCE_LOG_DEBUG, "%d trees of %d leaves: the loss on held-out rows is least after %zu",
                o->n_trees, o->grow.max_leaves, trees);
    return SCARCE_OK;
}
