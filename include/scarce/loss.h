/* SPDX-License-Identifier: Apache-2.0 */
/* A loss of your own for boosted trees: what is minimised, as a callback in your program.
 *
 *     static int gradients(void *payload, const scarce_loss_rows *rows, float *g, float *h)
 *     {
 *         for (size_t i = 0; i < rows->n; ++i) {                        logistic, as an example
 *             const float p = 1 / (1 + expf(-rows->score[i]));
 *             g[i] = p - rows->label[i];
 *             h[i] = p * (1 - p);
 *         }
 *         return 0;
 *     }
 *     ...
 *     scarce_loss loss = SCARCE_LOSS_INIT;
 *     scarce_train_options options = SCARCE_TRAIN_OPTIONS_INIT;
 *     loss.gradients = gradients;
 *     options.loss = &loss;
 *     scarce_train(&model, table, params_of_gb, &options, NULL, ctx, &err);
 *
 * It takes the place of the parameter `loss` of the methods that boost trees (gb and its relatives) and runs
 * at the speed of the built-in ones: row sampling, threads, early stopping, constraints all work as with
 * those. The model file holds the trees and the name of the loss, not the loss; scoring needs nothing of it.
 * examples/own_loss.c is a complete program. */
#ifndef SCARCE_LOSS_H
#define SCARCE_LOSS_H

#include <scarce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of one call; with row sampling those of the current sample, in ascending order. */
typedef struct scarce_loss_rows {
    size_t n;
    const float *score;   /* of the trees so far; finite. NULL in `start` */
    const uint8_t *label; /* 0 or 1 */
    const float *weight;  /* case weight times pos_weight times sampling weight; NULL: 1 each */
    const uint32_t *row;  /* number in the training table; NULL: first, first + 1, ... */
    size_t first;
} scarce_loss_rows;

/* The number of row i in the training table: to look up what your program knows of it. */
static inline size_t scarce_loss_row(const scarce_loss_rows *rows, size_t i)
{
    return rows->row ? rows->row[i] : rows->first + i;
}

typedef struct scarce_loss {
    size_t struct_size;
    const char *name; /* for messages and for the model's notes; NULL: "own" */
    void *payload;    /* handed to every callback */

    /* 0: the gradient of a row depends on that row alone. `gradients` is then called for blocks of rows, from
     * several threads at once (each has 1 MB of stack), and must not change the payload; g and h are those of
     * a row of weight 1 (the library multiplies by the weights).
     * 1: it depends on the whole list. `gradients` is called once per tree with all rows, on the thread that
     * called scarce_train; g and h must include the weights. */
    int whole_list;

    /* Above 0: 1 / (1 + exp(-link * score)) is the probability of a positive, so models have probabilities.
     * 0: not known; probabilities then need a calibrator (options.calibrate with validation rows). */
    double link;

    /* First and second derivative of the loss by the score, for each row: g of any sign, h >= 0, both finite
     * (else EDATA, with the row). A leaf becomes -sum g / (sum h + lambda), so where the second derivative
     * vanishes or is negative give something positive of its size. Nothing may depend on the number of
     * threads. Other than 0: training ends with SCARCE_EINVAL. */
    int (*gradients)(void *payload, const scarce_loss_rows *rows, float *g, float *h);

    /* ---- All of these may be NULL */
    /* The score to start from, the same for all rows, finite; NULL: 0. Called once, with all rows. */
    double (*start)(void *payload, const scarce_loss_rows *rows);
    /* Mean loss of the rows: needed for early stopping by rows outside the bags. */
    double (*value)(void *payload, const scarce_loss_rows *rows);
    /* How much each row would matter if it were a negative, 0 or more, on any scale: for sample=importance.
     * NULL: |g| for label 0; with whole_list there is then no importance sampling. Called from several
     * threads. */
    void (*interest)(void *payload, const scarce_loss_rows *rows, float *out);
    /* Called once per scarce_train, when the trees are grown or the call has failed. */
    void (*finish)(void *payload);
} scarce_loss;

#define SCARCE_LOSS_INIT SCARCE_INIT(sizeof(scarce_loss), NULL, NULL, 0, 0.0, NULL, NULL, NULL, NULL, NULL)

#ifdef __cplusplus
}
#endif
#endif
