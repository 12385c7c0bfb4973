/* SPDX-License-Identifier: Apache-2.0 */
/* The best k of n scores without a sort: rows at or above a bound are picked in one pass that mostly reads,
 * and the k-th largest of those is selected (Hoare). The bound is what the score at rank 2k + 64 was last
 * time; when fewer than k rows are left above it, all rows are looked at.
 *
 * Cards: rows are put in the order of days once, and each knows its place among the cards of its day, where
 * the highest score is kept. A day needs its best k + m cards only, m the cards that may have been found
 * before, which is known beforehand: those with a positive on an earlier day. So days are independent up to a
 * short walk at the end that leaves out cards found. */
#include "eval/watch.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "eval/ap.h"
#include "eval/ap_table.h"
#include "eval/rank.h"

typedef struct pick {
    uint32_t at;
    float score;
} pick;

/* The best of a list of scores, from call to call. */
typedef struct best {
    float bound;
    size_t n;
    pick *items; /* as many as there are scores */
    float *room;
} best;

typedef struct day {
    size_t row_begin, row_end;
    size_t begin, end; /* cards of the day */
    size_t want;       /* cards to be ranked */
    best best;
} day;

struct scarce__watch {
    scarce__ap_table *table; /* NULL: not used */
    size_t metric, ap, precision, cards;
    size_t n, k;
    const uint8_t *label;
    const double *weight;
    double positives, negatives; /* weights */
    best best;
    /* cards */
    uint32_t *row;  /* in the order of days */
    uint32_t *slot; /* of these: number of the card and day */
    uint32_t *card; /* per slot; those of a day ascend */
    uint8_t *fraud;
    float *slot_score;
    uint8_t *found; /* per card */
    size_t n_days, n_cards;
    day *days;
    pick *items;
    float *room;
    const float *score; /* of the call */
};

/* ---- The best k */

/* Rows at or above the bound. Sixteen rows at a time are mostly nothing: the largest of them tells. */
static size_t pick_above(best *b, const float *score, size_t n, float bound)
{
    enum { LANES = 4, STRIDE = 16 };
    size_t k = 0;
    for (size_t from = 0; from < n; from += STRIDE) {
        const size_t m = n - from < STRIDE ? n - from : STRIDE;
        const float *s = score + from;
        if (m == STRIDE) {
            float most[LANES];
            for (size_t l = 0; l < LANES; ++l) most[l] = s[l];
            for (size_t i = LANES; i < STRIDE; i += LANES)
                for (size_t l = 0; l < LANES; ++l) most[l] = s[i + l] > most[l] ? s[i + l] : most[l];
            if (!((most[0] >= bound) | (most[1] >= bound) | (most[2] >= bound) | (most[3] >= bound)))
                continue;
        }
        for (size_t i = 0; i < m; ++i) {
            b->items[k].at = (uint32_t)(from + i);
            b->items[k].score = s[i];
            k += s[i] >= bound;
        }
    }
    return k;
}

/* The k-th largest (from 1) of n; x is rearranged: Hoare's FIND. */
static float select_largest(float *x, size_t n, size_t k)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)n - 1;
    const ptrdiff_t at = (ptrdiff_t)k - 1;
    while (low < high) {
        const float pivot = x[at];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (x[i] > pivot) ++i;
            while (x[j] < pivot) --j;
            if (i > j) break;
            const float swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (j < at) low = i;
        if (at < i) high = j;
    }
    return x[at];
}

/* Picks rows among which the best k are; returns the k-th score. 1 <= k <= n. */
static float pick_best(best *b, const float *score, size_t n, size_t k)
{
    const size_t more = 2 * k + 64;
    b->n = pick_above(b, score, n, b->bound);
    if (b->n < k) b->n = pick_above(b, score, n, -FLT_MAX);
    for (size_t i = 0; i < b->n; ++i) b->room[i] = b->items[i].score;
    if (b->n > more) b->bound = select_largest(b->room, b->n, more);
    return select_largest(b->room, b->n, k);
}

static double at_k(scarce__watch *w, const float *score)
{
    const float cut = pick_best(&w->best, score, w->n, w->k);
    double above[2] = {0, 0}, tied[2] = {0, 0}, n_above = 0, n_tied = 0;

    for (size_t i = 0; i < w->best.n; ++i) {
        const pick *p = &w->best.items[i];
        const double weight = w->weight ? w->weight[p->at] : 1;
        if (p->score > cut) {
            above[w->label[p->at]] += weight;
            n_above += 1;
        } else if (p->score >= cut) {
            tied[w->label[p->at]] += weight;
            n_tied += 1;
        }
    }
    const double share = ((double)w->k - n_above) / n_tied;
    const double pos = above[1] + share * tied[1], neg = above[0] + share * tied[0];
    if (w->metric != w->precision) return pos / w->positives;
    return pos + neg > 0 ? pos / (pos + neg) : (double)NAN;
}

/* ---- Cards */

static void rank_day(void *arg, size_t index, int worker)
{
    const scarce__watch *w = arg;
    day *d = &w->days[index];
    const size_t n = d->end - d->begin;
    size_t k = 0;
    float cut = -FLT_MAX;
    (void)worker;
    for (size_t q = d->begin; q < d->end; ++q) w->slot_score[q] = -FLT_MAX;
    for (size_t i = d->row_begin; i < d->row_end; ++i) {
        const float x = w->score[w->row[i]];
        float *best_of = &w->slot_score[w->slot[i]];
        *best_of = x > *best_of ? x : *best_of;
    }
    cut = pick_best(&d->best, w->slot_score + d->begin, n, d->want);
    for (size_t i = 0; i < d->best.n; ++i)
        if (d->best.items[i].score >= cut) d->best.items[k++] = d->best.items[i];
    d->best.n = k;
}

/* Positives among the best k cards of a day that were not found before; these are marked as found. Items
 * ascend by card, so of equal scores at the cut the first are taken. */
static size_t find_cards(scarce__watch *w, day *d)
{
    const uint32_t *card = w->card + d->begin;
    const uint8_t *fraud = w->fraud + d->begin;
    pick *items = d->best.items;
    size_t n = 0, above = 0, hits = 0;
    float cut = -FLT_MAX;

    for (size_t i = 0; i < d->best.n; ++i)
        if (!w->found[card[items[i].at]]) items[n++] = items[i];
    if (n > w->k) {
        for (size_t i = 0; i < n; ++i) d->best.room[i] = items[i].score;
        cut = select_largest(d->best.room, n, w->k);
        for (size_t i = 0; i < n; ++i) above += items[i].score > cut;
    }
    size_t tied = n > w->k ? w->k - above : n; /* how many at the cut are still looked at */
    for (size_t i = 0; i < n; ++i) {
        if (items[i].score < cut) continue;
        if (!(items[i].score > cut)) {
            if (tied == 0) continue;
            --tied;
        }
        hits += fraud[items[i].at];
        w->found[card[items[i].at]] = fraud[items[i].at];
    }
    return hits;
}

static double card_precision(scarce__watch *w, const float *score, scarce__pool *pool)
{
    double sum = 0;
    w->score = score;
    scarce__pool_run(pool, w->n_days, rank_day, w);
    memset(w->found, 0, w->n_cards);
    for (size_t i = 0; i < w->n_days; ++i) sum += (double)find_cards(w, &w->days[i]) / (double)w->k;
    return sum / (double)w->n_days;
}

/* Rows in the order of days; of a day, its cards in ascending order become slots. */
static scarce_status order_rows(scarce__watch *w, const scarce_scored *rows, double day_length,
                                scarce__ranking *by_day, scarce__pool *pool, scarce_error *err)
{
    double *day_of = scarce__malloc_array(w->n, sizeof *day_of);
    scarce_status status;

    if (!day_of) return scarce__fail_memory(err, "the days", w->n * sizeof *day_of);
    for (size_t i = 0; i < w->n; ++i) day_of[i] = -floor(rows->time[i] / day_length);
    status = scarce__rank(by_day, day_of, w->n, "time", pool, err);
    for (size_t i = 0; status == SCARCE_OK && i < w->n; ++i) w->row[i] = by_day->order[i];
    scarce__free(day_of);
    return status;
}

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* `place` has an item per card. */
static void make_slots(scarce__watch *w, const scarce_scored *rows, const scarce__ranking *by_day,
                       uint32_t *place)
{
    size_t slots = 0;
    w->n_days = by_day->n_groups;
    for (size_t d = 0; d < w->n_days; ++d) {
        day *today = &w->days[d];
        const size_t begin = d ? by_day->group_end[d - 1] : 0, end = by_day->group_end[d];
        uint32_t *card = w->card + slots;
        size_t n = 0;
        for (size_t i = begin; i < end; ++i) card[i - begin] = (uint32_t)rows->group[w->row[i]];
        qsort(card, end - begin, sizeof *card, ascending);
        for (size_t i = 0; i < end - begin; ++i)
            if (n == 0 || card[i] != card[n - 1]) card[n++] = card[i];
        for (size_t i = 0; i < n; ++i) {
            place[card[i]] = (uint32_t)(slots + i);
            w->fraud[slots + i] = 0;
        }
        for (size_t i = begin; i < end; ++i) {
            w->slot[i] = place[rows->group[w->row[i]]];
            w->fraud[w->slot[i]] |= rows->label[w->row[i]];
        }
        today->row_begin = begin;
        today->row_end = end;
        today->begin = slots;
        today->end = slots += n;
    }
}

/* How many cards of each day must be ranked. */
static void set_wanted(scarce__watch *w)
{
    memset(w->found, 0, w->n_cards);
    for (size_t i = 0; i < w->n_days; ++i) {
        day *d = &w->days[i];
        const size_t n = d->end - d->begin;
        d->want = w->k;
        for (size_t q = d->begin; q < d->end; ++q) d->want += w->found[w->card[q]];
        if (d->want > n) d->want = n;
        for (size_t q = d->begin; q < d->end; ++q) w->found[w->card[q]] |= w->fraud[q];
        d->best.bound = -FLT_MAX;
        d->best.items = w->items + d->begin;
        d->best.room = w->room + d->begin;
    }
}

static scarce_status prepare_cards(scarce__watch *w, const scarce_scored *rows, scarce__pool *pool,
                                   scarce_error *err)
{
    const scarce_metrics_options defaults = SCARCE_METRICS_OPTIONS_INIT;
    scarce__ranking by_day = {0, 0, NULL, NULL};
    uint32_t *place = NULL;
    scarce_status status;

    if (!rows->time || !rows->group)
        return scarce__fail(err, SCARCE_EINVAL,
                            "card_precision_at_k needs a time and a group column in the validation rows");
    for (size_t i = 0; i < w->n; ++i) {
        if (rows->group[i] < 0)
            return scarce__fail(err, SCARCE_EDATA, "row %zu: no group, card_precision_at_k needs one", i + 1);
        if ((size_t)rows->group[i] >= w->n_cards) w->n_cards = (size_t)rows->group[i] + 1;
    }
    w->k = (size_t)defaults.card_k;
    w->row = scarce__malloc_array(w->n, sizeof *w->row);
    w->slot = scarce__malloc_array(w->n, sizeof *w->slot);
    w->card = scarce__malloc_array(w->n, sizeof *w->card);
    w->fraud = scarce__malloc(w->n);
    w->slot_score = scarce__malloc_array(w->n, sizeof *w->slot_score);
    w->found = scarce__malloc(w->n_cards);
    if (!w->row || !w->slot || !w->card || !w->fraud || !w->slot_score || !w->found)
        return scarce__fail_memory(err, "the cards of the validation rows", 20 * w->n);
    status = order_rows(w, rows, defaults.day_length, &by_day, pool, err);
    if (status == SCARCE_OK) {
        w->days = scarce__calloc(by_day.n_groups, sizeof *w->days);
        place = scarce__malloc_array(w->n_cards, sizeof *place);
        if (!w->days || !place) status = scarce__fail_memory(err, "the days of the validation rows", 0);
    }
    if (status == SCARCE_OK) {
        make_slots(w, rows, &by_day, place);
        set_wanted(w);
    }
    scarce__ranking_deinit(&by_day);
    scarce__free(place);
    return status;
}

/* ---- All of them */

int scarce__watch_knows(size_t metric)
{
    return metric == scarce_metric_find("ap") || metric == scarce_metric_find("precision_at_k") ||
           metric == scarce_metric_find("recall_at_k") || metric == scarce_metric_find("card_precision_at_k");
}

static scarce_status prepare(scarce__watch *w, const scarce_scored *rows, scarce__pool *pool,
                             scarce_error *err)
{
    size_t positives = 0;
    w->ap = scarce_metric_find("ap");
    w->precision = scarce_metric_find("precision_at_k");
    w->cards = scarce_metric_find("card_precision_at_k");
    w->n = rows->n;
    w->label = rows->label;
    w->weight = rows->weight;
    for (size_t i = 0; i < w->n; ++i) {
        const double weight = rows->weight ? rows->weight[i] : 1;
        positives += rows->label[i];
        if (rows->label[i]) w->positives += weight;
        else w->negatives += weight;
    }
    w->k = positives;
    if (w->metric == w->ap) {
        if (rows->weight || positives == 0 || positives == w->n || positives > w->n / 16 || positives > 50000)
            return SCARCE_OK;
        return scarce__ap_table_new(&w->table, rows->label, w->n, positives, pool, err);
    }
    w->items = scarce__malloc_array(w->n + 1, sizeof *w->items);
    w->room = scarce__malloc_array(w->n + 1, sizeof *w->room);
    if (!w->items || !w->room) return scarce__fail_memory(err, "the best validation rows", 12 * w->n);
    w->best.bound = -FLT_MAX;
    w->best.items = w->items;
    w->best.room = w->room;
    return w->metric == w->cards ? prepare_cards(w, rows, pool, err) : SCARCE_OK;
}

scarce_status scarce__watch_new(scarce__watch **out, size_t metric, const scarce_scored *rows,
                                scarce__pool *pool, scarce_error *err)
{
    scarce__watch *w = scarce__calloc(1, sizeof *w);
    scarce_status status;

    *out = NULL;
    if (!w) return scarce__fail_memory(err, "a metric", 0);
    w->metric = metric;
    status = prepare(w, rows, pool, err);
    if (status != SCARCE_OK) {
        scarce__watch_free(w);
        return status;
    }
    *out = w;
    return SCARCE_OK;
}

void scarce__watch_free(scarce__watch *w)
{
    if (!w) return;
    scarce__ap_table_free(w->table);
    scarce__free(w->row);
    scarce__free(w->slot);
    scarce__free(w->card);
    scarce__free(w->fraud);
    scarce__free(w->slot_score);
    scarce__free(w->found);
    scarce__free(w->days);
    scarce__free(w->items);
    scarce__free(w->room);
    scarce__free(w);
}

scarce_status scarce__watch_value(double *out, scarce__watch *w, const float *score, scarce__pool *pool,
                                  scarce_error *err)
{
    *out = (double)NAN;
    if (w->metric == w->ap && !w->table)
        return scarce__ap_fast_f32(out, score, w->label, w->weight, w->n, pool, err);
    if (w->metric == w->ap) *out = scarce__ap_table_value(w->table, score, pool);
    else if (!(w->positives > 0) || !(w->negatives > 0)) return SCARCE_OK;
    else *out = w->metric == w->cards ? card_precision(w, score, pool) : at_k(w, score);
    return SCARCE_OK;
}
