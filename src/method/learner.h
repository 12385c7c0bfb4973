/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of scarce_learner: a model that grows, rows that wait for their labels, and the window that figures are of.
 *
 *     learner.c         rows: due labels first, then score, then wait or learn
 *     learner_queue.c   what waits
 *     learner_window.c  how it goes
 *     learner_state.c   models and checkpoints */
#ifndef SCARCE_METHOD_LEARNER_H
#define SCARCE_METHOD_LEARNER_H

#include <scarce/learn.h>

#include "method/method_online.h"
#include "online/drift.h"

/* A row that was scored, as it is needed when its label comes. */
typedef struct scarce__waiting {
    double due, time, weight, score, loss; /* the loss that the score had */
    uint64_t number;      /* of the row, from 1: what is due at the same time is learnt in this order */
    uint64_t group;       /* hash of the entity; 0: none */
    uint8_t label, early; /* label: the number of its class */
    uint8_t guess;        /* the likeliest class when it was scored */
    uint32_t n_dense, n_sparse;
    /* then n_dense floats, n_sparse features (u32), n_sparse floats */
} scarce__waiting;

/* Due first on top. */
typedef struct scarce__queue {
    scarce__waiting **heap;
    size_t n, capacity;
} scarce__queue;

typedef struct scarce__window {
    size_t capacity, n, at; /* at: where the next goes */
    double *score, *time;
    uint64_t *group;
    uint8_t *label, *early; /* label: positive or not */
    uint8_t *own, *guess;   /* with more than two classes, else NULL, as is */
    double *loss;
} scarce__window;

struct scarce_learner {
    scarce_learner_options o;
    scarce_context *ctx;
    scarce_model *model; /* its body is m; notes are those of the parameters */
    scarce__online *m;
    scarce__queue queue;
    scarce__window window;
    scarce__adwin loss_adwin, score_adwin;
    scarce__page_hinkley loss_page;
    scarce_learner_status count; /* figures of the window are filled when they are asked for */
    double clock;                /* the latest time */
    /* Scores of rows up to this one came before any positive was learnt, when there was nothing to rank by: they are not in
     * the window. UINT64_MAX: none was yet. */
    uint64_t blind_rows;
    uint64_t *class_learnt; /* of each class; NULL: two */
    float *value;           /* n_features: a row that waited */
    int32_t **code; /* per category feature: code of the block to code of the model; -2: not looked up yet */
    size_t *n_code;
};

static inline int scarce__is_positive(const scarce_learner *l, size_t label)
{
    return l->m->n_classes == 2 ? label != 0 : label == l->m->positive;
}

/* ---- learner_queue.c */

/* 0: out of memory. The row is the queue's from then on. */
int scarce__queue_push(scarce__queue *q, scarce__waiting *w);
scarce__waiting *scarce__queue_pop(scarce__queue *q); /* NULL: empty */
void scarce__queue_deinit(scarce__queue *q);
/* A copy of a row; NULL: out of memory. */
scarce__waiting *scarce__waiting_new(const scarce_schema *schema, const scarce__online_row *row);
/* Puts the values where a row has them; `value` is zero at sparse features, and is so again after `clear`. */
scarce__online_row scarce__waiting_row(const scarce__waiting *w, const scarce_schema *schema, float *value);
void scarce__waiting_clear(const scarce__waiting *w, float *value);

/* ---- learner_window.c */

scarce_status scarce__window_init(scarce__window *w, size_t capacity, scarce_error *err);
scarce_status scarce__window_init_classes(scarce__window *w, scarce_error *err);
void scarce__window_deinit(scarce__window *w);
void scarce__window_add(scarce__window *w, const scarce__waiting *row, int positive);
/* The i-th, from the oldest. */
size_t scarce__window_at(const scarce__window *w, size_t i);
/* The score from which on there are as many rows in the window as positives; NaN: it has none. */
scarce_status scarce__window_threshold(double *out, const scarce__window *w, scarce_error *err);

/* ---- learner_state.c */

void scarce__learner_write(const scarce_learner *l, scarce__writer *w);
/* What a model without state says of the rows it learnt. */
void scarce__learner_read_notes(scarce_learner *l, const scarce_model *model);
scarce_status scarce__learner_read(scarce_learner *l, const uint8_t *state, size_t n, scarce_error *err);

#endif
