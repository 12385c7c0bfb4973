/* SPDX-License-Identifier: Apache-2.0 */
/* What makes one score of the outputs h_1 .. h_T of weak learners, and what a label then teaches both.
 *
 *   alone        F = h_1; gradient of the logistic loss
 *   onlb         F = b + sum_p a_p relu(z_p), z_p = sum_t A_tp h_t. End to end: with g = c (y - sigma(F)) and
 *                d_p = a_p relu'(z_p), learner t moves by g sum_p A_tp d_p; then A_tp += eta g d_p h_t, a_p += eta / T g
 *                relu(z_p), b += eta g. Classes: a_jp, softmax, d_p = sum_j a_jp g_j relu'(z_p).
 *                Stage by stage (the paper's): for t = 1..T learner t regresses on y - sigma(F_t-1); then a and A_t
 *                take a step each with F_t. (Frery, thesis 2019, chapter 4, with the gradients put right.)
 *   online-bbm   weights C(T-t-1, k) (1/2+gamma)^k (1/2-gamma)^(T-t-1-k), k = floor((T - t - s) / 2), s the sum of votes
 *                for the true class so far; learners regress on +-1; F = sum of votes
 *   adaboost-ol  weights 1 / (1 + e^s), s = y F_t-1: rows are drawn by them, or (-w) passed on with them;
 *                F_t = F_t-1 + alpha_t h_t, alpha_t in [-2, 2] by steps of 4 / sqrt(n); the score is the mean of the F_t
 *                under weights that fall by e whenever F_t is wrong (the paper draws one F_t by them)
 *                (both: Beygelzimer, Kale and Luo, ICML 2015)
 *   ogb          F_t = clip((1 - sigma_t eta) F_t-1 + eta h_t, B), sigma_t learnt in [0, 1]; learners regress on the
 *                residual at F_t-1 (Beygelzimer, Hazan, Kale and Luo, NIPS 2015)
 *   streamboost  F_t = F_t-1 + eta h_t, learners regress on the residual at F_t-1 (Hu et al., AISTATS 2017)
 *
 * A vote is h_t cut to [-1, 1] rather than its sign, so that scores rank. g is cut to +-10: no single row, however
 * heavy, moves the combination further. */
#ifndef SCARCE_ONLINE_COMBINE_H
#define SCARCE_ONLINE_COMBINE_H

#include "online/weak.h"

struct scarce__combine {
    scarce__online_options o;
    const scarce__bank_kernels *kernels;
    size_t learners, spaces, width, outputs; /* width: spaces padded to 8 */
    size_t positive;
    uint64_t seed;
    float *mix;    /* A: learners x width */
    float *top;    /* a: outputs x width */
    double *shift; /* b: outputs */
    double *alpha,
        *chance;   /* adaboost-ol: step sizes; logarithms of the weights of F_1 .. F_T, the largest 0 */
    double *share; /* what of alpha_t h_t is in the score: the sum of the normalised weights from t on */
    double *sigma; /* ogb */
    float *table;  /* online-bbm: learners x learners, weight of (t, k), the largest of each t being 1 */
};

scarce_status scarce__combine_new(scarce__combine **out, const scarce__online_options *o, size_t outputs,
                                  size_t positive, uint64_t seed, scarce_error *err);
void scarce__combine_free(scarce__combine *c);

/* The score: a log-odds of the positive class, or the sum of votes. */
double scarce__combine_score(const scarce__combine *c, const float *h);
/* The outputs themselves: one for two classes. */
void scarce__combine_outputs(const scarce__combine *c, const float *h, double *out);

/* Row number n (from 1) of class y with weight w: fills the steps of the learners, changes the combination, and adds to
 * effect[t] what learner t did for the row. 0: the outputs are no numbers, and nothing was changed. */
int scarce__combine_learn(scarce__combine *c, const float *h, size_t y, double w, uint64_t n,
                          scarce__steps *s, double *effect);

/* Learner t begins anew. */
void scarce__combine_restart(scarce__combine *c, size_t t);

void scarce__combine_write(const scarce__combine *c, scarce__writer *w);
scarce_status scarce__combine_read(scarce__combine *c, scarce__reader *r, scarce_error *err);

#endif
