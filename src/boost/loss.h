/* SPDX-License-Identifier: Apache-2.0 */
/* What boosting minimises. A loss turns the scores of the rows of a bag into gradients g and curvatures h >=
 * 0; it may look at all of them together (lists), or at each alone. One file per loss, formula at its top.
 *
 *     scarce__loss loss = scarce__loss_logistic(1);
 *     loss.gradients(&loss, &rows, g, h, ctx, err); */
#ifndef SCARCE_BOOST_LOSS_H
#define SCARCE_BOOST_LOSS_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/loss.h>

#include "core/context.h"

typedef struct scarce__loss_rows {
    size_t n;
    const float *score;   /* NULL for `base` */
    const uint8_t *label; /* 0 or 1; NULL when target is given */
    const float *target;  /* regression */
    const float *weight;  /* NULL: 1 each; multiplies g and h */
    const uint32_t *row;  /* numbers among the training rows; NULL: 0, 1, ... */
} scarce__loss_rows;

typedef struct scarce__loss scarce__loss;
struct scarce__loss {
    const char *name;
    int needs_label; /* both classes must occur */
    double gamma;    /* the score is 1/gamma of the log-odds; 0: the score has no probability */
    int portable;    /* don't use AVX2 (the result is the same) */
    void *state;     /* of losses that keep something; owned by whoever made the loss */
    scarce_status (*gradients)(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err);
    /* the constant score with the least loss */
    double (*base)(const scarce__loss *loss, const scarce__loss_rows *rows);
    /* mean loss, for tests and reports */
    double (*value)(const scarce__loss *loss, const scarce__loss_rows *rows);
    /* how much each of the rows b .. e - 1 would matter if it were a negative, on any scale, to out[b ..];
     * for importance sampling (NULL: none). Called from tasks, for blocks: looks at each row alone, and not
     * at its label or weight. */
    void (*interest)(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *out);
    /* what becomes of the value of a leaf, before the learning rate (NULL: it stays) */
    double (*leaf)(const scarce__loss *loss, double value);
    double alpha, beta; /* parameters, where a loss has them: see its file */
    int mode;
};

scarce__loss scarce__loss_logistic(double gamma); /* 1 or 2 (any > 0) */
scarce__loss scarce__loss_exponential(void);
scarce__loss scarce__loss_squared(void);       /* label as 0/1 when there is no target */
scarce__loss scarce__loss_focal(double focus); /* exponent, 0 or more; 0 is logistic */

/* For the top of the list: scores without a probability, f_0 = 0, gradients in units of a
 * positive (list.h). */
scarce__loss scarce__loss_ap_lb(double alpha);                             /* alpha > 0 */
scarce__loss scarce__loss_sgbap(double alpha, double beta, int leaf_mean); /* alpha > 0, beta >= 0 */
scarce__loss scarce__loss_sgbap_sig(double alpha, int exactly);            /* alpha > 0; exactly: O(P rows) */
scarce__loss scarce__loss_lambdamart(int exactly); /* exactly: all pairs, however many */
scarce__loss scarce__loss_rankboost(int classic);  /* classic: for stumps, with their own steps */

/* A loss of the caller (loss.h), borrowed. Pointers that are NULL there may be NULL here. */
scarce__loss scarce__loss_user(const scarce_loss *user);

/* Runs fn over blocks of rows on the threads; for losses that look at each row alone. */
typedef void (*scarce__loss_block_fn)(const scarce__loss *loss, const scarce__loss_rows *rows, size_t begin,
                                      size_t end, float *g, float *h);
void scarce__loss_blocks(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                         scarce__loss_block_fn fn, scarce_context *ctx);

/* Weight of the positives and of the negatives. */
void scarce__loss_class_weights(const scarce__loss_rows *rows, double *positive, double *negative);

#endif
