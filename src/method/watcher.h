/* SPDX-License-Identifier: Apache-2.0 */
/* The metric of the validation rows while trees are grown. */
#ifndef SCARCE_METHOD_WATCHER_H
#define SCARCE_METHOD_WATCHER_H

#include "boost/boost.h"
#include "eval/watch.h"
#include "method/method.h"

typedef struct scarce__watcher {
    const scarce_table *valid;
    scarce_context *ctx;
    size_t metric;
    scarce__loss loss;
    scarce__watch *quick;        /* metrics that are quick to compute; else NULL and: */
    double *score, *probability; /* for all others */
} scarce__watcher;

/* Sets the metric in the options; *w is all zero, is borrowed by them, and is stopped in every case. */
scarce_status scarce__watcher_start(scarce__watcher *w, scarce__boost_options *o, const scarce__job *job,
                                    scarce_error *err);
void scarce__watcher_stop(scarce__watcher *w);

#endif
