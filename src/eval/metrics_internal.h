/* SPDX-License-Identifier: Apache-2.0 */
/* What metrics, curves and bootstrap share. */
#ifndef SCARCE_EVAL_METRICS_INTERNAL_H
#define SCARCE_EVAL_METRICS_INTERNAL_H

#include <scarce/metrics.h>

#include "eval/rank.h"

/* Checks the arrays and labels, weights, probabilities, amounts; EDATA names the row. NaN scores are found by
 * the ranking. */
scarce_status scarce__scored_check(const scarce_scored *in, scarce_error *err);

/* The caller's options over the defaults, checked. */
scarce_status scarce__metrics_options(scarce_metrics_options *out, const scarce_metrics_options *given,
                                      scarce_error *err);

/* Weight, and number of rows, of everything at the head of the ranking. */
typedef struct scarce__head {
    double rows, pos, neg;
    double amount; /* of positives, weighted */
} scarce__head;

/* Adds rows order[begin..end) to h. `order` NULL: the rows stand in the order of the ranking. `times` NULL:
 * every row once, else times[row] copies of it. */
void scarce__head_add(scarce__head *h, const scarce_scored *in, const uint32_t *order, const uint32_t *times,
                      size_t begin, size_t end);

/* Values for k = the first k rows (k > 0) when the cut lies between two heads, a before b. */
scarce__head scarce__head_at(const scarce__head *a, const scarce__head *b, double k);

/* Row-wise facts, made once and used by every replicate of a bootstrap. */
typedef struct scarce__facts {
    const double *against; /* the threshold is compared with these (scores or probabilities) */
    double threshold;
    const uint8_t *alert; /* or these are the alerts, not NULL */
    double *loss;         /* log loss of the row; NULL without probabilities */
    uint16_t *ece_bin;    /* NULL without probabilities */
} scarce__facts;

scarce_status scarce__facts_init(scarce__facts *f, const scarce_scored *in, const scarce_metrics_options *o,
                                 double f1_best_threshold, scarce__pool *pool, scarce_error *err);
void scarce__facts_deinit(scarce__facts *f);

static inline int scarce__is_alert(const scarce__facts *f, size_t row)
{
    return f->alert ? f->alert[row] != 0 : f->against[row] >= f->threshold;
}

/* Fill the part of m that follows from the order of the scores; from thresholds and probabilities. */
void scarce__metrics_of_order(scarce_metrics *m, const scarce_scored *in, const scarce__ranking *r,
                              const uint32_t *order, const uint32_t *times, const scarce_metrics_options *o);
/* room: scarce__metrics_room(n, o) doubles of scratch. */
void scarce__metrics_of_rows(scarce_metrics *m, const scarce_scored *in, const scarce__facts *f,
                             const uint32_t *times, const scarce_metrics_options *o, double *room,
                             scarce__pool *pool);
size_t scarce__metrics_room(size_t n, const scarce_metrics_options *o);

/* card_precision_at_k; NaN without time or group. */
scarce_status scarce__card_precision(double *out, const scarce_scored *in, const scarce_metrics_options *o,
                                     scarce__pool *pool, scarce_error *err);

void scarce__metrics_clear(scarce_metrics *m); /* all NaN */

#endif
