/* SPDX-License-Identifier: Apache-2.0 */
/* Where a column has twice as many categories as there are bins, those of more than 30 become numbers
 * (docs/research/categories.md has the study): the rest would be pooled, and the best of so many sets is mostly luck. Pairs of such columns are worth
 * more than both where the truth lies in them (who may use what), and noise where it doesn't, so a fifth of the rows
 * (the latest, where rows have times) says. The trees of that try say which pairs, too: most gain nothing, and each
 * costs as much as two columns. */
#include "method/gb_encode.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "core/sort.h"
#include "data/table.h"
#include "method/gb_held.h"

/* Rows of the rarer class: with fewer, shares of positives are noise. */
enum {
    LEAST_ROWS = 200,
    MOST_ROWS = 50000,
    MOST_TREES = 100,
    PATIENCE = 15,
    HASTE = 2,
    HELD = 5,
    MANY = 508
};
enum { MOST_PAIRS = SCARCE__ENCODE_PAIRED * (SCARCE__ENCODE_PAIRED - 1) / 2, TAKEN_PAIRS = 16 };

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

/* Those pairs that gained most, as bits. */
static uint32_t best_pairs(const scarce__encoder *e, const double *gain)
{
    double of[MOST_PAIRS] = {0};
    uint32_t best = 0;

    for (size_t f = 0; f < scarce__encoder_schema(e)->n_features; ++f) {
        const size_t pair = scarce__encoder_pair(e, f);
        if (pair < MOST_PAIRS) of[pair] += gain[f];
    }
    for (int taken = 0; taken < TAKEN_PAIRS; ++taken) {
        size_t k = 0;
        for (size_t p = 1; p < MOST_PAIRS; ++p)
            if (of[p] > of[k]) k = p;
        if (!(of[k] > 0)) break;
        best |= (uint32_t)1 << k;
        of[k] = 0;
    }
    return best;
}

/* The least loss on the held rows, NaN where it can't be told; how->pairs become the best of them. */
static scarce_status try_one(double *loss, scarce__encode_options *how, const scarce_table *fit,
                             const scarce_table *held, scarce__held *judge, const scarce__boost_options *o,
                             int *cancelled, scarce_context *ctx, scarce_error *err)
{
    scarce__encoder *e = NULL;
    scarce_table *train = NULL, *test = NULL;
    size_t trees = 0;
    scarce_status st = scarce__encoder_new(&e, &train, fit, how, ctx, err);

    if (st == SCARCE_OK) st = scarce__encoder_table(&test, e, held, ctx, err);
    if (st == SCARCE_OK) {
        judge->gain = scarce__malloc_array(train->schema.n_features, sizeof *judge->gain);
        if (!judge->gain) st = scarce__fail_memory(err, "gains", 0);
    }
    if (st == SCARCE_OK) {
        const scarce__boost_data a = {.table = train}, b = {.table = test};
        const scarce__patience patience = {MOST_TREES, PATIENCE, 0};
        scarce__boost_options quick = *o;
        quick.grow.learning_rate = fmin(1, HASTE * o->grow.learning_rate);
        st = scarce__held_try(&trees, loss, &a, &b, judge, &quick, patience, cancelled, ctx, err);
    }
    if (trees == 0) *loss = (double)NAN;
    else if (how->pairs) how->pairs = best_pairs(e, judge->gain);
    scarce__free(judge->gain);
    judge->gain = NULL;
    scarce_table_free(train);
    scarce_table_free(test);
    scarce__encoder_free(e);
    return st;
}

/* *pairs: those that pay, 0 when none do. */
static scarce_status pairs_pay(uint32_t *pairs, int *cancelled, double delay, const scarce_table *table,
                               const scarce__boost_options *o, scarce_context *ctx, scarce_error *err)
{
    scarce__encode_options alone = {.pairs = 0, .delay = delay, .seed = o->seed}, paired = alone;
    halves h = {0};
    scarce_table *fit = NULL, *held = NULL;
    scarce__held judge;
    double loss[2] = {0, 0};
    scarce_status st = cut(&h, table, o->seed, err);

    *pairs = 0;
    paired.pairs = SCARCE__ALL_PAIRS;
    memset(&judge, 0, sizeof judge);
    if (st == SCARCE_OK && h.n_fit && h.n_held) {
        st = scarce_table_rows_of(&fit, table, h.fit, h.n_fit, ctx, err);
        if (st == SCARCE_OK) st = scarce_table_rows_of(&held, table, h.held, h.n_held, ctx, err);
        if (st == SCARCE_OK) st = scarce__held_new(&judge, h.n_held, held, o, err);
        for (size_t i = 0; st == SCARCE_OK && i < h.n_held; ++i) scarce__held_add(&judge, held, i, o);
        if (st == SCARCE_OK) st = try_one(&loss[0], &alone, fit, held, &judge, o, cancelled, ctx, err);
        if (st == SCARCE_OK && !*cancelled)
            st = try_one(&loss[1], &paired, fit, held, &judge, o, cancelled, ctx, err);
        if (loss[1] < SCARCE__CLEARLY_LOWER * loss[0] && !*cancelled) *pairs = paired.pairs;
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

scarce_status scarce__gb_choose_categories(int *what, uint32_t *pairs, int *cancelled,
                                           const scarce__gb_params *asked, const scarce_table *table,
                                           const scarce__boost_options *o, scarce_context *ctx,
                                           scarce_error *err)
{
    const size_t columns = scarce__encode_columns(&table->schema);
    const size_t positives = table->n_positives, negatives = table->n_rows - positives;
    const int few = positives < LEAST_ROWS || negatives < LEAST_ROWS || !has_many(&table->schema);
    const int named = asked->tree.monotone[0] || asked->tree.interactions[0]; /* columns by name must stay */

    *cancelled = 0;
    *pairs = 0;
    *what = (int)asked->tree.categories;
    if (columns == 0 || (*what == SCARCE__CATEGORIES_AUTO && (named || few))) *what = SCARCE__CATEGORIES_SETS;
    if (*what == SCARCE__CATEGORIES_PAIRS) *pairs = SCARCE__ALL_PAIRS;
    if (*what != SCARCE__CATEGORIES_AUTO) return SCARCE_OK;
    *what = SCARCE__CATEGORIES_NUMBERS;
    if (columns < 2 || !o->loss.value) return SCARCE_OK;
    SCARCE__TRY(pairs_pay(pairs, cancelled, asked->tree.label_delay, table, o, ctx, err));
    if (*pairs) *what = SCARCE__CATEGORIES_PAIRS;
    return SCARCE_OK;
}
