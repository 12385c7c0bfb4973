/* SPDX-License-Identifier: Apache-2.0 */
/* The latest rows whose labels came, and the figures of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/options.h"
#include "eval/ap.h"
#include "eval/classes.h"
#include "method/learner.h"

void scarce__window_deinit(scarce__window *w)
{
    scarce__free(w->score);
    scarce__free(w->time);
    scarce__free(w->group);
    scarce__free(w->label);
    scarce__free(w->early);
    scarce__free(w->own);
    scarce__free(w->guess);
    scarce__free(w->loss);
    memset(w, 0, sizeof *w);
}

scarce_status scarce__window_init(scarce__window *w, size_t capacity, scarce_error *err)
{
    memset(w, 0, sizeof *w);
    w->capacity = capacity;
    w->score = scarce__malloc_array(capacity, sizeof *w->score);
    w->time = scarce__malloc_array(capacity, sizeof *w->time);
    w->group = scarce__malloc_array(capacity, sizeof *w->group);
    w->label = scarce__malloc_array(capacity, 1);
    w->early = scarce__malloc_array(capacity, 1);
    if (w->score && w->time && w->group && w->label && w->early) return SCARCE_OK;
    scarce__window_deinit(w);
    return scarce__fail_memory(err, "the window of a learner", capacity * 26);
}

scarce_status scarce__window_init_classes(scarce__window *w, scarce_error *err)
{
    w->own = scarce__malloc_array(w->capacity, 1);
    w->guess = scarce__malloc_array(w->capacity, 1);
    w->loss = scarce__malloc_array(w->capacity, sizeof *w->loss);
    return w->own && w->guess && w->loss
               ? SCARCE_OK
               : scarce__fail_memory(err, "the window of a learner", w->capacity * 10);
}

void scarce__window_add(scarce__window *w, const scarce__waiting *row, int positive)
{
    w->score[w->at] = row->score;
    w->time[w->at] = row->time;
    w->group[w->at] = row->group;
    w->label[w->at] = positive != 0;
    w->early[w->at] = row->early;
    if (w->own) {
        w->own[w->at] = row->label;
        w->guess[w->at] = row->guess;
        w->loss[w->at] = row->loss;
    }
    w->at = (w->at + 1) % w->capacity;
    w->n += w->n < w->capacity;
}

size_t scarce__window_at(const scarce__window *w, size_t i)
{
    return (w->at + w->capacity - w->n + i) % w->capacity;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

scarce_status scarce__window_threshold(double *out, const scarce__window *w, scarce_error *err)
{
    double *score = scarce__malloc_array(w->n, sizeof *score);
    size_t positives = 0;

    *out = (double)NAN;
    if (!score) return scarce__fail_memory(err, "the window of a learner", w->n * sizeof *score);
    for (size_t i = 0; i < w->n; ++i) {
        score[i] = w->score[i];
        positives += w->label[i];
    }
    qsort(score, w->n, sizeof *score, descending);
    if (positives) *out = score[positives - 1];
    scarce__free(score);
    return SCARCE_OK;
}

/* ---- figures */

typedef struct entity {
    uint64_t group;
    uint32_t row;
} entity;

static int by_group(const void *a, const void *b)
{
    const entity *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Hashes to codes from 0 on. */
static scarce_status number_groups(int32_t *code, const scarce__window *w, scarce_error *err)
{
    entity *e = scarce__malloc_array(w->n, sizeof *e);
    int32_t next = -1;

    if (!e) return scarce__fail_memory(err, "the window of a learner", w->n * sizeof *e);
    for (size_t i = 0; i < w->n; ++i) e[i] = (entity){w->group[i], (uint32_t)i};
    qsort(e, w->n, sizeof *e, by_group);
    for (size_t i = 0; i < w->n; ++i) {
        if (i == 0 || e[i].group != e[i - 1].group) ++next;
        code[e[i].row] = next;
    }
    scarce__free(e);
    return SCARCE_OK;
}

static scarce_status card_precision(double *out, const scarce_learner *l, scarce_error *err)
{
    const scarce__window *w = &l->window;
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_scored rows = SCARCE_SCORED_INIT;
    int32_t *code = scarce__malloc_array(w->n, sizeof *code);
    scarce_status st;

    if (!code) return scarce__fail_memory(err, "the window of a learner", w->n * sizeof *code);
    st = number_groups(code, w, err);
    rows.n = w->n;
    rows.score = w->score;
    rows.label = w->label;
    rows.time = w->time;
    rows.group = code;
    o.card_k = (double)l->o.top;
    if (st == SCARCE_OK) st = scarce_metrics_compute(&m, &rows, &o, l->ctx, err);
    *out = m.card_precision_at_k;
    scarce__free(code);
    return st;
}

/* Mean log loss of rows of the window whose `early` is the given one; -1: of all. */
static double log_loss(const scarce__window *w, int early)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < w->n; ++i) {
        const size_t k = scarce__window_at(w, i);
        if (early >= 0 && w->early[k] != early) continue;
        sum += w->loss ? w->loss[k] : scarce__softplus(w->label[k] ? -w->score[k] : w->score[k]);
        n += 1;
    }
    return n > 0 ? sum / n : (double)NAN;
}

/* Share of the window whose likeliest class was another. */
static double error_rate(const scarce__window *w)
{
    size_t wrong = 0;
    for (size_t i = 0; i < w->n; ++i)
        wrong += w->own ? w->own[i] != w->guess[i] : (w->score[i] > 0) != (w->label[i] != 0);
    return w->n ? (double)wrong / (double)w->n : (double)NAN;
}

static int has_cards(const scarce__window *w)
{
    for (size_t i = 0; i < w->n; ++i)
        if (!w->group[i] || isnan(w->time[i])) return 0;
    return w->n > 0;
}

scarce_status scarce_learner_get_status(scarce_learner_status *out, const scarce_learner *l,
                                        scarce_error *err)
{
    const scarce__window *w = &l->window;
    scarce_learner_status s = l->count;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_LEARNER_STATUS_INIT, err));
    s.pending = l->queue.n;
    s.refused = l->m->refused;
    s.restarts = l->m->restarts;
    s.decays = l->m->decays;
    s.window = w->n;
    s.error = error_rate(w);
    s.ap = s.card_precision = s.log_loss = s.log_loss_early = (double)NAN;
    if (w->n)
        SCARCE__TRY(
            scarce__ap_fast(&s.ap, w->score, w->label, NULL, w->n, scarce__context_pool(l->ctx), err));
    if (has_cards(w)) SCARCE__TRY(card_precision(&s.card_precision, l, err));
    if (scarce__online_is_log_odds(&l->m->o)) {
        s.log_loss = log_loss(w, -1);
        s.log_loss_early = log_loss(w, 1);
    }
    SCARCE__FILL(out, &s);
    return SCARCE_OK;
}

scarce_status scarce_learner_get_classes(scarce_class_metrics *figures, uint64_t *learnt,
                                         const scarce_learner *l, scarce_error *err)
{
    const scarce__window *w = &l->window;
    double error, log_loss;

    if (!w->own)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "the learner knows two classes: its status tells all");
    memset(figures, 0, l->m->n_classes * sizeof *figures);
    for (size_t i = 0; i < w->n; ++i) {
        const size_t k = scarce__window_at(w, i);
        scarce__classes_add(figures, w->own[k], w->guess[k], w->loss[k]);
    }
    scarce__classes_end(figures, l->m->n_classes, &error, &log_loss);
    for (size_t j = 0; learnt && j < l->m->n_classes; ++j) learnt[j] = l->class_learnt[j];
    return SCARCE_OK;
}
