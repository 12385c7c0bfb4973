/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics by number, for results that come back from a file. */
#ifndef SCARCE_EVAL_NAMES_H
#define SCARCE_EVAL_NAMES_H

#include <scarce/metrics.h>

void scarce__metric_set(scarce_metrics *m, size_t metric, double value);

#endif
