/* SPDX-License-Identifier: Apache-2.0 */
/* What comparing and tuning share. */
#ifndef SCARCE_STUDY_STUDY_H
#define SCARCE_STUDY_STUDY_H

#include <scarce/study.h>

#include "core/pool.h"

/* Parameters of "name:key=value:key=value". */
scarce_status scarce__params_of_spec(scarce_params **out, const char *spec, scarce_error *err);

/* All metrics of a model on a table; the threshold is the model's unless the options give one. */
scarce_status scarce__judge_model(scarce_metrics *out, const scarce_model *model, const scarce_table *table,
                                  const scarce_metrics_options *options, scarce_context *ctx,
                                  scarce_error *err);

/* Tasks begin, begin + 1, ... of a longer list. */
typedef struct scarce__study_range {
    scarce__task_fn task;
    void *arg;
    size_t begin;
} scarce__study_range;

static inline void scarce__study_range_task(void *arg, size_t index, int worker)
{
    const scarce__study_range *range = arg;
    range->task(range->arg, range->begin + index, worker);
}

#endif
