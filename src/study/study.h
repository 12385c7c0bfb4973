/* SPDX-License-Identifier: Apache-2.0 */
/* What comparing and tuning share. */
#ifndef SCARCE_STUDY_STUDY_H
#define SCARCE_STUDY_STUDY_H

#include <scarce/study.h>

#include "data/table.h"

/* The rows of a table as what is to be judged; the scores are still to be filled in. */
static inline scarce_scored scarce__scored_of(const scarce_table *table)
{
    scarce_scored rows = SCARCE_SCORED_INIT;
    rows.n = table->n_rows;
    rows.label = table->label;
    rows.weight = table->weight;
    rows.time = table->time;
    rows.amount = table->amount;
    rows.group = table->group;
    return rows;
}

#endif
