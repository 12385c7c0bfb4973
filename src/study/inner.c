/* SPDX-License-Identifier: Apache-2.0 */
#include "study/inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/random.h"
#include "eval/ap.h"

enum { ENOUGH_POSITIVES = 100, MOST_ROUNDS = 2, MOST_ORIGINS = 3, KEPT_BYTES = 1 << 30 };

void scarce__inner_deinit(scarce__inner *inner)
{
    for (size_t k = 0; k < inner->count; ++k) {
        scarce__inner_split *s = &inner->splits[k];
        scarce_split_deinit(&s->rows);
        scarce_table_free(s->train);
        scarce_table_free(s->test);
        scarce__free(s->block);
    }
    scarce__free(inner->splits);
    memset(inner, 0, sizeof *inner);
}

/* ---- splits */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rows with from <= time < to judge, older ones train. */
static scarce_status split_at(scarce_split *out, const scarce_table *t, double from, double to,
                              scarce_error *err)
{
    memset(out, 0, sizeof *out);
    out->train = scarce__malloc_array(t->n_rows, sizeof *out->train);
    out->test = scarce__malloc_array(t->n_rows, sizeof *out->test);
    if (!out->train || !out->test) {
        scarce_split_deinit(out);
        return scarce__fail_memory(err, "a split", 0);
    }
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (t->time[i] < from) out->train[out->n_train++] = (uint32_t)i;
        else if (t->time[i] < to) out->test[out->n_test++] = (uint32_t)i;
    }
    return SCARCE_OK;
}

static int has_both(const scarce_table *t, const uint32_t *rows, size_t n)
{
    size_t positives = 0;
    for (size_t i = 0; i < n; ++i) positives += t->label[rows[i]];
    return positives > 0 && positives < n;
}

/* Origins back in time, until the rows that judge have positives enough. */
static scarce_status split_by_time(scarce__inner *out, const scarce_table *t, double fraction, size_t asked,
                                   scarce_error *err)
{
    const size_t n = t->n_rows, most = asked ? asked : MOST_ORIGINS;
    double *sorted = scarce__malloc_array(n, sizeof *sorted), to = INFINITY;
    size_t positives = 0;
    scarce_status st = sorted ? SCARCE_OK : scarce__fail_memory(err, "a split", n * sizeof *sorted);

    if (st == SCARCE_OK) memcpy(sorted, t->time, n * sizeof *sorted);
    if (st == SCARCE_OK) qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t k = 0; k < most && st == SCARCE_OK; ++k) {
        const double share = 1 - (double)(k + 1) * fraction;
        scarce_split *rows = &out->splits[out->count].rows;
        if (k > 0 && (share < 0.2 || (!asked && positives >= ENOUGH_POSITIVES))) break;
        const double from = sorted[(size_t)(share * (double)(n - 1))];
        st = split_at(rows, t, from, to, err);
        if (st != SCARCE_OK) break;
        if (!has_both(t, rows->train, rows->n_train) || !has_both(t, rows->test, rows->n_test)) {
            scarce_split_deinit(rows);
            if (k > 0) break; /* the later ones stand; else the next one may have more */
            to = from;
            continue;
        }
        for (size_t i = 0; i < rows->n_test; ++i) positives += t->label[rows->test[i]];
        out->count += 1;
        to = from;
    }
    scarce__free(sorted);
    if (st == SCARCE_OK && out->count == 0)
        st = scarce__fail(
            err, SCARCE_EDATA,
            "the latest %g of the rows, or those before them, lack a class: too few positives to tune "
            "on in time order",
            fraction);
    return st;
}

static scarce_status split_by_chance(scarce__inner *out, const scarce_table *t, double fraction, size_t asked,
                                     const scarce_context *ctx, scarce_error *err)
{
    const size_t k = fraction > 0.5 ? 2 : (size_t)(1 / fraction + 0.5), most = MOST_ROUNDS * k,
                 per_split = t->n_positives / k + 1;
    size_t n = asked ? asked : (ENOUGH_POSITIVES + per_split - 1) / per_split;

    if (!asked && n > most) n = most;
    for (size_t i = 0; i < n; ++i) {
        scarce_split *rows = &out->splits[out->count].rows;
        SCARCE__TRY(scarce_split_fold(rows, t, k, i % k, 1000 + i / k, ctx, err));
        if (has_both(t, rows->train, rows->n_train) && has_both(t, rows->test, rows->n_test)) out->count += 1;
        else scarce_split_deinit(rows);
    }
    if (out->count == 0)
        return scarce__fail(err, SCARCE_EDATA, "%zu positives are too few to tune on", t->n_positives);
    out->sharing = 1 / (double)(k - 1);
    return SCARCE_OK;
}

/* ---- blocks */

/* Whole groups to a block where there are groups, else the rows of each class in turn. */
static scarce_status deal_blocks(scarce__inner *inner, scarce__inner_split *s, scarce_error *err)
{
    const scarce_table *t = s->given ? s->given : inner->table;
    size_t dealt[2] = {0, 0};

    s->block = scarce__malloc(s->n_test);
    if (!s->block) return scarce__fail_memory(err, "a split", s->n_test);
    for (size_t i = 0; i < s->n_test; ++i) {
        const size_t row = s->given ? i : s->rows.test[i];
        s->block[i] = (uint8_t)(t->group ? scarce__mix64((uint64_t)t->group[row] + 1) % inner->blocks
                                         : dealt[t->label[row]]++ % inner->blocks);
    }
    return SCARCE_OK;
}

static scarce_status make_blocks(scarce__inner *inner, scarce_error *err)
{
    size_t positives = 0, wanted;

    inner->blocks = 1;
    if (inner->count >= 4) return SCARCE_OK;
    for (size_t k = 0; k < inner->count; ++k) {
        const scarce__inner_split *s = &inner->splits[k];
        if (s->given) positives += s->given->n_positives;
        for (size_t i = 0; !s->given && i < s->n_test; ++i) positives += inner->table->label[s->rows.test[i]];
    }
    wanted = SCARCE__INNER_BLOCKS / inner->count;
    inner->blocks = positives / inner->count / 5; /* a block of fewer positives says nothing */
    if (inner->blocks > wanted) inner->blocks = wanted;
    if (inner->blocks < 2) {
        inner->blocks = 1;
        return SCARCE_OK;
    }
    for (size_t k = 0; k < inner->count; ++k) SCARCE__TRY(deal_blocks(inner, &inner->splits[k], err));
    return SCARCE_OK;
}

/* ---- all of it */

static scarce_status keep_tables(scarce__inner *inner, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *t = inner->table;
    const double bytes = (double)inner->count * (double)scarce_table_bytes(t);

    if (inner->count > 1 && bytes > KEPT_BYTES) return SCARCE_OK;
    for (size_t k = 0; k < inner->count; ++k) {
        scarce__inner_split *s = &inner->splits[k];
        if (s->given) continue;
        SCARCE__TRY(scarce_table_rows_of(&s->train, t, s->rows.train, s->n_train, ctx, err));
        SCARCE__TRY(scarce_table_rows_of(&s->test, t, s->rows.test, s->n_test, ctx, err));
    }
    return SCARCE_OK;
}

static scarce_status make(scarce__inner *out, const scarce_tune_options *o, scarce_context *ctx,
                          scarce_error *err)
{
    const scarce_table *t = out->table;
    size_t room;

    if (!(o->valid_fraction > 0 && o->valid_fraction < 1))
        return scarce__fail(err, SCARCE_EINVAL, "the validation share is %g, it must lie between 0 and 1",
                            o->valid_fraction);
    if (o->valid_fraction < 1e-4 || o->repeats > 10000)
        return scarce__fail(err, SCARCE_EINVAL, "at most 10000 splits can judge");
    room =
        MOST_ROUNDS * (size_t)(1 / o->valid_fraction + 1) + MOST_ORIGINS + o->repeats; /* more than needed */
    out->splits = scarce__calloc(room, sizeof *out->splits);
    if (!out->splits) return scarce__fail_memory(err, "a search", 0);
    if (o->valid) {
        if (!o->valid->label || o->valid->n_positives == 0 || o->valid->n_positives == o->valid->n_rows)
            return scarce__fail(err, SCARCE_EDATA, "the rows to tune on lack a class");
        out->splits[0].given = o->valid;
        out->splits[0].n_train = t->n_rows;
        out->splits[0].n_test = o->valid->n_rows;
        out->count = 1;
    } else if (t->time) SCARCE__TRY(split_by_time(out, t, o->valid_fraction, o->repeats, err));
    else SCARCE__TRY(split_by_chance(out, t, o->valid_fraction, o->repeats, ctx, err));
    for (size_t k = 0; k < out->count && !o->valid; ++k) {
        out->splits[k].n_train = out->splits[k].rows.n_train;
        out->splits[k].n_test = out->splits[k].rows.n_test;
    }
    SCARCE__TRY(make_blocks(out, err));
    return keep_tables(out, ctx, err);
}

scarce_status scarce__inner_make(scarce__inner *out, const scarce_table *table, const scarce_tune_options *o,
                                 scarce_context *ctx, scarce_error *err)
{
    scarce_status st;
    memset(out, 0, sizeof *out);
    out->table = table;
    st = make(out, o, ctx, err);
    if (st != SCARCE_OK) scarce__inner_deinit(out);
    return st;
}

/* ---- judging */

static scarce_status judge_rows(double *value, const scarce_scored *rows, size_t metric, double threshold,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;

    if (metric == scarce_metric_find("ap"))
        return scarce__ap_fast(value, rows->score, rows->label, rows->weight, rows->n,
                               scarce__context_pool(ctx), err);
    o.threshold = threshold;
    if (!isnan(threshold)) o.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
    SCARCE__TRY(scarce_metrics_compute(&m, rows, &o, ctx, err));
    *value = scarce_metric_value(&m, metric);
    return SCARCE_OK;
}

/* The columns of the rows of one block. */
typedef struct block_rows {
    double *real; /* score, probability, weight, time, amount: each with room for all rows */
    uint8_t *label;
    int32_t *group;
} block_rows;

/* Every row to its block, in their order: block b has the places begin[b] .. begin[b + 1]. */
static void deal(const block_rows *room, const scarce_scored *all, const uint8_t *block, size_t blocks,
                 size_t *begin)
{
    const double *const from[] = {all->score, all->probability, all->weight, all->time, all->amount};
    size_t next[SCARCE__INNER_BLOCKS + 1];

    memset(begin, 0, (blocks + 1) * sizeof *begin);
    for (size_t i = 0; i < all->n; ++i) begin[block[i] + 1] += 1;
    for (size_t b = 0; b < blocks; ++b) begin[b + 1] += begin[b];
    for (size_t c = 0; c < 5; ++c) {
        double *to = room->real + c * all->n;
        if (!from[c]) continue;
        memcpy(next, begin, (blocks + 1) * sizeof *next);
        for (size_t i = 0; i < all->n; ++i) to[next[block[i]]++] = from[c][i];
    }
    memcpy(next, begin, (blocks + 1) * sizeof *next);
    for (size_t i = 0; i < all->n; ++i) {
        const size_t k = next[block[i]]++;
        room->label[k] = all->label[i];
        if (all->group) room->group[k] = all->group[i];
    }
}

static scarce_scored rows_of_block(const block_rows *room, const scarce_scored *all, size_t from, size_t end)
{
    const size_t n = all->n;
    scarce_scored rows = SCARCE_SCORED_INIT;

    rows.n = end - from;
    rows.score = room->real + from;
    rows.probability = all->probability ? room->real + n + from : NULL;
    rows.weight = all->weight ? room->real + 2 * n + from : NULL;
    rows.time = all->time ? room->real + 3 * n + from : NULL;
    rows.amount = all->amount ? room->real + 4 * n + from : NULL;
    rows.label = room->label + from;
    rows.group = all->group ? room->group + from : NULL;
    return rows;
}

int scarce__wants_probabilities(size_t metric)
{
    return metric != scarce_metric_find("ap"); /* of the others some do */
}

scarce_status scarce__inner_judge(double *value, const scarce__inner *inner, size_t k,
                                  const scarce_table *test, const double *score, const double *probability,
                                  const scarce__judging *how, scarce_context *ctx, scarce_error *err)
{
    const uint8_t *block = inner->splits[k].block;
    scarce_scored all = scarce_scored_of_table(test, score, probability);
    block_rows room = {NULL, NULL, NULL};
    size_t begin[SCARCE__INNER_BLOCKS + 1];
    scarce_status st;

    if (!scarce__wants_probabilities(how->metric)) { /* nor anything but these */
        all.probability = all.time = all.amount = NULL;
        all.group = NULL;
    }
    st = judge_rows(&value[0], &all, how->metric, how->threshold, ctx, err);
    if (inner->blocks < 2 || how->roughly) {
        for (size_t b = 0; b < inner->blocks; ++b) value[1 + b] = value[0];
        return st;
    }
    room.real = scarce__malloc_array(all.n, 5 * sizeof *room.real);
    room.label = scarce__malloc(all.n);
    room.group = scarce__malloc_array(all.n, sizeof *room.group);
    if (st == SCARCE_OK && (!room.real || !room.label || !room.group))
        st = scarce__fail_memory(err, "a block of rows", 0);
    if (st == SCARCE_OK) deal(&room, &all, block, inner->blocks, begin);
    for (size_t b = 0; b < inner->blocks && st == SCARCE_OK; ++b) {
        const scarce_scored rows = rows_of_block(&room, &all, begin[b], begin[b + 1]);
        st = judge_rows(&value[1 + b], &rows, how->metric, how->threshold, ctx, err);
    }
    scarce__free(room.real);
    scarce__free(room.label);
    scarce__free(room.group);
    return st;
}
