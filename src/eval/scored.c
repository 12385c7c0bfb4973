/* SPDX-License-Identifier: Apache-2.0 */
#include <scarce/metrics.h>

#include "data/table.h"

scarce_scored scarce_scored_of_table(const scarce_table *table, const double *score,
                                     const double *probability)
{
    scarce_scored rows = SCARCE_SCORED_INIT;
    rows.n = table->n_rows;
    rows.score = score;
    rows.probability = probability;
    rows.label = table->label;
    rows.weight = table->weight;
    rows.time = table->time;
    rows.amount = table->amount;
    rows.group = table->group;
    return rows;
}
