/* SPDX-License-Identifier: Apache-2.0 */
/* Features over rolling windows of W = 1, 7, 30 days, by the engine of src/feature.
 *
 * card, at row i with time t: rows of the card in (t - W, t] up to and including i: their number and mean amount.
 * terminal: rows of the terminal before i in (t - delay - W, t - delay]: their number, and how many of them carry
 * label 1 that is known by t. For hard also the seconds since the card's previous payment, and how often it was at
 * this terminal before. One kind after the other, since each takes some 80 bytes a row while it is made. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "feature/batch.h"
#include "simulate/fraud.h"

const uint32_t scarce__fraud_window_days[N_WINDOWS] = {1, 7, 30};

enum { KIND_CARD, KIND_TERMINAL, KIND_TRAIL, KIND_PAIR, N_ROLLING_KINDS };
enum { FIELD_AMOUNT = 3 };

typedef struct rolling {
    scarce__fraud *f;
    scarce__feature_plan *plan;
    int64_t *time, *known;
    uint8_t *label;
    int64_t *amount;
    uint64_t *keys;
} rolling;

static scarce_status define(scarce__feature_plan **out, const scarce__fraud *f, scarce_error *err)
{
    char text[1024], delay[48] = "";
    if (f->delay > 0) snprintf(delay, sizeof delay, " delay %us", f->delay);
    snprintf(text, sizeof text,
             "field time time\nfield card key\nfield terminal key\nfield amount int\nfield label label\n"
             "kind card by card\nkind terminal by terminal\nkind trail by card horizon none\n"
             "kind pair by card, terminal horizon none\n"
             "over 1d 7d 30d by card with current: count, sum(amount)\n"
             "over 1d 7d 30d%s by terminal: count, sum(label)\n"
             "by trail: since\nby pair: count\n",
             delay);
    SCARCE__TRY(scarce__feature_define(out, text, strlen(text), "simulate", err));
    for (size_t k = 0; k < (*out)->n_kinds; ++k)
        (*out)->kinds[k].max_events = UINT32_MAX; /* exact however many */
    return SCARCE_OK;
}

static void fill_keys(const rolling *r, int kind)
{
    const scarce__fraud *f = r->f;
    for (size_t i = 0; i < f->n; ++i) {
        const scarce__payment *p = &f->rows[i];
        const uint64_t key = kind == KIND_TERMINAL ? p->terminal
                             : kind == KIND_PAIR   ? (uint64_t)p->card << 32 | p->terminal
                                                   : p->card;
        r->keys[2 * i] = scarce__mix64(key + 1);
        r->keys[2 * i + 1] = key;
    }
}

/* `counts` and `others` (nullable): for each window. */
static scarce_status run_kind(rolling *r, int kind, uint32_t **to, const scarce_context *ctx,
                              scarce_error *err)
{
    const scarce__feature_kind *k = &r->plan->kinds[kind];
    const uint64_t *keys[N_ROLLING_KINDS] = {NULL};
    const int64_t *numbers[SCARCE__FEATURE_FIELDS] = {NULL};
    const uint64_t *hashes[SCARCE__FEATURE_FIELDS] = {NULL};
    double *out[16] = {NULL};
    scarce__batch b;
    scarce_status st = SCARCE_OK;

    fill_keys(r, kind);
    keys[kind] = r->keys;
    numbers[FIELD_AMOUNT] = r->amount;
    memset(&b, 0, sizeof b);
    b.plan = r->plan;
    b.n = r->f->n;
    b.time = b.at = r->time; /* in order of time, so each arrives when it happens */
    b.keys = keys;
    b.numbers = numbers;
    b.hashes = hashes;
    b.label = r->label;
    b.label_time = r->known;
    b.out = out;
    for (size_t a = 0; a < k->n_aggregates && st == SCARCE_OK; ++a) {
        double **column = &out[k->aggregates[a].out];
        *column = scarce__big_alloc(b.n, sizeof **column);
        if (!*column) st = scarce__fail_memory(err, "features", b.n * sizeof **column);
    }
    if (st == SCARCE_OK) st = scarce__batch_run(&b, ctx, err);
    for (size_t a = 0; a < k->n_aggregates && st == SCARCE_OK; ++a) {
        const double *column = out[k->aggregates[a].out];
        const size_t which = k->aggregates[a].out - k->aggregates[0].out; /* in the order of the definition */
        for (size_t i = 0; i < b.n; ++i) to[which][i] = isnan(column[i]) ? UINT32_MAX : (uint32_t)column[i];
        if (kind != KIND_CARD || which % 2 == 0) continue;
        for (size_t i = 0; i < b.n; ++i) { /* the mean in cents, halves up */
            const uint64_t count = to[which - 1][i], sum = (uint64_t)column[i];
            to[which][i] = (uint32_t)((sum + count / 2) / count);
        }
    }
    for (size_t i = 0; i < 16; ++i) scarce__free(out[i]);
    return st;
}

static scarce_status run_kinds(rolling *r, const scarce_context *ctx, scarce_error *err)
{
    scarce__fraud *f = r->f;
    uint32_t *card[2 * N_WINDOWS], *terminal[2 * N_WINDOWS];
    for (int w = 0; w < N_WINDOWS; ++w) {
        card[2 * w] = f->card_count[w];
        card[2 * w + 1] = f->card_mean[w];
        terminal[2 * w] = f->terminal_count[w];
        terminal[2 * w + 1] = f->terminal_bad[w];
    }
    SCARCE__TRY(run_kind(r, KIND_CARD, card, ctx, err));
    SCARCE__TRY(run_kind(r, KIND_TERMINAL, terminal, ctx, err));
    if (!f->seen) return SCARCE_OK;
    SCARCE__TRY(run_kind(r, KIND_TRAIL, &f->since_last, ctx, err));
    return run_kind(r, KIND_PAIR, &f->seen, ctx, err);
}

static scarce_status make_columns(scarce__fraud *f, scarce_error *err)
{
    for (int w = 0; w < N_WINDOWS; ++w) {
        f->card_count[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        f->card_mean[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        f->terminal_count[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        f->terminal_bad[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        if (!f->card_count[w] || !f->card_mean[w] || !f->terminal_count[w] || !f->terminal_bad[w])
            return scarce__fail_memory(err, "features", f->n * sizeof(uint32_t));
    }
    if (f->options->preset != PRESET_HARD) return SCARCE_OK;
    f->since_last = scarce__big_alloc(f->n, sizeof(uint32_t));
    f->seen = scarce__big_alloc(f->n, sizeof(uint32_t));
    return f->since_last && f->seen ? SCARCE_OK
                                    : scarce__fail_memory(err, "features", f->n * sizeof(uint32_t));
}

scarce_status scarce__fraud_features(scarce__fraud *f, const scarce_context *ctx, scarce_error *err)
{
    rolling r;
    scarce_status st;

    memset(&r, 0, sizeof r);
    r.f = f;
    SCARCE__TRY(make_columns(f, err));
    SCARCE__TRY(define(&r.plan, f, err));
    r.time = scarce__big_alloc(f->n, sizeof *r.time);
    r.known = scarce__big_alloc(f->n, sizeof *r.known);
    r.label = scarce__malloc(f->n);
    r.amount = scarce__big_alloc(f->n, sizeof *r.amount);
    r.keys = scarce__big_alloc(2 * f->n, sizeof *r.keys);
    if (r.time && r.known && r.label && r.amount && r.keys) {
        for (size_t i = 0; i < f->n; ++i) {
            r.time[i] = f->rows[i].time;
            r.known[i] = (int64_t)f->rows[i].time + (f->known ? f->known[i] : f->delay);
            r.label[i] = f->rows[i].label;
            r.amount[i] = f->rows[i].cents;
        }
        st = run_kinds(&r, ctx, err);
    } else st = scarce__fail_memory(err, "features", f->n * 41);
    scarce__feature_plan_free(r.plan);
    scarce__free(r.time);
    scarce__free(r.known);
    scarce__free(r.label);
    scarce__free(r.amount);
    scarce__free(r.keys);
    return st;
}
