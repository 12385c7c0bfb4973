/* SPDX-License-Identifier: Apache-2.0 */
/* T weak learners of one kind, asked and taught all at once: bank.c (nets, linear models), hoeffding.c (trees). */
#ifndef SCARCE_ONLINE_WEAK_H
#define SCARCE_ONLINE_WEAK_H

#include "online/inputs.h"

/* What a row teaches the learners. By gradient: h_t is to move by move[t]. By regression: h_t is to come to target[t],
 * and the row weighs weight[t] (0: the learner does not see it). */
typedef struct scarce__steps {
    int by_gradient;
    float move[SCARCE__ONLINE_MOST_LEARNERS];
    float target[SCARCE__ONLINE_MOST_LEARNERS], weight[SCARCE__ONLINE_MOST_LEARNERS];
} scarce__steps;

typedef struct scarce__weak_ops {
    void (*free)(scarce__weak *w);
    /* h[0..count-1] of a row; no allocation, and the learners stay as they are. */
    void (*predict)(const scarce__weak *w, const scarce__inputs *in, const scarce__online_row *row, float *h);
    /* The same for a row that will teach: what the step needs is kept. */
    void (*see)(scarce__weak *w, const scarce__active *active, const scarce__online_row *row, float *h);
    /* Of the row that was seen last. */
    scarce_status (*step)(scarce__weak *w, const scarce__active *active, const scarce__online_row *row,
                          const float *h, const scarce__steps *s, scarce_error *err);
    /* An input more; NULL: has no use for inputs. */
    scarce_status (*made)(void *w, uint32_t input, scarce__input_kind kind, scarce_error *err);
    void (*restart)(scarce__weak *w, size_t t, uint64_t round);
    void (*decay)(scarce__weak *w);
    void (*write)(const scarce__weak *w, scarce__writer *to);
    /* Into one that was just made, for n_inputs inputs. */
    scarce_status (*read)(scarce__weak *w, size_t n_inputs, scarce__reader *r, scarce_error *err);
} scarce__weak_ops;

struct scarce__weak {
    const scarce__weak_ops *ops;
    size_t count;
};

scarce_status scarce__bank_new(scarce__weak **out, const scarce__online_options *o,
                               const scarce_schema *schema, uint64_t seed, scarce_error *err);
scarce_status scarce__hoeffding_new(scarce__weak **out, const scarce__online_options *o,
                                    const scarce_schema *schema, uint64_t seed, scarce_error *err);

/* ---- the loops of banks, twice: for any machine, and with AVX2 (the same bits: every item of `width` has sums of its own,
 * in the order of the inputs; no fused multiply-add). width is a multiple of 8. */

typedef struct scarce__bank_kernels {
    /* sum[i] += value[k] * weight[input[k] * width + i] for k = 0, 1, ... */
    void (*add)(float *sum, const float *weight, size_t width, const uint32_t *input, const float *value,
                size_t n);
    /* AdaGrad: g = value[k] * delta[i]; square += g^2; weight += rate g / (sqrt(square) + 1e-8) */
    void (*step)(float *weight, float *square, size_t width, const uint32_t *input, const float *value,
                 size_t n, const float *delta, float rate);
    void (*tanh)(float *x, size_t n);
    /* z[p] += h[t] * a[t * width + p] */
    void (*mix)(float *z, const float *a, size_t width, const float *h, size_t n);
    /* out[t] = sum over p of a[t * width + p] * d[p], in 8 sums; a[t * width + p] += h[t] * e[p] after that, where e is
     * not NULL */
    void (*unmix)(float *out, float *a, size_t width, const float *d, const float *e, const float *h,
                  size_t n);
} scarce__bank_kernels;

extern const scarce__bank_kernels scarce__bank_plain;
/* The ones for this machine. */
const scarce__bank_kernels *scarce__bank_best(void);

#endif
