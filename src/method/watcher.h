/* SPDX-License-Identifier: Apache-2.0 */
/* The metric of the validation rows while trees are grown. */
#ifndef SCARCE_METHOD_WATCHER_H
#define SCARCE_METHOD_WATCHER_H

#include "boost/boost.h"
#include "eval/watch.h"
#include "method/method.h"

/* What the scores mean while they are watched, and how to watch them. */
typedef struct scarce__watching {
    scarce__link link;
    double slope;
    /* out: */
    scarce__boost_metric_fn metric; /* its payload is the watcher */
    const char *name;
    int smaller_is_better;
} scarce__watching;

typedef struct scarce__watcher {
    const scarce_table *valid;
    scarce_context *ctx;
    size_t metric;
    scarce__link link;
    double slope;
    scarce__watch *quick;        /* metrics that are quick to compute; else NULL and: */
    double *score, *probability; /* for all others */
} scarce__watcher;

/* *w is all zero, and is stopped in every case. */
scarce_status scarce__watcher_new(scarce__watcher *w, scarce__watching *watching, const scarce__job *job,
                                  scarce_error *err);
/* The same for a booster: sets the metric in the options, which borrow *w. */
scarce_status scarce__watcher_start(scarce__watcher *w, scarce__boost_options *o, const scarce__job *job,
                                    scarce_error *err);
void scarce__watcher_stop(scarce__watcher *w);

#endif
