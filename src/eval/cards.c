/* SPDX-License-Identifier: Apache-2.0 */
/* Card precision: what an investigator sees who can call k card holders a day.
 *
 *     CP@k = mean over days d of  (1/k) * #{fraudulent cards among the top k of day d}
 *
 * A card's score of the day is the highest of its rows; it is fraudulent that day if one of its rows is.
 * Cards found (fraudulent and in the top k) are blocked: they are off the list on later days, so a method
 * gets no credit for the same card twice. Every day with rows counts, also one whose cards have all been
 * found.
 *
 * Rows are put in the order (day, row) once; a day's cards are then collected through an array that
 * remembers, per card, its place in the list of the current day. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "eval/metrics_internal.h"

typedef struct card {
    double score;
    int32_t group;
    uint8_t fraud;
} card;

typedef struct day_list {
    card *cards;
    size_t n;
    uint32_t *place;  /* per group: 1 + index in cards, valid when listed[group] == today */
    uint32_t *listed; /* per group: number of the last day it was listed */
    uint8_t *found;   /* per group */
} day_list;

static int by_score(const void *left, const void *right)
{
    const card *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static void add_row(day_list *d, const scarce_scored *in, size_t row, uint32_t today)
{
    const size_t g = (size_t)in->group[row];
    card *c;
    if (d->found[g]) return;
    if (d->listed[g] != today) {
        d->listed[g] = today;
        d->place[g] = (uint32_t)d->n;
        d->cards[d->n++] = (card){in->score[row], in->group[row], in->label[row]};
        return;
    }
    c = &d->cards[d->place[g]];
    if (in->score[row] > c->score) c->score = in->score[row];
    c->fraud |= in->label[row];
}

/* Number of fraudulent cards in the day's top k, which are marked as found; *lowest: the score of the last
 * card looked at, NaN when there is none. */
static size_t close_day(day_list *d, size_t k, double *lowest)
{
    size_t hits = 0;
    *lowest = d->n && k ? 0 : (double)NAN;
    qsort(d->cards, d->n, sizeof *d->cards, by_score);
    for (size_t i = 0; i < d->n && i < k; ++i) {
        hits += d->cards[i].fraud;
        if (d->cards[i].fraud) d->found[d->cards[i].group] = 1;
        *lowest = d->cards[i].score;
    }
    d->n = 0;
    return hits;
}

/* The ranking of -day: rows of the earliest day first. */
static scarce_status rank_days(scarce__ranking *r, const scarce_scored *in, const scarce_metrics_options *o,
                               scarce__pool *pool, scarce_error *err)
{
    double *day = scarce__malloc_array(in->n, sizeof *day);
    scarce_status st;
    if (!day) return scarce__fail_memory(err, "the days", in->n * sizeof *day);
    for (size_t i = 0; i < in->n; ++i) day[i] = -floor(in->time[i] / o->day_length);
    st = scarce__rank(r, day, in->n, "time", pool, err);
    scarce__free(day);
    return st;
}

/* Every day's value; `days`, if not NULL, has room for a point per row. Returns their sum in *sum and their
 * number in *n_days. */
static scarce_status each_day(double *sum, size_t *n_days, scarce_curve *days, const scarce_scored *in,
                              const scarce_metrics_options *o, scarce__pool *pool, scarce_error *err)
{
    const double k = floor(o->card_k + 0.5);
    scarce_status st = SCARCE_ENOMEM;
    scarce__ranking r;
    day_list d;
    size_t n_groups = 0, begin = 0;

    SCARCE__TRY(rank_days(&r, in, o, pool, err));
    for (size_t i = 0; i < in->n; ++i)
        if ((size_t)in->group[i] >= n_groups) n_groups = (size_t)in->group[i] + 1;
    memset(&d, 0, sizeof d);
    d.cards = scarce__malloc_array(in->n, sizeof *d.cards);
    d.place = scarce__calloc(n_groups, sizeof *d.place);
    d.listed = scarce__calloc(n_groups, sizeof *d.listed);
    d.found = scarce__calloc(n_groups, sizeof *d.found);
    if (!d.cards || !d.place || !d.listed || !d.found) {
        scarce__fail_memory(err, "the cards of a day", in->n * sizeof *d.cards);
        goto done;
    }
    *sum = 0;
    *n_days = r.n_groups;
    for (size_t g = 0; g < r.n_groups; ++g) {
        double value, lowest;
        for (size_t i = begin; i < r.group_end[g]; ++i) add_row(&d, in, r.order[i], (uint32_t)g + 1);
        value = (double)close_day(&d, k < (double)in->n ? (size_t)k : in->n, &lowest) / k;
        if (days) {
            days->x[g] = floor(in->time[r.order[begin]] / o->day_length) * o->day_length;
            days->y[g] = value;
            days->threshold[g] = lowest;
        }
        begin = r.group_end[g];
        *sum += value;
    }
    st = SCARCE_OK;
done:
    scarce__ranking_deinit(&r);
    scarce__free(d.cards);
    scarce__free(d.place);
    scarce__free(d.listed);
    scarce__free(d.found);
    return st;
}

scarce_status scarce__card_precision(double *out, const scarce_scored *in, const scarce_metrics_options *o,
                                     scarce__pool *pool, scarce_error *err)
{
    double sum = 0;
    size_t n_pos = 0, n_days = 0;

    *out = NAN;
    if (!in->time || !in->group || in->n == 0) return SCARCE_OK;
    SCARCE__TRY(each_day(&sum, &n_days, NULL, in, o, pool, err));
    for (size_t i = 0; i < in->n; ++i) n_pos += in->label[i];
    if (n_pos > 0 && n_pos < in->n) *out = sum / (double)n_days;
    return SCARCE_OK;
}

scarce_status scarce_curve_cards(scarce_curve *out, const scarce_scored *in,
                                 const scarce_metrics_options *options, scarce_context *ctx,
                                 scarce_error *err)
{
    scarce_metrics_options o;
    double sum;
    scarce_status st;

    memset(out, 0, sizeof *out);
    SCARCE__TRY(scarce__metrics_options(&o, options, err));
    SCARCE__TRY(scarce__scored_check(in, err));
    if (!in->time || !in->group)
        return scarce__fail(err, SCARCE_EINVAL, "card precision by day needs times and groups");
    if (in->n == 0) return SCARCE_OK;
    out->x = scarce__malloc_array(in->n, sizeof *out->x);
    out->y = scarce__malloc_array(in->n, sizeof *out->y);
    out->threshold = scarce__malloc_array(in->n, sizeof *out->threshold);
    if (!out->x || !out->y || !out->threshold) st = scarce__fail_memory(err, "the days", 0);
    else st = each_day(&sum, &out->n, out, in, &o, scarce__context_pool(ctx), err);
    if (st != SCARCE_OK) scarce_curve_deinit(out);
    return st;
}
