/* SPDX-License-Identifier: Apache-2.0 */
/* What losses on whole lists share: sums of exponentials over the rows of a class, and gradients of them.
 *
 *     const double k[2] = {alpha, alpha};               negatives, positives
 *     scarce__list l;
 *     scarce__list_sums(&l, rows, k, g, portable, ctx, err);   l.sum[0]: log sum over negatives of w exp(k f)
 *     scarce__list_fill(&l, c, 0, h, ctx);                     g = c w exp(k f) / sum of the class
 *     scarce__list_end(&l);
 *
 * Units: gradients are multiplied by P, the weight of the positives, so that an average positive has |g| = 1
 * and lambda, min_child_weight and the learning rate mean what they mean with the logistic loss. */
#ifndef SCARCE_BOOST_LIST_H
#define SCARCE_BOOST_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "boost/loss.h"

#define SCARCE__LEAST_H 1e-16f

typedef struct scarce__list_sum {
    double ref;     /* the score f with the largest k f among the rows of the class that weigh something */
    double log_sum; /* log sum w exp(k (f - ref)): accurate for scores of any size; -inf when no row weighs
                       anything */
    double weight;  /* sum w */
} scarce__list_sum;

/* Sums, and in g what the gradients are made of without a second exponential. */
typedef struct scarce__list {
    scarce__list_sum sum[2]; /* negatives, positives */
    const scarce__loss_rows *rows;
    double k[2];
    float (*ref)[2]; /* per block and class: g holds w exp(k (f - ref)) so far */
    float *g;
    int portable;
} scarce__list;

/* Sums of blocks are added in double in the order of the rows. g has an item per row. After a failure there
 * is nothing to end. */
scarce_status scarce__list_sums(scarce__list *out, const scarce__loss_rows *rows, const double k[2], float *g,
                                int portable, scarce_context *ctx, scarce_error *err);
void scarce__list_end(scarce__list *list);

/* log sum w exp(k f) */
static inline double scarce__list_lse(const scarce__list_sum *s, double k)
{
    return k * s->ref + s->log_sum;
}

/* log(e^a + e^b) */
double scarce__log_add(double a, double b);

/* g = c[y] w exp(k[y] (f - ref[y]) - log_sum[y]), h = |g|, or with `flat` h = w (leaves are then means of
 * -g); h is at least SCARCE__LEAST_H. Once per list. */
void scarce__list_fill(scarce__list *list, const double c[2], int flat, float *h, scarce_context *ctx);

/* A list without positives or without negatives has nothing to say: g = 0. */
static inline int scarce__list_empty(const scarce__list_sum s[2])
{
    return !(s[0].weight > 0) || !(s[1].weight > 0);
}
void scarce__list_silence(size_t n, float *g, float *h);

/* The lowest and the highest of n >= 1 scores. */
void scarce__list_range(const float *score, size_t n, float *low, float *high);

/* The positives' row numbers, ascending; freed by the caller. *n may be 0. */
scarce_status scarce__list_positives(uint32_t **out, size_t *n, const scarce__loss_rows *rows,
                                     scarce_error *err);

/* Multiplies g and h so that sum |g| = 2 P, and lifts h to SCARCE__LEAST_H. `same`: h = |g|. */
void scarce__list_rescale(size_t n, double p, double sum_abs_g, int same, float *g, float *h,
                          scarce_context *ctx);

/* Interest of a row for importance sampling: exp(k f), cut far from the ends of float. */
void scarce__list_interest(const float *score, float k, size_t n, float *out, int portable);
/* The same as the `interest` of a loss with a scale. */
void scarce__list_scaled_interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e,
                                  float *out);

static inline double scarce__row_weight(const scarce__loss_rows *rows, size_t i)
{
    return rows->weight ? (double)rows->weight[i] : 1;
}

/* Plain sums in double for `value`: log sum w exp(k f) over the rows of one class; -inf when
 * there are none. */
double scarce__list_lse_plain(const scarce__loss_rows *rows, int label, double k);

/* f_0 of losses that don't change when all scores move together. */
double scarce__list_base(const scarce__loss *loss, const scarce__loss_rows *rows);

#endif
