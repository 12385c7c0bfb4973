/* SPDX-License-Identifier: Apache-2.0 */
/* Where a column has twice as many categories as there are bins, those of more than 30 become numbers
 * (docs/research/categories.md has the study): the rest would be pooled, and the best of so many sets is mostly luck. Pairs of such columns are worth
 * more than both where the truth lies in them (who may use what), and noise where it doesn't, so a fifth of the rows
 * (the latest, where rows have times) says. */
#include "method/gb_encode.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "core/sort.h"
#include "data/table.h"
#include "method/gb_held.h"

/* Rows of the rarer class: with fewer, shares of positives are noise. */
enum { LEAST_ROWS = 200, MOST_ROWS = 50000, MOST_TREES = 200, HELD = 5, MANY = 508 };

typedef struct halves {
    uint32_t *fit, *held;
    size_t n_fit, n_held;
} halves;

/* The time from which on rows are held out; 0 when memory is exhausted. */
static int find_border(double *border, const scarce_table *t)
{
    const size_t n = t->n_rows;
    uint64_t *keys = scarce__malloc_array(n, 2 * sizeof *keys);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(NULL, n), sizeof *counts);
    const int good = keys && counts;

    if (good) {
        for (size_t i = 0; i < n; ++i) keys[i] = scarce__ordered_bits(t->time[i]);
        scarce__sort_keys(keys, keys + n, n, counts, NULL);
        *border = scarce__from_ordered_bits(keys[n - n / HELD - 1]);
    }
    scarce__free(keys);
    scarce__free(counts);
    return good;
}

static scarce_status cut(halves *h, const scarce_table *t, uint64_t seed, scarce_error *err)
{
    const uint64_t keep = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-5),
                   turn = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-6);
    const double share = (double)MOST_ROWS / (double)t->n_rows;
    double border = 0;

    h->fit = scarce__malloc_array(t->n_rows, sizeof *h->fit);
    h->held = scarce__malloc_array(t->n_rows, sizeof *h->held);
    if (!h->fit || !h->held || (t->time && !find_border(&border, t)))
        return scarce__fail_memory(err, "held-out rows", t->n_rows * 8);
    for (size_t i = 0; i < t->n_rows; ++i) {
        const uint64_t id = t->group ? (uint64_t)t->group[i] : i;
        if (share < 1 && scarce__to_unit(scarce__hash(keep, id)) >= share) continue;
        if (t->time ? t->time[i] > border : scarce__hash(turn, id) % HELD == 0)
            h->held[h->n_held++] = (uint32_t)i;
        else h->fit[h->n_fit++] = (uint32_t)i;
    }
    return SCARCE_OK;
}

/* The least loss on the held rows, NaN where it can't be told. */
static scarce_status try_one(double *loss, const scarce__encode_options *how, const scarce_table *fit,
                             const scarce_table *held, scarce__held *judge, const scarce__boost_options *o,
                             int *cancelled, scarce_context *ctx, scarce_error *err)
{
    scarce__encoder *e = NULL;
    scarce_table *train = NULL, *test = NULL;
    size_t trees = 0;
    scarce_status st = scarce__encoder_new(&e, &train, fit, how, ctx, err);

    if (st == SCARCE_OK) st = scarce__encoder_table(&test, e, held, ctx, err);
    if (st == SCARCE_OK) {
        const scarce__boost_data a = {.table = train}, b = {.table = test};
        const scarce__patience patience = {MOST_TREES, 30};
        st = scarce__held_try(&trees, loss, &a, &b, judge, o, patience, cancelled, ctx, err);
    }
    if (trees == 0) *loss = (double)NAN;
    scarce_table_free(train);
    scarce_table_free(test);
    scarce__encoder_free(e);
    return st;
}

static scarce_status pairs_pay(int *pay, int *cancelled, double delay, const scarce_table *table,
                               const scarce__boost_options *o, scarce_context *ctx, scarce_error *err)
{
    halves h = {0};
    scarce_table *fit = NULL, *held = NULL;
    scarce__held judge;
    double loss[2] = {0, 0};
    scarce_status st = cut(&h, table, o->seed, err);

    memset(&judge, 0, sizeof judge);
    if (st == SCARCE_OK && h.n_fit && h.n_held) {
        st = scarce_table_rows_of(&fit, table, h.fit, h.n_fit, ctx, err);
        if (st == SCARCE_OK) st = scarce_table_rows_of(&held, table, h.held, h.n_held, ctx, err);
        if (st == SCARCE_OK) st = scarce__held_new(&judge, h.n_held, held, o, err);
        for (size_t i = 0; st == SCARCE_OK && i < h.n_held; ++i) scarce__held_add(&judge, held, i, o);
        for (int pairs = 0; pairs < 2 && st == SCARCE_OK && !*cancelled; ++pairs) {
            const scarce__encode_options how = {.pairs = pairs, .delay = delay, .seed = o->seed};
            st = try_one(&loss[pairs], &how, fit, held, &judge, o, cancelled, ctx, err);
        }
        *pay = loss[1] < SCARCE__CLEARLY_LOWER * loss[0];
    }
    scarce__held_deinit(&judge);
    scarce_table_free(fit);
    scarce_table_free(held);
    scarce__free(h.fit);
    scarce__free(h.held);
    return st;
}

/* Is there a column with twice as many categories as bins? Below that sets are as good or better. */
static int has_many(const scarce_schema *schema)
{
    for (size_t f = 0; f < schema->n_features; ++f)
        if (schema->features[f].categories.count > MANY) return 1;
    return 0;
}

scarce_status scarce__gb_choose_categories(int *what, int *cancelled, const scarce__gb_params *asked,
                                           const scarce_table *table, const scarce__boost_options *o,
                                           scarce_context *ctx, scarce_error *err)
{
    const size_t columns = scarce__encode_columns(&table->schema);
    const size_t positives = table->n_positives, negatives = table->n_rows - positives;
    const int few = positives < LEAST_ROWS || negatives < LEAST_ROWS || !has_many(&table->schema);
    const int named = asked->tree.monotone[0] || asked->tree.interactions[0]; /* columns by name must stay */
    int pay = 0;

    *cancelled = 0;
    *what = (int)asked->tree.categories;
    if (columns == 0 || (*what == SCARCE__CATEGORIES_AUTO && (named || few))) *what = SCARCE__CATEGORIES_SETS;
    if (*what != SCARCE__CATEGORIES_AUTO) return SCARCE_OK;
    *what = SCARCE__CATEGORIES_NUMBERS;
    if (columns < 2 || !o->loss.value) return SCARCE_OK;
    SCARCE__TRY(pairs_pay(&pay, cancelled, asked->tree.label_delay, table, o, ctx, err));
    if (pay) *what = SCARCE__CATEGORIES_PAIRS;
    return SCARCE_OK;
}
