/* SPDX-License-Identifier: Apache-2.0 */
/* What travels between a training and its rows, as bytes: 8 bytes of what it is, the rest, and a checksum.
 *
 *     question   count | interest | draw | scores | top       carries loss, base and all trees so far
 *     answer     of one partition, to one question
 *     sketch, plan */
#ifndef SCARCE_FAR_MESSAGE_H
#define SCARCE_FAR_MESSAGE_H

#include "boost/interest.h"
#include "boost/loss.h"
#include "core/bytes.h"
#include "core/exact.h"
#include "tree/forest.h"

typedef enum scarce__message {
    SCARCE__A_SKETCH = 1,
    SCARCE__A_PLAN = 2,
    SCARCE__A_QUESTION = 3,
    SCARCE__AN_ANSWER = 4
} scarce__message;

void scarce__message_begin(scarce__writer *w, scarce__message what);
/* The checksum; *bytes are the caller's. ENOMEM where the writer failed; it is empty afterwards. */
scarce_status scarce__message_end(void **bytes, size_t *n, scarce__writer *w, scarce_error *err);
scarce_status scarce__message_open(scarce__reader *r, const void *bytes, size_t n, scarce__message what,
                                   scarce_error *err);
scarce_status scarce__message_damaged(scarce_error *err);

typedef enum scarce__ask {
    SCARCE__ASK_COUNT = 1, /* rows, weights by class, hashes of rows */
    SCARCE__ASK_INTEREST,  /* how interesting the negatives are */
    SCARCE__ASK_DRAW,      /* rows by their coins */
    SCARCE__ASK_SCORES,    /* how the scores are spread */
    SCARCE__ASK_TOP        /* rows from a score on */
} scarce__ask;

typedef struct scarce__question {
    scarce__ask what;
    uint64_t plan;    /* its fingerprint */
    uint64_t run;     /* which training asks: scores of another one are forgotten */
    double factor[2]; /* on the weights of negatives and positives */
    double base;
    scarce__loss loss;
    const scarce__forest *trees; /* NULL: none yet */
    scarce__forest *own;         /* after reading: these, to be freed */
    unsigned thin;               /* INTEREST */
    scarce__interest_rule rule;  /* INTEREST: its key; DRAW */
    float from;                  /* TOP */
} scarce__question;

scarce_status scarce__question_write(void **bytes, size_t *n, const scarce__question *q, scarce_error *err);
scarce_status scarce__question_read(scarce__question *q, const void *bytes, size_t n, size_t n_features,
                                    scarce_error *err);
void scarce__question_deinit(scarce__question *q);

/* How an answer begins: what was asked, of which plan, and how many rows answer. */
void scarce__answer_begin(scarce__writer *w, const scarce__question *q, uint64_t rows);
scarce_status scarce__answer_open(scarce__reader *r, uint64_t *rows, const void *bytes, size_t n,
                                  const scarce__question *q, scarce_error *err);

void scarce__exact_write(const scarce__exact *e, scarce__writer *w);
void scarce__exact_read(scarce__exact *e, scarce__reader *r); /* adds */

/* What memory was wanted for, and what to do: a pool holds all positives, and so many negatives for each. */
#define SCARCE__DRAWN "the rows that were drawn (a smaller pool, of 20 say, draws fewer)"

/* Floats as numbers that ascend with them, in cells of 1/256 of an octave. */
enum { SCARCE__SCORE_CELLS = 1 << 17 };
uint32_t scarce__score_cell(float score);
float scarce__score_cell_edge(uint32_t cell); /* the least score in it */

#endif
