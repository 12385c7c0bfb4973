/* SPDX-License-Identifier: Apache-2.0 */
/* Models of what a learner knows, and checkpoints: models whose state (section `stat`, docs/model-format.md) holds the rows
 * that wait, the window, the detectors and the counts. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "decide/calibrate.h"
#include "method/learner.h"

enum { TWO_CLASSES = 2, MORE_CLASSES = 3 }; /* versions */

static uint32_t version_of(const scarce_learner *l)
{
    return l->m->n_classes == 2 ? TWO_CLASSES : MORE_CLASSES;
}

/* ---- writing */

static uint64_t *counts_of(scarce_learner_status *s, size_t i)
{
    uint64_t *all[] = {&s->rows,        &s->learnt,      &s->positives,      &s->dropped,
                       &s->unlabelled,  &s->early,       &s->new_categories, &s->shared_categories,
                       &s->drifts_loss, &s->drifts_score};
    return i < sizeof all / sizeof all[0] ? all[i] : NULL;
}

static void write_waiting(const scarce__waiting *x, int classes, scarce__writer *w)
{
    scarce__put_f64(w, x->due);
    scarce__put_f64(w, x->time);
    scarce__put_f64(w, x->weight);
    scarce__put_f64(w, x->score);
    scarce__put_u64(w, x->number);
    scarce__put_u64(w, x->group);
    scarce__put_u8(w, x->label);
    scarce__put_u8(w, x->early);
    if (classes) {
        scarce__put_u8(w, x->guess);
        scarce__put_f64(w, x->loss);
    }
    scarce__put_u32(w, x->n_dense);
    scarce__put_u32(w, x->n_sparse);
    const uint32_t *words = (const uint32_t *)(const void *)(x + 1);
    for (size_t i = 0; i < x->n_dense + 2 * (size_t)x->n_sparse; ++i) scarce__put_u32(w, words[i]);
}

void scarce__learner_write(const scarce_learner *l, scarce__writer *w)
{
    const int classes = l->m->n_classes > 2;
    scarce_learner_status s = l->count;

    scarce__put_u32(w, version_of(l));
    for (size_t i = 0; counts_of(&s, i); ++i) scarce__put_u64(w, *counts_of(&s, i));
    if (classes) scarce__put_u64(w, s.other_labels);
    for (size_t j = 0; classes && j < l->m->n_classes; ++j) scarce__put_u64(w, l->class_learnt[j]);
    scarce__put_u64(w, l->blind_rows);
    scarce__put_f64(w, l->clock);
    scarce__put_f64(w, l->count.lag);
    scarce__adwin_write(&l->loss_adwin, w);
    scarce__adwin_write(&l->score_adwin, w);
    scarce__page_hinkley_write(&l->loss_page, w);
    scarce__put_u64(w, l->window.n);
    for (size_t i = 0; i < l->window.n; ++i) {
        const size_t k = scarce__window_at(&l->window, i);
        scarce__put_f64(w, l->window.score[k]);
        scarce__put_f64(w, l->window.time[k]);
        scarce__put_u64(w, l->window.group[k]);
        scarce__put_u8(w, (uint8_t)(l->window.label[k] | l->window.early[k] << 1));
        if (!classes) continue;
        scarce__put_u8(w, l->window.own[k]);
        scarce__put_u8(w, l->window.guess[k]);
        scarce__put_f64(w, l->window.loss[k]);
    }
    scarce__put_u64(w, l->queue.n);
    for (size_t i = 0; i < l->queue.n; ++i) write_waiting(l->queue.heap[i], classes, w);
}

/* ---- reading */

/* What a score was worth: kept where classes were guessed, and told by the score where there are two. */
static void read_guess(const scarce_learner *l, scarce__waiting *x, scarce__reader *r)
{
    if (l->m->n_classes == 2) {
        x->guess = x->score > 0;
        x->loss = scarce__softplus(x->label ? -x->score : x->score);
        return;
    }
    x->guess = scarce__get_u8(r);
    x->loss = scarce__get_f64(r);
    if (x->label >= l->m->n_classes || x->guess >= l->m->n_classes || !(x->loss >= 0 && x->loss <= 1e6))
        r->failed = 1;
}

static scarce__waiting *read_waiting(const scarce_learner *l, scarce__reader *r, int *no_memory)
{
    scarce__waiting head, *x;
    size_t n_dense = 0;

    memset(&head, 0, sizeof head);
    head.due = scarce__get_f64(r);
    head.time = scarce__get_f64(r);
    head.weight = scarce__get_f64(r);
    head.score = scarce__get_f64(r);
    head.number = scarce__get_u64(r);
    head.group = scarce__get_u64(r);
    head.label = scarce__get_u8(r);
    head.early = scarce__get_u8(r);
    read_guess(l, &head, r);
    head.n_dense = scarce__get_u32(r);
    head.n_sparse = scarce__get_u32(r);
    for (size_t f = 0; f < l->model->schema.n_features; ++f)
        n_dense += l->model->schema.features[f].kind != SCARCE_COLUMN_SPARSE;
    const size_t words = head.n_dense + 2 * (size_t)head.n_sparse;
    if (r->failed || isnan(head.due) || !isfinite(head.score) || head.label >= l->m->n_classes ||
        head.early > 1 || head.n_dense != n_dense || words > (size_t)(r->end - r->at) / 4)
        return r->failed = 1, NULL;
    x = scarce__malloc(sizeof *x + words * 4);
    if (!x) return *no_memory = 1, NULL;
    *x = head;
    uint32_t *to = (uint32_t *)(void *)(x + 1);
    for (size_t i = 0; i < words; ++i) to[i] = scarce__get_u32(r);
    for (size_t i = 0; i < head.n_sparse; ++i) {
        const uint32_t f = to[n_dense + i];
        if (f >= l->model->schema.n_features || l->model->schema.features[f].kind != SCARCE_COLUMN_SPARSE)
            r->failed = 1;
    }
    return x;
}

static void read_window(scarce_learner *l, scarce__reader *r)
{
    const size_t n = scarce__get_count(r, 25);
    for (size_t i = 0; !r->failed && i < n; ++i) {
        scarce__waiting x;
        memset(&x, 0, sizeof x);
        x.score = scarce__get_f64(r);
        x.time = scarce__get_f64(r);
        x.group = scarce__get_u64(r);
        const uint8_t flags = scarce__get_u8(r);
        x.label = flags & 1;
        x.early = flags >> 1 & 1;
        if (l->m->n_classes > 2) x.label = scarce__get_u8(r);
        read_guess(l, &x, r);
        if (flags > 3 || !isfinite(x.score) || r->failed) r->failed = 1;
        else scarce__window_add(&l->window, &x, flags & 1);
    }
}

static scarce_status read_queue(scarce_learner *l, scarce__reader *r, scarce_error *err)
{
    const size_t n = scarce__get_count(r, 58);
    int no_memory = 0;

    for (size_t i = 0; !r->failed && i < n; ++i) {
        scarce__waiting *x = read_waiting(l, r, &no_memory);
        if (x && !r->failed && !scarce__queue_push(&l->queue, x)) no_memory = 1;
        if (x && (r->failed || no_memory)) scarce__free(x);
        if (no_memory) return scarce__fail_memory(err, "rows that wait for their labels", 0);
    }
    return SCARCE_OK;
}

scarce_status scarce__learner_read(scarce_learner *l, const uint8_t *state, size_t n, scarce_error *err)
{
    scarce__reader r = scarce__reader_of(state, n);

    const int classes = l->m->n_classes > 2;

    if (scarce__get_u32(&r) != version_of(l)) r.failed = 1;
    for (size_t i = 0; counts_of(&l->count, i); ++i) *counts_of(&l->count, i) = scarce__get_u64(&r);
    if (classes) l->count.other_labels = scarce__get_u64(&r);
    for (size_t j = 0; classes && j < l->m->n_classes; ++j) l->class_learnt[j] = scarce__get_u64(&r);
    l->blind_rows = scarce__get_u64(&r);
    l->clock = scarce__get_f64(&r);
    l->count.lag = scarce__get_f64(&r);
    scarce__adwin_read(&l->loss_adwin, &r);
    scarce__adwin_read(&l->score_adwin, &r);
    scarce__page_hinkley_read(&l->loss_page, &r);
    if (isnan(l->clock)) r.failed = 1;
    if (!r.failed) read_window(l, &r);
    if (!r.failed) SCARCE__TRY(read_queue(l, &r, err));
    if (r.failed || r.at != r.end)
        return scarce__fail(err, SCARCE_EPARSE, "the state of a learner is damaged");
    return SCARCE_OK;
}

/* ---- models */

/* How many rows of each class were learnt, as a list: a model that goes on counts on. */
static scarce_status note_classes(scarce_model *m, const scarce_learner *l, scarce_error *err)
{
    char text[24 * SCARCE__ONLINE_MOST_CLASSES];
    size_t n = 0;

    if (!l->class_learnt) return SCARCE_OK;
    for (size_t j = 0; j < l->m->n_classes; ++j)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu", j ? "," : "",
                              (unsigned long long)l->class_learnt[j]);
    return scarce__model_add_note(m, "class_rows", text, err);
}

void scarce__learner_read_notes(scarce_learner *l, const scarce_model *model)
{
    const char *positives = scarce_model_note(model, "positives"),
               *classes = scarce_model_note(model, "class_rows");

    l->count.learnt = l->m->rows;
    if (positives) l->count.positives = strtoull(positives, NULL, 10);
    for (size_t j = 0; classes && l->class_learnt && j < l->m->n_classes; ++j) {
        l->class_learnt[j] = strtoull(classes, NULL, 10);
        classes = strchr(classes, ',');
        if (classes) ++classes;
    }
    if (l->m->rows) l->blind_rows = 0;
}

/* Notes that change as it learns, behind those of the parameters. */
static scarce_status add_notes(scarce_model *m, const scarce_learner *l, scarce_error *err)
{
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;

    SCARCE__TRY(scarce_learner_get_status(&s, l, err));
    SCARCE__TRY(scarce__model_add_note_number(m, "rows", (double)s.learnt, err));
    SCARCE__TRY(scarce__model_add_note_number(m, "positives", (double)s.positives, err));
    SCARCE__TRY(note_classes(m, l, err));
    SCARCE__TRY(scarce__model_add_note_number(m, "drifts_loss", (double)s.drifts_loss, err));
    SCARCE__TRY(scarce__model_add_note_number(m, "drifts_score", (double)s.drifts_score, err));
    if (!isnan(s.ap)) {
        SCARCE__TRY(scarce__model_add_note_number(m, "window", (double)s.window, err));
        SCARCE__TRY(scarce__model_add_note_number(m, "window_ap", s.ap, err));
    }
    if (l->class_learnt && !isnan(s.error))
        SCARCE__TRY(scarce__model_add_note_number(m, "window_error", s.error, err));
    if (!isnan(s.log_loss)) SCARCE__TRY(scarce__model_add_note_number(m, "window_log_loss", s.log_loss, err));
    if (m->has_probability && s.learnt && s.positives && s.positives < s.learnt)
        SCARCE__TRY(
            scarce__model_add_note_number(m, "prevalence", (double)s.positives / (double)s.learnt, err));
    return SCARCE_OK;
}

static scarce_status decide(scarce_model *m, const scarce_learner *l, scarce_error *err)
{
    scarce__meaning meaning;
    double threshold;

    memset(&meaning, 0, sizeof meaning);
    scarce__online_meaning(&meaning, &l->m->o);
    m->has_probability = meaning.link == SCARCE__LINK_SIGMOID;
    memset(&m->calibrator, 0, sizeof m->calibrator);
    if (m->has_probability) {
        m->calibrator.kind = SCARCE__CALIBRATOR_SIGMOID;
        m->calibrator.a = 1;
        m->calibrator.b = -scarce__ln(l->m->o.pos_weight);
    } else SCARCE__TRY(scarce__model_add_note(m, "no_probability", meaning.why, err));
    SCARCE__TRY(scarce__window_threshold(&threshold, &l->window, err));
    m->alert_rule = SCARCE__ALERT_SCORE;
    m->alert_value = isnan(threshold) ? 0 : threshold;
    return scarce__model_add_note(m, "threshold_rule",
                                  isnan(threshold) ? "score 0: the window has no positive"
                                                   : "as many alerts as the window has positives",
                                  err);
}

/* The learner's model with its notes, as bytes; everything but the new notes is borrowed. */
static scarce_status with_model(const scarce_learner *l, const uint8_t *state, size_t n_state,
                                scarce_status (*take)(const scarce_model *m, void *payload,
                                                      scarce_error *err),
                                void *payload, scarce_error *err)
{
    const size_t n = l->model->n_notes;
    scarce_model m = *l->model;
    scarce_status st;

    m.notes = scarce__malloc_array(n, sizeof *m.notes);
    if (!m.notes) return scarce__fail_memory(err, "a model", 0);
    if (n) memcpy(m.notes, l->model->notes, n * sizeof *m.notes);
    m.state = (uint8_t *)(uintptr_t)state;
    m.n_state = n_state;
    st = decide(&m, l, err);
    if (st == SCARCE_OK) st = add_notes(&m, l, err);
    if (st == SCARCE_OK) st = take(&m, payload, err);
    for (size_t i = n; i < m.n_notes; ++i) {
        scarce__free(m.notes[i].key);
        scarce__free(m.notes[i].value);
    }
    scarce__free(m.notes);
    return st;
}

static scarce_status copy_model(const scarce_model *m, void *payload, scarce_error *err)
{
    void *bytes = NULL;
    size_t n = 0;
    SCARCE__TRY(scarce_model_bytes(&bytes, &n, m, err));
    const scarce_status st = scarce_model_read(payload, bytes, n, "a learner", err);
    scarce_bytes_free(bytes);
    return st;
}

scarce_status scarce_learner_model(scarce_model **out, const scarce_learner *l, scarce_error *err)
{
    *out = NULL;
    return with_model(l, NULL, 0, copy_model, out, err);
}

static scarce_status save_model(const scarce_model *m, void *payload, scarce_error *err)
{
    return scarce_model_save(m, payload, err);
}

scarce_status scarce_learner_checkpoint(const scarce_learner *l, const char *path, scarce_error *err)
{
    scarce__writer w;
    scarce_status st;

    memset(&w, 0, sizeof w);
    scarce__learner_write(l, &w);
    st = w.failed ? scarce__fail_memory(err, "a checkpoint", w.n)
                  : with_model(l, w.bytes, w.n, save_model, (void *)(uintptr_t)path, err);
    scarce__writer_deinit(&w);
    return st;
}
