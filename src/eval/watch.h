/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of the top of a list, cheap enough to be asked after every tree: the rows stay the same and only
 * their scores change, so everything else is prepared once.
 *
 *     scarce__watch *w = NULL;
 *     scarce__watch_new(&w, metric, &rows, pool, err);       labels, weights, times and groups are borrowed
 *     scarce__watch_value(&value, w, score, pool, err);      again and again
 *     scarce__watch_free(w);
 *
 * The same values as scarce_metrics_compute gives with its default options: k is the number of positives, 100
 * cards a day of 86400 seconds; ties at the cut by expectation (cards: the smaller code first). NaN where the
 * metric is undefined. */
#ifndef SCARCE_EVAL_WATCH_H
#define SCARCE_EVAL_WATCH_H

#include <scarce/metrics.h>

#include "core/fail.h"
#include "core/pool.h"

typedef struct scarce__watch scarce__watch;

/* Is the metric one of these? (ap, precision_at_k, recall_at_k, card_precision_at_k) */
int scarce__watch_knows(size_t metric);

/* EINVAL when cards are asked for and the rows have no times or no groups. `rows` needs no scores. */
scarce_status scarce__watch_new(scarce__watch **out, size_t metric, const scarce_scored *rows,
                                scarce__pool *pool, scarce_error *err);
void scarce__watch_free(scarce__watch *w);

/* Scores are finite. Same bits for any number of threads. Fails for want of memory alone. */
scarce_status scarce__watch_value(double *out, scarce__watch *w, const float *score, scarce__pool *pool,
                                  scarce_error *err);

#endif
